//! Starting git as the user's own git would start: hooks, their folder and their configuration
//! are the subject here, so nothing of the user's is switched off.

use std::ffi::OsString;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::super::Repo;
use crate::error::{Error, Result};

/// How often a child is looked at while it is waited for.
const PAUSE: Duration = Duration::from_millis(5);

/// The git program, on one repository or on none.
pub(super) struct Git {
    before: Vec<OsString>,
    folder: Option<std::path::PathBuf>,
}

impl Git {
    /// On `repo`, from where git runs hooks: the top of the work tree, else the git directory.
    pub(super) fn on(repo: &Repo) -> Git {
        let joined = |flag: &str, path: &std::path::Path| {
            let mut word = OsString::from(flag);
            word.push(path);
            word
        };
        let mut before = vec![joined("--git-dir=", repo.git_dir())];
        if let Some(top) = repo.work_dir() {
            before.push(joined("--work-tree=", top));
        }
        Git {
            before,
            folder: Some(home_of_hooks(repo).to_owned()),
        }
    }

    /// The same with `-c setting`.
    pub(super) fn with(mut self, setting: &str) -> Git {
        self.before.push("-c".into());
        self.before.push(setting.into());
        self
    }

    /// `git WORDS…`, not yet started, with nothing to read.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("git");
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
            .args(&self.before)
            .args(words)
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env_remove("GIT_NAMESPACE")
            .stdin(Stdio::null());
        command
    }

    /// What `git WORDS…` said, whatever its exit status.
    ///
    /// # Errors
    /// Git could not be started.
    pub(super) fn run(&self, words: &[&str]) -> Result<Output> {
        self.command(words).output().map_err(not_started)
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
        let said = String::from_utf8_lossy(&out.stderr);
        let said = said.trim().trim_start_matches("fatal: ");
        Err(Error::git(format!(
            "git {}: {said}",
            words.first().copied().unwrap_or_default()
        )))
    }
}

/// The folder git runs hooks in.
pub(super) fn home_of_hooks(repo: &Repo) -> &std::path::Path {
    repo.work_dir().unwrap_or_else(|| repo.git_dir())
}

pub(super) fn not_started(e: std::io::Error) -> Error {
    Error::git("starting git")
        .with_hint("this needs the git program on the PATH, 2.31 or newer")
        .with_source(e)
}

/// Waits for `child` no longer than `bound`, then ends it. True where it ended with success.
pub(super) fn ends_well_within(mut child: Child, bound: Duration) -> bool {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if begun.elapsed() < bound => std::thread::sleep(PAUSE),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}
