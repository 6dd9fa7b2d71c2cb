//! Where a chain's line and its records differ: what was recorded and is not on the line, and
//! commits whose trailers and records say different things.

use std::collections::{BTreeMap, BTreeSet};

use super::{Chain, Chains, Recorded, Sitting, numbered};
use crate::error::Result;
use crate::record::{ChainPath, Event, Role};
use crate::repo::{Oid, Reader, is_missing};

/// Adds to the notes of `chains` where their lines and records differ, and to the remarks which
/// chains are recorded and lead nowhere.
///
/// # Errors
/// Commits that cannot be read.
pub(super) fn note_gaps(reader: &Reader, chains: &mut Chains, recorded: &Recorded) -> Result<()> {
    let mut by_begin = BTreeMap::<&str, Vec<&Sitting>>::new();
    for s in recorded.all() {
        by_begin.entry(s.head.begin.as_str()).or_default().push(s);
    }
    for chain in &mut chains.chains {
        if let Some(of_chain) = by_begin.remove(chain.begin.as_str()) {
            let notes = gaps(reader, chain, recorded, &of_chain)?;
            chain.notes.extend(notes);
        }
    }
    for (_, of_chain) in by_begin {
        chains.remarks.extend(nowhere(reader, &of_chain)?);
    }
    Ok(())
}

/// The commit that a record was made for, with what it was: of those for one checkpoint and role.
struct Origin {
    id: Oid,
    tree: Option<Oid>,
}

/// By checkpoint and role, the commits that were recorded.
fn origins(of_chain: &[&Sitting]) -> BTreeMap<(u32, Role), Vec<Origin>> {
    let mut all = BTreeMap::<(u32, Role), Vec<Origin>>::new();
    for s in of_chain {
        if matches!(s.says.event, Event::Adopt | Event::Rename) {
            continue;
        }
        let Some(id) = s.of() else { continue };
        let at = all.entry((s.head.checkpoint, s.head.role)).or_default();
        if !at.iter().any(|o| o.id == id) {
            at.push(Origin { id, tree: s.tree() });
        }
    }
    all
}

fn gaps(
    reader: &Reader,
    chain: &Chain,
    recorded: &Recorded,
    of_chain: &[&Sitting],
) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let origins = origins(of_chain);
    let mut there = BTreeSet::new();
    let mut rewritten = Vec::new();
    for commit in &chain.line {
        let role = match commit.role {
            Role::Superseded => Role::Agent,
            role => role,
        };
        if role == Role::Foreign {
            continue;
        }
        there.insert((commit.checkpoint, role));
        for s in recorded.of_chain_on(commit.id, &chain.begin) {
            if (s.head.checkpoint, s.head.role) != (commit.checkpoint, role) {
                notes.push(format!(
                    "{}: it is the {} commit of checkpoint {}, a record on it is of the {} commit of checkpoint {} and does not count",
                    commit.id.short(),
                    role.word(),
                    commit.checkpoint,
                    s.head.role.word(),
                    s.head.checkpoint,
                ));
            }
        }
        // Not the commit that was recorded: the same tree makes the same change of it.
        let known = origins.get(&(commit.checkpoint, role));
        if let Some(known) = known
            && !known.iter().any(|o| o.id == commit.id)
            && !known
                .iter()
                .any(|o| chain.line.iter().any(|c| c.id == o.id))
            && let Some(last) = known.last()
        {
            let tree = reader.commit(commit.id)?.tree;
            if !known.iter().any(|o| o.tree == Some(tree)) {
                rewritten.push((
                    commit.checkpoint,
                    format!(
                        "checkpoint {} ({}) stands here as {}, with another tree than {}, which was recorded",
                        commit.checkpoint,
                        role.word(),
                        commit.id.short(),
                        last.id.short(),
                    ),
                ));
            }
        }
    }
    // A chain that was rebased as a whole says so once.
    if rewritten.len() > LISTED {
        let mut checkpoints: Vec<u32> = rewritten.iter().map(|(k, _)| *k).collect();
        checkpoints.sort_unstable();
        checkpoints.dedup();
        notes.push(format!(
            "{} of its commits, of {}, stand here rewritten, each with another tree than was recorded: `git evolve reconcile` looks into it",
            rewritten.len(),
            numbered(&checkpoints),
        ));
    } else {
        notes.extend(rewritten.into_iter().map(|(_, note)| note));
    }
    let mut lost = BTreeMap::<(Role, bool), Vec<(u32, Oid)>>::new();
    for ((checkpoint, role), known) in &origins {
        if there.contains(&(*checkpoint, *role)) {
            continue;
        }
        for origin in known {
            let here = is_here(reader, origin.id)?;
            let at = lost.entry((*role, here)).or_default();
            at.push((*checkpoint, origin.id));
        }
    }
    for ((role, here), commits) in lost {
        notes.push(off_the_line(role, here, &commits));
    }
    Ok(notes)
}

fn off_the_line(role: Role, here: bool, commits: &[(u32, Oid)]) -> String {
    let mut checkpoints: Vec<u32> = commits.iter().map(|(k, _)| *k).collect();
    checkpoints.dedup();
    let mut ids: Vec<String> = commits.iter().map(|(_, id)| id.short()).collect();
    let many = ids.len().saturating_sub(LISTED);
    ids.truncate(LISTED);
    let more = match many {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!(
        "recorded and not on its line: the {} commit of {} ({}{more}), {}",
        role.word(),
        numbered(&checkpoints),
        ids.join(", "),
        match here {
            true => "which is still here: `git evolve reconcile` looks into it",
            false => "which is not in this repository",
        }
    )
}

/// How many commits a note names.
const LISTED: usize = 5;

/// What is to be said of a chain that records name and no ref leads to.
fn nowhere(reader: &Reader, of_chain: &[&Sitting]) -> Result<Option<String>> {
    let Some(first) = of_chain.first() else {
        return Ok(None);
    };
    let path: &ChainPath = &first.head.chain;
    let mut agents = BTreeSet::new();
    let mut here = 0;
    let mut ids = BTreeSet::new();
    for s in of_chain {
        if s.head.role == Role::Agent {
            agents.insert(s.head.checkpoint);
        }
        if let Some(id) = s.of()
            && ids.insert(id)
            && is_here(reader, id)?
        {
            here += 1;
        }
    }
    let agents: Vec<u32> = agents.into_iter().collect();
    Ok(Some(format!(
        "chain {path} ({}) is recorded and no ref leads to it; {here} of its {} recorded commits are here: `git evolve reconcile {path}` says more",
        numbered(&agents),
        ids.len(),
    )))
}

fn is_here(reader: &Reader, id: Oid) -> Result<bool> {
    match reader.commit(id) {
        Ok(_) => Ok(true),
        Err(e) if is_missing(&e) => Ok(false),
        Err(e) => Err(e),
    }
}
