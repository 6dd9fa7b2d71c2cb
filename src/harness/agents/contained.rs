//! What was taken in of a session's work tree, as records have it.

use std::path::Path;

use crate::error::Result;
use crate::harness::ignored;
use crate::record::{Contained, PathName, Paths, Stub};
use crate::repo::{Bounds, Oid, Repo, TakenIn, TreePath};

/// Of a tree whose `.gitmodules` names a command.
const HOSTILE_SUBMODULE: &str = "hostile-submodule";

/// How much of a session's work tree is taken, with what counts as source.
pub(in crate::harness) fn take_in_bounds() -> Bounds {
    Bounds {
        is_source: ignored::is_source,
        is_passed_over: ignored::is_passed_over,
        ..Bounds::default()
    }
}

/// What of `taken` is not as it was; `git_changed` is what changed in the clone's git directory.
/// `None` where all is as it was.
pub(in crate::harness) fn contained(taken: &TakenIn, git_changed: &[&str]) -> Option<Contained> {
    let mut left_out: Vec<&TreePath> = taken.special.iter().collect();
    left_out.extend(&taken.unreadable);
    left_out.extend(&taken.refused);
    left_out.sort();
    let mut too_many = paths(&taken.too_many);
    too_many.count = taken.too_many_count;
    let contained = Contained {
        stubs: taken
            .stubs
            .iter()
            .map(|stub| Stub {
                path: PathName::of(&stub.path),
                size: stub.size,
                sha256: stub.sha256.clone().unwrap_or_default(),
            })
            .collect(),
        links_out: paths(&taken.links_out),
        special: Paths::of(left_out.into_iter().map(|p| &**p)),
        git_folders: paths(&taken.git_folders),
        too_many,
        git_changed: git_changed
            .iter()
            .copied()
            .chain(taken.hostile_submodule.then_some(HOSTILE_SUBMODULE))
            .map(str::to_owned)
            .collect(),
    };
    (contained != Contained::default()).then_some(contained)
}

/// Ignored files that look like source.
pub(in crate::harness) fn ignored_sources(taken: &TakenIn) -> Paths {
    paths(&taken.ignored_sources)
}

fn paths(all: &[TreePath]) -> Paths {
    Paths::of(all.iter().map(|p| &**p))
}

/// What a session that was to write nothing wrote into the clone at `top` of `tree`; `None` where
/// nothing.
///
/// # Errors
/// As [`Repo::take_in`].
pub(in crate::harness) fn wrote(repo: &Repo, top: &Path, tree: Oid) -> Result<Option<Paths>> {
    let taken = repo.take_in(top, tree, &take_in_bounds())?;
    if taken.tree == tree {
        return Ok(None);
    }
    let reader = repo.reader()?;
    let (before, after) = (reader.files(tree)?, reader.files(taken.tree)?);
    let old: std::collections::BTreeMap<_, _> = before.iter().map(|(p, e)| (&**p, e)).collect();
    let new: std::collections::BTreeMap<_, _> = after.iter().map(|(p, e)| (&**p, e)).collect();
    let changed = old
        .keys()
        .chain(new.keys())
        .filter(|p| old.get(*p) != new.get(*p));
    let changed: std::collections::BTreeSet<&[u8]> = changed.copied().collect();
    Ok(Some(Paths::of(changed)))
}
