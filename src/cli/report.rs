//! `git evolve report`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::{FormatArgs, FormatWord, Global};
use super::controls;
use super::session::{Done, Session, directory};
use super::study::differences::strict;
use super::study::{self, AttemptsWord, Gathered, StudyArgs};
use crate::error::{Error, Result};
use crate::ledger::Chain;
use crate::measure::Value;
use crate::measure::catalogue::{self, Availability, Level, Measure};
use crate::report::{
    Change, CommitUrl, Format, Layout, LogView, PageFormat, Report, Study, data_files,
    figure_files, sentences, write_log, write_report,
};

mod hypothesis;
mod outcomes;
mod values;

/// Write a page about an experiment: what was run, what came of it, and how sure that is
///
/// One page that needs nothing beside it, for a browser or for print: the hypothesis of the plan
/// and what came of it, headlines, every measure with its arms side by side, cost against
/// quality, tests by checkpoint, regressions, controls, provenance, what is not known and what
/// was left out, and the definitions of all that is shown. The same repository gives the same
/// bytes everywhere.
///
/// `--format md` is a comment for a pull request, `--format json` a document for programs.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Write to FILE; else to standard output, where that is no terminal
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A page, a comment, or a document
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: PageWord,
    /// Also write the data behind every figure and table as CSV files into DIR
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Also write every figure as an SVG file of its own into DIR
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Link commits to this web address, in which `{commit}` stands for the whole id
    #[arg(long, value_name = "TEMPLATE")]
    pub commit_url: Option<String>,
    /// Which arms, and how they are compared.
    #[command(flatten)]
    pub study: StudyArgs,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum PageWord {
    /// One page
    #[default]
    Html,
    /// Markdown that fits a comment
    Md,
    /// One document
    Json,
}

impl From<PageWord> for PageFormat {
    fn from(word: PageWord) -> PageFormat {
        match word {
            PageWord::Html => PageFormat::Html,
            PageWord::Md => PageFormat::Markdown,
            PageWord::Json => PageFormat::Json,
        }
    }
}

/// Runs it.
///
/// # Errors
/// Wrong usage, no chains, a repository that cannot be read, a file that cannot be written.
pub(super) fn run(global: &Global, args: &ReportArgs) -> Result<Done> {
    let commit_url = args.commit_url.as_deref().map(CommitUrl::new).transpose()?;
    let measures = measures(args)?;
    let session = Session::open(global, &args.study.settings)?.at(args.study.at.at);
    if args.output.is_none() && session.output.is_terminal() && args.format == PageWord::Html {
        return Err(Error::usage("a page is not for a terminal")
            .with_hint("`git evolve report -o report.html` writes it to a file"));
    }
    let chains = session.chains()?;
    if chains.chains.is_empty() {
        return Err(Error::usage(
            "this repository has no chains, and a report is of an experiment",
        )
        .with_hint(
            "`git evolve slope` shows the trends of a plain history, `git evolve log` its \
                     last changes",
        ));
    }
    let aside = FormatArgs {
        format: Some(FormatWord::Csv),
    };
    let gathered = study::collect(&session, &chains, &args.study, &measures, aside)?;
    let study = study::lay_out(&session, &gathered, &args.study, &measures)?;
    let other = other(&session, &gathered, &args.study, &measures)?;
    let arms = values::by_arm(&study, &gathered);
    let kept: Vec<(String, Vec<&study::Kept>)> = study
        .arms
        .iter()
        .zip(&arms)
        .map(|(arm, chains)| {
            let kept = chains.iter().filter_map(|c| c.kept.as_ref());
            (arm.name.clone(), kept.collect())
        })
        .collect();
    let maps = outcomes::maps(&kept);
    let by_arm: Vec<Vec<&Chain>> = arms
        .iter()
        .map(|chains| chains.iter().map(|c| c.chain).collect())
        .collect();
    let shown: Vec<&Chain> = by_arm.iter().flatten().copied().collect();
    let controls = controls::for_report(&session, &shown)?;
    let report = Report {
        other,
        hypothesis: hypothesis::of(&study, &arms),
        sentences: sentences(&study),
        values: values::tables(&measures, &arms),
        heat: maps.shown,
        outcomes: maps.tests,
        regressions: values::regressions(&arms),
        controls: controls.0,
        control_remarks: controls.1,
        commit_url,
        study,
    };
    if let Some(dir) = &args.data {
        write_data(global, dir, &report, &gathered, &measures)?;
    }
    if let Some(dir) = &args.figures {
        let dir = folder(global, dir)?;
        for (name, svg) in figure_files(&report) {
            write_file(&dir.join(name), svg.as_bytes())?;
        }
    }
    let mut page = Vec::new();
    write_report(&mut page, &report, args.format.into())?;
    match &args.output {
        Some(file) => write_file(&directory(global).join(file), &page)?,
        None if args.format == PageWord::Html => session.output.raw(&page)?,
        None => session.output.data(
            &page,
            match args.format {
                PageWord::Md => Format::Markdown,
                _ => Format::Json,
            },
        )?,
    }
    let tables = &report.values;
    let (known, unknown) = tables.iter().fold((0, 0), |sum, t| {
        let (known, undefined, unknown) = t.counts();
        (sum.0 + known + undefined, sum.1 + unknown)
    });
    let done = match unknown > 0 && (known == 0 || global.strict) {
        true => session.done(unknown, known + unknown),
        false => Done::Well,
    };
    Ok(match args.study.strict_provenance {
        true => strict(&report.study.differences, done),
        false => done,
    })
}

