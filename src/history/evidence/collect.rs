//! Records of a chain sorted by the checkpoint they speak of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use regex::Regex;

use super::again::Again;
use super::places::Trees;
use super::{
    ChainEvidence, CheckpointEvidence, CoverageEvidence, GateRun, Said, Selection, SessionEvidence,
    TestPlan,
};
use crate::error::Result;
use crate::history::ground::file;
use crate::history::{FileClass, Settings, scope};
use crate::ledger::{Absence, Chain, ChainCommit, Listing, Recorded, Records, Says, counts};
use crate::record::{
    Body, Coverage, Envelope, Event, Kind, Purpose, Readers, Record, RecordId, Role, Selected,
    Suite, Tests,
};
use crate::repo::{Attributes, Oid, Reader, attribute_files};
use crate::syntax::{Language, generated_header};

/// The kinds that hold what was captured.
const KINDS: [Kind; 3] = [Kind::Envelope, Kind::Tests, Kind::Coverage];

/// What the records say of `chain`. `listing` tells where they are, `recorded` are the checkpoint records of the repository,
/// `plan` is what the plan says of tests, and `readers` read what has to be read again, and `settings` say which files are production code.
///
/// # Errors
/// Refs, or commits of the chain, that cannot be read.
pub fn collect(
    reader: &Reader,
    listing: &Listing,
    chain: &Chain,
    recorded: &Recorded,
    readers: &dyn Readers,
    settings: &Settings,
    plan: TestPlan,
) -> Result<ChainEvidence> {
    let commits: BTreeSet<Oid> = chain.line.iter().map(|c| c.id).collect();
    let mut all = Collecting {
        reader,
        chain,
        settings,
        marks: None,
        again: Again::new(reader, listing, &commits, readers),
        only: None,
        checkpoints: BTreeMap::new(),
    };
    all.commits(recorded);
    let mut lacking = BTreeMap::new();
    for kind in KINDS {
        // Each kind has a ref of its own, which may be fetched or not.
        let found = listing.records_on(reader, &[kind], &commits)?;
        if let Some(why) = why_lacking(kind, &found) {
            lacking.insert(kind, why);
        }
        all.kind(kind, &found)?;
    }
    let mut evidence = ChainEvidence {
        checkpoints: all.checkpoints.into_values().collect(),
        plan,
        arm_noops: Vec::new(),
        lacking,
        ..ChainEvidence::default()
    };
    evidence.judge(&mut Trees::new(reader));
    Ok(evidence)
}

/// The sessions of `chain` that were for nothing: what one costs by itself.
///
/// # Errors
/// Refs, or commits of the chain, that cannot be read.
pub fn noops(
    reader: &Reader,
    listing: &Listing,
    chain: &Chain,
    readers: &dyn Readers,
    settings: &Settings,
) -> Result<Vec<SessionEvidence>> {
    let commits: BTreeSet<Oid> = chain.line.iter().map(|c| c.id).collect();
    let mut all = Collecting {
        reader,
        chain,
        settings,
        marks: None,
        again: Again::new(reader, listing, &commits, readers),
        only: Some(Purpose::Noop),
        checkpoints: BTreeMap::new(),
    };
    all.kind(
        Kind::Envelope,
        &listing.records_on(reader, &[Kind::Envelope], &commits)?,
    )?;
    let sessions = all.checkpoints.into_values().map(|c| c.sessions);
    Ok(sessions.flatten().collect())
}

/// What people call the records of a kind.
fn called(kind: Kind) -> &'static str {
    match kind {
        Kind::Envelope => "sessions",
        Kind::Tests => "gate runs",
        Kind::Coverage => "coverage",
        Kind::Raw => "payloads",
        Kind::Checkpoint => "checkpoints",
    }
}

/// Why there may be records of a kind that are not here.
pub(super) fn why_lacking(kind: Kind, found: &Records) -> Option<String> {
    let called = called(kind);
    let left = || format!("records of {called} left to its remote by a partial clone");
    match &found.absence {
        Some(Absence::NotFetched(_)) => Some(format!(
            "records of {called} not fetched (`git evolve fetch`)"
        )),
        Some(Absence::CutOff(_)) => Some(format!(
            "records of {called} cut off by a shallow clone (`git fetch --unshallow`)"
        )),
        Some(Absence::LeftOut(_)) => Some(left()),
        Some(Absence::None) | None => found.left_out.then(left),
    }
}

struct Collecting<'c> {
    reader: &'c Reader,
    chain: &'c Chain,
    settings: &'c Settings,
    /// What marks files, read from the base where coverage asks.
    marks: Option<Attributes>,
    again: Again<'c>,
    /// Sessions of this purpose alone; none: of all.
    only: Option<Purpose>,
    checkpoints: BTreeMap<u32, CheckpointEvidence>,
}

