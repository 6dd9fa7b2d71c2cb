//! How often chains pass: at once, in some of k tries, in all of them; how far they come.

use std::collections::BTreeSet;

use super::runs::{Arm, Told};
use super::{Cell, QualityArgs, Title};
use crate::measure::Value;
use crate::measure::catalogue::Direction;
use crate::report::{Part, Score};
use crate::stats::{pass_at_k, pass_hat_k};

/// The chance of `k` tries, of `n` of which `c` passed.
type Chance = fn(u32, u32, u32) -> Option<f64>;

const HIGHER: Direction = Direction::HigherIsBetter;

/// The scores of success.
pub(super) fn scores(arms: &[Arm<'_>], asked: &QualityArgs) -> Vec<Score> {
    let passes: Vec<Told<bool>> = arms.iter().map(passes).collect();
    let share = |told: &Told<bool>| told.cell("chain", "chains");
    let mut scores = vec![Title::of("pass_at_1", Part::Success).with(passes.iter().map(share))];
    let ks = ks(&passes, asked);
    for (id, chance) in [
        ("pass_at_k", pass_at_k as Chance),
        ("pass_hat_k", pass_hat_k),
    ] {
        for k in &ks {
            let mut title = Title::of(id, Part::Success).at(&k.to_string(), "");
            title.title = title.title.replace('k', &k.to_string());
            scores.push(title.with(passes.iter().map(|told| (of_k(told, *k, chance), None))));
        }
    }
    if asked.per_checkpoint {
        scores.extend(by_checkpoint(arms));
    }
    let complete = |arm: &Arm<'_>| Told::of(arm, |run| run.complete()).cell("chain", "chains");
    scores.push(
        Title::new(
            "completion_rate",
            "chains that reach their last checkpoint",
            Part::Success,
            ("ratio", HIGHER),
        )
        .with(arms.iter().map(complete)),
    );
    for (id, title, flag) in [
        (
            "percent_solved",
            "checkpoints solved, strict",
            "strict_pass",
        ),
        (
            "percent_solved_iso",
            "checkpoints solved, own tests",
            "iso_pass",
        ),
        (
            "percent_solved_core",
            "checkpoints solved, core tests",
            "core_pass",
        ),
    ] {
        let title = Title::new(id, title, Part::Success, ("%", HIGHER));
        scores.push(title.with(arms.iter().map(|arm| (solved(arm, flag), None))));
    }
    let first_try = |arm: &Arm<'_>| checkpoints(arm, "first_try").pooled("checkpoints");
    scores.push(Title::of("first_try", Part::Success).with(arms.iter().map(first_try)));
    scores
}

/// Which chains pass.
pub(super) fn passes(arm: &Arm<'_>) -> Told<bool> {
    Told::of(arm, |run| run.passes())
}

/// A measure at every checkpoint that was reached.
pub(super) fn checkpoints(arm: &Arm<'_>, id: &str) -> Told<f64> {
    let mut told = Told::default();
    for run in &arm.runs {
        for k in run.reached.keys() {
            told.add(run, run.at(*k, id));
        }
    }
    told
}

/// Of how many tries the chances are shown: those asked for, else from 2 up to the fewest chains
/// of a task in the arm that has most there.
fn ks(passes: &[Told<bool>], asked: &QualityArgs) -> BTreeSet<u32> {
    if !asked.k.is_empty() {
        return asked.k.iter().copied().collect();
    }
    let fewest = |told: &Told<bool>| told.tries().iter().map(|t| t.of).filter(|n| *n > 0).min();
    let most = passes.iter().filter_map(fewest).max().unwrap_or(0);
    (2..=most).collect()
}

/// The mean over tasks of a chance of `k` tries.
fn of_k(told: &Told<bool>, k: u32, chance: Chance) -> Value {
    if told.known() == 0 {
        return told.nothing("chains");
    }
    let mut sum = 0.0;
    let mut tasks = 0.0;
    for ((_, task), tries) in told.by_task.keys().zip(told.tries()) {
        if tries.of == 0 {
            continue;
        }
        let Some(chance) = chance(tries.of, tries.passed, k) else {
            let task = task
                .as_ref()
                .map_or(String::new(), |t| format!("task {t}: "));
            return Value::unknown(format!(
                "{task}{} chains of which it is known, fewer than {k}",
                tries.of
            ));
        };
        sum += chance;
        tasks += 1.0;
    }
    Value::known(sum / tasks).remarked(told.over("chain", "chains"))
}

/// How often each checkpoint is reached and strict.
fn by_checkpoint(arms: &[Arm<'_>]) -> Vec<Score> {
    let planned = arms.iter().flat_map(|a| &a.runs).filter_map(|r| r.planned);
    let reached = arms.iter().flat_map(|a| &a.runs);
    let reached = reached.filter_map(|r| r.reached.keys().next_back().copied());
    let last = planned.chain(reached).max().unwrap_or(0);
    (1..=last)
        .map(|k| {
            let cell = |arm: &Arm<'_>| -> Cell {
                Told::of(arm, |run| run.passes_at(k)).cell("chain", "chains")
            };
            let parameter = format!("checkpoint {k}");
            Title::of("pass_at_1", Part::Success)
                .at(&parameter, &format!(", {parameter}"))
                .with(arms.iter().map(cell))
        })
        .collect()
}

/// Of all planned checkpoints those whose `flag` is up, in per cent. One never reached is not
/// solved; one whose gate says nothing is left out of both.
fn solved(arm: &Arm<'_>, flag: &str) -> Value {
    let mut told: Told<f64> = Told::default();
    for run in &arm.runs {
        let Some(planned) = run.planned else {
            told.add(
                run,
                Err("no plan says how many checkpoints it has".to_owned()),
            );
            continue;
        };
        for k in 1..=planned {
            told.add(
                run,
                match run.reached.contains_key(&k) {
                    true => run.at(k, flag),
                    false => Ok(0.0),
                },
            );
        }
    }
    if told.known() == 0 {
        return told.nothing("checkpoints");
    }
    let solved: f64 = told.by_task.values().flatten().sum();
    let Value::Known(mut known) = Value::ratio(solved, told.known() as f64, "nothing") else {
        return told.nothing("checkpoints");
    };
    known.value *= 100.0;
    Value::Known(known).remarked(told.over("planned checkpoint", "planned checkpoints"))
}
