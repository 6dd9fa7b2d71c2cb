//! Slopes, or differences of slopes, with their intervals.
//!
//! Measures have different units, so no one scale fits all rows. Each group of rows (a measure)
//! has a scale of its own, the same to both sides of one common zero line, and says where it
//! ends. Whether an interval holds zero, and on which side it lies, is then read rightly in every
//! row, lengths are compared within a group, and the figure says that they are not to be compared
//! between groups. Standard errors as a common unit would have been such a comparison, but of how
//! sure a difference is, while the eye takes length for how great it is.

use super::Look;
use super::canvas::{Anchor, Canvas, TEXT, TICK, at};
use super::letters;
use super::marks;
use super::scale::Scale;
use super::svg::Svg;
use super::words;
use crate::report::number::{short, signed};
use crate::report::{MeasureTable, StudyArm, counted};
use crate::stats::Interval;

/// Rows of estimates and their intervals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forest {
    /// What it is, in one line.
    pub title: String,
    /// The rows, in the order shown; those of one `group` follow each other.
    pub rows: Vec<ForestRow>,
}

/// One estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestRow {
    /// What the row is one of, usually the measure: rows of a group share one scale.
    pub group: String,
    /// Unit of the numbers, with what is good: `functions a checkpoint, lower is better`.
    pub unit: String,
    /// Whose it is: the arm, or `a less b`.
    pub label: String,
    /// Place of the arm in its study, for its colour; `None`: a difference.
    pub arm: Option<usize>,
    /// The estimate; `None`: `verdict` says why there is none.
    pub estimate: Option<f64>,
    /// 95 % percentile interval.
    pub percentile: Option<Interval>,
    /// The same, t-widened.
    pub t_widened: Option<Interval>,
    /// What it reads as.
    pub verdict: String,
}

fn unit(table: &MeasureTable) -> String {
    let measure = table.measure;
    format!(
        "{} a checkpoint, {}",
        measure.unit,
        measure.direction.words()
    )
}

/// The slopes of every measure and arm. A measure without a value in any arm is left out: the
/// text beside the figure has it.
pub fn slopes(tables: &[MeasureTable], arms: &[StudyArm]) -> Forest {
    let shown = tables
        .iter()
        .filter(|t| t.arms.iter().any(|a| a.trend.slope.is_some()));
    let rows = shown.flat_map(|table| {
        let group = words::heading(table);
        let arms = arms.iter().zip(&table.arms).enumerate();
        arms.map(move |(at, (arm, figure))| ForestRow {
            group: group.clone(),
            unit: unit(table),
            label: arm.name.clone(),
            arm: Some(at),
            estimate: figure.trend.slope,
            percentile: figure.trend.percentile,
            t_widened: figure.trend.t_widened,
            verdict: figure.verdict.map(|v| v.to_string()).unwrap_or_default(),
        })
    });
    Forest {
        title: "Slopes and their 95 % intervals".to_owned(),
        rows: rows.collect(),
    }
}

/// The differences of slopes of every measure and pair of arms, over all and within strata. A
/// measure without any difference is left out.
pub fn slope_differences(tables: &[MeasureTable], arms: &[StudyArm]) -> Forest {
    let name = |at: usize| arms.get(at).map_or("?", |a| a.name.as_str());
    let shown = tables.iter().filter(|t| {
        t.pairs
            .iter()
            .any(|p| p.comparison.slope_difference.is_some())
    });
    let rows = shown.flat_map(|table| {
        let group = words::heading(table);
        table.pairs.iter().map(move |pair| {
            let stratum = pair.stratum.as_ref();
            let stratum = stratum.map(|s| format!(", {s}")).unwrap_or_default();
            let holm = pair.holm.filter(|p| p.is_finite());
            let holm = holm.map(|p| format!(", Holm p {}", short(p)));
            ForestRow {
                group: group.clone(),
                unit: unit(table),
                label: format!("{} less {}{stratum}", name(pair.first), name(pair.second)),
                arm: None,
                estimate: pair.comparison.slope_difference,
                percentile: pair.comparison.percentile,
                t_widened: pair.comparison.t_widened,
                verdict: format!(
                    "{}{}",
                    pair.comparison.separation.as_str(),
                    holm.unwrap_or_default()
                ),
            }
        })
    });
    Forest {
        title: "Differences of slopes and their 95 % intervals".to_owned(),
        rows: rows.collect(),
    }
}

