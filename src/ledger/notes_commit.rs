//! The next commit of one notes ref: what it has, joined with what is to come in.
//!
//! All notes content passes here, whether it is new, fetched, or carried over a rewrite, and all
//! of it passes the mask. Joining is a union of lines, so that doing it twice, or in another
//! order, gives the same.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::NotesRef;
use crate::error::{Error, Result};
use crate::record::mask::{self, Masker};
use crate::record::{Kind, sheet};
use crate::repo::{Identity, NewCommit, Oid, Reader, Writer};

/// What is to come into one notes ref.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    /// Lines, by target.
    pub(super) lines: BTreeMap<Oid, Vec<Vec<u8>>>,
    /// Configurations.
    pub(super) configs: Vec<Vec<u8>>,
    /// Notes commits of others, to be joined and made parents.
    pub(super) tips: BTreeSet<Oid>,
}

/// The commit that a notes ref is to move to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) tip: Oid,
    /// Lines (of the configuration ref: notes) that were not there before.
    pub(super) lines: usize,
    pub(super) remarks: Vec<String>,
}

/// What one notes commit is made with.
pub(super) struct Maker<'a> {
    pub(super) reader: &'a Reader,
    pub(super) writer: &'a Writer,
    pub(super) identity: &'a Identity,
}

/// The note a target gets.
struct Note {
    blob: Oid,
    /// Lines that the target had not before.
    new_lines: usize,
}

