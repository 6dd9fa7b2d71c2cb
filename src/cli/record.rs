//! `git evolve record`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::args::Global;
use super::captures::CaptureArgs;
use super::output::say;
use super::session::{Done, directory};
use crate::error::Result;
use crate::harness;
use crate::repo::Repo;

/// Record the pending checkpoint: all work since `begin` becomes its one agent commit
///
/// What the agent committed and what it left uncommitted are taken together. The agent's own
/// commits are folded: their messages are quoted in the agent commit, and refs under
/// refs/evolve/agent keep them. Works only on the branch that `begin` noted.
///
/// Untracked files are taken and named, but for those that were there before and are unchanged.
/// New files that look like credentials, or are larger than 10 MiB, stop it until --include or
/// --exclude says what to do with them. Ignored files that look like source are listed.
///
/// What was captured beside the work is stored as it came, but for masked credentials, home
/// folders and the host's name, together with what is read out of it. A file of no known format
/// is kept and said. `git evolve attach` adds what comes later.
#[derive(Debug, Args)]
pub(super) struct RecordArgs {
    /// Take new files that match, whatever they look like; an ignored file by its own path
    #[arg(long, value_name = "PATHSPEC", num_args = 1..)]
    pub include: Vec<OsString>,
    /// Leave out new files that match, also those the agent committed
    #[arg(long, value_name = "PATHSPEC", num_args = 1..)]
    pub exclude: Vec<OsString>,
    /// The configuration (TOML) this is scored under [default: evolve.toml of the chain's base]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The commit's title, behind checkpoint number and id
    #[arg(short = 'm', long = "message", value_name = "TITLE")]
    pub title: Option<String>,
    /// Say what would be recorded, and change nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// What was captured.
    #[command(flatten)]
    pub captures: CaptureArgs,
}

/// Runs it.
///
/// # Errors
/// Those of [`harness::record`].
pub(super) fn run(global: &Global, args: &RecordArgs) -> Result<Done> {
    let folder = directory(global);
    let repo = Repo::discover(&folder)?;
    let asked = harness::Record {
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        captured: args.captures.captured(&folder),
        config: args.config.as_ref().map(|f| folder.join(f)),
        title: args.title.clone(),
        dry_run: args.dry_run,
    };
    harness::record(&repo, &asked, &mut |line| say(line))?;
    Ok(Done::Well)
}
