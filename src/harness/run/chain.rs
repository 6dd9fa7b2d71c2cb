//! One chain being run: what is known of it, and its way through the checkpoints.

use std::collections::BTreeMap;
use std::time::Instant;

use super::scratch::Scratch;
use super::standing::{Standing, Verdict};
use super::state::{State, StateFile};
use super::watch::{ChainDone, End, Halt, Happens, Step};
use super::{Planned, Running};
use crate::error::Result;
use crate::harness::claims::Held;
use crate::harness::in_hand;
use crate::ledger;
use crate::plan::{Agent, Arm, Checkpoint, OnFail, Task, Working};
use crate::record::{ChainPath, Kind, ReadLine, read_line};
use crate::repo::{Oid, Reader};

/// A chain that this thread alone works on.
pub(super) struct Chain<'r> {
    pub(super) run: &'r Running<'r>,
    pub(super) path: ChainPath,
    pub(super) arm: &'r Arm,
    pub(super) task: Option<&'r Task>,
    pub(super) working: Working<'r>,
    /// The agent, its files named from the plan's folder.
    pub(super) agent: Agent,
    pub(super) checkpoints: &'r [Checkpoint],
    pub(super) scratch: Scratch,
    pub(super) reader: Reader,
    pub(super) file: StateFile,
    pub(super) state: State,
    pub(super) standing: Standing,
    pub(super) base_tree: Oid,
    /// Whether it is the arm's first one.
    pub(super) first: bool,
    /// What gates that ran now say.
    pub(super) verdicts: BTreeMap<Oid, Verdict>,
    /// Sessions begun now.
    pub(super) sessions: u32,
    /// Checkpoints done now.
    pub(super) now: Vec<u32>,
    /// Checkpoints whose attempts are used up without a commit.
    pub(super) given_up: Vec<u32>,
    /// The claim on it, where claims are made.
    pub(super) claim: Option<Held>,
}

