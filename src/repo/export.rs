//! The files of a tree, written byte for byte: no attribute, no filter, no line end is looked at.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gix::bstr::{BStr, ByteSlice};
use gix::objs::TreeRefIter;
use gix::objs::tree::EntryKind;

use super::{Oid, Reader, Repo};
use crate::error::{Error, Result};

/// Files that are written are this old, so that an index written right behind them is newer than
/// each: git then looks at times and never at contents, and asks no filter.
const AGE: Duration = Duration::from_secs(2);
/// Deepest folder and most files that are written.
const DEEPEST: usize = 1_000;
const MOST: usize = 10_000_000;
/// A thread is worth starting for so many files.
const WORTH: usize = 500;

/// A path of a tree that is no folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) path: Box<[u8]>,
    pub(super) kind: EntryKind,
    pub(super) id: Oid,
}

impl Repo {
    /// Writes the files of `tree` into the folder `into`, which must be empty or missing: byte
    /// for byte, links as links, submodules as empty folders. There is no `.git`.
    ///
    /// # Errors
    /// Usage where `into` holds anything; git where the tree is missing or has names that must
    /// not be written, or a file cannot be.
    pub fn export(&self, tree: Oid, into: &Path) -> Result<()> {
        vacant(into)?;
        let leaves = self.reader()?.leaves(tree)?;
        self.write_files(&leaves, into)
    }

    /// Writes `leaves` into the folder `into`, in which none of them is yet.
    pub(super) fn write_files(&self, leaves: &[Leaf], into: &Path) -> Result<()> {
        folders(leaves, into)?;
        let files: Vec<&Leaf> = leaves
            .iter()
            .filter(|l| matches!(l.kind, EntryKind::Blob | EntryKind::BlobExecutable))
            .collect();
        let when = SystemTime::now() - AGE;
        let threads = threads(files.len());
        let part = files.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let running: Vec<_> = files
                .chunks(part)
                .map(|part| scope.spawn(|| self.write_part(part, into, when)))
                .collect();
            let lost = |_| Err(Error::internal("writing files: a thread ended early"));
            running
                .into_iter()
                .try_for_each(|t| t.join().unwrap_or_else(lost))
        })?;
        // Links last: nothing is written through one.
        let reader = self.reader()?;
        let mut target = Vec::new();
        for leaf in leaves.iter().filter(|l| l.kind == EntryKind::Link) {
            reader.blob(leaf.id, &mut target)?;
            let doing = || format!("writing the link {}", BStr::new(&leaf.path));
            symlink(system(&target)?, into.join(system(&leaf.path)?))
                .map_err(|e| Error::git(doing()).with_source(e))?;
        }
        Ok(())
    }

    fn write_part(&self, leaves: &[&Leaf], into: &Path, when: SystemTime) -> Result<()> {
        let reader = self.reader()?;
        let mut bytes = Vec::new();
        for leaf in leaves {
            reader.blob(leaf.id, &mut bytes)?;
            let path = into.join(system(&leaf.path)?);
            let executable = leaf.kind == EntryKind::BlobExecutable;
            write_new(&path, &bytes, executable, when).map_err(|e| {
                Error::git(format!("writing {}", BStr::new(&leaf.path))).with_source(e)
            })?;
        }
        Ok(())
    }
}

impl Reader {
    /// All paths of `tree` that are no folders, sorted by their bytes; each name may be written
    /// to a disk, and none is a file and a folder at once.
    ///
    /// # Errors
    /// A missing object; git where a tree is malformed.
    pub(super) fn leaves(&self, tree: Oid) -> Result<Vec<Leaf>> {
        let mut found = Vec::new();
        self.collect_leaves(tree, &mut Vec::new(), 0, &mut found)?;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        // `a` and `a/x` need not stand side by side: `a.` comes between.
        let folders: std::collections::BTreeSet<&[u8]> =
            found.iter().flat_map(|l| above(&l.path)).collect();
        let mut twice = found.windows(2).filter(|w| w[0].path == w[1].path);
        let bad = twice.next().map(|w| &w[0]);
        let bad = bad.or_else(|| found.iter().find(|l| folders.contains(&*l.path)));
        if let Some(leaf) = bad {
            let path = BStr::new(&leaf.path);
            return Err(Error::git(format!(
                "tree {tree} is malformed: {path} is there twice"
            )));
        }
        Ok(found)
    }

