//! `git evolve record`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::Global;
use super::output::say;
use super::session::{Done, directory};
use crate::error::Result;
use crate::harness;
use crate::record::Suite;
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
/// folders and the host's name.
#[derive(Debug, Args)]
pub(super) struct RecordArgs {
    /// Take new files that match, whatever they look like; an ignored file by its own path
    #[arg(long, value_name = "PATHSPEC", num_args = 1..)]
    pub include: Vec<OsString>,
    /// Leave out new files that match, also those the agent committed
    #[arg(long, value_name = "PATHSPEC", num_args = 1..)]
    pub exclude: Vec<OsString>,
    /// What the agent's command reported, one FILE a session
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub envelope: Vec<PathBuf>,
    /// Test reports of one gate run
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub tests: Vec<PathBuf>,
    /// Whose tests ran [default: visible]
    #[arg(long, value_name = "SUITE", value_enum, requires = "tests")]
    pub suite: Option<SuiteWord>,
    /// A coverage report
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub coverage: Vec<PathBuf>,
    /// The configuration (TOML) this is scored under [default: evolve.toml of the chain's base]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The commit's title, behind checkpoint number and id
    #[arg(short = 'm', long = "message", value_name = "TITLE")]
    pub title: Option<String>,
    /// Say what would be recorded, and change nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
}

/// The suites as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SuiteWord {
    /// The experimenter's
    Acceptance,
    /// As the agent left them
    Visible,
}

/// Runs it.
///
/// # Errors
/// Those of [`harness::record`].
pub(super) fn run(global: &Global, args: &RecordArgs) -> Result<Done> {
    let folder = directory(global);
    let repo = Repo::discover(&folder)?;
    let here = |files: &[PathBuf]| files.iter().map(|f| folder.join(f)).collect();
    let asked = harness::Record {
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        captured: harness::Captured {
            envelopes: here(&args.envelope),
            tests: here(&args.tests),
            suite: args.suite.map(|s| match s {
                SuiteWord::Acceptance => Suite::Acceptance,
                SuiteWord::Visible => Suite::Visible,
            }),
            coverage: here(&args.coverage),
        },
        config: args.config.as_ref().map(|f| folder.join(f)),
        title: args.title.clone(),
        dry_run: args.dry_run,
    };
    harness::record(&repo, &asked, &mut |line| say(line))?;
    Ok(Done::Well)
}
