//! Re-edit rate: how much of what a change edits was written by earlier changes.
//!
//! Formula: over the existing functions modified, Σ body lines last written by an earlier
//! checkpoint ÷ Σ body lines; parser-free, Σ removed lines written two or more checkpoints
//! ago ÷ Σ (added + removed).
//! Source: PetClinic-Evolve; its later harness for the parser-free one.
//! Reads high on: new rules that keep re-opening what earlier rules grew.
//! Blind spot: base code. What the chain (or the window) did not write is not prior, so the
//! rate starts at zero and can only grow as the chain's own code does.

use crate::history::{FnChangeKind, Needs, Step};

use super::definition::{LINES, Level, Measure, Pool, TOUCHED};
use super::population::{functions, lines_of_old_files, number, stands_in_old_file, stayed};
use super::{Figure, Value};

const FAMILY: &str = "reedit";

const BODIES: Needs = Needs {
    origins: true,
    ..TOUCHED
};

const REMOVED: Needs = Needs {
    origins: true,
    ..LINES
};

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "reedit_rate",
        aliases: &["re_edit_rate"],
        title: "re-edit rate",
        unit: "ratio",
        windowed: true,
        pool: Pool::SumOverSum,
        needs: BODIES,
        definition: "Over the existing functions the change modified: body lines last written \
                     by an earlier checkpoint of the chain ÷ all body lines, as they stand after \
                     the change. In a plain history the earlier changes of the lookback stand \
                     for earlier checkpoints.",
        edges: "Lines of the base are not prior, nor are this change's own. Each line counts \
                once, under its innermost function. A line that a reset restored has the origin \
                it had before. No edited function: undefined, so also a root commit. Unknown where \
                existing_fns_modified is.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "New work that keeps re-opening functions which earlier work grew; a \
                     one-line insert into such a function counts its whole body, on purpose.",
        blind_spot: "Edits of base code, which always read as not prior: early in a chain there \
                     is little to re-edit. Code outside functions.",
        ..Measure::now(FAMILY, Level::Change, reedit_rate)
    },
    Measure {
        id: "reedit_rate_pc",
        title: "re-edit rate as PetClinic-Evolve computes it",
        unit: "ratio",
        primary: false,
        windowed: true,
        pool: Pool::SumOverSum,
        needs: BODIES,
        definition: "The same ratio over the functions of fns_modified_in_old_files, whole spans, \
                     with lines of reset, foreign and superseded commits read as an \
                     earlier checkpoint's, as blame gives them.",
        edges: "Nested functions count in their outer one again. No such function: undefined.",
        source: "PetClinic-Evolve (PC), as implemented; for comparison with its figures",
        reads_high: "As reedit_rate; also where resets rewrote code.",
        blind_spot: "New functions in old files dilute it, since all their lines are own.",
        ..Measure::now(FAMILY, Level::Change, reedit_rate_pc)
    },
    Measure {
        id: "reedit_settled_rate",
        title: "settled re-edit rate",
        unit: "ratio",
        windowed: true,
        pool: Pool::SumOverSum,
        needs: REMOVED,
        definition: "Without a parser: production lines replaced or deleted that were written \
                     two or more checkpoints ago (the base is checkpoint 0) ÷ production lines \
                     added plus removed, in files that are not new.",
        edges: "Nothing removed but lines added: 0. No changed line in such files: undefined. \
                Deleted files are not new: their lines are removed ones. Binary files have no \
                lines and are named as left out.",
        source: "later PetClinic-Evolve harness (PCh)",
        reads_high: "Changes that rewrite what had come to rest; deletions of old code too.",
        blind_spot: "Inserts into settled code: a line added in its midst replaces none of it.",
        ..Measure::now(FAMILY, Level::Change, reedit_settled_rate)
    },
];

/// Why a rate is unknown where an older version of a file could not be read.
const WRITERS_UNKNOWN: &str =
    "who wrote some of the lines is not known: an older version could not be read";

fn reedit_rate(step: &Step) -> Figure {
    let files = match functions(step, stayed) {
        Ok(files) => files,
        Err(reason) => return Figure::from(Value::unknown(reason)),
    };
    let (mut prior, mut all) = (0, 0);
    for (_, evidence) in files {
        for change in &evidence.changes {
            if !matches!(
                change.kind,
                FnChangeKind::Modified | FnChangeKind::Reformatted
            ) {
                continue;
            }
            let Some(origins) = change.origins else {
                return Figure::from(Value::unknown(WRITERS_UNKNOWN));
            };
            prior += i64::from(origins.prior);
            all += i64::from(origins.lines);
        }
    }
    Figure::from(Value::ratio(
        number(prior),
        number(all),
        "no existing function was edited",
    ))
}

fn reedit_rate_pc(step: &Step) -> Figure {
    let files = match functions(step, stands_in_old_file) {
        Ok(files) => files,
        Err(reason) => return Figure::from(Value::unknown(reason)),
    };
    let bodies = files.iter().flat_map(|(_, evidence)| &evidence.pc);
    let (mut prior, mut all) = (0, 0);
    for body in bodies {
        let Some(lines) = body.prior else {
            return Figure::from(Value::unknown(WRITERS_UNKNOWN));
        };
        prior += i64::from(lines);
        all += i64::from(body.lines);
    }
    Figure::from(Value::ratio(
        number(prior),
        number(all),
        "no function of an old file was touched",
    ))
}

