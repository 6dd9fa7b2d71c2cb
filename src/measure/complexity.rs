//! What one change did to complexity: its net sum, and the hard functions it left.
//!
//! Formula: `net_cc` = Σ CC over all rows of changed production files after − Σ before;
//! `net_cognitive` alike; `hotspots` = |added functions, or functions whose cognitive score
//! grew, with a score above the limit (15)|.
//! Source: PluginBench.
//! Reads high on: growth of any kind; every new function adds at least 1 to `net_cc`.
//! Blind spot: a net sum cancels, so a function that grew by ten and one that fell by ten
//! read as nothing.

use crate::history::{FileClass, FnChange, FnChangeKind, Step};

use super::definition::{FUNCTIONS, Level, Measure, Pool, Renames, TOUCHED};
use super::population::{Side, by_language, functions};
use super::{Figure, Item, Value};

const FAMILY: &str = "complexity";

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "net_cc",
        aliases: &["net_complexity"],
        title: "net cyclomatic complexity",
        unit: "CC",
        per_language: true,
        pool: Pool::Sum,
        renames: Renames::ByClass,
        needs: FUNCTIONS,
        definition: "Cyclomatic complexity of all functions in changed production files after \
                     the change, less the same before it. Untouched functions cancel, new ones \
                     count in full, deleted ones are taken off; may be negative.",
        edges: "Go closures are rows of their own and are added, since a declaration's CC leaves \
                them out. A language the change does not touch: 0. A changed file of the language \
                that cannot be read makes that language's figure unknown. No change: 0.",
        source: "PluginBench (PB)",
        reads_high: "Growth: every function added counts at least 1.",
        blind_spot: "Where the complexity sits. Splitting one function into five adds, though \
                     each is easier to read.",
        ..Measure::now(FAMILY, Level::Change, net_cc)
    },
    Measure {
        id: "net_cognitive",
        title: "net cognitive complexity",
        unit: "cognitive",
        per_language: true,
        pool: Pool::Sum,
        renames: Renames::ByClass,
        needs: FUNCTIONS,
        definition: "Cognitive complexity of all functions in changed production files after the \
                     change, less the same before it; may be negative.",
        edges: "Go closures are left out, since the declaration's score holds them already. A \
                language the change does not touch: 0. A changed file of the language that \
                cannot be read makes that language's figure unknown. No change: 0.",
        source: "PluginBench (PB); cognitive complexity after Campbell 2018",
        reads_high: "Nesting and mixed conditions; straight-line functions add nothing.",
        blind_spot: "Where it sits, and anything that is hard to read for other reasons than \
                     control flow.",
        ..Measure::now(FAMILY, Level::Change, net_cognitive)
    },
    Measure {
        id: "hotspots",
        aliases: &["complexity_hotspots"],
        title: "complexity hotspots",
        unit: "functions",
        pool: Pool::Sum,
        needs: TOUCHED,
        definition: "Functions the change added, or whose cognitive score it raised, that are \
                     above the limit of 15 after it.",
        edges: "A function's score has the functions folded into it. Exactly 15 is not above. A \
                changed production file that cannot be read makes it unknown. No change: 0.",
        source: "PluginBench (PB)",
        reads_high: "Changes that write or deepen functions which are hard to follow.",
        blind_spot: "Hard functions that were there and only got longer, and those just under \
                     the limit.",
        ..Measure::now(FAMILY, Level::Change, hotspots)
    },
];

fn net_cc(step: &Step) -> Figure {
    by_language(step, |evidence, side| match side {
        Side::Before => evidence.before.cc,
        Side::After => evidence.after.cc,
    })
}

fn net_cognitive(step: &Step) -> Figure {
    by_language(step, |evidence, side| match side {
        Side::Before => evidence.before.cognitive,
        Side::After => evidence.after.cognitive,
    })
}

fn hotspots(step: &Step) -> Figure {
    let files = match functions(step) {
        Ok(files) => files,
        Err(reason) => return Figure::from(Value::unknown(reason)),
    };
    let limit = step.context.thresholds.cognitive;
    let mut items = Vec::new();
    for (edit, evidence) in &files {
        if !edit.new_is(FileClass::Production) {
            continue;
        }
        items.extend(evidence.changes.iter().filter_map(|change| {
            Some(Item {
                path: edit.path.to_vec(),
                name: change.key.to_string(),
                note: risen(change, limit)?,
            })
        }));
    }
    Figure {
        items: items.clone(),
        ..Figure::from(Value::count(items.len()))
    }
}

/// How a function got above `limit`, where it did: `cognitive 12→18`, `cognitive 18, new`.
fn risen(change: &FnChange, limit: u32) -> Option<String> {
    let after = change.after.filter(|score| score.cognitive > limit)?;
    match (change.kind, change.before) {
        (FnChangeKind::Added, _) => Some(format!("cognitive {}, new", after.cognitive)),
        (_, Some(before)) if after.cognitive > before.cognitive => Some(format!(
            "cognitive {}→{}",
            before.cognitive, after.cognitive
        )),
        _ => None,
    }
}
