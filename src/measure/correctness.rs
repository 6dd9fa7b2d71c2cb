//! What the tests of one checkpoint said: all of them, its own, its core.
//!
//! Formula: a flag is 1 where all of the population pass and at least one does; a rate is passed
//! ÷ ran, skipped tests left out. A gate that does not build has nothing passed.
//! Source: PetClinic-Evolve (flags, categories), SlopCodeBench (rates), PluginBench (outcome).
//! Reads high on: changes that do what was asked and leave the rest whole.
//! Blind spot: what no test asks for; a test that vanished is a regression, and not counted here.

use crate::history::Step;
use crate::history::evidence::{
    Category, ChainEvidence, Compared, Fate, Gate, Joined, SessionEvidence, Verdict,
};
use crate::record::{Problem, Purpose, Status, Suite, TestOutcome};

use super::definition::{CAPTURES, Direction, Level, Measure, Pool};
use super::gates::{counted, gate, number, remarked};
use super::{Figure, Item, Value};

const PASSES: &str = "passes";

const fn passes(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        direction: Direction::HigherIsBetter,
        needs: CAPTURES,
        ..Measure::now(PASSES, Level::Tests, compute)
    }
}

const FLAG_EDGES: &str = "No such test: undefined, where the source says false. Skipped tests are left out; nothing \
     passed: not strict. No valid gate: unknown.";

const RATE_EDGES: &str =
    "No such test: undefined. Skipped tests are left out. No valid gate: unknown.";

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "outcome",
        title: "outcome",
        unit: "outcome",
        direction: Direction::Descriptive,
        definition: "Pass, fail, unknown (no valid gate), execution failure (agent or set-up did \
                     not finish) or not reached. Where the harness gated it: whether the plan's \
                     checks held, the newest gate's.",
        edges: "Unknown is never a failure.",
        source: "PluginBench (PB)",
        reads_high: "It has no size.",
        blind_spot: "Why it failed.",
        ..passes(outcome)
    },
    Measure {
        id: "strict_pass",
        aliases: &["strict"],
        title: "strict pass",
        unit: "flag",
        definition: "Every selected test passes: this checkpoint's and all earlier ones'.",
        edges: FLAG_EDGES,
        source: "PetClinic-Evolve (PC), SlopCodeBench (SCB)",
        reads_high: "New work that works and broke nothing.",
        blind_spot: "What no test asks for.",
        ..passes(strict_pass)
    },
    Measure {
        id: "iso_pass",
        aliases: &["iso", "isolated_pass"],
        title: "isolated pass",
        unit: "flag",
        definition: "Every test of this checkpoint's own passes: core, error and functionality.",
        edges: FLAG_EDGES,
        source: "PetClinic-Evolve (PC), SlopCodeBench (SCB)",
        reads_high: "The request itself was done.",
        blind_spot: "What it broke of earlier work.",
        ..passes(iso_pass)
    },
    Measure {
        id: "core_pass",
        aliases: &["core"],
        title: "core pass",
        unit: "flag",
        definition: "Every core test of this checkpoint passes.",
        edges: FLAG_EDGES,
        source: "PetClinic-Evolve (PC), SlopCodeBench (SCB)",
        reads_high: "The essential path works.",
        blind_spot: "Everything off the essential path.",
        ..passes(core_pass)
    },
    Measure {
        id: "strict_pass_rate",
        title: "strict pass rate",
        unit: "ratio",
        primary: false,
        pool: Pool::SumOverSum,
        definition: "Selected tests that pass ÷ selected tests.",
        edges: RATE_EDGES,
        source: "SlopCodeBench (SCB)",
        reads_high: "Most tests pass.",
        blind_spot: "One lost test in a large suite is lost in rounding.",
        ..passes(strict_pass_rate)
    },
    Measure {
        id: "iso_pass_rate",
        aliases: &["isolated_pass_rate"],
        title: "isolated pass rate",
        unit: "ratio",
        primary: false,
        pool: Pool::SumOverSum,
        definition: "This checkpoint's own tests that pass ÷ its own tests.",
        edges: RATE_EDGES,
        source: "SlopCodeBench (SCB)",
        reads_high: "Most of the request was done.",
        blind_spot: "What it broke of earlier work.",
        ..passes(iso_pass_rate)
    },
    Measure {
        id: "core_pass_rate",
        title: "core pass rate",
        unit: "ratio",
        primary: false,
        pool: Pool::SumOverSum,
        definition: "This checkpoint's core tests that pass ÷ its core tests.",
        edges: RATE_EDGES,
        source: "SlopCodeBench (SCB)",
        reads_high: "Most of the essential path works.",
        blind_spot: "Coarse: there are few core tests.",
        ..passes(core_pass_rate)
    },
];

