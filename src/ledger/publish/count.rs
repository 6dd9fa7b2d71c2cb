//! How many records one notes commit holds that another does not, and how large they are.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Result;
use crate::ledger::NotesRef;
use crate::record::sheet;
use crate::repo::{Oid, Reader};

/// A number of records (of configurations: of notes) and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Records.
    pub records: u64,
    /// Bytes of their lines.
    pub bytes: u64,
}

/// What the notes commits `tips` hold together and none of `without` does.
///
/// # Errors
/// A commit or note that cannot be read.
pub fn count(reader: &Reader, notes: NotesRef, tips: &[Oid], without: &[Oid]) -> Result<Count> {
    let mut count = Count::default();
    let tips: BTreeSet<Oid> = tips
        .iter()
        .copied()
        .filter(|t| !without.contains(t))
        .collect();
    if tips.is_empty() {
        return Ok(count);
    }
    let other = listed(reader, without)?;
    for (target, mut blobs) in listed(reader, &tips)? {
        let none = BTreeSet::new();
        let there = other.get(&target).unwrap_or(&none);
        blobs.retain(|b| !there.contains(b));
        if blobs.is_empty() {
            continue;
        }
        if notes == NotesRef::Config {
            count.records += 1;
            for blob in &blobs {
                count.bytes += reader.blob_size(*blob)?;
            }
            continue;
        }
        let there = text(reader, there)?;
        let there: BTreeSet<&[u8]> = sheet::lines(&there).collect();
        let here = text(reader, &blobs)?;
        let here: BTreeSet<&[u8]> = sheet::lines(&here).collect();
        for line in here.difference(&there) {
            count.records += 1;
            count.bytes += line.len() as u64 + 1;
        }
    }
    Ok(count)
}

/// All blobs that any of `tips` has for each target.
fn listed<'t>(
    reader: &Reader,
    tips: impl IntoIterator<Item = &'t Oid>,
) -> Result<BTreeMap<Oid, BTreeSet<Oid>>> {
    let mut all = BTreeMap::<Oid, BTreeSet<Oid>>::new();
    for tip in tips {
        for (target, blobs) in reader.notes(*tip)? {
            all.entry(target).or_default().extend(blobs);
        }
    }
    Ok(all)
}

/// The targets in `tip` whose notes are larger than `limit`, with their sizes.
///
/// # Errors
/// A commit or note that cannot be read.
pub(super) fn larger_than(reader: &Reader, tip: Oid, limit: u64) -> Result<Vec<(Oid, u64)>> {
    let mut large = Vec::new();
    for (target, blobs) in reader.notes(tip)? {
        for blob in blobs {
            let size = reader.blob_size(blob)?;
            if size > limit {
                large.push((target, size));
            }
        }
    }
    Ok(large)
}

fn text<'b>(reader: &Reader, blobs: impl IntoIterator<Item = &'b Oid>) -> Result<Vec<u8>> {
    let (mut all, mut one) = (Vec::new(), Vec::new());
    for blob in blobs {
        reader.blob(*blob, &mut one)?;
        all.extend_from_slice(&one);
        all.push(b'\n');
    }
    Ok(all)
}
