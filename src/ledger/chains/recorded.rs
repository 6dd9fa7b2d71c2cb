//! The checkpoint records that chains are told by, read only where something asks.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::error::Result;
use crate::ledger::read::read;
use crate::ledger::spool::Spool;
use crate::ledger::{NotesRef, sources};
use crate::record::{
    Body, Checkpoint, Event, Head, Kind, ReadLine, Record, RecordId, mask, read_line, sheet,
};
use crate::repo::{Oid, Reader};

/// One checkpoint record and the commit it sits on.
#[derive(Debug, Clone)]
pub struct Sitting {
    /// The commit whose note holds it.
    pub on: Oid,
    /// Which record, of which commit.
    pub head: Head,
    /// What it says.
    pub says: Checkpoint,
}

impl Sitting {
    /// The checkpoint record `record` on the commit `on`; `None` for one of another kind.
    pub fn new(on: Oid, record: &Record) -> Option<Sitting> {
        match &record.body {
            Body::Checkpoint(says) => Some(Sitting {
                on,
                head: record.head.clone(),
                says: Checkpoint::clone(says),
            }),
            _ => None,
        }
    }

    /// Whether it was made for the commit it sits on; else a rewrite copied it there.
    pub fn is_own(&self) -> bool {
        self.of() == Some(self.on)
    }

    /// The commit it was made for.
    pub fn of(&self) -> Option<Oid> {
        Oid::from_hex(self.head.commit.as_str())
    }

    /// The tree of the commit it was made for.
    pub fn tree(&self) -> Option<Oid> {
        Oid::from_hex(self.head.tree.as_str())
    }

    /// Own ones come before inherited ones of whatever age, older ones before younger.
    pub(super) fn rank(&self) -> (bool, &RecordId) {
        (!self.is_own(), &self.head.id)
    }
}

/// All checkpoint records of a repository.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    on: BTreeMap<Oid, Vec<Sitting>>,
}

impl Recorded {
    /// Those of `sitting`, in any order; the same record on the same commit counts once.
    pub fn of(sitting: impl IntoIterator<Item = Sitting>) -> Recorded {
        let mut on = BTreeMap::<Oid, Vec<Sitting>>::new();
        for s in sitting {
            on.entry(s.on).or_default().push(s);
        }
        for all in on.values_mut() {
            all.sort_by(|a, b| a.head.id.cmp(&b.head.id));
            all.dedup_by(|a, b| a.head.id == b.head.id);
        }
        Recorded { on }
    }

    /// Those on `commit`, oldest first.
    pub fn on(&self, commit: Oid) -> &[Sitting] {
        self.on.get(&commit).map_or(&[], Vec::as_slice)
    }

    /// Those on `commit` that are of the chain `begin`, oldest first.
    pub fn of_chain_on<'a>(
        &'a self,
        commit: Oid,
        begin: &'a str,
    ) -> impl Iterator<Item = &'a Sitting> {
        self.on(commit)
            .iter()
            .filter(move |s| s.head.begin.as_str() == begin)
    }

    /// All of them, by the commit they sit on, then oldest first.
    pub fn all(&self) -> impl Iterator<Item = &Sitting> {
        self.on.values().flatten()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.on.is_empty()
    }

    /// The one that says what `commit` is in the chain `begin`: the newest adoption on it; else
    /// the first of the tree `tree`, where all of this chain on it name the same checkpoint and
    /// role.
    pub(super) fn says(&self, commit: Oid, tree: Oid, begin: &str) -> Said<'_> {
        let mut all = Vec::new();
        for s in self.on(commit) {
            if s.head.begin.as_str() == begin && s.says.event != Event::Rename {
                all.push(s);
            }
        }
        let adoption = |s: &&&Sitting| s.is_own() && s.says.event == Event::Adopt;
        if let Some(adopted) = all.iter().rev().find(adoption) {
            return Said::One(adopted);
        }
        let Some(first) = all.first() else {
            return Said::Nothing;
        };
        let place = |s: &Sitting| (s.head.checkpoint, s.head.role);
        if all.iter().any(|s| place(s) != place(first)) {
            return Said::Several(all);
        }
        match all.iter().find(|s| s.tree() == Some(tree)) {
            Some(same) => Said::One(same),
            None => Said::Other(first),
        }
    }
}

