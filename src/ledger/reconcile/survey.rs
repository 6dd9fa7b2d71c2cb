//! What there is: lines, records, refs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::matching::{Counterpart, New, Old, counterparts};
use super::{Action, Adoption};
use crate::error::{Error, Result};
use crate::ledger::chains::{Chain, Chains, Lazy, Line, Recorded, Search, Tip, adopts, heads};
use crate::ledger::stored::{Records, Says, Stored};
use crate::record::{ChainPath, Head, Kind, RecordId};
use crate::repo::{Oid, Reader, Repo};

/// One record of a chain and where it sits.
pub(super) struct Held<'a> {
    pub(super) kind: Kind,
    pub(super) on: Oid,
    pub(super) head: &'a Head,
    pub(super) stored: &'a Stored,
    /// The commit it was made for.
    pub(super) of: Oid,
}

/// All that was looked at.
pub(super) struct Survey<'a> {
    pub(super) reader: &'a Reader,
    pub(super) cut_off: Option<&'static str>,
    pub(super) chains: Chains,
    pub(super) recorded: std::sync::Arc<Recorded>,
    /// The lines of each chain whose tip no other line holds.
    live: BTreeMap<String, Vec<Line>>,
    /// The records of each chain, of every kind.
    held: BTreeMap<String, Vec<Held<'a>>>,
    /// Lines of later schemas, by the commit they sit on.
    newer: BTreeMap<Oid, Vec<(Kind, &'a Stored)>>,
    pub(super) refs: BTreeMap<String, Oid>,
    /// Lines that reflogs lead to, of chains to which no ref leads.
    reflog: BTreeMap<String, Vec<Line>>,
    picks: Vec<(Oid, Oid)>,
    unused: RefCell<BTreeSet<(Oid, Oid)>>,
}

impl<'a> Survey<'a> {
    /// Looks at everything once.
    pub(super) fn take(
        repo: &Repo,
        reader: &'a Reader,
        records: &'a Records,
        picks: &[(Oid, Oid)],
    ) -> Result<Survey<'a>> {
        let chains = crate::ledger::chains(reader)?;
        let recorded = std::sync::Arc::clone(chains.recorded(reader)?);
        let lazy = Lazy::new(reader);
        let (found, _) = crate::ledger::chains::lines(reader, &lazy)?;
        let live = found
            .into_iter()
            .map(|(begin, by_base)| (begin, heads(by_base.into_values().flatten().collect())))
            .collect();
        let mut held = BTreeMap::<String, Vec<Held<'a>>>::new();
        let mut newer = BTreeMap::<Oid, Vec<(Kind, &'a Stored)>>::new();
        for (kind, by) in records.lines.iter().chain(&records.dangling) {
            for (on, lines) in by {
                for stored in lines {
                    match &stored.says {
                        Says::Newer { .. } => newer.entry(*on).or_default().push((*kind, stored)),
                        Says::Known(record) => {
                            let head = &record.head;
                            let Some(of) = Oid::from_hex(head.commit.as_str()) else {
                                continue;
                            };
                            held.entry(head.begin.to_string()).or_default().push(Held {
                                kind: *kind,
                                on: *on,
                                head,
                                stored,
                                of,
                            });
                        }
                    }
                }
            }
        }
        let refs = reader.references()?.into_iter();
        Ok(Survey {
            reader,
            cut_off: match (repo.is_shallow(), repo.is_partial()) {
                (true, _) => Some("a shallow clone"),
                (_, true) => Some("a partial clone"),
                _ => None,
            },
            recorded,
            live,
            held,
            newer,
            refs: refs
                .filter(|r| !r.symbolic)
                .map(|r| (r.name, r.commit))
                .collect(),
            reflog: in_reflog(reader, &chains)?,
            chains,
            picks: picks.to_vec(),
            unused: RefCell::new(picks.iter().copied().collect()),
        })
    }

