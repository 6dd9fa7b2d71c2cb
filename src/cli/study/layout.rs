//! A study laid out: measured chains turned into arms side by side, compared, with what was left
//! out and why.

use std::collections::BTreeMap;

use super::args::StudyArgs;
use super::chosen::{self, Member, Side};
use super::differences::Compared;
use super::pairs::{self, Design};
use super::{Gathered, GatheredChain, figures, quality};
use crate::cli::series::Entry;
use crate::cli::session::Session;
use crate::error::{Error, Result};
use crate::measure::Value;
use crate::measure::catalogue::{Level, Measure};
use crate::record::Role;
use crate::report::{Attempts, LeftOut, Study, StudyArm, StudyChain, StudyCheckpoint, counted};

/// Lays out what was gathered: `measures` of the arms and checkpoints that `args` ask for.
///
/// # Errors
/// Usage for a baseline, a factor or a task that is not there.
pub(in crate::cli) fn lay_out(
    session: &Session<'_>,
    gathered: &Gathered<'_>,
    args: &StudyArgs,
    measures: &[&'static Measure],
) -> Result<Study> {
    let (mut left_out, mut remarks) = (Vec::new(), Vec::new());
    let factor = args.by.as_deref().filter(|by| *by != "task");
    let within = args.within.as_deref();
    let mut sides = chosen::sides(gathered, factor, &mut left_out)?;
    asked_of_tasks(gathered, args)?;
    if let Some(factor) = within.filter(|w| *w != "task") {
        chosen::has_factor(gathered, factor, "--within")?;
    }
    let said = chosen::baseline_first(&mut sides, args.baseline.as_deref(), !args.arms.is_empty())?;
    remarks.extend(said);
    left_out.extend(chains_left_out(gathered, &args.arms));
    let attempts = Attempts::from(args.attempts);
    if attempts == Attempts::Passing {
        left_out.extend(not_passed(&sides));
    }
    let groups = figures::groups(&sides, |entry| match attempts {
        Attempts::All => true,
        Attempts::Passing => passed(entry),
    });
    let of_checkpoints = measures.iter().filter(|m| m.level != Level::Chain);
    let mut tables: Vec<_> = of_checkpoints
        .flat_map(|m| figures::tables(m, &groups))
        .collect();
    let design = Design {
        pairwise: args.pairwise,
        by_task: args.by.as_deref() == Some("task"),
        within,
    };
    pairs::compare_all(&mut tables, &sides, &design, &mut left_out, &mut remarks);
    let arms: Vec<StudyArm> = sides
        .iter()
        .enumerate()
        .map(|(at, s)| arm(s, at == 0))
        .collect();
    let of_arms: Vec<Vec<_>> = sides
        .iter()
        .map(|side| side.chains.iter().map(|c| c.gathered.chain).collect())
        .collect();
    let compared = Compared::read(session, &of_arms)?;
    remarks.extend(reached(&arms));
    remarks.extend(gathered.remarks.iter().cloned());
    Ok(Study {
        stamp: gathered.stamp.clone(),
        settings: gathered.settings.clone(),
        experiments: experiments(gathered),
        by: factor.unwrap_or("arm").to_owned(),
        within: args.within.clone(),
        attempts,
        measures: tables,
        quality: quality::of(gathered, &arms, &gathered.references, &args.quality),
        differences: compared.differences(),
        provenance: compared.rows(),
        left_out,
        remarks,
        arms,
    })
}

/// Refuses what is asked of tasks where there are none.
fn asked_of_tasks(gathered: &Gathered<'_>, args: &StudyArgs) -> Result<()> {
    let asked = |option: &Option<String>| option.as_deref() == Some("task");
    let option = match (asked(&args.by), asked(&args.within)) {
        (true, _) => "--by task",
        (_, true) => "--within task",
        _ => return Ok(()),
    };
    let mut chains = gathered.arms.iter().flat_map(|a| &a.chains);
    match chains.any(|c| c.chain.path.task.is_some()) {
        true => Ok(()),
        false => Err(Error::usage(format!("{option}: no chain has a task"))
            .with_hint("`[[tasks]]` of a plan are pieces of work with a base of their own")),
    }
}

/// The experiments, sorted.
fn experiments(gathered: &Gathered<'_>) -> Vec<String> {
    let chains = gathered.arms.iter().flat_map(|a| &a.chains);
    let mut names: Vec<String> = chains.map(|c| c.chain.path.experiment.clone()).collect();
    names.sort();
    names.dedup();
    names
}

/// Whether the checkpoint's outcome is `pass`.
fn passed(entry: &Entry<'_>) -> bool {
    let outcome = entry.change.figure("outcome").map(|f| &f.value);
    matches!(outcome, Some(Value::Word("pass")))
}

/// The checkpoints that did not pass, and what is known of them.
fn not_passed(sides: &[Side<'_>]) -> Vec<LeftOut> {
    let mut left_out = Vec::new();
    for chain in sides.iter().flat_map(|s| &s.chains) {
        for change in &chain.gathered.changes {
            let why = match change.figure("outcome").map(|f| &f.value) {
                Some(Value::Word("pass")) => continue,
                Some(Value::Word(word)) => format!("outcome: {word}"),
                Some(Value::Unknown(why)) => format!("outcome unknown: {why}"),
                _ => "outcome unknown".to_owned(),
            };
            left_out.push(LeftOut {
                what: format!("{}@{}", chain.gathered.chain.label, change.index()),
                why,
            });
        }
    }
    left_out
}

/// Chains, commits and arms that no figure is of, whatever was asked.
fn chains_left_out(gathered: &Gathered<'_>, named: &[String]) -> Vec<LeftOut> {
    let mut left_out = Vec::new();
    let mut add = |what: String, why: String| left_out.push(LeftOut { what, why });
    for chain in &gathered.references {
        let label = chain.chain.label.clone();
        add(
            label,
            "a reference: arms are held against it, and it is none".to_owned(),
        );
    }
    if named.is_empty() {
        for arm in without_chains(gathered) {
            add(format!("arm {arm}"), "no chain of it is here".to_owned());
        }
    }
    for gathered in gathered.arms.iter().flat_map(|a| &a.chains) {
        let chain = gathered.chain;
        if gathered.changes.is_empty() {
            add(
                chain.label.clone(),
                "no checkpoint of it is recorded".to_owned(),
            );
        }
        for commit in chain.line.iter().filter(|c| c.role == Role::Superseded) {
            add(
                format!("{}@{}", chain.label, commit.checkpoint),
                format!(
                    "agent commit {}: a later one of the same checkpoint counts",
                    commit.id.short()
                ),
            );
        }
        let foreign = chain
            .line
            .iter()
            .filter(|c| c.role == Role::Foreign)
            .count() as u64;
        if foreign > 0 {
            let commits = counted(foreign, "commit", "commits");
            add(
                chain.label.clone(),
                format!("{commits} without trailers: no checkpoint"),
            );
        }
        for copy in &chain.copies {
            add(
                format!("{}@{}", chain.label, copy.base.short()),
                "a copy of the chain: counted once `git evolve reconcile` has settled it"
                    .to_owned(),
            );
        }
    }
    left_out
}

/// Arms of the plans that have no chain, by name.
fn without_chains(gathered: &Gathered<'_>) -> Vec<String> {
    let chains = || gathered.arms.iter().flat_map(|a| &a.chains);
    let several = experiments(gathered).len() > 1;
    let mut names = Vec::new();
    for plan in chains().filter_map(|c| c.plan.as_ref()) {
        let experiment = &plan.experiment.name;
        for arm in &plan.arms {
            let has = |c: &GatheredChain<'_>| {
                c.chain.path.arm == arm.name && c.chain.path.experiment == *experiment
            };
            if !chains().any(has) {
                names.push(match several {
                    true => format!("{experiment}/{}", arm.name),
                    false => arm.name.clone(),
                });
            }
        }
    }
    names.sort();
    names.dedup();
    names
}

fn arm(side: &Side<'_>, baseline: bool) -> StudyArm {
    StudyArm {
        name: side.name.clone(),
        baseline,
        factors: side.factors.clone(),
        chains: side.chains.iter().map(chain).collect(),
    }
}

fn chain(member: &Member<'_>) -> StudyChain {
    let (gathered, chain) = (member.gathered, member.gathered.chain);
    let ids: BTreeMap<_, _> = chain
        .line
        .iter()
        .map(|c| (c.id, &c.checkpoint_id))
        .collect();
    let of_plan = gathered.plan.as_ref().and_then(|plan| {
        let task = plan.task(chain.path.task.as_deref());
        u32::try_from(plan.checkpoints_of(task).len()).ok()
    });
    StudyChain {
        label: chain.label.clone(),
        task: chain.path.task.clone(),
        number: chain.path.chain,
        base: chain.base.to_string(),
        checkpoints: gathered
            .changes
            .iter()
            .map(|change| StudyCheckpoint {
                number: change.index(),
                id: ids
                    .get(&change.step.commit.id)
                    .map_or(String::new(), |id| (*id).clone()),
                commit: change.step.commit.id.to_string(),
            })
            .collect(),
        planned: gathered.work.planned.or(of_plan.filter(|n| *n > 0)),
    }
}

/// How many chains stand at which checkpoint, where not all stand at all of them.
fn reached(arms: &[StudyArm]) -> Option<String> {
    let mut words = Vec::new();
    let mut uneven = false;
    let last = |c: &StudyChain| c.checkpoints.last().map_or(0, |c| c.number);
    let all = arms.iter().flat_map(|a| &a.chains);
    let furthest = all.map(|c| last(c).max(c.planned.unwrap_or(0))).max()?;
    for arm in arms {
        let at = |k: u32| {
            let has = |c: &&StudyChain| c.checkpoints.iter().any(|c| c.number == k);
            arm.chains.iter().filter(has).count()
        };
        let counts: Vec<usize> = (1..=furthest).map(at).collect();
        uneven |= counts.iter().any(|n| *n != arm.chains.len());
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for (at, n) in counts.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.0 == *n => run.2 = at + 1,
                _ => runs.push((*n, at + 1, at + 1)),
            }
        }
        let run = |(n, from, to): &(usize, usize, usize)| match from == to {
            true => format!("{n} at {from}"),
            false => format!("{n} at {from}–{to}"),
        };
        let runs: Vec<String> = runs.iter().map(run).collect();
        words.push(format!("{} {}", arm.name, runs.join(", ")));
    }
    uneven.then(|| format!("chains by checkpoint: {}", words.join("; ")))
}
