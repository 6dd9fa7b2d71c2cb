//! What one change did to complexity: its net sum, and the hard functions it left.
//!
//! Formula: `net_cc` = Σ CC over all rows of changed production files after − Σ before;
//! `net_cognitive` alike; `hotspots` = |added functions, or functions whose cognitive score
//! grew, with a score above the limit (15)|.
//! Source: PluginBench.
//! Reads high on: growth of any kind; every new function adds at least 1 to `net_cc`.
//! Blind spot: a net sum cancels, so a function that grew by ten and one that fell by ten
//! read as nothing.

use crate::history::{FnChange, FnChangeKind, Step};

use super::definition::{FUNCTIONS, Level, Measure, Pool, Renames, TOUCHED};
use super::population::{Side, by_language, functions, stands};
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
                changed file that cannot be read makes it unknown, a deleted one apart. No change: 0.",
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
    let files = match functions(step, stands) {
        Ok(files) => files,
        Err(reason) => return Figure::from(Value::unknown(reason)),
    };
    let limit = step.context.thresholds.cognitive;
    let mut items = Vec::new();
    for (edit, evidence) in &files {
        items.extend(evidence.changes.iter().filter_map(|change| {
            Some(Item {
                path: edit.path.to_vec(),
                name: change.key.to_string(),
                note: risen(change, limit)?,
            })
        }));
    }
    Figure::listing(items)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::history::{FileClass, Functions, Language, Status, Unparsed};
    use crate::measure::fixture::{
        change, edit, modified, number, of, renamed, showing, step, unknown,
    };

    #[test]
    fn a_change_that_touches_nothing_counts_zero() {
        let none = step(Vec::new());
        for measure in MEASURES {
            assert_eq!(number(measure.id, &none), Some(0.0), "{}", measure.id);
        }
        let unshown = showing(none, None);
        assert_eq!(number("net_cc", &unshown), Some(0.0));
    }

    #[test]
    fn net_is_after_minus_before_over_changed_production_files() {
        let step = step(vec![
            modified("src/A.java").totals((10, 4), (13, 9)),
            edit(Status::Added, "src/B.java").totals((0, 0), (5, 1)),
            edit(Status::Deleted, "src/C.java").totals((20, 30), (0, 0)),
            modified("src/test/T.java")
                .class(FileClass::Test)
                .totals((0, 0), (99, 99)),
        ]);
        let figure = of("net_cc", &step);
        assert_eq!(figure.value.number(), Some(-12.0));
        assert_eq!(figure.language, Some(Language::Java));
        assert!(figure.by_language.is_empty());
        assert_eq!(number("net_cognitive", &step), Some(-24.0));
    }

    #[test]
    fn a_file_that_leaves_production_takes_its_complexity_off() {
        let mut left = renamed("src/A.java", "src/test/A.java").totals((10, 4), (11, 4));
        left.new_class = Some(FileClass::Test);
        assert_eq!(number("net_cc", &step(vec![left])), Some(-10.0));
    }

    #[test]
    fn languages_are_never_added_and_an_untouched_shown_one_is_zero() {
        let both = step(vec![
            modified("src/A.java").totals((1, 0), (4, 0)),
            modified("a.py").totals((9, 0), (2, 0)),
        ]);
        let figure = of("net_cc", &both);
        assert_eq!(figure.value.number(), Some(3.0));
        assert_eq!(figure.by_language[&Language::Java].number(), Some(3.0));
        assert_eq!(figure.by_language[&Language::Python].number(), Some(-7.0));

        let other = step(vec![modified("a.py").totals((9, 0), (2, 0))]);
        let figure = of("net_cc", &other);
        assert_eq!(figure.value.number(), Some(0.0));
        assert_eq!(figure.language, Some(Language::Java));
        assert_eq!(figure.by_language[&Language::Python].number(), Some(-7.0));
    }

    #[test]
    fn an_unread_file_makes_its_own_language_unknown_and_no_other() {
        let mut broken = modified("a.py");
        broken.functions = Functions::Unparsed {
            old: Some(Unparsed::SyntaxError),
            new: Some(Unparsed::SyntaxError),
        };
        let mut script = modified("web/a.ts");
        script.functions = Functions::NoParser(Language::TypeScript);
        let step = step(vec![
            modified("src/A.java").totals((1, 0), (4, 0)),
            modified("b.py").totals((1, 0), (2, 0)),
            broken,
            script,
        ]);
        let figure = of("net_cc", &step);
        assert_eq!(figure.value.number(), Some(3.0));
        assert_eq!(
            figure.by_language[&Language::Python],
            Value::unknown("syntax error in 1 changed file")
        );
        assert_eq!(
            figure.by_language[&Language::TypeScript],
            Value::unknown("no parser for TypeScript (1 file)")
        );
        let python = showing(step, Some(Language::Python));
        assert_eq!(unknown("net_cc", &python), "syntax error in 1 changed file");
    }

    #[test]
    fn where_no_language_is_chosen_a_single_unread_one_gives_the_reason() {
        let mut script = modified("web/a.ts");
        script.functions = Functions::NoParser(Language::TypeScript);
        let step = showing(step(vec![script]), None);
        assert_eq!(
            unknown("net_cc", &step),
            "no parser for TypeScript (1 file)"
        );
    }

    #[test]
    fn hotspots_are_added_or_risen_above_the_limit() {
        let step = step(vec![modified("src/A.java").changes(vec![
            change(FnChangeKind::Added, "new_high", None, Some((9, 16))),
            change(FnChangeKind::Added, "new_at_limit", None, Some((9, 15))),
            change(
                FnChangeKind::Modified,
                "risen",
                Some((5, 12)),
                Some((9, 18)),
            ),
            change(
                FnChangeKind::Modified,
                "fallen",
                Some((9, 40)),
                Some((9, 30)),
            ),
            change(FnChangeKind::Modified, "same", Some((9, 40)), Some((9, 40))),
            change(
                FnChangeKind::Rescored,
                "rescored",
                Some((5, 15)),
                Some((5, 16)),
            ),
            change(FnChangeKind::Deleted, "deleted", Some((5, 50)), None),
        ])]);
        let figure = of("hotspots", &step);
        assert_eq!(figure.value.number(), Some(3.0));
        let listed: Vec<String> = figure
            .items
            .iter()
            .map(|i| format!("{}: {}", i.name, i.note))
            .collect();
        assert_eq!(
            listed,
            [
                "new_high: cognitive 16, new",
                "risen: cognitive 12→18",
                "rescored: cognitive 15→16"
            ]
        );
    }

    #[test]
    fn a_rename_to_another_language_takes_off_in_one_and_adds_in_the_other() {
        let moved = renamed("App.java", "app.py").totals((8, 0), (5, 0));
        let figure = of("net_cc", &step(vec![moved]));
        assert_eq!(figure.value.number(), Some(-8.0));
        assert_eq!(figure.by_language[&Language::Python].number(), Some(5.0));
    }

    proptest! {
        #[test]
        fn net_complexity_is_additive_over_files(
            files in proptest::collection::vec((0_i64..500, 0_i64..500), 1..12)
        ) {
            let one = |(i, (before, after)): (usize, &(i64, i64))| {
                modified(&format!("src/F{i}.java")).totals((*before, 0), (*after, 0))
            };
            let whole = step(files.iter().enumerate().map(one).collect());
            let apart: f64 = files
                .iter()
                .enumerate()
                .map(|file| number("net_cc", &step(vec![one(file)])).expect("known"))
                .sum();
            prop_assert_eq!(number("net_cc", &whole), Some(apart));
        }
    }
}
