//! The commits of a chain that is run, with their records: written down first, then kept, then on
//! the branch.

use super::chain::Chain;
use super::fault;
use super::records::{turns, work};
use super::state::{Attempt, Repair, Taken, What};
use super::watch::Step;
use crate::error::{Error, Result};
use crate::harness::gating::Gated;
use crate::harness::own_work::quoted;
use crate::harness::pending::{InHand, Move, named, oid};
use crate::harness::written::Written;
use crate::harness::{Place, agent_message, in_hand, put_back, reset_message};
use crate::ledger::{Batch, ChainCommit};
use crate::plan::Checkpoint;
use crate::record::{
    Body, Checkpoint as Says, Configuration, Contained, Event, Moment, RecordId, Role,
};
use crate::repo::{Oid, RefMove};

impl Chain<'_> {
    /// The agent commit of a checkpoint, with what was captured, and with the gate where it ran
    /// on the candidate already.
    pub(super) fn commit_agent(
        &mut self,
        (number, checkpoint): (u32, &Checkpoint),
        attempt: &Attempt,
        taken: &Taken,
        gated: Option<&Gated>,
    ) -> Step<Oid> {
        let parent = oid(&attempt.parent)?;
        let tree = oid(&taken.tree)?;
        let place = Place {
            path: &self.path,
            checkpoint: number,
            id: &checkpoint.id,
        };
        let messages: Vec<&str> = taken.messages.iter().map(String::as_str).collect();
        let request = self.title(checkpoint)?;
        let message = agent_message(place, &request, &messages);
        let commit = self.run.repo.commit_tree(tree, parent, &message)?;
        let mut written = Written::on(Written::head(
            (&self.path, &self.standing.begin),
            (number, &checkpoint.id, Role::Agent),
            (commit, tree, Some(parent)),
            Some(&attempt.id),
        ));
        let mut says = Says::of(Event::Agent);
        says.started = Some(attempt.started);
        says.ended = Some(taken.ended);
        let version = attempt.sessions.first();
        let version = version.and_then(|s| s.agent_version.as_deref());
        says.provenance = Some(self.run.provenance(self.working, version));
        says.config = Some(Configuration::clone(&self.run.config.name));
        says.work = Some(work(taken));
        says.contents = self
            .run
            .contents(&self.reader, (self.arm, self.task), Some(checkpoint))?;
        says.setups.clone_from(&attempt.setups);
        says.contained = (taken.contained != Contained::default()).then(|| taken.contained.clone());
        says.turns = turns(&attempt.sessions);
        let record = written.add(Body::from(says))?;
        let ground = self.ground(number, tree, None)?;
        for session in &attempt.sessions {
            self.add_session(session, &ground, &mut written)?;
        }
        let mut batch = Batch::default();
        if let Some(gated) = gated {
            let say = &mut self.run.say(&self.path);
            gated.add(&ground, &mut written, say)?;
            batch = self.before(gated, (number, parent))?;
        }
        written.add_config(self.run.config.content.clone());
        let own = written.batch();
        batch.entries.splice(0..0, own.entries);
        batch.configs.extend(own.configs);
        let mut moves = self.keep_own((number, parent), attempt, taken)?;
        moves.extend(self.chain_moves(commit)?);
        self.state.repair = None;
        self.state.wait = None;
        self.state.answer = taken.answer.clone().map(|answer| (number, answer));
        self.land(What::Record, (record, None), commit, moves, batch)?;
        self.tell_sessions(number, attempt);
        self.standing.grown(ChainCommit {
            id: commit,
            role: Role::Agent,
            checkpoint: number,
            checkpoint_id: checkpoint.id.clone(),
        });
        Ok(commit)
    }

    /// The reset commit behind an agent commit.
    pub(super) fn reset(&mut self, number: u32, checkpoint: &Checkpoint, agent: Oid) -> Step<Oid> {
        let tip = self.standing.tip;
        let tip_tree = self.reader.commit(tip)?.tree;
        let reader = &self.reader;
        let back = put_back::owned(reader, &self.run.controls, tip_tree, self.base_tree)?;
        let tree = put_back::tree(self.run.repo, reader, tip_tree, &back)?;
        let place = Place {
            path: &self.path,
            checkpoint: number,
            id: &checkpoint.id,
        };
        let shown = put_back::shown(&back);
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        let message = reset_message(place, &shown);
        let commit = self.run.repo.commit_tree(tree, tip, &message)?;
        let seen = &self.standing.seen;
        let attempt = seen.attempts.iter().rfind(|(on, _)| *on == agent);
        let mut written = Written::on(Written::head(
            (&self.path, &self.standing.begin),
            (number, &checkpoint.id, Role::Reset),
            (commit, tree, Some(tip)),
            attempt.map(|(_, attempt)| attempt),
        ));
        let mut says = Says::of(Event::Reset);
        says.ended = Some(Moment::now());
        let source = (self.standing.base, "controls");
        let restored = put_back::restored(&back, source, Vec::new());
        says.restored = Some(put_back::ruled(restored, &self.run.controls));
        let record = written.add(Body::from(says))?;
        let moves = self.chain_moves(commit)?;
        self.land(What::Reset, (record, None), commit, moves, written.batch())?;
        self.standing.grown(ChainCommit {
            id: commit,
            role: Role::Reset,
            checkpoint: number,
            checkpoint_id: checkpoint.id.clone(),
        });
        Ok(commit)
    }

    /// Keeps an attempt that made no commit of the chain: its tree as a commit of its own, its
    /// records on the commit it started from. Where a gate says that it failed, the next attempt
    /// goes on from there and is shown what of that.
    pub(super) fn keep_attempt(
        &mut self,
        (number, checkpoint): (u32, &Checkpoint),
        attempt: &Attempt,
        taken: Option<&Taken>,
        gated: Option<(&Gated, String)>,
    ) -> Step<()> {
        let parent = oid(&attempt.parent)?;
        let mut moves = Vec::new();
        let mut kept = None;
        if let Some(taken) = taken {
            let tree = oid(&taken.tree)?;
            let outcome = attempt.sessions.last().map_or("", |s| s.outcome.as_str());
            let message = format!(
                "Attempt at {number} {}: {outcome}\n\n{}",
                checkpoint.id,
                said(&taken.messages)
            );
            let commit = self.run.repo.commit_tree(tree, parent, &message)?;
            moves = self.keep_own((number, parent), attempt, taken)?;
            moves.push(self.next_ref("attempts", number, commit, &moves)?);
            kept = Some(commit);
        }
        let (gated, shown) = gated.unzip();
        if let (Some(shown), Some(from)) = (shown, kept) {
            self.state.repair = Some(Repair {
                checkpoint: number,
                from: named(from),
                shown,
            });
        }
        let mut written = Written::on(self.aside_head(parent, number, Some(&attempt.id))?);
        let tree = match taken {
            Some(taken) => Some(oid(&taken.tree)?),
            None => None,
        };
        let ground = self.ground(number, tree.unwrap_or(self.base_tree), tree)?;
        let last = attempt.sessions.len();
        for (at, session) in (1..).zip(&attempt.sessions) {
            let mut session = session.clone();
            if at == last
                && let Some(taken) = taken
            {
                session.found = Some((work(taken), taken.contained.clone()));
            }
            if at == 1 {
                session.setups.clone_from(&attempt.setups);
            }
            self.add_session(&session, &ground, &mut written)?;
        }
        if let Some(gated) = gated {
            let say = &mut self.run.say(&self.path);
            gated.add(&ground, &mut written, say)?;
        }
        let mut batch = written.batch();
        let record = batch
            .entries
            .iter()
            .find(|e| e.kind == crate::record::Kind::Envelope)
            .map(|e| e.line.id().clone())
            .ok_or_else(|| Error::internal("keeping an attempt that had no session"))?;
        if let Some(gated) = gated {
            let before = self.before(gated, (number, parent))?;
            batch.entries.extend(before.entries);
        }
        let commit = kept.unwrap_or(parent);
        self.land(What::Attempt, (record, Some(parent)), commit, moves, batch)?;
        self.tell_sessions(number, attempt);
        Ok(())
    }

    /// Writes `batch`, then moves refs, with all of it in hand meanwhile.
    pub(super) fn land(
        &mut self,
        what: What,
        (record, on): (RecordId, Option<Oid>),
        commit: Oid,
        moves: Vec<RefMove>,
        batch: Batch,
    ) -> Step<()> {
        let hand = InHand {
            record: Some(record),
            on: on.map(named),
            commit: named(commit),
            moves: moves.iter().filter_map(Move::of).collect(),
            paths: Vec::new(),
        };
        fault(what, "made");
        self.state.hand = Some((what, hand.clone()));
        self.keep_state()?;
        fault(what, "in-hand");
        self.append(batch)?;
        fault(what, "notes");
        let path = self.path.to_string();
        let say = &mut self.run.say(&self.path);
        if !in_hand::move_refs(self.run.repo, &hand, (&path, what.word()), say)? {
            return Err(Error::git(format!(
                "a ref of {path} was moved by another command while the chain was run"
            ))
            .with_hint("`git evolve status` says what is known of it; run again to go on")
            .into());
        }
        fault(what, "refs");
        self.state.hand = None;
        self.state.settled(what, true);
        self.keep_state()?;
        fault(what, "settled");
        Ok(())
    }

    /// The moves of keep ref and branch to `commit`.
    pub(super) fn chain_moves(&self, commit: Oid) -> Result<Vec<RefMove>> {
        use crate::harness::known;
        let reader = &self.reader;
        let keep = known::keep_ref(reader, &self.path, self.standing.base, &[])?;
        let mut moves: Vec<RefMove> = known::advance(reader, &self.path, keep, commit)?
            .into_iter()
            .collect();
        moves.push(RefMove {
            name: format!("refs/heads/evolve/{}", self.path),
            old: self.standing.branch,
            new: Some(commit),
        });
        Ok(moves)
    }

    /// What keeps the agent's own commits, and the tree after each turn where there were several.
    fn keep_own(
        &self,
        (number, parent): (u32, Oid),
        attempt: &Attempt,
        taken: &Taken,
    ) -> Result<Vec<RefMove>> {
        let mut moves = Vec::new();
        for tip in &taken.tips {
            let next = self.next_ref("agent", number, oid(tip)?, &moves)?;
            moves.push(next);
        }
        let turns = turns(&attempt.sessions);
        for turn in &turns {
            let word = super::scratch::purpose_word(turn.purpose);
            let message = format!("After a turn: {word}\n");
            let tree = oid(&turn.tree)?;
            let commit = self.run.repo.commit_tree(tree, parent, &message)?;
            let next = self.next_ref("agent", number, commit, &moves)?;
            moves.push(next);
        }
        Ok(moves)
    }

    /// The next free ref of a kind for a checkpoint, given what is planned already.
    fn next_ref(
        &self,
        kind: &str,
        number: u32,
        commit: Oid,
        planned: &[RefMove],
    ) -> Result<RefMove> {
        let folder = format!("refs/evolve/{kind}/{}/{number}/", self.path);
        let there = self.reader.references_under(&[&folder])?;
        let taken = |name: &str| {
            there.iter().any(|r| r.name == name) || planned.iter().any(|m| m.name == name)
        };
        let name = (1u32..)
            .map(|n| format!("{folder}{n}"))
            .find(|name| !taken(name))
            .ok_or_else(|| Error::internal("no free number for a ref"))?;
        Ok(RefMove {
            name,
            old: None,
            new: Some(commit),
        })
    }

    /// What was asked for, in a line: the first of the prompt that says something.
    fn title(&self, checkpoint: &Checkpoint) -> Result<String> {
        const MOST: usize = 72;
        let prompt = super::overlay::words(&self.run.plan.folder, &checkpoint.prompt)?;
        let line = prompt.lines().map(|l| l.trim_start_matches('#').trim());
        let line = line.into_iter().find(|l| !l.is_empty()).unwrap_or("");
        let mut title: String = line.chars().take(MOST).collect();
        if title.len() < line.len() {
            title.push('…');
        }
        Ok(quoted(&title))
    }
}

/// Messages as they stand in the message of an attempt's commit.
fn said(messages: &[String]) -> String {
    let mut text = String::new();
    for line in messages.iter().flat_map(|m| m.lines()) {
        text.push_str("    ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
