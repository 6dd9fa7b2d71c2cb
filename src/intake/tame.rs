//! JSON as Python and others write it, made such that a strict parser reads it in bounded memory: long texts
//! are cut, halves of surrogate pairs replaced, `NaN` and numbers out of range become `null`.

use std::io::{self, BufRead, BufReader, Read};

/// A longer text is cut.
const TEXT_MAX: usize = 64 << 10;
/// Values inside of each other.
const DEPTH_MAX: usize = 512;
/// A longer number or word is none.
const WORD_MAX: usize = 64;

/// The text of a source, tamed.
pub(super) struct Tame<R> {
    from: BufReader<R>,
    out: Vec<u8>,
    given: usize,
    state: State,
    depth: usize,
    ended: bool,
}

#[derive(Default)]
enum State {
    #[default]
    Between,
    /// A number or a word, so far.
    Word(Vec<u8>),
    /// In a text of so many bytes.
    Text(Text),
}

#[derive(Default)]
struct Text {
    length: usize,
    /// An escape, so far: `\`, `\u`, `\uD8`.
    escape: Vec<u8>,
    /// The first half of a surrogate pair.
    half: Option<[u8; 4]>,
}

impl<R: Read> Tame<R> {
    pub(super) fn new(from: BufReader<R>) -> Self {
        Tame {
            from,
            out: Vec::new(),
            given: 0,
            state: State::Between,
            depth: 0,
            ended: false,
        }
    }

    fn take(&mut self, byte: u8) -> io::Result<()> {
        match &mut self.state {
            State::Text(text) => {
                if text.take(byte, &mut self.out) {
                    self.state = State::Between;
                }
                return Ok(());
            }
            State::Word(word) if is_word(byte) => {
                if word.len() <= WORD_MAX {
                    word.push(byte);
                }
                return Ok(());
            }
            State::Word(word) => {
                said(word, &mut self.out);
                self.state = State::Between;
            }
            State::Between => {}
        }
        match byte {
            b'"' => {
                self.out.push(byte);
                self.state = State::Text(Text::default());
            }
            b'{' | b'[' => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    let why = "values are too deep inside of each other";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, why));
                }
                self.out.push(byte);
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.out.push(byte);
            }
            byte if is_word(byte) => self.state = State::Word(vec![byte]),
            byte => self.out.push(byte),
        }
        Ok(())
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Writes a number or a word, or `null` for what has no number.
fn said(word: &[u8], out: &mut Vec<u8>) {
    let text = std::str::from_utf8(word).unwrap_or_default();
    let number = word.iter().any(u8::is_ascii_digit);
    let none = match text {
        "NaN" | "Infinity" | "-Infinity" => true,
        _ if word.len() > WORD_MAX => number,
        _ => number && text.parse::<f64>().is_ok_and(|n| !n.is_finite()),
    };
    out.extend_from_slice(if none { b"null" } else { word });
}

impl Text {
    /// Takes what comes before the next quotation mark or escape; how much that is.
    fn plain(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let end = bytes.iter().position(|b| matches!(b, b'"' | b'\\'));
        let plain = &bytes[..end.unwrap_or(bytes.len())];
        if plain.is_empty() || !self.escape.is_empty() || self.half.is_some() {
            return None;
        }
        let room = TEXT_MAX.saturating_sub(self.length);
        if plain.len() < room {
            out.extend_from_slice(plain);
            self.length += plain.len();
        } else if self.length <= TEXT_MAX {
            // Cut between characters; one that began before ends here.
            let inner = |b: &u8| b & 0xC0 == 0x80;
            let begun = plain.iter().take_while(|b| inner(b)).count();
            let mut end = room;
            while end > begun && plain.get(end).is_some_and(inner) {
                end -= 1;
            }
            out.extend_from_slice(&plain[..end.max(begun)]);
            self.length = TEXT_MAX + 1;
        }
        Some(plain.len())
    }

