//! Exchange with another repository, through the git program alone: its transports, its
//! credentials and its configuration of remotes are the user's own.
//!
//! Every refspec is named here, so that no setting of the user's decides what moves: nothing is
//! pruned, no tag is followed, `FETCH_HEAD` stays as it is, no ref of the user's is moved by the
//! way (`--refmap=`), nothing is forced on the other side, and no hook of ours runs again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::process::Command;

use super::in_flight::{InFlight, clear_abandoned};
use super::program::repository;
use super::{Oid, Repo};
use crate::error::{Error, Result};

mod child;
mod clone;
mod complete;
mod porcelain;
mod remote;
mod swap;

pub use child::{Manner, Progress};
pub use clone::{Cloned, again_in, clone, environment_names_a_repository};
pub use porcelain::PushedRef;
pub use remote::{Direction, Remote};
pub use swap::Swapped;

/// Most refs named in one push; the system bounds the length of a command line.
const PUSHED_AT_ONCE: usize = 500;

/// One ref to be set on the other side: fast-forward, or new.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PushRef {
    /// Its full name there.
    pub name: String,
    /// The commit it gets.
    pub commit: Oid,
}

/// What a push did.
#[derive(Debug, Clone, Default)]
pub struct Pushed {
    /// Each ref, in the order asked.
    pub refs: Vec<PushedRef>,
    /// What the other side said, and git's own errors.
    pub words: Vec<String>,
}

/// What a fetch did.
#[derive(Debug)]
pub enum Fetched {
    /// All that was asked for is here.
    All,
    /// The objects are here, and some refs could not be written, for which git says why: somebody
    /// else may be writing them.
    Partly(Error),
}

impl Repo {
    /// All refs of `place` (a remote's name or an address) that `patterns` (globs on full
    /// names) name, whether they are here or not.
    ///
    /// # Errors
    /// Git where the other side cannot be reached or read.
    pub fn list_remote(
        &self,
        place: &str,
        patterns: &[&str],
        manner: Manner<'_>,
    ) -> Result<BTreeMap<String, Oid>> {
        let mut words = child::words(&["ls-remote", "--quiet", "--refs", "--", place]);
        words.extend(child::words(patterns));
        let said = self.talk(words, manner)?;
        if !said.status.success() {
            return Err(said.error(&format!("asking {} for its refs", shown(place))));
        }
        let text = String::from_utf8_lossy(&said.output);
        let lines = text.lines().filter_map(|l| l.split_once('\t'));
        Ok(lines
            .filter_map(|(id, name)| Some((name.to_owned(), Oid::from_hex(id)?)))
            .collect())
    }

    /// Fetches `refspecs` from `place`. Nothing else changes here: no configured refspec acts,
    /// no tag, no submodule, no `FETCH_HEAD`, nothing is pruned. In a partial clone the objects
    /// come whole.
    ///
    /// # Errors
    /// Git where the other side cannot be reached or read.
    pub fn fetch_from(
        &self,
        place: &str,
        refspecs: &[String],
        manner: Manner<'_>,
    ) -> Result<Fetched> {
        let mut words = child::words(&[
            "fetch",
            "--no-tags",
            "--no-prune",
            "--no-prune-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--refmap=",
            loudness(manner),
        ]);
        words.extend(child::words(&["--", place]));
        words.extend(child::words(refspecs));
        let written = refspecs.iter().filter_map(|r| r.split_once(':'));
        let written: Vec<String> = written
            .map(|(_, to)| to.split('*').next().unwrap_or_default().to_owned())
            .collect();
        let said = self.talk_and_write(words, &written, manner)?;
        let error = || said.error(&format!("fetching from {}", shown(place)));
        match said.status.code() {
            Some(0) => Ok(Fetched::All),
            Some(1) => Ok(Fetched::Partly(error())),
            _ => Err(error()),
        }
    }

