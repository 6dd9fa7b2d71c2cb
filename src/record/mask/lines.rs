//! Masks over the JSON of a record, and over lines of others, whatever they are.

use std::borrow::Cow;
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use regex::bytes::Regex;
use serde_json::{Map, Value};

use super::{Masked, Masker, What, sha256};
use crate::record::patterns::{self, MASKED};
use crate::record::{Kind, Line, LineSet, RecordId};

/// The fields that say which record this is; nothing in them is free text.
const STRUCTURE: [&str; 27] = [
    "adopts",
    "at",
    "attempt",
    "begin",
    "chain",
    "checkpoint",
    "checkpoint_id",
    "commit",
    "config",
    "encoding",
    "event",
    "for_checkpoint",
    "id",
    "kind",
    "masked",
    "of",
    "parent",
    "payload",
    "project",
    "purpose",
    "raw",
    "renamed_to",
    "role",
    "sha256",
    "size",
    "suite",
    "tree",
];

/// Masks a record on its way out and writes down where.
pub(in crate::record) fn object(kind: Kind, object: &mut Map<String, Value>, masker: &Masker) {
    let mut found = Vec::new();
    for (key, value) in object.iter_mut() {
        let structure = STRUCTURE.contains(&key.as_str()) && is_in_form(value);
        if !structure && !is_payload(kind, key) {
            masker.value(value, &format!("/{key}"), &mut found);
        }
    }
    if kind == Kind::Raw {
        payload(object, masker, &mut found);
    }
    if found.is_empty() {
        return;
    }
    let earlier = object.get("masked").cloned().unwrap_or_default();
    let mut all: Vec<Masked> = serde_json::from_value(earlier).unwrap_or_default();
    for new in found {
        match all
            .iter_mut()
            .find(|m| m.place == new.place && m.what == new.what)
        {
            Some(known) => known.count = known.count.saturating_add(new.count),
            None => all.push(new),
        }
    }
    all.sort();
    if let Ok(list) = serde_json::to_value(all) {
        object.insert("masked".to_owned(), list);
    }
}

/// Whether a field that says which record this is holds only what such a field can: ids, words,
/// times, chain paths. In lines of others anything may stand there.
fn is_in_form(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let plain =
                |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-/:.@TZ".contains(&b);
            text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.bytes().all(plain)
        }
        Value::Array(items) => items.iter().all(|i| i.is_string() && is_in_form(i)),
        Value::Object(_) => false,
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

fn is_payload(kind: Kind, key: &str) -> bool {
    kind == Kind::Raw && matches!(key, "content" | "head" | "tail")
}

/// The payload of a raw record, whose size and digest are those of what is left.
fn payload(object: &mut Map<String, Value>, masker: &Masker, found: &mut Vec<Masked>) {
    let encoded = object.get("encoding").and_then(Value::as_str) != Some("text");
    for key in ["content", "head", "tail"] {
        let Some(Value::String(text)) = object.get(key) else {
            continue;
        };
        let plain = match encoded {
            true => STANDARD
                .decode(text)
                .unwrap_or_else(|_| text.clone().into_bytes()),
            false => text.clone().into_bytes(),
        };
        let (masked, counts) = masker.payload(&plain);
        if counts.is_empty() {
            continue;
        }
        note(found, &format!("/{key}"), counts);
        let text = match encoded {
            true => STANDARD.encode(&masked),
            false => String::from_utf8_lossy(&masked).into_owned(),
        };
        if key == "content" {
            object.insert("size".to_owned(), (masked.len() as u64).into());
            object.insert("sha256".to_owned(), sha256(&masked).into());
        }
        object.insert(key.to_owned(), text.into());
    }
}

impl Masker {
    /// Masks texts and keys in JSON, as they are masked in a record.
    pub fn json(&self, value: &mut Value) {
        self.value(value, "", &mut Vec::new());
    }

