//! `slope`: whether measures rise or fall, in every format.

use std::io::Write;

use serde::Serialize;

use super::csv;
use super::layout::{Format, Layout};
use super::log::{document, line};
use super::number::{exact, short, signed};
use super::sparkline::sparkline;
use super::stamp::{SettingsValues, Stamp};
use super::table::{Align, Cell, Table, Tone};
use super::text;
use super::trend::{CompareJson, CompareRow, Grouping, SlopeJson, SlopeRow};
use crate::error::Result;
use crate::stats::{Interval, PhaseName, Separation, Verdict};

/// What the slopes show.
#[derive(Debug, Clone, Copy)]
pub struct SlopeView<'a> {
    /// By what they were made.
    pub stamp: &'a Stamp,
    /// The settings' values; empty for foreign data.
    pub settings: &'a SettingsValues,
    /// What the groups are.
    pub grouping: Grouping,
    /// One a measure and group, measures together.
    pub rows: &'a [SlopeRow],
    /// Pairs of arms.
    pub comparisons: &'a [CompareRow],
    /// Which changes were used, and what a reader should know.
    pub remarks: &'a [String],
}

/// Writes the slopes.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, view: SlopeView<'_>, layout: Layout) -> Result<()> {
    match layout.format {
        Format::Table => write_table(out, view, layout.columns),
        Format::Markdown => write_markdown(out, view),
        Format::Csv => write_csv(out, view),
        Format::Json => document(out, &Document::from(view)),
        Format::JsonLines => {
            for row in view.rows {
                let slope = SlopeJson::from(row);
                let stamp = view.stamp;
                line(out, &StampedRow { stamp, slope })?;
            }
            Ok(())
        }
    }
}

#[derive(Serialize)]
struct StampedRow<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    #[serde(flatten)]
    slope: SlopeJson<'a>,
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    settings: &'a SettingsValues,
    by: &'static str,
    remarks: &'a [String],
    slopes: Vec<SlopeJson<'a>>,
    comparisons: Vec<CompareJson<'a>>,
}

impl<'a> From<SlopeView<'a>> for Document<'a> {
    fn from(view: SlopeView<'a>) -> Self {
        Document {
            stamp: view.stamp,
            settings: view.settings,
            by: view.grouping.word(),
            remarks: view.remarks,
            slopes: view.rows.iter().map(SlopeJson::from).collect(),
            comparisons: view.comparisons.iter().map(CompareJson::from).collect(),
        }
    }
}

/// The columns of the CSV form.
pub(super) const COLUMNS: [&str; 18] = [
    "by",
    "group",
    "metric",
    "language",
    "slope",
    "low",
    "high",
    "t_low",
    "t_high",
    "standard_error",
    "mean_of_chain_slopes",
    "chains",
    "checkpoints",
    "values",
    "missing",
    "first",
    "last",
    "verdict",
];

fn write_csv(out: &mut dyn Write, view: SlopeView<'_>) -> Result<()> {
    csv::record(out, COLUMNS)?;
    for row in view.rows {
        let t = &row.trend;
        let number = |v: Option<f64>| v.map(exact).unwrap_or_default();
        let fields = [
            view.grouping.word().to_owned(),
            row.group.clone(),
            row.measure.clone(),
            row.language.clone().unwrap_or_default(),
            number(t.slope),
            number(t.percentile.map(|i| i.low)),
            number(t.percentile.map(|i| i.high)),
            number(t.t_widened.map(|i| i.low)),
            number(t.t_widened.map(|i| i.high)),
            number(t.standard_error),
            number(t.mean_of_chain_slopes),
            t.chains.to_string(),
            t.checkpoints.to_string(),
            t.values.to_string(),
            t.missing.to_string(),
            number(t.first.map(|p| p.mean)),
            number(t.last.map(|p| p.mean)),
            row.verdict.map(|v| v.to_string()).unwrap_or_default(),
        ];
        csv::record(out, fields.iter().map(String::as_str))?;
    }
    Ok(())
}

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
fn chains(row: &SlopeRow) -> String {
    let counts = || row.trend.mean_curve.iter().map(|p| p.chains);
    match (counts().min(), counts().max()) {
        (Some(low), Some(high)) if low < high => format!("{low}–{high}"),
        (_, Some(high)) => high.to_string(),
        _ => "0".to_owned(),
    }
}

