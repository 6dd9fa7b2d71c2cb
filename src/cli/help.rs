//! `git evolve help`.

use std::process::Command;

use clap::Args;

use super::args::Global;
use super::roff;
use super::session::{Done, without_repository};
use crate::error::{Error, Result};
use crate::report::Format;

/// Print the manual of the program or of a subcommand
///
/// Opens the installed manual page on a terminal; prints the same text where none is installed.
#[derive(Debug, Args)]
pub(super) struct HelpArgs {
    /// The subcommand, or `measures`; else the program
    #[arg(value_name = "SUBCOMMAND")]
    pub subcommand: Option<String>,
}

macro_rules! page {
    ($name:literal, $file:literal) => {
        ($name, include_str!(concat!("../../man/", $file)))
    };
}

/// Subcommand to manual page; the empty name is the program's.
pub(super) const PAGES: [(&str, &str); 39] = [
    page!("", "git-evolve.1"),
    page!("log", "git-evolve-log.1"),
    page!("slope", "git-evolve-slope.1"),
    page!("hot", "git-evolve-hot.1"),
    page!("compare", "git-evolve-compare.1"),
    page!("show", "git-evolve-show.1"),
    page!("check", "git-evolve-check.1"),
    page!("functions", "git-evolve-functions.1"),
    page!("files", "git-evolve-files.1"),
    page!("lines", "git-evolve-lines.1"),
    page!("tests", "git-evolve-tests.1"),
    page!("matrix", "git-evolve-matrix.1"),
    page!("metrics", "git-evolve-metrics.1"),
    page!("explain", "git-evolve-explain.1"),
    page!("init", "git-evolve-init.1"),
    page!("plan", "git-evolve-plan.1"),
    page!("run", "git-evolve-run.1"),
    page!("begin", "git-evolve-begin.1"),
    page!("record", "git-evolve-record.1"),
    page!("attach", "git-evolve-attach.1"),
    page!("gate", "git-evolve-gate.1"),
    page!("reset", "git-evolve-reset.1"),
    page!("records", "git-evolve-records.1"),
    page!("report", "git-evolve-report.1"),
    page!("inspect", "git-evolve-inspect.1"),
    page!("controls", "git-evolve-controls.1"),
    page!("status", "git-evolve-status.1"),
    page!("verify", "git-evolve-verify.1"),
    page!("reconcile", "git-evolve-reconcile.1"),
    page!("push", "git-evolve-push.1"),
    page!("fetch", "git-evolve-fetch.1"),
    page!("clone", "git-evolve-clone.1"),
    page!("hooks", "git-evolve-hooks.1"),
    page!("doctor", "git-evolve-doctor.1"),
    page!("demo", "git-evolve-demo.1"),
    page!("replay-agent", "git-evolve-replay-agent.1"),
    page!("completions", "git-evolve-completions.1"),
    page!("help", "git-evolve-help.1"),
    page!("measures", "git-evolve-measures.7"),
];

/// Runs it.
///
/// # Errors
/// A usage error for a subcommand that is none.
pub(super) fn run(global: &Global, args: &HelpArgs) -> Result<Done> {
    let name = args.subcommand.as_deref().unwrap_or("");
    let Some((_, page)) = PAGES.iter().find(|(n, _)| *n == name) else {
        let known: Vec<&str> = PAGES.iter().skip(1).map(|(n, _)| *n).collect();
        let error = Error::usage(format!("no such subcommand: {name}"));
        return Err(match super::config::nearest(name, &known) {
            Some(near) => error.with_hint(format!("did you mean {near}?")),
            None => error.with_hint(format!("subcommands: {}", known.join(", "))),
        });
    };
    let output = without_repository(global);
    if output.is_terminal() && opened(name) {
        return Ok(Done::Well);
    }
    let columns = output.layout(super::args::FormatArgs::default()).columns;
    output.data(roff::text(page, columns.min(100)).as_bytes(), Format::Table)?;
    Ok(Done::Well)
}

/// Opens the installed page; false where there is none.
fn opened(name: &str) -> bool {
    let page = match name {
        "" => "git-evolve".to_owned(),
        name => format!("git-evolve-{name}"),
    };
    let installed = Command::new("man").args(["-w", &page]).output();
    installed.is_ok_and(|o| o.status.success())
        && Command::new("man")
            .arg(&page)
            .status()
            .is_ok_and(|s| s.success())
}
