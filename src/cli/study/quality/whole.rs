//! Scores of whole chains: EvoScores and the zero-regression rate.

use super::runs::{Arm, Run, Told};
use super::{Cell, Title, within};
use crate::measure::Value;
use crate::report::{Part, Score, counted, exact};
use crate::stats::{Tries, evoscore, mean_over_tasks, proportion};

/// The scores: each EvoScore at each of `gammas`, and the zero-regression rate.
pub(super) fn scores(arms: &[Arm<'_>], gammas: &[f64]) -> Vec<Score> {
    let mut scores = Vec::new();
    for (id, signal, least) in [
        ("evoscore_strict", "strict_pass", 0.0),
        ("evoscore_nc", "nc_initial", -1.0),
        ("evoscore_nc_prev", "nc_prev", -1.0),
    ] {
        for gamma in gammas {
            let gamma_said = exact(*gamma);
            let title = Title::of(id, Part::Chains).at(&gamma_said, &format!(", γ {gamma_said}"));
            let cells = arms.iter().map(|arm| {
                let (value, interval) = of_chains(arm, signal, *gamma);
                (value, within(interval, least, 1.0))
            });
            scores.push(title.with(cells));
        }
    }
    scores.push(Title::of("zero_regression_rate", Part::Chains).with(arms.iter().map(unbroken)));
    scores
}

/// The signal at each checkpoint up to the last that was reached; none where it has no number.
fn signals(run: &Run<'_>, signal: &str) -> Vec<Option<f64>> {
    let last = run.reached.keys().next_back().copied().unwrap_or(0);
    (1..=last).map(|k| run.at(k, signal).ok()).collect()
}

/// The mean over chains of their EvoScores.
fn of_chains(arm: &Arm<'_>, signal: &str, gamma: f64) -> Cell {
    let score = |run: &Run<'_>| {
        let scores = signals(run, signal);
        let why = || match run.reached.keys().next() {
            Some(k) => run.at(*k, signal).err().unwrap_or_default(),
            None => "no checkpoint was reached".to_owned(),
        };
        evoscore(&scores, gamma).ok_or_else(why)
    };
    let told = Told::of(arm, score);
    let all: Vec<f64> = told.by_task.values().flatten().copied().collect();
    let Some(mean) = mean_over_tasks(&[all]) else {
        return (told.nothing("chains"), None);
    };
    let mut remark = told.over("chain", "chains");
    let missing = |run: &Run<'_>| {
        let scores = signals(run, signal);
        let has = scores.iter().any(Option::is_some);
        if has {
            scores.iter().filter(|s| s.is_none()).count()
        } else {
            0
        }
    };
    let missing: usize = arm.runs.iter().map(missing).sum();
    if missing > 0 {
        let missing = counted(missing as u64, "checkpoint", "checkpoints");
        remark += &format!("; without {missing} that have no score");
    }
    let short = |run: &&Run<'_>| !run.reached.is_empty() && run.complete() == Ok(false);
    let short = arm.runs.iter().filter(short).count();
    if short > 0 {
        let (chains, count) = match short {
            1 => ("1 chain ends".to_owned(), "counts with what it has"),
            _ => (format!("{short} chains end"), "count with what they have"),
        };
        remark += &format!("; {chains} before the last checkpoint and {count}");
    }
    (Value::known(mean.value).remarked(remark), mean.interval())
}

/// The share of chains that never broke a test.
fn unbroken(arm: &Arm<'_>) -> Cell {
    let told = Told::of(arm, |run| run.work.clean.clone());
    let tries = told.tries().into_iter();
    let all = tries.fold(Tries { passed: 0, of: 0 }, |all, t| Tries {
        passed: all.passed + t.passed,
        of: all.of + t.of,
    });
    match proportion(&[all]) {
        Some(share) => {
            let value = Value::ratio(f64::from(all.passed), f64::from(all.of), "no chain");
            let remark = told.over("chain", "chains");
            (value.remarked(remark), Some(share.interval))
        }
        None => (told.nothing("chains"), None),
    }
}
