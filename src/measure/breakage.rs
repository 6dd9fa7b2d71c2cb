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
                deselected by the experiment is listed apart, as is what did not run since the \
                change does not build. Unstable in either gate: listed, not counted.",
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
            match exempt(evidence, number, test) {
                true => found.apart.push(apart(&test.id, "declared to change")),
                false => found.counted.push(counted(&test.id, &how(test))),
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
    /// It broke some, or all that had passed: it no longer builds.
    Some,
    /// There is nothing before it to break.
    NothingBefore,
    /// Its gate, or the one before it, says nothing; or it does not build, and no gate says what
    /// had passed.
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
            // It does not build, and nothing says what did before.
            Err(_) if gate.broken => Breakage::NotKnown,
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
mod tests;
