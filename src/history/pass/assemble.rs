//! Findings put back into commit order: one step for each measured change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::record::Role;
use crate::repo::Reader;

use super::super::ground::Ground;
use super::super::hot_share::HotFiles;
use super::super::line::WindowRule;
use super::super::threads::Progress;
use super::super::tree_state::TreeState;
use super::super::worker::Worker;
use super::super::{
    ConfigLines, Context, Edit, Integrity, Place, State, Step, Window, config_lines, integrity,
};
use super::{Found, Pass, Run, number};

impl Pass<'_> {
    pub(super) fn steps(&self, progress: &dyn Progress) -> Result<Run> {
        let mut found = self.look(progress)?;
        let reader = self.plan.repo.reader()?;
        let ground = self.ground();
        let mut tree = TreeState::new(&self.plan.settings, &self.initial);
        let mut config = self.initial_config()?;
        for (path, facts) in found.versions.remove(&None).unwrap_or_default() {
            tree.version(&ground, None, &path, facts);
        }
        let mut hot = HotFiles::default();
        // The next change that the base, at first the initial tree, has to take in.
        let mut base_next = self.start;
        let mut steps: Vec<Step> = Vec::new();
        for p in self.start..self.line.commits.len() {
            if self.needs.tree {
                self.advance_tree(&ground, &mut tree, &mut found, p);
                // The first commit is the base of those after it, not its own.
                let base = self.line.window_base(p);
                while base_next <= base && base_next < p {
                    if let Some(Some(change)) = self.changes.get(base_next) {
                        tree.base_change(change);
                    }
                    base_next += 1;
                }
            }
            for (path, churn) in found.churn.remove(&number(p)).unwrap_or_default() {
                hot.add(number(p), path, churn);
            }
            let others = found.others.remove(&number(p)).unwrap_or_default();
            let mut other_edits = Vec::new();
            let mut there = Vec::new();
            for other in others {
                other_edits.extend(other.edit);
                // What is gone first: another file may have taken its path.
                for path in other.config_gone {
                    config.remove(&path);
                }
                there.extend(other.config);
            }
            config.extend(there);
            if !self.measured[p] {
                continue;
            }
            let mut edits = found.edits.remove(&number(p)).unwrap_or_default();
            edits.extend(other_edits);
            edits.sort_by(|a, b| a.path.cmp(&b.path));
            if !self.plan.paths.is_empty() && !self.touches_paths(p) {
                continue;
            }
            hot.forget(number(self.line.window_base(p)));
            let state =
                (self.needs.tree || self.needs.config_lines || self.needs.hot_share).then(|| {
                    State {
                        languages: tree.read(),
                        config: sum(&config).filter(|_| self.needs.config_lines),
                        hot_share: hot.share().filter(|_| self.needs.hot_share),
                    }
                });
            steps.push(self.step(&reader, p, edits, state, &mut found)?);
        }
        self.attach_resets(&mut steps, &found);
        let context = Arc::new(self.context());
        for s in &mut steps {
            s.context = Arc::clone(&context);
        }
        Ok(Run {
            steps,
            counts: found.counts,
        })
    }

    fn advance_tree(
        &self,
        ground: &Ground<'_>,
        tree: &mut TreeState<'_>,
        found: &mut Found,
        p: usize,
    ) {
        if let Some(Some(change)) = self.changes.get(p) {
            tree.change(change);
        }
        for (path, facts) in found.versions.remove(&Some(number(p))).unwrap_or_default() {
            if facts.is_some() {
                tree.version(ground, Some(p), &path, facts);
            }
        }
        if self.line.chain.is_none() && self.marks.moved(p - self.start) {
            tree.recount(ground, p);
        }
    }

    fn initial_config(&self) -> Result<ConfigFiles> {
        let mut config = BTreeMap::new();
        if !self.needs.config_lines {
            return Ok(config);
        }
        let mut worker = Worker::new(&self.plan.repo, self.plan.settings.profile)?;
        for (path, blob) in &self.initial {
            if config_lines::counts(&self.plan.settings, path) {
                let bytes = worker.read(*blob);
                let lines = bytes.map(|b| config_lines::count(path, &b));
                config.insert(path.clone(), lines);
            }
        }
        Ok(config)
    }

    fn touches_paths(&self, p: usize) -> bool {
        self.changes
            .get(p)
            .and_then(Option::as_ref)
            .is_none_or(|c| c.files.iter().any(|f| self.plan.paths.takes(f)))
    }

    fn step(
        &self,
        reader: &Reader,
        p: usize,
        edits: Vec<Edit>,
        state: Option<State>,
        found: &mut Found,
    ) -> Result<Step> {
        let at = self
            .line
            .commits
            .get(p)
            .ok_or_else(|| Error::internal("a step outside of its line"))?;
        let change = self.changes.get(p).and_then(Option::as_ref);
        let mut integrity = found.integrity.remove(&number(p)).unwrap_or_default();
        if let Some(change) = change {
            integrity.extend(integrity::of_change(reader, at.commit.tree, change));
        }
        let position = self.line.measured.partition_point(|m| *m < p);
        let pending = self.pending && p + 1 == self.line.commits.len();
        Ok(Step {
            commit: Arc::clone(&at.commit),
            parent: if at.commit.shallow {
                None
            } else {
                at.commit.parents.first().copied()
            },
            place: match &self.line.chain {
                Some(label) => Place::Chain {
                    path: label.path.clone(),
                    label: label.label.clone(),
                    checkpoint: at.checkpoint,
                    checkpoint_id: at.checkpoint_id.clone(),
                    role: at.role,
                },
                None => Place::Plain {
                    position: number(position + 1),
                },
            },
            context: Arc::default(),
            window: self.window(p),
            root: at.commit.parents.is_empty(),
            merge: at.commit.parents.len() > 1,
            ignored_rev: self.plan.ignored.contains(&at.commit.id),
            pending,
            turn: at.turn,
            trouble: self.trouble.get(p).cloned().flatten(),
            rename_limit_hit: change.is_some_and(|c| c.rename_limit_hit),
            edits,
            state,
            integrity,
            evidence: self.line.evidence.clone().filter(|_| !pending),
        })
    }

    pub(super) fn window(&self, p: usize) -> Window {
        let base = self.line.window_base(p);
        let length = p - base;
        let (short, wanted) = match self.line.window {
            WindowRule::Lookback(n) => (length < n as usize, n),
            WindowRule::Base(_) | WindowRule::Start => (false, 0),
        };
        let gap = self.trouble.iter().any(Option::is_some)
            && (base + 1..=p).any(|q| matches!(self.trouble.get(q), Some(Some(_))));
        let cut = if short && self.line.cut() {
            let s = if length == 1 { "" } else { "s" };
            Some(format!(
                "a shallow clone cuts the history off {length} change{s} before this one; \
                 {wanted} are needed (`git fetch --unshallow`)"
            ))
        } else if gap {
            Some("a commit of the window could not be read".to_owned())
        } else {
            None
        };
        Window {
            length: number(length),
            base: self
                .line
                .commits
                .get(base)
                .map(|c| c.commit.id)
                .filter(|_| p > 0),
            growing: short && !self.line.cut(),
            cut,
        }
    }

    /// Says on the agent commit's step that the reset after it touched production code.
    fn attach_resets(&self, steps: &mut [Step], found: &Found) {
        for (reset, files) in &found.strange {
            let mut of = BTreeSet::new();
            if let Some(c) = self.line.commits.get(*reset as usize) {
                of.insert(c.commit.id);
            }
            let agent = self.line.commits[..*reset as usize]
                .iter()
                .rev()
                .find(|c| c.role == Role::Agent);
            of.extend(agent.map(|c| c.commit.id));
            for step in steps.iter_mut().filter(|s| of.contains(&s.commit.id)) {
                step.integrity
                    .push(Integrity::ResetTouchedProduction { files: *files });
            }
        }
    }

    fn context(&self) -> Context {
        Context {
            language: self.plan.settings.language.or(self.plan.language),
            thresholds: self.plan.settings.thresholds,
            needs: self.needs,
            entry_given: self.plan.settings.entry.is_some(),
            prices: self.plan.settings.prices.clone(),
        }
    }
}

/// Configuration files; `None`: not readable.
type ConfigFiles = BTreeMap<Box<[u8]>, Option<ConfigLines>>;

/// All of them; `None` where one is not readable.
fn sum(config: &ConfigFiles) -> Option<ConfigLines> {
    config.values().try_fold(ConfigLines::default(), |a, b| {
        b.map(|b| ConfigLines {
            yaml: a.yaml + b.yaml,
            all: a.all + b.all,
        })
    })
}
