//! Which commits of this repository are published, and under which names there.
//!
//! | here | there |
//! | --- | --- |
//! | a chain's tip as recorded (its branch, its keep ref) | `evolve/<path>`; where that is no fast-forward `evolve-kept/<path>/<first 12 digits>` |
//! | `refs/evolve/rewritten/<path>/<n>` | `evolve-kept/<path>/<first 12 digits>` |
//! | `refs/evolve/agent/<path>/<k>/<n>` | `evolve-kept/<path>/agent/<k>/<n>` |
//! | `refs/evolve/attempts/<path>/<k>/<n>` | `evolve-kept/<path>/attempt/<k>/<n>` |
//! | `refs/heads/evolve-kept/…` (a bare clone has them) | the same |
//!
//! A path ends in a number and no task is one, so that none of these names is a folder of
//! another. Where a numbered name is taken by another commit, its first 12 digits stand for the
//! number: nothing is ever forced.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Result;
use crate::ledger::ChainTrailers;
use crate::record::ChainPath;
use crate::repo::{Oid, PushRef, Reader, is_missing};

/// Digits of a commit's id in a name.
const DIGITS: usize = 12;
/// Most commits of an unrecorded end of a branch that are looked through.
const MAX_UNRECORDED: usize = 10_000;

/// The refs of another repository, by their full names.
pub type Held = BTreeMap<String, Oid>;

/// What this repository has to publish besides notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The tips of each chain as recorded, that of its branch first.
    pub chains: BTreeMap<ChainPath, Vec<Oid>>,
    /// Tips of rewritten chains.
    pub rewritten: BTreeMap<ChainPath, Vec<Oid>>,
    /// Kept commits that are no tip of a chain: the name there (below `evolve-kept/`), and the
    /// same name up to the number.
    pub kept: Vec<Kept>,
    /// What was left out and why.
    pub remarks: Vec<String>,
}

/// One kept commit: folded, or a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The commit.
    pub commit: Oid,
    /// Its full name there.
    pub name: String,
    /// The folder of that name, with its last `/`.
    pub folder: String,
    /// The agent's own work that was folded into an agent commit; else a failed attempt.
    pub folded: bool,
}

impl Plan {
    /// Looks through the refs of this repository alone.
    ///
    /// # Errors
    /// Refs or commits that cannot be read.
    pub fn of(reader: &Reader) -> Result<Plan> {
        let mut plan = Plan::default();
        let heads = "refs/heads/evolve/";
        for found in reader.references_under(&["refs/heads/evolve"])? {
            let Some(path) = found.name.strip_prefix(heads).and_then(ChainPath::parse) else {
                plan.remarks.push(format!(
                    "{} is not named like a chain: left out",
                    found.name
                ));
                continue;
            };
            match recorded(reader, found.id, &path)? {
                Some(tip) => plan.chains.entry(path).or_default().push(tip),
                None => plan.remarks.push(format!(
                    "{} leads to no commit of chain {path}: left out",
                    found.name
                )),
            }
        }
        for found in reader.references_under(&["refs/evolve/chains"])? {
            let name = found.name.strip_prefix("refs/evolve/chains/");
            if let Some(path) = name.and_then(path_of) {
                add(&mut plan.chains, path, found.id);
            }
        }
        for found in reader.references_under(&["refs/evolve/rewritten"])? {
            let name = found.name.strip_prefix("refs/evolve/rewritten/");
            if let Some((path, _)) = name.and_then(|n| n.rsplit_once('/'))
                && let Some(path) = path_of(path)
            {
                add(&mut plan.rewritten, path, found.id);
            }
        }
        for (space, word) in [("agent", "agent"), ("attempts", "attempt")] {
            let under = format!("refs/evolve/{space}/");
            for found in reader.references_under(&[under.trim_end_matches('/')])? {
                let mut parts = found.name[under.len()..].rsplitn(3, '/');
                let (n, k, path) = (parts.next(), parts.next(), parts.next());
                if let (Some(n), Some(k), Some(path)) = (n, k, path.and_then(path_of)) {
                    let folder = format!("refs/heads/evolve-kept/{path}/{word}/{k}/");
                    plan.kept.push(Kept {
                        commit: found.id,
                        name: format!("{folder}{n}"),
                        folder,
                        folded: space == "agent",
                    });
                }
            }
        }
        for found in reader.references_under(&["refs/heads/evolve-kept"])? {
            if let Some((folder, _)) = found.name.rsplit_once('/') {
                plan.kept.push(Kept {
                    commit: found.id,
                    folder: format!("{folder}/"),
                    folded: folder.contains("/agent/"),
                    name: found.name,
                });
            }
        }
        Ok(plan)
    }

