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
