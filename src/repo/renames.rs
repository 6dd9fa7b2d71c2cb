//! Which deleted file an added one was, from what shows of git's rename search from outside
//! (`git help diffcore`, and trials against `git diff-tree -M`).
//!
//! Three steps, each over what the step before left. Equal ids: an added file, in path order,
//! takes a deleted one with its id, one with its file name first; of many only the first
//! hundred are looked at. Then a file name that one deleted and one added file have and no
//! other, when three quarters alike. Then the rest by similarity, the best pair first. An
//! added file remembers four deleted ones for that, so that the fifth best is never taken.
//!
//! `git blame` asks another question: where does this one path come from, whatever the others
//! are? That answer stands beside the pairs, and several added files may give the same one.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::similarity::{self, HALF, Print, SAME_NAME};
use super::{Entry, EntryMode, Oid};

/// `diff.renameLimit` as git has it by default: no more pairs than its square are compared.
pub(super) const LIMIT: usize = 1_000;
/// Of the deleted files with one id so many are looked at for each added file.
const EQUALS_SEEN: usize = 100;
/// An added file remembers its best so many deleted files.
const REMEMBERED: usize = 4;

/// A file, link or submodule that is on one side only.
#[derive(Clone, Copy)]
pub(super) struct Lone<'a> {
    /// Its path.
    pub(super) path: &'a [u8],
    /// What it is.
    pub(super) entry: Entry,
}

impl<'a> Lone<'a> {
    fn file_name(&self) -> &'a [u8] {
        let from = self.path.iter().rposition(|b| *b == b'/');
        &self.path[from.map_or(0, |slash| slash + 1)..]
    }

    fn same_content(&self, other: &Lone<'_>) -> bool {
        self.entry.id == other.entry.id && self.entry.mode == other.entry.mode
    }
}

/// Where contents come from.
pub(super) trait Contents {
    /// The size of a blob in bytes; `None` where it is not here.
    fn size(&mut self, id: Oid) -> Option<u64>;
    /// The bytes of a blob; `None` where it is not here.
    fn read(&mut self, id: Oid) -> Option<&[u8]>;
}

/// What the search found; numbers are places in the lists it was given.
#[derive(Default)]
pub(super) struct Renames {
    /// For each added file the deleted one it was; no deleted file twice.
    pub(super) pairs: Vec<Option<usize>>,
    /// For each added file the deleted one it would be if it were the only added one.
    pub(super) origins: Vec<Option<usize>>,
    /// Too many were left to compare; pairs and origins by similarity are not there.
    pub(super) limit_hit: bool,
    /// The ids that would have been read but are not here.
    pub(super) missing: BTreeSet<Oid>,
}

/// Pairs deleted and added files, both in path order, comparing at most `limit` × `limit`.
pub(super) fn search(
    deleted: &[Lone<'_>],
    added: &[Lone<'_>],
    limit: usize,
    contents: &mut impl Contents,
) -> Renames {
    let mut found = Renames {
        pairs: vec![None; added.len()],
        origins: vec![None; added.len()],
        ..Renames::default()
    };
    if deleted.is_empty() || added.is_empty() {
        return found;
    }
    let mut search = Search {
        deleted,
        added,
        taken: vec![false; deleted.len()],
        prints: Prints::new(contents),
    };
    search.by_id(&mut found);
    search.by_file_name(&mut found);
    search.by_similarity(&mut found, limit);
    found.missing = search.prints.missing;
    found
}

struct Search<'a, C> {
    deleted: &'a [Lone<'a>],
    added: &'a [Lone<'a>],
    taken: Vec<bool>,
    prints: Prints<'a, C>,
}

