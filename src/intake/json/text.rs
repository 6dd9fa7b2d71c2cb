//! The text of a file: without its byte order mark, UTF-16 turned into UTF-8.

use std::io::{self, BufRead, BufReader, Read, SeekFrom};

use encoding_rs::{Decoder, Encoding, UTF_16BE, UTF_16LE};

use crate::record::Source;

/// The byte order mark in UTF-8.
pub(super) const MARK: &[u8] = b"\xEF\xBB\xBF";

const BUFFER: usize = 128 << 10;

/// The text of `source`, from its beginning.
pub(super) fn read<'s>(source: &'s mut dyn Source) -> io::Result<Box<dyn BufRead + 's>> {
    source.seek(SeekFrom::Start(0))?;
    let mut first = [0; 3];
    let mut length = 0;
    while length < first.len() {
        match source.read(&mut first[length..])? {
            0 => break,
            read => length += read,
        }
    }
    let first = &first[..length];
    let encoding = Encoding::for_bom(first);
    let mark = encoding.map_or(0, |(_, mark)| mark);
    source.seek(SeekFrom::Start(mark as u64))?;
    let plain = BufReader::with_capacity(BUFFER, source);
    Ok(match encoding {
        Some((encoding, _)) if encoding == UTF_16LE || encoding == UTF_16BE => {
            let decoder = encoding.new_decoder_without_bom_handling();
            Box::new(BufReader::with_capacity(
                BUFFER,
                Decoding {
                    from: plain,
                    decoder,
                    done: false,
                },
            ))
        }
        _ => Box::new(plain),
    })
}

/// Gives in UTF-8 what another reader has in another encoding.
struct Decoding<R> {
    from: R,
    decoder: Decoder,
    done: bool,
}

impl<R: BufRead> Read for Decoding<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.len() < 8 {
            return Err(io::Error::other("no room for one character"));
        }
        let mut written = 0;
        while written == 0 && !self.done {
            written = self.step(into)?;
        }
        Ok(written)
    }
}

impl<R: BufRead> Decoding<R> {
    fn step(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let buffer = self.from.fill_buf()?;
        let last = buffer.is_empty();
        let (result, read, written, _) = self.decoder.decode_to_utf8(buffer, into, last);
        self.from.consume(read);
        self.done = last && result == encoding_rs::CoderResult::InputEmpty;
        Ok(written)
    }
}