/// The forest plot: a thick line for the percentile interval, a thin one for the t-widened, a
/// mark for the estimate. Names stand above their line and not beside it, so that it is readable
/// on a narrow page.
pub fn forest(forest: &Forest, look: &Look) -> Svg {
    let mut canvas = Canvas::new(look);
    let below = "Thick: 95 % percentile interval. Thin: t-widened. Every measure has its own \
                 scale: compare lengths within a measure, not between measures.";
    let mut y = canvas.heading(look, &forest.title, "");
    let desc = described(forest);
    if forest.rows.is_empty() {
        let y = canvas.note(y + 4.0, "No slope is known.");
        return canvas.finish(y + 8.0, &forest.title, &desc);
    }
    let places = Places::of(canvas.width());
    let mut zero = String::new();
    // Drawn by itself, so that the zero line lies under everything.
    let mut rest = Canvas::new(look);
    for rows in forest.rows.chunk_by(|a, b| a.group == b.group) {
        y = group(&mut rest, y, &places, rows, &mut zero);
    }
    canvas.path("ev-zero", "", &zero);
    canvas.raw(&rest.body());
    let middle = (places.from + places.to) / 2.0;
    canvas.text((middle, y + 14.0), "ev-tick", Anchor::Middle, "0");
    let y = canvas.note(y + 16.0, below);
    canvas.finish(y + 6.0, &forest.title, &desc)
}

/// What stands where: on a narrow figure names and words above their line, on a wide one beside
/// it.
struct Places {
    left: f64,
    right: f64,
    /// The scale's ends.
    from: f64,
    to: f64,
    beside: bool,
}

impl Places {
    fn of(width: f64) -> Places {
        let (left, right) = (10.0, width - 10.0);
        let beside = width >= 560.0;
        Places {
            left,
            right,
            from: if beside { width * 0.3 } else { left + 4.0 },
            to: if beside { width * 0.68 } else { right - 4.0 },
            beside,
        }
    }
}

/// The rows of one scale; adds their part of the zero line, gives back where they end.
fn group(
    canvas: &mut Canvas,
    y: f64,
    places: &Places,
    rows: &[ForestRow],
    zero: &mut String,
) -> f64 {
    let Some(first) = rows.first() else { return y };
    let (left, right) = (places.left, places.right);
    let room = right - left;
    let far = rows
        .iter()
        .flat_map(numbers)
        .fold(0.0, |far: f64, v| far.max(v.abs()));
    let mut y = y + 18.0;
    let end = if far > 0.0 {
        format!("scale ±{}", short(far))
    } else {
        String::new()
    };
    let ends = letters::width(&end, TICK) + 8.0;
    let name = &first.group;
    canvas.text_in(
        room - ends,
        TEXT,
        (left, y),
        "ev-strong",
        Anchor::Start,
        name,
    );
    canvas.text((right, y), "ev-tick", Anchor::End, &end);
    y += 13.0;
    canvas.text_in(room, TICK, (left, y), "ev-tick", Anchor::Start, &first.unit);
    y += 5.0;
    let x = Scale::new((-far, far), (places.from, places.to));
    for row in rows {
        y = if places.beside {
            row_beside(canvas, y, places, row, x, zero)
        } else {
            row_above(canvas, y, places, row, x, zero)
        };
    }
    let d = format!("M{} {}H{}", at(left), at(y + 4.0), at(right));
    canvas.path("ev-grid", "", &d);
    y + 2.0
}

/// The mark of a row's arm; gives back where its name begins.
fn whose(canvas: &mut Canvas, row: &ForestRow, left: f64, y: f64) -> f64 {
    let Some(arm) = row.arm else { return left };
    let class = format!("ev-mark ev-f{}", marks::colour(arm));
    canvas.path(&class, "", &marks::mark(arm, (left + 4.0, y - 4.0), 3.4));
    left + 13.0
}

fn row_above(
    canvas: &mut Canvas,
    y: f64,
    places: &Places,
    row: &ForestRow,
    x: Scale,
    zero: &mut String,
) -> f64 {
    let right = places.right;
    let mut y = y + 14.0;
    let start = whose(canvas, row, places.left, y);
    let said = said(row);
    let room = right - start;
    let wide = letters::width(&row.label, TEXT) + 10.0 + letters::width(&said, TEXT);
    canvas.text_in(room, TEXT, (start, y), "", Anchor::Start, &row.label);
    if wide > room {
        y += 13.0;
    }
    canvas.text_in(room, TEXT, (right, y), "ev-soft", Anchor::End, &said);
    y += 10.0;
    zero.push_str(&format!("M{} {}v16", at(x.at(0.0)), at(y - 7.0)));
    line(canvas, row, x, y);
    y + 7.0
}

