//! What figures over coverage need of a report is in what was read of it, for the samples of such
//! figures: lines of added code by their state, and lines by test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use git_evolve::record::LineSet;
use serde_json::Value;

use super::map;

fn sample(name: &str) -> (Value, Vec<u8>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples/coverage");
    let text = std::fs::read(folder.join(format!("{name}.expected.json"))).expect("a sample");
    let expected: Value = serde_json::from_slice(&text).expect("JSON");
    let report = expected["input"]["report"].as_str().expect("a report");
    let report = std::fs::read(folder.join(name).join(report)).expect("readable");
    (expected, report)
}

fn by_file(value: &Value) -> BTreeMap<String, LineSet> {
    let all = value.as_object().into_iter().flatten();
    let lines = |value: &Value| -> LineSet {
        let all = value.as_array().expect("lines").iter();
        all.map(|n| u32::try_from(n.as_u64().expect("a line")).expect("a line"))
            .collect()
    };
    let all = all.map(|(path, value)| (path.clone(), lines(value)));
    all.filter(|(_, lines)| !lines.is_empty()).collect()
}

#[test]
fn added_lines_are_covered_missed_partly_covered_excluded_or_unmeasured() {
    let (expected, report) = sample("changed-lines");
    let read = map(&report, None);
    let result = &expected["result"];
    let added = by_file(&result["added_lines"]);
    let of = |state: &dyn Fn(&git_evolve::record::FileCoverage) -> LineSet| {
        let known = added.iter().filter_map(|(path, lines)| {
            let file = read.files.get(path)?;
            Some((path.clone(), lines.intersection(&state(file))))
        });
        known
            .filter(|(_, lines)| !lines.is_empty())
            .collect::<BTreeMap<_, _>>()
    };
    assert_eq!(of(&|f| f.covered.clone()), by_file(&result["covered"]));
    assert_eq!(of(&|f| f.missed.clone()), by_file(&result["missed"]));
    assert_eq!(of(&|f| f.partial.clone()), by_file(&result["partial"]));
    assert_eq!(of(&|f| f.excluded.clone()), by_file(&result["excluded"]));
    assert_eq!(
        of(&|f| f.covered.union(&f.missed)),
        by_file(&result["executable"])
    );
    let unmeasured: Vec<&String> = added
        .keys()
        .filter(|p| !read.files.contains_key(*p))
        .collect();
    assert_eq!(unmeasured, ["src/shop/extra.py"]);
    for (path, lines) in result["branches"].as_object().expect("branches") {
        let branches = read.files[path].branches.as_ref().expect("branches");
        let added = branches
            .iter()
            .filter(|(line, _)| added[path].contains(**line));
        let told: BTreeMap<String, Value> = added
            .map(|(line, (a, b))| (line.to_string(), serde_json::json!([a, b])))
            .collect();
        assert_eq!(serde_json::json!(told), *lines);
    }
}

#[test]
fn each_test_has_the_added_lines_it_ran_under_the_id_of_the_test_report() {
    let (expected, report) = sample("redundant-tests");
    let read = map(&report, None);
    let added = by_file(&expected["input"]["added_source_lines"]);
    let per_test = read.per_test.expect("contexts");
    for (test, lines) in expected["result"]["lines"].as_object().expect("lines") {
        let found: BTreeSet<u64> = per_test
            .get(test)
            .into_iter()
            .flatten()
            .flat_map(|(path, lines)| lines.intersection(&added[path]).iter().collect::<Vec<_>>())
            .map(u64::from)
            .collect();
        let told: BTreeSet<u64> = lines
            .as_array()
            .expect("lines")
            .iter()
            .filter_map(Value::as_u64)
            .collect();
        assert_eq!(found, told, "{test}");
    }
    let loading = read.import_only.expect("contexts");
    assert_eq!(loading["lib.py"].to_string(), "1,6");
}

#[test]
fn a_report_without_contexts_tells_nothing_of_tests() {
    let (_, report) = sample("redundant-tests");
    let mut report: Value = serde_json::from_slice(&report).expect("JSON");
    report["files"]["lib.py"]
        .as_object_mut()
        .expect("a file")
        .remove("contexts");
    let read = map(report.to_string().as_bytes(), None);
    assert_eq!((read.per_test, read.import_only), (None, None));
}
