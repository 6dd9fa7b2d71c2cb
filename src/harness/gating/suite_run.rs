//! One run of one suite: an export, its set-up, the command, the reports it left.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Gating;
use super::added_tests::is_test;
use super::checks::suite_word;
use super::collected::{self, Globs};
use super::laying::{self, Found, Owned};
use super::running::Room;
use crate::error::{Error, Result};
use crate::harness::gate::{Gate, GateSaid, OfRun};
use crate::harness::payloads::{Files, Ground};
use crate::harness::pending::named;
use crate::harness::said;
use crate::harness::setups;
use crate::harness::workplace::Say;
use crate::harness::written::Written;
use crate::plan::{self, Select};
use crate::record::{
    CheckRun, ContentId, Gated, Moment, PathName, RecordId, Suite, Tampered, TestMap,
};
use crate::repo::{Oid, Reader, Writer};

/// Which code a suite runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    /// The tree that is gated.
    Work,
    /// The code before it: that commit.
    Before(Oid),
}

impl On {
    pub(super) fn is_before(self) -> bool {
        matches!(self, On::Before(_))
    }
}

/// What a run left.
pub(super) struct SuiteRun {
    pub(super) suite: Suite,
    pub(super) on: On,
    /// What was read out of its reports.
    pub(super) map: TestMap,
    /// Its command's exit status.
    pub(super) exit_code: Option<i64>,
    /// Files that could forge its reports, changed and left as they are.
    pub(super) open: Vec<String>,
    /// Its reports, copied out of the export.
    pub(super) reports: Vec<(String, PathBuf)>,
    /// The end of what its command printed.
    pub(super) console: Option<PathBuf>,
    files: Files,
    gated: Gated,
}

/// A tree that is ready to be tested.
struct Ready {
    tree: Oid,
    owned: Option<Owned>,
    found: Found,
    contents: Vec<ContentId>,
}

impl SuiteRun {
    /// Runs `suite`.
    ///
    /// # Errors
    /// As [`super::gate`].
    pub(super) fn run(
        gating: &Gating<'_>,
        suite: Suite,
        on: On,
        attempt: u32,
        say: Say<'_>,
    ) -> Result<SuiteRun> {
        let plan = gating.suite(suite).ok_or_else(|| {
            Error::internal(format!(
                "running a {} suite that is none",
                suite_word(suite)
            ))
        })?;
        let reader = gating.repo.reader()?;
        let ready = ready(gating, &reader, suite, plan, on)?;
        let name = format!(
            "{}{}-{attempt}",
            suite_word(suite),
            if on.is_before() { "-before" } else { "" }
        );
        let of_it = (Some(suite), plan.select, plan.isolation);
        let mut room = Room::make(gating, &name, ready.tree, ready.owned.as_ref(), of_it)?;
        let reports = Globs::of("gate reports", &plan.reports)?;
        let coverage = Globs::of("gate coverage", &plan.coverage)?;
        let gone = collected::clear(&room.top, &[&reports, &coverage])?;
        let mut gated = Gated {
            checks: Vec::new(),
            tampered: ready.found.tampered,
            attempt: Some(attempt),
            isolation: Some(room.isolation.word().to_owned()),
            contents: ready.contents,
            setups: Vec::new(),
            ended_by: None,
            left_running: 0,
        };
        committed_reports(gating, &reader, &gone, &mut gated.tampered, say)?;
        if attempt == 1 {
            tell_tampered(suite, &gated.tampered, &ready.found.why, say);
        }
        gated.tampered = laying::listed(gated.tampered);
        let set_up = room.set_up(say)?;
        gated.setups = std::mem::take(&mut room.prepared.runs);
        // What set-up commands left there is no report of this run.
        collected::clear(&room.top, &[&reports, &coverage])?;
        let started = Moment::now();
        let came = match set_up {
            Some(true) => {
                Some(room.run("command", &plan.command, &plan.environment, plan.timeout)?)
            }
            Some(false) => {
                gated.ended_by = Some("setup".to_owned());
                None
            }
            None => {
                gated.ended_by = Some("interrupt".to_owned());
                None
            }
        };
        let ended = Moment::now();
        if let Some(came) = &came {
            gated.ended_by = Some(came.ended_by().to_owned());
            if let super::running::Came::Ran(ended) = came {
                gated.left_running = ended.left_running;
            }
        }
        let mut kept = collected::collect(&room.top, &reports, &room.kept("reports"))?;
        let covered = collected::collect(&room.top, &coverage, &room.kept("coverage"))?;
        kept.left_out.extend(covered.left_out);
        for line in kept.left_out.iter().take(5) {
            say(&format!("not used: {line}"));
        }
        let console = room.kept("console.txt");
        let text = match &came {
            Some(super::running::Came::NotStarted(why)) => format!("{why}\n"),
            _ => room.said("command", 1 << 20),
        };
        let console = match text.is_empty() {
            true => None,
            false => {
                std::fs::write(&console, text).map_err(|e| {
                    Error::git(format!("writing {}", console.display())).with_source(e)
                })?;
                Some(console)
            }
        };
        let exit_code = came.as_ref().and_then(super::running::Came::exit_code);
        let build_root = room.top.clone();
        room.close()?;
        let reports: Vec<(String, PathBuf)> =
            kept.reports.into_iter().map(|r| (r.path, r.file)).collect();
        let of_run = OfRun {
            reports: reports.clone(),
            laid: match &ready.owned {
                Some(owned) => owned.laid().map(str::to_owned).collect(),
                None => Vec::new(),
            },
            ended: Some(ended),
            gated: gated.clone(),
        };
        let said = GateSaid {
            command: Some(setups::words(&plan.command)),
            exit_code,
            started: Some(started),
            console: console.clone(),
            checkpoints: selected(gating, plan.select),
            ..GateSaid::default()
        };
        let mut gate = Gate::of_run(of_run, said);
        let fresh = RecordId::new();
        let tree = match on {
            On::Work => gating.tree,
            On::Before(commit) => reader.commit(commit)?.tree,
        };
        let ground = Ground {
            repo: gating.repo,
            reader,
            // One that nothing is recorded of has nothing before it.
            begin: gating.begin.unwrap_or(&fresh),
            checkpoint: gating.number,
            tree,
            ran_tree: None,
        };
        let map = gate.read(&ground, suite, say)?;
        let coverage = covered.reports.into_iter().map(|r| r.file).collect();
        Ok(SuiteRun {
            suite,
            on,
            map,
            exit_code,
            open: ready.found.open,
            reports,
            console,
            files: Files::of_run(gate, suite, coverage, build_root),
            gated,
        })
    }

