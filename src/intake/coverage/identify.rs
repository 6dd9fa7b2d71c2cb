//! Which coverage format a file is in, from its content alone.

use std::io::{self, BufReader, SeekFrom};

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, Visitor};

use super::lines::Lines;
use crate::intake::tame::Tame;
use crate::intake::xml::{Event, Xml};
use crate::record::{Opened, Source};

/// How far a text is looked at for its first record.
const LOOK: u64 = 1 << 20;

/// A format of coverage reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// JaCoCo's XML.
    Jacoco,
    /// The `json` report of coverage.py.
    CoveragePyJson,
    /// Cobertura's XML, as many tools write it.
    Cobertura,
    /// LCOV's tracefile.
    Lcov,
    /// What `go test -coverprofile` writes.
    GoCoverprofile,
}

impl Format {
    /// Its name, as it stands in records.
    pub fn name(self) -> &'static str {
        match self {
            Format::Jacoco => "jacoco",
            Format::CoveragePyJson => "coveragepy-json",
            Format::Cobertura => "cobertura",
            Format::Lcov => "lcov",
            Format::GoCoverprofile => "go-coverprofile",
        }
    }
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing but white space.
    Blank,
    /// None of the formats.
    Unknown,
    /// One of them.
    Is(Format),
}

/// The coverage format of a file; `None` where it is none, or cannot be read.
pub fn identify(file: &mut Opened<'_>) -> Option<Format> {
    match kind(&mut *file.bytes) {
        Ok(Kind::Is(format)) => Some(format),
        Ok(Kind::Blank | Kind::Unknown) | Err(_) => None,
    }
}

/// What the content of a file is.
///
/// # Errors
/// Those of reading.
pub(super) fn kind(source: &mut dyn Source) -> io::Result<Kind> {
    let first = Lines::new(source)?.first_byte()?;
    Ok(match first {
        None => Kind::Blank,
        Some(b'<') => by_elements(source)?,
        Some(b'{') => by_keys(source)?,
        Some(_) => by_lines(source)?,
    })
}

/// Clover has the root of Cobertura; its child is `project`.
fn by_elements(source: &mut dyn Source) -> io::Result<Kind> {
    let mut xml = Xml::new(source)?;
    let Ok(Event::Open(root)) = xml.next() else {
        return Ok(Kind::Unknown);
    };
    let root = root.name().to_owned();
    if root != "report" && root != "coverage" {
        return Ok(Kind::Unknown);
    }
    while let Ok(Event::Open(child)) = xml.next() {
        match (root.as_str(), child.name()) {
            ("report", "sessioninfo" | "group" | "package") => return Ok(Kind::Is(Format::Jacoco)),
            ("coverage", "packages") => return Ok(Kind::Is(Format::Cobertura)),
            ("coverage", "project") => return Ok(Kind::Unknown),
            _ => {}
        }
        if xml.skip().is_err() {
            break;
        }
    }
    Ok(Kind::Unknown)
}

fn by_keys(source: &mut dyn Source) -> io::Result<Kind> {
    let mut seen = Seen::default();
    let text = Tame::new(BufReader::new(Lines::new(source)?));
    let mut reader = serde_json::Deserializer::from_reader(BufReader::new(text));
    // An error is no matter: what was seen before it says what the file was to be.
    let _ = reader.deserialize_any(Top(&mut seen));
    Ok(match seen.meta && seen.files {
        true => Kind::Is(Format::CoveragePyJson),
        false => Kind::Unknown,
    })
}

#[derive(Default)]
struct Seen {
    meta: bool,
    files: bool,
}

/// The outermost object: looks whether two of its values are objects, and stops then.
struct Top<'s>(&'s mut Seen);

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "meta" => map.next_value_seed(Object(&mut self.0.meta))?,
                // What comes after the files is not needed, nor are they where `meta` was first.
                "files" if self.0.meta => return map.next_value_seed(Object(&mut self.0.files)),
                "files" => map.next_value_seed(Object(&mut self.0.files))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Notes that a value is an object as soon as it begins.
struct Object<'s>(&'s mut bool);

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        *self.0 = true;
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

fn by_lines(source: &mut dyn Source) -> io::Result<Kind> {
    source.seek(SeekFrom::Start(0))?;
    let mut lines = Lines::new(source)?;
    let mut first = true;
    while lines.taken() < LOOK {
        let Some(line) = lines.next()? else { break };
        let Some(line) = line.text() else { continue };
        let line = line.trim();
        if first && mode(line) {
            return Ok(Kind::Is(Format::GoCoverprofile));
        }
        if line.starts_with("SF:") {
            return Ok(Kind::Is(Format::Lcov));
        }
        first &= line.is_empty();
    }
    Ok(Kind::Unknown)
}

/// Whether a line is the first of a Go profile.
pub(super) fn mode(line: &str) -> bool {
    let mode = line.strip_prefix("mode:").map(str::trim);
    matches!(mode, Some("set" | "count" | "atomic"))
}
