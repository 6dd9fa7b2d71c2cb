//! JSON as tools write it: one value, or a line each with anything in between.
//!
//! Read in two passes so that a large stream is never in memory: first whether all of it is one
//! value, then its objects one by one.

use std::io::{self, BufRead, BufReader, Read, SeekFrom};

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::{Deserializer, Value};

use crate::record::Source;

/// A longer line is skipped: no message of an agent is as long.
const LINE_MAX: u64 = 16 << 20;
/// A larger object is not read.
const OBJECT_MAX: u64 = 64 << 20;

/// What the text was, beside its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Told {
    /// Nothing but white space.
    pub(super) blank: bool,
    /// All of it is one object; it was given.
    pub(super) object: bool,
    /// All of it is one array; its elements were given.
    pub(super) array: bool,
    /// Elements of the array that are no object.
    pub(super) other_elements: u64,
    /// Lines that are no JSON object.
    pub(super) skipped_lines: u64,
    /// Of them those over the size that is read.
    pub(super) too_large: u64,
    /// The last line is none and has no line feed after it.
    pub(super) torn: bool,
}

/// Gives every object of `source` to `each`, from its beginning: the one it is, the elements of
/// the array it is, or its lines. Elements and lines that are no object are left out; lines are
/// counted.
///
/// # Errors
/// Those of reading.
pub(super) fn objects(source: &mut dyn Source, each: &mut dyn FnMut(Value)) -> io::Result<Told> {
    match first_byte(source)? {
        None => Ok(Told {
            blank: true,
            ..Told::default()
        }),
        Some(b'[') if whole(source)? => elements(source, each),
        Some(b'{') if whole(source)? => {
            source.seek(SeekFrom::Start(0))?;
            let mut told = Told {
                object: true,
                ..Told::default()
            };
            match serde_json::from_reader(BufReader::new(source.take(OBJECT_MAX))) {
                Ok(value) => each(value),
                Err(_) => told.skipped_lines = 1,
            }
            Ok(told)
        }
        Some(_) => lines(source, each),
    }
}

/// The first byte that is no white space (and no byte order mark).
fn first_byte(source: &mut dyn Source) -> io::Result<Option<u8>> {
    source.seek(SeekFrom::Start(0))?;
    for byte in BufReader::new(source).bytes() {
        match byte? {
            0xEF | 0xBB | 0xBF => {}
            b if b.is_ascii_whitespace() => {}
            b => return Ok(Some(b)),
        }
    }
    Ok(None)
}

/// Whether all of it is one JSON value.
fn whole(source: &mut dyn Source) -> io::Result<bool> {
    source.seek(SeekFrom::Start(0))?;
    let mut reader = Deserializer::from_reader(BufReader::new(source));
    let value = IgnoredAny::deserialize_in(&mut reader);
    Ok(value.is_ok() && reader.end().is_ok())
}

trait DeserializeIn: Sized {
    fn deserialize_in<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
}

impl DeserializeIn for IgnoredAny {
    fn deserialize_in<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        serde::Deserialize::deserialize(from)
    }
}

/// The elements of an array, one in memory at a time.
fn elements(source: &mut dyn Source, each: &mut dyn FnMut(Value)) -> io::Result<Told> {
    struct Elements<'e>(&'e mut dyn FnMut(Value));
    impl<'de> Visitor<'de> for Elements<'_> {
        type Value = ();
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an array")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
            while let Some(value) = seq.next_element_seed(std::marker::PhantomData::<Value>)? {
                if value.is_object() {
                    (self.0)(value);
                }
            }
            Ok(())
        }
    }
    impl<'de> DeserializeSeed<'de> for Elements<'_> {
        type Value = ();
        fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
            from.deserialize_seq(self)
        }
    }
    source.seek(SeekFrom::Start(0))?;
    let mut reader = Deserializer::from_reader(BufReader::new(source));
    reader.deserialize_seq(Elements(each))?;
    Ok(Told {
        array: true,
        ..Told::default()
    })
}

fn lines(source: &mut dyn Source, each: &mut dyn FnMut(Value)) -> io::Result<Told> {
    source.seek(SeekFrom::Start(0))?;
    let mut from = BufReader::with_capacity(256 << 10, source);
    let mut told = Told::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut from).take(LINE_MAX).read_until(b'\n', &mut line)? == 0 {
            return Ok(told);
        }
        let mut ended = line.ends_with(b"\n");
        let too_long = !ended && line.len() as u64 == LINE_MAX;
        if too_long {
            ended = skip_line(&mut from)?;
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match serde_json::from_slice::<Value>(text) {
            Ok(value) if value.is_object() && !too_long => each(value),
            _ => {
                told.skipped_lines += 1;
                told.torn = !ended;
            }
        }
    }
}

/// Goes on to the end of the line; whether it has one.
fn skip_line(from: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        match buffer.iter().position(|b| *b == b'\n') {
            Some(at) => {
                from.consume(at + 1);
                return Ok(true);
            }
            None => {
                let length = buffer.len();
                from.consume(length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read(text: &str) -> (Vec<String>, Told) {
        let mut found = Vec::new();
        let mut source = Cursor::new(text.as_bytes());
        let told = objects(&mut source, &mut |v| found.push(v.to_string())).expect("in memory");
        (found, told)
    }

    #[test]
    fn one_value_an_array_and_lines_give_their_objects() {
        assert_eq!(read(" \n").1.blank, true);
        assert_eq!(read("{\n \"a\": 1\n}\n").0, [r#"{"a":1}"#]);
        let (found, told) = read("[1, {\"a\":1},\n {\"b\":2}]");
        assert_eq!(found, [r#"{"a":1}"#, r#"{"b":2}"#]);
        assert!(told.array && told.skipped_lines == 0);
        let (found, told) = read("Using node\n[x]\n{\"a\":1}\n\n{\"b\":2}\n{\"c\":");
        assert_eq!(found, [r#"{"a":1}"#, r#"{"b":2}"#]);
        assert_eq!((told.skipped_lines, told.torn), (3, true));
        let (_, told) = read("{\"a\":1}\n{\"c\":\n");
        assert_eq!((told.skipped_lines, told.torn), (1, false));
    }
}
