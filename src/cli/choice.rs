//! Which measures were asked for.

use super::args::MetricsChoice;
use crate::error::{Error, Result};
use crate::history::Settings;
use crate::measure::catalogue::{self, Availability, Level, Measure};

/// What a log and slopes show where nothing is asked for.
pub(super) const DEFAULT: &str = "existing_fns_modified,fns_added,churn,net_cc,reedit_rate,erosion";

/// What `show` shows of one change: what was typed, else everything of the change and the tree
/// that this version computes and the settings allow for.
///
/// # Errors
/// A usage error for a word that names nothing.
pub(super) fn of_one_change(
    choice: &MetricsChoice,
    settings: &Settings,
) -> Result<Vec<&'static Measure>> {
    if choice.metrics.is_some() {
        return measures(choice, "");
    }
    let ours = |m: &&Measure| {
        [Level::Change, Level::State].contains(&m.level)
            && m.availability == Availability::Implemented
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
