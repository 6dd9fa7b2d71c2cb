//! What stands between the text and the XML reader, which keeps every piece of text, comment,
//! section and tag whole in memory: long ones are cut into pieces that mean the same, comments
//! and processing instructions are left out, a document type is left out or refused, and what is
//! larger than any report needs is refused before it is kept.

use std::io::{self, BufRead, Read};

use super::decode::Decode;
use super::{ATTRIBUTE_MAX, XmlError};

/// Text beyond this is cut.
const PIECE: usize = 32 << 10;
/// A tag, its attributes included.
const TAG_MAX: usize = 4 << 20;
/// A longer reference is none.
const REFERENCE_MAX: usize = 64;
/// Means nothing, and parts two pieces of text.
const PART: &[u8] = b"<!---->";

#[derive(Debug, Clone, Copy)]
enum State {
    /// Since the last part `run` bytes; `reference` after an ampersand.
    Text {
        run: usize,
        reference: Option<usize>,
    },
    /// After `<`.
    Opening,
    /// After `<!` and so many bytes of what follows.
    Bang {
        seen: [u8; 8],
        length: usize,
    },
    Comment {
        dashes: u8,
    },
    Section {
        run: usize,
        brackets: u8,
    },
    DocType {
        quote: Option<u8>,
    },
    Instruction {
        question: bool,
    },
    Tag {
        closing: bool,
        quote: Option<u8>,
        value: usize,
        length: usize,
    },
}

const TEXT: State = State::Text {
    run: 0,
    reference: None,
};

/// The text to read, cut to pieces.
pub(super) struct Chop<'s> {
    pub(super) from: Decode<'s>,
    text: String,
    out: Vec<u8>,
    at: usize,
    state: State,
    more: bool,
    /// Why it is not read on.
    pub(super) refused: Option<XmlError>,
}

impl<'s> Chop<'s> {
    pub(super) fn new(from: Decode<'s>) -> Self {
        Chop {
            from,
            text: String::new(),
            out: Vec::new(),
            at: 0,
            state: TEXT,
            more: true,
            refused: None,
        }
    }

