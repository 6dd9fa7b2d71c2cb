//! Doing what was proposed: notes first, then refs.

use super::{Action, Adoption, Plan};
use crate::error::{Error, Result};
use crate::ledger::{Addition, append_lines};
use crate::record::mask::Masker;
use crate::record::{
    Body, Checkpoint, Event, Head, Kind, Moment, ObjectName, Record, RecordId, TOOL,
};
use crate::repo::{Oid, Outcome, Reader, RefMove, Repo};

/// What was done.
#[derive(Debug, Clone, Default)]
pub struct Applied {
    /// Lines that stand in the notes now.
    pub lines: usize,
    /// Refs that were made or moved.
    pub moved: Vec<RefMove>,
    /// What a user should know.
    pub remarks: Vec<String>,
}

/// Does what `plan` proposes.
///
/// # Errors
/// Git where notes or refs could not be written; what was written of it stays and is not done
/// twice.
pub fn apply(repo: &Repo, reader: &Reader, plan: &Plan) -> Result<Applied> {
    let mut additions = Vec::new();
    let mut moves = Vec::<RefMove>::new();
    for action in plan.items.iter().flat_map(|item| &item.actions) {
        match action {
            Action::Carry { to, lines } => {
                for (kind, stored) in lines {
                    additions.push(Addition {
                        kind: *kind,
                        target: *to,
                        line: stored.line(reader)?,
                    });
                }
            }
            Action::Adopt(adoption) => additions.push(recorded(reader, adoption)?),
            Action::Move(to) => {
                if !moves.iter().any(|m| m.name == to.name) {
                    moves.push(to.clone());
                }
            }
        }
    }
    let mut applied = Applied::default();
    if !additions.is_empty() {
        let written = append_lines(repo, additions, Vec::new())?;
        applied.lines = written.lines;
        applied.remarks = written.remarks;
    }
    match repo.transact(&moves, "evolve reconcile")? {
        Outcome::Moved => applied.moved = moves,
        outcome => {
            let why = outcome.obstacle().unwrap_or_default();
            return Err(
                Error::git(format!("keeping what was found: {why}")).with_hint(
                    "the records are written; `git evolve reconcile --apply` does the rest",
                ),
            );
        }
    }
    Ok(applied)
}

/// The adoption as a line for its commit.
fn recorded(reader: &Reader, adoption: &Adoption) -> Result<Addition> {
    let commit = reader.commit(adoption.to)?;
    let mut says = Checkpoint::of(Event::Adopt);
    says.adopts = Some(name(adoption.adopts)?);
    let record = Record {
        head: Head {
            id: RecordId::new(),
            at: Moment::now(),
            tool: TOOL.to_owned(),
            chain: adoption.chain.clone(),
            begin: adoption.begin.clone(),
            checkpoint: adoption.checkpoint,
            checkpoint_id: adoption.checkpoint_id.clone(),
            role: adoption.role,
            commit: name(adoption.to)?,
            tree: name(commit.tree)?,
            parent: commit.parents.first().map(|p| name(*p)).transpose()?,
            for_checkpoint: None,
            attempt: None,
        },
        body: Body::from(says),
        masked: Vec::new(),
    };
    Ok(Addition {
        kind: Kind::Checkpoint,
        target: adoption.to,
        line: record.line(&Masker::general())?.bytes().to_vec(),
    })
}

fn name(id: Oid) -> Result<ObjectName> {
    ObjectName::parse(&id.to_string())
        .ok_or_else(|| Error::internal(format!("{id} is no object id of either hash")))
}
