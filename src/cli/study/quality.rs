//! Cost against quality: how often chains pass, what they cost and take, scores of whole chains,
//! and how arms stand to each other in both.
//!
//! Figures of single checkpoints come from the measures; what is said of a chain, a task or an
//! arm is made of them here, by the formulas of `stats` and the rules of `docs/quality.md`.

mod effort;
mod front;
mod reference;
mod runs;
mod success;
mod whole;

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;

use super::{Gathered, GatheredChain};
use crate::history::ChainEvidence;
use crate::measure::catalogue::{self, Direction, Measure};
use crate::measure::{Value, Worked, breakages, is_clean, unreached, worked};
use crate::record::Suite;
use crate::report::{Part, Quality, Score, StudyArm};
use crate::stats::{Interval, MIN_CHAINS};

pub(in crate::cli) use reference::references;
use runs::Arm;

/// The measures of checkpoints that scores are made of.
const NEEDED: &str = "outcome,strict_pass,iso_pass,core_pass,nc_initial,nc_prev,regressions,first_try,attempts,\
     cost_usd,cost_usd_all,fixed_tokens,task_tokens,duration_ms,duration_ms_all,wrong_turns_all";

/// With which parameters.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct QualityArgs {
    /// How much more a later checkpoint weighs in an EvoScore than the one before it
    #[arg(long, value_name = "γ,…", value_delimiter = ',', default_values_t = GAMMAS,
          value_parser = gamma)]
    pub gamma: Vec<f64>,
    /// Of how many tries pass@k and pass^k speak (else: every number up to the fewest chains of
    /// a task)
    #[arg(long, value_name = "K,…", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub k: Vec<u32>,
    /// How often chains pass at each checkpoint, too
    #[arg(long)]
    pub per_checkpoint: bool,
}

/// The weights that EvoScores are shown at.
pub(in crate::cli) const GAMMAS: [f64; 3] = [1.0, 1.5, 2.0];

/// A weight as typed.
fn gamma(typed: &str) -> std::result::Result<f64, String> {
    match typed.parse::<f64>() {
        Ok(gamma) if gamma > 0.0 && gamma <= 1e6 => Ok(gamma),
        _ => Err("a number above 0, at most 1000000".to_owned()),
    }
}

impl QualityArgs {
    /// The weights: those typed, else the usual ones.
    fn gammas(&self) -> Vec<f64> {
        match self.gamma.is_empty() {
            true => GAMMAS.to_vec(),
            false => self.gamma.clone(),
        }
    }
}

/// What is kept of a chain's records beside figures of its checkpoints.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Work {
    /// How many checkpoints its plan has; `None` where no plan says.
    pub planned: Option<u32>,
    /// By checkpoint that was reached.
    at: BTreeMap<u32, Worked>,
    /// US dollars and tokens spent on checkpoints that were never reached.
    unreached: (Result<f64, String>, Result<f64, String>),
    /// Whether it never broke a test.
    clean: Result<bool, String>,
}

impl Work {
    /// What `evidence` says; nothing is known where records were not read.
    pub(super) fn of(evidence: Option<&ChainEvidence>) -> Work {
        let Some(evidence) = evidence else {
            let why = || "the records were not read".to_owned();
            return Work {
                planned: None,
                at: BTreeMap::new(),
                unreached: (Err(why()), Err(why())),
                clean: Err(why()),
            };
        };
        let reached = evidence.checkpoints.iter();
        let reached = reached.filter(|c| c.checkpoint > 0 && c.commit.is_some());
        let planned = u32::try_from(evidence.plan.checkpoints.len()).ok();
        let clean = is_clean(&breakages(evidence));
        Work {
            planned: planned.filter(|n| *n > 0),
            at: reached
                .map(|c| (c.checkpoint, worked(evidence, c.checkpoint)))
                .collect(),
            unreached: unreached(evidence),
            clean: clean.ok_or_else(|| silent(evidence)),
        }
    }
}

/// Why it is not known whether a chain ever broke a test: of the first gate that does not say.
fn silent(evidence: &ChainEvidence) -> String {
    let mut reached = evidence.reached().filter(|k| *k > 0);
    let why = reached.find_map(|k| evidence.gate(k, Suite::Acceptance).err());
    why.unwrap_or_else(|| "no checkpoint was reached".to_owned())
}

/// Both ends of an interval moved into what a score can be.
fn within(interval: Option<Interval>, low: f64, high: f64) -> Option<Interval> {
    interval.map(|i| Interval {
        low: i.low.clamp(low, high),
        high: i.high.clamp(low, high),
    })
}

/// The measures that figures have to be there of: those scores are made of, and, where there
/// are `references`, those held against them.
pub(in crate::cli) fn needed(references: bool) -> Vec<&'static Measure> {
    let mut ids: Vec<&'static Measure> = NEEDED.split(',').filter_map(catalogue::find).collect();
    if references {
        ids.extend(reference::measures());
    }
    ids
}

