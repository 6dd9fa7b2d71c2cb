//! Bytes of any encoding, as text that holds only characters XML allows.
//!
//! A byte order mark decides, then the declaration, else it is UTF-8. What says it is UTF-8 and is
//! not was written by a tool that forgot its platform's encoding: windows-1252. Where most of what
//! is not ASCII is good UTF-8, only the bytes that are not are read so: program output in a report
//! must not change the names of tests.

use std::io::{self, Read, SeekFrom};
use std::str::from_utf8;

use encoding_rs::{Decoder, Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::record::Source;

const CHUNK: usize = 64 << 10;
/// Room for a declaration.
const HEAD: usize = 1024;

/// Decodes a source piece by piece.
pub(super) struct Decode<'s> {
    source: &'s mut dyn Source,
    how: How,
    raw: Vec<u8>,
    /// Bytes of `raw` that wait for those after them.
    kept: usize,
    /// Not in the encoding it should be in.
    pub(super) fallback: bool,
    /// Characters that XML forbids were replaced.
    pub(super) marred: bool,
}

enum How {
    Utf8,
    Utf32 { big: bool },
    Other(Decoder),
}

impl<'s> Decode<'s> {
    /// Finds the encoding; the source is read from its beginning.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn new(source: &'s mut dyn Source) -> io::Result<Self> {
        source.seek(SeekFrom::Start(0))?;
        let mut head = Vec::with_capacity(HEAD);
        Read::take(&mut *source, HEAD as u64).read_to_end(&mut head)?;
        let (marked, skip) = by_mark(&head);
        let mut fallback = false;
        let how = match marked {
            Some(how) => how,
            None => match declared(&head) {
                Some(label) => match named(&label) {
                    Some(how) => how,
                    None => {
                        fallback = true;
                        How::Utf8
                    }
                },
                None => How::Utf8,
            },
        };
        let how = match how {
            How::Utf8 => {
                let (good, bad) = weigh(source)?;
                fallback |= bad > 0;
                if bad > good {
                    How::Other(WINDOWS_1252.new_decoder_without_bom_handling())
                } else {
                    How::Utf8
                }
            }
            other => other,
        };
        source.seek(SeekFrom::Start(skip))?;
        Ok(Decode {
            source,
            how,
            raw: vec![0; CHUNK],
            kept: 0,
            fallback,
            marred: false,
        })
    }

    /// Appends the next piece to `into`; whether there may be more.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn fill(&mut self, into: &mut String) -> io::Result<bool> {
        let read = loop {
            match self.source.read(&mut self.raw[self.kept..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        let last = read == 0;
        let length = self.kept + read;
        let marred = &mut self.marred;
        let used = match &mut self.how {
            How::Utf8 => utf8(&self.raw[..length], last, into, marred),
            How::Utf32 { big } => utf32(&self.raw[..length], *big, last, into, marred),
            How::Other(decoder) => {
                let raw = &self.raw[..length];
                let room = decoder.max_utf8_buffer_length(raw.len());
                let mut text = String::with_capacity(room.unwrap_or(4 * CHUNK));
                let (_, used, errors) = decoder.decode_to_string(raw, &mut text, last);
                *marred |= errors;
                allow(&text, into, marred);
                used
            }
        };
        self.raw.copy_within(used..length, 0);
        self.kept = length - used;
        Ok(!last)
    }
}

/// The encoding its first bytes show, and how many of them are a mark.
fn by_mark(head: &[u8]) -> (Option<How>, u64) {
    let utf16 =
        |encoding: &'static Encoding| Some(How::Other(encoding.new_decoder_without_bom_handling()));
    match head {
        [0, 0, 0xFE, 0xFF, ..] => (Some(How::Utf32 { big: true }), 4),
        [0xFF, 0xFE, 0, 0, ..] => (Some(How::Utf32 { big: false }), 4),
        [0, 0, 0, b'<', ..] => (Some(How::Utf32 { big: true }), 0),
        [b'<', 0, 0, 0, ..] => (Some(How::Utf32 { big: false }), 0),
        [0xFE, 0xFF, ..] => (utf16(UTF_16BE), 2),
        [0xFF, 0xFE, ..] => (utf16(UTF_16LE), 2),
        [0, b'<', ..] => (utf16(UTF_16BE), 0),
        [b'<', 0, ..] => (utf16(UTF_16LE), 0),
        [0xEF, 0xBB, 0xBF, ..] => (Some(How::Utf8), 3),
        _ => (None, 0),
    }
}

/// The name of the encoding in the declaration, where there is one.
fn declared(head: &[u8]) -> Option<Vec<u8>> {
    let head = head.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = head.windows(2).position(|two| two == b"?>")?;
    let head = &head[..end];
    let at = head.windows(8).position(|eight| eight == b"encoding")?;
    let value = head[at + 8..].trim_ascii_start().strip_prefix(b"=")?;
    let (quote, value) = value.trim_ascii_start().split_first()?;
    let length = value.iter().position(|b| b == quote)?;
    (*quote == b'"' || *quote == b'\'').then(|| value[..length].to_vec())
}

/// How to read an encoding by its name. One that is read byte by byte up to here is not UTF-16,
/// whatever it says.
fn named(label: &[u8]) -> Option<How> {
    let encoding = Encoding::for_label_no_replacement(label)?;
    if encoding == encoding_rs::UTF_8 || encoding == UTF_16LE || encoding == UTF_16BE {
        return Some(How::Utf8);
    }
    Some(How::Other(encoding.new_decoder_without_bom_handling()))
}

/// How many characters beyond ASCII are good UTF-8, and how many bytes are none.
fn weigh(source: &mut dyn Source) -> io::Result<(u64, u64)> {
    source.seek(SeekFrom::Start(0))?;
    let mut raw = vec![0; CHUNK];
    let (mut good, mut bad) = (0_u64, 0_u64);
    let mut kept = 0;
    loop {
        let read = match source.read(&mut raw[kept..]) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        let length = kept + read;
        let used = pieces(&raw[..length], read == 0, &mut |piece| match piece {
            Piece::Good(text) if text.is_ascii() => {}
            Piece::Good(text) => good += text.bytes().filter(|b| *b >= 0xC0).count() as u64,
            Piece::Unpaired => {}
            Piece::Bad(_) => bad += 1,
        });
        if read == 0 {
            return Ok((good, bad));
        }
        raw.copy_within(used..length, 0);
        kept = length - used;
    }
}

enum Piece<'t> {
    Good(&'t str),
    /// Half of a surrogate pair, a NUL in two bytes, or what is cut off at the end.
    Unpaired,
    Bad(u8),
}

/// Splits what should be UTF-8; how many bytes were used. A sequence that is cut off waits for the
/// rest of it.
fn pieces(bytes: &[u8], last: bool, each: &mut dyn FnMut(Piece<'_>)) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let error = match from_utf8(rest) {
            Ok(text) => {
                each(Piece::Good(text));
                return bytes.len();
            }
            Err(error) => error,
        };
        let good = error.valid_up_to();
        if let Ok(text) = from_utf8(&rest[..good])
            && !text.is_empty()
        {
            each(Piece::Good(text));
        }
        at += good;
        let rest = &rest[good..];
        let whole = match rest {
            [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => Some(3),
            [0xC0, 0x80, ..] => Some(2),
            [0xED, 0xA0..=0xBF] | [0xED | 0xC0] if !last => return at,
            _ => None,
        };
        if let Some(length) = whole {
            each(Piece::Unpaired);
            at += length;
        } else if error.error_len().is_none() {
            if !last {
                return at;
            }
            each(Piece::Unpaired);
            return bytes.len();
        } else {
            each(Piece::Bad(rest[0]));
            at += 1;
        }
    }
    at
}

fn utf8(bytes: &[u8], last: bool, into: &mut String, marred: &mut bool) -> usize {
    pieces(bytes, last, &mut |piece| match piece {
        Piece::Good(text) => allow(text, into, marred),
        Piece::Unpaired => {
            *marred = true;
            into.push('\u{FFFD}');
        }
        Piece::Bad(byte) => {
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(std::slice::from_ref(&byte));
            allow(&text, into, marred);
        }
    })
}

fn utf32(bytes: &[u8], big: bool, last: bool, into: &mut String, marred: &mut bool) -> usize {
    let mut text = String::with_capacity(bytes.len());
    let (whole, rest) = bytes.as_chunks::<4>();
    for four in whole {
        let code = if big {
            u32::from_be_bytes(*four)
        } else {
            u32::from_le_bytes(*four)
        };
        text.push(char::from_u32(code).unwrap_or_else(|| {
            *marred = true;
            '\u{FFFD}'
        }));
    }
    if last && !rest.is_empty() {
        *marred = true;
        text.push('\u{FFFD}');
    }
    allow(&text, into, marred);
    if last {
        bytes.len()
    } else {
        bytes.len() - rest.len()
    }
}

/// Whether XML 1.0 allows the character.
pub(super) fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
}

