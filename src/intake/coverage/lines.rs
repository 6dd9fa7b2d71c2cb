//! Text as tools write it: with or without a byte order mark, in UTF-8 or UTF-16, and its lines,
//! none of them longer than a path and a few numbers need.

use std::io::{self, Read, SeekFrom};

use encoding_rs::{CoderResult, Decoder, UTF_8};

use crate::record::Source;

/// A longer line is passed over.
const LINE_MAX: usize = 64 << 10;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'l> {
    /// Its text, without its end.
    Text(&'l str),
    /// It is too long for anything that is read here.
    TooLong,
}

impl Line<'_> {
    /// Its text, where it is not too long.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Line::Text(text) => Some(text),
            Line::TooLong => None,
        }
    }
}

/// A text from its beginning, in UTF-8, as bytes or by lines.
pub(super) struct Lines<'s> {
    from: &'s mut dyn Source,
    decoder: Decoder,
    raw: Vec<u8>,
    /// What was decoded and not yet taken: `text[at..]`.
    text: String,
    at: usize,
    line: String,
    taken: u64,
    ended: bool,
}

impl<'s> Lines<'s> {
    /// Prepares to read a source from its beginning.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn new(from: &'s mut dyn Source) -> io::Result<Self> {
        from.seek(SeekFrom::Start(0))?;
        Ok(Lines {
            from,
            // Follows a byte order mark of UTF-8 or UTF-16, and takes it away.
            decoder: UTF_8.new_decoder(),
            raw: vec![0; 64 << 10],
            text: String::with_capacity(200 << 10),
            at: 0,
            line: String::new(),
            taken: 0,
            ended: false,
        })
    }

    /// Decodes more; whether there is something to take.
    fn fill(&mut self) -> io::Result<bool> {
        while self.at == self.text.len() && !self.ended {
            self.text.clear();
            self.at = 0;
            let read = match self.from.read(&mut self.raw) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            self.ended = read == 0;
            // The buffer holds the most that so many bytes can become.
            let (result, _, _) =
                self.decoder
                    .decode_to_string(&self.raw[..read], &mut self.text, self.ended);
            debug_assert_eq!(result, CoderResult::InputEmpty);
        }
        Ok(self.at < self.text.len())
    }

    /// The first byte that is no white space.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn first_byte(&mut self) -> io::Result<Option<u8>> {
        while self.fill()? {
            let rest = &self.text.as_bytes()[self.at..];
            if let Some(byte) = rest.iter().find(|b| !b.is_ascii_whitespace()) {
                return Ok(Some(*byte));
            }
            self.at = self.text.len();
        }
        Ok(None)
    }

    /// Bytes of lines given so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// The next line; `None` after the last.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let (mut any, mut too_long, mut whole) = (false, false, false);
        while !whole && self.fill()? {
            any = true;
            let rest = &self.text[self.at..];
            let (part, step) = match rest.bytes().position(|b| b == b'\n') {
                Some(end) => (&rest[..end], end + 1),
                None => (rest, rest.len()),
            };
            whole = step > part.len();
            too_long |= self.line.len() + part.len() > LINE_MAX;
            if !too_long {
                self.line.push_str(part);
            }
            self.at += step;
            self.taken += step as u64;
        }
        Ok(match (any, too_long) {
            (false, _) => None,
            (true, true) => Some(Line::TooLong),
            (true, false) => Some(Line::Text(self.line.trim_end_matches('\r'))),
        })
    }
}

impl Read for Lines<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.fill()? {
            return Ok(0);
        }
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.len().min(into.len());
        into[..length].copy_from_slice(&rest[..length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read(bytes: &[u8]) -> Vec<Option<String>> {
        let mut source = Cursor::new(bytes);
        let mut lines = Lines::new(&mut source).expect("in memory");
        let mut found = Vec::new();
        while let Some(line) = lines.next().expect("in memory") {
            found.push(line.text().map(str::to_owned));
        }
        found
    }

    fn utf16(text: &str, mark: [u8; 2]) -> Vec<u8> {
        let little = mark == [0xFF, 0xFE];
        let units = text.encode_utf16().flat_map(|u| match little {
            true => u.to_le_bytes(),
            false => u.to_be_bytes(),
        });
        mark.into_iter().chain(units).collect()
    }

    #[test]
    fn marks_and_encodings_and_line_ends_make_no_difference() {
        let lines = ["SF:ä.c", "", "DA:1,1"].map(|l| Some(l.to_owned()));
        assert_eq!(read("SF:ä.c\n\nDA:1,1\n".as_bytes()), lines);
        assert_eq!(read("\u{FEFF}SF:ä.c\r\n\r\nDA:1,1".as_bytes()), lines);
        for mark in [[0xFF, 0xFE], [0xFE, 0xFF]] {
            assert_eq!(read(&utf16("SF:ä.c\n\nDA:1,1\n", mark)), lines);
        }
        assert_eq!(read(b""), []);
        assert_eq!(read(b"a\xFF\n"), [Some("a\u{FFFD}".to_owned())]);
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut text = vec![b'x'; LINE_MAX + 1];
        text.extend(b"\nDA:1,1\n");
        assert_eq!(read(&text), [None, Some("DA:1,1".to_owned())]);
        let bytes = vec![b'y'; LINE_MAX];
        assert_eq!(read(&bytes)[0].as_ref().map(String::len), Some(LINE_MAX));
    }
}
