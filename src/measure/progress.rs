//! How far a checkpoint is from where it began to where it should be, by counts of tests.
//!
//! Formula: with b passing before, p now and t wanted, (p − b) ÷ (t − b) for progress and
//! (p − b) ÷ b for regress.
//! Source: SWE-CI (from the initial code), PetClinic-Evolve (from the previous checkpoint); their
//! guards differ where nothing changed, and each is kept.
//! Reads high on: progress towards what was missing.
//! Blind spot: it counts tests: one broken and one mended cancel.

use crate::history::Step;
use crate::history::evidence::Verdict;
use crate::record::{Suite, TestOutcome};

use super::correctness::as_number;
use super::definition::{CAPTURES, Direction, Level, Measure};
use super::gates::{gate, number, remarked};
use super::{Figure, Known, Value};

const fn progress(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        direction: Direction::HigherIsBetter,
        needs: CAPTURES,
        ..Measure::now("progress", Level::Tests, compute)
    }
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "nc_prev",
        aliases: &["normalized_change", "normalised_change"],
        title: "normalised change from the previous checkpoint",
        unit: "ratio",
        definition: "With b passing at the previous checkpoint, p now and t selected: \
                     (p − b) ÷ (t − b) for progress, (p − b) ÷ b for regress; between −1 and 1.",
        edges: "Nothing left to gain: 1. Nothing passed before and fewer now: −1. At checkpoint 1 \
                the baseline gate is the previous one, else unknown. A gate without a verdict is \
                passed over and said; a change that does not build has nothing passing.",
        source: "PetClinic-Evolve (PC), after SWE-CI (CI)",
        reads_high: "Progress towards what was missing.",
        blind_spot: "It counts tests: one broken and one mended cancel.",
        ..progress(nc_prev)
    },
    Measure {
        id: "nc_initial",
        title: "normalised change from the initial code",
        unit: "ratio",
        definition: "The same with b passing in the initial code (the gate of checkpoint 0) and \
                     t = b plus the tests asked for now that did not pass initially.",
        edges: "p = b: 0, looked at before the gap. No gap: 1 where p is above b.",
        source: "SWE-CI (CI)",
        reads_high: "Progress since the beginning.",
        blind_spot: "It counts tests: one broken and one mended cancel.",
        ..progress(nc_initial)
    },
];

/// Normalised change from the previous checkpoint (PetClinic-Evolve): of `target` tests asked
/// for, `base` passed before and `passed` now. No gap: 1; nothing passed before and fewer now
/// (which counts of tests cannot be): −1.
pub fn from_previous(base: f64, passed: f64, target: f64) -> f64 {
    if passed >= base {
        let gap = target - base;
        return if gap <= 0.0 {
            1.0
        } else {
            ((passed - base) / gap).min(1.0)
        };
    }
    regress(base, passed)
}

/// Normalised change from the initial code (SWE-CI): `base` passed initially and `passed` now,
/// taken within [0, `target`]. Nothing changed: 0, looked at first; no gap: 1.
#[expect(clippy::float_cmp, reason = "whole numbers of tests")]
pub fn from_initial(base: f64, passed: f64, target: f64) -> f64 {
    let passed = passed.min(target).max(0.0);
    if passed == base {
        return 0.0;
    }
    if passed > base {
        let gap = target - base;
        return if gap <= 0.0 {
            1.0
        } else {
            (passed - base) / gap
        };
    }
    regress(base, passed)
}

fn regress(base: f64, passed: f64) -> f64 {
    if base <= 0.0 {
        return -1.0;
    }
    (passed - base) / base
}

/// The passing tests of the checkpoint before, or of the nearest before it whose gate has a
/// verdict, and what is to be said where that is another.
fn previous(step: &Step) -> Result<(usize, Vec<String>), String> {
    let (evidence, number) = number(step)?;
    let mut remarks = Vec::new();
    for earlier in evidence.reached().rev().skip_while(|k| *k >= number) {
        match evidence.verdict_at(earlier, Suite::Acceptance) {
            Verdict::Given(gate) => {
                if !remarks.is_empty() {
                    remarks.push(format!("compared with checkpoint {earlier}"));
                }
                return Ok((gate.passing(), remarks));
            }
            Verdict::Invalid(_) => {
                remarks.push(format!("the gate of checkpoint {earlier} has no verdict"));
            }
            Verdict::Absent(why) | Verdict::Unknown(why) => {
                return Err(match earlier {
                    0 => format!("no gate of the base to compare with: {why}"),
                    _ => format!("the gate of checkpoint {earlier}: {why}"),
                });
            }
        }
    }
    Err("no gate before it to compare with".to_owned())
}

fn nc_prev(step: &Step) -> Figure {
    let found = gate(step, Suite::Acceptance).and_then(|(_, _, now)| {
        let (base, mut remarks) = previous(step)?;
        let (base, passed) = (as_number(base), as_number(now.passing()));
        let target = match now.broken {
            // What did not run is not known; nothing is gained all the same.
            true => as_number(now.ran()).max(base + 1.0),
            false => as_number(now.ran()),
        };
        remarks.extend(now.remarks());
        let value = from_previous(base, passed, target);
        Ok((value, base, passed, target, remarks))
    });
    figure(found)
}

