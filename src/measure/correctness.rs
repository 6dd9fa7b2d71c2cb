//! What the tests said: listed with their definitions, not computed in this version.
//!
//! All of them read the acceptance suite unless they say otherwise. A gate run without a
//! verdict is left out and counted; the next one is compared with the last valid one.

use super::definition::{Direction, Level, Measure, Pool};

const PASSES: &str = "passes";
const BREAKAGE: &str = "breakage";
const PROGRESS: &str = "progress";
const PARENT_TESTS: &str = "parent_tests";
const COVERAGE: &str = "coverage";

const fn better_high(family: &'static str) -> Measure {
    Measure {
        direction: Direction::HigherIsBetter,
        ..Measure::later(family, Level::Tests)
    }
}

const fn better_low(family: &'static str) -> Measure {
    Measure {
        unit: "tests",
        pool: Pool::Sum,
        ..Measure::later(family, Level::Tests)
    }
}

const FLAG_EDGES: &str = "No such test: undefined, where the source says false. Skipped tests are left out; nothing \
     passed: not strict. No valid gate: unknown.";

const RATE_EDGES: &str =
    "No such test: undefined. Skipped tests are left out. No valid gate: unknown.";

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "outcome",
        title: "outcome",
        unit: "outcome",
        direction: Direction::Descriptive,
        definition: "Pass, fail, unknown (no valid gate), execution failure (agent or set-up did \
                     not finish) or not reached.",
        edges: "Unknown is never a failure.",
        source: "PluginBench (PB)",
        reads_high: "It has no size.",
        blind_spot: "Why it failed.",
        ..Measure::later(PASSES, Level::Tests)
    },
    Measure {
        id: "strict_pass",
        aliases: &["strict"],
        title: "strict pass",
        unit: "flag",
        definition: "Every selected test passes: this checkpoint's and all earlier ones'.",
        edges: FLAG_EDGES,
        source: "PetClinic-Evolve (PC), SlopCodeBench (SCB)",
        reads_high: "New work that works and broke nothing.",
        blind_spot: "What no test asks for.",
        ..better_high(PASSES)
    },
    Measure {
        id: "iso_pass",
        aliases: &["iso", "isolated_pass"],
        title: "isolated pass",
        unit: "flag",
        definition: "Every test of this checkpoint's own passes: core, error and functionality.",
        edges: FLAG_EDGES,
        source: "PetClinic-Evolve (PC), SlopCodeBench (SCB)",
        reads_high: "The request itself was done.",
        blind_spot: "What it broke of earlier work.",
        ..better_high(PASSES)
    },
    Measure {
        id: "core_pass",
        aliases: &["core"],
        title: "core pass",
        unit: "flag",
        definition: "Every core test of this checkpoint passes.",
        edges: FLAG_EDGES,
        source: "PetClinic-Evolve (PC), SlopCodeBench (SCB)",
        reads_high: "The essential path works.",
        blind_spot: "Everything off the essential path.",
        ..better_high(PASSES)
    },
    Measure {
        id: "strict_pass_rate",
        title: "strict pass rate",
        unit: "ratio",
        primary: false,
        pool: Pool::SumOverSum,
        definition: "Selected tests that pass ÷ selected tests.",
        edges: RATE_EDGES,
        source: "SlopCodeBench (SCB)",
        reads_high: "Most tests pass.",
        blind_spot: "One lost test in a large suite is lost in rounding.",
        ..better_high(PASSES)
    },
    Measure {
        id: "iso_pass_rate",
        aliases: &["isolated_pass_rate"],
        title: "isolated pass rate",
        unit: "ratio",
        primary: false,
        pool: Pool::SumOverSum,
        definition: "This checkpoint's own tests that pass ÷ its own tests.",
        edges: RATE_EDGES,
        source: "SlopCodeBench (SCB)",
        reads_high: "Most of the request was done.",
        blind_spot: "What it broke of earlier work.",
        ..better_high(PASSES)
    },
    Measure {
        id: "core_pass_rate",
        title: "core pass rate",
        unit: "ratio",
        primary: false,
        pool: Pool::SumOverSum,
        definition: "This checkpoint's core tests that pass ÷ its core tests.",
        edges: RATE_EDGES,
        source: "SlopCodeBench (SCB)",
        reads_high: "Most of the essential path works.",
        blind_spot: "Coarse: there are few core tests.",
        ..better_high(PASSES)
    },
    Measure {
        id: "regressions",
        title: "regressions",
        definition: "Tests that passed at the last valid gate and do not now, among the tests \
                     selected at both; split into failed, error, skipped and not run.",
        edges: "Renamed ids are paired first. Missing without explanation counts; removed or \
                deselected by the experiment is listed apart. Flaky in either run: listed, not \
                counted.",
        source: "PetClinic-Evolve (PC), a plain set difference; SWE-CI (CI)",
        reads_high: "A change that broke what had worked.",
        blind_spot: "Behaviour that no test covers; a test already red cannot regress.",
        ..better_low(BREAKAGE)
    },
    Measure {
        id: "unsatisfied_replacements",
        title: "unsatisfied replacements",
        definition: "Tests never seen before, of a checkpoint this one declares to change, that \
                     fail on arrival.",
        edges: "Nothing declared: 0.",
        source: "later PetClinic-Evolve harness (PCh)",
        reads_high: "A rule was to be revised and was not.",
        blind_spot: "They never passed, so regressions does not see them.",
        ..better_low(BREAKAGE)
    },
    Measure {
        id: "true_regressions",
        title: "unintended regressions",
        definition: "Regressions less the tests of checkpoints this one declares to change that \
                     are gone from the suite; the exempted are listed.",
        edges: "A declared test that still runs and fails counts.",
        source: "PetClinic-Evolve (PC), as implemented",
        reads_high: "A change that broke something it was not asked to touch.",
        blind_spot: "As regressions.",
        ..better_low(BREAKAGE)
    },
    Measure {
        id: "true_regressions_declared",
        title: "unintended regressions, all declared exempt",
        primary: false,
        definition: "Regressions less every test of checkpoints this one declares to change.",
        edges: "Forgives a replacement that fails.",
        source: "PetClinic-Evolve (PC), as its text defines it",
        reads_high: "As true_regressions.",
        blind_spot: "Whether the declared change was made rightly.",
        ..better_low(BREAKAGE)
    },
    Measure {
        id: "nc_prev",
        aliases: &["normalized_change", "normalised_change"],
        title: "normalised change from the previous checkpoint",
        unit: "ratio",
        definition: "With b passing at the previous checkpoint, p now and t selected: \
                     (p − b) ÷ (t − b) for progress, (p − b) ÷ b for regress; between −1 and 1.",
        edges: "Nothing left to gain: 1. Nothing passed before and fewer now: −1. At checkpoint 1 \
                the baseline gate is the previous one, else unknown.",
        source: "PetClinic-Evolve (PC), after SWE-CI (CI)",
        reads_high: "Progress towards what was missing.",
        blind_spot: "It counts tests: one broken and one mended cancel.",
        ..better_high(PROGRESS)
    },
    Measure {
        id: "nc_initial",
        title: "normalised change from the initial code",
        unit: "ratio",
        definition: "The same with b passing in the initial code and t = b plus the tests that \
                     pass in the target and did not initially.",
        edges: "p = b: 0, looked at before the gap. No gap: 1 where p is above b.",
        source: "SWE-CI (CI)",
        reads_high: "Progress since the beginning.",
        blind_spot: "It counts tests: one broken and one mended cancel.",
        ..better_high(PROGRESS)
    },
    Measure {
        id: "fail_to_pass",
        title: "fail to pass",
        unit: "tests",
        definition: "Tests that fail on the parent and pass after the change.",
        edges: "Needs a gate of the parent with the same tests, else unknown.",
        source: "SWE-bench, in the scaffold benchmark (SC)",
        reads_high: "What the change mended.",
        blind_spot: "Tests that were not run on the parent.",
        ..better_high(PARENT_TESTS)
    },
    Measure {
        id: "pass_to_pass",
        title: "pass to pass",
        unit: "tests",
        definition: "Tests that pass on the parent and still pass after the change.",
        edges: "Needs a gate of the parent with the same tests, else unknown.",
        source: "SWE-bench, in the scaffold benchmark (SC)",
        reads_high: "What the change left whole.",
        blind_spot: "Grows with the suite.",
        ..better_high(PARENT_TESTS)
    },
    Measure {
        id: "step2_regression_rate",
        title: "second-step regression rate",
        unit: "ratio",
        pool: Pool::SumOverSum,
        definition: "Tests passing after the first step and failing after the second ÷ tests \
                     passing after the first.",
        edges: "Nothing passed after the first: undefined.",
        source: "spec-drift methodology (SD)",
        reads_high: "Follow-up work that undoes the first.",
        blind_spot: "Behaviour that no test covers.",
        ..Measure::later(PARENT_TESTS, Level::Tests)
    },
    Measure {
        id: "new_regression_test",
        title: "new regression test",
        unit: "flag",
        direction: Direction::Descriptive,
        definition: "Whether the change added a test that fails on its parent and passes on it.",
        edges: "Needs the new tests run on the parent, else unknown.",
        source: "spec-drift methodology (SD)",
        reads_high: "Mending that comes with its test.",
        blind_spot: "How good the test is.",
        ..Measure::later(PARENT_TESTS, Level::Tests)
    },
    Measure {
        id: "suite_line_coverage",
        title: "line coverage of the suite",
        unit: "ratio",
        direction: Direction::Descriptive,
        primary: false,
        definition: "Production lines the whole visible suite executes ÷ those that can be.",
        edges: "In machine formats only. No coverage recorded: unknown.",
        source: "PluginBench (PB)",
        reads_high: "A suite that runs most of the code; a large drop can be broken tests.",
        blind_spot: "Whether anything is asserted.",
        ..Measure::later(COVERAGE, Level::Tests)
    },
    Measure {
        id: "suite_branch_coverage",
        title: "branch coverage of the suite",
        unit: "ratio",
        direction: Direction::Descriptive,
        primary: false,
        definition: "Branches the whole visible suite takes ÷ all branches.",
        edges: "In machine formats only. No branches recorded: unknown.",
        source: "PluginBench (PB)",
        reads_high: "A suite that runs most cases.",
        blind_spot: "Whether anything is asserted.",
        ..Measure::later(COVERAGE, Level::Tests)
    },
];
