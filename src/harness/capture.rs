//! `record`: the agent's work, committed or not, becomes the one agent commit of its checkpoint,
//! with the record of it and what was captured beside it.

use std::ffi::OsString;
use std::path::PathBuf;

use super::attach;
use super::own_work::{OwnWork, chain_moves, quoted};
use super::payloads::{Captured, Files, Ground};
use super::pending::{InHand, Move, Pending, Phase, Surroundings, named, oid};
use super::taking::{self, Taken};
use super::workplace::{Say, Workplace, fault};
use super::written::{Written, provenance};
use super::{Place, agent_message, configuration, said};
use crate::error::{Error, Result};
use crate::ledger;
use crate::record::{Body, ChainPath, Checkpoint, Configuration, Event, Moment, Paths, Role, Work};
use crate::repo::{Oid, Reader, RefMove, Repo};

/// Most commits that a record lists.
const LISTED: usize = 1_000;

/// What is to be recorded.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// New files to take whatever they look like.
    pub include: Vec<OsString>,
    /// New files to leave out.
    pub exclude: Vec<OsString>,
    /// What was captured beside the work.
    pub captured: Captured,
    /// The configuration the checkpoint is scored under; else the base's `evolve.toml`.
    pub config: Option<PathBuf>,
    /// The commit's title, behind checkpoint number and id.
    pub title: Option<String>,
    /// Say what would be recorded, and change nothing.
    pub dry_run: bool,
}

/// Records the pending checkpoint. One that is recorded already is said and left as it is.
///
/// # Errors
/// Usage where no checkpoint is pending, HEAD is elsewhere, something is in progress, or a new
/// file is not to be taken unasked; git where identity or signing is missing or something cannot
/// be written. The branch is not moved then.
pub fn record(repo: &Repo, asked: &Record, say: Say<'_>) -> Result<()> {
    let mut place = Workplace::open(repo, say)?;
    let Some(mut pending) = place.pending.clone() else {
        return Err(Error::usage("no checkpoint is pending in this work tree")
            .with_hint("`git evolve begin CHAIN CHECKPOINT` begins one"));
    };
    require_branch(&place, &pending)?;
    let reader = place.reader()?;
    let tip = place.head()?;
    if pending.phase == Phase::Recorded {
        if let Some(agent) = pending.agent.clone()
            && reader.is_ancestor(oid(&agent)?, tip)?
        {
            return recorded_already(repo, &pending, oid(&agent)?, asked, say);
        }
        // The recorded commit was taken back: the checkpoint is as it was before.
        say("the recorded commit is no longer on the branch: the checkpoint is recorded anew");
        pending.phase = Phase::Begun;
        pending.agent = None;
    }
    place.require_quiet()?;
    require_merged(&place)?;
    let files = asked.captured.files()?;
    let path = pending.path()?;
    let parent = oid(&pending.parent)?;
    let parent_tree = reader.commit(parent)?.tree;
    let config = match &asked.config {
        Some(file) => Some(configuration::of_file(&reader, file)?),
        None => {
            let base = reader.commit(oid(&pending.base)?)?;
            configuration::of_base(&reader, base.tree, say)?
        }
    };
    let own = OwnWork::since(repo, &reader, parent, tip)?;
    let mut taken = taking::take(
        &place,
        &pending,
        parent_tree,
        &asked.include,
        &asked.exclude,
        say,
    )?;
    let surroundings = Surroundings::now(repo, &place.work)?;
    let changed = pending.surroundings.changed(&surroundings);
    remarks(&pending, &own, &changed, say);
    said::not_looked_at(&place.work, say)?;
    let left = taking::left_in_commits(&place, &own.commits, parent_tree, taken.tree)?;
    if !left.is_empty() {
        say(&format!(
            "the agent's own commits, which are kept and go out with `git evolve push`, hold what \
             looks like a credential: {}",
            said::paths(&left, 5)
        ));
    }
    if asked.dry_run {
        return dry(&place, &pending, parent_tree, &own, &taken, &files, say);
    }
    let request = match &asked.title {
        Some(title) => quoted(title),
        None => title(&reader, &own)?,
    };
    let messages = own.messages(&reader)?;
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    let message = agent_message(
        Place {
            path: &path,
            checkpoint: pending.checkpoint,
            id: &pending.checkpoint_id,
        },
        &request,
        &messages,
    );
    let commit = repo.commit_tree(taken.tree, parent, &message)?;
    let mut written = Written::on(Written::head(
        (&path, &pending.begin),
        (pending.checkpoint, &pending.checkpoint_id, Role::Agent),
        (commit, taken.tree, Some(parent)),
        pending.attempt.as_ref(),
    ));
    let mut checkpoint = Checkpoint::of(Event::Agent);
    checkpoint.started = Some(pending.started);
    checkpoint.ended = Some(Moment::now());
    checkpoint.provenance = Some(provenance(repo)?);
    checkpoint.config = config.as_ref().map(|c| Configuration::clone(&c.name));
    checkpoint.work = Some(work(&own, &taken, changed));
    let record = written.add(Body::from(checkpoint))?;
    let ground = Ground {
        repo,
        reader: repo.reader()?,
        begin: &pending.begin,
        checkpoint: pending.checkpoint,
        tree: taken.tree,
        ran_tree: None,
    };
    files.add(&ground, &mut written, say)?;
    if let Some(config) = config {
        written.add_config(config.content);
    }
    let moves = moves(&reader, &pending, &path, &own, commit)?;
    let hand = InHand {
        record: Some(record),
        on: None,
        commit: named(commit),
        moves: moves.iter().filter_map(Move::of).collect(),
        paths: Vec::new(),
    };
    pending.phase = Phase::Recording;
    place.prepared = taken.index.take();
    place.take_in_hand(pending, hand)?;
    fault("pending");
    let done = ledger::append(repo, written.batch())?;
    done.remarks.iter().for_each(|r| say(r));
    fault("notes");
    place.complete(say)?;
    match &place.pending {
        Some(pending) if pending.phase == Phase::Recorded => {
            told(pending, commit, &own, &taken, &files, &moves, say);
            Ok(())
        }
        _ => Err(Error::git(format!(
            "recording {path}: its branch moved meanwhile and was left as it is"
        ))
        .with_hint("`git evolve record` records what is there now")),
    }
}

