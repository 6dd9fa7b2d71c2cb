//! The line of commits a run looks at: a plain first-parent history, or a chain.

use std::collections::HashSet;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::ledger::Chain;
use crate::record::{ChainPath, Role};
use crate::repo::{Commit, Oid, Pending, Person, Reader};

use super::evidence::ChainEvidence;
use super::paths::PathFilter;
use super::step::Turn;

/// A first-parent line of commits, oldest first.
#[derive(Debug, Clone)]
pub struct Line {
    /// Oldest first. Of a chain: the base commit first. Of a plain history: from the oldest
    /// commit that a measured one's window needs.
    pub commits: Vec<LineCommit>,
    /// Positions in `commits` that are measured, ascending.
    pub measured: Vec<usize>,
    /// The chain this line is; `None` for a plain history.
    pub chain: Option<ChainLabel>,
    /// How far back "earlier" reaches.
    pub window: WindowRule,
    /// What the user should be told: a shallow cut, diverged tips.
    pub remarks: Vec<String>,
    /// What the records of the chain say, where a requested measure needs it.
    pub evidence: Option<Arc<ChainEvidence>>,
}

/// One commit of a line.
#[derive(Debug, Clone)]
pub struct LineCommit {
    /// The commit.
    pub commit: Arc<Commit>,
    /// What it is in this line.
    pub role: Role,
    /// Its checkpoint (0 where it has none; a plain history has none).
    pub checkpoint: u32,
    /// The checkpoint's id in the plan.
    pub checkpoint_id: String,
    /// Which tree of it `commit` names.
    pub turn: Turn,
}

/// Which chain a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainLabel {
    /// Its path.
    pub path: ChainPath,
    /// How it is shown.
    pub label: String,
}

/// Which changes of a plain history are measured.
#[derive(Debug, Clone)]
pub struct Select {
    /// The newest commit of the line.
    pub tip: Oid,
    /// The newest so many of those the other fields leave; `None`: all.
    pub last: Option<usize>,
    /// Committer time not before this (seconds). The walk does not stop at an older commit,
    /// since committer times are not in order.
    pub since: Option<i64>,
    /// Everything reachable from these is left out (`A..B`).
    pub exclude: Vec<Oid>,
    /// Only changes that touch one of these.
    pub paths: PathFilter,
}

/// How far back "earlier" reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowRule {
    /// This many first-parent changes before the measured one.
    Lookback(u32),
    /// From this commit of the line, for every change.
    Base(Oid),
    /// From the first commit of the line (a chain's base).
    Start,
}

impl Line {
    /// The plain history that ends at `select.tip`.
    ///
    /// # Errors
    /// A broken commit object; a base that is not on the first-parent line (usage).
    pub fn plain(reader: &Reader, select: &Select, window: WindowRule) -> Result<Line> {
        let excluded = reachable(reader, &select.exclude, select.tip)?;
        let mut newest_first = Vec::new();
        let mut measured = Vec::new();
        let mut base_seen = false;
        let mut measuring = select.last != Some(0);
        let mut next = Some(select.tip);
        let mut remarks = Vec::new();
        let mut shallow = false;
        while let Some(id) = next {
            let commit = Arc::new(reader.commit(id)?);
            let position = newest_first.len();
            base_seen = matches!(window, WindowRule::Base(b) if b == id);
            // What is behind an excluded commit of the line is excluded too.
            measuring &= !base_seen && !excluded.contains(&id);
            if measuring
                && select.since.is_none_or(|t| commit.time >= t)
                && select.paths.touched_by(reader, &commit)?
            {
                measured.push(position);
                measuring = select.last != Some(measured.len());
            }
            shallow |= commit.shallow;
            next = match (commit.shallow, commit.parents.first()) {
                (false, Some(parent)) => Some(*parent),
                _ => None,
            };
            newest_first.push(LineCommit {
                commit,
                role: Role::Change,
                checkpoint: 0,
                checkpoint_id: String::new(),
                turn: Turn::Last,
            });
            let window_full = match window {
                WindowRule::Lookback(n) => measured
                    .last()
                    .is_none_or(|oldest| position >= oldest + n as usize),
                WindowRule::Base(_) | WindowRule::Start => base_seen,
            };
            if base_seen || (!measuring && window_full) {
                break;
            }
        }
        if let WindowRule::Base(id) = window
            && !base_seen
        {
            return Err(Error::usage(format!(
                "the base {} is not on the first-parent line of {}",
                id.short(),
                select.tip.short()
            ))
            .with_hint("name a commit that `git log --first-parent` lists"));
        }
        if shallow {
            remarks.push(
                "the history is cut off by a shallow clone: what lies behind the cut is unknown \
                 (`git fetch --unshallow` brings it)"
                    .to_owned(),
            );
        }
        let keep = match (window, measured.last()) {
            (WindowRule::Lookback(n), Some(oldest)) => {
                (oldest + n as usize + 1).min(newest_first.len())
            }
            (WindowRule::Lookback(_), None) => newest_first.len().min(1),
            _ => newest_first.len(),
        };
        newest_first.truncate(keep);
        let newest_measured = measured.first().copied().unwrap_or(0);
        let commits: Vec<LineCommit> = newest_first.drain(newest_measured..).rev().collect();
        let mut positions: Vec<usize> = measured
            .iter()
            .map(|p| commits.len() - 1 - (p - newest_measured))
            .collect();
        positions.reverse();
        Ok(Line {
            commits,
            measured: positions,
            chain: None,
            window,
            remarks,
            evidence: None,
        })
    }