    /// Whether it was stopped, so that it says nothing.
    pub(super) fn interrupted(&self) -> bool {
        self.gated.ended_by.as_deref() == Some("interrupt")
    }

    /// Adds its record, with payloads and coverage.
    ///
    /// # Errors
    /// Usage where a report cannot be read; git where a payload cannot be kept.
    pub(super) fn add(
        &self,
        checks: &[CheckRun],
        ground: &Ground<'_>,
        to: &mut Written,
        say: Say<'_>,
    ) -> Result<()> {
        self.files.add_run(checks, ground, to, say)
    }
}

/// The numbers that a selection is of, as records have them.
fn selected(gating: &Gating<'_>, select: Select) -> Option<Vec<u32>> {
    match select {
        Select::All => None,
        Select::UpTo => Some((1..=gating.number).collect()),
        Select::Own => Some((gating.number..=gating.number).filter(|k| *k > 0).collect()),
    }
}

/// The tree a suite runs on, and what was found of it.
fn ready(
    gating: &Gating<'_>,
    reader: &Reader,
    suite: Suite,
    plan: &plan::SuiteRun,
    on: On,
) -> Result<Ready> {
    let base = reader.commit(gating.base)?.tree;
    let before = match on {
        On::Work => None,
        On::Before(commit) => Some(reader.commit(commit)?.tree),
    };
    match (suite, before) {
        (Suite::Acceptance, before) => {
            let owned = Owned::of(gating, Some(plan))?;
            let tree = before.unwrap_or(gating.tree);
            let mut found = owned.found(reader, base, tree, true)?;
            let laid = owned.tree(gating, tree, &found)?;
            if before.is_some() {
                // What was changed earlier was told with the checkpoint that changed it.
                found.tampered.clear();
            }
            let contents = owned.contents(reader, &gating.plan.folder)?;
            Ok(Ready {
                tree: laid,
                owned: Some(owned),
                found,
                contents,
            })
        }
        (Suite::Visible, None) => {
            let owned = Owned::of(gating, None)?;
            let mut found = owned.found(reader, base, gating.tree, false)?;
            // As the agent left it: nothing is put back, and nothing but its word is given.
            found.open.clear();
            gone_tests(gating, reader, &owned, &mut found)?;
            Ok(Ready {
                tree: gating.tree,
                owned: None,
                found,
                contents: Vec::new(),
            })
        }
        (Suite::Visible, Some(before)) => with_added_tests(gating, reader, before),
    }
}

