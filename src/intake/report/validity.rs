//! Whether a run is a verdict on the code: valid, broken, or none at all.

use std::collections::{BTreeMap, BTreeSet};

use super::console::{self, Console};
use super::draft::Draft;
use crate::record::{
    Problem, RunFacts, TestMap, TestOutcome, TestPlaces, TestResult, Validity, pairing, splits,
};

/// Reasons that are results: the change does not build or load. All others make a run none.
const BROKEN: [&str; 5] = [
    "build-failed",
    "collection-error",
    "package-failed-without-tests",
    "root-errors-without-testcase",
    "suite-load-error",
];
/// The shell could not run the command, or a signal ended it.
const ABORTED: [i64; 5] = [126, 127, 137, 139, 143];

/// How many files came to what.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Reports that count, read to their end or not.
    pub(super) used: u64,
    /// Of them those that were read to their end.
    pub(super) whole: u64,
    /// Reports that are older than the run.
    pub(super) stale: u64,
}

/// A class that passed before and of which nothing is told now, though its file is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingClass {
    /// `[module//]class`.
    pub class: String,
    /// The file it stands in.
    pub file: String,
}

/// Decides over the joined draft; the reasons and warnings that only the run as a whole shows are
/// added to it.
pub(super) fn judge(draft: &mut Draft, seen: &Seen, run: &RunFacts) -> Validity {
    let console = run.console.as_deref().map(console::look);
    let console = console.unwrap_or_default();
    if run.ended_by.as_deref() == Some("setup") {
        draft.reason("setup-failed");
        return Validity::Invalid;
    }
    nothing(draft, seen, &console);
    stopped(draft, run, &console);
    unfinished(draft, &console);
    missing(draft, run, &console);
    counted(draft, run);
    if draft.reasons.iter().any(|code| !BROKEN.contains(code)) {
        Validity::Invalid
    } else if draft.reasons.is_empty() {
        Validity::Valid
    } else {
        Validity::Broken
    }
}

/// No report, or none with a testcase: whatever the exit status is, it means nothing. That
/// nothing was built explains it, and is a result.
fn nothing(draft: &mut Draft, seen: &Seen, console: &Console) {
    if let Some(said) = &console.build_failed {
        let known = draft.problems.iter().any(|p| p.kind == "build");
        if !known {
            draft.problem("build", "", TestOutcome::Error, Some(said));
        }
        draft.reason("build-failed");
    } else if seen.used == 0 && seen.stale > 0 {
        draft.reason("all-reports-stale");
    } else if seen.used == 0 {
        draft.reason("no-reports");
    } else if seen.whole > 0 && draft.testcases == 0 {
        draft.reason("no-tests");
    }
    let mut outcomes = draft.tests.values().map(|t| t.outcome);
    if !draft.tests.is_empty() && outcomes.all(|o| o == TestOutcome::Skipped) {
        draft.warn("all-skipped");
    }
}

fn stopped(draft: &mut Draft, run: &RunFacts, console: &Console) {
    if console.fork_crashed {
        draft.reason("forked-vm-crash");
    }
    let code = run.exit_code.unwrap_or(0);
    // pytest's own codes count where it is what was run. Where that is not told, its report
    // speaks for it; but make has a 2 of its own, for tests that fail.
    let named = is_pytest(&run.command);
    let of_pytest = |f: &str| f.starts_with("pytest") || f == super::slopcodebench::FORMAT;
    let likely = run.command.is_empty() && draft.format.is_some_and(of_pytest);
    let stopped = match code {
        2 => (named || (likely && !fails(draft))) && !draft.reasons.contains("collection-error"),
        3 | 4 => named || likely,
        _ => false,
    };
    if ABORTED.contains(&code) || console.interrupted || stopped {
        draft.reason("aborted-run");
    }
    // What the harness itself ended says so better than any console.
    match run.ended_by.as_deref() {
        Some("timeout") => draft.reason("timeout"),
        Some("killed" | "not-started" | "interrupt") => draft.reason("aborted-run"),
        _ => {}
    }
    let limited = run.command.first().is_some_and(|c| base(c) == "timeout");
    if console.timed_out || (limited && code == 124) {
        draft.reason("timeout");
    }
    if stops_early(&run.command) && draft.tests.values().any(failed) {
        draft.warn("stopped-early");
    }
}