    /// The chains that are asked for, by `Evolve-Begin`.
    pub(super) fn wanted(&self, name: Option<&str>) -> Result<Vec<String>> {
        let mut all: BTreeSet<String> = self.held.keys().cloned().collect();
        all.extend(self.chains.chains.iter().map(|c| c.begin.clone()));
        all.extend(self.reflog.keys().cloned());
        let Some(name) = name else {
            return Ok(all.into_iter().collect());
        };
        let mut wanted: BTreeSet<String> =
            self.chains.named(name).map(|c| c.begin.clone()).collect();
        for (begin, held) in &self.held {
            if begin == name || held.iter().any(|h| h.head.chain.to_string() == name) {
                wanted.insert(begin.clone());
            }
        }
        wanted.extend(all.into_iter().filter(|b| b == name));
        if wanted.is_empty() {
            return Err(Error::usage(format!(
                "no chain is called {name}, and none that was recorded"
            ))
            .with_hint("`git evolve reconcile` without a name looks at all"));
        }
        Ok(wanted.into_iter().collect())
    }

    /// What chains leave to be said.
    pub(super) fn remarks(&self, wanted: &[String]) -> Vec<String> {
        let of = |c: &&Chain| wanted.contains(&c.begin);
        let notes = self.chains.chains.iter().filter(of);
        let notes = notes.flat_map(|c| c.notes.iter().map(move |n| format!("{}: {n}", c.label)));
        notes.chain(self.chains.remarks.iter().cloned()).collect()
    }

    /// The chain that begins with `begin`, where a line of it was found.
    pub(super) fn chain(&self, begin: &str) -> Option<&Chain> {
        self.chains.chains.iter().find(|c| c.begin == begin)
    }

    /// The lines of `begin` that refs lead to.
    pub(super) fn live(&self, begin: &str) -> &[Line] {
        self.live.get(begin).map_or(&[], Vec::as_slice)
    }

    /// All records of `begin`.
    pub(super) fn held(&self, begin: &str) -> &[Held<'a>] {
        self.held.get(begin).map_or(&[], Vec::as_slice)
    }

    /// How many records of `begin` were made for the commits `of`, each counted once.
    pub(super) fn count(&self, begin: &str, of: &[Oid]) -> BTreeMap<Kind, usize> {
        let mut ids = BTreeMap::<Kind, BTreeSet<&RecordId>>::new();
        for h in self.held(begin).iter().filter(|h| of.contains(&h.of)) {
            ids.entry(h.kind).or_default().insert(&h.head.id);
        }
        ids.into_iter().map(|(k, ids)| (k, ids.len())).collect()
    }

    /// The tree of a commit, as a record made for it or for its child says it.
    pub(super) fn tree_of(&self, begin: &str, commit: Oid) -> Option<Oid> {
        let made_for = self.held(begin).iter().find(|h| h.of == commit)?;
        Oid::from_hex(made_for.head.tree.as_str())
    }

    /// The lines of `begin` that lead down from `commits` and that no ref leads to; only those
    /// whose tip no other holds.
    pub(super) fn lost_lines(&self, begin: &str, commits: &[Oid]) -> Result<Vec<Line>> {
        let mut newest_first: Vec<(i64, Oid)> = Vec::with_capacity(commits.len());
        for id in commits {
            newest_first.push((-self.reader.commit(*id)?.time, *id));
        }
        newest_first.sort();
        let lazy = Lazy::new(self.reader);
        let mut search = Search::new(self.reader, &lazy);
        let mut covered = HashSet::new();
        let mut lines = Vec::new();
        for (_, id) in newest_first {
            // One that a line holds is no tip; most are.
            if covered.contains(&id) {
                continue;
            }
            if let Some((of, line)) = search.line(id, Tip::lost())?
                && of == begin
            {
                covered.extend(line.commits.iter().map(|c| c.id));
                lines.push(line);
            }
        }
        Ok(heads(lines))
    }

    /// Lines that reflogs lead to, of chains to which no ref leads.
    pub(super) fn in_reflog(&self, begin: &str) -> &[Line] {
        self.reflog.get(begin).map_or(&[], Vec::as_slice)
    }

    /// Where `old` went where somebody picked it out of several.
    fn picked(&self, old: &Old, found: Counterpart) -> Counterpart {
        let Counterpart::Several(candidates) = &found else {
            return found;
        };
        let pick = self
            .picks
            .iter()
            .find(|(from, to)| *from == old.id && candidates.iter().any(|(id, _)| id == to));
        match pick {
            Some(pick) => {
                self.unused.borrow_mut().remove(pick);
                Counterpart::One(pick.1, vec!["picked by hand"])
            }
            None => found,
        }
    }

