//! What changed between two trees, from the tree objects alone.
//!
//! Both trees are read side by side; where two subtrees have one id nothing below is read.
//! Modes are compared by what they mean, so that a zero-padded or group-writable mode of an
//! old writer is no change. Renames are then looked for among what is on one side only.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use gix::objs::tree::EntryKind;
use gix::objs::{Find, FindHeader, Kind as ObjectKind, TreeRefIter};

use super::renames::{self, Contents, Lone};
use super::{ChangeStatus, Entry, EntryMode, FileChange, Oid, TreeChange};
use crate::{Error, Result};

/// Deeper folders are an attack on the reader, not a source tree; git's own limit.
const DEEPEST: usize = 2_048;
/// More changed paths than any commit of a real history has; a small object can name more.
const MOST_PATHS: usize = 10_000_000;

/// Blobs that are not, or not yet, in the object store, by id.
pub(super) type Overlay = BTreeMap<Oid, Arc<[u8]>>;

/// A path that differs: its entry before, its entry after.
pub(super) type Difference = (Box<[u8]>, Option<Entry>, Option<Entry>);

/// What changed from the tree `old` to the tree `new`, either of which may be the empty one
/// (`None`), renames included; sorted by path. Links and submodules are there with their modes;
/// a change of the executable bit alone is `Modified` with equal ids. A blob that is not here
/// only keeps its file from the similarity search ([`TreeChange::not_compared`]).
///
/// # Errors
///
/// `Kind::Git` where a tree cannot be read.
pub(super) fn tree_change(
    repo: &gix::Repository,
    old: Option<Oid>,
    new: Option<Oid>,
) -> Result<TreeChange> {
    let differences = differences(repo, old, new)?;
    Ok(pending_change(repo, differences, &Overlay::new()))
}

/// The same for a list of differing paths that no two trees stand for, such as what is not
/// committed yet. The contents in `overlay` need not be in the object store.
pub(super) fn pending_change(
    repo: &gix::Repository,
    mut differences: Vec<Difference>,
    overlay: &Overlay,
) -> TreeChange {
    differences.retain(|(_, old, new)| old.is_some() || new.is_some());
    differences.sort_by(|a, b| a.0.cmp(&b.0));
    with_renames(repo, differences, overlay)
}

/// What changed between two trees of the repository in `folder`, which is opened for this one
/// question; replace refs are not honoured. See [`TreeChange`].
///
/// # Errors
///
/// `Kind::Git` where there is no repository or a tree cannot be read.
pub fn change_between(folder: &Path, old: Option<Oid>, new: Option<Oid>) -> Result<TreeChange> {
    let repo = gix::open_opts(
        folder,
        gix::open::Options::isolated().config_overrides(["core.useReplaceRefs=false"]),
    )
    .map_err(|e| {
        Error::git(format!("opening the repository {}", folder.display())).with_source(e)
    })?;
    tree_change(&repo, old, new)
}

/// The paths that differ between two trees, sorted.
pub(super) fn differences(
    repo: &gix::Repository,
    old: Option<Oid>,
    new: Option<Oid>,
) -> Result<Vec<Difference>> {
    let mut found = Vec::new();
    let mut folders = vec![(Vec::new(), 0, old, new)];
    let (mut old_bytes, mut new_bytes) = (Vec::new(), Vec::new());
    while let Some((path, depth, old, new)) = folders.pop() {
        if old == new {
            continue;
        }
        if depth > DEEPEST || found.len() + folders.len() > MOST_PATHS {
            return Err(Error::git(format!(
                "comparing trees: more than {DEEPEST} folders deep or more than {MOST_PATHS} \
                 paths at '{}'",
                String::from_utf8_lossy(&path)
            )));
        }
        let old_side = read_tree(repo, old, &mut old_bytes)?;
        let new_side = read_tree(repo, new, &mut new_bytes)?;
        for (old, new) in SideBySide::new(&old_side, &new_side) {
            let Some(name) = old.or(new).map(|entry| entry.name) else {
                continue;
            };
            let same = matches!((old, new), (Some(o), Some(n)) if o.id == n.id && o.kind == n.kind);
            if same {
                continue;
            }
            let mut path = path.clone();
            path.extend_from_slice(name);
            if old.or(new).is_some_and(|entry| entry.is_folder()) {
                path.push(b'/');
                let id = |entry: Option<Item<'_>>| entry.map(|entry| entry.id);
                folders.push((path, depth + 1, id(old), id(new)));
            } else {
                let entry = |item: Option<Item<'_>>| item.and_then(|item| item.entry());
                found.push((path.into_boxed_slice(), entry(old), entry(new)));
            }
        }
    }
    found.sort_by(|a: &Difference, b| a.0.cmp(&b.0));
    Ok(found)
}