fn reedit_settled_rate(step: &Step) -> Figure {
    Figure::from(match lines_of_old_files(step) {
        Ok(sum) => match sum.settled {
            Some(settled) => Value::ratio(
                number(settled),
                number(sum.added + sum.removed),
                "no changed line in files that are not new",
            )
            .without(&sum.left_out),
            None => Value::unknown(WRITERS_UNKNOWN),
        },
        Err(reason) => Value::unknown(reason),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{FunctionEvidence, LineCounts, Lines, PcBody, Status};
    use crate::measure::fixture::{body, change, edit, known, modified, step, undefined, unknown};

    #[test]
    fn without_an_edited_function_every_rate_is_undefined() {
        let none = step(Vec::new());
        assert_eq!(
            undefined("reedit_rate", &none),
            "no existing function was edited"
        );
        assert_eq!(
            undefined("reedit_rate_pc", &none),
            "no function of an old file was touched"
        );
        assert_eq!(
            undefined("reedit_settled_rate", &none),
            "no changed line in files that are not new"
        );
    }

    #[test]
    fn a_root_commit_edits_no_existing_function() {
        let added = edit(Status::Added, "src/A.java")
            .lines(20, 0)
            .changes(vec![change(
                FnChangeKind::Added,
                "A::f()",
                None,
                Some((1, 0)),
            )]);
        let mut root = step(vec![added]);
        root.root = true;
        root.parent = None;
        undefined("reedit_rate", &root);
        undefined("reedit_settled_rate", &root);
    }

    #[test]
    fn bodies_are_pooled_so_that_a_long_one_weighs_more() {
        let mut reformatted = body("A::g()", 0, 30);
        reformatted.kind = FnChangeKind::Reformatted;
        let step = step(vec![
            modified("src/A.java").changes(vec![body("A::f()", 8, 10), reformatted]),
            modified("src/B.java").changes(vec![
                change(FnChangeKind::Added, "B::new()", None, Some((1, 0))),
                change(FnChangeKind::Rescored, "B::r()", Some((1, 0)), Some((1, 1))),
            ]),
        ]);
        let rate = known("reedit_rate", &step);
        assert_eq!((rate.num, rate.den), (Some(8.0), Some(40.0)));
        assert_eq!(rate.value, 0.2);
    }

    #[test]
    fn a_body_without_origins_makes_the_rate_unknown() {
        let mut without = body("A::f()", 1, 2);
        without.origins = None;
        let step = step(vec![modified("src/A.java").changes(vec![without])]);
        assert_eq!(unknown("reedit_rate", &step), WRITERS_UNKNOWN);
        let mut lost = modified("src/A.java");
        lost.lines = Lines::Counted(LineCounts {
            added: 1,
            removed: 2,
            removed_settled: None,
        });
        lost.functions = crate::history::Functions::Read(Box::new(FunctionEvidence {
            pc: vec![PcBody {
                lines: 3,
                prior: None,
            }],
            ..FunctionEvidence::default()
        }));
        let step = crate::measure::fixture::step(vec![lost]);
        for id in ["reedit_settled_rate", "reedit_rate_pc"] {
            assert_eq!(unknown(id, &step), WRITERS_UNKNOWN);
        }
    }

    #[test]
    fn the_sources_own_rate_leaves_new_files_out() {
        let bodies = |prior, lines| FunctionEvidence {
            pc: vec![PcBody {
                lines,
                prior: Some(prior),
            }],
            ..FunctionEvidence::default()
        };
        let step = step(vec![
            modified("src/A.java").functions(bodies(3, 12)),
            edit(Status::Added, "src/B.java").functions(bodies(5, 5)),
        ]);
        let rate = known("reedit_rate_pc", &step);
        assert_eq!((rate.num, rate.den), (Some(3.0), Some(12.0)));
    }

    #[test]
    fn the_settled_rate_takes_old_files_alone_and_deleted_ones_too() {
        let settled = |mut of: crate::history::Edit, added, removed, removed_settled| {
            of.lines = Lines::Counted(LineCounts {
                added,
                removed,
                removed_settled: Some(removed_settled),
            });
            of
        };
        let step = step(vec![
            settled(modified("src/A.java"), 6, 4, 3),
            settled(edit(Status::Deleted, "src/B.java"), 0, 10, 2),
            settled(edit(Status::Added, "src/C.java"), 80, 0, 0),
        ]);
        let rate = known("reedit_settled_rate", &step);
        assert_eq!((rate.num, rate.den), (Some(5.0), Some(20.0)));
        let only_added = crate::measure::fixture::step(vec![modified("src/A.java").lines(5, 0)]);
        assert_eq!(known("reedit_settled_rate", &only_added).value, 0.0);
    }

    #[test]
    fn a_function_that_leaves_production_is_not_re_edited() {
        let mut left = modified("src/A.java").changes(vec![body("A::f()", 8, 10)]);
        left.new_class = Some(crate::history::FileClass::Test);
        undefined("reedit_rate", &step(vec![left]));
    }
}
