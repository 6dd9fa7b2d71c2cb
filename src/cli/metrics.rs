//! `git evolve metrics`.

use clap::Args;

use super::args::{FormatArgs, Global};
use super::session::{Done, stamp, without_repository};
use crate::error::Result;
use crate::measure::catalogue;
use crate::report::measures;

/// List the measures
///
/// Every measure by level, with the family it is selected by. WORDs are what `--metrics` takes:
/// ids, families, levels, `primary`, `all`.
#[derive(Debug, Args)]
pub(super) struct MetricsArgs {
    /// Only these
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// A word that names no measure.
pub(super) fn run(global: &Global, args: &MetricsArgs) -> Result<Done> {
    let words = match args.words.is_empty() {
        true => "all".to_owned(),
        false => args.words.join(","),
    };
    let list = catalogue::select(&words)?;
    let output = without_repository(global);
    let mut out = Vec::new();
    measures(&mut out, &stamp("none"), &list, output.layout(args.format))?;
    output.data(&out, output.layout(args.format).format)?;
    Ok(Done::Well)
}
