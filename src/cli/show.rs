//! `git evolve show`.

use std::sync::Arc;

use clap::Args;

use super::args::{FormatArgs, Global, MetricsChoice, PathArgs, SettingsArgs};
use super::at::{self, AtArgs};
use super::choice;
use super::measured::{self, Measuring};
use super::output::say;
use super::pending::{self, Below, plain_line};
use super::request::Request;
use super::revision;
use super::session::{Done, Session};
use crate::error::{Error, Result};
use crate::history::{self, Edit, Needs};
use crate::ledger::Chain;
use crate::measure::Value;
use crate::measure::catalogue::Measure;
use crate::record::Kind;
use crate::repo::{Oid, Pending};
use crate::report::{Change, ShowView, Standing, Texts, write_show};
use crate::stats::percentile_rank;

/// Explain one change, function by function
///
/// Lists each function the change added, modified or deleted, its complexity before and after,
/// and whose lines it rewrote; then every figure, and the share of the 200 changes before it
/// (in a chain: of the checkpoints before it) with a lower one. It judges nothing.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The change; else HEAD
    #[arg(value_name = "COMMIT|CHAIN@K")]
    pub commit: Option<String>,
    /// Show the changed lines of each function
    #[arg(long)]
    pub diff: bool,
    /// The index against HEAD, as if it were committed
    #[arg(long, conflicts_with = "commit")]
    pub staged: bool,
    /// The work tree against HEAD, untracked files that are not ignored included
    #[arg(long, conflicts_with_all = ["commit", "staged"])]
    pub worktree: bool,
    /// Which measures.
    #[command(flatten)]
    pub metrics: MetricsChoice,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Paths.
    #[command(flatten)]
    pub paths: PathArgs,
    /// Which tree of a checkpoint.
    #[command(flatten)]
    pub at: AtArgs,
    /// What can move a figure.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Changes before it that a figure is placed among.
const BEFORE: usize = 200;

/// Runs it.
///
/// # Errors
/// Wrong usage, or a repository that cannot be read.
pub(super) fn run(global: &Global, args: &ShowArgs) -> Result<Done> {
    if args.metrics.metrics.is_some() {
        choice::measures(&args.metrics, "")?;
    }
    let session = Session::open(global, &args.settings)?.at(args.at.at);
    let paths = session.paths(&args.paths.paths)?;
    if args.staged || args.worktree {
        return uncommitted(&session, args, paths);
    }
    let Some(tip) = commit(&session, args.commit.as_deref())? else {
        say("no commit yet: there is nothing to show");
        return Ok(Done::Well);
    };
    let shown = one(&session, args, paths, tip)?;
    print(&session, args, &shown, None)
}

fn commit(session: &Session<'_>, revision: Option<&str>) -> Result<Option<Oid>> {
    match revision {
        Some(text) if text.contains("..") => Err(Error::usage(format!(
            "'{text}' is a range, and one change is shown"
        ))
        .with_hint(format!("git evolve log {text}"))),
        Some(text) => revision::commit(session, text).map(Some),
        None => session.reader.head(),
    }
}

/// A change, and those before it.
struct Shown {
    measures: Vec<&'static Measure>,
    change: Change,
    before: Vec<Change>,
    request: Request,
    remarks: Vec<String>,
}

/// What the explanation needs beside what the measures need.
const EVIDENCE: Needs = Needs {
    lines: true,
    all_lines: false,
    origins: true,
    functions: true,
    tree: false,
    config_lines: false,
    hot_share: false,
    captures: false,
    noops: false,
};

fn one(session: &Session<'_>, args: &ShowArgs, paths: Vec<Vec<u8>>, tip: Oid) -> Result<Shown> {
    let chains = session.chains()?;
    at::require_chains(args.at.at, &chains)?;
    let chain = chains.chain_of(tip).map(|(chain, _)| chain);
    let request = match chain {
        Some(chain) => session.chain_request(chain, &paths)?,
        None => session.plain_request(&paths)?,
    };
    let recorded = match chain {
        Some(chain) => recorded(session, chain)?,
        None => Vec::new(),
    };
    let measures = choice::of_one_change(&args.metrics, &request.settings, &recorded)?;
    let limited = paths.len();
    let mut measuring = Measuring::new(session, &measures, paths)?.also(EVIDENCE);
    let (mut before, change) = match chain {
        Some(chain) => in_chain(&mut measuring, &request, chain, tip)?,
        None => {
            let line = plain_line(session, &request, tip, BEFORE + 1)?;
            let mut all = measuring.line(line, &request)?;
            let change = match all.last() {
                Some(last) if last.step.commit.id == tip => all.pop(),
                _ => None,
            };
            (all, change)
        }
    };
    measuring.finish();
    let change = change.ok_or_else(|| {
        let tip = tip.short();
        Error::usage(match request.base {
            Some(_) if limited == 0 => format!("{tip} is the base, and not a change since it"),
            _ => format!("{tip} touches none of these paths"),
        })
    })?;
    before.retain(|c| !c.step.root);
    Ok(Shown {
        measures,
        change,
        before,
        request,
        remarks: chain.map(|c| c.notes.clone()).unwrap_or_default(),
    })
}

/// Which captures of `chain` are recorded.
fn recorded(session: &Session<'_>, chain: &Chain) -> Result<Vec<Kind>> {
    let mut kinds = Vec::new();
    if session.is_gated(chain)? {
        kinds.push(Kind::Tests);
    }
    if session.holds(chain, Kind::Envelope)? {
        kinds.push(Kind::Envelope);
    }
    Ok(kinds)
}

