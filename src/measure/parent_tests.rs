//! Tests on the code before and after one change, and on the second step after the first.
//!
//! Formula: counts of tests by their outcome on the parent and on the change; of the second step
//! the share of what the first step had passing.
//! Source: SWE-bench in the scaffold benchmark (fail to pass, pass to pass); spec-drift
//! methodology (second-step regression rate, new regression test).
//! Reads high on: what a change mended, kept whole, or undid.
//! Blind spot: tests that were not run on the parent.

use crate::history::Step;
use crate::history::evidence::{Fate, Gate, Joined};
use crate::record::{Suite, TestOutcome};

use super::correctness::as_number;
use super::definition::{CAPTURES, Direction, Level, Measure, Pool};
use super::gates::{apart, counted, gate, number, remarked, since};
use super::{Figure, Item, Value};

const PARENT_TESTS: &str = "parent_tests";

const fn better_high(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        direction: Direction::HigherIsBetter,
        ..of_parent(compute)
    }
}

const fn of_parent(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        needs: CAPTURES,
        ..Measure::now(PARENT_TESTS, Level::Tests, compute)
    }
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "fail_to_pass",
        title: "fail to pass",
        unit: "tests",
        definition: "Tests that fail on the parent and pass after the change.",
        edges: "Needs a gate of the parent with the same tests, else unknown.",
        source: "SWE-bench, in the scaffold benchmark (SC)",
        reads_high: "What the change mended.",
        blind_spot: "Tests that were not run on the parent.",
        ..better_high(fail_to_pass)
    },
    Measure {
        id: "pass_to_pass",
        title: "pass to pass",
        unit: "tests",
        definition: "Tests that pass on the parent and still pass after the change.",
        edges: "Needs a gate of the parent with the same tests, else unknown.",
        source: "SWE-bench, in the scaffold benchmark (SC)",
        reads_high: "What the change left whole.",
        blind_spot: "Grows with the suite.",
        ..better_high(pass_to_pass)
    },
    Measure {
        id: "step2_regression_rate",
        title: "second-step regression rate",
        unit: "ratio",
        pool: Pool::SumOverSum,
        definition: "Tests passing after the first step (the gate of checkpoint 1) and not after \
                     the second (that of checkpoint 2) ÷ tests passing after the first.",
        edges: "Checkpoint 2 alone has it; nothing passed after the first: undefined. Removed, \
                deselected and unstable tests are in neither number. Where the second does not \
                build: 1.",
        source: "spec-drift methodology (SD)",
        reads_high: "Follow-up work that undoes the first.",
        blind_spot: "Behaviour that no test covers.",
        ..of_parent(step2_regression_rate)
    },
    Measure {
        id: "new_regression_test",
        title: "new regression test",
        unit: "flag",
        direction: Direction::Descriptive,
        definition: "Whether the change added a test to the visible suite that fails on its parent \
                     and passes on it.",
        edges: "Needs the visible suite run before, after, and with the new tests on the parent, \
                else unknown.",
        source: "spec-drift methodology (SD)",
        reads_high: "Mending that comes with its test.",
        blind_spot: "How good the test is.",
        ..of_parent(new_regression_test)
    },
];

/// Whether a test passes, as SWE-bench reads it: an expected failure does.
fn passes(test: &Joined) -> bool {
    test.passed() || (test.outcome() == TestOutcome::Skipped && test.result.xfail)
}

/// The gates of the code before a step's change and after it, with the same tests.
fn both(step: &Step, suite: Suite) -> Result<(&Gate, &Gate), String> {
    let (evidence, number, now) = gate(step, suite)?;
    Ok((evidence.gate_of_parent(number, suite)?, now))
}

fn listed(value: usize, items: Vec<Item>, now: &Gate) -> Figure {
    Figure {
        items,
        ..Figure::from(remarked(Value::count(value), &now.remarks()))
    }
}

