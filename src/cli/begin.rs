//! `git evolve begin`.

use clap::Args;

use super::args::Global;
use super::output::say;
use super::session::{Done, directory};
use crate::error::{Error, Result};
use crate::harness;
use crate::record::{ChainPath, is_part};
use crate::repo::Repo;

/// Begin a checkpoint: make the chain where there is none, and check out its branch
///
/// CHAIN is EXPERIMENT/ARM[/TASK]/N; each part is made of a to z, 0 to 9 and `-`. For a chain
/// that is new a base commit is made on HEAD, with HEAD's files, and the branch evolve/CHAIN on
/// it. Of a chain that is known, here or on a remote-tracking branch, the branch is checked out.
/// The next checkpoint must be the one after the last; the last one again supersedes it.
///
/// What the agent then does on this branch, committed or not, `git evolve record` turns into the
/// checkpoint's one commit. Untracked files that are there already are noted, so that they do not
/// count as the agent's while they stay as they are.
///
/// Refuses where tracked files have changes that are not committed, and where another checkpoint
/// is pending in this work tree.
#[derive(Debug, Args)]
#[command(
    override_usage = "git evolve begin [--again] CHAIN CHECKPOINT\n       git evolve begin --abandon"
)]
pub(super) struct BeginArgs {
    /// The chain: EXPERIMENT/ARM[/TASK]/N
    #[arg(value_name = "CHAIN", required_unless_present = "abandon", value_parser = chain)]
    pub chain: Option<ChainPath>,
    /// The checkpoint's number, from 1, and perhaps its id: `K[:ID]` [default ID: checkpoint-K]
    #[arg(value_name = "CHECKPOINT", required_unless_present = "abandon", value_parser = checkpoint)]
    pub checkpoint: Option<Checkpoint>,
    /// Begin another chain of this path, whose commits so far are kept
    #[arg(long, conflicts_with = "abandon")]
    pub again: bool,
    /// Drop the pending checkpoint; commits, branches and files stay
    #[arg(long, conflicts_with_all = ["chain", "checkpoint"])]
    pub abandon: bool,
}

/// `K[:ID]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkpoint {
    number: u32,
    id: Option<String>,
}

/// Runs it.
///
/// # Errors
/// Those of [`harness::begin`] and [`harness::abandon`].
pub(super) fn run(global: &Global, args: &BeginArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    if args.abandon {
        harness::abandon(&repo, &mut |line| say(line))?;
        return Ok(Done::Well);
    }
    let (Some(chain), Some(checkpoint)) = (&args.chain, &args.checkpoint) else {
        return Err(Error::usage("begin needs a chain and a checkpoint"));
    };
    let asked = harness::Begin {
        chain: chain.clone(),
        checkpoint: checkpoint.number,
        id: checkpoint.id.clone(),
        again: args.again,
    };
    harness::begin(&repo, &asked, &mut |line| say(line))?;
    Ok(Done::Well)
}

fn chain(text: &str) -> std::result::Result<ChainPath, String> {
    ChainPath::parse(text).ok_or_else(|| {
        "a chain is EXPERIMENT/ARM[/TASK]/N; parts are made of a to z, 0 to 9 and `-`".to_owned()
    })
}

fn checkpoint(text: &str) -> std::result::Result<Checkpoint, String> {
    let (number, id) = match text.split_once(':') {
        Some((number, id)) => (number, Some(id)),
        None => (text, None),
    };
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let number = number.parse().ok().filter(|n| digits && *n > 0);
    let number = number.ok_or("a checkpoint is a number from 1, and perhaps `:` and an id")?;
    if id.is_some_and(|id| !is_part(id)) {
        return Err("a checkpoint's id is made of a to z, 0 to 9 and `-`, 63 at most".to_owned());
    }
    Ok(Checkpoint {
        number,
        id: id.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_a_number_and_perhaps_an_id() {
        let read = |text| checkpoint(text).map(|c| (c.number, c.id));
        assert_eq!(read("3"), Ok((3, None)));
        assert_eq!(read("12:add-x"), Ok((12, Some("add-x".to_owned()))));
        for wrong in [
            "",
            "0",
            "+1",
            "1:",
            "1:X",
            "1:../x",
            "x",
            "1:a:b",
            "99999999999",
        ] {
            assert!(checkpoint(wrong).is_err(), "{wrong}");
        }
    }
}
