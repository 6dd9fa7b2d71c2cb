//! Measures of a whole chain, arm or task. Their definitions stand here; a step has no figure of
//! them, since each takes all checkpoints of a chain, or all chains of a task.

use super::definition::{Direction, Measure};

const EVOSCORE: &str = "evoscore";
const REPEATS: &str = "repeats";

const fn better_high(family: &'static str) -> Measure {
    Measure {
        unit: "ratio",
        direction: Direction::HigherIsBetter,
        ..Measure::whole(family)
    }
}

const EVOSCORE_EDGES: &str = "Asked for at γ = 1, 1.5 and 2. A checkpoint without a valid gate is left out of both \
     sums, and how many were is shown.";

const REPEAT_EDGES: &str = "A chain passes when every checkpoint is reached and the last is strict. Too few chains \
     for k: unknown.";

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "evoscore_strict",
        title: "evoscore of strict passes",
        definition: "Per chain Σ γⁱ·sᵢ ÷ Σ γⁱ with sᵢ the strict pass at checkpoint i, then the \
                     mean over chains.",
        edges: EVOSCORE_EDGES,
        source: "PetClinic-Evolve (PC), after SWE-CI (CI)",
        reads_high: "Chains that stay whole, late checkpoints weighing more with γ.",
        blind_spot: "A checkpoint lost by one test and one lost by all read alike.",
        ..better_high(EVOSCORE)
    },
    Measure {
        id: "evoscore_nc",
        title: "evoscore of normalised change",
        definition: "The same with sᵢ the normalised change from the initial code (nc_initial).",
        edges: EVOSCORE_EDGES,
        source: "SWE-CI (CI)",
        reads_high: "Chains that keep what they gained.",
        blind_spot: "It counts tests: one broken and one mended cancel.",
        ..better_high(EVOSCORE)
    },
    Measure {
        id: "evoscore_nc_prev",
        title: "evoscore of change from the previous checkpoint",
        definition: "The same with sᵢ the normalised change from the previous checkpoint \
                     (nc_prev).",
        edges: EVOSCORE_EDGES,
        source: "SWE-CI (CI), with PetClinic-Evolve's baseline (PC)",
        reads_high: "Steady progress.",
        blind_spot: "It counts tests: one broken and one mended cancel.",
        ..better_high(EVOSCORE)
    },
    Measure {
        id: "zero_regression_rate",
        aliases: &["zrr"],
        title: "zero-regression rate",
        definition: "Chains without a regression by test id ÷ chains.",
        edges: "A chain with a gate that has no verdict and no regression seen is unknown, where \
                the source counts it as clean; how many are is shown.",
        source: "SWE-CI (CI)",
        reads_high: "Whole runs that never broke anything.",
        blind_spot: "How much the others broke.",
        ..better_high("breakage")
    },
    Measure {
        id: "pass_at_1",
        aliases: &["pass@1"],
        title: "pass at 1",
        definition: "Mean share of a task's chains that pass, then the mean over tasks.",
        edges: REPEAT_EDGES,
        source: "scaffold benchmark (SC), HumanEval",
        reads_high: "One try mostly works.",
        blind_spot: "Spread between tasks.",
        ..better_high(REPEATS)
    },
    Measure {
        id: "pass_at_k",
        aliases: &["pass@k"],
        title: "pass at k",
        definition: "Of n chains of a task, c passing: 1 − C(n−c, k) ÷ C(n, k), the chance that \
                     one of k passes; then the mean over tasks.",
        edges: REPEAT_EDGES,
        source: "HumanEval, in the scaffold benchmark (SC)",
        reads_high: "Some try works.",
        blind_spot: "Reliability: one lucky chain is enough.",
        ..better_high(REPEATS)
    },
    Measure {
        id: "pass_hat_k",
        aliases: &["pass^k"],
        title: "pass hat k",
        definition: "Of n chains of a task, c passing: C(c, k) ÷ C(n, k), the chance that all k \
                     pass; then the mean over tasks.",
        edges: REPEAT_EDGES,
        source: "τ-bench, in the scaffold benchmark (SC), which writes pass@1 to the power k",
        reads_high: "Every try works.",
        blind_spot: "Falls with k by itself: compare at one k only.",
        ..better_high(REPEATS)
    },
    Measure {
        id: "ratio_to_reference",
        title: "ratio to the reference",
        unit: "ratio",
        direction: Direction::Descriptive,
        definition: "A production change measure of an attempt ÷ the same of the reference \
                     solution; in summary the mean over tasks of the per-task median.",
        edges: "Reference zero or negative: the difference, labelled so. No reference, or it \
                does not apply: unknown.",
        source: "PluginBench (PB)",
        reads_high: "More code, files or complexity than a known good solution needed.",
        blind_spot: "The reference is one good solution, not the only one.",
        ..Measure::whole("reference")
    },
    Measure {
        id: "on_front",
        aliases: &["pareto"],
        title: "on the cost and quality front",
        unit: "flag",
        direction: Direction::Descriptive,
        definition: "Not dominated by another arm in cost (lower) and pass_at_1 (higher).",
        edges: "Exact ties both stay and are marked; equal in both, fewer wrong turns is named \
                first.",
        source: "scaffold benchmark (SC), which drops one of a tie",
        reads_high: "It has no size.",
        blind_spot: "How far behind the dominated are.",
        ..Measure::whole("front")
    },
];
