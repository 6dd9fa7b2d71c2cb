//! No record is ever taken away: each line that a parent of a notes commit had is in the commit.
//!
//! Also what a ref named before, as its reflog tells, is held against what it named next: a
//! fetch that overwrote it leaves no commit that says so.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Defect, Ground, Verified};
use crate::error::Result;
use crate::ledger::{NotesRef, Place, Source};
use crate::record::{ReadLine, RecordId, mask, read_line, sheet};
use crate::repo::{Oid, Severity, is_missing};

/// Most values of one reflog that are looked at, the newest.
const REFLOG: usize = 20_000;

pub(super) fn check(ground: &Ground<'_>, verified: &mut Verified) -> Result<()> {
    for notes in NotesRef::all() {
        let of_kind: Vec<&Source> = ground.sources.iter().filter(|s| s.notes == notes).collect();
        let mut walk = Walk {
            ground,
            notes,
            seen: HashSet::new(),
            lost: BTreeMap::new(),
        };
        for source in &of_kind {
            walk.source(source, verified)?;
        }
        let lost = std::mem::take(&mut walk.lost);
        for ((target, key), losses) in lost {
            walk.report(&of_kind, target, &key, &losses, verified)?;
        }
    }
    Ok(())
}

/// What a line is known by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Record(RecordId),
    /// The digest of one that has no id.
    Bytes(String),
    /// The whole note, of configurations.
    Note,
}

/// Where a line went.
struct Loss {
    commit: Oid,
    reference: String,
    place: Place,
}

struct Walk<'a> {
    ground: &'a Ground<'a>,
    notes: NotesRef,
    seen: HashSet<Oid>,
    lost: BTreeMap<(Oid, Key), Vec<Loss>>,
}

