//! Every sample with each of its values replaced by what no agent should write: nothing may
//! panic, and a figure that is none may make figures unknown, but never others.

use std::io::Cursor;
use std::path::Path;

use serde_json::{Value, json};

use super::{Format, Found, detect, reader};
use crate::intake::json::{self, Told};
use crate::record::Session;

struct Sample {
    name: String,
    format: Format,
    objects: Vec<Value>,
    told: Told,
}

fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples/envelopes");
    let mut samples = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the samples") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let bytes = std::fs::read(&path).expect("readable");
        let mut source = Cursor::new(&bytes);
        let Ok(Found::Format(format)) = detect(&mut source) else {
            continue;
        };
        if name.ends_with(".expected.json") || format.agent() == "claude-code" {
            continue;
        }
        let mut objects = Vec::new();
        let told = json::objects(&mut source, &mut |o| objects.push(o)).expect("in memory");
        samples.push(Sample {
            name,
            format,
            objects,
            told,
        });
    }
    assert!(samples.len() >= 20, "{}", samples.len());
    samples
}

fn read(format: Format, objects: &[Value], told: &Told) -> Session {
    let mut reader = reader(format);
    for object in objects {
        reader.object(object);
    }
    reader.finish(told)
}

/// Pointers to everything in `value`.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    let mut inner = |key: &str, value: &Value| {
        let key = key.replace('~', "~0").replace('/', "~1");
        let at = format!("{at}/{key}");
        all.push(at.clone());
        pointers(value, &at, all);
    };
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| inner(key, value)),
        Value::Array(array) => {
            let numbered = array.iter().enumerate();
            numbered.for_each(|(i, value)| inner(&i.to_string(), value));
        }
        _ => {}
    }
}

fn figures(session: &Session) -> [(&'static str, Option<f64>); 7] {
    let tokens = &session.tokens;
    let count = |n: Option<u64>| n.map(|n| n as f64);
    [
        ("input", count(tokens.input)),
        ("output", count(tokens.output)),
        ("cache_read", count(tokens.cache_read)),
        ("cache_creation_5m", count(tokens.cache_creation_5m)),
        ("cache_creation_1h", count(tokens.cache_creation_1h)),
        ("reasoning", count(tokens.reasoning)),
        ("cost", session.cost_usd),
    ]
}

#[test]
fn what_is_no_figure_makes_figures_unknown_and_never_others() {
    let hostile = [
        json!(-1),
        json!(u64::MAX),
        json!(1e300),
        json!(0.5),
        json!("7"),
        json!(true),
        json!([]),
        json!({}),
    ];
    for Sample {
        name,
        format,
        objects,
        told,
    } in samples()
    {
        let before = figures(&read(format, &objects, &told));
        for place in 0..objects.len() {
            let mut all = Vec::new();
            pointers(&objects[place], "", &mut all);
            for pointer in all {
                let mut objects = objects.clone();
                let at = objects[place].pointer_mut(&pointer).expect("it is there");
                let was = at.take();
                let is_count = was.as_u64().is_some() && !pointer.ends_with("NanoAiu");
                for value in &hostile {
                    // A fraction is a figure where money or seconds stand.
                    if !is_count && value.is_f64() && was.is_number() {
                        continue;
                    }
                    let at = objects[place].pointer_mut(&pointer).expect("it is there");
                    *at = value.clone();
                    let session = read(format, &objects, &told);
                    let context = || format!("{name}, object {place}, {pointer} = {value}");
                    assert!(
                        session.tool_errors <= session.tool_calls || session.tool_calls.is_none(),
                        "{}",
                        context()
                    );
                    if !was.is_number() {
                        continue;
                    }
                    for (before, after) in before.iter().zip(figures(&session)) {
                        let same = after.1.is_none() || after.1 == before.1;
                        assert!(same, "{}: {before:?}, {after:?}", context());
                    }
                }
                let at = objects[place].pointer_mut(&pointer).expect("it is there");
                *at = Value::Null;
                read(format, &objects, &told);
            }
        }
    }
}

#[test]
fn lines_that_are_missing_repeated_or_reversed_are_survived() {
    for Sample {
        format,
        objects,
        told,
        ..
    } in samples()
    {
        for place in 0..objects.len() {
            let mut without = objects.clone();
            without.remove(place);
            let session = read(format, &without, &told);
            assert!(session.tool_errors <= session.tool_calls || session.tool_calls.is_none());
        }
        let mut reversed = objects.clone();
        reversed.reverse();
        read(format, &reversed, &told);
        read(format, &[&objects[..], &reversed[..]].concat(), &told);
    }
}
