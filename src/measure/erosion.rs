//! Erosion: the share of complexity mass that sits in complex functions.
//!
//! Formula: mass(f) = CC(f) · √max(SLOC(f), 1); erosion = Σ mass where CC > 10 ÷ Σ mass.
//! Source: SlopCodeBench, equations 2 and 3; PetClinic-Evolve for the scope and the floor.
//! Reads high on: few heavy functions among little else.
//! Blind spot: a ratio can cancel what it looks for. Many small functions raise the
//! denominator while a hotspot raises the numerator, and both trees read alike.

use crate::history::Step;

use super::definition::{Level, Measure, TREE};
use super::tree::{each_language, scoped, whole};
use super::{Figure, Value};

const fn ratio(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        unit: "ratio",
        primary: false,
        per_language: true,
        needs: TREE,
        ..Measure::now("mass", Level::State, compute)
    }
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "erosion",
        aliases: &["erosion_ratio", "mass.high_cc_pct"],
        title: "erosion",
        definition: "Complexity mass, CC · √max(SLOC, 1), in functions with a CC above 10 ÷ mass \
                     of all functions, over the production tree.",
        edges: "CC of exactly 10 is not above. No functions: undefined. Files that cannot be \
                read are left out and named.",
        source: "SlopCodeBench (SCB), PetClinic-Evolve (PC); both read 0 without functions",
        reads_high: "A few heavy functions that hold most of the complexity.",
        blind_spot: "It can cancel what it looks for: an arm that adds many small functions \
                     lowers it while its hotspot grows. Secondary to per-change measures.",
        ..ratio(erosion)
    },
    Measure {
        id: "erosion_scoped",
        title: "erosion of the touched subsystem",
        windowed: true,
        definition: "The same ratio over the touched subsystem: every production function in a \
                     file changed since the base and still there.",
        edges: "Nothing touched yet, or no functions there: undefined. Files that cannot be \
                read are left out and named.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "Heavy functions where the work goes on.",
        blind_spot: "As erosion; and the scope itself grows, so that a jump may be a file that \
                     came into it, not one that got worse.",
        ..ratio(erosion_scoped)
    },
    Measure {
        id: "erosion_extreme",
        title: "extreme erosion",
        definition: "Complexity mass in functions with a CC above 30 ÷ mass of all functions, \
                     over the production tree.",
        edges: "CC of exactly 30 is not above. No functions: undefined. Files that cannot be \
                read are left out and named.",
        source: "SlopCodeBench (SCB)",
        reads_high: "Single giant functions.",
        blind_spot: "Zero for most trees; everything between 11 and 30.",
        ..ratio(erosion_extreme)
    },
];

const EMPTY: &str = "no functions";

fn erosion(step: &Step) -> Figure {
    each_language(step, whole, |of| {
        Value::ratio(of.mass.high, of.mass.all, EMPTY)
    })
}

fn erosion_scoped(step: &Step) -> Figure {
    each_language(step, scoped, |of| {
        Value::ratio(
            of.mass_scoped.high,
            of.mass_scoped.all,
            "no functions in the touched subsystem",
        )
    })
}

fn erosion_extreme(step: &Step) -> Figure {
    each_language(step, whole, |of| {
        Value::ratio(of.mass.extreme, of.mass.all, EMPTY)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Language, LanguageState, Mass};
    use crate::measure::fixture::{
        known, left_out, number, of, showing, step, undefined, unknown, with_state,
    };

    /// Two functions: CC 12 over 25 lines, CC 4 over 9.
    fn two() -> LanguageState {
        LanguageState {
            files: 1,
            mass: Mass {
                all: 72.0,
                high: 60.0,
                extreme: 0.0,
                rows: 2,
            },
            ..LanguageState::default()
        }
    }

    #[test]
    fn erosion_is_the_share_of_mass_in_complex_functions() {
        let step = with_state(step(Vec::new()), [(Language::Java, two())]);
        let erosion = known("erosion", &step);
        assert_eq!((erosion.num, erosion.den), (Some(60.0), Some(72.0)));
        assert!((erosion.value - 0.833_333).abs() < 1e-6);
        assert_eq!(number("erosion_extreme", &step), Some(0.0));
        assert_eq!(
            undefined("erosion_scoped", &step),
            "no functions in the touched subsystem"
        );
    }

    #[test]
    fn a_tree_without_functions_is_undefined_not_zero() {
        let none = with_state(step(Vec::new()), []);
        assert_eq!(undefined("erosion", &none), "no functions");
        assert_eq!(undefined("erosion", &showing(none, None)), "no functions");
    }

    #[test]
    fn unread_files_are_left_out_and_named_and_where_all_are_it_is_unknown() {
        let mut some = two();
        some.files = 3;
        some.left_out = left_out(2, "syntax error");
        let some = with_state(step(Vec::new()), [(Language::Java, some)]);
        let erosion = known("erosion", &some);
        assert_eq!(erosion.left_out.map(|l| l.files), Some(2));

        let all = LanguageState {
            files: 1,
            left_out: left_out(1, "syntax error"),
            ..LanguageState::default()
        };
        let all = with_state(step(Vec::new()), [(Language::Java, all)]);
        assert_eq!(unknown("erosion", &all), "syntax error (1 file)");
    }

    #[test]
    fn a_scope_that_is_empty_only_for_want_of_reading_is_unknown() {
        let mut state = two();
        state.files = 2;
        state.left_out = left_out(1, "syntax error");
        state.left_out_scoped = left_out(1, "syntax error");
        let step = with_state(step(Vec::new()), [(Language::Java, state)]);
        assert_eq!(unknown("erosion_scoped", &step), "syntax error (1 file)");
    }

    #[test]
    fn each_language_has_its_own_and_one_without_parser_is_unknown() {
        let mut python = two();
        python.mass.high = 0.0;
        let script = LanguageState {
            files: 4,
            ..LanguageState::default()
        };
        let step = with_state(
            step(Vec::new()),
            [
                (Language::Java, two()),
                (Language::Python, python),
                (Language::JavaScript, script),
            ],
        );
        let figure = of("erosion", &step);
        assert_eq!(figure.language, Some(Language::Java));
        assert_eq!(figure.by_language.len(), 3);
        assert_eq!(figure.by_language[&Language::Python].number(), Some(0.0));
        assert_eq!(
            figure.by_language[&Language::JavaScript],
            Value::unknown("no parser for JavaScript (4 files)")
        );
    }

    #[test]
    fn without_a_computed_tree_it_is_unknown() {
        assert_eq!(
            unknown("erosion", &step(Vec::new())),
            "the tree was not computed"
        );
    }
}
