//! JSON as tools write it: one value, or a line each with anything in between.
//!
//! A large file is never in memory: what it is is found out in one pass, then its objects are
//! given one by one, long texts in large ones cut short, since nothing reads them.

mod mend;
mod slim;
mod text;

use std::io::{self, BufRead, BufReader, Read};

use serde::Deserializer as _;
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};

use self::slim::{Limits, Slim};
use super::tame::Tame;
use crate::record::Source;

/// Lines up to this length are read as they are.
const PLAIN_LINE: u64 = 64 << 10;

/// Of a longer line.
const OF_A_LINE: Limits = Limits {
    text: 8 << 10,
    bytes: 2 << 20,
    values: 50_000,
};

/// Of an object that is the whole file, or an element of the array that is.
const OF_A_FILE: Limits = Limits {
    text: 2 << 10,
    bytes: 8 << 20,
    values: 250_000,
};

/// How far into a file without any JSON line a value over many lines may begin.
const BANNER_MAX: u64 = 1 << 20;

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
    /// Objects that are over the size that is read; lines among them are skipped ones, too.
    pub(super) too_large: u64,
    /// The last line is no object and has no line feed after it.
    pub(super) torn: bool,
}

/// Gives every object of `source` to `each`, from its beginning: the one it is, the elements of
/// the array it is, or its lines. Elements and lines that are no object are left out and counted.
/// Where no line is an object, a value that begins after some lines of other text is read, or the
/// whole elements of an array that is cut off.
///
/// A byte order mark is passed over; UTF-16 with a mark is read. Bytes that are no UTF-8, halves
/// of surrogate pairs, `NaN` and numbers beyond all range do not cost the object they stand in.
///
/// # Errors
/// Those of reading.
pub(super) fn objects(source: &mut dyn Source, each: &mut dyn FnMut(Value)) -> io::Result<Told> {
    match first_byte(source)? {
        None => Ok(Told {
            blank: true,
            ..Told::default()
        }),
        Some(b'{' | b'[') if whole(source)? => value(text::read(source)?, each),
        Some(_) => {
            let mut given = false;
            let told = lines(text::read(source)?, &mut |object| {
                given = true;
                each(object);
            })?;
            match given {
                true => Ok(told),
                false => Ok(late(source, each)?.unwrap_or(told)),
            }
        }
    }
}

/// The first byte that is no white space.
fn first_byte(source: &mut dyn Source) -> io::Result<Option<u8>> {
    for byte in text::read(source)?.bytes() {
        let byte = byte?;
        if !byte.is_ascii_whitespace() {
            return Ok(Some(byte));
        }
    }
    Ok(None)
}

/// Whether all of it is one JSON value.
fn whole(source: &mut dyn Source) -> io::Result<bool> {
    // The parser keeps a frame for each level of what it passes over.
    let text = Tame::new(BufReader::new(text::read(source)?));
    let mut reader = Deserializer::from_reader(BufReader::new(text));
    Ok(reader.deserialize_ignored_any(IgnoredAny).is_ok() && reader.end().is_ok())
}

/// The object, or the objects of the array, that `from` begins with.
fn value(mut from: impl BufRead, each: &mut dyn FnMut(Value)) -> io::Result<Told> {
    let mut told = Told::default();
    let mut slim = Slim::new(OF_A_FILE);
    // Inside an element of the array that is no container: a text, a number, a word.
    let mut other = false;
    let mut ended = false;
    loop {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        for byte in buffer {
            if slim.is_within() {
                if slim.push(*byte) {
                    continue;
                }
                give(&mut slim, &mut told, each);
                ended |= !told.array;
                continue;
            }
            match byte {
                _ if ended => {}
                b'[' if !told.array => told.array = true,
                b'{' if !told.array => {
                    told.object = true;
                    slim.push(*byte);
                }
                b']' => ended = true,
                b',' => other = false,
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b'{' | b'[' | b'"' => {
                    slim.push(*byte);
                }
                _ => {
                    told.other_elements += u64::from(!other);
                    other = true;
                }
            }
        }
        let length = buffer.len();
        from.consume(length);
    }
    told.torn = !ended;
    told.skipped_lines += u64::from(!ended);
    Ok(told)
}

