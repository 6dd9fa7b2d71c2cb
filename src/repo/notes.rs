//! Notes trees: which blobs hang on which object, in whatever fan-out they are written.
//!
//! A note's path is the id of its target in hex, with a `/` after any number of leading pairs of
//! digits. Trees of git, of other tools and of ours differ in where the slashes are, also within
//! one tree, so that one target may be spelled more than once. Whatever else stands in such a
//! tree is no note and is kept.

use std::collections::BTreeMap;

use gix::bstr::BString;
use gix::objs::tree::{Entry as TreeEntry, EntryKind};
use gix::objs::{Find, Kind as ObjectKind, TreeRefIter};

use super::{Oid, Reader, Writer};
use crate::error::{Error, Result};

/// Notes one tree of ours holds directly before they are spread over folders of two digits. About
/// where git begins to, so that the two do not undo each other's work on small trees.
const FLAT: usize = 64;
/// Levels of folders we make: with two, 64 notes a folder are four million notes.
const LEVELS: usize = 2;
/// Most notes read out of one tree.
const MAX_NOTES: usize = 10_000_000;

impl Reader {
    /// All notes of the notes commit (or tree) `at`: every target with its blobs, sorted. More
    /// than one where a target is spelled in several ways.
    ///
    /// # Errors
    /// A [`Missing`](super::Missing) or malformed object, or `at` is neither commit nor tree.
    pub fn notes(&self, at: Oid) -> Result<BTreeMap<Oid, Vec<Oid>>> {
        let mut found = BTreeMap::new();
        self.collect_notes(self.notes_root(at)?, &mut Vec::new(), &mut found)?;
        for blobs in found.values_mut() {
            blobs.sort();
            blobs.dedup();
        }
        Ok(found)
    }

    /// The blobs on `target` in the notes commit (or tree) `at`, sorted; only the folders on the
    /// way to it are read.
    ///
    /// # Errors
    /// As [`Reader::notes`].
    pub fn note(&self, at: Oid, target: Oid) -> Result<Vec<Oid>> {
        let read = |id, into: &mut Vec<u8>| self.tree_bytes(id, into);
        let mut found = Vec::new();
        spellings(&read, self.notes_root(at)?, 0, target, &mut found)?;
        found.sort();
        found.dedup();
        Ok(found)
    }

    pub(super) fn notes_root(&self, at: Oid) -> Result<Oid> {
        match self.kind(at)? {
            Some(ObjectKind::Commit) => Ok(self.commit(at)?.tree),
            _ => Ok(at),
        }
    }

    fn collect_notes(
        &self,
        tree: Oid,
        prefix: &mut Vec<u8>,
        found: &mut BTreeMap<Oid, Vec<Oid>>,
    ) -> Result<()> {
        let mut data = Vec::new();
        self.tree_bytes(tree, &mut data)?;
        let node = Node::read(tree, &data, prefix)?;
        for (target, entry) in node.notes {
            found.entry(target).or_default().push(Oid(entry.oid));
        }
        if found.len() > MAX_NOTES {
            return Err(Error::git(format!(
                "tree {tree} holds over {MAX_NOTES} notes"
            )));
        }
        for (digits, entry) in node.folders {
            prefix.push(digits);
            self.collect_notes(Oid(entry.oid), prefix, found)?;
            prefix.pop();
        }
        Ok(())
    }
}

impl Writer {
    /// Writes the notes tree that comes of setting `edits` (target to blob) in the notes commit
    /// or tree `at` (`None`: an empty one), and gives its id. Every other spelling of an edited
    /// target goes; all else stays. Folders that do not change are neither read nor written, so
    /// that one edit costs the same however many notes there are.
    ///
    /// # Errors
    /// Git where `at` cannot be read, what is no note stands in the way of one, or the object
    /// store cannot be written.
    pub fn notes_tree(&self, at: Option<Oid>, edits: &BTreeMap<Oid, Oid>) -> Result<Oid> {
        let root = match at {
            Some(id) => Some(self.tree_of(id)?),
            None => None,
        };
        let edits = edits.iter().map(|(t, blob)| (*t, Some(*blob))).collect();
        match self.edited(root, &mut Vec::new(), edits)? {
            Some(tree) => Ok(tree),
            None => self.write_tree(Vec::new()),
        }
    }