impl<C: Contents> Search<'_, C> {
    fn pair(&mut self, found: &mut Renames, added: usize, deleted: usize) {
        self.taken[deleted] = true;
        found.pairs[added] = Some(deleted);
    }

    fn by_id(&mut self, found: &mut Renames) {
        let mut with_id: HashMap<Oid, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (d, lone) in self.deleted.iter().enumerate() {
            let (all, left) = with_id.entry(lone.entry.id).or_default();
            all.push(d);
            left.push(d);
        }
        for (a, lone) in self.added.iter().enumerate() {
            let Some((all, left)) = with_id.get_mut(&lone.entry.id) else {
                continue;
            };
            found.origins[a] = self.first_equal(lone, all).map(|at| all[at]);
            if let Some(at) = self.first_equal(lone, left) {
                let d = left.remove(at);
                self.pair(found, a, d);
            }
        }
    }

    /// The place in `among` of the deleted file that has `lone`'s content, its name preferred.
    fn first_equal(&self, lone: &Lone<'_>, among: &[usize]) -> Option<usize> {
        let equals = || {
            let seen = among.iter().enumerate().take(EQUALS_SEEN);
            seen.filter(|(_, d)| self.deleted[**d].same_content(lone))
        };
        let named = equals().find(|(_, d)| self.deleted[**d].file_name() == lone.file_name());
        named.or_else(|| equals().next()).map(|(at, _)| at)
    }

    fn by_file_name(&mut self, found: &mut Renames) {
        let all = names(self.deleted, |_| true);
        let left = names(self.deleted, |d| !self.taken[d]);
        let open = names(self.added, |a| found.pairs[a].is_none());
        for a in 0..self.added.len() {
            let name = self.added[a].file_name();
            let only = |names: &HashMap<&[u8], Named>| match names.get(name) {
                Some(Named::Once(at)) => Some(*at),
                _ => None,
            };
            let origin = only(&all).filter(|_| found.origins[a].is_none());
            if let Some(d) = origin.filter(|d| self.score(*d, a, SAME_NAME) >= SAME_NAME) {
                found.origins[a] = Some(d);
            }
            let pair = only(&left).filter(|_| only(&open) == Some(a));
            if let Some(d) = pair.filter(|d| self.score(*d, a, SAME_NAME) >= SAME_NAME) {
                self.pair(found, a, d);
            }
            self.prints.prints.clear();
        }
    }

    fn by_similarity(&mut self, found: &mut Renames, limit: usize) {
        let open = found.pairs.iter().filter(|p| p.is_none()).count();
        let left = self.taken.iter().filter(|taken| !**taken).count();
        let lost = found.origins.iter().filter(|o| o.is_none()).count();
        let most = limit.saturating_mul(limit);
        found.limit_hit = left > 0 && open.saturating_mul(left) > most;
        let pairing = left > 0 && open > 0 && !found.limit_hit;
        let tracing = lost > 0 && lost.saturating_mul(self.deleted.len()) <= most;
        if !pairing && !tracing {
            return;
        }
        let targets: Vec<usize> = (0..self.added.len())
            .filter(|a| {
                (pairing && found.pairs[*a].is_none()) || (tracing && found.origins[*a].is_none())
            })
            .collect();
        let mut pairs = vec![Best::default(); self.added.len()];
        let mut origins = vec![Best::default(); self.added.len()];
        let mut compare = |search: &mut Self, d: usize, a: usize| {
            let pairs_too = pairing && found.pairs[a].is_none() && !search.taken[d];
            let traces = tracing && found.origins[a].is_none();
            if !pairs_too && !traces {
                return;
            }
            let near = Near {
                score: search.score(d, a, HALF),
                same_name: search.deleted[d].file_name() == search.added[a].file_name(),
                deleted: d,
            };
            if pairs_too {
                pairs[a].offer(near);
            }
            if traces {
                origins[a].offer(near);
            }
        };
        // The longer side goes outside and is forgotten row by row; for each added file the
        // deleted ones come in path order either way.
        if targets.len() >= self.deleted.len() {
            for &a in &targets {
                (0..self.deleted.len()).for_each(|d| compare(self, d, a));
                self.prints.forget(self.added[a].entry.id);
            }
        } else {
            for d in 0..self.deleted.len() {
                targets.iter().for_each(|&a| compare(self, d, a));
                self.prints.forget(self.deleted[d].entry.id);
            }
        }
        for &a in &targets {
            if found.origins[a].is_none() {
                found.origins[a] = origins[a].best().map(|near| near.deleted);
            }
        }
        let mut ranked: Vec<(usize, Near)> = targets
            .iter()
            .flat_map(|&a| pairs[a].kept().map(move |near| (a, near)))
            .collect();
        ranked.sort_by_key(|(_, near)| std::cmp::Reverse(near.rank()));
        for (a, near) in ranked {
            if found.pairs[a].is_none() && !self.taken[near.deleted] {
                self.pair(found, a, near.deleted);
            }
        }
    }

    /// How alike two lone files are; 0 where they cannot reach `least`, are no files, or one of
    /// them is not here.
    fn score(&mut self, d: usize, a: usize, least: u32) -> u32 {
        let (old, new) = (self.deleted[d].entry, self.added[a].entry);
        if old.mode != EntryMode::File || new.mode != EntryMode::File {
            return 0;
        }
        let (Some(old_size), Some(new_size)) = (self.prints.size(old.id), self.prints.size(new.id))
        else {
            return 0;
        };
        if similarity::sizes_rule_out(old_size, new_size, least) {
            return 0;
        }
        match (self.prints.of(old.id), self.prints.of(new.id)) {
            (Some(old), Some(new)) => similarity::score(&old, &new),
            _ => 0,
        }
    }
}

