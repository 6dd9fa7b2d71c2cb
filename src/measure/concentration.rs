//! Concentration: how unevenly complexity and rework are spread.
//!
//! Formula: Gini coefficient of CC over functions, Σ (2i − n − 1)·xᵢ ÷ (n·Σ xᵢ) over ascending
//! values; share of CC in the fifth of functions with the most; share of modification churn
//! since base in the three most re-opened files.
//! Source: SlopCodeBench (`cc_concentration`, `cc_top20`); the later PetClinic harness
//! (`hot_share`).
//! Reads high on: few places that carry most of the code's decisions, or most of the rework.
//! Blind spot: level. A tree of trivial functions and one moderate one is "concentrated" too.

use crate::history::{Needs, Share, Step};

use super::definition::{Level, Measure, NOTHING, TREE};
use super::population::number;
use super::tree::{each_language, state, whole};
use super::{Figure, Value};

const FAMILY: &str = "concentration";

const HOT_SHARE: Needs = Needs {
    hot_share: true,
    ..NOTHING
};

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "cc_gini",
        aliases: &["cc_concentration"],
        title: "concentration of complexity",
        unit: "ratio",
        primary: false,
        per_language: true,
        needs: TREE,
        definition: "Gini coefficient of cyclomatic complexity over all production functions: 0 \
                     where all are equal, towards 1 where one has it all.",
        edges: "No functions: undefined. One function, or all alike: 0. Files that cannot be \
                read are left out and named.",
        source: "SlopCodeBench (SCB), later PetClinic-Evolve harness (PCh)",
        reads_high: "Few complex functions among many trivial ones.",
        blind_spot: "How complex they are; adding accessors raises it.",
        ..Measure::now(FAMILY, Level::State, cc_gini)
    },
    Measure {
        id: "cc_top20",
        title: "complexity in the top fifth",
        unit: "ratio",
        primary: false,
        per_language: true,
        needs: TREE,
        definition: "Cyclomatic complexity in the fifth of production functions that have the \
                     most ÷ all of it.",
        edges: "A fifth is rounded up, so it is at least one function. No functions: undefined. \
                Files that cannot be read are left out and named.",
        source: "SlopCodeBench (SCB)",
        reads_high: "As cc_gini, and trees of very few functions.",
        blind_spot: "How complex they are; the shape below the top fifth.",
        ..Measure::now(FAMILY, Level::State, cc_top20)
    },
    Measure {
        id: "churn_hot_share",
        aliases: &["hot_share"],
        title: "rework in the hottest files",
        unit: "ratio",
        windowed: true,
        needs: HOT_SHARE,
        definition: "Of the churn of modified (not created or deleted) production files since \
                     the base, the share in the three files re-opened most often.",
        edges: "Ties: more churn first, then by path. No modified file since base: undefined. \
                Three files or fewer: 1.",
        source: "later PetClinic-Evolve harness (PCh)",
        reads_high: "Every change comes back to the same few files.",
        blind_spot: "Small trees read high by themselves; early in a chain it is always near 1.",
        ..Measure::now(FAMILY, Level::State, churn_hot_share)
    },
];

fn cc_gini(step: &Step) -> Figure {
    each_language(step, whole, |of| share(of.gini, "no functions"))
}

fn cc_top20(step: &Step) -> Figure {
    each_language(step, whole, |of| share(of.top20, "no functions"))
}

fn churn_hot_share(step: &Step) -> Figure {
    Figure::from(match state(step).map(|state| state.hot_share) {
        Ok(Some(hot)) => {
            let whole = |n: u64| number(i64::try_from(n).unwrap_or(i64::MAX));
            Value::ratio(
                whole(hot.top),
                whole(hot.all),
                "no file was modified since the base",
            )
        }
        Ok(None) => Value::unknown("lines of a change since the base could not be read"),
        Err(reason) => Value::unknown(reason),
    })
}

fn share(of: Share, empty: &str) -> Value {
    Value::ratio(number(of.num), number(of.den), empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{HotShare, Language, LanguageState, State};
    use crate::measure::fixture::{known, step, undefined, unknown, with_state};

    #[test]
    fn shares_keep_their_numerator_and_denominator() {
        // CC 1, 1, 1, 5: Gini Σ(2i − n − 1)·x = −3 − 1 + 1 + 15 = 12 over 4 · 8; top fifth 5 of 8.
        let java = LanguageState {
            files: 1,
            loc: 8,
            gini: Share { num: 12, den: 32 },
            top20: Share { num: 5, den: 8 },
            ..LanguageState::default()
        };
        let step = with_state(step(Vec::new()), [(Language::Java, java)]);
        assert_eq!(known("cc_gini", &step).value, 0.375);
        let top = known("cc_top20", &step);
        assert_eq!((top.num, top.den), (Some(5.0), Some(8.0)));
    }

    #[test]
    fn without_functions_they_are_undefined() {
        let none = with_state(step(Vec::new()), []);
        assert_eq!(undefined("cc_gini", &none), "no functions");
        assert_eq!(undefined("cc_top20", &none), "no functions");
    }

    #[test]
    fn hot_share_is_undefined_before_anything_was_modified_and_unknown_where_not_asked() {
        let with = |hot_share| {
            let mut step = step(Vec::new());
            step.state = Some(State {
                hot_share,
                ..State::default()
            });
            step
        };
        let some = with(Some(HotShare { top: 30, all: 40 }));
        assert_eq!(known("churn_hot_share", &some).value, 0.75);
        undefined("churn_hot_share", &with(Some(HotShare::default())));
        assert_eq!(
            unknown("churn_hot_share", &with(None)),
            "lines of a change since the base could not be read"
        );
    }
}