/// What can be said of one attempt at a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A gate says that all is well.
    Pass,
    /// A gate says that it is not.
    Fail,
    /// The agent, or what was to set it up, did not finish, and no gate says anything.
    ExecutionFailure,
    /// The chain ended before it.
    NotReached,
}

impl Outcome {
    /// The word in output.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::ExecutionFailure => "execution failure",
            Outcome::NotReached => "not reached",
        }
    }
}

/// The outcome of a checkpoint.
///
/// # Errors
/// Why it is unknown.
pub(super) fn outcome_of(evidence: &ChainEvidence, number: u32) -> Result<Outcome, String> {
    let Some(found) = evidence.at(number) else {
        return Ok(Outcome::NotReached);
    };
    if found.commit.is_none() {
        return without_commit(&found.sessions);
    }
    let verdict = evidence.verdict_at(number, Suite::Acceptance);
    // Where the harness gated it, the plan's checks say what must hold.
    let open = match evidence.checked(number) {
        Some(Ok(true)) => return Ok(Outcome::Pass),
        Some(Ok(false)) => return Ok(Outcome::Fail),
        Some(Err(why)) => Some(why),
        None => None,
    };
    let why = match verdict {
        Verdict::Given(_) | Verdict::Unknown(_) if open.is_some() => {
            return Err(open.unwrap_or_default());
        }
        Verdict::Given(gate) => {
            return Ok(match is_strict(&gate) {
                true => Outcome::Pass,
                false => Outcome::Fail,
            });
        }
        // What is not known here may be a pass.
        Verdict::Unknown(why) => return Err(why),
        Verdict::Invalid(_) | Verdict::Absent(_) => verdict.why(),
    };
    let made_it = |s: &&SessionEvidence| {
        s.purpose == Purpose::Implement && (found.attempt.is_none() || s.attempt == found.attempt)
    };
    let last = found.sessions.iter().rfind(made_it);
    match last.is_some_and(unfinished) {
        true => Ok(Outcome::ExecutionFailure),
        false => Err(why),
    }
}

/// The outcome of a checkpoint that has attempts and no agent commit.
fn without_commit(sessions: &[SessionEvidence]) -> Result<Outcome, String> {
    let tried = |s: &&SessionEvidence| s.purpose == Purpose::Implement;
    let Some(last) = sessions.iter().rfind(tried) else {
        return Ok(Outcome::NotReached);
    };
    // After these a run begins another attempt, where it goes on.
    let open = ["interrupted", "rate_limited", "credentials_dead"];
    let cut_off = last
        .outcome
        .as_deref()
        .is_some_and(|word| open.contains(&word));
    match unfinished(last) && !cut_off {
        true => Ok(Outcome::ExecutionFailure),
        false => Err("no attempt made a commit yet: the run may go on".to_owned()),
    }
}

/// Words of a run's own for a session that did not come to its end.
const CUT_SHORT: [&str; 4] = ["credentials_dead", "killed", "setup_failed", "timeout"];

