//! What was captured of a commit earlier: the same file again is not added twice, and a second
//! run of the same tests is held against the first.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::said;
use super::workplace::Say;
use crate::error::Result;
use crate::ledger;
use crate::record::{
    Body, Kind, Payload, Record, RecordId, Suite, TestMap, TestOutcome, Tests, Validity,
};
use crate::repo::{Oid, Reader};

/// Unstable tests that are named.
const NAMED: usize = 20;

/// One capture: an envelope, a gate run or a coverage report.
#[derive(Debug, Clone)]
pub(super) struct Capture {
    pub(super) id: RecordId,
    kind: Kind,
    for_checkpoint: Option<u32>,
    pub(super) attempt: Option<RecordId>,
    /// What tells two of the same files apart.
    key: String,
    /// SHA-256 of the files it is made of.
    digests: BTreeSet<String>,
    /// Those of them that no payload is kept of.
    unkept: BTreeSet<String>,
    /// Of a gate run: its suite and what was read.
    gate: Option<(Suite, Option<TestMap>)>,
}

impl Capture {
    /// The capture that the record `id` is; `None` for one of another kind. `held` are its
    /// payloads.
    pub(super) fn of<'p>(
        id: &RecordId,
        for_checkpoint: Option<u32>,
        attempt: Option<&RecordId>,
        body: &Body,
        held: impl Iterator<Item = (Payload, &'p str)>,
    ) -> Option<Capture> {
        let files = held.filter(|(payload, _)| *payload != Payload::Console);
        let mut digests: BTreeSet<String> = files.map(|(_, sha256)| sha256.to_owned()).collect();
        let mut unkept = BTreeSet::new();
        let mut gate = None;
        let key = match body {
            Body::Envelope(says) => {
                unkept.extend(says.unkept.iter().map(|u| u.sha256.clone()));
                digests.extend(unkept.iter().cloned());
                match digests.is_empty() {
                    true => format!("{says:?}"),
                    false => String::new(),
                }
            }
            Body::Tests(says) => {
                gate = Some((says.suite, read(says)));
                key(says, digests.is_empty())
            }
            Body::Coverage(says) => format!("{:?}", says.suite),
            Body::Checkpoint(_) | Body::Raw(_) => return None,
        };
        Some(Capture {
            id: id.clone(),
            kind: body.kind(),
            for_checkpoint,
            attempt: attempt.cloned(),
            key,
            digests,
            unkept,
            gate,
        })
    }

    /// Whether this is `old` once more, with nothing that `old` does not hold: the same files, or
    /// some of them, none of which is kept now and was only read then.
    pub(super) fn adds_nothing_to(&self, old: &Capture) -> bool {
        let mut only_read = self.digests.intersection(&old.unkept);
        self.is_again(old) && only_read.all(|digest| self.unkept.contains(digest))
    }

    /// Whether this is `old` once more: the same files, or some of them.
    pub(super) fn is_again(&self, old: &Capture) -> bool {
        let same = |a: &Capture, b: &Capture| {
            (a.kind, a.for_checkpoint, &a.key) == (b.kind, b.for_checkpoint, &b.key)
        };
        same(self, old)
            && match self.digests.is_empty() {
                true => old.digests.is_empty(),
                false => self.digests.is_subset(&old.digests),
            }
    }
}

/// What tells gate runs of the same reports apart; one without reports is told by how it ran.
fn key(says: &Tests, without_reports: bool) -> String {
    let run = without_reports.then_some((&says.command, says.exit_code, says.started));
    format!("{:?}", (says.suite, &says.ran_tree, &says.selected, run))
}

fn read(says: &Tests) -> Option<TestMap> {
    TestMap::deserialize(says.map.as_ref()?).ok()
}

/// What records on `commit` hold already, oldest first.
///
/// # Errors
/// Notes that cannot be read.
pub(super) fn captures(reader: &Reader, commit: Oid) -> Result<Vec<Capture>> {
    let kinds = [Kind::Envelope, Kind::Tests, Kind::Coverage, Kind::Raw];
    let records = ledger::records(reader, &kinds)?;
    let mut held = BTreeMap::<RecordId, Vec<(Payload, String)>>::new();
    for stored in records.on(Kind::Raw, commit) {
        if let Some(Body::Raw(raw)) = stored.record().map(|r| &r.body) {
            let of = held.entry(raw.of.clone()).or_default();
            of.push((raw.payload, raw.sha256.clone()));
        }
    }
    let mut found = Vec::new();
    for kind in [Kind::Envelope, Kind::Tests, Kind::Coverage] {
        for Record { head, body, .. } in records.on(kind, commit).iter().filter_map(|s| s.record())
        {
            let held = held.get(&head.id).into_iter().flatten();
            let held = held.map(|(p, s)| (*p, s.as_str()));
            let attempt = head.attempt.as_ref();
            found.extend(Capture::of(
                &head.id,
                head.for_checkpoint,
                attempt,
                body,
                held,
            ));
        }
    }
    Ok(found)
}

/// Names the tests whose outcome in a run of `new` differs from that in an earlier valid run of
/// the same suite and attempt.
pub(super) fn tell_unstable(new: &[Capture], earlier: &[Capture], say: Say<'_>) {
    for run in new {
        let Some((suite, Some(map))) = valid(run) else {
            continue;
        };
        let mut outcomes = BTreeMap::<&str, Vec<TestOutcome>>::new();
        let mut runs = 1;
        for old in earlier {
            let same = (old.for_checkpoint, &old.attempt) == (run.for_checkpoint, &run.attempt);
            if let Some((_, Some(before))) = valid(old).filter(|(s, _)| same && *s == suite) {
                runs += 1;
                for (id, test) in before.counted() {
                    outcomes.entry(id).or_default().push(test.outcome);
                }
            }
        }
        if runs == 1 {
            continue;
        }
        for (id, test) in map.counted() {
            if let Some(all) = outcomes.get_mut(id) {
                all.push(test.outcome);
            }
        }
        let unstable: Vec<_> = outcomes
            .into_iter()
            .filter(|(_, all)| all.iter().any(|o| *o != all[0]))
            .collect();
        let suite = match suite {
            Suite::Acceptance => "acceptance",
            Suite::Visible => "visible",
        };
        say(&format!(
            "{runs} runs of the {suite} suite stand beside each other: {}",
            match unstable.len() {
                0 => "they agree".to_owned(),
                n => said::count(n, "test is unstable", "tests are unstable"),
            }
        ));
        for (id, all) in unstable.iter().take(NAMED) {
            let words: Vec<&str> = all.iter().map(|o| word(*o)).collect();
            say(&format!("unstable: {id} ({})", words.join(", ")));
        }
        if unstable.len() > NAMED {
            say(&format!("unstable: {} more", unstable.len() - NAMED));
        }
    }
}

fn valid(capture: &Capture) -> Option<(Suite, Option<&TestMap>)> {
    let (suite, map) = capture.gate.as_ref()?;
    let map = map.as_ref()?;
    (map.validity == Validity::Valid).then_some((*suite, Some(map)))
}

fn word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Skipped => "skipped",
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "failed",
        TestOutcome::Error => "error",
    }
}
