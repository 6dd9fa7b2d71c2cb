//! Change spread: how many packages one change reaches into.
//!
//! Formula: |distinct parent directories of changed production files|.
//! Source: PetClinic-Evolve (`packages_touched`).
//! Reads high on: changes scattered over the tree, and trees cut into many small directories.
//! Blind spot: how far apart the directories are, and how much changed in each.

use std::collections::BTreeSet;

use crate::history::Step;

use super::definition::{Level, Measure, NOTHING, Pool, Renames};
use super::population::{is_production, production};
use super::{Figure, Value};

pub(super) const MEASURES: &[Measure] = &[Measure {
    id: "packages_touched",
    title: "packages touched",
    unit: "packages",
    pool: Pool::None,
    renames: Renames::ByClass,
    needs: NOTHING,
    definition: "Distinct parent directories of the production files the change touched: both \
                 sides of a rename, deleted files too.",
    edges: "Files at the top of the tree share one directory. No change: 0. A range is not \
            added up, since two changes may touch the same package.",
    source: "PetClinic-Evolve (PC)",
    reads_high: "A change scattered across the tree; a layout with one directory a class.",
    blind_spot: "Directories stand for packages: how they depend on each other, and how much \
                 changed in each, is not seen.",
    ..Measure::now("spread", Level::Change, packages_touched)
}];

fn packages_touched(step: &Step) -> Figure {
    let mut packages: BTreeSet<&[u8]> = BTreeSet::new();
    for edit in production(step) {
        let old_path = edit.old_path.as_deref().unwrap_or(&edit.path);
        if is_production(edit.old_class) {
            packages.insert(parent(old_path));
        }
        if is_production(edit.new_class) {
            packages.insert(parent(&edit.path));
        }
    }
    Figure::from(Value::count(packages.len()))
}

/// The directory part of a path; empty at the top of the tree.
fn parent(path: &[u8]) -> &[u8] {
    path.iter()
        .rposition(|b| *b == b'/')
        .map_or(&[], |slash| &path[..slash])
}

#[cfg(test)]
mod tests {
    use crate::history::{FileClass, Status};
    use crate::measure::fixture::{edit, modified, number, renamed, step};

    #[test]
    fn a_change_that_touches_nothing_reaches_no_package() {
        assert_eq!(number("packages_touched", &step(Vec::new())), Some(0.0));
    }

    #[test]
    fn both_sides_of_a_rename_and_deleted_files_count_and_equal_directories_count_once() {
        let step = step(vec![
            modified("src/a/A.java"),
            modified("src/a/B.java"),
            renamed("src/b/C.java", "src/c/C.java"),
            edit(Status::Deleted, "src/d/D.java"),
            edit(Status::Added, "Main.java"),
            modified("src/test/e/E.java").class(FileClass::Test),
        ]);
        assert_eq!(number("packages_touched", &step), Some(5.0));
    }

    #[test]
    fn a_side_that_is_no_production_code_adds_no_package() {
        let mut moved = renamed("src/test/a/A.java", "src/b/A.java");
        moved.old_class = Some(FileClass::Test);
        assert_eq!(number("packages_touched", &step(vec![moved])), Some(1.0));
    }
}
