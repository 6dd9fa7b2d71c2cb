//! JUnit XML and all its dialects: Surefire, Failsafe, Gradle, pytest, gotestsum, jest-junit,
//! Vitest, nextest, and whatever else has testcases in suites.
//!
//! A testcase may stand for something else than a test: a class that could not be set up, a
//! module that does not import, a file that does not load, a package that failed. Those are
//! problems. Suites count in their headers what their writers count: testcases, runs, or neither;
//! tests are counted here, and a header that says otherwise is a remark.

mod case;
mod dialect;
mod suite;

use self::case::{Case, Kind};
use self::dialect::Dialect;
use self::suite::Suite;
use super::draft::{self, Draft};
use super::ids;
use crate::intake::xml::{Element, Event, Xml, XmlError};
use crate::record::{Source, TestOutcome};

/// Whether a file with this root is of the family.
pub(super) fn is_root(root: &Element) -> bool {
    matches!(root.name(), "testsuite" | "testsuites")
}

/// Reads one report into a draft of its own; `path` tells the module and, where the content does
/// not, the writer.
///
/// # Errors
/// Why it is not read to its end; what came before is in the draft.
pub(super) fn read(source: &mut dyn Source, path: &str, draft: &mut Draft) -> Result<(), XmlError> {
    let mut xml = Xml::new(source).map_err(XmlError::Io)?;
    let mut walk = Walk {
        module: ids::module(path),
        dialect: Dialect::of_path(path),
        suites: Vec::new(),
        errors: 0,
        told_errors: 0,
        draft,
    };
    let read = walk.all(&mut xml);
    let told = xml.told();
    walk.finish(read.is_ok());
    if told.encoding_fallback {
        draft.warn("encoding-fallback");
    }
    if told.invalid_characters {
        draft.warn("invalid-xml-characters");
    }
    read
}

struct Walk<'d> {
    module: Option<String>,
    dialect: Dialect,
    /// Those that are open, the outermost first.
    suites: Vec<Suite>,
    /// Error elements so far.
    errors: u64,
    /// Errors that headers of several suites tell.
    told_errors: u64,
    draft: &'d mut Draft,
}

