//! Envelopes and transcripts of coding agents, each read into one session.
//!
//! `detect` tells the format from the objects alone; each format has a reader that is given the
//! objects in order and makes the session at the end.

mod amount;
pub mod detect;
mod draft;
mod events;
mod format;

use std::io;

use serde_json::Value;

pub use detect::{Found, of as detect};
pub use format::Format;

use super::json::{self, Told};
use crate::record::{Opened, Reading, Session, Source};

/// Reads the objects of one file of one format.
pub(super) trait SessionReader {
    /// Takes the next object.
    fn object(&mut self, object: &Value);

    /// The session; `told` is what the text was beside its objects.
    fn finish(self: Box<Self>, told: &Told) -> Session;
}

/// The reader of a format.
fn reader(format: Format) -> Option<Box<dyn SessionReader>> {
    let _ = format;
    None
}

/// Reads one session out of the files that tell of it.
pub fn read(files: &mut [Opened<'_>]) -> Reading<Session> {
    let Some(file) = files.first_mut() else {
        return Reading::Empty;
    };
    match detect(&mut *file.bytes) {
        Err(failed) => Reading::Unreadable(String::new(), failed.to_string()),
        Ok(Found::Empty) => Reading::Empty,
        Ok(Found::Unknown) => Reading::Unrecognised,
        Ok(Found::Format(format)) => match session(format, &mut *file.bytes) {
            Ok(Some(session)) => Reading::Read(session),
            Ok(None) => Reading::Unrecognised,
            Err(failed) => Reading::Unreadable(format.word().to_owned(), failed.to_string()),
        },
    }
}

fn session(format: Format, source: &mut dyn Source) -> io::Result<Option<Session>> {
    let Some(mut reader) = reader(format) else {
        return Ok(None);
    };
    let told = json::objects(source, &mut |object| reader.object(&object))?;
    Ok(Some(reader.finish(&told)))
}
