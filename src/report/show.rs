//! `show`: one change explained, function by function.

use std::io::Write;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::change::{Change, FiguresJson, path_entries, place_entries, stamp_entries};
use super::diff::inline_diff;
use super::figure::{Remarks, cell};
use super::integrity;
use super::layout::{Format, Layout};
use super::log::{document, line};
use super::show_tests::tests;
use super::stamp::{SettingsValues, Stamp, time};
use super::table::{Align, Cell, Table, Tone};
use super::text;
use crate::error::Result;
use crate::history::{
    Edit, FnChange, FnChangeKind, FnScore, Functions, Lines, Place, Role, Turn, Written,
};
use crate::measure::catalogue::Measure;

/// Where a figure stands among those of the changes before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Share of them below it, those equal counted half, in [0, 1].
    pub rank: f64,
    /// How many of them are known.
    pub of: usize,
}

/// Old and new text of a file, where it is there.
pub type Texts = (Option<Arc<[u8]>>, Option<Arc<[u8]>>);

/// What is shown of one change.
pub struct ShowView<'a> {
    /// By what it was made.
    pub stamp: &'a Stamp,
    /// The settings' values.
    pub settings: &'a SettingsValues,
    /// The change and its figures.
    pub change: &'a Change,
    /// What is not committed: `the index`, `the work tree`.
    pub pending: Option<&'static str>,
    /// The measures, beside the figures.
    pub measures: &'a [&'static Measure],
    /// Where each figure stands.
    pub standings: &'a [Option<Standing>],
    /// The texts of each edit, where an inline diff is wanted.
    pub texts: Option<&'a [Texts]>,
    /// What a reader should know.
    pub remarks: &'a [String],
}

/// Writes the change.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, view: &ShowView<'_>, layout: Layout) -> Result<()> {
    match layout.format {
        Format::Json => document(out, &ShowJson(view)),
        Format::JsonLines => line(out, &ShowJson(view)),
        Format::Csv => {
            super::change::write_tidy_head(out)?;
            super::change::write_tidy(out, view.change)
        }
        Format::Table => {
            head(out, view)?;
            functions(out, view, layout.columns)?;
            if let Some(tests) = tests(view) {
                writeln!(out, "\n{}", Tone::Title.paint("tests"))?;
                tests.write(out, layout.columns)?;
            }
            let mut remarks = Remarks::default();
            writeln!(out)?;
            figures(view, &mut remarks).write(out, layout.columns)?;
            foot(out, view, &remarks, layout.columns)
        }
        Format::Markdown => super::show_markdown::write(out, view),
    }
}

pub(super) fn head(out: &mut dyn Write, view: &ShowView<'_>) -> Result<()> {
    let step = &view.change.step;
    if let Some(pending) = view.pending {
        writeln!(
            out,
            "{}",
            Tone::Id.paint(&format!("not committed: {pending}"))
        )?;
        return Ok(());
    }
    let commit = &step.commit;
    writeln!(out, "{}", Tone::Id.paint(&format!("commit {}", commit.id)))?;
    if let Place::Chain {
        label,
        checkpoint,
        checkpoint_id,
        role,
        ..
    } = &step.place
    {
        let what = match role {
            Role::Base => "base commit, where the chain begins: not measured in logs and slopes",
            Role::Agent => "agent commit",
            Role::Reset => "reset commit: what the experiment put back, not the agent's doing",
            Role::Foreign => "foreign commit: without the chain's trailers, counted as the base's",
            Role::Superseded => "superseded agent commit: a later one counts for this checkpoint",
            Role::Change => "change",
        };
        writeln!(
            out,
            "chain  {} checkpoint {checkpoint} ({})\nrole   {what}",
            text::visible(label),
            text::visible(checkpoint_id)
        )?;
    }
    let person = format!("{} <{}>", commit.author.name, commit.author.email);
    writeln!(out, "author {}", text::visible(&person))?;
    writeln!(out, "date   {}", time(commit.time))?;
    let parent = match step.parent {
        None => "none: a root commit, measured against the empty tree".to_owned(),
        Some(parent) if step.merge => format!("{} (a merge, against its first)", parent.short()),
        Some(parent) => parent.short(),
    };
    writeln!(out, "parent {parent}")?;
    match step.turn {
        Turn::Last => {}
        Turn::First => writeln!(out, "tree   what its first turn left, not the commit's")?,
        Turn::FirstNotHere => writeln!(out, "tree   what its first turn left, which is not here")?,
    }
    if step.ignored_rev {
        writeln!(out, "named in .git-blame-ignore-revs: it writes no lines")?;
    }
    writeln!(out, "\n    {}", text::visible(commit.subject()))?;
    Ok(())
}

