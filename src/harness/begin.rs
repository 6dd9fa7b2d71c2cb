//! `begin`: a chain's base commit where there is none, its branch, and the checkpoint that the
//! agent is about to work on.

use super::known::{Holder, Known, is_on_agent_work, keep_ref};
use super::pending::{InHand, Move, Pending, Phase, Surroundings, named, oid};
use super::plain_base_message;
use super::surroundings;
use super::turn::Turn;
use super::workplace::{Say, Workplace, fault};
use super::written::{Written, provenance};
use crate::error::{Error, Result};
use crate::ledger::{Batch, Chain};
use crate::record::{Body, ChainPath, Checkpoint, Event, Moment, RecordId, Role};
use crate::repo::{Oid, Reader, RefMove, Repo, shell_word};

/// What is to begin.
#[derive(Debug, Clone)]
pub struct Begin {
    /// The chain.
    pub chain: ChainPath,
    /// The checkpoint's number, from 1.
    pub checkpoint: u32,
    /// Its id in the plan; else the one it has already, or `checkpoint-<k>`.
    pub id: Option<String>,
    /// Begin another chain of this path.
    pub again: bool,
}

/// Begins a checkpoint: base commit, keep ref and branch where the chain is new; the branch
/// checked out; the pending checkpoint noted.
///
/// # Errors
/// Usage where the checkpoint is not the next one, the path is held by others, something is not
/// committed, or another checkpoint is pending; git where it cannot be written. Nothing is
/// changed then.
pub fn begin(repo: &Repo, asked: &Begin, say: Say<'_>) -> Result<()> {
    let mut place = Workplace::open(repo, say)?;
    let _turn = Turn::to_begin(repo)?;
    let head = place.head()?;
    if let Some(pending) = place.pending.as_ref().filter(|p| p.phase == Phase::Begun) {
        return already(&place, pending, asked, say);
    }
    place.require_quiet()?;
    if asked.again && asked.checkpoint != 1 {
        return Err(Error::usage(
            "--again begins another chain, whose first checkpoint is 1",
        ));
    }
    let reader = place.reader()?;
    let known = Known::of(&reader, &asked.chain)?;
    require_free(&place, &known.branch)?;
    require_committed(&place)?;
    let start = if known.is_new() || asked.again {
        fresh(&place, &reader, &known, asked, head, say)?
    } else {
        going_on(&place, &reader, &known, asked, say)?
    };
    let was = place.work.branch()?;
    let mut untracked = place.work.status()?.untracked;
    untracked.retain(|p| !place.work.is_linked(p));
    let branch = known.branch.clone();
    let pending = Pending {
        chain: asked.chain.to_string(),
        begin: start.begin.clone(),
        checkpoint: asked.checkpoint,
        checkpoint_id: start.id.clone(),
        branch,
        base: named(start.base),
        parent: named(start.tip),
        attempt: Some(RecordId::new()),
        started: Moment::now(),
        untracked_before: surroundings::noted(&reader, &place.work, &untracked)?,
        untracked_count: untracked.len() as u64,
        surroundings: Surroundings::now(repo, &place.work)?,
        agent: None,
        phase: Phase::Beginning,
        in_hand: None,
    };
    Pending::clear_commits(repo)?;
    let hand = InHand {
        record: start.record.clone(),
        on: None,
        commit: named(start.tip),
        moves: start.moves.iter().filter_map(Move::of).collect(),
        paths: Vec::new(),
    };
    place.take_in_hand(pending, hand)?;
    fault("pending");
    if let Some(batch) = start.batch {
        let written = crate::ledger::append(repo, batch)?;
        written.remarks.iter().for_each(|r| say(r));
    }
    fault("notes");
    place.complete(say)?;
    let Some(pending) = &place.pending else {
        return Err(Error::git(format!(
            "beginning {}: a ref moved meanwhile; nothing was begun",
            asked.chain
        ))
        .with_hint("try again"));
    };
    let was = match was {
        Some(name) => shell_word(name.strip_prefix("refs/heads/").unwrap_or(&name)),
        None => format!("--detach {head}"),
    };
    told(&place, pending, &start.moves, &was, untracked.len(), say)
}

