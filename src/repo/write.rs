//! Writing: a new repository, objects, and several refs moved as one.
//!
//! Objects and refs go through gix, never through a git process, so that hooks, signing,
//! templates and the user's configuration have no say in what is written: the same input
//! gives the same ids on every machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::{Entry as TreeEntry, EntryKind};
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit};

use super::{Oid, Person};
use crate::error::{Error, Result};

/// A repository opened for writing.
pub struct Writer {
    repo: gix::Repository,
}

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

/// A person at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Who.
    pub person: Person,
    /// Seconds since the epoch, written with the offset `+0000`.
    pub seconds: i64,
}

/// A commit to be written.
#[derive(Debug, Clone)]
pub struct NewCommit<'a> {
    /// Its tree.
    pub tree: Oid,
    /// Its parents, first parent first.
    pub parents: &'a [Oid],
    /// Who wrote it, and when.
    pub author: &'a Stamp,
    /// Who committed it, and when.
    pub committer: &'a Stamp,
    /// The message, verbatim: nothing is stripped and no line feed is added.
    pub message: &'a [u8],
}

/// A ref to be created or moved.
#[derive(Debug, Clone)]
pub struct RefMove {
    /// The full name, `refs/…`.
    pub name: String,
    /// The value it must have now; `None`: it must not exist.
    pub old: Option<Oid>,
    /// The value it gets.
    pub new: Oid,
}

impl Writer {
    /// Creates a SHA-1 repository with a work tree in `dir`, which must be empty or missing
    /// (folders above it are made). `HEAD` names the unborn branch `main`.
    ///
    /// # Errors
    /// Usage where `dir` is a file or holds anything; git where it cannot be written.
    pub fn create(dir: &Path) -> Result<Writer> {
        require_vacant(dir)?;
        let doing = || format!("creating a repository in {}", dir.display());
        fs::create_dir_all(dir).map_err(|e| Error::git(doing()).with_source(e))?;
        let options = gix::create::Options {
            destination_must_be_empty: Some(true),
            object_hash: Some(gix::hash::Kind::Sha1),
            ..Default::default()
        };
        let repo = gix::ThreadSafeRepository::init_opts(
            dir,
            gix::create::Kind::WithWorktree,
            options,
            gix::open::Options::isolated(),
        )
        .map_err(|e| Error::git(doing()).with_source(e))?;
        Ok(Writer {
            repo: repo.to_thread_local(),
        })
    }

    /// Writes a blob; one that is there already is left as it is.
    ///
    /// # Errors
    /// Git where the object store cannot be written.
    pub fn blob(&self, bytes: &[u8]) -> Result<Oid> {
        let id = self
            .repo
            .write_blob(bytes)
            .map_err(|e| Error::git("writing a blob").with_source(e))?;
        Ok(Oid(id.detach()))
    }

    /// Writes the tree that holds `files` (path from the root, parts joined by `/`), with a
    /// tree for each folder; gives the root's id. No files: the empty tree.
    ///
    /// # Errors
    /// Internal where a path has an empty part or is a file and a folder at once; git where
    /// the object store cannot be written.
    pub fn tree(&self, files: &BTreeMap<Vec<u8>, Leaf>) -> Result<Oid> {
        let mut root = Folder::default();
        for (path, leaf) in files {
            root.place(path, *leaf)?;
        }
        self.folder(&root)
    }

    fn folder(&self, folder: &Folder) -> Result<Oid> {
        let mut entries = Vec::with_capacity(folder.entries.len());
        for (name, node) in &folder.entries {
            let (kind, id) = match node {
                Node::Leaf(leaf) => (leaf.mode.kind(), leaf.id),
                Node::Folder(inner) => (EntryKind::Tree, self.folder(inner)?),
            };
            entries.push(TreeEntry {
                mode: kind.into(),
                filename: BString::from(name.as_slice()),
                oid: id.0,
            });
        }
        // Git sorts a folder as if its name ended in a slash.
        entries.sort();
        let id = self
            .repo
            .write_object(gix::objs::Tree { entries })
            .map_err(|e| Error::git("writing a tree").with_source(e))?;
        Ok(Oid(id.detach()))
    }

    /// Writes a commit; moves no ref.
    ///
    /// # Errors
    /// Git where a name or address cannot stand in a commit, or the object store cannot be
    /// written.
    pub fn commit(&self, commit: &NewCommit<'_>) -> Result<Oid> {
        let object = gix::objs::Commit {
            tree: commit.tree.0,
            parents: commit.parents.iter().map(|p| p.0).collect(),
            author: signature(commit.author),
            committer: signature(commit.committer),
            encoding: None,
            message: commit.message.into(),
            extra_headers: Vec::new(),
        };
        let id = self
            .repo
            .write_object(object)
            .map_err(|e| Error::git("writing a commit").with_source(e))?;
        Ok(Oid(id.detach()))
    }

