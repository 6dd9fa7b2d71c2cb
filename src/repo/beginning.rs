//! Where what is on the branch at hand begins: what it was made from.

use super::{Oid, Reader};
use crate::error::Result;

/// A line that others work on, and that a branch is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainLine {
    /// Its name as people write it: `origin/main`.
    pub name: String,
    /// Its commit.
    pub commit: Oid,
}

impl Reader {
    /// What the branch at hand is held against: its upstream, where that is another branch; else
    /// what `origin/HEAD` names; else the branch's own upstream. `None` where there is neither.
    ///
    /// # Errors
    /// No git program; a name that leads to no commit.
    pub fn main_line(&self) -> Result<Option<MainLine>> {
        let upstream = self.full_name("@{upstream}")?;
        let own = self.full_name("HEAD")?;
        let own = own.as_deref().and_then(|n| n.strip_prefix("refs/heads/"));
        let is_own = |name: &str| {
            // refs/remotes/<remote>/<branch>: what this branch was pushed to.
            let remote = name.strip_prefix("refs/remotes/");
            let branch = remote.and_then(|r| r.split_once('/')).map(|(_, b)| b);
            branch.is_some() && branch == own
        };
        let origin = || self.full_name("refs/remotes/origin/HEAD");
        let chosen = match upstream {
            Some(name) if !is_own(&name) => Some(name),
            pushed => origin()?.or(pushed),
        };
        let Some(full) = chosen else { return Ok(None) };
        let commit = self.commit_at(&full)?;
        let short = ["refs/remotes/", "refs/heads/"];
        let name = short.iter().find_map(|p| full.strip_prefix(p));
        Ok(Some(MainLine {
            name: name.unwrap_or(&full).to_owned(),
            commit,
        }))
    }

    /// A commit that both lead back to, where history has one as far as it is here.
    ///
    /// # Errors
    /// No git program.
    pub fn merge_base(&self, one: Oid, other: Oid) -> Result<Option<Oid>> {
        let (one, other) = (one.to_string(), other.to_string());
        let out = self.program().run(&["merge-base", &one, &other])?;
        let text = String::from_utf8_lossy(&out.stdout);
        Ok(text.lines().next().and_then(Oid::from_hex))
    }

    /// The whole name of the ref that `revision` names; of a symbolic one, what it leads to.
    fn full_name(&self, revision: &str) -> Result<Option<String>> {
        let words = [
            "rev-parse",
            "--symbolic-full-name",
            "--verify",
            "--quiet",
            revision,
        ];
        let out = self.program().run(&words)?;
        let name = String::from_utf8_lossy(&out.stdout).trim().to_owned();
        let is_ref = out.status.success() && name.starts_with("refs/");
        Ok(is_ref.then_some(name))
    }
}
