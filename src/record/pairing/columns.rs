//! Parameters that are named after their position: `path3`, `[2] label`, `#01`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Left, Renaming, parts};

/// More comparisons than this within one function are not made: its ids stay unpaired.
const MOST: usize = 1 << 20;

/// The same function with as many parameters.
type Group<'a> = (&'a str, usize);

/// An id with its parameters.
type Parted<'a> = (&'a str, Vec<&'a str>);

/// Function and parameters of `class::name[a-b]`.
fn parameters(id: &str) -> Option<(&str, Vec<&str>)> {
    let start = id.len() - parts(id).2.len();
    let bracket = start + id[start..].find('[')?;
    let inside = id[bracket + 1..].strip_suffix(']')?;
    (bracket > start).then(|| (&id[..bracket], inside.split('-').collect()))
}

/// What stands before the digits of a part that can be named after its position: an identifier.
fn stem(part: &str) -> Option<&str> {
    let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    (stem.len() < part.len() && stem.starts_with(first) && stem.chars().all(word)).then_some(stem)
}

pub(super) fn pair(left: &mut Left<'_>, before: &BTreeSet<&str>, now: &BTreeSet<&str>) {
    by_column(left, before, now);
    by_part(left);
    by_label(left);
}

/// A column in which every id has one stem is named after the position; the others must be
/// equal.
fn by_column(left: &mut Left<'_>, before: &BTreeSet<&str>, now: &BTreeSet<&str>) {
    let mut stems: BTreeMap<Group<'_>, Vec<Option<&str>>> = BTreeMap::new();
    for id in before.union(now) {
        let Some((function, parts)) = parameters(id) else {
            continue;
        };
        let these: Vec<Option<&str>> = parts.iter().map(|part| stem(part)).collect();
        let seen = stems.entry((function, parts.len()));
        let seen = seen.or_insert_with(|| these.clone());
        for (seen, this) in seen.iter_mut().zip(these) {
            if *seen != this {
                *seen = None;
            }
        }
    }
    let key = |id: &str| {
        let (function, parts) = parameters(id)?;
        let columns = stems.get(&(function, parts.len()))?;
        let anchored = columns.iter().zip(&parts);
        let anchored = anchored
            .into_iter()
            .any(|(c, part)| c.is_none() && !part.is_empty());
        let shown: Vec<&str> = columns
            .iter()
            .zip(&parts)
            .map(|(column, part)| column.unwrap_or(part))
            .collect();
        let moves = columns.iter().any(Option::is_some);
        (anchored && moves).then(|| format!("{function}[{}]", shown.join("-")))
    };
    let edges = equal(left, key);
    left.pair_lonely(&edges, Renaming::Parameters);
}

/// Where no column tells: parts equal, or equal but for the digits, one of them as it is.
fn by_part(left: &mut Left<'_>) {
    let mut groups: BTreeMap<Group<'_>, [Vec<Parted<'_>>; 2]> = BTreeMap::new();
    for (side, ids) in [&left.vanished, &left.appeared].into_iter().enumerate() {
        for id in ids.iter().copied() {
            if let Some((function, parts)) = parameters(id) {
                let group = groups.entry((function, parts.len())).or_default();
                group[side].push((id, parts));
            }
        }
    }
    let mut edges = BTreeSet::new();
    for [vanished, appeared] in groups.values() {
        if vanished.len().saturating_mul(appeared.len()) > MOST {
            continue;
        }
        for (before, old) in vanished {
            for (now, new) in appeared {
                let like =
                    |(a, b): (&&str, &&str)| a == b || (stem(a).is_some() && stem(a) == stem(b));
                let anchored = old.iter().zip(new).any(|(a, b)| a == b && !a.is_empty());
                if anchored && old.iter().zip(new).all(like) {
                    edges.insert(((*before).to_owned(), (*now).to_owned()));
                }
            }
        }
    }
    left.pair_lonely(&edges, Renaming::Parameters);
}

/// `[2] label`: the label is the test.
fn by_label(left: &mut Left<'_>) {
    let edges = equal(left, |id| {
        let (_, _, name) = parts(id);
        let label = numbered_label(name)?;
        Some(format!("{}[] {label}", &id[..id.len() - name.len()]))
    });
    left.pair_lonely(&edges, Renaming::Parameters);
}

fn numbered_label(name: &str) -> Option<&str> {
    let (number, label) = name.strip_prefix('[')?.split_once("] ")?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (digits && !label.trim().is_empty()).then_some(label)
}

/// Every vanished id with every new one of the same key; of larger groups none, since nothing in
/// them is alone.
fn equal(left: &Left<'_>, key: impl Fn(&str) -> Option<String>) -> BTreeSet<(String, String)> {
    let mut groups: BTreeMap<String, [Vec<&str>; 2]> = BTreeMap::new();
    for (side, ids) in [&left.vanished, &left.appeared].into_iter().enumerate() {
        for id in ids.iter().copied() {
            if let Some(key) = key(id) {
                groups.entry(key).or_default()[side].push(id);
            }
        }
    }
    let mut edges = BTreeSet::new();
    for [vanished, appeared] in groups.values() {
        if let ([before], [now]) = (vanished.as_slice(), appeared.as_slice()) {
            edges.insert(((*before).to_owned(), (*now).to_owned()));
        }
    }
    edges
}

/// What is left on both sides and differs in numbers alone.
pub(super) fn positional(left: &Left<'_>) -> BTreeSet<String> {
    let mut groups: BTreeMap<String, [Vec<&str>; 2]> = BTreeMap::new();
    for (side, ids) in [&left.vanished, &left.appeared].into_iter().enumerate() {
        for id in ids.iter().copied() {
            if let Some(key) = without_position(id) {
                groups.entry(key).or_default()[side].push(id);
            }
        }
    }
    let both = groups
        .values()
        .filter(|[a, b]| !a.is_empty() && !b.is_empty());
    both.flatten()
        .flatten()
        .map(|id| (*id).to_owned())
        .collect()
}

/// `id` without what can be a position in it; `None`: there is nothing that can be parted.
fn without_position(id: &str) -> Option<String> {
    let name = parts(id).2;
    let before = &id[..id.len() - name.len()];
    if let Some((function, index)) = name.strip_suffix(']').and_then(|n| n.rsplit_once('['))
        && !function.is_empty()
        && !index.is_empty()
        && index.bytes().all(|b| b.is_ascii_digit())
    {
        return Some(format!("{before}{function}[]"));
    }
    if let Some((function, parts)) = parameters(id) {
        let bare: Vec<&str> = parts
            .iter()
            .map(|part| stem(part).unwrap_or(part))
            .collect();
        return Some(format!("{function}[{}]", bare.join("-")));
    }
    if let Some(label) = numbered_label(name) {
        return Some(format!("{before}[] {label}"));
    }
    let segments: Vec<&str> = name.split('/').map(without_go_number).collect();
    (segments.len() > 1).then(|| format!("{before}{}", segments.join("/")))
}

/// A subtest's name without the number that Go gives to one that stands twice.
pub(super) fn without_go_number(segment: &str) -> &str {
    match segment.rsplit_once('#') {
        Some((name, digits)) if digits.len() >= 2 && digits.bytes().all(|b| b.is_ascii_digit()) => {
            name
        }
        _ => segment,
    }
}
