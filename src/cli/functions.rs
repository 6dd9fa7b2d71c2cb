//! `git evolve functions`.

use std::ffi::OsString;

use clap::Args;

use super::args::{FormatArgs, Global, ScopeArgs};
use super::session::Done;
use super::trees;
use crate::error::Result;
use crate::report::write_functions;

/// List the functions of a tree and their complexity
///
/// Every function with a body in every Java, Python and Go file of the tree, tests too, named
/// and counted as lizard does: lines of code, cyclomatic complexity; and cognitive complexity.
#[derive(Debug, Args)]
pub(super) struct FunctionsArgs {
    /// A commit or tree (else HEAD), then files or folders to limit the list to
    #[arg(value_name = "TREE-ISH|PATH")]
    pub words: Vec<OsString>,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Which files are what.
    #[command(flatten)]
    pub scope: ScopeArgs,
}

/// Runs it.
///
/// # Errors
/// An unknown tree; a repository that cannot be read.
pub(super) fn run(global: &Global, args: &FunctionsArgs) -> Result<Done> {
    let read = trees::read(global, &args.scope, &args.words)?;
    let layout = read.session.output.layout(args.format);
    let mut out = Vec::new();
    write_functions(&mut out, &read.stamp, &read.files, layout)?;
    read.session.output.data(&out, layout.format)?;
    Ok(Done::Well)
}
