//! `check`: limits, and what keeps within them, in every format.

mod json;
mod markdown;

use std::io::Write;

use super::change::Change;
use super::csv;
use super::figure::{cell, fields};
use super::layout::{Format, Layout};
use super::log::{document, line};
use super::number::{exact, short};
use super::stamp::{SettingsValues, Stamp};
use super::table::{Align, Cell, Table, Tone};
use super::text;
use crate::error::Result;
use crate::history::{Language, Place};
use crate::measure::Value;
use crate::measure::catalogue::{Measure, Pool};
use crate::stats::{Bound, Kept, kept};

/// What a check found.
pub struct CheckView<'a> {
    /// By what it was made.
    pub stamp: &'a Stamp,
    /// The settings' values.
    pub settings: &'a SettingsValues,
    /// What was checked, in words: `origin/main..HEAD`, `the index`.
    pub of: &'a str,
    /// How many changes that is.
    pub changes: usize,
    /// Each limit, in the order given; of a measure with several languages one a language.
    pub limits: &'a [CheckedLimit],
    /// What all of it comes to.
    pub kept: Kept,
    /// Whether nothing follows from that.
    pub informational: bool,
    /// Whether an unknown figure is let pass.
    pub allow_unknown: bool,
    /// What a reader should know.
    pub remarks: &'a [String],
}

/// One limit, held against.
#[derive(Debug, Clone)]
pub struct CheckedLimit {
    /// Of what.
    pub measure: &'static Measure,
    /// Which side of it is allowed.
    pub bound: Bound,
    /// The limit.
    pub limit: f64,
    /// The language of the figures, where those of several are never added.
    pub language: Option<Language>,
    /// Whether it is kept.
    pub kept: Kept,
    /// The figure of all changes as one; `None`: each was held against the limit.
    pub whole: Option<Value>,
    /// The changes, newest first.
    pub changes: Vec<CheckedChange>,
}

/// One change, held against a limit.
#[derive(Debug, Clone)]
pub struct CheckedChange {
    /// Which.
    pub place: Change,
    /// Its figure.
    pub value: Value,
    /// Whether it keeps within the limit; `None`: all changes were held against it as one.
    pub kept: Option<Kept>,
    /// What the figure counted.
    pub items: Vec<CheckItem>,
}

/// One thing that a figure counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckItem {
    /// Path of the file it is in; empty where it is in none, or the name says it.
    pub path: Vec<u8>,
    /// Its name.
    pub name: String,
    /// More, in few words; may be empty.
    pub note: String,
}

/// Things and changes listed below a limit on a terminal; the others are counted.
const LISTED: usize = 10;

/// Writes what was found.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, view: &CheckView<'_>, layout: Layout) -> Result<()> {
    match layout.format {
        Format::Table => write_table(out, view, layout.columns),
        Format::Markdown => markdown::write(out, view),
        Format::Json => document(out, &json::Document(view)),
        Format::JsonLines => view.limits.iter().try_for_each(|limit| {
            line(
                out,
                &json::Row {
                    limit,
                    stamp: Some(view.stamp),
                },
            )
        }),
        Format::Csv => write_csv(out, view),
    }
}

fn write_table(out: &mut dyn Write, view: &CheckView<'_>, columns: usize) -> Result<()> {
    writeln!(out, "{}", Tone::Title.paint(&heading(view)))?;
    if !view.limits.is_empty() {
        let mut table = table();
        for limit in view.limits {
            table.row(row(limit));
            for note in reasons(limit).iter().chain(&found(limit, LISTED)) {
                table.note(note);
            }
        }
        table.write(out, columns)?;
    }
    let tone = tone(view.kept);
    writeln!(out, "{}", tone.paint(&ending(view)))?;
    for remark in view.remarks {
        let wrapped = text::wrap(remark, columns, 2);
        writeln!(out, "{}", Tone::Faint.paint(&wrapped))?;
    }
    let config = format!("config {}", view.stamp.config);
    writeln!(out, "{}", Tone::Faint.paint(&config))?;
    Ok(())
}

fn table() -> Table {
    Table::new()
        .column("measure", Align::Left)
        .column("limit", Align::Left)
        .column("found", Align::Right)
        .column("", Align::Left)
}

/// What was checked, and how.
fn heading(view: &CheckView<'_>) -> String {
    let changes = text::counted(view.changes as u64, "change", "changes");
    format!("{}: {changes}", text::visible(view.of))
}

