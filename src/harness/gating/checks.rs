//! What must hold: each check of a gate, and what they come to together.

use std::collections::BTreeSet;

use regex::RegexBuilder;

use super::suite_run::SuiteRun;
use super::{Gating, running};
use crate::error::{Error, Result};
use crate::harness::said;
use crate::harness::workplace::Say;
use crate::plan::{Check, Command};
use crate::record::{CheckRun, Suite, Tampered, TestMap, TestOutcome, Validity, canonical};

/// Tests that a reason names.
const NAMED: usize = 5;

/// What a gate comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::harness) enum Verdict {
    /// All checks hold.
    Passed,
    /// One does not.
    Failed,
    /// None fails, and of one it is not known; holds the reason.
    Unknown(String),
}

impl Verdict {
    /// For people.
    pub(in crate::harness) fn words(&self) -> String {
        match self {
            Verdict::Passed => "passed".to_owned(),
            Verdict::Failed => "failed".to_owned(),
            Verdict::Unknown(why) => format!("unknown ({why})"),
        }
    }
}

/// The verdict over checks.
pub(super) fn verdict(checks: &[CheckRun]) -> Verdict {
    if checks.iter().any(|c| c.holds == Some(false)) {
        return Verdict::Failed;
    }
    match checks.iter().find(|c| c.holds.is_none()) {
        Some(open) => Verdict::Unknown(open.why.clone().unwrap_or_default()),
        None if checks.is_empty() => {
            Verdict::Unknown("the plan has no check for this checkpoint".to_owned())
        }
        None => Verdict::Passed,
    }
}

/// Each check that is asked of this checkpoint; `None` where it was stopped meanwhile.
///
/// # Errors
/// Usage where a pattern is none; git where a tree cannot be exported.
pub(super) fn all(
    gating: &Gating<'_>,
    runs: &[SuiteRun],
    tampered: &mut Vec<Tampered>,
    say: Say<'_>,
) -> Result<Option<Vec<CheckRun>>> {
    let gate = gating.gate();
    let part: Vec<Check> = gating.suites.iter().copied().map(Check::Reports).collect();
    let own = match (&gate.acceptance, &gate.visible) {
        (Some(_), _) => vec![Check::Reports(Suite::Acceptance)],
        (None, Some(_)) => vec![Check::Reports(Suite::Visible)],
        (None, None) => Vec::new(),
    };
    let asked = match (gating.is_part(), gate.checks.is_empty()) {
        (true, _) => &part,
        (false, true) => &own,
        (false, false) => &gate.checks,
    };
    let mut done = Vec::new();
    for (at, check) in asked.iter().enumerate() {
        match check {
            Check::Reports(suite) => done.push(reports(*suite, runs)),
            Check::Command {
                command,
                exit_code,
                timeout,
            } => match running::check(gating, at, command, *exit_code, *timeout, say)? {
                Some((run, found)) => {
                    done.push(run);
                    *tampered = found;
                }
                None => return Ok(None),
            },
            Check::Answer => done.extend(answer(gating)?),
            Check::Declared => done.extend(declared(gating, runs)),
        }
    }
    for check in done.iter().filter(|c| c.holds != Some(true)) {
        let why = check.why.as_deref().unwrap_or_default();
        say(&format!(
            "check {} ({}): {}{why}",
            check.check,
            check.of,
            match check.holds {
                Some(_) => "does not hold: ",
                None => "no verdict: ",
            }
        ));
    }
    Ok(Some(done))
}

/// One check's outcome.
pub(super) fn done(check: &str, of: String, holds: Result<(), (Option<bool>, String)>) -> CheckRun {
    let (holds, why) = match holds {
        Ok(()) => (Some(true), None),
        Err((holds, why)) => (holds, Some(why)),
    };
    CheckRun {
        check: check.to_owned(),
        of,
        holds,
        why,
    }
}

/// The last try of a suite on some code.
fn last(runs: &[SuiteRun], suite: Suite, before: bool) -> Option<&SuiteRun> {
    let of_it = |run: &&SuiteRun| run.suite == suite && run.on.is_before() == before;
    runs.iter().rfind(of_it)
}