/// The study over the other choice of checkpoints: `None` where no outcome is known.
fn other(
    session: &Session<'_>,
    gathered: &Gathered<'_>,
    args: &StudyArgs,
    measures: &[&'static Measure],
) -> Result<Option<Study>> {
    let chains = gathered.arms.iter().flat_map(|a| &a.chains);
    let mut figures = chains
        .flat_map(|c| &c.changes)
        .filter_map(|c| c.figure("outcome"));
    if !figures.any(|f| matches!(f.value, Value::Word(_))) {
        return Ok(None);
    }
    let attempts = match args.attempts {
        AttemptsWord::All => AttemptsWord::Passing,
        AttemptsWord::Passing => AttemptsWord::All,
    };
    let args = StudyArgs {
        attempts,
        ..args.clone()
    };
    study::lay_out(session, gathered, &args, measures).map(Some)
}

/// The measures typed; else every primary one that this version computes of a change, a tree, a
/// gate or a session, and the ratios and sizes that go with them.
fn measures(args: &ReportArgs) -> Result<Vec<&'static Measure>> {
    if let Some(words) = &args.study.metrics.metrics {
        return catalogue::select(words);
    }
    let wanted = |m: &&Measure| {
        m.availability == Availability::Implemented
            && m.level != Level::Chain
            && (m.primary || CONTEXT.contains(&m.id))
    };
    Ok(catalogue::all().iter().filter(wanted).collect())
}

/// Secondary measures that a report shows where nothing is asked for.
const CONTEXT: [&str; 9] = [
    "erosion",
    "erosion_scoped",
    "cc_gini",
    "fn_cc_max",
    "fn_count",
    "loc",
    "strict_pass_rate",
    "iso_pass_rate",
    "output_tokens",
];

/// Writes the data behind a report.
fn write_data(
    global: &Global,
    dir: &Path,
    report: &Report,
    gathered: &Gathered<'_>,
    measures: &[&'static Measure],
) -> Result<()> {
    let dir = folder(global, dir)?;
    for (name, bytes) in data_files(report)? {
        write_file(&dir.join(name), &bytes)?;
    }
    let changes: Vec<Change> = report
        .study
        .arms
        .iter()
        .flat_map(|a| &a.chains)
        .filter_map(|c| {
            let mut all = gathered.arms.iter().flat_map(|a| &a.chains);
            all.find(|g| g.chain.label == c.label)
        })
        .flat_map(|c| c.changes.iter().rev())
        .map(|change| {
            let mut change = change.clone();
            // What scores are made of was measured, too.
            let asked = |id: &str| measures.iter().any(|m| m.id == id);
            change.figures.retain(|(id, _)| asked(id));
            change
        })
        .collect();
    let view = LogView {
        stamp: &report.study.stamp,
        settings: &report.study.settings,
        measures,
        changes: &changes,
        remarks: &[],
    };
    let mut bytes = Vec::new();
    let layout = Layout {
        format: Format::Csv,
        columns: 80,
    };
    write_log(&mut bytes, view, layout)?;
    write_file(&dir.join("values.csv"), &bytes)
}

/// A folder that files are written into, made where there is none.
fn folder(global: &Global, dir: &Path) -> Result<PathBuf> {
    let dir = directory(global).join(dir);
    std::fs::create_dir_all(&dir)
        .map_err(|e| Error::usage(format!("making the folder {}", dir.display())).with_source(e))?;
    Ok(dir)
}

/// Writes a file whole, or not at all.
fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes)
        .map_err(|e| Error::usage(format!("writing {}", path.display())).with_source(e))
}
