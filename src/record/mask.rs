//! Masks: what must not leave the machine goes before a line is written.
//!
//! Credentials become `[masked]`, home folders `~`, this machine's name `[host]`, and the record
//! says where. [`Masker::general`] knows no machine: it gives the same everywhere, which is why
//! lines of others can pass it on every merge and two copies of a record stay one.

use std::borrow::Cow;
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use regex::bytes::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::patterns::{self, MASKED, Pattern};
use super::{Kind, Line, RecordId};

/// Where in a record something was masked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Masked {
    /// The place, as a JSON pointer (RFC 6901).
    #[serde(rename = "where")]
    pub place: String,
    /// What it looked like.
    pub what: What,
    /// How often.
    pub count: u64,
}

/// What was masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// A token, key or password.
    Credential,
    /// A home folder.
    Home,
    /// This machine's name.
    Host,
}

/// Finds and replaces what must not go out.
pub struct Masker {
    credentials: &'static [Pattern],
    homes: Vec<Regex>,
    host: Option<Regex>,
}

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

impl Masker {
    /// Credentials and home folders of any machine.
    pub fn general() -> Masker {
        static CREDENTIALS: OnceLock<Vec<Pattern>> = OnceLock::new();
        static HOMES: OnceLock<Vec<Regex>> = OnceLock::new();
        let homes = HOMES.get_or_init(patterns::homes);
        Masker {
            credentials: CREDENTIALS.get_or_init(patterns::credentials),
            homes: homes.clone(),
            host: None,
        }
    }

    /// These, and this machine's own home folder and name: for what is captured here.
    pub fn here() -> Masker {
        let home = std::env::home_dir().and_then(|p| p.to_str().map(str::to_owned));
        let host = gethostname::gethostname();
        Masker::of(home.as_deref(), host.to_str())
    }

    /// These, and a machine's home folder and name. Names under four letters and `localhost`
    /// tell nothing and are left.
    pub fn of(home: Option<&str>, host: Option<&str>) -> Masker {
        let mut masker = Masker::general();
        let home = home.map(|h| h.trim_end_matches('/'));
        if let Some(home) = home.filter(|h| h.len() > 2 && h.starts_with('/')) {
            let path = regex::escape(home).replace('/', r"\\*/");
            masker
                .homes
                .push(patterns::compile(&patterns::path(&format!(r"{path}\b"))));
            // Programs that keep a folder for each project name it so.
            if home.matches('/').count() > 1 {
                let dashed = regex::escape(&home.replace(['/', '.'], "-"));
                let dashed = format!(r"(^|[^A-Za-z0-9_.-]){dashed}\b");
                masker.homes.push(patterns::compile(&dashed));
            }
        }
        let host = host.filter(|h| h.len() >= 4 && !h.eq_ignore_ascii_case("localhost"));
        if let Some(host) = host {
            let short = host.split('.').next().filter(|s| s.len() >= 4);
            let names = [Some(host), short].into_iter().flatten();
            let names: Vec<String> = names.map(regex::escape).collect();
            let names = format!(r"(?i:{})\b", names.join("|"));
            masker.host = Some(patterns::compile(&patterns::word(&names)));
        }
        masker
    }

