//! How the hooks stand.

use std::io::Write;

use serde::Serialize;

use super::csv;
use super::layout::{Format, Layout};
use super::log::{document, line};
use super::stamp::Stamp;
use super::table::{Align, Cell, Table, Tone};
use super::text;
use crate::error::Result;

/// One event's hook.
#[derive(Debug, Clone, Serialize)]
pub struct HookRow {
    /// Git's word for the event.
    pub event: &'static str,
    /// How it stands.
    pub state: &'static str,
    /// Whether git was seen to call us; null where that was not tried.
    pub runs: Option<bool>,
    /// The file that makes git call us, or would.
    pub place: String,
    /// The same as hex, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place_hex: Option<String>,
    /// The user's own hook, which the dispatcher runs first.
    pub user_hook: Option<String>,
    /// What is wrong or to be known.
    pub remark: Option<String>,
    /// What to add where it cannot be installed.
    pub add: Option<String>,
    /// The file to add it to.
    pub add_to: Option<String>,
}

/// All hooks.
#[derive(Debug, Clone)]
pub struct HooksView<'a> {
    /// The output's stamp.
    pub stamp: &'a Stamp,
    /// The version of git at hand.
    pub git: String,
    /// `core.hooksPath` and the scope it is set in, where it is.
    pub hooks_path: Option<(String, String)>,
    /// When a hook last did not find the program, where one did.
    pub missed: Option<String>,
    /// One for each event.
    pub rows: &'a [HookRow],
}

#[derive(Serialize)]
struct HooksJson<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    git: &'a str,
    hooks_path: Option<PathJson<'a>>,
    missed: Option<&'a str>,
    hooks: &'a [HookRow],
}

#[derive(Serialize)]
struct PathJson<'a> {
    value: &'a str,
    scope: &'a str,
}

#[derive(Serialize)]
struct LineJson<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    #[serde(flatten)]
    row: &'a HookRow,
}

/// Writes how the hooks stand.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, view: &HooksView<'_>, layout: Layout) -> Result<()> {
    let stamp = view.stamp;
    match layout.format {
        Format::Json => document(
            out,
            &HooksJson {
                stamp,
                git: &view.git,
                hooks_path: view
                    .hooks_path
                    .as_ref()
                    .map(|(value, scope)| PathJson { value, scope }),
                missed: view.missed.as_deref(),
                hooks: view.rows,
            },
        ),
        Format::JsonLines => {
            let mut rows = view.rows.iter();
            rows.try_for_each(|row| line(out, &LineJson { stamp, row }))
        }
        Format::Csv => {
            let head = [
                "event",
                "state",
                "runs",
                "place",
                "user_hook",
                "remark",
                "add",
                "add_to",
            ];
            csv::record(out, head)?;
            view.rows.iter().try_for_each(|row| {
                let words = |field: &Option<String>| field.clone().unwrap_or_default();
                let fields = [
                    row.place.clone(),
                    words(&row.user_hook),
                    words(&row.remark),
                    words(&row.add),
                    words(&row.add_to),
                ];
                let first = [row.event, row.state, runs(row)];
                csv::record(
                    out,
                    first.into_iter().chain(fields.iter().map(String::as_str)),
                )
            })
        }
        Format::Markdown => {
            table(view).write_markdown(out)?;
            foot(view).iter().try_for_each(|said| {
                writeln!(out, "\n{said}")?;
                Ok(())
            })
        }
        Format::Table => {
            table(view).write(out, layout.columns)?;
            for said in foot(view) {
                let mut lines = said.split('\n');
                let first = lines.next().unwrap_or_default();
                writeln!(out, "{}", text::wrap(first, layout.columns, 0))?;
                // A line to be added is never wrapped: it is copied.
                for exact in lines {
                    writeln!(out, "    {}", text::visible(exact))?;
                }
            }
            Ok(())
        }
    }
}

fn runs(row: &HookRow) -> &'static str {
    match row.runs {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not tried",
    }
}

fn table(view: &HooksView<'_>) -> Table {
    let mut table = Table::new()
        .column("event", Align::Left)
        .column("state", Align::Left)
        .column("runs", Align::Left)
        .paths("file");
    for row in view.rows {
        let tone = match row.runs {
            Some(true) => Tone::Better,
            Some(false) => Tone::Worse,
            None => Tone::Missing,
        };
        table.row(vec![
            Cell::new(row.event).tone(Tone::Id),
            Cell::new(row.state),
            Cell::new(runs(row)).tone(tone),
            Cell::new(&row.place).tone(Tone::Faint),
        ]);
    }
    table
}

/// What stands below the table, equal remarks of several events once; lines to be added follow
/// their remark after a line feed.
fn foot(view: &HooksView<'_>) -> Vec<String> {
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for row in view.rows {
        for remark in row.remark.iter() {
            match said.iter_mut().find(|(known, _)| known == remark) {
                Some((_, events)) => events.push(row.event),
                None => said.push((remark.clone(), vec![row.event])),
            }
        }
    }
    let mut lines: Vec<String> = said
        .into_iter()
        .map(|(remark, events)| format!("{}: {remark}", events.join(", ")))
        .collect();
    for row in view.rows {
        if let Some(hook) = &row.user_hook {
            let first = match row.state {
                "dispatcher" => "runs first",
                _ => "waits",
            };
            lines.push(format!("{}: your own hook {first}: {hook}", row.event));
        }
        if let (Some(add), Some(to)) = (&row.add, &row.add_to) {
            lines.push(format!("{}: add to {to}:\n{add}", row.event));
        }
    }
    if let Some(when) = &view.missed {
        lines.push(format!(
            "a hook did not find the program, last at: {when}. `git evolve reconcile` finds \
             what it missed"
        ));
    }
    lines
}
