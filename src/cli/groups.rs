//! Whose changes are whose: authors by the tree's `.mailmap`, agents by what commits name.

use std::collections::BTreeSet;

use super::agents;
use super::measured::{Measuring, Wanted, window};
use super::request::Request;
use super::session::Session;
use crate::error::Result;
use crate::history::{Line, PathFilter, Select};
use crate::repo::{Commit, EntryMode, Mailmap, Oid, RevisionSpec};
use crate::report::Change;

/// The name of changes that name no agent.
const NONE: &str = "(none named)";

/// The author of each change, as `Name <address>`, by the `.mailmap` of HEAD's tree.
///
/// # Errors
/// The mailmap cannot be read.
pub(super) fn authors(session: &Session<'_>, changes: &[Change]) -> Result<Vec<String>> {
    let map = mailmap(session)?;
    let name = |change: &Change| {
        let person = map.resolve(&change.step.commit.author);
        format!("{} <{}>", person.name, person.email)
    };
    Ok(changes.iter().map(name).collect())
}

fn mailmap(session: &Session<'_>) -> Result<Mailmap> {
    let Some(tree) = session.head_tree()? else {
        return Ok(Mailmap::default());
    };
    match session.reader.entry(tree, b".mailmap")? {
        Some(entry) if entry.mode == EntryMode::File => {
            let mut bytes = Vec::new();
            session.reader.blob(entry.id, &mut bytes)?;
            Ok(Mailmap::from_bytes(&bytes))
        }
        _ => Ok(Mailmap::default()),
    }
}

/// The agents each change names, joined with ` + `; a merge is named after every commit it
/// brings in, unless every commit is measured by itself.
///
/// # Errors
/// A commit that a merge brings in cannot be read.
pub(super) fn agents(session: &Session<'_>, changes: &[Change], each: bool) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for change in changes {
        let commit = &change.step.commit;
        let mut found: BTreeSet<&'static str> = agents::named_by(commit);
        if !each {
            for id in session.reader.merged_commits(commit)? {
                found.extend(agents::named_by(&session.reader.commit(id)?));
            }
        }
        let words: Vec<&str> = found.into_iter().collect();
        names.push(match words.is_empty() {
            true => NONE.to_owned(),
            false => words.join(" + "),
        });
    }
    Ok(names)
}

/// Every commit of a range that is no merge, oldest first, each measured against its parent.
///
/// # Errors
/// The repository cannot be read.
pub(super) fn each(
    measuring: &mut Measuring<'_>,
    request: &Request,
    wanted: &Wanted,
) -> Result<Vec<Change>> {
    let session = measuring.session();
    let rule = window(session, request)?;
    let mut changes = Vec::new();
    for tip in commits(session, wanted)? {
        let select = Select {
            tip,
            last: Some(1),
            since: None,
            exclude: Vec::new(),
            paths: PathFilter::default(),
        };
        let line = Line::plain(&session.reader, &select, rule)?;
        changes.extend(measuring.line(line, request)?);
    }
    Ok(changes)
}

/// The commits that are no merges and come in with the changes of a range, oldest first.
fn commits(session: &Session<'_>, wanted: &Wanted) -> Result<Vec<Oid>> {
    let mut line: Vec<Commit> = Vec::new();
    session.reader.line(&wanted.range, |commit| {
        if wanted.since.is_none_or(|since| commit.time >= since) {
            line.push(commit.clone());
        }
        // A time that is not monotonic must not end the walk early.
        wanted.last.is_none_or(|last| line.len() < last)
    })?;
    let excluded = match wanted.range {
        RevisionSpec::Range { from, .. } => from,
        RevisionSpec::Tip(_) => None,
    };
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for commit in line.iter().rev() {
        let mut add = |id: Oid| -> Result<()> {
            if seen.insert(id) {
                found.push(id);
            }
            Ok(())
        };
        for id in session.reader.merged_commits(commit)?.into_iter().rev() {
            let merged = session.reader.commit(id)?;
            let old = match excluded {
                Some(from) => session.reader.is_ancestor(id, from)?,
                None => false,
            };
            if merged.parents.len() < 2 && !old {
                add(id)?;
            }
        }
        if commit.parents.len() < 2 {
            add(commit.id)?;
        }
    }
    Ok(found)
}
