//! Tests by checkpoint, from what was kept of the chains' gates.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::study::Kept;
use crate::history::evidence::{Belongs, Category};
use crate::record::TestOutcome;
use crate::report::{HeatCell, HeatMap, HeatRow};

/// Tests shown one by one; more are taken together.
const ONE_BY_ONE: usize = 60;

/// The checkpoint that a row belongs to, and what it is called: rows stand in this order.
type Row = (u32, String);

/// The maps of the arms as they are shown, and the same a row a test.
pub(super) struct Maps {
    pub shown: Vec<HeatMap>,
    pub tests: Vec<HeatMap>,
}

/// The maps of `arms`: name and what was kept of its chains.
pub(super) fn maps(arms: &[(String, Vec<&Kept>)]) -> Maps {
    let tests: Vec<HeatMap> = arms
        .iter()
        .map(|(name, kept)| map(name, kept, "test", one))
        .collect();
    let most = tests.iter().map(|m| m.rows.len()).max().unwrap_or(0);
    if most <= ONE_BY_ONE {
        return Maps {
            shown: tests.clone(),
            tests,
        };
    }
    let all = arms.iter().flat_map(|(_, kept)| kept);
    let told = all
        .flat_map(|k| &k.tests)
        .any(|(_, b)| b.checkpoint.is_some() || b.category.is_some());
    let shown = arms
        .iter()
        .map(|(name, kept)| match told {
            true => map(name, kept, "tests of", |_, belongs| together(belongs)),
            false => map(name, kept, "tests", |id, _| (u32::MAX, holder(id))),
        })
        .collect();
    Maps { shown, tests }
}

/// A test by itself, after those of earlier checkpoints.
fn one(id: &str, belongs: Belongs) -> Row {
    (belongs.checkpoint.unwrap_or(u32::MAX), id.to_owned())
}

/// `checkpoint 3, core`: what a test is said to be.
fn together(belongs: Belongs) -> Row {
    let category = belongs.category.map(Category::word);
    let label = match (belongs.checkpoint, category) {
        (Some(k), Some(category)) => format!("checkpoint {k}, {category}"),
        (Some(k), None) => format!("checkpoint {k}"),
        (None, Some(category)) => format!("no checkpoint, {category}"),
        (None, None) => "nothing says of which".to_owned(),
    };
    (belongs.checkpoint.unwrap_or(u32::MAX), label)
}

/// What a test is in: its id up to its last part.
fn holder(id: &str) -> String {
    let id = id.split(['[', '(']).next().unwrap_or(id);
    let end = ["::", "#", "/", "."]
        .iter()
        .filter_map(|mark| id.rfind(mark))
        .max();
    match end {
        Some(at) if at > 0 => id[..at].to_owned(),
        _ => "other tests".to_owned(),
    }
}

fn map(
    arm: &str,
    chains: &[&Kept],
    rows_are: &'static str,
    row: impl Fn(&str, Belongs) -> Row,
) -> HeatMap {
    let mut checkpoints: Vec<u32> = chains
        .iter()
        .flat_map(|k| &k.gates)
        .map(|g| g.checkpoint)
        .collect();
    checkpoints.sort_unstable();
    checkpoints.dedup();
    let column = |k: u32| checkpoints.binary_search(&k).ok();
    let mut judged = vec![(0, 0); checkpoints.len()];
    let mut rows = BTreeMap::<Row, (BTreeSet<&str>, Vec<HeatCell>)>::new();
    for kept in chains {
        let names: Vec<Row> = kept.tests.iter().map(|(id, b)| row(id, *b)).collect();
        for (name, (id, _)) in names.iter().zip(&kept.tests) {
            let empty = || {
                (
                    BTreeSet::new(),
                    vec![HeatCell::default(); checkpoints.len()],
                )
            };
            let mine = rows.entry(name.clone()).or_insert_with(empty);
            mine.0.insert(id);
        }
        for gate in &kept.gates {
            let Some(at) = column(gate.checkpoint) else {
                continue;
            };
            judged[at].1 += 1;
            judged[at].0 += u32::from(gate.judged);
            for (place, outcome) in &gate.outcomes {
                let name = names.get(*place as usize);
                let Some((_, cells)) = name.and_then(|n| rows.get_mut(n)) else {
                    continue;
                };
                match outcome {
                    TestOutcome::Passed => cells[at].passed += 1,
                    TestOutcome::Failed | TestOutcome::Error => cells[at].failed += 1,
                    TestOutcome::Skipped => cells[at].skipped += 1,
                }
            }
        }
    }
    HeatMap {
        arm: arm.to_owned(),
        rows_are,
        rows: rows
            .into_iter()
            .map(|((_, label), (tests, cells))| HeatRow {
                label,
                tests: u32::try_from(tests.len()).unwrap_or(u32::MAX),
                cells,
            })
            .collect(),
        checkpoints,
        judged,
    }
}
