//! The run of a plan: for every chain, for every checkpoint, an agent's sessions, its commit, the
//! gate, the reset, and the records of all of it.
//!
//! The truth is the repository: what is done is told by a chain's line and its records. Beside it
//! lies a file a chain that says what is in hand, so that whoever comes next goes on from there.

mod aside;
mod attempt;
mod base_tree;
mod bases;
mod begin;
mod chain;
mod clone;
mod commits;
mod gates;
mod jobs;
mod order;
mod overlay;
mod records;
mod reference;
mod scratch;
mod standing;
mod state;
mod survey;
mod talk;
mod turns;
mod watch;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

pub(super) use reference::references;
pub(super) use scratch::{port_of_gate, root};
pub use survey::{Stands, Surveyed, survey};
pub use watch::{ChainDone, End, Happens, RunDone, Watch};

use order::Planned;
use scratch::Scratch;
use state::What;

use super::claims::Claims;
use super::configuration::Named;
use super::controls::Controls;
use super::process::{Stop, end_marked};
use super::provenance::{self, Machine};
use super::sandbox;
use crate::error::Result;
use crate::plan::{Arm, Checkpoint, Isolation, Plan, Task, Working};
use crate::record::{ChainPath, ContentId, Provenance, RecordId, Versions};
use crate::repo::{Oid, Reader, Repo};
use watch::{Halt, Step};

/// What of a plan is to be run, and how.
#[derive(Debug, Clone)]
pub struct Run {
    /// Chains of these arms alone; of all, where it is empty.
    pub arms: Vec<String>,
    /// Chains of these tasks alone.
    pub tasks: Vec<String>,
    /// These chains alone: paths, or numbers.
    pub chains: Vec<String>,
    /// Up to this checkpoint.
    pub until: Option<u32>,
    /// Chains side by side.
    pub jobs: usize,
    /// Gate again what has no valid gate.
    pub retry_invalid: bool,
    /// Say what would be run, and change nothing.
    pub dry_run: bool,
    /// Where sessions work; else as git's configuration says, else in the user's cache.
    pub scratch: Option<PathBuf>,
    /// Probes are asked.
    pub probe: bool,
    /// Sessions for nothing are held.
    pub noop: bool,
    /// Where each chain is claimed before it is taken up; `None`: nowhere.
    pub claims: Option<Claims>,
    /// What figures are computed with.
    pub versions: Versions,
}

/// Figures of a candidate against the commit it stands on, by measure id: a number, or why it is
/// unknown.
pub type Measure<'m> =
    dyn Fn(&Repo, Oid, Oid, &[String]) -> Result<BTreeMap<String, Result<f64, String>>> + Sync + 'm;

/// Runs what is asked for of a plan, from wherever each chain stands.
///
/// # Errors
/// Usage where the plan has no such arm, task or chain, a chain's branch is checked out, or no
/// place for scratch is known; git where the repository cannot be read. What goes wrong with a
/// chain is what becomes of that chain.
pub fn run(
    repo: &Repo,
    plan: &Plan,
    asked: &Run,
    watch: &dyn Watch,
    measure: &Measure<'_>,
    stop: &Stop,
) -> Result<RunDone> {
    let chains = order::chains(plan, asked)?;
    let running = Running::of(repo, plan, asked, watch, measure, stop)?;
    jobs::require_free(repo, &chains)?;
    match asked.dry_run {
        true => jobs::dry(&running, &chains),
        false => jobs::all(&running, chains),
    }
}

/// What all chains of a run share.
struct Running<'r> {
    repo: &'r Repo,
    plan: &'r Plan,
    asked: &'r Run,
    watch: &'r dyn Watch,
    measure: &'r Measure<'r>,
    stop: Stop,
    machine: Machine,
    /// The plan, as checkpoints are scored under it.
    config: Named,
    controls: Controls,
    /// The folder of all scratch.
    scratch: PathBuf,
    /// US dollars that sessions have cost, as far as is known.
    spent: Mutex<f64>,
    /// Held by who brings a base in.
    bringing: Mutex<()>,
    /// Why no session can succeed any more.
    dead: Mutex<Option<String>>,
}