fn reports(suite: Suite, runs: &[SuiteRun]) -> CheckRun {
    let of = suite_word(suite).to_owned();
    let holds = match last(runs, suite, false) {
        Some(run) => passed(run),
        None => Err((None, format!("the plan has no {of} suite"))),
    };
    done("reports", of, holds)
}

/// Whether every test that counts passed.
fn passed(run: &SuiteRun) -> Result<(), (Option<bool>, String)> {
    let map = &run.map;
    match map.validity {
        Validity::Invalid => return Err((None, no_verdict(map))),
        Validity::Broken => {
            let why = codes(&map.reasons);
            return Err((Some(false), format!("it does not build or load ({why})")));
        }
        Validity::Valid => {}
    }
    let failed: Vec<&str> = map
        .counted()
        .filter(|(_, t)| t.outcome >= TestOutcome::Failed)
        .map(|(id, _)| id)
        .collect();
    if !failed.is_empty() {
        let what = said::count(failed.len(), "test fails", "tests fail");
        return Err((Some(false), format!("{what}: {}", names(&failed))));
    }
    if let Some(problem) = map
        .problems
        .iter()
        .find(|p| p.outcome >= TestOutcome::Failed)
    {
        let place = match problem.place.is_empty() {
            true => String::new(),
            false => format!(" in {}", problem.place),
        };
        return Err((Some(false), format!("a {} problem{place}", problem.kind)));
    }
    if map.counts().passed == 0 {
        return Err((Some(false), "no test passed".to_owned()));
    }
    if let Some(path) = run.open.first() {
        return Err((None, forgeable(path, run.open.len())));
    }
    match run.exit_code {
        Some(0) => Ok(()),
        code => Err((
            None,
            format!(
                "its command ended with {}, and its reports tell of no failure",
                code.map_or("no status".to_owned(), |c| c.to_string())
            ),
        )),
    }
}

