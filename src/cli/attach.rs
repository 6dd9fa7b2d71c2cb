//! `git evolve attach`.

use clap::Args;

use super::args::Global;
use super::captures::CaptureArgs;
use super::output::say;
use super::session::{Done, directory};
use crate::error::Result;
use crate::harness;
use crate::record::RecordId;
use crate::repo::Repo;

/// Add captures to a checkpoint that is recorded already
///
/// COMMIT is the agent commit of a checkpoint, or CHAIN@K (K 0: the chain's base). What ran behind
/// the reset is given with the reset commit: it is recorded on the agent commit, with the tree it
/// ran on. No branch moves, and nothing that is recorded changes: the same file again is not
/// added twice, another run of the same tests is kept beside the first and tests whose outcomes
/// differ between the two are named. Works in a bare repository, and any number of times at once.
///
/// What belongs to a checkpoint without a commit is attached to the base or reset commit it
/// started from, with --for-checkpoint K: a failed attempt (which becomes an attempt of its own),
/// a probe, a noop; a gate run without a session is one of the parent's code with checkpoint K's
/// tests. A gate run on the base alone is the chain's baseline.
#[derive(Debug, Args)]
pub(super) struct AttachArgs {
    /// The commit: a revision, or CHAIN@K
    #[arg(value_name = "COMMIT|CHAIN@K")]
    pub commit: String,
    /// The captures are of checkpoint K, which started from COMMIT
    #[arg(long, value_name = "K")]
    pub for_checkpoint: Option<u32>,
    /// The attempt they belong to [default: the agent commit's own; of a failed one a new one]
    #[arg(long, value_name = "ID", value_parser = attempt)]
    pub attempt: Option<RecordId>,
    /// Say what would be added, and change nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// What was captured.
    #[command(flatten)]
    pub captures: CaptureArgs,
}

/// Runs it.
///
/// # Errors
/// Those of [`harness::attach`].
pub(super) fn run(global: &Global, args: &AttachArgs) -> Result<Done> {
    let folder = directory(global);
    let repo = Repo::discover(&folder)?;
    let asked = harness::Attach {
        commit: args.commit.clone(),
        captured: args.captures.captured(&folder),
        for_checkpoint: args.for_checkpoint,
        attempt: args.attempt.clone(),
        dry_run: args.dry_run,
    };
    harness::attach(&repo, &asked, &mut |line| say(line))?;
    Ok(Done::Well)
}

fn attempt(text: &str) -> std::result::Result<RecordId, String> {
    RecordId::parse(text).ok_or_else(|| {
        "an attempt is a UUID of version 7, as `git evolve records` shows".to_owned()
    })
}