impl Walk<'_> {
    fn all(&mut self, xml: &mut Xml<'_>) -> Result<(), XmlError> {
        loop {
            match xml.next()? {
                Event::Open(element) if is_root(element) => {
                    let suite = Suite::of(element);
                    self.dialect.suite(element);
                    if element.name() == "testsuites" {
                        self.told_errors += suite.header.errors.unwrap_or(0);
                    }
                    if let Some(time) = element.attribute("timestamp") {
                        self.draft.time_of_suite(time);
                    }
                    self.suites.push(suite);
                }
                Event::Open(_) if self.suites.is_empty() => {
                    let why = "its root is no test suite".to_owned();
                    return Err(XmlError::Malformed(why));
                }
                Event::Open(element) => match element.name() {
                    "testcase" => {
                        let case = Case::of(element);
                        let case = case.rest(xml)?;
                        self.case(case);
                    }
                    "properties" => {}
                    "property" => {
                        self.dialect.property(element);
                        xml.skip()?;
                    }
                    name => {
                        let output = matches!(name, "system-out" | "system-err");
                        self.dialect.has_output |= output;
                        xml.skip()?;
                    }
                },
                Event::Close("testsuite" | "testsuites") => self.close(),
                Event::Close(_) => {}
                Event::End => return Ok(()),
            }
        }
    }

    fn close(&mut self) {
        let Some(suite) = self.suites.pop() else {
            return;
        };
        if suite.header_differs() {
            self.draft.warn("header-counts-differ");
        }
        if suite.collides() {
            self.draft.warn("rerun-collision-suspected");
        }
        self.dialect.reran |= suite.has_more_than_header();
        if suite.package_failed && suite.own.tests == 0 {
            self.draft.reason("package-failed-without-tests");
        }
        if let Some(outer) = self.suites.last_mut() {
            outer.inner(&suite);
        }
    }

    /// The name of the nearest suite that has one.
    fn suite_name(&self) -> &str {
        let names = self.suites.iter().rev().map(|s| s.name.as_str());
        names
            .into_iter()
            .find(|n| !n.is_empty())
            .unwrap_or_default()
    }

    fn case(&mut self, case: Case) {
        self.draft.testcases += 1;
        self.errors += case.errors;
        let suite_name = self.suite_name().to_owned();
        let kind = case.kind(&self.dialect, &suite_name);
        if let Some(suite) = self.suites.last_mut() {
            suite.case(&case, kind);
        }
        let message = case.message.as_deref();
        match kind {
            Kind::Test => self.test(case, suite_name),
            Kind::Aborted => self.draft.reason("aborted-run"),
            Kind::Package => {
                let error = TestOutcome::Error;
                self.draft.problem("package", &suite_name, error, message);
            }
            Kind::Class if case.outcome == TestOutcome::Passed => {}
            Kind::Class => {
                let place = if case.class.is_empty() {
                    &suite_name
                } else {
                    &case.class
                };
                self.draft
                    .problem("class-level", place, case.outcome, message);
            }
            Kind::File => {
                self.draft
                    .problem("suite-load", &case.name, case.outcome, message);
                self.draft.reason("suite-load-error");
            }
            Kind::Collection => {
                let parts = [case.class.as_str(), case.name.as_str()];
                let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
                let place = parts.join(".");
                self.draft
                    .problem("collection", &place, case.outcome, message);
                if case.outcome > TestOutcome::Passed {
                    self.draft.reason("collection-error");
                }
            }
        }
    }

    fn test(&mut self, case: Case, suite_name: String) {
        let class = if case.class.is_empty() {
            suite_name
        } else {
            case.class
        };
        let mut test = draft::test(&class, &case.name, case.outcome);
        test.module = self.module.clone();
        if self.dialect.is_platform()
            && let Some(name) = ids::platform_name(&case.name)
        {
            test.raw_name = Some(std::mem::replace(&mut test.name, name));
        }
        if let Some(time) = &case.time {
            test.time = ids::seconds(time);
            if test.time.is_none() && self.dialect.go && time.trim().starts_with('-') {
                self.draft.warn("test-without-verdict");
            } else if test.time.is_none() {
                self.draft.warn("unreadable-time");
            }
        }
        let files = self.suites.iter().rev().map(|s| &s.file);
        test.file = case.file.or_else(|| files.flatten().next().cloned());
        test.flaky = case.flaky > 0 && case.outcome <= TestOutcome::Passed;
        test.reruns = (case.reruns > 0).then_some(case.reruns);
        test.xfail = case.xfail && case.outcome == TestOutcome::Skipped;
        test.timeout = case.timeout;
        if case.worker_crash {
            self.draft.warn("worker-crash");
        }
        if let Some(message) = case.message.filter(|_| test.outcome > TestOutcome::Passed) {
            self.draft.messages.insert(draft::id(&test), message);
        }
        self.draft.test(test);
    }

    /// What only the whole report shows.
    fn finish(&mut self, whole: bool) {
        self.draft.format = Some(self.dialect.format());
        if self.dialect.go {
            self.draft.mark_containers();
        }
        if self.dialect.pytest && self.dialect.reran {
            // A test that is run again is written as a pass each time but the last.
            for test in self.draft.tests.values_mut() {
                let repeated = test.occurrences.is_some_and(|n| n > 1);
                test.flaky |= repeated && test.outcome == TestOutcome::Passed;
            }
        }
        let unseen = self.told_errors.saturating_sub(self.errors);
        if whole && unseen > 0 && (self.dialect.go || self.draft.testcases == 0) {
            self.draft.unnamed("build", unseen);
            self.draft.reason("root-errors-without-testcase");
            self.draft.testcases += 1;
        }
    }
}

#[cfg(test)]
mod tests;