    /// Takes a byte; whether the text ends with it.
    fn take(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        if self.escape.is_empty() {
            match byte {
                b'"' => {
                    self.lone(out);
                    out.push(byte);
                    return true;
                }
                b'\\' => self.escape.push(byte),
                byte => {
                    self.lone(out);
                    // Cut between characters only.
                    let inner = byte & 0xC0 == 0x80;
                    if self.length < TEXT_MAX || (inner && self.length == TEXT_MAX) {
                        out.push(byte);
                        self.length += usize::from(!inner || self.length + 1 < TEXT_MAX);
                    } else {
                        self.length = TEXT_MAX + 1;
                    }
                }
            }
            return false;
        }
        self.escape.push(byte);
        let hex = self.escape.get(1) == Some(&b'u');
        if hex && self.escape.len() < 6 && (self.escape.len() == 2 || byte.is_ascii_hexdigit()) {
            return false;
        }
        let escape = std::mem::take(&mut self.escape);
        match <[u8; 6]>::try_from(escape.as_slice()) {
            Ok([_, _, digits @ ..]) if hex && byte.is_ascii_hexdigit() => {
                let digits: [u8; 4] = digits;
                let pair = digits[0].eq_ignore_ascii_case(&b'd');
                match (digits[1].to_ascii_lowercase(), self.half) {
                    (b'8'..=b'9' | b'a'..=b'b', _) if pair => {
                        self.lone(out);
                        self.half = Some(digits);
                    }
                    (b'c'..=b'f', Some(first)) if pair => {
                        self.half = None;
                        self.write(&[b"\\u", first.as_slice(), b"\\u", &digits].concat(), out);
                    }
                    (b'c'..=b'f', None) if pair => self.write(b"\\ufffd", out),
                    _ => {
                        self.lone(out);
                        self.write(&escape, out);
                    }
                }
            }
            _ => {
                self.lone(out);
                self.write(&escape, out);
            }
        }
        false
    }

    /// A first half without a second.
    fn lone(&mut self, out: &mut Vec<u8>) {
        if self.half.take().is_some() {
            self.write(b"\\ufffd", out);
        }
    }

    fn write(&mut self, whole: &[u8], out: &mut Vec<u8>) {
        if self.length < TEXT_MAX {
            out.extend_from_slice(whole);
            self.length += 1;
        }
    }
}

impl<R: Read> Read for Tame<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.out.len() && !self.ended {
            self.out.clear();
            self.given = 0;
            let bytes = self.from.fill_buf()?.to_vec();
            self.from.consume(bytes.len());
            if bytes.is_empty() {
                self.ended = true;
                if let State::Word(word) = std::mem::take(&mut self.state) {
                    said(&word, &mut self.out);
                }
            }
            let mut left = bytes.as_slice();
            while let Some((byte, rest)) = left.split_first() {
                // Most of a report are texts: their plain parts are taken whole.
                if let State::Text(text) = &mut self.state
                    && let Some(taken) = text.plain(left, &mut self.out)
                {
                    left = &left[taken..];
                } else {
                    self.take(*byte)?;
                    left = rest;
                }
            }
        }
        let left = &self.out[self.given..];
        let given = left.len().min(into.len());
        into[..given].copy_from_slice(&left[..given]);
        self.given += given;
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tamed(text: &str) -> String {
        let mut out = String::new();
        let mut tame = Tame::new(BufReader::with_capacity(3, text.as_bytes()));
        tame.read_to_string(&mut out).expect("readable");
        out
    }

    #[test]
    fn what_python_writes_beyond_json_becomes_json() {
        for (text, expected) in [
            (
                "[NaN, -Infinity, Infinity,1e999,-1e999]",
                "[null, null, null,null,null]",
            ),
            (
                "[1e5,-0.5,true,null,\"NaN 1e999\"]",
                "[1e5,-0.5,true,null,\"NaN 1e999\"]",
            ),
            (r#""a\udcffb""#, r#""a\ufffdb""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ud83d\n""#, r#""\ufffd\n""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (
                r#""\ud83d\ude00 \u00e9 \\u \" \\""#,
                r#""\ud83d\ude00 \u00e9 \\u \" \\""#,
            ),
            ("1e999", "null"),
        ] {
            assert_eq!(tamed(text), expected);
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        for filling in ["x", "é", "\u{1f600}", r"\n", r"\ud83d\ude00"] {
            let text = format!("[\"{}\", 1]", filling.repeat(100_000));
            let out = tamed(&text);
            assert!(out.len() < 800_000, "{filling}: {}", out.len());
            let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
            assert_eq!(value[1], 1, "{filling}");
            let kept = value[0].as_str().expect("a text").chars().count();
            assert!((16_000..=TEXT_MAX).contains(&kept), "{filling}: {kept}");
        }
    }

    #[test]
    fn what_is_too_deep_is_refused() {
        let deep = "[".repeat(DEPTH_MAX + 1);
        let mut tame = Tame::new(BufReader::new(deep.as_bytes()));
        assert!(tame.read_to_end(&mut Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn json_stays_as_it_is(text in "[ -~éß\u{1f600}\\n]{0,40}", number in -1e6f64..1e6) {
            let value = serde_json::json!({"a": [text.clone(), number, null], text: true});
            let plain = value.to_string();
            prop_assert_eq!(tamed(&plain), plain);
        }
    }
}
