//! The chains of a plan that were asked for, and what is done of each.

use super::PlanPageArgs;
use crate::error::{Error, Result};
use crate::ledger::Chain;
use crate::plan::source::suggestion;
use crate::plan::{Arm, Checkpoint, Plan, Task};
use crate::record::{ChainPath, Role};

/// One chain of the plan.
#[derive(Debug)]
pub(super) struct Planned<'p> {
    pub(super) path: ChainPath,
    pub(super) arm: &'p Arm,
    pub(super) task: Option<&'p Task>,
    pub(super) checkpoints: &'p [Checkpoint],
    /// The newest chain of that path here, where there is one.
    pub(super) begun: bool,
    /// Checkpoints with an agent and a reset commit, from the first without a gap.
    pub(super) done: u32,
    /// What its line has, and the plan has otherwise.
    pub(super) differs: Option<String>,
}

/// Those that were asked for.
#[derive(Debug)]
pub(super) struct Chosen<'p> {
    pub(super) chains: Vec<Planned<'p>>,
    /// Arms and tasks of these, in the plan's order.
    pub(super) arms: Vec<&'p Arm>,
    pub(super) tasks: Vec<Option<&'p Task>>,
}

impl<'p> Chosen<'p> {
    /// The chains of `plan` that `args` name, in the plan's order: arm, task, number.
    ///
    /// # Errors
    /// Usage for a name that the plan has not.
    pub(super) fn of(plan: &'p Plan, args: &PlanPageArgs, known: &[Chain]) -> Result<Self> {
        let arms: Vec<&str> = plan.arms.iter().map(|a| a.name.as_str()).collect();
        let tasks: Vec<&str> = plan.tasks.iter().map(|t| t.name.as_str()).collect();
        named("arm", &args.arm, &arms)?;
        named("task", &args.task, &tasks)?;
        let mut chains = Vec::new();
        let mut asked: Vec<(&String, bool)> = args.chain.iter().map(|c| (c, false)).collect();
        for arm in &plan.arms {
            for task in of_plan(plan) {
                let name = task.map(|t| t.name.clone());
                for n in 1..=plan.experiment.chains {
                    let path = ChainPath {
                        experiment: plan.experiment.name.clone(),
                        arm: arm.name.clone(),
                        task: name.clone(),
                        chain: n,
                    };
                    let wanted = |all: &[String], name: Option<&str>| {
                        all.is_empty() || all.iter().any(|a| Some(a.as_str()) == name)
                    };
                    if !wanted(&args.arm, Some(&arm.name)) || !wanted(&args.task, name.as_deref()) {
                        continue;
                    }
                    let (number, whole) = (n.to_string(), path.to_string());
                    let mut hit = asked.is_empty();
                    for (typed, found) in &mut asked {
                        if **typed == number || **typed == whole {
                            (hit, *found) = (true, true);
                        }
                    }
                    if hit {
                        chains.push(planned(plan, arm, task, path, known));
                    }
                }
            }
        }
        if let Some((typed, _)) = asked.iter().find(|(_, found)| !found) {
            let error = Error::usage(format!("the plan has no chain {typed} among these"));
            return Err(error.with_hint(format!(
                "numbers go from 1 to {}; a path is {}",
                plan.experiment.chains,
                shape(plan)
            )));
        }
        let has = |arm: &Arm| chains.iter().any(|c| c.arm.name == arm.name);
        let arms = plan.arms.iter().filter(|a| has(a)).collect();
        let has = |task: Option<&Task>| {
            let name = task.map(|t| &t.name);
            chains.iter().any(|c| c.task.map(|t| &t.name) == name)
        };
        let tasks = of_plan(plan).into_iter().filter(|t| has(*t)).collect();
        Ok(Chosen {
            chains,
            arms,
            tasks,
        })
    }
}

/// The tasks of a plan; the one without a name where it has none.
fn of_plan(plan: &Plan) -> Vec<Option<&Task>> {
    match plan.tasks.as_slice() {
        [] => vec![None],
        tasks => tasks.iter().map(Some).collect(),
    }
}

fn shape(plan: &Plan) -> String {
    let task = if plan.tasks.is_empty() { "" } else { "/TASK" };
    format!("{}/ARM{task}/N", plan.experiment.name)
}

fn named(what: &str, typed: &[String], known: &[&str]) -> Result<()> {
    for name in typed {
        if !known.contains(&name.as_str()) {
            let error = Error::usage(format!("the plan has no {what} '{name}'"));
            return Err(match known {
                [] => error.with_hint(format!("it has no {what}s")),
                known => error.with_hint(suggestion(name, known, &format!("its {what}s"))),
            });
        }
    }
    Ok(())
}

fn planned<'p>(
    plan: &'p Plan,
    arm: &'p Arm,
    task: Option<&'p Task>,
    path: ChainPath,
    known: &[Chain],
) -> Planned<'p> {
    let checkpoints = plan.checkpoints_of(task);
    // Of several begun under one path the one that was begun last; ids are in order of time.
    let chain = known
        .iter()
        .filter(|c| c.path == path)
        .max_by(|a, b| a.begin.cmp(&b.begin));
    let mut done = 0;
    let mut differs = None;
    for (number, checkpoint) in (1_u32..).zip(checkpoints) {
        let Some(chain) = chain else { break };
        let of = |role| {
            let mut line = chain.line.iter();
            line.find(|c| c.checkpoint == number && c.role == role)
        };
        let Some(agent) = of(Role::Agent) else { break };
        if agent.checkpoint_id != checkpoint.id && differs.is_none() {
            differs = Some(format!(
                "checkpoint {number} is '{}' there, '{}' in the plan",
                agent.checkpoint_id, checkpoint.id
            ));
        }
        if of(Role::Reset).is_none() {
            break;
        }
        done = number;
    }
    Planned {
        path,
        arm,
        task,
        checkpoints,
        begun: chain.is_some(),
        done,
        differs,
    }
}