/// How often a file name occurs.
enum Named {
    Once(usize),
    More,
}

fn names<'a>(lones: &[Lone<'a>], which: impl Fn(usize) -> bool) -> HashMap<&'a [u8], Named> {
    let mut names = HashMap::new();
    for (i, lone) in lones.iter().enumerate().filter(|(i, _)| which(*i)) {
        names
            .entry(lone.file_name())
            .and_modify(|seen| *seen = Named::More)
            .or_insert(Named::Once(i));
    }
    names
}

/// A deleted file as a candidate of an added one.
#[derive(Clone, Copy)]
struct Near {
    score: u32,
    same_name: bool,
    deleted: usize,
}

impl Near {
    fn rank(&self) -> (u32, bool) {
        (self.score, self.same_name)
    }
}

/// The deleted files an added one remembers. A place is given up only for a better candidate,
/// the first of the worst places first, which decides among equals later.
#[derive(Clone, Copy, Default)]
struct Best([Option<Near>; REMEMBERED]);

impl Best {
    fn offer(&mut self, near: Near) {
        let rank = |place: &Option<Near>| place.map(|near| near.rank());
        if let Some(worst) = self.0.iter_mut().min_by_key(|place| rank(place))
            && rank(worst) < Some(near.rank())
        {
            *worst = Some(near);
        }
    }

    /// Those that are alike enough, by place.
    fn kept(&self) -> impl Iterator<Item = Near> {
        self.0
            .into_iter()
            .flatten()
            .filter(|near| near.score >= HALF)
    }

    /// The best of them; of equals the one in the first place.
    fn best(&self) -> Option<Near> {
        self.kept().reduce(|best, near| {
            if near.rank() > best.rank() {
                near
            } else {
                best
            }
        })
    }
}

/// Sizes and prints of blobs, each read once until it is forgotten.
struct Prints<'a, C> {
    contents: &'a mut C,
    sizes: HashMap<Oid, Option<u64>>,
    prints: HashMap<Oid, Option<Rc<Print>>>,
    missing: BTreeSet<Oid>,
}

impl<'a, C: Contents> Prints<'a, C> {
    fn new(contents: &'a mut C) -> Self {
        Prints {
            contents,
            sizes: HashMap::new(),
            prints: HashMap::new(),
            missing: BTreeSet::new(),
        }
    }

    fn size(&mut self, id: Oid) -> Option<u64> {
        let size = *self
            .sizes
            .entry(id)
            .or_insert_with(|| self.contents.size(id));
        if size.is_none() {
            self.missing.insert(id);
        }
        size
    }

