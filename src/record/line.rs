//! The lines of a note: one JSON object each, keys sorted, complete in itself.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::head::SCHEMA;
use super::mask::{self, Masked, Masker};
use super::{Checkpoint, Coverage, Envelope, Head, Kind, Raw, RecordId, Tests, form};
use crate::error::{Error, Result};

/// Longest line that is read, in bytes: over it a line is bad. A payload of 64 MiB, in base64
/// and escaped, is below.
pub const MAX_LINE: usize = 160 << 20;

/// One record: what all share, and what its kind says.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Which record, of which commit.
    pub head: Head,
    /// What it says.
    pub body: Body,
    /// Where something was masked.
    pub masked: Vec<Masked>,
}

/// What a record says, by kind.
#[expect(
    clippy::large_enum_variant,
    reason = "sessions and gates are most of all records; a box would save the others little"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// What happened at a commit.
    Checkpoint(Box<Checkpoint>),
    /// An agent's session.
    Envelope(Envelope),
    /// A gate run.
    Tests(Tests),
    /// A coverage report.
    Coverage(Coverage),
    /// A payload.
    Raw(Raw),
}

impl From<Checkpoint> for Body {
    fn from(says: Checkpoint) -> Body {
        Body::Checkpoint(Box::new(says))
    }
}

impl Body {
    /// The kind of record that says this.
    pub fn kind(&self) -> Kind {
        match self {
            Body::Checkpoint(_) => Kind::Checkpoint,
            Body::Envelope(_) => Kind::Envelope,
            Body::Tests(_) => Kind::Tests,
            Body::Coverage(_) => Kind::Coverage,
            Body::Raw(_) => Kind::Raw,
        }
    }
}

impl Record {
    /// The record as a line, with what must not go out masked by `masker`.
    ///
    /// # Errors
    /// Internal where it cannot be written as JSON, or nobody could read what it says; usage where
    /// the line is longer than [`MAX_LINE`].
    pub fn line(&self, masker: &Masker) -> Result<Line> {
        form::check(&self.body).map_err(|what| Error::internal(format!("a record with {what}")))?;
        let doing = |e| Error::internal("writing a record as JSON").with_source(e);
        let mut object = object(&self.head).map_err(doing)?;
        object.extend(
            match &self.body {
                Body::Checkpoint(b) => self::object(b),
                Body::Envelope(b) => self::object(b),
                Body::Tests(b) => self::object(b),
                Body::Coverage(b) => self::object(b),
                Body::Raw(b) => self::object(b),
            }
            .map_err(doing)?,
        );
        let kind = self.body.kind();
        object.insert("v".to_owned(), SCHEMA.into());
        object.insert("kind".to_owned(), kind.word().into());
        if !self.masked.is_empty() {
            let masked = serde_json::to_value(&self.masked).map_err(doing)?;
            object.insert("masked".to_owned(), masked);
        }
        mask::object(kind, &mut object, masker);
        Line::of(kind, self.head.id.clone(), &object)
    }
}

fn object(part: &impl Serialize) -> serde_json::Result<Map<String, Value>> {
    match serde_json::to_value(part)? {
        Value::Object(map) => Ok(map),
        _ => Err(serde::ser::Error::custom("not an object")),
    }
}

/// A line that is to be written: canonical bytes without the line feed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    kind: Kind,
    id: RecordId,
    bytes: Vec<u8>,
}

impl Line {
    /// The line of `object`, whose keys come out sorted.
    pub(super) fn of(kind: Kind, id: RecordId, object: &Map<String, Value>) -> Result<Line> {
        let bytes = serde_json::to_vec(object)
            .map_err(|e| Error::internal("writing a record as JSON").with_source(e))?;
        if bytes.len() > MAX_LINE {
            return Err(Error::usage(format!(
                "record {id} would be a line of {} MiB; {} are the most",
                bytes.len() >> 20,
                MAX_LINE >> 20
            ))
            .with_hint("`git config evolve.payloadCap 64` keeps larger payloads out of notes"));
        }
        Ok(Line { kind, id, bytes })
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Which record it is.
    pub fn id(&self) -> &RecordId {
        &self.id
    }

    /// The JSON object, without a line feed.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// What a line of a note turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadLine {
    /// A record of a schema that this version knows.
    Known(Box<Record>),
    /// One of a later schema: kept, counted, and what needs it is unknown.
    Newer {
        /// Its schema.
        v: u64,
        /// Its id, where it has one of the form of this version's.
        id: Option<RecordId>,
    },
    /// No record.
    Bad(BadLine),
    /// Nothing: git puts such lines between notes that it joins.
    Blank,
}

/// Why a line is no record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum BadLine {
    /// Longer than [`MAX_LINE`].
    TooLong,
    /// Not a JSON object, or one too deep.
    NotJson,
    /// Of another kind than the note's.
    OtherKind,
    /// A field is missing or out of form.
    Field(String),
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadLine::TooLong => write!(f, "longer than {} MiB", MAX_LINE >> 20),
            BadLine::NotJson => f.write_str("not a JSON object"),
            BadLine::OtherKind => f.write_str("of another kind than its note"),
            BadLine::Field(what) => f.write_str(what),
        }
    }
}