/// Whether a session is known not to have come to its end: by what its record says, which is
/// what was typed where anything was, else by what its files say.
pub(super) fn unfinished(session: &SessionEvidence) -> bool {
    let outcome = session.outcome.as_deref();
    if outcome.is_some_and(|word| CUT_SHORT.contains(&word)) {
        return true;
    }
    let recorded = outcome.and_then(Status::parse);
    let read = || session.session.known().ok().map(|s| s.status);
    match recorded.or_else(read) {
        Some(Status::Success) => false,
        Some(Status::Unknown) | None => session.exit_code.is_some_and(|code| code != 0),
        Some(_) => true,
    }
}

fn outcome(step: &Step) -> Figure {
    let found = number(step).and_then(|(evidence, number)| outcome_of(evidence, number));
    Figure::from(match found {
        Ok(outcome) => Value::Word(outcome.word()),
        Err(why) => Value::unknown(why),
    })
}

/// Whether all passed: something did, and nothing failed, tests or not.
pub(super) fn is_strict(gate: &Gate) -> bool {
    !gate.broken
        && gate.problems.is_empty()
        && gate.passing() > 0
        && !gate.tests.values().any(Joined::failed)
}

fn strict_pass(step: &Step) -> Figure {
    let gate = match gate(step, Suite::Acceptance) {
        Ok((_, _, gate)) => gate,
        Err(why) => return Value::unknown(why).into(),
    };
    let value = match gate.tests.is_empty() && !gate.broken && gate.problems.is_empty() {
        true => Value::Undefined("no test".to_owned()),
        false => flag(is_strict(gate)),
    };
    let failed = gate.tests.iter().filter(|(_, t)| t.failed());
    with_failures(value, gate, failed)
}

fn flag(holds: bool) -> Value {
    Value::known(f64::from(u8::from(holds)))
}

/// The failed tests and problems of a gate as items.
fn with_failures<'g>(
    value: Value,
    gate: &Gate,
    failed: impl Iterator<Item = (&'g String, &'g Joined)>,
) -> Figure {
    let mut items: Vec<Item> = failed
        .map(|(id, test)| counted(id, outcome_word(test.outcome())))
        .collect();
    let place = |p: &Problem| match p.place.is_empty() {
        true => p.kind.clone(),
        false => p.place.clone(),
    };
    items.extend(gate.problems.iter().map(|p| counted(&place(p), &p.kind)));
    Figure {
        items,
        ..Figure::from(remarked(value, &gate.remarks()))
    }
}

fn outcome_word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "failed",
        TestOutcome::Error => "error",
        TestOutcome::Skipped => "skipped",
    }
}

fn strict_pass_rate(step: &Step) -> Figure {
    let (evidence, number, gate) = match gate(step, Suite::Acceptance) {
        Ok(found) => found,
        Err(why) => return Value::unknown(why).into(),
    };
    let mut asked = gate.ran();
    if gate.broken {
        // What did not run for that was asked for all the same.
        asked += lost(evidence, number);
    }
    let value = rate(gate.broken, gate.passing(), asked);
    remarked(value, &gate.remarks()).into()
}

/// How many tests of the last valid gate a gate that does not build was asked for and did not
/// run, whether they had passed or failed; skipped ones are left out.
fn lost(evidence: &ChainEvidence, number: u32) -> usize {
    let Ok(since) = evidence.since(number, Suite::Acceptance) else {
        return 0;
    };
    let asked = |c: &&Compared| {
        c.now.is_none()
            && c.before != Some(TestOutcome::Skipped)
            && !matches!(c.fate, Fate::Removed | Fate::Deselected)
    };
    evidence.compared(&since).iter().filter(asked).count()
}

