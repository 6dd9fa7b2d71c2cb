//! Which arms of a repository a study is of, what they are grouped by, and which is the baseline.

use std::collections::{BTreeMap, BTreeSet};

use super::{Gathered, GatheredChain};
use crate::cli::log::no_such;
use crate::cli::overview;
use crate::error::{Error, Result};
use crate::ledger::{Chain, Chains};
use crate::plan;
use crate::report::LeftOut;

/// The chains by arm: all arms but references by name, or those that `names` name, in that order.
/// An experiment's name stands for its arms.
///
/// # Errors
/// Usage for a name that no arm and no experiment has.
pub(super) fn arms<'c>(
    chains: &'c Chains,
    names: &[String],
) -> Result<Vec<(String, Vec<&'c Chain>)>> {
    if names.is_empty() {
        let mut by_name: BTreeMap<String, Vec<&Chain>> = BTreeMap::new();
        for (arm, chain) in overview::of_arm(chains, None)? {
            by_name.entry(arm).or_default().push(chain);
        }
        return Ok(by_name.into_iter().collect());
    }
    let mut by_name: BTreeMap<String, Vec<&'c Chain>> = BTreeMap::new();
    for chain in &chains.chains {
        let name = overview::arm_of(chains, chain);
        by_name.entry(name).or_default().push(chain);
    }
    let mut chosen: Vec<(String, Vec<&'c Chain>)> = Vec::new();
    for name in names {
        let arm = |(arm, of_arm): &(&String, &Vec<&Chain>)| {
            *arm == name || of_arm.first().is_some_and(|c| c.path.arm == *name)
        };
        let experiment = |(_, of_arm): &(&String, &Vec<&Chain>)| {
            let first = of_arm.first().map(|c| &c.path);
            first.is_some_and(|p| p.experiment == *name && p.arm != crate::harness::REFERENCE)
        };
        let mut found: Vec<_> = by_name.iter().filter(arm).collect();
        if found.is_empty() {
            found = by_name.iter().filter(experiment).collect();
        }
        if found.is_empty() {
            let known: Vec<String> = by_name.keys().cloned().collect();
            return Err(no_such("arm", name, &known));
        }
        for (arm, of_arm) in found {
            if !chosen.iter().any(|(known, _)| known == arm) {
                chosen.push((arm.clone(), of_arm.clone()));
            }
        }
    }
    Ok(chosen)
}

/// What is compared: an arm, or a level of a factor.
pub(super) struct Side<'g> {
    /// Its name.
    pub name: String,
    /// What it stands for in a factorial design; of a level of a factor that alone.
    pub factors: BTreeMap<String, String>,
    /// Its chains.
    pub chains: Vec<Member<'g>>,
    /// The names of its arms, and whether a plan calls one of them the baseline.
    arms: Vec<String>,
    baseline: bool,
}

/// One chain of a side.
pub(super) struct Member<'g> {
    /// The chain.
    pub gathered: &'g GatheredChain<'g>,
    /// Its task, with its experiment: tasks of two experiments are two.
    pub task: Option<(&'g str, &'g str)>,
    /// What its arm stands for.
    factors: &'g BTreeMap<String, String>,
}

impl Member<'_> {
    /// Its level of a factor.
    pub(super) fn level(&self, factor: &str) -> Option<&str> {
        self.factors.get(factor).map(String::as_str)
    }
}

/// Nothing.
static NO_FACTORS: BTreeMap<String, String> = BTreeMap::new();

/// The arm of `chain` in its plan.
fn planned<'g>(chain: &'g GatheredChain<'_>) -> Option<&'g plan::Arm> {
    let plan = chain.plan.as_ref()?;
    plan.arm(&chain.chain.path.arm)
}

