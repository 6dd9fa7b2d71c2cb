//! The reduced transcript: what an agent did, in order, without what was said.

use serde::{Deserialize, Serialize};

use super::{Moment, Tokens};

/// What happened in a session, in the order of its file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Transcript {
    /// The events.
    pub events: Vec<Happening>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happening {
    /// The thread it belongs to: 0 is the main one, each sub-agent has its own.
    pub thread: u32,
    /// When; of an answer its last block's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
    /// What.
    #[serde(flatten)]
    pub what: Did,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "lowercase")]
pub enum Did {
    /// Somebody wrote to the agent (a prompt; results of tools are their own).
    Input,
    /// A model answered. Its calls of tools follow.
    Answer {
        /// The provider's id of the answer.
        id: String,
        /// The model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// Tokens of this answer, where told for each.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tokens: Option<Tokens>,
    },
    /// A tool was called.
    Call {
        /// The call's id.
        id: String,
        /// The tool's name as written.
        tool: String,
        /// What it does to files.
        does: Does,
        /// The file it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// First line asked for, as given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<i64>,
        /// How many lines were asked for, as given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<i64>,
    },
    /// A tool's result came back.
    Result {
        /// The call's id.
        id: String,
        /// False where it is marked as failed, or the command exited with another code than 0.
        ok: bool,
    },
}

/// What a tool does to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Does {
    /// Reads one file.
    Read,
    /// Writes or edits one file.
    Write,
    /// Anything else; commands in a shell too, whatever they read.
    Other,
}
