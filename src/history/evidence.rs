//! What a chain's records say of its checkpoints: sessions, gate runs, coverage. The part of a
//! step that is no code.
//!
//! `collect` makes it out of the records; `again` reads payloads where what was read out of
//! them at capture does not do; `judged` joins the runs of each gate and puts it beside the one
//! before it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use regex::Regex;

use super::Step;
use super::step::Place;
use crate::record::{
    CoverageMap, Kind, Moment, Probed, Purpose, RecordId, Role, Session, Suite, TestMap,
};
use crate::repo::Oid;

mod again;
mod collect;
mod compared;
mod gate;
mod judged;
mod places;
mod taxonomy;

pub use collect::{collect, noops};
pub use compared::{Compared, Fate, Passage, compare};
pub use gate::{Gate, Joined, Verdict};
pub use judged::Since;
pub use places::between;
pub use taxonomy::{Belongs, Category, Numbers};

/// What the records of one chain say, and what the plan says of its tests.
#[derive(Debug, Clone, Default)]
pub struct ChainEvidence {
    /// By number of checkpoint; the base is the first, with number 0. Checkpoints of which there
    /// is neither a commit nor a record are not here.
    pub checkpoints: Vec<CheckpointEvidence>,
    /// What the plan says.
    pub plan: TestPlan,
    /// Sessions of other chains of its arm that were for nothing: what one costs by itself.
    pub arm_noops: Vec<SessionEvidence>,
    /// Why records of a kind may be missing (not fetched, cut off, left to a remote): figures
    /// that find none are unknown with this reason.
    pub lacking: BTreeMap<Kind, String>,
    /// Its gates, joined and put in order.
    judged: judged::Judged,
}

/// What the records say of one checkpoint.
#[derive(Debug, Clone)]
pub struct CheckpointEvidence {
    /// Its number.
    pub checkpoint: u32,
    /// Its id in the plan; empty where only failed attempts name it.
    pub checkpoint_id: String,
    /// Its agent commit (the base: the base commit); `None`: it was never reached.
    pub commit: Option<Oid>,
    /// The attempt that made the agent commit.
    pub attempt: Option<RecordId>,
    /// Sessions of every attempt and purpose, oldest record first.
    pub sessions: Vec<SessionEvidence>,
    /// Gate runs, oldest record first.
    pub gates: Vec<GateRun>,
    /// Coverage reports, oldest record first.
    pub coverage: Vec<CoverageEvidence>,
    /// Why what is here of a kind cannot be relied on (a record of a later version, two of one
    /// id): figures that need it are unknown with this reason.
    pub doubtful: BTreeMap<Kind, String>,
}

/// Something read, or why not.
#[derive(Debug, Clone)]
pub enum Said<T> {
    /// It was read.
    Known(Arc<T>),
    /// It was not; holds the reason.
    Unknown(String),
}

impl<T> Said<T> {
    /// What was read.
    ///
    /// # Errors
    /// The reason why it was not.
    pub fn known(&self) -> Result<&T, &str> {
        match self {
            Said::Known(read) => Ok(read),
            Said::Unknown(why) => Err(why),
        }
    }
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
    /// When it began.
    pub started: Option<Moment>,
    /// When it ended.
    pub ended: Option<Moment>,
    /// Milliseconds of our own clock.
    pub wall_ms: Option<u64>,
    /// Milliseconds waited before it.
    pub waited_ms: Option<u64>,
    /// The exit status of the agent's process.
    pub exit_code: Option<i64>,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The session before it, where it goes on with one.
    pub resumes: Option<String>,
    /// What was read out of its payloads.
    pub session: Said<Session>,
    /// Of a probe: what its answer named.
    pub probed: Option<Probed>,
}

/// One gate run.
#[derive(Debug, Clone)]
pub struct GateRun {
    /// Its record.
    pub record: RecordId,
    /// Whose tests ran.
    pub suite: Suite,
    /// The tree they ran on.
    pub tree: Option<Oid>,
    /// True where it ran on the parent's code with this checkpoint's tests.
    pub on_parent: bool,
    /// Which tests were asked for.
    pub selection: Selection,
    /// What was read out of its payloads.
    pub map: Said<TestMap>,
    /// What the checks of the gate that it belongs to came to: all hold, one does not, or why it
    /// is not known; `None`: none stand with it.
    pub checks: Option<Result<bool, String>>,
}