fn row(limit: &CheckedLimit) -> Vec<Cell> {
    vec![
        Cell::new(name(limit)),
        Cell::new(format!("{} {}", limit.bound.sign(), exact(limit.limit))),
        figure(limit),
        Cell::new(said(limit)).tone(tone(limit.kept)),
    ]
}

fn name(limit: &CheckedLimit) -> String {
    match limit.language {
        Some(language) => format!("{} ({language})", limit.measure.id),
        None => limit.measure.id.to_owned(),
    }
}

/// The figure of all changes, else the one that is worst to the limit.
fn figure(limit: &CheckedLimit) -> Cell {
    let value = match &limit.whole {
        Some(value) => Some(value),
        None => worst(limit).map(|c| &c.value),
    };
    match value {
        // On a limit of three decimals a figure cut to as many would seem to be.
        Some(Value::Known(k)) if k.value != limit.limit && short(k.value) == short(limit.limit) => {
            Cell::new(exact(k.value))
        }
        Some(value) => cell(value),
        None => Cell::new("none").tone(Tone::Faint),
    }
}

/// Of changes held against a limit one by one, the one furthest over it; where none is, one that
/// is unknown, else the one nearest to it.
fn worst(limit: &CheckedLimit) -> Option<&CheckedChange> {
    let far = |c: &CheckedChange| match (&c.value, limit.bound) {
        (Value::Known(k), Bound::Max) => k.value,
        (Value::Known(k), Bound::Min) => -k.value,
        _ => f64::NEG_INFINITY,
    };
    let mut worst: Option<&CheckedChange> = None;
    for change in &limit.changes {
        let key = |c: &CheckedChange| (c.kept, far(c));
        if worst.is_none_or(|w| key(change) > key(w)) {
            worst = Some(change);
        }
    }
    worst
}

/// `held`, `not held`, `unknown`; of single changes how many of them.
fn said(limit: &CheckedLimit) -> String {
    let of = limit.changes.len();
    let such = |c: &&CheckedChange| c.kept == Some(limit.kept);
    match (&limit.whole, limit.kept) {
        (Some(_), _) | (None, Kept::Held) => limit.kept.words().to_owned(),
        (None, kept) if of > 1 => {
            let n = limit.changes.iter().filter(such).count();
            format!("{} by {n} of {of} changes", kept.words())
        }
        (None, kept) => kept.words().to_owned(),
    }
}

/// Why figures are unknown.
fn reasons(limit: &CheckedLimit) -> Vec<String> {
    let mut all = Vec::new();
    let values = match &limit.whole {
        Some(value) => vec![value],
        None => limit.changes.iter().map(|c| &c.value).collect(),
    };
    for value in values {
        if let Value::Unknown(why) = value {
            let line = format!("unknown: {why}");
            if !all.contains(&line) {
                all.push(line);
            }
        }
    }
    all
}

/// What broke a limit: the things that were counted, else the changes with most of it; `most` of
/// them, and how many more there are.
fn found(limit: &CheckedLimit, most: usize) -> Vec<String> {
    if limit.kept != Kept::Broken {
        return Vec::new();
    }
    let blamed: Vec<&CheckedChange> = limit
        .changes
        .iter()
        .filter(|c| c.kept.is_none_or(|kept| kept == Kept::Broken))
        .collect();
    let mut lines = Vec::new();
    // What several changes did is said once, with all of them.
    let mut things: Vec<(&CheckItem, Vec<String>)> = Vec::new();
    for change in &blamed {
        for item in &change.items {
            let known = |(i, _): &&mut (&CheckItem, Vec<String>)| {
                (&i.path, &i.name) == (&item.path, &item.name)
            };
            match things.iter_mut().find(known) {
                Some((_, of)) => of.push(called(change)),
                None => things.push((item, vec![called(change)])),
            }
        }
    }
    things.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(b.0)));
    let several = limit.changes.len() > 1;
    for (item, of) in &things {
        let mut words = vec![text::decoded(&item.path).into_owned(), item.name.clone()];
        // Of several changes each has a note of its own.
        if !item.note.is_empty() && of.len() == 1 {
            words.push(format!("({})", item.note));
        }
        if several {
            words.push(format!("in {}", of.join(", ")));
        }
        words.retain(|w| !w.is_empty());
        lines.push(words.join(" "));
    }
    if lines.is_empty() && several {
        let mut by = blamed;
        let size = |c: &CheckedChange| c.value.number().unwrap_or(0.0);
        // Of a ratio those that are over the limit by themselves, of a sum all that add to it.
        by.retain(|c| match limit.measure.pool {
            Pool::SumOverSum => kept(&c.value, limit.bound, limit.limit) == Kept::Broken,
            _ => size(c) != 0.0,
        });
        by.sort_by(|a, b| match limit.bound {
            Bound::Max => size(b).total_cmp(&size(a)),
            Bound::Min => size(a).total_cmp(&size(b)),
        });
        for change in by {
            let subject = change.place.step.commit.subject();
            lines.push(format!(
                "{} in {} {subject}",
                short(size(change)),
                called(change)
            ));
        }
    }
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        lines.truncate(most);
        lines.push(format!("and {more} more"));
    }
    lines
}