/// HEAD is on the branch that `begin` noted.
pub(super) fn require_branch(place: &Workplace<'_>, pending: &Pending) -> Result<()> {
    let now = place.work.branch()?;
    if now.as_deref() == Some(pending.branch.as_str()) {
        if place.reader()?.reference(&pending.branch)?.is_none() {
            return Err(Error::usage(format!(
                "branch {} has no commit any more; nothing was changed",
                pending.short_branch()
            ))
            .with_hint(format!(
                "git update-ref {} {} brings it back to where the checkpoint began",
                pending.branch, pending.parent
            )));
        }
        return Ok(());
    }
    let is = match &now {
        Some(name) => format!(
            "HEAD is on {}",
            name.strip_prefix("refs/heads/").unwrap_or(name)
        ),
        None => "HEAD is detached".to_owned(),
    };
    Err(Error::usage(format!(
        "{is}; checkpoint {} of {} is pending on {}; nothing was changed",
        pending.checkpoint,
        pending.chain,
        pending.short_branch()
    ))
    .with_hint(format!("git switch {}", pending.short_branch())))
}

fn require_merged(place: &Workplace<'_>) -> Result<()> {
    let unmerged = place.work.status()?.unmerged;
    if unmerged.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!(
        "unmerged: {}; nothing was changed",
        said::paths(&unmerged, 5)
    ))
    .with_hint("resolve and `git add` them first"))
}

/// Agent keep refs, the chain's keep ref, the branch: in the order in which they may be seen.
fn moves(
    reader: &Reader,
    pending: &Pending,
    path: &ChainPath,
    own: &OwnWork,
    commit: Oid,
) -> Result<Vec<RefMove>> {
    let mut moves = own.keep_refs(reader, path, pending.checkpoint)?;
    moves.extend(chain_moves(reader, pending, own.tip, commit)?);
    Ok(moves)
}

/// Of the agent's own commits the last one's title.
fn title(reader: &Reader, own: &OwnWork) -> Result<String> {
    Ok(match own.commits.last() {
        Some(last) => quoted(reader.commit(*last)?.subject()),
        None => "the agent's work".to_owned(),
    })
}

fn work(own: &OwnWork, taken: &Taken, changed: Vec<String>) -> Work {
    fn paths(all: &[crate::repo::TreePath]) -> Paths {
        Paths::of(all.iter().map(AsRef::as_ref))
    }
    Work {
        commits: own
            .commits
            .iter()
            .take(LISTED)
            .copied()
            .map(named)
            .collect(),
        commit_count: own.commits.len() as u64,
        history_rewritten: own.rewritten,
        uncommitted: taken.uncommitted,
        untracked: paths(&taken.untracked),
        left_out: paths(&taken.left_out),
        ignored_sources: paths(&taken.ignored_sources),
        nested: paths(&taken.nested),
        surroundings_changed: changed,
    }
}