    fn collect_leaves(
        &self,
        tree: Oid,
        path: &mut Vec<u8>,
        depth: usize,
        found: &mut Vec<Leaf>,
    ) -> Result<()> {
        if depth > DEEPEST || found.len() > MOST {
            return Err(Error::git(format!(
                "tree {tree} is deeper than {DEEPEST} folders or holds over {MOST} files"
            )));
        }
        let mut data = Vec::new();
        self.tree_bytes(tree, &mut data)?;
        for entry in TreeRefIter::from_bytes(&data, tree.0.kind()) {
            let entry =
                entry.map_err(|e| Error::git(format!("reading tree {tree}")).with_source(e))?;
            let kind = entry.mode.kind();
            if !may_be_named(entry.filename, kind == EntryKind::Link) {
                let at = [path.as_slice(), entry.filename].concat();
                return Err(Error::git(format!(
                    "tree {tree} is malformed: {} is a name that git refuses",
                    at.as_bstr()
                )));
            }
            let id = Oid(entry.oid.to_owned());
            let length = path.len();
            path.extend_from_slice(entry.filename);
            if kind == EntryKind::Tree {
                path.push(b'/');
                self.collect_leaves(id, path, depth + 1, found)?;
            } else {
                let path = path.as_slice().into();
                found.push(Leaf { path, kind, id });
            }
            path.truncate(length);
        }
        Ok(())
    }
}

/// Whether git lets a name stand in a tree: no `..`, no `.git` however it is written.
pub(super) fn may_be_named(name: &[u8], link: bool) -> bool {
    let options = gix::validate::path::component::Options {
        protect_windows: false,
        protect_hfs: true,
        protect_ntfs: true,
    };
    let mode = link.then_some(gix::validate::path::component::Mode::Symlink);
    gix::validate::path::component(name.as_bstr(), mode, options).is_ok() && !name.contains(&b'/')
}

/// The folders above a path, the nearest first, the top left out.
pub(super) fn above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = path.iter().enumerate().rev().filter(|(_, b)| **b == b'/');
    ends.map(|(at, _)| &path[..at])
}

/// The path as the system names it.
pub(super) fn system(path: &[u8]) -> Result<PathBuf> {
    gix::path::from_byte_slice(path)
        .map(Path::to_owned)
        .map_err(|e| {
            let shown = BStr::new(path);
            Error::git(format!("{shown}: no path of this system")).with_source(e)
        })
}

/// Makes `into` where it is missing; it must hold nothing.
pub(super) fn vacant(into: &Path) -> Result<()> {
    let shown = into.display();
    let doing = |e| Error::git(format!("making the folder {shown}")).with_source(e);
    fs::create_dir_all(into).map_err(doing)?;
    let full = fs::read_dir(into).map_err(doing)?.next().is_some();
    match full {
        true => Err(Error::usage(format!(
            "writing files into {shown}: the folder is not empty"
        ))
        .with_hint("name a folder that is empty or does not exist yet")),
        false => Ok(()),
    }
}

fn folders(leaves: &[Leaf], into: &Path) -> Result<()> {
    let mut last: &[u8] = b"";
    for leaf in leaves {
        let folder = match leaf.kind {
            EntryKind::Commit => &*leaf.path,
            _ => above(&leaf.path).next().unwrap_or_default(),
        };
        if folder == last {
            continue;
        }
        last = folder;
        fs::create_dir_all(into.join(system(folder)?)).map_err(|e| {
            Error::git(format!("making the folder {}", BStr::new(folder))).with_source(e)
        })?;
    }
    Ok(())
}

fn write_new(path: &Path, bytes: &[u8], executable: bool, when: SystemTime) -> std::io::Result<()> {
    let mode = if executable { 0o777 } else { 0o666 };
    let mut file = File::options()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)?;
    file.write_all(bytes)?;
    file.set_modified(when)
}

/// How many threads `files` are worth.
pub(super) fn threads(files: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(8).min(files / WORTH + 1)
}
