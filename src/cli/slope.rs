//! `git evolve slope`.

mod explain;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::{FormatArgs, Global, MetricsChoice, PathArgs, SelectArgs, SettingsArgs};
use super::at::{self, AtArgs};
use super::choice;
use super::data;
use super::groups;
use super::measured::{self, Measuring};
use super::output::say;
use super::selection::wanted;
use super::series::{self, Entry};
use super::session::{Done, Session, stamp};
use super::study;
use super::trends::{self, Group};
use crate::error::{Error, Result};
use crate::ledger::Chains;
use crate::measure::catalogue::Measure;
use crate::report::{Change, Grouping, SlopeView, Stamp, counted, write_slopes};

/// Show whether measures rise or fall along the history
///
/// In a repository with chains: one row an arm and measure, with bootstrap intervals over the
/// chains, and how the arms differ. In a plain history: the last 200 changes of HEAD, one
/// series, and so no interval. `--data` puts the same statistics over figures from elsewhere.
#[derive(Debug, Args)]
pub(super) struct SlopeArgs {
    /// A revision, or a range `A..B`; else HEAD, or the chains of the repository
    #[arg(value_name = "RANGE")]
    pub revision: Option<String>,
    /// Which changes.
    #[command(flatten)]
    pub select: SelectArgs,
    /// Compare arms, authors (by the tree's .mailmap), or the agents that commits name
    #[arg(long, value_name = "arm|author|agent", value_enum)]
    pub by: Option<By>,
    /// Measure every commit that is no merge, and not the first-parent line alone
    #[arg(long, requires = "by")]
    pub each: bool,
    /// Use changes that touch no production code, too
    #[arg(long)]
    pub all_changes: bool,
    /// Show which checkpoints drive each slope, or that of METRIC, and what changed there
    #[arg(long, value_name = "METRIC", num_args = 0..=1, default_missing_value = "",
          conflicts_with = "data")]
    pub explain: Option<String>,
    /// With --explain: the first N checkpoints of each slope (0: all)
    #[arg(long, value_name = "N", requires = "explain")]
    pub top: Option<usize>,
    /// Take the figures from a CSV file (`-`: standard input) with the columns of
    /// `log --format csv`, or arm,chain,checkpoint,metric,value
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["revision", "by", "last", "since", "paths"])]
    pub data: Option<PathBuf>,
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

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// The arms of experiments
    Arm,
    /// The authors of changes
    Author,
    /// The agents that changes name
    Agent,
}

/// Changes of a plain history where nothing says how many.
const LAST: usize = 200;

/// Runs it.
///
/// # Errors
/// Wrong usage, bad data, or a repository that cannot be read.
pub(super) fn run(global: &Global, args: &SlopeArgs) -> Result<Done> {
    if let Some(file) = &args.data {
        return data::run(global, args, file);
    }
    let chosen = chosen(args)?;
    let measures = match args.by {
        Some(By::Author | By::Agent) => choice::change_measures(&chosen)?,
        Some(By::Arm) | None => choice::measures(&chosen, choice::DEFAULT)?,
    };
    let session = Session::open(global, &args.settings)?.at(args.at.at);
    let paths = session.paths(&args.paths.paths)?;
    let chains = session.chains()?;
    at::require_chains(args.at.at, &chains)?;
    let unranged =
        args.revision.is_none() && args.select.last.is_none() && args.select.since.is_none();
    match args.by {
        Some(By::Arm) if chains.chains.is_empty() => {
            return Err(
                Error::usage("this repository has no chains, and so no arms")
                    .with_hint("a plain history can be asked --by author or --by agent"),
            );
        }
        Some(By::Arm) if !unranged => {
            return Err(Error::usage("--by arm takes whole chains, not a range"));
        }
        None if unranged && !chains.chains.is_empty() => {
            return arms(&session, &chains, &measures, &paths, args);
        }
        Some(By::Arm) => return arms(&session, &chains, &measures, &paths, args),
        _ => {}
    }
    plain(&session, &chains, &measures, paths, args)
}

/// The measures typed: those of `--metrics`, or the one that is to be explained.
fn chosen(args: &SlopeArgs) -> Result<MetricsChoice> {
    match (&args.explain, &args.metrics.metrics) {
        (Some(metric), Some(_)) if !metric.is_empty() => Err(Error::usage(
            "--explain names a measure, and --metrics does, too",
        )
        .with_hint("one of them is enough: `--explain METRIC`, or `--explain --metrics …`")),
        (Some(metric), None) if !metric.is_empty() => Ok(MetricsChoice {
            metrics: Some(metric.clone()),
        }),
        _ => Ok(args.metrics.clone()),
    }
}