/// What a user should know of the graph and of what lies around the work.
fn remarks(pending: &Pending, own: &OwnWork, changed: &[String], say: Say<'_>) {
    if own.rewritten {
        say(&format!(
            "the agent rewrote history: {} is no ancestor of the branch's tip any more; the measurement stands",
            pending.parent
        ));
    }
    if own.published > 0 {
        say(&format!(
            "{} of the agent's own commits {} on a remote already; {} there as it is",
            own.published,
            if own.published == 1 { "is" } else { "are" },
            if own.published == 1 {
                "it stays"
            } else {
                "they stay"
            },
        ));
    }
    if !changed.is_empty() {
        say(&format!(
            "changed since the checkpoint began: the repository's {}",
            changed.join(" and ")
        ));
    }
}

/// What was captured is added to the commit that is there; nothing else changes.
fn recorded_already(
    repo: &Repo,
    pending: &Pending,
    agent: Oid,
    asked: &Record,
    say: Say<'_>,
) -> Result<()> {
    let files = asked.captured.files()?;
    let checkpoint = format!("checkpoint {} of {}", pending.checkpoint, pending.chain);
    if asked.config.is_some() {
        return Err(Error::usage(format!(
            "{checkpoint} is recorded already as {}, with the configuration it is scored under",
            agent.short()
        )));
    }
    let added = files.said();
    match added.as_ref().filter(|_| !asked.dry_run) {
        Some(added) => {
            let commit = repo.reader()?.commit(agent)?;
            let parent = commit.parents.first().copied();
            let mut written = Written::on(Written::head(
                (&pending.path()?, &pending.begin),
                (pending.checkpoint, &pending.checkpoint_id, Role::Agent),
                (agent, commit.tree, parent),
                pending.attempt.as_ref(),
            ));
            let ground = Ground {
                repo,
                reader: repo.reader()?,
                begin: &pending.begin,
                checkpoint: pending.checkpoint,
                tree: commit.tree,
                ran_tree: None,
            };
            files.add(&ground, &mut written, say)?;
            // A command that was cut short is given once more as it was.
            let place = format!("{checkpoint} ({})", agent.short());
            attach::add(
                repo,
                (agent, pending.attempt.as_ref()),
                written,
                added,
                &place,
                say,
            )?;
        }
        None => say(&format!(
            "{checkpoint} is recorded already as {}; nothing was changed{}",
            agent.short(),
            added
                .map(|a| format!("; would add {a}"))
                .unwrap_or_default()
        )),
    }
    say("next: git evolve reset");
    Ok(())
}

fn dry(
    place: &Workplace<'_>,
    pending: &Pending,
    parent_tree: Oid,
    own: &OwnWork,
    taken: &Taken,
    files: &Files,
    say: Say<'_>,
) -> Result<()> {
    let changed = place.work.between(parent_tree, taken.tree, &[])?;
    say(&format!(
        "would record checkpoint {} {} of {}: {}, {} of the agent's own{}",
        pending.checkpoint,
        pending.checkpoint_id,
        pending.chain,
        said::count(changed.len(), "changed file", "changed files"),
        said::count(own.commits.len(), "commit", "commits"),
        files.said().map(|s| format!(", {s}")).unwrap_or_default()
    ));
    Ok(())
}

fn told(
    pending: &Pending,
    commit: Oid,
    own: &OwnWork,
    taken: &Taken,
    files: &Files,
    moves: &[RefMove],
    say: Say<'_>,
) {
    let own_commits = match own.commits.len() {
        0 => "no commit of the agent's own".to_owned(),
        n => format!(
            "{} of the agent's own folded",
            said::count(n, "commit", "commits")
        ),
    };
    let untracked = match taken.untracked.len() {
        0 => String::new(),
        n => format!(", {}", said::count(n, "untracked file", "untracked files")),
    };
    say(&format!(
        "recorded checkpoint {} {} of {} as {commit}: {own_commits}{untracked}{}",
        pending.checkpoint,
        pending.checkpoint_id,
        pending.chain,
        files.said().map(|s| format!(", {s}")).unwrap_or_default()
    ));
    let back: Vec<RefMove> = moves
        .iter()
        .filter(|m| !m.name.starts_with("refs/evolve/agent/"))
        .cloned()
        .collect();
    say(&format!("undo: {}", said::undo(&back)));
    say("next: git evolve reset");
}
