//! Every sample of an envelope or transcript: read under a name that says nothing, as it is and
//! changed in ways that its meaning does not depend on.

mod changed;
mod joined;
mod random;
mod samples;
mod signals;

use std::io::Cursor;
use std::path::{Path, PathBuf};

use git_evolve::intake::envelope;
use git_evolve::record::{Opened, Reading, Session};
use serde_json::Value;

/// A sample and what it must be read as.
struct Sample {
    name: String,
    bytes: Vec<u8>,
    expected: Value,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples/envelopes")
}

/// All samples of the folder, by name.
fn samples() -> Vec<Sample> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the samples") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let is_data = name.ends_with(".json") || name.ends_with(".jsonl");
        if !is_data || name.ends_with(".expected.json") {
            continue;
        }
        let stem = name.rsplit_once('.').expect("an extension").0;
        let expected = std::fs::read(folder().join(format!("{stem}.expected.json")));
        found.push(Sample {
            name: stem.to_owned(),
            bytes: std::fs::read(&path).expect("readable"),
            expected: serde_json::from_slice(&expected.expect("what is expected")).expect("JSON"),
        });
    }
    assert!(found.len() >= 30, "{} samples", found.len());
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn sample(name: &str) -> Sample {
    let mut all = samples().into_iter();
    all.find(|s| s.name == name).expect("a sample of that name")
}

/// Reads files of one session; their names say nothing.
fn read(files: &[&[u8]]) -> Reading<Session> {
    let mut opened: Vec<Opened<'_>> = files
        .iter()
        .enumerate()
        .map(|(i, bytes)| Opened {
            path: format!("q{:x}", (i + 1) * 0x9e37_79b9 % 0xffff),
            modified: None,
            bytes: Box::new(Cursor::new(*bytes)),
        })
        .collect();
    envelope::read(&mut opened)
}

/// As the samples tell what was read.
fn told(reading: &Reading<Session>) -> Value {
    let error = |word: &str| serde_json::json!({"format": null, "agent": null, "error": word});
    match reading {
        Reading::Read(session) => serde_json::to_value(session).expect("plain data"),
        Reading::Empty => error("empty"),
        Reading::Unrecognised => error("unrecognised"),
        Reading::Unreadable(format, why) => panic!("{format}: {why}"),
    }
}

/// What other parts compute from a session.
const ELSEWHERE: [&str; 4] = ["priced_usd", "unpriced_models", "signals", "unverified"];

/// What of `expected` is not in `told`.
fn differences(told: &Value, expected: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    for (field, expected) in expected.as_object().expect("an object") {
        if ELSEWHERE.contains(&field.as_str()) {
            continue;
        }
        let told = told.get(field).unwrap_or(&Value::Null);
        let same = match field.as_str() {
            "warnings" => {
                let codes = expected.as_array().expect("codes").iter();
                let mut needed = codes.filter(|c| *c != "price_step_unknown");
                let told = told.as_array().map_or(&[][..], Vec::as_slice);
                needed.all(|c| told.contains(c))
            }
            _ => alike(told, expected),
        };
        if !same {
            wrong.push(format!("{field}: {told} instead of {expected}"));
        }
    }
    wrong
}

/// Equal, dollars within 1e-9.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => match (x.as_u64(), y.as_u64()) {
            (Some(x), Some(y)) => x == y,
            _ => (x.as_f64().unwrap() - y.as_f64().unwrap()).abs() < 1e-9,
        },
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| alike(v, w)))
        }
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(v, w)| alike(v, w))
        }
        _ => a == b,
    }
}