/// One line of a tree object.
#[derive(Clone, Copy)]
struct Item<'a> {
    name: &'a [u8],
    kind: EntryKind,
    id: Oid,
}

impl Item<'_> {
    fn is_folder(&self) -> bool {
        self.kind == EntryKind::Tree
    }

    fn entry(&self) -> Option<Entry> {
        let mode = match self.kind {
            EntryKind::Tree => return None,
            EntryKind::Blob | EntryKind::BlobExecutable => EntryMode::File,
            EntryKind::Link => EntryMode::Symlink,
            EntryKind::Commit => EntryMode::Gitlink,
        };
        Some(Entry { mode, id: self.id })
    }

    /// Git's order in a tree: by name bytes, a folder as if its name ended with a slash. A file
    /// and a folder of one name are two items.
    fn order(&self, other: &Item<'_>) -> Ordering {
        let common = self.name.len().min(other.name.len());
        let after = |item: &Item<'_>| {
            let slash = item.is_folder().then_some(b'/');
            item.name.get(common).copied().or(slash)
        };
        self.name[..common]
            .cmp(&other.name[..common])
            .then_with(|| after(self).cmp(&after(other)))
            .then_with(|| self.name.len().cmp(&other.name.len()))
    }
}

fn read_tree<'a>(
    repo: &gix::Repository,
    id: Option<Oid>,
    bytes: &'a mut Vec<u8>,
) -> Result<Vec<Item<'a>>> {
    let Some(id) = id.filter(|id| !id.0.is_empty_tree()) else {
        return Ok(Vec::new());
    };
    let failed = || Error::git(format!("reading tree {id}"));
    let tree = repo
        .objects
        .try_find(&id.0, bytes)
        .map_err(|e| failed().with_source(e))?
        .ok_or_else(|| {
            Error::git(format!("tree {id} is not in this repository"))
                .with_hint("in a partial or shallow clone, fetch what is missing")
        })?;
    if tree.kind != ObjectKind::Tree {
        return Err(Error::git(format!("{id} is a {}, not a tree", tree.kind)));
    }
    TreeRefIter::from_bytes(tree.data, id.0.kind())
        .map(|entry| {
            let entry = entry.map_err(|e| failed().with_source(e))?;
            Ok(Item {
                name: entry.filename,
                kind: entry.mode.kind(),
                id: Oid(entry.oid.to_owned()),
            })
        })
        .collect()
}

/// Two trees read side by side: what has the same name comes together.
struct SideBySide<'a> {
    old: &'a [Item<'a>],
    new: &'a [Item<'a>],
}

impl<'a> SideBySide<'a> {
    fn new(old: &'a [Item<'a>], new: &'a [Item<'a>]) -> Self {
        SideBySide { old, new }
    }
}

impl<'a> Iterator for SideBySide<'a> {
    type Item = (Option<Item<'a>>, Option<Item<'a>>);

    fn next(&mut self) -> Option<Self::Item> {
        let order = match (self.old.first(), self.new.first()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.order(new),
        };
        let take = |side: &mut &'a [Item<'a>], when: bool| {
            let (first, rest) = side.split_first().filter(|_| when)?;
            *side = rest;
            Some(*first)
        };
        Some((
            take(&mut self.old, order.is_le()),
            take(&mut self.new, order.is_ge()),
        ))
    }
}

/// Looks for renames in a sorted list of differences.
fn with_renames(
    repo: &gix::Repository,
    differences: Vec<Difference>,
    overlay: &Overlay,
) -> TreeChange {
    let lone = |which: fn(&Difference) -> Option<Entry>| -> Vec<Lone<'_>> {
        let one = |d| which(d).map(|entry| (d, entry));
        let lones = differences.iter().filter_map(one);
        lones.map(|(d, entry)| Lone { path: &d.0, entry }).collect()
    };
    let deleted = lone(|d| if d.2.is_none() { d.1 } else { None });
    let added = lone(|d| if d.1.is_none() { d.2 } else { None });
    let mut blobs = Blobs {
        repo,
        overlay,
        buffer: Vec::new(),
    };
    let found = renames::search(&deleted, &added, renames::LIMIT, &mut blobs);

    let moved: BTreeSet<&[u8]> = found
        .pairs
        .iter()
        .flatten()
        .map(|d| deleted[*d].path)
        .collect();
    let mut next_added = 0;
    let mut files = Vec::with_capacity(differences.len());
    for (path, old, new) in &differences {
        let (status, old_path, old, origin) = match (old, new) {
            (Some(_), Some(_)) => (ChangeStatus::Modified, None, *old, None),
            (_, None) if moved.contains(&**path) => continue,
            (_, None) => (ChangeStatus::Deleted, None, *old, None),
            (None, Some(_)) => {
                let a = next_added;
                next_added += 1;
                let origin = found.origins[a].map(|d| deleted[d]);
                let origin = origin.map(|lone| (lone.path.into(), lone.entry.id));
                match found.pairs[a].map(|d| deleted[d]) {
                    Some(from) => (
                        ChangeStatus::Renamed,
                        Some(from.path.into()),
                        Some(from.entry),
                        origin,
                    ),
                    None => (ChangeStatus::Added, None, None, origin),
                }
            }
        };
        files.push(FileChange {
            status,
            path: path.clone(),
            old_path,
            old,
            new: *new,
            origin,
        });
    }
    let not_compared = differences
        .iter()
        .filter(|(_, old, new)| {
            old.is_none() != new.is_none()
                && old
                    .or(*new)
                    .is_some_and(|entry| found.missing.contains(&entry.id))
        })
        .map(|(path, ..)| path.clone())
        .collect();
    TreeChange {
        files,
        rename_limit_hit: found.limit_hit,
        not_compared,
    }
}

