//! Starting the git program, for the few things that are read through it.
//!
//! The words are fixed, the language is C, nothing is locked or fetched, replace refs are off,
//! and no setting of the user's may start another program.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use super::{Reader, Repo};
use crate::error::{Error, Result};

/// The git program on one repository.
pub(super) struct Program {
    git_dir: PathBuf,
    work_dir: Option<PathBuf>,
}

impl Program {
    /// The standard output of `git WORDS…`.
    ///
    /// # Errors
    /// Git is not there, or its exit status is not 0.
    pub(super) fn output(&self, words: &[&str]) -> Result<Vec<u8>> {
        let name = words.first().copied().unwrap_or_default();
        succeeded(name, self.run(words)?)
    }

    /// Runs `git WORDS…` and gives what it said, whatever its exit status.
    ///
    /// # Errors
    /// Git could not be started.
    pub(super) fn run(&self, words: &[&str]) -> Result<Output> {
        let mut command = self.command();
        command
            .args(words)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .stdin(Stdio::null());
        command.output().map_err(not_started)
    }

    /// `git` on this repository, without a subcommand yet.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(self.work_dir.as_ref().unwrap_or(&self.git_dir))
            .arg(join("--git-dir=", &self.git_dir));
        if let Some(work_dir) = &self.work_dir {
            command.arg(join("--work-tree=", work_dir));
        }
        for setting in [
            "core.fsmonitor=false",
            "core.pager=cat",
            "core.quotePath=false",
            "gc.auto=0",
            "maintenance.auto=false",
            "color.ui=false",
            "hook.evolve.enabled=false",
        ] {
            command.args(["-c", setting]);
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            // Hooks of ours that such a command would start return at once.
            .env("GIT_EVOLVE_INSIDE", "1")
            .env_remove("GIT_NAMESPACE");
        command
    }
}

/// The standard output of a command that ended well; else an error with git's own words.
pub(super) fn succeeded(name: &str, out: Output) -> Result<Vec<u8>> {
    if out.status.success() {
        return Ok(out.stdout);
    }
    let said = String::from_utf8_lossy(&out.stderr);
    let said = said.trim().trim_start_matches("fatal: ");
    Err(Error::git(format!("git {name}: {said}")))
}

pub(super) fn not_started(error: std::io::Error) -> Error {
    Error::git("starting git")
        .with_hint("this needs the git program on the PATH, 2.31 or newer")
        .with_source(error)
}

fn join(flag: &str, path: &std::path::Path) -> std::ffi::OsString {
    let mut word = OsStr::new(flag).to_owned();
    word.push(path);
    word
}

impl Repo {
    pub(super) fn program(&self) -> Program {
        Program {
            git_dir: self.shape.git_dir.clone(),
            work_dir: self.shape.work_dir.clone(),
        }
    }
}

impl Reader {
    pub(super) fn program(&self) -> Program {
        Program {
            git_dir: self.shape.git_dir.clone(),
            work_dir: self.shape.work_dir.clone(),
        }
    }
}
