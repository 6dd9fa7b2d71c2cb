//! Refs that keep what is on no chain's line: failed attempts, and what the agent's own commits
//! and turns were, as here and as published.

use std::collections::BTreeSet;

use super::Chain;
use crate::error::Result;
use crate::record::ChainPath;
use crate::repo::{Oid, Reader, is_missing};

/// What such a ref keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// An attempt that made no agent commit.
    Attempt,
    /// A commit of the agent's own, or the tree after a turn.
    Agent,
}

/// One such ref.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kept {
    /// The chain's path, as its refs have it.
    pub(super) path: ChainPath,
    /// What it keeps.
    pub(super) what: What,
    /// The checkpoint.
    pub(super) checkpoint: u32,
    /// The commit.
    pub(super) commit: Oid,
    /// The ref.
    pub(super) name: String,
    /// It is a ref of this repository's own, and not one that was published or fetched.
    pub(super) local: bool,
}

/// All of them, sorted.
///
/// # Errors
/// Refs that cannot be listed.
pub(super) fn kept(reader: &Reader) -> Result<Vec<Kept>> {
    let mut all = Vec::new();
    for (space, what) in [("attempts", What::Attempt), ("agent", What::Agent)] {
        let under = format!("refs/evolve/{space}");
        for found in reader.references_under(&[&under])? {
            let rest = found
                .name
                .strip_prefix(&under)
                .and_then(|r| r.strip_prefix('/'));
            if let Some((path, k)) = rest.and_then(|r| place(r, None)) {
                all.push(Kept {
                    path,
                    what,
                    checkpoint: k,
                    commit: found.id,
                    name: found.name,
                    local: true,
                });
            }
        }
    }
    let spaces = [
        "refs/heads/evolve-kept",
        "refs/remotes",
        "refs/evolve/remotes",
    ];
    for found in reader.references_under(&spaces)? {
        let Some((_, rest)) = found.name.split_once("/evolve-kept/") else {
            continue;
        };
        let words = [("attempt", What::Attempt), ("agent", What::Agent)];
        let placed = words
            .iter()
            .find_map(|(word, what)| Some((place(rest, Some(word))?, *what)));
        if let Some(((path, checkpoint), what)) = placed {
            all.push(Kept {
                path,
                what,
                checkpoint,
                commit: found.id,
                name: found.name,
                local: false,
            });
        }
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// Path and checkpoint of `<path>/[<word>/]<k>/<n>`.
fn place(rest: &str, word: Option<&str>) -> Option<(ChainPath, u32)> {
    let mut parts = rest.rsplitn(3, '/');
    let (n, k, mut path) = (parts.next()?, parts.next()?, parts.next()?);
    n.parse::<u32>().ok()?;
    if let Some(word) = word {
        path = path.strip_suffix(word)?.strip_suffix('/')?;
    }
    Some((ChainPath::parse(path)?, k.parse().ok()?))
}

/// Whether a kept attempt belongs to `chain`: its parent stands on the line. Of commits of the
/// agent's own the path says it, since these stand on one another.
///
/// # Errors
/// A commit that is here and cannot be read.
pub(super) fn is_of(reader: &Reader, kept: &Kept, chain: &Chain) -> Result<bool> {
    if kept.path != chain.begun_as && kept.path != chain.path {
        return Ok(false);
    }
    if kept.what == What::Agent {
        return Ok(true);
    }
    let commit = match reader.commit(kept.commit) {
        Ok(commit) => commit,
        Err(e) if is_missing(&e) => return Ok(false),
        Err(e) => return Err(e),
    };
    let parent = commit.parents.first();
    Ok(parent.is_some_and(|p| chain.line.iter().any(|c| c.id == *p)))
}

/// How many attempts, and commits of the agent's own and turns, are kept of `chain`.
///
/// # Errors
/// As [`is_of`].
pub(super) fn count(reader: &Reader, all: &[Kept], chain: &Chain) -> Result<(usize, usize)> {
    let (mut attempts, mut agent) = (BTreeSet::new(), BTreeSet::new());
    for kept in all {
        if is_of(reader, kept, chain)? {
            match kept.what {
                What::Attempt => attempts.insert(kept.commit),
                What::Agent => agent.insert(kept.commit),
            };
        }
    }
    Ok((attempts.len(), agent.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_says_its_chain_and_checkpoint() {
        let shown = |rest: &str, word| place(rest, word).map(|(path, k)| format!("{path} {k}"));
        let own = |rest| shown(rest, None);
        assert_eq!(own("e/a/1/2/3").as_deref(), Some("e/a/1 2"));
        assert_eq!(own("e/a/t/1/2/3").as_deref(), Some("e/a/t/1 2"));
        for none in [
            "e/a/1/2",
            "e/a/1/x/3",
            "e/a/1/2/x",
            "2/3",
            "e/a/b/c/1/2/3",
            "",
        ] {
            assert_eq!(own(none), None, "{none}");
        }
        let published = |rest| shown(rest, Some("attempt"));
        assert_eq!(published("e/a/1/attempt/2/3").as_deref(), Some("e/a/1 2"));
        for none in ["e/a/1/agent/2/3", "e/a/1/2/3", "e/a/1attempt/2/3"] {
            assert_eq!(published(none), None, "{none}");
        }
    }
}