    /// `text` without what must not go out, and how often what was found.
    pub fn bytes<'t>(&self, text: &'t [u8]) -> (Cow<'t, [u8]>, Vec<(What, u64)>) {
        let mut now = Cow::Borrowed(text);
        let mut counts = Vec::new();
        let mut credentials = 0;
        for pattern in self.credentials {
            credentials += credential(pattern, &mut now);
        }
        let mut homes = 0;
        for regex in &self.homes {
            homes += replace(regex, &mut now, |before| [before, b"~"].concat());
        }
        let host = self.host.as_ref();
        let hosts = host.map_or(0, |r| replace(r, &mut now, |b| [b, b"[host]"].concat()));
        for (what, count) in [
            (What::Credential, credentials),
            (What::Home, homes),
            (What::Host, hosts),
        ] {
            if count > 0 {
                counts.push((what, count));
            }
        }
        (now, counts)
    }

    /// The same of a file's bytes, which may be text in UTF-16.
    pub fn payload<'t>(&self, bytes: &'t [u8]) -> (Cow<'t, [u8]>, Vec<(What, u64)>) {
        let Some((text, little)) = wide(bytes) else {
            return self.bytes(bytes);
        };
        let (masked, counts) = self.bytes(text.as_bytes());
        if counts.is_empty() {
            return (Cow::Borrowed(bytes), counts);
        }
        let unit = |u: u16| {
            if little {
                u.to_le_bytes()
            } else {
                u.to_be_bytes()
            }
        };
        let masked = String::from_utf8_lossy(&masked);
        let masked = masked.encode_utf16().flat_map(unit).collect();
        (Cow::Owned(masked), counts)
    }

    /// Whether `bytes` hold what looks like a credential.
    pub fn finds_credential(&self, bytes: &[u8]) -> bool {
        let wide = wide(bytes);
        let text = wide.as_ref().map_or(bytes, |(text, _)| text.as_bytes());
        let found = |p: &Pattern| p.regex.captures_iter(text).any(|c| p.part(&c).is_some());
        self.credentials.iter().any(found)
    }

    fn text(&self, text: &mut String) -> Vec<(What, u64)> {
        let (masked, counts) = self.bytes(text.as_bytes());
        if let Cow::Owned(bytes) = masked {
            // All patterns match whole characters of ASCII: what is left is still UTF-8.
            *text = String::from_utf8(bytes)
                .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
        }
        counts
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
    text.len() >= 8 && patterns::is_secret(text.as_bytes()) && names.is_match(name.as_bytes())
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

fn credential(pattern: &Pattern, text: &mut Cow<'_, [u8]>) -> u64 {
    let mut gone = Vec::new();
    for found in pattern.regex.captures_iter(text) {
        gone.extend(pattern.part(&found).map(|part| part.range()));
    }
    cut(text, &gone, |_| MASKED.to_vec())
}

/// Replaces each match of `regex`; what takes its place may depend on what its first group (what
/// stood before) was.
fn replace(regex: &Regex, text: &mut Cow<'_, [u8]>, by: impl Fn(&[u8]) -> Vec<u8>) -> u64 {
    let mut gone = Vec::new();
    let mut befores = Vec::new();
    for found in regex.captures_iter(text) {
        gone.extend(found.get(0).map(|m| m.range()));
        let before = found.get(1).map_or(&b""[..], |m| m.as_bytes());
        befores.push(before.to_vec());
    }
    cut(text, &gone, |at| by(&befores[at]))
}

fn cut(
    text: &mut Cow<'_, [u8]>,
    gone: &[std::ops::Range<usize>],
    by: impl Fn(usize) -> Vec<u8>,
) -> u64 {
    if gone.is_empty() {
        return 0;
    }
    let mut left = Vec::with_capacity(text.len());
    let mut from = 0;
    for (at, range) in gone.iter().enumerate() {
        left.extend_from_slice(&text[from..range.start]);
        left.extend_from_slice(&by(at));
        from = range.end;
    }
    left.extend_from_slice(&text[from..]);
    *text = Cow::Owned(left);
    gone.len() as u64
}

/// `bytes` as text, where their first two say that they are UTF-16 and all of them are; and
/// whether the low byte comes first.
fn wide(bytes: &[u8]) -> Option<(String, bool)> {
    let little = match bytes {
        [0xff, 0xfe, ..] => true,
        [0xfe, 0xff, ..] => false,
        _ => return None,
    };
    let pairs = bytes.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if little {
            u16::from_le_bytes(pair)
        } else {
            u16::from_be_bytes(pair)
        }
    };
    let units = pairs.map(unit);
    let text = char::decode_utf16(units)
        .collect::<Result<String, _>>()
        .ok()?;
    Some((text, little))
}