/// What is said of `arms`, whose chains are those of `gathered`, by label. `references` are the
/// chains of known good solutions.
pub(in crate::cli) fn of(
    gathered: &Gathered<'_>,
    arms: &[StudyArm],
    references: &[GatheredChain<'_>],
    asked: &QualityArgs,
) -> Quality {
    let arms: Vec<Arm<'_>> = arms.iter().map(|arm| Arm::of(gathered, arm)).collect();
    let mut scores = success::scores(&arms, asked);
    scores.extend(whole::scores(&arms, &asked.gammas()));
    scores.extend(effort::scores(&arms));
    scores.extend(reference::scores(&arms, references));
    let mut remarks = remarks(&arms);
    let (arms, over) = same_work(arms);
    remarks.extend(over);
    let (front, efficient) = front::of(&arms);
    Quality {
        scores,
        front,
        efficient,
        remarks,
    }
}

/// The arms with their chains of the tasks that all of them worked on, and what is to be said of
/// that: cost and success of other work say nothing of an arm. Where no task is shared, all of
/// them as they are.
fn same_work(mut arms: Vec<Arm<'_>>) -> (Vec<Arm<'_>>, Option<String>) {
    type Task<'g> = (&'g str, Option<&'g str>);
    fn tasks<'g>(arm: &Arm<'g>) -> BTreeSet<Task<'g>> {
        arm.runs.iter().map(|r| (r.experiment, r.task)).collect()
    }
    let each: Vec<BTreeSet<Task<'_>>> = arms.iter().map(tasks).filter(|t| !t.is_empty()).collect();
    let Some((first, others)) = each.split_first() else {
        return (arms, None);
    };
    if others.iter().all(|other| other == first) {
        return (arms, None);
    }
    let in_all = |task: &&Task<'_>| others.iter().all(|other| other.contains(*task));
    let shared: BTreeSet<Task<'_>> = first.iter().filter(in_all).copied().collect();
    if shared.is_empty() {
        let said = "the arms share no task: cost and success stand side by side, and are of \
                    different work";
        return (arms, Some(said.to_owned()));
    }
    for arm in &mut arms {
        arm.runs
            .retain(|r| shared.contains(&(r.experiment, r.task)));
    }
    let names: Vec<&str> = shared.iter().map(|(_, task)| task.unwrap_or("-")).collect();
    let said = format!(
        "where arms stand in cost and success is of the tasks that all of them worked on: {}",
        names.join(", ")
    );
    (arms, Some(said))
}

/// What a reader should know of all of it.
fn remarks(arms: &[Arm<'_>]) -> Vec<String> {
    let few: Vec<String> = arms
        .iter()
        .filter(|arm| arm.runs.len() < MIN_CHAINS)
        .map(|arm| format!("{} {}", arm.name, arm.runs.len()))
        .collect();
    match few.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "too few chains ({}): under {MIN_CHAINS} an arm, intervals are wide and say little",
            few.join(", ")
        )],
    }
}

/// One arm's value of a score, and its interval.
type Cell = (Value, Option<Interval>);

/// What a score is called, before any arm has a value of it.
struct Title {
    id: String,
    measure: Option<&'static Measure>,
    part: Part,
    title: String,
    unit: &'static str,
    direction: Direction,
}

impl Title {
    /// Of a measure of the catalogue.
    fn of(id: &'static str, part: Part) -> Title {
        let measure = catalogue::find(id);
        Title {
            id: id.to_owned(),
            measure,
            part,
            title: measure.map_or(id, |m| m.title).to_owned(),
            unit: measure.map_or("", |m| m.unit),
            direction: measure.map_or(Direction::Descriptive, |m| m.direction),
        }
    }

    /// With a parameter: behind the id in brackets, and `said` of it in the title.
    fn at(mut self, parameter: &str, said: &str) -> Title {
        self.id = format!("{}({parameter})", self.id);
        self.title += said;
        self
    }

    /// Of a score that is no measure.
    fn new(
        id: &str,
        title: &str,
        part: Part,
        (unit, direction): (&'static str, Direction),
    ) -> Title {
        Title {
            id: id.to_owned(),
            measure: None,
            part,
            title: title.to_owned(),
            unit,
            direction,
        }
    }

    /// With a value an arm.
    fn with(self, cells: impl IntoIterator<Item = Cell>) -> Score {
        let (values, intervals) = cells.into_iter().unzip();
        Score {
            id: self.id,
            measure: self.measure,
            part: self.part,
            title: self.title,
            unit: self.unit,
            direction: self.direction,
            values,
            intervals,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm<'g>(name: &'g str, tasks: &[&'g str], work: &'g Work) -> Arm<'g> {
        let run = |task: &&'g str| runs::Run {
            experiment: "shop",
            task: Some(*task),
            planned: None,
            reached: BTreeMap::new(),
            work,
        };
        Arm {
            name,
            baseline: false,
            runs: tasks.iter().map(run).collect(),
        }
    }

    /// The tasks of the chains that are left to each arm, and what is said.
    fn left(of: &[&[&str]]) -> (Vec<usize>, Option<String>) {
        let work = Work::of(None);
        let arms = of.iter().map(|tasks| arm("a", tasks, &work)).collect();
        let (arms, said) = same_work(arms);
        (arms.iter().map(|a| a.runs.len()).collect(), said)
    }

    #[test]
    fn arms_are_held_against_each_other_over_the_tasks_that_all_of_them_worked_on() {
        assert_eq!(left(&[&["x", "y"], &["y", "x", "x"]]), (vec![2, 3], None));
        let (runs, said) = left(&[&["x", "y", "y"], &["y", "z"], &[]]);
        assert_eq!(runs, [2, 1, 0]);
        assert!(said.is_some_and(|s| s.ends_with("worked on: y")));
        let (runs, said) = left(&[&["x"], &["y"]]);
        assert_eq!(runs, [1, 1]);
        assert!(said.is_some_and(|s| s.contains("share no task")));
        assert_eq!(left(&[]), (Vec::new(), None));
    }
}
