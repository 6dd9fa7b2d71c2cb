//! Change entropy: how evenly one change is spread over its files.
//!
//! Formula: with pᵢ = changed lines of file i ÷ changed lines of all, over the n files with
//! any, H = −Σ pᵢ·log₂ pᵢ and `change_entropy` = H ÷ log₂ n.
//! Source: Hassan 2009, "Predicting faults using the complexity of code changes"; the later
//! PetClinic harness.
//! Reads high on: the same amount of work in each of several files.
//! Blind spot: the number of files; an even change of two reads like an even change of fifty.

use crate::history::{LineCounts, Lines, Step};

use super::definition::{LINES, Level, Measure};
use super::population::{is_production, lines_of, number, production};
use super::{Figure, Known, Value};

pub(super) const MEASURES: &[Measure] = &[Measure {
    id: "change_entropy",
    aliases: &["entropy", "hassan_entropy"],
    title: "change entropy",
    unit: "ratio",
    needs: LINES,
    definition: "Shannon entropy of the changed lines (added plus removed) over the production \
                 files that have any, divided by its greatest possible value: 0 where one file \
                 has them all, 1 where each has as many.",
    edges: "One file: 0. No changed production line: undefined. Binary files have no lines and \
            are named as left out. Not pooled over a range.",
    source: "Hassan 2009, in the later PetClinic-Evolve harness (PCh)",
    reads_high: "Work spread evenly over its files.",
    blind_spot: "How many files: an even change of two files and of fifty both read 1. Read it \
                 beside files_changed.",
    ..Measure::now("spread", Level::Change, change_entropy)
}];

fn change_entropy(step: &Step) -> Figure {
    let sum = match lines_of(step, is_production) {
        Ok(sum) => sum,
        Err(reason) => return Figure::from(Value::unknown(reason)),
    };
    let each: Vec<i64> = production(step)
        .map(|edit| match &edit.lines {
            Lines::Counted(counts) => changed(counts, edit.old_class, edit.new_class),
            _ => 0,
        })
        .filter(|lines| *lines > 0)
        .collect();
    Figure::from(normalised(&each).without(&sum.left_out))
}

fn changed(
    counts: &LineCounts,
    old: Option<crate::history::FileClass>,
    new: Option<crate::history::FileClass>,
) -> i64 {
    let added = if is_production(new) { counts.added } else { 0 };
    let removed = if is_production(old) {
        counts.removed
    } else {
        0
    };
    i64::from(added) + i64::from(removed)
}

/// Entropy in bits of `each` (all positive) over its greatest possible value.
fn normalised(each: &[i64]) -> Value {
    let total: i64 = each.iter().sum();
    match each.len() {
        0 => Value::Undefined("no changed production line".to_owned()),
        1 => Value::known(0.0),
        files => {
            let bits: f64 = each
                .iter()
                .map(|lines| number(*lines) / number(total))
                .map(|p| -p * p.log2())
                .sum();
            let most = number(i64::try_from(files).unwrap_or(i64::MAX)).log2();
            Value::Known(Known {
                // Rounding may carry an even spread a hair over its greatest value.
                value: (bits / most).min(1.0),
                num: Some(bits),
                den: Some(most),
                ..Known::default()
            })
        }
    }
}
