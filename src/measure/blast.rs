//! Blast radius: the functions one change added, deleted and modified.
//!
//! Formula: `existing_fns_modified` = |functions that stood on both sides (by key, renames
//! followed) and whose body a hunk touches|; `fns_added`, `fns_deleted` = |keys on one side|.
//! Source: PetClinic-Evolve; PluginBench for the added ones.
//! Reads high on: changes that reach into working code; sweeping edits (a parameter renamed
//! everywhere) count every function they touch, however lightly.
//! Blind spot: how much of a body was touched, and code outside functions (fields, module
//! level, initialisers).

use crate::history::{Edit, FnChange, FnChangeKind, Step};

use super::definition::{Direction, Level, Measure, Pool, TOUCHED};
use super::population::{functions, stands, stands_in_old_file, stayed, stood};
use super::{Figure, Item, Value};

const FAMILY: &str = "blast";

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "existing_fns_modified",
        aliases: &["blast_radius"],
        title: "existing functions modified",
        unit: "functions",
        pool: Pool::Sum,
        needs: TOUCHED,
        definition: "Functions of production code that stood before the change, found again by \
                     key with renamed files followed, and whose body the change touched: a line \
                     inserted strictly inside it, or one of its lines replaced or deleted.",
        edges: "A new function in an old file is not one, a deleted one is counted in \
                fns_deleted, a changed signature alone is a touched body. A touched line counts \
                for the innermost function only. No change: 0. A file that stood before and after \
                and cannot be read on both sides makes it unknown; a new or deleted one does not, \
                since it has no such function.",
        source: "PetClinic-Evolve (PC), whose own count is fns_modified_in_old_files",
        reads_high: "A change that reaches into working code instead of adding beside it; also \
                     sweeping mechanical edits, such as a renamed helper at all its callers.",
        blind_spot: "How much of each body was touched, and code outside functions: fields, \
                     initialisers, module level. White space counts; see fns_reformatted.",
        ..Measure::now(FAMILY, Level::Change, existing_fns_modified)
    },
    Measure {
        id: "fns_modified_in_old_files",
        title: "functions touched in old files",
        unit: "functions",
        primary: false,
        pool: Pool::Sum,
        needs: TOUCHED,
        definition: "The count PetClinic-Evolve's own code makes: functions as they stand after \
                     the change that a changed range overlaps, in files that are not new; a pure \
                     deletion counts as the one line before it.",
        edges: "No change: 0. A file of these that cannot be read makes it unknown.",
        source: "PetClinic-Evolve (PC), as implemented; for comparison with its figures",
        reads_high: "Like existing_fns_modified, and on new functions appended to old files.",
        blind_spot: "A brand-new function in an old file is taken for an existing one, and a \
                     deletion can hit the function before what was deleted.",
        ..Measure::now(FAMILY, Level::Change, fns_modified_in_old_files)
    },
    Measure {
        id: "fns_reformatted",
        title: "functions reformatted only",
        unit: "functions",
        direction: Direction::Descriptive,
        primary: false,
        pool: Pool::Sum,
        needs: TOUCHED,
        definition: "Of the existing functions modified, those whose tokens are the same before \
                     and after: only white space or comments moved.",
        edges: "Python's block structure is among the tokens, so a re-indented statement that \
                moved to another block is no reformat. No change: 0. Unknown where \
                existing_fns_modified is.",
        source: "this project",
        reads_high: "Formatter runs and comment edits.",
        blind_spot: "A function that was reformatted and changed at once is not among them.",
        ..Measure::now(FAMILY, Level::Change, fns_reformatted)
    },
    Measure {
        id: "fns_added",
        aliases: &["functions_added"],
        title: "functions added",
        unit: "functions",
        direction: Direction::Descriptive,
        pool: Pool::Sum,
        needs: TOUCHED,
        definition: "Functions of production code that are there after the change and were not \
                     before, by key within their file, renamed files followed.",
        edges: "A changed parameter list, one candidate on each side, is the same function. A \
                function moved to another file is added there and deleted here. What a rename \
                carries into production code, out of tests say, was there before. No change: 0. A \
                changed file that cannot be read makes it unknown, a deleted one apart.",
        source: "PluginBench (PB), which counts by path and name, so that there a renamed file \
                 adds all its functions anew",
        reads_high: "Growth by new units; splitting a function into several.",
        blind_spot: "Size: a one-line accessor counts like a parser. A renamed class has other keys, \
                     so that all its methods are added (and deleted).",
        ..Measure::now(FAMILY, Level::Change, fns_added)
    },
    Measure {
        id: "fns_deleted",
        aliases: &["functions_deleted"],
        title: "functions deleted",
        unit: "functions",
        direction: Direction::Descriptive,
        pool: Pool::Sum,
        needs: TOUCHED,
        definition: "Functions of production code that were there before the change and are not \
                     after, by key within their file, renamed files followed.",
        edges: "As fns_added. No change: 0. A changed file that cannot be read makes it unknown, \
                a new one apart.",
        source: "PluginBench (PB), which counts by path and name",
        reads_high: "Clean-up; renaming and moving functions.",
        blind_spot: "Whether what was deleted was in use.",
        ..Measure::now(FAMILY, Level::Change, fns_deleted)
    },
];

