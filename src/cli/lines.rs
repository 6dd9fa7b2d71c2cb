//! `git evolve lines`.

use std::ffi::OsString;

use clap::Args;

use super::args::{FormatArgs, Global, SettingsArgs};
use super::measured::{Measuring, window};
use super::revision;
use super::session::{Done, Session};
use crate::error::{Error, Result};
use crate::history::{Line, Needs, PathFilter, Select, line_origins};
use crate::report::write_lines;

/// Show which commit wrote each line of a file, as the measures count it
///
/// One row a line of PATH as COMMIT has it: the commit that last wrote it, and the checkpoint it
/// counts for (0: the base, or older than the window).
#[derive(Debug, Args)]
pub(super) struct LinesArgs {
    /// The commit whose version of the file is shown
    #[arg(value_name = "COMMIT")]
    pub commit: String,
    /// The file
    #[arg(value_name = "PATH")]
    pub path: OsString,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
    /// What can move a figure.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Runs it.
///
/// # Errors
/// An unknown commit, a path that is no file there, a repository that cannot be read.
pub(super) fn run(global: &Global, args: &LinesArgs) -> Result<Done> {
    let session = Session::open(global, &args.settings)?;
    let path = session.path(&args.path)?;
    let tip = revision::commit(&session, &args.commit)?;
    let commit = session.reader.commit(tip)?;
    if session.reader.entry(commit.tree, &path)?.is_none() {
        return Err(Error::git(format!(
            "no file '{}' in {}",
            String::from_utf8_lossy(&path),
            tip.short()
        )));
    }
    let chains = session.chains()?;
    let (line, request) = match chains.chain_of(tip) {
        Some((chain, _)) => {
            let line = Line::chain(&session.reader, chain)?.upto(tip);
            let line = line.only(&[tip]);
            (line, session.chain_request(chain, &[])?)
        }
        None => {
            let request = session.plain_request(&[])?;
            let select = Select {
                tip,
                last: Some(1),
                since: None,
                exclude: Vec::new(),
                paths: PathFilter::default(),
            };
            let line = Line::plain(&session.reader, &select, window(&session, &request)?)?;
            (line, request)
        }
    };
    let needs = Needs {
        lines: true,
        origins: true,
        ..Needs::default()
    };
    let plan = Measuring::new(&session, &[], Vec::new())?
        .also(needs)
        .plan(line, &request)?;
    let origins = line_origins(&plan, &path)?;
    let stamp = session.stamp(&request);
    let mut out = Vec::new();
    write_lines(
        &mut out,
        &stamp,
        &origins,
        session.output.layout(args.format),
    )?;
    session
        .output
        .data(&out, session.output.layout(args.format).format)?;
    Ok(Done::Well)
}
