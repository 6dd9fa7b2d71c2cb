//! A check as JSON.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{CheckItem, CheckView, CheckedChange, CheckedLimit};
use crate::history::Language;
use crate::report::change::{path_entries, place_entries, stamp_entries};
use crate::report::figure::value_entries;
use crate::report::number::Number;
use crate::report::stamp::Stamp;

/// The whole of it.
pub(super) struct Document<'a, 'v>(pub &'a CheckView<'v>);

/// One limit, alone or within the document.
pub(super) struct Row<'a> {
    /// The limit.
    pub limit: &'a CheckedLimit,
    /// In front, where the object stands alone.
    pub stamp: Option<&'a Stamp>,
}

struct Rows<'a>(&'a [CheckedLimit]);
struct Changes<'a>(&'a [CheckedChange]);
struct OneChange<'a>(&'a CheckedChange);
struct OneItem<'a>(&'a CheckItem);

impl Serialize for Document<'_, '_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let view = self.0;
        let mut map = s.serialize_map(None)?;
        stamp_entries(view.stamp, &mut map)?;
        map.serialize_entry("settings", view.settings)?;
        map.serialize_entry("of", view.of)?;
        map.serialize_entry("changes", &view.changes)?;
        map.serialize_entry("kept", view.kept.words())?;
        map.serialize_entry("informational", &view.informational)?;
        map.serialize_entry("allow_unknown", &view.allow_unknown)?;
        map.serialize_entry("limits", &Rows(view.limits))?;
        map.serialize_entry("remarks", view.remarks)?;
        map.end()
    }
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut seq = s.serialize_seq(Some(self.0.len()))?;
        for limit in self.0 {
            seq.serialize_element(&Row { limit, stamp: None })?;
        }
        seq.end()
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let limit = self.limit;
        let mut map = s.serialize_map(None)?;
        if let Some(stamp) = self.stamp {
            stamp_entries(stamp, &mut map)?;
        }
        map.serialize_entry("measure", limit.measure.id)?;
        map.serialize_entry("language", &limit.language.map(Language::id))?;
        map.serialize_entry("bound", limit.bound.word())?;
        map.serialize_entry("limit", &Number(limit.limit))?;
        let scope = match limit.whole {
            Some(_) => "range",
            None => "change",
        };
        map.serialize_entry("scope", scope)?;
        map.serialize_entry("kept", limit.kept.words())?;
        if let Some(value) = &limit.whole {
            value_entries(value, &mut map)?;
        }
        map.serialize_entry("changes", &Changes(&limit.changes))?;
        map.end()
    }
}

impl Serialize for Changes<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.0.iter().map(OneChange))
    }
}

impl Serialize for OneChange<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let change = self.0;
        let mut map = s.serialize_map(None)?;
        place_entries(&change.place.step, &mut map)?;
        if let Some(kept) = change.kept {
            map.serialize_entry("kept", kept.words())?;
        }
        value_entries(&change.value, &mut map)?;
        let items: Vec<OneItem<'_>> = change.items.iter().map(OneItem).collect();
        map.serialize_entry("items", &items)?;
        map.end()
    }
}

impl Serialize for OneItem<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let item = self.0;
        let mut map = s.serialize_map(None)?;
        if !item.path.is_empty() {
            path_entries(("path", "path_hex"), &item.path, &mut map)?;
        }
        map.serialize_entry("name", &item.name)?;
        if !item.note.is_empty() {
            map.serialize_entry("note", &item.note)?;
        }
        map.end()
    }
}
