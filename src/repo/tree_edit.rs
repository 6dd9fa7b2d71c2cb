//! Trees from trees: what differs between two, and one with some paths changed. No work tree, no
//! index, no process.

use std::collections::BTreeMap;

use gix::bstr::{BString, ByteSlice};
use gix::objs::TreeRefIter;
use gix::objs::tree::{Entry as TreeEntry, EntryMode as RawMode};

use super::work_tree::{Delta, TreePath};
use super::{Oid, Reader, Writer};
use crate::error::{Error, Result};

/// Deepest folder that is looked into.
const MAX_DEPTH: usize = 1_000;

/// The entries of one folder by name.
type Folder = BTreeMap<BString, (u32, Oid)>;

/// Paths to what they become, from one folder on.
type Edits<'e> = BTreeMap<&'e [u8], Option<(u32, Oid)>>;

const TREE: u32 = 0o040_000;

impl Reader {
    /// Every path that differs between two trees, sorted; renames are not looked for. Only
    /// folders that differ are read.
    ///
    /// # Errors
    /// A tree that is missing or malformed.
    pub fn deltas(&self, old: Oid, new: Oid) -> Result<Vec<Delta>> {
        let mut found = Vec::new();
        let mut path = Vec::new();
        self.compare_folders(Some(old), Some(new), &mut path, 0, &mut found)?;
        found.sort_by(|a: &Delta, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn compare_folders(
        &self,
        old: Option<Oid>,
        new: Option<Oid>,
        path: &mut Vec<u8>,
        depth: usize,
        found: &mut Vec<Delta>,
    ) -> Result<()> {
        if old == new {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err(Error::git(format!(
                "comparing trees: deeper than {MAX_DEPTH} folders"
            )));
        }
        let folder = |id: Option<Oid>| id.map(|id| self.folder_entries(id)).transpose();
        let (old, new) = (
            folder(old)?.unwrap_or_default(),
            folder(new)?.unwrap_or_default(),
        );
        let mut names: Vec<&BString> = old.keys().chain(new.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            let (was, is) = (old.get(name).copied(), new.get(name).copied());
            if was == is {
                continue;
            }
            let length = path.len();
            path.extend_from_slice(name);
            let file = |side: Option<(u32, Oid)>| side.filter(|(mode, _)| *mode != TREE);
            let inner =
                |side: Option<(u32, Oid)>| side.filter(|(mode, _)| *mode == TREE).map(|(_, id)| id);
            if file(was).is_some() || file(is).is_some() {
                found.push(Delta {
                    path: path.as_slice().into(),
                    old: file(was),
                    new: file(is),
                });
            }
            if inner(was).is_some() || inner(is).is_some() {
                path.push(b'/');
                self.compare_folders(inner(was), inner(is), path, depth + 1, found)?;
            }
            path.truncate(length);
        }
        Ok(())
    }

    /// The mode (git's) and object at `path` of `tree`; `None` where nothing or a folder is.
    ///
    /// # Errors
    /// A tree that is missing or malformed.
    pub fn leaf(&self, tree: Oid, path: &[u8]) -> Result<Option<(u32, Oid)>> {
        let mut at = tree;
        let mut parts = path.split(|b| *b == b'/').peekable();
        while let Some(part) = parts.next() {
            let Some((mode, id)) = self.folder_entries(at)?.remove(part.as_bstr()) else {
                return Ok(None);
            };
            match (mode == TREE, parts.peek().is_some()) {
                (true, true) => at = id,
                (false, false) => return Ok(Some((mode, id))),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    fn folder_entries(&self, tree: Oid) -> Result<Folder> {
        let mut bytes = Vec::new();
        self.tree_bytes(tree, &mut bytes)?;
        let mut entries = Folder::new();
        for entry in TreeRefIter::from_bytes(&bytes, tree.0.kind()) {
            let entry = entry.map_err(|e| {
                Error::git(format!("reading tree {tree}: it is malformed")).with_source(e)
            })?;
            let mode = u32::from(entry.mode.value());
            let id = Oid(entry.oid.to_owned());
            entries.insert(entry.filename.to_owned(), (mode, id));
        }
        Ok(entries)
    }
}

impl Writer {
    /// The tree that `tree` is once each path of `edits` is the object of that mode, or is gone.
    /// What stands in the way of a path goes: a file where a folder comes, a folder where a file
    /// does. Folders without files go, too.
    ///
    /// # Errors
    /// Internal where a path has an empty part or a mode is none of git's; git where a tree
    /// cannot be read or written.
    pub fn tree_with(
        &self,
        reader: &Reader,
        tree: Oid,
        edits: &BTreeMap<TreePath, Option<(u32, Oid)>>,
    ) -> Result<Oid> {
        if edits.is_empty() {
            return Ok(tree);
        }
        let edits: Edits<'_> = edits.iter().map(|(p, to)| (p.as_ref(), *to)).collect();
        Ok(match self.folder_with(reader, Some(tree), &edits)? {
            Some(tree) => tree,
            None => self.written(Vec::new())?,
        })
    }

    /// `None` where nothing is left in it.
    fn folder_with(
        &self,
        reader: &Reader,
        tree: Option<Oid>,
        edits: &Edits<'_>,
    ) -> Result<Option<Oid>> {
        let mut entries = match tree {
            Some(tree) => reader.folder_entries(tree)?,
            None => Folder::new(),
        };
        let mut below = BTreeMap::<&[u8], Edits<'_>>::new();
        let mut here = Vec::new();
        for (path, to) in edits {
            let (name, rest) = match path.find_byte(b'/') {
                Some(at) => (&path[..at], Some(&path[at + 1..])),
                None => (*path, None),
            };
            if name.is_empty() {
                return Err(Error::internal("changing a tree: an empty name in a path"));
            }
            match rest {
                Some(rest) => {
                    below.entry(name).or_default().insert(rest, *to);
                }
                None => here.push((name, *to)),
            }
        }
        // Removals first: they make room for what comes.
        for (name, to) in &here {
            let file = entries
                .get(name.as_bstr())
                .is_some_and(|(mode, _)| *mode != TREE);
            if to.is_none() && file {
                entries.remove(name.as_bstr());
            }
        }
        for (name, edits) in below {
            let there = entries.get(name.as_bstr()).copied();
            let folder = there.filter(|(mode, _)| *mode == TREE).map(|(_, id)| id);
            let brings = edits.values().any(Option::is_some);
            if folder.is_none() && !brings {
                continue;
            }
            match self.folder_with(reader, folder, &edits)? {
                Some(id) => {
                    entries.insert(name.into(), (TREE, id));
                }
                None => {
                    entries.remove(name.as_bstr());
                }
            }
        }
        for (name, to) in here {
            if let Some(to) = to {
                entries.insert(name.into(), to);
            }
        }
        if entries.is_empty() {
            return Ok(None);
        }
        let mut all = Vec::with_capacity(entries.len());
        for (filename, (mode, id)) in entries {
            let mode = u16::try_from(mode)
                .ok()
                .and_then(|m| RawMode::try_from(u32::from(m)).ok())
                .ok_or_else(|| Error::internal(format!("changing a tree: mode {mode:o}")))?;
            all.push(TreeEntry {
                mode,
                filename,
                oid: id.0,
            });
        }
        self.written(all).map(Some)
    }

    fn written(&self, mut entries: Vec<TreeEntry>) -> Result<Oid> {
        // Git sorts a folder as if its name ended in a slash.
        entries.sort();
        let id = self
            .repo
            .write_object(gix::objs::Tree { entries })
            .map_err(|e| Error::git("writing a tree").with_source(e))?;
        Ok(Oid(id.detach()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::trial::{git, writer};
    use super::*;
    use crate::repo::{Leaf, LeafMode, Repo};

    const PLAIN: u32 = 0o100_644;

    fn tree(writer: &Writer, paths: &[&str]) -> Oid {
        let leaf = |path: &&str| {
            let id = writer.blob(path.as_bytes()).expect("written");
            let mode = LeafMode::Plain;
            (path.as_bytes().to_vec(), Leaf { mode, id })
        };
        let files = paths.iter().map(leaf).collect();
        writer.tree(&files).expect("a tree")
    }

    fn names(writer: &Writer, tree: Oid) -> String {
        git(writer, &["ls-tree", "-r", "--name-only", &tree.to_string()])
    }

    #[test]
    fn a_tree_with_paths_changed_is_the_one_of_what_is_left() {
        let (folder, writer) = writer();
        let repo = Repo::discover(folder.path()).expect("a repository");
        let reader = repo.reader().expect("a reader");
        let x = writer.blob(b"x").expect("written");
        let start = tree(&writer, &["a/b", "a/c/d", "e", "f"]);
        let edit = |edits: &[(&str, Option<(u32, Oid)>)]| {
            let edits = edits
                .iter()
                .map(|(path, to)| (path.as_bytes().into(), *to))
                .collect();
            writer.tree_with(&reader, start, &edits).expect("edited")
        };
        // A folder left without files goes, a file makes room for a folder and the other way.
        let done = edit(&[
            ("a/c/d", None),
            ("e", None),
            ("e/new", Some((PLAIN, x))),
            ("a/b", Some((0o120_000, x))),
            ("not/there", None),
        ]);
        assert_eq!(names(&writer, done), "a/b\ne/new\nf\n");
        assert_eq!(
            reader.leaf(done, b"a/b").expect("read"),
            Some((0o120_000, x))
        );
        let over = edit(&[("a", Some((PLAIN, x)))]);
        assert_eq!(names(&writer, over), "a\ne\nf\n");
        let emptied = edit(&[("a/b", None), ("a/c/d", None), ("e", None), ("f", None)]);
        assert_eq!(emptied, reader.empty_tree());
        assert_eq!(edit(&[]), start);
        assert_eq!(git(&writer, &["fsck", "--strict", "--no-dangling"]), "");
    }

    #[test]
    fn what_differs_is_every_path_and_nothing_else() {
        let (folder, writer) = writer();
        let repo = Repo::discover(folder.path()).expect("a repository");
        let reader = repo.reader().expect("a reader");
        let old = tree(&writer, &["a/b", "a/c", "d", "same/x"]);
        let new = tree(&writer, &["a", "d/e", "same/x", "z"]);
        let found = reader.deltas(old, new).expect("compared");
        let shown: Vec<(String, bool, bool)> = found
            .iter()
            .map(|d| {
                let path = String::from_utf8_lossy(&d.path).into_owned();
                (path, d.old.is_some(), d.new.is_some())
            })
            .collect();
        let row = |path: &str, old, new| (path.to_owned(), old, new);
        assert_eq!(
            shown,
            [
                row("a", false, true),
                row("a/b", true, false),
                row("a/c", true, false),
                row("d", true, false),
                row("d/e", false, true),
                row("z", false, true),
            ]
        );
        // What differs, applied, gives the other tree.
        let edits = found.into_iter().map(|d| (d.path, d.new)).collect();
        assert_eq!(writer.tree_with(&reader, old, &edits).expect("edited"), new);
        assert_eq!(reader.deltas(old, old).expect("compared"), []);
    }
}