type Found = (Vec<Change>, Option<Change>);

fn in_chain(
    measuring: &mut Measuring<'_>,
    request: &Request,
    chain: &Chain,
    tip: Oid,
) -> Result<Found> {
    let line = measuring.chain_line(chain, request)?;
    let at = line.commits.iter().position(|c| c.commit.id == tip);
    let agent = line.measured.iter().any(|m| Some(*m) == at);
    let change = match agent {
        true => measured::chain_changes(measuring, chain, request, |id| id == tip)?.pop(),
        false => measuring.line(line.only(&[tip]), request)?.pop(),
    };
    // What a reset puts back is nobody's change: it stands among none.
    let before = match agent {
        false => Vec::new(),
        true => {
            let earlier: Vec<Oid> = chain
                .line
                .iter()
                .take_while(|c| c.id != tip)
                .map(|c| c.id)
                .collect();
            measured::chain_changes(measuring, chain, request, |id| earlier.contains(&id))?
        }
    };
    Ok((before, change))
}

/// The index or the work tree against HEAD.
fn uncommitted(session: &Session<'_>, args: &ShowArgs, paths: Vec<Vec<u8>>) -> Result<Done> {
    let (pending, name) = pending::take(session, args.staged)?;
    let Some(head) = pending.base else {
        say("no commit yet: there is nothing to compare with");
        return Ok(Done::Well);
    };
    if pending.entries.is_empty() {
        say(&format!("{name} does not differ from HEAD"));
        return Ok(Done::Well);
    }
    let chains = session.chains()?;
    let Below { request, line } = pending::below(session, &chains, head, &paths, BEFORE)?;
    let measures = choice::of_one_change(&args.metrics, &request.settings, &[])?;
    let mut measuring = Measuring::new(session, &measures, paths)?.also(EVIDENCE);
    let Some(change) = measuring.pending(line.clone(), &request, &pending)? else {
        say(&format!(
            "{name} does not differ from HEAD below these paths"
        ));
        return Ok(Done::Well);
    };
    let mut before = measuring.line(line, &request)?;
    before.retain(|c| !c.step.root);
    measuring.finish();
    let shown = Shown {
        measures,
        change,
        before,
        request,
        remarks: pending.remarks.clone(),
    };
    print(session, args, &shown, Some((name, &pending)))
}

fn print(
    session: &Session<'_>,
    args: &ShowArgs,
    shown: &Shown,
    pending: Option<(&'static str, &Pending)>,
) -> Result<Done> {
    let measures = shown.measures.as_slice();
    let standings: Vec<Option<Standing>> = measures
        .iter()
        .map(|m| standing(m, &shown.change, &shown.before))
        .collect();
    let edits = &shown.change.step.edits;
    let texts: Option<Vec<Texts>> = match (args.diff, pending) {
        (false, _) => None,
        (true, None) => {
            let step = &shown.change.step;
            let of = |edit| history::texts(&session.repo, step, edit);
            Some(edits.iter().map(of).collect::<Result<_>>()?)
        }
        (true, Some((_, pending))) => {
            let of = |edit: &Edit| pending_texts(session, pending, edit);
            Some(edits.iter().map(of).collect::<Result<_>>()?)
        }
    };
    let stamp = session.stamp(&shown.request);
    let view = ShowView {
        stamp: &stamp,
        settings: &shown.request.values,
        change: &shown.change,
        pending: pending.map(|(name, _)| name),
        measures,
        standings: &standings,
        texts: texts.as_deref(),
        remarks: &shown.remarks,
    };
    let mut out = Vec::new();
    write_show(&mut out, &view, session.output.layout(args.format))?;
    session
        .output
        .data(&out, session.output.layout(args.format).format)?;
    let (unknown, asked) = measured::unknown(shown.change.figures.iter().map(|(_, f)| &**f));
    Ok(session.done(unknown, asked))
}

/// Where a figure stands among those of the changes before it, in the same language.
fn standing(measure: &Measure, change: &Change, before: &[Change]) -> Option<Standing> {
    let own = change.figure(measure.id)?;
    let value = own.value.number()?;
    let earlier: Vec<f64> = before
        .iter()
        .filter_map(|c| c.figure(measure.id))
        .filter(|f| f.language == own.language)
        .filter_map(|f| Value::number(&f.value))
        .collect();
    let rank = percentile_rank(&earlier, value)?;
    Some(Standing {
        rank,
        of: earlier.len(),
    })
}

/// Both texts of a file that is not committed yet.
fn pending_texts(session: &Session<'_>, pending: &Pending, edit: &Edit) -> Result<Texts> {
    let reader = session
        .repo
        .reader()?
        .with_overlay(Arc::new(pending.overlay.clone()));
    let read = |id: Oid| -> Result<Option<Arc<[u8]>>> {
        let mut bytes = Vec::new();
        reader.blob(id, &mut bytes)?;
        Ok(Some(bytes.into()))
    };
    let at = |path: &[u8]| pending.entries.iter().find(|e| *e.path == *path);
    let old_path = edit.old_path.as_deref().unwrap_or(&edit.path);
    let old = match at(old_path).and_then(|e| e.old) {
        Some(entry) => read(entry.id)?,
        None => None,
    };
    let new = match at(&edit.path).and_then(|e| e.new) {
        Some(entry) => read(entry.id)?,
        None => None,
    };
    Ok((old, new))
}
