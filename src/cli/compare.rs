//! `git evolve compare`.

use clap::Args;

use super::args::{FormatArgs, Global};
use super::session::{Done, Session};
use super::study::{self, StudyArgs, differences};
use crate::error::Result;
use crate::measure::Value;
use crate::report::{Study, write_study};

/// Hold the arms of experiments against each other
///
/// Every measure, the arms side by side: where it begins and ends, its slope with an interval
/// over the chains, what that reads as; below, how each arm differs from the baseline, how sure
/// that is, and how small a difference these chains could have shown. Then cost against quality.
/// Where arms worked on the same tasks, differences are taken task by task.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// Which arms, and how.
    #[command(flatten)]
    pub study: StudyArgs,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// Wrong usage, a repository without chains or one that cannot be read.
pub(super) fn run(global: &Global, args: &CompareArgs) -> Result<Done> {
    let measures = args.study.measures()?;
    let session = Session::open(global, &args.study.settings)?.at(args.study.at.at);
    let chains = session.chains()?;
    let gathered = study::collect(&session, &chains, &args.study, &measures, args.format)?;
    let study = study::lay_out(&session, &gathered, &args.study, &measures)?;
    let layout = session.output.layout(args.format);
    let mut out = Vec::new();
    write_study(&mut out, &study, layout)?;
    session.output.data(&out, layout.format)?;
    let (unknown, asked) = unknown(&study);
    let done = session.done(unknown, asked);
    Ok(match args.study.strict_provenance {
        true => differences::strict(&study.differences, done),
        false => done,
    })
}

/// How many figures are unknown, and how many there are: an arm's trend of a measure is one, and
/// an arm's score.
fn unknown(study: &Study) -> (usize, usize) {
    let figures = || study.measures.iter().flat_map(|t| &t.arms);
    let scores = || study.quality.scores.iter().flat_map(|s| &s.values);
    let lost = figures().filter(|f| f.points.0 > 0 && f.points.0 == f.points.1);
    let unknown = scores().filter(|v| matches!(v, Value::Unknown(_)));
    (
        lost.count() + unknown.count(),
        figures().count() + scores().count(),
    )
}
