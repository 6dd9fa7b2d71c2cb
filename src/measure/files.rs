//! Files one change created, deleted and touched.
//!
//! Formula: |changed production files| by status; a rename is neither created nor deleted.
//! Source: PetClinic-Evolve (`files_created`), PluginBench (`source_files_added`).
//! Reads high on: work done by new units; many small files as a style.
//! Blind spot: size, and files renamed beyond recognition, which are one of each.

use crate::history::{Edit, FileClass, Status, Step};

use super::definition::{Direction, FUNCTIONS, Level, Measure, NOTHING, Pool};
use super::population::{functions, is_new};
use super::{Figure, Value};

const FAMILY: &str = "files";

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "files_created",
        title: "files created",
        unit: "files",
        direction: Direction::Descriptive,
        pool: Pool::Sum,
        needs: NOTHING,
        definition: "Production files that are there after the change and were not before.",
        edges: "A rename is not created, a copy is. No change: 0. Renames not looked for \
                (over 1,000 candidates): unknown.",
        source: "PetClinic-Evolve (PC), where a copy is not created",
        reads_high: "A change that adds new units instead of growing old ones.",
        blind_spot: "Size and use of the files; an empty one counts.",
        ..Measure::now(FAMILY, Level::Change, files_created)
    },
    Measure {
        id: "files_deleted",
        title: "files deleted",
        unit: "files",
        direction: Direction::Descriptive,
        pool: Pool::Sum,
        needs: NOTHING,
        definition: "Production files that were there before the change and are not after.",
        edges: "A rename is not deleted. No change: 0. Renames not looked for: unknown.",
        source: "PetClinic-Evolve (PC), PluginBench (PB)",
        reads_high: "Clean-up, and moves with so much rewriting that they are no rename.",
        blind_spot: "Whether anything was still using them.",
        ..Measure::now(FAMILY, Level::Change, files_deleted)
    },
    Measure {
        id: "files_changed",
        title: "files changed",
        unit: "files",
        direction: Direction::Descriptive,
        pool: Pool::Sum,
        needs: NOTHING,
        definition: "Production files created, deleted, modified or renamed by the change.",
        edges: "A rename is one file. A file that is production code on either side counts. \
                Mode-only changes, links and submodules do not. No change: 0.",
        source: "PetClinic-Evolve (PC), PluginBench (PB)",
        reads_high: "Scattered work; mechanical edits over the tree.",
        blind_spot: "How much of each file changed.",
        ..Measure::now(FAMILY, Level::Change, files_changed)
    },
    Measure {
        id: "source_files_added",
        title: "source files added",
        unit: "files",
        direction: Direction::Descriptive,
        primary: false,
        pool: Pool::Sum,
        needs: FUNCTIONS,
        definition: "Of the production files created, those with at least one function.",
        edges: "A created file that cannot be read, or whose language has no parser, makes it \
                unknown. No change: 0.",
        source: "PluginBench (PB)",
        reads_high: "As files_created, without files of constants, types or interfaces alone.",
        blind_spot: "Types without functions (records, interfaces) are not seen.",
        ..Measure::now(FAMILY, Level::Change, source_files_added)
    },
];

fn files_created(step: &Step) -> Figure {
    count(step, |e| {
        e.status == Status::Added && e.new_is(FileClass::Production)
    })
}

fn files_deleted(step: &Step) -> Figure {
    count(step, |e| {
        e.status == Status::Deleted && e.old_is(FileClass::Production)
    })
}

fn files_changed(step: &Step) -> Figure {
    count(step, Edit::is_production)
}

fn source_files_added(step: &Step) -> Figure {
    Figure::from(match functions(step, is_new) {
        Ok(files) => Value::count(
            files
                .iter()
                .filter(|(_, evidence)| evidence.after.functions > 0)
                .count(),
        ),
        Err(reason) => Value::unknown(reason),
    })
}

fn count(step: &Step, wanted: impl Fn(&Edit) -> bool) -> Figure {
    Figure::from(Value::count(
        step.edits.iter().filter(|e| wanted(e)).count(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{FunctionEvidence, Functions, Language, Totals};
    use crate::measure::fixture::{edit, modified, number, renamed, step, unknown};

    #[test]
    fn a_change_that_touches_nothing_counts_zero() {
        let none = step(Vec::new());
        for measure in MEASURES {
            assert_eq!(number(measure.id, &none), Some(0.0), "{}", measure.id);
        }
    }

    #[test]
    fn a_rename_is_one_changed_file_and_neither_created_nor_deleted() {
        let step = step(vec![
            edit(Status::Added, "src/A.java"),
            edit(Status::Deleted, "src/B.java"),
            edit(Status::Deleted, "src/C.java"),
            modified("src/D.java"),
            renamed("src/E.java", "src/F.java"),
        ]);
        assert_eq!(number("files_created", &step), Some(1.0));
        assert_eq!(number("files_deleted", &step), Some(2.0));
        assert_eq!(number("files_changed", &step), Some(5.0));
    }

    #[test]
    fn a_file_that_is_production_on_one_side_is_changed_and_no_other_class_is() {
        let mut moved = renamed("src/test/A.java", "src/A.java");
        moved.old_class = Some(FileClass::Test);
        let step = step(vec![
            moved,
            edit(Status::Added, "src/test/B.java").class(FileClass::Test),
            edit(Status::Added, "README.md").class(FileClass::Other),
            edit(Status::Deleted, "vendor/c.go").class(FileClass::Vendored),
        ]);
        assert_eq!(number("files_changed", &step), Some(1.0));
        assert_eq!(number("files_created", &step), Some(0.0));
        assert_eq!(number("files_deleted", &step), Some(0.0));
    }

    #[test]
    fn source_files_added_are_created_files_with_a_function() {
        let with = |functions| FunctionEvidence {
            after: Totals {
                functions,
                ..Totals::default()
            },
            ..FunctionEvidence::default()
        };
        let step = step(vec![
            edit(Status::Added, "src/A.java").functions(with(2)),
            edit(Status::Added, "src/Constants.java").functions(with(0)),
            modified("src/B.java").functions(with(5)),
        ]);
        assert_eq!(number("source_files_added", &step), Some(1.0));
    }

    #[test]
    fn only_an_unread_created_file_makes_source_files_added_unknown() {
        let unread = |status| {
            let mut edit = edit(status, "web/a.js");
            edit.functions = Functions::NoParser(Language::JavaScript);
            edit
        };
        let old = step(vec![unread(Status::Modified)]);
        assert_eq!(number("source_files_added", &old), Some(0.0));
        let new = step(vec![unread(Status::Added)]);
        assert_eq!(
            unknown("source_files_added", &new),
            "no parser for JavaScript (1 file)"
        );
        assert_eq!(number("files_created", &new), Some(1.0));
    }
}
