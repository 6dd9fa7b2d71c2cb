//! What a run tells while it goes on, and what it comes to.

use std::time::Duration;

use crate::error::Error;
use crate::record::ChainPath;

/// Who watches a run. Called from all its threads.
pub trait Watch: Sync {
    /// Something happened in a chain; without one: in the run.
    fn tell(&self, chain: Option<&ChainPath>, event: &Happens<'_>);
}

/// What happens.
#[derive(Debug, Clone, PartialEq)]
pub enum Happens<'a> {
    /// A chain is taken up: so many of its checkpoints are done, of so many that are asked for.
    Begins {
        /// Done already.
        done: u32,
        /// Asked for.
        of: u32,
    },
    /// Something is begun, for a checkpoint (0: the base).
    Doing {
        /// The checkpoint.
        checkpoint: u32,
        /// Its id.
        id: &'a str,
        /// What is done.
        what: &'a str,
    },
    /// A session ended and is recorded.
    Session {
        /// Its checkpoint.
        checkpoint: u32,
        /// What it was for.
        purpose: &'a str,
        /// How it ended.
        outcome: &'a str,
        /// US dollars; `None`: the agent did not report them.
        cost_usd: Option<f64>,
    },
    /// A checkpoint is done.
    Done {
        /// Which.
        checkpoint: u32,
        /// Its id.
        id: &'a str,
        /// What its gate says, where there is one.
        verdict: &'a str,
        /// How long it took, where all of it was done now.
        took: Option<Duration>,
    },
    /// A checkpoint is left out, since one that it needs did not pass.
    NotReached {
        /// Which.
        checkpoint: u32,
        /// Its id.
        id: &'a str,
    },
    /// Something to know.
    Remark(&'a str),
    /// Something that only those want to know who look closely.
    Detail(&'a str),
    /// A chain's turn is over.
    Ends(&'a End),
}

/// How a chain's turn in a run ended.
#[derive(Debug)]
pub enum End {
    /// All that was asked for is done.
    Complete,
    /// It would be run: nothing was done.
    Planned,
    /// A checkpoint did not pass, and the plan says that the chain ends there.
    Failed {
        /// Which.
        checkpoint: u32,
        /// Why.
        why: String,
    },
    /// A set-up command failed, or a service did not come up.
    SetUp(String),
    /// The provider turned sessions away for too long.
    RateLimited(String),
    /// No session can succeed any more.
    Credentials(String),
    /// The sessions so far have cost all that the plan allows.
    Budget(String),
    /// Somebody asked the run to stop.
    Interrupted,
    /// Somebody else works on it.
    Elsewhere(String),
    /// Something went wrong that is none of the agent's doing.
    Error(Error),
}

impl PartialEq for End {
    fn eq(&self, other: &End) -> bool {
        self.word() == other.word() && self.why() == other.why()
    }
}

impl End {
    /// The word in output.
    pub fn word(&self) -> &'static str {
        match self {
            End::Complete => "complete",
            End::Planned => "planned",
            End::Failed { .. } => "failed",
            End::SetUp(_) => "set-up failed",
            End::RateLimited(_) => "rate-limited",
            End::Credentials(_) => "credentials dead",
            End::Budget(_) => "budget spent",
            End::Interrupted => "interrupted",
            End::Elsewhere(_) => "elsewhere",
            End::Error(_) => "error",
        }
    }

    /// Why, where there is something to say.
    pub fn why(&self) -> Option<String> {
        match self {
            End::Complete | End::Planned | End::Interrupted => None,
            End::Failed { checkpoint, why } => Some(format!("checkpoint {checkpoint}: {why}")),
            End::SetUp(why)
            | End::RateLimited(why)
            | End::Credentials(why)
            | End::Budget(why)
            | End::Elsewhere(why) => Some(why.clone()),
            End::Error(e) => Some(whole(e)),
        }
    }
}

/// An error with what caused it, in one line.
fn whole(error: &Error) -> String {
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(e) = cause {
        said = format!("{said}: {e}");
        cause = e.source();
    }
    said
}

/// What became of one chain.
#[derive(Debug, PartialEq)]
pub struct ChainDone {
    /// Its path.
    pub path: ChainPath,
    /// How its turn ended.
    pub end: End,
    /// Checkpoints that are asked for.
    pub asked: u32,
    /// Those that are done: agent commit, gate and reset.
    pub done: Vec<u32>,
    /// Those of them that were done now.
    pub now: Vec<u32>,
    /// Those that no session was held for: the chain ended before them, or one that they require
    /// did not pass.
    pub not_reached: Vec<u32>,
    /// Those whose gate says that they failed, or whose attempts are used up.
    pub failed: Vec<u32>,
    /// Sessions that were begun now.
    pub sessions: u32,
    /// What sessions of this chain cost, US dollars, those before this run too.
    pub cost_usd: f64,
    /// Sessions whose cost is unknown.
    pub cost_unknown: u32,
}

/// What became of a run.
#[derive(Debug, Default, PartialEq)]
pub struct RunDone {
    /// Each chain, sorted by path; of a dry run in the order in which they would be taken up.
    pub chains: Vec<ChainDone>,
    /// Why no session can succeed any more, where that is so.
    pub dead: Option<String>,
}

/// Why something does not go on.
#[derive(Debug)]
pub(super) enum Halt {
    /// The chain's turn is over.
    End(End),
    /// Something went wrong.
    Error(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Error(error)
    }
}

/// What may end the turn of a chain.
pub(super) type Step<T> = std::result::Result<T, Halt>;
