//! The text that is parsed: the file's bytes, cleaned where the counting rules ask for it.

use std::sync::Arc;

use super::model::Unparsed;

/// Files above this are not read, in bytes.
const MAX_BYTES: usize = 5 * 1024 * 1024;
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/";
const BOM: &str = "\u{feff}";

/// A file's text: UTF-8, lines end in `\n` alone, no byte-order mark.
#[derive(Debug)]
pub(super) struct Text {
    bytes: Arc<[u8]>,
    /// First byte of each line.
    pub(super) starts: Vec<u32>,
    /// Where a lone CR ended a line: for each line of the text the `\n` line of the original,
    /// 1-based.
    pub(super) original: Option<Arc<[u32]>>,
}

impl Text {
    /// Reads a file.
    ///
    /// # Errors
    /// Why its content is no text to parse.
    pub(super) fn read(source: &Arc<[u8]>) -> Result<Text, Unparsed> {
        if source.len() > MAX_BYTES {
            return Err(Unparsed::TooLarge);
        }
        if source.contains(&0) {
            return Err(Unparsed::Binary);
        }
        if source.starts_with(LFS) {
            return Err(Unparsed::LfsPointer);
        }
        match std::str::from_utf8(source) {
            Ok(text) if !source.contains(&b'\r') && !text.starts_with(BOM) => Ok(Text {
                starts: line_starts(text),
                bytes: Arc::clone(source),
                original: None,
            }),
            _ => Ok(Text::clean(source)),
        }
    }

    fn clean(source: &[u8]) -> Text {
        let mut text = String::with_capacity(source.len());
        for chunk in source.utf8_chunks() {
            text.push_str(chunk.valid());
        }
        if text.starts_with(BOM) {
            text.drain(..BOM.len());
        }
        let mut out = String::with_capacity(text.len());
        let mut original = vec![1u32];
        let mut line = 1;
        let mut lone = false;
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['\r', '\n']) {
            out.push_str(&rest[..at]);
            out.push('\n');
            let crlf = rest[at..].starts_with("\r\n");
            if crlf || rest[at..].starts_with('\n') {
                line += 1;
            } else {
                lone = true;
            }
            original.push(line);
            rest = &rest[at + 1 + usize::from(crlf)..];
        }
        out.push_str(rest);
        Text {
            starts: line_starts(&out),
            bytes: out.into_bytes().into(),
            original: lone.then(|| original.into()),
        }
    }

    /// The text.
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or("")
    }

    /// Its bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The first byte of each line, found eight bytes at a time.
fn line_starts(text: &str) -> Vec<u32> {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const NEWLINES: u64 = 0x0a0a_0a0a_0a0a_0a0a;
    let bytes = text.as_bytes();
    let mut starts = Vec::with_capacity(bytes.len() / 16 + 1);
    starts.push(0u32);
    let mut at = 0u32;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let x = u64::from_le_bytes(word.try_into().unwrap_or_default()) ^ NEWLINES;
        // The top bit of each byte that was a newline, and no other.
        let mut found = !(((x & LOW) + LOW) | x | LOW);
        while found != 0 {
            starts.push(at + found.trailing_zeros() / 8 + 1);
            found &= found - 1;
        }
        at += 8;
    }
    for byte in words.remainder() {
        at += 1;
        if *byte == b'\n' {
            starts.push(at);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that fails says so by panicking")]

    use super::*;

    fn read(bytes: &[u8]) -> Result<Text, Unparsed> {
        Text::read(&Arc::from(bytes))
    }

    #[test]
    fn carriage_returns_marks_and_broken_bytes_are_cleaned_away() {
        let text = read(b"\xef\xbb\xbfa\r\nb\xff\n").unwrap();
        assert_eq!(text.as_str(), "a\nb\n");
        assert!(text.original.is_none());
        let text = read(b"a\rb\r\nc\rd").unwrap();
        assert_eq!(text.as_str(), "a\nb\nc\nd");
        assert_eq!(text.original.as_deref(), Some(&[1, 1, 2, 2][..]));
    }

    #[test]
    fn what_is_no_text_says_why() {
        assert_eq!(read(b"a\0b").unwrap_err(), Unparsed::Binary);
        assert_eq!(
            read(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n").unwrap_err(),
            Unparsed::LfsPointer
        );
        assert_eq!(
            read(&vec![b' '; MAX_BYTES + 1]).unwrap_err(),
            Unparsed::TooLarge
        );
        assert!(read(&vec![b' '; MAX_BYTES]).is_ok());
        assert_eq!(read(b"").unwrap().starts, [0]);
    }

    #[test]
    fn every_line_start_is_found() {
        let text = "\n\nlonger line \u{8a}\u{10a}\n12345678\n\n1234567\nlast";
        let starts = read(text.as_bytes()).unwrap().starts;
        let plain: Vec<u32> = std::iter::once(0)
            .chain(
                text.match_indices('\n')
                    .map(|(i, _)| u32::try_from(i + 1).unwrap()),
            )
            .collect();
        assert_eq!(starts, plain);
    }
}
