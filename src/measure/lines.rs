//! Lines one change added and removed.
//!
//! Formula: added = new lines of all hunks, removed = old lines of all hunks;
//! churn = added + removed, net = added − removed.
//! Source: PetClinic-Evolve and PluginBench (production and test lines), the spec-drift
//! methodology (every text file).
//! Reads high on: size of the work; formatting, generated text, moved blocks (counted twice).
//! Blind spot: what the lines say; a binary file has none and is reported as left out.

use crate::history::{Edit, FileClass, Step};

use super::definition::{ALL_LINES, Direction, LINES, Level, Measure, NOTHING, Pool, Renames};
use super::population::{LineSum, is_production, lines_of};
use super::{Figure, Value};

const FAMILY: &str = "lines";

/// What line counts of a change have in common.
const fn counted(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        unit: "lines",
        direction: Direction::Descriptive,
        pool: Pool::Sum,
        needs: LINES,
        ..Measure::now(FAMILY, Level::Change, compute)
    }
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "lines_added",
        aliases: &["source_lines_added"],
        title: "lines added",
        definition: "New lines of all hunks in files that are production code after the change.",
        edges: "No change: 0. Binary files have no lines and are named as left out.",
        source: "PetClinic-Evolve (PC), PluginBench (PB)",
        reads_high: "The size of what was written, comments and blank lines in.",
        blind_spot: "A moved block is added here and removed there.",
        ..counted(lines_added)
    },
    Measure {
        id: "lines_removed",
        aliases: &["source_lines_removed"],
        title: "lines removed",
        definition: "Old lines of all hunks in files that were production code before the change.",
        edges: "No change: 0. Binary files have no lines and are named as left out.",
        source: "PetClinic-Evolve (PC), PluginBench (PB)",
        reads_high: "Clean-up and rewriting alike.",
        blind_spot: "A modified line counts as one removed and one added.",
        ..counted(lines_removed)
    },
    Measure {
        id: "lines_net",
        aliases: &["source_lines_net"],
        title: "net lines",
        renames: Renames::ByClass,
        definition: "Production lines added less production lines removed; may be negative.",
        edges: "No change: 0. Binary files have no lines and are named as left out.",
        source: "PluginBench (PB)",
        reads_high: "Growth of the code, whatever it is worth.",
        blind_spot: "Rewriting that keeps the size reads as nothing.",
        ..counted(lines_net)
    },
    Measure {
        id: "churn",
        title: "churn",
        direction: Direction::LowerIsBetter,
        definition: "Production lines added plus production lines removed.",
        edges: "No change: 0. Binary files have no lines and are named as left out.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "Big changes, formatter runs and moved blocks.",
        blind_spot: "Says how much changed, not whether anything old was disturbed.",
        ..counted(churn)
    },
    Measure {
        id: "test_lines_added",
        title: "test lines added",
        definition: "New lines of all hunks in files that are test code after the change.",
        edges: "No change: 0. Binary files have no lines and are named as left out.",
        source: "PluginBench (PB)",
        reads_high: "Tests written, copied or generated.",
        blind_spot: "What the tests check; data files beside them are not code.",
        ..counted(test_lines_added)
    },
    Measure {
        id: "test_lines_removed",
        title: "test lines removed",
        definition: "Old lines of all hunks in files that were test code before the change.",
        edges: "No change: 0. Binary files have no lines and are named as left out.",
        source: "PluginBench (PB)",
        reads_high: "Tests rewritten or dropped.",
        blind_spot: "Whether a check was lost: a weakened assertion is one line.",
        ..counted(test_lines_removed)
    },
    Measure {
        id: "churn_all",
        title: "churn of all text files",
        primary: false,
        needs: ALL_LINES,
        definition: "Lines added plus removed over every text file of the change, whatever it is.",
        edges: "No change: 0. Binary files have no lines and are named as left out.",
        source: "spec-drift methodology (SD)",
        reads_high: "Lock files, generated code, data and documentation, often more than code.",
        blind_spot: "Which of it anybody wrote.",
        ..counted(churn_all)
    },
    Measure {
        id: "other_files_changed",
        title: "other files changed",
        unit: "files",
        primary: false,
        needs: NOTHING,
        definition: "Changed files that are no code on either side: configuration, documents, \
                     data.",
        edges: "A rename is one file. A file that is or was production code is not one. No \
                change: 0.",
        source: "this project",
        reads_high: "Work that lives in configuration or documents.",
        blind_spot: "Code in languages this program does not know by name is here too.",
        ..counted(other_files_changed)
    },
    Measure {
        id: "other_churn",
        title: "churn of other files",
        primary: false,
        needs: ALL_LINES,
        definition: "Lines added plus removed in files that are no code.",
        edges: "No change: 0. Binary files have no lines and are named as left out.",
        source: "this project",
        reads_high: "Lock files, data and documents.",
        blind_spot: "Code in languages this program does not know by name is here too.",
        ..counted(other_churn)
    },
];

fn lines_added(step: &Step) -> Figure {
    of(step, is_production, |sum| sum.added)
}

fn lines_removed(step: &Step) -> Figure {
    of(step, is_production, |sum| sum.removed)
}

fn lines_net(step: &Step) -> Figure {
    of(step, is_production, |sum| sum.added - sum.removed)
}

fn churn(step: &Step) -> Figure {
    of(step, is_production, both)
}

fn test_lines_added(step: &Step) -> Figure {
    of(step, |c| c == Some(FileClass::Test), |sum| sum.added)
}

fn test_lines_removed(step: &Step) -> Figure {
    of(step, |c| c == Some(FileClass::Test), |sum| sum.removed)
}

fn churn_all(step: &Step) -> Figure {
    of(step, |c| c.is_some(), both)
}

fn other_churn(step: &Step) -> Figure {
    of(step, |c| c == Some(FileClass::Other), both)
}

fn other_files_changed(step: &Step) -> Figure {
    let other = |e: &&Edit| {
        !e.is_production() && (e.old_is(FileClass::Other) || e.new_is(FileClass::Other))
    };
    Figure::from(Value::count(step.edits.iter().filter(other).count()))
}

fn both(sum: &LineSum) -> i64 {
    sum.added + sum.removed
}

fn of(
    step: &Step,
    class: impl Fn(Option<FileClass>) -> bool,
    pick: impl Fn(&LineSum) -> i64,
) -> Figure {
    Figure::from(match lines_of(step, class) {
        Ok(sum) => Value::count(pick(&sum)).without(&sum.left_out),
        Err(reason) => Value::unknown(reason),
    })
}
