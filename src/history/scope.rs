//! What a path is to the measures: production, test, generated, vendored, or no code.
//!
//! Path rules as `metrics.md` lists them; marks (attributes, headers) are handed in, since
//! which tree they are read from depends on who asks.

use globset::GlobSet;

use crate::repo::Marks;
use crate::syntax::Language;

use super::{FileClass, Settings};

/// The class of `path`.
///
/// `header` says that the content opens with a generator's line. An attribute set to false
/// overrules header, glob and built-in rule.
pub(super) fn classify(settings: &Settings, path: &[u8], marks: Marks, header: bool) -> FileClass {
    let Some(language) = Language::of_path(path) else {
        return FileClass::Other;
    };
    let text = String::from_utf8_lossy(path);
    let hit = |globs: &Option<GlobSet>| globs.as_ref().is_some_and(|g| g.is_match(&*text));
    let vendored = marks
        .vendored
        .unwrap_or_else(|| hit(&settings.vendored) || is_vendored(&text));
    if vendored {
        return FileClass::Vendored;
    }
    let generated = marks
        .generated
        .unwrap_or_else(|| header || hit(&settings.generated) || is_generated(&text));
    if generated {
        return FileClass::Generated;
    }
    let test = match &settings.tests {
        Some(globs) => globs.is_match(&*text),
        None => is_test(language, &text),
    };
    if test {
        return FileClass::Test;
    }
    match &settings.source {
        Some(globs) if !globs.is_match(&*text) => FileClass::Other,
        _ => FileClass::Production,
    }
}

/// Whether `path` could be production code under some attributes.
pub(super) fn may_be_production(settings: &Settings, path: &[u8]) -> bool {
    let not_marked = Marks {
        generated: Some(false),
        vendored: Some(false),
    };
    classify(settings, path, not_marked, false) == FileClass::Production
}

fn folders(path: &str) -> impl Iterator<Item = &str> {
    let end = path.rfind('/').unwrap_or(0);
    path[..end].split('/')
}

fn has_folder(path: &str, names: &[&str]) -> bool {
    folders(path).any(|f| names.contains(&f))
}

fn is_vendored(path: &str) -> bool {
    has_folder(path, &["vendor", "node_modules", "third_party"])
}

fn is_generated(path: &str) -> bool {
    path.ends_with("_pb2.py")
}

fn is_test(language: Language, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(s, _)| s);
    match language {
        Language::Java => {
            let parts: Vec<&str> = folders(path).collect();
            let source_set = ["test", "integrationTest", "testFixtures", "androidTest"];
            parts
                .windows(2)
                .any(|w| w[0] == "src" && source_set.contains(&w[1]))
                || stem.ends_with("Test")
                || stem.ends_with("Tests")
                || stem.ends_with("TestCase")
                || stem.ends_with("IT")
                || stem
                    .strip_prefix("Test")
                    .and_then(|rest| rest.bytes().next())
                    .is_some_and(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        }
        Language::Python => {
            has_folder(path, &["tests", "test"])
                || stem.starts_with("test_")
                || stem.ends_with("_test")
                || stem == "conftest"
                || stem == "tests"
        }
        Language::Go => stem.ends_with("_test") || has_folder(path, &["testdata"]),
        _ => {
            has_folder(path, &["test", "tests", "__tests__", "spec"])
                || stem.ends_with("_test")
                || stem.ends_with("_spec")
                || stem.ends_with("Test")
                || [".test.", ".spec."].iter().any(|m| name.contains(m))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(path: &str) -> FileClass {
        classify(
            &Settings::default(),
            path.as_bytes(),
            Marks::default(),
            false,
        )
    }

    #[test]
    fn the_built_in_path_rules_hold_for_each_language() {
        for path in [
            "src/main/java/a/Latest.java",
            "src/main/java/a/Contest.java",
            "a/Testimonial.java",
            "src/main/java/test/A.java",
            "app/attest.py",
            "pkg/contest.py",
            "x/latest.go",
            "web/src/app.ts",
        ] {
            assert_eq!(class(path), FileClass::Production, "{path}");
        }
        for path in [
            "src/test/java/a/Helper.java",
            "m/src/integrationTest/java/A.java",
            "a/OwnerTest.java",
            "a/OwnerTests.java",
            "a/TestOwner.java",
            "a/Test1.java",
            "a/OwnerTestCase.java",
            "a/OwnerIT.java",
            "tests/helpers.py",
            "a/test_x.py",
            "a/x_test.py",
            "a/conftest.py",
            "a/tests.py",
            "a/x_test.go",
            "a/testdata/x.go",
            "web/__tests__/a.js",
            "web/a.test.ts",
            "web/a.spec.js",
            "k/FooTest.kt",
        ] {
            assert_eq!(class(path), FileClass::Test, "{path}");
        }
        assert_eq!(class("a/x_pb2.py"), FileClass::Generated);
        assert_eq!(class("vendor/a/x.go"), FileClass::Vendored);
        assert_eq!(class("web/node_modules/a/i.js"), FileClass::Vendored);
        assert_eq!(class("README.md"), FileClass::Other);
    }

    #[test]
    fn an_attribute_set_to_false_overrules_header_and_rule() {
        let no = Marks {
            generated: Some(false),
            vendored: Some(false),
        };
        let s = Settings::default();
        assert_eq!(
            classify(&s, b"vendor/a.go", no, true),
            FileClass::Production
        );
        let yes = Marks {
            generated: Some(true),
            vendored: None,
        };
        assert_eq!(classify(&s, b"a.go", yes, false), FileClass::Generated);
        assert_eq!(
            classify(&s, b"a.go", Marks::default(), true),
            FileClass::Generated
        );
    }
}
