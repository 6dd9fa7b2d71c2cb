//! One lineage: the versions of one file along the line, renames and forks joined.
//!
//! Lineages share nothing, so each is one piece of work for a thread. A lineage goes oldest to
//! newest: each version is read once, compared with the one before it once, and its hunks serve
//! three purposes: line origins, the incremental parse, and the functions touched.

mod evidence;
mod writing;

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Result;
use crate::record::Role;
use crate::repo::{ChangeStatus, FileChange, Hunk, Oid};
use crate::syntax::Language;

use super::file_state::FileState;
use super::ground::{Ground, file};
use super::origins::Origin;
use super::scope;
use super::summary::Summary;
use super::worker::Worker;
use super::{Edit, FileClass, Integrity};

/// The pieces of one lineage.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    /// Files in the tree before the first change, path and blob.
    pub initial: Vec<(Box<[u8]>, Oid)>,
    /// Changes by position and index in that position's list, ascending.
    pub events: Vec<(u32, u32)>,
}

/// One version as the state of the tree sees it.
#[derive(Debug, Clone)]
pub(super) struct VersionFacts {
    /// Whether it opens with a generator's line (of a chain: its path's first version did).
    pub header: bool,
    /// Its functions; `None` where no measured position sees it or no rule could make it
    /// production code.
    pub summary: Option<Arc<Summary>>,
}

/// A path and its version's facts; none: the path is gone.
pub(super) type PathFacts = (Arc<[u8]>, Option<VersionFacts>);

/// What a lineage gives.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Evidence of measured changes, by position.
    pub edits: Vec<(u32, Edit)>,
    /// Versions by position (`None`: before the first change) and path; no facts: gone.
    pub versions: Vec<(Option<u32>, PathFacts)>,
    /// Churn of modified production files, by position.
    pub churn: Vec<(u32, Arc<[u8]>, Option<u64>)>,
    /// Positions of reset commits that changed production files beyond restoring them.
    pub strange_resets: Vec<u32>,
    /// What a reader should know, by position.
    pub integrity: Vec<(u32, Integrity)>,
    /// The writers of the lines of `wanted`, at the end.
    pub wanted_origins: Option<Vec<Origin>>,
}

/// A lineage under way.
pub(super) struct Walk<'a, 'g> {
    ground: &'a Ground<'g>,
    worker: &'a mut Worker,
    live: HashMap<Box<[u8]>, FileState>,
    /// States before the last agent commit, of the files it changed.
    before_agent: (Option<usize>, StatesByPath),
    /// In a chain: whether the first version of each path opens with a generator's line.
    first_headers: HashMap<Box<[u8]>, bool>,
    /// For each path the positions at which it changes, ascending.
    next: HashMap<&'a [u8], Vec<u32>>,
    findings: Findings,
}

/// States by path; `None`: the path was not there.
type StatesByPath = HashMap<Box<[u8]>, Option<FileState>>;

/// One change with the states around it.
struct Turn<'c> {
    position: usize,
    change: &'c FileChange,
    old: Option<FileState>,
    source: Option<FileState>,
}

/// Hunks between two versions, kept with where they start from.
struct Compared {
    from: Oid,
    hunks: Vec<Hunk>,
}