    /// What is to be pushed to a repository that holds `held`, in the order of names.
    ///
    /// # Errors
    /// A commit that is here and cannot be read.
    pub fn refs(&self, reader: &Reader, held: &Held) -> Result<Vec<PushRef>> {
        let mut names = BTreeMap::<String, Oid>::new();
        for (path, tips) in &self.chains {
            let branch = format!("refs/heads/evolve/{path}");
            let there = held.get(&branch).copied();
            let mut given = there;
            for tip in tips {
                let known = match given {
                    Some(given) => is_below(reader, *tip, given)?,
                    None => false,
                };
                let free = given == there;
                let forward = match there {
                    Some(there) => is_below(reader, there, *tip)?,
                    None => true,
                };
                if known {
                    continue;
                }
                if free && forward {
                    names.insert(branch.clone(), *tip);
                    given = Some(*tip);
                } else {
                    names.insert(kept_tip(path, *tip), *tip);
                }
            }
        }
        for (path, tips) in &self.rewritten {
            names.extend(tips.iter().map(|tip| (kept_tip(path, *tip), *tip)));
        }
        for kept in &self.kept {
            let taken = |name: &String| {
                let other = held.get(name).or_else(|| names.get(name));
                other.is_some_and(|o| *o != kept.commit)
            };
            let name = match taken(&kept.name) {
                true => format!("{}{}", kept.folder, digits(kept.commit)),
                false => kept.name.clone(),
            };
            names.insert(name, kept.commit);
        }
        Ok(names
            .into_iter()
            .filter(|(name, commit)| held.get(name) != Some(commit))
            .map(|(name, commit)| PushRef { commit, name })
            .collect())
    }

    /// Chains whose branch there holds commits that none of the chain's tips here comes from:
    /// somebody pushed them past the records.
    ///
    /// # Errors
    /// A commit that is here and cannot be read.
    pub fn apart(&self, reader: &Reader, held: &Held) -> Result<Vec<(ChainPath, Oid)>> {
        let mut apart = Vec::new();
        for (path, tips) in &self.chains {
            let Some(there) = held.get(&format!("refs/heads/evolve/{path}")) else {
                continue;
            };
            let mut joined = false;
            for tip in tips {
                joined |= is_below(reader, *there, *tip)? || is_below(reader, *tip, *there)?;
            }
            if !joined {
                apart.push((path.clone(), *there));
            }
        }
        Ok(apart)
    }

    /// All commits that were folded into agent commits.
    pub fn folded(&self) -> BTreeSet<Oid> {
        let folded = self.kept.iter().filter(|k| k.folded);
        folded.map(|k| k.commit).collect()
    }
}

fn add(to: &mut BTreeMap<ChainPath, Vec<Oid>>, path: ChainPath, tip: Oid) {
    let tips = to.entry(path).or_default();
    if !tips.contains(&tip) {
        tips.push(tip);
    }
}

/// A path as refs write it: a second chain's has the beginning of its base's id behind an `@`.
fn path_of(name: &str) -> Option<ChainPath> {
    ChainPath::parse(name.split_once('@').map_or(name, |(path, _)| path))
}

fn kept_tip(path: &ChainPath, tip: Oid) -> String {
    format!("refs/heads/evolve-kept/{path}/{}", digits(tip))
}

fn digits(commit: Oid) -> String {
    let mut text = commit.to_string();
    text.truncate(DIGITS);
    text
}

/// The newest commit on the branch's first-parent line that has the chain's trailers: work on
/// top of it is not recorded yet.
fn recorded(reader: &Reader, tip: Oid, path: &ChainPath) -> Result<Option<Oid>> {
    let mut found = None;
    let mut looked = 0;
    let walked = reader.first_parents(tip, |commit| {
        looked += 1;
        let trailers = ChainTrailers::read(&commit.message);
        if trailers.is_some_and(|t| t.path == *path) {
            found = Some(commit.id);
        }
        found.is_none() && looked < MAX_UNRECORDED
    });
    match walked {
        Err(e) if !is_missing(&e) => Err(e),
        _ => Ok(found),
    }
}

/// Whether `older` is `newer` or one of its ancestors, as far as history is here.
fn is_below(reader: &Reader, older: Oid, newer: Oid) -> Result<bool> {
    Ok(older == newer || reader.is_ancestor(older, newer)?)
}