fn verdict(row: &SlopeRow) -> Cell {
    let Some(said) = row.verdict else {
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
        Column::Chains => Cell::new(chains(row)),
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
        Column::Verdict => verdict(row),
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
    for row in view.rows {
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

fn write_table(out: &mut dyn Write, view: SlopeView<'_>, width: usize) -> Result<()> {
    let mut columns = columns_of(view);
    let mut shown = table(view, &columns);
    for give in GIVE_WAY {
        if shown.natural_width() <= width {
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

fn write_markdown(out: &mut dyn Write, view: SlopeView<'_>) -> Result<()> {
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
            Separation::TooFewChains | Separation::NoInterval => Tone::Faint,
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
    for row in view.rows {
        let Some((reason, n)) = row.missing.iter().max_by_key(|(_, n)| **n) else {
            continue;
        };
        let more = match row.missing.len() {
            1 => "",
            _ => " and more",
        };
        let group = match row.group.is_empty() {
            true => String::new(),
            false => format!(" of {}", row.group),
        };
        lines.push(format!(
            "{}{group}: {} without a number: {} ({n}){more}",
            row.measure,
            text::counted(row.trend.missing as u64, "value", "values"),
            text::visible(reason),
        ));
    }
    lines.extend(view.remarks.iter().cloned());
    if !view.settings.is_empty() {
        lines.push(format!("config {}", view.stamp.config));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::stats::{Direction, Options, Point, Series, trend, verdict};

    fn row(group: &str, by: f64) -> SlopeRow {
        let series: Vec<Series> = (0..6)
            .map(|c| Series {
                chain: c.to_string(),
                points: (1..=6)
                    .map(|i| Point {
                        index: f64::from(i),
                        value: Some(by * f64::from(i) + f64::from(c) / 8.0),
                    })
                    .collect(),
            })
            .collect();
        let trend = trend(&series, &Options::default());
        SlopeRow {
            group: group.to_owned(),
            measure: "existing_fns_modified".to_owned(),
            language: None,
            verdict: Some(verdict(&trend, Direction::LowerIsBetter)),
            trend,
            missing: BTreeMap::new(),
            window_growing: false,
            all_unknown: false,
        }
    }

    fn stamp() -> Stamp {
        Stamp {
            schema: 1,
            tool: "git-evolve".to_owned(),
            analyser: "1".to_owned(),
            definitions: "1".to_owned(),
            config: "0".repeat(16),
        }
    }

    fn written(format: Format, columns: usize) -> String {
        let rows = [row("baseline", 1.0), row("guided", 0.0)];
        let stamp = stamp();
        let mut out = Vec::new();
        let view = SlopeView {
            stamp: &stamp,
            settings: &SettingsValues::new(),
            grouping: Grouping::Arm,
            rows: &rows,
            comparisons: &[],
            remarks: &[],
        };
        write(&mut out, view, Layout { format, columns }).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn arms_stand_below_each_other_and_fit_eighty_columns() {
        let table = written(Format::Table, 80);
        insta::assert_snapshot!(table, @r"
        measure                arm       slope  95 % interval  chains  reads as
        existing_fns_modified  baseline     +1          1 … 1       6  degrades
                               guided        0          0 … 0       6  flat
        ");
        assert!(table.lines().all(|l| text::width(l) <= 80), "{table}");
    }

    #[test]
    fn a_json_document_has_curve_and_interval() {
        let value: serde_json::Value =
            serde_json::from_str(&written(Format::Json, 80)).expect("JSON");
        assert_eq!(value["slopes"][0]["slope"], 1);
        assert_eq!(value["slopes"][0]["interval"]["low"], 1);
        assert_eq!(value["slopes"][0]["curve"][5]["chains"], 6);
        assert_eq!(value["slopes"][0]["verdict"], "degrades");
        assert_eq!(value["slopes"][1]["verdict"], "flat");
        assert_eq!(value["by"], "arm");
    }

    #[test]
    fn csv_has_one_row_a_group() {
        let csv = written(Format::Csv, 80);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(
            lines[1].starts_with("arm,baseline,existing_fns_modified,,1,1,1,"),
            "{csv}"
        );
        assert!(lines[1].ends_with(",degrades"), "{csv}");
    }
}
