//! One measure for people: its arms in rows, below them the pairs that were compared.

use super::json::name;
use crate::report::figure::{UNDEFINED, UNKNOWN};
use crate::report::number::{short, signed};
use crate::report::slope_table::{chains, verdict};
use crate::report::study::{ArmFigure, MeasureTable, Pair, Study};
use crate::report::table::{Align, Cell, Table, Tone};
use crate::stats::{Interval, PhaseName, Separation};

/// The columns a table may have, beside the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    FirstFinal,
    Phase(PhaseName),
    Slope,
    Interval,
    Widened,
    Chains,
    Total,
    ReadsAs,
}

/// Columns that go first where a table does not fit, group by group.
const GIVE_WAY: [&[Column]; 5] = [
    &[
        Column::Phase(PhaseName::Start),
        Column::Phase(PhaseName::Early),
        Column::Phase(PhaseName::Mid),
        Column::Phase(PhaseName::Late),
        Column::Phase(PhaseName::Final),
    ],
    &[Column::Widened],
    &[Column::Total],
    &[Column::Chains],
    &[Column::FirstFinal],
];

/// Names are cut to this before a column of numbers goes.
const NAMES: usize = 18;

/// Every column that this measure has.
pub(super) fn columns(table: &MeasureTable) -> Vec<Column> {
    let mut columns = vec![Column::FirstFinal];
    if table.arms.iter().any(|f| !f.trend.phases.is_empty()) {
        columns.extend(PhaseName::ALL.map(Column::Phase));
    }
    columns.extend([
        Column::Slope,
        Column::Interval,
        Column::Widened,
        Column::Chains,
    ]);
    if table.arms.iter().any(|f| f.total.is_some()) {
        columns.push(Column::Total);
    }
    columns.push(Column::ReadsAs);
    columns
}

/// The table for a terminal of `width`, with what its columns have no room for in notes.
pub(super) fn fitted(study: &Study, table: &MeasureTable, width: usize) -> Table {
    let mut columns = columns(table);
    let mut shown = laid_out(study, table, &columns, Some(width));
    for give in GIVE_WAY {
        if shown.least_width(NAMES) <= width {
            break;
        }
        columns.retain(|c| !give.contains(c));
        shown = laid_out(study, table, &columns, Some(width));
    }
    shown
}

/// What stands above a measure: `net_cc (java) ↓ added cyclomatic complexity`.
pub(super) fn title(table: &MeasureTable) -> String {
    let m = table.measure;
    let arrow = m.direction.arrow();
    let language = table.language.as_ref().map(|l| format!(" ({l})"));
    format!(
        "{}{} {arrow} {}",
        m.id,
        language.unwrap_or_default(),
        m.title
    )
}

/// Who is compared with whom, and in which level.
pub(super) fn versus(study: &Study, pair: &Pair) -> String {
    let names = format!("{} − {}", name(study, pair.first), name(study, pair.second));
    match &pair.stratum {
        Some(level) => format!("{names}, {level}"),
        None => names,
    }
}

/// The table with these columns; `width` where it has notes.
pub(super) fn laid_out(
    study: &Study,
    table: &MeasureTable,
    columns: &[Column],
    width: Option<usize>,
) -> Table {
    let unit = match table.measure.unit {
        "" => "arm",
        unit => unit,
    };
    let mut shown = Table::new().words(unit);
    for column in columns {
        let (title, align) = heading(*column);
        shown = shown.column(title, align);
    }
    let indent = if width.is_some() { "  " } else { "" };
    for (at, figure) in table.arms.iter().enumerate() {
        let mut cells = vec![Cell::new(format!("{indent}{}", name(study, at)))];
        cells.extend(columns.iter().map(|c| arm_cell(figure, *c)));
        shown.row(cells);
    }
    for pair in &table.pairs {
        let mut cells = vec![Cell::new(format!("{indent}{}", versus(study, pair)))];
        cells.extend(columns.iter().map(|c| pair_cell(pair, *c)));
        shown.row(cells);
        if width.is_some() {
            shown.note(&note(study, pair, columns));
        }
    }
    shown
}

fn heading(column: Column) -> (&'static str, Align) {
    match column {
        Column::FirstFinal => ("first → final", Align::Right),
        Column::Phase(phase) => (phase.as_str(), Align::Right),
        Column::Slope => ("slope", Align::Right),
        Column::Interval => ("95 % interval", Align::Right),
        Column::Widened => ("t-widened", Align::Right),
        Column::Chains => ("chains", Align::Right),
        Column::Total => ("a chain", Align::Right),
        Column::ReadsAs => ("reads as", Align::Left),
    }
}

fn interval(i: Option<Interval>) -> Cell {
    Cell::new(i.map(span).unwrap_or_default())
}

/// `0.1 … 0.2`.
pub(super) fn span(i: Interval) -> String {
    format!("{} … {}", short(i.low), short(i.high))
}

