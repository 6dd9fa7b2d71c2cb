//! What a commit changed, as one digest: equal where the same lines of the same files went and
//! came, wherever in the files that was.

use sha2::{Digest, Sha256};

use crate::error::Result;
use crate::repo::{EntryMode, FileChange, LineDiffer, Oid, Reader, is_binary, is_missing};

/// Larger blobs are told by their ids.
const LARGEST: u64 = 16 << 20;

/// A commit's change, by content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patch {
    /// Nothing changed: the same of many commits, and no evidence of anything.
    Empty,
    /// The digest.
    Of([u8; 32]),
}

/// The change from the tree `old` to the tree `new`: each changed path with what it is, and the
/// lines of each hunk, without their places and without context. Binary files are told by their
/// blobs. `None` where something of it is not here.
///
/// # Errors
/// Objects that are broken.
pub(super) fn patch(reader: &Reader, old: Option<Oid>, new: Oid) -> Result<Option<Patch>> {
    match digest(reader, old, new) {
        Ok(patch) => Ok(Some(patch)),
        Err(e) if is_missing(&e) => Ok(None),
        Err(e) => Err(e),
    }
}

fn digest(reader: &Reader, old: Option<Oid>, new: Oid) -> Result<Patch> {
    let change = reader.change_without_renames(old, Some(new))?;
    if change.files.is_empty() {
        return Ok(Patch::Empty);
    }
    let mut digest = Sha256::new();
    let mut differ = LineDiffer::new();
    for file in &change.files {
        field(&mut digest, &file.path);
        for side in [&file.old, &file.new] {
            field(
                &mut digest,
                match side.map(|entry| entry.mode) {
                    None => b"none",
                    Some(EntryMode::File) => b"file",
                    Some(EntryMode::Symlink) => b"link",
                    Some(EntryMode::Gitlink) => b"module",
                },
            );
        }
        content(reader, file, &mut differ, &mut digest)?;
    }
    Ok(Patch::Of(digest.finalize().into()))
}

fn content(
    reader: &Reader,
    file: &FileChange,
    differ: &mut LineDiffer,
    digest: &mut Sha256,
) -> Result<()> {
    let texts = [text(reader, file, false)?, text(reader, file, true)?];
    let [Some(old), Some(new)] = texts else {
        for side in [&file.old, &file.new] {
            let id = side.map(|entry| entry.id.to_string()).unwrap_or_default();
            field(digest, id.as_bytes());
        }
        return Ok(());
    };
    let (old_lines, new_lines) = (lines(&old), lines(&new));
    for hunk in differ.hunks(&old, &new) {
        for (sign, all, start, length) in [
            (b"-", &old_lines, hunk.old_start, hunk.old_len),
            (b"+", &new_lines, hunk.new_start, hunk.new_len),
        ] {
            let from = start as usize;
            let touched = all.get(from..from + length as usize).unwrap_or_default();
            for line in touched {
                digest.update(sign);
                field(digest, line);
            }
        }
    }
    Ok(())
}

/// The lines of one side, empty where the path is not there; `None` for what is no text.
fn text(reader: &Reader, file: &FileChange, after: bool) -> Result<Option<Vec<u8>>> {
    let side = if after { file.new } else { file.old };
    let Some(entry) = side else {
        return Ok(Some(Vec::new()));
    };
    if entry.mode != EntryMode::File || reader.blob_size(entry.id)? > LARGEST {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    reader.blob(entry.id, &mut bytes)?;
    Ok((!is_binary(&bytes)).then_some(bytes))
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|b| *b == b'\n').collect()
}

/// With its length, so that no two lists of fields look alike.
fn field(digest: &mut Sha256, bytes: &[u8]) {
    digest.update((bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}
