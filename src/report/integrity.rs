//! What a reader should know before trusting the figures of a change, in words and in JSON.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::change::path_entries;
use super::text;
use crate::history::Integrity;

/// One entry in words.
pub(super) fn words(entry: &Integrity) -> String {
    match entry {
        Integrity::ClassChanged { path, now } => format!(
            "class-changed: {} is marked as {} now and was still counted as production",
            text::shown(path),
            now.word()
        ),
        Integrity::ResetTouchedProduction { files } => format!(
            "reset-touched-production: a reset changed {} beyond restoring",
            text::counted(*files, "production file", "production files")
        ),
        Integrity::SteeringFile { path } => format!(
            "steering-file: {} steers measurement or tools",
            text::shown(path)
        ),
        Integrity::NestedRepository { path } => format!(
            "nested-repository: {} has become a submodule without .gitmodules; its code is \
             measured no more",
            text::shown(path)
        ),
        Integrity::JudgedByItself { path, class } => format!(
            "judged-by-itself: {} is not in the base and was taken for {} by its own marks",
            text::shown(path),
            class.word()
        ),
    }
}

/// One entry as JSON.
pub(super) struct IntegrityJson<'a>(pub &'a Integrity);

impl Serialize for IntegrityJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        let (kind, path) = match self.0 {
            Integrity::ClassChanged { path, .. } => ("class-changed", Some(path)),
            Integrity::ResetTouchedProduction { .. } => ("reset-touched-production", None),
            Integrity::SteeringFile { path } => ("steering-file", Some(path)),
            Integrity::NestedRepository { path } => ("nested-repository", Some(path)),
            Integrity::JudgedByItself { path, .. } => ("judged-by-itself", Some(path)),
        };
        map.serialize_entry("kind", kind)?;
        if let Some(path) = path {
            path_entries(("path", "path_hex"), path, &mut map)?;
        }
        match self.0 {
            Integrity::ClassChanged { now, .. } => map.serialize_entry("class", now.word())?,
            Integrity::JudgedByItself { class, .. } => {
                map.serialize_entry("class", class.word())?;
            }
            Integrity::ResetTouchedProduction { files } => map.serialize_entry("files", files)?,
            Integrity::SteeringFile { .. } | Integrity::NestedRepository { .. } => {}
        }
        map.end()
    }
}
