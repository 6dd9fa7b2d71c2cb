//! What chains cost and what they take.

use super::runs::{Arm, Run, Told};
use super::success::checkpoints;
use super::{Cell, Title};
use crate::measure::catalogue::Direction;
use crate::measure::{Value, Worked};
use crate::report::{Part, Score, counted};
use crate::stats::percentile;

const LOWER: Direction = Direction::LowerIsBetter;
const NEITHER: Direction = Direction::Descriptive;

/// The scores of cost and effort.
pub(super) fn scores(arms: &[Arm<'_>]) -> Vec<Score> {
    let mut scores = Vec::new();
    let mut score = |title: Title, cell: &dyn Fn(&Arm<'_>) -> Cell| {
        scores.push(title.with(arms.iter().map(cell)));
    };
    let usd = |id, title| Title::new(id, title, Part::Spending, ("USD", LOWER));
    let tokens = |id, title| Title::new(id, title, Part::Spending, ("tokens", NEITHER));
    score(
        usd("cost_per_chain", "cost a chain, every attempt"),
        &|arm| costs(arm).cell("chain", "chains"),
    );
    score(usd("cost_per_checkpoint", "cost a checkpoint"), &|arm| {
        checkpoints(arm, "cost_usd").pooled("checkpoints")
    });
    score(
        usd("cost_per_passing_checkpoint", "cost a passing checkpoint"),
        &|arm| (for_a_pass(arm), None),
    );
    score(
        tokens("tokens_per_chain", "tokens a chain, every attempt"),
        &|arm| Told::of(arm, all_tokens).cell("chain", "chains"),
    );
    score(
        tokens("tokens_per_checkpoint", "tokens a checkpoint"),
        &|arm| worked(arm, |w| w.tokens.clone()).pooled("checkpoints"),
    );
    score(Title::of("fixed_tokens", Part::Spending), &|arm| {
        // Every checkpoint of an arm says the same of its sessions for nothing.
        let (value, _) = Told::of(arm, fixed).cell("chain", "chains");
        (value, None)
    });
    score(Title::of("task_tokens", Part::Spending), &|arm| {
        checkpoints(arm, "task_tokens").pooled("checkpoints")
    });
    let effort = |id, title, unit| Title::new(id, title, Part::Effort, (unit, LOWER));
    score(
        effort("duration_per_chain", "time a chain, every attempt", "ms"),
        &|arm| Told::of(arm, |run| run.sum("duration_ms_all")).cell("chain", "chains"),
    );
    score(
        effort("duration_per_checkpoint", "time a checkpoint", "ms"),
        &|arm| checkpoints(arm, "duration_ms").pooled("checkpoints"),
    );
    for (id, q) in [("step_latency_p50", 0.5), ("step_latency_p99", 0.99)] {
        score(Title::of(id, Part::Effort), &|arm| (latency(arm, q), None));
    }
    score(
        effort(
            "wrong_turns_per_chain",
            "wrong turns a chain, every attempt",
            "runs",
        ),
        &|arm| wrong_turns(arm).cell("chain", "chains"),
    );
    score(
        effort(
            "attempts_per_checkpoint",
            "attempts a checkpoint",
            "attempts",
        ),
        &|arm| checkpoints(arm, "attempts").pooled("checkpoints"),
    );
    scores
}

/// What each chain cost, every attempt, those at checkpoints that were never reached too.
pub(super) fn costs(arm: &Arm<'_>) -> Told<f64> {
    Told::of(arm, cost)
}

fn cost(run: &Run<'_>) -> Result<f64, String> {
    let lost = run.work.unreached.0.clone()?;
    match run.reached.is_empty() && lost > 0.0 {
        true => Ok(lost),
        false => Ok(run.sum("cost_usd_all")? + lost),
    }
}

/// How many wrong turns each chain took.
pub(super) fn wrong_turns(arm: &Arm<'_>) -> Told<f64> {
    Told::of(arm, |run| run.sum("wrong_turns_all"))
}

/// All tokens of a chain.
fn all_tokens(run: &Run<'_>) -> Result<f64, String> {
    let lost = run.work.unreached.1.clone()?;
    let each = run.reached.keys().map(|k| match run.work.at.get(k) {
        Some(worked) => {
            let tokens = worked.tokens_all.clone();
            tokens.map_err(|why| format!("checkpoint {k}: {why}"))
        }
        None => Err(format!("checkpoint {k}: the records were not read")),
    });
    match run.reached.is_empty() && lost == 0.0 {
        true => Err("no checkpoint was reached".to_owned()),
        false => Ok(each.sum::<Result<f64, String>>()? + lost),
    }
}

/// What a session for nothing takes, as the chain's checkpoints say it.
fn fixed(run: &Run<'_>) -> Result<f64, String> {
    let mut each = run.reached.keys().map(|k| run.at(*k, "fixed_tokens"));
    let first = each.next();
    first.unwrap_or_else(|| Err("no checkpoint was reached".to_owned()))
}

/// Something of the work at every checkpoint that was reached.
fn worked<T: Clone>(arm: &Arm<'_>, of: impl Fn(&Worked) -> Result<T, String>) -> Told<T> {
    let mut told = Told {
        by_task: std::collections::BTreeMap::new(),
        lacking: std::collections::BTreeMap::new(),
    };
    for run in &arm.runs {
        for k in run.reached.keys() {
            let one = match run.work.at.get(k) {
                Some(worked) => of(worked),
                None => Err("the records were not read".to_owned()),
            };
            told.add(run, one);
        }
    }
    told
}

/// The `q`-quantile of the times between messages of all counted attempts, put together: a mean
/// of quantiles would weigh a session of three steps like one of three hundred.
fn latency(arm: &Arm<'_>, q: f64) -> Value {
    let told = worked(arm, |w| w.latencies.clone());
    let mut all: Vec<f64> = told.by_task.values().flatten().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    if told.known() == 0 {
        return told.nothing("checkpoints");
    }
    match percentile(&all, q) {
        Some(ms) => Value::known(ms).remarked(format!(
            "of {} {}",
            counted(all.len() as u64, "step", "steps"),
            told.over("checkpoint", "checkpoints")
        )),
        None => Value::Undefined("fewer than two messages".to_owned()),
    }
}

/// What all attempts cost ÷ how many checkpoints pass. Chains of which a cost is not known are
/// left out, and checkpoints whose outcome is not known, with their cost.
fn for_a_pass(arm: &Arm<'_>) -> Value {
    let mut told: Told<(f64, f64)> = Told {
        by_task: std::collections::BTreeMap::new(),
        lacking: std::collections::BTreeMap::new(),
    };
    let mut open = 0_u64;
    for run in &arm.runs {
        let of_run = || -> Result<(f64, f64, u64), String> {
            cost(run)?;
            let (mut spent, mut passing, mut open) = (run.work.unreached.0.clone()?, 0.0, 0);
            for (k, change) in &run.reached {
                match change.figure("outcome").map(|f| &f.value) {
                    Some(Value::Word(word)) => {
                        spent += run.at(*k, "cost_usd_all")?;
                        passing += f64::from(*word == "pass");
                    }
                    _ => open += 1,
                }
            }
            Ok((spent, passing, open))
        };
        let one = of_run().map(|(spent, passing, more)| {
            open += more;
            (spent, passing)
        });
        told.add(run, one);
    }
    if told.known() == 0 {
        return told.nothing("chains");
    }
    let all = told.by_task.values().flatten();
    let (spent, passing) = all.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let reached: usize = arm.runs.iter().map(|r| r.reached.len()).sum();
    if open > 0 && open as usize == reached {
        return Value::unknown("of no checkpoint is it known whether it passes");
    }
    let mut remark = told.over("chain", "chains");
    if open > 0 {
        let open = counted(open, "checkpoint", "checkpoints");
        remark += &format!("; without {open} of unknown outcome");
    }
    Value::ratio(spent, passing, "no checkpoint passes").remarked(remark)
}
