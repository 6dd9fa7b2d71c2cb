//! The samples of some formats, rewritten and read.

use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use git_evolve::intake::report;
use git_evolve::record::{Moment, Opened, RunFacts, TestMap};
use serde_json::{Value, json};

/// Where the samples are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples/test-reports")
}

/// A report of one file, and what is expected of it.
pub struct Sample {
    pub name: String,
    pub text: String,
    pub expected: Value,
}

/// The samples of `format` that are one file.
pub fn samples(format: &str) -> Vec<Sample> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder()).expect("the samples") {
        let path = entry.expect("an entry").path();
        let file = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let Some(name) = file.strip_suffix(".expected.json") else {
            continue;
        };
        let text = fs::read_to_string(&path).expect("readable");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let one = ["json", "txt", "xml"]
            .iter()
            .map(|ending| folder().join(format!("{name}.{ending}")))
            .find(|path| path.is_file());
        if let Some(path) = one.filter(|_| expected["format"] == format) {
            all.push(Sample {
                name: name.to_owned(),
                text: fs::read_to_string(path).expect("UTF-8"),
                expected,
            });
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Reads files (path, time, bytes) as one run.
pub fn run(files: &[(&str, Option<&str>, &[u8])], facts: &RunFacts) -> TestMap {
    let mut opened: Vec<Opened<'_>> = files
        .iter()
        .map(|(path, modified, bytes)| Opened {
            path: (*path).to_owned(),
            modified: modified.map(|at| Moment::parse(at).expect("a time")),
            bytes: Box::new(Cursor::new(*bytes)),
        })
        .collect();
    report::read(&mut opened, facts)
}

/// Reads one file.
pub fn one(bytes: &[u8]) -> TestMap {
    run(&[("r", None, bytes)], &RunFacts::default())
}

/// Asserts that a rewritten sample says what the sample does; warnings may be more.
pub fn same(sample: &Sample, bytes: &[u8], how: &str) {
    let exit_code = sample.expected["run"]["exit_code"].as_i64();
    let facts = RunFacts {
        exit_code,
        ..RunFacts::default()
    };
    let map = run(&[("a-name.html", None, bytes)], &facts);
    let name = format!("{} {how}", sample.name);
    let expected = &sample.expected;
    let wanted: BTreeSet<(String, String)> = expected["tests"]
        .as_array()
        .expect("tests")
        .iter()
        .map(|t| (text(&t["id"]), text(&t["outcome"])))
        .collect();
    let found = map.tests.iter().map(|(id, test)| {
        let outcome = serde_json::to_value(test.outcome).expect("JSON");
        (id.clone(), text(&outcome))
    });
    assert_eq!(found.collect::<BTreeSet<_>>(), wanted, "{name}");
    assert_eq!(json!(map.counts()), expected["counts"], "{name}");
    assert_eq!(json!(map.validity), expected["validity"], "{name}");
    assert_eq!(map.reasons, words(&expected["reasons"]), "{name}");
    let lacking: Vec<_> = words(&expected["warnings"])
        .difference(&map.warnings)
        .cloned()
        .collect();
    assert_eq!(lacking, Vec::<String>::new(), "{name}: {:?}", map.warnings);
    let places = |list: Vec<(String, String)>| list.into_iter().collect::<BTreeSet<_>>();
    let wanted = expected["problems"].as_array().expect("problems").iter();
    let wanted = wanted
        .map(|p| (text(&p["kind"]), text(&p["where"])))
        .collect();
    let found = map.problems.iter();
    let found = found.map(|p| (p.kind.clone(), p.place.clone())).collect();
    assert_eq!(places(found), places(wanted), "{name}");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn words(value: &Value) -> BTreeSet<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

/// Text in UTF-16 with a mark, as some shells redirect it.
pub fn utf_16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// The same value with fields in the opposite order, unknown ones among them, and numbers as
/// texts where `texts` says so.
pub fn turned(value: &Value, texts: bool) -> String {
    match value {
        Value::Object(fields) => {
            let mut all: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{}:{}", json!(key), turned(value, texts)))
                .collect();
            all.reverse();
            all.insert(
                0,
                "\"x_unknown\":{\"a\":[1,null,{\"Action\":\"fail\"}]}".to_owned(),
            );
            format!("{{{}}}", all.join(" , "))
        }
        Value::Array(values) => {
            let all: Vec<String> = values.iter().map(|v| turned(v, texts)).collect();
            format!("[{}]", all.join(",\n"))
        }
        Value::Number(number) if texts => format!("\"{number}\""),
        other => other.to_string(),
    }
}