/// Gives the object that `slim` has, and empties it.
fn give(slim: &mut Slim, told: &mut Told, each: &mut dyn FnMut(Value)) {
    if slim.is_over() {
        told.too_large += 1;
        told.skipped_lines += 1;
    } else if let Some(object) = object(slim.kept()) {
        each(object);
    } else {
        told.other_elements += 1;
    }
    slim.clear();
}

/// The object that `text` is.
fn object(text: &[u8]) -> Option<Value> {
    if text.first() != Some(&b'{') {
        return None;
    }
    match serde_json::from_slice(text) {
        Ok(value) => Some(value),
        Err(_) => serde_json::from_slice(&mend::mend(text)?).ok(),
    }
}

fn lines(mut from: impl BufRead, each: &mut dyn FnMut(Value)) -> io::Result<Told> {
    let mut told = Told::default();
    let mut line = Vec::new();
    let mut slim = Slim::new(OF_A_LINE);
    loop {
        line.clear();
        if (&mut from).take(PLAIN_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(told);
        }
        let mut ended = line.ends_with(b"\n");
        let mut begin = line.trim_ascii();
        // Files that were written one after the other each bring their mark.
        begin = begin.strip_prefix(text::MARK).unwrap_or(begin);
        let read = if ended || line.len() < PLAIN_LINE as usize {
            if begin.is_empty() {
                continue;
            }
            object(begin)
        } else {
            slim.clear();
            line.iter()
                .skip_while(|b| b.is_ascii_whitespace())
                .for_each(|b| {
                    slim.push(*b);
                });
            ended = rest_of_line(&mut from, &mut slim)?;
            if slim.is_over() {
                told.too_large += 1;
                told.skipped_lines += 1;
                continue;
            }
            object(slim.kept().trim_ascii())
        };
        match read {
            Some(object) => each(object),
            None => {
                told.skipped_lines += 1;
                told.torn = !ended;
            }
        }
    }
}

