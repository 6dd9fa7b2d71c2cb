//! The gates of a chain that is run: where one is missing, it is made.

use std::collections::BTreeMap;

use super::attempt::verdict;
use super::chain::Chain;
use super::fault;
use super::standing::Verdict;
use super::state::What;
use super::watch::{End, Halt, Step};
use crate::error::Result;
use crate::harness::gating::{Gated, Gating, gate};
use crate::harness::written::Written;
use crate::plan::Checkpoint;
use crate::record::{Role, Suite};
use crate::repo::Oid;

impl Chain<'_> {
    /// Whether the plan says what decides whether a checkpoint is done.
    pub(super) fn is_gated(&self) -> bool {
        let gate = self.working.gate;
        gate.visible.is_some() || gate.acceptance.is_some() || !gate.checks.is_empty()
    }

    /// Whether `commit` has no run of some suite, or no record of checks alone; where invalid gates
    /// are to be made again, also whether it has no valid run, or no verdict.
    fn lacks(&self, commit: Oid) -> bool {
        let gate = self.working.gate;
        let again = self.run.asked.retry_invalid;
        let verdict = self.standing.seen.verdict(commit);
        // Of a base nothing is decided.
        let open = again && commit != self.standing.base && verdict == Verdict::Unknown;
        let suites = [
            (Suite::Visible, gate.visible.is_some()),
            (Suite::Acceptance, gate.acceptance.is_some()),
        ];
        if suites.iter().all(|(_, configured)| !configured) {
            return open || verdict == Verdict::NotGated;
        }
        let lacking = |(suite, configured): (Suite, bool)| {
            let (runs, valid) = self.standing.seen.runs(commit, suite);
            configured && (runs == 0 || again && !valid)
        };
        open || suites.into_iter().any(lacking)
    }

    /// Gates the base, where the plan says so and it was not.
    pub(super) fn gate_base(&mut self) -> Step<()> {
        let base = self.standing.base;
        if !self.working.gate.baseline || !self.is_gated() {
            return Ok(());
        }
        if !self.lacks(base) {
            return Ok(());
        }
        self.may_go_on()?;
        self.doing(0, "base", "gate of the base");
        let gated = self.run_gate((0, None), None, self.base_tree, None)?;
        let mut head = self.aside_head(base, 0, None)?;
        head.for_checkpoint = Some(0);
        let mut written = Written::on(head);
        let ground = self.ground(0, self.base_tree, None)?;
        gated.add(&ground, &mut written, &mut self.run.detail(&self.path))?;
        drop(ground);
        if !written.is_empty() {
            self.append(written.batch())?;
        }
        Ok(())
    }

    /// Gates an agent commit, where a run is missing.
    pub(super) fn gate_commit(
        &mut self,
        number: u32,
        checkpoint: &Checkpoint,
        commit: Oid,
    ) -> Step<()> {
        if self.verdicts.contains_key(&commit) || !self.is_gated() || !self.lacks(commit) {
            return Ok(());
        }
        self.may_go_on()?;
        self.doing(number, &checkpoint.id, "gate");
        let read = self.reader.commit(commit)?;
        let parent = read.parents.first().copied();
        let answer = self.state.answer.clone();
        let answer = answer.filter(|(k, _)| *k == number).map(|(_, said)| said);
        let gated = self.gate((number, checkpoint), parent, read.tree, answer.as_deref())?;
        fault(What::Record, "gated");
        let attempts = &self.standing.seen.attempts;
        let attempt = attempts.iter().rfind(|(on, _)| *on == commit);
        let mut written = Written::on(Written::head(
            (&self.path, &self.standing.begin),
            (number, &checkpoint.id, Role::Agent),
            (commit, read.tree, parent),
            attempt.map(|(_, id)| id),
        ));
        let ground = self.ground(number, read.tree, None)?;
        gated.add(&ground, &mut written, &mut self.run.detail(&self.path))?;
        drop(ground);
        let mut batch = written.batch();
        if let Some(parent) = parent {
            let before = self.before(&gated, (number, parent))?;
            batch.entries.extend(before.entries);
        }
        if !batch.entries.is_empty() {
            self.append(batch)?;
        }
        fault(What::Record, "gate");
        self.verdicts.insert(commit, verdict(&gated));
        if self.state.answer.take().is_some() {
            self.keep_state()?;
        }
        Ok(())
    }

    /// Gates a tree for a checkpoint.
    pub(super) fn gate(
        &self,
        (number, checkpoint): (u32, &Checkpoint),
        parent: Option<Oid>,
        tree: Oid,
        answer: Option<&str>,
    ) -> Step<Gated> {
        self.run_gate((number, Some(checkpoint)), parent, tree, answer)
    }

    fn run_gate(
        &self,
        (number, checkpoint): (u32, Option<&Checkpoint>),
        parent: Option<Oid>,
        tree: Oid,
        answer: Option<&str>,
    ) -> Step<Gated> {
        let mark = format!("gate-{}-{number}", self.standing.begin);
        self.run.end_marks(&mark);
        let gating = Gating {
            repo: self.run.repo,
            plan: self.run.plan,
            arm: self.arm,
            task: self.task,
            number,
            checkpoint,
            base: self.standing.base,
            parent,
            tree,
            begin: Some(&self.standing.begin),
            answer,
            known: &[],
            places: self.scratch.places(),
            folder: &self.scratch.gate(),
            stop: &self.run.stop,
            mark: &mark,
            suites: &[],
        };
        let gated = gate(&gating, &mut self.run.detail(&self.path))?;
        match gated.interrupted {
            true => Err(Halt::End(End::Interrupted)),
            false => Ok(gated),
        }
    }
}

/// What `[repair_shows]` says, of what a gate found.
pub(super) fn shown(
    gated: &Gated,
    shows: &[crate::plan::Shown],
    prompt: &str,
) -> Result<Vec<String>> {
    use crate::plan::Shown;
    let failures = &gated.failures;
    let mut parts = Vec::new();
    let list = |all: &[String]| {
        let lines: Vec<String> = all.iter().map(|l| format!("- {l}")).collect();
        lines.join("\n")
    };
    if !failures.checks.is_empty() {
        parts.push(format!("What does not hold:\n{}", list(&failures.checks)));
    }
    let mut once = BTreeMap::new();
    for show in shows {
        if once.insert(*show as u8, ()).is_some() {
            continue;
        }
        match show {
            Shown::Prompt => parts.push(format!("The task:\n\n{}", prompt.trim_end())),
            Shown::Tests if !failures.tests.is_empty() => {
                let more = failures.failed.saturating_sub(failures.tests.len());
                let mut part = format!("Tests that fail:\n{}", list(&failures.tests));
                if more > 0 {
                    part.push_str(&format!("\n- and {more} more"));
                }
                parts.push(part);
            }
            Shown::Messages if !failures.messages.is_empty() => {
                let told = failures
                    .messages
                    .iter()
                    .map(|(test, message)| format!("{test}:\n{}", message.trim_end()));
                let told: Vec<String> = told.collect();
                parts.push(format!("What they say:\n\n{}", told.join("\n\n")));
            }
            Shown::Console if !failures.console.trim().is_empty() => {
                let console = failures.console.trim_end();
                parts.push(format!("The end of what was printed:\n\n{console}"));
            }
            Shown::Tests | Shown::Messages | Shown::Console => {}
        }
    }
    Ok(parts)
}
