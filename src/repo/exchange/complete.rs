//! Objects that a partial clone left to its remote, brought in one go.

use super::child;
use super::{Manner, loudness, shown};
use crate::error::Result;
use crate::repo::{Oid, Repo};

/// Most rounds: each brings what the trees of the round before name.
const ROUNDS: usize = 6;

impl Repo {
    /// Fetches from `place` every object of the trees of `commits` that is not here, in a few
    /// requests for all of them. Does nothing in a clone that is not partial.
    ///
    /// # Errors
    /// Git where the other side cannot be reached or does not give them.
    pub fn complete(&self, place: &str, commits: &[Oid], manner: Manner<'_>) -> Result<()> {
        if !self.is_partial() || commits.is_empty() {
            return Ok(());
        }
        for _ in 0..ROUNDS {
            let missing = self.missing_under(commits)?;
            if missing.is_empty() {
                break;
            }
            // What git itself runs for objects that a promisor remote left out.
            let mut command = self.exchanging(manner);
            command.args(["-c", "fetch.negotiationAlgorithm=noop"]);
            if !manner.interactive
                && let Some(ssh) = self.quiet_ssh()?
            {
                command.env("GIT_SSH_COMMAND", ssh);
            }
            let words = child::words(&[
                "fetch",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
                "--refmap=",
                "--filter=blob:none",
                "--stdin",
                loudness(manner),
                "--",
                place,
            ]);
            let said = child::run(
                command,
                &words,
                child::Input::Bytes(missing.as_bytes()),
                manner,
            )?;
            if !said.status.success() {
                return Err(said.error(&format!(
                    "fetching what a partial clone left at {}",
                    shown(place)
                )));
            }
        }
        Ok(())
    }

    /// The ids, one a line, of what the trees of `commits` name and is not here.
    fn missing_under(&self, commits: &[Oid]) -> Result<String> {
        let manner = Manner::default();
        let words = child::words(&[
            "rev-list",
            "--objects",
            "--no-walk",
            "--missing=print",
            "--stdin",
        ]);
        let input: String = commits.iter().map(|c| format!("{c}\n")).collect();
        let said = child::run(
            self.exchanging(manner),
            &words,
            child::Input::Bytes(input.as_bytes()),
            manner,
        )?;
        if !said.status.success() {
            return Err(said.error("looking for objects that are not here"));
        }
        let text = String::from_utf8_lossy(&said.output);
        let missing = text.lines().filter_map(|l| l.strip_prefix('?'));
        Ok(missing.map(|id| format!("{id}\n")).collect())
    }
}
