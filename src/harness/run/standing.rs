//! Where a chain stands, by its line and its records: what is done, tried, gated and asked.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::harness::known::Known;
use crate::ledger::{ChainCommit, records_on};
use crate::record::{
    Body, ChainPath, Event, Kind, ObjectName, Purpose, Record, RecordId, Role, Suite,
};
use crate::repo::{Oid, Reader};

/// A chain that is there.
#[derive(Debug)]
pub(super) struct Standing {
    /// Its identity.
    pub(super) begin: RecordId,
    /// Its base commit.
    pub(super) base: Oid,
    /// Its newest commit.
    pub(super) tip: Oid,
    /// The commit of its branch, where that is here.
    pub(super) branch: Option<Oid>,
    /// All commits from the base to the tip, oldest first.
    pub(super) line: Vec<ChainCommit>,
    /// What records on these commits say.
    pub(super) seen: Seen,
}

/// What records say that a run goes by.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) sessions: Vec<Session>,
    pub(super) gates: Vec<Gate>,
    /// The attempt that each agent commit's record names.
    pub(super) attempts: Vec<(Oid, RecordId)>,
}

/// A session that is recorded.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) on: Oid,
    pub(super) for_checkpoint: Option<u32>,
    pub(super) attempt: Option<RecordId>,
    pub(super) purpose: Purpose,
    pub(super) outcome: Option<String>,
    pub(super) cost_usd: Option<f64>,
}

/// A gate run that is recorded.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    pub(super) id: RecordId,
    pub(super) on: Oid,
    pub(super) for_checkpoint: Option<u32>,
    pub(super) ran_tree: Option<ObjectName>,
    pub(super) suite: Suite,
    /// Whether its outcomes are a verdict.
    pub(super) valid: bool,
    /// All checks that were made behind it; `None` where one has no verdict, or none was made.
    pub(super) holds: Option<bool>,
}

impl Gate {
    /// Whether it ran on `commit` as it is: neither as the code before a checkpoint, with tests of
    /// that, nor on a candidate that started from there.
    fn is_of(&self, commit: Oid) -> bool {
        self.on == commit && self.for_checkpoint.is_none_or(|k| k == 0) && self.ran_tree.is_none()
    }
}

/// What a gate says in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All that must hold holds.
    Passed,
    /// Something does not.
    Failed,
    /// It could not be told.
    Unknown,
    /// Nothing was looked at.
    NotGated,
}

impl Standing {
    /// The chain of `path`: the one of its branch, else the only one there is; `None` where
    /// nothing of it is here.
    ///
    /// # Errors
    /// Usage where several chains share the path and no branch says which is meant, or refs hold
    /// it that lead to no base here.
    pub(super) fn find(reader: &Reader, path: &ChainPath) -> Result<Option<Standing>> {
        let known = Known::of(reader, path)?;
        if known.is_new() {
            return Ok(None);
        }
        let chain = known.one()?;
        let begin = RecordId::parse(&chain.begin).ok_or_else(|| {
            Error::git(format!("chain {} has no well-formed identity", chain.label))
        })?;
        Ok(Some(Standing {
            begin,
            base: chain.base,
            tip: chain.tip,
            branch: known.local,
            line: chain.line.clone(),
            seen: Seen::on(reader, chain.line.iter().map(|c| c.id), &chain.begin)?,
        }))
    }

    /// The agent commit that counts for a checkpoint, and its reset commit.
    pub(super) fn done(&self, checkpoint: u32) -> Option<(Oid, Option<Oid>)> {
        let of_it =
            |role: Role| move |c: &&ChainCommit| c.role == role && c.checkpoint == checkpoint;
        let agent = self.line.iter().rfind(of_it(Role::Agent))?;
        let reset = self.line.iter().rfind(of_it(Role::Reset));
        Some((agent.id, reset.map(|c| c.id)))
    }

    /// Whether the line has a later checkpoint: one that was left out has no place on it any more.
    pub(super) fn is_past(&self, checkpoint: u32) -> bool {
        let later = |c: &ChainCommit| c.role == Role::Agent && c.checkpoint > checkpoint;
        self.line.iter().any(later)
    }

    /// Adds a commit that was made.
    pub(super) fn grown(&mut self, commit: ChainCommit) {
        self.tip = commit.id;
        self.branch = Some(commit.id);
        self.line.push(commit);
    }
}

impl Seen {
    /// What records of the chain `begin` on `commits` say.
    ///
    /// # Errors
    /// Notes that cannot be read.
    pub(super) fn on(
        reader: &Reader,
        commits: impl Iterator<Item = Oid>,
        begin: &str,
    ) -> Result<Seen> {
        let commits: BTreeSet<Oid> = commits.collect();
        let kinds = [Kind::Checkpoint, Kind::Envelope, Kind::Tests];
        let records = records_on(reader, &kinds, &commits)?;
        let mut seen = Seen::default();
        for (_, on, stored) in records.all() {
            let of_it = |r: &&Record| r.head.begin.as_str() == begin;
            if let Some(record) = stored.record().filter(of_it) {
                seen.add(on, record);
            }
        }
        // Ids tell their age.
        seen.gates.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(seen)
    }

    /// What sessions cost, US dollars, and how many do not tell.
    pub(super) fn spent(&self) -> (f64, u32) {
        // A sum of nothing would be -0.
        let known = self.sessions.iter().filter_map(|s| s.cost_usd);
        let known = known.fold(0.0, |sum, cost| sum + cost);
        let unknown = self
            .sessions
            .iter()
            .filter(|s| s.cost_usd.is_none())
            .count();
        (known, u32::try_from(unknown).unwrap_or(u32::MAX))
    }