impl Maker<'_> {
    /// Joins `incoming` into the notes at `old`; `None` where they have it all already.
    ///
    /// # Errors
    /// Git where an object cannot be read or written, or does not read back as it was written.
    pub(super) fn next(
        &self,
        notes: NotesRef,
        old: Option<Oid>,
        incoming: &Incoming,
    ) -> Result<Option<Next>> {
        let mut remarks = Vec::new();
        let mut tips = Vec::new();
        for tip in &incoming.tips {
            let known = match old {
                Some(old) => self.reader.is_ancestor(*tip, old)?,
                None => false,
            };
            if !known {
                tips.push(*tip);
            }
        }
        let edits = match notes {
            NotesRef::Records(kind) => self.records(kind, old, &incoming.lines, &tips)?,
            NotesRef::Config => self.configs(old, &incoming.configs, &tips, &mut remarks)?,
        };
        if let [tip] = tips.as_slice()
            && self.is_forward(old, *tip, &edits)?
        {
            return Ok(Some(Next {
                tip: *tip,
                lines: edits.values().map(|n| n.new_lines).sum(),
                remarks,
            }));
        }
        if edits.is_empty() && tips.is_empty() {
            return Ok(None);
        }
        let lines = edits.values().map(|n| n.new_lines).sum();
        let parents: Vec<Oid> = old.into_iter().chain(tips).collect();
        let blobs = edits.iter().map(|(t, note)| (*t, note.blob)).collect();
        let message = message(notes, lines, parents.len() > 1);
        let tip = self.writer.commit(&NewCommit {
            tree: self.writer.notes_tree(old, &blobs)?,
            parents: &parents,
            author: &self.identity.author,
            committer: &self.identity.committer,
            message: message.as_bytes(),
        })?;
        for (target, blob) in &blobs {
            if self.reader.note(tip, *target)? != [*blob] {
                return Err(differs(&format!("the note on {target}")));
            }
        }
        Ok(Some(Next {
            tip,
            lines,
            remarks,
        }))
    }

    /// The notes that change, of a ref that holds records.
    fn records(
        &self,
        kind: Kind,
        old: Option<Oid>,
        lines: &BTreeMap<Oid, Vec<Vec<u8>>>,
        tips: &[Oid],
    ) -> Result<BTreeMap<Oid, Note>> {
        let mut theirs = BTreeMap::<Oid, BTreeSet<Oid>>::new();
        for tip in tips {
            for (target, blobs) in self.reader.notes(*tip)? {
                theirs.entry(target).or_default().extend(blobs);
            }
        }
        // One look through all notes costs less than one look for each of many.
        let ours = match old {
            Some(old) if !theirs.is_empty() => Some(self.reader.notes(old)?),
            _ => None,
        };
        let none = (BTreeSet::new(), Vec::new());
        let targets: BTreeSet<Oid> = theirs.keys().chain(lines.keys()).copied().collect();
        let mut edits = BTreeMap::new();
        for target in targets {
            let own = match (&ours, old) {
                (Some(ours), _) => ours.get(&target).cloned().unwrap_or_default(),
                (None, Some(old)) => self.reader.note(old, target)?,
                (None, None) => Vec::new(),
            };
            let their = theirs.get(&target).unwrap_or(&none.0);
            let more = lines.get(&target).unwrap_or(&none.1);
            if let Some(note) = self.joined(kind, &own, their, more)? {
                edits.insert(target, note);
            }
        }
        Ok(edits)
    }

    /// What one target gets of its own blobs, those of others, and single lines; `None` where its
    /// note stays as it is.
    fn joined(
        &self,
        kind: Kind,
        own: &[Oid],
        theirs: &BTreeSet<Oid>,
        lines: &[Vec<u8>],
    ) -> Result<Option<Note>> {
        let mut data = Vec::new();
        let mut kept = BTreeSet::<Vec<u8>>::new();
        for blob in own {
            self.reader.blob(*blob, &mut data)?;
            kept.extend(sheet::lines(&data).map(<[u8]>::to_vec));
        }
        let mut added = BTreeSet::<Vec<u8>>::new();
        // The blob of somebody else's that is just what we would write.
        let mut as_it_is = None;
        for blob in theirs.iter().filter(|b| !own.contains(b)) {
            self.reader.blob(*blob, &mut data)?;
            let mut masked = false;
            for line in sheet::lines(&data) {
                let line = mask::general(kind, line);
                masked |= matches!(line, Cow::Owned(_));
                added.extend(sheet::lines(&line).map(<[u8]>::to_vec));
            }
            let canonical = || sheet::union([data.as_slice()]) == data;
            as_it_is = (!masked && theirs.len() == 1 && canonical()).then_some(*blob);
        }
        for line in lines {
            let line = mask::general(kind, line);
            added.extend(sheet::lines(&line).map(<[u8]>::to_vec));
        }
        added.retain(|line| !kept.contains(line));
        let new_lines = added.len();
        if new_lines == 0 && own.len() <= 1 {
            return Ok(None);
        }
        if let Some(blob) = as_it_is
            && own.is_empty()
            && lines.is_empty()
        {
            return Ok(Some(Note { blob, new_lines }));
        }
        let all = kept.iter().chain(&added).map(Vec::as_slice);
        let content = sheet::union(all);
        if content.is_empty() {
            return Ok(None);
        }
        let blob = self.blob(&content)?;
        Ok(Some(Note { blob, new_lines }))
    }

    /// The configurations that are not there yet. Those of others count only where the note is
    /// its own blob and holds nothing that must be masked, which would give it another id.
    fn configs(
        &self,
        old: Option<Oid>,
        configs: &[Vec<u8>],
        tips: &[Oid],
        remarks: &mut Vec<String>,
    ) -> Result<BTreeMap<Oid, Note>> {
        let masker = Masker::general();
        let mut edits = BTreeMap::new();
        let mut add = |id: Oid| -> Result<()> {
            let there = match old {
                Some(old) => self.reader.note(old, id)?.contains(&id),
                None => false,
            };
            if !there {
                edits.insert(
                    id,
                    Note {
                        blob: id,
                        new_lines: 1,
                    },
                );
            }
            Ok(())
        };
        for config in configs {
            if config.is_empty() || !masker.bytes(config).1.is_empty() {
                return Err(Error::internal(
                    "a configuration is empty or was not masked before it was named",
                ));
            }
            add(self.blob(config)?)?;
        }
        let mut data = Vec::new();
        let mut left = 0;
        for tip in tips {
            for (target, blobs) in self.reader.notes(*tip)? {
                if !blobs.contains(&target) {
                    left += 1;
                    continue;
                }
                self.reader.blob(target, &mut data)?;
                if data.is_empty() || !masker.bytes(&data).1.is_empty() {
                    left += 1;
                } else {
                    add(target)?;
                }
            }
        }
        if left > 0 {
            remarks.push(format!(
                "{left} configuration notes of others were left out: not their own blob, or with \
                 something in them that must be masked"
            ));
        }
        Ok(edits)
    }

    /// Whether moving to `tip` itself gives just what joining it gives.
    fn is_forward(&self, old: Option<Oid>, tip: Oid, edits: &BTreeMap<Oid, Note>) -> Result<bool> {
        let ours = match old {
            None => BTreeMap::new(),
            Some(old) if self.reader.is_ancestor(old, tip)? => self.reader.notes(old)?,
            Some(_) => return Ok(false),
        };
        let theirs = self.reader.notes(tip)?;
        let edited = |(target, note): (&Oid, &Note)| {
            theirs.get(target).map(Vec::as_slice) == Some(&[note.blob][..])
        };
        let kept = |(target, blobs): (&Oid, &Vec<Oid>)| {
            edits.contains_key(target) || theirs.get(target) == Some(blobs)
        };
        let wanted = |target: &Oid| edits.contains_key(target) || ours.contains_key(target);
        Ok(edits.iter().all(edited) && ours.iter().all(kept) && theirs.keys().all(wanted))
    }

    /// Writes a blob, and reads it back.
    fn blob(&self, content: &[u8]) -> Result<Oid> {
        let id = self.writer.blob(content)?;
        let mut back = Vec::with_capacity(content.len());
        self.reader.blob(id, &mut back)?;
        if back == content {
            Ok(id)
        } else {
            Err(differs(&format!("blob {id}")))
        }
    }
}

fn differs(what: &str) -> Error {
    Error::git(format!("{what} does not read back as it was written"))
        .with_hint("`git fsck` says what is wrong with the object store")
}

fn message(notes: NotesRef, lines: usize, merge: bool) -> String {
    let (one, many) = match notes {
        NotesRef::Records(_) => ("record", "records"),
        NotesRef::Config => ("configuration", "configurations"),
    };
    let merge = if merge { "merge " } else { "" };
    let what = if lines == 1 { one } else { many };
    format!("evolve: {merge}{lines} {what}\n")
}
