//! Which measures were asked for.

use super::args::MetricsChoice;
use super::session::Session;
use crate::error::{Error, Result};
use crate::history::Settings;
use crate::ledger::Chain;
use crate::measure::catalogue::{self, Availability, Level, Measure};
use crate::record::Kind;

/// What a log and slopes show where nothing is asked for.
pub(super) const DEFAULT: &str = "existing_fns_modified,fns_added,churn,net_cc,reedit_rate,erosion";

/// The same of a chain whose gates are recorded: what they said stands first.
const GATED: &str = "outcome,regressions,existing_fns_modified,churn,net_cc,reedit_rate";

/// The measures typed; else what a log shows of a chain, or of a plain history.
///
/// # Errors
/// A usage error for a word that names nothing; records that cannot be read.
pub(super) fn of_line(
    choice: &MetricsChoice,
    session: &Session<'_>,
    chain: Option<&Chain>,
) -> Result<Vec<&'static Measure>> {
    let gated = match chain {
        Some(chain) if choice.metrics.is_none() => session.is_gated(chain)?,
        _ => false,
    };
    measures(choice, if gated { GATED } else { DEFAULT })
}

/// What `show` shows of one change: what was typed, else everything of the change and the tree
/// that this version computes and the settings allow for, and what records of its chain tell.
///
/// # Errors
/// A usage error for a word that names nothing.
pub(super) fn of_one_change(
    choice: &MetricsChoice,
    settings: &Settings,
    recorded: &[Kind],
) -> Result<Vec<&'static Measure>> {
    if choice.metrics.is_some() {
        return measures(choice, "");
    }
    let ours = |m: &&Measure| {
        let told = match m.level {
            Level::Change | Level::State => true,
            Level::Tests => recorded.contains(&Kind::Tests),
            Level::Process => recorded.contains(&Kind::Envelope),
            Level::Chain => false,
        };
        told && m.availability == Availability::Implemented
            && (settings.entry.is_some() || !m.needs_entry)
    };
    Ok(catalogue::all().iter().filter(ours).collect())
}

/// The measures typed, or those of `default`.
///
/// # Errors
/// A usage error for a word that names nothing.
pub(super) fn measures(choice: &MetricsChoice, default: &str) -> Result<Vec<&'static Measure>> {
    catalogue::select(choice.metrics.as_deref().unwrap_or(default))
}

/// The same where only what a change did can be asked: state is nobody's alone.
///
/// # Errors
/// A usage error for a measure of another level that was named.
pub(super) fn change_measures(choice: &MetricsChoice) -> Result<Vec<&'static Measure>> {
    let chosen = measures(choice, DEFAULT)?;
    let (of_change, others): (Vec<&'static Measure>, Vec<&'static Measure>) =
        chosen.into_iter().partition(|m| m.level == Level::Change);
    match others.first() {
        Some(other) if of_change.is_empty() => Err(Error::usage(format!(
            "{} is of level {}, and --by author and --by agent compare changes",
            other.id,
            other.level.word()
        ))
        .with_hint("measures of level change can be asked: `--metrics change`")),
        _ => Ok(of_change),
    }
}
