//! Which files of a tree are tests, by their names: those that an agent brought are laid over the
//! code before.

use globset::GlobSet;

/// Names of folders that hold tests.
const FOLDERS: [&str; 6] = ["test", "tests", "__tests__", "spec", "testdata", "src/test"];
/// Ends of names, without their extension.
const ENDS: [&str; 8] = [
    "_test", "_spec", ".test", ".spec", "Test", "Tests", "TestCase", "IT",
];

/// Whether the file at `path` is a test, or something that tests need: by `tests`, which are the
/// plan's globs, else by what build tools and runners call such files.
pub(super) fn is_test(path: &str, tests: &GlobSet) -> bool {
    if tests.is_match(path) {
        return true;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let within = format!("/{folder}/");
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    FOLDERS.iter().any(|f| within.contains(&format!("/{f}/")))
        || stem.starts_with("test_")
        || stem == "conftest"
        || ENDS.iter().any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::path_globs;

    #[test]
    fn tests_are_known_by_name_and_by_the_plan() {
        let globs = path_globs("tests", &["checks/".to_owned()]).expect("globs");
        for (path, is) in [
            ("tests/a.txt", true),
            ("a/test_x.py", true),
            ("pkg/x_test.go", true),
            ("src/test/java/a/BTest.java", true),
            ("src/main/java/a/B.java", false),
            ("web/a.spec.ts", true),
            ("checks/run.lua", true),
            ("contest/a.py", false),
            ("latest.py", false),
        ] {
            assert_eq!(is_test(path, &globs), is, "{path}");
        }
    }
}
