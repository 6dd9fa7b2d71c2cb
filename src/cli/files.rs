//! `git evolve files`.

use std::ffi::OsString;

use clap::Args;

use super::args::{FormatArgs, Global, ScopeArgs};
use super::session::Done;
use super::trees;
use crate::error::Result;
use crate::report::{Ending, write_files};

/// List the code files of a tree, their language and class
///
/// Shows what each code file is to the measures: production, test, generated or vendored; its
/// lines, lines of code and functions.
#[derive(Debug, Args)]
pub(super) struct FilesArgs {
    /// A commit or tree (else HEAD), then files or folders to limit the list to
    #[arg(value_name = "TREE-ISH|PATH")]
    pub words: Vec<OsString>,
    /// Print the paths alone, each ended by a NUL
    #[arg(short = 'z', conflicts_with = "format")]
    pub nul: bool,
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
pub(super) fn run(global: &Global, args: &FilesArgs) -> Result<Done> {
    let read = trees::read(global, &args.scope, &args.words)?;
    let output = &read.session.output;
    let ending = if args.nul { Ending::Nul } else { Ending::Lines };
    let mut out = Vec::new();
    write_files(
        &mut out,
        &read.stamp,
        &read.files,
        output.layout(args.format),
        ending,
    )?;
    match ending {
        Ending::Nul => output.raw(&out)?,
        Ending::Lines => output.data(&out, output.layout(args.format).format)?,
    }
    Ok(Done::Well)
}
