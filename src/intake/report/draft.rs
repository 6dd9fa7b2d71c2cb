//! What reports say, before it is judged: the readers of formats put tests, problems and what
//! they noticed into a [`Draft`], one for each file; drafts of a run are joined, in any order with
//! one result, and what is left out (a stale file) is simply not joined.
//!
//! Readers decide what a report alone shows: reasons such as `aborted-run`, warnings such as
//! `header-counts-differ`. What needs more (the console, the exit status, the start of the run,
//! earlier runs) is decided over the joined draft.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

use crate::record::{Moment, Problem, ReportFile, TestMap, TestOutcome, TestResult, Validity};

/// A longer message is cut.
pub(super) const MESSAGE_MAX: usize = 2048;

/// What one report or several say.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Draft {
    /// The format; of several the first by name.
    pub(super) format: Option<&'static str>,
    /// Tests by canonical id.
    pub(super) tests: BTreeMap<String, TestResult>,
    /// Failures that are no test.
    pub(super) problems: BTreeSet<Problem>,
    /// Why the run is not valid, as far as the reports alone show it.
    pub(super) reasons: BTreeSet<&'static str>,
    /// What to know before trusting it, as far as the reports alone show it.
    pub(super) warnings: BTreeSet<&'static str>,
    /// Testcases of any kind, those that became problems or nothing among them: with none there
    /// is no verdict (`no-tests`).
    pub(super) testcases: u64,
    /// The newest time that a suite tells of itself, without a zone taken as UTC; those before
    /// 2000 are no times. For `stale-report-ignored`; where suites are of several times the
    /// newest speaks for the file.
    pub(super) newest: Option<Moment>,
    /// What is said of tests that did not pass, by id; no record holds it.
    pub(super) messages: BTreeMap<String, String>,
}

/// A test with nothing said but what came of it.
pub(super) fn test(class: &str, name: &str, outcome: TestOutcome) -> TestResult {
    TestResult {
        module: None,
        class: class.to_owned(),
        name: name.to_owned(),
        raw_name: None,
        category: None,
        outcome,
        time: None,
        file: None,
        flaky: false,
        reruns: None,
        occurrences: None,
        container: false,
        incomplete: false,
        inferred: false,
        xfail: false,
        timeout: false,
    }
}

/// The canonical id: `[module//]class::name`.
pub(super) fn id(test: &TestResult) -> String {
    let module = test.module.as_deref();
    let length = module.map_or(0, |m| m.len() + 2) + test.class.len() + 2 + test.name.len();
    let mut id = String::with_capacity(length);
    if let Some(module) = module {
        id.push_str(module);
        id.push_str("//");
    }
    id.push_str(&test.class);
    id.push_str("::");
    id.push_str(&test.name);
    id
}

impl Draft {
    /// Takes a test. Several of one id are joined: the worst outcome wins and tells the details,
    /// how many there are is kept, and `duplicate-id` warns.
    pub(super) fn test(&mut self, test: TestResult) {
        match self.tests.entry(id(&test)) {
            Entry::Vacant(place) => {
                place.insert(test);
            }
            Entry::Occupied(mut place) => {
                joined(place.get_mut(), test);
                self.warnings.insert("duplicate-id");
            }
        }
    }

    /// Takes a failure that is no test; the message is cut.
    pub(super) fn problem(
        &mut self,
        kind: &str,
        place: &str,
        outcome: TestOutcome,
        message: Option<&str>,
    ) {
        self.problems.insert(Problem {
            kind: kind.to_owned(),
            place: place.to_owned(),
            outcome,
            count: None,
            message: message.filter(|m| !m.is_empty()).map(cut),
        });
    }

    /// Takes how many failures of a kind there are of which nothing else is told.
    pub(super) fn unnamed(&mut self, kind: &str, count: u64) {
        self.problems.insert(Problem {
            kind: kind.to_owned(),
            place: String::new(),
            outcome: TestOutcome::Error,
            count: Some(count),
            message: None,
        });
    }

    /// Takes what to know before trusting it.
    pub(super) fn warn(&mut self, code: &'static str) {
        self.warnings.insert(code);
    }

    /// Takes why the run is not valid.
    pub(super) fn reason(&mut self, code: &'static str) {
        self.reasons.insert(code);
    }

    /// Takes the time a suite tells of itself, as text.
    pub(super) fn time_of_suite(&mut self, text: &str) {
        self.newest = self.newest.max(super::ids::suite_time(text));
    }

    /// Takes the draft of another file.
    pub(super) fn join(&mut self, other: Draft) {
        self.format = match (self.format, other.format) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        if self.tests.is_empty() {
            self.tests = other.tests;
        } else {
            for (_, test) in other.tests {
                self.test(test);
            }
        }
        self.problems.extend(other.problems);
        self.reasons.extend(other.reasons);
        self.warnings.extend(other.warnings);
        self.testcases += other.testcases;
        self.newest = self.newest.max(other.newest);
        self.messages.extend(other.messages);
    }

