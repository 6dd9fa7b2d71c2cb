//! The run: walk the line, join changes into lineages, look at them on all threads, and put
//! what was found back into commit order as steps.

mod assemble;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::error::Result;
use crate::repo::{Oid, Pending, Reader, Repo, TreeChange};

use super::ground::{Ground, file};
use super::line::Line;
use super::lineage::{self, Findings};
use super::marks::MarksByPosition;
use super::others::{self, OtherFile};
use super::paths::PathFilter;
use super::threads::{self, Progress};
use super::worker::{RunCounts, Worker};
use super::{Edit, Integrity, Language, Needs, Settings, Step, Trouble, join};

/// What a run is asked.
pub struct Plan {
    /// The repository.
    pub repo: Repo,
    /// The commits.
    pub line: Line,
    /// What moves figures.
    pub settings: Settings,
    /// What is asked.
    pub needs: Needs,
    /// How many threads; at least 1.
    pub threads: usize,
    /// Limits per-change evidence.
    pub paths: PathFilter,
    /// Commits whose line origins pass through (`.git-blame-ignore-revs`).
    pub ignored: HashSet<Oid>,
    /// The language whose per-language figures are shown first, where none is set: that of
    /// [`main_language`](super::main_language).
    pub language: Option<Language>,
}

/// What a run gives.
#[derive(Debug)]
pub struct Run {
    /// Oldest first; those of `paths` that touch nothing left out.
    pub steps: Vec<Step>,
    /// How much work it was.
    pub counts: RunCounts,
}

/// Looks at a line.
///
/// # Errors
/// A commit of the line that cannot be read, or a grammar that does not fit.
pub fn run(plan: &Plan, progress: &dyn Progress) -> Result<Run> {
    Pass::new(plan, None, progress)?.steps(progress)
}

/// Looks at a change that is not committed yet, on top of the line's newest commit. The line
/// must measure nothing else.
///
/// # Errors
/// As of [`run`].
pub fn run_pending(plan: &Plan, pending: &Pending, progress: &dyn Progress) -> Result<Run> {
    Pass::new(plan, Some(pending), progress)?.steps(progress)
}

/// Everything before lineages are looked at.
pub(super) struct Pass<'p> {
    plan: &'p Plan,
    line: Line,
    needs: Needs,
    start: usize,
    initial: Vec<(Box<[u8]>, Oid)>,
    changes: Vec<Option<TreeChange>>,
    trouble: Vec<Option<Trouble>>,
    marks: MarksByPosition,
    measured: Vec<bool>,
    /// The last commit of the line stands for what is not committed yet.
    pending: bool,
}

/// What was found, in commit order.
#[derive(Default)]
struct Found {
    edits: BTreeMap<u32, Vec<Edit>>,
    versions: BTreeMap<Option<u32>, Vec<lineage::PathFacts>>,
    churn: BTreeMap<u32, Vec<Churn>>,
    strange: BTreeMap<u32, u32>,
    integrity: BTreeMap<u32, Vec<Integrity>>,
    others: BTreeMap<u32, Vec<OtherFile>>,
    counts: RunCounts,
}

/// A file and its changed lines; `None`: not known.
type Churn = (Arc<[u8]>, Option<u64>);

