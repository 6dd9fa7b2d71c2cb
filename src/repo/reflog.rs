//! What reflogs still name.

use super::{Oid, Reader};
use crate::error::Result;

impl Reader {
    /// The commits that reflogs name, of all refs and worktrees, in the order git lists them.
    /// Where git cannot list them there are none.
    ///
    /// # Errors
    /// Git could not be started.
    pub fn reflog_commits(&self) -> Result<Vec<Oid>> {
        let words = [
            "rev-list",
            "--no-walk=unsorted",
            "--ignore-missing",
            "--reflog",
        ];
        let out = self.program().run(&words)?;
        if !out.status.success() {
            // Where there is no reflog at all git takes this for an empty question.
            return Ok(Vec::new());
        }
        let text = String::from_utf8_lossy(&out.stdout);
        Ok(text.lines().filter_map(Oid::from_hex).collect())
    }

    /// What the ref `name` named before, as its reflog tells, oldest first; empty where it has
    /// none. Ids of objects that are not here are left out.
    ///
    /// # Errors
    /// The git program is not there.
    pub fn reflog(&self, name: &str) -> Result<Vec<Oid>> {
        let words = ["rev-list", "--walk-reflogs", name, "--"];
        let out = self.program().run(&words)?;
        let text = String::from_utf8_lossy(&out.stdout);
        let mut here = Vec::new();
        for id in text.lines().filter_map(Oid::from_hex) {
            if self.kind(id)?.is_some() {
                here.push(id);
            }
        }
        here.reverse();
        Ok(here)
    }
}