/// Appends `text`, with U+FFFD for what XML forbids.
fn allow(text: &str, into: &mut String, marred: &mut bool) {
    let suspect = text
        .bytes()
        .any(|b| (b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r')) || b == 0xEF);
    if !suspect || text.chars().all(is_allowed) {
        into.push_str(text);
        return;
    }
    *marred = true;
    let good = |c: char| if is_allowed(c) { c } else { '\u{FFFD}' };
    into.extend(text.chars().map(good));
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn decoded(bytes: &[u8]) -> (String, bool, bool) {
        let mut source = Cursor::new(bytes);
        let mut decode = Decode::new(&mut source).expect("in memory");
        let mut text = String::new();
        while decode.fill(&mut text).expect("in memory") {}
        (text, decode.fallback, decode.marred)
    }

    #[test]
    fn the_mark_and_the_declaration_tell_the_encoding() {
        let text = "<?xml version='1.0'?><a b='é€😀'/>";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|u| u.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|u| u.to_be_bytes()).collect();
        let wide: Vec<u8> = text
            .chars()
            .flat_map(|c| (c as u32).to_be_bytes())
            .collect();
        let plain = (text.to_owned(), false, false);
        assert_eq!(decoded(text.as_bytes()), plain);
        assert_eq!(decoded(&[b"\xEF\xBB\xBF", text.as_bytes()].concat()), plain);
        assert_eq!(decoded(&[&b"\xFF\xFE"[..], &little].concat()), plain);
        assert_eq!(decoded(&[&b"\xFE\xFF"[..], &big].concat()), plain);
        assert_eq!(decoded(&little), plain);
        assert_eq!(decoded(&big), plain);
        assert_eq!(decoded(&wide), plain);
        let latin = b"<?xml version=\"1.0\" encoding = 'ISO-8859-1' ?><a b='\xE9'/>";
        let (text, fallback, _) = decoded(latin);
        assert!(text.ends_with("<a b='é'/>"), "{text}");
        assert!(!fallback);
        let cyrillic = b"<?xml version='1.0' encoding='KOI8-R'?><a b='\xC4\xC1'/>";
        assert!(decoded(cyrillic).0.ends_with("<a b='да'/>"));
    }

    #[test]
    fn what_is_not_the_utf_8_it_says_is_windows_1252() {
        let (text, fallback, marred) = decoded(b"<a b='na\xEFve \x84ja\x93'/>");
        assert_eq!(text, "<a b='naïve „ja“'/>");
        assert!(fallback && !marred);
        let (text, fallback, _) = decoded(b"<?xml version='1.0' encoding='x-none'?><a/>");
        assert!(text.ends_with("<a/>") && fallback);
        let (text, fallback, _) = decoded(b"<?xml version='1.0' encoding='UTF-16'?><a/>");
        assert!(text.ends_with("<a/>") && !fallback);
    }

    #[test]
    fn a_few_bad_bytes_do_not_change_the_good_names() {
        let (text, fallback, _) = decoded("<a b='prüft größe'>".as_bytes());
        assert_eq!((text.as_str(), fallback), ("<a b='prüft größe'>", false));
        let mixed = [
            &b"<a b='pr\xC3\xBCft gr\xC3\xB6\xC3\x9Fe'>\xFF"[..],
            b"</a>",
        ]
        .concat();
        let (text, fallback, _) = decoded(&mixed);
        assert_eq!(
            (text.as_str(), fallback),
            ("<a b='prüft größe'>ÿ</a>", true)
        );
    }

    #[test]
    fn forbidden_characters_and_half_pairs_are_replaced() {
        let (text, fallback, marred) = decoded(b"a\x1B[0m\x00 \xEF\xBF\xBE \xED\xA0\xBD \xC0\x80");
        assert_eq!(text, "a\u{FFFD}[0m\u{FFFD} \u{FFFD} \u{FFFD} \u{FFFD}");
        assert!(marred && !fallback);
    }

    #[test]
    fn a_character_that_is_cut_off_at_the_end_is_seen() {
        for cut in [
            &b"a\xC3"[..],
            b"a\xF0\x9F\x98",
            b"\xFF\xFEa\x00b",
            b"\xFF\xFE\x00\x00a\x00\x00\x00b",
        ] {
            let (text, fallback, marred) = decoded(cut);
            assert_eq!(
                (text.as_str(), fallback, marred),
                ("a\u{FFFD}", false, true)
            );
        }
    }

    #[test]
    fn a_sequence_over_the_border_of_two_pieces_is_whole() {
        for shift in 0..4 {
            let mut text = "x".repeat(CHUNK - 2 - shift);
            text.push_str("😀é€");
            assert_eq!(decoded(text.as_bytes()), (text.clone(), false, false));
        }
    }
}
