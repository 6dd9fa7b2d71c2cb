//! The trees that gates ran on: where tests stand, and what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::compared::Passage;
use super::gate::Gate;
use super::judged::Places;
use crate::ledger::tree_facts;
use crate::record::pairing::pair;
use crate::record::{TestPlaces, TestResult, TreeFacts};
use crate::repo::{ChangeStatus, Oid, Reader};

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

    /// The files of the tree a gate ran on; `None` where they cannot be read.
    fn facts(&mut self, gate: &Gate) -> Option<Arc<TreeFacts>> {
        let tree = gate.tree?;
        let reader = self.reader;
        let read = self.read.entry(tree);
        read.or_insert_with(|| tree_facts(reader, tree, None).ok().map(Arc::new))
            .clone()
    }

    /// Renamed files between two trees, earlier path to path now.
    fn moved(&self, before: &Gate, now: &Gate) -> BTreeMap<String, String> {
        let (Some(old), Some(new)) = (before.tree, now.tree) else {
            return BTreeMap::new();
        };
        let Ok(change) = self.reader.change(Some(old), Some(new)) else {
            return BTreeMap::new();
        };
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        let renamed = change.files.iter().filter_map(|file| {
            let old = file.old_path.as_deref()?;
            (file.status == ChangeStatus::Renamed).then(|| (text(old), text(&file.path)))
        });
        renamed.collect()
    }
}

/// What became of the tests of one gate at another, beyond their outcomes.
pub fn between(reader: &Reader, before: &Gate, now: &Gate) -> Passage {
    Trees::new(reader).passage(before, now)
}

/// The file that a test stands in.
fn file_of<'t>(places: &TestPlaces<'t>, test: &TestResult) -> Option<&'t str> {
    places.file(test.module.as_deref(), &test.class)
}

impl Places for Trees<'_> {
    fn passage(&mut self, before: &Gate, now: &Gate) -> Passage {
        let gone: Vec<(&String, &TestResult)> = before
            .tests
            .iter()
            .filter(|(id, _)| !now.tests.contains_key(*id))
            .map(|(id, test)| (id, &test.result))
            .collect();
        if gone.is_empty() {
            return Passage::default();
        }
        let moved = self.moved(before, now);
        let ids = |gate: &'_ Gate| -> Vec<String> { gate.tests.keys().cloned().collect() };
        let (old, new) = (ids(before), ids(now));
        let pairing = pair(
            old.iter().map(String::as_str),
            new.iter().map(String::as_str),
            &moved,
        );
        let renamed = pairing.pairs.into_iter().map(|p| (p.before, p.now));
        let mut passage = Passage {
            renamed: renamed.collect(),
            removed: BTreeSet::new(),
            positional: pairing.positional,
        };
        let (Some(old), Some(new)) = (self.facts(before), self.facts(now)) else {
            return passage;
        };
        let (old, new) = (TestPlaces::of(&old), TestPlaces::of(&new));
        // What stood nowhere before is kept elsewhere: nothing can be said of its file.
        let removed = gone.into_iter().filter(|(_, test)| {
            file_of(&old, test).is_some_and(|path| !moved.contains_key(path))
                && file_of(&new, test).is_none()
        });
        passage.removed = removed.map(|(id, _)| id.clone()).collect();
        passage
    }

    fn missing(
        &mut self,
        before: &Gate,
        now: &Gate,
        asked: &dyn Fn(&str) -> bool,
    ) -> BTreeSet<String> {
        // Most often everything that ran before ran again.
        let lost = |(id, _): &(&str, _)| !now.tests.contains_key(*id) && asked(id);
        let gone: Vec<&TestResult> = before
            .passed()
            .filter(lost)
            .map(|(_, test)| &test.result)
            .collect();
        if gone.is_empty() {
            return BTreeSet::new();
        }
        let Some(facts) = self.facts(now) else {
            return BTreeSet::new();
        };
        let places = TestPlaces::of(&facts);
        let ran: BTreeSet<&str> = now
            .tests
            .values()
            .filter_map(|test| file_of(&places, &test.result))
            .collect();
        let failed: BTreeSet<&str> = now
            .problems
            .iter()
            .map(|p| places.file(None, &p.place).unwrap_or(p.place.as_str()))
            .collect();
        let classes: BTreeSet<&str> = now
            .tests
            .values()
            .map(|test| test.result.class.as_str())
            .collect();
        gone.into_iter()
            .filter(|test| !classes.contains(test.class.as_str()))
            .filter_map(|test| {
                let file = file_of(&places, test)?;
                let told = failed.contains(file) || failed.contains(test.class.as_str());
                (!told && !ran.contains(file)).then(|| file.to_owned())
            })
            .collect()
    }
}
