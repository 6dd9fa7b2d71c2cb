//! What the repository knows of one chain path: its chains, and every ref that holds it.

use super::begin::{Begin, listed};
use crate::error::{Error, Result};
use crate::ledger::{self, Chain, ChainTrailers, Chains};
use crate::record::{ChainPath, Role};
use crate::repo::{Oid, Reader, RefMove};

/// A ref that holds a chain of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Holder {
    /// Its full name.
    pub(super) name: String,
    /// Its commit.
    pub(super) commit: Oid,
}

/// One chain path.
pub(super) struct Known {
    path: ChainPath,
    /// All chains of the repository.
    pub(super) all: Chains,
    holders: Vec<Holder>,
    /// The path's branch, in full.
    pub(super) branch: String,
    /// Its commit, where the branch is here.
    pub(super) local: Option<Oid>,
}

impl Known {
    /// Looks at all refs: branches, remote-tracking branches, keep refs, what was fetched.
    pub(super) fn of(reader: &Reader, path: &ChainPath) -> Result<Known> {
        let mut holders = Vec::new();
        for reference in reader.references()?.into_iter().filter(|r| !r.symbolic) {
            let holds = names(&reference.name, path) || {
                could_hold(&reference.name)
                    && ChainTrailers::read(&reader.commit(reference.commit)?.message)
                        .is_some_and(|t| t.path == *path)
            };
            if holds {
                holders.push(Holder {
                    name: reference.name,
                    commit: reference.commit,
                });
            }
        }
        let branch = format!("refs/heads/evolve/{path}");
        Ok(Known {
            path: path.clone(),
            all: ledger::chains(reader)?,
            local: reader.reference(&branch)?,
            holders,
            branch,
        })
    }

    /// The branch without `refs/heads/`.
    pub(super) fn short(&self) -> &str {
        self.branch
            .strip_prefix("refs/heads/")
            .unwrap_or(&self.branch)
    }

    /// Whether nothing holds the path.
    pub(super) fn is_new(&self) -> bool {
        self.holders.is_empty() && self.chains().next().is_none()
    }

    /// The path's chains.
    pub(super) fn chains(&self) -> impl Iterator<Item = &Chain> {
        self.all.chains.iter().filter(|c| c.path == self.path)
    }

    /// The chain that is meant: the one of the branch here, else the only one known.
    ///
    /// # Errors
    /// Usage where there are several, or none that can be followed.
    pub(super) fn chain(&self, asked: &Begin) -> Result<&Chain> {
        if let Some(local) = self.local {
            return match self.all.chain_of(local) {
                Some((chain, _)) if chain.path == self.path => Ok(chain),
                _ => Err(Error::usage(format!(
                    "branch {} is on no line that counts of a chain {}",
                    self.short(),
                    self.path
                ))
                .with_hint("`git evolve status` says what is known of it")),
            };
        }
        let mut chains = self.chains();
        match (chains.next(), chains.next()) {
            (Some(one), None) => Ok(one),
            (None, _) => Err(Error::usage(format!(
                "{} is held by {}, which lead to no base commit here",
                self.path,
                listed(&self.holders)
            ))
            .with_hint(
                "`git evolve fetch` may bring the rest; --again begins another chain of this path",
            )),
            (Some(_), Some(_)) => Err(self.held(asked)),
        }
    }

    /// The chain of the branch here, else the only one known.
    ///
    /// # Errors
    /// Usage where there are several, or none that can be followed.
    pub(super) fn one(&self) -> Result<&Chain> {
        self.chain(&Begin {
            chain: self.path.clone(),
            checkpoint: 1,
            id: None,
            again: false,
        })
    }

    /// That others hold the path.
    pub(super) fn held(&self, asked: &Begin) -> Error {
        let chains = self.chains().count();
        let how = match chains {
            0 | 1 => "is held already".to_owned(),
            n => format!("is held already, by {n} chains"),
        };
        Error::usage(format!("{} {how}: {}", self.path, listed(&self.holders))).with_hint(format!(
            "`git evolve begin {} 1 --again` begins another chain of this path; `git switch {}` goes on with the one here",
            asked.chain,
            self.short()
        ))
    }

    /// What must move first so that the branch's commits stay once it moves elsewhere.
    ///
    /// # Errors
    /// Usage where the branch holds commits of no chain.
    pub(super) fn kept_before_moving(&self, reader: &Reader) -> Result<Vec<RefMove>> {
        let Some(local) = self.local else {
            return Ok(Vec::new());
        };
        let base = base_below(reader, local, &self.path)?.ok_or_else(|| {
            Error::usage(format!(
                "branch {} is there already and holds no chain {}",
                self.short(),
                self.path
            ))
            .with_hint("rename it: git branch -m")
        })?;
        let keep = keep_ref(reader, &self.path, base, &[])?;
        Ok(advance(reader, &self.path, keep, local)?
            .into_iter()
            .collect())
    }
}

