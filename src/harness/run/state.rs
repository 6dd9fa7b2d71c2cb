//! What is in hand of a chain, in a file beside the repository, so that whoever runs it next goes
//! on from there. What is done is told by the repository alone.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::harness::pending::InHand;
use crate::record::{
    ChainPath, Contained, Launch, Moment, ObjectName, Paths, Probed, Purpose, RecordId, SetupRun,
    Work,
};
use crate::repo::Repo;

/// What is in hand of one chain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    /// The attempt at a checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) attempt: Option<Attempt>,
    /// What the agent answered at a checkpoint whose gate is still to look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<(u32, String)>,
    /// What the next attempt at that checkpoint is to repair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repair: Option<Repair>,
    /// A session beside the checkpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) aside: Option<Aside>,
    /// Until when no session is begun, and milliseconds waited by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wait: Option<Wait>,
    /// What a command is in the middle of, and what that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hand: Option<(What, InHand)>,
}

/// What refs move for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum What {
    /// The chain begins.
    Begin,
    /// An attempt without a commit of the chain is kept.
    Attempt,
    /// The agent commit.
    Record,
    /// The reset commit.
    Reset,
}

impl What {
    /// The word in reflogs.
    pub(super) fn word(self) -> &'static str {
        match self {
            What::Begin => "begin",
            What::Attempt => "attempt",
            What::Record => "record",
            What::Reset => "reset",
        }
    }
}

/// An attempt at a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Attempt {
    /// Which.
    pub(super) id: RecordId,
    /// The checkpoint's number.
    pub(super) checkpoint: u32,
    /// The commit it started from.
    pub(super) parent: ObjectName,
    /// When it began.
    pub(super) started: Moment,
    /// Milliseconds waited before it, for a provider's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) waited_ms: Option<u64>,
    /// Set-up commands that ran in its clone.
    #[serde(default)]
    pub(super) setups: Vec<SetupRun>,
    /// The sessions that ended, in order.
    #[serde(default)]
    pub(super) sessions: Vec<Spoken>,
    /// What the session that runs is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) running: Option<Purpose>,
    /// What came of it, once all its sessions are done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) taken: Option<Taken>,
}

impl Attempt {
    /// Notes a session of which only how it ended is known. What was waited before the attempt
    /// stands with its first session.
    pub(super) fn cut(&mut self, purpose: Purpose, outcome: &str) {
        let mut session = Spoken::bare(purpose, outcome, self.started);
        session.waited_ms = self.waited_ms.filter(|_| self.sessions.is_empty());
        self.sessions.push(session);
    }
}

/// A session that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Spoken {
    /// What it was for.
    pub(super) purpose: Purpose,
    /// How it ended, in words of records.
    pub(super) outcome: String,
    /// When it began.
    pub(super) started: Moment,
    /// When it ended; `None`: it was cut short.
    pub(super) ended: Option<Moment>,
    /// Milliseconds of our own clock around its process.
    pub(super) wall_ms: Option<u64>,
    /// Milliseconds waited before it.
    pub(super) waited_ms: Option<u64>,
    /// Its exit status.
    pub(super) exit_code: Option<i64>,
    /// The agent's version, as it says it.
    pub(super) agent_version: Option<String>,
    /// The model that was asked for.
    pub(super) model: Option<String>,
    /// How it was started and ended.
    pub(super) launch: Option<Launch>,
    /// What the agent reported.
    pub(super) envelopes: Vec<PathBuf>,
    /// Its own logs.
    pub(super) transcripts: Vec<PathBuf>,
    /// Keep these verbatim.
    pub(super) keep_transcripts: bool,
    /// What it answered.
    pub(super) answer: Option<String>,
    /// What it printed beside its envelope, of which the ends are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) printed: Vec<PathBuf>,
    /// The tree after it, where it may write.
    pub(super) tree: Option<ObjectName>,
    /// Of a probe: what its answer named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) probed: Option<Probed>,
    /// Set-up commands that ran for it, where no checkpoint record has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) setups: Vec<SetupRun>,
    /// Of an attempt that made no agent commit: what was found of its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) found: Option<(Work, Contained)>,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Taken {
    /// The tree.
    pub(super) tree: ObjectName,
    /// Commits of its own, oldest first, of which the first are listed.
    pub(super) commits: Vec<ObjectName>,
    /// How many there were.
    pub(super) commit_count: u64,
    /// Those that keep all of them.
    pub(super) tips: Vec<ObjectName>,
    /// What they say, masked.
    pub(super) messages: Vec<String>,
    /// The chain's commit is no ancestor of where it left off.
    pub(super) history_rewritten: bool,
    /// Not all of it was committed.
    pub(super) uncommitted: bool,
    /// New files that were not committed.
    pub(super) untracked: Paths,
    /// Ignored files that look like source.
    pub(super) ignored_sources: Paths,
    /// Files of set-up commands, left out.
    pub(super) left_out: Paths,
    /// What was not taken as it was.
    pub(super) contained: Contained,
    /// What it answered last.
    pub(super) answer: Option<String>,
    /// When its last session ended.
    pub(super) ended: Moment,
}

