//! The turns of one attempt in its clone: the change, clearing up, reviews; each a session of its
//! own.

use regex::RegexBuilder;

use super::attempt::Outcome;
use super::chain::Chain;
use super::clone::Clone;
use super::fault;
use super::overlay::words;
use super::state::{Repair, Taken, What};
use super::talk::Talk;
use super::watch::{End, Halt, Happens, Step};
use crate::error::{Error, Result};
use crate::harness::agents::State;
use crate::harness::pending::oid;
use crate::plan::{Checkpoint, Review, Text};
use crate::record::{Paths, Purpose};
use crate::repo::Oid;

impl Chain<'_> {
    /// All turns of the attempt in hand, from the commit `from`.
    pub(super) fn turns(
        &mut self,
        place: (u32, &Checkpoint),
        (parent, from): (Oid, Oid),
        repair: Option<&Repair>,
    ) -> Step<Outcome> {
        let prompt = match repair {
            Some(repair) => self.around(&repair.shown)?,
            None => self.prompt(&place.1.prompt)?,
        };
        let mut clone = self.fresh_clone(from)?;
        self.set_up(place, &mut clone)?;
        let talk = Talk {
            purpose: Purpose::Implement,
            prompt: &prompt,
            read_only: false,
            time: self.working.agent.limits.time,
        };
        let state = self.turn(place, &clone, &talk)?;
        let taken = match is_folder(&clone.top) {
            true => Some(self.take(&clone, place)?),
            false => None,
        };
        let (State::Done, Some(mut taken)) = (&state, taken.clone()) else {
            clone.prepared.end()?;
            return Ok(Outcome { state, taken });
        };
        fault(What::Attempt, "session");
        for more in [Self::refactor, Self::review] {
            if let Some(state) = more(self, place, (parent, &mut clone), &mut taken)? {
                clone.prepared.end()?;
                return Ok(Outcome {
                    state,
                    taken: Some(taken),
                });
            }
        }
        clone.prepared.end()?;
        Ok(Outcome {
            state: State::Done,
            taken: Some(taken),
        })
    }

    /// Runs the set-up commands of a session; where one fails, that is recorded, and the chain's
    /// turn is over.
    fn set_up(&mut self, place: (u32, &Checkpoint), clone: &mut Clone) -> Step<()> {
        let id = self.attempt_id()?;
        self.prepare(Some(place), clone, &id)?;
        let runs = clone.prepared.runs.clone();
        let Some(attempt) = &mut self.state.attempt else {
            return Ok(());
        };
        attempt.setups = runs;
        let Some(why) = clone.prepared.failed.clone() else {
            if !attempt.setups.is_empty() {
                self.keep_state()?;
            }
            return Ok(());
        };
        let mut attempt = attempt.clone();
        attempt.running = None;
        let (outcome, end) = match self.run.stop.asked() {
            true => ("interrupted", End::Interrupted),
            false => ("setup_failed", End::SetUp(why)),
        };
        attempt.cut(Purpose::Implement, outcome);
        self.keep_attempt(place, &attempt, None, None)?;
        Err(Halt::End(end))
    }

    /// One session in the clone; what it was is in the state.
    fn turn(&mut self, place: (u32, &Checkpoint), clone: &Clone, talk: &Talk<'_>) -> Step<State> {
        let id = self.attempt_id()?;
        let turn = self.state.attempt.as_ref().map_or(0, |a| a.sessions.len()) + 1;
        if let Some(attempt) = &mut self.state.attempt {
            attempt.running = Some(talk.purpose);
        }
        if turn > 1 {
            self.keep_state()?;
        }
        let name = match turn {
            1 => id.to_string(),
            n => format!("{id}-{n}"),
        };
        self.sessions += 1;
        let (mut state, mut spoken) = self.talk(Some(place), &clone.top, (&id, &name), talk)?;
        if matches!(state, State::Done) && !is_folder(&clone.top) {
            state = State::Failed("no folder is left where its clone was".to_owned());
            state.outcome().clone_into(&mut spoken.outcome);
        }
        spoken.launch_mut().turn = u32::try_from(turn).ok();
        if let Some(attempt) = &mut self.state.attempt {
            spoken.waited_ms = attempt.waited_ms.filter(|_| turn == 1);
            attempt.sessions.push(spoken);
            attempt.running = None;
        }
        Ok(state)
    }

    /// Takes in what the last turn left, and notes its tree.
    fn take(&mut self, clone: &Clone, place: (u32, &Checkpoint)) -> Result<Taken> {
        let mut taken = self.taken(clone, place)?;
        if let Some(session) = self
            .state
            .attempt
            .as_mut()
            .and_then(|a| a.sessions.last_mut())
        {
            session.tree = Some(taken.tree.clone());
            session.launch_mut().tree = Some(taken.tree.clone());
            taken.answer.clone_from(&session.answer);
            taken.ended = session.ended.unwrap_or(taken.ended);
        }
        self.keep_state()?;
        Ok(taken)
    }

    /// Asks for clearing up while a measure of the change is over what the plan allows.
    fn refactor(
        &mut self,
        place: (u32, &Checkpoint),
        (parent, clone): (Oid, &mut Clone),
        taken: &mut Taken,
    ) -> Step<Option<State>> {
        let Some(refactor) = self.working.refactor else {
            return Ok(None);
        };
        for turn in 1..=refactor.turns {
            let over = self.over(parent, taken, &refactor.max)?;
            if over.is_empty() {
                return Ok(None);
            }
            self.doing(place.0, &place.1.id, &format!("refactor, turn {turn}"));
            let prompt = words(&self.run.plan.folder, &refactor.prompt)?;
            let prompt = self.around(&prompt.replace("{measures}", &over.join("\n")))?;
            let talk = Talk {
                purpose: Purpose::Refactor,
                prompt: &prompt,
                read_only: false,
                time: self.working.agent.limits.time,
            };
            match self.again(place, clone, &talk)? {
                Turn::Done => *taken = self.take(clone, place)?,
                Turn::Failed => return Ok(None),
                Turn::Ends(state) => return Ok(Some(state)),
            }
        }
        Ok(None)
    }

    /// The measures of a candidate that are over their thresholds, a line each.
    fn over(
        &self,
        parent: Oid,
        taken: &Taken,
        max: &std::collections::BTreeMap<String, f64>,
    ) -> Result<Vec<String>> {
        let tree = oid(&taken.tree)?;
        if self.reader.commit(parent)?.tree == tree {
            return Ok(Vec::new());
        }
        let candidate = self
            .run
            .repo
            .commit_tree(tree, parent, "A candidate to be measured\n")?;
        let ids: Vec<String> = max.keys().cloned().collect();
        let figures = (self.run.measure)(self.run.repo, parent, candidate, &ids)?;
        let mut over = Vec::new();
        for (id, max) in max {
            match figures.get(id) {
                Some(Ok(value)) if value > max => {
                    over.push(format!("{id} is {value}, at most {max}"));
                }
                Some(Ok(_)) => {}
                Some(Err(why)) => {
                    let remark = format!("{id} is unknown, no turn is asked for by it: {why}");
                    self.run.tell(&self.path, &Happens::Remark(&remark));
                }
                None => {
                    return Err(Error::internal(format!("no figure of {id} was given")));
                }
            }
        }
        Ok(over)
    }

    /// Reviews, each followed by the turn that gets the answer, where the plan has one.
    fn review(
        &mut self,
        place: (u32, &Checkpoint),
        (parent, clone): (Oid, &mut Clone),
        taken: &mut Taken,
    ) -> Step<Option<State>> {
        let Some(review) = &self.run.plan.review else {
            return Ok(None);
        };
        for cycle in 1..=review.cycles {
            let answer = match self.reviewed(place, (parent, clone), taken, (review, cycle))? {
                Reviewed::Says(answer) => answer,
                Reviewed::Failed => return Ok(None),
                Reviewed::Ends(state) => return Ok(Some(state)),
            };
            let Some(apply) = &review.apply else {
                return Ok(None);
            };
            if is_satisfied(review, &answer)? {
                return Ok(None);
            }
            let what = format!("review {cycle}: applied");
            self.doing(place.0, &place.1.id, &what);
            let prompt = self.around(&self.with_answer(apply, &answer)?)?;
            // It clears up what the review found: a review itself never writes.
            let talk = Talk {
                purpose: Purpose::Refactor,
                prompt: &prompt,
                read_only: false,
                time: self.working.agent.limits.time,
            };
            match self.again(place, clone, &talk)? {
                Turn::Done => *taken = self.take(clone, place)?,
                Turn::Failed => return Ok(None),
                Turn::Ends(state) => return Ok(Some(state)),
            }
        }
        Ok(None)
    }

    /// One review: it may not write, and where it did, that is put back.
    fn reviewed(
        &mut self,
        place: (u32, &Checkpoint),
        (parent, clone): (Oid, &mut Clone),
        taken: &Taken,
        (review, cycle): (&Review, u32),
    ) -> Step<Reviewed> {
        self.doing(place.0, &place.1.id, &format!("review {cycle}"));
        let prompt = self.prompt(&review.prompt)?;
        let talk = Talk {
            purpose: Purpose::Review,
            prompt: &prompt,
            read_only: true,
            time: self.working.agent.limits.time,
        };
        let turn = self.again(place, clone, &talk)?;
        let after = self.taken(clone, place)?;
        let wrote = self.wrote(&oid(&taken.tree)?, &oid(&after.tree)?)?;
        if wrote.count > 0 {
            let remark = format!("review {cycle} wrote though it may not; that is put back");
            self.run.tell(&self.path, &Happens::Remark(&remark));
            let last = self.state.attempt.as_mut();
            if let Some(session) = last.and_then(|a| a.sessions.last_mut()) {
                session.launch_mut().wrote = Some(wrote);
            }
            self.put_back(clone, parent, taken)?;
        }
        self.keep_state()?;
        let answer = self.state.attempt.as_ref().and_then(|a| a.sessions.last());
        let answer = answer.and_then(|s| s.answer.clone());
        Ok(match (turn, answer) {
            (Turn::Ends(state), _) => Reviewed::Ends(state),
            (Turn::Done, Some(answer)) => Reviewed::Says(answer),
            (Turn::Done, None) | (Turn::Failed, _) => Reviewed::Failed,
        })
    }

    /// What differs between two trees.
    pub(super) fn wrote(&self, before: &Oid, after: &Oid) -> Result<Paths> {
        let deltas = self.run.repo.reader()?.deltas(*before, *after)?;
        Ok(Paths::of(deltas.iter().map(|d| d.path.as_ref())))
    }

    /// The clone anew, with the tree that was taken, committed on `parent`.
    fn put_back(&mut self, clone: &mut Clone, parent: Oid, taken: &Taken) -> Step<()> {
        let tree = oid(&taken.tree)?;
        let message = "The work so far\n";
        let candidate = self.run.repo.commit_tree(tree, parent, message)?;
        let mut fresh = self.fresh_clone(candidate)?;
        // What set-up commands left is there no longer; services still run.
        std::mem::swap(&mut fresh.prepared, &mut clone.prepared);
        *clone = fresh;
        Ok(())
    }

    /// One more turn, tried again while a provider turns it away. One that fails ends the turns,
    /// not the attempt: the tree before it counts.
    fn again(&mut self, place: (u32, &Checkpoint), clone: &Clone, talk: &Talk<'_>) -> Step<Turn> {
        loop {
            self.may_go_on()?;
            match self.turn(place, clone, talk)? {
                State::Done => {
                    self.state.wait = None;
                    return Ok(Turn::Done);
                }
                State::RateLimited { after } => match self.next_wait(after) {
                    Some(wait) => {
                        self.state.wait = Some(wait);
                        self.keep_state()?;
                        self.wait_over()?;
                    }
                    None => return Ok(Turn::Ends(State::RateLimited { after })),
                },
                state @ (State::Interrupted | State::CredentialsDead(_)) => {
                    return Ok(Turn::Ends(state));
                }
                state @ (State::Failed(_)
                | State::Killed(_)
                | State::TimedOut
                | State::OverLimit(_)) => {
                    let word = super::scratch::purpose_word(talk.purpose);
                    let why = state.why().unwrap_or_default();
                    let remark = format!("a {word} turn failed ({why}): the tree before it counts");
                    self.run.tell(&self.path, &Happens::Remark(&remark));
                    return Ok(Turn::Failed);
                }
            }
        }
    }

    /// A prompt of the plan, with what the arm puts before and behind every one.
    pub(super) fn prompt(&self, text: &Text) -> Result<String> {
        self.around(&words(&self.run.plan.folder, text)?)
    }

    pub(super) fn around(&self, prompt: &str) -> Result<String> {
        let mut parts = Vec::new();
        for text in [&self.arm.prompt_prefix, &self.arm.prompt_suffix] {
            parts.push(match text {
                Some(text) => Some(words(&self.run.plan.folder, text)?),
                None => None,
            });
        }
        parts.insert(1, Some(prompt.to_owned()));
        let parts = parts.into_iter().flatten();
        let parts: Vec<String> = parts.map(|p| p.trim_end().to_owned()).collect();
        Ok(format!("{}\n", parts.join("\n\n")))
    }

    /// The prompt of the turn that gets a review's answer: where `{answer}` stands, else behind.
    fn with_answer(&self, apply: &Text, answer: &str) -> Result<String> {
        let prompt = words(&self.run.plan.folder, apply)?;
        Ok(match prompt.contains("{answer}") {
            true => prompt.replace("{answer}", answer),
            false => format!("{}\n\n{answer}", prompt.trim_end()),
        })
    }

    fn attempt_id(&self) -> Result<crate::record::RecordId> {
        let attempt = self.state.attempt.as_ref();
        attempt
            .map(|a| a.id.clone())
            .ok_or_else(|| Error::internal("a session without an attempt"))
    }
}

enum Turn {
    Done,
    Failed,
    Ends(State),
}

enum Reviewed {
    Says(String),
    Failed,
    Ends(State),
}

fn is_satisfied(review: &Review, answer: &str) -> Result<bool> {
    let Some(pattern) = &review.satisfied else {
        return Ok(false);
    };
    let regex = RegexBuilder::new(pattern)
        .case_insensitive(true)
        .multi_line(true)
        .build()
        .map_err(|e| {
            Error::usage(format!("[review] satisfied: {pattern}: no pattern")).with_source(e)
        })?;
    Ok(regex.is_match(answer))
}

/// Whether there is a folder, and no link to one.
fn is_folder(path: &std::path::Path) -> bool {
    path.symlink_metadata().is_ok_and(|m| m.is_dir())
}
