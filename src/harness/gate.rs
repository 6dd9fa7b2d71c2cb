//! Gate runs: which reports are one, what the capture knows beside them, and what is read out of
//! all of it.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;

use super::globs::{self, Found};
use super::payloads::{Captured, Ground, READERS, open, require_file};
use super::said;
use super::workplace::Say;
use super::written::{Written, value};
use crate::error::{Error, Result};
use crate::ledger::{self, Content, as_kept, name_of, tree_facts};
use crate::record::mask::Masker;
use crate::record::{
    Body, CheckRun, Gated, Kind, Moment, Payload, ReadBy, Readers, RecordId, Role, RunFacts,
    Selected, Suite, TestMap, TestOutcome, Tests, Validity,
};

/// What is kept of a console, in bytes.
const CONSOLE: usize = 64 << 10;
/// What is looked at before it, so that the cut is through no credential.
const MARGIN: u64 = 16 << 10;
/// Files without use that are named.
const NAMED: usize = 10;

/// What is known of a gate run beside its reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateSaid {
    /// That a glob matches nothing is no error: the run made no report, which is a result.
    pub allow_missing: bool,
    /// The command that ran the tests.
    pub command: Option<Vec<String>>,
    /// Its exit status.
    pub exit_code: Option<i64>,
    /// When it began.
    pub started: Option<Moment>,
    /// What it printed.
    pub console: Option<PathBuf>,
    /// Tests of these checkpoints alone were asked for.
    pub checkpoints: Option<Vec<u32>>,
    /// Tests that match were left out.
    pub left_out: Vec<String>,
}

/// One gate run's files.
#[derive(Debug)]
pub(super) struct Gate {
    reports: BTreeSet<Found>,
    /// Folders that paths begin in, where the reports are below them.
    build_root: Option<PathBuf>,
    folder: PathBuf,
    said: GateSaid,
    /// What is known of it beyond that, where the harness ran it.
    of_run: Option<OfRun>,
    /// What was read out of it already.
    read: Option<TestMap>,
}

/// What the harness knows of a run of its own.
#[derive(Debug, Default)]
pub(super) struct OfRun {
    /// Its reports: path in the export, and where the copy is.
    pub(super) reports: Vec<(String, PathBuf)>,
    /// Paths that were laid over the tree.
    pub(super) laid: Vec<String>,
    /// When its command ended.
    pub(super) ended: Option<Moment>,
    /// How it ran.
    pub(super) gated: Gated,
}

/// Files with their paths, times and content as they are kept.
type Kept = Vec<(String, Option<Moment>, Content)>;

impl Gate {
    /// The reports that the globs match; `None` where no run is captured.
    ///
    /// # Errors
    /// Usage where a glob matches nothing and that was not allowed, or a file cannot be read.
    pub(super) fn find(captured: &Captured) -> Result<Option<Gate>> {
        let said = captured.gate.clone();
        if captured.tests.is_empty() {
            return Ok(None);
        }
        for pattern in &said.left_out {
            Regex::new(pattern).map_err(|e| {
                Error::usage(format!("--left-out {pattern}: no regular expression")).with_source(e)
            })?;
        }
        let mut found = BTreeSet::<Found>::new();
        for glob in &captured.tests {
            let all = globs::matching("--tests", glob, said.allow_missing)?;
            if all.is_empty() && !said.allow_missing {
                return Err(
                    Error::usage(format!("--tests {}: matches no file", glob.display())).with_hint(
                        "--allow-missing records a run that made no report, which is no verdict",
                    ),
                );
            }
            found.extend(all);
        }
        if let Some(console) = &said.console {
            require_file(console)?;
        }
        found.iter().try_for_each(|f| require_file(&f.file))?;
        Ok(Some(Gate {
            reports: found,
            build_root: captured.build_root.clone(),
            folder: captured.folder.clone(),
            said,
            of_run: None,
            read: None,
        }))
    }

