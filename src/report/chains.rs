//! The chains of a run repository, one row each.

use std::io::Write;

use serde::Serialize;

use super::change::{Change, ChangeJson, write_tidy, write_tidy_head};
use super::layout::{Format, Layout, column_title};
use super::log::{document, line};
use super::number::{Number, short, signed};
use super::sparkline::sparkline;
use super::stamp::{SettingsValues, Stamp};
use super::table::{Align, Cell, Table, Tone};
use super::text;
use crate::error::Result;
use crate::measure::Value;
use crate::measure::catalogue::Measure;
use crate::stats::Trend;

/// One chain, measured.
#[derive(Debug)]
pub struct ChainRow {
    /// By what it was measured; chains may carry their own settings.
    pub stamp: Stamp,
    /// How it is shown: its path, or `path@abc1234`.
    pub label: String,
    /// Experiment.
    pub experiment: String,
    /// Arm, as rows are grouped by it.
    pub arm: String,
    /// Task, where the experiment has tasks.
    pub task: Option<String>,
    /// Its number.
    pub chain: u32,
    /// Its agent commits, newest first.
    pub changes: Vec<Change>,
    /// The trend of each measure along it.
    pub trends: Vec<Trend>,
}

/// What is shown of the chains.
pub struct ChainsView<'a> {
    /// By what they were made.
    pub stamp: &'a Stamp,
    /// The settings' values, where all chains share them.
    pub settings: &'a SettingsValues,
    /// The measures.
    pub measures: &'a [&'static Measure],
    /// The chains.
    pub chains: &'a [ChainRow],
    /// What a reader should know, and how to see one chain.
    pub remarks: &'a [String],
}

/// Writes the chains: in tables one row each, in the other formats every change of them.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, view: &ChainsView<'_>, layout: Layout) -> Result<()> {
    match layout.format {
        Format::Table => write_table(out, view, layout.columns),
        Format::Markdown => {
            table(view, view.measures.len(), true).write_markdown(out)?;
            for line in view.remarks {
                writeln!(out, "\n{line}")?;
            }
            writeln!(out, "\nconfig {}", view.stamp.config)?;
            Ok(())
        }
        Format::Csv => {
            write_tidy_head(out)?;
            let mut changes = view.chains.iter().flat_map(|c| &c.changes);
            changes.try_for_each(|c| write_tidy(out, c))
        }
        Format::JsonLines => {
            for chain in view.chains {
                for change in &chain.changes {
                    let stamp = Some(&chain.stamp);
                    line(out, &ChangeJson { change, stamp })?;
                }
            }
            Ok(())
        }
        Format::Json => document(out, &Document::from(view)),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    settings: &'a SettingsValues,
    remarks: &'a [String],
    chains: Vec<ChainJson<'a>>,
}

#[derive(Serialize)]
struct ChainJson<'a> {
    path: &'a str,
    experiment: &'a str,
    arm: &'a str,
    task: Option<&'a str>,
    chain: u32,
    config: &'a str,
    checkpoints: usize,
    slopes: Vec<ChainSlopeJson>,
    changes: Vec<ChangeJson<'a>>,
}

#[derive(Serialize)]
struct ChainSlopeJson {
    metric: &'static str,
    first: Option<Number>,
    last: Option<Number>,
    slope: Option<Number>,
    missing: usize,
}

impl<'a> From<&'a ChainsView<'a>> for Document<'a> {
    fn from(view: &'a ChainsView<'a>) -> Self {
        let slopes = |row: &ChainRow| {
            let each = view.measures.iter().zip(&row.trends);
            each.map(|(m, t)| ChainSlopeJson {
                metric: m.id,
                first: t.first.map(|p| Number(p.mean)),
                last: t.last.map(|p| Number(p.mean)),
                slope: t.slope.map(Number),
                missing: t.missing,
            })
            .collect()
        };
        let chains = view.chains.iter().map(|row| ChainJson {
            path: &row.label,
            experiment: &row.experiment,
            arm: &row.arm,
            task: row.task.as_deref(),
            chain: row.chain,
            config: &row.stamp.config,
            checkpoints: row.changes.len(),
            slopes: slopes(row),
            changes: row
                .changes
                .iter()
                .map(|change| ChangeJson {
                    change,
                    stamp: None,
                })
                .collect(),
        });
        Document {
            stamp: view.stamp,
            settings: view.settings,
            remarks: view.remarks,
            chains: chains.collect(),
        }
    }
}