fn arm_cell(figure: &ArmFigure, column: Column) -> Cell {
    let t = &figure.trend;
    let missing = || match figure.points {
        (all, unknown) if all > 0 && all == unknown => Cell::new(UNKNOWN).tone(Tone::Missing),
        (0, _) => Cell::new(""),
        _ => Cell::new(UNDEFINED).tone(Tone::Faint),
    };
    match column {
        Column::FirstFinal => match (t.first, t.last) {
            (Some(first), Some(last)) => {
                Cell::new(format!("{} → {}", short(first.mean), short(last.mean)))
            }
            _ => missing(),
        },
        Column::Phase(name) => {
            let phase = t.phases.iter().find(|p| p.name == name);
            match phase.and_then(|p| p.mean) {
                Some(mean) => Cell::new(short(mean)),
                None => missing(),
            }
        }
        Column::Slope => t
            .slope
            .map_or_else(missing, |slope| Cell::new(signed(slope))),
        Column::Interval => interval(t.percentile),
        Column::Widened => interval(t.t_widened),
        Column::Chains => Cell::new(chains(&figure.trend)),
        Column::Total => match figure.total.as_ref().and_then(|t| t.mean) {
            Some(mean) => Cell::new(short(mean)),
            None => missing(),
        },
        Column::ReadsAs => verdict(figure.verdict),
    }
}

fn pair_cell(pair: &Pair, column: Column) -> Cell {
    let c = &pair.comparison;
    match column {
        Column::FirstFinal | Column::Phase(_) | Column::Total => Cell::new(""),
        Column::Slope => Cell::new(c.slope_difference.map(signed).unwrap_or_default()),
        Column::Interval => interval(c.percentile),
        Column::Widened => interval(c.t_widened),
        Column::Chains => Cell::new(format!("{}+{}", c.chains.0, c.chains.1)),
        Column::ReadsAs => Cell::new(c.separation.as_str()).tone(match c.separation {
            Separation::SeparatesStrongly | Separation::Separates => Tone::Title,
            Separation::Overlaps => Tone::Plain,
            Separation::TooFewChains | Separation::TooFewTasks | Separation::NoInterval => {
                Tone::Faint
            }
        }),
    }
}

/// What is known of a pair beside its row, on one line of 80 columns where the numbers are short.
fn note(study: &Study, pair: &Pair, columns: &[Column]) -> String {
    let c = &pair.comparison;
    let mut words: Vec<String> = pair.how(study.within.as_deref()).into_iter().collect();
    if let Some(p) = c.permutation {
        let about = if p.exact { "" } else { "≈ " };
        let holm = pair.holm.map(|h| format!(" (Holm {})", short(h)));
        words.push(format!(
            "p {about}{}{}",
            short(p.p),
            holm.unwrap_or_default()
        ));
    }
    if let Some(effect) = c.effect {
        words.push(match effect.hedges_g {
            Some(g) => format!("g {g:.2}"),
            None => format!("δ {:.2}", effect.cliffs_delta),
        });
    }
    if let Some(i) = c.t_widened.filter(|_| !columns.contains(&Column::Widened)) {
        words.push(format!("t-widened {}", span(i)));
    }
    if let Some(smallest) = c.smallest_detectable {
        words.push(format!("detectable ±{}", short(smallest)));
    }
    if words.is_empty() {
        words.push("an arm has no slope, and so there is no difference".to_owned());
    }
    words.join("; ")
}

/// The same as columns of a table of their own, for Markdown.
pub(super) fn pairs_table(study: &Study, table: &MeasureTable) -> Table {
    let mut shown = Table::new()
        .words("difference of slopes")
        .column("difference", Align::Right)
        .column("95 % interval", Align::Right)
        .column("t-widened", Align::Right)
        .column("p", Align::Right)
        .column("p Holm", Align::Right)
        .column("g", Align::Right)
        .column("δ", Align::Right)
        .column("detectable", Align::Right)
        .column("reads as", Align::Left);
    for pair in &table.pairs {
        let c = &pair.comparison;
        let number = |v: Option<f64>| Cell::new(v.map(short).unwrap_or_default());
        let how = pair.how(study.within.as_deref());
        let versus = versus(study, pair);
        shown.row(vec![
            Cell::new(how.map_or(versus.clone(), |how| format!("{versus} ({how})"))),
            Cell::new(c.slope_difference.map(signed).unwrap_or_default()),
            interval(c.percentile),
            interval(c.t_widened),
            number(c.permutation.map(|p| p.p)),
            number(pair.holm),
            number(c.effect.and_then(|e| e.hedges_g)),
            number(c.effect.map(|e| e.cliffs_delta)),
            number(c.smallest_detectable),
            Cell::new(c.separation.as_str()),
        ]);
    }
    shown
}

/// Whether no arm has a number of it.
pub(super) fn is_empty(table: &MeasureTable) -> bool {
    table.arms.iter().all(|f| f.trend.values == 0)
}

/// The one value that every chain of every arm had at every checkpoint, where that is so and
/// nothing is missing.
pub(super) fn constant(table: &MeasureTable) -> Option<f64> {
    let values = || {
        let series = table.arms.iter().flat_map(|f| &f.series);
        series.flat_map(|s| &s.points).map(|p| p.value)
    };
    let first = values().next().flatten()?;
    values().all(|v| v == Some(first)).then_some(first)
}