    fn of(&mut self, id: Oid) -> Option<Rc<Print>> {
        let print = self
            .prints
            .entry(id)
            .or_insert_with(|| {
                self.contents
                    .read(id)
                    .map(|bytes| Rc::new(Print::of(bytes)))
            })
            .clone();
        if print.is_none() {
            self.missing.insert(id);
        }
        print
    }

    fn forget(&mut self, id: Oid) {
        self.prints.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contents by the number their id spells.
    struct Numbered(Vec<Option<Vec<u8>>>);

    impl Numbered {
        fn at(&self, id: Oid) -> Option<&Vec<u8>> {
            let number = u64::from_str_radix(&id.to_string(), 16).ok()?;
            self.0.get(usize::try_from(number).ok()?)?.as_ref()
        }
    }

    impl Contents for Numbered {
        fn size(&mut self, id: Oid) -> Option<u64> {
            self.at(id).map(|bytes| bytes.len() as u64)
        }

        fn read(&mut self, id: Oid) -> Option<&[u8]> {
            self.at(id).map(Vec::as_slice)
        }
    }

    fn lone(path: &str, number: usize) -> Lone<'_> {
        let id = Oid::from_hex(&format!("{number:040x}")).expect("an id");
        Lone {
            path: path.as_bytes(),
            entry: Entry {
                mode: EntryMode::File,
                id,
            },
        }
    }

    fn text(from: usize, to: usize) -> Option<Vec<u8>> {
        let line = |i| format!("the line number {i:04}\n").into_bytes();
        Some((from..to).flat_map(line).collect())
    }

    #[test]
    fn over_the_limit_equal_ids_and_single_names_are_still_found() {
        let mut contents = Numbered(vec![
            text(0, 100),
            text(200, 300),
            text(200, 290),
            text(400, 500),
            text(400, 460),
        ]);
        let deleted = [
            lone("a/equal", 0),
            lone("a/name", 1),
            lone("a/p", 3),
            lone("a/q", 3),
        ];
        let added = [
            lone("b/moved", 0),
            lone("b/name", 2),
            lone("b/r", 4),
            lone("b/s", 4),
        ];
        let within = search(&deleted, &added, 2, &mut contents);
        assert_eq!(within.pairs, [Some(0), Some(1), Some(2), Some(3)]);
        assert!(!within.limit_hit);
        let over = search(&deleted, &added, 1, &mut contents);
        assert_eq!(over.pairs, [Some(0), Some(1), None, None]);
        assert_eq!(over.origins, over.pairs);
        assert!(over.limit_hit);
    }

    #[test]
    fn the_longer_side_does_not_decide() {
        let mut contents = Numbered((0..6).map(|i| text(10 * i, 100 + 10 * i)).collect());
        let some = [lone("a/0", 0), lone("a/2", 2)];
        let more = [
            lone("b/1", 1),
            lone("b/3", 3),
            lone("b/4", 4),
            lone("b/5", 5),
        ];
        let found = search(&some, &more, LIMIT, &mut contents);
        assert_eq!(found.pairs, [Some(0), Some(1), None, None]);
        assert_eq!(found.origins, [Some(0), Some(1), Some(1), Some(1)]);
        let found = search(&more, &some, LIMIT, &mut contents);
        assert_eq!(found.pairs, [Some(0), Some(1)]);
        assert_eq!(found.origins, [Some(0), Some(0)]);
    }

    #[test]
    fn what_is_not_here_is_named_and_left_out() {
        let mut contents = Numbered(vec![None, text(0, 90), text(0, 100)]);
        let deleted = [lone("a/gone", 0), lone("a/here", 1)];
        let found = search(&deleted, &[lone("b/new", 2)], LIMIT, &mut contents);
        assert_eq!(found.pairs, [Some(1)]);
        assert_eq!(found.missing, BTreeSet::from([deleted[0].entry.id]));
    }
}
