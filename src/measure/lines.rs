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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::history::{Lines, Status};
    use crate::measure::fixture::{edit, known, modified, number, renamed, step, unknown};

    #[test]
    fn a_change_that_touches_nothing_counts_zero() {
        let none = step(Vec::new());
        for measure in MEASURES {
            assert_eq!(number(measure.id, &none), Some(0.0), "{}", measure.id);
        }
    }

    #[test]
    fn lines_are_summed_by_the_class_of_their_side() {
        let mut to_test = renamed("src/A.java", "src/test/A.java").lines(10, 4);
        to_test.new_class = Some(FileClass::Test);
        let step = step(vec![
            modified("src/B.java").lines(5, 3),
            to_test,
            modified("src/test/C.java")
                .class(FileClass::Test)
                .lines(2, 1),
            modified("README.md").class(FileClass::Other).lines(7, 6),
            edit(Status::Added, "gen/D.java")
                .class(FileClass::Generated)
                .lines(100, 0),
        ]);
        for (id, expected) in [
            ("lines_added", 5.0),
            ("lines_removed", 7.0),
            ("lines_net", -2.0),
            ("churn", 12.0),
            ("test_lines_added", 12.0),
            ("test_lines_removed", 1.0),
            ("churn_all", 138.0),
            ("other_files_changed", 1.0),
            ("other_churn", 13.0),
        ] {
            assert_eq!(number(id, &step), Some(expected), "{id}");
        }
    }

    #[test]
    fn a_binary_file_has_no_lines_and_is_named_as_left_out() {
        let mut image = edit(Status::Added, "logo.png").class(FileClass::Other);
        image.lines = Lines::Binary;
        let step = step(vec![image, modified("src/A.java").lines(1, 1)]);
        let all = known("churn_all", &step);
        assert_eq!(all.value, 2.0);
        let left_out = all.left_out.expect("the image");
        assert_eq!(left_out.files, 1);
        assert_eq!(left_out.reasons.get("binary content"), Some(&1));
        assert_eq!(known("churn", &step).left_out, None);
    }

    #[test]
    fn lines_that_are_not_known_make_the_sum_unknown() {
        let mut missing = modified("src/A.java");
        missing.lines = Lines::Unknown("object missing".to_owned());
        let step = step(vec![missing, modified("src/B.java").lines(1, 1)]);
        assert_eq!(unknown("churn", &step), "object missing (1 file)");
        assert_eq!(number("test_lines_added", &step), Some(0.0));
    }

    proptest! {
        #[test]
        fn churn_is_added_plus_removed_and_net_their_difference(
            counts in proptest::collection::vec((0_u32..5_000, 0_u32..5_000), 0..20)
        ) {
            let step = step(
                counts
                    .iter()
                    .enumerate()
                    .map(|(i, (a, r))| modified(&format!("src/F{i}.java")).lines(*a, *r))
                    .collect(),
            );
            let of = |id| number(id, &step).expect("known");
            prop_assert_eq!(of("churn"), of("lines_added") + of("lines_removed"));
            prop_assert_eq!(of("lines_net"), of("lines_added") - of("lines_removed"));
            prop_assert_eq!(of("churn_all"), of("churn"));
        }
    }
}
