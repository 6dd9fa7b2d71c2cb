//! Starting the git program, for what is read or done through it.
//!
//! The words are fixed, the language is C, nothing is fetched or packed behind our back, replace
//! refs are off, and no setting of the user's may start another program. Every child carries
//! `GIT_EVOLVE_INSIDE=1`, at which each of our own hooks returns at once.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use super::{Reader, Repo};
use crate::error::{Error, Result};

/// The git program on one repository.
#[derive(Clone)]
pub(super) struct Program {
    git_dir: PathBuf,
    work_dir: Option<PathBuf>,
    settings: Vec<String>,
    environment: Vec<(OsString, Option<OsString>)>,
    shown: bool,
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

impl Program {
    pub(super) fn on(git_dir: &Path, work_dir: Option<&Path>) -> Program {
        Program {
            git_dir: git_dir.to_owned(),
            work_dir: work_dir.map(Path::to_owned),
            settings: Vec::new(),
            environment: Vec::new(),
            shown: false,
        }
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
        self.environment.push((name.into(), Some(value.into())));
        self
    }

    /// With the environment variable `name` not set.
    #[expect(dead_code, reason = "for commands that work on another repository")]
    pub(super) fn without_env(mut self, name: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), None));
        self
    }

    /// What git says on standard error goes to our own, as it comes.
    #[expect(
        dead_code,
        reason = "for commands whose progress and prompts people see"
    )]
    pub(super) fn shown(mut self) -> Self {
        self.shown = true;
        self
    }

    /// The standard output of `git WORDS…`.
    ///
    /// # Errors
    /// Git is not there, or its exit status is not 0.
    pub(super) fn output(&self, words: &[&str]) -> Result<Vec<u8>> {
        let out = self.run(words)?;
        if out.status.success() {
            return Ok(out.stdout);
        }
        Err(refusal(words, &out))
    }

    /// Runs `git WORDS…` and gives what it said, whatever its exit status.
    ///
    /// # Errors
    /// Git could not be started.
    pub(super) fn run(&self, words: &[&str]) -> Result<Output> {
        self.start(words, Stdio::null(), Stdio::piped())?
            .wait_with_output()
            .map_err(not_started)
    }

    /// The same, with `input` on its standard input; its standard output is `output`.
    ///
    /// # Errors
    /// Git could not be started.
    pub(super) fn run_into(&self, words: &[&str], input: &[u8], output: Stdio) -> Result<Output> {
        let mut child = self.start(words, Stdio::piped(), output)?;
        let pipe = child.stdin.take();
        std::thread::scope(|scope| {
            // A child that answers before it has read all of a long input would else wait for us
            // as we wait for it. One that stops reading has said why in its exit status.
            scope.spawn(move || {
                if let Some(mut pipe) = pipe {
                    let _ = pipe.write_all(input);
                }
            });
            child.wait_with_output().map_err(not_started)
        })
    }

    fn start(&self, words: &[&str], input: Stdio, output: Stdio) -> Result<Child> {
        let errors = if self.shown {
            Stdio::inherit()
        } else {
            Stdio::piped()
        };
        self.command()
            .args(words)
            .stdin(input)
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(not_started)
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
        for setting in SETTINGS
            .into_iter()
            .chain(self.settings.iter().map(String::as_str))
        {
            command.args(["-c", setting]);
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EVOLVE_INSIDE", "1")
            .env_remove("GIT_NAMESPACE");
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}

/// What git said as it refused `WORDS…`.
pub(super) fn refusal(words: &[&str], out: &Output) -> Error {
    let name = words.first().copied().unwrap_or_default();
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

fn join(flag: &str, path: &Path) -> OsString {
    let mut word = OsStr::new(flag).to_owned();
    word.push(path);
    word
}

impl Reader {
    pub(super) fn program(&self) -> Program {
        Program::on(&self.shape.git_dir, self.shape.work_dir.as_deref())
    }
}

impl Repo {
    pub(super) fn program(&self) -> Program {
        Program::on(&self.shape.git_dir, self.shape.work_dir.as_deref())
    }
}
