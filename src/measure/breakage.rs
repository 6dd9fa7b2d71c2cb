//! What a change broke of what had passed.
//!
//! Formula: the ids that passed at the last valid gate and do not now, among the tests asked for
//! at both, renamed ids paired first. Failed + error + skipped + not run.
//! Source: PetClinic-Evolve (plain set difference, `mutates`), its later harness (gone alone is
//! forgiven, unsatisfied replacements), SWE-CI (chains without any).
//! Reads high on: changes that break what had worked.
//! Blind spot: behaviour that no test covers; a test already red cannot regress.

use std::collections::BTreeSet;

use crate::history::Step;
use crate::history::evidence::{ChainEvidence, Compared, Fate, Since, Verdict};
use crate::record::{Suite, TestOutcome};

use super::definition::{CAPTURES, Level, Measure, Pool};
use super::gates::{apart, counted, gate, remarked, since};
use super::{Figure, Item, Value};

const fn broken(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        unit: "tests",
        pool: Pool::Sum,
        needs: CAPTURES,
        ..Measure::now("breakage", Level::Tests, compute)
    }
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "regressions",
        title: "regressions",
        definition: "Tests that passed at the last valid gate and do not now, among the tests \
                     selected at both; split into failed, error, skipped and not run.",
        edges: "Renamed ids are paired first. Missing without explanation counts; removed or \
                deselected by the experiment is listed apart. Flaky in either run: listed, not \
                counted.",
        source: "PetClinic-Evolve (PC), a plain set difference; SWE-CI (CI)",
        reads_high: "A change that broke what had worked.",
        blind_spot: "Behaviour that no test covers; a test already red cannot regress.",
        ..broken(regressions)
    },
    Measure {
        id: "unsatisfied_replacements",
        title: "unsatisfied replacements",
        definition: "Tests never seen before, of a checkpoint this one declares to change, that \
                     fail on arrival.",
        edges: "Nothing declared: 0.",
        source: "later PetClinic-Evolve harness (PCh)",
        reads_high: "A rule was to be revised and was not.",
        blind_spot: "They never passed, so regressions does not see them.",
        ..broken(unsatisfied_replacements)
    },
    Measure {
        id: "true_regressions",
        title: "unintended regressions",
        definition: "Regressions less the tests of checkpoints this one declares to change that \
                     are gone from the suite; the exempted are listed.",
        edges: "A declared test that still runs and fails counts.",
        source: "PetClinic-Evolve (PC), as implemented",
        reads_high: "A change that broke something it was not asked to touch.",
        blind_spot: "As regressions.",
        ..broken(true_regressions)
    },
    Measure {
        id: "true_regressions_declared",
        title: "unintended regressions, all declared exempt",
        primary: false,
        definition: "Regressions less every test of checkpoints this one declares to change.",
        edges: "Forgives a replacement that fails.",
        source: "PetClinic-Evolve (PC), as its text defines it",
        reads_high: "As true_regressions.",
        blind_spot: "Whether the declared change was made rightly.",
        ..broken(true_regressions_declared)
    },
];

/// Why a test that passed before and does not now is not counted.
fn why_apart(fate: Fate) -> &'static str {
    match fate {
        Fate::Unbuilt => "not run, the change does not build",
        Fate::Removed => "removed",
        Fate::Deselected => "not asked for",
        _ => "unstable",
    }
}

/// The words of a test that counts: what became of it, and its id before where that is another.
fn how(test: &Compared) -> String {
    match &test.was {
        Some(was) => format!("{}; was {was}", test.fate.words()),
        None => test.fate.words().to_owned(),
    }
}

/// Tests that are gone or fail, one list counted and one beside it, and what is to be said.
struct Broken {
    counted: Vec<Item>,
    apart: Vec<Item>,
    remarks: Vec<String>,
}

/// The regressions of a step less those that `exempt` exempts.
fn broken_by(
    step: &Step,
    exempt: impl Fn(&ChainEvidence, u32, &Compared) -> bool,
) -> Result<Broken, String> {
    let (evidence, number, since) = since(step)?;
    let mut found = Broken {
        counted: Vec::new(),
        apart: Vec::new(),
        remarks: remarks(number, &since),
    };
    for test in evidence.compared(&since) {
        let passed = test.before == Some(TestOutcome::Passed);
        if test.fate.is_regression() {
            match exempt(evidence, number, &test) {
                true => found.apart.push(apart(&test.id, "declared to change")),
                false => found.counted.push(counted(&test.id, &how(&test))),
            }
        } else if passed && test.fate.is_apart() {
            found.apart.push(apart(&test.id, why_apart(test.fate)));
        } else if let Some(was) = &test.was {
            found
                .apart
                .push(apart(&test.id, &format!("renamed from {was}")));
        }
    }
    Ok(found)
}

/// What a reader should know of a comparison.
fn remarks(number: u32, since: &Since<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if since.from.checked_add(1) != Some(number) || !since.passed_over.is_empty() {
        let why = since.passed_over.join(", ");
        remarks.push(match why.is_empty() {
            true => format!("compared with checkpoint {}", since.from),
            false => format!("compared with checkpoint {}: {why}", since.from),
        });
    }
    remarks.extend(since.now.remarks());
    remarks
}

