//! Attempts at a checkpoint, until one of them makes its agent commit.

use std::time::Duration;

use super::chain::Chain;
use super::fault;
use super::standing::Verdict;
use super::state::{Attempt, State, Taken, Wait, What};
use super::watch::{End, Halt, Happens, Step};
use crate::error::Result;
use crate::harness::agents;
use crate::harness::gating;
use crate::harness::pending::{named, oid};
use crate::plan::{Checkpoint, OnFail};
use crate::record::{Moment, Purpose, RecordId};
use crate::repo::Oid;

/// The outcome of sessions of which nothing is known but that they were cut short.
const INTERRUPTED: &str = "interrupted";

impl Chain<'_> {
    /// Works on a checkpoint until it has its agent commit, or, where the plan goes on all the
    /// same, until its attempts are used up.
    pub(super) fn work_on(&mut self, number: u32, checkpoint: &Checkpoint) -> Step<()> {
        let parent = self.standing.tip;
        let place = (number, checkpoint);
        loop {
            if let Some(attempt) = self.left_over(place, parent)? {
                if self.settle(place, &attempt)? {
                    return Ok(());
                }
                continue;
            }
            self.may_go_on()?;
            let limit = self.working.agent.limits.attempts;
            let tries = self.standing.seen.tries(parent, number).len();
            if tries >= limit as usize {
                return self.give_up(number, limit);
            }
            self.run.may_spend()?;
            let waited = self.wait_over()?;
            let end = self.attempt(place, parent, waited)?;
            self.judge(place, end)?;
        }
    }

    /// The attempt that another run of this chain left, where its work is done: what was cut
    /// short is recorded as that, and another one begins.
    fn left_over(&mut self, place: (u32, &Checkpoint), parent: Oid) -> Step<Option<Attempt>> {
        let Some(attempt) = self.state.attempt.clone() else {
            return Ok(None);
        };
        if attempt.checkpoint != place.0 || attempt.parent != named(parent) {
            // The chain went on otherwise meanwhile.
            self.state.attempt = None;
            self.keep_state()?;
            return Ok(None);
        }
        if attempt.taken.is_some() {
            return Ok(Some(attempt));
        }
        self.run.end_marked(&attempt.id);
        if !self.standing.seen.knows(parent, &attempt.id) {
            let remark = format!(
                "checkpoint {}: an attempt was interrupted; another one begins",
                place.0
            );
            self.run.tell(&self.path, &Happens::Remark(&remark));
            let mut attempt = attempt;
            match (attempt.running, attempt.sessions.last_mut()) {
                // It had ended, and nobody took what it left: no attempt came of it.
                (None, Some(last)) => INTERRUPTED.clone_into(&mut last.outcome),
                (None, None) => attempt.running = Some(Purpose::Implement),
                (Some(_), _) => {}
            }
            self.cut_short(place, attempt, None)?;
        }
        self.state.attempt = None;
        self.keep_state()?;
        Ok(None)
    }

    /// Records an attempt that did not come to its end.
    fn cut_short(
        &mut self,
        place: (u32, &Checkpoint),
        mut attempt: Attempt,
        taken: Option<&Taken>,
    ) -> Step<()> {
        if let Some(purpose) = attempt.running.take() {
            attempt.cut(purpose, INTERRUPTED);
        }
        self.keep_attempt(place, &attempt, taken, None)?;
        Ok(())
    }

    /// One attempt: a fresh clone, its set-up, its sessions. What became of it is in the state.
    fn attempt(
        &mut self,
        place: (u32, &Checkpoint),
        parent: Oid,
        waited: Option<Duration>,
    ) -> Step<Outcome> {
        let (number, checkpoint) = place;
        let tries = self.standing.seen.tries(parent, number).len() + 1;
        let repair = self.state.repair.clone().filter(|r| r.checkpoint == number);
        let what = match (&repair, tries) {
            (Some(_), _) => format!("repair, attempt {tries}"),
            (None, 1) => "agent".to_owned(),
            (None, _) => format!("agent, attempt {tries}"),
        };
        self.doing(number, &checkpoint.id, &what);
        let waited = waited.map(|w| u64::try_from(w.as_millis()).unwrap_or(u64::MAX));
        self.state.attempt = Some(Attempt {
            id: RecordId::new(),
            checkpoint: number,
            parent: named(parent),
            started: Moment::now(),
            waited_ms: waited,
            setups: Vec::new(),
            sessions: Vec::new(),
            running: Some(Purpose::Implement),
            taken: None,
        });
        fault(What::Attempt, "planned");
        self.keep_state()?;
        fault(What::Attempt, "working");
        let from = match &repair {
            Some(repair) => oid(&repair.from)?,
            None => parent,
        };
        self.turns(place, (parent, from), repair.as_ref())
    }

    /// What follows from how an attempt ended.
    fn judge(&mut self, place: (u32, &Checkpoint), end: Outcome) -> Step<()> {
        let attempt = self.state.attempt.clone();
        let Some(mut attempt) = attempt else {
            return Ok(());
        };
        let Outcome { state, taken } = end;
        let agents::State::Done = state else {
            // Nobody goes on with it: what it left is evidence.
            let kept = taken.as_ref().filter(|t| !is_empty(t, &attempt, self));
            attempt.taken = None;
            match state {
                agents::State::Interrupted => {
                    self.cut_short(place, attempt, kept)?;
                    return Err(Halt::End(End::Interrupted));
                }
                agents::State::CredentialsDead(why) => {
                    self.cut_short(place, attempt, kept)?;
                    self.run.credentials_dead(&why);
                    return Err(Halt::End(End::Credentials(why)));
                }
                agents::State::RateLimited { after } => {
                    let wait = self.next_wait(after);
                    self.state.wait = wait;
                    self.cut_short(place, attempt, kept)?;
                    if wait.is_none() {
                        return Err(Halt::End(End::RateLimited(format!(
                            "checkpoint {}: turned away {} times",
                            place.0,
                            self.working.agent.rate_limit_retries + 1
                        ))));
                    }
                }
                state => {
                    self.state.wait = None;
                    self.cut_short(place, attempt, kept)?;
                    if let Some(why) = state.why() {
                        let remark = format!("checkpoint {}: the agent failed: {why}", place.0);
                        self.run.tell(&self.path, &Happens::Remark(&remark));
                    }
                }
            }
            return Ok(());
        };
        attempt.taken = taken;
        attempt.running = None;
        self.state.attempt = Some(attempt);
        self.keep_state()?;
        fault(What::Attempt, "taken");
        Ok(())
    }

    /// Makes the agent commit of an attempt whose work is done; where it is to be repaired, and
    /// may be, its gate is asked first. False where another attempt is to be made.
    fn settle(&mut self, place: (u32, &Checkpoint), attempt: &Attempt) -> Step<bool> {
        let (number, checkpoint) = place;
        let Some(taken) = &attempt.taken else {
            return Ok(false);
        };
        let parent = oid(&attempt.parent)?;
        let agent = self.working.agent;
        let tries = self.standing.seen.tries(parent, number).len() + 1;
        let may_repair = agent.on_fail == OnFail::Repair && tries < agent.limits.attempts as usize;
        if !may_repair || !self.is_gated() {
            self.commit_agent(place, attempt, taken, None)?;
            return Ok(true);
        }
        self.may_go_on()?;
        self.doing(number, &checkpoint.id, "gate");
        let gated = self.gate(
            place,
            Some(parent),
            oid(&taken.tree)?,
            taken.answer.as_deref(),
        )?;
        if gated.verdict != gating::Verdict::Failed {
            let commit = self.commit_agent(place, attempt, taken, Some(&gated))?;
            self.verdicts.insert(commit, verdict(&gated));
            return Ok(true);
        }
        let shown = self.shown(checkpoint, &gated)?;
        self.state.wait = None;
        self.keep_attempt(place, attempt, Some(taken), Some((&gated, shown)))?;
        fault(What::Attempt, "repair");
        Ok(false)
    }

    /// What a repair is shown, as the plan says.
    fn shown(&self, checkpoint: &Checkpoint, gated: &gating::Gated) -> Result<String> {
        let prompt = super::overlay::words(&self.run.plan.folder, &checkpoint.prompt)?;
        let agent = self.working.agent;
        let mut shown = match &agent.repair_prompt {
            Some(text) => super::overlay::words(&self.run.plan.folder, text)?,
            None => "The work on this task does not pass its checks yet. Mend it.".to_owned(),
        };
        for part in super::gates::shown(gated, &agent.repair_shows, &prompt)? {
            shown = format!("{}\n\n{part}", shown.trim_end());
        }
        Ok(shown)
    }

    /// All attempts are used up.
    fn give_up(&mut self, number: u32, limit: u32) -> Step<()> {
        self.given_up.push(number);
        let why = format!(
            "the agent did not finish in {limit} {}",
            match limit {
                1 => "attempt",
                _ => "attempts",
            }
        );
        if self.working.agent.on_fail == OnFail::Continue {
            let remark = format!("checkpoint {number}: {why}; the next one is begun");
            self.run.tell(&self.path, &Happens::Remark(&remark));
            return Ok(());
        }
        Err(Halt::End(End::Failed {
            checkpoint: number,
            why,
        }))
    }

    /// The wait that follows, where there is one more: as long as the provider says, else twice
    /// as long as the last one.
    pub(super) fn next_wait(&self, after: Option<Duration>) -> Option<Wait> {
        let agent = self.working.agent;
        let times = self.state.wait.map_or(0, |w| w.times) + 1;
        if times > agent.rate_limit_retries {
            return None;
        }
        let (first, most) = agent.rate_limit_wait;
        let doubled = first.saturating_mul(1u32.checked_shl(times - 1).unwrap_or(u32::MAX));
        let time = after.unwrap_or(doubled).min(most.max(first));
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let now = Moment::now().millis();
        let until = now.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX));
        Some(Wait {
            until: Moment::from_millis(until).unwrap_or_else(Moment::now),
            ms,
            times,
        })
    }

    /// Waits as long as a provider asked for; how long that was. It is told once: what is tried
    /// after that, cut short and tried again, did not wait a second time.
    pub(super) fn wait_over(&mut self) -> Step<Option<Duration>> {
        let Some(wait) = self.state.wait else {
            return Ok(None);
        };
        let left = wait.until.millis() - Moment::now().millis();
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        if !left.is_zero() {
            let what = format!(
                "turned away; waits for {} s",
                left.as_millis().div_ceil(1000)
            );
            self.run.tell(&self.path, &Happens::Remark(&what));
            if !self.run.stop.pause(left) {
                return Err(Halt::End(End::Interrupted));
            }
        }
        self.state.wait = Some(Wait { ms: 0, ..wait });
        Ok((wait.ms > 0).then(|| Duration::from_millis(wait.ms)))
    }
}

/// How an attempt ended.
pub(super) struct Outcome {
    /// How its last session ended.
    pub(super) state: agents::State,
    /// What came of it, where that could be read.
    pub(super) taken: Option<Taken>,
}

/// Whether an attempt left nothing that is worth a commit.
fn is_empty(taken: &Taken, attempt: &Attempt, chain: &Chain<'_>) -> bool {
    let parent = oid(&attempt.parent).and_then(|p| chain.reader.commit(p));
    taken.tips.is_empty() && parent.is_ok_and(|p| named(p.tree) == taken.tree)
}

/// A gate's verdict as a chain goes by it.
pub(super) fn verdict(gated: &gating::Gated) -> Verdict {
    match gated.verdict {
        gating::Verdict::Passed => Verdict::Passed,
        gating::Verdict::Failed => Verdict::Failed,
        gating::Verdict::Unknown(_) => Verdict::Unknown,
    }
}

impl State {
    /// What was in hand is done, or is as if it had not been begun.
    pub(super) fn settled(&mut self, what: What, done: bool) {
        if done && matches!(what, What::Record | What::Attempt) {
            self.attempt = None;
        }
    }
}