fn functions(out: &mut dyn Write, view: &ShowView<'_>, columns: usize) -> Result<()> {
    for (i, edit) in view.change.step.edits.iter().enumerate() {
        writeln!(out, "\n{}", Tone::Title.paint(&file_line(edit)))?;
        let Functions::Read(evidence) = &edit.functions else {
            if let Some(why) = no_functions(edit) {
                writeln!(out, "  {}", Tone::Faint.paint(&why))?;
            }
            continue;
        };
        let Some((old, new)) = view.texts.and_then(|t| t.get(i)) else {
            function_table(&evidence.changes).write(out, columns)?;
            continue;
        };
        let (old, new) = (lines_of(old.as_deref()), lines_of(new.as_deref()));
        for change in &evidence.changes {
            function_table(std::slice::from_ref(change)).write(out, columns)?;
            inline_diff(
                out,
                &part(&old, change.before),
                &part(&new, change.after),
                6,
            )?;
        }
    }
    Ok(())
}

/// The lines of a file, each with its end; none where the file is not there.
fn lines_of(text: Option<&[u8]>) -> Vec<&[u8]> {
    let text = text.unwrap_or_default();
    text.split_inclusive(|b| *b == b'\n').collect()
}

/// The lines of a function among those of its file; nothing where either is not there.
fn part(lines: &[&[u8]], score: Option<FnScore>) -> Vec<u8> {
    let Some(score) = score else {
        return Vec::new();
    };
    let first = (score.start as usize).saturating_sub(1).min(lines.len());
    let end = (score.end as usize).clamp(first, lines.len());
    lines[first..end].concat()
}

pub(super) fn file_line(edit: &Edit) -> String {
    use crate::history::Status;
    let path = text::shown(&edit.path);
    let what = match (edit.status, &edit.old_path) {
        (Status::Added, _) => "added".to_owned(),
        (Status::Deleted, _) => "deleted".to_owned(),
        (Status::Modified, _) => "modified".to_owned(),
        (Status::Renamed, Some(old)) => format!("renamed from {}", text::shown(old)),
        (Status::Renamed, None) => "renamed".to_owned(),
    };
    let lines = match &edit.lines {
        Lines::Counted(n) => format!(" +{} -{}", n.added, n.removed),
        Lines::Binary => " binary".to_owned(),
        Lines::Unknown(why) => format!(" lines unknown: {}", text::visible(why)),
        Lines::NotAsked => String::new(),
    };
    let class = edit.new_class.or(edit.old_class).map_or("", |c| c.word());
    format!("{path}  {what}, {class}{lines}")
}

pub(super) fn no_functions(edit: &Edit) -> Option<String> {
    match &edit.functions {
        Functions::NoParser(language) => {
            Some(format!("functions unknown: no parser for {language}"))
        }
        Functions::Unparsed { old, new } => {
            let side = |name: &str, why: &Option<crate::history::Unparsed>| {
                why.map(|why| format!("{name}: {why}"))
            };
            let sides = [side("before", old), side("after", new)];
            let words: Vec<String> = sides.into_iter().flatten().collect();
            Some(format!("functions unknown: {}", words.join(", ")))
        }
        Functions::NotCode | Functions::Read(_) | Functions::NotAsked => None,
    }
}

fn kind(change: &FnChange) -> &'static str {
    match change.kind {
        FnChangeKind::Added => "added",
        FnChangeKind::Deleted => "deleted",
        FnChangeKind::Modified => "modified",
        FnChangeKind::Reformatted => "reformatted",
        FnChangeKind::Rescored => "rescored",
    }
}

/// `5`, `5 → 7`.
fn before_after(change: &FnChange, of: impl Fn(&FnScore) -> i64) -> String {
    match (
        change.before.as_ref().map(&of),
        change.after.as_ref().map(&of),
    ) {
        (Some(before), Some(after)) if before != after => format!("{before} → {after}"),
        (_, Some(only)) | (Some(only), None) => only.to_string(),
        (None, None) => String::new(),
    }
}

