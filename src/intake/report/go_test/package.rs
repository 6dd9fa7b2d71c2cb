//! One package of a stream: what its tests did until the package was judged.

use std::collections::BTreeMap;

use super::super::draft::{Draft, MESSAGE_MAX, test};
use super::super::text::beginning;
use crate::record::{TestOutcome, TestResult};

/// The verdict of the go command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Passed, or has no test files.
    Pass,
    Fail,
}

/// What events say of one test since the last verdict of its package.
#[derive(Debug, Default)]
struct Runs {
    started: u64,
    passed: Ends,
    failed: Ends,
    skipped: Ends,
}

#[derive(Debug, Default)]
struct Ends {
    count: u64,
    /// Seconds, the longest.
    time: Option<f64>,
}

/// A package. It is judged once a run; a stream can hold several runs (`-count` does not make
/// some, tools that repeat failed tests do).
#[derive(Debug, Default)]
pub(super) struct Package {
    tests: BTreeMap<String, Runs>,
    /// Events came after the last verdict.
    open: bool,
    /// The last verdict.
    last: Option<Verdict>,
    /// The next verdict is that it does not build, and what building said.
    build: Option<Option<String>>,
    /// It does not build, and no event tells of it.
    pub(super) built_not: bool,
    /// Benchmarks ran.
    pub(super) benchmarks: bool,
    panicked: bool,
    timed_out: bool,
    cached: bool,
    /// What it printed by itself, or from a panic on.
    message: String,
}

/// Adds to a message until it is long enough.
pub(super) fn keep(message: &mut String, text: &str) {
    let room = MESSAGE_MAX.saturating_sub(message.len());
    message.push_str(beginning(text, room));
}

impl Package {
    pub(super) fn start(&mut self) {
        self.open = true;
    }

    pub(super) fn run(&mut self, test: &str) {
        self.of(test).started += 1;
    }

    pub(super) fn ended(&mut self, test: &str, outcome: TestOutcome, time: Option<f64>) {
        let runs = self.of(test);
        let ends = match outcome {
            TestOutcome::Passed => &mut runs.passed,
            TestOutcome::Skipped => &mut runs.skipped,
            TestOutcome::Failed | TestOutcome::Error => &mut runs.failed,
        };
        ends.count += 1;
        ends.time = match (ends.time, time) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
    }

    pub(super) fn fails_to_build(&mut self, said: Option<String>) {
        self.build = Some(said);
    }

    fn of(&mut self, test: &str) -> &mut Runs {
        self.open = true;
        if !self.tests.contains_key(test) {
            self.tests.insert(test.to_owned(), Runs::default());
        }
        self.tests.entry(test.to_owned()).or_default()
    }

    /// Takes a piece of output; `of_test`: a test printed it.
    pub(super) fn output(&mut self, of_test: bool, text: &str, name: &str) {
        self.open = true;
        let line = text.trim();
        // A test that ends the process is failed by the testing package itself: nothing else
        // broke.
        let panics = text.starts_with("panic: ") && !line.contains("unexpected call to os.Exit");
        if panics && !self.panicked {
            self.panicked = true;
            self.message.clear();
        }
        self.timed_out |= text.starts_with("panic: test timed out after ")
            || (text.starts_with("*** Test killed") && line.contains("ran too long"));
        if of_test {
            if self.panicked {
                keep(&mut self.message, text);
            }
            return;
        }
        if super::failed_build(line) == Some(name) {
            self.build.get_or_insert(None);
        }
        self.benchmarks |= is_benchmark(line) || line.ends_with(" ns/op");
        self.cached |= line.starts_with("ok  \t") && line.ends_with("\t(cached)");
        // The summary lines of the go command say nothing new.
        let summary = line == "PASS"
            || line == "FAIL"
            || line.starts_with("ok  \t")
            || line.starts_with("FAIL\t")
            || line.starts_with("exit status ");
        if !summary {
            keep(&mut self.message, text);
        }
    }

    /// Takes the package's verdict: its tests so far are told to `draft`.
    pub(super) fn judged(&mut self, name: &str, verdict: Verdict, draft: &mut Draft) {
        // The same verdict again, and nothing since: an event that stands twice, no second run.
        let repeated = self.last == Some(verdict) && !self.open && self.build.is_none();
        if !repeated {
            self.told(name, Some(verdict), draft);
        }
    }

