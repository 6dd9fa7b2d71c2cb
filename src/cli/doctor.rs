//! `git evolve doctor`.

use clap::Args;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::Output;
use super::session::{Done, directory, stamp};
use crate::error::Result;
use crate::ledger;
use crate::repo::{self, Finding, Repo, Severity};
use crate::report::{Column, Field, List, Listing, Tone, counted, write_listing};

/// Find what would lose, hide or block records
///
/// Looks at refspecs, refs, locks, hooks, identity, the version of git and the shape of the
/// repository. Changes nothing, fetches nothing. Each finding says why it matters and, where one
/// command mends it, which. Errors and warnings exit with 1, notes alone with 0.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// No repository, no git, settings or refs that cannot be read.
pub(super) fn run(global: &Global, args: &DoctorArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let output = Output::new(global, &Habits::read(&repo));
    let mut found = repo::examine(&repo)?;
    found.extend(ledger::examine_records(&repo)?);
    found.extend(no_manual());
    repo::sort_findings(&mut found);
    let count = |severity| found.iter().filter(|f| f.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let notes = count(Severity::Note);
    let mut listing = Listing::new(stamp("none"));
    listing.fact("errors", errors);
    listing.fact("warnings", warnings);
    listing.fact("notes", notes);
    listing.fact("git", repo.git_version()?.to_string());
    listing.list(findings(&found));
    listing.remark(if found.is_empty() {
        "nothing found".to_owned()
    } else {
        [
            counted(errors as u64, "error", "errors"),
            counted(warnings as u64, "warning", "warnings"),
            counted(notes as u64, "note", "notes"),
        ]
        .join(", ")
    });
    let layout = output.layout(args.format);
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    output.data(&out, layout.format)?;
    match errors + warnings {
        0 => Ok(Done::Well),
        _ => Ok(Done::Failed),
    }
}

/// Findings as a list: severity and what in the table, why and the command below.
fn findings(found: &[Finding]) -> List {
    let mut list = List::new("findings", "")
        .column(Column::left("severity").titled(""))
        .column(Column::left("id").titled(""))
        .column(Column::below("what"))
        .column(Column::below("why"))
        .column(Column::below("mend").titled("mend:"));
    for finding in found {
        let tone = match finding.severity {
            Severity::Error => Tone::Worse,
            Severity::Warning => Tone::Missing,
            Severity::Note => Tone::Faint,
        };
        list.row(vec![
            Field::from(finding.severity.word()).tone(tone),
            Field::from(finding.id).tone(Tone::Title),
            finding.what.as_str().into(),
            finding.why.into(),
            finding.mend.clone().into(),
        ]);
    }
    list
}

/// `git evolve --help` shows the manual page, where one is installed.
fn no_manual() -> Option<Finding> {
    use std::process::{Command, Stdio};
    let status = Command::new("man")
        .args(["-w", "git-evolve"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if status.is_ok_and(|s| s.success()) {
        return None;
    }
    Some(
        Finding::new(
            "no-manual",
            Severity::Note,
            "no manual page is installed",
            "git shows it for `git evolve --help`; `git evolve help` prints the same text",
        )
        .mended_by("git evolve help"),
    )
}
