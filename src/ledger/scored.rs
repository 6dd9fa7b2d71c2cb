//! Under which configuration a chain is scored: the one that its records name.

use std::collections::BTreeSet;

use super::chains::numbered;
use super::{Chain, ChainCommit, Recorded, Sitting};
use crate::record::{Configuration, Role};

/// The configuration that rules over a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scored {
    /// The note.
    pub config: Configuration,
    /// The checkpoint whose record names it; 0 for the base.
    pub checkpoint: u32,
    /// Other checkpoints that name another one, ascending, where there are such.
    pub others: Vec<u32>,
}

impl Scored {
    /// What is to be said where the checkpoints of a chain name several configurations.
    pub fn remark(&self) -> Option<String> {
        (!self.others.is_empty()).then(|| {
            format!(
                "scored under the configuration of checkpoint {} ({}); {} had another",
                self.checkpoint,
                short(&self.config),
                numbered(&self.others),
            )
        })
    }
}

/// The first seven digits of a configuration's blob.
fn short(config: &Configuration) -> String {
    config.blob.as_str().chars().take(7).collect()
}

/// The configuration that the newest record (by id) on the last agent commit of `chain` names,
/// or, where none on it does, on an earlier one, at last on the base. `None` where no record
/// names any.
pub fn scored(chain: &Chain, recorded: &Recorded) -> Option<Scored> {
    let of = |c: &ChainCommit| {
        let checkpoint = c.checkpoint;
        let here = recorded.of_chain_on(c.id, &chain.begin);
        here.filter(|s| s.head.checkpoint == checkpoint)
            .filter_map(|s: &Sitting| s.says.config.clone())
            .last()
    };
    let newest_first = chain.line.iter().rev();
    let named: Vec<(u32, Configuration)> = newest_first
        .filter(|c| matches!(c.role, Role::Agent | Role::Base))
        .filter_map(|c| Some((c.checkpoint, of(c)?)))
        .collect();
    let (checkpoint, config) = named.first().cloned()?;
    let others: BTreeSet<u32> = named
        .into_iter()
        .filter(|(k, other)| *k != 0 && *other != config)
        .map(|(k, _)| k)
        .collect();
    Some(Scored {
        config,
        checkpoint,
        others: others.into_iter().collect(),
    })
}
