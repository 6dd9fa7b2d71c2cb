//! The agent's own commits: which there are, what they say, and what keeps them.

use super::known;
use super::pending::Pending;
use crate::error::Result;
use crate::record::ChainPath;
use crate::record::mask::Masker;
use crate::repo::{Oid, Reader, RefMove, Repo};

/// Most messages that are quoted, and most bytes of them together.
const MESSAGES: usize = 100;
const MESSAGE_BYTES: usize = 64 << 10;
/// Most noted commits that are looked at.
const NOTED: usize = 1_000;

/// What the agent did to the graph.
#[derive(Debug)]
pub(super) struct OwnWork {
    /// The tip of the branch.
    pub(super) tip: Oid,
    /// The commits between the chain and the tip, oldest first.
    pub(super) commits: Vec<Oid>,
    /// The chain's last commit is no ancestor of the tip.
    pub(super) rewritten: bool,
    /// How many of the commits a remote-tracking branch has.
    pub(super) published: usize,
    /// Tips that are to be kept: the branch's, and those that the agent left behind.
    kept: Vec<Oid>,
}

impl OwnWork {
    /// Looks at the branch's commits since `parent`, and at those noted as they were made.
    ///
    /// # Errors
    /// Git where a commit is missing.
    pub(super) fn since(repo: &Repo, reader: &Reader, parent: Oid, tip: Oid) -> Result<OwnWork> {
        let commits = match tip == parent {
            true => Vec::new(),
            false => repo.commits_since(parent, tip)?,
        };
        let published = match commits.len() {
            0 => 0,
            n => n.saturating_sub(repo.unpublished_since(parent, tip)?),
        };
        let mut kept = Vec::new();
        let noted = Pending::noted_commits(repo);
        let noted = noted.into_iter().rev().take(NOTED);
        for id in std::iter::once(tip).chain(noted) {
            if reader.peeled(id)? != Some(id) {
                continue;
            }
            let mut reached = reader.is_ancestor(id, parent)?;
            for by in &kept {
                reached = reached || reader.is_ancestor(id, *by)?;
            }
            if !reached {
                kept.push(id);
            }
        }
        Ok(OwnWork {
            tip,
            rewritten: !reader.is_ancestor(parent, tip)?,
            commits,
            published,
            kept,
        })
    }

    /// Commits that were brought in from elsewhere; nothing keeps them yet.
    pub(super) fn folded(tip: Oid, commits: Vec<Oid>, rewritten: bool) -> OwnWork {
        OwnWork {
            tip,
            commits,
            rewritten,
            published: 0,
            kept: Vec::new(),
        }
    }

    /// Their messages, oldest first, cut to what is bearable.
    ///
    /// # Errors
    /// Git where a commit cannot be read.
    pub(super) fn messages(&self, reader: &Reader) -> Result<Vec<String>> {
        let mut messages = Vec::new();
        let mut left = MESSAGE_BYTES;
        for id in &self.commits {
            let message = reader.commit(*id)?.message;
            let mut message = quoted(message.trim());
            if messages.len() == MESSAGES || left == 0 {
                let more = self.commits.len() - messages.len();
                messages.push(format!("[{more} more messages]"));
                break;
            }
            if message.len() > left {
                let mut end = left;
                while !message.is_char_boundary(end) {
                    end -= 1;
                }
                message.truncate(end);
                message.push_str(" […]");
                left = 0;
            } else {
                left -= message.len();
            }
            messages.push(message);
        }
        Ok(messages)
    }

    /// The refs that keep them: `refs/evolve/agent/<path>/<k>/<n>`, each at the next free n.
    ///
    /// # Errors
    /// Git where refs cannot be read.
    pub(super) fn keep_refs(
        &self,
        reader: &Reader,
        path: &ChainPath,
        checkpoint: u32,
    ) -> Result<Vec<RefMove>> {
        let folder = format!("refs/evolve/agent/{path}/{checkpoint}/");
        let there = reader.references_under(&[&folder])?;
        let mut moves = Vec::new();
        let mut n = 0u32;
        for id in &self.kept {
            if there.iter().any(|r| r.id == *id) {
                continue;
            }
            let name = loop {
                n += 1;
                let name = format!("{folder}{n}");
                if !there.iter().any(|r| r.name == name) {
                    break name;
                }
            };
            moves.push(RefMove {
                name,
                old: None,
                new: Some(*id),
            });
        }
        Ok(moves)
    }
}

/// What an agent said, as it may stand in a commit that is shared: without credentials, home
/// folders and this machine's name.
pub(super) fn quoted(text: &str) -> String {
    let (masked, _) = Masker::here().bytes(text.as_bytes());
    String::from_utf8_lossy(&masked).into_owned()
}

/// The moves of a chain's keep ref and branch to `commit`, its new tip.
///
/// # Errors
/// Git where refs cannot be read.
pub(super) fn chain_moves(
    reader: &Reader,
    pending: &Pending,
    branch_now: Oid,
    commit: Oid,
) -> Result<Vec<RefMove>> {
    let path = pending.path()?;
    let base = super::pending::oid(&pending.base)?;
    let keep = known::keep_ref(reader, &path, base, &[])?;
    let mut moves: Vec<RefMove> = known::advance(reader, &path, keep, commit)?
        .into_iter()
        .collect();
    moves.push(RefMove {
        name: pending.branch.clone(),
        old: Some(branch_now),
        new: Some(commit),
    });
    Ok(moves)
}
