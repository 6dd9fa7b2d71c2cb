//! Walking history: the first-parent line, what a range leaves out, what a merge brought in.
//!
//! Order is by ancestry. Dates are only used to look for common ancestors sooner.

use std::collections::{BinaryHeap, HashMap, HashSet};

use super::{Commit, Oid, Reader, RevisionSpec};
use crate::error::Result;

/// Why a first-parent walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// The last commit has no parents.
    Root,
    /// The last commit's parents were cut off by a shallow clone.
    Shallow,
    /// The next commit is reachable from where the range begins.
    Excluded,
    /// The visitor had enough.
    Stopped,
}

impl Reader {
    /// Visits `tip` and its first parents, newest first, until `visit` returns false (that
    /// commit was the last) or the line ends.
    ///
    /// # Errors
    /// A commit that is missing or malformed.
    pub fn first_parents(
        &self,
        tip: Oid,
        mut visit: impl FnMut(&Commit) -> bool,
    ) -> Result<LineEnd> {
        let mut at = tip;
        loop {
            let commit = self.commit(at)?;
            if !visit(&commit) {
                return Ok(LineEnd::Stopped);
            }
            match commit.parents.first() {
                None => return Ok(LineEnd::Root),
                Some(_) if commit.shallow => return Ok(LineEnd::Shallow),
                Some(parent) => at = *parent,
            }
        }
    }

    /// The first-parent commits of `range`, newest first, as `git log --first-parent` lists
    /// them: of `A..B`, what is reachable from A by any way is left out.
    ///
    /// `visit` returns false where the line need go no further.
    ///
    /// # Errors
    /// A commit that is missing or malformed.
    pub fn line(
        &self,
        range: &RevisionSpec,
        mut visit: impl FnMut(&Commit) -> bool,
    ) -> Result<LineEnd> {
        let (from, to) = match *range {
            RevisionSpec::Tip(tip) => (None, tip),
            RevisionSpec::Range { from, to } => (from, to),
        };
        let stop = match from {
            Some(from) => self.first_reachable(to, from)?,
            None => None,
        };
        if stop == Some(to) {
            return Ok(LineEnd::Excluded);
        }
        let mut excluded = false;
        let end = self.first_parents(to, |commit| {
            let more = visit(commit);
            excluded =
                more && !commit.shallow && commit.parents.first().is_some_and(|p| Some(*p) == stop);
            more && !excluded
        })?;
        Ok(if excluded { LineEnd::Excluded } else { end })
    }

    /// The newest commit on the first-parent line of `tip` that is `other` or an ancestor of it;
    /// `None` where the two have no such commit in common.
    ///
    /// Exact whatever the dates say, and reads no further back than where the two meet: nothing
    /// behind a commit of the line can lead back to a newer one of the line.
    pub fn first_reachable(&self, tip: Oid, other: Oid) -> Result<Option<Oid>> {
        let mut place = HashMap::new();
        let mut straight = false;
        self.first_parents(tip, |commit| {
            place.insert(commit.id, place.len());
            straight = commit.id == other;
            !straight
        })?;
        if straight {
            return Ok(Some(other));
        }
        let mut newest: Option<(usize, Oid)> = None;
        let mut seen = HashSet::from([other]);
        let mut open = vec![other];
        while let Some(id) = open.pop() {
            if let Some(&at) = place.get(&id) {
                if newest.is_none_or(|(n, _)| at < n) {
                    newest = Some((at, id));
                }
                continue;
            }
            let commit = self.commit(id)?;
            if !commit.shallow {
                open.extend(commit.parents.into_iter().filter(|p| seen.insert(*p)));
            }
        }
        Ok(newest.map(|(_, id)| id))
    }