/// Walks one lineage. `wanted` asks for the line origins of that path at the end.
///
/// # Errors
/// A grammar without a node kind the rules name.
pub(super) fn walk(
    ground: &Ground<'_>,
    worker: &mut Worker,
    lineage: &Lineage,
    wanted: Option<&[u8]>,
) -> Result<Findings> {
    let changes: Vec<(usize, &FileChange)> = lineage
        .events
        .iter()
        .filter_map(|(p, i)| {
            let change = ground.changes.get(*p as usize)?.as_ref()?;
            Some((*p as usize, change.files.get(*i as usize)?))
        })
        .collect();
    let mut next: HashMap<&[u8], Vec<u32>> = HashMap::new();
    for (p, c) in &changes {
        let position = u32::try_from(*p).unwrap_or(u32::MAX);
        next.entry(&c.path).or_default().push(position);
        if let Some(old) = &c.old_path {
            next.entry(old).or_default().push(position);
        }
    }
    let mut walk = Walk {
        ground,
        worker,
        live: HashMap::new(),
        before_agent: (None, HashMap::new()),
        first_headers: HashMap::new(),
        next,
        findings: Findings::default(),
    };
    for (path, blob) in &lineage.initial {
        let mut state = FileState::unread(*blob);
        walk.version(None, path, &mut state, None)?;
        walk.live.insert(path.clone(), state);
    }
    let mut at = 0;
    while let Some((position, _)) = changes.get(at) {
        let end = at + changes[at..].partition_point(|(p, _)| p == position);
        walk.commit(*position, &changes[at..end])?;
        at = end;
    }
    if let Some(path) = wanted
        && let Some(state) = walk.live.get_mut(path)
    {
        walk.findings.wanted_origins = state
            .origins_or_base(walk.worker)
            .map(|o| o.as_ref().clone());
    }
    Ok(walk.findings)
}

