//! What the tests of readers share: reading a text or a sample with a given reader.

use std::io::Cursor;
use std::path::Path;

use serde_json::Value;

use super::SessionReader;
use crate::intake::json::{self, Told};
use crate::record::Session;

/// Fields of an expected session that are computed from it, not read.
const COMPUTED: [&str; 4] = ["priced_usd", "unpriced_models", "signals", "unverified"];

/// Reads objects.
pub(super) fn read(mut reader: impl SessionReader, objects: &[Value]) -> Session {
    for object in objects {
        reader.object(object);
    }
    Box::new(reader).finish(&Told::default())
}

/// Reads a text.
pub(super) fn read_text(mut reader: impl SessionReader, text: &str) -> Session {
    let mut source = Cursor::new(text.as_bytes());
    let told = json::objects(&mut source, &mut |object| reader.object(&object));
    Box::new(reader).finish(&told.expect("in memory"))
}

/// Reads the sample and holds it against its expected values.
pub(super) fn sample(reader: impl SessionReader, name: &str) -> Session {
    let session = read_text(reader, &text(name));
    expect(&session, name);
    session
}

/// The sample's text.
pub(super) fn text(name: &str) -> String {
    let file = |end| folder().join(format!("{name}.{end}"));
    let found = ["json", "jsonl"].map(|end| std::fs::read_to_string(file(end)));
    let found: Vec<String> = found.into_iter().flatten().collect();
    found.concat()
}

/// Holds what was read against a sample's expected values.
pub(super) fn expect(session: &Session, name: &str) {
    let path = folder().join(format!("{name}.expected.json"));
    let expected = std::fs::read_to_string(path).expect("the sample has expected values");
    let expected: Value = serde_json::from_str(&expected).expect("expected values are JSON");
    let session = serde_json::to_value(session).expect("a session is JSON");
    for (key, value) in expected.as_object().expect("an object") {
        let read = session.get(key).unwrap_or(&Value::Null);
        match key.as_str() {
            key if COMPUTED.contains(&key) => {}
            "warnings" => {
                for code in value.as_array().expect("codes") {
                    // What prices decide.
                    if code != "price_step_unknown" {
                        let codes = read.as_array().expect("codes");
                        assert!(codes.contains(code), "{name}: {code} in {codes:?}");
                    }
                }
            }
            _ => same(read, value, &format!("{name}: {key}")),
        }
    }
}

fn same(read: &Value, expected: &Value, what: &str) {
    match (read, expected) {
        (Value::Object(read), Value::Object(expected)) => {
            let keys = |o: &serde_json::Map<String, Value>| o.keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(read), keys(expected), "{what}");
            for (key, value) in expected {
                same(&read[key], value, &format!("{what}.{key}"));
            }
        }
        (Value::Number(read), Value::Number(expected)) => {
            let (read, expected) = (read.as_f64(), expected.as_f64());
            let near = |(a, b): (f64, f64)| (a - b).abs() < 1e-9;
            assert!(read.zip(expected).is_some_and(near), "{what}: {read:?}");
        }
        _ => assert_eq!(read, expected, "{what}"),
    }
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples/envelopes")
}
