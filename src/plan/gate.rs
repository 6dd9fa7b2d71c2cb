//! What decides whether a checkpoint is done.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Command, Isolation, Overlay};

/// `[gate]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// The tests as the agent left them.
    pub visible: Option<SuiteRun>,
    /// The experimenter's tests.
    pub acceptance: Option<SuiteRun>,
    /// What must hold, all of it; empty: the acceptance suite's reports, else the visible's.
    pub checks: Vec<Check>,
    /// How often an invalid run is tried again.
    pub retries: u32,
    /// Globs of files that could forge reports, beside those known of each ecosystem.
    pub runner_files: Vec<String>,
    /// Such files that may change all the same.
    pub runner_files_free: Vec<String>,
    /// Whether an arm's chain gets its base gated.
    pub baseline: bool,
}

/// One suite's run.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteRun {
    /// What is run, in the export.
    pub command: Command,
    /// How long it may take.
    pub timeout: Duration,
    /// Globs of its reports, in the export.
    pub reports: Vec<String>,
    /// Globs of its coverage reports.
    pub coverage: Vec<String>,
    /// Variables of its environment, placeholders filled in.
    pub environment: BTreeMap<String, String>,
    /// The experimenter's tests, laid over the tree; of the visible suite none.
    pub tests: Vec<Overlay>,
    /// Which checkpoints' tests are selected.
    pub select: Select,
    /// Also run on the parent: the selected and the added tests.
    pub before: bool,
    /// Also run in the sandbox.
    pub isolation: Isolation,
}

/// Which checkpoints' tests a run selects, through placeholders and environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select {
    /// There is no selection: all there are.
    All,
    /// Checkpoints 1 to the one gated.
    UpTo,
    /// The one gated alone.
    Own,
}

/// What must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// Every test that counts passed in the suite's valid run.
    Reports(crate::record::Suite),
    /// A command ends with this status in a fresh export.
    Command {
        /// What is run.
        command: Command,
        /// The status that holds.
        exit_code: i32,
        /// How long it may take.
        timeout: Duration,
    },
    /// The agent's answer matches the checkpoint's pattern.
    Answer,
    /// The checkpoint's declared tests pass (and failed before, where that was run).
    Declared,
}
