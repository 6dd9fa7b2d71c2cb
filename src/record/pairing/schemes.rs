//! Classes whose tests are named in another way: by another version or configuration of a tool,
//! or by another folder it was run in.

use std::collections::{BTreeMap, BTreeSet};

use super::{Left, Renaming, parts};

/// A class whose tests are named in another way than before.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SchemeChange {
    /// `[module//]class` of the vanished ids.
    pub before: String,
    /// `[module//]class` of the new ones.
    pub now: String,
    /// Ids of `before` that vanished.
    pub vanished: u64,
    /// Ids of `now` that are new.
    pub appeared: u64,
}

/// Ids by what stands before their name.
fn by_class<'a>(ids: impl IntoIterator<Item = &'a str>) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut classes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for id in ids {
        let name = parts(id).2;
        let class = id[..id.len() - name.len()].trim_end_matches("::");
        classes.entry(class).or_default().push(id);
    }
    classes
}

/// Pairs classes that are on one side alone and told with more or fewer leading parts, or in
/// another module.
pub(super) fn pair(
    left: &mut Left<'_>,
    before: &BTreeSet<&str>,
    now: &BTreeSet<&str>,
    changes: &mut Vec<SchemeChange>,
) {
    let was = by_class(before.iter().copied());
    let is = by_class(now.iter().copied());
    let gone = by_class(left.vanished.iter().copied());
    let new = by_class(left.appeared.iter().copied());
    // What the last part of a class is stays the same.
    let mut ends: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for class in new.keys().filter(|c| !was.contains_key(**c)) {
        ends.entry(last(class)).or_default().push(class);
    }
    let mut like: Vec<(&str, &str)> = Vec::new();
    for class in gone.keys().copied().filter(|c| !is.contains_key(*c)) {
        let names: BTreeSet<&str> = gone[class].iter().map(|id| parts(id).2).collect();
        let candidates = ends.get(last(class)).map_or(&[][..], Vec::as_slice);
        let same = candidates.iter().copied().filter(|other| {
            told_apart(class, other) && new[*other].iter().any(|id| names.contains(parts(id).2))
        });
        like.extend(same.map(|other| (class, other)));
    }
    let mut from: BTreeMap<&str, u32> = BTreeMap::new();
    let mut to: BTreeMap<&str, u32> = BTreeMap::new();
    for (class, other) in &like {
        *from.entry(class).or_default() += 1;
        *to.entry(other).or_default() += 1;
    }
    let mut edges = BTreeSet::new();
    for (class, other) in like {
        if from[class] != 1 || to[other] != 1 {
            continue;
        }
        let names: BTreeMap<&str, &str> = new[other].iter().map(|id| (parts(id).2, *id)).collect();
        for id in &gone[class] {
            if let Some(now) = names.get(parts(id).2) {
                edges.insert(((*id).to_owned(), (*now).to_owned()));
            }
        }
        changes.push(SchemeChange {
            before: class.to_owned(),
            now: other.to_owned(),
            vanished: gone[class].len() as u64,
            appeared: new[other].len() as u64,
        });
    }
    left.pair_lonely(&edges, Renaming::Scheme);
}

/// The last part of a class: what is left when a path before it is dropped.
fn last(class: &str) -> &str {
    class.rsplit(['.', '/']).next().unwrap_or(class)
}

/// Whether one is the other with more in front, or in another module.
fn told_apart(a: &str, b: &str) -> bool {
    let bare = |class: &str| class.rsplit_once("//").map_or(0, |(m, _)| m.len() + 2);
    let (a, b) = (&a[bare(a)..], &b[bare(b)..]);
    let shorter = |long: &str, short: &str| {
        !short.is_empty()
            && long
                .strip_suffix(short)
                .is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    shorter(a, b) || shorter(b, a)
}

/// Classes of which most ids vanished and as many are new: at least two, numbers alone left out.
pub(super) fn renamed_within(
    left: &Left<'_>,
    before: &BTreeSet<&str>,
    positional: &BTreeSet<String>,
    changes: &mut Vec<SchemeChange>,
) {
    let was = by_class(before.iter().copied());
    let told = |id: &&str| !positional.contains(*id);
    let gone = by_class(left.vanished.iter().copied().filter(told));
    let new = by_class(left.appeared.iter().copied().filter(told));
    for (class, vanished) in gone {
        let appeared = new.get(class).map_or(0, Vec::len);
        let all = was.get(class).map_or(0, Vec::len);
        if vanished.len() >= 2 && vanished.len() * 2 > all && appeared >= vanished.len() {
            changes.push(SchemeChange {
                before: class.to_owned(),
                now: class.to_owned(),
                vanished: vanished.len() as u64,
                appeared: appeared as u64,
            });
        }
    }
}
