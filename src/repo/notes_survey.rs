//! Looking over notes trees: what in them is no note, and what two of them differ in.

use std::collections::BTreeSet;

use super::notes::Node;
use super::{Oid, Reader};
use crate::error::Result;

/// What two notes trees differ in; a note that only moved to another folder is in neither list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotesChange {
    /// Targets and blobs of the old one alone.
    pub gone: BTreeSet<(Oid, Oid)>,
    /// Targets and blobs of the new one alone.
    pub come: BTreeSet<(Oid, Oid)>,
}

impl Reader {
    /// What stands in the notes tree of `at` and is no note: paths, parts joined by `/`.
    ///
    /// # Errors
    /// A [`Missing`](super::Missing) or malformed object.
    pub fn not_notes(&self, at: Oid) -> Result<Vec<Vec<u8>>> {
        let mut found = Vec::new();
        let root = self.notes_root(at)?;
        self.strangers(root, &mut Vec::new(), &mut Vec::new(), &mut found)?;
        Ok(found)
    }

    fn strangers(
        &self,
        tree: Oid,
        prefix: &mut Vec<u8>,
        path: &mut Vec<u8>,
        found: &mut Vec<Vec<u8>>,
    ) -> Result<()> {
        let node = self.node(tree, prefix)?;
        for other in node.others {
            found.push([path.as_slice(), &other.filename].concat());
        }
        for (digits, folder) in node.folders {
            let length = path.len();
            prefix.push(digits);
            path.extend_from_slice(&folder.filename);
            path.push(b'/');
            self.strangers(Oid(folder.oid), prefix, path, found)?;
            path.truncate(length);
            prefix.pop();
        }
        Ok(())
    }

    /// What the notes of `old` and `new` (commits or trees) differ in. Folders that are equal
    /// are not read.
    ///
    /// # Errors
    /// A [`Missing`](super::Missing) or malformed object.
    pub fn notes_change(&self, old: Oid, new: Oid) -> Result<NotesChange> {
        let mut change = NotesChange::default();
        let roots = [self.notes_root(old)?, self.notes_root(new)?];
        if roots[0] != roots[1] {
            self.compare(Some(roots[0]), Some(roots[1]), &mut Vec::new(), &mut change)?;
        }
        // A tree that was spread over folders spells the same notes in other places.
        let moved: Vec<_> = change.gone.intersection(&change.come).copied().collect();
        for note in moved {
            change.gone.remove(&note);
            change.come.remove(&note);
        }
        Ok(change)
    }

    fn compare(
        &self,
        old: Option<Oid>,
        new: Option<Oid>,
        prefix: &mut Vec<u8>,
        change: &mut NotesChange,
    ) -> Result<()> {
        let read = |side: Option<Oid>, prefix: &[u8]| match side {
            Some(tree) => self.node(tree, prefix),
            None => Ok(Node::default()),
        };
        let (old, new) = (read(old, prefix)?, read(new, prefix)?);
        let notes = |node: &Node| -> BTreeSet<(Oid, Oid)> {
            let all = node.notes.iter();
            all.map(|(target, entry)| (*target, Oid(entry.oid)))
                .collect()
        };
        let (before, after) = (notes(&old), notes(&new));
        change.gone.extend(before.difference(&after).copied());
        change.come.extend(after.difference(&before).copied());
        let folders = |node: &Node| -> Vec<(u8, Oid)> {
            let all = node.folders.iter();
            all.map(|(digits, entry)| (*digits, Oid(entry.oid)))
                .collect()
        };
        let (mut before, mut after) = (folders(&old), folders(&new));
        // `AB` and `ab` may both be there: what is on both sides is equal, whatever its name.
        before.retain(|folder| match after.iter().position(|f| f == folder) {
            Some(at) => {
                after.swap_remove(at);
                false
            }
            None => true,
        });
        for (digits, tree) in before {
            let partner = after.iter().position(|(d, _)| *d == digits);
            let partner = partner.map(|at| after.swap_remove(at).1);
            prefix.push(digits);
            self.compare(Some(tree), partner, prefix, change)?;
            prefix.pop();
        }
        for (digits, tree) in after {
            prefix.push(digits);
            self.compare(None, Some(tree), prefix, change)?;
            prefix.pop();
        }
        Ok(())
    }

    fn node(&self, tree: Oid, prefix: &[u8]) -> Result<Node> {
        let mut data = Vec::new();
        self.tree_bytes(tree, &mut data)?;
        Node::read(tree, &data, prefix)
    }
}
