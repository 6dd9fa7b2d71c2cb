//! The clone that sessions of one attempt work in, and what is taken from it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use super::chain::Chain;
use super::overlay::Edits;
use super::scratch;
use super::state::Taken;
use crate::error::{Error, Result};
use crate::harness::agents::{Variables, contained, environment, ignored_sources, take_in_bounds};
use crate::harness::own_work::OwnWork;
use crate::harness::pending::named;
use crate::harness::sandbox::{Sandbox, Shown};
use crate::harness::setups::{Prepared, Room, all};
use crate::plan::Checkpoint;
use crate::record::{Moment, Paths, RecordId};
use crate::repo::{CloneNote, Oid, Reader, Repo, TreePath, Writer};

/// Most commits that a record lists.
const LISTED: usize = 1_000;

/// A clone of a session's own.
pub(super) struct Clone {
    /// Its work tree.
    pub(super) top: PathBuf,
    /// The commit it was made of.
    from: Oid,
    /// What its git directory was like.
    note: CloneNote,
    /// Set-up commands and services.
    pub(super) prepared: Prepared,
    /// The tree that set-up commands left, where they changed something.
    set_up: Option<Oid>,
}

impl Clone {
    /// The tree that set-up commands left, where they changed something.
    pub(super) fn left_by_set_up(&self) -> Option<Oid> {
        self.set_up
    }
}

impl Chain<'_> {
    /// A fresh clone of `from`, where the one before is gone.
    pub(super) fn fresh_clone(&self, from: Oid) -> Result<Clone> {
        let top = self.scratch.clone();
        scratch::remove(&top)?;
        let history = self.working.agent.history;
        let base = self.standing.base;
        self.run.repo.isolated_clone(from, base, history, &top)?;
        Ok(Clone {
            note: CloneNote::of(&top)?,
            top,
            from,
            prepared: Prepared::default(),
            set_up: None,
        })
    }

    /// Runs the set-up commands in a clone. What they leave there is not the agent's.
    pub(super) fn prepare(
        &self,
        place: Option<(u32, &Checkpoint)>,
        clone: &mut Clone,
        id: &RecordId,
    ) -> Result<()> {
        let setups = all(self.run.plan, self.arm, self.task);
        // What was generated is part of the base already.
        let setups: Vec<_> = setups.iter().filter(|(_, s)| !s.generates).collect();
        if setups.is_empty() {
            return Ok(());
        }
        let kept = self.scratch.session(&format!("{id}-setup"));
        let home = kept.join("home");
        std::fs::create_dir_all(&home)
            .map_err(|e| Error::git(format!("making {}", home.display())).with_source(e))?;
        let places = self.scratch.places_at(place, None);
        let agent = self.working.agent;
        let none = BTreeMap::new();
        let variables = Variables {
            set: &none,
            passed: &agent.pass_environment,
        };
        let environment = environment(&places, &home, variables)?;
        let writable = vec![
            clone.top.clone(),
            home,
            self.scratch.cache(),
            self.scratch.tmp(),
        ];
        let mark = id.to_string();
        let room = Room {
            place: "clone",
            top: &clone.top,
            kept: &kept,
            places: &places,
            environment: &environment,
            sandbox: Sandbox::wanted(&Shown {
                isolation: agent.isolation,
                writable,
                readable: agent.visible.clone(),
                hidden: self.run.hidden(),
                network: true,
                program: None,
                path: environment.get(OsStr::new("PATH")),
                folder: &clone.top,
            })?,
            mark: &mark,
            stop: &self.run.stop,
        };
        for (of, setup) in setups {
            clone.prepared.add(&room, of, setup)?;
            if clone.prepared.failed.is_some() || self.run.stop.asked() {
                return Ok(());
            }
        }
        let from = self.reader.commit(clone.from)?.tree;
        let bounds = take_in_bounds();
        let left = self.run.repo.take_in(&clone.top, from, &bounds)?.tree;
        clone.set_up = (left != from).then_some(left);
        Ok(())
    }

    /// What stands in the clone now, as it would be committed.
    pub(super) fn taken(&self, clone: &Clone, (number, _): (u32, &Checkpoint)) -> Result<Taken> {
        let repo = self.run.repo;
        let from = self.reader.commit(clone.from)?.tree;
        let found = repo.take_in(&clone.top, from, &take_in_bounds())?;
        let own = repo.own_commits(&clone.top, clone.from)?;
        // What came in a pack is seen by a reader that is new.
        let reader = repo.reader()?;
        let (tree, left_out) = match clone.set_up {
            Some(set_up) => without(repo, &reader, from, set_up, found.tree)?,
            None => (found.tree, Vec::new()),
        };
        if let Some(why) = &own.refused {
            let remark =
                format!("checkpoint {number}: the agent's own commits are not kept: {why}");
            let event = super::watch::Happens::Remark(&remark);
            self.run.tell(&self.path, &event);
        }
        let tip = own
            .commits
            .last()
            .copied()
            .or(own.tip.filter(|t| *t == clone.from));
        let committed = match tip {
            Some(tip) => reader.commit(tip)?.tree,
            None => from,
        };
        let open = reader.deltas(committed, tree)?;
        let new: Vec<&TreePath> = open
            .iter()
            .filter(|d| d.old.is_none())
            .map(|d| &d.path)
            .collect();
        let rewritten = own.rewritten.unwrap_or(false);
        let tips = match own.commits.is_empty() {
            true => Vec::new(),
            false => own.tip.into_iter().map(named).collect(),
        };
        let work = OwnWork::folded(tip.unwrap_or(clone.from), own.commits, rewritten);
        Ok(Taken {
            tree: named(tree),
            commit_count: work.commits.len() as u64,
            messages: work.messages(&reader)?,
            commits: work
                .commits
                .iter()
                .take(LISTED)
                .copied()
                .map(named)
                .collect(),
            tips,
            history_rewritten: rewritten,
            uncommitted: !open.is_empty(),
            untracked: Paths::of(new.into_iter().map(AsRef::as_ref)),
            left_out: paths(&left_out),
            ignored_sources: ignored_sources(&found),
            contained: contained(&found, &clone.note.changed(&clone.top)).unwrap_or_default(),
            answer: None,
            ended: Moment::now(),
        })
    }
}

/// `tree` without what set-up commands left in it and nobody changed since; and the paths of that.
fn without(
    repo: &Repo,
    reader: &Reader,
    from: Oid,
    set_up: Oid,
    tree: Oid,
) -> Result<(Oid, Vec<TreePath>)> {
    let mut edits = Edits::new();
    for left in reader.deltas(from, set_up)? {
        if reader.leaf(tree, &left.path)? == left.new {
            edits.insert(left.path, left.old);
        }
    }
    let paths = edits.keys().cloned().collect();
    let tree = Writer::open(repo)?.tree_with(reader, tree, &edits)?;
    Ok((tree, paths))
}

fn paths(all: &[TreePath]) -> Paths {
    Paths::of(all.iter().map(AsRef::as_ref))
}
