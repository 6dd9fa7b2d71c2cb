//! Contexts of coverage.py: which are tests, and what id a test has.
//!
//! pytest-cov writes `path::Class::name[parameters]|run`, with `setup` and `teardown` beside
//! `run`; coverage.py itself (`dynamic_context = test_function`) `module.Class.name`; what ran
//! while loading stands under the empty context. A static context stands for the empty one and,
//! with `|`, before all others.

use std::collections::{BTreeSet, HashSet};

use crate::record::mangle;

/// What a context is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Who {
    /// The test of this id, or the tests of this function.
    Test(String),
    /// No test: while loading.
    Loading,
    /// Something else that a program named.
    Other,
}

/// What each of the contexts of one report is.
pub(super) fn sorted(names: &[String], warnings: &mut BTreeSet<String>) -> Vec<Who> {
    let statics = statics(names);
    let who: Vec<Who> = names
        .iter()
        .map(|name| one(name, &statics, warnings))
        .collect();
    if who.contains(&Who::Other) {
        warnings.insert("contexts-not-tests".to_owned());
    }
    who
}

/// Whether a context is one of tests: more than this is known only of all of them together.
pub(super) fn is_of_tests(name: &str) -> bool {
    let dynamic = strip_static(name, &HashSet::new());
    is_node_id(dynamic) || is_function(dynamic)
}

fn one(name: &str, statics: &HashSet<&str>, warnings: &mut BTreeSet<String>) -> Who {
    if name.is_empty() || statics.contains(name) {
        return Who::Loading;
    }
    let dynamic = strip_static(name, statics);
    let phases = ["|run", "|setup", "|teardown"];
    let stripped = phases.iter().find_map(|phase| dynamic.strip_suffix(phase));
    let test = stripped.unwrap_or(dynamic);
    if is_node_id(test) {
        let (class, name) = mangle(test);
        return Who::Test(format!("{class}::{name}"));
    }
    if is_function(dynamic) {
        warnings.insert("contexts-are-functions".to_owned());
        return Who::Test(dynamic.to_owned());
    }
    Who::Other
}

/// Static contexts: those that also stand before others. (Of tests only parameters hold `|`, and
/// what stands before these has `::`.)
fn statics(names: &[String]) -> HashSet<&str> {
    let all: HashSet<&str> = names.iter().map(String::as_str).collect();
    let mut statics: HashSet<&str> = HashSet::new();
    for name in names {
        for (end, _) in name.match_indices('|') {
            let before = &name[..end];
            if is_node_id(before) {
                break;
            }
            if all.contains(before) {
                statics.insert(before);
            }
        }
    }
    // Where no test has a context of its own, everything ran under the static one.
    let lone = names.iter().filter(|n| !n.is_empty()).collect::<Vec<_>>();
    if let ([only], false) = (&lone[..], all.contains(""))
        && !is_node_id(only)
        && !is_function(only)
        && !only.contains('|')
    {
        statics.insert(only);
    }
    statics
}

fn strip_static<'n>(name: &'n str, statics: &HashSet<&str>) -> &'n str {
    let ends = name.match_indices('|').map(|(end, _)| end);
    let mut known = ends.clone().filter(|end| statics.contains(&name[..*end]));
    // Without a line of its own a static context is what stands before the test's path.
    let before_path = ends.take_while(|end| !is_node_id(&name[..*end]));
    let rest = |end: usize| &name[end + 1..];
    match known.next_back() {
        Some(end) => rest(end),
        None => match before_path.last() {
            Some(end) if is_node_id(rest(end)) || is_function(rest(end)) => rest(end),
            _ => name,
        },
    }
}

fn is_node_id(text: &str) -> bool {
    text.split_once("::")
        .is_some_and(|(path, name)| !path.is_empty() && !name.is_empty())
}

/// Whether coverage.py itself would have named a test so.
fn is_function(text: &str) -> bool {
    let Some((module, name)) = text.rsplit_once('.') else {
        return false;
    };
    let is_name = |c: char| c.is_alphanumeric() || "_.<>".contains(c);
    let test = name.starts_with("test") || name == "runTest";
    test && !module.is_empty() && text.chars().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(names: &[&str]) -> (Vec<Who>, Vec<String>) {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        let mut warnings = BTreeSet::new();
        let who = sorted(&names, &mut warnings);
        (who, warnings.into_iter().collect())
    }

    fn test(id: &str) -> Who {
        Who::Test(id.to_owned())
    }

    #[test]
    fn a_phase_is_taken_away_once() {
        let (who, warnings) = all(&[
            "",
            "t/test_a.py::C::test_b[a|run]|run",
            "t/test_a.py::test_c[x|y]|setup",
            "t/test_a.py::test_c[x|y]|teardown",
            "t/test_a.py::test_d",
        ]);
        assert_eq!(
            who,
            [
                Who::Loading,
                test("t.test_a.C::test_b[a|run]"),
                test("t.test_a::test_c[x|y]"),
                test("t.test_a::test_c[x|y]"),
                test("t.test_a::test_d"),
            ]
        );
        assert_eq!(warnings, [""; 0]);
    }

    #[test]
    fn a_static_context_stands_for_the_empty_one_and_before_all_others() {
        let (who, _) = all(&[
            "nightly",
            "nightly|a.py::t[x|y]|run",
            "nightly|a.py::t[nightly|z]|run",
        ]);
        assert_eq!(
            who,
            [Who::Loading, test("a::t[x|y]"), test("a::t[nightly|z]")]
        );
        let (who, _) = all(&["a|b", "a|b|a.py::t|run", "int", "int|a.py::u|run"]);
        assert_eq!(
            who,
            [Who::Loading, test("a::t"), Who::Loading, test("a::u")]
        );
        let (who, _) = all(&["nightly|a.py::t|run", "nightly|test_m.test_f"]);
        assert_eq!(who, [test("a::t"), test("test_m.test_f")]);
        assert_eq!(all(&["nightly"]).0, [Who::Loading]);
    }

    #[test]
    fn functions_are_tests_by_their_names_and_labels_are_none() {
        let (who, warnings) = all(&["", "test_m.C.test_f", "m.runTest", "phase two", "m.helper"]);
        let tests = [Who::Loading, test("test_m.C.test_f"), test("m.runTest")];
        assert_eq!(who[..3], tests);
        assert_eq!(who[3..], [Who::Other, Who::Other]);
        assert_eq!(warnings, ["contexts-are-functions", "contexts-not-tests"]);
    }
}
