//! Joins the changes of a line into lineages: paths that a rename, or a line's origin, connects.

use std::collections::{BTreeMap, HashMap};

use crate::repo::{Oid, TreeChange};
use crate::syntax::Language;

use super::lineage::Lineage;

/// The lineages of all code files: those that change, then those that only stand there.
pub(super) fn join(
    changes: &[Option<TreeChange>],
    initial: &[(Box<[u8]>, Oid)],
    start: usize,
) -> Vec<Lineage> {
    let mut groups = Groups::default();
    let is_code = |p: &[u8]| Language::of_path(p).is_some();
    for change in changes.iter().skip(start).flatten() {
        for f in &change.files {
            let related = [f.old_path.as_deref(), f.origin.as_ref().map(|o| &*o.0)];
            let code = is_code(&f.path) || related.iter().flatten().any(|p| is_code(p));
            if !code {
                continue;
            }
            let me = groups.id(&f.path);
            for other in related.into_iter().flatten() {
                let other = groups.id(other);
                groups.unite(me, other);
            }
        }
    }
    let mut lineages: BTreeMap<usize, Lineage> = BTreeMap::new();
    for (position, change) in changes.iter().enumerate().skip(start) {
        for (i, f) in change.iter().flat_map(|c| &c.files).enumerate() {
            if let Some(id) = groups.find_path(&f.path) {
                let number = u32::try_from(position).unwrap_or(u32::MAX);
                let index = u32::try_from(i).unwrap_or(u32::MAX);
                lineages.entry(id).or_default().events.push((number, index));
            }
        }
    }
    let mut alone = Vec::new();
    for (path, blob) in initial {
        match groups.find_path(path) {
            Some(id) => lineages
                .entry(id)
                .or_default()
                .initial
                .push((path.clone(), *blob)),
            None if is_code(path) => alone.push(Lineage {
                initial: vec![(path.clone(), *blob)],
                events: Vec::new(),
            }),
            None => {}
        }
    }
    lineages.into_values().chain(alone).collect()
}

/// Union-find over paths.
#[derive(Default)]
struct Groups<'a> {
    ids: HashMap<&'a [u8], usize>,
    parent: Vec<usize>,
}

impl<'a> Groups<'a> {
    fn id(&mut self, path: &'a [u8]) -> usize {
        let next = self.parent.len();
        let id = *self.ids.entry(path).or_insert(next);
        if id == next {
            self.parent.push(next);
        }
        id
    }

    fn root(&mut self, mut id: usize) -> usize {
        while self.parent[id] != id {
            self.parent[id] = self.parent[self.parent[id]];
            id = self.parent[id];
        }
        id
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high] = low;
    }

    fn find_path(&mut self, path: &[u8]) -> Option<usize> {
        let id = *self.ids.get(path)?;
        Some(self.root(id))
    }
}
