//! Which marks (`.gitattributes`) hold at each position of the line.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Result;
use crate::repo::{Attributes, ChangeStatus, EntryMode, Marks, Oid, Reader, TreeChange};

/// The attribute files of one tree: folder and blob.
type Files = BTreeMap<Box<[u8]>, Oid>;

/// The marks of every position, shared where nothing changed.
pub(super) struct MarksByPosition {
    at: Vec<Arc<Attributes>>,
    /// How many different ones there are.
    pub distinct: usize,
}

impl MarksByPosition {
    /// Reads the attribute files of the tree before `changes[0]` and follows their changes.
    /// A missing attribute blob counts as an empty one.
    ///
    /// # Errors
    /// An attribute blob that cannot be parsed at all.
    pub(super) fn new(
        reader: &Reader,
        start: &[(Box<[u8]>, Oid)],
        changes: &[Option<TreeChange>],
    ) -> Result<MarksByPosition> {
        let mut files: Files = start
            .iter()
            .filter(|(path, _)| is_attributes(path))
            .map(|(path, id)| (folder(path), *id))
            .collect();
        let mut current = Arc::new(load(reader, &files)?);
        let mut at = vec![Arc::clone(&current)];
        let mut distinct = 1;
        for change in changes {
            let mut moved = false;
            for f in change.iter().flat_map(|c| &c.files) {
                if let Some(old) = &f.old_path
                    && is_attributes(old)
                {
                    moved |= files.remove(&folder(old)).is_some();
                }
                if !is_attributes(&f.path) {
                    continue;
                }
                moved = true;
                match f.new {
                    Some(e) if e.mode == EntryMode::File && f.status != ChangeStatus::Deleted => {
                        files.insert(folder(&f.path), e.id);
                    }
                    _ => {
                        files.remove(&folder(&f.path));
                    }
                }
            }
            if moved {
                current = Arc::new(load(reader, &files)?);
                distinct += 1;
            }
            at.push(Arc::clone(&current));
        }
        Ok(MarksByPosition { at, distinct })
    }

    /// The marks of `path` in the tree after change `position` (before the first: `None`).
    pub(super) fn of(&self, position: Option<usize>, path: &[u8]) -> Marks {
        let index = position.map_or(0, |p| p + 1).min(self.at.len() - 1);
        self.at[index].marks(path)
    }

    /// Whether other marks hold after `position` than before it.
    pub(super) fn moved(&self, position: usize) -> bool {
        match (self.at.get(position), self.at.get(position + 1)) {
            (Some(a), Some(b)) => !Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

fn load(reader: &Reader, files: &Files) -> Result<Attributes> {
    let list: Vec<(Box<[u8]>, Oid)> = files
        .iter()
        .filter(|(_, id)| reader.blob_size(**id).is_ok())
        .map(|(d, id)| (d.clone(), *id))
        .collect();
    Attributes::read(reader, &list)
}

fn is_attributes(path: &[u8]) -> bool {
    path == b".gitattributes" || path.ends_with(b"/.gitattributes")
}

fn folder(path: &[u8]) -> Box<[u8]> {
    let end = path.iter().rposition(|b| *b == b'/').unwrap_or(0);
    path[..end].into()
}
