//! Slopes for people: a table of slopes, one of differences a pair of arms, phase means where
//! there is room, and the lines that say what they were taken over.

use std::io::Write;

use super::number::{short, signed};
use super::reason;
use super::slope::SlopeView;
use super::sparkline::sparkline;
use super::table::{Align, Cell, Table, Tone};
use super::text;
use super::trend::{CompareRow, Grouping, SlopeRow};
use crate::error::Result;
use crate::stats::{Interval, PhaseName, Separation, Trend, Verdict, VerdictText};

/// The columns a table may have, beside those that name the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Slope,
    Interval,
    Widened,
    Chains,
    Values,
    FirstLast,
    Curve,
    Verdict,
}

/// Names of measures and groups are cut to this before a column of numbers goes.
const NAMES: usize = 22;

/// Columns that go first where a table does not fit.
const GIVE_WAY: [Column; 4] = [
    Column::Widened,
    Column::Curve,
    Column::FirstLast,
    Column::Values,
];

fn columns_of(view: SlopeView<'_>) -> Vec<Column> {
    let several = view.rows.iter().any(|r| r.trend.chains > 1);
    let mut columns = vec![Column::Slope];
    if several {
        columns.extend([Column::Interval, Column::Widened, Column::Chains]);
    } else {
        columns.push(Column::Values);
    }
    columns.extend([Column::FirstLast, Column::Curve]);
    if several {
        columns.push(Column::Verdict);
    }
    columns
}

fn interval(i: Option<Interval>) -> Cell {
    match i {
        Some(i) => Cell::new(format!("{} … {}", short(i.low), short(i.high))),
        None => Cell::new(""),
    }
}

/// `10`, or `7–10` where not every checkpoint has all chains.
pub(super) fn chains(trend: &Trend) -> String {
    let counts = || trend.mean_curve.iter().map(|p| p.chains);
    match (counts().min(), counts().max()) {
        (Some(low), Some(high)) if low < high => format!("{low}–{high}"),
        (_, Some(high)) => high.to_string(),
        _ => "0".to_owned(),
    }
}

/// What a trend reads as, in its tone; empty where nothing is said.
pub(super) fn verdict(said: Option<VerdictText>) -> Cell {
    let Some(said) = said else {
        return Cell::new("");
    };
    let mark = if said.t_widened_holds_zero { " *" } else { "" };
    let tone = match said.verdict {
        Verdict::Degrades => Tone::Worse,
        Verdict::Improves => Tone::Better,
        Verdict::Flat | Verdict::Rises | Verdict::Falls => Tone::Plain,
        Verdict::TooFewChains | Verdict::OneChain | Verdict::NoSlope => Tone::Faint,
    };
    Cell::new(format!("{}{mark}", said.verdict.as_str())).tone(tone)
}

fn slope_cell(row: &SlopeRow) -> Cell {
    match row.trend.slope {
        Some(slope) => Cell::new(signed(slope)),
        None if row.all_unknown => Cell::new(super::figure::UNKNOWN).tone(Tone::Missing),
        None => Cell::new(super::figure::UNDEFINED).tone(Tone::Faint),
    }
}

fn cell(row: &SlopeRow, column: Column) -> Cell {
    let t = &row.trend;
    match column {
        Column::Slope => slope_cell(row),
        Column::Interval => interval(t.percentile),
        Column::Widened => interval(t.t_widened),
        Column::Chains => Cell::new(chains(&row.trend)),
        Column::Values => Cell::new(match t.missing {
            0 => t.values.to_string(),
            missing => format!("{} of {}", t.values, t.values + missing),
        }),
        Column::FirstLast => Cell::new(match (t.first, t.last) {
            (Some(first), Some(last)) => format!("{} → {}", short(first.mean), short(last.mean)),
            _ => String::new(),
        }),
        Column::Curve => {
            let curve: Vec<Option<f64>> = t.mean_curve.iter().map(|p| Some(p.mean)).collect();
            Cell::new(sparkline(&curve, 20))
        }
        Column::Verdict => verdict(row.verdict),
    }
}

fn title(column: Column) -> (&'static str, Align) {
    match column {
        Column::Slope => ("slope", Align::Right),
        Column::Interval => ("95 % interval", Align::Right),
        Column::Widened => ("t-widened", Align::Right),
        Column::Chains => ("chains", Align::Right),
        Column::Values => ("values", Align::Right),
        Column::FirstLast => ("first → last", Align::Right),
        Column::Curve => ("curve", Align::Left),
        Column::Verdict => ("reads as", Align::Left),
    }
}