/// Blobs of a repository, those of an overlay first.
struct Blobs<'a> {
    repo: &'a gix::Repository,
    overlay: &'a Overlay,
    buffer: Vec<u8>,
}

impl Contents for Blobs<'_> {
    fn size(&mut self, id: Oid) -> Option<u64> {
        if let Some(bytes) = self.overlay.get(&id) {
            return Some(bytes.len() as u64);
        }
        if id.0.is_empty_blob() {
            return Some(0);
        }
        let header = self.repo.objects.try_header(&id.0).ok().flatten()?;
        (header.kind == ObjectKind::Blob).then_some(header.size)
    }

    fn read(&mut self, id: Oid) -> Option<&[u8]> {
        if let Some(bytes) = self.overlay.get(&id) {
            return Some(bytes);
        }
        if id.0.is_empty_blob() {
            return Some(&[]);
        }
        let found = self.repo.objects.try_find(&id.0, &mut self.buffer);
        let blob = found.ok().flatten()?;
        (blob.kind == ObjectKind::Blob).then_some(blob.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_committed_is_paired_by_contents_that_are_nowhere_stored() {
        let folder = tempfile::tempdir().expect("a folder");
        let repo = gix::init_bare(folder.path()).expect("a repository");
        let text = |from: u32| {
            (from..from + 50)
                .map(|i| format!("line {i}\n"))
                .collect::<String>()
        };
        let mut overlay = Overlay::new();
        let mut file = |content: String| {
            let hash = repo.object_hash();
            let id = gix::objs::compute_hash(hash, ObjectKind::Blob, content.as_bytes());
            let id = Oid(id.expect("an id"));
            overlay.insert(id, content.into_bytes().into());
            let mode = EntryMode::File;
            Some(Entry { mode, id })
        };
        let (old, new, other) = (file(text(0)), file(text(5)), file(text(900)));
        let differences: Vec<Difference> = vec![
            (Box::from(&b"z/new"[..]), None, new),
            (Box::from(&b"a/old"[..]), old, None),
            (Box::from(&b"m/both"[..]), old, other),
            (Box::from(&b"n/neither"[..]), None, None),
        ];
        let change = pending_change(&repo, differences.clone(), &overlay);
        let seen: Vec<_> = change.files.iter().map(|f| (f.status, &*f.path)).collect();
        assert_eq!(
            seen,
            [
                (ChangeStatus::Modified, &b"m/both"[..]),
                (ChangeStatus::Renamed, &b"z/new"[..])
            ]
        );
        assert_eq!(change.files[1].old_path.as_deref(), Some(&b"a/old"[..]));
        assert_eq!(change.files[1].old, old);
        assert!(change.not_compared.is_empty());

        let change = pending_change(&repo, differences, &Overlay::new());
        assert_eq!(change.files.len(), 3);
        assert_eq!(change.not_compared.len(), 2);
    }

    #[test]
    fn items_stand_in_the_order_of_a_tree() {
        let id = Oid::from_hex(&"1".repeat(40)).expect("an id");
        let item = |name: &'static str, kind| Item {
            name: name.as_bytes(),
            kind,
            id,
        };
        let sorted = [
            item("a", EntryKind::Blob),
            item("a-b", EntryKind::Tree),
            item("a.c", EntryKind::Link),
            item("a", EntryKind::Tree),
            item("a0", EntryKind::Blob),
            item("ab", EntryKind::Commit),
        ];
        for (i, left) in sorted.iter().enumerate() {
            for (j, right) in sorted.iter().enumerate() {
                assert_eq!(left.order(right), i.cmp(&j), "{i} {j}");
            }
        }
    }
}
