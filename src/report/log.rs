//! `log`: changes and their figures, in every format.

use std::io::Write;

use serde::Serialize;

use super::change::{Change, ChangeJson, write_tidy, write_tidy_head};
use super::figure::{Remarks, cell};
use super::layout::{Format, Layout, column_title};
use super::stamp::{SettingsValues, Stamp, date};
use super::table::{Align, Cell, Table, Tone};
use super::text;
use crate::error::{Error, Result};
use crate::history::Place;
use crate::measure::catalogue::{Availability, Measure};

/// What a log shows.
#[derive(Debug, Clone, Copy)]
pub struct LogView<'a> {
    /// By what it was made.
    pub stamp: &'a Stamp,
    /// The settings' values.
    pub settings: &'a SettingsValues,
    /// The measures, in the order asked for.
    pub measures: &'a [&'static Measure],
    /// The changes, in the order shown.
    pub changes: &'a [Change],
    /// What a reader should know of the whole (paths limit, a shallow cut).
    pub remarks: &'a [String],
}

/// Subjects are not cut below this many columns to keep the plain table; more measures than
/// that make it one of blocks.
const SUBJECT: usize = 14;

/// Writes the log.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, view: LogView<'_>, layout: Layout) -> Result<()> {
    match layout.format {
        Format::Table => write_table(out, view, layout.columns),
        Format::Markdown => {
            let mut remarks = Remarks::default();
            rows(view, usize::MAX, &mut remarks).write_markdown(out)?;
            for line in remarks.lines().iter().chain(view.remarks) {
                writeln!(out, "\n{line}")?;
            }
            writeln!(out, "\nconfig {}", view.stamp.config)?;
            Ok(())
        }
        Format::Csv => {
            write_tidy_head(out)?;
            view.changes.iter().try_for_each(|c| write_tidy(out, c))
        }
        Format::Json => write_json(out, view),
        Format::JsonLines => {
            for change in view.changes {
                let object = ChangeJson {
                    change,
                    stamp: Some(view.stamp),
                };
                line(out, &object)?;
            }
            Ok(())
        }
    }
}

/// One JSON value and a line feed.
pub(super) fn line(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, value).map_err(json_error)?;
    out.write_all(b"\n")?;
    Ok(())
}

/// One JSON document, indented, and a line feed.
pub(super) fn document(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(json_error)?;
    out.write_all(b"\n")?;
    Ok(())
}

fn json_error(e: serde_json::Error) -> Error {
    if e.is_io() {
        Error::from(std::io::Error::from(e))
    } else {
        Error::internal("writing JSON").with_source(e)
    }
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    settings: &'a SettingsValues,
    remarks: &'a [String],
    changes: Vec<ChangeJson<'a>>,
}

fn write_json(out: &mut dyn Write, view: LogView<'_>) -> Result<()> {
    let changes = view.changes.iter();
    document(
        out,
        &Document {
            stamp: view.stamp,
            settings: view.settings,
            remarks: view.remarks,
            changes: changes
                .map(|change| ChangeJson {
                    change,
                    stamp: None,
                })
                .collect(),
        },
    )
}

/// One row a change.
fn rows(view: LogView<'_>, columns: usize, remarks: &mut Remarks) -> Table {
    let chain = view
        .changes
        .first()
        .is_some_and(|c| matches!(c.step.place, Place::Chain { .. }));
    let mut table = Table::new();
    if chain {
        table = table.column("ck", Align::Right);
    }
    table = table.column("commit", Align::Left);
    let dated = columns >= 110;
    if dated {
        table = table.column("date", Align::Left);
    }
    table = table.words("subject");
    for measure in view.measures {
        table = table.column(column_title(measure.id), Align::Right);
    }
    for change in view.changes {
        let mut row = Vec::new();
        if chain {
            row.push(Cell::new(change.index().to_string()));
        }
        row.push(Cell::new(change.step.commit.id.short()).tone(Tone::Id));
        if dated {
            row.push(Cell::new(date(change.step.commit.time)).tone(Tone::Faint));
        }
        row.push(Cell::new(change.step.commit.subject()));
        for (_, figure) in &change.figures {
            remarks.see(&figure.value);
            row.push(cell(&figure.value));
        }
        table.row(row);
    }
    table
}

