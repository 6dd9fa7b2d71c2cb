//! The work tree in which one checkpoint is worked through: opened for one command at a time,
//! with what an interrupted one left completed first.

use std::path::{Path, PathBuf};

use super::in_hand;
use super::pending::{InHand, Pending, Phase, oid, path_bytes};
use super::turn::Turn;
use crate::error::{Error, Result};
use crate::ledger;
use crate::repo::hooks::PENDING;
use crate::repo::{Oid, Prepared, Reader, Repo, TreePath, WorkTree};

/// What is said on the way, a line at a time.
pub type Say<'s> = &'s mut dyn FnMut(&str);

/// A work tree that this command alone works in.
pub(super) struct Workplace<'r> {
    pub(super) repo: &'r Repo,
    pub(super) work: WorkTree,
    pub(super) pending: Option<Pending>,
    /// The index that goes with the commit in hand, where this command made it.
    pub(super) prepared: Option<Prepared>,
    /// Closing it lets the next command in.
    _turn: Turn,
}

impl<'r> Workplace<'r> {
    /// Opens it and completes what an interrupted command left.
    ///
    /// # Errors
    /// Usage where the repository is bare; git where another command does not end in time, or
    /// what is left cannot be completed.
    pub(super) fn open(repo: &'r Repo, say: Say<'_>) -> Result<Workplace<'r>> {
        let mut place = Workplace::shut(repo)?;
        place.work.free_own_lock()?;
        let written = ledger::drain(repo)?;
        for remark in &written.remarks {
            say(remark);
        }
        place.pending = Pending::read(repo)?;
        place.complete(say)?;
        Ok(place)
    }

    /// The same without looking at what is pending.
    pub(super) fn shut(repo: &'r Repo) -> Result<Workplace<'r>> {
        let work = repo.work_tree()?;
        Ok(Workplace {
            repo,
            work,
            pending: None,
            prepared: None,
            _turn: Turn::in_work_tree(repo)?,
        })
    }

    /// A reader that sees all that is written by now.
    pub(super) fn reader(&self) -> Result<Reader> {
        self.repo.reader()
    }

    /// HEAD's commit.
    ///
    /// # Errors
    /// Usage where there is none yet.
    pub(super) fn head(&self) -> Result<Oid> {
        self.reader()?.head()?.ok_or_else(|| {
            Error::usage("there is no commit yet for a chain to stand on")
                .with_hint("commit the project first")
        })
    }

    /// That nothing is in the middle and the index is free to be written.
    ///
    /// # Errors
    /// Usage where a merge, rebase or the like is going on or left paths open; git where
    /// somebody holds the index.
    pub(super) fn require_quiet(&self) -> Result<()> {
        if let Some(what) = self.work.in_progress()? {
            return Err(Error::usage(format!(
                "{what} is in progress in this work tree; nothing was changed"
            ))
            .with_hint("finish or abort it first (`git status` says how)"));
        }
        if let Some(lock) = self.work.index_lock() {
            return Err(Error::git(format!(
                "the index is locked by {}; nothing was changed",
                lock.display()
            ))
            .with_hint("another git command may be running; if none is, remove that file"));
        }
        Ok(())
    }

    /// What is pending in the other work trees of this repository, and where they are.
    ///
    /// # Errors
    /// Git where such a note cannot be read.
    pub(super) fn elsewhere(&self) -> Result<Vec<(PathBuf, Pending)>> {
        let common = self.repo.common_dir();
        let mut git_dirs = vec![common.to_owned()];
        let linked = std::fs::read_dir(common.join("worktrees"));
        git_dirs.extend(linked.into_iter().flatten().flatten().map(|e| e.path()));
        git_dirs.sort();
        let mut found = Vec::new();
        for dir in git_dirs.into_iter().filter(|d| d != self.repo.git_dir()) {
            if let Some(pending) = Pending::read_at(&dir.join(PENDING))? {
                let pointer = std::fs::read_to_string(dir.join("gitdir")).unwrap_or_default();
                let link = Path::new(pointer.trim());
                let folder = link.parent().filter(|_| !pointer.is_empty());
                found.push((folder.or(dir.parent()).unwrap_or(&dir).to_owned(), pending));
            }
        }
        Ok(found)
    }

    /// Writes down that `hand` is about to be done.
    pub(super) fn take_in_hand(&mut self, mut pending: Pending, hand: InHand) -> Result<()> {
        pending.in_hand = Some(hand);
        pending.write(self.repo)?;
        self.pending = Some(pending);
        Ok(())
    }

    /// Does what is in hand, from wherever it stands; see [`Phase`] for what it leaves.
    ///
    /// # Errors
    /// Git where refs cannot be moved or files not written: what is in hand stays so.
    pub(super) fn complete(&mut self, say: Say<'_>) -> Result<()> {
        let Some(mut pending) = self.pending.take() else {
            return Ok(());
        };
        let Some(hand) = pending.in_hand.take() else {
            self.pending = Some(pending);
            return Ok(());
        };
        if !in_hand::is_written(&self.reader()?, &hand)? {
            say("an interrupted command had written nothing yet; it is as if it had not run");
            return self.roll_back(pending);
        }
        // HEAD must not be on a branch that goes elsewhere: its files would stay behind.
        let left = pending.phase == Phase::Beginning
            && self.is_on(&pending)?
            && self.reader()?.head()? != Some(oid(&hand.commit)?);
        if left {
            let moved = self.work.check_out_detached(oid(&hand.commit)?);
            self.or_forget(moved)?;
        }
        let what = match pending.phase {
            Phase::Beginning | Phase::Begun => "begin",
            Phase::Recording | Phase::Recorded => "record",
            Phase::Resetting => "reset",
        };
        if !in_hand::move_refs(self.repo, &hand, (&pending.chain, what), say)? {
            if left {
                self.work.check_out(pending.short_branch())?;
            }
            return self.roll_back(pending);
        }
        fault("refs");
        match pending.phase {
            Phase::Beginning => {
                if self.work.branch()?.as_deref() != Some(pending.branch.as_str()) {
                    let moved = self.work.check_out(pending.short_branch());
                    self.or_forget(moved)?;
                }
                pending.phase = Phase::Begun;
            }
            Phase::Recording => {
                if self.is_on(&pending)? {
                    self.bring_index(&hand)?;
                }
                pending.phase = Phase::Recorded;
                pending.agent = Some(hand.commit);
            }
            Phase::Resetting => {
                if self.is_on(&pending)? {
                    self.put_back(&hand, say)?;
                }
                fault("files");
                self.pending = None;
                return Pending::remove(self.repo);
            }
            Phase::Begun | Phase::Recorded => {}
        }
        fault("files");
        pending.write(self.repo)?;
        self.pending = Some(pending);
        Ok(())
    }

    /// A branch that could not be checked out is not begun; what was made of it stays.
    fn or_forget(&self, checked_out: Result<()>) -> Result<()> {
        if checked_out.is_err() {
            Pending::remove(self.repo)?;
        }
        checked_out
    }

    /// Whether HEAD is on the branch of what is pending.
    pub(super) fn is_on(&self, pending: &Pending) -> Result<bool> {
        Ok(self.work.branch()?.as_deref() == Some(pending.branch.as_str()))
    }

    /// Back to where the phase began.
    fn roll_back(&mut self, mut pending: Pending) -> Result<()> {
        pending.phase = match pending.phase {
            Phase::Beginning => return Pending::remove(self.repo),
            Phase::Recording | Phase::Begun => Phase::Begun,
            Phase::Resetting if pending.attempt.is_none() => return Pending::remove(self.repo),
            Phase::Resetting | Phase::Recorded => Phase::Recorded,
        };
        pending.write(self.repo)?;
        self.pending = Some(pending);
        Ok(())
    }

    /// The index of what was taken: as it was prepared, else from the commit's tree.
    fn bring_index(&mut self, hand: &InHand) -> Result<()> {
        if let Some(prepared) = self.prepared.take()
            && self.work.install(&prepared)?
        {
            return Ok(());
        }
        let tree = self.reader()?.commit(oid(&hand.commit)?)?.tree;
        self.work.index_to(tree).map_err(|e| {
            Error::git(format!("bringing the index to {}", hand.commit))
                .with_hint("the checkpoint is recorded; `git evolve record` again does the rest")
                .with_source(e)
        })
    }

    /// Index and files of the paths in hand. A file that was changed since is left as it is.
    fn put_back(&self, hand: &InHand, say: Say<'_>) -> Result<()> {
        let commit = oid(&hand.commit)?;
        let paths: Vec<TreePath> = hand.paths.iter().map(path_bytes).collect();
        let touched = self.work.changed_against(commit, &paths)?;
        for path in &touched {
            say(&format!(
                "'{}' was changed meanwhile and is left as it is",
                String::from_utf8_lossy(path)
            ));
        }
        let paths: Vec<TreePath> = paths.into_iter().filter(|p| !touched.contains(p)).collect();
        self.work.restore(commit, &paths)
    }
}

/// A place where a test ends the program as a kill would: `GIT_EVOLVE_TEST_KILL` names it. In
/// builds for use there is no such place.
#[cfg(debug_assertions)]
pub(super) fn fault(place: &str) {
    if std::env::var_os("GIT_EVOLVE_TEST_KILL").is_some_and(|p| p == place) {
        std::process::exit(137);
    }
}

#[cfg(not(debug_assertions))]
pub(super) fn fault(_: &str) {}
