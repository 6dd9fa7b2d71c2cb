//! Sessions beside the checkpoints: probes, which are asked for the rules and write nothing, and
//! those for nothing, which measure what a session costs by itself.

use regex::RegexBuilder;

use super::chain::Chain;
use super::state::{Aside, Spoken, What};
use super::talk::Talk;
use super::watch::{End, Halt, Happens, Step};
use super::{fault, scratch};
use crate::error::{Error, Result};
use crate::harness::agents::{State, wrote};
use crate::harness::pending::{named, oid};
use crate::harness::written::Written;
use crate::plan::{Checkpoint, Probe};
use crate::record::{Moment, Probed, Purpose, RecordId};
use crate::repo::Oid;

/// Bytes of a probe's answer that its record holds.
const ANSWER: usize = 64 << 10;

impl Chain<'_> {
    /// The sessions for nothing of this arm, on its first chain's base, that are missing.
    pub(super) fn noops(&mut self) -> Step<()> {
        let Some(noop) = self.run.plan.noop.as_ref().filter(|_| self.first) else {
            return Ok(());
        };
        let base = self.standing.base;
        let prompt = self.prompt(&noop.prompt)?;
        loop {
            let done = self.standing.seen.ended(base, Purpose::Noop, 0);
            if done >= noop.sessions as usize {
                return Ok(());
            }
            self.doing(0, "base", &format!("session for nothing, {}", done + 1));
            let talk = Talk {
                purpose: Purpose::Noop,
                prompt: &prompt,
                read_only: false,
                time: noop.time,
            };
            self.aside(None, base, &talk, |_, _| Ok(None))?;
        }
    }

    /// The probe after a checkpoint, where it is due and missing.
    pub(super) fn probe(&mut self, number: u32, checkpoint: &Checkpoint, reset: Oid) -> Step<()> {
        let Some(probe) = self.run.plan.probe.as_ref() else {
            return Ok(());
        };
        if !number.is_multiple_of(probe.every.max(1)) {
            return Ok(());
        }
        let prompt = self.prompt(&probe.prompt)?;
        let landed = self.landed(probe, number);
        while self.standing.seen.ended(reset, Purpose::Probe, number) == 0 {
            self.doing(number, &checkpoint.id, "probe");
            let talk = Talk {
                purpose: Purpose::Probe,
                prompt: &prompt,
                read_only: true,
                time: probe.time,
            };
            let place = Some((number, checkpoint));
            self.aside(place, reset, &talk, |answer, masked| {
                probed(probe, &landed, answer, masked).map(Some)
            })?;
        }
        Ok(())
    }

    /// The rules that an agent can know by then: the base's, and those of checkpoints done so
    /// far.
    fn landed(&self, probe: &Probe, number: u32) -> Vec<String> {
        let done = |id: &String| {
            let numbered = (1..=number).zip(self.checkpoints);
            let mut found = numbered.into_iter().filter(|(_, c)| c.id == *id);
            found.any(|(k, _)| self.standing.done(k).is_some())
        };
        let rules = probe.rules.iter();
        rules
            .filter(|rule| rule.checkpoint.as_ref().is_none_or(done))
            .map(|rule| rule.id.clone())
            .collect()
    }

    /// One session beside the checkpoints, in a fresh clone of `on`, recorded there.
    fn aside(
        &mut self,
        place: Option<(u32, &Checkpoint)>,
        on: Oid,
        talk: &Talk<'_>,
        probed: impl Fn(&str, &Written) -> Result<Option<Probed>>,
    ) -> Step<()> {
        let number = place.map_or(0, |(k, _)| k);
        self.cut_aside(on, number, talk.purpose)?;
        self.may_go_on()?;
        self.run.may_spend()?;
        let waited = self.wait_over()?;
        let aside = Aside {
            id: RecordId::new(),
            purpose: talk.purpose,
            on: named(on),
            checkpoint: number,
            started: Moment::now(),
        };
        let id = aside.id.clone();
        self.state.aside = Some(aside);
        self.keep_state()?;
        fault(What::Attempt, "aside");
        let mut clone = self.fresh_clone(on)?;
        self.prepare(place, &mut clone, &id)?;
        if let Some(why) = clone.prepared.failed.clone() {
            let mut session = Spoken::bare(talk.purpose, "setup_failed", Moment::now());
            session.setups.clone_from(&clone.prepared.runs);
            self.record_aside((on, number, &id), session, &probed)?;
            return Err(Halt::End(End::SetUp(why)));
        }
        self.sessions += 1;
        let name = id.to_string();
        let (state, mut session) = self.talk(place, &clone.top, (&id, &name), talk)?;
        session.waited_ms = waited.map(|w| u64::try_from(w.as_millis()).unwrap_or(u64::MAX));
        session.setups.clone_from(&clone.prepared.runs);
        if talk.read_only {
            let tree = match clone.left_by_set_up() {
                Some(tree) => tree,
                None => self.reader.commit(on)?.tree,
            };
            // That nothing was written is looked at, not trusted.
            session.launch_mut().wrote = wrote(self.run.repo, &clone.top, tree)?;
            if session.launch_mut().wrote.is_some() {
                let word = scratch::purpose_word(talk.purpose);
                let remark = format!("a {word} wrote though it may not; nothing of that is taken");
                self.run.tell(&self.path, &Happens::Remark(&remark));
            }
        }
        clone.prepared.end()?;
        fault(What::Attempt, "asked");
        self.state.wait = match &state {
            State::RateLimited { after } => self.next_wait(*after),
            _ => None,
        };
        self.record_aside((on, number, &id), session, &probed)?;
        match state {
            State::Interrupted => Err(Halt::End(End::Interrupted)),
            State::CredentialsDead(why) => {
                self.run.credentials_dead(&why);
                Err(Halt::End(End::Credentials(why)))
            }
            State::RateLimited { .. } if self.state.wait.is_none() => {
                let word = scratch::purpose_word(talk.purpose);
                Err(Halt::End(End::RateLimited(format!(
                    "a {word} session was turned away too often"
                ))))
            }
            _ => Ok(()),
        }
    }

    /// Records a session beside the checkpoints that another run left in the middle.
    fn cut_aside(&mut self, on: Oid, number: u32, purpose: Purpose) -> Step<()> {
        let Some(aside) = self.state.aside.clone() else {
            return Ok(());
        };
        self.run.end_marked(&aside.id);
        let same = oid(&aside.on)? == on && aside.checkpoint == number && aside.purpose == purpose;
        if same && !self.standing.seen.knows(on, &aside.id) {
            let session = Spoken::bare(purpose, "interrupted", aside.started);
            self.record_aside((on, number, &aside.id), session, &|_, _| Ok(None))?;
        }
        self.state.aside = None;
        self.keep_state()?;
        Ok(())
    }

    fn record_aside(
        &mut self,
        (on, number, id): (Oid, u32, &RecordId),
        mut session: Spoken,
        probed: &impl Fn(&str, &Written) -> Result<Option<Probed>>,
    ) -> Result<()> {
        let mut written = Written::on(self.aside_head(on, number, Some(id))?);
        if let Some(answer) = &session.answer {
            session.probed = probed(answer, &written)?;
        }
        let tree = self.reader.commit(on)?.tree;
        let ground = self.ground(number, tree, None)?;
        self.add_session(&session, &ground, &mut written)?;
        drop(ground);
        self.append(written.batch())?;
        fault(What::Attempt, "aside-notes");
        self.state.aside = None;
        self.keep_state()?;
        self.tell_session(number, id);
        scratch::remove(&self.scratch.session(id.as_str()))?;
        Ok(())
    }
}

/// What a probe's answer named, by the plan's patterns.
fn probed(probe: &Probe, landed: &[String], answer: &str, written: &Written) -> Result<Probed> {
    let mut named = Vec::new();
    for rule in probe.rules.iter().filter(|r| landed.contains(&r.id)) {
        for keyword in &rule.keywords {
            let pattern = RegexBuilder::new(keyword)
                .case_insensitive(true)
                .build()
                .map_err(|e| {
                    Error::usage(format!("[probe] rule {}: {keyword}: no pattern", rule.id))
                        .with_source(e)
                })?;
            if pattern.is_match(answer) {
                named.push(rule.id.clone());
                break;
            }
        }
    }
    let mut answer = written.masked(answer);
    if answer.len() > ANSWER {
        let mut end = ANSWER;
        while !answer.is_char_boundary(end) {
            end -= 1;
        }
        answer.truncate(end);
    }
    Ok(Probed {
        landed: landed.to_vec(),
        named,
        answer,
    })
}
