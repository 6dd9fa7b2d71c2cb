//! Change entropy: how evenly one change is spread over its files.
//!
//! Formula: with pᵢ = changed lines of file i ÷ changed lines of all, over the n files with
//! any, H = −Σ pᵢ·log₂ pᵢ and `change_entropy` = H ÷ log₂ n.
//! Source: Hassan 2009, "Predicting faults using the complexity of code changes"; the later
//! PetClinic harness.
//! Reads high on: the same amount of work in each of several files.
//! Blind spot: the number of files; an even change of two reads like an even change of fifty.

use crate::history::{FileClass, LineCounts, Lines, Step};

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

fn changed(counts: &LineCounts, old: Option<FileClass>, new: Option<FileClass>) -> i64 {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::measure::fixture::{known, modified, number, renamed, step, undefined};

    fn with_lines(each: &[u32]) -> Step {
        step(
            each.iter()
                .enumerate()
                .map(|(i, lines)| modified(&format!("src/F{i}.java")).lines(*lines, 0))
                .collect(),
        )
    }

    #[test]
    fn without_a_changed_line_it_is_undefined_and_of_one_file_it_is_zero() {
        assert_eq!(
            undefined("change_entropy", &with_lines(&[])),
            "no changed production line"
        );
        assert_eq!(
            undefined("change_entropy", &with_lines(&[0, 0])),
            "no changed production line"
        );
        assert_eq!(number("change_entropy", &with_lines(&[9, 0])), Some(0.0));
    }

    #[test]
    fn it_is_the_entropy_in_bits_over_its_greatest_value() {
        assert_eq!(
            number("change_entropy", &with_lines(&[5, 5, 5, 5])),
            Some(1.0)
        );
        // p = 1/2, 1/4, 1/4: 1.5 bits of at most log2 3.
        let uneven = known("change_entropy", &with_lines(&[2, 1, 1]));
        assert_eq!(uneven.num, Some(1.5));
        assert_eq!(uneven.den, Some(3.0_f64.log2()));
        assert!((uneven.value - 0.946_394_630_357_186).abs() < 1e-12);
    }

    #[test]
    fn added_and_removed_lines_count_each_by_the_class_of_its_side() {
        let mut left = renamed("src/A.java", "src/test/A.java").lines(90, 3);
        left.new_class = Some(FileClass::Test);
        let step = step(vec![left, modified("src/B.java").lines(1, 2)]);
        assert_eq!(number("change_entropy", &step), Some(1.0));
    }

    proptest! {
        #[test]
        fn it_lies_between_zero_and_one(each in proptest::collection::vec(0_u32..100_000, 1..40)) {
            if let Some(entropy) = number("change_entropy", &with_lines(&each)) {
                prop_assert!((0.0..=1.0).contains(&entropy), "{entropy}");
            }
        }

        #[test]
        fn it_does_not_depend_on_which_file_has_which_lines(
            mut each in proptest::collection::vec(1_u32..1_000, 2..10)
        ) {
            let there = number("change_entropy", &with_lines(&each)).expect("known");
            each.reverse();
            let back = number("change_entropy", &with_lines(&each)).expect("known");
            prop_assert!((there - back).abs() < 1e-12);
        }
    }
}
