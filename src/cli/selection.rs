//! Typed words that pick changes, turned into a range.

use std::time::{SystemTime, UNIX_EPOCH};

use super::args::SelectArgs;
use super::measured::Wanted;
use super::revision as revision_words;
use super::session::Session;
use crate::error::Result;
use crate::repo::{RevisionSpec, parse_date};

/// What was typed for a range, read; `None` where HEAD has no commit and nothing else is named.
///
/// `default` holds where neither `--last`, nor `--since`, nor a range with a beginning says how
/// far back to go.
///
/// # Errors
/// An unknown revision, a wrong date.
pub(super) fn wanted(
    session: &Session<'_>,
    revision: Option<&str>,
    select: &SelectArgs,
    default: usize,
) -> Result<Option<Wanted>> {
    let range = match revision {
        Some(text) => revision_words::range(session, text)?,
        None => match session.reader.head()? {
            Some(head) => RevisionSpec::Tip(head),
            None => return Ok(None),
        },
    };
    let since = since(select.since.as_deref())?;
    let lifted = since.is_some() || matches!(range, RevisionSpec::Range { from: Some(_), .. });
    let last = match select.last {
        Some(n) => Some(usize::try_from(n).unwrap_or(usize::MAX)),
        None if lifted => None,
        None => Some(default),
    };
    Ok(Some(Wanted { range, last, since }))
}

/// The date typed, in seconds since the epoch.
///
/// # Errors
/// A text that is no date.
pub(super) fn since(typed: Option<&str>) -> Result<Option<i64>> {
    typed.map(|text| parse_date(text, now())).transpose()
}

/// Seconds since the epoch; what `2 weeks ago` is counted from.
fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|d| i64::try_from(d.as_secs()).ok())
        .unwrap_or(0)
}