/// What is compared: the arms, or with `by` the levels of that factor, in the order of the arms.
/// What has no level of it is left out.
///
/// # Errors
/// Usage for a factor that no arm has a level of.
pub(super) fn sides<'g>(
    gathered: &'g Gathered<'_>,
    by: Option<&str>,
    left_out: &mut Vec<LeftOut>,
) -> Result<Vec<Side<'g>>> {
    if let Some(factor) = by {
        has_factor(gathered, factor, "--by")?;
    }
    let mut sides: Vec<Side<'g>> = Vec::new();
    for arm in &gathered.arms {
        // The newest plan: it may have learnt what an arm stands for.
        let of_plan = arm.chains.iter().rev().find_map(planned);
        let factors = of_plan.map_or(&NO_FACTORS, |a| &a.factors);
        let name = match by {
            None => arm.name.clone(),
            Some(factor) => match factors.get(factor) {
                Some(level) => level.clone(),
                None => {
                    left_out.push(LeftOut {
                        what: format!("arm {}", arm.name),
                        why: format!("its plan gives it no level of {factor}"),
                    });
                    continue;
                }
            },
        };
        let at = sides.iter().position(|side| side.name == name);
        let at = at.unwrap_or_else(|| {
            let own = match by {
                None => factors.clone(),
                Some(factor) => [(factor.to_owned(), name.clone())].into(),
            };
            sides.push(Side {
                name,
                factors: own,
                chains: Vec::new(),
                arms: Vec::new(),
                baseline: false,
            });
            sides.len() - 1
        });
        let side = &mut sides[at];
        side.arms.push(arm.name.clone());
        side.baseline |= of_plan.is_some_and(|a| a.baseline);
        side.chains.extend(arm.chains.iter().map(|chain| {
            let path = &chain.chain.path;
            let task = path.task.as_deref();
            Member {
                gathered: chain,
                task: task.map(|task| (path.experiment.as_str(), task)),
                factors,
            }
        }));
    }
    Ok(sides)
}

/// Makes sure that some arm has a level of `factor`.
///
/// # Errors
/// Usage, naming the factors there are.
pub(super) fn has_factor(gathered: &Gathered<'_>, factor: &str, option: &str) -> Result<()> {
    let chains = || gathered.arms.iter().flat_map(|a| &a.chains);
    let arms = chains().filter_map(planned);
    let known: BTreeSet<&String> = arms.flat_map(|a| a.factors.keys()).collect();
    if known.iter().any(|k| *k == factor) {
        return Ok(());
    }
    let error = Error::usage(format!("{option}: no arm has a level of `{factor}`"));
    let known: Vec<&str> = known.into_iter().map(String::as_str).collect();
    let planless = chains().all(|c| c.plan.is_none());
    Err(match known.is_empty() {
        true if planless => error.with_hint("no plan is here that says what arms stand for"),
        true => error.with_hint("an arm's `factors` in the plan say what it stands for"),
        false => error.with_hint(format!("factors here: {}, and `task`", known.join(", "))),
    })
}

/// Puts the baseline first and says which it is and why; nothing is said of one side alone.
///
/// # Errors
/// Usage for a baseline that is none of them.
pub(super) fn baseline_first(
    sides: &mut Vec<Side<'_>>,
    asked: Option<&str>,
    named: bool,
) -> Result<Option<String>> {
    let (at, why) = match asked {
        Some(name) => {
            let is = |s: &Side<'_>| s.name == name;
            let has = |s: &Side<'_>| s.arms.iter().any(|a| a == name);
            let at = sides
                .iter()
                .position(is)
                .or_else(|| sides.iter().position(has));
            let known = || sides.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
            (
                at.ok_or_else(|| no_such("arm", name, &known()))?,
                "as asked",
            )
        }
        None => match sides.iter().position(|s| s.baseline) {
            Some(at) => (at, "by the plan"),
            None if named => (0, "the first named; no plan says"),
            None => (0, "the first by name; no plan says"),
        },
    };
    if sides.is_empty() {
        return Ok(None);
    }
    let first = sides.remove(at);
    let said = format!("baseline: {} ({why})", first.name);
    sides.insert(0, first);
    Ok((sides.len() > 1).then_some(said))
}
