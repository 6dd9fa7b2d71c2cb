//! Runs of other harnesses, made into chains: one reader a layout, one writer for all.
//!
//! A reader looks at a folder and says what is in it as plain data (`model`): paths, times,
//! which files tell of which session and gate. It writes nothing. The writer makes the commits
//! in the object store, reads the payloads by the readers of [`crate::intake`], and writes
//! records and refs. Whatever neither maps is listed.
//!
//! Everything derives from the source: who commits, when, and every id. The same folder gives
//! the same chain, byte for byte, wherever it is imported, so that importing it again finds it,
//! and an import that was cut off goes on.

mod files;
mod model;
mod slopcodebench;
mod writer;

use std::path::PathBuf;

pub use model::{Aside, Why};
pub use slopcodebench::LAYOUT as SLOPCODEBENCH;

use super::workplace::Say;
use crate::error::{Error, Result};
use crate::record::{ChainPath, is_part};
use crate::repo::Repo;

/// What is imported, and as what.
#[derive(Debug, Clone, Default)]
pub struct Import {
    /// Folders of runs.
    pub runs: Vec<PathBuf>,
    /// The experiment that their chains belong to.
    pub experiment: String,
    /// Their arm; `None`: named by each run's configuration.
    pub arm: Option<String>,
    /// Of each run these tasks alone, as the run or as the chain calls them; none: all.
    pub tasks: Vec<String>,
    /// The number of the chains; `None`: the run's own where it is here already, else the next
    /// free one.
    pub chain: Option<u32>,
    /// Seconds that clocks of the source are ahead of UTC, where it gives times without a zone.
    pub offset: i32,
    /// Say what would be imported, and change nothing.
    pub dry_run: bool,
}

/// What came of an import.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// The chains, in the order of runs and tasks.
    pub chains: Vec<ChainImported>,
    /// What was not taken over, and what a reader should know.
    pub asides: Vec<Aside>,
}

/// What became of one chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainImported {
    /// Its path.
    pub path: ChainPath,
    /// The folder it comes from, as it was given.
    pub run: String,
    /// What the source calls its task.
    pub source_task: String,
    /// What became of it.
    pub state: ChainState,
    /// Checkpoints that are new, ascending.
    pub added: Vec<u32>,
    /// Checkpoints that were here already, ascending.
    pub known: Vec<u32>,
    /// The newest commit, in full; `None` where nothing was written.
    pub tip: Option<String>,
}

/// What became of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainState {
    /// It is new.
    New,
    /// It was here, and has more checkpoints now.
    Grown,
    /// It was here, and nothing is new.
    Unchanged,
    /// It was here, and its source is no longer what it was: nothing was changed.
    Changed,
    /// It cannot be imported.
    Refused,
}

impl ChainState {
    /// The word in output.
    pub fn word(self) -> &'static str {
        match self {
            ChainState::New => "new",
            ChainState::Grown => "grown",
            ChainState::Unchanged => "unchanged",
            ChainState::Changed => "changed",
            ChainState::Refused => "refused",
        }
    }
}

/// Imports runs of SlopCodeBench: a problem is a task, the state after each checkpoint an agent
/// commit. No work tree, index or branch of the user's is touched.
///
/// # Errors
/// Usage where a folder is no such run or a name is out of form, all before anything is written;
/// git where something cannot be written. What is wrong with a single file or problem is an aside.
pub fn slopcodebench(repo: &Repo, asked: &Import, say: Say<'_>) -> Result<Imported> {
    named("experiment", &asked.experiment)?;
    if let Some(arm) = &asked.arm {
        named("arm", arm)?;
    }
    let mut runs = Vec::new();
    for folder in &asked.runs {
        runs.push(slopcodebench::read(folder, asked)?);
    }
    let mut done = Imported::default();
    for run in runs {
        done.asides.extend(run.asides);
        for chain in &run.chains {
            writer::write(repo, asked, chain, &mut done, say)?;
        }
    }
    Ok(done)
}

fn named(what: &str, name: &str) -> Result<()> {
    match is_part(name) {
        true => Ok(()),
        false => Err(Error::usage(format!("{what} '{name}' is no name")).with_hint(
            "names are of lower-case letters, digits and '-', 63 at most, and begin with none of '-'",
        )),
    }
}
