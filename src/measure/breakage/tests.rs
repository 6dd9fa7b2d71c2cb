//! Regressions over hand-made gates.

use proptest::prelude::*;

use super::*;
use crate::history::evidence::Selection;
use crate::measure::fixture::{known, number as of, unknown};
use crate::measure::fixture_chain::{Chain, invalid, pattern, run, tests, unbuilt};

fn shown(figure: &Figure) -> Vec<String> {
    let items = figure.items.iter();
    items.map(|i| format!("{} {}", i.name, i.note)).collect()
}

fn figure(id: &str, step: &Step) -> Figure {
    crate::measure::fixture::of(id, step)
}

#[test]
fn regressions_are_what_passed_and_does_not_split_by_how() {
    let step = Chain::default()
        .gate(1, "a+ b+ c+ d+ e+ f-")
        .gate(2, "a+ b- c! d~ f- new-")
        .step(2);
    let found = figure("regressions", &step);
    assert_eq!(found.value.number(), Some(4.0));
    assert_eq!(
        shown(&found),
        ["b failed", "c error", "d skipped", "e not run"]
    );
}

#[test]
fn the_small_exact_cases_come_out() {
    let between = |before: &str, after: &str| {
        of(
            "regressions",
            &Chain::default().gate(1, before).gate(2, after).step(2),
        )
    };
    assert_eq!(between("a+ b+ c+", "b+ d+"), Some(2.0));
    // The count of passing tests stays, and one is broken all the same.
    assert_eq!(between("a+ b+", "b+ c+"), Some(1.0));
}

#[test]
fn what_is_unstable_or_was_not_asked_for_is_listed_and_not_counted() {
    let mut later = run(tests("a+ u- w+*"));
    later.selection = Selection {
        checkpoints: None,
        left_out: vec![pattern("^slow")],
    };
    let step = Chain::default()
        .gate(1, "a+ slow+ u+* w+ v+")
        .with(1, run(tests("v-")))
        .with(2, later)
        .step(2);
    let found = figure("regressions", &step);
    assert_eq!(found.value.number(), Some(0.0));
    assert_eq!(
        shown(&found),
        ["slow not counted: not asked for", "u not counted: unstable"],
        "w passes as before, and v had not passed by its worst outcome"
    );
    let only_own = |numbers: &[u32]| {
        let mut later = run(tests("Cp2::a+"));
        later.selection.checkpoints = Some(numbers.to_vec());
        let chain = Chain::default().told().gate(1, "Cp1::a+").with(2, later);
        of("regressions", &chain.step(2))
    };
    assert_eq!(only_own(&[2]), Some(0.0));
    assert_eq!(only_own(&[1, 2]), Some(1.0));
}

#[test]
fn a_change_that_does_not_build_loses_tests_that_are_listed_and_not_counted() {
    let chain = || {
        Chain::default()
            .gate(1, "a+ b+ c+")
            .with(2, run(unbuilt("a+ b-")))
    };
    let found = figure("regressions", &chain().step(2));
    assert_eq!(found.value.number(), Some(1.0));
    assert_eq!(
        shown(&found),
        [
            "b failed",
            "c not counted: not run, the change does not build"
        ]
    );
    // What stays lost once it builds again is counted then.
    let step = chain().gate(3, "a+ b+").step(3);
    let found = figure("regressions", &step);
    assert_eq!(shown(&found), ["c not run"]);
    assert_eq!(
        known("regressions", &step).remark.as_deref(),
        Some("compared with checkpoint 1: checkpoint 2 does not build")
    );
}

#[test]
fn a_gate_without_a_verdict_is_left_out_and_said() {
    let chain = || {
        Chain::default()
            .gate(1, "a+ b+")
            .with(2, run(invalid()))
            .reached(3)
            .gate(4, "a+")
    };
    assert_eq!(
        unknown("regressions", &chain().step(2)),
        "gate without a verdict (no-testcases)"
    );
    let found = figure("regressions", &chain().step(4));
    assert_eq!(found.value.number(), Some(1.0));
    assert_eq!(
        known("regressions", &chain().step(4)).remark.as_deref(),
        Some(
            "compared with checkpoint 1: the gate of checkpoint 2 has no verdict, checkpoint \
             3 has no gate"
        )
    );
    let first = Chain::default().reached(0).gate(1, "a+").step(1);
    assert_eq!(
        unknown("regressions", &first),
        "no gate before it to compare with"
    );
}

#[test]
fn declared_changes_exempt_what_is_gone_or_all_of_it() {
    let step = Chain::default()
        .told()
        .mutates(3, &[2])
        .gate(2, "Cp1::a+ Cp1::b+ Cp2::c+ Cp2::d+")
        .gate(3, "Cp1::b+ Cp2::d- Cp2::new- Cp3::x-")
        .step(3);
    assert_eq!(of("regressions", &step), Some(3.0));
    let found = figure("true_regressions", &step);
    assert_eq!(
        shown(&found),
        [
            "Cp1::a not run",
            "Cp2::d failed",
            "Cp2::c not counted: declared to change"
        ]
    );
    assert_eq!(of("true_regressions_declared", &step), Some(1.0));
    let arrived = figure("unsatisfied_replacements", &step);
    assert_eq!(shown(&arrived), ["Cp2::new failed on arrival"]);
    assert_eq!(arrived.value.number(), Some(1.0));
}

