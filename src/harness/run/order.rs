//! Which chains a run takes up, and in which order: drawn from the plan's seed, so that arms
//! interleave and what changes over a run (a model, a load, a rate limit) meets all of them.

use super::Run;
use crate::error::{Error, Result};
use crate::plan::{Arm, Plan, Task};
use crate::record::{ChainPath, is_part};

/// A chain of the plan.
#[derive(Debug, Clone)]
pub(super) struct Planned<'p> {
    pub(super) path: ChainPath,
    pub(super) arm: &'p Arm,
    pub(super) task: Option<&'p Task>,
    /// Whether it is the arm's first one: sessions for nothing stand on its base.
    pub(super) first: bool,
}

/// The chains that are asked for, in the order in which they are taken up: all first ones, all
/// second ones and so on, arms and tasks shuffled anew within each of these.
///
/// # Errors
/// Usage where an arm, a task or a chain is none of the plan's.
pub(super) fn chains<'p>(plan: &'p Plan, asked: &Run) -> Result<Vec<Planned<'p>>> {
    of(plan, &asked.arms, &asked.tasks, &asked.chains)
}

/// The same for names: none of a kind means all.
///
/// # Errors
/// As [`chains`].
pub(super) fn of<'p>(
    plan: &'p Plan,
    wanted_arms: &[String],
    wanted_tasks: &[String],
    wanted_chains: &[String],
) -> Result<Vec<Planned<'p>>> {
    let arms: Vec<&str> = plan.arms.iter().map(|a| a.name.as_str()).collect();
    for name in wanted_arms {
        known("arm", name, &arms)?;
    }
    let tasks: Vec<&str> = plan.tasks.iter().map(|t| t.name.as_str()).collect();
    for name in wanted_tasks {
        known("task", name, &tasks)?;
    }
    let of_plan = all(plan);
    for name in wanted_chains {
        if !of_plan.iter().any(|c| is_called(c, name)) {
            return Err(
                Error::usage(format!("no chain of the plan is called {name}")).with_hint(
                    "`git evolve plan` lists them; a number means that chain of every arm",
                ),
            );
        }
    }
    let wanted = |c: &Planned<'_>| {
        let in_list = |all: &[String], name: &str| all.is_empty() || all.iter().any(|a| a == name);
        in_list(wanted_arms, &c.arm.name)
            && (wanted_tasks.is_empty() || c.task.is_some_and(|t| wanted_tasks.contains(&t.name)))
            && (wanted_chains.is_empty() || wanted_chains.iter().any(|name| is_called(c, name)))
    };
    // Shuffled before it is chosen from: a part of the plan keeps the order of the whole.
    let mut chains = shuffled(of_plan, plan.experiment.seed);
    chains.retain(wanted);
    Ok(chains)
}

/// All chains of the plan, as it has them.
pub(super) fn all(plan: &Plan) -> Vec<Planned<'_>> {
    let tasks: Vec<Option<&Task>> = match plan.tasks.is_empty() {
        true => vec![None],
        false => plan.tasks.iter().map(Some).collect(),
    };
    let mut chains = Vec::new();
    for n in 1..=plan.experiment.chains {
        for arm in &plan.arms {
            for (at, task) in tasks.iter().enumerate() {
                chains.push(Planned {
                    path: ChainPath {
                        experiment: plan.experiment.name.clone(),
                        arm: arm.name.clone(),
                        task: task.map(|t| t.name.clone()),
                        chain: n,
                    },
                    arm,
                    task: *task,
                    first: n == 1 && at == 0,
                });
            }
        }
    }
    chains
}

/// Whether `name` means the chain: its path, or its number.
fn is_called(chain: &Planned<'_>, name: &str) -> bool {
    match name.parse::<u32>() {
        Ok(n) => chain.path.chain == n,
        Err(_) => chain.path.to_string() == name,
    }
}

fn known(what: &str, name: &str, all: &[&str]) -> Result<()> {
    if all.contains(&name) {
        return Ok(());
    }
    let error = Error::usage(format!("the plan has no {what} {name}"));
    let near = all
        .iter()
        .map(|k| (strsim::damerau_levenshtein(name, k), *k))
        .filter(|(far, _)| *far <= name.chars().count().div_ceil(3).max(1))
        .min();
    Err(match near {
        Some((_, near)) if is_part(near) => error.with_hint(format!("did you mean {near}?")),
        _ if all.is_empty() => error,
        _ => error.with_hint(format!("{what}s of the plan: {}", all.join(", "))),
    })
}

/// The same chains, those of each number shuffled.
fn shuffled(mut chains: Vec<Planned<'_>>, seed: u64) -> Vec<Planned<'_>> {
    let mut random = SplitMix(seed);
    let mut start = 0;
    while start < chains.len() {
        let n = chains[start].path.chain;
        let length = chains[start..]
            .iter()
            .take_while(|c| c.path.chain == n)
            .count();
        // Fisher and Yates, from the end.
        for at in (1..length).rev() {
            let other = usize::try_from(random.below(at as u64 + 1)).unwrap_or(0);
            chains.swap(start + at, start + other);
        }
        start += length;
    }
    chains
}

/// The generator of Steele, Lea and Flood (2014), SplitMix64: the same on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; the high half of a product is even enough for so few.
    fn below(&mut self, n: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(n);
        u64::try_from(wide >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_its_published_numbers() {
        let mut random = SplitMix(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn numbers_below_a_bound_reach_all_of_it_and_no_more() {
        let mut random = SplitMix(7);
        let mut seen = [0; 5];
        for _ in 0..1_000 {
            seen[usize::try_from(random.below(5)).expect("small")] += 1;
        }
        assert!(seen.iter().all(|n| (140..=260).contains(n)), "{seen:?}");
    }
}
