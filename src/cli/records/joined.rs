//! Records joined by attempt, or by commit where they are of none.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::error::Result;
use crate::ledger::Records;
use crate::record::mask::sha256;
use crate::record::{Body, Event, Kind, Record, RecordId, Role};
use crate::repo::{Oid, Reader};
use crate::report::Joined;

/// One record and its line.
pub(super) struct Entry {
    /// Of what kind.
    pub(super) kind: Kind,
    pub(super) record: Record,
    pub(super) line: Vec<u8>,
}

/// The records of one attempt, or of one commit.
pub(super) struct Group {
    pub(super) entries: Vec<Entry>,
}

/// A chain's identity, and an attempt or a commit of it.
type Key = (String, std::result::Result<RecordId, String>);

/// Records by chain, and attempt or commit.
#[derive(Default)]
pub(super) struct Groups {
    pub(super) by: BTreeMap<Key, BTreeMap<(Kind, RecordId, String), Entry>>,
}

impl Groups {
    pub(super) fn take(&mut self, reader: &Reader, records: &Records, kind: Kind) -> Result<()> {
        let places = [&records.lines, &records.dangling];
        let commits: BTreeSet<Oid> = places
            .iter()
            .filter_map(|by| by.get(&kind))
            .flat_map(|by| by.keys().copied())
            .collect();
        for commit in commits {
            for (stored, line) in records.lines_on(reader, kind, commit)? {
                let Some(record) = stored.record() else {
                    continue;
                };
                let head = &record.head;
                let begin = head.begin.to_string();
                let by = head.attempt.clone().ok_or_else(|| head.commit.to_string());
                // A copy that a rewrite made is the same record.
                let key = (kind, head.id.clone(), sha256(&line));
                let group = self.by.entry((begin, by)).or_default();
                group.entry(key).or_insert_with(|| Entry {
                    kind,
                    record: record.clone(),
                    line,
                });
            }
        }
        Ok(())
    }

    /// By chain, checkpoint, then age.
    pub(super) fn sorted(self) -> Vec<Group> {
        let groups = self.by.into_values();
        let mut all: Vec<Group> = groups
            .map(|by| Group {
                entries: by.into_values().collect(),
            })
            .collect();
        all.sort_by_cached_key(|g| {
            let head = &g.first().record.head;
            let oldest = g.entries.iter().map(|e| &e.record.head.id).min();
            (
                head.chain.clone(),
                head.begin.clone(),
                g.checkpoint(),
                oldest.cloned(),
            )
        });
        all
    }
}

impl Group {
    /// The record that says where the group stands: that of the agent commit, else the oldest.
    pub(super) fn first(&self) -> &Entry {
        let rank = |e: &&Entry| {
            let made = matches!(&e.record.body, Body::Checkpoint(c) if c.event == Event::Agent);
            let agent = e.record.head.role == Role::Agent;
            (!made, !agent, e.record.head.id.clone())
        };
        let first = self.entries.iter().min_by_key(rank);
        first.expect("a group is made for an entry")
    }

    pub(super) fn checkpoint(&self) -> u32 {
        let head = &self.first().record.head;
        head.for_checkpoint.unwrap_or(head.checkpoint)
    }

    pub(super) fn of_kinds(mut self, kinds: &[Kind]) -> Option<Group> {
        // Where it stands is told before anything is left out.
        let first = self.first().record.head.id.clone();
        let (mut shown, hidden): (Vec<Entry>, Vec<Entry>) = self
            .entries
            .drain(..)
            .partition(|e| kinds.contains(&e.kind));
        if shown.is_empty() {
            return None;
        }
        let head = hidden.into_iter().find(|e| e.record.head.id == first);
        if let Some(mut head) = head {
            head.line.clear();
            shown.push(head);
        }
        Some(Group { entries: shown })
    }

    /// What is shown.
    pub(super) fn shown(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| !e.line.is_empty())
    }

    pub(super) fn joined(&self, payloads: bool) -> Joined {
        let head = &self.first().record.head;
        let own = head.for_checkpoint.is_none_or(|k| k == head.checkpoint);
        let mut records = Vec::new();
        for kind in Kind::ALL {
            let of_it = self.shown().filter(|e| e.kind == kind);
            let lines = of_it.map(|e| match (kind, payloads) {
                (Kind::Raw, false) => without_payload(&e.line),
                _ => e.line.clone(),
            });
            records.push((kind.word(), lines.collect()));
        }
        Joined {
            chain: head.chain.to_string(),
            begin: head.begin.to_string(),
            checkpoint: self.checkpoint(),
            checkpoint_id: own.then(|| head.checkpoint_id.clone()),
            attempt: head.attempt.as_ref().map(ToString::to_string),
            commit: head.commit.to_string(),
            records,
        }
    }
}

/// A raw record's line without the payload.
fn without_payload(line: &[u8]) -> Vec<u8> {
    let Ok(Value::Object(mut object)) = serde_json::from_slice(line) else {
        return line.to_vec();
    };
    for key in ["content", "head", "tail"] {
        object.remove(key);
    }
    serde_json::to_vec(&object).unwrap_or_else(|_| line.to_vec())
}
