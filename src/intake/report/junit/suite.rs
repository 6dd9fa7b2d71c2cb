//! A suite: what its header counts, and what stands in it.

use super::case::{Case, Kind};
use crate::intake::xml::Element;

/// Counts of a header; `None`: not told.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Header {
    pub(super) tests: Option<u64>,
    pub(super) failures: Option<u64>,
    pub(super) errors: Option<u64>,
    pub(super) skipped: Option<u64>,
}

/// Counts of elements.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counted {
    pub(super) tests: u64,
    failures: u64,
    errors: u64,
    /// Elements that say so.
    skipped: u64,
    /// Testcases that are, by an element or their status.
    not_run: u64,
    /// Runs that the testcases and their repeats explain.
    runs: u64,
    /// The most failures a test had before it passed, and a failing test had after the first.
    flaky: u64,
    reruns: u64,
}

/// One that is open.
#[derive(Debug, Default)]
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) file: Option<String>,
    pub(super) header: Header,
    pub(super) own: Counted,
    /// Those in suites inside of it.
    inner: Counted,
    /// Its package failed outside of any test.
    pub(super) package_failed: bool,
}

impl Suite {
    pub(super) fn of(element: &Element) -> Suite {
        let text = |key: &str| element.attribute(key).map(str::trim);
        let number = |key: &str| text(key)?.parse().ok();
        Suite {
            name: text("name").unwrap_or_default().to_owned(),
            file: text("file").filter(|f| !f.is_empty()).map(str::to_owned),
            header: Header {
                tests: number("tests"),
                failures: number("failures"),
                errors: number("errors"),
                skipped: number("skipped").or_else(|| number("skips")),
            },
            ..Suite::default()
        }
    }

    /// Takes a testcase. One that stands for a package or for an aborted run is counted by no
    /// header.
    pub(super) fn case(&mut self, case: &Case, kind: Kind) {
        self.package_failed |= kind == Kind::Package;
        if matches!(kind, Kind::Package | Kind::Aborted) {
            return;
        }
        let own = &mut self.own;
        own.tests += 1;
        own.failures += case.failures;
        own.errors += case.errors;
        own.skipped += case.skips;
        own.not_run += u64::from(case.skips > 0 || case.not_run);
        own.runs += 1 + case.flaky + case.reruns;
        own.flaky = own.flaky.max(case.flaky);
        own.reruns = own.reruns.max(case.reruns);
    }

    /// Takes what stands in a suite inside of it.
    pub(super) fn inner(&mut self, suite: &Suite) {
        self.inner = sum(self.inner, sum(suite.own, suite.inner));
    }

    /// Whether the header says otherwise than what is there, with or without the suites inside.
    pub(super) fn header_differs(&self) -> bool {
        let all = sum(self.own, self.inner);
        let is = |told: Option<u64>, counts: &[u64]| told.is_none_or(|n| counts.contains(&n));
        let fits = |c: &Counted| {
            is(self.header.tests, &[c.tests])
                && is(self.header.failures, &[c.failures])
                && is(self.header.errors, &[c.errors])
                && is(self.header.skipped, &[c.skipped, c.not_run])
        };
        let container = self.own.tests == 0 && self.header.tests.is_none();
        !container && !fits(&self.own) && !fits(&all)
    }

    /// Whether two tests of one name were taken for one that was run again: more runs than the
    /// testcases explain, or a test that failed more often before it passed than others were
    /// run again.
    pub(super) fn collides(&self) -> bool {
        let own = &self.own;
        let unexplained = self.header.tests.is_some_and(|n| n > own.runs);
        let repeats = own.runs > own.tests;
        repeats && unexplained || own.reruns > 0 && own.flaky > own.reruns
    }

    /// Whether there are more testcases than the header counts.
    pub(super) fn has_more_than_header(&self) -> bool {
        self.header.tests.is_some_and(|n| n < self.own.tests)
    }
}

fn sum(one: Counted, two: Counted) -> Counted {
    Counted {
        tests: one.tests + two.tests,
        failures: one.failures + two.failures,
        errors: one.errors + two.errors,
        skipped: one.skipped + two.skipped,
        not_run: one.not_run + two.not_run,
        runs: one.runs + two.runs,
        flaky: one.flaky.max(two.flaky),
        reruns: one.reruns.max(two.reruns),
    }
}
