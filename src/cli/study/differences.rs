//! What the arms were made with, side by side, and how it differs: read from records, never
//! guessed. What no record tells is unknown, and unknown is never equal.
//!
//! Chains are compared task by task: that tasks differ is what tasks are for.

mod declared;
mod said;

use std::collections::{BTreeMap, BTreeSet};

use self::declared::is_declared;
use self::said::{Said, Thing, read};
use crate::cli::output::say;
use crate::cli::session::{Done, Session};
use crate::error::Result;
use crate::ledger::Chain;
use crate::report::{Declared, Difference, Provenance};

/// The chains of arms, and what is said of each.
pub(super) struct Compared {
    /// By arm, by chain.
    arms: Vec<Vec<Said>>,
}

impl Compared {
    /// Reads the records of the chains of `arms`.
    ///
    /// # Errors
    /// The repository or a configuration cannot be read.
    pub(super) fn read(session: &Session<'_>, arms: &[Vec<&Chain>]) -> Result<Compared> {
        Ok(Compared {
            arms: read(session, arms)?,
        })
    }

    /// How what produced the arms differs, in the study's order; what the plan does not declare
    /// comes first.
    pub(super) fn differences(&self) -> Vec<Difference> {
        let tasks: BTreeSet<&str> = self.all().map(|s| s.task.as_str()).collect();
        let mut found = Vec::new();
        let mut by_thing = BTreeMap::<&Thing, Vec<(&str, Row)>>::new();
        for task in &tasks {
            for thing in self.things(Some(task)) {
                let row = self.row(thing, Some(task));
                by_thing.entry(thing).or_default().push((task, row));
            }
        }
        for (thing, rows) in by_thing {
            let alike = rows.windows(2).all(|w| w[0].1 == w[1].1);
            let whole = alike && rows.len() == tasks.len();
            let mut told = Vec::<(Vec<&str>, &Row)>::new();
            for (task, row) in rows.iter().filter(|(_, row)| !row.is_one()) {
                match told.iter_mut().find(|(_, known)| *known == row) {
                    Some((of, _)) => of.push(task),
                    None => told.push((vec![task], row)),
                }
            }
            for (of, row) in told {
                let tasks = match whole || of == [""] {
                    true => String::new(),
                    false if of.len() == 1 => format!(" (task {})", of[0]),
                    false => format!(" (tasks {})", of.join(", ")),
                };
                found.push(Difference {
                    sort: thing.sort.word(),
                    what: format!("{}{tasks}", thing.what),
                    values: row.values.clone(),
                    unknown: row.unknown.clone(),
                    declared: self.declared(thing, &of),
                });
            }
        }
        found.extend(self.tasks_done());
        found.sort_by_key(|d| d.declared == Declared::ByThePlan);
        found
    }

    /// What was run, the arms side by side; of files of single checkpoints their number and a
    /// digest over all of them.
    pub(super) fn rows(&self) -> Vec<Provenance> {
        let things = self.things(None).into_iter();
        let mut rows: Vec<Provenance> = things
            .filter(|thing| thing.checkpoint.is_none())
            .map(|thing| {
                let row = self.row(thing, None);
                Provenance {
                    sort: thing.sort.word(),
                    what: thing.what.clone(),
                    values: row.values,
                    unknown: row.unknown,
                }
            })
            .collect();
        let prompts = self.of_each(None, |said| said.prompts());
        if prompts.values.iter().any(|v| !v.is_empty()) {
            let at = rows.iter().position(|r| r.sort == "content");
            let row = Provenance {
                sort: "content",
                what: "prompts".to_owned(),
                values: prompts.values,
                unknown: prompts.unknown,
            };
            rows.insert(at.unwrap_or(rows.len()), row);
        }
        rows
    }

    fn all(&self) -> impl Iterator<Item = &Said> {
        self.arms.iter().flatten()
    }

    fn on<'s>(&'s self, task: Option<&'s str>) -> impl Iterator<Item = &'s Said> {
        self.all().filter(move |s| task.is_none_or(|t| s.task == t))
    }

    /// Everything that is said of any chain.
    fn things<'s>(&'s self, task: Option<&'s str>) -> BTreeSet<&'s Thing> {
        self.on(task).flat_map(|s| s.facts.keys()).collect()
    }