/// Masks a record on its way out and writes down where.
pub(super) fn object(kind: Kind, object: &mut Map<String, Value>, masker: &Masker) {
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

/// SHA-256 of `bytes`, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// `bytes` in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
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
    use super::super::trial::record;
    use super::*;
    use crate::record::{Body, Encoding, Payload, Raw, ReadLine, read_line};

    fn masked(text: &str) -> String {
        let masker = Masker::of(Some("/srv/people/ada"), Some("forge-7.example.net"));
        let once = masker.bytes(text.as_bytes()).0.into_owned();
        assert_eq!(masker.bytes(&once).1, [], "twice is once: {text}");
        String::from_utf8(once).expect("UTF-8")
    }

    #[test]
    fn credentials_go_and_what_is_around_them_stays() {
        let long = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        for (text, left) in [
            (format!("x ghp_{long} y"), "x [masked] y"),
            (format!("key sk-ant-api03-{long}."), "key [masked]."),
            ("AKIAABCDEFGHIJKLMNOP".to_owned(), "[masked]"),
            (
                "https://ada:hunter2hunter@host/x".to_owned(),
                "https://[masked]@host/x",
            ),
            (
                format!("Authorization: Bearer {long}"),
                "Authorization: Bearer [masked]",
            ),
            (
                r#"{"api_key":"abcdefgh1","n":1}"#.to_owned(),
                r#"{"api_key":"[masked]","n":1}"#,
            ),
            (
                r#"{\"client_secret\": \"abcdefgh\"}"#.to_owned(),
                r#"{\"client_secret\": \"[masked]\"}"#,
            ),
            (
                "DB_PASSWORD=correcthorse\n".to_owned(),
                "DB_PASSWORD=[masked]\n",
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- z".to_owned(),
                "[masked] z",
            ),
            (
                r"-----BEGIN PRIVATE KEY-----\nMIIE\nabc".to_owned(),
                "[masked]",
            ),
        ] {
            assert_eq!(masked(&text), left, "{text}");
        }
    }

    #[test]
    fn counts_names_and_prose_are_no_credentials() {
        for text in [
            r#"{"input_tokens":12345678,"output_tokens":"12345678"}"#,
            "max_tokens=16384000 total_token: 123456789",
            "token = $GITHUB_TOKEN_VALUE",
            "the basic internationalization of a task-oriented-thing-that-is-long",
            "password: short",
            "def token(self): return self._token",
            "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn what_is_masked_is_masked_wherever_it_begins() {
        let long = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        let secrets = [
            (format!("ghp_{long}"), "[masked]"),
            (format!("sk-ant-{long}"), "[masked]"),
            ("AKIAABCDEFGHIJKLMNOP".to_owned(), "[masked]"),
            (format!("xoxb-{long}"), "[masked]"),
            (format!("Bearer {long}"), "Bearer [masked]"),
            ("token: abcdefgh1".to_owned(), "token: [masked]"),
            ("/home/ada/x".to_owned(), "~/x"),
            ("/Users/ada/x".to_owned(), "~/x"),
            ("/root/x".to_owned(), "~/x"),
            ("/srv/people/ada/x".to_owned(), "~/x"),
            ("forge-7".to_owned(), "[host]"),
        ];
        for (secret, left) in secrets {
            for before in [
                " ",
                "\n",
                "\t",
                "\"",
                "(",
                "=",
                r"\n",
                r"\r\n",
                r"\t",
                r"\\n",
                r"\u0026",
                "\u{1b}[32m",
                r"\u001b[0;31m",
                r"\x1b[K",
            ] {
                let text = format!("x{before}{secret}");
                assert_eq!(masked(&text), format!("x{before}{left}"), "{text}");
            }
        }
        for text in ["-I/home/ada/x", "-L/Users/ada", "-isystem/home/ada"] {
            assert!(!masked(&format!("cc {text}")).contains("ada"), "{text}");
        }
        for text in ["/mnt/c/Users/ada/x", "/c/Users/ada/x", "/export/home/ada/x"] {
            assert_eq!(masked(text), "~/x", "{text}");
        }
        let folder = "~/.claude/projects/-srv-people-ada-work";
        assert_eq!(masked(folder), "~/.claude/projects/~-work");
    }

    #[test]
    fn values_of_secret_names_go_whole_however_often_they_are_quoted() {
        let inner = r#"{"password": "p@ss,w0rd;(9) x"}"#.to_owned();
        let mut text = inner;
        for level in 0..5 {
            assert!(!masked(&text).contains("w0rd"), "{level}: {text}");
            assert!(!masked(&text).contains("(9)"), "{level}: {text}");
            let quoted = serde_json::Value::String(text).to_string();
            text = format!(r#"{{"text":{quoted}}}"#);
        }
        for (text, left) in [
            (r"https:\/\/ada:hunter2@h\/x", r"https:\/\/[masked]@h\/x"),
            ("accessToken=abcdefgh1", "accessToken=[masked]"),
            ("secretKey: 'abcdefgh1'", "secretKey: '[masked]'"),
            ("passphrase = abcdefgh1", "passphrase = [masked]"),
            ("x --token abcdefgh1", "x --token [masked]"),
            (
                r#"["--db-password","abcdefgh1"]"#,
                r#"["--db-password","[masked]"]"#,
            ),
            ("--token TOKENNAME", "--token TOKENNAME"),
            ("--password-file secrets.txt", "--password-file secrets.txt"),
        ] {
            assert_eq!(masked(text), left, "{text}");
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
    fn text_in_utf_16_is_looked_into() {
        let text = "\u{feff}token = abcdefgh1 in /home/ada/x";
        for little in [true, false] {
            let unit = |u: u16| {
                if little {
                    u.to_le_bytes()
                } else {
                    u.to_be_bytes()
                }
            };
            let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
            let masker = Masker::general();
            assert!(masker.finds_credential(&bytes));
            let (masked, counts) = masker.payload(&bytes);
            assert_eq!(counts, [(What::Credential, 1), (What::Home, 1)]);
            let (text, _) = wide(&masked).expect("UTF-16 still");
            assert_eq!(text, "\u{feff}token = [masked] in ~/x");
            assert_eq!(masker.payload(&masked).1, []);
        }
    }

    #[test]
    fn home_folders_and_the_host_go() {
        for (text, left) in [
            ("/home/ada/x.py", "~/x.py"),
            ("in /Users/ada.b/x", "in ~/x"),
            (r#""cwd":"\/home\/ada\/x""#, r#""cwd":"~\/x""#),
            ("C:\\\\Users\\\\ada\\\\x", "~\\\\x"),
            ("file:///home/ada/x", "file://~/x"),
            ("/root/x", "~/x"),
            ("/srv/people/ada/x", "~/x"),
            ("/srv/people/adam/x", "/srv/people/adam/x"),
            ("src/home/page", "src/home/page"),
            ("a/root/b", "a/root/b"),
            ("on forge-7, forge-7.example.net", "on [host], [host]"),
        ] {
            assert_eq!(masked(text), left, "{text}");
        }
    }

    fn raw(content: &str, encoding: Encoding) -> Body {
        Body::Raw(Raw {
            of: RecordId::parse("0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0f").expect("an id"),
            payload: Payload::Envelope,
            name: "out.json".to_owned(),
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