    fn value(&self, value: &mut Value, place: &str, found: &mut Vec<Masked>) {
        match value {
            Value::String(text) => note(found, place, self.text(text)),
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    self.value(item, &format!("{place}/{at}"), found);
                }
            }
            Value::Object(map) => {
                for (key, mut inner) in std::mem::take(map) {
                    let mut name = key;
                    note(found, place, self.text(&mut name));
                    let below = name.replace('~', "~0").replace('/', "~1");
                    let inside = format!("{place}/{below}");
                    if names_secret(&name, &inner) {
                        note(found, &inside, vec![(What::Credential, 1)]);
                        inner = String::from_utf8_lossy(MASKED).into_owned().into();
                    }
                    self.value(&mut inner, &inside, found);
                    map.insert(free(map, name), inner);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Whether `name` says that `value` is secret, as in text `name = value` does.
fn names_secret(name: &str, value: &Value) -> bool {
    static NAMES: OnceLock<Regex> = OnceLock::new();
    let names = NAMES.get_or_init(patterns::secret_name);
    let Value::String(text) = value else {
        return false;
    };
    text.len() >= 8
        && patterns::is_secret(text.as_bytes())
        && names.is_match(name.as_bytes())
        // The lines of a file whose name ends like that of a secret.
        && LineSet::parse(text).is_none()
}

/// `name`, or one like it that `map` has not yet.
fn free(map: &Map<String, Value>, name: String) -> String {
    if !map.contains_key(&name) {
        return name;
    }
    let others = (2..).map(|n| format!("{name} ({n})"));
    let mut unused = others.filter(|n| !map.contains_key(n));
    unused.next().unwrap_or(name)
}

fn note(found: &mut Vec<Masked>, place: &str, counts: Vec<(What, u64)>) {
    found.extend(counts.into_iter().map(|(what, count)| Masked {
        place: place.to_owned(),
        what,
        count,
    }));
}

/// A line of whatever origin as it may be written here: itself, where nothing in it has to go.
/// Lines of later schemas and lines that are no records pass, too.
pub fn general(kind: Kind, line: &[u8]) -> Cow<'_, [u8]> {
    let masker = Masker::general();
    let Ok(Value::Object(whole)) = serde_json::from_slice::<Value>(line) else {
        return masker.bytes(line).0;
    };
    let mut masked = whole.clone();
    object(kind, &mut masked, &masker);
    // What a reader does not see may stand in the bytes all the same: of two equal keys the last
    // one counts.
    if masked == whole && !hides(line, &whole, &masker) {
        return Cow::Borrowed(line);
    }
    // The id is of no use here: only the bytes go on.
    match Line::of(kind, RecordId::new(), &masked) {
        Ok(written) => Cow::Owned(written.bytes().to_vec()),
        Err(_) => masker.bytes(line).0.into_owned().into(),
    }
}

/// Whether `line` is another text than `whole` would be, with something to be masked in it.
fn hides(line: &[u8], whole: &Map<String, Value>, masker: &Masker) -> bool {
    serde_json::to_vec(whole).is_ok_and(|canonical| canonical != line.trim_ascii())
        && !masker.bytes(line).1.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::trial::record;
    use crate::record::{
        Body, Coverage, Encoding, Envelope, Payload, Purpose, Raw, ReadLine, Selected, Suite,
        Tests, Unkept, read_line,
    };
    use serde_json::json;

    fn raw(content: &str, encoding: Encoding) -> Body {
        Body::Raw(Raw {
            of: RecordId::parse("0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0f").expect("an id"),
            payload: Payload::Envelope,
            name: "out.json".to_owned(),
            path: None,
            modified: None,
            encoding,
            content: Some(content.to_owned()),
            size: content.len() as u64,
            sha256: sha256(content.as_bytes()),
            head: None,
            tail: None,
        })
    }

    #[test]
    fn a_masked_payload_says_where_and_has_the_digest_of_what_is_left() {
        let secret = "{\"api_key\":\"abcdefgh1\",\"cwd\":\"/home/ada\"}";
        let left = "{\"api_key\":\"[masked]\",\"cwd\":\"~\"}";
        for (content, encoding) in [
            (secret.to_owned(), Encoding::Text),
            (STANDARD.encode(secret), Encoding::Base64),
        ] {
            let line = record(raw(&content, encoding)).line(&Masker::general());
            let line = line.expect("a line");
            let ReadLine::Known(read) = read_line(Kind::Raw, line.bytes()) else {
                panic!("no record")
            };
            let Body::Raw(body) = &read.body else {
                panic!("no payload")
            };
            assert_eq!(body.sha256, sha256(left.as_bytes()));
            assert_eq!(body.size, left.len() as u64);
            let places: Vec<_> = read
                .masked
                .iter()
                .map(|m| (m.place.as_str(), m.what))
                .collect();
            assert_eq!(
                places,
                [("/content", What::Credential), ("/content", What::Home)]
            );
            assert_eq!(general(Kind::Raw, line.bytes()), line.bytes(), "again");
        }
    }

    #[test]
    fn home_folders_go_out_of_ids_paths_and_all_that_is_known_beside_them() {
        let home = "/home/ada/shop";
        let id = format!("{home}/x.test.js::t");
        let mut tests = Tests::of(Suite::Visible, Vec::new());
        tests.command = Some(vec![format!("{home}/run"), "--token".to_owned()]);
        tests.selected = Some(Selected {
            checkpoints: None,
            left_out: vec![format!("{home}/y")],
        });
        tests.map = Some(json!({
            "tests": {id: {"class": home, "name": "t", "file": home, "outcome": "passed"}},
            "files": [{"path": format!("{home}/r.xml"), "size": 1}],
            "problems": [{"kind": "build", "where": home, "outcome": "error", "message": home}],
        }));
        let mut coverage = Coverage::of(Vec::new());
        coverage.build_root = Some(home.to_owned());
        coverage.files = Some(json!({
            "files": {format!("{home}/a.py"): {"covered": "1-9"}},
            "per_test": {"t": {"src/token": "1-5,8-12", "src/password": "1-900,1000"}},
            "unmapped": [home],
        }));
        let mut envelope = Envelope::of(Purpose::Implement, Vec::new());
        envelope.model = Some(home.to_owned());
        envelope.resumes = Some(home.to_owned());
        envelope.unkept = vec![Unkept {
            name: home.to_owned(),
            size: 1,
            sha256: "0".repeat(64),
        }];
        envelope.session = Some(json!({
            "transcript": {"events": [{"did": "call", "path": format!("{home}/a.py")}]},
        }));
        let Body::Raw(mut payload) = raw("x", Encoding::Text) else {
            panic!("no payload")
        };
        payload.path = Some(format!("{home}/t.xml"));
        for body in [
            Body::Tests(tests),
            Body::Coverage(coverage),
            Body::Envelope(envelope),
            Body::Raw(payload),
        ] {
            let kind = body.kind();
            let line = record(body).line(&Masker::general()).expect("a line");
            let text = String::from_utf8_lossy(line.bytes()).into_owned();
            assert!(!text.contains("ada") && text.contains("~/"), "{text}");
            assert_eq!(general(kind, line.bytes()), line.bytes(), "again");
            if kind == Kind::Coverage {
                // A set of lines is no secret, whatever its file is called.
                assert!(text.contains(r#""src/password":"1-900,1000""#), "{text}");
            }
        }
    }

    #[test]
    fn home_folders_and_credentials_go_out_of_all_that_a_run_adds() {
        let home = "/home/ada/x ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        let setup = json!({"of": "arm", "in": "clone", "command": [home], "wall_ms": 1,
            "outcome": "failed", "console": home});
        let contained = json!({"links_out": {"count": 1, "first": [{"path": home}]},
            "special": {"count": 0, "first": []}, "git_folders": {"count": 0, "first": []},
            "too_many": {"count": 0, "first": []},
            "stubs": [{"path": home, "size": 1, "sha256": "0".repeat(64)}]});
        let agent = json!({"command": [home], "prompt_route": "file", "model": home,
            "environment": {"A": home, "WORK_TOKEN": "tellnobody"}, "passed": [home],
            "tools": [home], "permission_mode": home, "version": home});
        let parts = [
            (
                Kind::Checkpoint,
                json!({"event": "begin", "setups": [setup], "contained": contained,
                    "contents": [{"role": "spec", "path": home, "id": "0".repeat(40)}],
                    "tools": {"versions": {"go": home}},
                    "provenance": {"git": "2", "os": "linux", "arch": "x", "agent": agent}}),
            ),
            (
                Kind::Envelope,
                json!({"purpose": "probe", "raw": [], "setups": [setup], "contained": contained,
                    "probed": {"landed": [], "named": [], "answer": home},
                    "launch": {"command": [home], "prompt_route": "file", "isolation": "none",
                        "ended_by": "itself", "environment": {"A": home, "API_KEY": "tellnobody"},
                        "wrote": {"count": 1, "first": [{"path": home}]}}}),
            ),
            (
                Kind::Tests,
                json!({"suite": "visible", "raw": [], "gated": {"setups": [setup],
                    "checks": [{"check": "command", "of": home, "why": home}],
                    "tampered": [{"what": "runner", "path": home, "how": "added",
                        "put_back": false}]}}),
            ),
        ];
        for (kind, part) in parts {
            let body = match kind {
                Kind::Checkpoint => {
                    let says: crate::record::Checkpoint =
                        serde_json::from_value(part).expect("a checkpoint");
                    Body::from(says)
                }
                Kind::Envelope => Body::Envelope(serde_json::from_value(part).expect("a session")),
                _ => Body::Tests(serde_json::from_value(part).expect("a gate")),
            };
            let line = record(body).line(&Masker::general()).expect("a line");
            let text = String::from_utf8_lossy(line.bytes()).into_owned();
            for gone in ["ada", "ghp_", "tellnobody"] {
                assert!(!text.contains(gone), "{text}");
            }
            assert!(matches!(read_line(kind, line.bytes()), ReadLine::Known(_)));
            assert_eq!(general(kind, line.bytes()), line.bytes(), "again");
        }
    }

    #[test]
    fn what_hides_in_a_line_of_others_goes() {
        let token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        for line in [
            format!(r#"{{"x":"{token}","x":"y","v":9}}"#),
            format!(r#"{{"raw":["{token}"],"v":9}}"#),
            format!(r#"{{"config":{{"note":"{token}"}},"v":9}}"#),
            format!(r#"{{"id":"{token}","v":9}}"#),
            format!(r#"{{"masked":[{{"where":"{token}"}}],"v":9}}"#),
            r#"{"session":{"api_key":"ghp_abcdefgh"},"v":9}"#.to_owned(),
        ] {
            let once = general(Kind::Envelope, line.as_bytes()).into_owned();
            assert!(!String::from_utf8_lossy(&once).contains("ghp_"), "{line}");
            let again = general(Kind::Envelope, &once);
            assert!(matches!(again, Cow::Borrowed(_)), "{line}");
        }
        let chain = r#"{"chain":"sk-experiment-of-2026-long/a/1","v":9}"#;
        let same = general(Kind::Envelope, chain.as_bytes());
        assert!(matches!(same, Cow::Borrowed(_)));
    }

    #[test]
    fn lines_of_others_are_masked_whatever_they_are() {
        let newer = br#"{"v":99,"kind":"raw","x":{"/home/ada":["sk-abcdefghij0123456789"]}}"#;
        let text = String::from_utf8(general(Kind::Raw, newer).into_owned()).expect("UTF-8");
        assert!(text.contains(r#""x":{"~":["[masked]"]}"#), "{text}");
        assert_eq!(
            general(Kind::Raw, b"no json /home/ada"),
            b"no json ~".as_slice()
        );
        assert_eq!(general(Kind::Raw, b"plain"), b"plain".as_slice());
    }
}
