//! The chains of an arm, and what is added up over them.

use std::collections::BTreeMap;

use super::super::{Gathered, GatheredChain};
use super::{Cell, Work, within};
use crate::measure::Value;
use crate::report::{Change, StudyArm, StudyChain, counted};
use crate::stats::{Mean, Proportion, Tries, mean_over_tasks, proportion};

/// An arm.
pub(super) struct Arm<'g> {
    /// Its name.
    pub name: &'g str,
    /// True of the one that others are compared with.
    pub baseline: bool,
    /// Its chains.
    pub runs: Vec<Run<'g>>,
}

/// A chain.
pub(super) struct Run<'g> {
    /// Its experiment: tasks of one name in two experiments are two tasks.
    pub experiment: &'g str,
    /// Its task.
    pub task: Option<&'g str>,
    /// How many checkpoints the plan has for it.
    pub planned: Option<u32>,
    /// The checkpoints that were reached.
    pub reached: BTreeMap<u32, &'g Change>,
    /// What is kept of its records.
    pub work: &'g Work,
}

impl<'g> Arm<'g> {
    /// The chains of `arm`, found in `gathered` by their labels.
    pub(super) fn of(gathered: &'g Gathered<'_>, arm: &'g StudyArm) -> Arm<'g> {
        let all = || gathered.arms.iter().flat_map(|a| &a.chains);
        let run = |chain: &'g StudyChain| {
            let found = all().find(|g| g.chain.label == chain.label)?;
            Some(Run::of(found, chain.planned))
        };
        Arm {
            name: &arm.name,
            baseline: arm.baseline,
            runs: arm.chains.iter().filter_map(run).collect(),
        }
    }
}

impl<'g> Run<'g> {
    /// Of a chain; `planned` as the study says it, else as its records do.
    pub(super) fn of(chain: &'g GatheredChain<'_>, planned: Option<u32>) -> Run<'g> {
        Run {
            experiment: &chain.chain.path.experiment,
            task: chain.chain.path.task.as_deref(),
            planned: planned.or(chain.work.planned),
            // Of several agent commits of one checkpoint the last counts.
            reached: chain.changes.iter().map(|c| (c.index(), c)).collect(),
            work: &chain.work,
        }
    }

    /// What a measure says at a checkpoint that was reached.
    ///
    /// # Errors
    /// Why there is no number.
    pub(super) fn at(&self, checkpoint: u32, id: &str) -> Result<f64, String> {
        let change = self.reached.get(&checkpoint);
        let change = change.ok_or_else(|| "not reached".to_owned())?;
        number(change, id)
    }

    /// The sum of a measure over the checkpoints that were reached.
    ///
    /// # Errors
    /// Why one of them has no number.
    pub(super) fn sum(&self, id: &str) -> Result<f64, String> {
        if self.reached.is_empty() {
            return Err("no checkpoint was reached".to_owned());
        }
        let each = self
            .reached
            .iter()
            .map(|(k, change)| number(change, id).map_err(|why| format!("checkpoint {k}: {why}")));
        each.sum()
    }

    /// Whether every checkpoint of the plan was reached.
    ///
    /// # Errors
    /// No plan says how many there are.
    pub(super) fn complete(&self) -> Result<bool, String> {
        let planned = self.planned.ok_or_else(no_plan)?;
        Ok((1..=planned).all(|k| self.reached.contains_key(&k)))
    }

    /// Whether it passes: every planned checkpoint is reached, and the last is strict.
    ///
    /// # Errors
    /// Why that is not known.
    pub(super) fn passes(&self) -> Result<bool, String> {
        if !self.complete()? {
            return Ok(false);
        }
        self.passes_at(self.planned.unwrap_or_default())
    }

    /// Whether a checkpoint was reached and is strict.
    ///
    /// # Errors
    /// Why that is not known.
    pub(super) fn passes_at(&self, checkpoint: u32) -> Result<bool, String> {
        match (self.reached.contains_key(&checkpoint), self.planned) {
            (true, _) => Ok(self.at(checkpoint, "strict_pass")? > 0.0),
            (false, Some(planned)) if checkpoint <= planned => Ok(false),
            (false, Some(_)) => Err("its plan has fewer checkpoints".to_owned()),
            (false, None) => Err(no_plan()),
        }
    }
}

fn no_plan() -> String {
    "no plan says how many checkpoints it has".to_owned()
}

/// The number of a figure.
///
/// # Errors
/// Why there is none.
pub(super) fn number(change: &Change, id: &str) -> Result<f64, String> {
    let Some(figure) = change.figure(id) else {
        return Err(format!("{id} was not measured"));
    };
    match &figure.value {
        Value::Known(known) => Ok(known.value),
        Value::Word(_) => Err("a word, not a number".to_owned()),
        Value::Undefined(why) | Value::Unknown(why) => Err(why.clone()),
    }
}

/// What is told of some things and not of others, and why not.
#[derive(Debug, Clone, Default)]
pub(super) struct Told<T> {
    /// By task: what is known.
    pub by_task: BTreeMap<(String, Option<String>), Vec<T>>,
    /// The others' reasons, and how many have each.
    pub lacking: BTreeMap<String, usize>,
}

