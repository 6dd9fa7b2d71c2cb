//! Which tool wrote a report: what it says itself, then where it lies, then how it looks.

use super::ids;
use crate::intake::xml::Element;

/// What was seen of a report's writer.
#[derive(Debug, Clone, Default)]
pub(super) struct Dialect {
    /// Says so itself, or lies where its reports do.
    pub(super) surefire: bool,
    pub(super) pytest: bool,
    pub(super) nextest: bool,
    pub(super) jest: bool,
    pub(super) vitest: bool,
    /// gotestsum.
    pub(super) go: bool,
    gradle_path: bool,
    /// A suite tells its host and time, as Gradle and Ant write it.
    hosted: bool,
    /// A suite is named like a class and counts like Surefire's.
    class_suite: bool,
    /// Output stands at the suite.
    pub(super) has_output: bool,
    /// A header counts fewer tests than there are testcases.
    pub(super) reran: bool,
}

impl Dialect {
    pub(super) fn of_path(path: &str) -> Dialect {
        let below = |folder| ids::is_below(path, folder);
        Dialect {
            surefire: below("surefire-reports") || below("failsafe-reports"),
            gradle_path: below("build/test-results"),
            ..Dialect::default()
        }
    }

    /// Takes the start of a suite or of several.
    pub(super) fn suite(&mut self, element: &Element) {
        let name = element.attribute("name").unwrap_or_default().trim();
        let mut schemas = element.attributes();
        self.surefire |= schemas.any(|(key, value)| {
            key.ends_with("noNamespaceSchemaLocation") && value.contains("surefire-test-report")
        });
        if element.name() == "testsuites" {
            self.pytest |= name == "pytest tests";
            self.jest |= name == "jest tests";
            self.vitest |= name == "vitest tests";
            self.nextest |= name == "nextest-run" || element.attribute("uuid").is_some();
            return;
        }
        self.pytest |= name == "pytest";
        let has = |key: &str| element.attribute(key).is_some();
        let dated = has("hostname") && has("timestamp");
        self.hosted |= dated;
        let counts = ["tests", "errors", "skipped", "failures", "time"];
        self.class_suite |= !dated && ids::is_class_name(name) && counts.into_iter().all(has);
    }

    /// Takes a property of a suite.
    pub(super) fn property(&mut self, element: &Element) {
        self.go |= element.attribute("name") == Some("go.version");
    }

    /// The word for it.
    pub(super) fn format(&self) -> &'static str {
        if self.surefire {
            "surefire-xml"
        } else if self.pytest {
            "pytest-junit"
        } else if self.nextest {
            "nextest-junit"
        } else if self.jest {
            "jest-junit"
        } else if self.vitest {
            "vitest-junit"
        } else if self.go {
            "gotestsum-junit"
        } else if self.gradle_path || (self.hosted && self.has_output) {
            "gradle-junit"
        } else if self.class_suite {
            "surefire-xml"
        } else {
            "junit-xml"
        }
    }

    /// Whether its names may be those of the JUnit platform.
    pub(super) fn is_platform(&self) -> bool {
        !(self.pytest || self.nextest || self.jest || self.vitest || self.go)
    }

    /// Whether it is certain that they are.
    pub(super) fn is_java(&self) -> bool {
        self.is_platform() && (self.surefire || self.gradle_path)
    }
}