fn fail_to_pass(step: &Step) -> Figure {
    let (parent, now) = match both(step, Suite::Acceptance) {
        Ok(both) => both,
        Err(why) => return Value::unknown(why).into(),
    };
    let mut items = Vec::new();
    let mut mended = 0;
    for (id, test) in now.tests.iter().filter(|(_, t)| !now.broken && passes(t)) {
        let was = parent.tests.get(id);
        // What was asked for and is missing fails; what was skipped does not.
        let failed = match was {
            _ if parent.broken => true,
            Some(was) => was.failed(),
            None => true,
        };
        if !failed {
            continue;
        }
        if test.unstable || was.is_some_and(|t| t.unstable) {
            items.push(apart(id, "unstable"));
            continue;
        }
        mended += 1;
        items.push(counted(id, "fails on the parent"));
    }
    listed(mended, items, now)
}

fn pass_to_pass(step: &Step) -> Figure {
    let (parent, now) = match both(step, Suite::Acceptance) {
        Ok(both) => both,
        Err(why) => return Value::unknown(why).into(),
    };
    let mut items = Vec::new();
    let mut kept = 0;
    let all = parent.tests.iter();
    for (id, was) in all.filter(|(_, t)| !parent.broken && passes(t)) {
        match now.tests.get(id) {
            Some(test) if was.unstable || test.unstable => items.push(apart(id, "unstable")),
            Some(test) if !now.broken && passes(test) => kept += 1,
            Some(test) if test.failed() => items.push(apart(id, "fails now")),
            Some(_) if now.broken => items.push(apart(id, "the change does not build")),
            Some(_) => items.push(apart(id, "skipped now")),
            None => items.push(apart(id, "not run now")),
        }
    }
    listed(kept, items, now)
}

fn step2_regression_rate(step: &Step) -> Figure {
    match second_step(step) {
        Ok(figure) => figure,
        Err(why) => Value::unknown(why).into(),
    }
}

fn second_step(step: &Step) -> Result<Figure, String> {
    let (evidence, number) = number(step)?;
    if number != 2 {
        return Ok(Value::Undefined("checkpoint 2 alone is the second step".to_owned()).into());
    }
    let first = evidence.gate(1, Suite::Acceptance);
    let first = first.map_err(|why| format!("the gate of checkpoint 1: {why}"))?;
    let (_, _, now) = gate(step, Suite::Acceptance)?;
    const NOTHING: &str = "nothing passed after the first step";
    if first.broken {
        return Ok(Value::Undefined(NOTHING.to_owned()).into());
    }
    let (_, _, since) = since(step)?;
    let mut items = Vec::new();
    let (mut lost, mut passed) = (0, 0);
    for test in evidence.compared(&since) {
        if test.before != Some(TestOutcome::Passed) {
            continue;
        }
        match test.fate {
            Fate::Removed | Fate::Deselected | Fate::Unstable => {
                items.push(apart(&test.id, test.fate.words()));
                continue;
            }
            fate => {
                passed += 1;
                // Where the change does not build, everything fails.
                if now.broken || fate.is_regression() {
                    lost += 1;
                    items.push(counted(&test.id, fate.words()));
                }
            }
        }
    }
    items.sort_by_key(|i| i.note.starts_with("not counted"));
    let value = Value::ratio(as_number(lost), as_number(passed), NOTHING);
    Ok(Figure {
        items,
        ..Figure::from(remarked(value, &now.remarks()))
    })
}