fn row_name(row: &SlopeRow) -> String {
    match (&row.language, row.window_growing) {
        (Some(language), growing) => {
            let mark = if growing { " +" } else { "" };
            format!("{} ({language}){mark}", row.measure)
        }
        (None, true) => format!("{} +", row.measure),
        (None, false) => row.measure.clone(),
    }
}

/// A table with these columns; groups stand in a column beside the measure.
fn table(view: SlopeView<'_>, columns: &[Column]) -> Table {
    let grouped = view.grouping != Grouping::History;
    let mut table = Table::new().words("measure");
    if grouped {
        table = table.words(view.grouping.word());
    }
    for column in columns {
        let (title, align) = title(*column);
        table = table.column(title, align);
    }
    let mut before = String::new();
    let hidden = hides_unknown(view);
    for row in view.rows.iter().filter(|r| !(hidden && r.all_unknown)) {
        let name = row_name(row);
        let mut cells = Vec::new();
        if grouped {
            let shown = if name == before { "" } else { name.as_str() };
            cells.extend([Cell::new(shown), Cell::new(&row.group)]);
        } else {
            cells.push(Cell::new(&name));
        }
        cells.extend(columns.iter().map(|c| cell(row, *c)));
        table.row(cells);
        before = name;
    }
    table
}

/// Writes the slopes for a terminal of `width`.
pub(super) fn write_table(out: &mut dyn Write, view: SlopeView<'_>, width: usize) -> Result<()> {
    let mut columns = columns_of(view);
    let mut shown = table(view, &columns);
    for give in GIVE_WAY {
        if shown.least_width(NAMES) <= width {
            break;
        }
        columns.retain(|c| *c != give);
        shown = table(view, &columns);
    }
    shown.write(out, width)?;
    for pair in pairs(view) {
        writeln!(out, "\n{}", Tone::Title.paint(&pair_title(&pair)))?;
        comparisons(&pair, width).write(out, width)?;
    }
    let phases = phases(view);
    if width >= 120 && !phases.is_empty() {
        writeln!(out)?;
        phases.write(out, width)?;
    }
    for line in feet(view) {
        writeln!(out, "{}", Tone::Faint.paint(&text::wrap(&line, width, 2)))?;
    }
    Ok(())
}

/// Writes the slopes as Markdown tables, uncut.
pub(super) fn write_markdown(out: &mut dyn Write, view: SlopeView<'_>) -> Result<()> {
    table(view, &columns_of(view)).write_markdown(out)?;
    for pair in pairs(view) {
        writeln!(out, "\n{}\n", pair_title(&pair))?;
        comparisons(&pair, usize::MAX).write_markdown(out)?;
    }
    let phases = phases(view);
    if !phases.is_empty() {
        writeln!(out)?;
        phases.write_markdown(out)?;
    }
    for line in feet(view) {
        writeln!(out, "\n{line}")?;
    }
    Ok(())
}

/// The comparisons by pair of arms, pairs in the order they first stand in.
fn pairs(view: SlopeView<'_>) -> Vec<Vec<&CompareRow>> {
    let mut pairs: Vec<Vec<&CompareRow>> = Vec::new();
    for row in view.comparisons {
        let same = |p: &&mut Vec<&CompareRow>| {
            p.first()
                .is_some_and(|r| r.first == row.first && r.second == row.second)
        };
        match pairs.iter_mut().find(same) {
            Some(pair) => pair.push(row),
            None => pairs.push(vec![row]),
        }
    }
    pairs
}

fn pair_title(pair: &[&CompareRow]) -> String {
    pair.first().map_or(String::new(), |row| {
        let names = format!("{} − {}", row.first, row.second);
        format!("{}: difference of slopes", text::visible(&names))
    })
}

/// One row a measure, of one pair of arms.
fn comparisons(pair: &[&CompareRow], width: usize) -> Table {
    let wide = width >= 110;
    let mut table = Table::new()
        .words("measure")
        .column("difference", Align::Right)
        .column("95 % interval", Align::Right)
        .column("p Holm", Align::Right);
    if wide {
        table = table
            .column("p", Align::Right)
            .column("t-widened", Align::Right)
            .column("detectable", Align::Right);
    }
    table = table.column("reads as", Align::Left);
    for row in pair {
        let c = &row.comparison;
        let number = |v: Option<f64>| Cell::new(v.map(short).unwrap_or_default());
        let mut cells = vec![
            Cell::new(&row.measure),
            Cell::new(c.slope_difference.map(signed).unwrap_or_default()),
            interval(c.percentile),
            number(row.holm),
        ];
        if wide {
            cells.push(number(c.permutation.map(|p| p.p)));
            cells.push(interval(c.t_widened));
            cells.push(number(c.smallest_detectable));
        }
        let tone = match c.separation {
            Separation::SeparatesStrongly | Separation::Separates => Tone::Title,
            Separation::Overlaps => Tone::Plain,
            Separation::TooFewChains | Separation::TooFewTasks | Separation::NoInterval => {
                Tone::Faint
            }
        };
        cells.push(Cell::new(c.separation.as_str()).tone(tone));
        table.row(cells);
    }
    table
}