/// Whether the commit at `at` in the chain's line has agent work in it.
pub(super) fn is_on_agent_work(chain: &Chain, at: usize) -> bool {
    chain.line[..=at]
        .iter()
        .any(|c| matches!(c.role, Role::Agent | Role::Superseded))
}

/// The keep ref of the chain with this base: `refs/evolve/chains/<path>`, or, where that is
/// another chain's, the same with `@` and twelve digits of the base. `planned` moves count.
pub(super) fn keep_ref(
    reader: &Reader,
    path: &ChainPath,
    base: Oid,
    planned: &[RefMove],
) -> Result<String> {
    let plain = format!("refs/evolve/chains/{path}");
    let digits = base.to_string();
    let own = format!("{plain}@{}", digits.get(..12).unwrap_or(&digits));
    if reader.reference(&own)?.is_some() {
        return Ok(own);
    }
    let now = match planned.iter().find(|m| m.name == plain) {
        Some(planned) => planned.new,
        None => reader.reference(&plain)?,
    };
    match now {
        None => Ok(plain),
        Some(tip) if base_below(reader, tip, path)? == Some(base) => Ok(plain),
        Some(_) => Ok(own),
    }
}

/// How `keep` comes to hold `tip`: not at all where it does, forward where it can, and else a
/// ref for rewritten chains.
pub(super) fn advance(
    reader: &Reader,
    path: &ChainPath,
    keep: String,
    tip: Oid,
) -> Result<Option<RefMove>> {
    let now = reader.reference(&keep)?;
    if let Some(now) = now {
        if reader.is_ancestor(tip, now)? {
            return Ok(None);
        }
        if !reader.is_ancestor(now, tip)? {
            return rewritten(reader, path, tip).map(Some);
        }
    }
    Ok(Some(RefMove {
        name: keep,
        old: now,
        new: Some(tip),
    }))
}

/// The next free ref for a rewritten chain.
fn rewritten(reader: &Reader, path: &ChainPath, tip: Oid) -> Result<RefMove> {
    let mut n = 2u32;
    loop {
        let name = format!("refs/evolve/rewritten/{path}/{n}");
        if reader.reference(&name)?.is_none() {
            return Ok(RefMove {
                name,
                old: None,
                new: Some(tip),
            });
        }
        n += 1;
    }
}

/// The base commit of `path` that the first parents of `tip` lead to.
fn base_below(reader: &Reader, tip: Oid, path: &ChainPath) -> Result<Option<Oid>> {
    const FAR: usize = 100_000;
    let mut found = None;
    let mut seen = 0;
    reader.first_parents(tip, |commit| {
        seen += 1;
        let base = ChainTrailers::read(&commit.message).filter(|t| t.role == Role::Base);
        if let Some(base) = base {
            found = (base.path == *path).then_some(commit.id);
            return false;
        }
        seen < FAR
    })?;
    Ok(found)
}

/// Whether a ref's name alone says that it holds a chain of `path`.
fn names(name: &str, path: &ChainPath) -> bool {
    let path = path.to_string();
    let below = |rest: &str, marks: &[char]| {
        rest.strip_prefix(path.as_str())
            .is_some_and(|more| more.is_empty() || more.starts_with(marks))
    };
    let branch = |branch: &str| {
        branch.strip_prefix("evolve/").is_some_and(|r| r == path)
            || branch.strip_prefix("evolve-kept/").is_some_and(|r| {
                below(r, &['/']) && !r.contains("/agent/") && !r.contains("/attempt/")
            })
    };
    if let Some(short) = name.strip_prefix("refs/heads/") {
        return branch(short);
    }
    if let Some(remote) = name.strip_prefix("refs/remotes/") {
        return remote
            .match_indices('/')
            .any(|(at, _)| branch(&remote[at + 1..]));
    }
    let Some(ours) = name.strip_prefix("refs/evolve/") else {
        return false;
    };
    if let Some(remote) = ours.strip_prefix("remotes/") {
        return remote
            .split_once("/chains/")
            .is_some_and(|(_, r)| below(r, &['@']));
    }
    ours.strip_prefix("chains/")
        .is_some_and(|r| below(r, &['@']))
        || ours
            .strip_prefix("rewritten/")
            .is_some_and(|r| below(r, &['/']))
}

/// Whether chains are looked for behind refs of this name.
fn could_hold(name: &str) -> bool {
    name.starts_with("refs/heads/") || name.starts_with("refs/remotes/")
}