    /// A chain from its base to its tip; its agent commits are measured.
    ///
    /// # Errors
    /// A broken commit object.
    pub fn chain(reader: &Reader, chain: &Chain) -> Result<Line> {
        let mut commits = Vec::with_capacity(chain.line.len());
        for c in &chain.line {
            commits.push(LineCommit {
                commit: Arc::new(reader.commit(c.id)?),
                role: c.role,
                checkpoint: c.checkpoint,
                checkpoint_id: c.checkpoint_id.clone(),
                turn: Turn::Last,
            });
        }
        let measured = positions(&commits, |c| c.role == Role::Agent);
        Ok(Line {
            commits,
            measured,
            chain: Some(ChainLabel {
                path: chain.path.clone(),
                label: chain.label.clone(),
            }),
            window: WindowRule::Start,
            remarks: chain.notes.clone(),
            evidence: None,
        })
    }

    /// The same line with what the records of its chain say.
    #[must_use]
    pub fn with_evidence(mut self, evidence: Option<Arc<ChainEvidence>>) -> Line {
        self.evidence = evidence;
        self
    }

    /// The same line with only these commits measured, whatever their role.
    #[must_use]
    pub fn only(mut self, wanted: &[Oid]) -> Line {
        self.measured = positions(&self.commits, |c| wanted.contains(&c.commit.id));
        self
    }

    /// The same line as far as the commit at `position`, which alone is measured: as if it had the
    /// tree that its first turn left; `None` where that tree is not here, and figures of it are
    /// unknown.
    #[must_use]
    pub fn at_first_turn(mut self, position: usize, tree: Option<Oid>) -> Line {
        self.commits.truncate(position + 1);
        self.measured = vec![position];
        if let Some(at) = self.commits.get_mut(position) {
            at.turn = match tree {
                Some(_) => Turn::First,
                None => Turn::FirstNotHere,
            };
            if let Some(tree) = tree {
                at.commit = Arc::new(Commit {
                    tree,
                    ..Commit::clone(&at.commit)
                });
            }
        }
        self
    }

    /// The same line as far as `tip`, which it holds.
    #[must_use]
    pub fn upto(mut self, tip: Oid) -> Line {
        if let Some(at) = self.commits.iter().position(|c| c.commit.id == tip) {
            self.commits.truncate(at + 1);
            self.measured.retain(|m| *m <= at);
        }
        self
    }

    /// The same line with what is not committed yet as its newest change, alone measured.
    ///
    /// # Errors
    /// No empty id can be made.
    pub fn push_pending(&mut self, reader: &Reader, pending: &Pending) -> Result<()> {
        let nobody = Person {
            name: String::new(),
            email: String::new(),
        };
        let tree = reader.empty_tree();
        self.commits.push(LineCommit {
            commit: Arc::new(Commit {
                id: reader.blob_id(b"")?,
                tree,
                parents: pending.base.into_iter().collect(),
                author: nobody.clone(),
                committer: nobody,
                time: 0,
                message: String::new(),
                shallow: false,
            }),
            role: Role::Change,
            checkpoint: 0,
            checkpoint_id: String::new(),
            turn: Turn::Last,
        });
        self.measured = vec![self.commits.len() - 1];
        Ok(())
    }

    /// Where the window of the commit at `position` begins.
    pub fn window_base(&self, position: usize) -> usize {
        match self.window {
            WindowRule::Lookback(n) => position.saturating_sub(n as usize),
            WindowRule::Base(_) | WindowRule::Start => 0,
        }
    }

    /// Whether the first commit of the line is a shallow boundary.
    pub fn cut(&self) -> bool {
        self.commits.first().is_some_and(|c| c.commit.shallow)
    }

    /// Whether the line begins with a root commit.
    pub fn begins(&self) -> bool {
        self.commits
            .first()
            .is_some_and(|c| c.commit.parents.is_empty())
    }
}

fn positions(commits: &[LineCommit], wanted: impl Fn(&LineCommit) -> bool) -> Vec<usize> {
    (0..commits.len())
        .filter(|i| wanted(&commits[*i]))
        .collect()
}

/// Everything reachable from `from`, as far as the line of `tip` could meet it.
fn reachable(reader: &Reader, from: &[Oid], tip: Oid) -> Result<HashSet<Oid>> {
    let mut seen = HashSet::new();
    let mut open: Vec<Oid> = from.to_vec();
    if open.is_empty() {
        return Ok(seen);
    }
    // The first-parent line is all that is asked about; once it is wholly decided, stop.
    let mut line = Vec::new();
    let mut next = Some(tip);
    while let Some(id) = next {
        line.push(id);
        let commit = reader.commit(id)?;
        next = if commit.shallow {
            None
        } else {
            commit.parents.first().copied()
        };
    }
    let on_line: HashSet<Oid> = line.iter().copied().collect();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        if on_line.contains(&id) {
            // All older commits of the line are reachable too; their other parents matter not.
            if let Some(at) = line.iter().position(|l| *l == id) {
                seen.extend(&line[at..]);
            }
            continue;
        }
        let commit = reader.commit(id)?;
        if !commit.shallow {
            open.extend(commit.parents);
        }
    }
    Ok(seen)
}
