//! What was taken back: refs were put where they had been, and records stayed, since no line of a
//! note ever goes.
//!
//! `begin`, `record` and `reset` print how to undo them. Whoever does so and records anew has two
//! commits for one place of the chain. The older one was not lost, and to keep it would make it
//! the line that counts.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::chains::Chains;
use super::stored::{Records, Says};
use crate::record::{Body, Event, Head, RecordId, Role};
use crate::repo::Oid;

/// Commits that were recorded and taken back.
#[derive(Debug, Clone, Default)]
pub(super) struct TakenBack(HashMap<Oid, Option<Oid>>);

/// One record.
struct Told<'a> {
    /// The commit it was made for.
    of: Oid,
    head: &'a Head,
    /// What it says happened; `None` for one that is no checkpoint record.
    event: Option<Event>,
    /// It sits on the commit it was made for.
    own: bool,
}

impl TakenBack {
    /// Finds them among `records`, whether their commits are here or not.
    ///
    /// A commit was taken back where a later record of the same checkpoint and role stands on its
    /// chain's line, and its parent is on that line or was itself taken back; and the beginning of
    /// a chain to which no ref leads and of which nothing else was ever recorded.
    pub(super) fn of(chains: &Chains, records: &Records) -> TakenBack {
        let mut by_begin = BTreeMap::<&str, Vec<Told<'_>>>::new();
        for (_, by) in records.lines.iter().chain(&records.dangling) {
            for (on, lines) in by {
                for stored in lines {
                    let Says::Known(record) = &stored.says else {
                        continue;
                    };
                    let head = &record.head;
                    let Some(of) = Oid::from_hex(head.commit.as_str()) else {
                        continue;
                    };
                    by_begin.entry(head.begin.as_str()).or_default().push(Told {
                        of,
                        head,
                        event: match &record.body {
                            Body::Checkpoint(says) => Some(says.event),
                            _ => None,
                        },
                        own: of == *on,
                    });
                }
            }
        }
        let mut found = TakenBack::default();
        for (begin, told) in by_begin {
            match chains.chains.iter().find(|c| c.begin == begin) {
                Some(chain) => {
                    let line: HashSet<Oid> = chain.line.iter().map(|c| c.id).collect();
                    found.replaced(&line, &told);
                }
                None if told.iter().all(|t| t.event == Some(Event::Begin)) => {
                    found.0.extend(told.iter().map(|t| (t.of, None)));
                }
                None => {}
            }
        }
        found
    }

    fn replaced(&mut self, line: &HashSet<Oid>, told: &[Told<'_>]) {
        let mut made: Vec<&Told<'_>> = told
            .iter()
            .filter(|t| t.own && matches!(t.event, Some(Event::Agent | Event::Reset)))
            .collect();
        made.sort_by_key(|t| &t.head.id);
        let place = |t: &Told<'_>| (t.head.checkpoint, t.head.role);
        let last: BTreeMap<(u32, Role), (&RecordId, Oid)> = made
            .iter()
            .filter(|t| line.contains(&t.of))
            .map(|t| (place(t), (&t.head.id, t.of)))
            .collect();
        for t in made.iter().filter(|t| !line.contains(&t.of)) {
            let parent = t.head.parent.as_ref();
            let parent = parent.and_then(|p| Oid::from_hex(p.as_str()));
            let stood_there = parent.is_some_and(|p| line.contains(&p) || self.0.contains_key(&p));
            if let Some((id, instead)) = last.get(&place(t))
                && **id > t.head.id
                && stood_there
            {
                self.0.insert(t.of, Some(*instead));
            }
        }
    }

    /// In words, where `commit` was taken back.
    pub(super) fn says(&self, commit: Oid) -> Option<String> {
        Some(match self.0.get(&commit)? {
            Some(instead) => format!("taken back; {} was recorded in its place", instead.short()),
            None => "taken back; nothing but its chain's beginning was recorded".to_owned(),
        })
    }

    /// What was recorded in the place of `commit`.
    pub(super) fn instead(&self, commit: Oid) -> Option<Oid> {
        self.0.get(&commit).copied().flatten()
    }
}