impl<'p> Pass<'p> {
    pub(super) fn new(
        plan: &'p Plan,
        pending: Option<&Pending>,
        progress: &dyn Progress,
    ) -> Result<Pass<'p>> {
        let reader = plan.repo.reader()?;
        let mut line = plan.line.clone();
        if let Some(pending) = pending {
            line.push_pending(&reader, pending)?;
        }
        let needs = plan.needs;
        let length = line.commits.len();
        let mut measured = vec![false; length];
        for p in &line.measured {
            if let Some(m) = measured.get_mut(*p) {
                *m = true;
            }
        }
        // What marks files in a chain is its base's, so that a chain is always walked from there.
        let windowed = needs.origins || needs.tree || needs.hot_share || line.chain.is_some();
        let first = line.measured.first().copied().unwrap_or(length);
        let start = if first == 0 {
            0
        } else if windowed {
            1
        } else {
            first
        };
        let start = start.min(length);
        let mut pass = Pass {
            plan,
            needs,
            start,
            initial: Vec::new(),
            changes: vec![None; length],
            trouble: vec![None; length],
            marks: MarksByPosition::new(&reader, &[], &[])?,
            measured,
            pending: pending.is_some(),
            line,
        };
        if line_is_empty(&pass.line) {
            return Ok(pass);
        }
        let base = pass.base_tree(&reader)?;
        pass.initial = match base {
            Some(tree) => reader
                .files(tree)?
                .into_iter()
                .filter_map(|(path, entry)| Some((path, file(Some(entry))?)))
                .collect(),
            None => Vec::new(),
        };
        pass.read_changes(base, pending, progress)?;
        pass.marks = MarksByPosition::new(&reader, &pass.initial, &pass.changes[start..])?;
        Ok(pass)
    }

    /// The tree before the first change looked at: of the commit before it, of its parent
    /// outside of the line, or none (a root, or a shallow edge).
    fn base_tree(&self, reader: &Reader) -> Result<Option<Oid>> {
        if let Some(before) = self.start.checked_sub(1) {
            return Ok(self.line.commits.get(before).map(|c| c.commit.tree));
        }
        let Some(first) = self.line.commits.first() else {
            return Ok(None);
        };
        if first.commit.shallow {
            return Ok(Some(first.commit.tree));
        }
        match first.commit.parents.first() {
            Some(parent) => Ok(Some(reader.commit(*parent)?.tree)),
            None => Ok(None),
        }
    }

    /// Diffs the trees of neighbours, on all threads.
    fn read_changes(
        &mut self,
        base: Option<Oid>,
        pending: Option<&Pending>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let length = self.line.commits.len();
        let last = if pending.is_some() {
            length - 1
        } else {
            length
        };
        let start = self.start;
        let tree_of = |p: usize| match p.checked_sub(start) {
            Some(0) => base,
            _ => p
                .checked_sub(1)
                .and_then(|b| self.line.commits.get(b))
                .map(|c| c.commit.tree),
        };
        let pairs: Vec<(usize, Option<Oid>, Oid)> = (start..last)
            .filter_map(|p| Some((p, tree_of(p), self.line.commits.get(p)?.commit.tree)))
            .collect();
        let chunks: Vec<&[(usize, Option<Oid>, Oid)]> = pairs.chunks(16).collect();
        progress.begin("reading changes", pairs.len() as u64);
        let results = threads::on_all(
            self.plan.threads,
            chunks.len(),
            || self.plan.repo.reader(),
            |reader, i| {
                let mut out = Vec::new();
                for (p, old, new) in chunks.get(i).copied().unwrap_or_default() {
                    out.push((*p, reader.change(*old, Some(*new))));
                    progress.advance(1);
                }
                Ok(out)
            },
        )?;
        progress.end();
        for (p, change) in results.into_iter().flatten() {
            match change {
                Ok(c) => self.changes[p] = Some(c),
                Err(e) => self.trouble[p] = Some(Trouble::Missing(e.to_string())),
            }
        }
        self.bridge_gaps(base)?;
        if let Some(pending) = pending {
            let reader = self.plan.repo.reader()?;
            self.changes[length - 1] = Some(reader.pending_change(pending));
        }
        if self.start == 0 && self.line.cut() {
            self.trouble[0] = Some(Trouble::Shallow);
            self.changes[0] = None;
        }
        Ok(())
    }

    /// Where a tree could not be read, the next readable one is compared with the last
    /// readable one, so that later changes stay right; both changes are in trouble.
    fn bridge_gaps(&mut self, base: Option<Oid>) -> Result<()> {
        let gaps: Vec<usize> = (self.start..self.changes.len())
            .filter(|p| self.trouble[*p].is_some())
            .collect();
        if gaps.is_empty() {
            return Ok(());
        }
        let reader = self.plan.repo.reader()?;
        let mut readable = base;
        for p in self.start..self.line.commits.len() {
            let tree = self.line.commits[p].commit.tree;
            if self.trouble[p].is_some() {
                if let Ok(change) = reader.change(readable, Some(tree)) {
                    self.changes[p] = Some(change);
                    readable = Some(tree);
                }
            } else {
                readable = Some(tree);
            }
        }
        Ok(())
    }

    pub(super) fn ground(&self) -> Ground<'_> {
        Ground {
            line: &self.line,
            changes: &self.changes,
            marks: &self.marks,
            start: self.start,
            measured: &self.measured,
            settings: &self.plan.settings,
            needs: self.needs,
            paths: &self.plan.paths,
            ignored: &self.plan.ignored,
        }
    }

    /// The lineages worth looking at, the heaviest first.
    pub(super) fn lineages(&self) -> Vec<lineage::Lineage> {
        let mut all = join::join(&self.changes, &self.initial, self.start);
        if !self.needs.tree {
            all.retain(|l| !l.events.is_empty());
        }
        all.sort_by_key(|l| std::cmp::Reverse(l.events.len()));
        all
    }

    /// The lineage a path of the newest tree belongs to; `None` where it never changed.
    pub(super) fn lineage_of(&self, path: &[u8]) -> Option<lineage::Lineage> {
        join::join(&self.changes, &self.initial, self.start)
            .into_iter()
            .find(|l| {
                l.events.iter().any(|(p, i)| {
                    self.changes
                        .get(*p as usize)
                        .and_then(Option::as_ref)
                        .and_then(|c| c.files.get(*i as usize))
                        .is_some_and(|f| *f.path == *path)
                })
            })
    }

    /// Why the window of the newest commit is not known, where it is not.
    pub(super) fn unknown_window(&self) -> Option<String> {
        self.window(self.line.commits.len().checked_sub(1)?).cut
    }

    fn look(&self, progress: &dyn Progress) -> Result<Found> {
        let ground = self.ground();
        let lineages = self.lineages();
        let others = others::paths(&ground);
        // Single files are too little work to hand out one by one.
        let batches = threads::batches(lineages.len() + others.len(), |i| {
            let lineage = lineages.get(i).map(|l| l.events.len() + l.initial.len());
            let other = || others.get(i - lineages.len()).map(|p| p.len() / 2);
            lineage.or_else(other).unwrap_or(1).max(1)
        });
        progress.begin("reading versions", batches.len() as u64);
        let results = threads::on_all(
            self.plan.threads,
            batches.len(),
            || Worker::new(&self.plan.repo, self.plan.settings.profile),
            |worker, i| {
                let before = worker.counts();
                let mut found: Vec<Findings> = Vec::new();
                let mut other: Vec<(usize, OtherFile)> = Vec::new();
                for item in batches.get(i).cloned().unwrap_or_default() {
                    match lineages.get(item) {
                        Some(l) => found.push(lineage::walk(&ground, worker, l, None)?),
                        None => {
                            if let Some(path) = others.get(item - lineages.len()) {
                                other.extend(others::walk(&ground, worker, path));
                            }
                        }
                    }
                }
                progress.advance(1);
                Ok((found, other, worker.counts().minus(before)))
            },
        )?;
        progress.end();
        let mut all = Found::default();
        for (findings, other, counts) in results {
            all.counts = all.counts.plus(counts);
            for f in findings {
                all.take(f);
            }
            for (p, o) in other {
                all.others.entry(number(p)).or_default().push(o);
            }
        }
        all.counts.commits = self.line.commits.len() as u64;
        Ok(all)
    }
}

fn line_is_empty(line: &Line) -> bool {
    line.commits.is_empty() || line.measured.is_empty()
}

fn number(p: usize) -> u32 {
    u32::try_from(p).unwrap_or(u32::MAX)
}

impl Found {
    fn take(&mut self, f: Findings) {
        for (p, edit) in f.edits {
            self.edits.entry(p).or_default().push(edit);
        }
        for (p, facts) in f.versions {
            self.versions.entry(p).or_default().push(facts);
        }
        for (p, path, churn) in f.churn {
            self.churn.entry(p).or_default().push((path, churn));
        }
        for p in f.strange_resets {
            *self.strange.entry(p).or_default() += 1;
        }
        for (p, i) in f.integrity {
            self.integrity.entry(p).or_default().push(i);
        }
    }
}
