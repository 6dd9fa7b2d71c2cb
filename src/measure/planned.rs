//! Measures of code and change that this version lists, with their definitions, but does not
//! compute: their figures are unknown, with that as the reason.

use super::definition::{Direction, Level, Measure, Pool};

const REDUNDANCY: &str = "redundancy";
const COVERAGE: &str = "coverage";
const TEST_CODE: &str = "test_code";

/// What a change leaves unused or says twice.
pub(super) const WASTE: &[Measure] = &[
    Measure {
        id: "dead_introduced",
        aliases: &["unused_code_introduced"],
        title: "unused code introduced",
        unit: "symbols",
        pool: Pool::Sum,
        definition: "Functions, classes and imports of production code that nothing refers to \
                     after the change, and that were not so before it.",
        edges: "By name and conservative: a name that occurs anywhere else is in use. No change: \
                0.",
        source: "PluginBench (PB)",
        reads_high: "Code written ahead of need, and callers removed without the called.",
        blind_spot: "Use by reflection, frameworks or other repositories.",
        ..Measure::later(REDUNDANCY, Level::Change)
    },
    Measure {
        id: "clones_introduced",
        aliases: &["duplication_introduced"],
        title: "clone groups introduced",
        unit: "groups",
        pool: Pool::Sum,
        definition: "Groups of duplicated production code that are there after the change and \
                     were not before.",
        edges: "A group that only gained a member is not a new one. No change: 0.",
        source: "PluginBench (PB)",
        reads_high: "Copying instead of reusing.",
        blind_spot: "Same logic written in other words.",
        ..Measure::later(REDUNDANCY, Level::Change)
    },
];

/// Scope, coverage and test code of a change.
pub(super) const CHANGE: &[Measure] = &[
    Measure {
        id: "files_outside_scope",
        title: "files outside the declared scope",
        unit: "files",
        pool: Pool::Sum,
        definition: "Changed files outside the set that was declared for the work (a reference \
                     fix's, or the plan's), less listed exceptions.",
        edges: "No declared set: unknown.",
        source: "spec-drift methodology (SD)",
        reads_high: "Work that strays from what was asked.",
        blind_spot: "Whether a stray file was a good idea.",
        ..Measure::later("scope", Level::Change)
    },
    Measure {
        id: "changed_line_coverage",
        title: "coverage of changed lines",
        unit: "ratio",
        direction: Direction::HigherIsBetter,
        pool: Pool::SumOverSum,
        definition: "Added production lines that the visible suite executes ÷ added production \
                     lines that can be executed.",
        edges: "No executable line added: undefined. No coverage recorded: unknown.",
        source: "PluginBench (PB)",
        reads_high: "New code with tests that run it.",
        blind_spot: "Whether anything is asserted about what was run.",
        ..Measure::later(COVERAGE, Level::Change)
    },
    Measure {
        id: "changed_branch_coverage",
        title: "branch coverage of changed lines",
        unit: "ratio",
        direction: Direction::HigherIsBetter,
        primary: false,
        pool: Pool::SumOverSum,
        definition: "Branches on added production lines that the visible suite takes ÷ all \
                     branches on them.",
        edges: "No branch added: undefined. The report format has no branches: unknown.",
        source: "PluginBench (PB)",
        reads_high: "New code whose cases are each run.",
        blind_spot: "Whether anything is asserted about what was run.",
        ..Measure::later(COVERAGE, Level::Change)
    },
    Measure {
        id: "redundant_added_tests",
        title: "redundant added tests",
        unit: "tests",
        pool: Pool::Sum,
        definition: "Added tests all of whose executed added production lines other tests \
                     execute too; smallest first, each flagged test leaves the pool, ties by id.",
        edges: "Tests that run no added line are in added_tests_off_change. No coverage by test: \
                unknown.",
        source: "PluginBench (PB)",
        reads_high: "Many tests of the same path.",
        blind_spot: "Equal coverage is not equal assertions: these are candidates.",
        ..Measure::later(TEST_CODE, Level::Change)
    },
    Measure {
        id: "added_tests_off_change",
        title: "added tests off the change",
        unit: "tests",
        pool: Pool::Sum,
        definition: "Added tests that execute none of the added production lines.",
        edges: "No coverage by test: unknown. No test added: 0.",
        source: "PluginBench (PB)",
        reads_high: "Tests of something else, or of nothing.",
        blind_spot: "Tests of old behaviour that the change was to keep are here too.",
        ..Measure::later(TEST_CODE, Level::Change)
    },
    Measure {
        id: "duplicated_test_lines",
        title: "duplicated test lines",
        unit: "lines",
        pool: Pool::Sum,
        definition: "Added test lines within a block of six lines that occurs again in the added \
                     test code.",
        edges: "No test line added: 0.",
        source: "PluginBench (PB)",
        reads_high: "Tests made by copying.",
        blind_spot: "Copies of tests that were there before.",
        ..Measure::later(TEST_CODE, Level::Change)
    },
];