impl<'r> Chain<'r> {
    /// Takes up a chain: completes what is in hand, and begins it where it is new.
    pub(super) fn take_up(run: &'r Running<'r>, planned: &Planned<'r>) -> Step<Chain<'r>> {
        // What a kill left on its way into the notes is there first: it decides what was written.
        let written = ledger::drain(run.repo)?;
        for remark in &written.remarks {
            run.tell(&planned.path, &Happens::Remark(remark));
        }
        let reader = run.repo.reader()?;
        let file = StateFile::of(run.repo, &planned.path);
        let mut state = file.read()?;
        if let Some((what, hand)) = state.hand.take() {
            let path = planned.path.to_string();
            let say = &mut run.say(&planned.path);
            let mut settled = false;
            if in_hand::is_written(&reader, &hand)? {
                settled = in_hand::move_refs(run.repo, &hand, (&path, what.word()), say)?;
            }
            state.settled(what, settled);
            file.write(&state)?;
            super::fault(what, "completed");
        }
        let scratch = run.scratch_of(&planned.path);
        scratch.make()?;
        let task = planned.task.map(|t| t.name.as_str());
        let standing = match Standing::find(&reader, &planned.path)? {
            Some(standing) => standing,
            None => run.begin(planned, &reader, &file, &mut state, &scratch)?,
        };
        let base_tree = reader.commit(standing.base)?.tree;
        let working = planned.arm.on(task);
        let mut agent = working.agent.clone();
        for overlay in &mut agent.config {
            overlay.from = run.plan.folder.join(&overlay.from);
        }
        Ok(Chain {
            run,
            agent,
            path: planned.path.clone(),
            arm: planned.arm,
            task: planned.task,
            working,
            checkpoints: run.plan.checkpoints_of(planned.task),
            scratch,
            reader,
            file,
            state,
            standing,
            base_tree,
            first: planned.first,
            verdicts: BTreeMap::new(),
            sessions: 0,
            now: Vec::new(),
            given_up: Vec::new(),
            claim: None,
        })
    }

    /// Goes through the checkpoints as far as it is asked to, and as far as they go.
    pub(super) fn go(&mut self) -> Step<()> {
        self.run.tell(
            &self.path,
            &Happens::Begins {
                done: self.count_done(),
                of: self.asked(),
            },
        );
        self.gate_base()?;
        if self.run.asked.noop {
            self.noops()?;
        }
        let checkpoints = self.checkpoints;
        for (number, checkpoint) in (1u32..).zip(checkpoints).take(self.asked() as usize) {
            self.checkpoint(number, checkpoint)?;
        }
        self.scratch.clear()?;
        Ok(())
    }

    /// One checkpoint, from wherever it stands.
    fn checkpoint(&mut self, number: u32, checkpoint: &'r Checkpoint) -> Step<()> {
        let began = Instant::now();
        let was_done = self.is_done(number);
        if self.standing.done(number).is_none() {
            if self.standing.is_past(number) {
                let remark = format!("checkpoint {number} was left out, and the chain went on");
                self.run.tell(&self.path, &Happens::Remark(&remark));
                return Ok(());
            }
            if !self.is_reachable(checkpoint) {
                let id = &checkpoint.id;
                let event = Happens::NotReached {
                    checkpoint: number,
                    id,
                };
                self.run.tell(&self.path, &event);
                return Ok(());
            }
            self.work_on(number, checkpoint)?;
        }
        // Under `continue` a checkpoint may be given up without a commit.
        let Some((agent, reset)) = self.standing.done(number) else {
            return Ok(());
        };
        self.gate_commit(number, checkpoint, agent)?;
        let reset = match reset {
            Some(reset) => reset,
            None => self.reset(number, checkpoint, agent)?,
        };
        if self.run.asked.probe {
            self.probe(number, checkpoint, reset)?;
        }
        let verdict = self.verdict(agent);
        if !was_done {
            self.now.push(number);
            let event = Happens::Done {
                checkpoint: number,
                id: &checkpoint.id,
                verdict: match verdict {
                    Verdict::Passed => "passed",
                    Verdict::Failed => "failed",
                    Verdict::Unknown => "no verdict",
                    Verdict::NotGated => "no gate",
                },
                took: Some(began.elapsed()),
            };
            self.run.tell(&self.path, &event);
        }
        if self.working.agent.on_fail == OnFail::Continue {
            return Ok(());
        }
        match verdict {
            Verdict::Failed => Err(Halt::End(End::Failed {
                checkpoint: number,
                why: "its gate failed".to_owned(),
            })),
            Verdict::Unknown => Err(Halt::End(End::Failed {
                checkpoint: number,
                why: "its gate gave no verdict; --retry-invalid gates it again".to_owned(),
            })),
            Verdict::Passed | Verdict::NotGated => Ok(()),
        }
    }

    /// What the gate of a commit says, by what was gated now, else by its records.
    pub(super) fn verdict(&self, commit: Oid) -> Verdict {
        match self.verdicts.get(&commit) {
            Some(verdict) => *verdict,
            None => self.standing.seen.verdict(commit),
        }
    }

    /// Whether all that a checkpoint requires passed its gate.
    fn is_reachable(&self, checkpoint: &Checkpoint) -> bool {
        checkpoint.requires.iter().all(|id| {
            let numbered = (1u32..).zip(self.checkpoints);
            let Some((number, _)) = numbered.into_iter().find(|(_, c)| c.id == *id) else {
                return false;
            };
            self.standing.done(number).is_some_and(|(agent, _)| {
                matches!(self.verdict(agent), Verdict::Passed | Verdict::NotGated)
            })
        })
    }

    /// How many checkpoints are asked for.
    fn asked(&self) -> u32 {
        let all = u32::try_from(self.checkpoints.len()).unwrap_or(u32::MAX);
        self.run.asked.until.map_or(all, |until| until.min(all))
    }

    fn is_done(&self, number: u32) -> bool {
        self.standing
            .done(number)
            .is_some_and(|(_, reset)| reset.is_some())
    }

    fn count_done(&self) -> u32 {
        let done = (1..=self.asked()).filter(|k| self.is_done(*k)).count();
        u32::try_from(done).unwrap_or(u32::MAX)
    }

    /// What became of it.
    pub(super) fn done(&self, end: End) -> ChainDone {
        let numbers = 1..=self.asked();
        let agent = |k: &u32| self.standing.done(*k).map(|(agent, _)| agent);
        let failed = |k: &u32| match agent(k) {
            Some(agent) => self.verdict(agent) == Verdict::Failed,
            None => self.given_up.contains(k),
        };
        let ended = matches!(end, End::Complete);
        let (cost_usd, cost_unknown) = self.standing.seen.spent();
        ChainDone {
            path: self.path.clone(),
            asked: self.asked(),
            done: numbers.clone().filter(|k| self.is_done(*k)).collect(),
            now: self.now.clone(),
            not_reached: numbers
                .clone()
                .filter(|k| agent(k).is_none() && !failed(k))
                .filter(|_| ended || matches!(end, End::Failed { .. }))
                .collect(),
            failed: numbers.filter(failed).collect(),
            sessions: self.sessions,
            cost_usd,
            cost_unknown,
            end,
        }
    }

    /// That nobody asked to stop, or took the chain over.
    pub(super) fn may_go_on(&self) -> Step<()> {
        if let Some(why) = self.claim.as_ref().and_then(Held::lost) {
            return Err(Halt::End(End::Elsewhere(why)));
        }
        match self.run.stop.asked() {
            true => Err(Halt::End(End::Interrupted)),
            false => Ok(()),
        }
    }

    pub(super) fn doing(&self, checkpoint: u32, id: &str, what: &str) {
        let event = Happens::Doing {
            checkpoint,
            id,
            what,
        };
        self.run.tell(&self.path, &event);
    }

    /// Writes down what is in hand.
    pub(super) fn keep_state(&self) -> Result<()> {
        self.file.write(&self.state)
    }

    /// Writes records, and keeps in mind what they say.
    pub(super) fn append(&mut self, batch: ledger::Batch) -> Result<()> {
        for entry in &batch.entries {
            if entry.kind == Kind::Raw || entry.kind == Kind::Coverage {
                continue;
            }
            if let ReadLine::Known(record) = read_line(entry.kind, entry.line.bytes()) {
                self.standing.seen.add(entry.target, &record);
            }
        }
        let written = ledger::append(self.run.repo, batch)?;
        for remark in &written.remarks {
            self.run.tell(&self.path, &Happens::Remark(remark));
        }
        Ok(())
    }
}