    /// One folder with `edits` (target to blob; `None`: no spelling of it stays here); `None`
    /// where nothing is left in it.
    fn edited(
        &self,
        tree: Option<Oid>,
        prefix: &mut Vec<u8>,
        edits: BTreeMap<Oid, Option<Oid>>,
    ) -> Result<Option<Oid>> {
        let mut node = match tree {
            Some(id) => {
                let mut data = Vec::new();
                self.tree_data(id, &mut data)?;
                Node::read(id, &data, prefix)?
            }
            None => Node::default(),
        };
        node.notes.retain(|(t, _)| !edits.contains_key(t));
        let more = edits.values().filter(|blob| blob.is_some()).count();
        let spread =
            prefix.len() < LEVELS && (!node.folders.is_empty() || node.notes.len() + more > FLAT);
        let mut below = BTreeMap::<u8, BTreeMap<Oid, Option<Oid>>>::new();
        for (target, blob) in edits {
            let digits = target.0.as_bytes()[prefix.len()];
            let goes_below = node.has_folder(digits) || (spread && !node.is_taken(&two(digits)));
            match blob {
                _ if goes_below => {
                    below.entry(digits).or_default().insert(target, blob);
                }
                Some(blob) => node.place(target, blob, prefix.len())?,
                None => {}
            }
        }
        if spread {
            self.push_down(&mut node, prefix.len(), &mut below)?;
        }
        for (digits, edits) in below {
            prefix.push(digits);
            let mut folders = Vec::new();
            node.folders.retain(|(d, entry)| {
                if *d == digits {
                    folders.push(entry.clone());
                }
                *d != digits
            });
            // Of two folders for the same digits (`AB` and `ab`) ours is the one in lower case.
            let own = folders.iter().position(|f| f.filename == two(digits));
            let own = own.map(|at| folders.swap_remove(at));
            for other in folders {
                let none = edits.keys().map(|t| (*t, None)).collect();
                if let Some(id) = self.edited(Some(Oid(other.oid)), prefix, none)? {
                    node.folders
                        .push((digits, TreeEntry { oid: id.0, ..other }));
                }
            }
            if let Some(id) = self.edited(own.map(|o| Oid(o.oid)), prefix, edits)? {
                let entry = TreeEntry {
                    mode: EntryKind::Tree.into(),
                    filename: two(digits),
                    oid: id.0,
                };
                node.folders.push((digits, entry));
            }
            prefix.pop();
        }
        if node.is_empty() {
            return Ok(None);
        }
        self.write_tree(node.into_entries()).map(Some)
    }

    /// Moves what `node` holds directly into its folders. What a folder has already with another
    /// blob stays where it is: both are kept.
    fn push_down(
        &self,
        node: &mut Node,
        depth: usize,
        below: &mut BTreeMap<u8, BTreeMap<Oid, Option<Oid>>>,
    ) -> Result<()> {
        let read = |id, into: &mut Vec<u8>| self.tree_data(id, into);
        let mut stay = Vec::new();
        for (target, entry) in std::mem::take(&mut node.notes) {
            let digits = target.0.as_bytes()[depth];
            let mut there = Vec::new();
            for (_, folder) in node.folders.iter().filter(|(d, _)| *d == digits) {
                spellings(&read, Oid(folder.oid), depth + 1, target, &mut there)?;
            }
            let planned = below.get(&digits).and_then(|edits| edits.get(&target));
            there.extend(planned.copied().flatten());
            if node.is_taken(&two(digits)) || there.iter().any(|blob| blob.0 != entry.oid) {
                stay.push((target, entry));
            } else if there.is_empty() {
                let edits = below.entry(digits).or_default();
                edits.insert(target, Some(Oid(entry.oid)));
            }
        }
        node.notes = stay;
        Ok(())
    }

