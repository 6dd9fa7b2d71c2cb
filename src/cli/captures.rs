//! The options of `record` and `attach` that name what was captured.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::shell_words;
use crate::harness::{Captured, GateSaid, SessionSaid};
use crate::record::{Moment, Purpose, Suite};

/// An agent's session.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "A session")]
pub(super) struct SessionArgs {
    /// What the agent's command reported, in any format that `git evolve inspect` knows; FILEs of
    /// one session id are one session
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub envelope: Vec<PathBuf>,
    /// The agent's own log of the session, or a folder of them, with those of its sub-agents;
    /// reduced to ids, times, usage, tools, paths and outcomes
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    pub transcript: Vec<PathBuf>,
    /// Keep transcripts verbatim, too: what was said, arguments, results
    #[arg(long, requires = "transcript")]
    pub keep_transcript: bool,
    /// What the session was for [default: implement]
    #[arg(long, value_name = "PURPOSE", value_enum)]
    pub purpose: Option<PurposeWord>,
    /// How the session ended [default: as its files say]; without a file: a session that left
    /// none
    #[arg(long, value_name = "OUTCOME", value_parser = OUTCOMES)]
    pub outcome: Option<String>,
    /// Milliseconds of your own clock around the agent's process
    #[arg(long, value_name = "N")]
    pub wall_ms: Option<u64>,
    /// Milliseconds waited before this attempt
    #[arg(long, value_name = "N")]
    pub waited_ms: Option<u64>,
    /// The exit status of the agent's process
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub agent_exit_code: Option<i64>,
    /// The agent's version, as `--version` of it says
    #[arg(long, value_name = "VERSION")]
    pub agent_version: Option<String>,
    /// The model that was asked for
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// The id of the session that this one goes on with
    #[arg(long, value_name = "SESSION")]
    pub resumes: Option<String>,
}

/// A gate run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "A gate run")]
pub(super) struct GateArgs {
    /// Test reports of one run: files, globs, folders
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub tests: Vec<PathBuf>,
    /// A GLOB that matches nothing is no error: a run without reports is recorded, as invalid
    /// (no-reports)
    #[arg(long, requires = "tests")]
    pub allow_missing: bool,
    /// Whose tests ran, also for --coverage [default: visible]
    #[arg(long, value_name = "SUITE", value_enum)]
    pub suite: Option<SuiteWord>,
    /// The command that ran the tests, as it would be typed in a shell
    #[arg(long, value_name = "TEXT", requires = "tests", value_parser = shell_words::read)]
    pub command: Option<CommandWords>,
    /// The exit status of that command
    #[arg(
        long,
        value_name = "N",
        requires = "tests",
        allow_negative_numbers = true
    )]
    pub exit_code: Option<i64>,
    /// When it began: RFC 3339, or seconds since 1970. Reports that are older are left out
    #[arg(long, value_name = "TIME", requires = "tests", value_parser = time)]
    pub started: Option<Moment>,
    /// What it printed: the last 64 KiB are kept, and tell of crashes that no report does
    #[arg(long, value_name = "FILE", requires = "tests")]
    pub console: Option<PathBuf>,
    /// Only tests of these checkpoints were asked for, as `1-3,5`; others are not lost
    #[arg(long, value_name = "NUMBERS", requires = "tests", value_parser = numbers)]
    pub selected_checkpoints: Option<Numbers>,
    /// Tests whose id matches were left out of the run; they are not lost (repeatable)
    #[arg(long, value_name = "REGEX", requires = "tests")]
    pub left_out: Vec<String>,
}

/// Coverage.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Coverage")]
pub(super) struct CoverageArgs {
    /// A coverage report
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub coverage: Vec<PathBuf>,
    /// Where the tree was checked out when reports were written [default: this work tree]
    #[arg(long, value_name = "DIR")]
    pub build_root: Option<PathBuf>,
}

