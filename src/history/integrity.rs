//! What a reader should know of a change before trusting its figures.

use std::sync::Arc;

use crate::repo::{EntryMode, Oid, Reader, TreeChange};

use super::FileClass;

const STEERING: &[&[u8]] = &[
    b".gitattributes",
    b".mailmap",
    b".git-blame-ignore-revs",
    b"evolve.toml",
];

const MODULES: &[u8] = b".gitmodules";

/// What the list of changed paths alone tells.
pub(super) fn of_change(reader: &Reader, tree: Oid, change: &TreeChange) -> Vec<Integrity> {
    let mut found = Vec::new();
    // Of what is not committed yet there is no tree: what it adds stands in the change.
    let named = |reader: &Reader| {
        change
            .files
            .iter()
            .any(|f| *f.path == *MODULES && f.new.is_some())
            || !matches!(reader.entry(tree, MODULES), Ok(None))
    };
    for f in &change.files {
        let name = f.path.rsplit(|b| *b == b'/').next().unwrap_or(&f.path);
        if STEERING.contains(&name) {
            found.push(Integrity::SteeringFile {
                path: f.path[..].into(),
            });
        }
        let is_link =
            |e: Option<crate::repo::Entry>| e.is_some_and(|e| e.mode == EntryMode::Gitlink);
        if is_link(f.new) && !is_link(f.old) && !named(reader) {
            found.push(Integrity::NestedRepository {
                path: f.path[..].into(),
            });
        }
    }
    found
}

/// What a reader should know before trusting the figures of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Integrity {
    /// A production file became another class in this change and was counted as production.
    ClassChanged {
        /// The file.
        path: Arc<[u8]>,
        /// What it is marked as now.
        now: FileClass,
    },
    /// A reset commit changed production lines beyond restoring them (files).
    ResetTouchedProduction {
        /// How many files.
        files: u32,
    },
    /// The change edited a file that steers measurement or tools (`.gitattributes`,
    /// `.mailmap`, `.git-blame-ignore-revs`, `evolve.toml`).
    SteeringFile {
        /// The file.
        path: Arc<[u8]>,
    },
    /// A submodule entry without `.gitmodules` appeared: code has left the measurement.
    NestedRepository {
        /// Where.
        path: Arc<[u8]>,
    },
    /// A file not in the base was judged by its own path and first version.
    JudgedByItself {
        /// The file.
        path: Arc<[u8]>,
        /// As what.
        class: FileClass,
    },
}