impl<'r> Running<'r> {
    fn of(
        repo: &'r Repo,
        plan: &'r Plan,
        asked: &'r Run,
        watch: &'r dyn Watch,
        measure: &'r Measure<'r>,
        stop: &Stop,
    ) -> Result<Running<'r>> {
        let reader = repo.reader()?;
        let spent = jobs::spent(&reader, plan)?;
        Ok(Running {
            repo,
            plan,
            asked,
            watch,
            measure,
            stop: stop.clone(),
            machine: Machine::of(repo, asked.versions.clone())?,
            config: super::configuration::of_text(&reader, &plan.text)?,
            controls: base_tree::controls(plan)?,
            scratch: scratch::root(repo, asked.scratch.as_deref())?,
            spent: Mutex::new(spent),
            bringing: Mutex::new(()),
            dead: Mutex::new(None),
        })
    }

    fn scratch_of(&self, path: &ChainPath) -> Scratch {
        let all = order::all(self.plan);
        let index = all.iter().position(|c| c.path == *path).unwrap_or(0);
        Scratch::of(&self.scratch, path, index)
    }

    fn tell(&self, chain: &ChainPath, event: &Happens<'_>) {
        self.watch.tell(Some(chain), event);
    }

    /// What is said of a chain, as remarks.
    fn say<'s>(&'s self, chain: &'s ChainPath) -> impl FnMut(&str) + 's {
        move |line| self.tell(chain, &Happens::Remark(line))
    }

    /// What is said of a chain for those who look closely.
    fn detail<'s>(&'s self, chain: &'s ChainPath) -> impl FnMut(&str) + 's {
        move |line| self.tell(chain, &Happens::Detail(line))
    }

    /// What is hidden from sessions where a sandbox would show it.
    fn hidden(&self) -> Vec<PathBuf> {
        let mut hidden = vec![self.repo.common_dir().to_owned(), self.plan.folder.clone()];
        hidden.extend(self.repo.work_dir().map(std::path::Path::to_owned));
        hidden.sort();
        hidden.dedup();
        hidden
    }

    fn provenance(&self, working: Working<'_>, version: Option<&str>) -> Provenance {
        let isolation = match working.agent.isolation {
            Isolation::None => sandbox::Isolation::None,
            Isolation::Auto | Isolation::Required => sandbox::available(),
        };
        self.machine
            .provenance(working.agent, isolation.word(), version)
    }

    fn contents(
        &self,
        reader: &Reader,
        (arm, task): (&Arm, Option<&Task>),
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Vec<ContentId>> {
        provenance::contents(reader, self.plan, arm, task, checkpoint)
    }

    /// Ends what sessions of an attempt left running when the run was killed.
    fn end_marked(&self, id: &RecordId) {
        self.end_marks(id.as_str());
    }

    fn end_marks(&self, mark: &str) {
        let _ended = end_marked(mark);
    }

    /// Counts what a session cost.
    fn spend(&self, cost_usd: Option<f64>) {
        if let Some(cost) = cost_usd {
            *self.spent.lock().unwrap_or_else(|e| e.into_inner()) += cost;
        }
    }

    /// That the plan's budget is not spent.
    fn may_spend(&self) -> Step<()> {
        let Some(budget) = self.plan.experiment.budget_usd else {
            return Ok(());
        };
        let spent = *self.spent.lock().unwrap_or_else(|e| e.into_inner());
        match spent >= budget {
            true => Err(Halt::End(End::Budget(format!(
                "sessions have cost ${spent:.2} of ${budget:.2}"
            )))),
            false => Ok(()),
        }
    }

    /// No session can succeed any more: everything stops.
    fn credentials_dead(&self, why: &str) {
        let mut dead = self.dead.lock().unwrap_or_else(|e| e.into_inner());
        dead.get_or_insert_with(|| why.to_owned());
        drop(dead);
        self.stop.ask();
    }
}

/// A place where a test ends the program as a kill would: `run-<what>-<where>`.
fn fault(what: What, place: &str) {
    super::workplace::fault(&format!("run-{}-{place}", what.word()));
}
