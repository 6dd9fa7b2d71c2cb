//! A chain whose line was found: what its records and its refs have beside that line.

use std::collections::{BTreeMap, BTreeSet};

use super::matching::{Counterpart, New, Old};
use super::survey::Survey;
use super::{Action, Found, Item};
use crate::error::Result;
use crate::ledger::Chain;
use crate::ledger::chains::Line;
use crate::record::{Event, Role};
use crate::repo::{Oid, RefMove};

/// Everything about one chain.
pub(super) fn items(survey: &mut Survey<'_>, chain: &Chain) -> Result<Vec<Item>> {
    let look = Look {
        survey,
        chain,
        lines: survey.live(&chain.begin).to_vec(),
    };
    let Some(counted) = look.lines.iter().find(|l| l.tip() == chain.tip) else {
        return Ok(Vec::new());
    };
    let mut items = look.orphans(counted)?;
    for rival in look.lines.iter().filter(|l| l.tip() != chain.tip) {
        items.extend(look.rewritten(counted, rival)?);
    }
    // Where an older line is to be kept it is the one that counts, and the one to keep.
    if !items.iter().any(|i| i.found == Found::Keep) {
        items.extend(look.keeping(counted));
    }
    Ok(items)
}

/// What one chain is looked at with.
pub(super) struct Look<'s, 'a> {
    pub(super) survey: &'s Survey<'a>,
    pub(super) chain: &'s Chain,
    /// Those of the chain that refs lead to.
    pub(super) lines: Vec<Line>,
}

impl Look<'_, '_> {
    pub(super) fn item(&self, found: Found) -> Item {
        Item::new(&self.chain.label, &self.chain.begin, found)
    }

    pub(super) fn about(&self, found: Found, old: &Old) -> Item {
        let mut item = self.item(found);
        item.checkpoints = vec![old.checkpoint];
        item.role = Some(old.role);
        item.old = vec![old.id];
        item.records = self.survey.count(&self.chain.begin, &[old.id]);
        item
    }