    /// A run of the harness.
    pub(super) fn of_run(run: OfRun, said: GateSaid) -> Gate {
        Gate {
            reports: BTreeSet::new(),
            build_root: None,
            folder: PathBuf::new(),
            said,
            of_run: Some(run),
            read: None,
        }
    }

    /// The reports with their paths, sorted by these.
    fn with_paths(&self, top: Option<&Path>) -> Vec<(String, &Path)> {
        let mut all = Vec::new();
        let own = self.of_run.iter().flat_map(|run| &run.reports);
        all.extend(own.map(|(path, file)| (path.clone(), file.as_path())));
        for Found { file, start } in &self.reports {
            let folders = [
                self.build_root.as_deref(),
                top,
                Some(&self.folder),
                Some(start),
            ];
            let path = globs::path_from(file, folders.into_iter().flatten());
            all.push((path, file.as_path()));
        }
        all.sort();
        all
    }

    /// How many reports there are.
    pub(super) fn reports(&self) -> usize {
        self.reports.len() + self.of_run.as_ref().map_or(0, |run| run.reports.len())
    }

    /// Reads the run before anything is recorded, so that the harness can judge it; what is
    /// recorded later is this.
    ///
    /// # Errors
    /// Usage where a file cannot be read; git where the tree or earlier runs cannot.
    pub(super) fn read(
        &mut self,
        ground: &Ground<'_>,
        suite: Suite,
        say: Say<'_>,
    ) -> Result<TestMap> {
        let masker = Masker::here();
        let mut kept = Kept::new();
        for (path, file) in self.with_paths(None) {
            let (content, _, _) = as_kept(ground.repo, file, &masker)?;
            let path = String::from_utf8_lossy(&masker.bytes(path.as_bytes()).0).into_owned();
            kept.push((path, modified(file), content));
        }
        let mut run = self.facts(ground, suite, &masker)?;
        if let Some(file) = &self.said.console {
            let bytes = console(file, &masker)?;
            run.console = Some(String::from_utf8_lossy(&bytes).into_owned());
        }
        let map = map_of(&kept, &run)?;
        tell(suite, &map, say);
        self.read = Some(map.clone());
        Ok(map)
    }

    /// What the reader is told beside the reports, but for the console.
    fn facts(&self, ground: &Ground<'_>, suite: Suite, masker: &Masker) -> Result<RunFacts> {
        let mut tree = tree_facts(&ground.reader, ground.tree, None)?;
        let mut ended_by = None;
        if let Some(run) = &self.of_run {
            tree.paths.extend(run.laid.iter().cloned());
            tree.paths.sort();
            tree.paths.dedup();
            ended_by.clone_from(&run.gated.ended_by);
        }
        Ok(RunFacts {
            command: self.command(masker).unwrap_or_default(),
            exit_code: self.said.exit_code,
            started: self.said.started,
            console: None,
            tree: Some(tree),
            previous: self.previous(ground, suite)?,
            ended_by,
        })
    }