    /// Moves all of `moves`, or, where one has not its old value, none. Reflogs, where the
    /// repository keeps them, name `who` and `reason` (one line).
    ///
    /// # Errors
    /// Git where a name is no ref name, an old value does not hold, or a lock is taken.
    pub fn move_refs(&self, moves: &[RefMove], who: &Stamp, reason: &str) -> Result<()> {
        let mut edits = Vec::with_capacity(moves.len());
        for RefMove { name, old, new } in moves {
            edits.push(RefEdit {
                change: Change::Update {
                    log: LogChange {
                        message: reason.into(),
                        ..LogChange::default()
                    },
                    expected: old.map_or(PreviousValue::MustNotExist, |old| {
                        PreviousValue::MustExistAndMatch(gix::refs::Target::Object(old.0))
                    }),
                    new: gix::refs::Target::Object(new.0),
                },
                name: name.as_str().try_into().map_err(|e| {
                    Error::git(format!("moving {name}: not a ref name")).with_source(e)
                })?,
                deref: false,
            });
        }
        let by = signature(who);
        let mut time = gix::date::parse::TimeBuf::default();
        self.repo
            .edit_references_as(edits, Some(by.to_ref(&mut time)))
            .map_err(|e| {
                Error::git(format!("moving {}", names(moves)))
                    .with_hint("another command may have moved it meanwhile; try again")
                    .with_source(e)
            })?;
        Ok(())
    }

    /// Writes the files of `tree` into the work tree and an index that says so, for a
    /// repository whose work tree is still empty: existing files are never written over.
    ///
    /// # Errors
    /// Internal for a tree with links or submodules, or a bare repository; git where a file
    /// cannot be written.
    pub fn check_out(&self, tree: Oid) -> Result<()> {
        let root = self
            .repo
            .workdir()
            .ok_or_else(|| Error::internal("checking out: the repository is bare"))?;
        let mut index =
            gix::index::State::from_tree(&tree.0, &self.repo.objects, Default::default())
                .map_err(|e| Error::git(format!("reading tree {tree}")).with_source(e))?;
        let paths: Vec<BString> = index
            .entries()
            .iter()
            .map(|e| e.path(&index).to_owned())
            .collect();
        for (entry, path) in index.entries_mut().iter_mut().zip(&paths) {
            let executable = match entry.mode {
                gix::index::entry::Mode::FILE => false,
                gix::index::entry::Mode::FILE_EXECUTABLE => true,
                _ => {
                    return Err(Error::internal(format!(
                        "checking out {path}: neither a file nor an executable"
                    )));
                }
            };
            let full = root.join(gix::path::from_bstr(path.as_bstr()).map_err(|e| {
                Error::git(format!("checking out {path}: no path of this system")).with_source(e)
            })?);
            let blob = self
                .repo
                .find_blob(entry.id)
                .map_err(|e| Error::git(format!("reading the blob of {path}")).with_source(e))?;
            write_new(&full, &blob.data, executable)
                .map_err(|e| Error::git(format!("checking out {path}")).with_source(e))?;
            let stat = gix::index::fs::Metadata::from_path_no_follow(&full)
                .map_err(|e| Error::git(format!("checking out {path}")).with_source(e))?;
            entry.stat = gix::index::entry::Stat::from_fs(&stat)
                .map_err(|e| Error::git(format!("checking out {path}")).with_source(e))?;
        }
        let mut file = gix::index::File::from_state(index, self.repo.index_path());
        file.write(gix::index::write::Options::default())
            .map_err(|e| Error::git("writing the index").with_source(e))
    }

    /// The work tree's folder; of a bare repository the git directory.
    pub fn path(&self) -> PathBuf {
        self.repo
            .workdir()
            .unwrap_or_else(|| self.repo.git_dir())
            .to_owned()
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

fn signature(stamp: &Stamp) -> gix::actor::Signature {
    gix::actor::Signature {
        name: stamp.person.name.as_str().into(),
        email: stamp.person.email.as_str().into(),
        time: gix::date::Time {
            seconds: stamp.seconds,
            offset: 0,
        },
    }
}

fn names(moves: &[RefMove]) -> String {
    match moves {
        [one] => one.name.clone(),
        [first, ..] => format!("{} and {} more refs", first.name, moves.len() - 1),
        [] => "no refs".to_owned(),
    }
}

fn require_vacant(dir: &Path) -> Result<()> {
    let refuse = |why: &str| {
        Err(
            Error::usage(format!("creating a repository in {}: {why}", dir.display()))
                .with_hint("name a folder that is empty or does not exist yet"),
        )
    };
    match fs::read_dir(dir) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => refuse("the folder is not empty"),
        },
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::NotADirectory => refuse("not a folder"),
        Err(e) => Err(Error::git(format!("reading folder {}", dir.display())).with_source(e)),
    }
}

fn write_new(path: &Path, bytes: &[u8], executable: bool) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if executable {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o777);
    }
    #[cfg(not(unix))]
    let _ = executable;
    std::io::Write::write_all(&mut options.open(path)?, bytes)
}
