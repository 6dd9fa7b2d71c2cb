//! Where the chains of a plan stand, told without running anything.

use super::order;
use super::standing::{Standing, Verdict};
use crate::error::Result;
use crate::plan::{Agent, Checkpoint, OnFail, Plan};
use crate::record::ChainPath;
use crate::repo::Repo;

/// A chain of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surveyed {
    /// Its path.
    pub path: ChainPath,
    /// How many checkpoints it has.
    pub checkpoints: u32,
    /// How many of them are done.
    pub done: u32,
    /// What is left of it.
    pub stands: Stands,
}

/// What is left of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// All of it: nothing of it is here.
    New,
    /// Some of it.
    Open,
    /// Nothing: all its checkpoints are done, or left out by the plan's rules.
    Complete,
    /// Nothing: a checkpoint did not pass, and the plan says that the chain ends there.
    Ended,
}

/// Where the chains of these arms and tasks stand (none named: all), in the order in which a run
/// takes them up, by what this repository has.
///
/// # Errors
/// Usage where the plan has no such arm or task, or several chains share a path; git where the
/// repository cannot be read.
pub fn survey(
    repo: &Repo,
    plan: &Plan,
    arms: &[String],
    tasks: &[String],
) -> Result<Vec<Surveyed>> {
    let reader = repo.reader()?;
    let mut all = Vec::new();
    for planned in order::of(plan, arms, tasks, &[])? {
        let task = planned.task.map(|t| t.name.as_str());
        let agent = planned.arm.on(task).agent;
        let checkpoints = plan.checkpoints_of(planned.task);
        let mut found = Surveyed {
            path: planned.path,
            checkpoints: u32::try_from(checkpoints.len()).unwrap_or(u32::MAX),
            done: 0,
            stands: Stands::New,
        };
        if let Some(standing) = Standing::find(&reader, &found.path)? {
            (found.done, found.stands) = of(&standing, agent, checkpoints);
        }
        all.push(found);
    }
    Ok(all)
}

fn of(standing: &Standing, agent: &Agent, checkpoints: &[Checkpoint]) -> (u32, Stands) {
    let numbered = || (1u32..).zip(checkpoints);
    let closed = |k: u32| standing.done(k).filter(|(_, reset)| reset.is_some());
    let done = numbered().filter(|(k, _)| closed(*k).is_some()).count();
    let verdict = |k: u32| closed(k).map(|(agent, _)| standing.seen.verdict(agent));
    let failed = |k: u32| verdict(k) == Some(Verdict::Failed);
    let given_up = |k: u32| {
        let tries = standing
            .line
            .iter()
            .map(|c| standing.seen.tries(c.id, k).len());
        tries.sum::<usize>() >= agent.limits.attempts as usize
    };
    let stands = match agent.on_fail {
        OnFail::Continue => {
            // A checkpoint is left out where its attempts are used up, or one that it needs did
            // not pass.
            let needed = |id: &String| {
                let k = numbered().find(|(_, c)| c.id == *id).map(|(k, _)| k);
                let passed = [Some(Verdict::Passed), Some(Verdict::NotGated)];
                k.is_some_and(|k| passed.contains(&verdict(k)))
            };
            let left = |(k, c): (u32, &Checkpoint)| {
                closed(k).is_none()
                    && !standing.is_past(k)
                    && !given_up(k)
                    && c.requires.iter().all(needed)
            };
            match numbered().any(left) {
                true => Stands::Open,
                false => Stands::Complete,
            }
        }
        OnFail::Stop | OnFail::Repair => {
            let first_open = numbered()
                .find(|(k, _)| closed(*k).is_none())
                .map(|(k, _)| k);
            let ended = numbered().any(|(k, _)| failed(k)) || first_open.is_some_and(given_up);
            match (first_open, ended) {
                (_, true) => Stands::Ended,
                (None, _) => Stands::Complete,
                (Some(_), _) => Stands::Open,
            }
        }
    };
    (u32::try_from(done).unwrap_or(u32::MAX), stands)
}