    /// Adds the run's record and its payloads.
    ///
    /// # Errors
    /// Usage where a file cannot be read; git where the tree or earlier runs cannot.
    pub(super) fn add(
        &self,
        ground: &Ground<'_>,
        suite: Suite,
        checks: &[CheckRun],
        to: &mut Written,
        say: Say<'_>,
    ) -> Result<()> {
        let id = RecordId::new();
        let mut says = Tests::of(suite, Vec::new());
        says.ran_tree = ground.ran_tree.map(super::pending::named);
        says.command = self.command(to.masker());
        says.exit_code = self.said.exit_code;
        says.started = self.said.started;
        says.selected = self.selected();
        if let Some(run) = &self.of_run {
            says.ended = run.ended;
            says.gated = Some(Gated {
                checks: checks.to_vec(),
                ..run.gated.clone()
            });
        }
        let mut kept = Kept::new();
        for (path, file) in self.with_paths(ground.repo.work_dir()) {
            let modified = modified(file);
            let shown = Some(path.clone());
            let report = Payload::Report;
            let (raw, content) = to.keep(ground.repo, &id, report, file, shown, modified)?;
            says.raw.push(raw);
            kept.push((to.masked(&path), modified, content));
        }
        let mut said = None;
        if let Some(file) = &self.said.console {
            let bytes = console(file, to.masker())?;
            said = Some(String::from_utf8_lossy(&bytes).into_owned());
            let (raw, _) = to.keep_bytes(&id, Payload::Console, name_of(file), bytes)?;
            says.raw.push(raw);
        }
        let map = match &self.read {
            Some(map) => map.clone(),
            None => {
                let mut run = self.facts(ground, suite, to.masker())?;
                run.console = said;
                let map = map_of(&kept, &run)?;
                tell(suite, &map, say);
                map
            }
        };
        says.read_by = Some(ReadBy {
            reader: map.format.clone().unwrap_or_else(|| "none".to_owned()),
            version: READERS.version(),
        });
        says.map = Some(value(&map)?);
        to.capture(id, Body::Tests(says))
    }

    /// The command as it will stand in the record.
    fn command(&self, masker: &Masker) -> Option<Vec<String>> {
        let words = self.said.command.as_ref()?;
        let masked =
            |w: &String| String::from_utf8_lossy(&masker.bytes(w.as_bytes()).0).into_owned();
        Some(words.iter().map(masked).collect())
    }

    fn selected(&self) -> Option<Selected> {
        let selected = Selected {
            checkpoints: self.said.checkpoints.clone(),
            left_out: self.said.left_out.clone(),
        };
        (selected != Selected::default()).then_some(selected)
    }

    /// The ids that passed at the last valid run before, of tests that this run was asked for;
    /// `None` where there was none, or which tests those are depends on the plan.
    fn previous(&self, ground: &Ground<'_>, suite: Suite) -> Result<Option<BTreeSet<String>>> {
        // Of all checkpoints so far, those that were asked for earlier are part.
        let up_to = |numbers: &[u32]| (1..=ground.checkpoint).eq(numbers.iter().copied());
        if self.said.checkpoints.as_deref().is_some_and(|n| !up_to(n)) {
            return Ok(None);
        }
        let mut passed = previous(ground, suite)?;
        if let Some(passed) = &mut passed {
            for pattern in self.said.left_out.iter().flat_map(|p| Regex::new(p)) {
                passed.retain(|id| !pattern.is_match(id));
            }
        }
        Ok(passed)
    }
}

/// The ids that passed in every run of the last checkpoint before that has a valid one.
fn previous(ground: &Ground<'_>, suite: Suite) -> Result<Option<BTreeSet<String>>> {
    let records = ledger::records(&ground.reader, &[Kind::Tests])?;
    if records.lines.is_empty() {
        return Ok(None);
    }
    let chains = ledger::chains(&ground.reader)?;
    let of_it = |c: &&ledger::Chain| c.begin == ground.begin.as_str();
    let Some(chain) = chains.chains.iter().find(of_it) else {
        return Ok(None);
    };
    for (at, commit) in chain.line.iter().enumerate().rev() {
        let counts = matches!(commit.role, Role::Agent | Role::Base);
        if !counts || commit.checkpoint >= ground.checkpoint {
            continue;
        }
        let stored = records.on(Kind::Tests, commit.id);
        if stored.is_empty() {
            continue;
        }
        let tree = ground.reader.commit(commit.id)?.tree.to_string();
        let (mut passed, mut not) = (BTreeSet::new(), BTreeSet::new());
        let mut any = false;
        for record in stored.iter().filter_map(|s| s.record()) {
            let Body::Tests(tests) = &record.body else {
                continue;
            };
            let own = record.head.for_checkpoint.unwrap_or(commit.checkpoint);
            if own != commit.checkpoint
                || tests.suite != suite
                || !ledger::counts(record, chain, at, Some(&tree))
            {
                continue;
            }
            let map = tests
                .map
                .as_ref()
                .and_then(|m| TestMap::deserialize(m).ok());
            let Some(map) = map.filter(|m| m.validity == Validity::Valid) else {
                continue;
            };
            any = true;
            for (id, test) in map.counted() {
                let into = match test.outcome {
                    TestOutcome::Passed => &mut passed,
                    _ => &mut not,
                };
                into.insert(id.to_owned());
            }
        }
        if any {
            return Ok(Some(passed.difference(&not).cloned().collect()));
        }
    }
    Ok(None)
}

