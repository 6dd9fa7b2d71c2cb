//! Typed words that name commits: git's revisions, and `CHAIN@K` for checkpoint K of a chain.

use super::overview::named;
use super::session::Session;
use crate::error::{Error, Result};
use crate::ledger;
use crate::record::Role;
use crate::repo::{Oid, RevisionSpec, parse_range};

/// The commit that `text` names: what git knows by that name, else the agent commit of a
/// checkpoint (of 0 the chain's base).
///
/// # Errors
/// An unknown revision; a chain without such a checkpoint.
pub(super) fn commit(session: &Session<'_>, text: &str) -> Result<Oid> {
    match session.reader.commit_at(text) {
        Ok(commit) => Ok(commit),
        Err(unknown) => checkpoint(session, text)?.ok_or(unknown),
    }
}

/// The range that `text` names, as `git log` reads one; either side may be `CHAIN@K`.
///
/// # Errors
/// As [`commit`].
pub(super) fn range(session: &Session<'_>, text: &str) -> Result<RevisionSpec> {
    let unknown = match parse_range(&session.reader, text) {
        Ok(range) => return Ok(range),
        Err(unknown) => unknown,
    };
    let id = |side: &str| -> Result<Option<String>> {
        let found = checkpoint(session, side)?;
        Ok(found.map(|commit| commit.to_string()))
    };
    let read = match text.split_once("..") {
        None => id(text)?,
        Some((from, to)) => match (id(from)?, id(to)?) {
            (None, None) => None,
            (known, other) => Some(format!(
                "{}..{}",
                known.as_deref().unwrap_or(from),
                other.as_deref().unwrap_or(to)
            )),
        },
    };
    match read {
        Some(read) => parse_range(&session.reader, &read),
        None => Err(unknown),
    }
}

/// The commit of `CHAIN@K`; `None` where `text` is not of that form, or no chain is called so.
///
/// # Errors
/// Usage where the chain has no such checkpoint, or several chains are called so.
pub(super) fn checkpoint(session: &Session<'_>, text: &str) -> Result<Option<Oid>> {
    let Some((name, number)) = text.rsplit_once('@') else {
        return Ok(None);
    };
    let Ok(number) = number.parse::<u32>() else {
        return Ok(None);
    };
    let chains = ledger::chains(&session.reader)?;
    if chains.named(name).next().is_none() {
        return Ok(None);
    }
    let chain = named(&chains, name)?;
    let of_it = |c: &&ledger::ChainCommit| {
        c.checkpoint == number && matches!(c.role, Role::Agent | Role::Base)
    };
    match chain.line.iter().rfind(of_it) {
        Some(commit) => Ok(Some(commit.id)),
        None => Err(Error::usage(format!(
            "chain {} has no checkpoint {number}",
            chain.label
        ))),
    }
}
