//! What the union read gives: records, where they stand, and what was passed over.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::places::Source;
use crate::error::{Error, Result};
use crate::record::{BadLine, Kind, Record, RecordId, mask, sheet};
use crate::repo::{Oid, Reader};

/// Places that are named of each reason for which lines are skipped.
const NAMED: usize = 5;
/// Reasons that are told apart; what comes after is `other reasons`.
const REASONS: usize = 50;
/// Longest reason that is kept, in characters.
const REASON: usize = 200;

/// All records of a repository, of the kinds that were asked for.
#[derive(Debug, Default)]
pub struct Records {
    /// By kind, then by the commit they are attached to; the lines of a commit by id, then by
    /// bytes.
    pub lines: BTreeMap<Kind, BTreeMap<Oid, Vec<Stored>>>,
    /// The same of commits that are not in this repository: they count nowhere.
    pub dangling: BTreeMap<Kind, BTreeMap<Oid, Vec<Stored>>>,
    /// What was passed over, by kind.
    pub skipped: BTreeMap<Kind, Skipped>,
    /// Ids that stand on lines of different content: what needs them is unknown. Sorted.
    pub conflicts: Vec<Conflict>,
    /// The refs that were read, sorted.
    pub sources: Vec<Source>,
    /// Refs and notes that could not be read, in words, sorted.
    pub remarks: Vec<String>,
    /// Spool files that were set aside as damaged.
    pub damaged_spool_files: usize,
    /// Why there is no line at all, where there is none.
    pub absence: Option<Absence>,
    /// Some of it could not be read since a partial clone left it to its remote.
    pub left_out: bool,
}

/// One line, and where it stands.
#[derive(Debug, Clone)]
pub struct Stored {
    /// What it says.
    pub says: Says,
    /// It stands in the local notes.
    pub local: bool,
    /// It stands in a branch here that publishes notes.
    pub branch: bool,
    /// The remotes that are known to have it, sorted.
    pub remotes: Vec<Arc<str>>,
    /// It waits in the spool, and stands in no notes yet where none of the above holds.
    pub spooled: bool,
    pub(super) bytes: Bytes,
}

/// What a line says.
#[derive(Debug, Clone)]
pub enum Says {
    /// A record. Of a raw one the payload itself is left out (`content`, `head` and `tail` are
    /// none): [`Stored::line`] reads it.
    Known(Box<Record>),
    /// Something of a later version: kept, counted, and what needs it is unknown.
    Newer {
        /// Its schema.
        v: u64,
        /// Its id, where it has one.
        id: Option<RecordId>,
    },
}

/// Where the bytes of a line are.
#[derive(Debug, Clone)]
pub(super) enum Bytes {
    Here(Box<[u8]>),
    /// In a note; the line is the one of this digest.
    In {
        blob: Oid,
        sha256: String,
    },
}

/// What was passed over in the notes of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Blank lines.
    pub blank: u64,
    /// Lines that are no records, by reason.
    pub bad: BTreeMap<String, Bad>,
    /// Lines of later schemas, by schema. They are in the lists, too.
    pub newer: BTreeMap<u64, u64>,
    /// Notes on what is no commit.
    pub not_commits: u64,
    /// Notes on what is not in this repository.
    pub dangling: u64,
}

impl Skipped {
    /// Counts a line on `target` that is no record.
    pub(super) fn count_bad(&mut self, why: &BadLine, target: Oid) {
        let mut reason: String = why.to_string().chars().take(REASON).collect();
        // What a parser quotes of a foreign line is shown to people.
        reason = reason.replace(|c: char| c.is_control(), "\u{fffd}");
        if self.bad.len() >= REASONS && !self.bad.contains_key(&reason) {
            "other reasons".clone_into(&mut reason);
        }
        let bad = self.bad.entry(reason).or_default();
        bad.lines += 1;
        if bad.first.len() < NAMED && !bad.first.contains(&target) {
            bad.first.push(target);
        }
    }

    /// All lines that are no records.
    pub fn bad_lines(&self) -> u64 {
        self.bad.values().map(|b| b.lines).sum()
    }
}

/// Lines that are no records for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bad {
    /// How many.
    pub lines: u64,
    /// The targets of the first notes that hold them.
    pub first: Vec<Oid>,
}

/// Lines of one id and different content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// Their kind.
    pub kind: Kind,
    /// Their id.
    pub id: RecordId,
    /// The commits they are attached to, sorted.
    pub targets: Vec<Oid>,
}