/// Duplicated and wasteful lines of the tree.
pub(super) const STATE: &[Measure] = &[
    Measure {
        id: "verbosity",
        aliases: &["verbosity_ratio"],
        title: "verbosity",
        unit: "ratio",
        primary: false,
        definition: "Production lines flagged as a clone or by a pattern rule, each once, ÷ code \
                     lines: the same unit above and below, so always within 0 and 1.",
        edges: "Comments, licence headers and imports are no clones. A detector that did not run \
                makes it unknown. No code: undefined.",
        source: "SlopCodeBench (SCB), PetClinic-Evolve (PC)",
        reads_high: "Repeated or padded code.",
        blind_spot: "Many similar small units read high by design, not by decay.",
        ..Measure::later(REDUNDANCY, Level::State)
    },
    Measure {
        id: "clone_lines",
        title: "clone lines",
        unit: "lines",
        primary: false,
        definition: "Production code lines that are part of a clone, token by token.",
        edges: "Comments, licence headers and imports are no clones.",
        source: "PetClinic-Evolve (PC), SlopCodeBench (SCB)",
        reads_high: "Copying instead of reusing.",
        blind_spot: "Copies with renamed names; see clone_lines_renamed.",
        ..Measure::later(REDUNDANCY, Level::State)
    },
    Measure {
        id: "pattern_lines",
        title: "pattern lines",
        unit: "lines",
        primary: false,
        definition: "Production code lines that a rule for wasteful idioms flags.",
        edges: "A language without rules makes it unknown.",
        source: "SlopCodeBench (SCB), PetClinic-Evolve (PC)",
        reads_high: "Boilerplate that one expression would do.",
        blind_spot: "Whatever no rule was written for.",
        ..Measure::later(REDUNDANCY, Level::State)
    },
    Measure {
        id: "verbosity_pc",
        title: "verbosity as PetClinic-Evolve computes it",
        unit: "ratio",
        direction: Direction::Descriptive,
        primary: false,
        definition: "Clone lines as jscpd's strict mode finds them, united with pattern lines, ÷ \
                     code lines in functions.",
        edges: "May exceed 1, since clones reach outside functions. No functions: undefined.",
        source: "PetClinic-Evolve (PC), as implemented; for comparison with its figures",
        reads_high: "As verbosity; also many fields and imports beside little logic.",
        blind_spot: "Re-indented copies.",
        ..Measure::later(REDUNDANCY, Level::State)
    },
    Measure {
        id: "clone_lines_renamed",
        title: "clone lines, names apart",
        unit: "lines",
        primary: false,
        definition: "Production code lines that are part of a clone once identifiers and literals \
                     are taken as equal.",
        edges: "Comments, licence headers and imports are no clones.",
        source: "SlopCodeBench (SCB)",
        reads_high: "Copies with other names; also idioms every program of a language has.",
        blind_spot: "Copies with statements put in between.",
        ..Measure::later(REDUNDANCY, Level::State)
    },
];
