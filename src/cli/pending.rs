//! What is not committed yet: the index or the work tree, as a change on top of HEAD.

use super::measured::window;
use super::request::Request;
use super::session::Session;
use crate::error::Result;
use crate::history::{Line, PathFilter, Select};
use crate::ledger::Chains;
use crate::repo::{Oid, Pending};

/// The index, or the work tree, against HEAD, and what it is called.
///
/// # Errors
/// A bare repository, unmerged paths, what cannot be read.
pub(super) fn take(session: &Session<'_>, staged: bool) -> Result<(Pending, &'static str)> {
    Ok(match staged {
        true => (session.reader.staged()?, "the index"),
        false => (session.reader.worktree()?, "the work tree"),
    })
}

/// What it stands on: the line up to `head`, of a plain history the newest `last` changes of it
/// measured, and the settings that hold there.
pub(super) struct Below {
    /// The settings.
    pub request: Request,
    /// The line.
    pub line: Line,
}

/// Where a change on top of `head` would stand.
///
/// # Errors
/// The repository or its settings cannot be read.
pub(super) fn below(
    session: &Session<'_>,
    chains: &Chains,
    head: Oid,
    paths: &[Vec<u8>],
    last: usize,
) -> Result<Below> {
    let (request, line) = match chains.chain_of(head) {
        Some((chain, _)) => (
            session.chain_request(chain, paths)?,
            // HEAD may stand behind the chain's tip.
            Line::chain(&session.reader, chain)?.upto(head),
        ),
        None => {
            let request = session.plain_request(paths)?;
            let line = plain_line(session, &request, head, last)?;
            (request, line)
        }
    };
    Ok(Below { request, line })
}

/// The plain history that ends at `tip`, the newest `last` changes of it measured.
///
/// # Errors
/// The repository cannot be read.
pub(super) fn plain_line(
    session: &Session<'_>,
    request: &Request,
    tip: Oid,
    last: usize,
) -> Result<Line> {
    let select = Select {
        tip,
        last: Some(last),
        since: None,
        exclude: Vec::new(),
        paths: PathFilter::default(),
    };
    Line::plain(&session.reader, &select, window(session, request)?)
}
