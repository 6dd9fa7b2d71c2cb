//! What a chain's records say of its checkpoints: sessions, gate runs, coverage. The part of a
//! step that is no code.

use std::sync::Arc;

use regex::Regex;

use crate::record::{CoverageMap, Purpose, RecordId, Session, Suite, TestMap};
use crate::repo::Oid;

/// What the records of one chain say, and what the plan says of its tests.
#[derive(Debug, Clone, Default)]
pub struct ChainEvidence {
    /// By number of checkpoint; the base is the first, with number 0, where anything is known of
    /// it.
    pub checkpoints: Vec<CheckpointEvidence>,
    /// What the plan says.
    pub plan: TestPlan,
    /// Why records may be missing (not fetched, a line of a newer version): figures that find
    /// none are unknown with this reason.
    pub lacking: Option<String>,
}

/// What the records say of one checkpoint.
#[derive(Debug, Clone)]
pub struct CheckpointEvidence {
    /// Its number.
    pub checkpoint: u32,
    /// Its id in the plan.
    pub checkpoint_id: String,
    /// Its agent commit (the base: the base commit).
    pub commit: Oid,
    /// The attempt that made the agent commit.
    pub attempt: Option<RecordId>,
    /// Sessions of every attempt and purpose, oldest record first.
    pub sessions: Vec<SessionEvidence>,
    /// Gate runs, oldest record first.
    pub gates: Vec<GateRun>,
    /// Coverage reports, oldest record first.
    pub coverage: Vec<CoverageEvidence>,
}

/// Something read, or why not.
#[derive(Debug, Clone)]
pub enum Said<T> {
    /// It was read.
    Known(Arc<T>),
    /// It was not; holds the reason.
    Unknown(String),
}

/// One session.
#[derive(Debug, Clone)]
pub struct SessionEvidence {
    /// Its record.
    pub record: RecordId,
    /// Its attempt.
    pub attempt: Option<RecordId>,
    /// What it was for.
    pub purpose: Purpose,
    /// How it ended, as the record says.
    pub outcome: Option<String>,
    /// Milliseconds of our own clock.
    pub wall_ms: Option<u64>,
    /// Milliseconds waited before it.
    pub waited_ms: Option<u64>,
    /// The session before it, where it goes on with one.
    pub resumes: Option<String>,
    /// What was read out of its payloads.
    pub session: Said<Session>,
}

/// One gate run.
#[derive(Debug, Clone)]
pub struct GateRun {
    /// Its record.
    pub record: RecordId,
    /// Whose tests ran.
    pub suite: Suite,
    /// True where it ran on the parent's code with this checkpoint's tests.
    pub on_parent: bool,
    /// Which tests were asked for.
    pub selection: Selection,
    /// What was read out of its payloads.
    pub map: Said<TestMap>,
}

/// Which tests a gate run was asked for.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Tests of these checkpoints alone; `None`: of all.
    pub checkpoints: Option<Vec<u32>>,
    /// Ids that match one of these were left out.
    pub left_out: Vec<Regex>,
}

/// One coverage report.
#[derive(Debug, Clone)]
pub struct CoverageEvidence {
    /// Its record.
    pub record: RecordId,
    /// Whose tests ran.
    pub suite: Suite,
    /// What was read out of its payload.
    pub map: Said<CoverageMap>,
}

/// What the plan says of tests: which checkpoint one belongs to, of what category it is, and
/// what checkpoints are declared to change.
#[derive(Debug, Clone, Default)]
pub struct TestPlan {
    /// Patterns on a test's id with groups named `checkpoint` and `category`; the first that
    /// matches counts.
    pub patterns: Vec<Regex>,
    /// The checkpoints that the plan lists.
    pub checkpoints: Vec<PlannedCheckpoint>,
}

/// What the plan says of one checkpoint.
#[derive(Debug, Clone, Default)]
pub struct PlannedCheckpoint {
    /// Its number, from 1: the place in the plan.
    pub number: u32,
    /// Its id.
    pub id: String,
    /// Patterns of its tests by category (`core`, `error`, `functionality`, `regression`).
    pub tests: Vec<(String, Regex)>,
    /// Numbers of the checkpoints whose tests it is declared to change.
    pub mutates: Vec<u32>,
    /// Patterns of tests it is declared to change.
    pub mutates_tests: Vec<Regex>,
}