/// `12 lines by 1a2b3c4, 3 by the base`.
fn rewrote(written: &[Written]) -> String {
    let one = |(i, w): (usize, &Written)| {
        let who = match w.commit {
            Some(commit) => commit.short(),
            None => "the base".to_owned(),
        };
        match i {
            0 => format!("{} of {who}", text::counted(w.lines, "line", "lines")),
            _ => format!("{} of {who}", w.lines),
        }
    };
    let mut words: Vec<String> = written.iter().enumerate().take(3).map(one).collect();
    if written.len() > 3 {
        words.push(format!("{} more", written.len() - 3));
    }
    words.join(", ")
}

pub(super) fn function_table(changes: &[FnChange]) -> Table {
    let mut table = Table::new()
        .column("  change", Align::Left)
        .paths("function")
        .column("cc", Align::Right)
        .column("cognitive", Align::Right)
        .column("nloc", Align::Right)
        .words("rewrote");
    for change in changes {
        let tone = match change.kind {
            FnChangeKind::Added => Tone::Better,
            FnChangeKind::Deleted => Tone::Worse,
            FnChangeKind::Modified => Tone::Plain,
            FnChangeKind::Reformatted | FnChangeKind::Rescored => Tone::Faint,
        };
        table.row(vec![
            Cell::new(format!("  {}", kind(change))).tone(tone),
            Cell::new(&change.name),
            Cell::new(before_after(change, |s| i64::from(s.cc))),
            Cell::new(before_after(change, |s| i64::from(s.cognitive))),
            Cell::new(before_after(change, |s| i64::from(s.nloc))),
            Cell::new(rewrote(&change.rewrote)).tone(Tone::Faint),
        ]);
    }
    table
}

pub(super) fn figures(view: &ShowView<'_>, remarks: &mut Remarks) -> Table {
    let mut table = Table::new()
        .column("measure", Align::Left)
        .column("value", Align::Right)
        .column("above", Align::Right)
        .paths("of");
    for (i, (id, figure)) in view.change.figures.iter().enumerate() {
        remarks.see(&figure.value);
        let standing = view.standings.get(i).copied().flatten();
        let of = match &figure.value {
            crate::measure::Value::Known(k) => k.name.clone().unwrap_or_default(),
            _ => String::new(),
        };
        table.row(vec![
            Cell::new(*id),
            cell(&figure.value),
            Cell::new(standing.map_or(String::new(), |s| format!("{:.0} %", s.rank * 100.0))),
            Cell::new(of),
        ]);
    }
    table
}

fn foot(out: &mut dyn Write, view: &ShowView<'_>, remarks: &Remarks, columns: usize) -> Result<()> {
    for line in foot_lines(view, remarks) {
        let text = text::wrap(&line, columns, 2);
        writeln!(out, "{}", Tone::Faint.paint(&text))?;
    }
    Ok(())
}

pub(super) fn foot_lines(view: &ShowView<'_>, remarks: &Remarks) -> Vec<String> {
    let mut lines = remarks.lines();
    if let Some(most) = view.standings.iter().flatten().map(|s| s.of).max() {
        lines.push(format!(
            "above: the share of the {} before it with a lower figure, equal ones counted half",
            text::counted(most as u64, "change", "changes")
        ));
    }
    for entry in &view.change.step.integrity {
        lines.push(format!("integrity: {}", integrity::words(entry)));
    }
    lines.extend(view.remarks.iter().cloned());
    lines.push(format!("config {}", view.stamp.config));
    lines
}

struct ShowJson<'a>(&'a ShowView<'a>);
struct EditJson<'a>(&'a Edit);
struct FnJson<'a>(&'a FnChange);

#[derive(Serialize)]
struct ScoreJson {
    cc: u32,
    cognitive: u32,
    nloc: i32,
    start: u32,
    end: u32,
}

impl From<FnScore> for ScoreJson {
    fn from(s: FnScore) -> Self {
        ScoreJson {
            cc: s.cc,
            cognitive: s.cognitive,
            nloc: s.nloc,
            start: s.start,
            end: s.end,
        }
    }
}

#[derive(Serialize)]
struct OriginsJson {
    lines: u32,
    prior: u32,
    own: u32,
}

#[derive(Serialize)]
struct WrittenJson {
    commit: Option<String>,
    checkpoint: u32,
    lines: u32,
}

