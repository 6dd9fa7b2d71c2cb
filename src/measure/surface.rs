//! Public surface: what one change made available to others.
//!
//! Formula: Σ over file pairs |exported functions and types after and not before|.
//! Source: PluginBench, which left it open for want of a collector.
//! Reads high on: interfaces growing; moving an exported thing to another file adds it there.
//! Blind spot: whether anybody uses it, and changed signatures' effect on callers.

use crate::history::{ExportKind, Step};

use super::definition::{Direction, FUNCTIONS, Level, Measure, Pool};
use super::population::{functions, stands};
use super::{Figure, Item, Value};

pub(super) const MEASURES: &[Measure] = &[Measure {
    id: "public_added",
    aliases: &["public_surface_added"],
    title: "public surface added",
    unit: "exports",
    direction: Direction::Descriptive,
    pool: Pool::Sum,
    needs: FUNCTIONS,
    definition: "Exported functions and types of production code that are there after the \
                 change and were not before, by key within their file, renamed files followed.",
    edges: "What moves to another file is added there, whether or not it went from the first: \
            its path is part of what others name. A changed parameter list is a new export. A \
            changed file that cannot be read makes it unknown, a deleted one apart. No change: 0.",
    source: "PluginBench (PB)",
    reads_high: "Interfaces that grow, and moves of exported code between files.",
    blind_spot: "Whether anything outside uses it, and what was taken away.",
    ..Measure::now("surface", Level::Change, public_added)
}];

fn public_added(step: &Step) -> Figure {
    let files = match functions(step, stands) {
        Ok(files) => files,
        Err(reason) => return Figure::from(Value::unknown(reason)),
    };
    let mut items = Vec::new();
    for (edit, evidence) in &files {
        items.extend(evidence.exports_added.iter().map(|export| Item {
            path: edit.path.to_vec(),
            name: export.key.to_string(),
            note: match export.kind {
                ExportKind::Function => "function".to_owned(),
                ExportKind::Type => "type".to_owned(),
            },
        }));
    }
    Figure::listing(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Export, FileClass, FunctionEvidence, Status};
    use crate::measure::fixture::{edit, modified, number, of, step};

    fn exporting(keys: &[(ExportKind, &str)]) -> FunctionEvidence {
        FunctionEvidence {
            exports_added: keys
                .iter()
                .map(|(kind, key)| Export {
                    kind: *kind,
                    key: (*key).into(),
                })
                .collect(),
            ..FunctionEvidence::default()
        }
    }

    #[test]
    fn exported_functions_and_types_of_production_code_are_counted_and_listed() {
        let step = step(vec![
            modified("a.go").functions(exporting(&[
                (ExportKind::Function, "Open"),
                (ExportKind::Type, "Store"),
            ])),
            edit(Status::Added, "b_test.go")
                .class(FileClass::Test)
                .functions(exporting(&[(ExportKind::Function, "TestOpen")])),
        ]);
        let figure = of("public_added", &step);
        assert_eq!(figure.value.number(), Some(2.0));
        assert_eq!(figure.items[0].note, "function");
        assert_eq!(figure.items[1].note, "type");
    }

    #[test]
    fn an_export_moved_to_another_file_is_added_there() {
        let from = FunctionEvidence {
            exports_removed: exporting(&[(ExportKind::Function, "Open")]).exports_added,
            ..FunctionEvidence::default()
        };
        let step = step(vec![
            modified("a.go").functions(from),
            modified("b.go").functions(exporting(&[(ExportKind::Function, "Open")])),
        ]);
        assert_eq!(number("public_added", &step), Some(1.0));
    }

    #[test]
    fn a_change_that_touches_nothing_adds_nothing() {
        assert_eq!(number("public_added", &step(Vec::new())), Some(0.0));
    }

    #[test]
    fn what_leaves_production_adds_no_surface_to_it() {
        let mut left = modified("a.go").functions(exporting(&[(ExportKind::Function, "Open")]));
        left.new_class = Some(FileClass::Test);
        assert_eq!(number("public_added", &step(vec![left])), Some(0.0));
    }
}