fn write_table(out: &mut dyn Write, view: LogView<'_>, columns: usize) -> Result<()> {
    let mut remarks = Remarks::default();
    let table = rows(view, columns, &mut remarks);
    let subject = view
        .changes
        .iter()
        .map(|c| text::width(c.step.commit.subject()));
    let least = subject.max().unwrap_or(0).clamp(7, SUBJECT);
    if table.least_width(least) <= columns || view.changes.is_empty() && view.measures.len() <= 8 {
        table.write(out, columns)?;
    } else {
        write_blocks(out, view, columns)?;
        let absent = absent(view);
        for (availability, why) in [
            (Availability::NotInThisVersion, "unknown in this version"),
            (
                Availability::Implemented,
                "of whole chains (`git evolve compare` shows them)",
            ),
        ] {
            let ids: Vec<&str> = absent
                .iter()
                .filter(|m| m.availability == availability)
                .map(|m| m.id)
                .collect();
            if !ids.is_empty() {
                let line = format!("rows left out, {why}: {}", ids.join(", "));
                let text = text::wrap(&line, columns, 2);
                writeln!(out, "{}", Tone::Faint.paint(&text))?;
            }
        }
    }
    foot(out, view, &remarks, columns)
}

/// Measures down, changes across, as many as fit, block below block.
fn write_blocks(out: &mut dyn Write, view: LogView<'_>, columns: usize) -> Result<()> {
    let absent = absent(view);
    let shown = |m: &Measure| !absent.iter().any(|a| a.id == m.id);
    let title = view.measures.iter().map(|m| m.id.len()).max().unwrap_or(0);
    let widest = view
        .changes
        .iter()
        .flat_map(|c| &c.figures)
        .map(|(_, f)| text::width(cell(&f.value).text()))
        .chain([7])
        .max()
        .unwrap_or(7);
    let across = (columns.saturating_sub(title) / (widest + 2)).max(1);
    for (i, block) in view.changes.chunks(across).enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        let mut table = Table::new().column("commit", Align::Left);
        for change in block {
            table = table.column(change.step.commit.id.short(), Align::Right);
        }
        if matches!(block[0].step.place, Place::Chain { .. }) {
            let mut row = vec![Cell::new("checkpoint").tone(Tone::Faint)];
            row.extend(block.iter().map(|c| Cell::new(c.index().to_string())));
            table.row(row);
        }
        for (m, measure) in view.measures.iter().enumerate().filter(|(_, m)| shown(m)) {
            let mut row = vec![Cell::new(measure.id)];
            row.extend(block.iter().map(|c| {
                c.figures
                    .get(m)
                    .map(|(_, f)| cell(&f.value))
                    .unwrap_or_default()
            }));
            table.row(row);
        }
        table.write(out, columns)?;
    }
    Ok(())
}

/// The measures of which no change has a figure, where they are so many that their rows would
/// hide the others.
fn absent(view: LogView<'_>) -> Vec<&'static Measure> {
    let all = view.measures.iter().copied();
    let absent: Vec<&'static Measure> = all.filter(|m| m.compute.is_none()).collect();
    match absent.len() > 3 && absent.len() < view.measures.len() {
        true => absent,
        false => Vec::new(),
    }
}

/// Why some cells hold no number, whose language the figures are, under which settings.
fn foot(out: &mut dyn Write, view: LogView<'_>, remarks: &Remarks, columns: usize) -> Result<()> {
    for line in remarks.lines().iter().chain(view.remarks) {
        let text = text::wrap(line, columns, 2);
        writeln!(out, "{}", Tone::Faint.paint(&text))?;
    }
    let languages = languages(view);
    let config = format!("{languages}config {}", view.stamp.config);
    let config = text::wrap(&config, columns, 2);
    writeln!(out, "{}", Tone::Faint.paint(&config))?;
    Ok(())
}

/// `java (net cc, erosion; others: --format json) · `, where per-language figures are shown.
fn languages(view: LogView<'_>) -> String {
    let figures = || view.changes.iter().flat_map(|c| &c.figures);
    let Some(shown) = figures().find_map(|(_, f)| f.language) else {
        return String::new();
    };
    let several = figures().any(|(_, f)| f.by_language.len() > 1);
    let others = if several {
        " (other languages: --language, --format json)"
    } else {
        ""
    };
    format!("complexity of {shown}{others}; ")
}
