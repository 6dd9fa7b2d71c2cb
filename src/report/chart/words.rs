//! Figures said in words: their headings and descriptions.

use crate::measure::catalogue::Measure;
use crate::report::number::{short, signed};
use crate::report::{ArmFigure, MeasureTable, counted};
use crate::stats::Interval;

/// The measure's title, with its language where it has one.
pub(super) fn heading(table: &MeasureTable) -> String {
    let title = title(table.measure);
    match &table.language {
        Some(language) => format!("{title} ({language})"),
        None => title,
    }
}

/// The measure's title, with a capital.
pub(super) fn title(measure: &Measure) -> String {
    let mut letters = measure.title.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// `functions, lower is better`.
pub(super) fn unit(measure: &Measure) -> String {
    format!("{}, {}", measure.unit, measure.direction.words())
}

/// `0.050 to 0.200`.
pub(super) fn interval(interval: Interval) -> String {
    format!("{} to {}", short(interval.low), short(interval.high))
}

/// What `lines` shows.
pub(super) fn lines(table: &MeasureTable, arms: &[(&str, &ArmFigure)]) -> String {
    let mut out = format!(
        "{} by checkpoint, in {}: mean of the chains of {}, with a band of one population \
         standard deviation each side.",
        heading(table),
        unit(table.measure),
        counted(arms.len() as u64, "arm", "arms"),
    );
    for (name, figure) in arms {
        out.push(' ');
        out.push_str(&arm(name, figure));
    }
    out
}

/// What a curve says, in one or two sentences.
pub(super) fn arm(name: &str, figure: &ArmFigure) -> String {
    let trend = &figure.trend;
    let (Some(first), Some(last)) = (trend.first, trend.last) else {
        return format!("{name}: no value{}.", reasons(figure));
    };
    let mut out = format!(
        "{name}: {}, {}",
        counted(trend.chains as u64, "chain", "chains"),
        counted(trend.checkpoints as u64, "checkpoint", "checkpoints"),
    );
    if trend.checkpoints > 1 {
        out.push_str(&format!(
            ", from {} at {} to {} at {}",
            short(first.mean),
            short(first.index),
            short(last.mean),
            short(last.index),
        ));
    } else {
        let (value, index) = (short(first.mean), short(first.index));
        out.push_str(&format!(", {value} at {index}"));
    }
    if let Some(slope) = trend.slope {
        out.push_str(&format!("; slope {} a checkpoint", signed(slope)));
        if let Some(percentile) = trend.percentile {
            out.push_str(&format!(", 95 % interval {}", interval(percentile)));
        }
        if let Some(widened) = trend.t_widened {
            out.push_str(&format!(", t-widened {}", interval(widened)));
        }
    }
    if let Some(verdict) = figure.verdict {
        out.push_str(&format!("; {verdict}"));
    }
    let missing = reasons(figure);
    if !missing.is_empty() {
        out.push_str(&format!("; no value{missing}"));
    }
    out.push('.');
    out
}

/// ` at 4 of 60 points (no valid gate 4)`; empty where none is missing.
fn reasons(figure: &ArmFigure) -> String {
    let missing: u64 = figure.missing.values().sum();
    if missing == 0 {
        return String::new();
    }
    let why: Vec<String> = figure
        .missing
        .iter()
        .map(|(why, n)| format!("{why} {n}"))
        .collect();
    let points = figure.points.0;
    format!(" at {missing} of {points} points ({})", why.join(", "))
}

/// A line below a figure for each arm that lacks values.
pub(super) fn missing(arms: &[(&str, &ArmFigure)]) -> Vec<String> {
    let line = |(name, figure): &(&str, &ArmFigure)| {
        let missing: u64 = figure.missing.values().sum();
        let points = figure.points.0;
        (missing > 0).then(|| format!("{name}: {missing} of {points} points have no value."))
    };
    arms.iter().filter_map(line).collect()
}
