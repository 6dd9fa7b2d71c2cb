//! Files that are no code: their changed lines, and the lines of configuration files.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::repo::{ChangeStatus, FileChange, Hunk, Oid, is_binary, line_count};
use crate::syntax::Language;

use super::config_lines;
use super::ground::{Ground, file};
use super::worker::Worker;
use super::{ConfigLines, Edit, FileClass, Functions, LineCounts, Lines, Status};

/// The changes of one path that is no code: position and index in that position's list.
pub(super) type OtherPath = Vec<(usize, usize)>;

/// What one change of such a file gives.
#[derive(Debug, Default)]
pub(super) struct OtherFile {
    /// Evidence, where the position is measured.
    pub edit: Option<Edit>,
    /// Configuration files after the change; `None`: not readable.
    pub config: Vec<(Box<[u8]>, Option<ConfigLines>)>,
    /// Configuration files that are gone after the change.
    pub config_gone: Vec<Box<[u8]>>,
}

/// Whether a change belongs here: no side is code.
pub(super) fn is_other(f: &FileChange) -> bool {
    Language::of_path(&f.path).is_none()
        && f.old_path
            .as_deref()
            .is_none_or(|p| Language::of_path(p).is_none())
}

/// The paths that are no code and whose changes something is asked of.
pub(super) fn paths(ground: &Ground<'_>) -> Vec<OtherPath> {
    let mut by_path: BTreeMap<&[u8], OtherPath> = BTreeMap::new();
    for (position, change) in ground.changes.iter().enumerate() {
        let measured = ground.measured.get(position).copied().unwrap_or(false);
        for (i, f) in change.iter().flat_map(|c| &c.files).enumerate() {
            let config = ground.needs.config_lines
                && [Some(&f.path), f.old_path.as_ref()]
                    .into_iter()
                    .flatten()
                    .any(|p| config_lines::counts(ground.settings, p));
            if is_other(f) && (config || (measured && ground.paths.takes(f))) {
                by_path.entry(&f.path).or_default().push((position, i));
            }
        }
    }
    by_path.into_values().collect()
}

/// Looks at the changes of one path, oldest first, each version read once.
pub(super) fn walk(
    ground: &Ground<'_>,
    worker: &mut Worker,
    path: &OtherPath,
) -> Vec<(usize, OtherFile)> {
    let mut last = LastRead::default();
    let mut all = Vec::with_capacity(path.len());
    for (position, index) in path {
        let change = ground.changes.get(*position).and_then(Option::as_ref);
        let Some(f) = change.and_then(|c| c.files.get(*index)) else {
            continue;
        };
        let (old, new) = (file(f.old), file(f.new));
        let mut found = OtherFile::default();
        let measured = ground.measured.get(*position).copied().unwrap_or(false);
        // A change of the executable bit alone is none.
        let content = f.status == ChangeStatus::Renamed || old != new;
        if measured && ground.paths.takes(f) && content {
            found.edit = Some(edit(ground, worker, &mut last, f, old, new));
        }
        if ground.needs.config_lines {
            let gone = f.old_path.as_deref().or(new.is_none().then_some(&*f.path));
            if let Some(path) = gone
                && config_lines::counts(ground.settings, path)
            {
                found.config_gone.push(path.into());
            }
            if let Some(blob) = new
                && config_lines::counts(ground.settings, &f.path)
            {
                let bytes = last.read(worker, blob);
                let lines = bytes.map(|b| config_lines::count(&f.path, &b));
                found.config.push((f.path.clone(), lines));
            }
        }
        all.push((*position, found));
    }
    all
}

/// The version read last, so that it is not read again as the next change's old side.
#[derive(Default)]
struct LastRead(Option<(Oid, Arc<[u8]>)>);

impl LastRead {
    fn read(&mut self, worker: &mut Worker, blob: Oid) -> Option<Arc<[u8]>> {
        if let Some((id, bytes)) = &self.0
            && *id == blob
        {
            return Some(Arc::clone(bytes));
        }
        let bytes = worker.read(blob)?;
        self.0 = Some((blob, Arc::clone(&bytes)));
        Some(bytes)
    }
}

fn edit(
    ground: &Ground<'_>,
    worker: &mut Worker,
    last: &mut LastRead,
    f: &FileChange,
    old: Option<Oid>,
    new: Option<Oid>,
) -> Edit {
    Edit {
        path: f.path[..].into(),
        old_path: f.old_path.as_deref().map(Into::into),
        status: match (old, new, f.status) {
            (None, _, _) => Status::Added,
            (_, None, _) => Status::Deleted,
            (_, _, ChangeStatus::Renamed) => Status::Renamed,
            _ => Status::Modified,
        },
        language: None,
        old_class: old.map(|_| FileClass::Other),
        new_class: new.map(|_| FileClass::Other),
        lines: if ground.needs.all_lines {
            lines(worker, last, old, new)
        } else {
            Lines::NotAsked
        },
        functions: Functions::NotCode,
    }
}

fn lines(worker: &mut Worker, last: &mut LastRead, old: Option<Oid>, new: Option<Oid>) -> Lines {
    let mut side = |id: Option<Oid>| match id {
        None => Some(None),
        Some(id) => last.read(worker, id).map(Some),
    };
    let (before, after) = (side(old), side(new));
    let (Some(before), Some(after)) = (before, after) else {
        let unread = [old, new].into_iter().flatten();
        let why = unread.filter_map(|id| worker.why_unread(id)).next();
        return Lines::Unknown(why.unwrap_or("object missing").to_owned());
    };
    if [&before, &after]
        .into_iter()
        .flatten()
        .any(|b| is_binary(b))
    {
        return Lines::Binary;
    }
    let hunks = match (&before, &after) {
        (Some(a), Some(b)) => worker.hunks(a, b),
        (a, b) => vec![Hunk {
            old_start: 0,
            old_len: a.as_ref().map_or(0, |a| line_count(a)),
            new_start: 0,
            new_len: b.as_ref().map_or(0, |b| line_count(b)),
        }],
    };
    Lines::Counted(LineCounts {
        added: hunks.iter().map(|h| h.new_len).sum(),
        removed: hunks.iter().map(|h| h.old_len).sum(),
        removed_settled: None,
    })
}
