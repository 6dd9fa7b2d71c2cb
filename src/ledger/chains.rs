//! Finding the chains of a repository, from refs, trailers and records.
//!
//! Only tips that can belong to a chain are looked at (`tips`). From such a tip the first-parent
//! line is followed down to the first base commit (`lines`): that is the chain. Which of several
//! lines counts is decided by ancestry, else by what was recorded, and said (`join`). Records
//! are read only where trailers leave a question.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ChainTrailers;
use crate::error::Result;
use crate::record::{ChainPath, Event, Role};
use crate::repo::{Oid, Reader};

mod gaps;
mod join;
mod lines;
mod recorded;
mod tips;

pub(super) use join::{adopts, heads, join};
pub(super) use lines::{Line, Search, lines};
pub(super) use recorded::Lazy;
use recorded::recorded_on;
pub use recorded::{Recorded, Sitting, recorded};
pub(super) use tips::Tip;

/// One chain: its base and the commits on its first-parent line.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Its path: as the base's trailer says it, or the one that it was renamed to last.
    pub path: ChainPath,
    /// Its path as the base's trailer says it, which its refs and trailers keep.
    pub begun_as: ChainPath,
    /// Its identity: the base's `Evolve-Begin`.
    pub begin: String,
    /// How it is shown: the path, or `path@abc1234` (the base commit) where others share it.
    pub label: String,
    /// The base commit.
    pub base: Oid,
    /// The newest commit.
    pub tip: Oid,
    /// All commits from base to tip, oldest first.
    pub line: Vec<ChainCommit>,
    /// What a reader should know: tips that were left out, checkpoints out of order.
    pub notes: Vec<String>,
    /// Lines with the same `Evolve-Begin` on another base commit: listed, counted nowhere.
    pub copies: Vec<ChainCopy>,
    /// Commits of lines that refs lead to and that do not count: diverged, rewritten, copied.
    pub aside: BTreeSet<Oid>,
}

impl Chain {
    /// How many commits of its line there are up to the last that is the chain's own: what stands
    /// behind that one has no trailers, and is no part of the chain until it is recorded.
    pub fn own_commits(&self) -> usize {
        let own = self.line.iter().rposition(|c| c.role != Role::Foreign);
        own.map_or(1, |at| at + 1)
    }
}

/// One commit of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainCommit {
    /// Its id.
    pub id: Oid,
    /// What it is; `Superseded` for an agent commit that a later one of the same checkpoint
    /// replaces, `Foreign` for one without this chain's trailers.
    pub role: Role,
    /// The checkpoint's number; 0 for the base, and for a foreign commit, which has none.
    pub checkpoint: u32,
    /// The checkpoint's id in the plan; empty for a foreign commit.
    pub checkpoint_id: String,
}

/// A line that was copied from a chain, as a rebase does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainCopy {
    /// The copied base commit.
    pub base: Oid,
    /// Its newest commit.
    pub tip: Oid,
    /// The refs that lead to it, sorted.
    pub refs: Vec<String>,
}

/// All chains of a repository.
#[derive(Debug, Clone, Default)]
pub struct Chains {
    /// Sorted by path, then by `Evolve-Begin`.
    pub chains: Vec<Chain>,
    /// Tips that name a chain and lead to no base, and why.
    pub remarks: Vec<String>,
    /// The checkpoint records, where they were asked for.
    recorded: OnceCell<Arc<Recorded>>,
}

impl Chains {
    /// The chain whose line holds `commit`, and where in the line it stands (the base: 0).
    pub fn chain_of(&self, commit: Oid) -> Option<(&Chain, usize)> {
        self.chains.iter().find_map(|chain| {
            let at = chain.line.iter().position(|c| c.id == commit)?;
            Some((chain, at))
        })
    }

