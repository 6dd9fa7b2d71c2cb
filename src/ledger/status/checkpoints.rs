//! What was captured of each checkpoint of a chain, and what is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::{Placed, counts};
use crate::error::Result;
use crate::ledger::Chain;
use crate::record::{Body, Event, Kind, Purpose, Role};
use crate::repo::{Oid, Reader};

/// One checkpoint of a chain.
#[derive(Debug, Clone)]
pub struct CheckpointStatus {
    /// Its number.
    pub number: u32,
    /// Its id in the plan.
    pub id: String,
    /// The agent commit that counts.
    pub agent: Option<Oid>,
    /// The reset commit that closes it.
    pub reset: Option<Oid>,
    /// Agent commits that a later one replaces.
    pub superseded: usize,
    /// What was captured.
    pub captured: Captured,
    /// What is missing, in words: `record`, `reset record`, `envelope`, `tests`, `coverage`,
    /// `reset`, `agent commit`.
    pub missing: Vec<&'static str>,
    /// Records of it that wait in the spool.
    pub spooled: u64,
}

/// How many records there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Captured {
    /// Of its agent commit.
    pub checkpoint: u64,
    /// Of its reset commit.
    pub reset: u64,
    /// Sessions.
    pub envelope: u64,
    /// Gate runs.
    pub tests: u64,
    /// Coverage reports.
    pub coverage: u64,
    /// Payloads.
    pub raw: u64,
    /// Records of later schemas.
    pub newer: u64,
    /// Different attempts, failed ones included.
    pub attempts: u64,
    /// Records that a rewrite carried here.
    pub inherited: u64,
    /// Records that do not count: of another checkpoint, or of other files.
    pub not_counted: u64,
}

/// The checkpoints of `chain`, with what `placed` says of them.
///
/// # Errors
/// Commits that cannot be read.
pub(super) fn of(
    reader: &Reader,
    chain: &Chain,
    placed: &[Placed<'_>],
) -> Result<Vec<CheckpointStatus>> {
    let mut all = BTreeMap::<u32, CheckpointStatus>::new();
    for commit in &chain.line {
        if !matches!(commit.role, Role::Agent | Role::Reset | Role::Superseded) {
            continue;
        }
        let status = all
            .entry(commit.checkpoint)
            .or_insert_with(|| CheckpointStatus {
                number: commit.checkpoint,
                id: commit.checkpoint_id.clone(),
                agent: None,
                reset: None,
                superseded: 0,
                captured: Captured::default(),
                missing: Vec::new(),
                spooled: 0,
            });
        match commit.role {
            Role::Agent => {
                status.agent = Some(commit.id);
                // One before the agent commit that counts closed another.
                status.reset = None;
            }
            Role::Reset => status.reset = Some(commit.id),
            _ => status.superseded += 1,
        }
    }
    let mut attempts = BTreeMap::<u32, BTreeSet<&str>>::new();
    for one in placed {
        let commit = &chain.line[one.at];
        let record = one.stored.record();
        let number = match record.and_then(|r| r.head.for_checkpoint) {
            Some(spoken_of) => spoken_of,
            None => commit.checkpoint,
        };
        let Some(status) = all.get_mut(&number) else {
            continue;
        };
        status.spooled += u64::from(one.stored.spooled && !one.stored.local);
        let captured = &mut status.captured;
        let Some(record) = record else {
            captured.newer += 1;
            continue;
        };
        // What a later attempt replaced counts for nothing but what it cost.
        let replaced = commit.role == Role::Superseded && one.kind != Kind::Envelope;
        let inherited = record.head.commit.as_str() != commit.id.to_string();
        let tree = match inherited {
            true => Some(reader.commit(commit.id)?.tree.to_string()),
            false => None,
        };
        if replaced || !counts(record, chain, one.at, tree.as_deref()) {
            captured.not_counted += 1;
            continue;
        }
        captured.inherited += u64::from(inherited);
        // Probes and sessions for nothing are no tries at the checkpoint.
        let tried = match &record.body {
            Body::Envelope(e) => !matches!(e.purpose, Purpose::Probe | Purpose::Noop),
            _ => one.kind != Kind::Raw,
        };
        if let Some(attempt) = record.head.attempt.as_ref().filter(|_| tried) {
            let attempts = attempts.entry(number).or_default();
            attempts.insert(attempt.as_str());
        }
        match (&record.body, one.kind) {
            (Body::Checkpoint(c), _) => match (c.event, commit.role) {
                (Event::Reset, _) | (Event::Adopt, Role::Reset) => captured.reset += 1,
                _ => captured.checkpoint += 1,
            },
            (_, Kind::Envelope) => captured.envelope += 1,
            (_, Kind::Tests) => captured.tests += 1,
            (_, Kind::Coverage) => captured.coverage += 1,
            (_, Kind::Raw | Kind::Checkpoint) => captured.raw += 1,
        }
    }
    for (number, attempts) in attempts {
        if let Some(status) = all.get_mut(&number) {
            status.captured.attempts = attempts.len() as u64;
        }
    }
    // Coverage is asked of none, or of all.
    let with_coverage = all.values().any(|s| s.captured.coverage > 0);
    for status in all.values_mut() {
        status.missing = missing(status, with_coverage);
    }
    Ok(all.into_values().collect())
}

fn missing(status: &CheckpointStatus, with_coverage: bool) -> Vec<&'static str> {
    let captured = &status.captured;
    let mut missing = Vec::new();
    if status.agent.is_none() {
        missing.push("agent commit");
    } else if captured.checkpoint == 0 {
        missing.push("record");
    }
    if captured.envelope == 0 {
        missing.push("envelope");
    }
    if captured.tests == 0 {
        missing.push("tests");
    }
    if with_coverage && captured.coverage == 0 {
        missing.push("coverage");
    }
    match (status.reset, captured.reset) {
        (None, _) => missing.push("reset"),
        (Some(_), 0) => missing.push("reset record"),
        _ => {}
    }
    missing
}
