//! The user's work tree, through the git program: filters, attributes and sparse checkouts act
//! as the user expects, since it is git itself that looks and writes.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::call::{joined, split};
use super::program::Program;
use super::{Oid, Repo};
use crate::error::{Error, Result};

mod moving;
mod snapshot;

pub use snapshot::{Added, Prepared, Snapshot, Untracked};

/// A `.git` file that names a git directory is shorter.
const POINTER_MAX: u64 = 64 << 10;
/// No hook of the user's runs by what we move or look at, `post-index-change` neither.
const NO_HOOKS: &str = "core.hooksPath=/dev/null";

/// A path from the top of the work tree, parts joined by `/`.
pub type TreePath = Box<[u8]>;

/// The work tree that the program runs in.
pub struct WorkTree {
    program: Program,
    top: PathBuf,
    /// The folder the program runs in, from which path specifications are read.
    here: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    index: PathBuf,
    reftable: bool,
    /// The id that stands for nothing, in this repository's hash.
    nothing: String,
}

/// How one path differs between two trees. A mode is git's (`0o100644`), the id a blob's or, of
/// a submodule, a commit's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// Where.
    pub path: TreePath,
    /// Before.
    pub old: Option<(u32, Oid)>,
    /// After.
    pub new: Option<(u32, Oid)>,
}

/// What is not committed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Tracked paths that differ from HEAD in the index or the work tree, in order.
    pub tracked: Vec<TreePath>,
    /// Paths that a merge left open, in order.
    pub unmerged: Vec<TreePath>,
    /// Untracked paths that are not ignored, in order; a nested repository ends in `/`.
    pub untracked: Vec<TreePath>,
}

/// Which paths [`WorkTree::matching`] looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// What the index holds.
    Tracked,
    /// What is neither tracked nor ignored.
    Untracked,
    /// What is ignored.
    Ignored,
}

impl Repo {
    /// The work tree.
    ///
    /// # Errors
    /// Usage where the repository is bare.
    pub fn work_tree(&self) -> Result<WorkTree> {
        let Some(top) = self.work_dir() else {
            return Err(
                Error::usage("this needs a work tree; the repository is bare")
                    .with_hint("`git worktree add FOLDER` makes one"),
            );
        };
        let named = std::env::var_os("GIT_INDEX_FILE").filter(|f| !f.is_empty());
        let index = match named {
            Some(file) => top.join(file),
            None => self.git_dir().join("index"),
        };
        let here = match self.prefix() {
            Some(prefix) => top.join(system_path(prefix)?),
            None => top.to_owned(),
        };
        Ok(WorkTree {
            program: self.program(),
            top: top.to_owned(),
            here,
            git_dir: self.git_dir().to_owned(),
            common_dir: self.common_dir().to_owned(),
            index,
            reftable: self.shape.reftable,
            nothing: "0".repeat(self.reader()?.empty_tree().to_string().len()),
        })
    }
}

impl WorkTree {
    /// Its top folder.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Where `path` lies on disk.
    ///
    /// # Errors
    /// Git where the system cannot name it.
    pub fn on_disk(&self, path: &[u8]) -> Result<PathBuf> {
        Ok(self.top.join(system_path(path)?))
    }

    /// The branch that HEAD names, in full; `None` where HEAD is detached.
    ///
    /// # Errors
    /// Git where HEAD cannot be read.
    pub fn branch(&self) -> Result<Option<String>> {
        let out = self
            .program
            .call(&[], "symbolic-ref", &["-q", "HEAD"])
            .run()?;
        if out.status.code() == Some(1) {
            return Ok(None);
        }
        let name = super::call::succeeded("symbolic-ref", out)?;
        Ok(Some(String::from_utf8_lossy(&name).trim_end().to_owned()))
    }

    /// The folder that git takes hooks from, wherever the user put it.
    ///
    /// # Errors
    /// Git where it does not say.
    pub fn hooks_dir(&self) -> Result<PathBuf> {
        let words = ["--git-path", "hooks"];
        let said = self.program.call(&[], "rev-parse", &words).output()?;
        let path = said.strip_suffix(b"\n").unwrap_or(&said);
        Ok(self.top.join(system_path(path)?))
    }