/// What was captured, as typed.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct CaptureArgs {
    /// A session.
    #[command(flatten)]
    pub session: SessionArgs,
    /// A gate run.
    #[command(flatten)]
    pub gate: GateArgs,
    /// Coverage.
    #[command(flatten)]
    pub coverage: CoverageArgs,
}

/// How sessions end.
const OUTCOMES: [&str; 8] = [
    "success",
    "error",
    "max_turns",
    "budget_exceeded",
    "rate_limited",
    "overloaded",
    "context_limit",
    "interrupted",
];

/// The purposes as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PurposeWord {
    /// The change that was asked for
    Implement,
    /// Clearing up that a gate asked for
    Refactor,
    /// Looking over the work
    Review,
    /// Questions about the rules
    Probe,
    /// Nothing: what a session costs by itself
    Noop,
}

/// The suites as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SuiteWord {
    /// The experimenter's
    Acceptance,
    /// As the agent left them
    Visible,
}

/// The words of a command.
pub(super) type CommandWords = std::sync::Arc<[String]>;

/// Numbers of checkpoints.
pub(super) type Numbers = std::sync::Arc<[u32]>;

impl CaptureArgs {
    /// What is to be captured; typed paths begin in `folder`.
    pub(super) fn captured(&self, folder: &Path) -> Captured {
        let here = |files: &[PathBuf]| files.iter().map(|f| folder.join(f)).collect();
        let (session, gate, coverage) = (&self.session, &self.gate, &self.coverage);
        Captured {
            folder: folder.to_owned(),
            envelopes: here(&session.envelope),
            transcripts: here(&session.transcript),
            keep_transcripts: session.keep_transcript,
            session: SessionSaid {
                purpose: session.purpose.map(|p| match p {
                    PurposeWord::Implement => Purpose::Implement,
                    PurposeWord::Refactor => Purpose::Refactor,
                    PurposeWord::Review => Purpose::Review,
                    PurposeWord::Probe => Purpose::Probe,
                    PurposeWord::Noop => Purpose::Noop,
                }),
                outcome: session.outcome.clone(),
                wall_ms: session.wall_ms,
                waited_ms: session.waited_ms,
                exit_code: session.agent_exit_code,
                agent_version: session.agent_version.clone(),
                model: session.model.clone(),
                driven: None,
                resumes: session.resumes.clone(),
            },
            tests: here(&gate.tests),
            gate: GateSaid {
                allow_missing: gate.allow_missing,
                command: gate.command.as_ref().map(|c| c.to_vec()),
                exit_code: gate.exit_code,
                started: gate.started,
                console: gate.console.as_ref().map(|f| folder.join(f)),
                checkpoints: gate.selected_checkpoints.as_ref().map(|n| n.to_vec()),
                left_out: gate.left_out.clone(),
            },
            suite: gate.suite.map(|s| match s {
                SuiteWord::Acceptance => Suite::Acceptance,
                SuiteWord::Visible => Suite::Visible,
            }),
            coverage: here(&coverage.coverage),
            build_root: coverage.build_root.as_ref().map(|f| folder.join(f)),
        }
    }
}

/// A time as people and programs write it.
pub(super) fn time(text: &str) -> Result<Moment, String> {
    Moment::read(text).ok_or_else(|| {
        "a time is like 2026-11-30T07:12:09Z, or seconds since 1970 began".to_owned()
    })
}

/// `1-3,5`.
fn numbers(text: &str) -> Result<Numbers, String> {
    let wrong = || "checkpoints are numbers and ranges of them, as in 1-3,5".to_owned();
    let mut all = std::collections::BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last - first > 100_000 {
            return Err(wrong());
        }
        all.extend(first..=last);
    }
    Ok(all.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_numbers_and_ranges() {
        let read = |text| numbers(text).map(|n| n.to_vec());
        assert_eq!(read("1-3,5"), Ok(vec![1, 2, 3, 5]));
        assert_eq!(read("5, 0"), Ok(vec![0, 5]));
        for wrong in ["", "3-1", "a", "1-", "1-4294967295", "1;2"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