/// Which tests a gate run was asked for.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Tests of these checkpoints alone (tests of no checkpoint too); `None`: of all.
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
    /// The paths of it that are production code.
    pub production: BTreeSet<String>,
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

impl ChainEvidence {
    /// What these checkpoints, ascending, come to, where nothing is known of any tree.
    pub fn of(
        checkpoints: Vec<CheckpointEvidence>,
        plan: TestPlan,
        lacking: BTreeMap<Kind, String>,
    ) -> ChainEvidence {
        let mut evidence = ChainEvidence {
            checkpoints,
            plan,
            lacking,
            ..ChainEvidence::default()
        };
        evidence.judge(&mut judged::Nowhere);
        evidence
    }

    /// What the records say of checkpoint `number` (the base: 0), where anything is known of it.
    pub fn at(&self, number: u32) -> Option<&CheckpointEvidence> {
        let key = |c: &CheckpointEvidence| c.checkpoint;
        let at = self.checkpoints.binary_search_by_key(&number, key).ok()?;
        self.checkpoints.get(at)
    }

    /// The sessions of a checkpoint, at least one.
    ///
    /// # Errors
    /// Why there is none, or why what there is cannot be relied on.
    pub fn sessions(&self, number: u32) -> Result<&[SessionEvidence], String> {
        self.reliable(number, Kind::Envelope, |c| &c.sessions)
    }

    /// The gate runs of a checkpoint, at least one; of any suite.
    ///
    /// # Errors
    /// Why there is none, or why what there is cannot be relied on.
    pub fn gates(&self, number: u32) -> Result<&[GateRun], String> {
        self.reliable(number, Kind::Tests, |c| &c.gates)
    }

    /// The coverage reports of a checkpoint, at least one; of any suite.
    ///
    /// # Errors
    /// Why there is none, or why what there is cannot be relied on.
    pub fn coverage(&self, number: u32) -> Result<&[CoverageEvidence], String> {
        self.reliable(number, Kind::Coverage, |c| &c.coverage)
    }

    /// Why there is no record of `kind` that a figure asks for: none was made, or none is here.
    pub fn why_none(&self, kind: Kind) -> String {
        let recorded = match kind {
            Kind::Envelope => "no session recorded",
            Kind::Tests => "no gate recorded",
            Kind::Coverage => "no coverage recorded",
            Kind::Checkpoint | Kind::Raw => "nothing recorded",
        };
        let lacking = self.lacking.get(&kind);
        lacking.map_or_else(|| recorded.to_owned(), Clone::clone)
    }

    fn reliable<'e, T>(
        &'e self,
        number: u32,
        kind: Kind,
        of: impl Fn(&'e CheckpointEvidence) -> &'e Vec<T>,
    ) -> Result<&'e [T], String> {
        let Some(found) = self.at(number) else {
            return Err(self.why_none(kind));
        };
        if let Some(why) = found.doubtful.get(&kind) {
            return Err(why.clone());
        }
        match of(found).as_slice() {
            [] => Err(self.why_none(kind)),
            some => Ok(some),
        }
    }
}

impl Step {
    /// What the records say of this step's chain, and the number of its checkpoint (the base:
    /// 0).
    ///
    /// # Errors
    /// Why there is nothing: a plain history, something not committed, a commit that is not its
    /// checkpoint's agent commit.
    pub fn recorded(&self) -> Result<(&ChainEvidence, u32), String> {
        let Place::Chain {
            checkpoint, role, ..
        } = &self.place
        else {
            return Err("only checkpoints of a chain have records".to_owned());
        };
        match role {
            _ if self.pending => Err("not committed yet: nothing is recorded of it".to_owned()),
            Role::Agent | Role::Base => match self.evidence.as_deref() {
                Some(evidence) => Ok((evidence, *checkpoint)),
                None => Err("the records were not read".to_owned()),
            },
            Role::Superseded => {
                Err("a later agent commit of this checkpoint counts instead".to_owned())
            }
            _ => Err("records stand on agent commits, and this is none".to_owned()),
        }
    }
}
