//! Rows, file lines and phantoms of the sources in `fixtures/sources`, whose expected values
//! came from the reference tools and were checked by hand; and, on demand, whole public
//! repositories against the reference tools' own rows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use git_evolve::syntax::{Analyser, Language, Profile, Row, Structure};

pub(crate) fn fixtures() -> PathBuf {
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

/// The files of a commit of a clone, checked out into a temporary folder.
fn checkout(clone: &Path, commit: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tar = folder.path().join("tree.tar");
    let status = std::process::Command::new("git")
        .arg("-C")
        .arg(clone)
        .args(["archive", "--output"])
        .arg(&tar)
        .arg(commit)
        .status()
        .unwrap();
    assert!(status.success(), "git archive {commit}");
    let status = std::process::Command::new("tar")
        .arg("xf")
        .arg(&tar)
        .arg("-C")
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(status.success(), "tar");
    folder
}

fn last_segment(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

/// `ORACLE_CLONE`: a clone; `ORACLE_ROWS`: the path of its `NAME.lizard.csv` without
/// `.lizard.csv`, beside which `NAME.lizard-bugs.csv` and `NAME.files.csv` lie.
#[test]
#[ignore = "needs a clone and the reference rows"]
fn a_public_repository_reads_as_the_reference_tools_read_it() {
    let clone = std::env::var("ORACLE_CLONE").unwrap();
    let prefix = std::env::var("ORACLE_ROWS").unwrap();
    let part = |name: &str| table(Path::new(&format!("{prefix}.{name}.csv")));
    let rows = part("lizard");
    let tree = checkout(Path::new(&clone), &rows[0]["commit"]);
    let mut analyser = Analyser::new(Profile::Lizard).unwrap();
    let mut files = BTreeMap::<String, Arc<Structure>>::new();
    let mut read = |path: &str| -> Arc<Structure> {
        let entry = files.entry(path.to_owned());
        Arc::clone(entry.or_insert_with(|| structure(&mut analyser, &tree.path().join(path))))
    };
    let mut found = |row: &BTreeMap<String, String>, whole: bool| {
        let name = last_segment(&row["function"]);
        read(&row["path"]).rows.iter().any(|r| {
            let same = last_segment(&r.name) == name && r.start.to_string() == row["start"];
            same && (!whole
                || (r.end.to_string() == row["end"]
                    && r.nloc.to_string() == row["nloc"]
                    && r.cc.to_string() == row["cc"]))
        })
    };
    let mut wrong = Vec::new();
    for row in rows.iter().filter(|r| r["verdict"] == "ok") {
        if !found(row, true) {
            wrong.push(format!("ok: {row:?}"));
        }
    }
    for row in part("lizard-bugs") {
        let phantom = row["kind"] == "phantom";
        if found(&row, !phantom) == phantom {
            wrong.push(format!("{row:?}"));
        }
    }
    for row in part("files") {
        let nloc = read(&row["path"]).nloc.to_string();
        if nloc != row["rule_nloc"] {
            wrong.push(format!("{row:?}, got {nloc}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(9)]
    );
}
