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