fn existing_fns_modified(step: &Step) -> Figure {
    listed(step, stayed, |kind| {
        matches!(kind, FnChangeKind::Modified | FnChangeKind::Reformatted)
    })
}

fn fns_reformatted(step: &Step) -> Figure {
    listed(step, stayed, |kind| kind == FnChangeKind::Reformatted)
}

fn fns_added(step: &Step) -> Figure {
    listed(step, stands, |kind| kind == FnChangeKind::Added)
}

fn fns_deleted(step: &Step) -> Figure {
    listed(step, stood, |kind| kind == FnChangeKind::Deleted)
}

fn fns_modified_in_old_files(step: &Step) -> Figure {
    Figure::from(match functions(step, stands_in_old_file) {
        Ok(files) => Value::count(files.iter().map(|(_, f)| f.pc.len()).sum::<usize>()),
        Err(reason) => Value::unknown(reason),
    })
}

/// Counts and lists the function changes of those `files` that are of a `wanted` kind.
fn listed(
    step: &Step,
    files: impl Fn(&Edit) -> bool,
    wanted: impl Fn(FnChangeKind) -> bool,
) -> Figure {
    let files = match functions(step, files) {
        Ok(files) => files,
        Err(reason) => return Figure::from(Value::unknown(reason)),
    };
    let mut items = Vec::new();
    for (edit, evidence) in files {
        let changes = evidence.changes.iter().filter(|c| wanted(c.kind));
        items.extend(changes.map(|change| Item {
            path: edit.path.to_vec(),
            name: change.key.to_string(),
            note: note(change),
        }));
    }
    Figure::listing(items)
}