    /// Whether `older` is `newer` or one of its ancestors.
    pub fn is_ancestor(&self, older: Oid, newer: Oid) -> Result<bool> {
        let Some(limit) = self.header_of(older)?.map(|h| h.time) else {
            return Ok(false);
        };
        let mut seen = HashSet::from([newer]);
        let mut open = BinaryHeap::from([(i64::MAX, newer)]);
        // Commits that claim to be older are looked at last, not left out: clocks go wrong.
        let mut doubtful = Vec::new();
        while let Some((_, id)) = open.pop().or_else(|| doubtful.pop()) {
            if id == older {
                return Ok(true);
            }
            let Some(header) = self.header_of(id)? else {
                continue;
            };
            for parent in header.parents {
                if !seen.insert(parent) {
                    continue;
                }
                match self.header_of(parent)? {
                    Some(p) if p.time >= limit => open.push((p.time, parent)),
                    Some(_) => doubtful.push((0, parent)),
                    None => {}
                }
            }
        }
        Ok(false)
    }

    /// The commits a merge brings in: reachable from its other parents and not from its first,
    /// sorted newest first (by time, then id). Empty for a commit that is no merge, and for one
    /// at a shallow edge.
    ///
    /// As in git, commits may be listed too many where a clock was far behind.
    ///
    /// # Errors
    /// A commit that is missing or malformed.
    pub fn merged_commits(&self, merge: &Commit) -> Result<Vec<Oid>> {
        let [first, others @ ..] = merge.parents.as_slice() else {
            return Ok(Vec::new());
        };
        if others.is_empty() || merge.shallow {
            return Ok(Vec::new());
        }
        let mut walk = Painted::default();
        walk.reach(self, *first, HIDDEN)?;
        for other in others {
            walk.reach(self, *other, WANTED)?;
        }
        while walk.is_open() {
            walk.step(self)?;
        }
        Ok(walk.wanted())
    }

    /// Time and present parents of commit `id`; `None` where it is not here.
    fn header_of(&self, id: Oid) -> Result<Option<Header>> {
        match self.commit(id) {
            Ok(c) => Ok(Some(Header {
                time: c.time,
                parents: if c.shallow { Vec::new() } else { c.parents },
            })),
            Err(e) if super::is_missing(&e) => Ok(None),
            Err(e) => Err(e),
        }
    }
}

#[derive(Debug, Clone)]
struct Header {
    time: i64,
    parents: Vec<Oid>,
}

const WANTED: u8 = 1;
const HIDDEN: u8 = 2;

/// Paints ancestors from two sides, newest first, until what is still to be looked at is older
/// than everything that is wanted.
#[derive(Default)]
struct Painted {
    colours: HashMap<Oid, (u8, Header)>,
    queue: BinaryHeap<(i64, Oid)>,
    /// The oldest time among commits that are wanted so far.
    oldest: Option<i64>,
}

impl Painted {
    fn reach(&mut self, reader: &Reader, id: Oid, colour: u8) -> Result<()> {
        let known = match self.colours.get_mut(&id) {
            Some(known) => known,
            None => {
                let Some(header) = reader.header_of(id)? else {
                    return Ok(());
                };
                self.colours.entry(id).or_insert((0, header))
            }
        };
        if known.0 & colour == colour {
            return Ok(());
        }
        known.0 |= colour;
        let time = known.1.time;
        if known.0 & HIDDEN == 0 {
            self.oldest = Some(self.oldest.map_or(time, |o| o.min(time)));
        }
        self.queue.push((time, id));
        Ok(())
    }

    fn step(&mut self, reader: &Reader) -> Result<()> {
        let Some((_, id)) = self.queue.pop() else {
            return Ok(());
        };
        let Some((colour, header)) = self.colours.get(&id).cloned() else {
            return Ok(());
        };
        // What is hidden hides all behind it; that it is wanted too need not travel.
        let colour = if colour & HIDDEN == 0 { colour } else { HIDDEN };
        for parent in header.parents {
            self.reach(reader, parent, colour)?;
        }
        Ok(())
    }

    /// Whether something waits that is not older than all that is wanted: wanted itself, or
    /// hidden and perhaps about to hide some of it.
    fn is_open(&self) -> bool {
        self.queue
            .peek()
            .is_some_and(|(time, _)| self.oldest.is_some_and(|oldest| *time >= oldest))
    }

    fn wanted(&self) -> Vec<Oid> {
        let mut found: Vec<(i64, Oid)> = self
            .colours
            .iter()
            .filter(|(_, (colour, _))| *colour == WANTED)
            .map(|(id, (_, header))| (header.time, *id))
            .collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().map(|(_, id)| id).collect()
    }
}
