//! `git evolve reconcile`.

use clap::Args;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::session::{Done, directory, stamp};
use crate::error::{Error, Result};
use crate::ledger::reconcile::{self, Applied, Asked, Found, Item, Plan};
use crate::record::Kind;
use crate::repo::{Oid, Reader, Repo};
use crate::report::{Column, Field, List, Listing, Tone, counted, write_listing};

/// Find what rewriting left behind, and put it back
///
/// Looks for records whose commits an amend, a rebase, a squash or a deleted branch took off
/// their chain, and says for each what it is now, with what speaks for it: trailers, equal trees,
/// an equal patch. Prints a plan and changes nothing: exit 1 where something is proposed, 0 where
/// nothing is. --apply copies records to the commits that are theirs now and makes the refs that
/// keep what nothing keeps. Nothing is guessed and nothing is deleted.
///
/// | finding | what it means |
/// | --- | --- |
/// | carry | a recorded commit was rewritten: its records go along |
/// | ambiguous | several commits could be it: --pick says which |
/// | rewritten | a branch is the whole chain rewritten, and takes over; or only part of it, and does not |
/// | keep | recorded commits that no ref keeps: one is made |
/// | safe | the branch is gone, a keep ref holds the chain |
/// | collapsed | several commits became one: its figures belong to none of them |
/// | copy | a commit that was picked onto another line |
/// | taken back | undone, and another was recorded in its place: that one counts |
/// | gone | not in this repository: its records remain |
/// | unknown | cannot be told in a shallow or partial clone |
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(super) struct ReconcileArgs {
    /// One chain, by its path, its label or its beginning (else all)
    #[arg(value_name = "CHAIN")]
    pub chain: Option<String>,
    /// Do what is proposed
    #[arg(long)]
    pub apply: bool,
    /// Of several commits that OLD could be now it is NEW (repeatable)
    #[arg(long, value_name = "OLD=NEW")]
    pub pick: Vec<String>,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// No repository, no such chain, a pick that was not asked for; refs, notes or objects that
/// cannot be read; with --apply notes or refs that cannot be written.
pub(super) fn run(global: &Global, args: &ReconcileArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let reader = repo.reader()?;
    let output = Output::new(global, &Habits::read(&repo));
    let asked = Asked {
        chain: args.chain.as_deref(),
        picks: args
            .pick
            .iter()
            .map(|p| pick(&reader, p))
            .collect::<Result<_>>()?,
    };
    let plan = reconcile::reconcile(&repo, &reader, &asked)?;
    let applied = match args.apply {
        true => Some(reconcile::apply(&repo, &reader, &plan)?),
        false => None,
    };
    let mut listing = Listing::new(stamp("none"));
    let proposed = plan.items.iter().filter(|i| i.is_proposed()).count();
    listing.fact("proposed", proposed);
    listing.fact("applied", applied.is_some());
    if let Some(applied) = &applied {
        listing.fact("lines_written", applied.lines);
        listing.fact("refs_moved", applied.moved.len());
    }
    listing.list(findings(&plan, applied.is_some()));
    for remark in &plan.remarks {
        listing.remark(remark.as_str());
    }
    listing.remark(summary(&plan, proposed, applied.as_ref()));
    let layout = output.layout(args.format);
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    output.data(&out, layout.format)?;
    if let Some(applied) = &applied {
        for remark in &applied.remarks {
            say(remark);
        }
        for moved in &applied.moved {
            say(&format!("undo: {}", moved.undo()));
        }
    }
    let left = match args.apply {
        true => plan.items.iter().any(|i| i.found == Found::Ambiguous),
        false => plan.is_open(),
    };
    Ok(if left { Done::Failed } else { Done::Well })
}

/// `OLD=NEW`, each a commit; the old one need not be here if its id is whole.
fn pick(reader: &Reader, text: &str) -> Result<(Oid, Oid)> {
    let (old, new) = text.split_once('=').ok_or_else(|| {
        Error::usage(format!("--pick {text}: not of the form OLD=NEW"))
            .with_hint("both are commits, as `git evolve reconcile` lists them")
    })?;
    let old = match Oid::from_hex(old) {
        Some(id) => id,
        None => reader.commit_at(old)?,
    };
    Ok((old, reader.commit_at(new)?))
}

fn findings(plan: &Plan, applied: bool) -> List {
    let mut list = List::new("findings", "")
        .column(Column::heading("chain"))
        .column(Column::machine("begin"))
        .column(Column::left("finding").titled(""))
        .column(Column::machine("proposed"))
        .column(Column::left("checkpoints").titled(""))
        .column(Column::left("role").titled(""))
        .column(Column::left("action").titled(""))
        .column(Column::machine("old"))
        .column(Column::machine("new"))
        .column(Column::machine("ref"))
        .column(Column::below("says"))
        .column(Column::below("records").titled("records:"))
        .column(Column::below("evidence").titled("evidence:"))
        .column(Column::below("command").titled("by hand:"));
    for item in &plan.items {
        let tone = match item.found {
            _ if item.is_proposed() => Tone::Missing,
            Found::Ambiguous | Found::Gone => Tone::Worse,
            Found::Carry | Found::Rewritten | Found::Keep | Found::Unknown => Tone::Missing,
            Found::Safe | Found::Collapsed | Found::Copy | Found::TakenBack => Tone::Faint,
        };
        let action = match (item.is_proposed(), applied) {
            (true, true) => "done",
            (true, false) => "proposed",
            (false, _) if item.found == Found::Ambiguous => "to be picked",
            (false, _) => "",
        };
        list.row(vec![
            item.chain.as_str().into(),
            item.begin.as_str().into(),
            Field::from(item.found.word()).tone(tone),
            item.is_proposed().into(),
            item.about().into(),
            item.role.map(|r| r.word()).into(),
            Field::from(action).tone(tone),
            Field::words(item.old.iter().map(Oid::to_string)),
            Field::words(item.new.iter().map(Oid::to_string)),
            item.reference.clone().into(),
            says(item).into(),
            records(item),
            Field::words(item.evidence.iter().map(String::as_str)),
            item.command.clone().into(),
        ]);
    }
    list
}

fn says(item: &Item) -> String {
    match (&item.reference, item.is_proposed()) {
        (Some(name), true) => format!("{} ({name})", item.says),
        _ => item.says.clone(),
    }
}

/// `1 checkpoint, 2 raw`; nothing where there are none.
fn records(item: &Item) -> Field {
    let word = |(kind, n): (&Kind, &usize)| format!("{n} {kind}");
    let all: Vec<String> = item.records.iter().map(word).collect();
    match all.is_empty() {
        true => Field::none(),
        false => all.join(", ").into(),
    }
}

fn summary(plan: &Plan, proposed: usize, applied: Option<&Applied>) -> String {
    if let Some(applied) = applied {
        return format!(
            "{} written, {} made or moved",
            counted(applied.lines as u64, "line", "lines"),
            counted(applied.moved.len() as u64, "ref", "refs"),
        );
    }
    match (proposed, plan.is_open()) {
        (0, false) => "nothing to do".to_owned(),
        (0, true) => "nothing is proposed; what is ambiguous waits for --pick".to_owned(),
        (n, _) => format!(
            "{} proposed; --apply does it",
            counted(n as u64, "change is", "changes are")
        ),
    }
}
