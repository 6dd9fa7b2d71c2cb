//! Bringing HEAD, index and files to where a commit is.

use super::{NO_HOOKS, TreePath, WorkTree};
use crate::error::Result;
use crate::repo::Oid;
use crate::repo::call::{joined, split};

impl WorkTree {
    /// Checks out a branch (`short`: without `refs/heads/`). Files that are not committed are
    /// never written over, ignored ones neither.
    ///
    /// # Errors
    /// Git where something stands in the way: git's own words.
    pub fn check_out(&self, short: &str) -> Result<()> {
        let words = ["-q", "--no-guess", "--no-overwrite-ignore", short, "--"];
        self.program
            .call(&[NO_HOOKS], "checkout", &words)
            .fetching()
            .output()?;
        Ok(())
    }

    /// Checks out a commit and no branch, as carefully.
    ///
    /// # Errors
    /// Git where something stands in the way: git's own words.
    pub fn check_out_detached(&self, commit: Oid) -> Result<()> {
        let id = commit.to_string();
        let words = ["-q", "--no-overwrite-ignore", "--detach", &id, "--"];
        self.program
            .call(&[NO_HOOKS], "checkout", &words)
            .fetching()
            .output()?;
        Ok(())
    }

    /// Brings the index to `tree`, and no file. What the index knew of files that are as the
    /// tree has them stays.
    ///
    /// # Errors
    /// Git where the index is locked or cannot be written.
    pub fn index_to(&self, tree: Oid) -> Result<()> {
        // Without a look at the files, which may differ: they are what was taken.
        let words = ["-m", "-i", &tree.to_string()];
        self.program
            .call(&[NO_HOOKS], "read-tree", &words)
            .output()?;
        // Its exit status only says that files differ.
        self.program
            .call(&[NO_HOOKS], "update-index", &["-q", "--refresh"])
            .run()?;
        Ok(())
    }

    /// Puts `paths` in index and work tree to what `commit` has there; paths it has not go.
    /// Outside a sparse checkout only the index is touched.
    ///
    /// # Errors
    /// Git where the index is locked or a file cannot be written.
    pub fn restore(&self, commit: Oid, paths: &[TreePath]) -> Result<()> {
        let hidden = self.outside_sparse()?;
        let (outside, inside): (Vec<&[u8]>, Vec<&[u8]>) = paths
            .iter()
            .map(AsRef::as_ref)
            .partition(|p| hidden.binary_search_by(|h| h.as_ref().cmp(p)).is_ok());
        if !outside.is_empty() {
            let specs = joined(outside.iter().copied());
            let words = [
                "-q",
                &commit.to_string(),
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ];
            self.program
                .call(&[NO_HOOKS], "reset", &words)
                .env("GIT_LITERAL_PATHSPECS", "1")
                .input(specs)
                .output()?;
            let words = ["-q", "--skip-worktree"];
            // A path that the commit has not is no longer there to be marked.
            let kept: Vec<&[u8]> = self.still_tracked(&outside)?;
            self.update_index(&self.index, &words, &kept)?;
        }
        // What goes first makes room: a folder may become a file.
        let [come, go] = self.in_commit(commit, inside)?;
        for paths in [go, come].into_iter().filter(|p| !p.is_empty()) {
            let source = format!("--source={commit}");
            let words = [
                "-q",
                &source,
                "--staged",
                "--worktree",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ];
            self.program
                .call(&[NO_HOOKS], "restore", &words)
                .fetching()
                .env("GIT_LITERAL_PATHSPECS", "1")
                .input(joined(paths))
                .output()?;
        }
        Ok(())
    }

    /// Those of `paths` whose file is neither what the index has nor what `commit` has.
    ///
    /// # Errors
    /// Git where the commit cannot be read.
    pub fn changed_against(&self, commit: Oid, paths: &[TreePath]) -> Result<Vec<TreePath>> {
        let words = ["-z", "--name-only", "--ignore-submodules=dirty"];
        let call = self.program.call(&[], "diff-files", &words);
        let by_index: Vec<TreePath> = split(&call.output()?).map(Into::into).collect();
        let words = [
            "-z",
            "--name-only",
            "--no-renames",
            "--ignore-submodules=dirty",
            &commit.to_string(),
        ];
        let call = self.program.call(&[], "diff-index", &words);
        let by_commit: Vec<TreePath> = split(&call.output()?).map(Into::into).collect();
        let touched = |p: &&TreePath| by_index.contains(p) && by_commit.contains(p);
        Ok(paths.iter().filter(touched).cloned().collect())
    }

    /// Tracked paths that a sparse checkout leaves out, in order.
    fn outside_sparse(&self) -> Result<Vec<TreePath>> {
        let call = self
            .program
            .call(&[], "ls-files", &["-z", "-t", "--cached"]);
        let listing = call.output()?;
        let mut found: Vec<TreePath> = split(&listing)
            .filter_map(|e| e.strip_prefix(b"S "))
            .map(Into::into)
            .collect();
        found.sort();
        Ok(found)
    }

    /// Those of `paths` that the commit has, and those it has not.
    fn in_commit<'p>(&self, commit: Oid, paths: Vec<&'p [u8]>) -> Result<[Vec<&'p [u8]>; 2]> {
        let words = [
            "-r",
            "-z",
            "--name-only",
            "--full-tree",
            &commit.to_string(),
        ];
        let listing = self.program.call(&[], "ls-tree", &words).output()?;
        let mut there: Vec<&[u8]> = split(&listing).collect();
        there.sort_unstable();
        let is = |p: &&[u8]| there.binary_search(p).is_ok();
        let (come, go) = paths.into_iter().partition(is);
        Ok([come, go])
    }

    fn still_tracked<'p>(&self, paths: &[&'p [u8]]) -> Result<Vec<&'p [u8]>> {
        let call = self.program.call(&[], "ls-files", &["-z", "--cached"]);
        let listing = call.output()?;
        let mut tracked: Vec<&[u8]> = split(&listing).collect();
        tracked.sort_unstable();
        let is = |p: &&[u8]| tracked.binary_search(p).is_ok();
        Ok(paths.iter().copied().filter(is).collect())
    }
}