/// Phase means; a row a measure and group that has them.
fn phases(view: SlopeView<'_>) -> Table {
    let grouped = view.grouping != Grouping::History;
    let mut table = Table::new().words("mean of phase");
    if grouped {
        table = table.words(view.grouping.word());
    }
    for phase in PhaseName::ALL {
        table = table.column(phase.as_str(), Align::Right);
    }
    for row in view.rows.iter().filter(|r| !r.trend.phases.is_empty()) {
        let mut cells = vec![Cell::new(row_name(row))];
        if grouped {
            cells.push(Cell::new(&row.group));
        }
        let means = row.trend.phases.iter().map(|p| p.mean);
        cells.extend(means.map(|m| Cell::new(m.map_or("–".to_owned(), short))));
        table.row(cells);
    }
    table
}

/// The lines below: what marks mean, why values are missing, which changes were used.
fn feet(view: SlopeView<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if view
        .rows
        .iter()
        .any(|r| r.verdict.is_some_and(|v| v.t_widened_holds_zero))
    {
        lines.push("* the t-widened interval holds zero".to_owned());
    }
    if view.rows.iter().any(|r| r.window_growing) {
        lines.push(
            "+ window still growing: early changes had fewer changes before them than \
                    the lookback, so a rise may come from that alone"
                .to_owned(),
        );
    }
    let without = |r: &SlopeRow| r.trend.slope.is_none() && !r.all_unknown;
    if view.rows.iter().any(without) {
        lines.push(format!(
            "{} no slope: it takes numbers at two checkpoints or more",
            super::figure::UNDEFINED
        ));
    }
    if hides_unknown(view) {
        lines.push("rows that are unknown throughout are left out".to_owned());
    }
    lines.extend(missing(view));
    lines.extend(view.remarks.iter().cloned());
    if !view.settings.is_empty() {
        lines.push(format!("config {}", view.stamp.config));
    }
    lines
}

/// Why values are missing: a line a reason, the measures it holds for behind it.
fn missing(view: SlopeView<'_>) -> Vec<String> {
    /// Measures, each with how many values of which group.
    type Counts<'a> = Vec<(&'a str, Vec<(&'a str, u64)>)>;
    let reasons = view.rows.iter().flat_map(|r| r.missing.keys());
    let said = reason::fold(reasons.map(String::as_str));
    let mut by_reason: Vec<(&str, Counts<'_>)> = Vec::new();
    for row in view.rows {
        for (reason, n) in &row.missing {
            let (reason, count) = (said[reason.as_str()].as_str(), (row.group.as_str(), *n));
            let at = by_reason.iter().position(|(r, _)| *r == reason);
            let at = at.unwrap_or_else(|| {
                by_reason.push((reason, Vec::new()));
                by_reason.len() - 1
            });
            let measures = &mut by_reason[at].1;
            match measures.iter_mut().find(|(m, _)| *m == row.measure) {
                Some((_, counts)) => match counts.iter_mut().find(|(g, _)| *g == count.0) {
                    Some((_, sum)) => *sum += count.1,
                    None => counts.push(count),
                },
                None => measures.push((&row.measure, vec![count])),
            }
        }
    }
    let many = |measures: &Counts<'_>| measures.len() > 3;
    let counted = |(group, n): &(&str, u64)| match group.is_empty() {
        true => n.to_string(),
        false => format!("{} {n}", text::visible(group)),
    };
    let said = by_reason.iter().map(|(reason, measures)| {
        let words: Vec<String> = measures
            .iter()
            .map(|(measure, counts)| match many(measures) {
                true => (*measure).to_owned(),
                false => {
                    let counts: Vec<String> = counts.iter().map(counted).collect();
                    format!("{measure} ({})", counts.join(", "))
                }
            })
            .collect();
        format!("no number, {}: {}", text::visible(reason), words.join(", "))
    });
    said.collect()
}

/// Whether so many rows hold nothing but `?` that they would hide the others.
fn hides_unknown(view: SlopeView<'_>) -> bool {
    let unknown = view.rows.iter().filter(|r| r.all_unknown).count();
    unknown > 3 && unknown < view.rows.len()
}
