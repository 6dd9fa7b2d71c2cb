//! Notes that came from elsewhere, joined with the local ones by the one write path, and what
//! arrived with them.

use std::collections::{BTreeMap, BTreeSet};

use super::publish::count;
use super::{NotesRef, join};
use crate::error::Result;
use crate::repo::{Oid, Reader, Repo};

/// What a merge did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// How many records are here now that were not before, by kind.
    pub arrived: BTreeMap<NotesRef, u64>,
    /// What should be said: stale locks removed, configurations left out.
    pub remarks: Vec<String>,
}

/// Joins the notes commits `from` with the local notes, record by record. What is here already
/// changes nothing and takes no lock. Histories need have nothing in common.
///
/// # Errors
/// Git where a commit cannot be read, the lock is not had in time, or the refs cannot be moved;
/// nothing is lost then, and the same call does the rest.
pub fn merge_into_local(repo: &Repo, from: &[(NotesRef, Oid)]) -> Result<Merged> {
    let reader = repo.reader()?;
    let open = still_open(&reader, from)?;
    if open.is_empty() {
        return Ok(Merged::default());
    }
    let mut arrived = BTreeMap::new();
    for notes in NotesRef::all() {
        let tips: Vec<Oid> = open
            .iter()
            .filter(|(n, _)| *n == notes)
            .map(|(_, tip)| *tip)
            .collect();
        let local = reader.reference(&notes.local())?;
        let fresh = count(&reader, notes, &tips, local.as_slice())?.records;
        if fresh > 0 {
            arrived.insert(notes, fresh);
        }
    }
    let written = join(repo, &open)?;
    Ok(Merged {
        arrived,
        remarks: written.remarks,
    })
}

/// What of `from` the local notes do not already come from.
fn still_open(reader: &Reader, from: &[(NotesRef, Oid)]) -> Result<Vec<(NotesRef, Oid)>> {
    let mut open = Vec::new();
    for (notes, commit) in from.iter().collect::<BTreeSet<_>>() {
        let held = match reader.reference(&notes.local())? {
            Some(local) => local == *commit || reader.is_ancestor(*commit, local)?,
            None => false,
        };
        if !held {
            open.push((*notes, *commit));
        }
    }
    Ok(open)
}
