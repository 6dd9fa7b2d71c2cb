//! Records of a chain whose commits are on no line that a ref leads to.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::matching::{Counterpart, Old};
use super::on_line::{Look, checkpoints, order};
use super::survey::{Held, Survey};
use super::{Found, Item};
use crate::error::Result;
use crate::ledger::chains::Line;
use crate::record::{Event, Kind, Role};
use crate::repo::Oid;

impl Look<'_, '_> {
    /// Records made for commits that are on no line a ref leads to.
    pub(super) fn orphans(&self, counted: &Line) -> Result<Vec<Item>> {
        let live: HashSet<Oid> = self
            .lines
            .iter()
            .flat_map(|l| l.commits.iter().map(|c| c.id))
            .collect();
        let olds = self.lost(counted, &live)?;
        let mut items = Vec::new();
        let mut done = BTreeSet::new();
        for line in self
            .survey
            .lost_lines(&self.chain.begin, &self.unkept(&olds, &live))?
        {
            if !olds.iter().any(|o| line.holds(o.id)) {
                continue;
            }
            items.extend(self.lost_line(counted, &line, &olds)?);
            done.extend(line.commits.iter().map(|c| c.id));
        }
        let rest: Vec<Old> = olds.into_iter().filter(|o| !done.contains(&o.id)).collect();
        if rest.is_empty() {
            return Ok(items);
        }
        let news = self.survey.news(&self.chain.begin, counted, 0)?;
        let went = self.survey.went(&rest, &news);
        let mut collapsed = Vec::new();
        for (old, counterpart) in rest.iter().zip(went) {
            match counterpart {
                Counterpart::One(new, evidence) => {
                    items.extend(self.carried(old, new, &evidence, &news));
                }
                Counterpart::Several(candidates) => items.push(self.ambiguous(old, &candidates)),
                Counterpart::Collapsed(new, why) => collapsed.push((old, new, why)),
                Counterpart::None => items.push(self.gone(old)),
            }
        }
        items.extend(self.collapsed(
            &collapsed,
            "their commits are not in this repository, so that what each changed cannot be had",
        ));
        Ok(items)
    }

    /// Where to look for lines that are still here: whatever was recorded, so that a line is kept
    /// whole, also where a part of it has its records on the counted line. Nothing where nothing
    /// is lost.
    fn unkept(&self, lost: &[Old], live: &HashSet<Oid>) -> Vec<Oid> {
        if !lost.iter().any(|o| o.here) {
            return Vec::new();
        }
        let made_for = self.survey.held(&self.chain.begin).iter().map(|h| h.of);
        let unkept: BTreeSet<Oid> = made_for
            .filter(|id| !live.contains(id) && self.survey.reader.commit(*id).is_ok())
            .collect();
        unkept.into_iter().collect()
    }

    /// The commits that records were made for, that no ref leads to, and whose records do not all
    /// sit on the counted line; in the order of a chain.
    fn lost(&self, counted: &Line, live: &HashSet<Oid>) -> Result<Vec<Old>> {
        let mut made_for = BTreeMap::<Oid, Vec<&Held<'_>>>::new();
        let mut on_line = BTreeSet::new();
        let held = self.survey.held(&self.chain.begin);
        // One that came to rest on a commit of another checkpoint, or on one of several, is lost.
        let counts: BTreeMap<Oid, (u32, u8)> = counted
            .commits
            .iter()
            .filter(|c| c.role != Role::Foreign)
            .map(|c| (c.id, (c.checkpoint, order(c.role))))
            .collect();
        for h in held {
            if counts.get(&h.on) == Some(&(h.head.checkpoint, order(h.head.role))) {
                on_line.insert((h.kind, &h.head.id));
            }
            if !live.contains(&h.of) {
                made_for.entry(h.of).or_default().push(h);
            }
        }
        let mut lost = Vec::new();
        for of in made_for.values() {
            if of.iter().all(|h| on_line.contains(&(h.kind, &h.head.id))) {
                continue;
            }
            // An adoption and a renaming are about other records, and go where these go.
            let about = |h: &&&Held<'_>| !is_bookkeeping(self.survey, h);
            let Some(first) = of.iter().find(about) else {
                continue;
            };
            let tree_of = |id| self.survey.tree_of(&self.chain.begin, id);
            lost.extend(Old::of_record(self.survey.reader, first.head, tree_of)?);
        }
        lost.sort_by_key(|o| (o.checkpoint, order(o.role), o.id));
        Ok(lost)
    }

    /// A line that is still here and that no ref keeps: rewritten whole onto the counted one, or
    /// to be kept.
    fn lost_line(&self, counted: &Line, line: &Line, lost: &[Old]) -> Result<Vec<Item>> {
        let common = counted.common(line);
        let own: Vec<Old> = line.commits[common..]
            .iter()
            .filter(|c| c.role != Role::Foreign)
            .map(|c| Old::of_line(self.survey.reader, c))
            .collect::<Result<_>>()?;
        let news = self.survey.news(&self.chain.begin, counted, common)?;
        let went = self.survey.went(&own, &news);
        let recorded = |old: &Old| lost.iter().any(|o| o.id == old.id);
        let both: Vec<(&Old, Counterpart)> = own.iter().zip(went).collect();
        let whole = both
            .iter()
            .all(|(old, c)| !recorded(old) || matches!(c, Counterpart::One(..)));
        if whole {
            let mut items = Vec::new();
            for (old, c) in &both {
                if let Counterpart::One(new, evidence) = c {
                    items.extend(self.carried(old, *new, evidence, &news));
                }
            }
            return Ok(items);
        }
        let mut item = self.item(Found::Keep);
        let without: Vec<&Old> = both
            .iter()
            .filter(|(old, c)| recorded(old) && !matches!(c, Counterpart::One(..)))
            .map(|(old, _)| *old)
            .collect();
        item.checkpoints = checkpoints(without.iter().copied());
        item.old = vec![line.tip()];
        let ids: Vec<Oid> = line.commits[common..].iter().map(|c| c.id).collect();
        item.records = self.survey.count(&self.chain.begin, &ids);
        item.says = format!(
            "recorded commits up to {} are here and no ref keeps them; on the line that counts {} missing",
            line.tip().short(),
            match without.len() {
                1 => "one is".to_owned(),
                n => format!("{n} are"),
            }
        );
        self.survey.keep(&mut item, &self.chain.begun_as, line);
        let mut items = vec![item];
        items.extend(self.merged(&both, "once the originals are kept they stay measured"));
        Ok(items)
    }

    fn gone(&self, old: &Old) -> Item {
        let cut = self.survey.cut_off.filter(|_| !old.here);
        let found = if cut.is_some() {
            Found::Unknown
        } else {
            Found::Gone
        };
        let mut item = self.about(found, old);
        item.says = match (old.here, cut) {
            (true, _) => format!(
                "{} is here, but its first parents lead to no base of this chain, and no commit of the line is it",
                old.id.short()
            ),
            (false, Some(cut)) => format!(
                "{} is not here: whether it was lost cannot be told in {cut}",
                old.id.short()
            ),
            (false, None) => format!(
                "{} is not in this repository and no commit of the line is it: its records remain, what it changed cannot be had",
                old.id.short()
            ),
        };
        item
    }
}

/// Whether it is a record about other records.
fn is_bookkeeping(survey: &Survey<'_>, held: &Held<'_>) -> bool {
    held.kind == Kind::Checkpoint
        && survey
            .recorded
            .on(held.on)
            .iter()
            .find(|s| s.head.id == held.head.id)
            .is_some_and(|s| matches!(s.says.event, Event::Adopt | Event::Rename))
}
