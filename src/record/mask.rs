//! Masks: what must not leave the machine goes before a line is written.
//!
//! Credentials become `[masked]`, home folders `~`, this machine's name `[host]`, and the record
//! says where. [`Masker::general`] knows no machine: it gives the same everywhere, which is why
//! lines of others can pass it on every merge and two copies of a record stay one.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::patterns::{self, MASKED, Pattern};

mod lines;

pub use lines::general;
pub(super) use lines::object;

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

/// SHA-256 of `bytes`, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// `bytes` in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
