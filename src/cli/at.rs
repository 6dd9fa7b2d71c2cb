//! `--at`: which tree of a checkpoint is measured.

use clap::{Args, ValueEnum};

use super::session::Session;
use crate::error::{Error, Result};
use crate::ledger::{Chain, Chains, Recorded};
use crate::record::Event;
use crate::repo::Oid;

/// Which tree of a checkpoint.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct AtArgs {
    /// Measure each checkpoint's agent commit, or what its first turn left, before refactor and
    /// review turns (of chains; where there was one turn, that is the agent commit)
    #[arg(long, value_name = "TREE", value_enum, default_value_t)]
    pub at: At,
}

/// The trees as typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum At {
    /// The agent commit
    #[default]
    Commit,
    /// What the first turn left
    Implement,
}

/// Refuses first turns where nothing has any.
///
/// # Errors
/// Usage in a repository without chains.
pub(super) fn require_chains(at: At, chains: &Chains) -> Result<()> {
    if at == At::Implement && chains.chains.is_empty() {
        return Err(Error::usage(
            "--at implement measures first turns, and this repository has no chains",
        )
        .with_hint("a plain history has commits alone"));
    }
    Ok(())
}

/// The tree that the first turn of the agent commit `commit` of `chain` left, where there were
/// several turns and it is another than the commit's.
///
/// # Errors
/// A commit that cannot be read.
pub(super) fn first_turn(
    session: &Session<'_>,
    recorded: &Recorded,
    chain: &Chain,
    commit: Oid,
) -> Result<Option<Oid>> {
    let tree = session.reader.commit(commit)?.tree;
    let mut agent: Vec<_> = recorded
        .of_chain_on(commit, &chain.begin)
        .filter(|s| s.says.event == Event::Agent)
        // What a rewrite carried there speaks of the tree it was made for.
        .filter(|s| s.is_own() || s.tree() == Some(tree))
        .collect();
    agent.sort_by_key(|s| !s.is_own());
    let first = agent.first().and_then(|s| s.says.turns.first());
    let first = first.and_then(|turn| Oid::from_hex(turn.tree.as_str()));
    Ok(first.filter(|id| *id != tree))
}

/// What a reader should know of rows of which `firsts` of `all` are first turns.
pub(super) fn remark(at: At, firsts: usize, all: usize) -> Option<String> {
    (at == At::Implement).then(|| {
        format!(
            "measured after the first turn: {firsts} of {all} checkpoints had several turns, of the \
             others it is the agent commit"
        )
    })
}
