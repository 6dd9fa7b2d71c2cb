//! `git evolve reset`.

use std::ffi::OsString;

use clap::Args;

use super::args::Global;
use super::output::say;
use super::session::{Done, directory};
use crate::error::Result;
use crate::harness;
use crate::repo::Repo;

/// Put back what the experiment owns, in a reset commit behind the agent commit
///
/// What that is stands in the `[controls]` table of evolve.toml in the tree of the chain's base:
///
///   pinned   globs: put back exactly as in the base; changed, deleted and added paths
///
///   tests    globs: changed and deleted files put back; new ones stay
///
///   hidden   globs: taken away where they are there again
///
/// Where nothing is declared the reset commit is empty. With --from, the paths after `--` are
/// put to what TREE-ISH has; what it has not goes.
///
/// Refuses where a path that it would write has changes that are not committed; other changes
/// stay as they are.
#[derive(Debug, Args)]
#[command(override_usage = "git evolve reset [--from TREE-ISH -- PATHSPEC…]")]
pub(super) struct ResetArgs {
    /// Take the paths from this commit or tree instead
    #[arg(long, value_name = "TREE-ISH", requires = "paths")]
    pub from: Option<String>,
    /// The paths
    #[arg(last = true, value_name = "PATHSPEC", requires = "from")]
    pub paths: Vec<OsString>,
}

/// Runs it.
///
/// # Errors
/// Those of [`harness::reset`].
pub(super) fn run(global: &Global, args: &ResetArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let asked = harness::Reset {
        from: args.from.clone(),
        pathspecs: args.paths.clone(),
    };
    harness::reset(&repo, &asked, &mut |line| say(line))?;
    Ok(Done::Well)
}
