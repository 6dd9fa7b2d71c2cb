//! Hand-made chains with gates, for the tests of this module.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use regex::Regex;

use crate::history::evidence::{
    ChainEvidence, CheckpointEvidence, CoverageEvidence, GateRun, PlannedCheckpoint, Said,
    Selection, TestPlan,
};
use crate::history::{ChainPath, Oid, Place, Role, Step};
use crate::record::{
    CoverageMap, FileCoverage, Kind, LineSet, Problem, RecordId, Suite, TestMap, TestOutcome,
    TestResult, Validity,
};

use super::fixture;

/// A chain whose gates are being put together.
#[derive(Default)]
pub(super) struct Chain {
    checkpoints: BTreeMap<u32, CheckpointEvidence>,
    pub plan: TestPlan,
    pub lacking: BTreeMap<Kind, String>,
}

/// Tests as `a+ b- c! d~`: passed, failed, error, skipped; `*` behind it: flaky.
pub(super) fn tests(words: &str) -> TestMap {
    let mut map = TestMap {
        format: None,
        tests: BTreeMap::new(),
        problems: Vec::new(),
        validity: Validity::Valid,
        reasons: BTreeSet::new(),
        warnings: BTreeSet::new(),
        files: Vec::new(),
    };
    for word in words.split_whitespace() {
        let flaky = word.ends_with('*');
        let word = word.trim_end_matches('*');
        let (id, mark) = word.split_at(word.len() - 1);
        let outcome = match mark {
            "+" => TestOutcome::Passed,
            "-" => TestOutcome::Failed,
            "!" => TestOutcome::Error,
            "~" => TestOutcome::Skipped,
            _ => panic!("{word} has no outcome"),
        };
        let (class, name) = id.split_once("::").unwrap_or(("c", id));
        let result = TestResult {
            module: None,
            class: class.to_owned(),
            name: name.to_owned(),
            raw_name: None,
            category: None,
            outcome,
            time: None,
            file: None,
            flaky,
            reruns: None,
            occurrences: None,
            container: false,
            incomplete: false,
            inferred: false,
            xfail: false,
            timeout: false,
        };
        map.tests.insert(id.to_owned(), result);
    }
    map
}

/// The tests of a change that does not build.
pub(super) fn unbuilt(words: &str) -> TestMap {
    let mut map = tests(words);
    map.validity = Validity::Broken;
    map.reasons.insert("build-failed".to_owned());
    map
}

/// A run without a verdict.
pub(super) fn invalid() -> TestMap {
    let mut map = tests("");
    map.validity = Validity::Invalid;
    map.reasons.insert("no-testcases".to_owned());
    map
}

/// A failure that is no test.
pub(super) fn problem(place: &str) -> Problem {
    Problem {
        kind: "class-level".to_owned(),
        place: place.to_owned(),
        outcome: TestOutcome::Error,
        message: None,
        count: None,
    }
}

/// A run of all acceptance tests.
pub(super) fn run(map: TestMap) -> GateRun {
    GateRun {
        record: RecordId::new(),
        suite: Suite::Acceptance,
        tree: None,
        on_parent: false,
        selection: Selection::default(),
        map: Said::Known(Arc::new(map)),
        checks: None,
    }
}

/// A pattern.
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

impl Chain {
    fn at(&mut self, number: u32) -> &mut CheckpointEvidence {
        let commit = Oid::from_hex(&format!("{number:040x}"));
        self.checkpoints
            .entry(number)
            .or_insert_with(|| CheckpointEvidence {
                checkpoint: number,
                checkpoint_id: format!("ck{number}"),
                commit,
                attempt: None,
                sessions: Vec::new(),
                gates: Vec::new(),
                coverage: Vec::new(),
                doubtful: BTreeMap::new(),
            })
    }

    /// With a checkpoint that was reached.
    pub(super) fn reached(mut self, number: u32) -> Chain {
        self.at(number);
        self
    }

    /// With one more gate run at a checkpoint.
    pub(super) fn with(mut self, number: u32, run: GateRun) -> Chain {
        self.at(number).gates.push(run);
        self
    }

    /// With a run of all acceptance tests at a checkpoint.
    pub(super) fn gate(self, number: u32, words: &str) -> Chain {
        self.with(number, run(tests(words)))
    }

