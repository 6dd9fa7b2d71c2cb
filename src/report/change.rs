//! One measured change as machines read it: a JSON object, rows of tidy CSV.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::csv;
use super::figure::{FigureJson, fields};
use super::stamp::{Stamp, time};
use super::text;
use crate::error::Result;
use crate::history::{Place, Step};
use crate::measure::Figure;

/// A change and its figures, in the order the measures were asked for.
#[derive(Debug, Clone)]
pub struct Change {
    /// The evidence.
    pub step: Arc<Step>,
    /// Measure id and figure; changes share a figure that is the same for all of them.
    pub figures: Vec<(&'static str, Arc<Figure>)>,
}

impl Change {
    /// The figure of one measure, where it was asked for.
    pub fn figure(&self, id: &str) -> Option<&Figure> {
        self.figures
            .iter()
            .find(|(i, _)| *i == id)
            .map(|(_, f)| &**f)
    }

    /// The number it stands under in its series: its checkpoint, or its position in the range
    /// of a plain history.
    pub fn index(&self) -> u32 {
        match &self.step.place {
            Place::Plain { position } => *position,
            Place::Chain { checkpoint, .. } => *checkpoint,
        }
    }
}

/// The figures of a change by measure id.
pub(super) struct FiguresJson<'a>(pub &'a [(&'static str, Arc<Figure>)]);

impl Serialize for FiguresJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(Some(self.0.len()))?;
        for (id, figure) in self.0 {
            map.serialize_entry(id, &FigureJson(figure))?;
        }
        map.end()
    }
}

/// A change as a JSON object: with the stamp in front where it stands alone (JSON Lines),
/// without it inside a document.
pub(super) struct ChangeJson<'a> {
    /// The change.
    pub change: &'a Change,
    /// In front, where the object stands alone.
    pub stamp: Option<&'a Stamp>,
}

impl Serialize for ChangeJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        if let Some(stamp) = self.stamp {
            stamp_entries(stamp, &mut map)?;
        }
        place_entries(&self.change.step, &mut map)?;
        map.serialize_entry("metrics", &FiguresJson(&self.change.figures))?;
        map.end()
    }
}

/// `schema` to `config`.
pub(super) fn stamp_entries<M: SerializeMap>(
    stamp: &Stamp,
    map: &mut M,
) -> std::result::Result<(), M::Error> {
    map.serialize_entry("schema", &stamp.schema)?;
    map.serialize_entry("tool", &stamp.tool)?;
    map.serialize_entry("analyser", &stamp.analyser)?;
    map.serialize_entry("definitions", &stamp.definitions)?;
    map.serialize_entry("config", &stamp.config)
}

/// `commit` to `time`.
pub(super) fn place_entries<M: SerializeMap>(
    step: &Step,
    map: &mut M,
) -> std::result::Result<(), M::Error> {
    let id = (!step.pending).then(|| step.commit.id.to_string());
    map.serialize_entry("commit", &id)?;
    map.serialize_entry("parent", &step.parent.map(|p| p.to_string()))?;
    let (path, label, checkpoint) = match &step.place {
        Place::Plain { .. } => (None, None, None),
        Place::Chain {
            path,
            label,
            checkpoint,
            ..
        } => (Some(path), Some(label), Some(checkpoint)),
    };
    map.serialize_entry("experiment", &path.map(|p| &p.experiment))?;
    map.serialize_entry("arm", &path.map(|p| &p.arm))?;
    map.serialize_entry("task", &path.and_then(|p| p.task.as_ref()))?;
    map.serialize_entry("chain", &path.map(|p| p.chain))?;
    map.serialize_entry("path", &label)?;
    map.serialize_entry("checkpoint", &checkpoint)?;
    let subject = (!step.pending).then(|| step.commit.subject());
    map.serialize_entry("subject", &subject)?;
    let when = (!step.pending).then(|| time(step.commit.time));
    map.serialize_entry("time", &when)
}

/// The columns of tidy CSV.
pub const TIDY: [&str; 13] = [
    "experiment",
    "arm",
    "task",
    "chain",
    "checkpoint",
    "commit",
    "metric",
    "language",
    "value",
    "num",
    "den",
    "state",
    "reason",
];

/// The head line of tidy CSV.
pub(super) fn write_tidy_head(out: &mut dyn std::io::Write) -> Result<()> {
    csv::record(out, TIDY)
}

/// The rows of one change: one a figure and language.
pub(super) fn write_tidy(out: &mut dyn std::io::Write, change: &Change) -> Result<()> {
    let path = match &change.step.place {
        Place::Plain { .. } => None,
        Place::Chain { path, label, .. } => Some((path, label)),
    };
    let mut place = [const { String::new() }; 4];
    if let Some((path, label)) = path {
        place = [
            path.experiment.clone(),
            path.arm.clone(),
            path.task.clone().unwrap_or_default(),
            // Two chains under one path stay two series.
            match label.rsplit_once('@') {
                Some((_, id)) => format!("{}@{id}", path.chain),
                None => path.chain.to_string(),
            },
        ];
    }
    let index = change.index().to_string();
    let commit = match change.step.pending {
        true => String::new(),
        false => change.step.commit.id.to_string(),
    };
    for (id, figure) in &change.figures {
        let mut rows = Vec::new();
        if figure.by_language.is_empty() {
            rows.push((figure.language, &figure.value));
        } else {
            rows.extend(figure.by_language.iter().map(|(l, v)| (Some(*l), v)));
        }
        for (language, value) in rows {
            let language = language.map_or("", crate::history::Language::id);
            let fields = fields(value);
            let row = place
                .iter()
                .map(String::as_str)
                .chain([index.as_str(), commit.as_str(), id, language])
                .chain(fields.iter().map(String::as_str));
            csv::record(out, row)?;
        }
    }
    Ok(())
}

/// A path for JSON: `path`, and `path_hex` where its bytes are not UTF-8.
pub(super) fn path_entries<M: SerializeMap>(
    key: (&'static str, &'static str),
    path: &[u8],
    map: &mut M,
) -> std::result::Result<(), M::Error> {
    map.serialize_entry(key.0, &text::decoded(path))?;
    if let Some(hex) = text::hex_where_needed(path) {
        map.serialize_entry(key.1, &hex)?;
    }
    Ok(())
}