impl<T: Clone> Told<T> {
    /// What `tell` says of each chain of `arm`.
    pub(super) fn of<'g>(arm: &Arm<'g>, tell: impl Fn(&Run<'g>) -> Result<T, String>) -> Told<T> {
        let mut told = Told {
            by_task: BTreeMap::new(),
            lacking: BTreeMap::new(),
        };
        for run in &arm.runs {
            told.add(run, tell(run));
        }
        told
    }

    /// Takes in what is told of one of a chain's things. A task of which nothing is known is
    /// there, without any.
    pub(super) fn add(&mut self, run: &Run<'_>, one: Result<T, String>) {
        let task = (run.experiment.to_owned(), run.task.map(str::to_owned));
        let known = self.by_task.entry(task).or_default();
        match one {
            Ok(one) => known.push(one),
            Err(why) => *self.lacking.entry(why).or_default() += 1,
        }
    }

    /// How many are known.
    pub(super) fn known(&self) -> usize {
        self.by_task.values().map(Vec::len).sum()
    }

    /// How many are not.
    pub(super) fn unknown(&self) -> usize {
        self.lacking.values().sum()
    }

    /// Unknown, since nothing is told of any of these `things`.
    pub(super) fn nothing(&self, things: &str) -> Value {
        let most = self.lacking.iter().max_by_key(|(_, n)| **n);
        Value::unknown(match most {
            Some((why, _)) => format!("known of none of {} {things}: {why}", self.unknown()),
            None => format!("no {things}"),
        })
    }

    /// Over how many it was taken, and why not over the others.
    pub(super) fn over(&self, one: &str, many: &str) -> String {
        let (known, unknown) = (self.known(), self.unknown());
        let tasks = self.by_task.values().filter(|t| !t.is_empty()).count();
        let mut text = match unknown {
            0 => format!("over {}", counted(known as u64, one, many)),
            _ => format!("over {known} of {} {many}", known + unknown),
        };
        if self.by_task.len() > 1 {
            text += &match tasks == self.by_task.len() {
                true => format!(" of {tasks} tasks"),
                false => format!(" of {tasks} of {} tasks", self.by_task.len()),
            };
        }
        if let Some((why, _)) = self.lacking.iter().max_by_key(|(_, n)| **n) {
            let more = self.lacking.len() - 1;
            text += &match more {
                0 => format!("; left out {unknown}: {why}"),
                _ => format!("; left out {unknown}: {why}, and {more} other reasons"),
            };
        }
        text
    }
}

impl Told<f64> {
    /// The mean over tasks of the mean over a task's.
    pub(super) fn mean(&self) -> Option<Mean> {
        let tasks: Vec<Vec<f64>> = self.by_task.values().cloned().collect();
        mean_over_tasks(&tasks)
    }

    /// The mean of amounts that are never below zero as a score, over these things.
    pub(super) fn cell(&self, one: &str, many: &str) -> Cell {
        match self.mean() {
            Some(mean) => (
                Value::known(mean.value).remarked(self.over(one, many)),
                within(mean.interval(), 0.0, f64::INFINITY),
            ),
            None => (self.nothing(many), None),
        }
    }

    /// The sum over all of it, ÷ how many it is.
    pub(super) fn pooled(&self, many: &str) -> Cell {
        let all = self.by_task.values().flatten();
        let (sum, of) = all.fold((0.0, 0.0), |(sum, of), v| (sum + v, of + 1.0));
        match self.known() {
            0 => (self.nothing(many), None),
            _ => (
                Value::ratio(sum, of, "nothing").remarked(self.over("checkpoint", many)),
                None,
            ),
        }
    }
}

impl Told<bool> {
    /// Passes and tries by task.
    pub(super) fn tries(&self) -> Vec<Tries> {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.by_task
            .values()
            .map(|task| Tries {
                passed: count(task.iter().filter(|p| **p).count()),
                of: count(task.len()),
            })
            .collect()
    }

    /// The mean over tasks of the share that holds.
    pub(super) fn share(&self) -> Option<Proportion> {
        proportion(&self.tries())
    }

    /// The share as a score, over these things; where some are unknown it says between what it
    /// lies whatever they are.
    pub(super) fn cell(&self, one: &str, many: &str) -> Cell {
        let Some(share) = self.share() else {
            return (self.nothing(many), None);
        };
        let mut remark = self.over(one, many);
        let tries = self.tries();
        let value = match tries.as_slice() {
            [only] => {
                let (passed, of) = (f64::from(only.passed), f64::from(only.of));
                let unknown = self.unknown() as f64;
                if unknown > 0.0 {
                    let all = of + unknown;
                    remark += &format!(
                        "; between {:.2} and {:.2} whatever they are",
                        passed / all,
                        (passed + unknown) / all
                    );
                }
                Value::ratio(passed, of, "nothing")
            }
            _ => Value::known(share.value),
        };
        (value.remarked(remark), Some(share.interval))
    }
}
