//! Chains of experiments measured, and laid out arm by arm: what `slope`, `compare` and `report`
//! look at.

mod args;
mod chosen;
pub(super) mod differences;
mod figures;
mod kept;
mod layout;
mod pairs;
mod plans;
pub(super) mod quality;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) use kept::Kept;

use super::args::FormatArgs;
use super::at;
use super::measured::{self, Measuring};
use super::overview;
use super::series::Entry;
use super::session::Session;
use super::trends::Group;
use crate::error::{Error, Result};
use crate::ledger::{Chain, Chains};
use crate::measure::catalogue::Measure;
use crate::plan::Plan;
use crate::report::{Change, SettingsValues, Stamp};

pub(super) use args::{AttemptsWord, StudyArgs};
pub(super) use layout::lay_out;

/// The chains of experiments, measured.
pub(super) struct Gathered<'c> {
    /// By name, or in the order they were asked for; of several experiments with the experiment in
    /// front.
    pub arms: Vec<GatheredArm<'c>>,
    /// By what they were measured.
    pub stamp: Stamp,
    /// The settings' values; empty where they differ between chains.
    pub settings: SettingsValues,
    /// The chains of references.
    pub references: Vec<GatheredChain<'c>>,
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
    /// The plan it was run by, where a study asked for it and it is here.
    pub plan: Option<Arc<Plan>>,
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
    let mut by_name: BTreeMap<String, Vec<&'c Chain>> = BTreeMap::new();
    for (arm, chain) in overview::of_arm(chains, None)? {
        by_name.entry(arm).or_default().push(chain);
    }
    measured_arms(session, by_name, measures, paths, format)
}

/// Measures the chains of the arms that `args` name, and those of references, with their plans;
/// `measures` and what the scores of a study need.
///
/// # Errors
/// Usage in a repository without chains, and for an arm that has none; the repository or a
/// configuration cannot be read.
pub(super) fn collect<'c>(
    session: &Session<'_>,
    chains: &'c Chains,
    args: &StudyArgs,
    measures: &[&'static Measure],
    format: FormatArgs,
) -> Result<Gathered<'c>> {
    if chains.chains.is_empty() {
        return Err(
            Error::usage("this repository has no chains, and so no arms to compare").with_hint(
                "in a plain history `git evolve slope --by author` or `--by agent` compares whose changes do what",
            ),
        );
    }
    let paths = session.paths(&args.paths.paths)?;
    let arms = chosen::arms(chains, &args.arms)?;
    let mut wanted = measures.to_vec();
    let references = quality::references(session, chains, &paths, format)?;
    for measure in quality::needed(!references.is_empty()) {
        if !wanted.iter().any(|m| m.id == measure.id) {
            wanted.push(measure);
        }
    }
    let mut gathered = measured_arms(session, arms, &wanted, &paths, format)?;
    gathered.references = references;
    let mut plans = plans::Plans::default();
    for arm in &mut gathered.arms {
        for chain in &mut arm.chains {
            chain.plan = plans.of(session, chain.chain)?;
        }
    }
    gathered.remarks.extend(plans.remarks);
    Ok(gathered)
}

/// Measures the chains of `arms`.
fn measured_arms<'c>(
    session: &Session<'_>,
    arms: impl IntoIterator<Item = (String, Vec<&'c Chain>)>,
    measures: &[&'static Measure],
    paths: &[Vec<u8>],
    format: FormatArgs,
) -> Result<Gathered<'c>> {
    let mut measuring = Measuring::new(session, measures, paths.to_vec())?;
    let mut stamps: Vec<(Stamp, SettingsValues)> = Vec::new();
    let mut gathered = Vec::new();
    let mut remarks = Vec::new();
    for (name, of_arm) in arms {
        let mut chains = Vec::new();
        for chain in of_arm {
            let request = session.chain_request(chain, paths)?;
            let mut changes = measured::chain_changes(&mut measuring, chain, &request, |_| true)?;
            changes.reverse();
            stamps.push((session.stamp(&request), request.values));
            session.say_aside(format, &chain.label, &chain.notes);
            remarks.extend(chain.notes.iter().map(|n| format!("{}: {n}", chain.label)));
            let evidence = measuring.take_evidence();
            chains.push(GatheredChain {
                chain,
                changes,
                kept: evidence.as_deref().map(Kept::of),
                work: quality::Work::of(evidence.as_deref()),
                plan: None,
            });
        }
        gathered.push(GatheredArm { name, chains });
    }
    measuring.finish();
    let (stamp, settings, mixed) = overview::shared(&stamps);
    remarks.extend(mixed);
    let counts: Vec<String> = gathered
        .iter()
        .map(|arm| format!("{} {}", arm.name, arm.chains.len()))
        .collect();
    remarks.push(format!("chains: {}", counts.join(", ")));
    let shown = || {
        gathered
            .iter()
            .flat_map(|a| &a.chains)
            .flat_map(|c| &c.changes)
    };
    let firsts = measured::first_turns_of(shown());
    remarks.extend(at::remark(session.at, firsts, shown().count()));
    Ok(Gathered {
        arms: gathered,
        stamp,
        settings,
        references: Vec::new(),
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
