//! SlopCodeBench's evaluation of a checkpoint: tests by name under `checkpoint_k-Group`, by what
//! came of them, and how pytest ended.
//!
//! Ids are `checkpoint_k::name`, whatever the group is called: the same test is of group Core at
//! its own checkpoint and of group Regression at later ones. A group at the checkpoint's own
//! tests is their category.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::Deserialize;

use super::draft::{Draft, test};
use super::pytest_json::Unread;
use super::text::plain;
use crate::intake::tame::Tame;
use crate::record::{Source, TestOutcome};

/// The format's name.
pub(super) const FORMAT: &str = "slopcodebench-evaluation";

/// pytest's status where tests could not be collected, or it was interrupted: what its report
/// tells decides which.
const INTERRUPTED: i64 = 2;

#[derive(Debug, Deserialize)]
struct Evaluation {
    checkpoint_name: String,
    tests: BTreeMap<String, Group>,
    #[serde(default)]
    total_counts: BTreeMap<String, u64>,
    #[serde(default)]
    pass_counts: BTreeMap<String, u64>,
    #[serde(default)]
    pytest_exit_code: Option<i64>,
    #[serde(default)]
    pytest_collected: Option<u64>,
    #[serde(default)]
    infrastructure_failure: bool,
}

#[derive(Debug, Default, Deserialize)]
struct Group {
    #[serde(default)]
    passed: Vec<String>,
    #[serde(default)]
    failed: Vec<String>,
    #[serde(default)]
    skipped: Vec<String>,
}

impl Group {
    fn all(&self) -> [(&Vec<String>, TestOutcome); 3] {
        [
            (&self.passed, TestOutcome::Passed),
            (&self.failed, TestOutcome::Failed),
            (&self.skipped, TestOutcome::Skipped),
        ]
    }
}

/// Reads an evaluation into `draft`.
///
/// # Errors
/// Why it is not read; nothing of it is then in the draft.
pub(super) fn read(source: &mut dyn Source, draft: &mut Draft) -> Result<(), Unread> {
    draft.format = Some(FORMAT);
    let text = Tame::new(plain(source).map_err(Unread::Io)?);
    let read: Evaluation = match serde_json::from_reader(io::BufReader::new(text)) {
        Ok(read) => read,
        Err(e) if e.is_io() && e.io_error_kind() != Some(io::ErrorKind::InvalidData) => {
            return Err(Unread::Io(e.into()));
        }
        Err(e) => return Err(Unread::Broken(e.to_string())),
    };
    let mut listed = 0;
    let mut passed = 0;
    for (key, group) in &read.tests {
        let (checkpoint, word) = key.rsplit_once('-').unwrap_or((key, ""));
        let own = checkpoint == read.checkpoint_name;
        let word = word.to_ascii_lowercase();
        let known = ["core", "error", "functionality", "regression"].contains(&word.as_str());
        let told = group.all().into_iter();
        for (name, outcome) in told.flat_map(|(names, o)| names.iter().map(move |n| (n, o))) {
            listed += 1;
            passed += u64::from(outcome == TestOutcome::Passed);
            draft.testcases += 1;
            let mut found = test(checkpoint, name.trim(), outcome);
            found.category = (own && known).then(|| word.clone());
            draft.test(found);
        }
    }
    let differs = |told: &BTreeMap<String, u64>, is: u64| {
        !told.is_empty() && told.values().fold(0, |sum: u64, n| sum.saturating_add(*n)) != is
    };
    if differs(&read.total_counts, listed)
        || differs(&read.pass_counts, passed)
        || read.pytest_collected.is_some_and(|n| n != listed)
    {
        draft.warn("header-counts-differ");
    }
    if read.infrastructure_failure && read.pytest_exit_code != Some(INTERRUPTED) {
        draft.reason("aborted-run");
    }
    Ok(())
}

