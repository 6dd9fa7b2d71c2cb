//! The samples, and what is expected of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use git_evolve::intake::report;
use git_evolve::record::pairing::pair;
use git_evolve::record::{Moment, Opened, RunFacts, TestMap, TestOutcome};
use serde_json::{Map, Value, json};

/// A file of a sample.
#[derive(Clone)]
pub struct Given {
    /// Its folders, and a name that says nothing.
    pub path: String,
    /// Its name in the sample.
    pub name: String,
    pub modified: Option<Moment>,
    pub bytes: Vec<u8>,
}

/// One sample.
pub struct Sample {
    pub name: String,
    pub expected: Value,
    pub files: Vec<Given>,
    pub run: RunFacts,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples/test-reports")
}

fn moment(text: &str) -> Moment {
    let time: jiff::Timestamp = text.parse().expect("a time");
    Moment::from_millis(time.as_millisecond()).expect("in range")
}

/// Names that differ each time the tests are run: nothing may depend on them.
fn random_name() -> String {
    let id = uuid::Uuid::now_v7().simple().to_string();
    let ending = ["", ".xml", ".json", ".txt", ".log", ".html"];
    let digit = id.bytes().last().expect("not empty") as usize;
    format!("{}{}", &id[16..], ending[digit % ending.len()])
}

fn below(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("a folder");
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            below(&path, into);
        } else {
            into.push(path);
        }
    }
}

/// All samples, by name.
pub fn samples() -> Vec<Sample> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder()).expect("the samples") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().expect("a name").to_string_lossy();
        if let Some(name) = file.strip_suffix(".expected.json") {
            all.push(sample(name));
        }
    }
    assert!(all.len() >= 36, "{} samples", all.len());
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn sample(name: &str) -> Sample {
    let text = fs::read(folder().join(format!("{name}.expected.json"))).expect("readable");
    let expected: Value = serde_json::from_slice(&text).expect("JSON");
    let told = &expected["run"];
    let mut paths = Vec::new();
    let inside = folder().join(name);
    if inside.is_dir() {
        below(&inside, &mut paths);
    } else {
        below(&folder(), &mut paths);
        paths.retain(|p| {
            let file = p
                .strip_prefix(folder())
                .expect("inside")
                .to_string_lossy()
                .into_owned();
            let rest = file.strip_prefix(&format!("{name}."));
            rest.is_some_and(|rest| !rest.contains(['/', '.']))
        });
        assert_eq!(paths.len(), 1, "{name}");
    }
    paths.sort();
    let root = if inside.is_dir() { inside } else { folder() };
    let console = told["console"].as_str();
    let mut run = RunFacts {
        exit_code: told["exit_code"].as_i64(),
        started: told["started"].as_str().map(moment),
        console: console.map(|c| fs::read_to_string(root.join(c)).expect("a console")),
        ..RunFacts::default()
    };
    if let Some(ids) = told["previous_passed"].as_array() {
        let ids = ids.iter().map(|id| id.as_str().expect("an id").to_owned());
        run.previous = Some(ids.collect());
    }
    let mut files = Vec::new();
    for path in paths {
        let relative = path
            .strip_prefix(&root)
            .expect("inside")
            .to_string_lossy()
            .into_owned();
        if Some(relative.as_str()) == console {
            continue;
        }
        let folders = relative
            .rsplit_once('/')
            .map_or(String::new(), |(f, _)| format!("{f}/"));
        files.push(Given {
            path: format!("{folders}{}", random_name()),
            name: relative.clone(),
            modified: told["mtimes"][&relative].as_str().map(moment),
            bytes: fs::read(&path).expect("readable"),
        });
    }
    Sample {
        name: name.to_owned(),
        expected,
        files,
        run,
    }
}

/// Reads files as one run.
pub fn read(files: &[Given], run: &RunFacts) -> TestMap {
    let mut opened: Vec<Opened<'_>> = files
        .iter()
        .map(|file| Opened {
            path: file.path.clone(),
            modified: file.modified,
            bytes: Box::new(Cursor::new(file.bytes.as_slice())),
        })
        .collect();
    report::read(&mut opened, run)
}