/// What a repair attempt starts from and is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Repair {
    /// The checkpoint.
    pub(super) checkpoint: u32,
    /// The commit of the attempt whose gate failed.
    pub(super) from: ObjectName,
    /// What is shown of that, as the plan says.
    pub(super) shown: String,
}

/// A session beside the checkpoints: a probe, or one for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Aside {
    /// Which it is in records.
    pub(super) id: RecordId,
    /// What it is for.
    pub(super) purpose: Purpose,
    /// The commit it looks at.
    pub(super) on: ObjectName,
    /// The checkpoint it is for.
    pub(super) checkpoint: u32,
    /// When it began.
    pub(super) started: Moment,
}

/// A wait that a provider asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Wait {
    /// When it ends.
    pub(super) until: Moment,
    /// How long it is in all, in milliseconds; 0: it is over, and recorded.
    pub(super) ms: u64,
    /// How many in a row there were, this one counted.
    pub(super) times: u32,
}

/// Where the state of a chain is kept.
#[derive(Debug, Clone)]
pub(super) struct StateFile {
    path: PathBuf,
}

impl StateFile {
    /// That of the chain `path`.
    pub(super) fn of(repo: &Repo, path: &ChainPath) -> StateFile {
        let name = path.to_string().replace('/', "+");
        StateFile {
            path: folder(repo).join(format!("{name}.json")),
        }
    }

    /// What it holds; nothing where it is not there.
    ///
    /// # Errors
    /// Git where it cannot be read, or is none of ours.
    pub(super) fn read(&self) -> Result<State> {
        let doing = || format!("reading {}", self.path.display());
        match fs::read(&self.path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| {
                Error::git(doing())
                    .with_hint(
                        "what was in hand of this chain is told nowhere else; what is done stands \
                         in the repository: move the file away and run again",
                    )
                    .with_source(e)
            }),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(State::default()),
            Err(e) => Err(Error::git(doing()).with_source(e)),
        }
    }

    /// Writes `state`, whole or not at all; one that says nothing is removed.
    ///
    /// # Errors
    /// Git where it cannot be written.
    pub(super) fn write(&self, state: &State) -> Result<()> {
        let doing = || format!("writing {}", self.path.display());
        let failed = |e: std::io::Error| Error::git(doing()).with_source(e);
        if *state == State::default() {
            return match fs::remove_file(&self.path) {
                Err(e) if e.kind() != ErrorKind::NotFound => Err(failed(e)),
                _ => Ok(()),
            };
        }
        let bytes =
            serde_json::to_vec(state).map_err(|e| Error::internal(doing()).with_source(e))?;
        let new = self.path.with_extension("json.new");
        fs::create_dir_all(self.path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let mut out = fs::File::create(&new).map_err(failed)?;
        out.write_all(&bytes).map_err(failed)?;
        out.sync_all().map_err(failed)?;
        fs::rename(&new, &self.path).map_err(failed)
    }
}

/// The folder of all of them.
pub(super) fn folder(repo: &Repo) -> PathBuf {
    repo.evolve_dir().join("run")
}
