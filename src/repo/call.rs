//! One call of the git program that may write: with input, an index of its own, a folder.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::program::{Program, not_started, refusal};
use crate::error::{Error, Result};

/// A call that is being put together.
pub(super) struct Call {
    name: String,
    command: Command,
    input: Vec<u8>,
    output: Stdio,
}

impl Program {
    /// `git SETTINGS… NAME WORDS…`; a setting is `key=value`.
    pub(super) fn call(&self, settings: &[&str], name: &str, words: &[&str]) -> Call {
        let mut command = self.command();
        for setting in settings {
            command.args(["-c", setting]);
        }
        command.arg(name).args(words);
        Call {
            name: name.to_owned(),
            command,
            input: Vec::new(),
            output: Stdio::piped(),
        }
    }
}

impl Call {
    /// One more word, as bytes of the system.
    pub(super) fn word(mut self, word: impl AsRef<OsStr>) -> Call {
        self.command.arg(word);
        self
    }

    /// A variable of the environment.
    pub(super) fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Call {
        self.command.env(key, value);
        self
    }

    /// Works on this index instead of the user's.
    pub(super) fn index(self, file: &Path) -> Call {
        self.env("GIT_INDEX_FILE", file)
    }

    /// May fetch what a partial clone left to its remote: a checkout needs the files.
    pub(super) fn fetching(mut self) -> Call {
        self.command.env_remove("GIT_NO_LAZY_FETCH");
        self
    }

    /// Runs in this folder, from which git takes path specifications.
    pub(super) fn folder(mut self, folder: &Path) -> Call {
        self.command.current_dir(folder);
        self
    }

    /// Standard input.
    pub(super) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Call {
        self.input = bytes.into();
        self
    }

    /// Its standard output is this, and no answer then.
    pub(super) fn output_to(mut self, output: Stdio) -> Call {
        self.output = output;
        self
    }

    /// Runs it and gives what it said, whatever its exit status.
    ///
    /// # Errors
    /// Git could not be started.
    pub(super) fn run(mut self) -> Result<Output> {
        let mut child = self
            .command
            .stdin(Stdio::piped())
            .stdout(self.output)
            .stderr(Stdio::piped())
            .spawn()
            .map_err(not_started)?;
        let stdin = child.stdin.take();
        let input = self.input;
        // Beside the reading: both pipes may be full at once. That git hears only a part, its
        // exit status says.
        let feeder = std::thread::spawn(move || {
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(&input);
            }
        });
        let out = child
            .wait_with_output()
            .map_err(|e| Error::git(format!("waiting for git {}", self.name)).with_source(e))?;
        let _ = feeder.join();
        Ok(out)
    }

    /// Runs it and gives its standard output.
    ///
    /// # Errors
    /// Git could not be started, or its exit status is not 0: git's own words.
    pub(super) fn output(self) -> Result<Vec<u8>> {
        let name = self.name.clone();
        succeeded(&name, self.run()?)
    }
}

/// The standard output of a command that ended well; else an error with git's own words.
pub(super) fn succeeded(name: &str, out: Output) -> Result<Vec<u8>> {
    if out.status.success() {
        return Ok(out.stdout);
    }
    Err(refusal(name, &out))
}

/// Paths as git reads them with `-z`.
pub(super) fn joined<'a>(paths: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut all = Vec::new();
    for path in paths {
        all.extend_from_slice(path);
        all.push(0);
    }
    all
}

/// Paths as git writes them with `-z`.
pub(super) fn split(listing: &[u8]) -> impl Iterator<Item = &[u8]> {
    listing.split(|b| *b == 0).filter(|p| !p.is_empty())
}
