//! Gates: what decides whether a checkpoint is done.
//!
//! A gate is a list of checks that must all hold. The visible suite runs first, on the tree as
//! the agent left it; then the experimenter's, on that tree with what is not the agent's put back
//! and the experimenter's tests laid over it. Each run has an export of its own, made for it and
//! removed after it, so that no report is older than its run. `docs/gates.md` tells the rules.

mod added_tests;
mod again;
mod checks;
mod collected;
mod command_words;
mod laying;
mod runner_files;
mod runner_parts;
mod running;
mod shown;
mod suite_run;

use std::path::{Path, PathBuf};

pub use again::{REFERENCE, Regate, Regated, Told, regate};
pub(super) use checks::Verdict;
pub(super) use shown::Failures;

use suite_run::{On, SuiteRun};

use super::agents::Places;
use super::payloads::Ground;
use super::process::Stop;
use super::workplace::Say;
use super::written::Written;
use crate::error::Result;
use crate::plan::{self, Arm, Plan, Task};
use crate::record::{self, Body, CheckRun, Moment, RecordId, Suite, Tampered, Tests, Validity};
use crate::repo::{Oid, Repo};

/// One gate: of a checkpoint's tree, or of a base.
pub(super) struct Gating<'a> {
    pub(super) repo: &'a Repo,
    pub(super) plan: &'a Plan,
    pub(super) arm: &'a Arm,
    pub(super) task: Option<&'a Task>,
    /// The checkpoint's number; 0: the base itself is gated.
    pub(super) number: u32,
    /// The checkpoint; `None`: the base itself is gated.
    pub(super) checkpoint: Option<&'a plan::Checkpoint>,
    /// The chain's base commit: what pinned files are put back to.
    pub(super) base: Oid,
    /// The commit that the checkpoint started from; `None`: nothing runs on the code before.
    pub(super) parent: Option<Oid>,
    /// The tree that is gated.
    pub(super) tree: Oid,
    /// The chain's identity, so that classes that passed before and are missing are found; `None`:
    /// it has none yet.
    pub(super) begin: Option<&'a RecordId>,
    /// What the agent answered, where it is known.
    pub(super) answer: Option<&'a str>,
    /// Checks of earlier gates of this tree, oldest first: an answer that is not known any more
    /// was looked at then.
    pub(super) known: &'a [CheckRun],
    /// Placeholders of the chain: `cache`, `port`; those of the gate are added here.
    pub(super) places: Places,
    /// Scratch of the chain's gates alone; what is in it is deleted.
    pub(super) folder: &'a Path,
    pub(super) stop: &'a Stop,
    /// What processes carry, so that they are found again after a kill; empty: ids of their own.
    pub(super) mark: &'a str,
    /// Which suites run; all that the plan has, where it is empty.
    pub(super) suites: &'a [Suite],
}

/// What a gate came to.
pub(super) struct Gated {
    pub(super) verdict: Verdict,
    /// What a repair attempt is shown.
    pub(super) failures: Failures,
    /// It was stopped before its end: nothing of it is recorded.
    pub(super) interrupted: bool,
    checks: Vec<CheckRun>,
    runs: Vec<SuiteRun>,
    /// What checks that ran a command found changed.
    tampered: Vec<Tampered>,
    /// What goes with it.
    folder: PathBuf,
}

/// Runs the gate: each suite, what is asked of the code before, and the checks.
///
/// # Errors
/// Usage where the plan's globs or tests are wrong, or a sandbox is required and not there; git
/// where trees cannot be read or exported. That a command fails, does not end or prints nothing
/// is no error but what the gate comes to.
pub(super) fn gate(gating: &Gating<'_>, say: Say<'_>) -> Result<Gated> {
    let mut gated = Gated {
        verdict: Verdict::Unknown("it was interrupted".to_owned()),
        failures: Failures::default(),
        interrupted: true,
        checks: Vec::new(),
        runs: Vec::new(),
        tampered: Vec::new(),
        folder: gating.folder.to_owned(),
    };
    collected::remove(gating.folder)?;
    for suite in [Suite::Visible, Suite::Acceptance] {
        let Some(run) = gating.suite(suite) else {
            continue;
        };
        let before = gating.parent.filter(|_| run.before);
        for on in [Some(On::Work), before.map(On::Before)]
            .into_iter()
            .flatten()
        {
            if !gated.run(gating, suite, on, say)? {
                return Ok(gated);
            }
        }
    }
    let Some(checks) = checks::all(gating, &gated.runs, &mut gated.tampered, say)? else {
        return Ok(gated);
    };
    gated.verdict = checks::verdict(&checks);
    gated.failures = shown::failures(gating, &gated.runs, &checks);
    // A part of a gate decides nothing.
    if !gating.is_part() {
        gated.checks = checks;
    }
    gated.interrupted = false;
    say(&format!("gate: {}", gated.verdict.words()));
    Ok(gated)
}

