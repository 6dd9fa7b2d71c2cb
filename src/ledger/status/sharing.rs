//! Which refs hold a chain, and what each remote has not of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{ChainStatus, Placed, Unpublished};
use crate::error::Result;
use crate::ledger::{Chain, Records, Source};
use crate::repo::{Oid, Reader, Reference};

/// Which refs hold a chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Local branches whose tip is on its line, with how many of its commits each has.
    pub branches: BTreeMap<String, usize>,
    /// How many of its commits a keep ref holds; 0 where there is none.
    pub kept: usize,
    /// How many of its commits each remote is known to have.
    pub remotes: BTreeMap<String, usize>,
    /// How many commits it has.
    pub commits: usize,
    /// How many up to the last of its own: those behind it are not recorded.
    pub own_commits: usize,
    /// The last of its own.
    pub own_tip: Option<Oid>,
}

impl Standing {
    /// In a word: `branch`, `kept` (keep refs alone hold it), `remote` (only what was fetched).
    pub fn word(&self) -> &'static str {
        if !self.branches.is_empty() {
            "branch"
        } else if self.kept > 0 {
            "kept"
        } else {
            "remote"
        }
    }

    /// Whether a keep ref holds all of it that is its own.
    pub fn is_kept(&self) -> bool {
        self.kept >= self.own_commits
    }
}

/// A remote, and what it has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteStatus {
    /// Its name.
    pub name: String,
    /// It is a remote of git's configuration; else an address that was fetched from, or a remote
    /// that is no more.
    pub configured: bool,
    /// Something of ours was published to it or fetched from it.
    pub known: bool,
    /// What it has not, over all chains; records on commits of no chain are in, too.
    pub unpublished: Unpublished,
    /// Records that it has and that are not in the local notes.
    pub unmerged: u64,
}

/// Remotes of which single branches are fetched, and nothing of ours was.
pub(in crate::ledger) fn narrow(reader: &Reader, sources: &[Source]) -> Vec<String> {
    let mut names = reader.remote_names();
    names.retain(|r| {
        let seen = sources.iter().any(|s| s.place.remote() == Some(r));
        !seen && reader.fetches_single_branches(r)
    });
    names
}

/// All that is known of who has what.
pub(super) struct Sharing {
    /// Commits to the refs that name them.
    refs: HashMap<Oid, Vec<Reference>>,
    /// Names of remotes, longest first.
    remotes: Vec<String>,
    configured: BTreeSet<String>,
    sources: Vec<Source>,
}

impl Sharing {
    pub(super) fn of(reader: &Reader, records: &Records) -> Result<Sharing> {
        let mut refs = HashMap::<Oid, Vec<Reference>>::new();
        for reference in reader.references()?.into_iter().filter(|r| !r.symbolic) {
            refs.entry(reference.commit).or_default().push(reference);
        }
        let configured: BTreeSet<String> = reader.remote_names().into_iter().collect();
        let mut names = configured.clone();
        let fetched = records.sources.iter().filter_map(|s| s.place.remote());
        names.extend(fetched.map(str::to_owned));
        let mut remotes: Vec<String> = names.into_iter().collect();
        remotes.sort_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
        Ok(Sharing {
            refs,
            remotes,
            configured,
            sources: records.sources.clone(),
        })
    }

    fn remote_of(&self, name: &str) -> Option<&str> {
        let below = name
            .strip_prefix("refs/remotes/")
            .or_else(|| name.strip_prefix("refs/evolve/remotes/"))?;
        let of = |remote: &&String| {
            below
                .strip_prefix(remote.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        };
        self.remotes.iter().find(of).map(String::as_str)
    }

    pub(super) fn standing(&self, chain: &Chain) -> Standing {
        let mut standing = Standing {
            commits: chain.line.len(),
            own_commits: chain.own_commits(),
            own_tip: chain.line.get(chain.own_commits() - 1).map(|c| c.id),
            ..Standing::default()
        };
        for (at, commit) in chain.line.iter().enumerate() {
            let held = at + 1;
            for reference in self.refs.get(&commit.id).into_iter().flatten() {
                let name = reference.name.as_str();
                if let Some(branch) = name.strip_prefix("refs/heads/") {
                    // The project's own commits are no part of the chain's line.
                    standing.branches.insert(branch.to_owned(), held);
                } else if name.starts_with("refs/evolve/chains/")
                    || name.starts_with("refs/evolve/rewritten/")
                {
                    standing.kept = standing.kept.max(held);
                } else if let Some(remote) = self.remote_of(name) {
                    let has = standing.remotes.entry(remote.to_owned()).or_default();
                    *has = (*has).max(held);
                }
            }
        }
        standing
    }

    pub(super) fn unpublished(
        &self,
        chain: &Chain,
        standing: &Standing,
        placed: &[Placed<'_>],
    ) -> BTreeMap<String, Unpublished> {
        let each = self.remotes.iter().map(|remote| {
            let has = standing.remotes.get(remote).copied().unwrap_or(0);
            let lacks = |p: &&Placed<'_>| !p.stored.remotes.iter().any(|r| **r == **remote);
            let without: BTreeSet<usize> = placed.iter().filter(lacks).map(|p| p.at).collect();
            let unpublished = Unpublished {
                commits: chain.line.len() - has,
                records: placed.iter().filter(lacks).count() as u64,
                commits_without_records: without.range(..has).count(),
            };
            (remote.clone(), unpublished)
        });
        each.collect()
    }

    pub(super) fn remotes(&self, chains: &[ChainStatus], records: &Records) -> Vec<RemoteStatus> {
        let mut names = self.remotes.clone();
        names.sort();
        names
            .into_iter()
            .map(|name| {
                let of_it = |s: &Source| s.place.remote() == Some(name.as_str());
                let mut status = RemoteStatus {
                    configured: self.configured.contains(&name),
                    known: self.sources.iter().any(of_it)
                        || chains
                            .iter()
                            .any(|c| c.standing.remotes.contains_key(&name)),
                    unpublished: Unpublished::default(),
                    unmerged: 0,
                    name,
                };
                for chain in chains {
                    if let Some(of) = chain.unpublished.get(&status.name) {
                        status.unpublished.commits += of.commits;
                        status.unpublished.commits_without_records += of.commits_without_records;
                    }
                }
                for (_, _, stored) in records.all() {
                    let has = stored.remotes.iter().any(|r| **r == *status.name);
                    status.unpublished.records += u64::from(!has);
                    status.unmerged += u64::from(has && !stored.local);
                }
                status
            })
            .collect()
    }
}
