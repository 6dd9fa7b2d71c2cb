//! Envelopes and transcripts of coding agents, each read into one session.
//!
//! `detect` tells the format from the objects alone; each format has a reader that is given the
//! objects in order and makes the session at the end.

mod format;

use serde_json::Value;

pub use format::Format;

use super::json::Told;
use crate::record::Session;

/// Reads the objects of one file of one format.
pub(super) trait SessionReader {
    /// Takes the next object.
    fn object(&mut self, object: &Value);

    /// The session; `told` is what the text was beside its objects.
    fn finish(self: Box<Self>, told: &Told) -> Session;
}