/// Puts what is left of the line into `slim`; whether a line feed ends it.
fn rest_of_line(from: &mut impl BufRead, slim: &mut Slim) -> io::Result<bool> {
    loop {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        let end = buffer.iter().position(|b| *b == b'\n');
        for byte in &buffer[..end.unwrap_or(buffer.len())] {
            slim.push(*byte);
        }
        let length = end.map_or(buffer.len(), |end| end + 1);
        from.consume(length);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// Reads a value over many lines after some that are none of it, or an array that is cut off.
fn late(source: &mut dyn Source, each: &mut dyn FnMut(Value)) -> io::Result<Option<Told>> {
    let mut from = text::read(source)?;
    let mut skipped = 0;
    let mut left = BANNER_MAX;
    loop {
        let buffer = from.fill_buf()?;
        let Some(first) = buffer.first() else {
            return Ok(None);
        };
        match first {
            b'{' | b'[' => break,
            byte if byte.is_ascii_whitespace() => from.consume(1),
            _ => {
                let mut line = Vec::new();
                let read = (&mut from).take(left).read_until(b'\n', &mut line)?;
                left -= read as u64;
                if left == 0 || !line.ends_with(b"\n") {
                    return Ok(None);
                }
                skipped += 1;
            }
        }
    }
    let mut given = false;
    let mut told = value(from, &mut |object| {
        given = true;
        each(object);
    })?;
    told.skipped_lines += skipped;
    Ok(given.then_some(told))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read_bytes(bytes: &[u8]) -> (Vec<String>, Told) {
        let mut found = Vec::new();
        let mut source = Cursor::new(bytes);
        let told = objects(&mut source, &mut |v| found.push(v.to_string())).expect("in memory");
        (found, told)
    }

    fn read(text: &str) -> (Vec<String>, Told) {
        read_bytes(text.as_bytes())
    }

    #[test]
    fn one_value_an_array_and_lines_give_their_objects() {
        assert!(read(" \n").1.blank);
        let (found, told) = read("{\n \"a\": 1\n}\n");
        assert_eq!(found, [r#"{"a":1}"#]);
        assert!(told.object && !told.torn && told.skipped_lines == 0);
        let (found, told) = read("[1, {\"a\":1},\n \"x,]\", {\"b\":[{}]}, [{\"c\":1}], null ]");
        assert_eq!(found, [r#"{"a":1}"#, r#"{"b":[{}]}"#]);
        assert!(told.array && told.skipped_lines == 0 && !told.torn);
        assert_eq!(told.other_elements, 4);
        let (found, told) = read("Using node\n[x]\n{\"a\":1}\n\n{\"b\":2}\n{\"c\":");
        assert_eq!(found, [r#"{"a":1}"#, r#"{"b":2}"#]);
        assert_eq!((told.skipped_lines, told.torn), (3, true));
        let (_, told) = read("{\"a\":1}\n{\"c\":\n");
        assert_eq!((told.skipped_lines, told.torn), (1, false));
    }

    #[test]
    fn marks_and_utf_16_are_read() {
        assert_eq!(read("\u{feff}{\"a\":\"é\"}").0, [r#"{"a":"é"}"#]);
        assert!(read("\u{feff}\r\n").1.blank);
        let text = "{\"a\":\"é😀\"}\r\n{\"b\":1}\r\n";
        for big in [false, true] {
            let mut bytes = if big {
                vec![0xFE, 0xFF]
            } else {
                vec![0xFF, 0xFE]
            };
            for unit in text.encode_utf16() {
                bytes.extend(if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                });
            }
            assert_eq!(read_bytes(&bytes).0, [r#"{"a":"é😀"}"#, r#"{"b":1}"#]);
        }
        let (found, told) = read("{\"a\":1}\n\u{feff}{\"b\":1}\n");
        assert_eq!((found.len(), told.skipped_lines), (2, 0));
    }

    #[test]
    fn what_writers_get_wrong_does_not_cost_the_object() {
        let (found, told) =
            read("{\"a\":NaN,\"b\":-Infinity,\"c\":1e999,\"d\":\"NaN\\ud83d\"}\n{}");
        assert_eq!(
            found[0],
            "{\"a\":null,\"b\":null,\"c\":null,\"d\":\"NaN\u{fffd}\"}"
        );
        assert_eq!(told.skipped_lines, 0);
        let (found, _) = read_bytes(b"{\"a\":\"caf\xE9\"}");
        assert_eq!(found, ["{\"a\":\"caf\u{fffd}\"}"]);
        let (found, told) = read("{\"a\":\"x\0\"}\n\0\0\n{\"b\":1}\n");
        assert_eq!(
            (found.len(), told.skipped_lines),
            (1, 2),
            "a NUL is no JSON"
        );
    }

    #[test]
    fn what_nests_without_end_is_no_value() {
        for opens in ["[", "{\"a\":", "[{\"a\":["] {
            let text = opens.repeat(200_000);
            let mut source = Cursor::new(text.as_bytes());
            assert!(!whole(&mut source).expect("in memory"), "{opens}");
            assert_eq!(read(&text).0, [""; 0], "{opens}");
        }
        let brackets = format!("{{\"a\":\"{}\"}}", "[".repeat(200_000));
        assert!(whole(&mut Cursor::new(brackets.as_bytes())).expect("in memory"));
    }

    #[test]
    fn a_value_after_other_text_and_an_array_that_is_cut_off_are_read() {
        let (found, told) = read("YOLO mode\n{\n  \"a\": 1\n}\n");
        assert_eq!(found, [r#"{"a":1}"#]);
        assert_eq!((told.skipped_lines, told.object), (1, true));
        let (found, told) = read("[{\"a\":1},{\"b\":");
        assert_eq!(found, [r#"{"a":1}"#]);
        assert_eq!((told.skipped_lines, told.torn, told.array), (1, true, true));
        let (found, told) = read("{\"a\":1");
        assert_eq!((found.len(), told.skipped_lines, told.torn), (0, 1, true));
    }

    #[test]
    fn large_objects_lose_their_texts_and_too_large_ones_are_counted() {
        let long = "é".repeat(3 << 20);
        let line = format!("{{\"a\":\"{long}\",\"b\":2}}\n{{\"c\":3}}\n");
        for text in [
            line.clone(),
            format!("[{}]", line.trim().replace('\n', ",")),
        ] {
            let (found, told) = read(&text);
            assert_eq!((found.len(), told.skipped_lines), (2, 0));
            assert!(found[0].ends_with("\",\"b\":2}") && found[0].len() < 20_000);
        }
        let many = format!("{{\"a\":[{}0]}}", "0,".repeat(300_000));
        let (found, told) = read(&format!("{many}\n{{\"c\":3}}\n"));
        assert_eq!((found.len(), told.too_large, told.torn), (1, 1, false));
        let (found, told) = read(&many);
        assert_eq!((found.len(), told.too_large), (0, 1));
    }
}
