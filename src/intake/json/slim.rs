//! One JSON value, byte by byte, with its long texts cut short and its size bounded.

/// Arrays under these keys are never read and may be most of a file: a trajectory that repeats
/// with each step all that was asked so far.
const UNREAD: [&[u8]; 1] = [b"\"query\":"];

/// Texts under these keys are JSON themselves; they are kept up to [`INNER_MAX`].
const INNER: [&[u8]; 1] = [b"\"replay_config\":"];

/// Bytes of a text that is JSON itself.
const INNER_MAX: usize = 64 << 10;

/// What is kept of one value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Bytes of one text, as written.
    pub(super) text: usize,
    /// Bytes of all.
    pub(super) bytes: usize,
    /// Values in it, and keys.
    pub(super) values: usize,
}

/// A value that is being taken in.
#[derive(Debug)]
pub(super) struct Slim {
    limits: Limits,
    kept: Vec<u8>,
    values: usize,
    depth: usize,
    text: Option<Text>,
    /// Within an array that is not kept: how deep it lies.
    unread: Option<usize>,
    over: bool,
}

/// Where in a text it is.
#[derive(Debug, Clone, Copy, Default)]
struct Text {
    length: usize,
    /// Bytes of an escape that are still to come; of `\u` the digits, too.
    escape: u8,
    /// The first two digits of a `\u`, and how many are known.
    digits: (u8, u8),
    /// The last character was the first half of a surrogate pair.
    half: bool,
    cut: bool,
    /// It is JSON itself.
    inner: bool,
}

impl Slim {
    pub(super) fn new(limits: Limits) -> Slim {
        Slim {
            limits,
            kept: Vec::new(),
            values: 0,
            depth: 0,
            text: None,
            unread: None,
            over: false,
        }
    }

    /// Forgets the value.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        // One large value does not keep its room for all small ones.
        self.kept.shrink_to(256 << 10);
        (self.values, self.depth) = (0, 0);
        (self.text, self.unread, self.over) = (None, None, false);
    }

    /// Whether a value has begun and not ended.
    pub(super) fn is_within(&self) -> bool {
        self.depth > 0 || self.text.is_some()
    }

    /// Whether it is larger than is kept; then `kept` has only its beginning.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// The value, as far as it went.
    pub(super) fn kept(&self) -> &[u8] {
        &self.kept
    }

    /// Takes the next byte; whether the value goes on after it.
    pub(super) fn push(&mut self, byte: u8) -> bool {
        if let Some(text) = &mut self.text {
            let limit = match text.inner {
                true => INNER_MAX,
                false => self.limits.text,
            };
            let (ends, kept) = text.push(byte, limit);
            if ends {
                self.text = None;
            }
            if kept {
                self.keep(byte);
            }
            return self.is_within();
        }
        match byte {
            b'"' => {
                self.text = Some(Text {
                    inner: self.is_under(&INNER),
                    ..Text::default()
                });
            }
            b'{' | b'[' => {
                if byte == b'[' && self.unread.is_none() && self.is_under(&UNREAD) {
                    b"null".iter().for_each(|byte| self.keep(*byte));
                    self.unread = Some(self.depth);
                }
                self.depth += 1;
                self.count();
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.unread == Some(self.depth) {
                    self.unread = None;
                    return self.is_within();
                }
            }
            b',' | b':' => self.count(),
            b' ' | b'\t' | b'\r' | b'\n' => return self.is_within(),
            _ => {}
        }
        self.keep(byte);
        self.is_within()
    }

    /// Whether what begins is the value of one of the keys.
    fn is_under(&self, keys: &[&[u8]]) -> bool {
        keys.iter().any(|key| self.kept.ends_with(key))
    }

    fn count(&mut self) {
        self.values += usize::from(self.unread.is_none());
        self.over |= self.values > self.limits.values;
    }

    fn keep(&mut self, byte: u8) {
        if self.unread.is_some() {
            return;
        }
        if self.kept.len() >= self.limits.bytes {
            self.over = true;
        }
        if !self.over {
            self.kept.push(byte);
        }
    }
}

impl Text {
    /// Whether `byte` ends the text, and whether it is kept.
    fn push(&mut self, byte: u8, limit: usize) -> (bool, bool) {
        if self.escape > 0 {
            self.escape -= 1;
            if self.escape == 0 && self.digits.1 == 255 {
                // The letter after the backslash.
                self.digits = (0, 0);
                if byte == b'u' {
                    self.escape = 4;
                }
            } else if self.digits.1 < 2 {
                let digit = (byte as char).to_digit(16).unwrap_or(0) as u8;
                self.digits = (self.digits.0 << 4 | digit, self.digits.1 + 1);
            }
            if self.escape == 0 {
                self.half = self.digits.1 == 2 && (0xD8..0xDC).contains(&self.digits.0);
            }
        } else if byte == b'"' {
            return (true, true);
        } else {
            // Cut only where a character begins that is no second half.
            let begins = byte < 0x80 || byte >= 0xC0;
            if self.length >= limit && begins && !self.half {
                self.cut = true;
            }
            if byte == b'\\' {
                self.escape = 1;
                self.digits = (0, 255);
            } else {
                self.half = false;
            }
        }
        self.length += 1;
        (false, !self.cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slim(text: &str, limit: usize) -> String {
        let mut slim = Slim::new(Limits {
            text: limit,
            bytes: 1000,
            values: 100,
        });
        for (i, byte) in text.bytes().enumerate() {
            let goes_on = slim.push(byte);
            assert_eq!(goes_on, i + 1 < text.len(), "at {i} of {text}");
        }
        assert!(!slim.is_over());
        String::from_utf8(slim.kept().to_vec()).expect("UTF-8")
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(
            slim(r#"{"ab":"abcdef", "c": [1]}"#, 3),
            r#"{"ab":"abc","c":[1]}"#
        );
        assert_eq!(slim(r#"["ééé"]"#, 3), r#"["éé"]"#);
        assert_eq!(slim(r#"["a\"b\\"]"#, 2), r#"["a\""]"#);
        assert_eq!(slim(r#"["\ud83d\ude00\u00e9x"]"#, 1), r#"["\ud83d\ude00"]"#);
        assert_eq!(slim(r#"["\u00e9\u00e9"]"#, 6), r#"["\u00e9"]"#);
    }

    #[test]
    fn what_nothing_reads_is_left_out_and_what_is_json_itself_is_kept() {
        let text = r#"{"a":[1],"query": [{"query":["]}"]},[2]],"b":{"query":[]},"query":"c"}"#;
        assert_eq!(
            slim(text, 15),
            r#"{"a":[1],"query":null,"b":{"query":null},"query":"c"}"#
        );
        assert_eq!(
            slim(
                r#"{"replay_config":"0123456789abcdefg","c":"0123456789abcdefg"}"#,
                15
            ),
            r#"{"replay_config":"0123456789abcdefg","c":"0123456789abcde"}"#
        );
        let text = r#"["\"query\":",[1]]"#;
        assert_eq!(slim(text, 15), text, "it is no key");
    }

    #[test]
    fn every_cut_of_every_text_is_still_json() {
        let text = r#"{"k":"aé\n\u00e9\ud83d\ude00😀\\\"\u0000z","l":["x]},:"]}"#;
        for limit in 0..40 {
            let cut = slim(text, limit);
            let value = serde_json::from_str::<serde_json::Value>(&cut);
            assert!(value.is_ok(), "{limit}: {cut}");
        }
    }
}