/// Whether the names of an object's fields are those of an evaluation.
pub(super) fn is_evaluation(fields: &BTreeSet<String>) -> bool {
    let has = |key: &str| fields.contains(key);
    has("checkpoint_name") && has("tests") && has("pytest_exit_code")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::read as read_run;
    use crate::record::{Opened, RunFacts, TestMap, TestOutcome, Validity};

    fn run(files: &[&str], exit_code: i64) -> TestMap {
        let mut opened: Vec<Opened<'_>> = (files.iter().enumerate())
            .map(|(at, text)| Opened {
                path: format!("{at}.json"),
                modified: None,
                bytes: Box::new(Cursor::new(text.as_bytes().to_vec())),
            })
            .collect();
        let facts = RunFacts {
            exit_code: Some(exit_code),
            ..RunFacts::default()
        };
        read_run(&mut opened, &facts)
    }

    fn evaluation(tests: &str, exit: i64, failure: bool) -> String {
        format!(
            r#"{{"schema_version":1,"checkpoint_name":"checkpoint_2","tests":{tests},
            "pytest_exit_code":{exit},"infrastructure_failure":{failure}}}"#
        )
    }

    #[test]
    fn a_test_keeps_its_id_and_has_its_category_at_its_own_checkpoint() {
        let tests = r#"{"checkpoint_1-Regression":{"passed":["a"],"failed":["b[1-x]"]},
            "checkpoint_2-Core":{"passed":["a"],"skipped":["c"]},
            "checkpoint_2-Odd":{"failed":["d"]}}"#;
        let map = run(&[&evaluation(tests, 1, false)], 1);
        assert_eq!(map.validity, Validity::Valid);
        assert_eq!(map.format.as_deref(), Some("slopcodebench-evaluation"));
        let told: Vec<_> = map
            .tests
            .iter()
            .map(|(id, t)| (id.as_str(), t.outcome, t.category.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                ("checkpoint_1::a", TestOutcome::Passed, None),
                ("checkpoint_1::b[1-x]", TestOutcome::Failed, None),
                ("checkpoint_2::a", TestOutcome::Passed, Some("core")),
                ("checkpoint_2::c", TestOutcome::Skipped, Some("core")),
                ("checkpoint_2::d", TestOutcome::Failed, None),
            ]
        );
    }

    #[test]
    fn what_never_ran_is_no_verdict_and_what_does_not_load_is_broken() {
        for (exit, failure) in [(126, true), (3, true), (5, true), (-9, true), (0, true)] {
            let map = run(&[&evaluation("{}", exit, failure)], exit);
            assert_eq!(map.validity, Validity::Invalid, "{exit}");
        }
        assert_eq!(
            run(&[&evaluation("{}", 2, true)], 2).validity,
            Validity::Invalid
        );
        let report = r#"{"exitcode":2,"summary":{"collected":0},"collectors":[{"nodeid":"t.py",
            "outcome":"failed","longrepr":"ImportError"}],"tests":[]}"#;
        let map = run(&[&evaluation("{}", 2, true), report], 2);
        assert_eq!(map.validity, Validity::Broken);
        assert!(map.reasons.contains("collection-error"));
        // Failing tests beside a failure of the machinery are no verdict either.
        let some = r#"{"checkpoint_2-Core":{"failed":["a"]}}"#;
        assert_eq!(
            run(&[&evaluation(some, 137, true)], 137).validity,
            Validity::Invalid
        );
    }

    #[test]
    fn counts_that_differ_are_a_remark_and_other_forms_are_not_read() {
        let some = r#"{"checkpoint_2-Core":{"passed":["a"]}},"pytest_collected":0"#;
        let map = run(&[&evaluation(some, 0, false)], 0);
        assert!(map.warnings.contains("header-counts-differ"));
        assert_eq!(map.validity, Validity::Valid);
        for tests in ["[]", r#"{"checkpoint_2-Core":{"passed":[1]}}"#, "{"] {
            let map = run(&[&evaluation(tests, 0, false)], 0);
            assert_eq!(map.validity, Validity::Invalid, "{tests}");
            assert!(map.tests.is_empty());
        }
    }
}