/// The first figure of a chain and the last: numbers, else words.
fn first_last(row: &ChainRow, measure: &Measure, trend: &Trend) -> Cell {
    if let (Some(a), Some(b)) = (trend.first, trend.last) {
        return Cell::new(format!("{} → {}", short(a.mean), short(b.mean)));
    }
    let figures = row.changes.iter().filter_map(|c| c.figure(measure.id));
    let values: Vec<&Value> = figures.map(|f| &f.value).collect();
    let mut newest_first = values.iter().filter_map(|value| match value {
        Value::Word(word) => Some(*word),
        _ => None,
    });
    if let Some(last) = newest_first.next() {
        let first = newest_first.next_back().unwrap_or(last);
        return Cell::new(format!("{first} → {last}"));
    }
    match !values.is_empty() && values.iter().all(|v| matches!(v, Value::Undefined(_))) {
        true => Cell::new(super::figure::UNDEFINED).tone(Tone::Faint),
        false => Cell::new(super::figure::UNKNOWN).tone(Tone::Missing),
    }
}

/// A table with the first `count` measures, each with its curve where `curves`.
fn table(view: &ChainsView<'_>, count: usize, curves: bool) -> Table {
    let tasks = view.chains.iter().any(|c| c.task.is_some());
    let mut table = Table::new().words("arm");
    if tasks {
        table = table.words("task");
    }
    table = table
        .column("n", Align::Right)
        .column("ckpts", Align::Right);
    for measure in view.measures.iter().take(count) {
        table = table
            .column(column_title(measure.id), Align::Right)
            .column("slope", Align::Right);
        if curves {
            table = table.column("curve", Align::Left);
        }
    }
    for row in view.chains {
        let number = match row.label.rsplit_once('@') {
            Some((_, id)) => format!("{}@{id}", row.chain),
            None => row.chain.to_string(),
        };
        let mut cells = vec![Cell::new(&row.arm)];
        if tasks {
            cells.push(Cell::new(row.task.as_deref().unwrap_or("")));
        }
        cells.push(Cell::new(number));
        cells.push(Cell::new(row.changes.len().to_string()));
        for (measure, trend) in view.measures.iter().zip(&row.trends).take(count) {
            cells.push(first_last(row, measure, trend));
            cells.push(match trend.slope {
                Some(slope) => Cell::new(signed(slope)),
                None => Cell::new(super::figure::UNDEFINED).tone(Tone::Faint),
            });
            if curves {
                let curve: Vec<_> = trend.mean_curve.iter().map(|p| Some(p.mean)).collect();
                cells.push(Cell::new(sparkline(&curve, 20)));
            }
        }
        table.row(cells);
    }
    table
}

fn write_table(out: &mut dyn Write, view: &ChainsView<'_>, columns: usize) -> Result<()> {
    let count = (1..=view.measures.len())
        .rev()
        .find(|n| table(view, *n, false).natural_width() <= columns)
        .unwrap_or(1);
    let with_curves = table(view, count, true);
    if with_curves.natural_width() <= columns {
        with_curves.write(out, columns)?;
    } else {
        table(view, count, false).write(out, columns)?;
    }
    let mut lines = view.remarks.to_vec();
    let hidden: Vec<&str> = view.measures.iter().skip(count).map(|m| m.id).collect();
    if !hidden.is_empty() {
        lines.insert(
            0,
            format!(
                "not shown for want of room: {} (see --metrics)",
                hidden.join(", ")
            ),
        );
    }
    lines.push(format!("config {}", view.stamp.config));
    for line in lines {
        let text = text::wrap(&line, columns, 2);
        writeln!(out, "{}", Tone::Faint.paint(&text))?;
    }
    Ok(())
}
