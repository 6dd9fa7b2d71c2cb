//! The gates of a chain, one checkpoint after another: each with the last valid one before it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use super::compared::{Compared, Passage, compare};
use super::gate::{Gate, Verdict, called, join};
use super::taxonomy::{Belongs, Numbers};
use super::{ChainEvidence, CheckpointEvidence, GateRun};
use crate::record::{Kind, Suite};

/// Reason of a gate in which a file that ran before, and is still there, did not run.
const MISSING: &str = "classes-missing";

/// The gates of a chain.
#[derive(Debug, Clone, Default)]
pub(super) struct Judged {
    gates: BTreeMap<(Suite, u32), Passed>,
    /// Of the code before a checkpoint, with that checkpoint's tests.
    on_parent: BTreeMap<(Suite, u32), Verdict>,
    numbers: Numbers,
    /// What the tests of all gates are, by id: many measures ask at every checkpoint.
    belongs: HashMap<String, Belongs>,
}

/// One checkpoint's gate, and how it was come to.
#[derive(Debug, Clone)]
struct Passed {
    verdict: Verdict,
    before: Before,
    passage: Passage,
    /// The two compared, once somebody asked.
    compared: OnceLock<Vec<Compared>>,
}

/// The last valid gate before a checkpoint's.
#[derive(Debug, Clone)]
enum Before {
    /// That of this checkpoint, and why nearer ones do not count.
    At(u32, Vec<String>),
    /// There is none, or it is not known; holds the reason.
    Not(String),
}

/// A gate and the one it is compared with.
#[derive(Debug, Clone)]
pub struct Since<'e> {
    /// The checkpoint of the gate before.
    pub from: u32,
    /// The gate before.
    pub before: &'e Gate,
    /// The gate.
    pub now: &'e Gate,
    /// What became of the tests beyond their outcomes.
    pub passage: &'e Passage,
    /// Why gates between the two do not count.
    pub passed_over: &'e [String],
    compared: &'e OnceLock<Vec<Compared>>,
}

/// What the trees of two gates say of their tests.
pub(super) trait Places {
    /// What became of the tests of `before` in the tree of `now`.
    fn passage(&mut self, before: &Gate, now: &Gate) -> Passage;

    /// The files of tests that passed at `before`, are asked for and still there, and of which
    /// nothing ran in `now`.
    fn missing(
        &mut self,
        before: &Gate,
        now: &Gate,
        asked: &dyn Fn(&str) -> bool,
    ) -> BTreeSet<String>;
}

/// No tree is known.
pub(super) struct Nowhere;

impl Places for Nowhere {
    fn passage(&mut self, _: &Gate, _: &Gate) -> Passage {
        Passage::default()
    }

    fn missing(&mut self, _: &Gate, _: &Gate, _: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
        BTreeSet::new()
    }
}

impl ChainEvidence {
    /// Joins the gate runs of every checkpoint and finds what each is compared with.
    pub(super) fn judge(&mut self, places: &mut dyn Places) {
        let named = |c: &CheckpointEvidence| (c.checkpoint_id.clone(), c.checkpoint);
        let planned = self.plan.checkpoints.iter();
        let mut numbers: Numbers = planned.map(|c| (c.id.clone(), c.number)).collect();
        // What the chain itself says counts.
        numbers.extend(self.checkpoints.iter().map(named));
        numbers.remove("");
        let mut judged = Judged {
            numbers,
            ..Judged::default()
        };
        for suite in [Suite::Acceptance, Suite::Visible] {
            self.judge_suite(suite, places, &mut judged);
        }
        for gate in judged.gates.values().filter_map(|p| p.verdict.gate().ok()) {
            for id in gate.tests.keys() {
                if !judged.belongs.contains_key(id) {
                    let belongs = self.plan.belongs(id, &judged.numbers);
                    judged.belongs.insert(id.clone(), belongs);
                }
            }
        }
        self.judged = judged;
    }

    /// What the test `id` is.
    pub fn belongs(&self, id: &str) -> Belongs {
        let known = self.judged.belongs.get(id).copied();
        known.unwrap_or_else(|| self.plan.belongs(id, &self.judged.numbers))
    }

    fn judge_suite(&self, suite: Suite, places: &mut dyn Places, judged: &mut Judged) {
        let mut before = Before::Not("no gate before it to compare with".to_owned());
        let mut last: Option<(u32, Arc<Gate>)> = None;
        for checkpoint in self.checkpoints.iter().filter(|c| c.commit.is_some()) {
            let number = checkpoint.checkpoint;
            let on_parent = self.verdict(checkpoint, suite, true);
            judged.on_parent.insert((suite, number), on_parent);
            let mut verdict = self.verdict(checkpoint, suite, false);
            let mut passage = Passage::default();
            if let (Verdict::Given(now), Some((_, valid))) = (&verdict, &last) {
                let asked = |id: &str| now.selects(id, self.plan.belongs(id, &judged.numbers));
                let missing = match now.broken {
                    true => BTreeSet::new(),
                    false => places.missing(valid, now, &asked),
                };
                if missing.is_empty() {
                    passage = places.passage(valid, now);
                } else {
                    let files: Vec<String> = missing.into_iter().take(3).collect();
                    let reason = format!("{MISSING}: {}", files.join(", "));
                    verdict = Verdict::Invalid(BTreeSet::from([reason]));
                }
            }
            let at = format!("checkpoint {number}");
            let next = match &verdict {
                Verdict::Given(gate) if !gate.broken => {
                    last = Some((number, Arc::clone(gate)));
                    Some(Before::At(number, Vec::new()))
                }
                Verdict::Given(_) => passed_over(&before, format!("{at} does not build")),
                Verdict::Invalid(_) => {
                    passed_over(&before, format!("the gate of {at} has no verdict"))
                }
                Verdict::Absent(_) => passed_over(&before, format!("{at} has no gate")),
                Verdict::Unknown(why) => Some(Before::Not(format!("the gate of {at}: {why}"))),
            };
            let own = match next {
                Some(next) => std::mem::replace(&mut before, next),
                None => before.clone(),
            };
            let passed = Passed {
                verdict,
                before: own,
                passage,
                compared: OnceLock::new(),
            };
            judged.gates.insert((suite, number), passed);
        }
    }

