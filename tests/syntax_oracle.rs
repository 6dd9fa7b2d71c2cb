//! Rows, file lines and phantoms of the sources in `fixtures/sources`, whose expected values
//! came from the reference tools and were checked by hand; and, on demand, whole public
//! repositories against the reference tools' own rows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use git_evolve::syntax::{Analyser, Language, Profile, Row, Structure};

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sources")
}

/// The rows of a comma-separated file whose fields hold no quotes, by column name.
fn table(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            names
                .iter()
                .zip(line.split(','))
                .map(|(n, v)| ((*n).to_owned(), v.to_owned()))
                .collect()
        })
        .collect()
}

fn structure(analyser: &mut Analyser, path: &Path) -> Arc<Structure> {
    let source: Arc<[u8]> = std::fs::read(path).unwrap().into();
    let name = path.to_string_lossy();
    let language = Language::of_path(name.as_bytes()).unwrap();
    let version = analyser.analyse(language, &source);
    let structure = version.structure();
    Arc::clone(structure.unwrap_or_else(|e| panic!("{name}: {e}")))
}

fn shown(row: &Row) -> String {
    format!(
        "{},{},{},{},{},{},{}",
        row.name,
        row.start,
        row.end,
        row.nloc,
        row.cc,
        row.cognitive,
        if row.nested { "yes" } else { "no" }
    )
}

fn check(language: &str) {
    let dir = fixtures().join(language);
    let mut analyser = Analyser::new(Profile::Lizard).unwrap();
    let mut expected = BTreeMap::<String, Vec<String>>::new();
    for row in table(&dir.join("expected.csv")) {
        let columns = [
            "function",
            "start",
            "end",
            "nloc",
            "cc",
            "cognitive",
            "nested",
        ];
        let line: Vec<&str> = columns.iter().map(|c| row[*c].as_str()).collect();
        expected
            .entry(row["file"].clone())
            .or_default()
            .push(line.join(","));
    }
    for (file, mut rows) in expected {
        let got = structure(&mut analyser, &dir.join(&file));
        let mut got: Vec<String> = got.rows.iter().map(shown).collect();
        rows.sort();
        got.sort();
        assert_eq!(got, rows, "{language}/{file}");
    }
    for row in table(&dir.join("expected-files.csv")) {
        let got = structure(&mut analyser, &dir.join(&row["file"]));
        assert_eq!(
            got.nloc.to_string(),
            row["nloc"],
            "{language}/{}",
            row["file"]
        );
    }
    for row in table(&dir.join("expected-phantoms.csv")) {
        let got = structure(&mut analyser, &dir.join(&row["file"]));
        let phantom = got
            .rows
            .iter()
            .find(|r| *r.name == *row["function"] && r.start.to_string() == row["start"]);
        assert!(phantom.is_none(), "{language}/{}: {phantom:?}", row["file"]);
    }
}

#[test]
fn every_java_row_is_as_expected_and_none_too_many() {
    check("java");
}

#[test]
fn every_python_row_is_as_expected_and_none_too_many() {
    check("python");
}

#[test]
fn every_go_row_is_as_expected_and_none_too_many() {
    check("go");
}