/// What the records on a commit say of it.
pub(super) enum Said<'a> {
    /// Nothing about this chain.
    Nothing,
    /// That it is this.
    One(&'a Sitting),
    /// That it comes from this commit, whose tree is another.
    Other(&'a Sitting),
    /// That several commits went into it.
    Several(Vec<&'a Sitting>),
}

/// The records of a repository, read when first asked for.
pub(in crate::ledger) struct Lazy<'r> {
    reader: &'r Reader,
    read: OnceCell<Arc<Recorded>>,
}

impl<'r> Lazy<'r> {
    pub(in crate::ledger) fn new(reader: &'r Reader) -> Lazy<'r> {
        Lazy {
            reader,
            read: OnceCell::new(),
        }
    }

    /// All checkpoint records.
    ///
    /// # Errors
    /// Notes that cannot be read.
    pub(in crate::ledger) fn get(&self) -> Result<&Recorded> {
        if let Some(read) = self.read.get() {
            return Ok(read);
        }
        let read = Arc::new(recorded(self.reader)?);
        Ok(self.read.get_or_init(|| read))
    }

    /// What was read, if anything was.
    pub(super) fn into_read(self) -> OnceCell<Arc<Recorded>> {
        self.read
    }
}

/// All checkpoint records, of every place where notes may be and of the spool. Those of one id
/// and different content say nothing, nor does a note that cannot be read.
///
/// # Errors
/// Refs that cannot be read.
pub fn recorded(reader: &Reader) -> Result<Recorded> {
    let read = read(reader, &[Kind::Checkpoint])?;
    let both = [&read.lines, &read.dangling];
    let targets = both
        .into_iter()
        .flat_map(|by_kind| by_kind.values().flatten());
    Ok(Recorded::of(targets.flat_map(|(on, lines)| {
        let sure = |s: &Sitting| !read.is_conflict(Kind::Checkpoint, &s.head.id);
        let known = lines.iter().filter_map(|line| line.record());
        known.filter_map(|r| Sitting::new(*on, r)).filter(sure)
    })))
}

/// The checkpoint records on `commits` alone: reads no more of the notes than leads to them.
/// Those of one id and different content say nothing.
///
/// # Errors
/// As [`recorded`].
pub(super) fn recorded_on(
    reader: &Reader,
    commits: impl IntoIterator<Item = Oid>,
) -> Result<Recorded> {
    if !Spool::of(&reader.evolve_dir()).list()?.is_empty() {
        return recorded(reader);
    }
    let mut tips: Vec<Oid> = sources(reader)?
        .into_iter()
        .filter(|s| s.notes == NotesRef::Records(Kind::Checkpoint))
        .map(|s| s.tip)
        .collect();
    tips.sort();
    tips.dedup();
    if tips.is_empty() {
        return Ok(Recorded::default());
    }
    let mut all = Vec::new();
    let mut contents = BTreeMap::<RecordId, BTreeSet<Vec<u8>>>::new();
    let mut bytes = Vec::new();
    for on in commits {
        for tip in &tips {
            for blob in reader.note(*tip, on).unwrap_or_default() {
                if reader.blob(blob, &mut bytes).is_err() {
                    continue;
                }
                for line in sheet::lines(&bytes) {
                    if let Some(s) = sitting(on, line) {
                        let masked = mask::general(Kind::Checkpoint, line).into_owned();
                        contents
                            .entry(s.head.id.clone())
                            .or_default()
                            .insert(masked);
                        all.push(s);
                    }
                }
            }
        }
    }
    all.retain(|s| contents.get(&s.head.id).is_some_and(|c| c.len() == 1));
    Ok(Recorded::of(all))
}

fn sitting(on: Oid, line: &[u8]) -> Option<Sitting> {
    match read_line(Kind::Checkpoint, line) {
        ReadLine::Known(record) => Sitting::new(on, &record),
        _ => None,
    }
}