impl Collecting<'_> {
    /// The checkpoints that have a commit, and the attempt each was made in.
    fn commits(&mut self, recorded: &Recorded) {
        let chain = self.chain;
        for commit in &chain.line {
            if matches!(commit.role, Role::Agent | Role::Base) {
                let found = self.checkpoint(commit.checkpoint);
                found.checkpoint_id.clone_from(&commit.checkpoint_id);
                found.commit = Some(commit.id);
                found.attempt = attempt(recorded, chain, commit);
            }
        }
    }

    fn checkpoint(&mut self, number: u32) -> &mut CheckpointEvidence {
        self.checkpoints
            .entry(number)
            .or_insert_with(|| CheckpointEvidence {
                checkpoint: number,
                checkpoint_id: String::new(),
                commit: None,
                attempt: None,
                sessions: Vec::new(),
                gates: Vec::new(),
                coverage: Vec::new(),
                doubtful: BTreeMap::new(),
            })
    }

    /// Sorts in the records of one kind: those made for the commit they stand on before those
    /// that a rewrite carried there, each id once.
    fn kind(&mut self, kind: Kind, found: &Records) -> Result<()> {
        let chain = self.chain;
        let mut own: Vec<(&ChainCommit, &Record)> = Vec::new();
        let mut inherited: Vec<(&ChainCommit, &Record)> = Vec::new();
        for (at, commit) in chain.line.iter().enumerate() {
            let lines = found.on(kind, commit.id);
            if commit.role == Role::Foreign || lines.is_empty() {
                continue;
            }
            let tree = self.reader.commit(commit.id)?.tree.to_string();
            for stored in lines {
                let record = match &stored.says {
                    Says::Known(record) => record,
                    Says::Newer { v, .. } => {
                        let why = format!(
                            "a record of {} is of a later version (v {v}) than this program reads",
                            called(kind)
                        );
                        self.doubt(kind, commit.checkpoint, why);
                        continue;
                    }
                };
                if !counts(record, chain, at, Some(&tree)) {
                    continue;
                }
                match record.head.commit.as_str() == commit.id.to_string() {
                    true => own.push((commit, record)),
                    false => inherited.push((commit, record)),
                }
            }
        }
        own.extend(inherited);
        let mut seen = BTreeSet::new();
        for (commit, record) in own {
            if !seen.insert(&record.head.id) {
                continue;
            }
            let number = record.head.for_checkpoint.unwrap_or(commit.checkpoint);
            if found.is_conflict(kind, &record.head.id) {
                let why = format!(
                    "two records of {} have one id and differ (`git evolve verify`)",
                    called(kind)
                );
                self.doubt(kind, number, why);
                continue;
            }
            self.record(commit, number, record);
        }
        for checkpoint in self.checkpoints.values_mut() {
            checkpoint.sessions.sort_by(|a, b| a.record.cmp(&b.record));
            checkpoint.gates.sort_by(|a, b| a.record.cmp(&b.record));
            checkpoint.coverage.sort_by(|a, b| a.record.cmp(&b.record));
        }
        Ok(())
    }

    fn doubt(&mut self, kind: Kind, number: u32, why: String) {
        self.checkpoint(number).doubtful.entry(kind).or_insert(why);
    }

    /// Takes in a record on `commit` that speaks of checkpoint `number`.
    fn record(&mut self, commit: &ChainCommit, number: u32, record: &Record) {
        // What a later attempt replaced counts for nothing but what it cost.
        let replaced = commit.role == Role::Superseded;
        match &record.body {
            Body::Envelope(envelope)
                if self.only.is_none_or(|purpose| purpose == envelope.purpose) =>
            {
                let session = self.session(record, envelope);
                self.checkpoint(number).sessions.push(session);
            }
            Body::Tests(tests) if !replaced => {
                if let Some(on_parent) = self.on_parent(commit, number, record) {
                    let gate = self.gate(record, tests, on_parent);
                    self.checkpoint(number).gates.push(gate);
                }
            }
            Body::Coverage(coverage) if !replaced && number == commit.checkpoint => {
                let coverage = self.coverage(commit, record, coverage);
                self.checkpoint(number).coverage.push(coverage);
            }
            _ => {}
        }
    }

    /// Whether a gate run on `commit` ran on the code before checkpoint `number`, with that
    /// checkpoint's tests; `None`: it is a failed attempt's, and so no gate of a checkpoint.
    fn on_parent(&self, commit: &ChainCommit, number: u32, record: &Record) -> Option<bool> {
        if number == commit.checkpoint {
            return Some(false);
        }
        let known = self.checkpoints.get(&number);
        let made_in = known.and_then(|c| c.attempt.as_ref());
        let attempt = record.head.attempt.as_ref();
        (attempt.is_none() || attempt == made_in).then_some(true)
    }

    /// Those of `paths` that are production code in the tree of `commit`.
    fn production(&mut self, commit: Oid, paths: Vec<String>) -> BTreeSet<String> {
        let Ok(tree) = self.reader.commit(commit).map(|c| c.tree) else {
            return BTreeSet::new();
        };
        let (reader, base) = (self.reader, self.chain.base);
        let marks = self.marks.get_or_insert_with(|| {
            let tree = reader.commit(base).map(|c| c.tree);
            let files = tree.and_then(|tree| reader.files(tree)).unwrap_or_default();
            Attributes::read(reader, &attribute_files(&files))
                .unwrap_or_else(|_| Attributes::none())
        });
        let mut bytes = Vec::new();
        let mut is_production = |path: &String| {
            let name = path.as_bytes();
            if !scope::may_be_production(self.settings, name) {
                return false;
            }
            let language = Language::of_path(name);
            let entry = reader
                .entry(tree, name)
                .ok()
                .flatten()
                .and_then(|e| file(Some(e)));
            let read = entry.is_some_and(|blob| reader.blob(blob, &mut bytes).is_ok());
            let header = read && language.is_some_and(|l| generated_header(l, &bytes));
            let class = scope::classify(self.settings, name, marks.marks(name), header);
            class == FileClass::Production
        };
        paths.into_iter().filter(|p| is_production(p)).collect()
    }

    fn session(&self, record: &Record, envelope: &Envelope) -> SessionEvidence {
        SessionEvidence {
            record: record.head.id.clone(),
            attempt: record.head.attempt.clone(),
            purpose: envelope.purpose,
            outcome: envelope.outcome.clone(),
            started: envelope.started,
            ended: envelope.ended,
            wall_ms: envelope.wall_ms,
            waited_ms: envelope.waited_ms,
            exit_code: envelope.exit_code,
            model: envelope.model.clone(),
            resumes: envelope.resumes.clone(),
            session: said(self.again.session(envelope)),
            probed: envelope.probed.clone(),
            launched: envelope.launch.is_some(),
        }
    }

    fn gate(&self, record: &Record, tests: &Tests, on_parent: bool) -> GateRun {
        let tree = tests.ran_tree.as_ref().unwrap_or(&record.head.tree);
        let tree = Oid::from_hex(tree.as_str());
        let (selection, map) = match selection(tests.selected.as_ref()) {
            Ok(selection) => (selection, said(self.again.tests(tests, tree))),
            Err(why) => (Selection::default(), Said::Unknown(why)),
        };
        GateRun {
            record: record.head.id.clone(),
            suite: tests.suite,
            tree,
            on_parent,
            selection,
            map,
            checks: checks(tests),
        }
    }

    fn coverage(
        &mut self,
        commit: &ChainCommit,
        record: &Record,
        coverage: &Coverage,
    ) -> CoverageEvidence {
        let map = self.again.coverage(coverage, &record.head);
        let paths = map.as_ref().map(|m| m.files.keys().cloned().collect());
        CoverageEvidence {
            production: self.production(commit.id, paths.unwrap_or_default()),
            record: record.head.id.clone(),
            suite: coverage.suite.unwrap_or(Suite::Visible),
            map: said(map),
        }
    }
}