    fn row(&self, thing: &Thing, task: Option<&str>) -> Row {
        self.of_each(task, |said| said.of(thing))
    }

    fn of_each(&self, task: Option<&str>, of: impl Fn(&Said) -> Option<BTreeSet<String>>) -> Row {
        let mut row = Row::default();
        for arm in &self.arms {
            let mut values = BTreeSet::new();
            let mut unknown = 0;
            for said in arm.iter().filter(|s| task.is_none_or(|t| s.task == t)) {
                match of(said) {
                    Some(told) => values.extend(told),
                    None => unknown += 1,
                }
            }
            row.values.push(values.into_iter().collect());
            row.unknown.push(unknown);
        }
        row
    }

    /// Whether the plan says that `thing` differs in the chains of these tasks.
    fn declared(&self, thing: &Thing, tasks: &[&str]) -> Declared {
        let these = || self.all().filter(|s| tasks.contains(&s.task.as_str()));
        if these().all(|s| s.plan.is_none()) {
            return Declared::NoPlan;
        }
        // By arm of the plan: what it has, and whether the plan sets it there.
        let mut of = BTreeMap::<_, (BTreeSet<String>, bool)>::new();
        for said in these() {
            let (Some(plan), Some(values)) = (&said.plan, said.of(thing)) else {
                return Declared::No;
            };
            let set = is_declared(plan, &said.arm, thing);
            let of_task = (said.experiment.as_str(), said.arm.as_str(), &said.task);
            let (known, sets) = of.entry(of_task).or_default();
            known.extend(values);
            *sets |= set;
        }
        let others: BTreeSet<_> = of
            .values()
            .filter(|(_, set)| !set)
            .map(|(v, _)| v)
            .collect();
        let one_each = of.values().all(|(values, _)| values.len() == 1);
        match one_each && others.len() <= 1 && of.values().any(|(_, set)| *set) {
            true => Declared::ByThePlan,
            false => Declared::No,
        }
    }

    /// The tasks that the arms did, where they are not the same.
    fn tasks_done(&self) -> Option<Difference> {
        let of = |arm: &Vec<Said>| arm.iter().map(|s| s.task.clone()).collect::<BTreeSet<_>>();
        let done: Vec<BTreeSet<String>> = self.arms.iter().map(of).collect();
        if done.windows(2).all(|w| w[0] == w[1]) {
            return None;
        }
        let named = |tasks: BTreeSet<String>| {
            let named: Vec<String> = tasks.into_iter().filter(|t| !t.is_empty()).collect();
            vec![match named.is_empty() {
                true => "none".to_owned(),
                false => named.join(", "),
            }]
        };
        Some(Difference {
            sort: "plan",
            what: "tasks".to_owned(),
            unknown: vec![0; done.len()],
            values: done.into_iter().map(named).collect(),
            declared: match self.all().all(|s| s.plan.is_none()) {
                true => Declared::NoPlan,
                false => Declared::No,
            },
        })
    }
}

/// What the arms have of one thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Row {
    values: Vec<Vec<String>>,
    unknown: Vec<u64>,
}

impl Row {
    /// Whether all chains of all arms have the same, and it is known of each.
    fn is_one(&self) -> bool {
        let all: BTreeSet<&String> = self.values.iter().flatten().collect();
        all.len() <= 1 && self.unknown.iter().all(|n| *n == 0)
    }
}

/// The differences that no plan declares.
pub(super) fn undeclared(all: &[Difference]) -> impl Iterator<Item = &Difference> {
    let meant = Declared::ByThePlan;
    all.iter().filter(move |d| d.declared != meant)
}

/// What `--strict-provenance` makes of `done`: failed, where a difference is not declared; says
/// which.
pub(in crate::cli) fn strict(all: &[Difference], done: Done) -> Done {
    let names: Vec<&str> = undeclared(all).map(|d| d.what.as_str()).collect();
    if names.is_empty() {
        return done;
    }
    say(&format!(
        "the arms differ in what the plan does not declare: {}",
        names.join("; ")
    ));
    Done::Failed
}

#[cfg(test)]
mod tests;