    /// A pick that nothing asked for.
    pub(super) fn unused_pick(&self) -> Option<(Oid, Oid)> {
        // One that was applied before stands in the notes, and asks for nothing more.
        let done = |(old, new): &(Oid, Oid)| {
            let of_old = |s: &crate::ledger::Sitting| s.of() == Some(*old);
            self.recorded.on(*new).iter().any(of_old)
        };
        self.unused.borrow().iter().find(|p| !done(p)).copied()
    }

    /// What carries the records made for `old` to `new`: none where all are there.
    pub(super) fn carry(&self, begin: &str, old: Oid, new: Oid) -> Option<Action> {
        let there: BTreeSet<&RecordId> = self
            .held(begin)
            .iter()
            .filter(|h| h.on == new)
            .map(|h| &h.head.id)
            .collect();
        let mut lines: Vec<(Kind, Stored)> = Vec::new();
        let mut seen = BTreeSet::new();
        for h in self.held(begin).iter().filter(|h| h.of == old) {
            if !there.contains(&h.head.id) && seen.insert((h.kind, &h.head.id)) {
                lines.push((h.kind, h.stored.clone()));
            }
        }
        // What a later version wrote goes along, whatever it says.
        let of = |on: Oid| self.newer.get(&on).map_or(&[][..], Vec::as_slice);
        for (kind, stored) in of(old) {
            let known = |(k, s): &(Kind, &Stored)| k == kind && s.id() == stored.id();
            if !of(new).iter().any(known) {
                lines.push((*kind, (*stored).clone()));
            }
        }
        (!lines.is_empty()).then_some(Action::Carry { to: new, lines })
    }

    /// What records that `new` stands for `old`: none where it is recorded.
    pub(super) fn adopt(
        &self,
        chain: &ChainPath,
        begin: &str,
        old: &Old,
        new: Oid,
    ) -> Option<Action> {
        if self
            .recorded
            .on(new)
            .iter()
            .filter_map(adopts)
            .any(|id| id == old.id)
        {
            return None;
        }
        Some(Action::Adopt(Box::new(Adoption {
            to: new,
            adopts: old.id,
            chain: chain.clone(),
            begin: RecordId::parse(begin)?,
            checkpoint: old.checkpoint,
            checkpoint_id: old.checkpoint_id.clone(),
            role: old.role,
        })))
    }

    /// The commits of a line of `begin` from `from` on, as counterparts are looked for among
    /// them.
    pub(super) fn news(&self, begin: &str, line: &Line, from: usize) -> Result<Vec<New>> {
        let own = line.commits.get(from..).unwrap_or_default();
        own.iter()
            .map(|c| New::read(self.reader, c.id, &self.recorded, begin))
            .collect()
    }

    /// Where each of `olds` went among `news`, where several were meant as it was picked.
    pub(super) fn went(&self, olds: &[Old], news: &[New]) -> Vec<Counterpart> {
        let found = counterparts(self.reader, olds, news);
        let both = olds.iter().zip(found);
        both.map(|(old, found)| self.picked(old, found)).collect()
    }
}

/// The lines that reflogs lead to, of chains of which no line was found.
fn in_reflog(reader: &Reader, chains: &Chains) -> Result<BTreeMap<String, Vec<Line>>> {
    let lazy = Lazy::new(reader);
    let mut search = Search::new(reader, &lazy);
    let lines = chains.chains.iter().flat_map(|c| &c.line);
    let mut covered: HashSet<Oid> = lines.map(|c| c.id).collect();
    let mut found = BTreeMap::<String, Vec<Line>>::new();
    for id in reader.reflog_commits()? {
        if covered.contains(&id) {
            continue;
        }
        let Some((begin, line)) = search.line(id, Tip::default())? else {
            continue;
        };
        covered.extend(line.commits.iter().map(|c| c.id));
        if !chains.chains.iter().any(|c| c.begin == begin) {
            found.entry(begin).or_default().push(line);
        }
    }
    Ok(found
        .into_iter()
        .map(|(begin, lines)| (begin, heads(lines)))
        .collect())
}
