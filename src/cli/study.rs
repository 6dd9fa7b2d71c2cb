//! Chains of experiments measured, and laid out arm by arm: what `slope`, `compare` and `report`
//! look at.

pub(super) mod differences;
mod kept;
pub(super) mod quality;

use std::collections::BTreeMap;

pub(super) use kept::Kept;

use super::args::FormatArgs;
use super::at;
use super::measured::{self, Measuring};
use super::overview;
use super::series::Entry;
use super::session::Session;
use super::trends::Group;
use crate::error::Result;
use crate::ledger::{Chain, Chains};
use crate::measure::catalogue::Measure;
use crate::report::{Change, SettingsValues, Stamp};

/// The chains of experiments, measured.
pub(super) struct Gathered<'c> {
    /// By name; of several experiments with the experiment in front.
    pub arms: Vec<GatheredArm<'c>>,
    /// By what they were measured.
    pub stamp: Stamp,
    /// The settings' values; empty where they differ between chains.
    pub settings: SettingsValues,
    /// What a reader should know.
    pub remarks: Vec<String>,
}

/// The chains of one arm.
pub(super) struct GatheredArm<'c> {
    /// Its name.
    pub name: String,
    /// Its chains, in the order they were found in: by path.
    pub chains: Vec<GatheredChain<'c>>,
}

/// One chain.
pub(super) struct GatheredChain<'c> {
    /// The chain.
    pub chain: &'c Chain,
    /// Its checkpoints, oldest first.
    pub changes: Vec<Change>,
    /// What is kept of its records; `None` where no measure needed them.
    pub kept: Option<Kept>,
    /// What scores of whole chains need beside figures.
    pub work: quality::Work,
}

/// Measures all chains but those of references; `format` says where asides go.
///
/// # Errors
/// The repository or a configuration cannot be read.
pub(super) fn gather<'c>(
    session: &Session<'_>,
    chains: &'c Chains,
    measures: &[&'static Measure],
    paths: &[Vec<u8>],
    format: FormatArgs,
) -> Result<Gathered<'c>> {
    let mut measuring = Measuring::new(session, measures, paths.to_vec())?;
    let mut stamps: Vec<(Stamp, SettingsValues)> = Vec::new();
    let mut by_arm: BTreeMap<String, Vec<GatheredChain<'c>>> = BTreeMap::new();
    let mut remarks = Vec::new();
    for (arm, chain) in overview::of_arm(chains, None)? {
        let request = session.chain_request(chain, paths)?;
        let mut changes = measured::chain_changes(&mut measuring, chain, &request, |_| true)?;
        changes.reverse();
        stamps.push((session.stamp(&request), request.values));
        session.say_aside(format, &chain.label, &chain.notes);
        remarks.extend(chain.notes.iter().map(|n| format!("{}: {n}", chain.label)));
        let chains = by_arm.entry(arm).or_default();
        let evidence = measuring.take_evidence();
        chains.push(GatheredChain {
            chain,
            changes,
            kept: evidence.as_deref().map(Kept::of),
            work: quality::Work::of(evidence.as_deref()),
        });
    }
    measuring.finish();
    let (stamp, settings, mixed) = overview::shared(&stamps);
    remarks.extend(mixed);
    let arms = by_arm.into_iter();
    let arms: Vec<GatheredArm<'c>> = arms
        .map(|(name, chains)| GatheredArm { name, chains })
        .collect();
    let counts: Vec<String> = arms
        .iter()
        .map(|arm| format!("{} {}", arm.name, arm.chains.len()))
        .collect();
    remarks.push(format!("chains: {}", counts.join(", ")));
    let shown = || arms.iter().flat_map(|a| &a.chains).flat_map(|c| &c.changes);
    let firsts = measured::first_turns_of(shown());
    remarks.extend(at::remark(session.at, firsts, shown().count()));
    Ok(Gathered {
        arms,
        stamp,
        settings,
        remarks,
    })
}

impl Gathered<'_> {
    /// The arms as groups of series.
    pub(super) fn groups(&self) -> Vec<Group<'_>> {
        let line = |c: &'_ GatheredChain<'_>| c.chain.label.clone();
        let group = |arm: &'_ GatheredArm<'_>| arm.name.clone();
        self.arms
            .iter()
            .map(|arm| Group {
                name: group(arm),
                lines: arm
                    .chains
                    .iter()
                    .map(|c| (line(c), c.changes.iter().map(Entry::of_chain).collect()))
                    .collect(),
            })
            .collect()
    }
}
