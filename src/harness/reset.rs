//! `reset`: what the experiment owns is put back, in a commit of its own behind the agent's.

use std::collections::BTreeSet;
use std::ffi::OsString;

use super::controls::Controls;
use super::own_work::chain_moves;
use super::pending::{InHand, Move, Pending, Phase, Surroundings, named, oid};
use super::workplace::{Say, Workplace, fault};
use super::written::Written;
use super::{Place, put_back, reset_message, said};
use crate::error::{Error, Result};
use crate::ledger::{self, ChainTrailers};
use crate::record::{Body, Checkpoint, Event, Moment, PathName, RecordId, Role};
use crate::repo::{Delta, Oid, Reader, RefMove, Repo, TreePath};

/// What is to be put back.
#[derive(Debug, Clone, Default)]
pub struct Reset {
    /// Where from; else what the base's plan says.
    pub from: Option<String>,
    /// What, of `from`.
    pub pathspecs: Vec<OsString>,
}

/// Makes the reset commit behind the agent commit, and puts index and files there. One that is
/// there already is said.
///
/// # Errors
/// Usage where HEAD is not on an agent commit of its chain's branch, the checkpoint is not
/// recorded, or a path that would be written has changes that are not committed; git where
/// something cannot be written. Nothing is changed then.
pub fn reset(repo: &Repo, asked: &Reset, say: Say<'_>) -> Result<()> {
    let mut place = Workplace::open(repo, say)?;
    let reader = place.reader()?;
    let tip = place.head()?;
    let Some(stand) = stand(&place, &reader, tip)? else {
        say(&format!(
            "{} is a reset commit: what the experiment owns is put back already",
            tip.short()
        ));
        say("next: git evolve begin CHAIN CHECKPOINT");
        return Ok(());
    };
    place.require_quiet()?;
    let tip_tree = reader.commit(tip)?.tree;
    let (back, source) = match &asked.from {
        Some(from) => typed(&place, &reader, tip_tree, from, &asked.pathspecs)?,
        None => declared(&reader, tip_tree, oid(&stand.base)?, say)?,
    };
    let back = put_back::made_room(&reader, tip_tree, back)?;
    require_untouched(&place, &back)?;
    let tree = put_back::tree(repo, &reader, tip_tree, &back)?;
    let path = stand.path()?;
    let shown = put_back::shown(&back);
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    let message = reset_message(
        Place {
            path: &path,
            checkpoint: stand.checkpoint,
            id: &stand.checkpoint_id,
        },
        &shown,
    );
    let commit = repo.commit_tree(tree, tip, &message)?;
    let mut written = Written::on(Written::head(
        (&path, &stand.begin),
        (stand.checkpoint, &stand.checkpoint_id, Role::Reset),
        (commit, tree, Some(tip)),
        stand.attempt.as_ref(),
    ));
    let mut checkpoint = Checkpoint::of(Event::Reset);
    checkpoint.ended = Some(Moment::now());
    let specs = asked.pathspecs.iter();
    let specs = specs.map(|s| s.to_string_lossy().into_owned()).collect();
    let restored = put_back::restored(&back, (source.from, source.by), specs);
    checkpoint.restored = Some(match &source.controls {
        Some(controls) => put_back::ruled(restored, controls),
        None => restored,
    });
    let record = written.add(Body::from(checkpoint))?;
    let moves = chain_moves(&reader, &stand, tip, commit)?;
    let hand = InHand {
        record: Some(record),
        on: None,
        commit: named(commit),
        moves: moves.iter().filter_map(Move::of).collect(),
        paths: back.iter().map(|d| PathName::of(&d.path)).collect(),
    };
    let mut pending = stand;
    pending.phase = Phase::Resetting;
    let (number, chain) = (pending.checkpoint, pending.chain.clone());
    place.take_in_hand(pending, hand)?;
    fault("pending");
    let done = ledger::append(repo, written.batch())?;
    done.remarks.iter().for_each(|r| say(r));
    fault("notes");
    place.complete(say)?;
    if place.pending.is_some() || place.head()? != commit {
        return Err(Error::git(format!(
            "resetting {chain}: its branch moved meanwhile and was left as it is"
        ))
        .with_hint("try again"));
    }
    told(number, &chain, (tip, commit), &back, &moves, say);
    Ok(())
}

/// What is to be reset; `None` where HEAD is a reset commit already.
fn stand(place: &Workplace<'_>, reader: &Reader, tip: Oid) -> Result<Option<Pending>> {
    let branch = place.work.branch()?;
    let Some(branch) = branch.filter(|b| b.starts_with("refs/heads/evolve/")) else {
        return Err(
            Error::usage("HEAD is not on the branch of a chain; nothing was changed").with_hint(
                match &place.pending {
                    Some(p) => format!("git switch {}", p.short_branch()),
                    None => "`git switch evolve/<chain>` first".to_owned(),
                },
            ),
        );
    };
    if let Some(pending) = place.pending.as_ref().filter(|p| p.phase == Phase::Begun) {
        return Err(Error::usage(format!(
            "checkpoint {} of {} is not recorded yet",
            pending.checkpoint, pending.chain
        ))
        .with_hint("`git evolve record` comes first"));
    }
    let trailers = ChainTrailers::read(&reader.commit(tip)?.message);
    match trailers.as_ref().map(|t| t.role) {
        Some(Role::Reset) => return Ok(None),
        Some(Role::Agent) => {}
        _ => {
            return Err(Error::usage(format!(
                "{} is no agent commit: there is nothing to put back",
                tip.short()
            ))
            .with_hint("a reset stands right behind the agent commit of a checkpoint"));
        }
    }
    if let Some(pending) = &place.pending
        && pending.branch == branch
        && pending.agent.as_ref().map(oid).transpose()? == Some(tip)
    {
        return Ok(Some(pending.clone()));
    }
    let chains = ledger::chains(reader)?;
    let found = chains.chain_of(tip).filter(|(c, _)| {
        branch.strip_prefix("refs/heads/evolve/") == Some(c.path.to_string().as_str())
    });
    let (chain, at) = found.ok_or_else(|| {
        Error::usage(format!(
            "{} is on no line that counts of this branch's chain",
            tip.short()
        ))
        .with_hint("`git evolve status` says what is known of it")
    })?;
    let commit = &chain.line[at];
    let parent = reader.commit(tip)?.parents.first().copied();
    Ok(Some(Pending {
        chain: chain.path.to_string(),
        begin: RecordId::parse(&chain.begin).ok_or_else(|| {
            Error::git(format!("chain {} has no well-formed identity", chain.label))
        })?,
        checkpoint: commit.checkpoint,
        checkpoint_id: commit.checkpoint_id.clone(),
        branch,
        base: named(chain.base),
        parent: named(parent.unwrap_or(chain.base)),
        attempt: None,
        started: Moment::now(),
        untracked_before: Vec::new(),
        untracked_count: 0,
        surroundings: Surroundings::default(),
        agent: Some(named(tip)),
        phase: Phase::Recorded,
        in_hand: None,
    }))
}

