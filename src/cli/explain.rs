//! `git evolve explain`.

use clap::Args;

use super::args::{FormatArgs, Global};
use super::session::{Done, stamp, without_repository};
use crate::error::{Error, Result};
use crate::measure::catalogue;
use crate::report::explain;

/// Explain one measure: definition, source, what makes it high, what it does not see
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// Its id or alias
    #[arg(value_name = "ID")]
    pub id: String,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// An id that names no measure.
pub(super) fn run(global: &Global, args: &ExplainArgs) -> Result<Done> {
    let Some(measure) = catalogue::find(&args.id) else {
        // A family or level is a known word, and yet no measure.
        let error = match catalogue::select(&args.id) {
            Ok(group) => {
                let ids: Vec<&str> = group.iter().map(|m| m.id).collect();
                Error::usage(format!("{} is not one measure", args.id))
                    .with_hint(format!("it selects {}", ids.join(", ")))
            }
            Err(unknown) => unknown,
        };
        return Err(error);
    };
    let output = without_repository(global);
    let mut out = Vec::new();
    explain(
        &mut out,
        &stamp("none"),
        measure,
        output.layout(args.format),
    )?;
    output.data(&out, output.layout(args.format).format)?;
    Ok(Done::Well)
}
