//! Turns: commands that must not run at the same time, one after the other.
//!
//! Each turn is an advisory lock on a file, which the system gives back when its holder ends,
//! however that comes about.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Instant;

use super::pending;
use crate::error::{Error, Result};
use crate::repo::{Pause, Repo};

/// A turn, as long as the value lives.
#[derive(Debug)]
pub(super) struct Turn {
    /// Closing it lets the next command in.
    _file: File,
}

impl Turn {
    /// One command in a work tree at a time.
    ///
    /// # Errors
    /// Git where another command does not end in time, or the file cannot be made.
    pub(super) fn in_work_tree(repo: &Repo) -> Result<Turn> {
        let path = pending::folder(repo).join("pending-lock");
        Turn::take(repo, &path, "works in this work tree")
    }

    /// One `begin` in a repository at a time: two of one path would both find it free.
    ///
    /// # Errors
    /// As [`Turn::in_work_tree`].
    pub(super) fn to_begin(repo: &Repo) -> Result<Turn> {
        let path = repo.evolve_dir().join("begin-lock");
        Turn::take(repo, &path, "begins a checkpoint in this repository")
    }

    /// One command that looks what is captured already and adds to it: two would both find it
    /// missing.
    ///
    /// # Errors
    /// As [`Turn::in_work_tree`].
    pub(super) fn to_capture(repo: &Repo) -> Result<Turn> {
        let path = repo.evolve_dir().join("capture-lock");
        Turn::take(repo, &path, "records captures in this repository")
    }

    /// One run of a chain at a time, by the file `path`; `None` where another process has it.
    ///
    /// # Errors
    /// Git where the file cannot be made or locked.
    pub(super) fn of_chain(path: &Path) -> Result<Option<Turn>> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Turn { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(locking(path, e)),
        }
    }

    fn take(repo: &Repo, path: &Path, what: &str) -> Result<Turn> {
        let file = open(path)?;
        let mut pause = Pause::until(Instant::now() + repo.lock_timeout()?);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Turn { _file: file }),
                Err(TryLockError::WouldBlock) => {
                    if !pause.rest() {
                        return Err(Error::git(format!(
                            "another git evolve command {what} ({} is locked)",
                            path.display()
                        ))
                        .with_hint("try again when it is done"));
                    }
                }
                Err(TryLockError::Error(e)) => return Err(locking(path, e)),
            }
        }
    }
}

fn open(path: &Path) -> Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| locking(path, e))?;
    }
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|e| locking(path, e))
}

fn locking(path: &Path, e: std::io::Error) -> Error {
    Error::git(format!("locking {}", path.display())).with_source(e)
}