fn row_beside(
    canvas: &mut Canvas,
    y: f64,
    places: &Places,
    row: &ForestRow,
    x: Scale,
    zero: &mut String,
) -> f64 {
    let base = y + 14.0;
    let start = whose(canvas, row, places.left, base);
    let room = places.from - 12.0 - start;
    canvas.text_in(room, TEXT, (start, base), "", Anchor::Start, &row.label);
    let begin = places.to + 14.0;
    let said = letters::lines(&said(row), TEXT, places.right - begin);
    let mut below = base;
    for (at, text) in said.iter().enumerate() {
        below = base + at as f64 * 13.0;
        let room = places.right - begin;
        canvas.text_in(room, TEXT, (begin, below), "ev-soft", Anchor::Start, text);
    }
    zero.push_str(&format!("M{} {}V{}", at(x.at(0.0)), at(y), at(below + 5.0)));
    line(canvas, row, x, base - 4.0);
    below + 5.0
}

/// Everything finite that a row draws.
fn numbers(row: &ForestRow) -> impl Iterator<Item = f64> {
    let ends = |i: Option<Interval>| i.map(|i| [i.low, i.high]).into_iter().flatten();
    let all = row.estimate.into_iter();
    all.chain(ends(row.percentile))
        .chain(ends(row.t_widened))
        .filter(|v| v.is_finite())
}

/// The estimate and what it reads as.
fn said(row: &ForestRow) -> String {
    let estimate = row.estimate.filter(|e| e.is_finite());
    let estimate = estimate.map(|e| signed(e).replace('-', "−"));
    match (estimate, row.verdict.as_str()) {
        (Some(estimate), "") => estimate,
        (Some(estimate), verdict) => format!("{estimate}, {verdict}"),
        (None, "") => "no slope".to_owned(),
        (None, verdict) => verdict.to_owned(),
    }
}

fn line(canvas: &mut Canvas, row: &ForestRow, x: Scale, y: f64) {
    let class = |class: &str| match row.arm {
        Some(arm) => format!("{class} ev-s{}", marks::colour(arm)),
        None => format!("{class} ev-sd"),
    };
    let fit = |i: &Interval| i.low.is_finite() && i.high.is_finite();
    let along = |i: Interval| format!("M{} {}H{}", at(x.at(i.low)), at(y), at(x.at(i.high)));
    if let Some(widened) = row.t_widened.filter(fit) {
        let mut d = along(widened);
        for end in [widened.low, widened.high] {
            d.push_str(&format!("M{} {}v6", at(x.at(end)), at(y - 3.0)));
        }
        canvas.path(&class("ev-thin"), "", &d);
    }
    if let Some(percentile) = row.percentile.filter(fit) {
        canvas.path(&class("ev-thick"), "", &along(percentile));
    }
    if let Some(estimate) = row.estimate.filter(|e| e.is_finite()) {
        let place = (x.at(estimate), y);
        let (class, shape) = match row.arm {
            Some(arm) => (
                format!("ev-mark ev-f{}", marks::colour(arm)),
                marks::mark(arm, place, 4.2),
            ),
            None => ("ev-mark ev-fd".to_owned(), marks::mark(3, place, 4.2)),
        };
        canvas.titled_path(&class, "", &shape, &sentence(row));
    }
}

/// `layered: +0.312, 95 % interval 0.200 to 0.410, t-widened 0.150 to 0.460, degrades`.
fn sentence(row: &ForestRow) -> String {
    let mut out = format!("{}: ", row.label);
    match row.estimate {
        Some(estimate) => out.push_str(&signed(estimate)),
        None => out.push_str("no slope"),
    }
    if let Some(percentile) = row.percentile {
        out.push_str(&format!(", 95 % interval {}", words::interval(percentile)));
    }
    if let Some(widened) = row.t_widened {
        out.push_str(&format!(", t-widened {}", words::interval(widened)));
    }
    if !row.verdict.is_empty() {
        out.push_str(&format!(", {}", row.verdict));
    }
    out
}

fn described(forest: &Forest) -> String {
    let groups = forest.rows.chunk_by(|a, b| a.group == b.group);
    let mut out = format!(
        "{} of {}, each measure on its own scale around a common zero.",
        forest.title,
        counted(groups.clone().count() as u64, "measure", "measures")
    );
    for rows in groups {
        let rows_said: Vec<String> = rows.iter().map(sentence).collect();
        if let Some(first) = rows.first() {
            let (group, unit) = (&first.group, &first.unit);
            out.push_str(&format!(" {group}, in {unit}: {}.", rows_said.join("; ")));
        }
    }
    out
}
