//! What changed, asked of a [`Reader`].

use super::{ChangeStatus, FileChange, Oid, Pending, Reader, TreeChange, change};
use crate::Result;

impl Reader {
    /// What changed from the tree `old` to the tree `new` (`None`: the empty tree), renames
    /// included.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub fn change(&self, old: Option<Oid>, new: Option<Oid>) -> Result<TreeChange> {
        change::tree_change(&self.git, old, new)
    }

    /// The same, a rename being a deletion and an addition; reads no blob.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub fn change_without_renames(&self, old: Option<Oid>, new: Option<Oid>) -> Result<TreeChange> {
        let files = change::differences(&self.git, old, new)?
            .into_iter()
            .map(|(path, old, new)| FileChange {
                status: match (&old, &new) {
                    (None, _) => ChangeStatus::Added,
                    (_, None) => ChangeStatus::Deleted,
                    _ => ChangeStatus::Modified,
                },
                path,
                old_path: None,
                old,
                new,
                origin: None,
            })
            .collect();
        Ok(TreeChange {
            files,
            ..TreeChange::default()
        })
    }

    /// What is not committed yet, as one change, renames included.
    pub fn pending_change(&self, pending: &Pending) -> TreeChange {
        let differences = pending
            .entries
            .iter()
            .map(|e| (e.path.clone(), e.old, e.new))
            .collect();
        change::pending_change(&self.git, differences, &pending.overlay)
    }
}
