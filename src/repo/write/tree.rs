//! Trees written from a flat map of paths.

use std::collections::BTreeMap;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::WriteTo;
use gix::objs::tree::{Entry as TreeEntry, EntryKind};

use super::Writer;
use crate::error::{Error, Result};
use crate::repo::{Oid, Reader};

/// What a path of a tree to be written is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeafMode {
    /// 100644.
    Plain,
    /// 100755.
    Executable,
    /// 120000.
    Symlink,
    /// 160000, a submodule's commit.
    Gitlink,
}

/// One path of a tree to be written: its mode and its blob (of a submodule: its commit).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// What it is.
    pub mode: LeafMode,
    /// The object it names.
    pub id: Oid,
}

impl Writer {
    /// Writes the tree that holds `files` (path from the root, parts joined by `/`), with a
    /// tree for each folder; gives the root's id. No files: the empty tree.
    ///
    /// # Errors
    /// Internal where a path has an empty part or is a file and a folder at once; git where
    /// the object store cannot be written.
    pub fn tree(&self, files: &BTreeMap<Vec<u8>, Leaf>) -> Result<Oid> {
        Folder::of(files)?.trees(&mut |tree| {
            let id = self.repo.write_object(tree);
            id.map(|id| Oid(id.detach()))
                .map_err(|e| Error::git("writing a tree").with_source(e))
        })
    }
}

impl Reader {
    /// The id of the tree that [`Writer::tree`] would write of `files`. Nothing is written.
    ///
    /// # Errors
    /// Internal where a path has an empty part or is a file and a folder at once.
    pub fn tree_id(&self, files: &BTreeMap<Vec<u8>, Leaf>) -> Result<Oid> {
        Folder::of(files)?.trees(&mut |tree| {
            let hashing = || Error::internal("hashing a tree");
            let mut bytes = Vec::new();
            tree.write_to(&mut bytes)
                .map_err(|e| hashing().with_source(e))?;
            gix::objs::compute_hash(self.empty_tree().0.kind(), gix::objs::Kind::Tree, &bytes)
                .map(Oid)
                .map_err(|e| hashing().with_source(e))
        })
    }
}

impl LeafMode {
    fn kind(self) -> EntryKind {
        match self {
            LeafMode::Plain => EntryKind::Blob,
            LeafMode::Executable => EntryKind::BlobExecutable,
            LeafMode::Symlink => EntryKind::Link,
            LeafMode::Gitlink => EntryKind::Commit,
        }
    }
}

/// A folder of a tree to be written.
#[derive(Default)]
struct Folder {
    entries: BTreeMap<Vec<u8>, Node>,
}

enum Node {
    Leaf(Leaf),
    Folder(Folder),
}

impl Folder {
    fn of(files: &BTreeMap<Vec<u8>, Leaf>) -> Result<Folder> {
        let mut root = Folder::default();
        for (path, leaf) in files {
            root.place(path, *leaf)?;
        }
        Ok(root)
    }

    /// The id of its tree, each tree in it first given to `put`.
    fn trees(&self, put: &mut impl FnMut(gix::objs::Tree) -> Result<Oid>) -> Result<Oid> {
        let mut entries = Vec::with_capacity(self.entries.len());
        for (name, node) in &self.entries {
            let (kind, id) = match node {
                Node::Leaf(leaf) => (leaf.mode.kind(), leaf.id),
                Node::Folder(inner) => (EntryKind::Tree, inner.trees(put)?),
            };
            entries.push(TreeEntry {
                mode: kind.into(),
                filename: BString::from(name.as_slice()),
                oid: id.0,
            });
        }
        // Git sorts a folder as if its name ended in a slash.
        entries.sort();
        put(gix::objs::Tree { entries })
    }

    fn place(&mut self, path: &[u8], leaf: Leaf) -> Result<()> {
        let wrong = |why: &str| {
            Error::internal(format!(
                "building a tree: {why} in path {}",
                BStr::new(path)
            ))
        };
        let (folders, name) = match path.rfind_byte(b'/') {
            Some(at) => (&path[..at], &path[at + 1..]),
            None => (&b""[..], path),
        };
        let mut here = self;
        for part in folders
            .split(|b| *b == b'/')
            .filter(|_| path.contains(&b'/'))
        {
            if part.is_empty() {
                return Err(wrong("an empty name"));
            }
            let node = here
                .entries
                .entry(part.to_vec())
                .or_insert_with(|| Node::Folder(Folder::default()));
            match node {
                Node::Folder(inner) => here = inner,
                Node::Leaf(_) => return Err(wrong("a file that is a folder too")),
            }
        }
        if name.is_empty() {
            return Err(wrong("an empty name"));
        }
        match here.entries.insert(name.to_vec(), Node::Leaf(leaf)) {
            None => Ok(()),
            Some(_) => Err(wrong("a file that is a folder too")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{git, writer};
    use super::*;

    #[test]
    fn a_tree_is_the_one_git_would_write() {
        let (_folder, writer) = writer();
        let id = writer.blob(b"x\n").expect("written");
        let paths = [
            ("a/b/c", LeafMode::Plain),
            ("a.txt", LeafMode::Executable),
            ("a0", LeafMode::Symlink),
            ("a/b.c", LeafMode::Plain),
        ];
        let files = paths.map(|(path, mode)| (path.as_bytes().to_vec(), Leaf { mode, id }));
        let files = files.into();
        let tree = writer.tree(&files).expect("written").to_string();
        let reader = crate::repo::Repo::discover(&writer.path())
            .and_then(|repo| repo.reader())
            .expect("a repository");
        assert_eq!(reader.tree_id(&files).expect("an id").to_string(), tree);
        assert_eq!(git(&writer, &["fsck", "--strict", "--no-dangling"]), "");
        let listed = git(
            &writer,
            &["ls-tree", "-r", "--format=%(objectmode) %(path)", &tree],
        );
        assert_eq!(
            listed,
            "100755 a.txt\n100644 a/b.c\n100644 a/b/c\n120000 a0\n"
        );
        git(&writer, &["read-tree", &tree]);
        assert_eq!(git(&writer, &["write-tree"]).trim(), tree);
    }

    #[test]
    fn a_path_no_tree_can_hold_is_refused() {
        let (_folder, writer) = writer();
        let id = writer.blob(b"").expect("written");
        let mode = LeafMode::Plain;
        for paths in [&["a", "a/b"][..], &[""], &["/a"], &["a/"], &["a//b"]] {
            let files = paths
                .iter()
                .map(|p| (p.as_bytes().to_vec(), Leaf { mode, id }));
            assert!(writer.tree(&files.collect()).is_err(), "{paths:?}");
        }
    }
}
