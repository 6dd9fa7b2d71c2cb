//! What credentials and home paths look like.
//!
//! Formats are those that the issuers document; the rest is `name = value` where the name says
//! that the value is secret. A pattern never matches what stands in place of a match, so that
//! masking twice is masking once.

use regex::bytes::{Captures, Regex};

/// What stands in place of a credential.
pub(super) const MASKED: &[u8] = b"[masked]";

/// One form of credential: the part of a match that goes, and which matches are meant.
pub(super) struct Pattern {
    pub(super) regex: Regex,
    /// The capture group that is replaced; 0 for the whole match.
    pub(super) group: usize,
    /// Whether a value of this text is one.
    pub(super) meant: fn(&[u8]) -> bool,
}

/// Issued tokens, by their own form.
const ISSUED: [&str; 13] = [
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\bgh[pousr]_[A-Za-z0-9]{36,}",
    r"\bgithub_pat_[A-Za-z0-9_]{22,}",
    r"\bglpat-[A-Za-z0-9_-]{20,}",
    r"\bsk-[A-Za-z0-9_-]{20,}",
    r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"\bAIza[A-Za-z0-9_-]{35}",
    r"\bxox[abeprs]-[A-Za-z0-9-]{10,}",
    r"\bnpm_[A-Za-z0-9]{36}",
    r"\bpypi-[A-Za-z0-9_-]{50,}",
    r"\bhf_[A-Za-z0-9]{30,}",
    r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    // With its end, or as far as it goes on like one.
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?-----END [A-Z ]*PRIVATE KEY-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*)",
];

/// Names of values that are secret, then `:` or `=`, quoted or not, then the value.
const NAMED: &str = r#"(?i)(?:api[_-]?key|secret|passw(?:or)?d|[_-]token|\btoken|access[_-]?key|private[_-]?key)(?:\\?["'])?\s*(?:=>|[:=])\s*(?:\\?["'])?([^\s"'\\,;&<>(){}\[\]]{8,})"#;

/// The value of an `Authorization` header.
const BEARER: &str = r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9+/._~-]{16,}=*)";

/// `user:password@` in an address.
const USERINFO: &str = r#"\b[a-z][a-z0-9+.-]*://([^/\s:@"'\\\[\]]*:[^/\s@"'\\\[\]]+)@"#;

/// Home folders as systems lay them out, also in text whose slashes are escaped. Group 1 is what
/// stands before.
pub(super) const HOMES: [&str; 3] = [
    r"(^|[^A-Za-z0-9_.~-])(?:\\?/(?:var\\?/)?home|\\?/Users)\\?/[A-Za-z0-9_.][A-Za-z0-9_.@-]*",
    r"(^|[^A-Za-z0-9_.~/-])\\?/root\b",
    r"(^|[^A-Za-z0-9_])[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/)[A-Za-z0-9_.][A-Za-z0-9_.@-]*",
];

/// All forms of credentials.
pub(super) fn credentials() -> Vec<Pattern> {
    let always: fn(&[u8]) -> bool = |_| true;
    let mut all: Vec<Pattern> = ISSUED
        .iter()
        .map(|form| {
            pattern(
                form,
                0,
                if form.contains("sk-") {
                    has_digit
                } else {
                    always
                },
            )
        })
        .collect();
    all.push(pattern(USERINFO, 1, always));
    all.push(pattern(BEARER, 1, has_digit));
    all.push(pattern(NAMED, 1, is_secret));
    all
}

fn pattern(form: &str, group: usize, meant: fn(&[u8]) -> bool) -> Pattern {
    Pattern {
        regex: compile(form),
        group,
        meant,
    }
}

/// A pattern of this file's, on bytes.
pub(super) fn compile(form: &str) -> Regex {
    Regex::new(form).expect("patterns of the program are well formed")
}

/// A word of prose has no digit; hardly any issued token has none.
fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// A count is no secret, nor is a name of a variable that holds one.
fn is_secret(value: &[u8]) -> bool {
    !value.iter().all(|b| b.is_ascii_digit() || *b == b'.') && !value.starts_with(b"$")
}

impl Pattern {
    /// What of `found` goes, where it is meant.
    pub(super) fn part<'h>(&self, found: &Captures<'h>) -> Option<regex::bytes::Match<'h>> {
        found.get(self.group).filter(|m| (self.meant)(m.as_bytes()))
    }
}