/// Where the map is not what is expected.
pub fn differences(sample: &Sample, map: &TestMap) -> Vec<String> {
    let expected = &sample.expected;
    let mut wrong = Vec::new();
    let mut ids = BTreeSet::new();
    for test in expected["tests"].as_array().expect("tests") {
        let id = test["id"].as_str().expect("an id");
        ids.insert(id.to_owned());
        match map.tests.get(id) {
            None => wrong.push(format!("no test {id}")),
            Some(found) => {
                let found = serde_json::to_value(found).expect("JSON");
                fields(id, test, &found, &mut wrong);
            }
        }
    }
    let more = map.tests.keys().filter(|id| !ids.contains(*id));
    wrong.extend(more.map(|id| format!("a test too many: {id}")));
    let mut same = |what: &str, found: Value| {
        if found != expected[what] {
            wrong.push(format!("{what}: {found}, not {}", expected[what]));
        }
    };
    same("counts", serde_json::to_value(map.counts()).expect("JSON"));
    same(
        "validity",
        serde_json::to_value(map.validity).expect("JSON"),
    );
    if !sample.files.is_empty() {
        same("format", json!(map.format));
    }
    let words = |value: &Value| -> BTreeSet<String> {
        let all = value.as_array().into_iter().flatten();
        all.map(|w| w.as_str().expect("a word").to_owned())
            .collect()
    };
    if words(&expected["reasons"]) != map.reasons {
        wrong.push(format!(
            "reasons: {:?}, not {}",
            map.reasons, expected["reasons"]
        ));
    }
    let warnings = words(&expected["warnings"]);
    let missing: Vec<_> = warnings.difference(&map.warnings).collect();
    if !missing.is_empty() {
        wrong.push(format!("warnings: {:?}, without {missing:?}", map.warnings));
    }
    let mut problems: Vec<Value> = expected["problems"].as_array().expect("problems").clone();
    problems.sort_by_key(ToString::to_string);
    let mut found: Vec<Value> = map
        .problems
        .iter()
        .map(|p| {
            let mut value = serde_json::to_value(p).expect("JSON");
            value.as_object_mut().expect("an object").remove("message");
            value
        })
        .collect();
    found.sort_by_key(ToString::to_string);
    if problems != found {
        wrong.push(format!("problems: {found:?}, not {problems:?}"));
    }
    wrong
}

/// Fields of one test; those that the sample does not name have no value, but for time and file,
/// which it names only where they matter.
fn fields(id: &str, expected: &Value, found: &Value, wrong: &mut Vec<String>) {
    let empty = Map::new();
    let expected = expected.as_object().unwrap_or(&empty);
    let found = found.as_object().unwrap_or(&empty);
    for (key, value) in expected.iter().filter(|(key, _)| *key != "id") {
        let is = found.get(key).unwrap_or(&Value::Null);
        let near = match (value.as_f64(), is.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            _ => value == is,
        };
        if !near {
            wrong.push(format!("{id}: {key} is {is}, not {value}"));
        }
    }
    for (key, value) in found {
        let free = ["time", "file"].contains(&key.as_str());
        if !free && !expected.contains_key(key) {
            wrong.push(format!("{id}: {key} is {value}"));
        }
    }
}

#[test]
fn every_sample_is_read_as_expected() {
    let mut wrong = Vec::new();
    for sample in samples() {
        if sample.expected["format"] == "derived" {
            continue;
        }
        let map = read(&sample.files, &sample.run);
        let more = differences(&sample, &map);
        wrong.extend(more.into_iter().map(|w| format!("{}: {w}", sample.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_order_of_files_changes_nothing() {
    for sample in samples() {
        let mut files = sample.files.clone();
        let map = read(&files, &sample.run);
        for _ in 0..files.len() {
            files.rotate_left(1);
            assert_eq!(read(&files, &sample.run), map, "{}", sample.name);
        }
        files.reverse();
        assert_eq!(read(&files, &sample.run), map, "{}", sample.name);
    }
}

/// Samples that ask what became of the tests between two of their files.
#[test]
fn tests_are_followed_from_one_report_to_the_next() {
    let mut asked = 0;
    for sample in samples() {
        let (input, result) = (&sample.expected["input"], &sample.expected["result"]);
        if !input.is_object() {
            continue;
        }
        asked += 1;
        let map = |name: &Value| {
            let file = sample
                .files
                .iter()
                .find(|f| Some(f.name.as_str()) == name.as_str());
            read(&[file.expect("in the sample").clone()], &sample.run)
        };
        let (before, after) = (map(&input["before"]), map(&input["after"]));
        let ids = |map: &TestMap| -> Vec<String> { map.tests.keys().cloned().collect() };
        let (was, is) = (ids(&before), ids(&after));
        let none = BTreeMap::new();
        let pairing = pair(
            was.iter().map(String::as_str),
            is.iter().map(String::as_str),
            &none,
        );
        let forward = pairing.forward();
        let renamed: Vec<_> = forward.iter().map(|(a, b)| json!([a, b])).collect();
        assert_eq!(json!(renamed), result["renamed"], "{}", sample.name);
        let now = |id: &str| forward.get(id).copied().unwrap_or(id).to_owned();
        let kept: BTreeSet<String> = was.iter().map(|id| now(id)).collect();
        let added: Vec<_> = is.iter().filter(|id| !kept.contains(*id)).collect();
        assert_eq!(json!(added), result["added"], "{}", sample.name);
        let removed: Vec<_> = kept.iter().filter(|id| !is.contains(id)).collect();
        assert_eq!(json!(removed), result["removed"], "{}", sample.name);
        let passed = |map: &TestMap, id: &str| map.tests[id].outcome == TestOutcome::Passed;
        let lost = was
            .iter()
            .filter(|id| passed(&before, id) && !passed(&after, &now(id)));
        let lost: Vec<_> = lost.map(|id| now(id)).collect();
        assert_eq!(json!(lost), result["regressions"], "{}", sample.name);
    }
    assert!(asked > 0);
}
