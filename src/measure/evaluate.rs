//! From a measure and a step to a figure: what makes it unknown before anything is counted.
//!
//! A shallow boundary, a cut window, renames that were not looked for, evidence that was not
//! gathered: decided here, once, so that no family can forget it.

use crate::history::{FileClass, Status, Step, Trouble, Turn};

use super::definition::{
    Availability, Level, Measure, NOT_IN_THIS_VERSION, OF_WHOLE_CHAINS, Renames,
};
use super::{Figure, Value};

/// The figure of `measure` on `step`: unknown with its reason where something stands in the
/// way, else what the measure computes.
pub fn figure(measure: &Measure, step: &Step) -> Figure {
    let Some(compute) = measure.compute else {
        return unknown(measure, step, without_compute(measure));
    };
    if let Some(reason) = obstacle(measure, step) {
        return unknown(measure, step, &reason);
    }
    compute(step)
}

/// Why a measure has no figure of any step.
fn without_compute(measure: &Measure) -> &'static str {
    match measure.availability {
        Availability::Implemented => OF_WHOLE_CHAINS,
        Availability::NotInThisVersion => NOT_IN_THIS_VERSION,
    }
}

/// What makes `measure` unknown on `step` whatever the evidence says.
fn obstacle(measure: &Measure, step: &Step) -> Option<String> {
    let computed = step.context.needs;
    if computed.union(measure.needs) != computed {
        // Evidence that was not gathered must not pass for evidence of nothing.
        return Some("what it needs was not computed in this run".to_owned());
    }
    match (step.turn, measure.level) {
        (Turn::Last, _) | (_, Level::Process | Level::Chain) => {}
        (_, Level::Tests) => {
            let why = "gates ran on the agent commit, and not on what its first turn left";
            return Some(why.to_owned());
        }
        (Turn::First, Level::Change | Level::State) => {}
        (Turn::FirstNotHere, Level::Change | Level::State) => {
            let why = "the tree of the first turn is not here (`git evolve fetch`)";
            return Some(why.to_owned());
        }
    }
    if measure.level == Level::Change {
        match &step.trouble {
            Some(Trouble::Shallow) => {
                return Some("the parent is behind a shallow clone's boundary".to_owned());
            }
            Some(Trouble::Missing(what)) => return Some(what.clone()),
            None => {}
        }
    }
    if measure.windowed
        && let Some(reason) = &step.window.cut
    {
        return Some(reason.clone());
    }
    if step.rename_limit_hit && renames_matter(measure.renames, step) {
        return Some(
            "more than 1,000 files added and deleted: renames were not looked for".to_owned(),
        );
    }
    None
}

/// Whether renames that were not looked for could have changed the figure.
fn renames_matter(renames: Renames, step: &Step) -> bool {
    match renames {
        Renames::Indifferent => false,
        Renames::Paired => true,
        Renames::ByClass => {
            let left = step
                .edits
                .iter()
                .any(|e| e.status == Status::Deleted && e.old_is(FileClass::Production));
            let came = step.edits.iter().any(|e| {
                e.status == Status::Added
                    && !e.new_is(FileClass::Production)
                    && !e.new_is(FileClass::Test)
            });
            left && came
        }
    }
}