    /// What became one commit of several of `both`.
    pub(super) fn merged(&self, both: &[(&Old, Counterpart)], then: &str) -> Vec<Item> {
        let collapsed: Vec<(&Old, Oid, &'static str)> = both
            .iter()
            .filter_map(|(old, c)| match c {
                Counterpart::Collapsed(new, why) => Some((*old, *new, *why)),
                _ => None,
            })
            .collect();
        self.collapsed(&collapsed, then)
    }

    pub(super) fn collapsed(&self, all: &[(&Old, Oid, &'static str)], then: &str) -> Vec<Item> {
        let mut by_new = BTreeMap::<Oid, Vec<&(&Old, Oid, &'static str)>>::new();
        for one in all {
            by_new.entry(one.1).or_default().push(one);
        }
        let mut items = Vec::new();
        for (new, of) in by_new {
            let mut item = self.item(Found::Collapsed);
            item.checkpoints = checkpoints(of.iter().map(|(old, ..)| *old));
            item.old = of.iter().map(|(old, ..)| old.id).collect();
            item.new = vec![new];
            item.records = self.survey.count(&self.chain.begin, &item.old);
            item.evidence = evidence(&[of[0].2]);
            item.says = format!(
                "{} commits became {}: its figures belong to none of them; {then}",
                of.len(),
                new.short(),
            );
            items.push(item);
        }
        items
    }

    /// The records of `old` go to `new`; `None` where they are there.
    pub(super) fn carried(
        &self,
        old: &Old,
        new: Oid,
        evidence: &[&'static str],
        news: &[New],
    ) -> Option<Item> {
        let actions = self.carrying(old, new, news);
        if actions.is_empty() {
            return None;
        }
        let mut item = self.about(Found::Carry, old);
        item.new = vec![new];
        item.evidence = self::evidence(evidence);
        item.says = format!(
            "{} was rewritten as {}: its records go along",
            old.id.short(),
            new.short(),
        );
        item.actions = actions;
        Some(item)
    }

    fn carrying(&self, old: &Old, new: Oid, news: &[New]) -> Vec<Action> {
        let begin = &self.chain.begin;
        let carry = self.survey.carry(begin, old.id, new);
        let bare = news.iter().any(|n| n.id == new && n.trailers.is_none());
        let adopt = bare
            .then(|| self.survey.adopt(&self.chain.begun_as, begin, old, new))
            .flatten();
        carry.into_iter().chain(adopt).collect()
    }

    pub(super) fn ambiguous(&self, old: &Old, candidates: &[(Oid, Vec<&'static str>)]) -> Item {
        let mut item = self.about(Found::Ambiguous, old);
        item.new = candidates.iter().map(|(id, _)| *id).collect();
        item.evidence = candidates
            .iter()
            .map(|(id, e)| format!("{}: {}", id.short(), e.join(", ")))
            .collect();
        item.says = format!(
            "{} could be any of {} commits; nothing is done until one is picked",
            old.id.short(),
            candidates.len()
        );
        item.command = candidates.first().map(|(id, _)| {
            format!(
                "git evolve reconcile --apply --pick {}={}",
                old.id.short(),
                id.short()
            )
        });
        item
    }

    /// A line that is not the one that counts: where it is the same rewritten, it may take over.
    fn rewritten(&self, counted: &Line, rival: &Line) -> Result<Vec<Item>> {
        let local = |name: &&String| name.starts_with("refs/heads/");
        let Some(branch) = rival.refs.iter().find(local) else {
            return Ok(Vec::new());
        };
        let common = counted.common(rival);
        let recorded = &self.survey.recorded;
        let own_record = |id: Oid| {
            let here = recorded.of_chain_on(id, &self.chain.begin);
            here.into_iter()
                .any(|s| s.is_own() && !matches!(s.says.event, Event::Adopt | Event::Rename))
        };
        // Two that were recorded apart: neither is the other rewritten.
        if rival.commits[common..].iter().any(|c| own_record(c.id)) {
            return Ok(Vec::new());
        }
        let olds: Vec<Old> = counted.commits[common..]
            .iter()
            .filter(|c| c.role != Role::Foreign)
            .map(|c| Old::of_line(self.survey.reader, c))
            .collect::<Result<_>>()?;
        if olds.is_empty() {
            return Ok(Vec::new());
        }
        let news = self.survey.news(&self.chain.begin, rival, common)?;
        let went = self.survey.went(&olds, &news);
        let both: Vec<(&Old, Counterpart)> = olds.iter().zip(went).collect();
        let whole = both.iter().all(|(_, c)| matches!(c, Counterpart::One(..)));
        let mut item = self.item(Found::Rewritten);
        item.old = vec![counted.tip()];
        item.new = vec![rival.tip()];
        let ids: Vec<Oid> = olds.iter().map(|o| o.id).collect();
        item.records = self.survey.count(&self.chain.begin, &ids);
        item.checkpoints = checkpoints(olds.iter());
        if !whole {
            return Ok(self.partly(item, branch, &both));
        }
        for (old, c) in &both {
            if let Counterpart::One(new, evidence) = c {
                item.actions.extend(self.carrying(old, *new, &news));
                let line = format!(
                    "{} is {}: {}",
                    old.id.short(),
                    new.short(),
                    evidence.join(", ")
                );
                item.evidence.push(line);
            }
        }
        // So that a clone without our refs tells the same.
        if let Some((old, Counterpart::One(new, _))) = both.last() {
            let adopt = self
                .survey
                .adopt(&self.chain.begun_as, &self.chain.begin, old, *new);
            let told = item
                .actions
                .iter()
                .any(|a| matches!(a, Action::Adopt(a) if a.to == *new));
            item.actions.extend(adopt.filter(|_| !told));
        }
        let name = self.rewritten_name();
        item.says = format!(
            "{branch} is this chain rewritten from {} on, and nothing is missing ({}): it takes over, and the original stays where it is kept",
            olds[0].id.short(),
            match olds.len() {
                1 => "1 commit".to_owned(),
                n => format!("{n} commits"),
            },
        );
        item.reference = Some(name.clone());
        item.actions.push(Action::Move(RefMove {
            name,
            old: None,
            new: Some(rival.tip()),
        }));
        Ok(vec![item])
    }

    /// A line that has not all of the counted one: nothing is proposed, what it lacks is said.
    fn partly(&self, mut item: Item, branch: &str, both: &[(&Old, Counterpart)]) -> Vec<Item> {
        let mut items = Vec::new();
        for (old, c) in both {
            match c {
                Counterpart::None => item.evidence.push(format!(
                    "{} ({} of checkpoint {}): nothing on it is this commit",
                    old.id.short(),
                    old.role.word(),
                    old.checkpoint
                )),
                Counterpart::Several(candidates) => items.push(self.ambiguous(old, candidates)),
                Counterpart::One(..) | Counterpart::Collapsed(..) => {}
            }
        }
        let lacks: Vec<&Old> = both
            .iter()
            .filter(|(_, c)| !matches!(c, Counterpart::One(..)))
            .map(|(old, _)| *old)
            .collect();
        item.checkpoints = checkpoints(lacks.iter().copied());
        item.says = format!(
            "{branch} is this chain rewritten without some of its commits: the original counts and stays measured",
        );
        items.push(item);
        items.extend(self.merged(both, "the originals stay measured"));
        items
    }

    /// `refs/evolve/rewritten/<path>/<n>`, with the next free number.
    fn rewritten_name(&self) -> String {
        let folder = format!("refs/evolve/rewritten/{}/", self.chain.begun_as);
        let numbers = self.survey.refs.keys().filter_map(|name| {
            let number = name.strip_prefix(&folder)?;
            number.parse::<u32>().ok()
        });
        format!(
            "{folder}{}",
            numbers.max().unwrap_or(1).max(1).saturating_add(1)
        )
    }

    /// What holds the counted line: said where its branch is gone, made where nothing does.
    fn keeping(&self, counted: &Line) -> Option<Item> {
        let path = &self.chain.begun_as;
        let branch = format!("refs/heads/evolve/{path}");
        let holds = |name: &str| {
            self.survey
                .refs
                .get(name)
                .is_some_and(|tip| *tip == counted.tip())
        };
        let kept = counted.refs.iter().find(|n| n.starts_with("refs/evolve/"));
        let elsewhere = counted.refs.iter().any(|n| n.starts_with("refs/remotes/"));
        let bare_branch = counted.refs.iter().any(|n| n.starts_with("refs/heads/"));
        if let Some(kept) = kept {
            if bare_branch || elsewhere || self.survey.refs.contains_key(&branch) {
                return None;
            }
            let mut item = self.item(Found::Safe);
            item.reference = Some(kept.clone());
            item.new = vec![counted.tip()];
            item.says = format!("its branch is gone; {kept} keeps it and it is measured as before");
            item.command = Some(format!(
                "git branch evolve/{path} {}",
                counted.tip().short()
            ));
            return Some(item);
        }
        let recorded = !self.survey.held(&self.chain.begin).is_empty();
        if !recorded || elsewhere || counted.kept || !holds(&branch) {
            return None;
        }
        let mut item = self.item(Found::Keep);
        item.new = vec![counted.tip()];
        item.says = format!("nothing but {branch} keeps it: with the branch its commits would go");
        self.survey.keep(&mut item, path, counted);
        Some(item)
    }
}

impl Survey<'_> {
    /// Proposes the ref that keeps `line`: the chain's keep ref, moved forward where it is there,
    /// or, where another line has it, the one that names the base, too.
    pub(super) fn keep(&self, item: &mut Item, path: &crate::record::ChainPath, line: &Line) {
        let plain = format!("refs/evolve/chains/{path}");
        let digits: String = line.base().to_string().chars().take(12).collect();
        let second = format!("{plain}@{digits}");
        for name in [plain, second] {
            let old = self.refs.get(&name).copied();
            if old.is_none_or(|at| line.holds(at)) {
                item.reference = Some(name.clone());
                item.command = Some(format!("git branch evolve/{path} {}", line.tip().short()));
                item.actions.push(Action::Move(RefMove {
                    name,
                    old,
                    new: Some(line.tip()),
                }));
                return;
            }
        }
        item.evidence
            .push("both names of its keep ref are taken by other lines".to_owned());
    }
}

pub(super) fn checkpoints<'o>(olds: impl Iterator<Item = &'o Old>) -> Vec<u32> {
    let all: BTreeSet<u32> = olds.map(|o| o.checkpoint).collect();
    all.into_iter().collect()
}

fn evidence(words: &[&'static str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

/// Where a role stands within its checkpoint.
pub(super) fn order(role: Role) -> u8 {
    match role {
        Role::Base => 0,
        Role::Reset => 2,
        _ => 1,
    }
}