/// When a file was last written.
fn modified(file: &Path) -> Option<Moment> {
    let at = std::fs::metadata(file).and_then(|m| m.modified()).ok()?;
    let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
    Moment::from_millis(i64::try_from(since.as_millis()).ok()?)
}

/// What is read out of reports.
fn map_of(kept: &Kept, run: &RunFacts) -> Result<TestMap> {
    let mut files = kept
        .iter()
        .map(|(path, modified, content)| open(path.clone(), *modified, content))
        .collect::<Result<Vec<_>>>()?;
    Ok(READERS.tests(&mut files, run))
}

/// The end of what a command printed, in whole lines, masked.
pub(super) fn console(file: &Path, masker: &Masker) -> Result<Vec<u8>> {
    let reading = |e| Error::usage(format!("reading {}", file.display())).with_source(e);
    let mut from = std::fs::File::open(file).map_err(reading)?;
    let size = from.metadata().map_err(reading)?.len();
    let start = size.saturating_sub(CONSOLE as u64 + MARGIN);
    from.seek(SeekFrom::Start(start)).map_err(reading)?;
    let mut bytes = Vec::new();
    from.take(CONSOLE as u64 + MARGIN)
        .read_to_end(&mut bytes)
        .map_err(reading)?;
    let masked = masker.payload(&bytes).0;
    let cut = masked.len().saturating_sub(CONSOLE);
    if start == 0 && cut == 0 {
        return Ok(masked.into_owned());
    }
    let end = &masked[cut..];
    let line = end.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1);
    Ok(end[line..].to_vec())
}

fn tell(suite: Suite, map: &TestMap, say: Say<'_>) {
    let counts = map.counts();
    let mut outcomes = Vec::new();
    for (n, what) in [
        (counts.passed, "passed"),
        (counts.failed, "failed"),
        (counts.error, "ended by an error"),
        (counts.skipped, "skipped"),
    ] {
        if n > 0 {
            outcomes.push(format!("{n} {what}"));
        }
    }
    if outcomes.is_empty() {
        outcomes.push("no test".to_owned());
    }
    let suite = match suite {
        Suite::Acceptance => "acceptance",
        Suite::Visible => "visible",
    };
    let codes = |codes: &BTreeSet<String>| codes.iter().cloned().collect::<Vec<_>>().join(", ");
    say(&format!(
        "gate run ({suite}, {}): {}, {}{}",
        map.format.as_deref().unwrap_or("no known format"),
        match map.validity {
            Validity::Valid => "valid".to_owned(),
            Validity::Broken => format!("broken ({})", codes(&map.reasons)),
            Validity::Invalid => format!("invalid ({}): no verdict", codes(&map.reasons)),
        },
        outcomes.join(", "),
        match map.warnings.is_empty() {
            true => String::new(),
            false => format!("; warnings: {}", codes(&map.warnings)),
        }
    ));
    let left: Vec<String> = map
        .files
        .iter()
        .filter_map(|f| Some(format!("{}: {}", f.path, f.left_out.as_ref()?)))
        .collect();
    for line in left.iter().take(NAMED) {
        say(&format!(
            "not used: {line}; `git evolve inspect` tells more"
        ));
    }
    if left.len() > NAMED {
        say(&format!(
            "not used: {}",
            said::count(left.len() - NAMED, "more file", "more files")
        ));
    }
}
