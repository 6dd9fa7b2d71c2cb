//! How many records one notes commit holds that another does not, and how large they are.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Result;
use crate::ledger::Notes;
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

/// What the notes commit `tip` holds and `without` does not.
///
/// # Errors
/// A commit or note that cannot be read.
pub fn count(reader: &Reader, notes: Notes, tip: Oid, without: Option<Oid>) -> Result<Count> {
    let mut count = Count::default();
    if without == Some(tip) {
        return Ok(count);
    }
    let other = without.map_or_else(|| Ok(BTreeMap::new()), |at| reader.notes(at))?;
    for (target, blobs) in reader.notes(tip)? {
        let there = other.get(&target).map_or(&[][..], Vec::as_slice);
        if there == blobs {
            continue;
        }
        if notes == Notes::Config {
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

fn text(reader: &Reader, blobs: &[Oid]) -> Result<Vec<u8>> {
    let (mut all, mut one) = (Vec::new(), Vec::new());
    for blob in blobs {
        reader.blob(*blob, &mut one)?;
        all.extend_from_slice(&one);
        all.push(b'\n');
    }
    Ok(all)
}
