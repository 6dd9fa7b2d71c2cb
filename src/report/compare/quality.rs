//! Cost against quality, and scores of whole chains, the arms side by side.

use super::json::{name, place};
use super::measure::span;
use crate::measure::Value;
use crate::report::figure::cell;
use crate::report::study::{Part, Score, Study};
use crate::report::table::{Align, Cell, Table};
use crate::stats::Place;

/// Widest the name of a score stands.
const NAMES: usize = 30;

/// The scores part by part, each part with its title; with their intervals where they fit in
/// `width`.
pub(super) fn tables(study: &Study, width: usize) -> Vec<Table> {
    let parts = Part::ALL.iter().filter_map(|part| {
        let with = table(study, *part, true);
        let shown = match with.least_width(NAMES) <= width {
            true => with,
            false => table(study, *part, false),
        };
        (!shown.is_empty()).then_some(shown)
    });
    parts.collect()
}

fn table(study: &Study, part: Part, intervals: bool) -> Table {
    let mut shown = Table::new().words(part.title());
    for arm in &study.arms {
        shown = shown.column(&arm.name, Align::Right);
    }
    // What no arm has is said below, with the reason.
    let told =
        |s: &&Score| s.part == part && !s.values.iter().all(|v| matches!(v, Value::Unknown(_)));
    for score in study.quality.scores.iter().filter(told) {
        let unit = match score.unit {
            "" | "ratio" => String::new(),
            unit => format!(", {unit}"),
        };
        let title = format!("{}{unit} {}", score.title, score.direction.arrow());
        let mut cells = vec![Cell::new(title)];
        for (at, value) in score.values.iter().enumerate() {
            let of = score.intervals.get(at).copied().flatten();
            cells.push(match of.filter(|_| intervals) {
                Some(i) => Cell::new(format!("{} ({})", cell(value).text(), span(i))),
                None => cell(value),
            });
        }
        shown.row(cells);
    }
    shown
}

/// Where each arm stands in cost and success.
pub(super) fn front(study: &Study) -> Option<Table> {
    let front = &study.quality.front;
    let placed = front.iter().any(|f| f.place != Place::Unknown);
    if front.len() < 2 || !placed {
        return None;
    }
    let mut shown = Table::new()
        .words("cost and success")
        .column("USD a chain", Align::Right)
        .column("pass at 1", Align::Right)
        .column("stands", Align::Left);
    for arm in front {
        let by: Vec<&str> = arm.dominated_by.iter().map(|at| name(study, *at)).collect();
        let stands = match by.is_empty() {
            true => place(arm.place).to_owned(),
            false => format!("{} by {}", place(arm.place), by.join(", ")),
        };
        shown.row(vec![
            Cell::new(name(study, arm.arm)),
            cell(&arm.cost),
            cell(&arm.success),
            Cell::new(stands),
        ]);
    }
    Some(shown)
}
