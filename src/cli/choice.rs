//! Which measures were asked for.

use super::args::MetricsChoice;
use crate::error::{Error, Result};
use crate::measure::catalogue::{self, Availability, Level, Measure};

/// What a log and slopes show where nothing is asked for.
pub(super) const DEFAULT: &str = "existing_fns_modified,fns_added,churn,net_cc,reedit_rate,erosion";

/// Of one change: what `show` shows where nothing is asked for.
pub(super) fn of_one_change() -> Vec<&'static Measure> {
    let ours = [Level::Change, Level::State];
    catalogue::all()
        .iter()
        .filter(|m| ours.contains(&m.level) && m.availability == Availability::Implemented)
        .collect()
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
