//! Hooks named in git's configuration (`hook.evolve.*`), which git runs from 2.54 on, beside
//! those of the hooks folder and wherever `core.hooksPath` points.
//!
//! One name serves all events, so that `hook.evolve.enabled=false` silences all of them.

use std::path::{Path, PathBuf};

use super::super::Repo;
use super::HookEvent;
use super::script::{command, command_binary};
use crate::error::{Error, Result};

const COMMAND: &str = "hook.evolve.command";
const EVENT: &str = "hook.evolve.event";

/// What the repository's own configuration says of our hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Configured {
    /// The program our command calls; `None` where there is no command or it is not as we
    /// write it.
    pub binary: Option<PathBuf>,
    /// There is a command, and it is somebody's.
    pub theirs: bool,
    /// The events it is for, of those that are ours.
    pub events: Vec<HookEvent>,
}

impl Configured {
    /// Reads it.
    ///
    /// # Errors
    /// Git is not there, or the configuration cannot be read.
    pub(super) fn read(repo: &Repo) -> Result<Configured> {
        let commands = values(repo, COMMAND)?;
        let binary = commands.last().and_then(|c| command_binary(c));
        let mut events = Vec::new();
        for value in values(repo, EVENT)? {
            // An empty value takes back the ones before it.
            if value.is_empty() {
                events.clear();
            }
            let event = std::str::from_utf8(&value).ok().and_then(HookEvent::parse);
            events.extend(event);
        }
        Ok(Configured {
            theirs: !commands.is_empty() && binary.is_none(),
            binary,
            events,
        })
    }

    /// Whether git would call us at `event`.
    pub(super) fn serves(&self, event: HookEvent) -> bool {
        self.binary.is_some() && self.events.contains(&event)
    }

    /// Writes what is not there yet: the command that calls `binary`, and the events. True where
    /// anything was written.
    ///
    /// # Errors
    /// Git where somebody's own command stands there; where the configuration cannot be written.
    pub(super) fn write(&self, repo: &Repo, binary: &Path) -> Result<bool> {
        if self.theirs {
            return Err(Error::git(format!(
                "{COMMAND} is set to a command that `git evolve hooks install` did not write"
            ))
            .with_hint(format!(
                "`git config --local --unset-all {COMMAND}` takes it away"
            )));
        }
        let git = repo.program().plain();
        let missing = || {
            HookEvent::ALL
                .into_iter()
                .filter(|e| !self.events.contains(e))
        };
        let mut wrote = false;
        if self.binary.as_deref() != Some(binary) {
            let value = command(binary);
            let words = ["--local", "--replace-all", COMMAND];
            git.call(&[], "config", &words).word(value).output()?;
            wrote = true;
        }
        for event in missing() {
            git.output(&["config", "--local", "--add", EVENT, event.word()])?;
            wrote = true;
        }
        Ok(wrote)
    }

    /// Takes away what [`Configured::write`] writes, and nothing else. True where anything was
    /// there.
    ///
    /// # Errors
    /// The configuration cannot be written.
    pub(super) fn erase(&self, repo: &Repo) -> Result<bool> {
        if self.binary.is_none() {
            return Ok(false);
        }
        let git = repo.program().plain();
        for event in &self.events {
            let only = format!("^{}$", event.word());
            git.output(&["config", "--local", "--unset-all", EVENT, &only])?;
        }
        git.output(&["config", "--local", "--unset-all", COMMAND])?;
        Ok(true)
    }
}

/// All values of `key` in the repository's own configuration, in order.
fn values(repo: &Repo, key: &str) -> Result<Vec<Vec<u8>>> {
    let out = repo
        .program()
        .plain()
        .run(&["config", "--local", "-z", "--get-all", key])?;
    match out.status.code() {
        Some(0) => {
            let mut values: Vec<Vec<u8>> =
                out.stdout.split(|b| *b == 0).map(<[u8]>::to_vec).collect();
            values.pop();
            Ok(values)
        }
        Some(1) => Ok(Vec::new()),
        _ => Err(Error::git(format!(
            "reading {key}: {}",
            String::from_utf8_lossy(&out.stderr).trim()
        ))),
    }
}