    /// What git is in the middle of, where it is; said with an article.
    ///
    /// # Errors
    /// Git where the refs cannot be read.
    pub fn in_progress(&self) -> Result<Option<&'static str>> {
        const FILES: [(&str, &str); 8] = [
            ("MERGE_HEAD", "a merge"),
            ("rebase-apply/applying", "an am"),
            ("rebase-apply", "a rebase"),
            ("rebase-merge", "a rebase"),
            ("CHERRY_PICK_HEAD", "a cherry-pick"),
            ("REVERT_HEAD", "a revert"),
            ("sequencer", "a cherry-pick or revert"),
            ("BISECT_LOG", "a bisect"),
        ];
        let found = FILES
            .iter()
            .find(|(file, _)| self.git_dir.join(file).exists());
        if let Some((_, what)) = found {
            return Ok(Some(what));
        }
        if self.reftable {
            for (name, what) in [
                ("CHERRY_PICK_HEAD", "a cherry-pick"),
                ("REVERT_HEAD", "a revert"),
            ] {
                let words = ["--quiet", "--verify", name];
                let out = self.program.call(&[], "rev-parse", &words).run()?;
                if out.status.success() {
                    return Ok(Some(what));
                }
            }
        }
        Ok(None)
    }

    /// The lock on the index, where somebody holds it: whatever writes the index would fail.
    pub fn index_lock(&self) -> Option<PathBuf> {
        Some(self.lock_file()).filter(|lock| lock.exists())
    }

    fn lock_file(&self) -> PathBuf {
        let mut lock = self.index.clone().into_os_string();
        lock.push(".lock");
        PathBuf::from(lock)
    }

    /// What is not committed. What is dirty inside a submodule is not looked at.
    ///
    /// # Errors
    /// Git where the index or a folder cannot be read.
    pub fn status(&self) -> Result<Status> {
        let words = [
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
        ];
        let listing = self.program.call(&[], "status", &words).output()?;
        let mut status = Status::default();
        for entry in split(&listing) {
            let Some((code, path)) = entry.split_at_checked(3) else {
                continue;
            };
            let list = match &code[..2] {
                b"??" => &mut status.untracked,
                b"DD" | b"AU" | b"UD" | b"UA" | b"DU" | b"AA" | b"UU" => &mut status.unmerged,
                _ => &mut status.tracked,
            };
            list.push(path.into());
        }
        for list in [
            &mut status.tracked,
            &mut status.unmerged,
            &mut status.untracked,
        ] {
            list.sort();
        }
        Ok(status)
    }

    /// Tracked files that git was told not to look at, though they are here: marked as unchanged,
    /// or as left out by a sparse checkout; in order.
    ///
    /// # Errors
    /// Git where the index cannot be read.
    pub fn not_looked_at(&self) -> Result<Vec<TreePath>> {
        let listing = self.program.call(&[], "ls-files", &["-z", "-v"]).output()?;
        let mut found: Vec<TreePath> = split(&listing)
            .filter_map(|entry| {
                let (tag, path) = entry.split_at_checked(2)?;
                let here = || {
                    let full = self.on_disk(path);
                    full.is_ok_and(|f| f.symlink_metadata().is_ok())
                };
                let hidden = tag[0].is_ascii_lowercase() || (tag[0] == b'S' && here());
                hidden.then(|| path.into())
            })
            .collect();
        found.sort();
        Ok(found)
    }

    /// The other work tree that has `branch` checked out. What a bare repository's own `HEAD`
    /// names is checked out nowhere.
    ///
    /// # Errors
    /// Git where the work trees cannot be listed.
    pub fn checked_out_elsewhere(&self, branch: &str) -> Result<Option<PathBuf>> {
        let words = ["list", "--porcelain"];
        let said = self.program.call(&[], "worktree", &words).output()?;
        let wanted = format!("branch {branch}");
        // A path with a line feed goes on in the next line, up to what is said of it.
        let (mut path, mut goes_on) = (Vec::new(), false);
        for line in said.split(|b| *b == b'\n') {
            if let Some(start) = line.strip_prefix(b"worktree ") {
                (path, goes_on) = (start.to_vec(), true);
            } else if line.starts_with(b"HEAD ") || line == b"bare" {
                goes_on = false;
            } else if goes_on {
                path.push(b'\n');
                path.extend(line);
            } else if line == wanted.as_bytes() {
                let named = system_path(&path)?;
                let real = std::fs::canonicalize(&named).unwrap_or(named);
                if real != self.top {
                    return Ok(Some(real));
                }
            }
        }
        Ok(None)
    }

    /// Ignored paths, in order; a folder that is ignored as a whole stands as one, ended by `/`.
    ///
    /// # Errors
    /// Git where a folder cannot be read.
    pub fn ignored(&self) -> Result<Vec<TreePath>> {
        let words = [
            "-z",
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
        ];
        let listing = self.program.call(&[], "ls-files", &words).output()?;
        let mut found: Vec<TreePath> = split(&listing).map(Into::into).collect();
        found.sort();
        Ok(found)
    }

    /// The paths that one path specification means, read from the folder the program runs in.
    ///
    /// # Errors
    /// Git where the specification cannot be read.
    pub fn matching(&self, among: Among, pathspec: &OsStr) -> Result<Vec<TreePath>> {
        self.matching_in(&self.index, among, pathspec)
    }

    fn matching_in(&self, index: &Path, among: Among, pathspec: &OsStr) -> Result<Vec<TreePath>> {
        let which: &[&str] = match among {
            Among::Tracked => &["--cached"],
            Among::Untracked => &["--others", "--exclude-standard"],
            Among::Ignored => &["--others", "--ignored", "--exclude-standard"],
        };
        let call = self.program.call(&[], "ls-files", &["-z", "--full-name"]);
        let call = which.iter().fold(call, |call, word| call.word(word));
        let listing = call
            .word("--")
            .word(pathspec)
            .folder(&self.here)
            .index(index)
            .output()?;
        Ok(split(&listing).map(Into::into).collect())
    }

    /// How the files of tree `new` differ from those of `old`, executable bits too, in order;
    /// with `pathspecs` only those they mean, read from the folder the program runs in.
    ///
    /// # Errors
    /// Git where a tree is missing or a specification cannot be read.
    pub fn between(&self, old: Oid, new: Oid, pathspecs: &[OsString]) -> Result<Vec<Delta>> {
        let (old, new) = (old.to_string(), new.to_string());
        let words = [
            "-r",
            "-z",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            &old,
            &new,
            "--",
        ];
        let call = self.program.call(&[], "diff-tree", &words);
        let call = pathspecs.iter().fold(call, |call, spec| call.word(spec));
        let listing = call.folder(&self.here).output()?;
        let mut pieces = split(&listing);
        let mut found = Vec::new();
        while let (Some(what), Some(path)) = (pieces.next(), pieces.next()) {
            let what = String::from_utf8_lossy(what);
            let words: Vec<&str> = what.trim_start_matches(':').split(' ').collect();
            let [old_mode, new_mode, old, new, _] = words[..] else {
                continue;
            };
            found.push(Delta {
                path: path.into(),
                old: side(old_mode, old),
                new: side(new_mode, new),
            });
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Whether one path specification means anything in the index or in `tree`.
    ///
    /// # Errors
    /// Git where the tree is missing or the specification cannot be read.
    pub fn means_anything(&self, tree: Oid, pathspec: &OsStr) -> Result<bool> {
        let with = format!("--with-tree={tree}");
        let call = self.program.call(&[], "ls-files", &["-z", &with, "--"]);
        let listing = call.word(pathspec).folder(&self.here).output()?;
        Ok(!listing.is_empty())
    }

    /// The paths that `tree`'s `.gitmodules` declares as submodules.
    ///
    /// # Errors
    /// Git could not be started.
    pub fn submodules(&self, tree: Oid) -> Result<Vec<TreePath>> {
        let blob = format!("{tree}:.gitmodules");
        let words = [
            "--blob",
            &blob,
            "-z",
            "--get-regexp",
            "^submodule\\..*\\.path$",
        ];
        let out = self.program.call(&[], "config", &words).run()?;
        // No such file, or no such key.
        if !out.status.success() {
            return Ok(Vec::new());
        }
        let value = |entry: &[u8]| -> Option<TreePath> {
            let at = entry.iter().position(|b| *b == b'\n')?;
            Some(entry[at + 1..].into())
        };
        Ok(split(&out.stdout).filter_map(value).collect())
    }

    /// The commit that HEAD of a nested repository names; `None` where it has none yet.
    ///
    /// # Errors
    /// Git could not be started.
    pub fn nested_head(&self, path: &[u8]) -> Result<Option<Oid>> {
        let folder = self.on_disk(path.strip_suffix(b"/").unwrap_or(path))?;
        super::nested::head_of(&folder)
    }

    /// Whether the nested repository at `path` is another work tree of this one.
    pub fn is_linked(&self, path: &[u8]) -> bool {
        let Ok(folder) = self.on_disk(path.strip_suffix(b"/").unwrap_or(path)) else {
            return false;
        };
        let mut text = String::new();
        let read = std::fs::File::open(folder.join(".git"))
            .and_then(|file| file.take(POINTER_MAX).read_to_string(&mut text));
        if read.is_err() {
            return false;
        }
        let Some(git_dir) = text.strip_prefix("gitdir:") else {
            return false;
        };
        let real = std::fs::canonicalize(folder.join(git_dir.trim()));
        real.is_ok_and(|dir| dir.starts_with(self.common_dir.join("worktrees")))
    }

    /// Words for `git update-index` with paths on its standard input.
    fn update_index(&self, index: &Path, words: &[&str], paths: &[&[u8]]) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        let call = self
            .program
            .call(&["core.splitIndex=false", NO_HOOKS], "update-index", words);
        call.word("-z")
            .word("--stdin")
            .index(index)
            .input(joined(paths.iter().copied()))
            .output()?;
        Ok(())
    }
}

/// One side of a raw difference; `None` where nothing is there.
fn side(mode: &str, id: &str) -> Option<(u32, Oid)> {
    let mode = u32::from_str_radix(mode, 8).ok().filter(|m| *m != 0)?;
    Some((mode, Oid::from_hex(id)?))
}

/// A path of a tree as the system writes it.
fn system_path(path: &[u8]) -> Result<PathBuf> {
    gix::path::from_byte_slice(path)
        .map(Path::to_owned)
        .map_err(|e| {
            let shown = String::from_utf8_lossy(path).into_owned();
            Error::git(format!("'{shown}' is no path of this system")).with_source(e)
        })
}
