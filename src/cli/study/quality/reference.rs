//! What changes are against those of the known good solution of their task.
//!
//! A change stands against the reference's at the same checkpoint. Where the reference's value is
//! above zero that is a ratio, elsewhere a difference, and these are never mixed. An arm's figure
//! is the mean over tasks of the median over a task's changes.

use std::collections::BTreeMap;

use super::super::GatheredChain;
use super::runs::{Arm, Run, Told, number};
use super::{Cell, Title};
use crate::cli::args::FormatArgs;
use crate::cli::measured::{self, Measuring};
use crate::cli::session::Session;
use crate::error::Result;
use crate::harness;
use crate::ledger::Chains;
use crate::measure::Value;
use crate::measure::catalogue::{self, Direction, Level, Measure};
use crate::report::{Change, Part, Score};
use crate::stats::percentile;

/// Measures of a change that are not of production code.
const NOT_PRODUCTION: [&str; 5] = [
    "test_lines_added",
    "test_lines_removed",
    "churn_all",
    "other_files_changed",
    "other_churn",
];

/// The measures that are held against the reference.
pub(super) fn measures() -> impl Iterator<Item = &'static Measure> {
    catalogue::all().iter().filter(|m| {
        m.level == Level::Change && m.compute.is_some() && !NOT_PRODUCTION.contains(&m.id)
    })
}

/// The chains of references, measured.
///
/// # Errors
/// The repository or a configuration cannot be read.
pub(in crate::cli) fn references<'c>(
    session: &Session<'_>,
    chains: &'c Chains,
    paths: &[Vec<u8>],
    format: FormatArgs,
) -> Result<Vec<GatheredChain<'c>>> {
    let all: Vec<&'static Measure> = measures().collect();
    let mut measuring = Measuring::new(session, &all, paths.to_vec())?;
    let mut found = Vec::new();
    for chain in &chains.chains {
        if chain.path.arm != harness::REFERENCE {
            continue;
        }
        let request = session.chain_request(chain, paths)?;
        let mut changes = measured::chain_changes(&mut measuring, chain, &request, |_| true)?;
        changes.reverse();
        session.say_aside(format, &chain.label, &chain.notes);
        found.push(GatheredChain {
            kept: None,
            chain,
            changes,
            work: super::Work::of(None),
            plan: None,
        });
    }
    measuring.finish();
    Ok(found)
}

/// The references by experiment and task; of several of one task the first.
type References<'g> = BTreeMap<(&'g str, Option<&'g str>), Run<'g>>;

/// What was held against the reference at one checkpoint.
enum Against {
    Ratio(f64),
    Difference(f64),
}

/// Every measure against the reference; nothing where there is none.
pub(super) fn scores(arms: &[Arm<'_>], references: &[GatheredChain<'_>]) -> Vec<Score> {
    let mut by_task: References<'_> = BTreeMap::new();
    for run in references.iter().map(|chain| Run::of(chain, None)) {
        by_task.entry((run.experiment, run.task)).or_insert(run);
    }
    if by_task.is_empty() {
        return Vec::new();
    }
    let measured = |m: &&Measure| {
        let mut changes = arms
            .iter()
            .flat_map(|a| &a.runs)
            .flat_map(|r| r.reached.values());
        changes.any(|c| c.figure(m.id).is_some())
    };
    let mut scores = Vec::new();
    for measure in measures().filter(measured) {
        let both: Vec<(Told<f64>, Told<f64>)> = arms
            .iter()
            .map(|arm| against(arm, &by_task, measure))
            .collect();
        let title = Title::of("ratio_to_reference", Part::Reference)
            .at(measure.id, &format!(", {}", measure.id));
        let any = both.iter().any(|(_, differences)| differences.known() > 0);
        // Where the reference never has any, there is a difference alone.
        if !any || both.iter().any(|(ratios, _)| ratios.known() > 0) {
            scores.push(title.with(both.iter().map(|(ratios, _)| median(ratios))));
        }
        if any {
            let title = Title::new(
                &format!("difference_to_reference({})", measure.id),
                &format!("difference to the reference, {}", measure.id),
                Part::Reference,
                (measure.unit, Direction::Descriptive),
            );
            scores.push(title.with(both.iter().map(|(_, differences)| median(differences))));
        }
    }
    scores
}

/// The ratios of an arm's changes, and the differences of those that have none.
fn against(
    arm: &Arm<'_>,
    references: &References<'_>,
    measure: &Measure,
) -> (Told<f64>, Told<f64>) {
    let (mut ratios, mut differences) = (Told::default(), Told::default());
    for run in &arm.runs {
        let reference = references.get(&(run.experiment, run.task));
        for (k, change) in &run.reached {
            match of_one(
                change,
                reference.map(|r| r.reached.get(k).copied()),
                measure,
            ) {
                Ok(Against::Ratio(ratio)) => ratios.add(run, Ok(ratio)),
                Ok(Against::Difference(difference)) => {
                    differences.add(run, Ok(difference));
                    ratios.add(run, Err("the reference has 0 or less".to_owned()));
                }
                Err(why) => ratios.add(run, Err(why)),
            }
        }
    }
    (ratios, differences)
}

/// A change against the reference's of the same checkpoint.
fn of_one(
    change: &Change,
    reference: Option<Option<&Change>>,
    measure: &Measure,
) -> std::result::Result<Against, String> {
    let reference = reference.ok_or_else(|| "its task has no reference".to_owned())?;
    let reference =
        reference.ok_or_else(|| "the reference did not reach this checkpoint".to_owned())?;
    let language = |c: &Change| c.figure(measure.id).and_then(|f| f.language);
    if language(change) != language(reference) {
        return Err("the reference's figure is of another language".to_owned());
    }
    let of = number(reference, measure.id).map_err(|why| format!("of the reference: {why}"))?;
    let value = number(change, measure.id)?;
    Ok(match of > 0.0 {
        true => Against::Ratio(value / of),
        false => Against::Difference(value - of),
    })
}

/// The mean over tasks of a task's median.
fn median(told: &Told<f64>) -> Cell {
    let medians: Vec<f64> = told
        .by_task
        .values()
        .filter_map(|task| {
            let mut sorted = task.clone();
            sorted.sort_by(f64::total_cmp);
            percentile(&sorted, 0.5)
        })
        .collect();
    if medians.is_empty() {
        return (told.nothing("changes"), None);
    }
    let mean = medians.iter().sum::<f64>() / medians.len() as f64;
    let remark = format!("median {}", told.over("change", "changes"));
    (Value::known(mean).remarked(remark), None)
}
