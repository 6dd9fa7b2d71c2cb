//! One gate: all runs of one suite at one checkpoint, joined.
//!
//! Runs without a verdict are left out where another has one. Of the others the outcomes of one
//! id are joined, the worst wins; an id with different outcomes is unstable. The join depends
//! neither on the order of the runs nor on how often one was recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::taxonomy::Belongs;
use super::{GateRun, Said, Selection};
use crate::record::{Problem, Suite, TestMap, TestOutcome, TestResult, Validity};
use crate::repo::Oid;

/// What the runs of one suite at one checkpoint come to.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// There is one.
    Given(Arc<Gate>),
    /// Every run was without a verdict; holds the reasons, as codes.
    Invalid(BTreeSet<String>),
    /// None was recorded; holds the reason.
    Absent(String),
    /// Whether there is one, or what it says, is not known here; holds the reason.
    Unknown(String),
}

impl Verdict {
    /// The gate.
    ///
    /// # Errors
    /// Why there is none.
    pub fn gate(&self) -> Result<&Gate, String> {
        match self {
            Verdict::Given(gate) => Ok(gate),
            _ => Err(self.why()),
        }
    }

    /// Why there is none; empty where there is one.
    pub fn why(&self) -> String {
        match self {
            Verdict::Given(_) => String::new(),
            Verdict::Invalid(reasons) => invalid(reasons),
            Verdict::Absent(why) | Verdict::Unknown(why) => why.clone(),
        }
    }
}

/// `gate without a verdict (no-testcases)`.
fn invalid(reasons: &BTreeSet<String>) -> String {
    let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
    match reasons.is_empty() {
        true => "gate without a verdict".to_owned(),
        false => format!("gate without a verdict ({})", reasons.join(", ")),
    }
}

/// The runs of one suite at one checkpoint that have a verdict, joined.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// The change does not build or load: all that is selected fails.
    pub broken: bool,
    /// The tests that count, by id.
    pub tests: BTreeMap<String, Joined>,
    /// Failures that are no test; those that were skipped are not here.
    pub problems: BTreeSet<Problem>,
    /// Which tests each run was asked for.
    pub selections: Vec<Selection>,
    /// The tree that the newest of the runs ran on.
    pub tree: Option<Oid>,
    /// How many runs went in.
    pub runs: usize,
    /// How many runs without a verdict were left out.
    pub left_out: usize,
    /// A run that is not broken stands beside one that is.
    pub torn: bool,
}

/// One test of a gate.
#[derive(Debug, Clone)]
pub struct Joined {
    /// What a run said of it; of several the worst.
    pub result: TestResult,
    /// It had different outcomes, in one run or between runs.
    pub unstable: bool,
}

impl Joined {
    /// Its outcome.
    pub fn outcome(&self) -> TestOutcome {
        self.result.outcome
    }

    /// Whether it passed.
    pub fn passed(&self) -> bool {
        self.result.outcome == TestOutcome::Passed
    }

    /// Whether it failed, or ended by an error.
    pub fn failed(&self) -> bool {
        matches!(
            self.result.outcome,
            TestOutcome::Failed | TestOutcome::Error
        )
    }
}

impl Gate {
    /// How many tests count as passing: none where the change does not build.
    pub fn passing(&self) -> usize {
        match self.broken {
            true => 0,
            false => self.tests.values().filter(|t| t.passed()).count(),
        }
    }

    /// How many tests ran: skipped ones are left out.
    pub fn ran(&self) -> usize {
        let skipped = |t: &&Joined| t.outcome() != TestOutcome::Skipped;
        self.tests.values().filter(skipped).count()
    }

    /// The ids that passed, as the runs have them.
    pub fn passed(&self) -> impl Iterator<Item = (&str, &Joined)> {
        let all = self.tests.iter().map(|(id, test)| (id.as_str(), test));
        all.filter(|(_, test)| test.passed())
    }

    /// Whether a run was asked for the test `id`, which is `belongs`.
    pub fn selects(&self, id: &str, belongs: Belongs) -> bool {
        let asked = |s: &Selection| {
            let of = s.checkpoints.as_ref().zip(belongs.checkpoint);
            of.is_none_or(|(numbers, own)| numbers.contains(&own))
                && !s.left_out.iter().any(|p| p.is_match(id))
        };
        self.selections.iter().any(asked)
    }

    /// The ids with different outcomes.
    pub fn unstable(&self) -> impl Iterator<Item = &str> {
        self.tests
            .iter()
            .filter(|(_, test)| test.unstable)
            .map(|(id, _)| id.as_str())
    }

    /// What a reader should know of the joining.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.torn {
            remarks.push("one run does not build and another does: it counts as broken".to_owned());
        } else if self.broken {
            remarks
                .push("the change does not build or load: all that is selected fails".to_owned());
        }
        match self.unstable().count() {
            0 => {}
            1 => remarks.push("1 test has different outcomes, the worst counts".to_owned()),
            n => remarks.push(format!(
                "{n} tests have different outcomes, the worst counts"
            )),
        }
        if self.left_out > 0 {
            let runs = if self.left_out == 1 { "run" } else { "runs" };
            remarks.push(format!(
                "{} gate {runs} without a verdict left out",
                self.left_out
            ));
        }
        remarks
    }
}

/// Joins the runs of one suite; `none` says why there are none where there are none.
pub(super) fn join(runs: &[&GateRun], none: &str) -> Verdict {
    let mut read: Vec<(&GateRun, &TestMap)> = Vec::new();
    for run in runs {
        match &run.map {
            Said::Known(map) => read.push((run, map)),
            // It may say anything.
            Said::Unknown(why) => {
                return Verdict::Unknown(format!("a gate run was not read: {why}"));
            }
        }
    }
    if read.is_empty() {
        return Verdict::Absent(none.to_owned());
    }
    let all = read.len();
    let mut reasons = BTreeSet::new();
    read.retain(|(_, map)| {
        let invalid = map.validity == Validity::Invalid;
        if invalid {
            reasons.extend(map.reasons.iter().cloned());
        }
        !invalid
    });
    if read.is_empty() {
        return Verdict::Invalid(reasons);
    }
    let broken = |map: &TestMap| map.validity == Validity::Broken;
    let mut gate = Gate {
        broken: read.iter().any(|(_, map)| broken(map)),
        runs: read.len(),
        left_out: all - read.len(),
        torn: read.iter().any(|(_, m)| broken(m)) && read.iter().any(|(_, m)| !broken(m)),
        tree: read
            .iter()
            .max_by_key(|(run, _)| &run.record)
            .and_then(|(run, _)| run.tree),
        ..Gate::default()
    };
    for (run, map) in read {
        gate.selections.push(run.selection.clone());
        for (id, result) in map.counted() {
            gate.take(id, result);
        }
        let failed = |p: &&Problem| p.outcome > TestOutcome::Passed;
        gate.problems
            .extend(map.problems.iter().filter(failed).cloned());
    }
    Verdict::Given(Arc::new(gate))
}

impl Gate {
    fn take(&mut self, id: &str, result: &TestResult) {
        let Some(known) = self.tests.get_mut(id) else {
            let joined = Joined {
                result: result.clone(),
                unstable: result.flaky,
            };
            self.tests.insert(id.to_owned(), joined);
            return;
        };
        known.unstable |= result.flaky || known.result.outcome != result.outcome;
        if result.outcome > known.result.outcome {
            known.result = result.clone();
        }
    }
}

/// What people call a suite.
pub(super) fn called(suite: Suite) -> &'static str {
    match suite {
        Suite::Acceptance => "acceptance",
        Suite::Visible => "visible",
    }
}