fn base(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

fn is_pytest(command: &[String]) -> bool {
    command
        .iter()
        .any(|word| matches!(base(word), "pytest" | "py.test" | "pytest.exe"))
}

/// Whether the command ends a run at its first failures.
fn stops_early(command: &[String]) -> bool {
    let pytest = is_pytest(command);
    command.iter().any(|word| match word.as_str() {
        "-x" | "--exitfirst" => pytest,
        "-failfast" | "--failfast" | "--fail-fast" | "--bail" => true,
        word => word.starts_with("--maxfail"),
    })
}

fn failed(test: &TestResult) -> bool {
    test.outcome >= TestOutcome::Failed
}

/// Classes that were begun and not ended. One of which a testcase is told was ended: reports are
/// written at the end of a class.
fn unfinished(draft: &mut Draft, console: &Console) {
    let told: BTreeSet<&str> = draft.tests.values().map(|t| t.class.as_str()).collect();
    let problems: BTreeSet<&str> = draft.problems.iter().map(|p| p.place.as_str()).collect();
    let open = |class: &&String| {
        let class = class.as_str();
        !told.contains(class) && !problems.contains(class)
    };
    if console.unfinished.iter().any(|class| open(&class)) {
        draft.reason("class-started-not-finished");
    }
}

fn missing(draft: &mut Draft, run: &RunFacts, console: &Console) {
    let Some(previous) = run.previous.as_ref().filter(|ids| !ids.is_empty()) else {
        return;
    };
    let now = draft.tests.iter().filter(|(_, test)| !test.container);
    let now = now.map(|(id, _)| id.as_str());
    let none = BTreeMap::new();
    let pairing = pairing::pair(previous.iter().map(String::as_str), now, &none);
    let schemes = !pairing.schemes.is_empty();
    let positional = !pairing.positional.is_empty();
    if schemes {
        draft.warn("id-scheme-changed");
    }
    if positional {
        draft.warn("positional-ids");
    }
    // Where nothing could run, or it is not told what could not, nothing is missing.
    let explained = console.build_failed.is_some()
        || draft.reasons.contains("root-errors-without-testcase")
        || (draft.tests.is_empty() && !draft.reasons.is_empty());
    if !explained && !absent(&draft.tests, &draft.problems, run).is_empty() {
        draft.reason("classes-missing");
    }
}

/// Classes (packages, modules) with tests that passed at the last valid gate, of which there is
/// neither a test nor a problem in `map`, although the tree still has their file. Tests whose
/// file is gone are no missing ones: they were removed.
pub fn missing_classes(map: &TestMap, run: &RunFacts) -> BTreeSet<MissingClass> {
    absent(&map.tests, &map.problems, run)
}

fn absent<'m>(
    tests: &BTreeMap<String, TestResult>,
    problems: impl IntoIterator<Item = &'m Problem>,
    run: &RunFacts,
) -> BTreeSet<MissingClass> {
    let (Some(previous), Some(tree)) = (&run.previous, &run.tree) else {
        return BTreeSet::new();
    };
    let told: BTreeSet<(Option<&str>, &str)> = tests
        .values()
        .map(|t| (t.module.as_deref(), t.class.as_str()))
        .collect();
    let places: BTreeSet<&str> = problems.into_iter().map(|p| p.place.as_str()).collect();
    // A problem of a module or an outer class is one of what stands in it.
    let explained = |class: &str| {
        let cuts = class.match_indices(['.', '$']).map(|(at, _)| at);
        let mut ends = cuts.chain([class.len()]);
        ends.any(|end| places.contains(&class[..end]))
    };
    let is_told = |id: &str| {
        splits(id).any(|(module, class, _)| told.contains(&(module, class)) || explained(class))
    };
    let gone: Vec<&str> = previous
        .iter()
        .map(String::as_str)
        .filter(|id| !tests.contains_key(*id) && !is_told(id))
        .collect();
    if gone.is_empty() {
        return BTreeSet::new();
    }
    let now = tests.keys().map(String::as_str);
    let pairing = pairing::pair(previous.iter().map(String::as_str), now, &BTreeMap::new());
    let renamed = pairing.forward();
    let finder = TestPlaces::of(tree);
    let mut missing = BTreeSet::new();
    for id in gone.into_iter().filter(|id| !renamed.contains_key(id)) {
        let found = splits(id).find_map(|(module, class, _)| {
            let file = finder.file(module, class)?;
            Some((module, class, file))
        });
        if let Some((module, class, file)) = found {
            let class = match module {
                Some(module) => format!("{module}//{class}"),
                None => class.to_owned(),
            };
            let file = file.to_owned();
            missing.insert(MissingClass { class, file });
        }
    }
    missing
}

/// An exit status that says otherwise than the tests: a remark, since build tools can be told to
/// pass over failures.
fn counted(draft: &mut Draft, run: &RunFacts) {
    let Some(code) = run.exit_code else { return };
    let bad = fails(draft);
    if (code == 0 && bad) || (code != 0 && !bad && draft.reasons.is_empty()) {
        draft.warn("exit-code-differs");
    }
}

/// Whether a test failed, or something that is no test.
fn fails(draft: &Draft) -> bool {
    let problem = |p: &Problem| p.outcome >= TestOutcome::Failed;
    draft.tests.values().any(failed) || draft.problems.iter().any(problem)
}
