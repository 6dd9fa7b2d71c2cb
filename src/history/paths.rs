//! `-- PATH…`: which paths a run is limited to.

use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::error::{Error, Result};
use crate::repo::{Commit, FileChange, Reader};

/// A set of paths: files, folders with everything below, or globs.
#[derive(Debug, Clone, Default)]
pub struct PathFilter {
    literal: Vec<Vec<u8>>,
    globs: Option<GlobSet>,
}

impl PathFilter {
    /// Reads path words, relative to the top level. A word with `*`, `?` or `[` is a glob in
    /// which `*` matches `/` too, as in a git pathspec.
    ///
    /// # Errors
    /// A glob that cannot be read (usage).
    pub fn new(words: &[Vec<u8>]) -> Result<PathFilter> {
        let mut literal = Vec::new();
        let mut globs = GlobSetBuilder::new();
        let mut any_glob = false;
        for word in words {
            if word.iter().any(|b| b"*?[".contains(b)) {
                let text = String::from_utf8_lossy(word);
                let glob = Glob::new(&text).map_err(|e| {
                    Error::usage(format!("cannot read the path pattern {text}")).with_source(e)
                })?;
                globs.add(glob);
                any_glob = true;
            } else {
                let mut w = word.as_slice();
                while let Some(rest) = w.strip_suffix(b"/") {
                    w = rest;
                }
                literal.push(w.to_vec());
            }
        }
        let globs = any_glob
            .then(|| globs.build())
            .transpose()
            .map_err(|e| Error::usage("cannot read the path patterns").with_source(e))?;
        Ok(PathFilter { literal, globs })
    }

    /// Whether every path is in.
    pub fn is_empty(&self) -> bool {
        self.literal.is_empty() && self.globs.is_none()
    }

    /// Whether `path` is in.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.is_empty()
            || self.literal.iter().any(|l| {
                l.is_empty()
                    || path == l.as_slice()
                    || (path.starts_with(l) && path.get(l.len()) == Some(&b'/'))
            })
            || self
                .globs
                .as_ref()
                .is_some_and(|g| g.is_match(&*String::from_utf8_lossy(path)))
    }

    /// Whether either side of a change is in: a file moved out of the paths left them.
    pub(super) fn takes(&self, change: &FileChange) -> bool {
        self.matches(&change.path) || change.old_path.as_deref().is_some_and(|p| self.matches(p))
    }

    /// Whether a commit changed one of the paths against its first parent.
    ///
    /// # Errors
    /// A broken tree.
    pub fn touched_by(&self, reader: &Reader, commit: &Commit) -> Result<bool> {
        if self.is_empty() {
            return Ok(true);
        }
        let parent = match (commit.shallow, commit.parents.first()) {
            (true, _) => return Ok(true),
            (false, Some(p)) => Some(reader.commit(*p)?.tree),
            (false, None) => None,
        };
        let change = reader.change_without_renames(parent, Some(commit.tree))?;
        Ok(change.files.iter().any(|f| self.matches(&f.path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(words: &[&str]) -> PathFilter {
        let words: Vec<Vec<u8>> = words.iter().map(|w| w.as_bytes().to_vec()).collect();
        PathFilter::new(&words).expect("readable")
    }

    #[test]
    fn a_folder_takes_in_what_is_below_it_and_not_its_namesakes() {
        let f = filter(&["src/a/"]);
        assert!(f.matches(b"src/a/B.java"));
        assert!(f.matches(b"src/a"));
        assert!(!f.matches(b"src/ab/B.java"));
    }

    #[test]
    fn a_glob_crosses_folders_as_a_git_pathspec_does() {
        let f = filter(&["src/*.java"]);
        assert!(f.matches(b"src/a/b/C.java"));
        assert!(!f.matches(b"lib/C.java"));
    }

    #[test]
    fn no_words_take_in_everything() {
        assert!(filter(&[]).matches(b"anything"));
    }
}
