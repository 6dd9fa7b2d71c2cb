//! What credentials and home paths look like.
//!
//! Formats are those that the issuers document; the rest is `name = value` where the name says
//! that the value is secret. A pattern never matches what stands in place of a match, so that
//! masking twice is masking once.

use regex::bytes::{Captures, Regex};

/// What stands in place of a credential.
pub(super) const MASKED: &[u8] = b"[masked]";

/// One form of credential: of a match that part goes which a group holds.
pub(super) struct Pattern {
    pub(super) regex: Regex,
    /// Whether a value of this text is one.
    pub(super) meant: fn(&[u8]) -> bool,
}

/// Where a word begins, also behind what is an escape in JSON text or colours a terminal: payloads
/// are searched as they came, and there `\n` is a backslash and a letter.
const START: &str = r"(?:\b|\\[nrtbfv0]|\\u[0-9A-Fa-f]{4}|\[[0-9;]*[mK]|%[0-9A-Fa-f]{2})";

/// Issued tokens, by their own form, each from the start of a word.
const ISSUED: [&str; 12] = [
    r"(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"gh[pousr]_[A-Za-z0-9]{36,}",
    r"github_pat_[A-Za-z0-9_]{22,}",
    r"glpat-[A-Za-z0-9_-]{20,}",
    r"sk-[A-Za-z0-9_-]{20,}",
    r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"xox[abeprs]-[A-Za-z0-9-]{10,}",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[A-Za-z0-9_-]{50,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
];

/// A private key in PEM, with its end, or as far as it goes on like one.
const PRIVATE_KEY: &str = r"(-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?-----END [A-Z ]*PRIVATE KEY-----|(?:[A-Za-z0-9+/=\s]|\\+[nr])*))";

/// How names of secret values end.
const NAMES: &str = r"(?i)(?:api[_-]?key|secret|passw(?:or)?d|passphrase|[_-]token|STARTtoken|(?-i:[a-z]Token)|(?:access|private|secret)[_-]?key)";

/// Such a name, then `:` or `=`, quoted or not, then the value: in quotes up
/// to where they end, else one word. Quotes may be escaped, as often as text stands in text.
const NAMED: &str = r#"(?:NAMES)(?i)(?:\\*["'])?\s*(?:=>|[:=])\s*(?:\\*"([^"\\\r\n]{8,})|\\*'([^'\\\r\n]{8,})|([^\s"'\\,;&<>(){}\[\]]{8,}))"#;

/// Options of commands whose value is secret, in a line or in a list of words.
const OPTION: &str = r#"(?i)--(?:[a-z]+-)*(?:api-?key|secret|passw(?:or)?d|passphrase|token)(?:\\*["'])?[\s,]+(?:\\*["'])?([^\s"'\\,;&<>(){}\[\]]{8,})"#;

/// The value of an `Authorization` header.
const BEARER: &str = r"(?i)START(?:bearer|basic)\s+([A-Za-z0-9+/._~-]{16,}=*)";

/// `user:password@` in an address, whose slashes may be escaped.
const USERINFO: &str = r#"START[a-z][a-z0-9+.-]*:(?:\\*/){2}([^/\s:@"'\\\[\]]*:[^/\s@"'\\\[\]]+)@"#;

/// What may stand before a path: no part of another one, nor of a word; an escape, a colour, or
/// an option of a compiler.
const BEFORE: &str = r"(^|[^A-Za-z0-9_.~-]|\\[nrtbfv0]|\\u[0-9A-Fa-f]{4}|\[[0-9;]*[mK]|[^A-Za-z0-9_.~-]-(?:[A-Za-z]|isystem))";

/// Home folders as systems lay them out, also in text whose slashes are escaped.
const HOMES: [&str; 2] = [
    r"(?:(?:\\*/(?:var|export|usr))?\\*/home|(?:(?:\\*/mnt)?\\*/[a-z])?\\*/Users)\\*/[A-Za-z0-9_.][A-Za-z0-9_.@-]*",
    r"[A-Za-z]:(?:\\{1,8}|/)Users(?:\\{1,8}|/)[A-Za-z0-9_.][A-Za-z0-9_.@-]*",
];

/// The home of the one user who has no folder among these, whose name is that of hosts, too.
const ROOT: &str =
    r"(^|file:(?:\\*/){2}|[^A-Za-z0-9_.~/-]|\\[nrtbfv0]|\\u[0-9A-Fa-f]{4}|\[[0-9;]*[mK])\\*/root\b";

/// A pattern of paths, whose group 1 is what stands before.
pub(super) fn path(form: &str) -> String {
    format!("{BEFORE}(?:{form})")
}

/// A pattern of words, whose group 1 is what stands before.
pub(super) fn word(form: &str) -> String {
    format!("({START})(?:{form})")
}

/// Home folders of any machine; group 1 is what stands before.
pub(super) fn homes() -> Vec<Regex> {
    let mut all: Vec<Regex> = HOMES.iter().map(|form| compile(&path(form))).collect();
    all.push(compile(ROOT));
    all
}

/// Names whose value is secret.
pub(super) fn secret_name() -> Regex {
    compile(&format!("(?:{NAMES})$"))
}

/// All forms of credentials.
pub(super) fn credentials() -> Vec<Pattern> {
    let always: fn(&[u8]) -> bool = |_| true;
    let mut all = Vec::new();
    for form in ISSUED {
        let prose = form.contains("sk-");
        let meant = if prose { has_digit } else { always };
        all.push(pattern(&format!("{START}({form})"), meant));
    }
    all.push(pattern(PRIVATE_KEY, always));
    all.push(pattern(USERINFO, always));
    all.push(pattern(BEARER, has_digit));
    all.push(pattern(NAMED, is_secret));
    all.push(pattern(OPTION, has_digit));
    all
}

fn pattern(form: &str, meant: fn(&[u8]) -> bool) -> Pattern {
    Pattern {
        regex: compile(form),
        meant,
    }
}

/// A pattern of this file's, on bytes.
pub(super) fn compile(form: &str) -> Regex {
    let form = form.replace("NAMES", NAMES).replace("START", START);
    Regex::new(&form).expect("patterns of the program are well formed")
}

/// A word of prose has no digit; hardly any issued token has none.
fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// A count is no secret, nor is a name of a variable that holds one, nor what is masked.
pub(super) fn is_secret(value: &[u8]) -> bool {
    value != MASKED
        && !value.iter().all(|b| b.is_ascii_digit() || *b == b'.')
        && !value.starts_with(b"$")
}

impl Pattern {
    /// What of `found` goes, where it is meant.
    pub(super) fn part<'h>(&self, found: &Captures<'h>) -> Option<regex::bytes::Match<'h>> {
        let part = found.iter().skip(1).flatten().next();
        part.filter(|m| (self.meant)(m.as_bytes()))
    }
}
