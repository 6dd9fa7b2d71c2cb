//! What is kept of a chain's records beyond its figures: the outcomes of its tests, compactly,
//! since whole test maps of every chain would fill the memory.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::ChainEvidence;
use crate::history::evidence::{Belongs, Verdict};
use crate::record::{Suite, TestOutcome};

/// The gates of one chain.
#[derive(Debug, Default)]
pub(in crate::cli) struct Kept {
    /// Ids of its tests, and what the plan says they are.
    pub tests: Vec<(String, Belongs)>,
    /// One a checkpoint that was reached, ascending; not the base's.
    pub gates: Vec<KeptGate>,
}

/// The gate of one checkpoint, suite acceptance.
#[derive(Debug)]
pub(in crate::cli) struct KeptGate {
    /// The checkpoint.
    pub checkpoint: u32,
    /// Whether it has a verdict.
    pub judged: bool,
    /// Place of a test, and its outcome.
    pub outcomes: Vec<(u32, TestOutcome)>,
}

impl Kept {
    /// What is kept of `evidence`.
    pub(in crate::cli) fn of(evidence: &ChainEvidence) -> Kept {
        let mut kept = Kept::default();
        let mut places = BTreeMap::<String, u32>::new();
        // What was run where the last change that builds was judged: all of it fails where the
        // next does not build.
        let mut last = BTreeSet::<u32>::new();
        for checkpoint in evidence.reached().filter(|k| *k > 0) {
            let verdict = evidence.verdict_at(checkpoint, Suite::Acceptance);
            let Verdict::Given(gate) = verdict else {
                kept.gates.push(KeptGate {
                    checkpoint,
                    judged: false,
                    outcomes: Vec::new(),
                });
                continue;
            };
            let mut outcomes = BTreeMap::new();
            for (id, joined) in &gate.tests {
                let place = match places.get(id) {
                    Some(place) => *place,
                    None => {
                        let place = u32::try_from(kept.tests.len()).unwrap_or(u32::MAX);
                        places.insert(id.clone(), place);
                        let belongs = evidence.belongs(id);
                        kept.tests.push((id.clone(), belongs));
                        place
                    }
                };
                let outcome = match gate.broken {
                    true => TestOutcome::Error,
                    false => joined.outcome(),
                };
                outcomes.insert(place, outcome);
            }
            match gate.broken {
                true => {
                    for place in &last {
                        outcomes.entry(*place).or_insert(TestOutcome::Error);
                    }
                }
                false => last = outcomes.keys().copied().collect(),
            }
            kept.gates.push(KeptGate {
                checkpoint,
                judged: true,
                outcomes: outcomes.into_iter().collect(),
            });
        }
        kept
    }
}
