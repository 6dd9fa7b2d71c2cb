//! Every sample of the folder gives what stands beside it; a new one joins by being put there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use git_evolve::intake::coverage;
use git_evolve::record::{CoverageMap, LineSet, TreeFacts};
use serde_json::Value;

use super::{map, opened};

/// A report and what must be read out of it.
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) format: String,
    pub(super) bytes: Vec<u8>,
    pub(super) tree: Option<TreeFacts>,
    pub(super) expected: Value,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples/coverage")
}

fn strings(value: &Value) -> Vec<String> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

/// The samples that are one report; derived ones are about figures.
pub(super) fn all() -> Vec<Sample> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the samples")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    names.sort();
    let mut found = Vec::new();
    for path in &names {
        let name = path.file_name().and_then(|n| n.to_str()).expect("utf-8");
        let Some(stem) = name.strip_suffix(".expected.json") else {
            continue;
        };
        let text = std::fs::read(path).expect("readable");
        let expected: Value = serde_json::from_slice(&text).expect("JSON");
        if expected["format"] == "derived" {
            continue;
        }
        let report = names
            .iter()
            .find(|p| *p != path && p.file_stem() == Some(stem.as_ref()));
        let report = report.unwrap_or_else(|| panic!("{stem} has no report"));
        let go_mod = expected["go_mod"].as_object().into_iter().flatten();
        found.push(Sample {
            name: stem.to_owned(),
            format: expected["format"].as_str().expect("a format").to_owned(),
            bytes: std::fs::read(report).expect("readable"),
            tree: expected.get("repo_tree").map(|paths| TreeFacts {
                paths: strings(paths),
                go_mod: go_mod
                    .map(|(path, text)| (path.clone(), text.as_str().expect("text").to_owned()))
                    .collect(),
                build_root: expected["build_root"].as_str().map(str::to_owned),
            }),
            expected,
        });
    }
    found
}

fn lines(value: &Value) -> LineSet {
    let all = value.as_array().into_iter().flatten();
    all.map(|n| u32::try_from(n.as_u64().expect("a line")).expect("a line"))
        .collect()
}

fn by_file(value: &Value) -> BTreeMap<String, LineSet> {
    let all = value.as_object().into_iter().flatten();
    all.map(|(path, value)| (path.clone(), lines(value)))
        .collect()
}

fn branches(value: &Value) -> BTreeMap<u32, (u64, u64)> {
    let all = value.as_object().into_iter().flatten();
    all.map(|(line, counts)| {
        let count = |i: usize| counts[i].as_u64().expect("a count");
        (line.parse().expect("a line"), (count(0), count(1)))
    })
    .collect()
}

/// Holds what was read to what was expected.
pub(super) fn holds(what: &str, found: &CoverageMap, expected: &Value) {
    assert_eq!(found.format, expected["format"], "{what}");
    let files = expected["files"].as_object().expect("files");
    let names: BTreeSet<&String> = files.keys().collect();
    assert_eq!(found.files.keys().collect::<BTreeSet<_>>(), names, "{what}");
    for (path, told) in files {
        let file = &found.files[path];
        let what = format!("{what}, {path}");
        assert_eq!(file.covered, lines(&told["covered"]), "{what}");
        assert_eq!(file.missed, lines(&told["missed"]), "{what}");
        assert_eq!(file.partial, lines(&told["partial"]), "{what}");
        let found = file.branches.clone().unwrap_or_default();
        assert_eq!(found, branches(&told["branches"]), "{what}");
    }
    let totals = found.totals();
    let told = &expected["totals"];
    assert_eq!(totals.executable, told["executable"], "{what}");
    assert_eq!(totals.covered, told["covered"], "{what}");
    assert_eq!(totals.partial, told["partial"], "{what}");
    let per_test = expected.get("per_test").map(|tests| {
        let tests = tests.as_object().into_iter().flatten();
        tests
            .map(|(id, files)| (id.clone(), by_file(files)))
            .collect()
    });
    assert_eq!(found.per_test, per_test, "{what}");
    if let Some(told) = expected.get("import_only") {
        assert_eq!(found.import_only, Some(by_file(told)), "{what}");
    }
    if let Some(told) = expected.get("excluded") {
        let excluded = found.files.iter().filter(|(_, f)| !f.excluded.is_empty());
        let excluded: BTreeMap<_, _> = excluded
            .map(|(path, f)| (path.clone(), f.excluded.clone()))
            .collect();
        assert_eq!(excluded, by_file(told), "{what}");
    }
    let unmapped: BTreeSet<String> = strings(&expected["unmapped"]).into_iter().collect();
    assert_eq!(found.unmapped, unmapped, "{what}");
    for code in strings(&expected["warnings"]) {
        assert!(found.warnings.contains(&code), "{what} lacks {code}");
    }
}

#[test]
fn every_sample_gives_what_stands_beside_it() {
    let all = all();
    for sample in &all {
        let found = map(&sample.bytes, sample.tree.as_ref());
        holds(&sample.name, &found, &sample.expected);
        let format = coverage::identify(&mut opened(&sample.bytes)).map(coverage::Format::name);
        assert_eq!(format, Some(sample.format.as_str()), "{}", sample.name);
    }
    let formats: BTreeSet<&str> = all.iter().map(|s| s.format.as_str()).collect();
    assert_eq!(formats.len(), 5, "{formats:?}");
}

#[test]
fn samples_have_no_warning_that_is_not_expected() {
    for sample in all() {
        let found = map(&sample.bytes, sample.tree.as_ref());
        let told: BTreeSet<String> = strings(&sample.expected["warnings"]).into_iter().collect();
        assert_eq!(found.warnings, told, "{}", sample.name);
    }
}

#[test]
fn what_was_read_reads_back_from_a_record() {
    for sample in all() {
        let found = map(&sample.bytes, sample.tree.as_ref());
        let value = serde_json::to_value(&found).expect("a value");
        let back: CoverageMap = serde_json::from_value(value).expect("reads back");
        assert_eq!(back, found, "{}", sample.name);
    }
}
