//! The work tree as a tree: built in an index of our own, which begins as a copy of the user's.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Among, NO_HOOKS, TreePath, WorkTree};
use crate::error::{Error, Result};
use crate::repo::call::split;
use crate::repo::{EntryMode, Oid};

/// An index of our own that is on its way to being a tree. Its file goes with it.
pub struct Snapshot<'w> {
    work: &'w WorkTree,
    index: PathBuf,
    /// The user's index as it was copied.
    copied: Option<Stamp>,
}

/// An index of our own that holds a tree, ready to become the user's. Its file goes with it.
#[derive(Debug)]
pub struct Prepared {
    index: PathBuf,
    copied: Option<Stamp>,
}

/// By which a file is known to be the same still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: SystemTime,
}

impl Stamp {
    fn of(file: &Path) -> Option<Stamp> {
        let meta = fs::metadata(file).ok()?;
        Some(Stamp {
            size: meta.len(),
            modified: meta.modified().ok()?,
        })
    }
}

/// What is neither tracked nor ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Untracked {
    /// Files and links, in order.
    pub files: Vec<TreePath>,
    /// Repositories of their own, in order, without the last `/`.
    pub nested: Vec<TreePath>,
}

/// A path that a tree does not have, or has as something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// Where.
    pub path: TreePath,
    /// What it is now.
    pub mode: EntryMode,
    /// Its blob; of a nested repository, its commit.
    pub id: Oid,
}

impl WorkTree {
    /// Begins a snapshot: all that is committed and staged, and every change of tracked files.
    ///
    /// # Errors
    /// Git where the index cannot be read, a file cannot be read, or a filter fails.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        let snapshot = self.own_index()?;
        let words = ["-z", "--name-only", "--ignore-submodules=dirty"];
        let changed = self
            .program
            .call(&[], "diff-files", &words)
            .index(&snapshot.index)
            .output()?;
        let paths: Vec<&[u8]> = split(&changed).collect();
        self.update_index(&snapshot.index, &["--add", "--remove"], &paths)?;
        Ok(snapshot)
    }

    /// An index of our own that holds `tree` and nothing else.
    ///
    /// # Errors
    /// Git where the tree cannot be read.
    pub fn tree_index(&self, tree: Oid) -> Result<Snapshot<'_>> {
        let snapshot = Snapshot {
            index: self.fresh_index()?,
            work: self,
            copied: None,
        };
        self.program
            .call(
                &["core.splitIndex=false", NO_HOOKS],
                "read-tree",
                &[&tree.to_string()],
            )
            .index(&snapshot.index)
            .output()?;
        Ok(snapshot)
    }

    fn own_index(&self) -> Result<Snapshot<'_>> {
        let index = self.fresh_index()?;
        let copied = Stamp::of(&self.index);
        let doing = || format!("copying the index {}", self.index.display());
        match copy_with_time(&self.index, &index) {
            Ok(()) => {}
            // No index yet: everything is untracked.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(Error::git(doing()).with_source(e)),
        }
        Ok(Snapshot {
            work: self,
            index,
            copied,
        })
    }

    /// Makes `prepared` the user's index, where that is still the one it was copied from; false
    /// where it is not, or somebody holds it.
    ///
    /// # Errors
    /// Git where the file cannot be put there.
    pub fn install(&self, prepared: &Prepared) -> Result<bool> {
        // Git's lock is ours from the moment it is there, whole: what a kill leaves of it is known
        // by being the same file as the one beside our state.
        let lock = self.lock_file();
        if fs::hard_link(&prepared.index, &lock).is_err() {
            return Ok(false);
        }
        let same = prepared.copied.is_some() && Stamp::of(&self.index) == prepared.copied;
        let done = match same {
            // Moved and not copied: its time is what git judges files by.
            true => fs::rename(&lock, &self.index),
            false => fs::remove_file(&lock),
        };
        let doing = || format!("writing the index {}", self.index.display());
        done.map(|()| same)
            .map_err(|e| Error::git(doing()).with_source(e))
    }

    /// Removes a lock on the index that a killed command of ours left there.
    ///
    /// # Errors
    /// Git where it cannot be removed.
    pub fn free_own_lock(&self) -> Result<()> {
        let lock = self.lock_file();
        let Some(there) = Stamp::of(&lock) else {
            return Ok(());
        };
        let beside = fs::read_dir(self.git_dir.join("evolve"));
        let ours = beside.into_iter().flatten().flatten().any(|entry| {
            entry.file_name().to_string_lossy().starts_with("index-")
                && Stamp::of(&entry.path()) == Some(there)
        });
        if ours {
            let doing = || format!("removing {}", lock.display());
            fs::remove_file(&lock).map_err(|e| Error::git(doing()).with_source(e))?;
        }
        Ok(())
    }

    /// A file name beside our state; what killed commands left there goes: one command at a time
    /// works in a work tree.
    fn fresh_index(&self) -> Result<PathBuf> {
        let folder = self.git_dir.join("evolve");
        let doing = || format!("making {}", folder.display());
        fs::create_dir_all(&folder).map_err(|e| Error::git(doing()).with_source(e))?;
        let mine = format!("index-{}", std::process::id());
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name.to_string_lossy().starts_with("index-") {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(folder.join(mine))
    }
}