/// Drops the pending checkpoint; commits, branches and files stay.
///
/// # Errors
/// Usage where there is none; git where the files cannot be removed.
pub fn abandon(repo: &Repo, say: Say<'_>) -> Result<()> {
    let _place = Workplace::shut(repo)?;
    let pending = Pending::read(repo);
    if matches!(pending, Ok(None)) {
        return Err(Error::usage("no checkpoint is pending in this work tree"));
    }
    Pending::remove(repo)?;
    match pending {
        Ok(Some(p)) => {
            say(&format!(
                "abandoned checkpoint {} of {}: it is no longer pending",
                p.checkpoint, p.chain
            ));
            say(&format!(
                "branch {}, its commits and all files stay as they are; `git evolve begin {} {}` takes it up again",
                p.short_branch(),
                p.chain,
                p.checkpoint
            ));
        }
        _ => say("abandoned what was noted as pending, which could not be read"),
    }
    Ok(())
}

/// Where the checkpoint starts.
struct Start {
    begin: RecordId,
    id: String,
    base: Oid,
    /// The commit the agent commit will stand on.
    tip: Oid,
    moves: Vec<RefMove>,
    batch: Option<Batch>,
    record: Option<RecordId>,
}

/// A new chain, or another one of the same path.
fn fresh(
    place: &Workplace<'_>,
    reader: &Reader,
    known: &Known,
    asked: &Begin,
    head: Oid,
    say: Say<'_>,
) -> Result<Start> {
    if asked.checkpoint != 1 {
        return Err(Error::usage(format!(
            "{} is not known here: its first checkpoint is 1, not {}",
            asked.chain, asked.checkpoint
        ))
        .with_hint("`git evolve fetch` brings chains of others"));
    }
    let stands = known.all.chain_of(head);
    let (parent, tree) = match stands {
        Some((chain, _)) if chain.path == asked.chain => {
            let base = reader.commit(chain.base)?;
            let parent = base.parents.first().copied().filter(|_| !base.shallow);
            let parent = parent.ok_or_else(|| {
                Error::git(format!(
                    "the commit that base {} stands on is not here",
                    chain.base.short()
                ))
                .with_hint("`git fetch --unshallow` brings it")
            })?;
            (parent, base.tree)
        }
        other => {
            if let Some((chain, at)) = other.filter(|(c, at)| is_on_agent_work(c, *at)) {
                say(&format!(
                    "HEAD stands in chain {} at checkpoint {}: the new chain begins with that work",
                    chain.label, chain.line[at].checkpoint
                ));
            }
            (head, reader.commit(head)?.tree)
        }
    };
    let begin = RecordId::new();
    let message = plain_base_message(&asked.chain, begin.as_str());
    let base = place.repo.commit_tree(tree, parent, &message)?;
    let now = Moment::now();
    let mut checkpoint = Checkpoint::of(Event::Begin);
    checkpoint.started = Some(now);
    checkpoint.project = Some(named(parent));
    checkpoint.provenance = Some(provenance(place.repo)?);
    let mut written = Written::on(Written::head(
        (&asked.chain, &begin),
        (0, "base", Role::Base),
        (base, tree, Some(parent)),
        None,
    ));
    let record = written.add(Body::from(checkpoint))?;
    let mut moves = known.kept_before_moving(reader)?;
    let keep = keep_ref(reader, &asked.chain, base, &moves)?;
    moves.push(RefMove {
        name: keep,
        old: None,
        new: Some(base),
    });
    moves.push(RefMove {
        name: known.branch.clone(),
        old: known.local,
        new: Some(base),
    });
    Ok(Start {
        begin,
        id: asked.id.clone().unwrap_or_else(|| default_id(1)),
        base,
        tip: base,
        moves,
        batch: Some(written.batch()),
        record: Some(record),
    })
}