impl Walk<'_> {
    /// Everything that led to what `source` names now.
    fn source(&mut self, source: &Source, verified: &mut Verified) -> Result<()> {
        self.commits(source, source.tip, verified)?;
        let mut log = self.ground.reader.reflog(&source.name)?;
        log.drain(..log.len().saturating_sub(REFLOG));
        for pair in log.windows(2) {
            let (old, new) = (pair[0], pair[1]);
            self.commits(source, old, verified)?;
            let parents = match self.ground.reader.commit(new) {
                Ok(commit) => commit.parents,
                Err(_) => continue,
            };
            let straight =
                old == new || parents.contains(&old) || self.ground.reader.is_ancestor(old, new)?;
            if !straight {
                self.step(source, old, new, verified)?;
            }
        }
        // What a killed writer left behind is no loss: it waits in the spool.
        Ok(())
    }

    fn commits(&mut self, source: &Source, tip: Oid, verified: &mut Verified) -> Result<()> {
        let mut open = vec![tip];
        while let Some(id) = open.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            let commit = match self.ground.reader.commit(id) {
                Ok(commit) => commit,
                Err(e) if is_missing(&e) => {
                    let what = format!("the history of {} is not here: {e}", source.name);
                    verified.unavailable.insert(what);
                    continue;
                }
                // A ref that names no commit was said where the notes are looked at.
                Err(_) => continue,
            };
            verified.extent.notes_commits += 1;
            if commit.shallow {
                let what = format!("a shallow clone cut off the history of {}", source.name);
                verified.unavailable.insert(what);
                continue;
            }
            for parent in commit.parents {
                self.step(source, parent, id, verified)?;
                open.push(parent);
            }
        }
        Ok(())
    }

    /// What `old` had and `new` has not.
    fn step(&mut self, source: &Source, old: Oid, new: Oid, verified: &mut Verified) -> Result<()> {
        let change = match self.ground.reader.notes_change(old, new) {
            Ok(change) => change,
            Err(e) if is_missing(&e) => {
                let what = format!("the history of {} is not here: {e}", source.name);
                verified.unavailable.insert(what);
                return Ok(());
            }
            Err(e) => return Err(e),
        };
        let targets: BTreeSet<Oid> = change.gone.iter().map(|(target, _)| *target).collect();
        for target in targets {
            let of_target = change.gone.iter().filter(|(t, _)| *t == target);
            let gone: Vec<Oid> = of_target.map(|(_, blob)| *blob).collect();
            let now = self.ground.reader.note(new, target)?;
            match self.missing(target, &gone, &now) {
                Ok(keys) => {
                    for key in keys {
                        self.lost.entry((target, key)).or_default().push(Loss {
                            commit: new,
                            reference: source.name.clone(),
                            place: source.place.clone(),
                        });
                    }
                }
                Err(e) if is_missing(&e) => {
                    let what = format!("the history of {} is not here: {e}", source.name);
                    verified.unavailable.insert(what);
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Lines of `old` that are not in `new`, by what they are known by.
    fn missing(&self, target: Oid, old: &[Oid], new: &[Oid]) -> Result<BTreeSet<Key>> {
        let NotesRef::Records(kind) = self.notes else {
            // A configuration is its own content: it is there or it is not.
            let there = old.contains(&target) && !new.contains(&target);
            return Ok(there.then_some(Key::Note).into_iter().collect());
        };
        let before = self.read(old)?;
        let after = self.read(new)?;
        let now: HashSet<&[u8]> = after.iter().flat_map(|note| sheet::lines(note)).collect();
        let gone: BTreeSet<&[u8]> = before
            .iter()
            .flat_map(|note| sheet::lines(note))
            .filter(|line| !now.contains(line))
            .collect();
        if gone.is_empty() {
            return Ok(BTreeSet::new());
        }
        // Masked on the way in, a line has other bytes and is the same record.
        let ids: HashSet<RecordId> = now.iter().filter_map(|line| id_of(kind, line)).collect();
        let mut keys = BTreeSet::new();
        for line in gone {
            match id_of(kind, line) {
                Some(id) if ids.contains(&id) => {}
                Some(id) => {
                    keys.insert(Key::Record(id));
                }
                None => {
                    let masked = mask::general(kind, line);
                    if !now.contains(masked.as_ref()) {
                        keys.insert(Key::Bytes(mask::sha256(line)));
                    }
                }
            }
        }
        Ok(keys)
    }

    fn read(&self, blobs: &[Oid]) -> Result<Vec<Vec<u8>>> {
        let mut notes = Vec::with_capacity(blobs.len());
        for blob in blobs {
            let mut data = Vec::new();
            self.ground.reader.blob(*blob, &mut data)?;
            notes.push(data);
        }
        Ok(notes)
    }

    /// Says what became of a line that some commit lost.
    fn report(
        &self,
        sources: &[&Source],
        target: Oid,
        key: &Key,
        losses: &[Loss],
        verified: &mut Verified,
    ) -> Result<()> {
        let mut holders = Vec::new();
        for source in sources {
            let blobs = match self.ground.reader.note(source.tip, target) {
                Ok(blobs) => blobs,
                Err(_) => continue,
            };
            if self.holds(target, &blobs, key)? {
                holders.push(*source);
            }
        }
        let Some(loss) = losses.first() else {
            return Ok(());
        };
        let mine = |place: &Place| matches!(place, Place::Local | Place::Branch);
        let held = |name: &str| holders.iter().any(|s| s.name == name);
        // It came back to where it was lost.
        if losses.iter().all(|l| held(&l.reference)) {
            return Ok(());
        }
        let loss = losses.iter().find(|l| !held(&l.reference)).unwrap_or(loss);
        let what = match key {
            Key::Record(_) => "a record".to_owned(),
            Key::Bytes(digest) => format!("a line without an id (SHA-256 {digest})"),
            Key::Note => format!("configuration {target}"),
        };
        let by = format!("{what} is gone since notes commit {}", loss.commit);
        let mut defect = match holders.first() {
            None => Defect::new(
                "record-lost",
                Severity::Error,
                format!("{by}; no ref that is known here has it any more"),
            )
            .mended_by(format!(
                "git show {}~:  # or the reflog of {}",
                loss.commit, loss.reference
            )),
            Some(holder) if mine(&loss.place) && !holders.iter().any(|h| mine(&h.place)) => {
                let remote = holder.place.remote().unwrap_or_default();
                Defect::new(
                    "record-lost-here",
                    Severity::Warning,
                    format!("{by}; {} still has it", holder.name),
                )
                .mended_by(format!("git evolve fetch {remote}"))
            }
            Some(_) if mine(&loss.place) => return Ok(()),
            Some(holder) => {
                let remote = loss.place.remote().unwrap_or_default();
                Defect::new(
                    "record-lost-there",
                    Severity::Warning,
                    format!("{by}; {} still has it", holder.name),
                )
                .mended_by(format!("git evolve push {remote}"))
            }
        }
        .in_ref(&loss.reference)
        .at(target);
        if let Key::Record(id) = key {
            defect = defect.of(id);
        }
        verified.defects.push(defect);
        Ok(())
    }

    fn holds(&self, target: Oid, blobs: &[Oid], key: &Key) -> Result<bool> {
        let NotesRef::Records(kind) = self.notes else {
            return Ok(blobs.contains(&target));
        };
        let notes = self.read(blobs)?;
        let mut lines = notes.iter().flat_map(|note| sheet::lines(note));
        Ok(lines.any(|line| match key {
            Key::Record(id) => id_of(kind, line).as_ref() == Some(id),
            Key::Bytes(digest) => mask::sha256(line) == *digest,
            Key::Note => false,
        }))
    }
}

fn id_of(kind: crate::record::Kind, line: &[u8]) -> Option<RecordId> {
    match read_line(kind, line) {
        ReadLine::Known(record) => Some(record.head.id),
        ReadLine::Newer { id, .. } => id,
        ReadLine::Bad(_) | ReadLine::Blank => None,
    }
}