    /// Marks Go's tests that hold others, `Name` where there is `Name/sub`: they are not counted,
    /// or each failing part would be so twice. One that fails while all it holds pass has a
    /// failure of its own, and counts.
    pub(super) fn mark_containers(&mut self) {
        let mut held: BTreeMap<String, bool> = BTreeMap::new();
        for (id, test) in &self.tests {
            let failed = test.outcome >= TestOutcome::Failed;
            let before = id.len() - test.name.len();
            for (at, _) in test.name.match_indices('/') {
                *held.entry(id[..before + at].to_owned()).or_default() |= failed;
            }
        }
        for (id, some_failed) in held {
            if let Some(test) = self.tests.get_mut(&id) {
                test.container = test.outcome < TestOutcome::Failed || some_failed;
            }
        }
    }

    /// The map, once it is clear whether it is a verdict; a valid one has no reasons.
    pub(super) fn into_map(self, validity: Validity, files: Vec<ReportFile>) -> TestMap {
        let words = |codes: BTreeSet<&str>| codes.into_iter().map(str::to_owned).collect();
        TestMap {
            format: self.format.map(str::to_owned),
            tests: self.tests,
            problems: self.problems.into_iter().collect(),
            validity,
            reasons: words(self.reasons),
            warnings: words(self.warnings),
            files,
        }
    }
}

/// Joins another occurrence of a test; whatever the order, the same comes of it.
fn joined(into: &mut TestResult, mut other: TestResult) {
    let occurrences = into.occurrences.unwrap_or(1) + other.occurrences.unwrap_or(1);
    let flaky = into.flaky || other.flaky;
    let reruns = into.reruns.max(other.reruns);
    let container = into.container && other.container;
    if other.outcome > into.outcome {
        std::mem::swap(into, &mut other);
    } else if other.outcome == into.outcome {
        let longer = |a: f64, b: f64| if b > a { b } else { a };
        into.time = either(into.time, other.time, longer);
        into.file = either(into.file.take(), other.file, String::min);
        into.raw_name = either(into.raw_name.take(), other.raw_name, String::min);
        into.category = either(into.category.take(), other.category, String::min);
        into.incomplete |= other.incomplete;
        into.inferred |= other.inferred;
        into.xfail |= other.xfail;
        into.timeout |= other.timeout;
    }
    into.occurrences = Some(occurrences);
    into.flaky = flaky;
    into.reruns = reruns;
    into.container = container;
}

fn either<T>(one: Option<T>, two: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (one, two) {
        (Some(one), Some(two)) => Some(both(one, two)),
        (one, two) => one.or(two),
    }
}

/// A message, cut.
pub(super) fn cut(message: &str) -> String {
    let message = message.trim();
    let mut length = message.len().min(MESSAGE_MAX);
    while !message.is_char_boundary(length) {
        length -= 1;
    }
    message[..length].to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_test() -> impl Strategy<Value = TestResult> {
        let outcome = prop_oneof![
            Just(TestOutcome::Passed),
            Just(TestOutcome::Failed),
            Just(TestOutcome::Error),
            Just(TestOutcome::Skipped),
        ];
        let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
        let time = prop::option::of((0_u32..5).prop_map(f64::from));
        (outcome, "[ab]", flags, time, prop::option::of(0_u64..3)).prop_map(
            |(outcome, name, flags, time, reruns)| TestResult {
                time,
                reruns,
                flaky: flags.0,
                container: flags.1,
                incomplete: flags.2,
                inferred: flags.3,
                raw_name: flags.0.then(|| format!("{name}()")),
                ..test("C", &name, outcome)
            },
        )
    }

    fn drafts() -> impl Strategy<Value = Vec<Draft>> {
        let draft = prop::collection::vec(any_test(), 0..4).prop_map(|tests| {
            let mut draft = Draft::default();
            for test in tests {
                draft.testcases += 1;
                draft.test(test);
            }
            draft
        });
        prop::collection::vec(draft, 0..5)
    }

    fn all(drafts: &[Draft]) -> Draft {
        let mut all = Draft::default();
        for draft in drafts {
            all.join(draft.clone());
        }
        all
    }

    proptest! {
        #[test]
        fn drafts_join_in_any_order(drafts in drafts(), turn in 0_usize..5, split in 0_usize..5) {
            let joined = all(&drafts);
            let mut turned = drafts.clone();
            turned.rotate_left(turn.min(drafts.len()));
            turned.reverse();
            prop_assert_eq!(&all(&turned), &joined);
            let (one, two) = drafts.split_at(split.min(drafts.len()));
            prop_assert_eq!(all(&[all(one), all(two)]), joined);
        }

        #[test]
        fn the_worst_outcome_wins_and_all_are_counted(tests in prop::collection::vec(any_test(), 1..9)) {
            let mut draft = Draft::default();
            for test in &tests {
                draft.test(test.clone());
            }
            for (id, found) in &draft.tests {
                let same: Vec<_> = tests.iter().filter(|t| super::id(t) == *id).collect();
                prop_assert_eq!(Some(found.outcome), same.iter().map(|t| t.outcome).max());
                let count = same.len() as u64;
                prop_assert_eq!(found.occurrences.unwrap_or(1), count);
                prop_assert_eq!(found.occurrences.is_some(), count > 1);
                prop_assert_eq!(found.flaky, same.iter().any(|t| t.flaky));
            }
        }
    }

    #[test]
    fn messages_are_cut_at_a_character() {
        let mut draft = Draft::default();
        draft.problem("build", "p", TestOutcome::Error, Some(&"é".repeat(2000)));
        let problem = draft.problems.first().expect("one");
        assert_eq!(problem.message.as_ref().map(String::len), Some(MESSAGE_MAX));
    }
}