/// Where the paths come from, and who says so.
struct Source {
    from: Oid,
    by: &'static str,
    /// What the base's plan owns.
    controls: Option<Controls>,
}

/// What was typed: paths as another tree has them.
fn typed(
    place: &Workplace<'_>,
    reader: &Reader,
    tip_tree: Oid,
    from: &str,
    pathspecs: &[OsString],
) -> Result<(Vec<Delta>, Source)> {
    let (tree, commit) = reader.tree_at(from)?;
    if pathspecs.is_empty() {
        return Err(Error::usage(
            "--from needs paths: git evolve reset --from TREE-ISH -- PATHSPEC…",
        ));
    }
    for spec in pathspecs {
        if !place.work.means_anything(tree, spec)? {
            return Err(Error::usage(format!(
                "'{}' matches nothing, here or in {from}",
                spec.to_string_lossy()
            )));
        }
    }
    let back = place.work.between(tip_tree, tree, pathspecs)?;
    let source = Source {
        from: commit.unwrap_or(tree),
        by: "pathspec",
        controls: None,
    };
    Ok((back, source))
}

/// What the base's plan declares.
fn declared(
    reader: &Reader,
    tip_tree: Oid,
    base: Oid,
    say: Say<'_>,
) -> Result<(Vec<Delta>, Source)> {
    let base_tree = reader.commit(base)?.tree;
    let controls = Controls::of_tree(reader, base_tree)?;
    let back = match &controls {
        Some(controls) => put_back::owned(reader, controls, tip_tree, base_tree)?,
        None => {
            say("the base's evolve.toml declares no [controls]: nothing is put back");
            Vec::new()
        }
    };
    let source = Source {
        from: base,
        by: "controls",
        controls,
    };
    Ok((back, source))
}

/// That no path which would be written has changes that are not committed.
fn require_untouched(place: &Workplace<'_>, back: &[Delta]) -> Result<()> {
    if back.is_empty() {
        return Ok(());
    }
    let status = place.work.status()?;
    let written: BTreeSet<&TreePath> = back.iter().map(|d| &d.path).collect();
    let mut touched: Vec<TreePath> = Vec::new();
    for path in status
        .tracked
        .iter()
        .chain(&status.unmerged)
        .chain(&status.untracked)
    {
        if written.contains(path) {
            touched.push(path.clone());
        }
    }
    // An ignored file where a path comes back is in nobody's list; what lies in a folder that
    // makes room for a file goes with it.
    for delta in back.iter().filter(|d| d.old.is_none()) {
        let there = place.work.on_disk(&delta.path)?.symlink_metadata();
        match there {
            Ok(meta) if meta.is_dir() => {
                let inside = |p: &&TreePath| put_back::is_below(p, &delta.path);
                touched.extend(status.untracked.iter().filter(inside).cloned());
            }
            Ok(_) if !touched.contains(&delta.path) => touched.push(delta.path.clone()),
            _ => {}
        }
    }
    if touched.is_empty() {
        return Ok(());
    }
    touched.sort();
    Err(Error::usage(format!(
        "not committed: {}; the reset would write over it; nothing was changed",
        said::paths(&touched, 5)
    ))
    .with_hint("commit, stash or remove it first"))
}

fn told(
    checkpoint: u32,
    chain: &str,
    (tip, commit): (Oid, Oid),
    back: &[Delta],
    moves: &[RefMove],
    say: Say<'_>,
) {
    let paths: Vec<TreePath> = back.iter().map(|d| d.path.clone()).collect();
    say(&match paths.len() {
        0 => format!("reset checkpoint {checkpoint} of {chain} as {commit}: nothing to put back"),
        n => format!(
            "reset checkpoint {checkpoint} of {chain} as {commit}: put back {}: {}",
            said::count(n, "path", "paths"),
            said::paths(&paths, 20)
        ),
    });
    let kept: Vec<RefMove> = moves
        .iter()
        .filter(|m| !m.name.starts_with("refs/heads/"))
        .cloned()
        .collect();
    let also = match kept.is_empty() {
        true => String::new(),
        false => format!(" && {}", said::undo(&kept)),
    };
    say(&format!("undo: git reset --keep {tip}{also}"));
    say(&format!(
        "next: git evolve begin {chain} {}",
        checkpoint.saturating_add(1)
    ));
}