/// A change in few words: its commit, of a chain its checkpoint before it.
fn called(change: &CheckedChange) -> String {
    let step = &change.place.step;
    if step.pending {
        return "what is not committed".to_owned();
    }
    let id = step.commit.id.short();
    match &step.place {
        Place::Plain { .. } => id.to_string(),
        Place::Chain { checkpoint, .. } => format!("checkpoint {checkpoint} ({id})"),
    }
}

/// What it all comes to.
fn ending(view: &CheckView<'_>) -> String {
    let of = view.limits.len();
    let n = |kept| view.limits.iter().filter(|l| l.kept == kept).count();
    let (broken, unknown) = (n(Kept::Broken), n(Kept::Unknown));
    let mut words = match (broken, unknown) {
        (0, 0) if view.changes == 0 => "nothing to check: held".to_owned(),
        (0, 0) => match of {
            1 => "held: the limit".to_owned(),
            _ => format!("held: all {of} limits"),
        },
        (0, unknown) => format!("unknown: {unknown} of {}", limits(of)),
        (broken, 0) => format!("not held: {broken} of {}", limits(of)),
        (broken, unknown) => format!("not held: {broken} of {}; {unknown} unknown", limits(of)),
    };
    if view.kept == Kept::Held && unknown > 0 {
        words.push_str(" (let pass: --allow-unknown)");
    }
    if view.informational {
        words.push_str(" (informational: the exit says nothing)");
    }
    words
}

fn limits(n: usize) -> String {
    text::counted(n as u64, "limit", "limits")
}

fn tone(kept: Kept) -> Tone {
    match kept {
        Kept::Held => Tone::Better,
        Kept::Unknown => Tone::Missing,
        Kept::Broken => Tone::Worse,
    }
}

/// The columns of CSV.
const COLUMNS: [&str; 14] = [
    "measure",
    "language",
    "bound",
    "limit",
    "scope",
    "commit",
    "checkpoint",
    "value",
    "num",
    "den",
    "state",
    "reason",
    "kept",
    "changes",
];

/// One row a figure that was held against a limit.
fn write_csv(out: &mut dyn Write, view: &CheckView<'_>) -> Result<()> {
    csv::record(out, COLUMNS)?;
    for limit in view.limits {
        let head = [
            limit.measure.id.to_owned(),
            limit.language.map_or("", Language::id).to_owned(),
            limit.bound.word().to_owned(),
            exact(limit.limit),
        ];
        let record =
            |out: &mut dyn Write, place: [String; 3], value: &Value, kept: Kept, n: usize| {
                let ending = [kept.words().to_owned(), n.to_string()];
                let all = head.iter().chain(&place);
                let values = fields(value);
                csv::record(out, all.chain(&values).chain(&ending).map(String::as_str))
            };
        if let Some(value) = &limit.whole {
            let place = ["range".to_owned(), String::new(), String::new()];
            record(out, place, value, limit.kept, limit.changes.len())?;
            continue;
        }
        for change in &limit.changes {
            let step = &change.place.step;
            let commit = match step.pending {
                true => String::new(),
                false => step.commit.id.to_string(),
            };
            let checkpoint = match &step.place {
                Place::Plain { .. } => String::new(),
                Place::Chain { checkpoint, .. } => checkpoint.to_string(),
            };
            let place = ["change".to_owned(), commit, checkpoint];
            let kept = change.kept.unwrap_or(limit.kept);
            record(out, place, &change.value, kept, 1)?;
        }
    }
    Ok(())
}