fn figure(found: Result<Broken, String>) -> Figure {
    match found {
        Err(why) => Value::unknown(why).into(),
        Ok(found) => {
            let value = Value::count(found.counted.len());
            let mut items = found.counted;
            items.extend(found.apart);
            Figure {
                items,
                ..Figure::from(remarked(value, &found.remarks))
            }
        }
    }
}

fn regressions(step: &Step) -> Figure {
    figure(broken_by(step, |_, _, _| false))
}

fn true_regressions(step: &Step) -> Figure {
    figure(broken_by(step, |evidence, number, test| {
        test.fate == Fate::NotRun && evidence.declares(number, test)
    }))
}

fn true_regressions_declared(step: &Step) -> Figure {
    figure(broken_by(step, ChainEvidence::declares))
}

fn unsatisfied_replacements(step: &Step) -> Figure {
    let found = gate(step, Suite::Acceptance).and_then(|(evidence, number, gate)| {
        if !evidence.plan.mutates_any(number) {
            return Ok((Vec::new(), gate.remarks()));
        }
        let seen = seen_before(evidence, number)?;
        let since = evidence.since(number, Suite::Acceptance)?;
        let is_new = |t: &&Compared| t.fate == Fate::New && !seen.contains(&t.id);
        let compared = evidence.compared(&since);
        let mut items = Vec::new();
        for test in compared.iter().filter(is_new) {
            let failed = matches!(test.now, Some(TestOutcome::Failed | TestOutcome::Error));
            if failed && evidence.declares(number, test) {
                items.push(match test.unstable {
                    true => apart(&test.id, "unstable"),
                    false => counted(&test.id, "failed on arrival"),
                });
            }
        }
        Ok((items, gate.remarks()))
    });
    match found {
        Err(why) => Value::unknown(why).into(),
        Ok((items, remarks)) => {
            let arrived = items.iter().filter(|i| !i.note.starts_with("not "));
            let value = Value::count(arrived.count());
            Figure {
                value: remarked(value, &remarks),
                ..Figure::listing(items)
            }
        }
    }
}

/// The ids of all gates before a checkpoint's.
fn seen_before(evidence: &ChainEvidence, number: u32) -> Result<BTreeSet<String>, String> {
    let mut seen = BTreeSet::new();
    for earlier in evidence.reached().take_while(|k| *k < number) {
        match evidence.verdict_at(earlier, Suite::Acceptance) {
            Verdict::Given(gate) => seen.extend(gate.tests.keys().cloned()),
            Verdict::Unknown(why) => {
                return Err(format!("the gate of checkpoint {earlier}: {why}"));
            }
            Verdict::Invalid(_) | Verdict::Absent(_) => {}
        }
    }
    Ok(seen)
}

/// What one checkpoint says on whether its chain ever broke a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Breakage {
    /// It broke none.
    None,
    /// It broke some, or no longer builds.
    Some,
    /// There is nothing before it to break.
    NothingBefore,
    /// Its gate, or the one before it, says nothing.
    NotKnown,
}

/// Whether a chain never broke a test (SWE-CI's zero regressions, by id): false once any of its
/// checkpoints did; `None` where none is seen to have and one says nothing, or there is none.
pub fn is_clean(checkpoints: &[Breakage]) -> Option<bool> {
    if checkpoints.contains(&Breakage::Some) {
        return Some(false);
    }
    let unknown = checkpoints.is_empty() || checkpoints.contains(&Breakage::NotKnown);
    (!unknown).then_some(true)
}

/// What each checkpoint of a chain that was reached says, ascending; the base is none.
pub fn breakages(evidence: &ChainEvidence) -> Vec<Breakage> {
    let mut all = Vec::new();
    for number in evidence.reached().filter(|k| *k > 0) {
        let verdict = evidence.verdict_at(number, Suite::Acceptance);
        let Verdict::Given(gate) = verdict else {
            all.push(Breakage::NotKnown);
            continue;
        };
        let since = evidence.since(number, Suite::Acceptance);
        all.push(match since {
            Ok(since) => {
                let lost = |t: &Compared| t.fate.is_regression() || t.fate == Fate::Unbuilt;
                match evidence.compared(&since).iter().any(lost) {
                    true => Breakage::Some,
                    false => Breakage::None,
                }
            }
            Err(_) if gate.broken => Breakage::Some,
            Err(_) => {
                let valid = |k: u32| match evidence.verdict_at(k, Suite::Acceptance) {
                    Verdict::Given(_) | Verdict::Absent(_) => true,
                    Verdict::Invalid(_) | Verdict::Unknown(_) => false,
                };
                match evidence.reached().take_while(|k| *k < number).all(valid) {
                    true => Breakage::NothingBefore,
                    false => Breakage::NotKnown,
                }
            }
        });
    }
    all
}

#[cfg(test)]
mod tests {
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
}