    /// The stream ends.
    pub(super) fn finish(&mut self, name: &str, draft: &mut Draft) {
        if self.built_not {
            self.told(name, Some(Verdict::Fail), draft);
        } else if self.open {
            self.told(name, None, draft);
            draft.reason("package-without-verdict");
        }
    }

    fn told(&mut self, name: &str, verdict: Option<Verdict>, draft: &mut Draft) {
        let mut any = false;
        let mut failing = false;
        let mut incomplete = false;
        for (test_name, runs) in std::mem::take(&mut self.tests) {
            let ends = runs.passed.count + runs.failed.count + runs.skipped.count;
            if ends == 0 && is_benchmark(&test_name) {
                self.benchmarks = true;
                continue;
            }
            any = true;
            let found = runs.judged(name, &test_name, verdict, draft);
            failing |= found.outcome >= TestOutcome::Failed;
            incomplete |= found.incomplete;
            if test_name.split('/').any(has_number) {
                draft.warn("positional-ids");
            }
            again(draft, found);
        }
        if verdict == Some(Verdict::Fail) {
            let message = Some(self.message.as_str());
            if let Some(said) = &self.build {
                let said = said.as_deref().or(message);
                draft.problem("build", name, TestOutcome::Error, said);
                draft.reason("build-failed");
            } else if self.panicked || incomplete || !failing {
                draft.problem("package", name, TestOutcome::Error, message);
                if !any && !self.benchmarks {
                    draft.reason("package-failed-without-tests");
                }
            }
            if self.timed_out {
                draft.reason("timeout");
            }
        }
        if verdict == Some(Verdict::Pass) && self.cached {
            draft.warn("cached-result");
        }
        let benchmarks = self.benchmarks;
        *self = Package {
            benchmarks,
            last: verdict,
            ..Package::default()
        };
    }
}

/// Takes a test that may have been told in an earlier run of its package.
fn again(draft: &mut Draft, found: TestResult) {
    let id = super::draft::id(&found);
    let failed = |test: &TestResult| test.outcome >= TestOutcome::Failed;
    let passed = |test: &TestResult| test.outcome == TestOutcome::Passed;
    let before = draft.tests.get(&id);
    let flips = before.is_some_and(|t| failed(t) && passed(&found) || passed(t) && failed(&found));
    draft.test(found);
    if let Some(test) = draft.tests.get_mut(&id) {
        test.flaky |= flips;
    }
}

impl Runs {
    /// The test, now that the package is judged.
    fn judged(
        &self,
        class: &str,
        name: &str,
        verdict: Option<Verdict>,
        draft: &mut Draft,
    ) -> TestResult {
        let passes = verdict == Some(Verdict::Pass);
        let mut found = test(class, name, TestOutcome::Passed);
        let ended = self.passed.count + self.skipped.count;
        let ended = if passes {
            ended
        } else {
            ended + self.failed.count
        };
        let lost = self
            .started
            .saturating_sub(ended)
            .max(u64::from(ended == 0));
        if passes && self.failed.count > 0 {
            draft.warn("event-contradicts-package");
        }
        // In a package that passed a false failure hides the end that there was.
        let explained = passes && self.failed.count >= lost;
        if lost > 0 && !explained {
            draft.warn("test-without-verdict");
        }
        let (outcome, time) = if lost > 0 && !passes {
            found.incomplete = true;
            (TestOutcome::Error, None)
        } else if self.failed.count > 0 && !passes {
            (TestOutcome::Failed, self.failed.time)
        } else if self.passed.count > 0 {
            (TestOutcome::Passed, self.passed.time)
        } else if lost == 0 {
            (TestOutcome::Skipped, self.skipped.time)
        } else {
            found.inferred = true;
            (TestOutcome::Passed, None)
        };
        found.outcome = outcome;
        found.time = time;
        found.flaky = outcome >= TestOutcome::Failed && self.passed.count > 0 && self.started > 1;
        if self.started > 1 {
            found.occurrences = Some(self.started);
            draft.warn("duplicate-id");
        }
        found
    }
}

/// Whether a test's name is that of a benchmark: `Benchmark`, and no lower-case letter next.
fn is_benchmark(name: &str) -> bool {
    let rest = name.strip_prefix("Benchmark");
    rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

/// Whether Go gave a subtest a number, since its name stands twice or is empty.
fn has_number(segment: &str) -> bool {
    let digits = segment.rsplit_once('#').map_or("", |(_, digits)| digits);
    digits.len() >= 2 && digits.bytes().all(|b| b.is_ascii_digit())
}
