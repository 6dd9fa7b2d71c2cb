//! Public surface: what one change made available to others.
//!
//! Formula: Σ over file pairs |exported functions and types after and not before|.
//! Source: PluginBench, which left it open for want of a collector.
//! Reads high on: interfaces growing; moving an exported thing to another package adds it there.
//! Blind spot: whether anybody uses it, and changed signatures' effect on callers.

use std::collections::BTreeMap;

use crate::history::{Export, ExportKind, FileClass, Functions, Language, Step};

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
    edges: "Java and Go: what moves to another file of its folder is not added, since the package \
            is what others name; Python: it is, since the module is. A changed parameter list is \
            a new export; of a file renamed from tests into production what was there before \
            is none. A changed file that cannot be read makes it unknown, a deleted one \
            apart. No change: 0.",
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
    // Removed exports of each package: what is added there again only moved.
    let mut moved: BTreeMap<(&[u8], &Export), usize> = BTreeMap::new();
    for edit in &step.edits {
        if let Functions::Read(evidence) = &edit.functions
            && edit.old_is(FileClass::Production)
            && edit.language != Some(Language::Python)
        {
            for export in &evidence.exports_removed {
                let from = edit.old_path.as_ref().unwrap_or(&edit.path);
                *moved.entry((folder(from), export)).or_default() += 1;
            }
        }
    }
    let mut items = Vec::new();
    for (edit, evidence) in &files {
        for export in &evidence.exports_added {
            if let Some(left) = moved.get_mut(&(folder(&edit.path), export))
                && *left > 0
            {
                *left -= 1;
                continue;
            }
            items.push(Item {
                path: edit.path.to_vec(),
                name: export.key.to_string(),
                note: match export.kind {
                    ExportKind::Function => "function".to_owned(),
                    ExportKind::Type => "type".to_owned(),
                },
            });
        }
    }
    Figure::listing(items)
}

fn folder(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|b| *b == b'/').unwrap_or(0);
    &path[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{FunctionEvidence, Status};
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
    fn an_export_moved_within_its_package_is_not_added() {
        let open = || exporting(&[(ExportKind::Function, "Open")]);
        let from = FunctionEvidence {
            exports_removed: open().exports_added,
            ..FunctionEvidence::default()
        };
        let moved = |to: &str, language| {
            let mut from = edit(Status::Deleted, "p/a.go").functions(from.clone());
            let mut to = modified(to).functions(open());
            (from.language, to.language) = (Some(language), Some(language));
            number("public_added", &step(vec![from, to]))
        };
        assert_eq!(moved("p/b.go", Language::Go), Some(0.0));
        assert_eq!(moved("q/b.go", Language::Go), Some(1.0));
        // A Python module is what others name, so it is added there.
        assert_eq!(moved("p/b.go", Language::Python), Some(1.0));
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
