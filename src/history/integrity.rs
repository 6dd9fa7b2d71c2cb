//! What a reader should know of a change before trusting its figures.

use crate::repo::{EntryMode, Oid, Reader, TreeChange};

use super::Integrity;

const STEERING: &[&[u8]] = &[
    b".gitattributes",
    b".mailmap",
    b".git-blame-ignore-revs",
    b"evolve.toml",
];

/// What the list of changed paths alone tells.
pub(super) fn of_change(reader: &Reader, tree: Oid, change: &TreeChange) -> Vec<Integrity> {
    let mut found = Vec::new();
    for f in &change.files {
        let name = f.path.rsplit(|b| *b == b'/').next().unwrap_or(&f.path);
        if STEERING.contains(&name) {
            found.push(Integrity::SteeringFile {
                path: f.path[..].into(),
            });
        }
        let is_link =
            |e: Option<crate::repo::Entry>| e.is_some_and(|e| e.mode == EntryMode::Gitlink);
        if is_link(f.new)
            && !is_link(f.old)
            && matches!(reader.entry(tree, b".gitmodules"), Ok(None))
        {
            found.push(Integrity::NestedRepository {
                path: f.path[..].into(),
            });
        }
    }
    found
}
