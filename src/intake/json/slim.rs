//! One JSON value, byte by byte, with its long texts cut short and its size bounded.

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
}

impl Slim {
    pub(super) fn new(limits: Limits) -> Slim {
        Slim {
            limits,
            kept: Vec::new(),
            values: 0,
            depth: 0,
            text: None,
            over: false,
        }
    }

    /// Forgets the value.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        // One large value does not keep its room for all small ones.
        self.kept.shrink_to(256 << 10);
        (self.values, self.depth) = (0, 0);
        (self.text, self.over) = (None, false);
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
            let (ends, kept) = text.push(byte, self.limits.text);
            if ends {
                self.text = None;
            }
            if kept {
                self.keep(byte);
            }
            return self.is_within();
        }
        match byte {
            b'"' => self.text = Some(Text::default()),
            b'{' | b'[' => {
                self.depth += 1;
                self.values += 1;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b',' | b':' => self.values += 1,
            b' ' | b'\t' | b'\r' | b'\n' => return self.is_within(),
            _ => {}
        }
        self.over |= self.values > self.limits.values;
        self.keep(byte);
        self.is_within()
    }

    fn keep(&mut self, byte: u8) {
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
    fn every_cut_of_every_text_is_still_json() {
        let text = r#"{"k":"aé\n\u00e9\ud83d\ude00😀\\\"\u0000z","l":["x]},:"]}"#;
        for limit in 0..40 {
            let cut = slim(text, limit);
            let value = serde_json::from_str::<serde_json::Value>(&cut);
            assert!(value.is_ok(), "{limit}: {cut}");
        }
    }
}
