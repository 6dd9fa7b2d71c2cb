//! What a run by the harness adds to records: how a session was started and ended, what set-up
//! commands did, what the plan's files were, what a gate looked at beside the tests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Moment, ObjectName, PathName};

/// How a session was started, and how its processes ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The command as it was started, without the prompt (`{prompt}` stands for it), masked.
    pub command: Vec<String>,
    /// How the prompt got there: `stdin`, `argument`, `file`.
    pub prompt_route: String,
    /// Blob id of the whole prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<ObjectName>,
    /// What hid the rest of the machine: `bwrap`, `namespaces`, `none`.
    pub isolation: String,
    /// Variables set for it, values masked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Names of variables that were handed through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    /// Tools it might use, as the plan states them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Its permission mode, as the plan states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// What bounded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limited>,
    /// Which of these it was over: `turns`, `cost_usd`, `time`, `output`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<String>,
    /// How it ended: `itself`, `timeout`, `interrupt`, `killed` (by a signal that was not ours),
    /// `not-started`.
    pub ended_by: String,
    /// The signal, where one ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Processes it left behind, which were ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_running: u64,
    /// Bytes it wrote to its standard output and errors.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub output: u64,
    /// Bytes of these that were not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub output_dropped: u64,
    /// Which turn of its attempt it was, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The tree after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<ObjectName>,
    /// A read-only session that wrote all the same: what changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrote: Option<super::Paths>,
}

/// What bounds a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Limited {
    /// Turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Milliseconds.
    pub time_ms: u64,
    /// Tries at one checkpoint.
    pub attempts: u32,
}

/// What a probe's answer named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probed {
    /// Ids of the rules that had landed by then.
    pub landed: Vec<String>,
    /// Those of them that the answer names, by the plan's patterns.
    pub named: Vec<String>,
    /// The answer, masked and capped.
    pub answer: String,
}

/// One set-up command's run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupRun {
    /// Whose it is: `experiment`, `arm`, `task`.
    pub of: String,
    /// Where it ran: `base`, `clone`, `gate`.
    #[serde(rename = "in")]
    pub place: String,
    /// The command, masked.
    pub command: Vec<String>,
    /// Its exit status; absent: it was ended or did not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Milliseconds it took.
    pub wall_ms: u64,
    /// `ok`, `failed`, `timeout`, `not-started`.
    pub outcome: String,
    /// The end of what it printed, masked; only of one that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub console: Option<String>,
}

/// What a file that the run was made with was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContentId {
    /// What it is: `plan`, `prompt`, `spec`, `tests`, `reference`, `arm-file`, `config`.
    pub role: String,
    /// Its path from the plan's folder; of words that stand in the plan itself the plan's.
    #[serde(flatten)]
    pub path: PathName,
    /// The checkpoint it belongs to, by id; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// Its blob id; of a folder its tree id: as git computes them of the bytes as they are.
    pub id: ObjectName,
}

impl ContentId {
    /// Content that belongs to every checkpoint.
    pub fn of(role: &str, path: PathName, id: ObjectName) -> ContentId {
        ContentId {
            role: role.to_owned(),
            path,
            checkpoint: None,
            id,
        }
    }
}

/// A file of the run that is the agent's to leave alone, and that it did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tampered {
    /// What it is: `tests` (the experimenter's), `pinned`, `hidden` (it is there again),
    /// `runner` (could forge reports), `report` (one that no run made), `tests-gone` (visible
    /// tests that were there).
    pub what: String,
    /// The file.
    #[serde(flatten)]
    pub path: PathName,
    /// `changed`, `deleted`, `added`.
    pub how: String,
    /// Whether the gate ran with the experiment's own all the same.
    pub put_back: bool,
}

/// One check of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRun {
    /// Which: `reports`, `command`, `answer`, `declared`.
    pub check: String,
    /// What it looked at: a suite, a command, a pattern.
    pub of: String,
    /// Whether it holds; absent: no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
    /// Why it does not, or why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a gate ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gated {
    /// All checks; of the last suite that ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckRun>,
    /// What was found changed that is not the agent's to change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tampered: Vec<Tampered>,
    /// Which try of this gate it was, from 1: those before were invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// What hid the rest of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<String>,
    /// Blob ids of the experimenter's tests that were laid over the tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<ContentId>,
    /// Set-up commands that ran for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setups: Vec<SetupRun>,
    /// What ended its command: `itself`, `timeout`, `killed`, `not-started`; `setup`: a set-up
    /// command failed, and it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// Processes it left behind, which were ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_running: u64,
}

/// Versions of what figures are computed with, beside the program's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// The analyser, with its version.
    pub analyser: String,
    /// The definitions of the measures.
    pub definitions: String,
}

/// The system that something ran on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct System {
    /// What it calls itself: distribution and its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its kernel's release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Processors that it may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// Its memory in GiB, to the nearest power of two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<u32>,
}

/// The agent as the plan configures it, placeholders and all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Configured {
    /// Its command, masked; a line for `sh -c` as the three words that start it.
    pub command: Vec<String>,
    /// How the prompt gets there: `stdin`, `argument`, `file`.
    pub prompt_route: String,
    /// The model that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its version, as its version command says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Variables set for it, values masked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Names of variables that are handed through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    /// Tools it may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Its permission mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// What bounds a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limited>,
    /// What becomes of a chain whose checkpoint failed: `stop`, `repair`, `continue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_fail: Option<String>,
    /// What a repair attempt is shown: `prompt`, `tests`, `messages`, `console`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repair_shows: Vec<String>,
    /// What was asked for: `auto`, `required`, `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<String>,
    /// Whether a sandbox reaches the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<bool>,
    /// Whether its clone has the project's history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<bool>,
}

/// Programs a run used, beside git.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tools {
    /// Program to the first line of what it says its version is.
    pub versions: BTreeMap<String, String>,
}

/// A part of the tree after a session that was not taken as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contained {
    /// Files over the limit, of which a stub came in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stubs: Vec<Stub>,
    /// Symbolic links that lead out of the tree, taken as links and never followed.
    #[serde(default)]
    pub links_out: super::Paths,
    /// Sockets, pipes, devices, and what could not be read: left out.
    #[serde(default)]
    pub special: super::Paths,
    /// Folders named `.git` below the top, left out: the files around them came in.
    #[serde(default)]
    pub git_folders: super::Paths,
    /// Files that were left out because there were too many.
    #[serde(default)]
    pub too_many: super::Paths,
    /// What changed beside the tree: `attributes`, `config`, `exclude`, `head`, `hooks`, `objects`,
    /// `refs`; of the tree itself `hostile-submodule` (`docs/isolation.md`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub git_changed: Vec<String>,
}

/// A file that came in as a stub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stub {
    /// The file.
    #[serde(flatten)]
    pub path: PathName,
    /// Its size in bytes.
    pub size: u64,
    /// Its SHA-256.
    pub sha256: String,
}

/// A turn of the attempt that made an agent commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turned {
    /// What it was for.
    pub purpose: super::Purpose,
    /// The tree after it.
    pub tree: ObjectName,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Moment>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands the field by reference"
)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}
