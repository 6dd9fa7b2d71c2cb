//! Pushing until the other side holds everything, refuses what is left, or time is up.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::count::count;
use super::plan::Held;
use super::push_place;
use crate::error::Result;
use crate::ledger::NotesRef;
use crate::ledger::receive::{held, notes_of, receive_known};
use crate::repo::{Manner, Oid, Pause, PushRef, Remote, Repo};

/// Times a ref may fail alone, with nothing changed on the other side, before that is its answer:
/// a lock held by another push looks the same as a rule.
const STRIKES: u32 = 2;

/// A ref that the other side did not take.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// Its full name there.
    pub name: String,
    /// What git and the other side said, line by line.
    pub words: Vec<String>,
    /// It was not refused: the other side changed again and again until time was up.
    pub raced: bool,
}

/// One exchange with one remote.
pub(super) struct Settling<'a> {
    repo: &'a Repo,
    remote: &'a Remote,
    manner: Manner<'a>,
    patience: Duration,
    /// What the other side holds, as last known.
    pub(super) held: Held,
    /// What it took.
    pub(super) sent: BTreeSet<PushRef>,
    /// What arrived when a push came too late.
    pub(super) arrived: BTreeMap<NotesRef, u64>,
    /// Every state of its notes that is not ours.
    theirs: BTreeMap<NotesRef, BTreeSet<Oid>>,
    refused: BTreeMap<String, Refusal>,
}

impl<'a> Settling<'a> {
    pub(super) fn new(
        repo: &'a Repo,
        remote: &'a Remote,
        held: Held,
        manner: Manner<'a>,
        patience: Duration,
    ) -> Settling<'a> {
        let mut settling = Settling {
            held,
            repo,
            remote,
            manner,
            patience,
            sent: BTreeSet::new(),
            arrived: BTreeMap::new(),
            theirs: BTreeMap::new(),
            refused: BTreeMap::new(),
        };
        settling.note();
        settling
    }

    /// Remembers which states of notes are the other side's own.
    fn note(&mut self) {
        for (name, commit) in &self.held {
            let sent = self.sent.iter().any(|s| s.commit == *commit);
            if let Some(notes) = notes_of(name).filter(|_| !sent) {
                self.theirs.entry(notes).or_default().insert(*commit);
            }
        }
    }

    /// Pushes what `wanted` says of what the other side holds, until that is nothing.
    pub(super) fn settle(
        &mut self,
        mut wanted: impl FnMut(&Held) -> Result<Vec<PushRef>>,
    ) -> Result<()> {
        let deadline = Instant::now() + self.patience;
        let mut pause = Pause::until(deadline);
        let mut alone = false;
        let mut strikes = BTreeMap::<String, u32>::new();
        loop {
            let mut open = wanted(&self.held)?;
            open.retain(|r| !self.refused.contains_key(&r.name));
            if open.is_empty() {
                return Ok(());
            }
            let failed = if alone {
                self.push_in_parts(&open)?
            } else {
                self.push(&open)?
            };
            if failed.is_empty() {
                continue;
            }
            let now = held(self.repo, push_place(self.remote), self.manner)?;
            let mut raced = false;
            for (failure, words) in failed {
                if now.get(&failure.name) != self.held.get(&failure.name) {
                    raced = true;
                    continue;
                }
                let count = strikes.entry(failure.name.clone()).or_default();
                *count += u32::from(alone);
                if *count >= STRIKES {
                    let name = failure.name;
                    let refusal = Refusal {
                        name: name.clone(),
                        words,
                        raced: false,
                    };
                    self.refused.insert(name, refusal);
                }
            }
            // A rule against one ref may have taken the others down with it.
            alone = !raced;
            if raced {
                let received = receive_known(self.repo, &self.source(), now.clone(), self.manner)?;
                for (notes, n) in received.arrived {
                    *self.arrived.entry(notes).or_default() += n;
                }
            }
            self.held = now;
            self.note();
            if !pause.rest() {
                for PushRef { name, .. } in wanted(&self.held)? {
                    self.refused.entry(name.clone()).or_insert(Refusal {
                        name,
                        words: vec![format!(
                            "the other side kept changing for {} seconds",
                            self.patience.as_secs_f64()
                        )],
                        raced: true,
                    });
                }
                return Ok(());
            }
        }
    }

    /// The repository that is pushed to, as one to fetch from.
    fn source(&self) -> Remote {
        match self.remote.other_push_urls().next() {
            Some(url) => Remote::at(url),
            None => self.remote.clone(),
        }
    }

    /// One push; gives what was not taken, with what was said.
    fn push(&mut self, refs: &[PushRef]) -> Result<Vec<(PushRef, Vec<String>)>> {
        let pushed = self.repo.push_to(&self.remote.place, refs, self.manner)?;
        let mut failed = Vec::new();
        for wanted in refs {
            let said = pushed.refs.iter().find(|r| r.name == wanted.name);
            if said.is_some_and(|r| r.there) {
                self.held.insert(wanted.name.clone(), wanted.commit);
                // The last state of a ref is the one that is there.
                self.sent.retain(|r| r.name != wanted.name);
                self.sent.insert(wanted.clone());
            } else {
                let mut words: Vec<String> = said.iter().map(|r| r.words.clone()).collect();
                let theirs = pushed.words.iter().filter(|w| w.starts_with("remote: "));
                words.extend(theirs.cloned());
                failed.push((wanted.clone(), words));
            }
        }
        Ok(failed)
    }

    /// The same; where nothing of it was taken, each half by itself.
    fn push_in_parts(&mut self, refs: &[PushRef]) -> Result<Vec<(PushRef, Vec<String>)>> {
        let failed = self.push(refs)?;
        if refs.len() < 2 || failed.len() < refs.len() {
            return Ok(failed);
        }
        let (one, other) = refs.split_at(refs.len() / 2);
        let mut failed = self.push_in_parts(one)?;
        failed.extend(self.push_in_parts(other)?);
        Ok(failed)
    }

    /// How many records the other side took, by kind.
    pub(super) fn records(&self) -> Result<BTreeMap<NotesRef, u64>> {
        let reader = self.repo.reader()?;
        let mut all = BTreeMap::new();
        for notes in NotesRef::all() {
            let mut theirs = Vec::new();
            for commit in self.theirs.get(&notes).into_iter().flatten() {
                if reader.peeled(*commit)?.is_some() {
                    theirs.push(*commit);
                }
            }
            let sent = self.sent.iter();
            let sent: Vec<Oid> = sent
                .filter(|r| notes_of(&r.name) == Some(notes))
                .map(|r| r.commit)
                .collect();
            let fresh = count(&reader, notes, &sent, &theirs)?.records;
            if fresh > 0 {
                all.insert(notes, fresh);
            }
        }
        Ok(all)
    }

    /// What was not taken, by name.
    pub(super) fn refusals(&self) -> Vec<Refusal> {
        self.refused.values().cloned().collect()
    }
}