    fn tree_of(&self, id: Oid) -> Result<Oid> {
        let mut data = Vec::new();
        match self.repo.objects.try_find(&id.0, &mut data) {
            Ok(Some(found)) if found.kind == ObjectKind::Commit => {
                let commit = super::commit::parse(id, found.data);
                let commit = commit.ok_or_else(|| malformed("notes commit", id))?;
                Ok(commit.tree)
            }
            Ok(_) => Ok(id),
            Err(e) => Err(Error::git(format!("reading notes commit {id}")).with_source(e)),
        }
    }

    fn tree_data(&self, id: Oid, into: &mut Vec<u8>) -> Result<()> {
        if id.0.is_empty_tree() {
            into.clear();
            return Ok(());
        }
        match self.repo.objects.try_find(&id.0, into) {
            Ok(Some(found)) if found.kind == ObjectKind::Tree => {
                let length = found.data.len();
                into.truncate(length);
                Ok(())
            }
            Ok(Some(found)) => Err(Error::git(format!(
                "object {id} is a {}, not a notes tree",
                found.kind
            ))),
            Ok(None) => Err(Error::git(format!(
                "notes tree {id} is not in this repository"
            ))),
            Err(e) => Err(Error::git(format!("reading notes tree {id}")).with_source(e)),
        }
    }

    fn write_tree(&self, mut entries: Vec<TreeEntry>) -> Result<Oid> {
        entries.sort();
        self.repo
            .write_object(gix::objs::Tree { entries })
            .map(|id| Oid(id.detach()))
            .map_err(|e| Error::git("writing a notes tree").with_source(e))
    }
}

/// One folder of a notes tree.
#[derive(Default)]
pub(super) struct Node {
    /// What stands here directly, with its target.
    pub(super) notes: Vec<(Oid, TreeEntry)>,
    /// Folders named by the next two digits.
    pub(super) folders: Vec<(u8, TreeEntry)>,
    /// What belongs to no note.
    pub(super) others: Vec<TreeEntry>,
}

impl Node {
    /// Sorts out the entries of the folder that `prefix`, the first bytes of an id, leads to.
    pub(super) fn read(id: Oid, data: &[u8], prefix: &[u8]) -> Result<Node> {
        let hash = id.0.kind();
        let length = hash.len_in_bytes();
        let mut node = Node::default();
        for entry in TreeRefIter::from_bytes(data, hash) {
            let entry = entry.map_err(|e| malformed("notes tree", id).with_source(e))?;
            let own = TreeEntry {
                mode: entry.mode,
                filename: entry.filename.to_owned(),
                oid: entry.oid.to_owned(),
            };
            let digits = bytes_of(entry.filename);
            match (digits, entry.mode.kind()) {
                (Some(rest), EntryKind::Blob | EntryKind::BlobExecutable)
                    if prefix.len() + rest.len() == length =>
                {
                    let target = [prefix, &rest].concat();
                    node.notes.push((oid(&target, id)?, own));
                }
                (Some(next), EntryKind::Tree) if next.len() == 1 && prefix.len() + 1 < length => {
                    node.folders.push((next[0], own));
                }
                _ => node.others.push(own),
            }
        }
        Ok(node)
    }

    fn has_folder(&self, digits: u8) -> bool {
        self.folders.iter().any(|(d, _)| *d == digits)
    }

    /// Whether something that is no note has this name.
    fn is_taken(&self, name: &BString) -> bool {
        self.others.iter().any(|o| o.filename == *name)
    }