/// What moved: `CC 4→7`, `CC 4`, `CC 4, layout only`, `CC 4, was run(int)`.
fn note(change: &FnChange) -> String {
    let mut note = match (&change.before, &change.after) {
        (Some(before), Some(after)) if before.cc != after.cc => {
            format!("CC {}→{}", before.cc, after.cc)
        }
        (_, Some(score)) | (Some(score), None) => format!("CC {}", score.cc),
        (None, None) => String::new(),
    };
    let mut also = |words: &str| {
        if !note.is_empty() {
            note.push_str(", ");
        }
        note.push_str(words);
    };
    if change.kind == FnChangeKind::Reformatted {
        also("layout only");
    }
    if let Some(old) = &change.old_key {
        also(&format!("was {old}"));
    }
    note
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{
        FileClass, FunctionEvidence, Functions, Language, PcBody, Status, Unparsed,
    };
    use crate::measure::fixture::{change, edit, modified, number, of, renamed, step, unknown};

    fn one_of_each() -> Vec<FnChange> {
        vec![
            change(
                FnChangeKind::Modified,
                "A::run()",
                Some((4, 2)),
                Some((7, 9)),
            ),
            change(
                FnChangeKind::Reformatted,
                "A::show()",
                Some((2, 0)),
                Some((2, 0)),
            ),
            change(
                FnChangeKind::Rescored,
                "A::calls()",
                Some((2, 0)),
                Some((2, 1)),
            ),
            change(FnChangeKind::Added, "A::fresh()", None, Some((1, 0))),
            change(FnChangeKind::Deleted, "A::gone()", Some((3, 1)), None),
        ]
    }

    #[test]
    fn a_change_that_touches_nothing_counts_zero() {
        let none = step(Vec::new());
        for measure in MEASURES {
            assert_eq!(number(measure.id, &none), Some(0.0), "{}", measure.id);
        }
    }

    #[test]
    fn each_kind_of_function_change_is_counted_where_it_belongs() {
        let step = step(vec![modified("src/A.java").changes(one_of_each())]);
        assert_eq!(number("existing_fns_modified", &step), Some(2.0));
        assert_eq!(number("fns_reformatted", &step), Some(1.0));
        assert_eq!(number("fns_added", &step), Some(1.0));
        assert_eq!(number("fns_deleted", &step), Some(1.0));
    }

    #[test]
    fn modified_functions_are_listed_with_what_moved() {
        let mut signature = change(
            FnChangeKind::Modified,
            "B::f(int)",
            Some((3, 0)),
            Some((3, 0)),
        );
        signature.old_key = Some("B::f()".into());
        let step = step(vec![
            modified("src/A.java").changes(one_of_each()),
            renamed("src/Old.java", "src/B.java").changes(vec![signature]),
        ]);
        let listed: Vec<(String, String)> = of("existing_fns_modified", &step)
            .items
            .into_iter()
            .map(|i| (i.name, i.note))
            .collect();
        let expected = [
            ("A::run()", "CC 4→7"),
            ("A::show()", "CC 2, layout only"),
            ("B::f(int)", "CC 3, was B::f()"),
        ];
        assert_eq!(
            listed,
            expected.map(|(name, note)| (name.to_owned(), note.to_owned()))
        );
    }

    #[test]
    fn the_sources_own_count_takes_overlapped_functions_of_old_files_only() {
        let overlapped = |n: usize| FunctionEvidence {
            pc: vec![PcBody::default(); n],
            ..FunctionEvidence::default()
        };
        let step = step(vec![
            modified("src/A.java").functions(overlapped(3)),
            renamed("src/B.java", "src/C.java").functions(overlapped(1)),
            edit(Status::Added, "src/D.java").functions(overlapped(7)),
        ]);
        assert_eq!(number("fns_modified_in_old_files", &step), Some(4.0));
    }

    #[test]
    fn test_code_counts_nowhere_and_a_file_that_left_production_only_loses_functions() {
        let mut left = renamed("src/A.java", "src/test/A.java").changes(one_of_each());
        left.new_class = Some(FileClass::Test);
        let step = step(vec![
            left,
            modified("src/test/B.java")
                .class(FileClass::Test)
                .changes(one_of_each()),
        ]);
        assert_eq!(number("existing_fns_modified", &step), Some(0.0));
        assert_eq!(number("fns_added", &step), Some(0.0));
        assert_eq!(number("fns_deleted", &step), Some(1.0));
    }

    #[test]
    fn an_unread_production_file_makes_the_count_unknown_with_every_reason() {
        let broken = |path: &str| {
            let mut edit = modified(path);
            edit.functions = Functions::Unparsed {
                old: None,
                new: Some(Unparsed::SyntaxError),
            };
            edit
        };
        let script = |path: &str| {
            let mut edit = modified(path);
            edit.functions = Functions::NoParser(Language::JavaScript);
            edit
        };
        let one = step(vec![broken("src/A.java"), modified("src/B.java")]);
        assert_eq!(
            unknown("existing_fns_modified", &one),
            "syntax error in 1 changed file"
        );
        let both = step(vec![
            script("web/a.js"),
            broken("src/A.java"),
            script("web/b.js"),
        ]);
        assert_eq!(
            unknown("fns_added", &both),
            "no parser for JavaScript (2 files); syntax error in 1 changed file"
        );
    }

    #[test]
    fn an_unread_test_file_does_not_stand_in_the_way() {
        let mut broken = modified("src/test/A.java").class(FileClass::Test);
        broken.functions = Functions::Unparsed {
            old: Some(Unparsed::SyntaxError),
            new: None,
        };
        let step = step(vec![broken]);
        assert_eq!(number("existing_fns_modified", &step), Some(0.0));
    }

    #[test]
    fn an_unread_new_or_deleted_file_says_nothing_about_existing_functions() {
        let unread = |status, path: &str| {
            let mut edit = edit(status, path);
            edit.functions = Functions::NoParser(Language::JavaScript);
            edit
        };
        let step = step(vec![
            unread(Status::Added, "web/a.js"),
            unread(Status::Deleted, "web/b.js"),
            modified("src/A.java").changes(one_of_each()),
        ]);
        assert_eq!(number("existing_fns_modified", &step), Some(2.0));
        let one = "no parser for JavaScript (1 file)";
        assert_eq!(unknown("fns_added", &step), one);
        assert_eq!(unknown("fns_deleted", &step), one);
    }
}
