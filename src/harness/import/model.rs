//! What a reader of a layout found, as plain data for the one writer.

use std::path::PathBuf;

use crate::record::{Configured, Moment, Purpose, Suite};

/// A run.
pub(super) struct RunFound {
    /// Its chains, by task.
    pub(super) chains: Vec<ChainFound>,
    /// What is not taken over of the run as a whole.
    pub(super) asides: Vec<Aside>,
}

/// One chain of a run.
pub(super) struct ChainFound {
    /// The run's folder, as it was given.
    pub(super) run: String,
    /// What the source calls its task.
    pub(super) source_task: String,
    /// The arm and task as parts of a path.
    pub(super) arm: String,
    pub(super) task: String,
    /// What makes this chain of this run another than every other: its identity hangs on it.
    pub(super) identity: Vec<u8>,
    /// What its base commit's message says.
    pub(super) said: String,
    /// When it began.
    pub(super) began: Option<Moment>,
    /// The agent, as far as the source tells.
    pub(super) agent: Configured,
    /// What its checkpoints are scored under: a plan.
    pub(super) plan: toml::Table,
    /// Files of the run and of the task that belong to no checkpoint.
    pub(super) contents: Vec<ContentFound>,
    /// The checkpoints there is something of, ascending.
    pub(super) checkpoints: Vec<CheckpointFound>,
    /// What is not taken over of it.
    pub(super) asides: Vec<Aside>,
}

/// One checkpoint.
pub(super) struct CheckpointFound {
    pub(super) number: u32,
    /// Its id as a part.
    pub(super) id: String,
    /// The subject of its commit, behind number and id.
    pub(super) title: String,
    pub(super) started: Option<Moment>,
    pub(super) ended: Option<Moment>,
    /// The states it went through, the last one its commit's; none: it made none.
    pub(super) turns: Vec<TurnFound>,
    pub(super) sessions: Vec<SessionFound>,
    pub(super) gates: Vec<GateFound>,
    /// Its files by digest; the states of its turns are added by the writer.
    pub(super) contents: Vec<ContentFound>,
}

/// The state after a turn.
pub(super) struct TurnFound {
    pub(super) purpose: Purpose,
    /// Its folder, and what the source calls it.
    pub(super) folder: PathBuf,
    pub(super) name: String,
    pub(super) ended: Option<Moment>,
}

/// A session.
pub(super) struct SessionFound {
    pub(super) purpose: Purpose,
    /// What tells of it.
    pub(super) files: Vec<FileFound>,
    pub(super) started: Option<Moment>,
    pub(super) ended: Option<Moment>,
    pub(super) wall_ms: Option<u64>,
    /// How it ended, where the source says so itself.
    pub(super) outcome: Option<String>,
    pub(super) agent_version: Option<String>,
    pub(super) model: Option<String>,
}

/// A gate run.
pub(super) struct GateFound {
    pub(super) suite: Suite,
    pub(super) files: Vec<FileFound>,
    pub(super) exit_code: Option<i64>,
    /// The checkpoints whose tests were asked for; `None`: not told.
    pub(super) selected: Option<Vec<u32>>,
}

/// A file that is named by its digest.
pub(super) struct ContentFound {
    /// What it is: `prompt`, `config`, `source`.
    pub(super) role: &'static str,
    pub(super) file: PathBuf,
    /// What the source calls it.
    pub(super) name: String,
}

/// A file that is kept as a payload.
pub(super) struct FileFound {
    pub(super) file: PathBuf,
    /// What the source calls it.
    pub(super) name: String,
}

/// Something that was not taken over as it is, or that a reader should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    /// The run's folder, as it was given.
    pub run: String,
    /// What the source calls the task; `None`: the run as a whole.
    pub task: Option<String>,
    /// The checkpoint's number, where it is about one.
    pub checkpoint: Option<u32>,
    /// Of what kind it is.
    pub why: Why,
    /// What it is about: a file, a column, a checkpoint.
    pub what: String,
    /// How many of the kind it stands for, and what is to be said.
    pub count: u64,
    /// In words.
    pub said: String,
}

/// Why something stands aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It cannot be imported.
    Refused,
    /// The source is no longer what it was when it was imported.
    Changed,
    /// A checkpoint was never reached.
    NotReached,
    /// A file cannot be read, or is not of the form it should be.
    Unreadable,
    /// Something of a state was not taken as it was.
    NotAsItWas,
    /// What the source gives and records do not hold.
    NotMapped,
    /// What a reader should know of what is here.
    Remark,
}

impl Why {
    /// The word in output.
    pub fn word(self) -> &'static str {
        match self {
            Why::Refused => "refused",
            Why::Changed => "changed",
            Why::NotReached => "not-reached",
            Why::Unreadable => "unreadable",
            Why::NotAsItWas => "not-as-it-was",
            Why::NotMapped => "not-mapped",
            Why::Remark => "remark",
        }
    }
}