    fn place(&mut self, target: Oid, blob: Oid, depth: usize) -> Result<()> {
        let hex = target.to_string();
        let filename = BString::from(&hex[depth * 2..]);
        if self.is_taken(&filename) {
            return Err(Error::git(format!(
                "writing the note on {target}: what is no note stands at {filename} in the notes tree"
            )));
        }
        let entry = TreeEntry {
            mode: EntryKind::Blob.into(),
            filename,
            oid: blob.0,
        };
        self.notes.push((target, entry));
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.folders.is_empty() && self.others.is_empty()
    }

    fn into_entries(self) -> Vec<TreeEntry> {
        let notes = self.notes.into_iter().map(|(_, e)| e);
        let folders = self.folders.into_iter().map(|(_, e)| e);
        notes.chain(folders).chain(self.others).collect()
    }
}

/// Adds every blob that `target` has in the folder `tree`, `depth` pairs of digits down.
fn spellings(
    read: &dyn Fn(Oid, &mut Vec<u8>) -> Result<()>,
    tree: Oid,
    depth: usize,
    target: Oid,
    found: &mut Vec<Oid>,
) -> Result<()> {
    let mut data = Vec::new();
    read(tree, &mut data)?;
    let bytes = target.0.as_bytes();
    let node = Node::read(tree, &data, &bytes[..depth])?;
    let own = node.notes.iter().filter(|(t, _)| *t == target);
    found.extend(own.map(|(_, entry)| Oid(entry.oid)));
    for (_, folder) in node.folders.iter().filter(|(d, _)| *d == bytes[depth]) {
        spellings(read, Oid(folder.oid), depth + 1, target, found)?;
    }
    Ok(())
}

/// The bytes that `name` writes in hex digits of either case.
fn bytes_of(name: &[u8]) -> Option<Vec<u8>> {
    let digit = |b: &u8| char::from(*b).to_digit(16);
    if name.is_empty() || !name.len().is_multiple_of(2) {
        return None;
    }
    name.chunks(2)
        .map(|pair| u8::try_from(digit(&pair[0])? * 16 + digit(&pair[1])?).ok())
        .collect()
}

fn two(digits: u8) -> BString {
    BString::from(format!("{digits:02x}"))
}

fn oid(bytes: &[u8], tree: Oid) -> Result<Oid> {
    gix::ObjectId::try_from(bytes)
        .map(Oid)
        .map_err(|e| malformed("notes tree", tree).with_source(e))
}

fn malformed(what: &str, id: Oid) -> Error {
    Error::git(format!("{what} {id} is malformed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pairs_of_digits_spell_a_part_of_an_id() {
        assert_eq!(bytes_of(b"00fF"), Some(vec![0x00, 0xff]));
        for name in ["", "0", "abc", "zz", "+1", " 1", "ab/c"] {
            assert_eq!(bytes_of(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn a_node_tells_notes_from_folders_and_from_all_else() {
        let target = "ab".repeat(20);
        let rows = [
            ("100644 ", target.as_str()),
            ("40000 ", "ab"),
            ("40000 ", "abcd"),
            ("100644 ", "cd"),
            ("120000 ", &"cd".repeat(20)),
        ];
        let mut data = Vec::new();
        for (mode, name) in rows {
            data.extend_from_slice(mode.as_bytes());
            data.extend_from_slice(name.as_bytes());
            data.push(0);
            data.extend_from_slice(&[7; 20]);
        }
        let id = Oid::from_hex(&"1".repeat(40)).expect("an id");
        let node = Node::read(id, &data, &[]).expect("a tree");
        assert_eq!(node.notes.len(), 1);
        assert_eq!(node.notes[0].0.to_string(), target);
        assert_eq!(node.folders.len(), 1);
        assert_eq!(node.others.len(), 3);
        // Below a folder the same names spell other ids, or none.
        let below = Node::read(id, &data, &[0xab]).expect("a tree");
        assert_eq!((below.notes.len(), below.folders.len()), (0, 1));
        assert!(Node::read(id, b"100644 x", &[]).is_err());
    }
}