/// The next checkpoint of a chain that is known, or its last one again.
fn going_on(
    place: &Workplace<'_>,
    reader: &Reader,
    known: &Known,
    asked: &Begin,
    say: Say<'_>,
) -> Result<Start> {
    let chain = known.chain(asked)?;
    let here = place.work.branch()?.as_deref() == Some(known.branch.as_str());
    let tip = chain.tip;
    let mut moves = Vec::new();
    match known.local {
        Some(local) if local == tip => {}
        Some(local) if here => {
            return Err(Error::usage(format!(
                "branch {} is at {}, and {} is known of this chain",
                known.short(),
                local.short(),
                tip.short()
            ))
            .with_hint(format!(
                "`git merge --ff-only {tip}` brings the branch there"
            )));
        }
        local => moves.push(RefMove {
            name: known.branch.clone(),
            old: local,
            new: Some(tip),
        }),
    }
    let last = chain.line.iter().rposition(|c| c.role == Role::Agent);
    let done = last.map_or(0, |at| chain.line[at].checkpoint);
    if let Some(at) = last {
        let reset = |c: &crate::ledger::ChainCommit| c.role == Role::Reset;
        if !chain.line[at + 1..].iter().any(reset) {
            return Err(Error::usage(format!(
                "checkpoint {done} of {} has no reset commit yet",
                chain.label
            ))
            .with_hint(match here {
                true => "`git evolve reset` comes first".to_owned(),
                false => format!("`git switch {}`, then `git evolve reset`", known.short()),
            }));
        }
        if asked.checkpoint == done {
            if done == 1 && !here {
                return Err(known.held(asked));
            }
            say(&format!(
                "checkpoint {done} is recorded already ({}): recording it again supersedes that",
                chain.line[at].id.short()
            ));
        }
    }
    let id = checkpoint_id(chain, asked, done)?;
    let behind = chain.line.iter().rposition(|c| c.role != Role::Foreign);
    let foreign = chain.line.len() - 1 - behind.unwrap_or(0);
    if foreign > 0 {
        say(&format!(
            "{foreign} {} behind the last of this chain; what they changed counts as the base's",
            match foreign {
                1 => "commit of somebody else's stands",
                _ => "commits of somebody else's stand",
            }
        ));
    }
    for other in known.chains().filter(|c| c.begin != chain.begin) {
        say(&format!(
            "another chain of this path is known, too: {}",
            other.label
        ));
    }
    let keep = keep_ref(reader, &asked.chain, chain.base, &[])?;
    if reader.reference(&keep)?.is_none() {
        moves.insert(
            0,
            RefMove {
                name: keep,
                old: None,
                new: Some(tip),
            },
        );
    }
    let begin = RecordId::parse(&chain.begin)
        .ok_or_else(|| Error::git(format!("chain {} has no well-formed identity", chain.label)))?;
    Ok(Start {
        begin,
        id,
        base: chain.base,
        tip,
        moves,
        batch: None,
        record: None,
    })
}

/// The checkpoint's id; that the number is the next one, or the last one again.
fn checkpoint_id(chain: &Chain, asked: &Begin, done: u32) -> Result<String> {
    let next = done.saturating_add(1);
    if asked.checkpoint != next && (asked.checkpoint != done || done == 0) {
        let again = match done {
            0 => String::new(),
            _ => format!(" ({done} again supersedes the recorded one)"),
        };
        return Err(Error::usage(format!(
            "the next checkpoint of {} is {next}, not {}",
            chain.label, asked.checkpoint
        ))
        .with_hint(format!("git evolve begin {} {next}{again}", chain.path)));
    }
    let same = |c: &&crate::ledger::ChainCommit| {
        c.checkpoint == asked.checkpoint && matches!(c.role, Role::Agent | Role::Superseded)
    };
    match (chain.line.iter().find(same), &asked.id) {
        (Some(before), Some(id)) if before.checkpoint_id != *id => Err(Error::usage(format!(
            "checkpoint {} of {} is called {}, not {id}",
            asked.checkpoint, chain.label, before.checkpoint_id
        ))),
        (Some(before), _) => Ok(before.checkpoint_id.clone()),
        (None, Some(id)) => Ok(id.clone()),
        (None, None) => Ok(default_id(asked.checkpoint)),
    }
}