/// One row an arm and measure.
fn arms(
    session: &Session<'_>,
    chains: &Chains,
    measures: &[&'static Measure],
    paths: &[Vec<u8>],
    args: &SlopeArgs,
) -> Result<Done> {
    let gathered = study::gather(session, chains, measures, paths, args.format)?;
    let groups = gathered.groups();
    if args.explain.is_some() {
        let asked = explain::Asked {
            measures,
            grouping: Grouping::Arm,
            groups: &groups,
            top: args.top,
            stamp: &gathered.stamp,
            settings: &gathered.settings,
            remarks: &gathered.remarks,
        };
        return explain::print(session, &asked, args.format);
    }
    let rows = trends::rows(measures, &groups);
    let comparisons = trends::comparisons(measures, &groups);
    let view = SlopeView {
        stamp: &gathered.stamp,
        settings: &gathered.settings,
        grouping: Grouping::Arm,
        rows: &rows,
        comparisons: &comparisons,
        remarks: &gathered.remarks,
    };
    print(session, &view, args)
}

/// A plain history: one series, or one an author or agent.
fn plain(
    session: &Session<'_>,
    chains: &Chains,
    measures: &[&'static Measure],
    paths: Vec<Vec<u8>>,
    args: &SlopeArgs,
) -> Result<Done> {
    let request = session.plain_request(&paths)?;
    let grouping = match args.by {
        Some(By::Author) => Grouping::Author,
        Some(By::Agent) => Grouping::Agent,
        Some(By::Arm) | None => Grouping::History,
    };
    let wanted = wanted(session, args.revision.as_deref(), &args.select, LAST)?;
    let mut measuring = Measuring::new(session, measures, paths)?;
    let (changes, request, chain) = match &wanted {
        None => {
            say("no commit yet: there is nothing to measure");
            (Vec::new(), request, None)
        }
        Some(wanted) if args.each => {
            let changes = groups::each(&mut measuring, &request, wanted)?;
            (changes, request, None)
        }
        Some(wanted) => {
            let ranged = measured::range(&mut measuring, chains, &request, wanted)?;
            let oldest_first = ranged.changes.into_iter().rev().collect();
            (oldest_first, ranged.request, ranged.chain)
        }
    };
    measuring.finish();
    if changes.is_empty() && wanted.is_some() {
        say("no change in this range");
    }
    let positions = positions(&changes);
    let all = args.all_changes;
    let entries: Vec<Entry<'_>> = changes
        .iter()
        .zip(&positions)
        .map(|(change, at)| Entry::of_plain(change, *at, all))
        .collect();
    let names = match grouping {
        Grouping::Author => groups::authors(session, &changes)?,
        Grouping::Agent => groups::agents(session, &changes, args.each)?,
        Grouping::History | Grouping::Arm => vec![String::new(); changes.len()],
    };
    let mut by_name: BTreeMap<&str, Vec<Entry<'_>>> = BTreeMap::new();
    for (name, entry) in names.iter().zip(&entries) {
        by_name.entry(name).or_default().push(*entry);
    }
    let groups: Vec<Group> = by_name
        .into_iter()
        .map(|(name, entries)| Group {
            name: name.to_owned(),
            lines: vec![(name.to_owned(), entries)],
        })
        .collect();
    let mut remarks = remarks(&entries, &request, all);
    if let Some(chain) = chain {
        session.say_aside(args.format, &chain.label, &chain.notes);
        remarks.extend(chain.notes);
        remarks.push(format!("the checkpoints of chain {}", chain.label));
    }
    let stamp = session.stamp(&request);
    if args.explain.is_some() {
        let asked = explain::Asked {
            measures,
            grouping,
            groups: &groups,
            top: args.top,
            stamp: &stamp,
            settings: &request.values,
            remarks: &remarks,
        };
        return explain::print(session, &asked, args.format);
    }
    let mut rows = trends::rows(measures, &groups);
    for row in &mut rows {
        // One series is one chain: an interval over chains, and a verdict, would need more.
        row.verdict = None;
    }
    let view = SlopeView {
        stamp: &stamp,
        settings: &request.values,
        grouping,
        rows: &rows,
        comparisons: &[],
        remarks: &remarks,
    };
    print(session, &view, args)
}

/// The number each change stands under, oldest first: its checkpoint in a chain, else its
/// position among these.
fn positions(changes: &[Change]) -> Vec<u32> {
    let chain = |c: &Change| matches!(c.step.place, crate::history::Place::Chain { .. });
    if !changes.is_empty() && changes.iter().all(chain) {
        return changes.iter().map(Change::index).collect();
    }
    (1..).take(changes.len()).collect()
}

/// Which changes were used, and which windows were short.
fn remarks(entries: &[Entry<'_>], request: &super::request::Request, all: bool) -> Vec<String> {
    if entries.is_empty() {
        return Vec::new();
    }
    let used = entries.iter().filter(|e| e.counts).count();
    let which = match all {
        true => "all but a root are used",
        false => "those that touch production code are used (--all-changes: all)",
    };
    let total = counted(entries.len() as u64, "change", "changes");
    let mut remarks = vec![format!(
        "{used} of {total}: {which}. Slope per change, one series and so no interval"
    )];
    let growing = series::growing(entries);
    if growing > 0 {
        remarks.push(format!(
            "{growing} of {used} had a window shorter than the lookback of {}",
            request.settings.lookback
        ));
    }
    remarks
}

fn print(session: &Session<'_>, view: &SlopeView<'_>, args: &SlopeArgs) -> Result<Done> {
    let mut out = Vec::new();
    write_slopes(&mut out, *view, session.output.layout(args.format))?;
    session
        .output
        .data(&out, session.output.layout(args.format).format)?;
    let unknown = view.rows.iter().filter(|r| r.all_unknown).count();
    Ok(session.done(unknown, view.rows.len()))
}

/// The stamp of output over figures from elsewhere.
pub(super) fn foreign_stamp() -> Stamp {
    stamp("none")
}
