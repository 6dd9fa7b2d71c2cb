//! Starting the git program, for what is read or done through it.
//!
//! The words are fixed, the language is C, nothing is fetched or packed behind our back, replace
//! refs are off, and no setting of the user's may start another program. Every child carries
//! `GIT_EVOLVE_INSIDE=1`, at which each of our own hooks returns at once.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::call::Call;
use super::open::Shape;
use super::{Reader, Repo};
use crate::error::{Error, Result};

/// Set for every git we start, so that our own hooks do nothing there.
pub const INSIDE: &str = "GIT_EVOLVE_INSIDE";

/// The git program on one repository.
#[derive(Clone)]
pub(super) struct Program {
    git_dir: PathBuf,
    work_dir: Option<PathBuf>,
    /// Started as the user's own would be.
    plain: bool,
    settings: Vec<String>,
    environment: Vec<(OsString, OsString)>,
}

/// Settings of every child: no daemon, no pager, no packing, none of our own hooks.
const SETTINGS: [&str; 7] = [
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "color.ui=false",
    "hook.evolve.enabled=false",
];

/// The git program in `folder`, on no repository yet, its words to come.
pub(super) fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
        .env("LC_ALL", "C")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env(INSIDE, "1")
        .env_remove("GIT_NAMESPACE");
    command
}

impl Program {
    fn on(shape: &Shape) -> Program {
        Program {
            git_dir: shape.git_dir.clone(),
            work_dir: shape.work_dir.clone(),
            plain: false,
            settings: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// As the user's own git would start: where hooks, their folder and their configuration are
    /// the subject, nothing of the user's is switched off.
    pub(super) fn plain(mut self) -> Self {
        self.plain = true;
        self
    }

    /// With `-c SETTING` more; the last one of a key holds.
    pub(super) fn setting(mut self, setting: impl Into<String>) -> Self {
        self.settings.push(setting.into());
        self
    }

    /// The settings it is started with, which are nobody's own.
    pub(super) fn own_settings(&self) -> Vec<String> {
        let fixed = SETTINGS.into_iter().map(str::to_owned);
        fixed.chain(self.settings.iter().cloned()).collect()
    }

    /// Without anybody's hooks.
    pub(super) fn without_hooks(self) -> Self {
        self.setting("core.hooksPath=/dev/null")
    }

    /// With the environment variable `name` set.
    pub(super) fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The standard output of `git WORDS…`.
    ///
    /// # Errors
    /// Git is not there, or its exit status is not 0.
    pub(super) fn output(&self, words: &[&str]) -> Result<Vec<u8>> {
        self.words(words).output()
    }

    /// Runs `git WORDS…` and gives what it said, whatever its exit status.
    ///
    /// # Errors
    /// Git could not be started.
    pub(super) fn run(&self, words: &[&str]) -> Result<Output> {
        self.words(words).run()
    }

    fn words(&self, words: &[&str]) -> Call {
        let (name, rest) = words.split_first().unwrap_or((&"", &[]));
        self.call(&[], name, rest)
    }

    /// `git` on this repository, without a subcommand yet.
    pub(super) fn command(&self) -> Command {
        let folder = self.work_dir.as_ref().unwrap_or(&self.git_dir);
        let mut command = match self.plain {
            true => {
                let mut command = Command::new("git");
                command.current_dir(folder).env("LC_ALL", "C");
                command.env_remove("GIT_NAMESPACE");
                command
            }
            false => {
                let mut command = git(folder);
                command
                    .env("GIT_OPTIONAL_LOCKS", "0")
                    .env("GIT_NO_LAZY_FETCH", "1");
                command
            }
        };
        command.env("GIT_TERMINAL_PROMPT", "0");
        command.args(repository(&self.git_dir, self.work_dir.as_deref()));
        for setting in &self.settings {
            command.args(["-c", setting]);
        }
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        command.envs(environment);
        command
    }
}

/// The words that say which repository is meant.
pub(super) fn repository(git_dir: &Path, work_dir: Option<&Path>) -> Vec<OsString> {
    let joined = |flag: &str, path: &Path| {
        let mut word = OsStr::new(flag).to_owned();
        word.push(path);
        word
    };
    let mut words = vec![joined("--git-dir=", git_dir)];
    words.extend(work_dir.map(|top| joined("--work-tree=", top)));
    words
}

/// What git said as it refused to do what `name` names.
pub(super) fn refusal(name: &str, out: &Output) -> Error {
    let said = String::from_utf8_lossy(&out.stderr);
    let said = said.trim().trim_start_matches("fatal: ");
    if said.is_empty() {
        return Error::git(format!("git {name} failed ({})", out.status));
    }
    Error::git(format!("git {name}: {said}"))
}

pub(super) fn not_started(e: std::io::Error) -> Error {
    Error::git("starting git")
        .with_hint("this needs the git program on the PATH, 2.31 or newer")
        .with_source(e)
}

impl Reader {
    pub(super) fn program(&self) -> Program {
        Program::on(&self.shape)
    }
}

impl Repo {
    pub(super) fn program(&self) -> Program {
        Program::on(&self.shape)
    }
}
