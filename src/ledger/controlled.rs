//! What the controls of a run did, checkpoint by checkpoint: what was put back, what was found
//! tampered with, what was contained, and how sessions ended. Counted from records alone.
//!
//! What no record tells is unknown, never 0: a chain that was recorded by hand has no watched
//! processes and no clone of its own, and an earlier version wrote less down.

mod counted;
mod kinds;

use std::collections::{BTreeMap, BTreeSet};

use super::{About, Chain, Changed, Records, changed, counts};
use crate::record::{Body, Checkpoint, Envelope, Event, Kind, Purpose, Record, Role, Suite, Tests};
use crate::repo::Oid;

pub use kinds::Control;

/// What the controls of one chain did.
#[derive(Debug, Clone)]
pub struct Controlled {
    /// How the chain is shown.
    pub chain: String,
    /// Its arm, with the experiment before it.
    pub arm: String,
    /// Its checkpoints, ascending; the base is the first, with number 0.
    pub checkpoints: Vec<CheckpointControls>,
    /// What changed while it ran.
    pub changed: Vec<Changed>,
}

/// What the controls did at one checkpoint.
#[derive(Debug, Clone)]
pub struct CheckpointControls {
    /// Its number.
    pub number: u32,
    /// Its id; empty where only failed attempts speak of it.
    pub id: String,
    /// Each figure.
    pub figures: BTreeMap<Control, Count>,
    /// What hid the rest of the machine, by what ran: `implement`, `gate acceptance`.
    pub isolation: BTreeMap<String, BTreeSet<Isolated>>,
}

/// How often something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Count {
    /// So often, and where: paths and words, the first of them.
    Known(u64, Vec<String>),
    /// It is not known, and why.
    Unknown(String),
}

/// What hid the rest of the machine from something that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isolated {
    /// A sandbox made by `bwrap`.
    Bwrap,
    /// Namespaces of our own.
    Namespaces,
    /// Nothing.
    None,
    /// No record tells.
    Unknown,
}

impl Isolated {
    /// The word in output; no record can make it say more.
    pub fn word(self) -> &'static str {
        match self {
            Isolated::Bwrap => "bwrap",
            Isolated::Namespaces => "namespaces",
            Isolated::None => "none",
            Isolated::Unknown => "unknown",
        }
    }

    fn of(word: Option<&str>) -> Isolated {
        match word {
            Some("bwrap") => Isolated::Bwrap,
            Some("namespaces") => Isolated::Namespaces,
            Some("none") => Isolated::None,
            _ => Isolated::Unknown,
        }
    }
}

/// What the controls of `chain` did; `records` holds its checkpoint, envelope and tests records.
pub fn controlled(chain: &Chain, records: &Records) -> Controlled {
    let changed = changed(chain, records);
    let mut by = BTreeMap::<u32, Said<'_>>::new();
    for (at, commit) in chain.line.iter().enumerate() {
        match commit.role {
            Role::Foreign => continue,
            Role::Superseded => {}
            Role::Agent | Role::Base => {
                let said = by.entry(commit.checkpoint).or_default();
                said.id.clone_from(&commit.checkpoint_id);
                said.reached = true;
            }
            Role::Reset | Role::Change => {}
        }
        for kind in [Kind::Checkpoint, Kind::Envelope, Kind::Tests] {
            for stored in records.on(kind, commit.id) {
                let Some(record) = stored.record().filter(|r| counts(r, chain, at, None)) else {
                    continue;
                };
                let number = record.head.for_checkpoint.unwrap_or(commit.checkpoint);
                let replaced = commit.role == Role::Superseded;
                by.entry(number)
                    .or_default()
                    .take(commit.id, record, replaced);
            }
        }
    }
    let doubt = doubt(chain, records);
    let checkpoints = by.into_iter().map(|(number, mut said)| {
        said.sort();
        said.changed = changed
            .iter()
            .filter(|c| c.about == About::Content && c.checkpoints.contains(&number))
            .map(|c| c.what.clone())
            .collect();
        let mut figures = counted::figures(number, &said);
        if let Some(why) = &doubt {
            for count in figures.values_mut() {
                *count = Count::Unknown(why.clone());
            }
        }
        CheckpointControls {
            number,
            figures,
            isolation: said.isolation(),
            id: said.id,
        }
    });
    Controlled {
        chain: chain.label.clone(),
        arm: format!("{}/{}", chain.path.experiment, chain.path.arm),
        checkpoints: checkpoints.collect(),
        changed,
    }
}