fn new_regression_test(step: &Step) -> Figure {
    let found = both(step, Suite::Visible).and_then(|(parent, now)| {
        let (evidence, number) = number(step)?;
        let own = evidence.since(number, Suite::Visible)?;
        Ok((parent, now, own.before))
    });
    let (parent, now, before) = match found {
        Ok(found) => found,
        Err(why) => return Value::unknown(why).into(),
    };
    let mut items = Vec::new();
    for (id, test) in now.tests.iter().filter(|(_, t)| !now.broken && passes(t)) {
        let was = parent.tests.get(id);
        let failed = parent.broken || was.is_none_or(Joined::failed);
        let unstable = test.unstable || was.is_some_and(|t| t.unstable);
        if failed && !unstable && !before.tests.contains_key(id) {
            items.push(counted(id, "fails on the parent, passes now"));
        }
    }
    let value = Value::known(f64::from(u8::from(!items.is_empty())));
    Figure {
        value: remarked(value, &now.remarks()),
        ..Figure::listing(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::fixture::{known, number as of, undefined, unknown};
    use crate::measure::fixture_chain::{Chain, invalid, run, tests, unbuilt};

    fn names(figure: &Figure) -> Vec<&str> {
        figure.items.iter().map(|i| i.name.as_str()).collect()
    }

    #[test]
    fn tests_are_compared_with_a_gate_of_the_parent() {
        let chain = Chain::default()
            .gate(1, "a+ b+ c- d~ e+ f+ g+")
            .on_parent(1, tests("a+ b- c+ d+ f~ g+*"));
        let step = chain.step(1);
        let mended = crate::measure::fixture::of("fail_to_pass", &step);
        assert_eq!(mended.value.number(), Some(2.0), "b failed, e was missing");
        assert_eq!(
            names(&mended),
            ["b", "e"],
            "f was skipped, which is no failure"
        );
        let kept = crate::measure::fixture::of("pass_to_pass", &step);
        assert_eq!(kept.value.number(), Some(1.0));
        assert_eq!(
            names(&kept),
            ["c", "d", "g"],
            "what passed before and is not counted"
        );
    }

    #[test]
    fn without_a_gate_of_the_parent_they_are_unknown() {
        let step = Chain::default().gate(0, "a+").gate(1, "a+").step(1);
        for id in ["fail_to_pass", "pass_to_pass", "new_regression_test"] {
            unknown(id, &step);
        }
        assert_eq!(
            unknown("fail_to_pass", &step),
            "no gate of the parent with this checkpoint's tests (acceptance suite)"
        );
    }

    #[test]
    fn on_a_parent_that_does_not_build_everything_fails() {
        let step = Chain::default()
            .gate(1, "a+ b-")
            .on_parent(1, unbuilt(""))
            .step(1);
        assert_eq!(of("fail_to_pass", &step), Some(1.0));
        assert_eq!(of("pass_to_pass", &step), Some(0.0));
    }

    #[test]
    fn the_second_step_is_checkpoint_two_against_one() {
        let chain = || {
            Chain::default()
                .gate(0, "a-")
                .gate(1, "a+ b+ c+ d+ x- u+*")
                .gate(2, "a+ b- d~ x- u-")
        };
        let rate = known("step2_regression_rate", &chain().step(2));
        // b failed, c did not run, d is skipped; u is unstable.
        assert_eq!((rate.num, rate.den), (Some(3.0), Some(4.0)));
        undefined("step2_regression_rate", &chain().step(1));
        let broken = Chain::default()
            .gate(1, "a+ b+")
            .with(2, run(unbuilt("a+")));
        assert_eq!(of("step2_regression_rate", &broken.step(2)), Some(1.0));
        let nothing = Chain::default().gate(1, "a-").gate(2, "a+");
        undefined("step2_regression_rate", &nothing.step(2));
        let blind = Chain::default()
            .gate(0, "a+")
            .with(1, run(invalid()))
            .gate(2, "a+");
        assert_eq!(
            unknown("step2_regression_rate", &blind.step(2)),
            "the gate of checkpoint 1: gate without a verdict (no-testcases)"
        );
    }

    #[test]
    fn a_new_regression_test_fails_on_the_parent_and_was_not_there_before() {
        let chain = |on_parent: &str, now: &str| {
            Chain::default()
                .visible(1, false, "a+ old-")
                .visible(2, true, on_parent)
                .visible(2, false, now)
                .step(2)
        };
        assert_eq!(
            of("new_regression_test", &chain("a+ n-", "a+ n+")),
            Some(1.0)
        );
        assert_eq!(
            of("new_regression_test", &chain("a+ n+", "a+ n+")),
            Some(0.0)
        );
        assert_eq!(
            of("new_regression_test", &chain("a+ old-", "a+ old+")),
            Some(0.0)
        );
        assert_eq!(
            of("new_regression_test", &chain("a+ n-", "a+ n-")),
            Some(0.0)
        );
    }
}