fn default_id(checkpoint: u32) -> String {
    format!("checkpoint-{checkpoint}")
}

/// A checkpoint is pending here: the same one is begun already, another one stands in the way.
fn already(place: &Workplace<'_>, pending: &Pending, asked: &Begin, say: Say<'_>) -> Result<()> {
    let same = pending.chain == asked.chain.to_string()
        && pending.checkpoint == asked.checkpoint
        && asked
            .id
            .as_ref()
            .is_none_or(|id| *id == pending.checkpoint_id)
        && !asked.again;
    if !same {
        return Err(Error::usage(format!(
            "checkpoint {} of {} is pending in this work tree",
            pending.checkpoint, pending.chain
        ))
        .with_hint("`git evolve record` records it, `git evolve begin --abandon` drops it"));
    }
    say(&format!(
        "checkpoint {} {} of {} is already begun",
        pending.checkpoint, pending.checkpoint_id, pending.chain
    ));
    if !place.is_on(pending)? {
        say(&format!("next: git switch {}", pending.short_branch()));
    }
    Ok(())
}

/// No other work tree has this chain's branch or a checkpoint of it pending.
fn require_free(place: &Workplace<'_>, branch: &str) -> Result<()> {
    for (folder, pending) in place.elsewhere()? {
        if pending.branch == branch {
            return Err(Error::usage(format!(
                "checkpoint {} of {} is pending in another work tree: {}",
                pending.checkpoint,
                pending.chain,
                folder.display()
            ))
            .with_hint("record or abandon it there"));
        }
    }
    if let Some(folder) = place.work.checked_out_elsewhere(branch)? {
        return Err(Error::usage(format!(
            "branch {} is checked out in another work tree: {}",
            branch.strip_prefix("refs/heads/").unwrap_or(branch),
            folder.display()
        ))
        .with_hint("work on it there, or check out something else there"));
    }
    Ok(())
}

/// What is not committed would count as the agent's.
fn require_committed(place: &Workplace<'_>) -> Result<()> {
    let status = place.work.status()?;
    let mut dirty = status.unmerged;
    dirty.extend(status.tracked);
    if dirty.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!(
        "not committed: {}; it would count as the agent's",
        super::said::paths(&dirty, 5)
    ))
    .with_hint("commit or stash it first"))
}

/// What is said at the end.
fn told(
    place: &Workplace<'_>,
    pending: &Pending,
    moves: &[RefMove],
    was: &str,
    untracked: usize,
    say: Say<'_>,
) -> Result<()> {
    say(&format!(
        "began checkpoint {} {} of {} on {} ({})",
        pending.checkpoint,
        pending.checkpoint_id,
        pending.chain,
        pending.short_branch(),
        oid(&pending.parent)?.short()
    ));
    if untracked > 0 {
        say(&format!(
            "{untracked} untracked {} here already: `git evolve record` leaves out those that stay as they are",
            if untracked == 1 {
                "file is"
            } else {
                "files are"
            }
        ));
    }
    if untracked > pending.untracked_before.len() {
        say(&format!(
            "only the first {} of them are noted; the others will count as the agent's",
            pending.untracked_before.len()
        ));
    }
    super::said::not_looked_at(&place.work, say)?;
    if !moves.is_empty() {
        // With --again HEAD was on the branch that moved: it goes back with it.
        let back = match was == pending.short_branch() {
            true => format!(
                "git checkout -q --detach && {} && git checkout {was}",
                super::said::undo(moves)
            ),
            false => format!("git checkout {was} && {}", super::said::undo(moves)),
        };
        say(&format!("undo: git evolve begin --abandon && {back}"));
    }
    say("next: let the agent work, then `git evolve record`");
    Ok(())
}

/// Refs for people: where something is held.
pub(super) fn listed(holders: &[Holder]) -> String {
    let names: Vec<&str> = holders.iter().map(|h| h.name.as_str()).collect();
    match names.len() {
        0..=5 => names.join(", "),
        n => format!("{} and {} more", names[..5].join(", "), n - 5),
    }
}