impl<'a> Gating<'a> {
    /// What decides, for this arm and task.
    fn gate(&self) -> &'a plan::Gate {
        self.working().gate
    }

    /// Who worked: what a sandbox shows of the machine is said there.
    fn agent(&self) -> &'a plan::Agent {
        self.working().agent
    }

    fn working(&self) -> plan::Working<'a> {
        self.arm.on(self.task.map(|t| t.name.as_str()))
    }

    /// Whether suites that the plan has are left out.
    fn is_part(&self) -> bool {
        let gate = self.gate();
        let has = [
            (Suite::Visible, gate.visible.is_some()),
            (Suite::Acceptance, gate.acceptance.is_some()),
        ];
        let left_out = |(suite, has): &(Suite, bool)| *has && self.suite(*suite).is_none();
        has.iter().any(left_out)
    }

    /// What the plan says of a suite, where it is to run.
    fn suite(&self, suite: Suite) -> Option<&'a plan::SuiteRun> {
        let gate = self.gate();
        let run = match suite {
            Suite::Visible => gate.visible.as_ref(),
            Suite::Acceptance => gate.acceptance.as_ref(),
        };
        run.filter(|_| self.suites.is_empty() || self.suites.contains(&suite))
    }
}

impl Gated {
    /// Runs a suite, again where it is no verdict and the plan says so; every try is kept. False
    /// where it was stopped.
    fn run(&mut self, gating: &Gating<'_>, suite: Suite, on: On, say: Say<'_>) -> Result<bool> {
        let tries = gating.gate().retries.saturating_add(1);
        for attempt in 1..=tries {
            let run = SuiteRun::run(gating, suite, on, attempt, say)?;
            if run.interrupted() || gating.stop.asked() {
                return Ok(false);
            }
            let invalid = run.map.validity == Validity::Invalid;
            self.runs.push(run);
            if !invalid {
                break;
            }
            if attempt < tries {
                say(&format!(
                    "no verdict: the run is tried again ({attempt} of {})",
                    tries - 1
                ));
            }
        }
        Ok(true)
    }

    /// Adds the records of the runs on the gated tree, with their payloads and coverage. `ground`
    /// and `to` speak of the commit that has the tree, or, of a candidate that no commit has, of
    /// the checkpoint's parent (`for_checkpoint` the checkpoint, `ran_tree` the candidate). An
    /// interrupted gate adds nothing.
    ///
    /// # Errors
    /// Usage where a report cannot be read; git where payloads cannot be kept.
    pub(super) fn add(&self, ground: &Ground<'_>, to: &mut Written, say: Say<'_>) -> Result<()> {
        self.add_where(false, ground, to, say)
    }

    /// Whether suites ran on the code before the checkpoint.
    pub(super) fn ran_before(&self) -> bool {
        !self.interrupted && self.runs.iter().any(|run| run.on.is_before())
    }

    /// Adds the records of the runs on the code before: `ground` and `to` speak of the
    /// checkpoint's parent, `for_checkpoint` is the checkpoint.
    ///
    /// # Errors
    /// As [`Gated::add`].
    pub(super) fn add_before(
        &self,
        ground: &Ground<'_>,
        to: &mut Written,
        say: Say<'_>,
    ) -> Result<()> {
        self.add_where(true, ground, to, say)
    }

    fn add_where(
        &self,
        before: bool,
        ground: &Ground<'_>,
        to: &mut Written,
        say: Say<'_>,
    ) -> Result<()> {
        if self.interrupted {
            return Ok(());
        }
        if !before && self.runs.is_empty() && !self.checks.is_empty() {
            return self.add_checks(ground, to);
        }
        let of_it = |run: &&SuiteRun| run.on.is_before() == before;
        let mut runs = self.runs.iter().filter(of_it).peekable();
        while let Some(run) = runs.next() {
            // Checks are of all suites together: they stand in the record of the last one.
            let checks = match runs.peek() {
                None if !before => self.checks.as_slice(),
                _ => &[],
            };
            run.add(checks, ground, to, say)?;
        }
        Ok(())
    }
}

impl Gated {
    /// The checks of a gate that has no suite: a run without reports, which is no verdict on
    /// tests.
    fn add_checks(&self, ground: &Ground<'_>, to: &mut Written) -> Result<()> {
        let id = RecordId::new();
        let mut says = Tests::of(Suite::Acceptance, Vec::new());
        says.ran_tree = ground.ran_tree.map(super::pending::named);
        says.ended = Some(Moment::now());
        says.gated = Some(record::Gated {
            checks: self.checks.clone(),
            tampered: laying::listed(self.tampered.clone()),
            ..record::Gated::default()
        });
        to.capture(id, Body::Tests(says))
    }
}

impl Drop for Gated {
    fn drop(&mut self) {
        // What cannot be removed now goes before the next gate, or is told by it.
        let _ = collected::remove(&self.folder);
    }
}
