//! What the experiment owns, put back: told from trees alone, by whoever resets.

use std::collections::{BTreeMap, BTreeSet};

use globset::GlobSet;

use super::controls::Controls;
use super::pending::named;
use crate::error::Result;
use crate::record::{How, PathName, Restored, RestoredPath};
use crate::repo::{Delta, Oid, Reader, Repo, TreePath, Writer};

/// Most paths that a record lists.
const LISTED: usize = 10_000;

/// How `tip_tree` differs from what `controls` say of it, against the base's tree: pinned paths
/// are as there, tests that are there are as there, hidden ones are gone. With what makes room.
///
/// # Errors
/// Git where a tree cannot be read.
pub(super) fn owned(
    reader: &Reader,
    controls: &Controls,
    tip_tree: Oid,
    base_tree: Oid,
) -> Result<Vec<Delta>> {
    let is = |set: &GlobSet, path: &[u8]| set.is_match(&*String::from_utf8_lossy(path));
    let mut back = BTreeMap::new();
    for delta in reader.deltas(tip_tree, base_tree)? {
        let pinned = is(&controls.pinned, &delta.path);
        let tests = delta.new.is_some() && is(&controls.tests, &delta.path);
        if (pinned || tests) && !is(&controls.hidden, &delta.path) {
            back.insert(delta.path.clone(), delta);
        }
    }
    if !controls.hidden.is_empty() {
        for delta in reader.deltas(tip_tree, reader.empty_tree())? {
            if is(&controls.hidden, &delta.path) {
                back.insert(delta.path.clone(), delta);
            }
        }
    }
    made_room(reader, tip_tree, back.into_values().collect())
}

/// With what stands where a path comes back as a folder, or inside it: it goes.
///
/// # Errors
/// Git where the tree cannot be read.
pub(super) fn made_room(
    reader: &Reader,
    tip_tree: Oid,
    mut back: Vec<Delta>,
) -> Result<Vec<Delta>> {
    let known: BTreeSet<TreePath> = back.iter().map(|d| d.path.clone()).collect();
    let returned: Vec<&TreePath> = back
        .iter()
        .filter(|d| d.old.is_none() && d.new.is_some())
        .map(|d| &d.path)
        .collect();
    if returned.is_empty() {
        return Ok(back);
    }
    let mut gone = Vec::new();
    for (path, entry) in reader.files(tip_tree)? {
        let clashes = returned
            .iter()
            .any(|r| is_below(&path, r) || is_below(r, &path));
        if clashes && !known.contains(&path) {
            gone.push(Delta {
                path,
                old: Some((0o100_644, entry.id)),
                new: None,
            });
        }
    }
    back.extend(gone);
    back.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(back)
}

/// Whether `path` lies in `folder`.
pub(super) fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.starts_with(folder) && path.get(folder.len()) == Some(&b'/')
}

/// The tree that `tip_tree` is with all of it put back.
///
/// # Errors
/// Git where the object store cannot be read or written.
pub(super) fn tree(repo: &Repo, reader: &Reader, tip_tree: Oid, back: &[Delta]) -> Result<Oid> {
    let edits = back.iter().map(|d| (d.path.clone(), d.new)).collect();
    Writer::open(repo)?.tree_with(reader, tip_tree, &edits)
}

/// What a reset record says of it.
pub(super) fn restored(
    back: &[Delta],
    (from, by): (Oid, &str),
    pathspecs: Vec<String>,
) -> Restored {
    let blob = |side: Option<(u32, Oid)>| side.map(|(_, id)| named(id));
    let path = |d: &Delta| RestoredPath {
        path: PathName::of(&d.path),
        how: match (d.old, d.new) {
            (_, None) => How::Removed,
            (None, Some(_)) => How::Returned,
            (Some(_), Some(_)) => How::Restored,
        },
        rule: None,
        old: blob(d.old),
        new: blob(d.new),
    };
    Restored {
        from: named(from),
        by: by.to_owned(),
        pathspecs,
        paths: back.iter().take(LISTED).map(path).collect(),
        path_count: back.len() as u64,
    }
}

/// The same with what of `controls` says so of each path. What goes to make room for a path goes
/// by that path's rule: a link in the place of a folder, a folder in the place of a file.
pub(super) fn ruled(mut restored: Restored, controls: &Controls) -> Restored {
    let is = |set: &GlobSet, path: &[u8]| set.is_match(&*String::from_utf8_lossy(path));
    let rule = |path: &[u8]| {
        if is(&controls.hidden, path) {
            Some("hidden")
        } else if is(&controls.pinned, path) {
            Some("pinned")
        } else if is(&controls.tests, path) {
            Some("tests")
        } else {
            None
        }
    };
    for path in &mut restored.paths {
        // Of a path that is not UTF-8 the bytes are what was matched: as text, all the same.
        path.rule = rule(path.path.path.as_bytes()).map(str::to_owned);
    }
    let returned: Vec<(Vec<u8>, String)> = restored
        .paths
        .iter()
        .filter(|p| p.how == How::Returned)
        .filter_map(|p| Some((p.path.path.as_bytes().to_vec(), p.rule.clone()?)))
        .collect();
    let gone = |p: &&mut RestoredPath| p.rule.is_none() && p.how == How::Removed;
    for path in restored.paths.iter_mut().filter(gone) {
        let at = path.path.path.as_bytes();
        let room = returned
            .iter()
            .find(|(r, _)| is_below(r, at) || is_below(at, r));
        path.rule = room.map(|(_, rule)| rule.clone());
    }
    restored
}

/// The paths as the message of a reset commit shows them.
pub(super) fn shown(back: &[Delta]) -> Vec<String> {
    let plain = |d: &Delta| String::from_utf8_lossy(&d.path).into_owned();
    back.iter().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::path_globs;

    #[test]
    fn what_makes_room_goes_by_the_rule_of_what_comes_back() {
        let globs = |all: &[&str]| {
            let all: Vec<String> = all.iter().map(|g| (*g).to_owned()).collect();
            path_globs("controls", &all).expect("globs")
        };
        let controls = Controls {
            pinned: globs(&["/spec/*"]),
            tests: globs(&["/tests/one"]),
            hidden: globs(&["/secret"]),
        };
        let path = |path: &str, how| RestoredPath {
            path: PathName::of(path.as_bytes()),
            how,
            rule: None,
            old: None,
            new: None,
        };
        let restored = Restored {
            from: named(Oid::from_hex(&"1".repeat(40)).expect("an id")),
            by: "controls".to_owned(),
            pathspecs: Vec::new(),
            paths: vec![
                path("secret", How::Removed),
                path("spec", How::Removed),
                path("spec/a.md", How::Returned),
                path("tests/one", How::Returned),
                path("tests/one/inside", How::Removed),
                path("elsewhere", How::Removed),
            ],
            path_count: 6,
        };
        let ruled = ruled(restored, &controls);
        let rules: Vec<Option<&str>> = ruled.paths.iter().map(|p| p.rule.as_deref()).collect();
        let (pinned, tests) = (Some("pinned"), Some("tests"));
        assert_eq!(rules, [Some("hidden"), pinned, pinned, tests, tests, None]);
    }
}