    /// The runs of one suite at a checkpoint, joined.
    fn verdict(&self, checkpoint: &CheckpointEvidence, suite: Suite, on_parent: bool) -> Verdict {
        if let Some(why) = checkpoint.doubtful.get(&Kind::Tests) {
            return Verdict::Unknown(why.clone());
        }
        let of_it = |g: &&GateRun| g.suite == suite && g.on_parent == on_parent;
        let runs: Vec<&GateRun> = checkpoint.gates.iter().filter(of_it).collect();
        if runs.is_empty()
            && let Some(lacking) = self.lacking.get(&Kind::Tests)
        {
            return Verdict::Unknown(lacking.clone());
        }
        let suite = called(suite);
        let none = match on_parent {
            true => format!("no gate of the parent with this checkpoint's tests ({suite} suite)"),
            false => format!("no gate of the {suite} suite recorded"),
        };
        join(&runs, &none)
    }

    /// What the gate runs of `suite` at a checkpoint come to.
    pub fn verdict_at(&self, number: u32, suite: Suite) -> Verdict {
        let found = self.judged.gates.get(&(suite, number));
        found.map_or_else(|| self.never(suite), |passed| passed.verdict.clone())
    }

    /// What the checks of the newest gate of a checkpoint came to: all hold, one does not, or why
    /// it is not known; `None` where no gate was judged by checks.
    pub fn checked(&self, number: u32) -> Option<Result<bool, String>> {
        let gates = &self.at(number)?.gates;
        let mut own = gates.iter().rev().filter(|g| !g.on_parent);
        own.find_map(|g| g.checks.clone())
    }

    /// The gate of `suite` at a checkpoint.
    ///
    /// # Errors
    /// Why there is none.
    pub fn gate(&self, number: u32, suite: Suite) -> Result<&Gate, String> {
        match self.judged.gates.get(&(suite, number)) {
            Some(passed) => passed.verdict.gate(),
            None => Err(self.never(suite).why()),
        }
    }

    /// The gate of `suite` on the code before a checkpoint, with its tests.
    ///
    /// # Errors
    /// Why there is none.
    pub fn gate_of_parent(&self, number: u32, suite: Suite) -> Result<&Gate, String> {
        match self.judged.on_parent.get(&(suite, number)) {
            Some(verdict) => verdict.gate(),
            None => Err(self.never(suite).why()),
        }
    }

    fn never(&self, suite: Suite) -> Verdict {
        match self.lacking.get(&Kind::Tests) {
            Some(why) => Verdict::Unknown(why.clone()),
            None => Verdict::Absent(format!("no gate of the {} suite recorded", called(suite))),
        }
    }

    /// The gate of `suite` at a checkpoint, beside the last valid one before it.
    ///
    /// # Errors
    /// Why one of the two is not there.
    pub fn since(&self, number: u32, suite: Suite) -> Result<Since<'_>, String> {
        let Some(passed) = self.judged.gates.get(&(suite, number)) else {
            return Err(self.never(suite).why());
        };
        let now = passed.verdict.gate()?;
        let (from, passed_over) = match &passed.before {
            Before::At(from, passed_over) => (*from, passed_over.as_slice()),
            Before::Not(why) => return Err(why.clone()),
        };
        let before = self.judged.gates.get(&(suite, from));
        let before = before.ok_or_else(|| "no gate before it to compare with".to_owned())?;
        Ok(Since {
            from,
            before: before.verdict.gate()?,
            now,
            passage: &passed.passage,
            passed_over,
            compared: &passed.compared,
        })
    }

    /// Checkpoint numbers by id, of the plan and the chain.
    pub fn numbers(&self) -> &Numbers {
        &self.judged.numbers
    }

    /// The tests of a gate beside those of the one before it, sorted by id; worked out once.
    pub fn compared<'e>(&self, since: &Since<'e>) -> &'e [Compared] {
        since.compared.get_or_init(|| {
            let belongs = |id: &str| self.belongs(id);
            compare(since.before, since.now, since.passage, &belongs)
        })
    }

    /// Whether checkpoint `number` is declared to change a test, under the id it has or had.
    pub fn declares(&self, number: u32, test: &Compared) -> bool {
        let (plan, before) = (&self.plan, test.id_before());
        let belonged = self.belongs(before);
        plan.mutates(number, &test.id, test.belongs) || plan.mutates(number, before, belonged)
    }

    /// The numbers of the checkpoints that were reached, ascending, the base's first.
    pub fn reached(&self) -> impl DoubleEndedIterator<Item = u32> {
        let reached = self.checkpoints.iter().filter(|c| c.commit.is_some());
        reached.map(|c| c.checkpoint)
    }
}

/// The same gate before, with one more reason why what came after it does not count.
fn passed_over(before: &Before, why: String) -> Option<Before> {
    match before {
        Before::At(from, reasons) => {
            let mut reasons = reasons.clone();
            reasons.push(why);
            Some(Before::At(*from, reasons))
        }
        Before::Not(_) => None,
    }
}