fn nc_initial(step: &Step) -> Figure {
    let found = gate(step, Suite::Acceptance).and_then(|(evidence, _, now)| {
        let initial = evidence.gate(0, Suite::Acceptance);
        let initial = initial.map_err(|why| format!("no gate of the initial code: {why}"))?;
        let base = initial.passing();
        let passed_initially =
            |id: &str| !initial.broken && initial.tests.get(id).is_some_and(|test| test.passed());
        let wanted = now
            .tests
            .iter()
            .filter(|(id, test)| test.outcome() != TestOutcome::Skipped && !passed_initially(id));
        let (target, base) = (as_number(base + wanted.count()), as_number(base));
        let passed = as_number(now.passing());
        let value = from_initial(base, passed, target);
        Ok((value, base, passed, target, now.remarks()))
    });
    figure(found)
}

/// The change, what it is made of, and what is to be said.
type Change = (f64, f64, f64, f64, Vec<String>);

fn figure(found: Result<Change, String>) -> Figure {
    match found {
        Err(why) => Value::unknown(why).into(),
        Ok((value, base, passed, target, remarks)) => {
            let gap = if passed < base { base } else { target - base };
            let known = Known {
                value,
                num: (gap > 0.0).then_some(passed - base),
                den: (gap > 0.0).then_some(gap),
                ..Known::default()
            };
            remarked(Value::Known(known), &remarks).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::measure::fixture::{known, number as of, unknown};
    use crate::measure::fixture_chain::{Chain, invalid, run, unbuilt};

    fn is(value: f64, wanted: f64) -> bool {
        (value - wanted).abs() < 1e-15
    }

    #[test]
    fn the_small_exact_cases_come_out() {
        for (base, passed, target, previous, initial) in [
            (8.0, 6.0, 10.0, -0.25, -0.25),
            (8.0, 9.0, 10.0, 0.5, 0.5),
            (0.0, 0.0, 5.0, 0.0, 0.0),
            (10.0, 10.0, 10.0, 1.0, 0.0),
            // More passed than the target: nothing was left to gain.
            (10.0, 11.0, 10.0, 1.0, 0.0),
            (4.0, 0.0, 4.0, -1.0, -1.0),
        ] {
            assert!(
                is(from_previous(base, passed, target), previous),
                "{base} {passed} {target}"
            );
            assert!(
                is(from_initial(base, passed, target), initial),
                "{base} {passed} {target}"
            );
        }
        assert!(is(from_initial(3.0, 5.0, 3.5), 1.0));
        assert!(is(regress(0.0, -1.0), -1.0));
    }

    #[test]
    fn the_baseline_is_the_checkpoint_before_or_the_initial_code() {
        let chain = || {
            Chain::default()
                .gate(0, "a+ b-")
                .gate(1, "a+ b- c+ d+")
                .gate(2, "a- b- c+ d+ e+ f-")
        };
        // Before 3 of 4, now 3 of 6.
        assert_eq!(of("nc_prev", &chain().step(2)), Some(0.0));
        // Initially a: b, c, d, e and f were to be gained, and two more pass.
        assert_eq!(of("nc_initial", &chain().step(2)), Some(0.4));
        assert_eq!(of("nc_prev", &chain().step(1)), Some(2.0 / 3.0));
    }

    #[test]
    fn a_gate_without_a_verdict_is_passed_over_and_a_missing_one_is_not() {
        let chain = |middle: fn(Chain) -> Chain| {
            middle(Chain::default().gate(0, "a-").gate(1, "a+ b-").reached(2)).gate(3, "a+ b+")
        };
        let step = chain(|c| c.with(2, run(invalid()))).step(3);
        assert_eq!(of("nc_prev", &step), Some(1.0));
        assert_eq!(
            known("nc_prev", &step).remark.as_deref(),
            Some("the gate of checkpoint 2 has no verdict; compared with checkpoint 1")
        );
        assert_eq!(
            unknown("nc_prev", &chain(|c| c).step(3)),
            "the gate of checkpoint 2: no gate of the acceptance suite recorded"
        );
    }

    #[test]
    fn without_a_baseline_gate_the_first_checkpoint_is_unknown() {
        let step = Chain::default().reached(0).gate(1, "a+").step(1);
        assert!(unknown("nc_prev", &step).starts_with("no gate of the base"));
        assert!(unknown("nc_initial", &step).starts_with("no gate of the initial code"));
    }

    #[test]
    fn what_does_not_build_has_nothing_passing() {
        let chain = |map| Chain::default().gate(0, "a+ b+").with(1, run(map));
        assert_eq!(of("nc_prev", &chain(unbuilt("a+")).step(1)), Some(-1.0));
        let nothing = Chain::default().gate(0, "a-").with(1, run(unbuilt("")));
        assert_eq!(of("nc_prev", &nothing.step(1)), Some(0.0));
        let mended = chain(unbuilt("")).gate(2, "a+ b-");
        assert_eq!(of("nc_prev", &mended.step(2)), Some(0.5));
    }

    proptest! {
        #[test]
        fn normalised_change_stays_between_minus_one_and_one(
            base in 0u32..50, passed in 0u32..50, target in 0u32..50,
        ) {
            let (base, passed, target) = (f64::from(base), f64::from(passed), f64::from(target));
            for value in [
                from_previous(base, passed, target),
                from_initial(base, passed, target),
            ] {
                prop_assert!((-1.0..=1.0).contains(&value), "{value}");
            }
            // Fewer passing is never progress, more never regress.
            let previous = from_previous(base, passed, target);
            prop_assert_eq!(previous < 0.0, passed < base);
        }
    }
}