impl<'a> Walk<'a, '_> {
    /// All changes of one commit: first what was, then what is.
    fn commit(&mut self, position: usize, changes: &[(usize, &'a FileChange)]) -> Result<()> {
        let role = self.ground.role(position);
        let mut turns = Vec::with_capacity(changes.len());
        for (_, change) in changes {
            let old_path: &[u8] = change.old_path.as_deref().unwrap_or(&change.path);
            turns.push(Turn {
                position,
                change,
                old: self.taken(old_path, file(change.old)),
                source: match (&change.origin, change.status) {
                    (Some((path, blob)), ChangeStatus::Added | ChangeStatus::Renamed) => {
                        self.taken(path, Some(*blob))
                    }
                    (None, ChangeStatus::Modified | ChangeStatus::Renamed) => {
                        self.taken(old_path, file(change.old))
                    }
                    _ => None,
                },
            });
        }
        if matches!(role, Role::Agent | Role::Superseded) {
            self.before_agent = (Some(position), HashMap::new());
            for t in &turns {
                let path: &[u8] = t.change.old_path.as_deref().unwrap_or(&t.change.path);
                self.before_agent.1.insert(path.into(), t.old.clone());
                if t.change.old_path.is_some() {
                    self.before_agent.1.insert(t.change.path.clone(), None);
                }
            }
        }
        let mut after = Vec::with_capacity(turns.len());
        for mut turn in turns {
            let state = self.turn(&mut turn)?;
            after.push((turn.change, state));
        }
        for (change, _) in &after {
            let gone: &[u8] = change.old_path.as_deref().unwrap_or(&change.path);
            self.live.remove(gone);
        }
        for (change, state) in after {
            if let Some(state) = state {
                self.live.insert(change.path.clone(), state);
            }
        }
        Ok(())
    }

    /// The state of a path, with its content and writers at hand for whoever clones it.
    fn taken(&mut self, path: &[u8], blob: Option<Oid>) -> Option<FileState> {
        let blob = blob?;
        let state = self
            .live
            .entry(path.into())
            .or_insert_with(|| FileState::unread(blob));
        if state.blob != blob {
            // The tree says otherwise than the versions seen: after an unreadable commit.
            *state = FileState::unread(blob);
        }
        state.bytes(self.worker);
        if self.ground.needs.origins {
            state.origins_or_base(self.worker);
        }
        let mut state = state.clone();
        if self.ground.line.chain.is_some() {
            self.header(path, &mut state);
        }
        Some(state)
    }

    /// Whether a generator's line makes `path` generated: of a chain, the one its first version
    /// there opens with, whatever came later; else `state`'s own. In a chain every version passes
    /// here in order, since the first one answers for all.
    fn header(&mut self, path: &[u8], state: &mut FileState) -> bool {
        let Some(language) = Language::of_path(path) else {
            return false;
        };
        if self.ground.line.chain.is_none() {
            return state.header(self.worker, language);
        }
        if let Some(known) = self.first_headers.get(path) {
            return *known;
        }
        let first = state.header(self.worker, language);
        self.first_headers.insert(path.into(), first);
        first
    }

    /// One change: its evidence, and the state after it.
    fn turn(&mut self, turn: &mut Turn<'_>) -> Result<Option<FileState>> {
        let ground = self.ground;
        let change = turn.change;
        let position = turn.position;
        let number = u32::try_from(position).unwrap_or(u32::MAX);
        let Some(blob) = file(change.new) else {
            if turn.old.is_some() {
                self.measure(turn, None, &[], None)?;
                self.findings
                    .versions
                    .push((Some(number), (change.path[..].into(), None)));
                self.check_deletion_by_reset(turn);
            }
            return Ok(None);
        };
        if change.old_path.is_some() {
            let old: &[u8] = change.old_path.as_deref().unwrap_or_default();
            self.findings
                .versions
                .push((Some(number), (old.into(), None)));
        }
        let mut new = match turn.old.as_ref().or(turn.source.as_ref()) {
            Some(before) => before.followed_by(blob),
            None => FileState::unread(blob),
        };
        new.bytes(self.worker);
        if ground.line.chain.is_some() {
            self.header(&change.path, &mut new);
        }
        let pair = self.compare(turn.old.as_mut(), &mut new);
        let shared = match (&turn.old, &turn.source) {
            (Some(o), Some(s)) => o.blob == s.blob,
            _ => false,
        };
        let other = if shared || turn.source.is_none() {
            None
        } else {
            self.compare(turn.source.as_mut(), &mut new)
        };
        if ground.needs.origins {
            let written = if shared { &pair } else { &other };
            self.write_origins(turn, &mut new, written.as_ref());
        }
        let hunks: &[Hunk] = pair.as_ref().map_or(&[], |c| &c.hunks);
        self.measure(turn, Some(&mut new), hunks, pair.as_ref())?;
        self.version(Some(number), &change.path, &mut new, pair.as_ref())?;
        Ok(Some(new))
    }

    /// Hunks between two texts; none where a side is missing, binary or the same blob.
    fn compare(&mut self, old: Option<&mut FileState>, new: &mut FileState) -> Option<Compared> {
        let old = old?;
        let from = old.blob;
        if from == new.blob {
            return Some(Compared {
                from,
                hunks: Vec::new(),
            });
        }
        let before = old.text(self.worker)?;
        let after = new.text(self.worker)?;
        Some(Compared {
            from,
            hunks: self.worker.hunks(&before, &after),
        })
    }

    /// Notes a version for the state of the tree.
    fn version(
        &mut self,
        position: Option<u32>,
        path: &[u8],
        state: &mut FileState,
        from: Option<&Compared>,
    ) -> Result<()> {
        if !self.ground.needs.tree {
            return Ok(());
        }
        let Some(language) = Language::of_path(path) else {
            return Ok(());
        };
        let from_position = position.map_or(self.ground.start, |p| p as usize);
        let until = self
            .next
            .get(path)
            .and_then(|l| l.iter().find(|p| position.is_none_or(|now| **p > now)))
            .map(|p| *p as usize);
        let seen = self.ground.is_seen(from_position, until);
        let mut facts = VersionFacts {
            header: false,
            summary: None,
        };
        if seen {
            facts.header = self.header(path, state);
            let own = self.ground.own_marks(position.map(|p| p as usize), path);
            let class = self.ground.class(path, own, facts.header);
            let may_be = class == FileClass::Production
                || (self.ground.marks.distinct > 1
                    && scope::may_be_production(self.ground.settings, path));
            if may_be {
                let hunks = from.map(|c| (c.from, c.hunks.as_slice()));
                let settings = self.ground.settings;
                let summary = state.summary(self.worker, settings, path, language, hunks)?;
                facts.summary = Some(Arc::new(summary));
            }
        }
        self.findings
            .versions
            .push((position, (path.into(), Some(facts))));
        Ok(())
    }
}
