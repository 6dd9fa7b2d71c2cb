//! Text that is not XML: decoded where it says how, and read by lines that are not held whole
//! however long they are.

use std::io::{self, BufRead, BufReader, Read, SeekFrom};

use encoding_rs::{Decoder, UTF_16BE, UTF_16LE};

use crate::record::Source;

/// What is beyond this in one line is dropped.
const LINE_MAX: usize = 1 << 20;

/// The beginning of `text`: `most` bytes, or fewer where a character would be cut.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// `source` from its beginning as UTF-8, without a byte order mark; with the mark of UTF-16 (as
/// some shells write what is redirected) decoded.
///
/// # Errors
/// Those of reading.
pub(super) fn plain(source: &mut dyn Source) -> io::Result<BufReader<Box<dyn Read + '_>>> {
    source.seek(SeekFrom::Start(0))?;
    let mut mark = [0; 3];
    let mut got = 0;
    while got < mark.len() {
        match source.read(&mut mark[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let (decoder, skipped) = match &mark[..got] {
        [0xFF, 0xFE, ..] => (Some(UTF_16LE.new_decoder_without_bom_handling()), 2),
        [0xFE, 0xFF, ..] => (Some(UTF_16BE.new_decoder_without_bom_handling()), 2),
        [0xEF, 0xBB, 0xBF] => (None, 3),
        _ => (None, 0),
    };
    source.seek(SeekFrom::Start(skipped))?;
    let bytes: Box<dyn Read + '_> = match decoder {
        Some(decoder) => Box::new(Decoded {
            from: BufReader::with_capacity(64 << 10, source),
            decoder,
            ended: false,
        }),
        None => Box::new(source),
    };
    Ok(BufReader::with_capacity(128 << 10, bytes))
}

struct Decoded<R> {
    from: BufReader<R>,
    decoder: Decoder,
    ended: bool,
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // A character needs room, or nothing would ever be written.
        while !self.ended && into.len() >= 4 {
            let bytes = self.from.fill_buf()?;
            let last = bytes.is_empty();
            let (result, read, written, _) = self.decoder.decode_to_utf8(bytes, into, last);
            self.from.consume(read);
            self.ended = last && result == encoding_rs::CoderResult::InputEmpty;
            if written > 0 {
                return Ok(written);
            }
        }
        Ok(0)
    }
}

/// One line of a text.
pub(super) struct Lines<'s> {
    from: BufReader<Box<dyn Read + 's>>,
    line: Vec<u8>,
}

impl<'s> Lines<'s> {
    /// Of `source`, from its beginning.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn of(source: &'s mut dyn Source) -> io::Result<Lines<'s>> {
        Ok(Lines {
            from: plain(source)?,
            line: Vec::new(),
        })
    }

    /// The next line without white space around it, cut after 1 MiB, and whether a line feed ends
    /// it; `None`: there is none.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn next(&mut self) -> io::Result<Option<(&[u8], bool)>> {
        self.line.clear();
        let mut any = false;
        let mut ended = false;
        while !ended {
            let bytes = self.from.fill_buf()?;
            if bytes.is_empty() {
                break;
            }
            any = true;
            let feed = bytes.iter().position(|b| *b == b'\n');
            let used = feed.map_or(bytes.len(), |at| at + 1);
            let room = LINE_MAX.saturating_sub(self.line.len()).min(used);
            self.line.extend_from_slice(&bytes[..room]);
            ended = feed.is_some();
            self.from.consume(used);
        }
        Ok(any.then(|| (self.line.trim_ascii(), ended)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn lines(bytes: &[u8]) -> (Vec<String>, bool) {
        let mut source = Cursor::new(bytes);
        let mut lines = Lines::of(&mut source).expect("bytes are readable");
        let mut all = Vec::new();
        let mut last = false;
        while let Some((line, ended)) = lines.next().expect("bytes are readable") {
            last = ended;
            all.push(String::from_utf8_lossy(line).into_owned());
        }
        (all, last)
    }

    #[test]
    fn lines_are_read_in_the_encoding_their_mark_says() {
        let plain = "{\"a\":\"ä\u{1f600}\"}\r\n\n  x";
        let wanted = vec![
            String::from("{\"a\":\"ä\u{1f600}\"}"),
            String::new(),
            String::from("x"),
        ];
        assert_eq!(lines(plain.as_bytes()).0, wanted);
        assert_eq!(lines(format!("\u{feff}{plain}").as_bytes()).0, wanted);
        let units = || std::iter::once(0xFEFF).chain(plain.encode_utf16());
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        assert_eq!(lines(&little).0, wanted);
        assert_eq!(lines(&big).0, wanted);
        assert_eq!(lines(&little[..5]).0, ["{\u{fffd}"], "half a character");
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_is_whole() {
        let mut text = vec![b'x'; 3 << 20];
        text.extend_from_slice(b"\nnext");
        let (all, ended) = lines(&text);
        assert_eq!(
            (all[0].len(), all[1].as_str(), ended),
            (LINE_MAX, "next", false)
        );
        assert_eq!(lines(b""), (vec![], false));
        assert_eq!(lines(b"\n"), (vec![String::new()], true));
    }
}
