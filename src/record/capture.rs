//! Records of what was captured: envelopes, gate runs, coverage, and payloads as they came.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::run::{Contained, Gated, Launch, Probed, SetupRun};
use super::{Moment, ObjectName, RecordId, Work};

/// What a session was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// The change that was asked for.
    Implement,
    /// Clearing up that a gate asked for.
    Refactor,
    /// Looking over the work.
    Review,
    /// Questions about the rules.
    Probe,
    /// Nothing: what a session costs by itself.
    Noop,
}

/// Program and version that read what stands in a record out of its payloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBy {
    /// The reader's name: a format.
    pub reader: String,
    /// The reader's version; an older one than the program's is read again.
    pub version: u32,
}

/// What an envelope record says: one session of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// What the session was for.
    pub purpose: Purpose,
    /// How it ended; absent: not read yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Moment>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Moment>,
    /// Milliseconds of our own clock around the agent's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// Milliseconds waited before this attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_ms: Option<u64>,
    /// The exit status of the agent's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The agent's version as the program itself says it; formats often leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// The model that was asked for; formats often leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The session that this one goes on with: totals of some formats go on, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<String>,
    /// The payloads: raw records, in the order they were given.
    pub raw: Vec<RecordId>,
    /// Files that were read into `session` and not kept: it cannot be read again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unkept: Vec<Unkept>,
    /// Who read `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_by: Option<ReadBy>,
    /// What was read out of the payloads; absent: not read yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Value>,
    /// How it was started and ended, where the harness did both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<Launch>,
    /// What a probe's answer named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probed: Option<Probed>,
    /// Set-up commands that ran for it, where no checkpoint record has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setups: Vec<SetupRun>,
    /// Of an attempt that made no agent commit: what was found of its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// The same: what of its tree was not taken as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contained: Option<Contained>,
}

/// A file that was read and not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unkept {
    /// Its name, without folders.
    pub name: String,
    /// Bytes that were read, masked.
    pub size: u64,
    /// SHA-256 of these bytes, in hexadecimal.
    pub sha256: String,
}

/// Whose tests ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// The experimenter's.
    Acceptance,
    /// As the agent left them.
    Visible,
}

/// Which tests a gate run was asked for, so that a test that is missing is not taken for lost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Selected {
    /// Tests of these checkpoints alone (tests of no checkpoint too); absent: of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<Vec<u32>>,
    /// Patterns (regular expressions on the id) of tests that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// What a tests record says: one gate run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tests {
    /// Whose tests ran.
    pub suite: Suite,
    /// The tree they ran on, where that is not the commit's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran_tree: Option<ObjectName>,
    /// The command that ran them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// Its exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Moment>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Moment>,
    /// Which tests were asked for; absent: all there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<Selected>,
    /// The payloads: raw records, in the order they were given.
    pub raw: Vec<RecordId>,
    /// Who read `map`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_by: Option<ReadBy>,
    /// What was read out of the payloads; absent: not read yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<Value>,
    /// How the gate ran, where the harness ran it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gated: Option<Gated>,
}

/// What a coverage record says: one report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Whose tests ran; absent: as the agent left them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<Suite>,
    /// Where the tree was checked out when the report was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_root: Option<String>,
    /// The payloads: raw records, in the order they were given.
    pub raw: Vec<RecordId>,
    /// Who read `files`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_by: Option<ReadBy>,
    /// What was read out of the payloads; absent: not read yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Value>,
}

/// What a payload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Payload {
    /// What the agent's command reported.
    Envelope,
    /// The agent's own log of a session.
    Transcript,
    /// A test report.
    Report,
    /// A coverage report.
    Coverage,
    /// What a command printed last.
    Console,
}

/// How a payload's bytes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// As text: `content` is the payload.
    Text,
    /// `content` is the payload in base64 (RFC 4648, padded).
    Base64,
    /// Not here: over the cap. `head` and `tail` have the ends of it in base64.
    Large,
}

/// What a raw record says: one payload as it came, but for the masks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raw {
    /// The record it belongs to.
    pub of: RecordId,
    /// What it is.
    pub payload: Payload,
    /// The file's name, without folders.
    pub name: String,
    /// Its path from where it was looked for, with `/`; what module a report is of stands in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// When the file was last written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Moment>,
    /// How the bytes are kept.
    pub encoding: Encoding,
    /// The payload, as `encoding` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Bytes of the payload, masked.
    pub size: u64,
    /// SHA-256 of these bytes, in hexadecimal.
    pub sha256: String,
    /// The first 64 KiB of a large one, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The last 64 KiB of a large one, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<String>,
}

impl Envelope {
    /// One of which nothing but its purpose and payloads is known.
    pub fn of(purpose: Purpose, raw: Vec<RecordId>) -> Envelope {
        Envelope {
            purpose,
            outcome: None,
            started: None,
            ended: None,
            wall_ms: None,
            waited_ms: None,
            exit_code: None,
            agent_version: None,
            model: None,
            resumes: None,
            raw,
            unkept: Vec::new(),
            read_by: None,
            session: None,
            launch: None,
            probed: None,
            setups: Vec::new(),
            work: None,
            contained: None,
        }
    }

    /// Whether what was read can be read again: every file that was read is a payload.
    pub fn is_readable_again(&self) -> bool {
        self.unkept.is_empty()
    }
}

impl Tests {
    /// One of which nothing but its suite and payloads is known.
    pub fn of(suite: Suite, raw: Vec<RecordId>) -> Tests {
        Tests {
            suite,
            ran_tree: None,
            command: None,
            exit_code: None,
            started: None,
            ended: None,
            selected: None,
            raw,
            read_by: None,
            map: None,
            gated: None,
        }
    }
}

impl Coverage {
    /// One of which nothing but its payloads is known.
    pub fn of(raw: Vec<RecordId>) -> Coverage {
        Coverage {
            suite: None,
            build_root: None,
            raw,
            read_by: None,
            files: None,
        }
    }
}