    /// Sets `refs` at `place` where that is a fast-forward or new; nothing is forced, and no
    /// `pre-push` hook runs. A ref that is refused is no error.
    ///
    /// # Errors
    /// Git where the other side cannot be reached, or said nothing of any ref.
    pub fn push_to(&self, place: &str, refs: &[PushRef], manner: Manner<'_>) -> Result<Pushed> {
        let mut all = Pushed::default();
        for part in refs.chunks(PUSHED_AT_ONCE) {
            // A mirror's setting would push everything and delete what is not here.
            let plain = format!("remote.{place}.mirror=false");
            let mut words = child::words(&["-c", &plain]);
            words.extend(child::words(&[
                "push",
                "--porcelain",
                "--no-verify",
                "--no-follow-tags",
                "--no-signed",
                "--no-force-if-includes",
                "--recurse-submodules=no",
                loudness(manner),
                "--",
                place,
            ]));
            let pairs = part.iter().map(|r| format!("{}:{}", r.commit, r.name));
            words.extend(pairs.map(OsString::from));
            // What git notes of a push goes there.
            let written = [format!("refs/remotes/{place}/")];
            let said = self.talk_and_write(words, &written, manner)?;
            let found = porcelain::read(&said.output);
            if found.is_empty() && !said.status.success() {
                return Err(said.error(&format!("pushing to {}", shown(place))));
            }
            all.refs.extend(found);
            all.words.extend(said.words());
        }
        Ok(all)
    }

    /// Which of `commits` stand on a branch of `remote` as it was last seen, kept ones apart.
    ///
    /// # Errors
    /// Git where refs or history cannot be read.
    pub fn on_branches_of(&self, remote: &Remote, commits: &BTreeSet<Oid>) -> Result<Vec<Oid>> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let manner = Manner::default();
        let branches = remote.branches();
        let words = child::words(&[
            "rev-list".to_owned(),
            "--ignore-missing".to_owned(),
            "--stdin".to_owned(),
            "--not".to_owned(),
            format!("--exclude={branches}evolve-kept/*"),
            format!("--glob={branches}*"),
        ]);
        let input: String = commits.iter().map(|c| format!("{c}\n")).collect();
        let said = child::run(
            self.exchanging(manner),
            &words,
            child::Input::Bytes(input.as_bytes()),
            manner,
        )?;
        if !said.status.success() {
            return Err(said.error("looking for commits that are on the remote"));
        }
        let text = String::from_utf8_lossy(&said.output);
        let apart: BTreeSet<Oid> = text.lines().filter_map(Oid::from_hex).collect();
        Ok(commits.difference(&apart).copied().collect())
    }

    /// Runs git on this repository in a manner that fits an exchange.
    fn talk(&self, words: Vec<OsString>, manner: Manner<'_>) -> Result<child::Said> {
        self.talk_and_write(words, &[], manner)
    }

    /// The same for what writes refs named in `written`: their locks are known as ours, should
    /// all of it be killed.
    fn talk_and_write(
        &self,
        words: Vec<OsString>,
        written: &[String],
        manner: Manner<'_>,
    ) -> Result<child::Said> {
        let flight = match written {
            [] => None,
            names => {
                clear_abandoned(self);
                InFlight::announce(self, names.iter().map(String::as_str))
            }
        };
        let input = match flight.as_ref().and_then(InFlight::handle) {
            Some(file) => child::Input::File(file),
            None => child::Input::Nothing,
        };
        let mut command = self.exchanging(manner);
        if !manner.interactive
            && let Some(ssh) = self.quiet_ssh()?
        {
            command.env("GIT_SSH_COMMAND", ssh);
        }
        child::run(command, &words, input, manner)
    }

    /// The git program on this repository, its words to come.
    fn exchanging(&self, manner: Manner<'_>) -> Command {
        let shape = &self.shape;
        let folder = shape.work_dir.as_ref().unwrap_or(&shape.git_dir);
        let mut command = child::git(folder, manner);
        command.args(repository(&shape.git_dir, shape.work_dir.as_deref()));
        command
    }

    /// The user's ssh command with which nothing is asked, where it can be told so.
    fn quiet_ssh(&self) -> Result<Option<String>> {
        if let Some(own) = std::env::var_os("GIT_SSH_COMMAND") {
            return Ok(own.to_str().and_then(|c| child::silent_ssh(Some(c))));
        }
        let configured = self.lines_of(&["config", "--get", "core.sshCommand"])?;
        match configured.and_then(|l| l.into_iter().next()) {
            Some(own) => Ok(child::silent_ssh(Some(&own))),
            None if std::env::var_os("GIT_SSH").is_some() => Ok(None),
            None => Ok(child::silent_ssh(None)),
        }
    }
}

fn loudness(manner: Manner<'_>) -> &'static str {
    match manner.progress {
        Some(_) => "--progress",
        // Not `--quiet`: it would hide the words of the other side.
        None => "--no-progress",
    }
}

fn shown(place: &str) -> String {
    Remote::at(place).shown()
}

/// Says that a place cannot be what it is wanted for.
fn refuse(place: &str) -> Error {
    Error::usage(format!("'{place}' is no address"))
        .with_hint("an address does not begin with a dash")
}