fn unknown(measure: &Measure, step: &Step, reason: &str) -> Figure {
    Figure {
        language: step.context.language.filter(|_| measure.per_language),
        ..Figure::from(Value::unknown(reason))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::history::{
        ConfigLines, Context, Extreme, FunctionEvidence, Functions, HotShare, Language,
        LanguageState, Lines, Needs, PcBody, State,
    };
    use crate::measure::catalogue::all;
    use crate::measure::fixture::{
        body, edit, modified, number, of, renamed, showing, step, undefined, unknown, value,
        with_state,
    };

    #[test]
    fn what_is_not_implemented_is_unknown_not_zero() {
        for measure in all().iter().filter(|m| m.compute.is_none()) {
            let reason = unknown(measure.id, &step(Vec::new()));
            match measure.level {
                Level::Chain => assert!(reason.contains("`git evolve compare`"), "{reason}"),
                _ => assert_eq!(reason, "not implemented in this version"),
            }
        }
    }

    #[test]
    fn a_change_without_its_parent_is_unknown_and_its_tree_is_not() {
        let mut step = with_state(step(vec![modified("src/A.java")]), []);
        step.trouble = Some(Trouble::Shallow);
        for measure in all().iter().filter(|m| m.level == Level::Change) {
            unknown(measure.id, &step);
        }
        assert_eq!(
            unknown("net_cc", &step),
            "the parent is behind a shallow clone's boundary"
        );
        assert_eq!(of("net_cc", &step).language, Some(Language::Java));
        assert_eq!(number("loc", &step), Some(0.0));
        step.trouble = Some(Trouble::Missing("blob 1234 is missing".to_owned()));
        assert_eq!(unknown("churn", &step), "blob 1234 is missing");
        step.state = None;
        assert_eq!(unknown("loc", &step), "blob 1234 is missing");
    }

    #[test]
    fn a_cut_window_makes_windowed_measures_unknown_and_no_other() {
        let mut step = with_state(step(Vec::new()), []);
        step.window.cut = Some("12 of 200 earlier changes are here".to_owned());
        for measure in all().iter().filter(|m| m.compute.is_some() && m.windowed) {
            assert_eq!(
                unknown(measure.id, &step),
                "12 of 200 earlier changes are here"
            );
        }
        undefined("erosion", &step);
        assert_eq!(number("existing_fns_modified", &step), Some(0.0));
    }

    #[test]
    fn renames_not_looked_for_make_what_pairs_files_unknown() {
        let mut step = step(vec![
            edit(Status::Deleted, "src/a/A.java").totals((5, 0), (0, 0)),
            edit(Status::Added, "src/b/A.java").totals((0, 0), (6, 0)),
        ]);
        step.rename_limit_hit = true;
        assert!(unknown("files_created", &step).starts_with("more than 1,000 files"));
        unknown("existing_fns_modified", &step);
        unknown("churn", &step);
        // Each side by itself: no rename could have changed these.
        assert_eq!(number("net_cc", &step), Some(1.0));
        assert_eq!(number("packages_touched", &step), Some(2.0));
        // A test has its own class on either side of a rename.
        step.edits
            .push(edit(Status::Added, "src/test/A.java").class(FileClass::Test));
        assert_eq!(number("net_cc", &step), Some(1.0));
        // Unless production code may have gone where nothing is production.
        step.edits
            .push(edit(Status::Added, "vendor/A.java").class(FileClass::Vendored));
        unknown("net_cc", &step);
        step.state = Some(State::default());
        assert_eq!(number("loc", &step), Some(0.0));
    }

    use crate::measure::fixture_chain::{in_chain, whole};

    /// A step in which only what `needs` names was computed.
    fn step_with(needs: Needs) -> Step {
        let mut function = body("A::f()", 1, 2);
        if !needs.origins {
            function.origins = None;
        }
        let evidence = FunctionEvidence {
            changes: vec![function],
            pc: vec![PcBody {
                lines: 2,
                prior: Some(1),
            }],
            ..FunctionEvidence::default()
        };
        let mut edits = vec![
            modified("src/A.java").lines(3, 1).functions(evidence),
            renamed("src/B.java", "src/C.java").lines(1, 1),
        ];
        for edit in &mut edits {
            if !needs.functions {
                edit.functions = Functions::NotAsked;
            }
            if !needs.lines && !needs.all_lines {
                edit.lines = Lines::NotAsked;
            }
        }
        let java = LanguageState {
            files: 1,
            loc: 9,
            entry: Some(Extreme {
                value: 3,
                name: "src/A.java::A::f".to_owned(),
            }),
            ..LanguageState::default()
        };
        let languages = BTreeMap::from([(Language::Java, java)]);
        let mut step = step(edits);
        if needs.captures {
            step = in_chain(step, whole(), 2);
        }
        if needs.tree || needs.config_lines || needs.hot_share {
            step.state = Some(State {
                languages: if needs.tree {
                    languages
                } else {
                    BTreeMap::new()
                },
                config: needs.config_lines.then(ConfigLines::default),
                hot_share: needs.hot_share.then(HotShare::default),
            });
        }
        step.context = Arc::new(Context {
            needs,
            entry_given: true,
            ..(*step.context).clone()
        });
        step
    }

    #[test]
    fn every_measure_is_known_with_what_it_says_it_needs_and_unknown_with_nothing() {
        for measure in all().iter().filter(|m| m.compute.is_some()) {
            let enough = step_with(measure.needs);
            // What sessions say, the tests of these measures say.
            assert!(
                measure.level == Level::Process
                    || !matches!(figure(measure, &enough).value, Value::Unknown(_)),
                "{}: {:?}",
                measure.id,
                figure(measure, &enough).value
            );
            if measure.needs != Needs::default() {
                let nothing = step_with(Needs::default());
                assert_eq!(
                    unknown(measure.id, &nothing),
                    "what it needs was not computed in this run"
                );
            }
        }
    }

    #[test]
    fn a_step_that_shows_no_language_still_has_every_figure_it_can() {
        let step = showing(with_state(step(Vec::new()), []), None);
        assert_eq!(value("net_cc", &step), Value::known(0.0));
        undefined("erosion", &step);
        assert_eq!(of("erosion", &step).language, None);
    }
}
