//! What was read out of the reports of one gate run: every test's outcome, and whether the run
//! is a verdict at all.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Moment;

/// One gate run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestMap {
    /// The format of its reports; where there are several, the first by name; `None`: none was
    /// known.
    pub format: Option<String>,
    /// Tests by canonical id, `[module//]class::name`.
    pub tests: BTreeMap<String, TestResult>,
    /// Failures that are no test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Whether it is a verdict.
    pub validity: Validity,
    /// Why it is not valid, as codes.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub reasons: BTreeSet<String>,
    /// What to know before trusting it, as codes.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub warnings: BTreeSet<String>,
    /// Its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ReportFile>,
}

/// Whether a gate run is a verdict on the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Validity {
    /// It is, however many tests fail.
    Valid,
    /// The change does not build, import or load: a result, all that is selected fails.
    Broken,
    /// It is none: left out of every figure.
    Invalid,
}

/// One test in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// The module's folder; none at the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// Class, file or package.
    pub class: String,
    /// Name, in its canonical form.
    pub name: String,
    /// The name as the report has it, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_name: Option<String>,
    /// What the report marks it as at this checkpoint: `core`, `error`, `functionality`,
    /// `regression`; absent: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What came of it; of several the worst.
    pub outcome: TestOutcome,
    /// Seconds, where readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// The test's file, where the report names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// It both failed and passed in this run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub flaky: bool,
    /// Repeats within this run, where told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reruns: Option<u64>,
    /// How often the id occurs, where more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<u64>,
    /// It holds other tests and is not counted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub container: bool,
    /// It began and has no verdict of its own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub incomplete: bool,
    /// Its outcome is its package's.
    #[serde(default, skip_serializing_if = "is_false")]
    pub inferred: bool,
    /// Expected to fail.
    #[serde(default, skip_serializing_if = "is_false")]
    pub xfail: bool,
    /// It alone ran out of time.
    #[serde(default, skip_serializing_if = "is_false")]
    pub timeout: bool,
}

/// What came of a test. Ordered: the greater one wins where there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestOutcome {
    /// It did not run, or gave up its assumption.
    Skipped,
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It ended by an error.
    Error,
}

/// A failure that is no test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Problem {
    /// `class-level`, `package`, `build`, `collection`, `suite-load`.
    pub kind: String,
    /// The class, package, file or module; empty (`null` on the wire) where the report does not
    /// tell.
    #[serde(
        rename = "where",
        serialize_with = "empty_is_null",
        deserialize_with = "null_is_empty",
        default
    )]
    pub place: String,
    /// What came of it.
    pub outcome: TestOutcome,
    /// How many of the kind it stands for, where the report tells only that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Its message, capped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One file of a gate run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportFile {
    /// Its path, from where the reports were looked for.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// When it was last written, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Moment>,
    /// Its format, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Why it was not used; absent: it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// Tests by what came of them, containers left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestCounts {
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Ended by an error.
    pub error: u64,
    /// Skipped.
    pub skipped: u64,
    /// All of these.
    pub total: u64,
}

impl TestMap {
    /// The tests that count: all but containers.
    pub fn counted(&self) -> impl Iterator<Item = (&str, &TestResult)> {
        let all = self.tests.iter().map(|(id, test)| (id.as_str(), test));
        all.filter(|(_, test)| !test.container)
    }

    /// How many there are of each outcome.
    pub fn counts(&self) -> TestCounts {
        let mut counts = TestCounts::default();
        for (_, test) in self.counted() {
            counts.total += 1;
            match test.outcome {
                TestOutcome::Passed => counts.passed += 1,
                TestOutcome::Failed => counts.failed += 1,
                TestOutcome::Error => counts.error += 1,
                TestOutcome::Skipped => counts.skipped += 1,
            }
        }
        counts
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

fn empty_is_null<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    Some(text).filter(|t| !t.is_empty()).serialize(to)
}

fn null_is_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(from)?.unwrap_or_default())
}
