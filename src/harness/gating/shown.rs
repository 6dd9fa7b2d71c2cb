//! What a repair attempt is shown of a gate that did not hold: bounded, and of the tests only
//! what their reports say.

use std::collections::BTreeMap;

use super::Gating;
use super::checks::suite_word;
use super::running::tail;
use super::suite_run::SuiteRun;
use crate::harness::payloads::READERS;
use crate::record::mask::Masker;
use crate::record::{CheckRun, Opened, Suite, TestOutcome, Validity};

/// Tests that are named.
const TESTS: usize = 50;
/// Messages that are shown, and bytes of all of them.
const MESSAGES: usize = 20;
const MESSAGE_BYTES: usize = 16 << 10;
/// Bytes of the console.
const CONSOLE: u64 = 8 << 10;

/// What failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::harness) struct Failures {
    /// Checks that do not hold, each in a line.
    pub(in crate::harness) checks: Vec<String>,
    /// Names of tests that failed, the first so many of them.
    pub(in crate::harness) tests: Vec<String>,
    /// How many failed in all.
    pub(in crate::harness) failed: usize,
    /// Test, or what could not be built, to its message.
    pub(in crate::harness) messages: Vec<(String, String)>,
    /// The end of what the runs with failures printed.
    pub(in crate::harness) console: String,
}

pub(super) fn failures(gating: &Gating<'_>, runs: &[SuiteRun], checks: &[CheckRun]) -> Failures {
    let mut shown = Failures {
        checks: checks
            .iter()
            .filter(|c| c.holds == Some(false))
            .map(|c| {
                format!(
                    "{} ({}): {}",
                    c.check,
                    c.of,
                    c.why.as_deref().unwrap_or_default()
                )
            })
            .collect(),
        ..Failures::default()
    };
    if shown.checks.is_empty() {
        return shown;
    }
    // Masked as records are: an attempt's prompt becomes one of them.
    let masker = Masker::here();
    let masked =
        |text: &str| String::from_utf8_lossy(&masker.bytes(text.as_bytes()).0).into_owned();
    let mut messages = BTreeMap::new();
    for suite in [Suite::Acceptance, Suite::Visible] {
        if gating.suite(suite).is_none() || !counts(checks, suite) {
            continue;
        }
        let of_it = |run: &&SuiteRun| run.suite == suite && !run.on.is_before();
        let Some(run) = runs.iter().rfind(of_it) else {
            continue;
        };
        if run.map.validity == Validity::Invalid {
            continue;
        }
        let mut failed = 0;
        let tests = run.map.counted();
        for (id, _) in tests.filter(|(_, t)| t.outcome >= TestOutcome::Failed) {
            failed += 1;
            if shown.tests.len() < TESTS {
                shown.tests.push(id.to_owned());
            }
        }
        shown.failed += failed;
        for problem in run
            .map
            .problems
            .iter()
            .filter(|p| p.outcome >= TestOutcome::Failed)
        {
            let place = match problem.place.is_empty() {
                true => problem.kind.clone(),
                false => problem.place.clone(),
            };
            messages.insert(place, problem.message.clone().unwrap_or_default());
        }
        messages.extend(of_reports(run));
        if let Some(file) = &run.console {
            shown
                .console
                .push_str(&tail(file, CONSOLE).unwrap_or_default());
        }
    }
    let mut left = MESSAGE_BYTES;
    for (name, message) in messages.into_iter().take(MESSAGES) {
        let message = masked(crate::harness::said::beginning(&message, left));
        left = left.saturating_sub(message.len());
        shown.messages.push((name, message));
    }
    shown.console = masked(&shown.console);
    shown
}

/// Whether a check that does not hold looks at the suite; one that is no suite's looks at all.
fn counts(checks: &[CheckRun], suite: Suite) -> bool {
    let failed = checks.iter().filter(|c| c.holds == Some(false));
    failed
        .into_iter()
        .any(|c| c.check != "reports" || c.of == suite_word(suite))
}

/// What reports say of the tests that failed.
fn of_reports(run: &SuiteRun) -> BTreeMap<String, String> {
    let opened = run.reports.iter().filter_map(|(path, file)| {
        let bytes = std::fs::File::open(file).ok()?;
        Some(Opened {
            path: path.clone(),
            modified: None,
            bytes: Box::new(bytes),
        })
    });
    let mut all = READERS.messages(&mut opened.collect::<Vec<_>>());
    all.retain(|id, _| {
        let test = run.map.tests.get(id);
        test.is_some_and(|t| t.outcome >= TestOutcome::Failed)
    });
    all
}
