//! The files of the trees that gates ran on: where tests stand, and what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::compared::Passage;
use super::gate::Gate;
use super::judged::Places;
use crate::record::TreeFacts;
use crate::repo::{EntryMode, Oid, Reader};

/// A larger `go.mod` is not read.
const GO_MOD_MAX: u64 = 1 << 20;

/// The files of `tree`; `None` where they cannot be read.
pub(super) fn facts(reader: &Reader, tree: Oid) -> Option<TreeFacts> {
    let mut facts = TreeFacts::default();
    for (path, entry) in reader.files(tree).ok()? {
        if entry.mode != EntryMode::File {
            continue;
        }
        let name = String::from_utf8_lossy(&path).into_owned();
        let is_go_mod = name == "go.mod" || name.ends_with("/go.mod");
        if is_go_mod && reader.blob_size(entry.id).ok()? <= GO_MOD_MAX {
            let mut bytes = Vec::new();
            reader.blob(entry.id, &mut bytes).ok()?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            facts.go_mod.insert(name.clone(), text);
        }
        facts.paths.push(name);
    }
    facts.paths.sort();
    Some(facts)
}

/// Trees, each read once.
pub(super) struct Trees<'r> {
    reader: &'r Reader,
    read: BTreeMap<Oid, Option<Arc<TreeFacts>>>,
}

impl<'r> Trees<'r> {
    pub(super) fn new(reader: &'r Reader) -> Trees<'r> {
        Trees {
            reader,
            read: BTreeMap::new(),
        }
    }

    fn facts(&mut self, tree: Option<Oid>) -> Option<Arc<TreeFacts>> {
        let tree = tree?;
        let reader = self.reader;
        let read = self.read.entry(tree);
        read.or_insert_with(|| facts(reader, tree).map(Arc::new))
            .clone()
    }
}

impl Places for Trees<'_> {
    fn passage(&mut self, before: &Gate, now: &Gate) -> Passage {
        let _ = (self.facts(before.tree), self.facts(now.tree));
        Passage::default()
    }

    fn missing(&mut self, _before: &Gate, _now: &Gate) -> BTreeSet<String> {
        BTreeSet::new()
    }
}