/// Why there are no records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absence {
    /// There are none, here or on any remote as far as is known.
    None,
    /// There are chains, and nothing has ever been fetched of the records of these remotes.
    NotFetched(Vec<String>),
    /// The same, in a shallow clone, whose one branch and cut history leave them out.
    CutOff(Vec<String>),
    /// Their refs are here, and a partial clone left what they hold to these remotes.
    LeftOut(Vec<String>),
}

impl Stored {
    /// The record, where this version knows its schema.
    pub fn record(&self) -> Option<&Record> {
        match &self.says {
            Says::Known(record) => Some(record),
            Says::Newer { .. } => None,
        }
    }

    /// Its id, where it has one.
    pub fn id(&self) -> Option<&RecordId> {
        match &self.says {
            Says::Known(record) => Some(&record.head.id),
            Says::Newer { id, .. } => id.as_ref(),
        }
    }

    /// Whether a remote is known to have it.
    pub fn published(&self) -> bool {
        !self.remotes.is_empty()
    }

    /// Takes in that the same line stands elsewhere, too.
    pub(super) fn seen_at(
        &mut self,
        local: bool,
        branch: bool,
        spooled: bool,
        remotes: &[Arc<str>],
    ) {
        self.local |= local;
        self.branch |= branch;
        self.spooled |= spooled;
        self.remotes.extend(remotes.iter().cloned());
        self.remotes.sort();
        self.remotes.dedup();
    }

    /// The line as it stands in the note, without a line feed.
    ///
    /// # Errors
    /// The note that holds it can no longer be read.
    pub fn line(&self, reader: &Reader) -> Result<Vec<u8>> {
        let (blob, digest) = match &self.bytes {
            Bytes::Here(bytes) => return Ok(bytes.to_vec()),
            Bytes::In { blob, sha256 } => (*blob, sha256),
        };
        let mut note = Vec::new();
        reader.blob(blob, &mut note)?;
        let found = sheet::lines(&note).find(|line| mask::sha256(line) == *digest);
        found
            .map(<[u8]>::to_vec)
            .ok_or_else(|| Error::git(format!("blob {blob} does not hold what was read from it")))
    }
}

impl Records {
    /// The lines of `kind` on `commit`.
    pub fn on(&self, kind: Kind, commit: Oid) -> &[Stored] {
        let of = self.lines.get(&kind).and_then(|by| by.get(&commit));
        of.map_or(&[], Vec::as_slice)
    }

    /// The lines of `kind` on `commit`, here or not, each with its bytes as they stand in the
    /// note; a note is read once for all of its lines.
    ///
    /// # Errors
    /// A note that can no longer be read.
    pub fn lines_on(
        &self,
        reader: &Reader,
        kind: Kind,
        commit: Oid,
    ) -> Result<Vec<(&Stored, Vec<u8>)>> {
        let stored = [&self.lines, &self.dangling];
        let stored = stored.iter().filter_map(|by| by.get(&kind)?.get(&commit));
        let mut notes = BTreeMap::<Oid, BTreeMap<String, Vec<u8>>>::new();
        let mut found = Vec::new();
        for stored in stored.flatten() {
            let bytes = match &stored.bytes {
                Bytes::Here(bytes) => bytes.to_vec(),
                Bytes::In { blob, sha256 } => {
                    if !notes.contains_key(blob) {
                        let mut note = Vec::new();
                        reader.blob(*blob, &mut note)?;
                        let lines = sheet::lines(&note);
                        let lines = lines.map(|line| (mask::sha256(line), line.to_vec()));
                        notes.insert(*blob, lines.collect());
                    }
                    let line = notes.get(blob).and_then(|lines| lines.get(sha256));
                    line.cloned().ok_or_else(|| {
                        Error::git(format!("blob {blob} does not hold what was read from it"))
                    })?
                }
            };
            found.push((stored, bytes));
        }
        Ok(found)
    }

    /// Whether lines of different content bear this id.
    pub fn is_conflict(&self, kind: Kind, id: &RecordId) -> bool {
        let key = |c: &Conflict| (c.kind, c.id.clone());
        self.conflicts
            .binary_search_by_key(&(kind, id.clone()), key)
            .is_ok()
    }

    /// Every line of a commit that is here, with its kind and commit, in order.
    pub fn all(&self) -> impl Iterator<Item = (Kind, Oid, &Stored)> {
        self.lines.iter().flat_map(|(kind, by)| {
            by.iter()
                .flat_map(move |(commit, lines)| lines.iter().map(move |l| (*kind, *commit, l)))
        })
    }
}