/// Why what is here of the chain cannot be counted.
fn doubt(chain: &Chain, records: &Records) -> Option<String> {
    if let Some(v) = chain.line.iter().find_map(|c| newer(records, c.id)) {
        return Some(format!(
            "a record is of a later version (v {v}) than this program reads"
        ));
    }
    let conflict = |id: Oid| {
        [Kind::Checkpoint, Kind::Envelope, Kind::Tests]
            .iter()
            .any(|kind| {
                let mut ids = records.on(*kind, id).iter().filter_map(|s| s.id());
                ids.any(|id| records.is_conflict(*kind, id))
            })
    };
    let mut line = chain.line.iter();
    line.any(|c| conflict(c.id))
        .then(|| "two records have one id and differ (`git evolve verify`)".to_owned())
}

fn newer(records: &Records, commit: Oid) -> Option<u64> {
    [Kind::Checkpoint, Kind::Envelope, Kind::Tests]
        .iter()
        .flat_map(|kind| records.on(*kind, commit))
        .find_map(|s| match &s.says {
            super::Says::Newer { v, .. } => Some(*v),
            super::Says::Known(_) => None,
        })
}

/// What the records say of one checkpoint.
#[derive(Default)]
struct Said<'r> {
    id: String,
    /// It has an agent commit (the base: it is one).
    reached: bool,
    /// Its beginning, of the base; its agent record; its reset record.
    begin: Option<&'r Checkpoint>,
    agent: Option<&'r Checkpoint>,
    reset: Option<&'r Checkpoint>,
    sessions: Vec<(&'r Record, &'r Envelope)>,
    gates: Vec<(&'r Record, &'r Tests)>,
    /// What is another here than when the chain began.
    changed: Vec<String>,
}

impl<'r> Said<'r> {
    fn take(&mut self, on: Oid, record: &'r Record, replaced: bool) {
        let own = record.head.commit.as_str() == on.to_string();
        match &record.body {
            Body::Checkpoint(says) if !replaced => {
                let place = match says.event {
                    Event::Begin => &mut self.begin,
                    Event::Agent => &mut self.agent,
                    Event::Reset => &mut self.reset,
                    Event::Adopt | Event::Rename => return,
                };
                // One that a rewrite carried here counts where there is no other.
                if own || place.is_none() {
                    *place = Some(says);
                }
            }
            Body::Envelope(says) => {
                let known = self
                    .sessions
                    .iter()
                    .any(|(r, _)| r.head.id == record.head.id);
                if !known {
                    self.sessions.push((record, says));
                }
            }
            Body::Tests(says) => {
                let known = self.gates.iter().any(|(r, _)| r.head.id == record.head.id);
                if !known {
                    self.gates.push((record, says));
                }
            }
            _ => {}
        }
    }

    fn sort(&mut self) {
        self.sessions.sort_by(|a, b| a.0.head.id.cmp(&b.0.head.id));
        self.gates.sort_by(|a, b| a.0.head.id.cmp(&b.0.head.id));
    }

    /// Whether a run made it: then what its records do not speak of did not happen.
    fn is_of_a_run(&self) -> bool {
        let made = |says: &Checkpoint| {
            let agent = says.provenance.as_ref().and_then(|p| p.agent.as_ref());
            agent.is_some() || !says.contents.is_empty() || says.contained.is_some()
        };
        [self.begin, self.agent].into_iter().flatten().any(made)
            || self.sessions.iter().any(|(_, s)| s.launch.is_some())
    }

    fn isolation(&self) -> BTreeMap<String, BTreeSet<Isolated>> {
        let mut all = BTreeMap::<String, BTreeSet<Isolated>>::new();
        for (_, session) in &self.sessions {
            let word = session.launch.as_ref().map(|l| l.isolation.as_str());
            // Of an attempt that a kill cut off nothing more is known.
            if word.is_none() && session.outcome.as_deref() == Some("interrupted") {
                continue;
            }
            let what = purpose(session.purpose).to_owned();
            all.entry(what).or_default().insert(Isolated::of(word));
        }
        for (_, gate) in &self.gates {
            let word = gate.gated.as_ref().and_then(|g| g.isolation.as_deref());
            let suite = match gate.suite {
                Suite::Acceptance => "acceptance",
                Suite::Visible => "visible",
            };
            let what = format!("gate {suite}");
            all.entry(what).or_default().insert(Isolated::of(word));
        }
        all
    }
}

fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Implement => "implement",
        Purpose::Refactor => "refactor",
        Purpose::Review => "review",
        Purpose::Probe => "probe",
        Purpose::Noop => "noop",
    }
}
