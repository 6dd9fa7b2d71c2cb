//! The chains of a run repository: picked by name or arm, measured, shown one row each.

use super::args::FormatArgs;
use super::log::no_such;
use super::measured::{self, Measuring};
use super::output::say;
use super::series::{self, Entry};
use super::session::{Done, Session};
use crate::error::Result;
use crate::harness;
use crate::ledger::{Chain, Chains};
use crate::measure::catalogue::Measure;
use crate::report::{ChainRow, ChainsView, SettingsValues, Stamp, counted, write_chains};
use crate::stats::{self, Options, Series};

/// The chain that is shown as `name`, or the only one of that path.
///
/// # Errors
/// A usage error where there is none, or several; unavailable where it is recorded and its commits
/// are not to be found.
pub(super) fn named<'a>(chains: &'a Chains, name: &'a str) -> Result<&'a Chain> {
    let mut found = chains.named(name);
    let labels = || {
        chains
            .chains
            .iter()
            .map(|c| c.label.clone())
            .collect::<Vec<_>>()
    };
    match (found.next(), found.next()) {
        (Some(chain), None) => Ok(chain),
        (Some(_), Some(_)) => Err(
            crate::Error::usage(format!("several chains are called {name}"))
                .with_hint(format!("name one of them: {}", labels().join(", "))),
        ),
        (None, _) if chains.is_recorded(name) => Err(crate::Error::unavailable(format!(
            "chain {name} is recorded, and no ref leads to any commit of it"
        ))
        .with_hint(format!(
            "`git evolve reconcile {name}` says what of it is still here"
        ))),
        (None, _) => Err(no_such("chain", name, &labels())),
    }
}

/// The name of a chain's arm: with the experiment in front where there are several.
pub(super) fn arm_of(chains: &Chains, chain: &Chain) -> String {
    let first = chains.chains.first().map(|c| &c.path.experiment);
    if chains
        .chains
        .iter()
        .all(|c| Some(&c.path.experiment) == first)
    {
        chain.path.arm.clone()
    } else {
        format!("{}/{}", chain.path.experiment, chain.path.arm)
    }
}

/// All chains, or those of one arm, with the arm each is grouped under.
///
/// # Errors
/// A usage error where the arm has none.
pub(super) fn of_arm<'a>(
    chains: &'a Chains,
    arm: Option<&str>,
) -> Result<Vec<(String, &'a Chain)>> {
    let all = chains.chains.iter().map(|c| (arm_of(chains, c), c));
    let Some(arm) = arm else {
        let (references, others): (Vec<_>, Vec<_>) =
            all.partition(|(_, c)| c.path.arm == harness::REFERENCE);
        // A known good solution is nobody's attempt: it stands beside arms where it is asked for.
        if others.is_empty() {
            return Ok(references);
        }
        if !references.is_empty() {
            say(&format!(
                "{} left out: `git evolve log --arm {}` shows them",
                counted(
                    references.len() as u64,
                    "chain of a reference is",
                    "chains of references are"
                ),
                harness::REFERENCE
            ));
        }
        return Ok(others);
    };
    let mut known: Vec<String> = all.clone().map(|(a, _)| a).collect();
    let chosen: Vec<_> = all.filter(|(a, c)| a == arm || c.path.arm == arm).collect();
    if chosen.is_empty() {
        known.dedup();
        return Err(no_such("arm", arm, &known));
    }
    Ok(chosen)
}

/// Stamp and values where all chains were measured under the same settings; else a stamp that
/// says `mixed` and the remark that goes with it.
pub(super) fn shared(
    stamps: &[(Stamp, SettingsValues)],
) -> (Stamp, SettingsValues, Option<String>) {
    let Some((first, values)) = stamps.first() else {
        return (super::session::stamp("none"), SettingsValues::new(), None);
    };
    if stamps.iter().all(|(s, _)| s.config == first.config) {
        return (first.clone(), values.clone(), None);
    }
    let mut digests: Vec<&str> = stamps.iter().map(|(s, _)| s.config.as_str()).collect();
    digests.sort_unstable();
    digests.dedup();
    let remark = format!(
        "chains were measured under {} configurations ({}); --config FILE measures all alike",
        digests.len(),
        digests.join(", ")
    );
    (
        super::session::stamp("mixed"),
        SettingsValues::new(),
        Some(remark),
    )
}

/// Measures the chains and prints one row each.
///
/// # Errors
/// The repository cannot be read.
pub(super) fn print(
    session: &Session<'_>,
    chosen: &[(String, &Chain)],
    measures: &[&'static Measure],
    paths: Vec<Vec<u8>>,
    format: FormatArgs,
) -> Result<Done> {
    let mut measuring = Measuring::new(session, measures, paths.clone())?;
    let mut rows = Vec::new();
    let mut stamps = Vec::new();
    let mut remarks = Vec::new();
    for (arm, chain) in chosen {
        let request = session.chain_request(chain, &paths)?;
        let changes = measured::chain_changes(&mut measuring, chain, &request, |_| true)?;
        let stamp = session.stamp(&request);
        stamps.push((stamp.clone(), request.values));
        let entries: Vec<Entry<'_>> = changes.iter().rev().map(Entry::of_chain).collect();
        let trend = |m: &&'static Measure| {
            let points = series::shown(m, &entries);
            let chain = chain.label.clone();
            stats::trend(&[Series { chain, points }], &Options::default())
        };
        let trends = measures.iter().map(trend).collect();
        session.say_aside(format, &chain.label, &chain.notes);
        remarks.extend(chain.notes.iter().map(|n| format!("{}: {n}", chain.label)));
        rows.push(ChainRow {
            stamp,
            label: chain.label.clone(),
            experiment: chain.path.experiment.clone(),
            arm: arm.clone(),
            task: chain.path.task.clone(),
            chain: chain.path.chain,
            changes,
            trends,
        });
    }
    measuring.finish();
    let (stamp, settings, mixed) = shared(&stamps);
    remarks.extend(mixed);
    if let Some(row) = rows.first() {
        remarks.push(format!(
            "first → last checkpoint, slope per checkpoint. One chain: `git evolve log --chain {}`. \
             One arm: `--arm {}`. HEAD's own line: `git evolve log HEAD`",
            row.label, row.arm
        ));
    }
    let shown = || rows.iter().flat_map(|r| &r.changes);
    let firsts = measured::first_turns_of(shown());
    remarks.extend(super::at::remark(session.at, firsts, shown().count()));
    let view = ChainsView {
        stamp: &stamp,
        settings: &settings,
        measures,
        chains: &rows,
        remarks: &remarks,
    };
    let mut out = Vec::new();
    write_chains(&mut out, &view, session.output.layout(format))?;
    session
        .output
        .data(&out, session.output.layout(format).format)?;
    let changes = rows.iter().flat_map(|r| &r.changes);
    let (unknown, asked) = measured::unknown(changes.flat_map(|c| c.figures.iter().map(|f| &*f.1)));
    Ok(session.done(unknown, asked))
}
