//! `git evolve clone`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

use super::args::Global;
use super::fetch::fetch;
use super::output::say;
use super::session::{Done, directory};
use super::talk::manner;
use crate::error::{Error, Result};
use crate::repo::{Direction, Repo, again_in, clone, environment_names_a_repository, shell_word};

/// Clone a repository together with its records
///
/// Runs `git clone`, then `git evolve fetch` in the clone. Nothing of the cloned repository is
/// run.
#[derive(Debug, Args)]
pub(super) struct CloneArgs {
    /// What to clone
    #[arg(value_name = "URL")]
    pub url: String,
    /// Where to [default: the last part of URL, as git clone does]
    #[arg(value_name = "DIR")]
    pub target: Option<PathBuf>,
    /// Options for git clone, after `--`
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<OsString>,
}

/// Runs it.
///
/// # Errors
/// What git clone refuses; records that could not be fetched, with what is there.
pub(super) fn run(global: &Global, args: &CloneArgs) -> Result<Done> {
    let from = directory(global);
    let cloned = clone(
        &args.url,
        args.target.as_deref(),
        &args.options,
        &from,
        manner(),
    )?;
    for line in &cloned.words {
        say(line);
    }
    let shown = cloned.path.strip_prefix("./").unwrap_or(&cloned.path);
    say(&format!("cloned into {}", shown.display()));
    if environment_names_a_repository(&from)? {
        return match again_in(&cloned.path, &["fetch"])? {
            true => Ok(Done::Well),
            false => Err(partly(&cloned.path, "fetching its records failed")),
        };
    }
    records(&cloned.path).map_err(|e| {
        let what = format!("its records could not be fetched: {e}");
        partly(&cloned.path, &what).with_source(e)
    })?;
    Ok(Done::Well)
}

fn records(path: &Path) -> Result<()> {
    let repo = Repo::discover(path)?;
    let remote = repo.remote(None, path, Direction::Fetch)?;
    fetch(&repo, &remote)
}

fn partly(path: &Path, what: &str) -> Error {
    let word = shell_word(&path.display().to_string());
    Error::git(format!(
        "the clone in {} is there, but {what}",
        path.display()
    ))
    .with_hint(format!("git -C {word} evolve fetch"))
}