    /// Keeps in mind what a record on `on` says.
    pub(super) fn add(&mut self, on: Oid, Record { head, body, .. }: &Record) {
        match body {
            Body::Envelope(says) => self.sessions.push(Session {
                on,
                for_checkpoint: head.for_checkpoint,
                attempt: head.attempt.clone(),
                purpose: says.purpose,
                outcome: says.outcome.clone(),
                cost_usd: cost(says.session.as_ref()),
            }),
            Body::Tests(says) => {
                let word = |key: &str| says.map.as_ref()?.get(key)?.as_str();
                let checks = says.gated.as_ref().map_or(&[][..], |g| &g.checks);
                self.gates.push(Gate {
                    id: head.id.clone(),
                    on,
                    for_checkpoint: head.for_checkpoint,
                    ran_tree: says.ran_tree.clone(),
                    suite: says.suite,
                    valid: word("validity").is_some_and(|v| v != "invalid"),
                    holds: together(checks.iter().map(|c| c.holds)),
                });
            }
            Body::Checkpoint(says) if says.event == Event::Agent => {
                if let Some(attempt) = &head.attempt {
                    self.attempts.push((on, attempt.clone()));
                }
            }
            Body::Checkpoint(_) | Body::Coverage(_) | Body::Raw(_) => {}
        }
    }

    /// What the gate runs on `commit` itself say: of those that were judged the newest; a run
    /// that is no verdict says nothing where another does.
    pub(super) fn verdict(&self, commit: Oid) -> Verdict {
        let mut judged = self.gates.iter().filter(|g| g.is_of(commit)).rev();
        match judged.clone().find_map(|g| g.holds) {
            Some(true) => Verdict::Passed,
            Some(false) => Verdict::Failed,
            None => match judged.next() {
                Some(_) => Verdict::Unknown,
                None => Verdict::NotGated,
            },
        }
    }

    /// How many gate runs of `suite` there are on `commit` itself, and whether one is valid.
    pub(super) fn runs(&self, commit: Oid, suite: Suite) -> (u32, bool) {
        let own = |g: &&Gate| g.is_of(commit) && g.suite == suite;
        let own: Vec<&Gate> = self.gates.iter().filter(own).collect();
        let count = u32::try_from(own.len()).unwrap_or(u32::MAX);
        (count, own.iter().any(|g| g.valid))
    }

    /// The tries at a checkpoint that started from `parent` and count against its limit: neither
    /// those that were interrupted nor those that a provider turned away.
    pub(super) fn tries(&self, parent: Oid, checkpoint: u32) -> BTreeSet<RecordId> {
        let free = [
            "interrupted",
            "rate_limited",
            "credentials_dead",
            "setup_failed",
        ];
        let of_it = |s: &&Session| {
            s.on == parent
                && s.for_checkpoint == Some(checkpoint)
                && !matches!(s.purpose, Purpose::Probe | Purpose::Noop)
        };
        let all = self.sessions.iter().filter(of_it);
        let mut tries = BTreeSet::new();
        let mut dropped = BTreeSet::new();
        for session in all {
            let Some(attempt) = &session.attempt else {
                continue;
            };
            let word = session.outcome.as_deref().unwrap_or_default();
            match free.contains(&word) {
                true => dropped.insert(attempt.clone()),
                false => tries.insert(attempt.clone()),
            };
        }
        tries.difference(&dropped).cloned().collect()
    }

    /// Whether `attempt` is recorded on `commit`.
    pub(super) fn knows(&self, commit: Oid, attempt: &RecordId) -> bool {
        let same = |s: &Session| s.on == commit && s.attempt.as_ref() == Some(attempt);
        self.sessions.iter().any(same)
    }

    /// The sessions of a purpose on `commit` for a checkpoint that came to their end.
    pub(super) fn ended(&self, commit: Oid, purpose: Purpose, checkpoint: u32) -> usize {
        let open = [
            "interrupted",
            "rate_limited",
            "credentials_dead",
            "setup_failed",
        ];
        let of_it = |s: &&Session| {
            s.on == commit && s.purpose == purpose && s.for_checkpoint == Some(checkpoint)
        };
        let over = |s: &&Session| !s.outcome.as_deref().is_some_and(|w| open.contains(&w));
        self.sessions.iter().filter(of_it).filter(over).count()
    }
}

/// What several checks say together: one that does not hold decides, one without a verdict leaves
/// it open.
fn together(checks: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = None;
    for holds in checks {
        match holds {
            Some(false) => return Some(false),
            Some(true) => all = all.or(Some(Some(true))),
            None => all = Some(None),
        }
    }
    all.flatten()
}

/// US dollars that a session reported.
pub(super) fn cost(session: Option<&Value>) -> Option<f64> {
    session?.get("cost_usd")?.as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_session_cost_nothing_at_all() {
        let (known, unknown) = Seen::default().spent();
        assert_eq!((known.to_bits(), unknown), (0, 0));
    }

    #[test]
    fn one_check_that_does_not_hold_decides_and_one_without_a_verdict_leaves_it_open() {
        let all = |checks: &[Option<bool>]| together(checks.iter().copied());
        assert_eq!(all(&[]), None);
        assert_eq!(all(&[Some(true), Some(true)]), Some(true));
        assert_eq!(all(&[Some(true), None]), None);
        assert_eq!(all(&[None, Some(true)]), None);
        assert_eq!(all(&[None, Some(false), Some(true)]), Some(false));
    }
}
