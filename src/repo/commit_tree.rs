//! Commits on a user's branch: made by `git commit-tree`, so that identity, dates and signing
//! are the user's own. None is ever invented.

use super::{Oid, Repo};
use crate::error::{Error, Result};

impl Repo {
    /// Makes a commit; moves no ref. The message is UTF-8 and goes in as it is (NUL bytes, which
    /// no commit can hold, become blanks). Signed where `commit.gpgSign` says so.
    ///
    /// # Errors
    /// Git's own words where it knows no identity or cannot sign; then nothing was changed.
    pub fn commit_tree(&self, tree: Oid, parent: Oid, message: &str) -> Result<Oid> {
        let program = self.program();
        let tree = tree.to_string();
        let parent = parent.to_string();
        let mut words = vec![tree.as_str(), "-p", &parent, "-F", "-"];
        if self.signs_commits()? {
            words.push("-S");
        }
        let said = program
            .call(&["i18n.commitEncoding=UTF-8"], "commit-tree", &words)
            .input(message.replace('\0', " "))
            .output()?;
        let text = String::from_utf8_lossy(&said);
        Oid::from_hex(text.trim())
            .ok_or_else(|| Error::git(format!("git commit-tree: said '{}'", text.trim())))
    }

    /// Asked for once a process: a run makes two commits a checkpoint.
    fn signs_commits(&self) -> Result<bool> {
        if let Some(known) = self.shape.signs.get() {
            return Ok(*known);
        }
        let signs = self.asks_for_signatures()?;
        Ok(*self.shape.signs.get_or_init(|| signs))
    }

    fn asks_for_signatures(&self) -> Result<bool> {
        let words = ["--type=bool", "--get", "commit.gpgSign"];
        let out = self.program().call(&[], "config", &words).run()?;
        match out.status.code() {
            // 1: it is not set.
            Some(1) => Ok(false),
            _ => Ok(super::call::succeeded("config", out)?.starts_with(b"true")),
        }
    }

    /// The commits that `tip` reaches and `parent` does not, parents before children.
    ///
    /// # Errors
    /// Git where a commit is missing.
    pub fn commits_since(&self, parent: Oid, tip: Oid) -> Result<Vec<Oid>> {
        let not = format!("^{parent}");
        let words = ["--topo-order", "--reverse", &tip.to_string(), &not];
        let said = self.program().call(&[], "rev-list", &words).output()?;
        Ok(String::from_utf8_lossy(&said)
            .lines()
            .filter_map(Oid::from_hex)
            .collect())
    }

    /// How many of these commits no remote-tracking branch reaches.
    ///
    /// # Errors
    /// Git where a commit is missing.
    pub fn unpublished_since(&self, parent: Oid, tip: Oid) -> Result<usize> {
        let not = format!("^{parent}");
        let words = ["--count", &tip.to_string(), &not, "--not", "--remotes"];
        let said = self.program().call(&[], "rev-list", &words).output()?;
        let text = String::from_utf8_lossy(&said);
        text.trim()
            .parse()
            .map_err(|e| Error::git(format!("git rev-list: said '{}'", text.trim())).with_source(e))
    }
}
