//! A testcase: what came of it, and what it stands for.

use super::dialect::Dialect;
use super::{draft, ids};
use crate::intake::xml::{Element, Event, Xml, XmlError};
use crate::record::TestOutcome;

/// What a testcase stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Test,
    /// The test that was running when the run was stopped.
    Aborted,
    /// A class: its set-up, its tear-down, or that all of it is ignored.
    Class,
    /// A Go package that failed outside of any test.
    Package,
    /// A file that does not load.
    File,
    /// A module that is not collected.
    Collection,
}

/// One that is complete.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) time: Option<String>,
    pub(super) file: Option<String>,
    pub(super) outcome: TestOutcome,
    /// The message of what decided the outcome.
    pub(super) message: Option<String>,
    /// Elements of each kind.
    pub(super) failures: u64,
    pub(super) errors: u64,
    pub(super) skips: u64,
    /// Failures before it passed.
    pub(super) flaky: u64,
    /// Failures after the first.
    pub(super) reruns: u64,
    /// Its status says that it did not run.
    pub(super) not_run: bool,
    pub(super) xfail: bool,
    pub(super) timeout: bool,
    pub(super) worker_crash: bool,
    collection: bool,
}

impl Case {
    /// What its start tells.
    pub(super) fn of(element: &Element) -> Case {
        let text = |key: &str| element.attribute(key).map(str::trim);
        let owned = |key: &str| text(key).unwrap_or_default().to_owned();
        let status = text("status").unwrap_or_default().to_ascii_lowercase();
        let (outcome, not_run) = match status.as_str() {
            "notrun" | "disabled" | "skipped" | "ignored" => (TestOutcome::Skipped, true),
            "failed" | "failure" | "fail" => (TestOutcome::Failed, false),
            "error" => (TestOutcome::Error, false),
            _ => (TestOutcome::Passed, false),
        };
        Case {
            class: owned("classname"),
            name: owned("name"),
            time: text("time").map(str::to_owned),
            file: text("file").filter(|f| !f.is_empty()).map(str::to_owned),
            outcome,
            message: None,
            failures: 0,
            errors: 0,
            skips: 0,
            flaky: 0,
            reruns: 0,
            not_run,
            xfail: false,
            timeout: false,
            worker_crash: false,
            collection: false,
        }
    }

    /// Reads on to its end.
    pub(super) fn rest(mut self, xml: &mut Xml<'_>) -> Result<Case, XmlError> {
        while let Event::Open(element) = xml.next()? {
            let outcome = match element.name() {
                "failure" => {
                    self.failures += 1;
                    Some(TestOutcome::Failed)
                }
                "error" => {
                    self.errors += 1;
                    Some(TestOutcome::Error)
                }
                "skipped" => {
                    self.skips += 1;
                    Some(TestOutcome::Skipped)
                }
                "flakyFailure" | "flakyError" => {
                    self.flaky += 1;
                    None
                }
                "rerunFailure" | "rerunError" => {
                    self.reruns += 1;
                    None
                }
                _ => None,
            };
            let Some(outcome) = outcome else {
                xml.skip()?;
                continue;
            };
            let kind = element.attribute("type").unwrap_or_default();
            self.xfail |= kind == "pytest.xfail";
            self.timeout |= kind == "test timeout";
            let message = element.attribute("message").map(draft::cut);
            let message = match message.filter(|m| !m.is_empty()) {
                Some(message) => {
                    xml.skip()?;
                    message
                }
                None => draft::cut(&xml.text(draft::MESSAGE_MAX)?),
            };
            self.collection |= matches!(
                message.as_str(),
                "collection failure" | "collection skipped"
            );
            self.worker_crash |= message.contains("worker '") && message.contains("crashed");
            if self.message.is_none() || outcome > self.outcome {
                self.message = Some(message);
            }
            self.outcome = match (outcome, self.outcome) {
                (TestOutcome::Skipped, TestOutcome::Passed) => TestOutcome::Skipped,
                (one, two) => one.max(two),
            };
        }
        Ok(self)
    }

    /// What it stands for, by the habits of its writer.
    pub(super) fn kind(&self, dialect: &Dialect, suite: &str) -> Kind {
        let failed = self.outcome > TestOutcome::Passed;
        let same = self.class == self.name;
        if self.class.is_empty() && self.name.is_empty() {
            return Kind::Aborted;
        }
        if self.collection && (dialect.pytest || self.class.is_empty()) {
            return Kind::Collection;
        }
        if self.class.is_empty() && self.name == "TestMain" && failed {
            return Kind::Package;
        }
        if self.class == "Test suite failed to run" || dialect.vitest && same && failed {
            return Kind::File;
        }
        if !dialect.is_platform() {
            return Kind::Test;
        }
        // Some writers give every test its own name as class; few name the suite so as well.
        let like_class = ids::is_class_name(&self.name) && self.name == suite;
        let stands_in = match self.name.as_str() {
            "" => dialect.is_java() || self.outcome != TestOutcome::Passed,
            "initializationError" => true,
            "classMethod" | "executionError" => self.outcome != TestOutcome::Passed,
            _ => same && (dialect.is_java() || like_class && self.outcome != TestOutcome::Passed),
        };
        if stands_in { Kind::Class } else { Kind::Test }
    }
}