#[derive(Serialize)]
struct StandingJson {
    rank: super::number::Number,
    of: usize,
}

impl Serialize for ShowJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        let view = self.0;
        let step = &view.change.step;
        let mut map = s.serialize_map(None)?;
        stamp_entries(view.stamp, &mut map)?;
        map.serialize_entry("settings", view.settings)?;
        place_entries(step, &mut map)?;
        map.serialize_entry("pending", &view.pending)?;
        let role = match &step.place {
            Place::Plain { .. } => Role::Change,
            Place::Chain { role, .. } => *role,
        };
        map.serialize_entry("role", role.word())?;
        map.serialize_entry("merge", &step.merge)?;
        map.serialize_entry("root", &step.root)?;
        map.serialize_entry("ignored_rev", &step.ignored_rev)?;
        map.serialize_entry("metrics", &FiguresJson(&view.change.figures))?;
        let standings: std::collections::BTreeMap<&str, StandingJson> = view
            .change
            .figures
            .iter()
            .zip(view.standings)
            .filter_map(|((id, _), s)| {
                let s = (*s)?;
                let rank = super::number::Number(s.rank);
                Some((*id, StandingJson { rank, of: s.of }))
            })
            .collect();
        map.serialize_entry("standings", &standings)?;
        let files: Vec<_> = step.edits.iter().map(EditJson).collect();
        map.serialize_entry("files", &files)?;
        let list: Vec<_> = step
            .integrity
            .iter()
            .map(integrity::IntegrityJson)
            .collect();
        map.serialize_entry("integrity", &list)?;
        map.serialize_entry("remarks", view.remarks)?;
        map.end()
    }
}

impl Serialize for EditJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        use crate::history::Status;
        let edit = self.0;
        let mut map = s.serialize_map(None)?;
        path_entries(("path", "path_hex"), &edit.path, &mut map)?;
        if let Some(old) = &edit.old_path {
            path_entries(("old_path", "old_path_hex"), old, &mut map)?;
        }
        let status = match edit.status {
            Status::Added => "added",
            Status::Deleted => "deleted",
            Status::Modified => "modified",
            Status::Renamed => "renamed",
        };
        map.serialize_entry("status", status)?;
        map.serialize_entry("language", &edit.language.map(crate::history::Language::id))?;
        map.serialize_entry(
            "old_class",
            &edit.old_class.map(crate::history::FileClass::word),
        )?;
        map.serialize_entry(
            "class",
            &edit.new_class.map(crate::history::FileClass::word),
        )?;
        match &edit.lines {
            Lines::Counted(n) => {
                map.serialize_entry("lines_added", &n.added)?;
                map.serialize_entry("lines_removed", &n.removed)?;
            }
            Lines::Binary => map.serialize_entry("lines_unknown", "binary content")?,
            Lines::Unknown(why) => map.serialize_entry("lines_unknown", why)?,
            Lines::NotAsked => {}
        }
        match (&edit.functions, no_functions(edit)) {
            (Functions::Read(evidence), _) => {
                let list: Vec<_> = evidence.changes.iter().map(FnJson).collect();
                map.serialize_entry("functions", &list)?;
            }
            (_, Some(why)) => map.serialize_entry("functions_unknown", &why)?,
            (_, None) => {}
        }
        map.end()
    }
}

impl Serialize for FnJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        let f = self.0;
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("change", kind(f))?;
        map.serialize_entry("function", &f.name)?;
        map.serialize_entry("key", &f.key)?;
        if let Some(old) = &f.old_key {
            map.serialize_entry("old_key", old)?;
        }
        map.serialize_entry("before", &f.before.map(ScoreJson::from))?;
        map.serialize_entry("after", &f.after.map(ScoreJson::from))?;
        if let Some(o) = f.origins {
            let (lines, prior, own) = (o.lines, o.prior, o.own);
            map.serialize_entry("origins", &OriginsJson { lines, prior, own })?;
        }
        let written: Vec<WrittenJson> = f
            .rewrote
            .iter()
            .map(|w| WrittenJson {
                commit: w.commit.map(|c| c.to_string()),
                checkpoint: w.checkpoint,
                lines: w.lines,
            })
            .collect();
        map.serialize_entry("rewrote", &written)?;
        map.end()
    }
}
