//! Every value of every chain, and the tests that broke, taken from the figures.

use std::collections::BTreeSet;

use crate::cli::study::{Gathered, GatheredChain};
use crate::history::{Language, Place};
use crate::measure::catalogue::Measure;
use crate::measure::{Figure, Value};
use crate::report::{CellValue, ChainValues, Change, Regression, Study, ValueTable, exact};

/// The chains of each arm of `study`, in its order, as they were measured.
pub(super) fn by_arm<'g, 'c>(
    study: &Study,
    gathered: &'g Gathered<'c>,
) -> Vec<Vec<&'g GatheredChain<'c>>> {
    let all = || gathered.arms.iter().flat_map(|a| &a.chains);
    study
        .arms
        .iter()
        .map(|arm| {
            arm.chains
                .iter()
                .filter_map(|chain| all().find(|g| g.chain.label == chain.label))
                .collect()
        })
        .collect()
}

/// One table a measure and language.
pub(super) fn tables(
    measures: &[&'static Measure],
    arms: &[Vec<&GatheredChain<'_>>],
) -> Vec<ValueTable> {
    let changes = || arms.iter().flatten().flat_map(|c| &c.changes);
    let checkpoints: BTreeSet<u32> = changes().map(Change::index).collect();
    let checkpoints: Vec<u32> = checkpoints.into_iter().collect();
    let mut tables = Vec::new();
    for measure in measures {
        let figures = changes().filter_map(|c| c.figure(measure.id));
        let languages: BTreeSet<Option<Language>> = figures.flat_map(languages).collect();
        for language in languages {
            tables.push(table(measure, language, &checkpoints, arms));
        }
    }
    tables
}

/// The languages that a figure has a value in, as `log --format csv` has them.
fn languages(figure: &Figure) -> Vec<Option<Language>> {
    match figure.by_language.is_empty() {
        true => vec![figure.language],
        false => figure.by_language.keys().copied().map(Some).collect(),
    }
}

/// The value of a figure in a language.
fn value(figure: &Figure, language: Option<Language>) -> Option<&Value> {
    match figure.by_language.is_empty() {
        true => (figure.language == language).then_some(&figure.value),
        false => figure.by_language.get(&language?),
    }
}

fn table(
    measure: &'static Measure,
    language: Option<Language>,
    checkpoints: &[u32],
    arms: &[Vec<&GatheredChain<'_>>],
) -> ValueTable {
    let mut reasons: Vec<String> = Vec::new();
    let mut mark = |reason: &str| {
        let known = reasons.iter().position(|r| r == reason);
        known.unwrap_or_else(|| {
            reasons.push(reason.to_owned());
            reasons.len() - 1
        })
    };
    let mut cell = |change: &Change| -> Option<CellValue> {
        let value = value(change.figure(measure.id)?, language)?;
        Some(match value {
            Value::Known(k) => CellValue::Known(exact(k.value)),
            Value::Word(word) => CellValue::Known((*word).to_owned()),
            Value::Undefined(what) => CellValue::Undefined(mark(what)),
            Value::Unknown(why) => CellValue::Unknown(mark(why)),
        })
    };
    let mut row = |chain: &GatheredChain<'_>| ChainValues {
        chain: chain.chain.label.clone(),
        cells: checkpoints
            .iter()
            .map(|k| {
                // Of several of one number the last counts, as in slopes.
                let mine = chain.changes.iter().rfind(|c| c.index() == *k)?;
                cell(mine)
            })
            .collect(),
    };
    let arms: Vec<Vec<ChainValues>> = arms
        .iter()
        .map(|chains| chains.iter().map(|c| row(c)).collect())
        .collect();
    ValueTable {
        measure,
        language: language.map(|l| l.id().to_owned()),
        checkpoints: checkpoints.to_vec(),
        arms,
        reasons,
    }
}

/// The tests that broke, by arm, chain and checkpoint.
pub(super) fn regressions(arms: &[Vec<&GatheredChain<'_>>]) -> Vec<Regression> {
    let mut all = Vec::new();
    for (arm, chains) in arms.iter().enumerate() {
        for chain in chains {
            for change in &chain.changes {
                let (Some(figure), Place::Chain { checkpoint_id, .. }) =
                    (change.figure("regressions"), &change.step.place)
                else {
                    continue;
                };
                for item in &figure.items {
                    let apart = item.note.strip_prefix("not counted");
                    all.push(Regression {
                        arm,
                        chain: chain.chain.label.clone(),
                        checkpoint: change.index(),
                        checkpoint_id: checkpoint_id.clone(),
                        commit: change.step.commit.id.to_string(),
                        test: item.name.clone(),
                        how: apart
                            .map_or(item.note.as_str(), |n| {
                                n.trim_start_matches([':', ',', ' '])
                            })
                            .to_owned(),
                        apart: apart.is_some(),
                    });
                }
            }
        }
    }
    all
}
