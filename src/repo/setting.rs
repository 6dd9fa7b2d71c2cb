//! `evolve.*` in git configuration: habits and limits of one user, none of which moves a figure.

use std::time::Duration;

use gix::bstr::ByteSlice;

use super::Repo;
use crate::error::{Error, Result};

/// What more is asked for is as good as this, and no clock overflows by it.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

impl Repo {
    /// One `evolve.*` setting. Other keys are never read (`None`).
    pub fn setting(&self, key: &str) -> Option<String> {
        if !is_ours(key) {
            return None;
        }
        let value = self.git().config_snapshot().string(key)?;
        Some(value.to_str_lossy().into_owned())
    }

    /// An `evolve.*` setting that is a number of seconds, fractions too; a year at most.
    ///
    /// # Errors
    /// Usage where it is set and is no number of seconds.
    pub fn seconds_setting(&self, key: &str) -> Result<Option<Duration>> {
        let Some(text) = self.setting(key) else {
            return Ok(None);
        };
        let seconds = text.trim().parse::<f64>().ok();
        let limit = seconds
            .filter(|s| !s.is_nan())
            .map(|s| s.min(LONGEST.as_secs_f64()))
            .and_then(|s| Duration::try_from_secs_f64(s).ok())
            .ok_or_else(|| {
                Error::usage(format!("{key} is '{text}', which is no number of seconds"))
            })?;
        Ok(Some(limit))
    }

    /// Whether an `evolve.*` setting is on, by git's own reading of truth; off where it is not
    /// set or says neither.
    pub fn is_on(&self, key: &str) -> bool {
        is_ours(key) && self.git().config_snapshot().boolean(key) == Some(true)
    }
}

fn is_ours(key: &str) -> bool {
    key.get(..7)
        .is_some_and(|k| k.eq_ignore_ascii_case("evolve."))
}
