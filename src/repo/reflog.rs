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
}