    /// Whether the text ends inside of a comment, a tag or the like.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.state, State::Text { .. })
    }

    fn refuse(&mut self, why: XmlError) {
        if self.refused.is_none() {
            self.refused = Some(why);
        }
    }

    fn malformed(&mut self, what: &str) {
        self.refuse(XmlError::Malformed(what.to_owned()));
    }

    /// Takes all of `bytes`.
    fn take(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() && self.refused.is_none() {
            at += match self.state {
                State::Text { run, reference } => self.text(&bytes[at..], run, reference),
                State::Section { run, brackets } => self.section(&bytes[at..], run, brackets),
                State::Tag {
                    closing,
                    quote: None,
                    length,
                    ..
                } => self.tag(&bytes[at..], closing, length),
                State::Tag {
                    closing,
                    quote: Some(quote),
                    value,
                    length,
                } => self.value(&bytes[at..], closing, quote, value, length),
                State::Comment { dashes: 0 } => {
                    // Nothing of a comment is kept: on to where its end may begin.
                    let dash = bytes[at..].iter().position(|b| *b == b'-');
                    if let Some(dash) = dash {
                        self.state = State::Comment { dashes: 1 };
                        dash + 1
                    } else {
                        bytes.len() - at
                    }
                }
                _ => {
                    self.byte(bytes[at]);
                    1
                }
            };
        }
    }

    fn text(&mut self, bytes: &[u8], run: usize, reference: Option<usize>) -> usize {
        let stop = |b: &u8| *b == b'<' || *b == b'&' || (reference.is_some() && *b == b';');
        let length = bytes.iter().position(stop).unwrap_or(bytes.len());
        let mut reference = reference.map(|seen| seen + length);
        let mut run = run;
        if run > PIECE && reference.is_none() || reference.is_some_and(|seen| seen > REFERENCE_MAX)
        {
            self.out.extend_from_slice(PART);
            (run, reference) = (0, None);
        }
        self.out.extend_from_slice(&bytes[..length]);
        run += length;
        let Some(stop) = bytes.get(length) else {
            self.state = State::Text { run, reference };
            return length;
        };
        self.state = match stop {
            b'<' => State::Opening,
            _ => {
                self.out.push(*stop);
                State::Text {
                    run: run + 1,
                    reference: (*stop == b'&').then_some(0),
                }
            }
        };
        length + 1
    }

    /// A bracket waits until it is clear that it does not end the section: only so can the section
    /// be cut anywhere.
    fn section(&mut self, bytes: &[u8], run: usize, brackets: u8) -> usize {
        if run > PIECE {
            self.out.extend_from_slice(b"]]><![CDATA[");
            self.state = State::Section { run: 0, brackets };
            return 0;
        }
        match (bytes[0], brackets) {
            (b']', 2) => self.out.push(b']'),
            (b']', _) => {
                self.state = State::Section {
                    run,
                    brackets: brackets + 1,
                };
                return 1;
            }
            (b'>', 2) => {
                self.out.extend_from_slice(b"]]>");
                self.state = TEXT;
                return 1;
            }
            _ => {
                self.out
                    .extend_from_slice(&b"]]"[..usize::from(brackets.min(2))]);
                let length = bytes.iter().position(|b| *b == b']');
                let length = length.unwrap_or(bytes.len());
                self.out.extend_from_slice(&bytes[..length]);
                self.state = State::Section {
                    run: run + length + 2,
                    brackets: 0,
                };
                return length;
            }
        }
        self.state = State::Section {
            run: run + 1,
            brackets: 2,
        };
        1
    }

    fn tag(&mut self, bytes: &[u8], closing: bool, length: usize) -> usize {
        let stop = |b: &u8| matches!(b, b'>' | b'<' | b'"' | b'\'');
        let used = bytes.iter().position(stop).unwrap_or(bytes.len());
        self.out.extend_from_slice(&bytes[..used]);
        let length = length + used + 1;
        if length > TAG_MAX {
            self.refuse(XmlError::TooLarge("a tag"));
        }
        let Some(stop) = bytes.get(used) else {
            self.state = State::Tag {
                closing,
                quote: None,
                value: 0,
                length,
            };
            return used;
        };
        self.out.push(*stop);
        match stop {
            b'>' => self.state = TEXT,
            b'<' => self.malformed("a tag inside of a tag"),
            _ if closing => self.malformed("a closing tag with a quotation mark"),
            quote => {
                self.state = State::Tag {
                    closing,
                    quote: Some(*quote),
                    value: 0,
                    length,
                }
            }
        }
        used + 1
    }

    fn value(
        &mut self,
        bytes: &[u8],
        closing: bool,
        quote: u8,
        value: usize,
        length: usize,
    ) -> usize {
        let end = bytes.iter().position(|b| *b == quote);
        let used = end.map_or(bytes.len(), |end| end + 1);
        let (value, length) = (value + used, length + used);
        if value > ATTRIBUTE_MAX + 1 {
            self.refuse(XmlError::TooLarge("an attribute"));
        } else if length > TAG_MAX {
            self.refuse(XmlError::TooLarge("a tag"));
        }
        self.out.extend_from_slice(&bytes[..used]);
        self.state = State::Tag {
            closing,
            quote: if end.is_some() { None } else { Some(quote) },
            value,
            length,
        };
        used
    }

    fn byte(&mut self, byte: u8) {
        self.state = match self.state {
            State::Opening => match byte {
                b'!' => State::Bang {
                    seen: [0; 8],
                    length: 0,
                },
                b'?' => State::Instruction { question: false },
                b'/' | b'_' | b':' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                    self.out.extend_from_slice(&[b'<', byte]);
                    State::Tag {
                        closing: byte == b'/',
                        quote: None,
                        value: 0,
                        length: 1,
                    }
                }
                _ => return self.malformed("an angle bracket that opens nothing"),
            },
            State::Bang { seen, length } => return self.bang(byte, seen, length),
            State::Comment { dashes } => match (byte, dashes) {
                (b'>', 2..) => self.part(),
                (b'-', _) => State::Comment {
                    dashes: (dashes + 1).min(2),
                },
                _ => State::Comment { dashes: 0 },
            },
            State::Instruction { question } => match byte {
                b'>' if question => self.part(),
                _ => State::Instruction {
                    question: byte == b'?',
                },
            },
            State::DocType { quote: Some(quote) } => State::DocType {
                quote: (byte != quote).then_some(quote),
            },
            State::DocType { quote: None } => match byte {
                b'[' => return self.refuse(XmlError::DtdRefused),
                b'<' => return self.malformed("a tag inside of a document type"),
                b'>' => self.part(),
                _ => State::DocType {
                    quote: matches!(byte, b'"' | b'\'').then_some(byte),
                },
            },
            other => other,
        };
    }

    /// Which kind of markup begins with `<!`.
    fn bang(&mut self, byte: u8, mut seen: [u8; 8], length: usize) {
        seen[length] = byte.to_ascii_uppercase();
        let so_far = &seen[..=length];
        let begins = |word: &[u8]| word.starts_with(so_far);
        self.state = match so_far {
            b"--" => State::Comment { dashes: 0 },
            b"[CDATA[" => {
                self.out.extend_from_slice(b"<![CDATA[");
                State::Section {
                    run: 0,
                    brackets: 0,
                }
            }
            b"DOCTYPE" => State::DocType { quote: None },
            b"ENTITY" | b"ELEMENT" | b"ATTLIST" | b"NOTATION" => {
                return self.refuse(XmlError::DtdRefused);
            }
            _ if begins(b"--")
                || begins(b"[CDATA[")
                || begins(b"DOCTYPE")
                || begins(b"ENTITY")
                || begins(b"ELEMENT")
                || begins(b"ATTLIST")
                || begins(b"NOTATION") =>
            {
                State::Bang {
                    seen,
                    length: length + 1,
                }
            }
            _ => return self.malformed("markup of no known kind"),
        };
    }

    fn part(&mut self) -> State {
        self.out.extend_from_slice(PART);
        TEXT
    }
}

impl Read for Chop<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let length = ready.len().min(buffer.len());
        buffer[..length].copy_from_slice(&ready[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Chop<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.out.len() && self.more && self.refused.is_none() {
            self.out.clear();
            self.at = 0;
            let mut text = std::mem::take(&mut self.text);
            text.clear();
            self.more = self.from.fill(&mut text)?;
            self.take(text.as_bytes());
            self.text = text;
        }
        if self.at == self.out.len() && self.refused.is_some() {
            return Err(io::Error::other("not read on"));
        }
        Ok(&self.out[self.at..])
    }

    fn consume(&mut self, length: usize) {
        self.at += length;
    }
}