/// Copies a file and its time: git holds entries as old as the index itself for doubtful, and
/// would believe them in a copy that seems newer.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let modified = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    fs::File::options()
        .write(true)
        .open(to)?
        .set_modified(modified)
}

impl Snapshot<'_> {
    /// What is neither in it nor ignored. Other work trees of this repository are left out.
    ///
    /// # Errors
    /// Git where a folder cannot be read.
    pub fn untracked(&self) -> Result<Untracked> {
        let words = ["-z", "--others", "--exclude-standard"];
        let call = self.work.program.call(&[], "ls-files", &words);
        let listing = call.index(&self.index).output()?;
        let mut found = Untracked::default();
        for path in split(&listing) {
            match path {
                [folder @ .., b'/'] => {
                    if !self.work.is_linked(folder) {
                        found.nested.push(folder.into());
                    }
                }
                file => found.files.push(file.into()),
            }
        }
        found.files.sort();
        found.nested.sort();
        Ok(found)
    }

    /// The paths that a path specification means, among those in it or in the work tree.
    ///
    /// # Errors
    /// Git where the specification cannot be read.
    pub fn matching(&self, among: Among, pathspec: &OsStr) -> Result<Vec<TreePath>> {
        self.work.matching_in(&self.index, among, pathspec)
    }

    /// Takes paths as they are in the work tree: files, links, nested repositories.
    ///
    /// # Errors
    /// Git where one cannot be read, or a filter fails.
    pub fn take<'p>(&self, paths: impl IntoIterator<Item = &'p [u8]>) -> Result<()> {
        let paths: Vec<&[u8]> = paths.into_iter().collect();
        self.work
            .update_index(&self.index, &["--add", "--remove"], &paths)
    }

    /// Leaves paths out.
    ///
    /// # Errors
    /// Git where the index cannot be written.
    pub fn leave_out<'p>(&self, paths: impl IntoIterator<Item = &'p [u8]>) -> Result<()> {
        let paths: Vec<&[u8]> = paths.into_iter().collect();
        self.work
            .update_index(&self.index, &["--force-remove"], &paths)
    }

    /// Puts paths to entries of another tree; `None` takes a path away.
    ///
    /// # Errors
    /// Git where the index cannot be written, or a path is no path of a tree.
    pub fn set<'p>(
        &self,
        entries: impl IntoIterator<Item = (&'p [u8], Option<(u32, Oid)>)>,
    ) -> Result<()> {
        let mut input = Vec::new();
        for (path, entry) in entries {
            let (mode, id) = match entry {
                Some((mode, id)) => (mode, id.to_string()),
                None => (0, self.work.nothing.clone()),
            };
            input.extend_from_slice(format!("{mode:o} {id}\t").as_bytes());
            input.extend_from_slice(path);
            input.push(0);
        }
        if input.is_empty() {
            return Ok(());
        }
        let words = ["--replace", "-z", "--index-info"];
        self.work
            .program
            .call(&["core.splitIndex=false", NO_HOOKS], "update-index", &words)
            .index(&self.index)
            .input(input)
            .output()?;
        Ok(())
    }

    /// What it has that `tree` has not, or has as something else than a file or link; in order.
    ///
    /// # Errors
    /// Git where the tree cannot be read.
    pub fn added(&self, tree: Oid) -> Result<Vec<Added>> {
        let words = [
            "--cached",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--diff-filter=AT",
            "-z",
            &tree.to_string(),
        ];
        let call = self.work.program.call(&[], "diff-index", &words);
        let listing = call.index(&self.index).output()?;
        let mut pieces = split(&listing);
        let mut found = Vec::new();
        while let (Some(what), Some(path)) = (pieces.next(), pieces.next()) {
            let words: Vec<&[u8]> = what.split(|b| *b == b' ').collect();
            let [_, mode, _, id, _] = words[..] else {
                continue;
            };
            let mode = match mode {
                b"160000" => EntryMode::Gitlink,
                b"120000" => EntryMode::Symlink,
                _ => EntryMode::File,
            };
            if let Some(id) = std::str::from_utf8(id).ok().and_then(Oid::from_hex) {
                found.push(Added {
                    path: path.into(),
                    mode,
                    id,
                });
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// The index itself, to be installed once the tree is committed.
    pub fn prepared(mut self) -> Prepared {
        Prepared {
            index: std::mem::take(&mut self.index),
            copied: self.copied,
        }
    }

    /// Writes the tree.
    ///
    /// # Errors
    /// Git where paths are unmerged or the object store cannot be written.
    pub fn tree(&self) -> Result<Oid> {
        let call = self
            .work
            .program
            .call(&["core.splitIndex=false", NO_HOOKS], "write-tree", &[]);
        let said = call.index(&self.index).output()?;
        let text = String::from_utf8_lossy(&said);
        Oid::from_hex(text.trim())
            .ok_or_else(|| Error::git(format!("git write-tree: said '{}'", text.trim())))
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.index);
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.index);
    }
}
