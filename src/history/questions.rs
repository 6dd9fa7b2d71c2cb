//! Single questions to the past: who wrote each line of a file, and both texts of an edit.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::repo::{Oid, Repo};

use super::ground::file;
use super::lineage;
use super::origins::Origin;
use super::pass::{Pass, Plan};
use super::threads::Silent;
use super::worker::Worker;
use super::writers::SeenFrom;
use super::{Edit, Step};

/// Who last wrote one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineOrigin {
    /// Line, from 1.
    pub line: u32,
    /// The commit; of a base line the base's.
    pub commit: Oid,
    /// The checkpoint; a plain history: the position from its base; the base: 0.
    pub checkpoint: u32,
}

/// Who last wrote each line of `path` at the newest commit of the plan's line, which the line
/// must measure; the plan must need origins.
///
/// # Errors
/// A path that is not a text file there (usage); history that is not here.
pub fn line_origins(plan: &Plan, path: &[u8]) -> Result<Vec<LineOrigin>> {
    let shown = String::from_utf8_lossy(path).into_owned();
    let last = plan
        .line
        .commits
        .last()
        .ok_or_else(|| Error::internal("a line without commits"))?;
    let reader = plan.repo.reader()?;
    let commit = last.commit.id.short();
    let blob = reader
        .entry(last.commit.tree, path)?
        .and_then(|e| file(Some(e)))
        .ok_or_else(|| {
            Error::git(format!("no file {shown} in commit {commit}"))
                .with_hint("name the path from the top of the repository")
        })?;
    let pass = Pass::new(plan, None, &Silent)?;
    if let Some(why) = pass.unknown_window() {
        return Err(Error::unavailable(format!(
            "who wrote the lines of {shown} is unknown: {why}"
        )));
    }
    let mut worker = Worker::new(&plan.repo, plan.settings.profile)?;
    let found = pass.lineage_of(path);
    let origins = match found {
        Some(l) => lineage::walk(&pass.ground(), &mut worker, &l, Some(path))?.wanted_origins,
        None => {
            let bytes = worker.read(blob).filter(|b| !crate::repo::is_binary(b));
            bytes.map(|b| vec![Origin::default(); crate::repo::line_count(&b) as usize])
        }
    };
    let origins = origins.ok_or_else(|| {
        Error::unavailable(format!(
            "{shown} in commit {commit} could not be read as text"
        ))
    })?;
    let position = plan.line.commits.len() - 1;
    let view = SeenFrom::new(&plan.line, position);
    let base = plan.line.window_base(position);
    let line_of = |i: usize| u32::try_from(i + 1).unwrap_or(u32::MAX);
    Ok(origins
        .iter()
        .enumerate()
        .map(|(i, o)| {
            let writer = (o.writer as usize).max(base);
            LineOrigin {
                line: line_of(i),
                commit: plan
                    .line
                    .commits
                    .get(writer)
                    .map_or(last.commit.id, |c| c.commit.id),
                checkpoint: view.checkpoint(o.writer),
            }
        })
        .collect())
}

/// The content of one side; `None`: the side is not there.
pub type SideText = Option<Arc<[u8]>>;

/// Both texts of one file of a step; `None` for a side that is not there.
///
/// # Errors
/// An object that is not in the repository.
pub fn texts(repo: &Repo, step: &Step, edit: &Edit) -> Result<(SideText, SideText)> {
    let reader = repo.reader()?;
    let read = |tree: Oid, path: &[u8]| -> Result<SideText> {
        let Some(blob) = reader.entry(tree, path)?.and_then(|e| file(Some(e))) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        reader.blob(blob, &mut bytes)?;
        Ok(Some(bytes.into()))
    };
    let old = match step.parent {
        Some(parent) => {
            let tree = reader.commit(parent)?.tree;
            read(tree, edit.old_path.as_deref().unwrap_or(&edit.path))?
        }
        None => None,
    };
    Ok((old, read(step.commit.tree, &edit.path)?))
}