fn rate(broken: bool, passed: usize, ran: usize) -> Value {
    match (broken, ran) {
        // Everything fails, and nothing tells how much that is.
        (true, 0) => Value::known(0.0),
        (_, 0) => Value::Undefined("no test, or skipped ones alone".to_owned()),
        _ => Value::ratio(as_number(passed), as_number(ran), ""),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(super) fn as_number(count: usize) -> f64 {
    count as f64
}

fn iso_pass(step: &Step) -> Figure {
    own_pass(step, ISO)
}

fn core_pass(step: &Step) -> Figure {
    own_pass(step, CORE)
}

fn iso_pass_rate(step: &Step) -> Figure {
    own_rate(step, ISO)
}

fn core_pass_rate(step: &Step) -> Figure {
    own_rate(step, CORE)
}

const ISO: &[Category] = &[Category::Core, Category::Error, Category::Functionality];
const CORE: &[Category] = &[Category::Core];

/// The tests of a checkpoint's own that are of some categories.
struct Own<'s> {
    evidence: &'s ChainEvidence,
    number: u32,
    gate: &'s Gate,
    tests: Vec<(&'s String, &'s Joined)>,
}

impl<'s> Own<'s> {
    fn of(step: &'s Step, categories: &[Category]) -> Result<Own<'s>, String> {
        let (evidence, number, gate) = gate(step, Suite::Acceptance)?;
        if !evidence.plan.tells_tests() {
            return Err("no test patterns: nothing tells a checkpoint's own tests".to_owned());
        }
        let own = |id: &str, test: &Joined| {
            let mut belongs = evidence.belongs(id);
            // The plan says first what a test is, then its report.
            let marked = test.result.category.as_deref();
            belongs.category = belongs.category.or(marked.and_then(Category::parse));
            belongs.at(number).is_some_and(|c| categories.contains(&c))
        };
        Ok(Own {
            evidence,
            number,
            gate,
            tests: gate.tests.iter().filter(|(id, t)| own(id, t)).collect(),
        })
    }

    fn passed(&self) -> usize {
        match self.gate.broken {
            true => 0,
            false => self.tests.iter().filter(|(_, t)| t.passed()).count(),
        }
    }

    fn ran(&self) -> usize {
        let skipped = |t: &Joined| t.outcome() == TestOutcome::Skipped;
        self.tests.iter().filter(|(_, t)| !skipped(t)).count()
    }

    /// Whether a failure that is no test is of this checkpoint's own tests, or, for all that can
    /// be told, may be.
    fn troubled(&self) -> Result<bool, String> {
        for problem in &self.gate.problems {
            let place = &problem.place;
            let belongs = self.evidence.belongs(place);
            // Patterns may ask for what stands behind the class.
            let of_class = format!("{place}::");
            let more = self.evidence.belongs(&of_class);
            match belongs.checkpoint.or(more.checkpoint) {
                Some(own) if own == self.number => return Ok(true),
                Some(_) => {}
                None => {
                    return Err(format!(
                        "a failure that is no test ({}) may be this checkpoint's own",
                        problem.kind
                    ));
                }
            }
        }
        Ok(false)
    }
}

fn own_pass(step: &Step, categories: &[Category]) -> Figure {
    let own = match Own::of(step, categories) {
        Ok(own) => own,
        Err(why) => return Value::unknown(why).into(),
    };
    let failed = || own.tests.iter().filter(|(_, t)| t.failed()).copied();
    let value = match (own.gate.broken, failed().next().is_some()) {
        (true, _) | (_, true) => flag(false),
        (false, false) => match own.troubled() {
            Ok(true) => flag(false),
            Ok(false) if own.tests.is_empty() => Value::Undefined(NO_OWN.to_owned()),
            Ok(false) => flag(own.passed() > 0),
            Err(why) => Value::unknown(why),
        },
    };
    Figure {
        items: failed()
            .map(|(id, test)| counted(id, outcome_word(test.outcome())))
            .collect(),
        ..Figure::from(remarked(value, &own.gate.remarks()))
    }
}

const NO_OWN: &str = "no such test of this checkpoint";

fn own_rate(step: &Step, categories: &[Category]) -> Figure {
    let own = match Own::of(step, categories) {
        Ok(own) => own,
        Err(why) => return Value::unknown(why).into(),
    };
    let value = match rate(own.gate.broken, own.passed(), own.ran()) {
        Value::Undefined(_) => Value::Undefined(NO_OWN.to_owned()),
        value => value,
    };
    remarked(value, &own.gate.remarks()).into()
}

#[cfg(test)]
mod tests;