/// Reads one line of a note of `kind`, with or without its line feed. Never fails: what is no
/// record says why.
pub fn read_line(kind: Kind, bytes: &[u8]) -> ReadLine {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return ReadLine::Blank;
    }
    if bytes.len() > MAX_LINE {
        return ReadLine::Bad(BadLine::TooLong);
    }
    let Ok(Value::Object(object)) = serde_json::from_slice(bytes) else {
        return ReadLine::Bad(BadLine::NotJson);
    };
    let Some(v) = object.get("v").and_then(Value::as_u64).filter(|v| *v > 0) else {
        return ReadLine::Bad(BadLine::Field("without a schema (v)".to_owned()));
    };
    if v > SCHEMA {
        let id = object.get("id").and_then(Value::as_str);
        return ReadLine::Newer {
            v,
            id: id.and_then(RecordId::parse),
        };
    }
    if object.get("kind").and_then(Value::as_str) != Some(kind.word()) {
        return ReadLine::Bad(BadLine::OtherKind);
    }
    match record(kind, object) {
        Ok(record) => ReadLine::Known(Box::new(record)),
        Err(e) => ReadLine::Bad(BadLine::Field(e.to_string())),
    }
}

fn record(kind: Kind, object: Map<String, Value>) -> serde_json::Result<Record> {
    let masked = match object.get("masked") {
        Some(list) => Vec::deserialize(list)?,
        None => Vec::new(),
    };
    let whole = Value::Object(object);
    let record = Record {
        head: Head::deserialize(&whole)?,
        masked,
        body: match kind {
            Kind::Checkpoint => Body::Checkpoint(serde_json::from_value(whole)?),
            Kind::Envelope => Body::Envelope(serde_json::from_value(whole)?),
            Kind::Tests => Body::Tests(serde_json::from_value(whole)?),
            Kind::Coverage => Body::Coverage(serde_json::from_value(whole)?),
            Kind::Raw => Body::Raw(serde_json::from_value(whole)?),
        },
    };
    match form::check(&record.body) {
        Ok(()) => Ok(record),
        Err(what) => Err(serde::de::Error::custom(what)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{head, record};
    use super::*;
    use crate::record::Event;

    fn bytes(body: Body) -> Vec<u8> {
        let line = record(body).line(&Masker::general()).expect("a line");
        line.bytes().to_vec()
    }

    fn begin() -> Vec<u8> {
        bytes(Body::from(Checkpoint::of(Event::Begin)))
    }

    #[test]
    fn a_record_reads_back_and_its_keys_are_sorted() {
        let record = record(Body::from(Checkpoint::of(Event::Agent)));
        let line = record.line(&Masker::general()).expect("a line");
        assert_eq!(
            read_line(Kind::Checkpoint, line.bytes()),
            ReadLine::Known(Box::new(record))
        );
        let text = String::from_utf8(line.bytes().to_vec()).expect("UTF-8");
        assert!(!text.contains('\n'));
        let key = regex::Regex::new("[{,]\"([a-z_]+)\":").expect("a pattern");
        let keys: Vec<String> = key.captures_iter(&text).map(|c| c[1].to_owned()).collect();
        assert_eq!(keys.len(), 14);
        assert!(keys.is_sorted(), "{text}");
    }

    #[test]
    fn later_schemas_are_kept_and_fields_that_came_later_are_passed_over() {
        let text = String::from_utf8(begin()).expect("UTF-8");
        let later = text.replace("\"v\":1", "\"v\":99");
        let id = Some(head().id);
        assert_eq!(
            read_line(Kind::Checkpoint, later.as_bytes()),
            ReadLine::Newer { v: 99, id }
        );
        let more = text.replace("\"v\":1", "\"later\":{\"a\":[1]},\"v\":1");
        assert!(matches!(
            read_line(Kind::Checkpoint, more.as_bytes()),
            ReadLine::Known(_)
        ));
    }

    #[test]
    fn a_line_that_is_no_record_says_why() {
        let text = String::from_utf8(begin()).expect("UTF-8");
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (line, why) in [
            ("{", "not a JSON object".to_owned()),
            ("[1]", "not a JSON object".to_owned()),
            ("\u{feff}{}", "not a JSON object".to_owned()),
            (deep.as_str(), "not a JSON object".to_owned()),
            ("{}", "without a schema (v)".to_owned()),
            ("{\"v\":\"1\"}", "without a schema (v)".to_owned()),
            ("{\"v\":0}", "without a schema (v)".to_owned()),
            ("{\"v\":1}", "of another kind than its note".to_owned()),
            (
                &text.replace("a/b/1", "../b/1"),
                "a chain path out of form".to_owned(),
            ),
            (
                &text.replace("\"role\":\"base\"", "\"role\":\"foreign\""),
                "a role that is none of base, agent, reset".to_owned(),
            ),
            (
                &text.replace("\"checkpoint\":0", "\"checkpoint\":-1"),
                "invalid value: integer `-1`, expected u32".to_owned(),
            ),
        ] {
            let read = read_line(Kind::Checkpoint, line.as_bytes());
            let ReadLine::Bad(bad) = read else {
                panic!("{read:?}")
            };
            assert_eq!(bad.to_string(), why);
        }
        let other = read_line(Kind::Raw, text.as_bytes());
        assert_eq!(other, ReadLine::Bad(BadLine::OtherKind));
        assert_eq!(read_line(Kind::Raw, b" \r\n"), ReadLine::Blank);
    }
}
