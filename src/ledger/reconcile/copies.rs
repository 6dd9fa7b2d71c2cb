//! Commits of chains that were copied onto other lines: picked, or joined by a squash.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::survey::Survey;
use super::{Found, Item};
use crate::error::Result;
use crate::ledger::chains::Chain;
use crate::ledger::{ChainTrailers, Claim};
use crate::record::Role;
use crate::repo::{Commit, Oid, is_missing};

/// Most commits that are looked at in search of copies.
const MOST: usize = 50_000;

/// The copies of the chains `wanted` on branches that lead to none of their lines.
pub(super) fn items(survey: &Survey<'_>, wanted: &[String]) -> Result<Vec<Item>> {
    let mut chains = BTreeMap::<String, Vec<&Chain>>::new();
    for chain in survey.chains.chains.iter() {
        let of_path = chains.entry(chain.begun_as.to_string()).or_default();
        of_path.push(chain);
    }
    if chains.is_empty() {
        return Ok(Vec::new());
    }
    let mut seen: HashSet<Oid> = survey
        .chains
        .chains
        .iter()
        .flat_map(|c| survey.live(&c.begin))
        .flat_map(|l| l.commits.iter().map(|c| c.id))
        .collect();
    let mut items = Vec::new();
    let mut looked = 0;
    for (name, tip) in &survey.refs {
        let branch = name.starts_with("refs/heads/") || name.starts_with("refs/remotes/");
        if !branch || name.contains("/evolve-notes/") {
            continue;
        }
        let mut found = Vec::new();
        let walked = survey.reader.first_parents(*tip, |commit| {
            looked += 1;
            if looked > MOST || !seen.insert(commit.id) {
                return false;
            }
            if !ChainTrailers::claims_listed(&commit.message).is_empty() {
                found.push(commit.clone());
            }
            true
        });
        if let Err(e) = walked
            && !is_missing(&e)
        {
            return Err(e);
        }
        for commit in found.into_iter().rev() {
            for chain in chains.values().flatten() {
                if wanted.contains(&chain.begin) {
                    items.extend(of(survey, chain, name, &commit));
                }
            }
        }
    }
    Ok(items)
}

/// What `commit`, on the branch `name`, copies of `chain`.
fn of(survey: &Survey<'_>, chain: &Chain, name: &str, commit: &Commit) -> Option<Item> {
    let path = chain.begun_as.to_string();
    let claims: Vec<Claim> = ChainTrailers::claims_listed(&commit.message)
        .into_iter()
        .filter(|c| c.chain == path)
        .collect();
    let copied: Vec<(u32, Role, Oid)> = chain
        .line
        .iter()
        .filter(|c| {
            let role = if c.role == Role::Superseded {
                Role::Agent
            } else {
                c.role
            };
            let value = format!("{} {}", c.checkpoint, c.checkpoint_id);
            claims
                .iter()
                .any(|claim| claim.checkpoint == value && claim.role == role.word())
        })
        .map(|c| (c.checkpoint, c.role, c.id))
        .collect();
    let (checkpoint, role, original) = *copied.first()?;
    let short = commit.id.short();
    let checkpoints: BTreeSet<u32> = copied.iter().map(|(k, ..)| *k).collect();
    let several = claims.len() > 1;
    let found = if several {
        Found::Collapsed
    } else {
        Found::Copy
    };
    let mut item = Item::new(&chain.label, &chain.begin, found);
    item.checkpoints = checkpoints.into_iter().collect();
    item.old = copied.iter().map(|(.., id)| *id).collect();
    item.new = vec![commit.id];
    item.reference = Some(name.to_owned());
    item.records = survey.count(&chain.begin, &item.old);
    item.evidence = vec!["its message names them".to_owned()];
    if several {
        item.says = format!(
            "{short} on {name} joins {} commits of this chain; it counts as none of them, the originals are measured",
            copied.len()
        );
    } else {
        item.role = Some(role);
        item.evidence = vec!["trailers".to_owned()];
        if survey
            .reader
            .commit(original)
            .is_ok_and(|o| o.tree == commit.tree)
        {
            item.evidence.push("tree".to_owned());
        }
        item.says = format!(
            "{short} on {name} is a copy of {} of checkpoint {checkpoint}; it is counted nowhere",
            original.short()
        );
    }
    Some(item)
}