/// Why nothing is believed where a file that could forge reports changed, and `n - 1` more.
pub(super) fn forgeable(path: &str, n: usize) -> String {
    let more = match n {
        0 | 1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    format!(
        "{path}{more} could forge the reports, and differs from the base's: pin it in [controls], \
         or name it in gate.runner_files_free"
    )
}

fn no_verdict(map: &TestMap) -> String {
    format!("the run is no verdict ({})", codes(&map.reasons))
}

fn codes(codes: &BTreeSet<String>) -> String {
    codes.iter().cloned().collect::<Vec<_>>().join(", ")
}

fn names(all: &[&str]) -> String {
    let shown = all
        .iter()
        .take(NAMED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match all.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// `acceptance`, `visible`.
pub(super) fn suite_word(suite: Suite) -> &'static str {
    match suite {
        Suite::Acceptance => "acceptance",
        Suite::Visible => "visible",
    }
}

/// The command of a check, for people and records.
pub(super) fn command_words(command: &Command) -> String {
    match command {
        Command::Words(words) => words.join(" "),
        Command::Shell(line) => line.clone(),
    }
}

/// The agent's answer against the checkpoint's pattern; `None` where it has none.
fn answer(gating: &Gating<'_>) -> Result<Option<CheckRun>> {
    let Some(pattern) = gating.checkpoint.and_then(|c| c.answer.as_deref()) else {
        return Ok(None);
    };
    let known = |c: &&CheckRun| c.check == "answer" && c.of == *pattern && c.holds.is_some();
    if gating.answer.is_none()
        && let Some(known) = gating.known.iter().rfind(known)
    {
        return Ok(Some(known.clone()));
    }
    let regex = RegexBuilder::new(pattern)
        .multi_line(true)
        .size_limit(10 << 20)
        .build()
        .map_err(|e| {
            Error::usage(format!("answer = '{pattern}': no regular expression")).with_source(e)
        })?;
    let holds = match gating.answer {
        None => Err((None, "the agent's answer is not known".to_owned())),
        Some(text) if regex.is_match(text) => Ok(()),
        Some(_) => Err((Some(false), "the answer does not match".to_owned())),
    };
    Ok(Some(done("answer", pattern.to_owned(), holds)))
}

/// What became of one declared test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Now {
    Passes,
    Fails,
    NotRun,
}

/// The checkpoint's lists; `None` where it has none.
fn declared(gating: &Gating<'_>, runs: &[SuiteRun]) -> Option<CheckRun> {
    let checkpoint = gating.checkpoint?;
    let (f2p, p2p) = (&checkpoint.fail_to_pass, &checkpoint.pass_to_pass);
    if f2p.is_empty() && p2p.is_empty() {
        return None;
    }
    let of = format!("{} to mend, {} to keep", f2p.len(), p2p.len());
    Some(done("declared", of, both(f2p, p2p, runs)))
}

fn both(f2p: &[String], p2p: &[String], runs: &[SuiteRun]) -> Result<(), (Option<bool>, String)> {
    let maps = |before: bool| -> Result<Vec<&SuiteRun>, String> {
        let found: Vec<&SuiteRun> = [Suite::Acceptance, Suite::Visible]
            .into_iter()
            .filter_map(|suite| last(runs, suite, before))
            .collect();
        match found.iter().find(|r| r.map.validity == Validity::Invalid) {
            Some(run) => Err(no_verdict(&run.map)),
            None => Ok(found),
        }
    };
    let now = maps(false).map_err(|why| (None, why))?;
    if now.is_empty() {
        return Err((None, "no suite ran".to_owned()));
    }
    let before = maps(true);
    let before = before.as_ref().ok().filter(|runs| !runs.is_empty());
    let mut wrong = Vec::new();
    for id in f2p {
        if state(&now, id) != Now::Passes {
            wrong.push(id.as_str());
        }
    }
    for id in p2p {
        // What did not pass before was declared wrongly, and is nobody's to keep.
        let passed = before.is_none_or(|runs| state(runs, id) == Now::Passes);
        if passed && state(&now, id) != Now::Passes {
            wrong.push(id.as_str());
        }
    }
    if !wrong.is_empty() {
        let what = said::count(wrong.len(), "declared test does", "declared tests do");
        return Err((Some(false), format!("{what} not pass: {}", names(&wrong))));
    }
    let already: Vec<&str> = before.map_or(Vec::new(), |runs| {
        let passes = |id: &&String| state(runs, id) == Now::Passes;
        f2p.iter().filter(passes).map(String::as_str).collect()
    });
    if !already.is_empty() {
        let what = said::count(already.len(), "test was", "tests were");
        return Err((
            Some(false),
            format!("{what} to fail before and did not: {}", names(&already)),
        ));
    }
    Ok(())
}

/// What runs say of a test; the worst counts.
fn state(runs: &[&SuiteRun], id: &str) -> Now {
    let wanted = canonical(id);
    let mut found = Now::NotRun;
    for run in runs {
        if run.map.validity == Validity::Broken {
            return Now::Fails;
        }
        for (own, test) in run.map.counted() {
            let same = own == wanted
                || own == id
                || own.split_once("//").is_some_and(|(_, rest)| rest == wanted);
            if !same {
                continue;
            }
            found = match test.outcome {
                TestOutcome::Passed if found != Now::Fails => Now::Passes,
                // An expected failure is what was asked for.
                TestOutcome::Skipped if test.xfail && found != Now::Fails => Now::Passes,
                TestOutcome::Skipped | TestOutcome::Passed => found,
                TestOutcome::Failed | TestOutcome::Error => Now::Fails,
            };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(holds: Option<bool>) -> CheckRun {
        let why = (holds != Some(true)).then(|| "so".to_owned());
        CheckRun {
            check: "reports".to_owned(),
            of: "acceptance".to_owned(),
            holds,
            why,
        }
    }

    #[test]
    fn a_gate_fails_before_it_is_unknown_and_passes_where_all_hold() {
        let of = |all: &[Option<bool>]| verdict(&all.iter().map(|h| check(*h)).collect::<Vec<_>>());
        assert_eq!(of(&[Some(true), Some(true)]), Verdict::Passed);
        assert_eq!(of(&[None, Some(false)]), Verdict::Failed);
        assert_eq!(of(&[Some(true), None]), Verdict::Unknown("so".to_owned()));
        assert!(matches!(of(&[]), Verdict::Unknown(_)));
    }
}
