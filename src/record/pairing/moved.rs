//! Tests whose file was renamed: the same name, in a class that stands in the new path.

use std::collections::{BTreeMap, BTreeSet};

use super::{Left, Renaming, parts};

/// Where a class stands: a rename, and what of the class is beyond the file (`.TestB`, `$Inner`).
type Place<'c> = (usize, &'c str);

/// A path, and its parts without the ending as a class names them.
struct Path<'p> {
    path: &'p str,
    dotted: String,
}

impl Path<'_> {
    fn of(path: &str) -> Path<'_> {
        let bare = path.rsplit_once('.').map_or(path, |(bare, _)| bare);
        let dotted = bare.replace('/', ".");
        Path { path, dotted }
    }
}

pub(super) fn pair(left: &mut Left<'_>, moved: &BTreeMap<String, String>) {
    if moved.is_empty() {
        return;
    }
    let old: Vec<Path<'_>> = moved.keys().map(|path| Path::of(path)).collect();
    let new: Vec<Path<'_>> = moved.values().map(|path| Path::of(path)).collect();
    // Renames and what is beyond the file, with the names, to the ids now.
    let mut targets: BTreeMap<(usize, &str, &str), Vec<&str>> = BTreeMap::new();
    let mut known: BTreeMap<&str, Vec<Place<'_>>> = BTreeMap::new();
    for id in left.appeared.iter().copied() {
        let (_, class, name) = parts(id);
        let places = known.entry(class).or_insert_with(|| standing(class, &new));
        for (rename, beyond) in places.iter().copied() {
            targets.entry((rename, beyond, name)).or_default().push(id);
        }
    }
    let mut edges = BTreeSet::new();
    let mut known: BTreeMap<&str, Vec<Place<'_>>> = BTreeMap::new();
    for id in left.vanished.iter().copied() {
        let (_, class, name) = parts(id);
        let places = known.entry(class).or_insert_with(|| standing(class, &old));
        for (rename, beyond) in places.iter().copied() {
            for target in targets.get(&(rename, beyond, name)).into_iter().flatten() {
                edges.insert((id.to_owned(), (*target).to_owned()));
            }
        }
    }
    left.pair_lonely(&edges, Renaming::Moved);
}

/// The paths that `class` can stand in.
fn standing<'c>(class: &'c str, paths: &[Path<'_>]) -> Vec<Place<'c>> {
    let found = paths.iter().enumerate();
    found
        .filter_map(|(at, path)| Some((at, beyond(class, path)?)))
        .collect()
}

/// What of `class` is beyond the file at `path`; `None`: it does not stand there.
fn beyond<'c>(class: &'c str, path: &Path<'_>) -> Option<&'c str> {
    if class.is_empty() {
        return None;
    }
    if ends_in(path.path, class, '/') {
        return Some("");
    }
    if path.path.ends_with("_test.go") {
        let (folder, _) = path.path.rsplit_once('/')?;
        return ends_in(class, folder, '/').then_some("");
    }
    let cuts = class.rmatch_indices(['.', '$']).map(|(at, _)| at);
    let mut cuts = std::iter::once(class.len())
        .chain(cuts)
        .filter(|at| *at > 0);
    let cut = cuts.find(|cut| ends_in(&path.dotted, &class[..*cut], '.'))?;
    Some(&class[cut..])
}

/// Whether `whole` is `end`, or ends in it after a `between`.
fn ends_in(whole: &str, end: &str, between: char) -> bool {
    whole
        .strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with(between))
}
