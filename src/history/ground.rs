//! What every file of a run is looked at against: the line, its changes, the marks, what is asked.

use std::collections::HashSet;

use crate::record::Role;
use crate::repo::{Entry, EntryMode, Oid, TreeChange};

use super::line::Line;
use super::marks::MarksByPosition;
use super::paths::PathFilter;
use super::scope;
use super::{FileClass, Needs, Settings};
use crate::repo::Marks;

/// Shared by all threads of a run; nothing in it changes.
pub(super) struct Ground<'a> {
    /// The commits.
    pub line: &'a Line,
    /// What each commit of the line changed, by position; `None` before `start` and where a
    /// tree could not be read.
    pub changes: &'a [Option<TreeChange>],
    /// Marks after each position, from `start` on.
    pub marks: &'a MarksByPosition,
    /// First position whose change is looked at.
    pub start: usize,
    /// Which positions are measured.
    pub measured: &'a [bool],
    /// What moves figures.
    pub settings: &'a Settings,
    /// What is asked.
    pub needs: Needs,
    /// Limits per-change evidence.
    pub paths: &'a PathFilter,
    /// Commits that pass origins through.
    pub ignored: &'a HashSet<Oid>,
}

impl Ground<'_> {
    /// The role of the commit at `position`.
    pub(super) fn role(&self, position: usize) -> Role {
        self.line
            .commits
            .get(position)
            .map_or(Role::Foreign, |c| c.role)
    }

    /// Whether the change at `position` passes line origins through.
    pub(super) fn passes_through(&self, position: usize) -> bool {
        self.line
            .commits
            .get(position)
            .is_some_and(|c| self.ignored.contains(&c.commit.id))
    }

    /// Whether a measured position lies in `from..to` (`to`: `None` = to the end).
    pub(super) fn is_seen(&self, from: usize, to: Option<usize>) -> bool {
        let end = to.unwrap_or(self.measured.len()).min(self.measured.len());
        self.measured
            .get(from.min(end)..end)
            .is_some_and(|m| m.contains(&true))
    }

    /// The marks that judge a change at `position`: of a chain, its base's; of a plain
    /// history, its parent's (a root: its own).
    pub(super) fn judging_marks(&self, position: usize, path: &[u8]) -> Marks {
        if self.line.chain.is_some() {
            return self.marks.of(None, path);
        }
        match position.checked_sub(self.start) {
            Some(0) if self.measured_root(position) => self.marks.of(Some(0), path),
            Some(0) | None => self.marks.of(None, path),
            Some(n) => self.marks.of(Some(n - 1), path),
        }
    }

    /// The marks of the tree after `position` (of a chain: its base's).
    pub(super) fn own_marks(&self, position: Option<usize>, path: &[u8]) -> Marks {
        if self.line.chain.is_some() {
            return self.marks.of(None, path);
        }
        self.marks
            .of(position.and_then(|p| p.checked_sub(self.start)), path)
    }

    fn measured_root(&self, position: usize) -> bool {
        position == 0 && self.line.begins()
    }

    /// The class of a path at a side, by given marks.
    pub(super) fn class(&self, path: &[u8], marks: Marks, header: bool) -> FileClass {
        scope::classify(self.settings, path, marks, header)
    }
}

/// The blob of a plain file; links and submodules are no source.
pub(super) fn file(entry: Option<Entry>) -> Option<Oid> {
    entry.filter(|e| e.mode == EntryMode::File).map(|e| e.id)
}