    /// The chains shown or named `name`: a label, or a path that one or more share, or, where
    /// none has it now, the path one had when it was begun.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Chain> {
        let now = move |c: &Chain| c.label == name || c.path.to_string() == name;
        let any = self.chains.iter().any(now);
        self.chains
            .iter()
            .filter(move |c| now(c) || (!any && c.begun_as.to_string() == name))
    }

    /// Whether records that were read name a chain of this path.
    pub fn is_recorded(&self, path: &str) -> bool {
        let mut all = self.recorded.get().into_iter().flat_map(|r| r.all());
        all.any(|s| s.head.chain.to_string() == path)
    }

    /// Reads the checkpoint records, where any may be, and adds to the notes of each chain where
    /// its line and its records differ: commits that are recorded and not on it, records that
    /// trailers contradict. Chains that are recorded and that no ref leads to are remarks.
    ///
    /// # Errors
    /// Notes or commits that cannot be read.
    pub fn note_gaps(&mut self, reader: &Reader) -> Result<()> {
        let recorded = Arc::clone(self.recorded(reader)?);
        gaps::note_gaps(reader, self, &recorded)
    }

    /// All checkpoint records of the repository that `reader` reads, which is the one of these
    /// chains; read once.
    ///
    /// # Errors
    /// Notes that cannot be read.
    pub fn recorded(&self, reader: &Reader) -> Result<&Arc<Recorded>> {
        if let Some(read) = self.recorded.get() {
            return Ok(read);
        }
        let read = Arc::new(recorded(reader)?);
        Ok(self.recorded.get_or_init(|| read))
    }
}

/// Finds all chains that branches, remote-tracking branches and keep refs lead to.
///
/// # Errors
/// Refs or commits that cannot be read; a commit that is missing is a remark.
pub fn chains(reader: &Reader) -> Result<Chains> {
    let lazy = Lazy::new(reader);
    let (found, remarks) = lines(reader, &lazy)?;
    let mut chains = Vec::new();
    for (begin, by_base) in found {
        chains.extend(join(begin, by_base, &lazy)?);
    }
    rename(reader, &mut chains)?;
    chains.sort_by(|a: &Chain, b| (&a.path, &a.begin).cmp(&(&b.path, &b.begin)));
    label(&mut chains);
    Ok(Chains {
        chains,
        remarks: remarks.into_iter().collect(),
        recorded: lazy.into_read(),
    })
}

/// The paths that records on the bases give chains: of several the newest.
///
/// # Errors
/// Notes that cannot be read.
fn rename(reader: &Reader, chains: &mut [Chain]) -> Result<()> {
    if chains.is_empty() {
        return Ok(());
    }
    let named = recorded_on(reader, chains.iter().map(|c| c.base))?;
    for chain in chains {
        let newest = named
            .of_chain_on(chain.base, &chain.begin)
            .filter(|s| s.is_own() && s.says.event == Event::Rename)
            .filter_map(|s| ChainPath::parse(s.says.renamed_to.as_deref()?))
            .last();
        if let Some(path) = newest.filter(|p| *p != chain.path) {
            chain.notes.push(format!("begun as {}", chain.begun_as));
            chain.label = path.to_string();
            chain.path = path;
        }
    }
    Ok(())
}

/// Ascending numbers in words, runs of them as `3-7`.
pub fn runs(numbers: &[u32]) -> Vec<String> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for n in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*n) => *last = *n,
            _ => runs.push((*n, *n)),
        }
    }
    runs.into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first}-{last}"),
        })
        .collect()
}

/// `checkpoint 3`, `checkpoints 3-5 and 7`.
pub(super) fn numbered(numbers: &[u32]) -> String {
    let words = runs(numbers);
    match (numbers, words.as_slice()) {
        ([], _) | (_, []) => "no checkpoint".to_owned(),
        ([one], _) => format!("checkpoint {one}"),
        (_, [run]) => format!("checkpoints {run}"),
        (_, [first @ .., last]) => format!("checkpoints {} and {last}", first.join(", ")),
    }
}

/// Chains that share a path are told apart by their base commits.
fn label(chains: &mut [Chain]) {
    let mut count = BTreeMap::<ChainPath, usize>::new();
    for chain in chains.iter() {
        *count.entry(chain.path.clone()).or_default() += 1;
    }
    for chain in chains.iter_mut().filter(|c| count[&c.path] > 1) {
        chain.label = format!("{}@{}", chain.path, chain.base.short());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_in_words_and_runs_are_short() {
        for (numbers, words) in [
            (&[][..], "no checkpoint"),
            (&[7], "checkpoint 7"),
            (&[3, 4, 5], "checkpoints 3-5"),
            (&[0, 2, 3, 9], "checkpoints 0, 2-3 and 9"),
            (&[u32::MAX], "checkpoint 4294967295"),
        ] {
            assert_eq!(numbered(numbers), words);
        }
        assert_eq!(runs(&[1, 2, 3, 5, 7, 8]), ["1-3", "5", "7-8"]);
    }
}
