//! Who works, and within which bounds.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::{Command, Overlay, Text};

/// `[agent]`: the command configured beside the one used is recorded with every session.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// What is run, in the clone.
    pub command: Command,
    /// How the prompt gets there.
    pub prompt: PromptRoute,
    /// The model that is asked for: placeholder `{model}`.
    pub model: Option<String>,
    /// Prints the agent's version.
    pub version: Option<Command>,
    /// Variables of its environment, placeholders filled in; recorded, masked.
    pub environment: BTreeMap<String, String>,
    /// Names of variables that are handed through; recorded by name alone.
    pub pass_environment: Vec<String>,
    /// What the session's configuration folder (`{config}`) begins with.
    pub config: Vec<Overlay>,
    /// What the agent reports of a session: a file (with placeholders), else its standard output.
    pub envelope: Option<String>,
    /// Globs (with placeholders) of its own logs.
    pub transcripts: Vec<String>,
    /// Keep these verbatim.
    pub keep_transcripts: bool,
    /// Names of tools it may use, and its permission mode, as the plan states them; placeholders
    /// `{tools}` (joined by commas) and `{permission_mode}`.
    pub tools: Vec<String>,
    /// See `tools`.
    pub permission_mode: Option<String>,
    /// What bounds a session.
    pub limits: Limits,
    /// What becomes of a chain whose checkpoint failed.
    pub on_fail: OnFail,
    /// What a repair attempt is shown, in this order.
    pub repair_shows: Vec<Shown>,
    /// What stands before that.
    pub repair_prompt: Option<Text>,
    /// What says that a session was turned away for a time, beside what its envelope says.
    pub rate_limited: Signs,
    /// How long is waited then: first, and at most; doubled each time.
    pub rate_limit_wait: (Duration, Duration),
    /// How often.
    pub rate_limit_retries: u32,
    /// What says that no session can succeed any more.
    pub credentials_dead: Signs,
    /// Whether the rest of the disk is hidden.
    pub isolation: Isolation,
    /// Paths outside the clone that a sandbox shows, read only.
    pub visible: Vec<PathBuf>,
    /// Whether a sandbox reaches the network.
    pub network: bool,
    /// Whether the clone has the project's history below the chain's base.
    pub history: bool,
}

/// How a prompt gets to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptRoute {
    /// On its standard input.
    Stdin,
    /// As the placeholder `{prompt}`, or as last argument where no word has it.
    Argument,
    /// In the file `{prompt_file}`.
    File,
}

/// What bounds a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Turns: placeholder `{max_turns}`; held against the envelope afterwards.
    pub turns: Option<u32>,
    /// US dollars: placeholder `{max_cost_usd}`; held against the envelope afterwards.
    pub cost_usd: Option<f64>,
    /// Time, after which all of it is ended.
    pub time: Duration,
    /// Tries at one checkpoint.
    pub attempts: u32,
    /// Bytes of output that are kept.
    pub output: u64,
}

/// What becomes of a chain whose checkpoint failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFail {
    /// It ends there.
    Stop,
    /// Another attempt is shown what failed, while there are attempts.
    Repair,
    /// The next checkpoint stands on it.
    Continue,
}

/// What a repair attempt is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The checkpoint's prompt again.
    Prompt,
    /// Names of the tests that failed.
    Tests,
    /// Their messages.
    Messages,
    /// The end of what the gate printed.
    Console,
}

/// What tells a state of a session by its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signs {
    /// Exit codes.
    pub exit_codes: Vec<i32>,
    /// Patterns on the last 64 KiB of its output and its errors.
    pub patterns: Vec<String>,
}

/// Whether the rest of the disk is hidden from a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Where the system can.
    Auto,
    /// Else nothing is run.
    Required,
    /// Never.
    None,
}
