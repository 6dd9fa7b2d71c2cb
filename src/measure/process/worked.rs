//! What scores of whole chains take out of the records beside figures of single changes.

use super::figures::{self, Which};
use super::told::Count;
use crate::history::evidence::{ChainEvidence, CheckpointEvidence, SessionEvidence};
use crate::record::{Kind, Purpose};

/// What the work at one checkpoint took, as far as no measure of a change says it. What is not
/// known holds its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Worked {
    /// All tokens (read, written and generated) of the attempt that made the agent commit.
    pub tokens: Result<f64, String>,
    /// The same of every attempt.
    pub tokens_all: Result<f64, String>,
    /// Milliseconds between consecutive messages of the attempt that made the agent commit.
    pub latencies: Result<Vec<f64>, String>,
}

/// What the records say of the work at checkpoint `number`.
pub fn worked(evidence: &ChainEvidence, number: u32) -> Worked {
    let tokens = |which| {
        let (evidence, all) = figures::sessions_at(evidence, number, which)?;
        tokens(evidence, &all)
    };
    Worked {
        tokens: tokens(Which::Made),
        tokens_all: tokens(Which::All),
        latencies: figures::sessions_at(evidence, number, Which::Made).and_then(figures::latencies),
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens stay far below 2^53")]
fn tokens(evidence: &ChainEvidence, sessions: &[&SessionEvidence]) -> Result<f64, String> {
    figures::total(evidence, sessions, Count::Tokens).map(|tokens| tokens as f64)
}

/// What was spent on checkpoints that were tried and never reached: US dollars and tokens, 0
/// where there is none.
pub fn unreached(evidence: &ChainEvidence) -> (Result<f64, String>, Result<f64, String>) {
    let lost = |c: &&CheckpointEvidence| c.checkpoint > 0 && c.commit.is_none();
    let lost: Vec<&CheckpointEvidence> = evidence.checkpoints.iter().filter(lost).collect();
    if let Some(why) = lost.iter().find_map(|c| c.doubtful.get(&Kind::Envelope)) {
        return (Err(why.clone()), Err(why.clone()));
    }
    let tries: Vec<&SessionEvidence> = lost
        .iter()
        .flat_map(|c| &c.sessions)
        .filter(|s| s.purpose == Purpose::Implement)
        .collect();
    if tries.is_empty() {
        return (Ok(0.0), Ok(0.0));
    }
    (
        figures::reported(evidence, &tries).map(|usd| usd.number()),
        tokens(evidence, &tries),
    )
}