    /// With a run on the parent of a checkpoint.
    pub(super) fn on_parent(self, number: u32, map: TestMap) -> Chain {
        let run = GateRun {
            on_parent: true,
            ..run(map)
        };
        self.with(number, run)
    }

    /// With a run of the visible suite, on the parent where it says so.
    pub(super) fn visible(self, number: u32, on_parent: bool, words: &str) -> Chain {
        let run = GateRun {
            suite: Suite::Visible,
            on_parent,
            ..run(tests(words))
        };
        self.with(number, run)
    }

    /// With a coverage report of the visible suite: `src/A.java` is production.
    pub(super) fn coverage(mut self, number: u32, files: &[(&str, FileCoverage)]) -> Chain {
        let files = files.iter().map(|(p, f)| ((*p).to_owned(), f.clone()));
        let map = CoverageMap {
            format: "lcov".to_owned(),
            files: files.collect(),
            per_test: None,
            import_only: None,
            unmapped: BTreeSet::new(),
            warnings: BTreeSet::new(),
        };
        let report = CoverageEvidence {
            record: RecordId::new(),
            suite: Suite::Visible,
            map: Said::Known(Arc::new(map)),
            production: BTreeSet::from(["src/A.java".to_owned()]),
        };
        self.at(number).coverage.push(report);
        self
    }

    /// With tests named `CpN::…` and categories by how the name begins.
    pub(super) fn told(mut self) -> Chain {
        self.plan.patterns = vec![pattern(
            r"Cp0*(?P<checkpoint>\d+)(?:::(?P<category>core|error)?)?",
        )];
        self
    }

    /// With a checkpoint declared to change the tests of others.
    pub(super) fn mutates(mut self, number: u32, others: &[u32]) -> Chain {
        self.plan.checkpoints.push(PlannedCheckpoint {
            number,
            id: format!("ck{number}"),
            tests: Vec::new(),
            mutates: others.to_vec(),
            mutates_tests: Vec::new(),
        });
        self
    }

    /// What its records say.
    pub(super) fn evidence(self) -> ChainEvidence {
        let checkpoints = self.checkpoints.into_values().collect();
        ChainEvidence::of(checkpoints, self.plan, self.lacking)
    }

    /// The step of a checkpoint's agent commit.
    pub(super) fn step(self, number: u32) -> Step {
        in_chain(fixture::step(Vec::new()), self.evidence(), number)
    }
}

/// The step as the agent commit of a checkpoint.
pub(super) fn in_chain(mut step: Step, evidence: ChainEvidence, checkpoint: u32) -> Step {
    step.place = Place::Chain {
        path: ChainPath::parse("e/a/1").expect("a path"),
        label: "e/a/1".to_owned(),
        checkpoint,
        checkpoint_id: format!("ck{checkpoint}"),
        role: if checkpoint == 0 {
            Role::Base
        } else {
            Role::Agent
        },
    };
    step.evidence = Some(Arc::new(evidence));
    step
}

/// Lines of one file, as lists.
pub(super) fn lines(covered: &str, missed: &str) -> FileCoverage {
    FileCoverage {
        covered: LineSet::parse(covered).expect("lines"),
        missed: LineSet::parse(missed).expect("lines"),
        ..FileCoverage::default()
    }
}

/// A chain of three checkpoints at whose second every measure of tests is known.
pub(super) fn whole() -> ChainEvidence {
    let mut file = lines("1-3", "4");
    file.branches = Some(BTreeMap::from([(2, (1, 2))]));
    Chain::default()
        .told()
        .mutates(2, &[1])
        .gate(0, "Cp1::core_a- Cp1::b-")
        .gate(1, "Cp1::core_a+ Cp1::b+")
        .visible(1, false, "v::a+")
        .gate(2, "Cp1::core_a+ Cp1::b- Cp2::core_c+")
        .on_parent(2, tests("Cp1::core_a+ Cp1::b+ Cp2::core_c-"))
        .visible(2, false, "v::a+ v::b+")
        .visible(2, true, "v::a+ v::b-")
        .coverage(2, &[("src/A.java", file)])
        .evidence()
}
