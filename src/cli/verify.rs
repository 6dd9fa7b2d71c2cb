//! `git evolve verify`.

use clap::Args;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::session::{Done, directory, stamp};
use crate::error::Result;
use crate::ledger::{Defect, Verified, verify};
use crate::repo::{Oid, Repo, Severity};
use crate::report::{Column, Field, Format, List, Listing, Tone, counted, write_listing};

/// Findings of one kind that a table shows.
const SHOWN: usize = 20;

/// How many things that are not here are said one by one.
const SAID: usize = 5;

/// Check that every record is here, whole, and where it belongs
///
/// Holds every record against its commit, every chain against the order of its roles, every
/// payload against its digest, and the history of every notes ref against itself: no line may
/// ever go. A plan, prompt, specification, test, model, agent or program that changed while a chain
/// ran is a note. Errors and warnings exit with 1; where nothing was found, but something that had
/// to be looked at is not here, the exit is 3. Changes nothing, fetches nothing.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// What changed while a chain ran (plan, prompts, tests, agent, programs) is a warning
    #[arg(long)]
    pub strict_controls: bool,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// No repository; refs or notes that cannot be read.
pub(super) fn run(global: &Global, args: &VerifyArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let output = Output::new(global, &Habits::read(&repo));
    let verified = verify(&repo, &repo.reader()?, args.strict_controls)?;
    let count = |severity| {
        let of = verified.defects.iter().filter(|d| d.severity == severity);
        of.count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let notes = count(Severity::Note);
    let layout = output.layout(args.format);
    let mut listing = Listing::new(stamp("none"));
    listing.fact("errors", errors);
    listing.fact("warnings", warnings);
    listing.fact("notes", notes);
    listing.fact("chains", verified.extent.chains);
    listing.fact("commits", verified.extent.commits);
    listing.fact("records", verified.extent.records);
    listing.fact("payloads", verified.extent.payloads);
    listing.fact("notes_commits", verified.extent.notes_commits);
    listing.fact(
        "unavailable",
        Field::words(verified.unavailable.iter().map(String::as_str)),
    );
    listing.fact("bring", verified.bring.clone());
    let for_people = matches!(layout.format, Format::Table | Format::Markdown);
    listing.list(findings(&verified.defects, for_people));
    for remark in words(&verified, [errors, warnings, notes]) {
        listing.remark(remark);
    }
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    output.data(&out, layout.format)?;
    if errors + warnings > 0 {
        return Ok(Done::Failed);
    }
    if verified.unavailable.is_empty() {
        return Ok(Done::Well);
    }
    for what in verified.unavailable.iter().take(SAID) {
        say(what);
    }
    if let Some(more) = verified
        .unavailable
        .len()
        .checked_sub(SAID)
        .filter(|n| *n > 0)
    {
        say(&format!("and {more} more, all of them in --format json"));
    }
    if let Some(bring) = &verified.bring {
        say(&format!("hint: {bring}"));
    }
    Ok(Done::Unknown)
}

fn words(verified: &Verified, [errors, warnings, notes]: [usize; 3]) -> Vec<String> {
    let extent = &verified.extent;
    let looked = [
        counted(extent.chains as u64, "chain", "chains"),
        counted(extent.commits as u64, "commit", "commits"),
        counted(extent.records, "record", "records"),
        counted(extent.payloads, "payload", "payloads"),
        counted(extent.notes_commits, "notes commit", "notes commits"),
    ];
    let mut said = vec![format!("looked at {}", looked.join(", "))];
    said.push(match errors + warnings + notes {
        0 if verified.unavailable.is_empty() => "everything holds".to_owned(),
        0 => "what is here holds".to_owned(),
        _ => [
            counted(errors as u64, "error", "errors"),
            counted(warnings as u64, "warning", "warnings"),
            counted(notes as u64, "note", "notes"),
        ]
        .join(", "),
    });
    if !verified.unavailable.is_empty() {
        let n = verified.unavailable.len() as u64;
        let (one, many) = ("thing is not here", "things are not here");
        said.push(format!(
            "{} and could not be verified",
            counted(n, one, many)
        ));
    }
    said
}

/// In tables the first of each kind, under a heading that counts them; all of them elsewhere.
fn findings(defects: &[Defect], for_people: bool) -> List {
    let mut list = List::new("findings", "");
    list = match for_people {
        true => list.column(Column::heading("kind")),
        false => list.column(Column::machine("id")),
    };
    list = list
        .column(match for_people {
            true => Column::machine("severity"),
            false => Column::left("severity"),
        })
        .column(Column::words("chain").titled(""))
        .column(Column::left("commit").titled(""))
        .column(Column::below("what"))
        .column(Column::below("mend").titled("mend:"))
        .column(Column::machine("ref"))
        .column(Column::machine("record"))
        .column(Column::machine("line"));
    let mut rest = defects;
    while let Some(first) = rest.first() {
        let same = rest
            .iter()
            .take_while(|d| d.id == first.id && d.severity == first.severity);
        let length = same.count();
        let (these, others) = rest.split_at(length);
        rest = others;
        let shown = if for_people {
            length.min(SHOWN)
        } else {
            length
        };
        let kind = match length > shown {
            true => format!(
                "{} {} ({length}, the first {shown}; --format json has all)",
                first.severity.word(),
                first.id
            ),
            false => format!("{} {} ({length})", first.severity.word(), first.id),
        };
        for defect in &these[..shown] {
            let head = match for_people {
                true => kind.as_str(),
                false => defect.id,
            };
            list.row(row(defect, head, for_people));
        }
    }
    list
}

fn row(defect: &Defect, kind: &str, for_people: bool) -> Vec<Field> {
    let commit = |id: Oid| Field::short(&id.to_string(), &id.short()).tone(Tone::Id);
    let mut what = defect.what.clone();
    if for_people {
        let mut place = Vec::new();
        place.extend(defect.reference.clone());
        place.extend(defect.line.map(|line| format!("line {line}")));
        place.extend(defect.record.as_ref().map(ToString::to_string));
        if !place.is_empty() {
            what = format!("{what} ({})", place.join(", "));
        }
    }
    // A row with a place of its own in no column stands under its ref.
    let chain = match (&defect.chain, for_people, defect.commit) {
        (None, true, None) => defect.reference.clone().or(Some("–".to_owned())),
        (chain, ..) => chain.clone(),
    };
    vec![
        kind.into(),
        defect.severity.word().into(),
        chain.into(),
        defect.commit.map_or_else(Field::none, commit),
        what.into(),
        defect.mend.clone().into(),
        defect.reference.clone().into(),
        defect.record.as_ref().map(ToString::to_string).into(),
        defect.line.into(),
    ]
}