/// The attempt that made an agent commit: the one its own checkpoint record names, else one that
/// a rewrite carried there.
fn attempt(recorded: &Recorded, chain: &Chain, commit: &ChainCommit) -> Option<RecordId> {
    let mut agent: Vec<_> = recorded
        .of_chain_on(commit.id, &chain.begin)
        .filter(|s| s.head.checkpoint == commit.checkpoint && s.says.event == Event::Agent)
        .collect();
    agent.sort_by_key(|s| !s.is_own());
    agent.first()?.head.attempt.clone()
}

/// What the checks in a record come to.
fn checks(tests: &Tests) -> Option<Result<bool, String>> {
    let all = &tests.gated.as_ref()?.checks;
    if all.iter().any(|c| c.holds == Some(false)) {
        return Some(Ok(false));
    }
    let open = all.iter().find(|c| c.holds.is_none());
    match open {
        Some(open) => Some(Err(open.why.clone().unwrap_or_default())),
        None => (!all.is_empty()).then_some(Ok(true)),
    }
}

fn said<T>(read: std::result::Result<T, String>) -> Said<T> {
    match read {
        Ok(read) => Said::Known(Arc::new(read)),
        Err(why) => Said::Unknown(why),
    }
}

/// The tests a gate run was asked for.
fn selection(selected: Option<&Selected>) -> std::result::Result<Selection, String> {
    let Some(selected) = selected else {
        return Ok(Selection::default());
    };
    let left_out = selected.left_out.iter().map(|pattern| {
        Regex::new(pattern).map_err(|_| "its record names a pattern that is none".to_owned())
    });
    Ok(Selection {
        checkpoints: selected.checkpoints.clone(),
        left_out: left_out.collect::<std::result::Result<_, _>>()?,
    })
}