#[test]
fn where_nothing_is_declared_no_replacement_is_unsatisfied() {
    let step = Chain::default().gate(1, "a-").step(1);
    assert_eq!(of("unsatisfied_replacements", &step), Some(0.0));
    let declared = Chain::default().mutates(1, &[0]).gate(1, "a-").step(1);
    unknown("unsatisfied_replacements", &declared);
}

#[test]
fn a_test_seen_long_before_is_no_replacement() {
    let step = Chain::default()
        .told()
        .mutates(3, &[1])
        .gate(1, "Cp1::a- Cp1::b+")
        .gate(2, "Cp1::b+")
        .gate(3, "Cp1::a- Cp1::b+ Cp1::c-")
        .step(3);
    let found = figure("unsatisfied_replacements", &step);
    assert_eq!(shown(&found), ["Cp1::c failed on arrival"]);
}

#[test]
fn a_chain_is_clean_where_every_checkpoint_says_that_it_broke_nothing() {
    use Breakage::{None, NotKnown, NothingBefore, Some as Broke};
    for (checkpoints, clean) in [
        (&[NothingBefore, None, None][..], Some(true)),
        (&[NothingBefore, NotKnown, Broke], Some(false)),
        (&[NothingBefore, NotKnown, None], Option::None),
        (&[NotKnown], Option::None),
        (&[], Option::None),
    ] {
        assert_eq!(is_clean(checkpoints), clean, "{checkpoints:?}");
    }
    let of = |chain: Chain| breakages(&chain.evidence());
    assert_eq!(
        of(Chain::default()
            .gate(1, "a+ b+")
            .gate(2, "a+ b+")
            .gate(3, "b+ c+")),
        [NothingBefore, None, Broke]
    );
    assert_eq!(
        of(Chain::default()
            .gate(0, "a-")
            .gate(1, "a+")
            .with(2, run(invalid()))),
        [None, NotKnown]
    );
    assert_eq!(
        of(Chain::default()
            .gate(0, "a+")
            .with(1, run(unbuilt("")))
            .gate(2, "a+")),
        [Broke, None]
    );
    // Nothing says what had passed before it.
    assert_eq!(
        of(Chain::default().with(1, run(unbuilt(""))).gate(2, "a+")),
        [NotKnown, NothingBefore]
    );
}

/// Outcomes of up to eight tests, as a gate's words.
fn gate_words() -> impl Strategy<Value = BTreeSet<(usize, usize)>> {
    proptest::collection::btree_map(0usize..8, 0usize..4, 0..8)
        .prop_map(|m| m.into_iter().collect())
}

fn words(tests: &BTreeSet<(usize, usize)>) -> String {
    let word = |(id, mark): &(usize, usize)| format!("t{id}{}", ["+", "-", "!", "~"][*mark]);
    let words: Vec<String> = tests.iter().map(word).collect();
    words.join(" ")
}

proptest! {
    #[test]
    fn regressions_are_the_set_difference_where_nothing_is_renamed_or_unstable(
        before in gate_words(), now in gate_words(),
    ) {
        let passing = |tests: &BTreeSet<(usize, usize)>| -> BTreeSet<usize> {
            tests.iter().filter(|(_, m)| *m == 0).map(|(id, _)| *id).collect()
        };
        let lost = passing(&before).difference(&passing(&now)).count();
        let step = Chain::default().gate(1, &words(&before)).gate(2, &words(&now)).step(2);
        let found = figure("regressions", &step);
        prop_assert_eq!(found.value, Value::count(lost));
        prop_assert_eq!(found.items.len(), lost);
        let named: usize = [Fate::Failed, Fate::Error, Fate::Skipped, Fate::NotRun]
            .iter()
            .map(|f| found.items.iter().filter(|i| i.note == f.words()).count())
            .sum();
        prop_assert_eq!(named, lost, "failed + error + skipped + not run");
    }

    #[test]
    fn the_order_of_runs_and_repeated_runs_move_nothing(
        first in gate_words(), second in gate_words(), now in gate_words(),
    ) {
        let with = |runs: &[&BTreeSet<(usize, usize)>]| {
            let mut chain = Chain::default();
            for tests_of in runs {
                chain = chain.with(1, run(tests(&words(tests_of))));
            }
            figure("regressions", &chain.gate(2, &words(&now)).step(2))
        };
        let found = with(&[&first, &second]);
        prop_assert_eq!(&found, &with(&[&second, &first]));
        let repeated = with(&[&second, &first, &second]);
        prop_assert_eq!(&found.value, &repeated.value);
        prop_assert_eq!(&found.items, &repeated.items);
    }
}
