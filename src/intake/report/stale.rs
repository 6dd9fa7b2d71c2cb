//! Reports that an earlier run left behind.

use super::draft::Draft;
use crate::record::{Moment, RunFacts};

/// Clocks of file systems are coarser than the one that told the start of the run.
const FILE_SLACK_MS: i64 = 2_000;
/// Suites tell their time without a zone.
const ZONE_SLACK_MS: i64 = 24 * 3_600_000;

/// Why a report is older than the run; `None`: it is not, or nothing tells. A cache renews the
/// time of a file, a zone moves the time of a suite: either is enough.
pub(super) fn why(modified: Option<Moment>, draft: &Draft, run: &RunFacts) -> Option<String> {
    let started = run.started?;
    let older = |at: Moment, slack: i64| at.millis().saturating_add(slack) < started.millis();
    if let Some(at) = modified.filter(|at| older(*at, FILE_SLACK_MS)) {
        return Some(format!("stale: last written {at}, before the run"));
    }
    let at = draft.newest.filter(|at| older(*at, ZONE_SLACK_MS))?;
    Some(format!("stale: its suites ran {at}, before the run"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_stale_by_its_file_or_by_its_suites() {
        let at = |text: &str| Moment::parse(text).expect("a time");
        let run = RunFacts {
            started: Some(at("2026-03-02T10:00:00.000Z")),
            ..RunFacts::default()
        };
        let is = |modified: Option<&str>, newest: Option<&str>, run: &RunFacts| {
            let draft = Draft {
                newest: newest.map(at),
                ..Draft::default()
            };
            why(modified.map(at), &draft, run).is_some()
        };
        assert!(is(Some("2026-03-02T09:59:57.999Z"), None, &run));
        assert!(!is(Some("2026-03-02T09:59:58.000Z"), None, &run));
        assert!(is(
            Some("2026-03-02T10:00:05.000Z"),
            Some("2026-03-01T09:59:59.999Z"),
            &run
        ));
        assert!(!is(None, Some("2026-03-01T10:00:00.000Z"), &run));
        assert!(!is(None, None, &run));
        assert!(!is(
            Some("2020-01-01T00:00:00.000Z"),
            None,
            &RunFacts::default()
        ));
    }
}
