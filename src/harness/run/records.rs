//! What records of a chain that is run have in common: their heads, what captures speak of, and
//! sessions with their payloads.

use super::chain::Chain;
use super::scratch::purpose_word;
use super::state::{Attempt, Spoken, Taken};
use super::watch::Happens;
use crate::error::Result;
use crate::harness::gating::Gated;
use crate::harness::payloads::{Captured, Ground};
use crate::harness::written::Written;
use crate::harness::{Driven, SessionSaid};
use crate::ledger::Batch;
use crate::record::{Contained, Head, Paths, RecordId, Role, Turned, Work};
use crate::repo::Oid;

impl Chain<'_> {
    /// The head of records on a base or reset commit that speak of a checkpoint.
    pub(super) fn aside_head(
        &self,
        on: Oid,
        number: u32,
        attempt: Option<&RecordId>,
    ) -> Result<Head> {
        let commit = self.reader.commit(on)?;
        let line = &self.standing.line;
        // A commit of somebody else's on the line is none that records can speak of.
        let at = line.iter().rposition(|c| c.id == on).unwrap_or(0);
        let own = line[..=at]
            .iter()
            .rev()
            .find(|c| c.role != Role::Foreign)
            .unwrap_or(&line[0]);
        let role = match own.role {
            Role::Superseded => Role::Agent,
            role => role,
        };
        let parent = commit.parents.first().copied();
        let mut head = Written::head(
            (&self.path, &self.standing.begin),
            (own.checkpoint, &own.checkpoint_id, role),
            (on, commit.tree, parent),
            attempt,
        );
        head.for_checkpoint = Some(number);
        Ok(head)
    }

    /// What captures of a checkpoint speak of.
    pub(super) fn ground(
        &self,
        number: u32,
        tree: Oid,
        ran_tree: Option<Oid>,
    ) -> Result<Ground<'_>> {
        Ok(Ground {
            repo: self.run.repo,
            reader: self.run.repo.reader()?,
            begin: &self.standing.begin,
            checkpoint: number,
            tree,
            ran_tree,
        })
    }

    /// Gate runs on the code before a checkpoint, recorded on its parent.
    pub(super) fn before(&self, gated: &Gated, (number, parent): (u32, Oid)) -> Result<Batch> {
        if !gated.ran_before() {
            return Ok(Batch::default());
        }
        let mut written = Written::on(self.aside_head(parent, number, None)?);
        let tree = self.reader.commit(parent)?.tree;
        let ground = self.ground(number, tree, None)?;
        let say = &mut self.run.say(&self.path);
        gated.add_before(&ground, &mut written, say)?;
        Ok(written.batch())
    }

    /// A session's record, with its payloads.
    pub(super) fn add_session(
        &self,
        session: &Spoken,
        ground: &Ground<'_>,
        written: &mut Written,
    ) -> Result<()> {
        // What lay in a scratch folder that is gone is not recorded; that it took place is.
        let there =
            |all: &[std::path::PathBuf]| all.iter().filter(|f| f.exists()).cloned().collect();
        let (work, contained) = session.found.clone().map_or((None, None), |(w, c)| {
            (Some(w), (c != Contained::default()).then_some(c))
        });
        let captured = Captured {
            folder: self.scratch.gate(),
            envelopes: there(&session.envelopes),
            transcripts: there(&session.transcripts),
            keep_transcripts: session.keep_transcripts,
            session: SessionSaid {
                purpose: Some(session.purpose),
                outcome: Some(session.outcome.clone()),
                wall_ms: session.wall_ms,
                waited_ms: session.waited_ms,
                exit_code: session.exit_code,
                agent_version: session.agent_version.clone(),
                model: session.model.clone(),
                resumes: None,
                driven: Some(Box::new(Driven {
                    started: session.started,
                    ended: session.ended,
                    launch: session.launch.clone(),
                    probed: session.probed.clone(),
                    setups: session.setups.clone(),
                    work,
                    contained,
                    printed: there(&session.printed),
                })),
            },
            ..Captured::default()
        };
        let say = &mut self.run.detail(&self.path);
        captured.files()?.add(ground, written, say)
    }

    /// Tells how the sessions of an attempt ended, and counts what they cost.
    pub(super) fn tell_sessions(&self, number: u32, attempt: &Attempt) {
        self.tell_session(number, &attempt.id);
    }

    /// The same of the attempt `id`.
    pub(super) fn tell_session(&self, number: u32, id: &RecordId) {
        let seen = &self.standing.seen.sessions;
        let own = seen.iter().filter(|s| s.attempt.as_ref() == Some(id));
        for session in own {
            self.run.spend(session.cost_usd);
            let event = Happens::Session {
                checkpoint: number,
                purpose: purpose_word(session.purpose),
                outcome: session.outcome.as_deref().unwrap_or("unknown"),
                cost_usd: session.cost_usd,
            };
            self.run.tell(&self.path, &event);
        }
    }
}

/// The trees after each turn, where there was more than one.
pub(super) fn turns(sessions: &[Spoken]) -> Vec<Turned> {
    let turns: Vec<Turned> = sessions
        .iter()
        .filter_map(|s| {
            Some(Turned {
                purpose: s.purpose,
                tree: s.tree.clone()?,
                ended: s.ended,
            })
        })
        .collect();
    match turns.len() {
        0 | 1 => Vec::new(),
        _ => turns,
    }
}

pub(super) fn work(taken: &Taken) -> Work {
    Work {
        commits: taken.commits.clone(),
        commit_count: taken.commit_count,
        history_rewritten: taken.history_rewritten,
        uncommitted: taken.uncommitted,
        untracked: taken.untracked.clone(),
        left_out: taken.left_out.clone(),
        ignored_sources: taken.ignored_sources.clone(),
        nested: Paths::default(),
        surroundings_changed: taken.contained.git_changed.clone(),
    }
}
