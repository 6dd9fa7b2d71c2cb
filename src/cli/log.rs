//! `git evolve log`.

use clap::Args;

use super::args::{FormatArgs, Global, MetricsChoice, PathArgs, SelectArgs, SettingsArgs};
use super::at::{self, AtArgs};
use super::choice;
use super::measured::{self, InChain, Measuring, Ranged};
use super::output::say;
use super::overview;
use super::selection::{since, wanted};
use super::session::{Done, Session};
use crate::error::{Error, Result};
use crate::report::{LogView, write_log};

/// Show what the last changes did, one row a change
///
/// Lists the last 20 changes of HEAD, newest first: first-parent commits, each against its
/// first parent. `--last`, `--since` and ranges (`A..B`) say otherwise. In a repository with
/// chains and without a revision it shows one row a chain; name a chain's branch, or
/// `--chain`, to see its checkpoints.
#[derive(Debug, Args)]
pub(super) struct LogArgs {
    /// A revision, or a range `A..B`; else HEAD
    #[arg(value_name = "REV|RANGE")]
    pub revision: Option<String>,
    /// Which changes.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Only this chain: its path, as the list of chains shows it
    #[arg(long, value_name = "PATH", conflicts_with = "revision")]
    pub chain: Option<String>,
    /// Only the chains of this arm
    #[arg(long, value_name = "ARM", conflicts_with_all = ["revision", "chain", "last", "since"])]
    pub arm: Option<String>,
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

/// Changes shown where nothing says how many.
const LAST: usize = 20;

/// Runs it.
///
/// # Errors
/// Wrong usage, or a repository that cannot be read.
pub(super) fn run(global: &Global, args: &LogArgs) -> Result<Done> {
    // What was typed wrongly is said before anything is read.
    let plain = choice::measures(&args.metrics, choice::DEFAULT)?;
    let session = Session::open(global, &args.settings)?.at(args.at.at);
    let paths = session.paths(&args.paths.paths)?;
    let chains = session.chains()?;
    at::require_chains(args.at.at, &chains)?;
    let unranged =
        args.revision.is_none() && args.select.last.is_none() && args.select.since.is_none();
    if let Some(name) = &args.chain {
        let chain = overview::named(&chains, name)?;
        let measures = choice::of_line(&args.metrics, &session, Some(chain))?;
        let request = session.chain_request(chain, &paths)?;
        let mut measuring = Measuring::new(&session, &measures, paths.clone())?;
        let mut changes = measured::chain_changes(&mut measuring, chain, &request, |_| true)?;
        measuring.finish();
        if let Some(since) = since(args.select.since.as_deref())? {
            changes.retain(|c| c.step.commit.time >= since);
        }
        if let Some(last) = args.select.last {
            changes.truncate(usize::try_from(last).unwrap_or(usize::MAX));
        }
        let ranged = Ranged {
            changes,
            request,
            chain: Some(InChain::of(chain)),
        };
        let remarks = remarks(&ranged, &paths);
        return print(&session, args, &measures, &ranged, &remarks);
    }
    if args.arm.is_some() || unranged && !chains.chains.is_empty() {
        let chosen = overview::of_arm(&chains, args.arm.as_deref())?;
        return overview::print(&session, &chosen, &plain, paths, args.format);
    }
    let request = session.plain_request(&paths)?;
    let Some(wanted) = wanted(&session, args.revision.as_deref(), &args.select, LAST)? else {
        say("no commit yet: there is nothing to measure");
        let ranged = Ranged {
            changes: Vec::new(),
            request,
            chain: None,
        };
        return print(&session, args, &plain, &ranged, &[]);
    };
    let chain = chains.chain_of(wanted.range.tip()).map(|(chain, _)| chain);
    let measures = choice::of_line(&args.metrics, &session, chain)?;
    let mut measuring = Measuring::new(&session, &measures, paths.clone())?;
    let ranged = measured::range(&mut measuring, &chains, &request, &wanted)?;
    measuring.finish();
    if ranged.changes.is_empty() {
        say(match paths.is_empty() {
            true => "no change in this range",
            false => "no change in this range touches these paths",
        });
    }
    let remarks = remarks(&ranged, &paths);
    print(&session, args, &measures, &ranged, &remarks)
}

/// What a reader should know of the rows: paths, the root, where a chain begins.
fn remarks(ranged: &Ranged, paths: &[Vec<u8>]) -> Vec<String> {
    let mut remarks = Vec::new();
    if !paths.is_empty() {
        remarks.push(
            "limited to the paths: what a change did is counted in them alone, what the tree is \
             stays whole"
                .to_owned(),
        );
    }
    if let Some(chain) = &ranged.chain {
        let (label, base) = (&chain.label, chain.base);
        remarks.extend(chain.notes.iter().cloned());
        remarks.push(format!(
            "chain {label}, agent commits only; what was before it: `git evolve log {}^`",
            base.short()
        ));
    }
    if let Some(root) = ranged.changes.iter().find(|c| c.step.root) {
        remarks.push(format!(
            "{} is the root: measured against the empty tree, left out of slopes",
            root.step.commit.id.short()
        ));
    }
    remarks
}

fn print(
    session: &Session<'_>,
    args: &LogArgs,
    measures: &[&'static crate::measure::catalogue::Measure],
    ranged: &Ranged,
    remarks: &[String],
) -> Result<Done> {
    let stamp = session.stamp(&ranged.request);
    let view = LogView {
        stamp: &stamp,
        settings: &ranged.request.values,
        measures,
        changes: &ranged.changes,
        remarks,
    };
    let firsts = measured::first_turns_of(ranged.changes.iter());
    let mut remarks = remarks.to_vec();
    remarks.extend(at::remark(session.at, firsts, ranged.changes.len()));
    let view = LogView {
        remarks: &remarks,
        ..view
    };
    if let Some(chain) = &ranged.chain {
        session.say_aside(args.format, &chain.label, &chain.notes);
    }
    let mut out = Vec::new();
    write_log(&mut out, view, session.output.layout(args.format))?;
    session
        .output
        .data(&out, session.output.layout(args.format).format)?;
    let figures = ranged
        .changes
        .iter()
        .flat_map(|c| c.figures.iter().map(|(_, f)| &**f));
    let (unknown, asked) = measured::unknown(figures);
    Ok(session.done(unknown, asked))
}

/// Refuses an arm that no chain has, naming those there are.
pub(super) fn no_such(what: &str, name: &str, known: &[String]) -> Error {
    let error = Error::usage(format!("no such {what}: {name}"));
    let words: Vec<&str> = known.iter().map(String::as_str).collect();
    match super::config::nearest(name, &words) {
        Some(near) => error.with_hint(format!("did you mean {near}?")),
        None if known.is_empty() => error.with_hint("this repository has no chains"),
        None => error.with_hint(format!("{what}s here: {}", known.join(", "))),
    }
}