/// The code before, with the tests that the agent added or changed laid over it.
fn with_added_tests(gating: &Gating<'_>, reader: &Reader, before: Oid) -> Result<Ready> {
    let owned = Owned::of(gating, None)?;
    let mut edits = BTreeMap::new();
    let mut contents = Vec::new();
    for delta in reader.deltas(before, gating.tree)? {
        let path = String::from_utf8_lossy(&delta.path).into_owned();
        if let Some((mode, id)) = delta.new.filter(|_| is_test(&path, owned.tests())) {
            contents.push(ContentId::of("tests", PathName::of(&delta.path), named(id)));
            edits.insert(delta.path.clone(), Some((mode, id)));
        }
    }
    let edits = laying::with_room(reader, before, edits)?;
    let tree = match edits.is_empty() {
        true => before,
        false => Writer::open(gating.repo)?.tree_with(reader, before, &edits)?,
    };
    Ok(Ready {
        tree,
        owned: None,
        found: Found::default(),
        contents,
    })
}

/// Tests of the code before that are there no more.
fn gone_tests(
    gating: &Gating<'_>,
    reader: &Reader,
    owned: &Owned,
    found: &mut Found,
) -> Result<()> {
    let Some(parent) = gating.parent else {
        return Ok(());
    };
    let before = reader.commit(parent)?.tree;
    for delta in reader.deltas(before, gating.tree)? {
        let path = String::from_utf8_lossy(&delta.path).into_owned();
        let told = |t: &Tampered| t.path == PathName::of(&delta.path);
        let gone = delta.new.is_none() && is_test(&path, owned.tests());
        if gone && !found.tampered.iter().any(told) {
            found.tampered.push(Tampered {
                what: "tests-gone".to_owned(),
                path: PathName::of(&delta.path),
                how: "deleted".to_owned(),
                put_back: false,
            });
        }
    }
    Ok(())
}

/// Reports that are part of the tree went before the run; those that the base has not are
/// somebody's try.
fn committed_reports(
    gating: &Gating<'_>,
    reader: &Reader,
    gone: &[String],
    tampered: &mut Vec<Tampered>,
    say: Say<'_>,
) -> Result<()> {
    if gone.is_empty() {
        return Ok(());
    }
    say(&format!(
        "{} part of the tree, and deleted before the run: {}",
        said::count(gone.len(), "report is", "reports are"),
        gone.iter().take(5).cloned().collect::<Vec<_>>().join(", ")
    ));
    let base = reader.commit(gating.base)?.tree;
    for path in gone {
        if reader.entry(base, path.as_bytes())?.is_none() {
            tampered.push(Tampered {
                what: "report".to_owned(),
                path: PathName::of(path.as_bytes()),
                how: "added".to_owned(),
                put_back: true,
            });
        }
    }
    Ok(())
}

fn tell_tampered(suite: Suite, tampered: &[Tampered], why: &BTreeMap<String, &str>, say: Say<'_>) {
    const SHOWN: usize = 10;
    for t in tampered.iter().take(SHOWN) {
        say(&format!(
            "{} suite: {} {} ({}){}",
            suite_word(suite),
            said::path(t.path.path.as_bytes()),
            t.how,
            match t.what.as_str() {
                "tests" => "the experimenter's test",
                "tests-gone" => "a test that was there",
                "pinned" => "pinned",
                "hidden" => "hidden",
                "report" => "a report that no run made",
                _ => why
                    .get(&t.path.path)
                    .copied()
                    .unwrap_or("it could forge reports"),
            },
            match t.put_back {
                true => ": put back for the run",
                false => "",
            }
        ));
    }
    if tampered.len() > SHOWN {
        say(&format!(
            "{} suite: {} more",
            suite_word(suite),
            tampered.len() - SHOWN
        ));
    }
}
