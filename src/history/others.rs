//! Files that are no code: their changed lines, and the lines of configuration files.

use crate::repo::{ChangeStatus, FileChange, Hunk, Oid, is_binary, line_count};
use crate::syntax::Language;

use super::config_lines;
use super::ground::{Ground, file};
use super::worker::Worker;
use super::{ConfigLines, Edit, FileClass, Functions, LineCounts, Lines, Status};

/// What the files of one position that are no code give.
#[derive(Debug, Default)]
pub(super) struct OtherFiles {
    /// Evidence, where the position is measured.
    pub edits: Vec<Edit>,
    /// Configuration files after the change; `None`: gone, or no longer readable.
    pub config: Vec<(Box<[u8]>, Option<ConfigLines>)>,
}

/// Whether a change belongs here: no side is code.
fn is_other(f: &FileChange) -> bool {
    Language::of_path(&f.path).is_none()
        && f.old_path
            .as_deref()
            .is_none_or(|p| Language::of_path(p).is_none())
}

/// Looks at the files of one position that are no code.
pub(super) fn look(ground: &Ground<'_>, worker: &mut Worker, position: usize) -> OtherFiles {
    let mut found = OtherFiles::default();
    let Some(Some(change)) = ground.changes.get(position) else {
        return found;
    };
    let measured = ground.measured.get(position).copied().unwrap_or(false);
    for f in change.files.iter().filter(|f| is_other(f)) {
        let (old, new) = (file(f.old), file(f.new));
        if ground.needs.config_lines {
            let gone = f.old_path.as_deref().or(new.is_none().then_some(&*f.path));
            if let Some(path) = gone
                && config_lines::counts(ground.settings, path)
            {
                found.config.push((path.into(), None));
            }
            if let Some(blob) = new
                && config_lines::counts(ground.settings, &f.path)
            {
                let lines = worker.read(blob).map(|b| config_lines::count(&f.path, &b));
                found.config.push((f.path.clone(), lines));
            }
        }
        // A change of the executable bit alone is none.
        let content = f.status == ChangeStatus::Renamed || old != new;
        if measured && ground.paths.matches(&f.path) && content {
            found.edits.push(edit(ground, worker, f, old, new));
        }
    }
    found
}

fn edit(
    ground: &Ground<'_>,
    worker: &mut Worker,
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
            lines(worker, old, new)
        } else {
            Lines::NotAsked
        },
        functions: Functions::NotCode,
    }
}

fn lines(worker: &mut Worker, old: Option<Oid>, new: Option<Oid>) -> Lines {
    let mut side = |id: Option<Oid>| match id {
        None => Some(None),
        Some(id) => worker.read(id).map(Some),
    };
    let (Some(before), Some(after)) = (side(old), side(new)) else {
        return Lines::Unknown("object missing".to_owned());
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
        removed_settled: 0,
    })
}
