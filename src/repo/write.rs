//! Writing: a new repository, objects, and several refs moved as one.
//!
//! Objects and refs go through gix, never through a git process, so that hooks, signing,
//! templates and the user's configuration have no say in what is written: the same input
//! gives the same ids on every machine.

use std::fs;
use std::path::{Path, PathBuf};

use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit};

use super::{Oid, Person, Repo};
use crate::error::{Error, Result};

mod checkout;
mod tree;
#[cfg(test)]
pub(in crate::repo) mod trial;

pub use tree::{Leaf, LeafMode};

/// A repository opened for writing.
pub struct Writer {
    pub(super) repo: gix::Repository,
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

/// A ref to be created, moved or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMove {
    /// The full name, `refs/…`.
    pub name: String,
    /// The value it must have now; `None`: it must not exist.
    pub old: Option<Oid>,
    /// The value it gets; `None`: it goes.
    pub new: Option<Oid>,
}

impl RefMove {
    /// The command that takes the move back, where the ref still is where it moved to.
    pub fn undo(&self) -> String {
        let name = &self.name;
        match (self.old, self.new) {
            (Some(old), Some(new)) => format!("git update-ref {name} {old} {new}"),
            (Some(old), None) => format!("git update-ref {name} {old} ''"),
            (None, Some(new)) => format!("git update-ref -d {name} {new}"),
            (None, None) => "true".to_owned(),
        }
    }
}

impl Writer {
    /// Opens `repo` for writing: new objects go into its object store.
    ///
    /// # Errors
    /// None today; opening a store for writing may come to need more.
    pub fn open(repo: &Repo) -> Result<Writer> {
        let mut repo = repo.git();
        repo.clear_namespace();
        Ok(Writer { repo })
    }

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

    /// Moves all of `moves` in a repository that nobody else writes to (one just made), or, where
    /// one has not its old value, none; [`Repo::transact`] is for all others. Reflogs, where the
    /// repository keeps them, name `who` and `reason` (one line).
    ///
    /// # Errors
    /// Git where a name is no ref name, an old value does not hold, or a lock is taken.
    pub fn move_refs(&self, moves: &[RefMove], who: &Stamp, reason: &str) -> Result<()> {
        let mut edits = Vec::with_capacity(moves.len());
        for RefMove { name, old, new } in moves {
            let expected = old.map_or(PreviousValue::MustNotExist, |old| {
                PreviousValue::MustExistAndMatch(gix::refs::Target::Object(old.0))
            });
            let change = match new {
                Some(new) => Change::Update {
                    log: LogChange {
                        message: reason.into(),
                        ..LogChange::default()
                    },
                    expected,
                    new: gix::refs::Target::Object(new.0),
                },
                None => Change::Delete {
                    expected,
                    log: gix::refs::transaction::RefLog::AndReference,
                },
            };
            edits.push(RefEdit {
                change,
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

    /// The work tree's folder; of a bare repository the git directory.
    pub fn path(&self) -> PathBuf {
        self.repo
            .workdir()
            .unwrap_or_else(|| self.repo.git_dir())
            .to_owned()
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::trial::{git, stamp, to, writer};
    use super::*;

    fn commit(writer: &Writer, parents: &[Oid], message: &[u8]) -> Oid {
        let new = NewCommit {
            tree: writer.tree(&BTreeMap::new()).expect("the empty tree"),
            parents,
            author: &stamp(1),
            committer: &stamp(2),
            message,
        };
        writer.commit(&new).expect("written")
    }

    #[test]
    fn a_commit_keeps_its_message_verbatim() {
        let (_folder, writer) = writer();
        let first = commit(&writer, &[], b"\n\n# kept \xff\n\n\n");
        let second = commit(&writer, &[first], b"no line feed");
        let raw = git(&writer, &["cat-file", "commit", &second.to_string()]);
        assert_eq!(
            raw,
            format!(
                "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent {first}\n\
                 author Ada <ada@example.invalid> 1 +0000\n\
                 committer Ada <ada@example.invalid> 2 +0000\n\nno line feed"
            )
        );
        let size = git(&writer, &["cat-file", "-s", &first.to_string()]);
        let head = raw.find("\n\n").expect("a header") - format!("parent {first}\n").len() + 2;
        assert_eq!(size.trim().parse(), Ok(head + "\n\n# kept ?\n\n\n".len()));
    }

    #[test]
    fn refs_move_together_or_not_at_all() {
        let (_folder, writer) = writer();
        let one = commit(&writer, &[], b"one\n");
        let two = commit(&writer, &[one], b"two\n");
        let (main, kept) = ("refs/heads/main", "refs/evolve/chains/a/b/1");
        let refs = || {
            git(
                &writer,
                &["for-each-ref", "--format=%(refname) %(objectname)"],
            )
        };
        let moves = |moves: &[RefMove]| writer.move_refs(moves, &stamp(3), "test");

        moves(&[to(main, None, one), to(kept, None, one)]).expect("both are new");
        let before = refs();
        assert_eq!(before, format!("{kept} {one}\n{main} {one}\n"));
        for stale in [None, Some(two)] {
            let refused = moves(&[to(main, Some(one), two), to(kept, stale, two)]);
            assert!(refused.is_err(), "{stale:?}");
            assert_eq!(refs(), before, "{stale:?}");
        }
        moves(&[to(main, Some(one), two), to(kept, Some(one), two)]).expect("both are as named");
        assert_eq!(refs(), format!("{kept} {two}\n{main} {two}\n"));
        assert!(moves(&[to("refs/heads/a..b", None, one)]).is_err());
    }
}
