//! What is in hand once records are on their way: the refs that move then, from wherever an
//! interrupted command left them.

use std::time::Instant;

use super::pending::{InHand, oid};
use super::workplace::Say;
use crate::error::{Error, Result};
use crate::record::{Kind, ReadLine, RecordId, read_line, sheet};
use crate::repo::{Lock, Oid, Outcome, Pause, Reader, RefMove, Repo};

/// The notes of checkpoints, and those of sessions, either of which may hold what goes first.
const NOTES: [(&str, Kind); 2] = [
    ("refs/notes/evolve/checkpoint", Kind::Checkpoint),
    ("refs/notes/evolve/envelope", Kind::Envelope),
];

/// Whether the record that goes before everything else is there.
///
/// # Errors
/// Git where notes cannot be read.
pub(super) fn is_written(reader: &Reader, hand: &InHand) -> Result<bool> {
    let Some(record) = &hand.record else {
        return Ok(true);
    };
    // What is attached to another commit than the one that was made says so.
    let on = hand.on.as_ref().unwrap_or(&hand.commit);
    holds_record(reader, oid(on)?, record)
}

/// Moves what has not moved yet, as `what` is done in `chain`; false where a ref went elsewhere
/// meanwhile.
///
/// # Errors
/// Git where the refs cannot be read, or are locked for too long.
pub(super) fn move_refs(
    repo: &Repo,
    hand: &InHand,
    (chain, what): (&str, &str),
    say: Say<'_>,
) -> Result<bool> {
    let reader = repo.reader()?;
    let mut left = Vec::new();
    for step in &hand.moves {
        let step = step.to_ref_move()?;
        let now = reader.reference(&step.name)?;
        if now == step.new {
            continue;
        }
        if now != step.old {
            say(&elsewhere(&step, now));
            return Ok(false);
        }
        left.push(step);
    }
    let reason = format!("evolve: {chain} {what}");
    let deadline = Instant::now() + repo.lock_timeout()?;
    let mut pause = Pause::until(deadline);
    loop {
        match repo.transact(&left, &reason)? {
            Outcome::Moved => return Ok(true),
            Outcome::Lost => {
                say("a ref of this chain was moved by another command meanwhile");
                return Ok(false);
            }
            outcome @ Outcome::Locked { .. } => {
                let names = left.iter().map(|m| m.name.as_str());
                let stale = Lock::take(repo, deadline)?.clear_stale(names)?;
                stale.iter().for_each(|s| say(&s.remark()));
                if stale.is_empty() && !pause.rest() {
                    let obstacle = outcome.obstacle().unwrap_or_default();
                    return Err(
                        Error::git(format!("moving the refs of {chain}: {obstacle}")).with_hint(
                            "the record is written; the next `git evolve` command that writes \
                             completes the rest",
                        ),
                    );
                }
            }
        }
    }
}

/// Whether the notes of `commit` hold the record `id`.
fn holds_record(reader: &Reader, commit: Oid, id: &RecordId) -> Result<bool> {
    let mut bytes = Vec::new();
    for (name, kind) in NOTES {
        let Some(notes) = reader.reference(name)? else {
            continue;
        };
        for blob in reader.note(notes, commit)? {
            reader.blob(blob, &mut bytes)?;
            let found = sheet::lines(&bytes).any(
                |line| matches!(read_line(kind, line), ReadLine::Known(r) if r.head.id == *id),
            );
            if found {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn elsewhere(step: &RefMove, now: Option<Oid>) -> String {
    let shown = |id: Option<Oid>| id.map_or("nothing".to_owned(), |id| id.short());
    format!(
        "{} names {} and not {}: what was interrupted is not completed",
        step.name,
        shown(now),
        shown(step.old)
    )
}
