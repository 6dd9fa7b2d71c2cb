//! Every record against the commit it is attached to.

use std::collections::{BTreeMap, BTreeSet};

use super::{Defect, Ground, Verified};
use crate::error::Result;
use crate::ledger::status::counts;
use crate::ledger::{Chain, ChainTrailers};
use crate::record::{Body, Event, Head, Record, RecordId, Role};
use crate::repo::{Commit, Oid, Severity, is_missing};

pub(super) fn check(ground: &Ground<'_>, verified: &mut Verified) -> Result<()> {
    let mut commits = BTreeMap::<Oid, Option<(Commit, Option<ChainTrailers>)>>::new();
    for (_, at, _) in ground.records.all() {
        if commits.contains_key(&at) {
            continue;
        }
        let read = match ground.reader.commit(at) {
            Ok(commit) => {
                let trailers = ChainTrailers::read(&commit.message);
                Some((commit, trailers))
            }
            Err(e) if is_missing(&e) => None,
            Err(e) => return Err(e),
        };
        commits.insert(at, read);
    }
    let rightly = rightly_placed(ground);
    for (_, at, stored) in ground.records.all() {
        let (Some(record), Some((commit, trailers))) =
            (stored.record(), commits.get(&at).and_then(Option::as_ref))
        else {
            continue;
        };
        let one = One {
            ground,
            record,
            commit,
            trailers: trailers.as_ref(),
            elsewhere: rightly.contains(&record.head.id),
        };
        if record.head.commit.as_str() == at.to_string() {
            one.own(verified);
        } else {
            one.inherited(verified);
        }
    }
    for conflict in &ground.records.conflicts {
        let on: Vec<String> = conflict.targets.iter().map(Oid::short).collect();
        let mut defect = Defect::new(
            "id-conflict",
            Severity::Error,
            format!(
                "lines of different content bear one id (on {}): what needs either is unknown",
                on.join(", ")
            ),
        )
        .of(&conflict.id)
        .in_ref(format!("refs/notes/evolve/{}", conflict.kind));
        defect.commit = conflict.targets.first().copied();
        verified.defects.push(defect);
    }
    Ok(())
}

/// Ids of records that are of their chain and checkpoint on some commit of a chain's line.
fn rightly_placed(ground: &Ground<'_>) -> BTreeSet<RecordId> {
    let mut found = BTreeSet::new();
    for (_, at, stored) in ground.records.all() {
        let (Some(record), Some((chain, place))) = (stored.record(), ground.lines.0.get(&at))
        else {
            continue;
        };
        let chain = &ground.chains.chains[*chain];
        if counts(record, chain, *place, None) {
            found.insert(record.head.id.clone());
        }
    }
    found
}

/// One record on one commit.
struct One<'a> {
    ground: &'a Ground<'a>,
    record: &'a Record,
    commit: &'a Commit,
    trailers: Option<&'a ChainTrailers>,
    /// It counts on this or another commit.
    elsewhere: bool,
}

impl One<'_> {
    fn defect(&self, id: &'static str, severity: Severity, what: String) -> Defect {
        let head = &self.record.head;
        let place = self.ground.lines.0.get(&self.commit.id);
        let label = match place {
            Some((chain, _)) => self.ground.chains.chains[*chain].label.clone(),
            None => head.chain.to_string(),
        };
        let kind = self.record.body.kind();
        Defect::new(id, severity, format!("{kind} record: {what}"))
            .in_chain(label)
            .at(self.commit.id)
            .of(&head.id)
    }

    /// A record on the commit it was made for.
    fn own(&self, verified: &mut Verified) {
        let head = &self.record.head;
        let tree = self.commit.tree.to_string();
        if head.tree.as_str() != tree {
            let what = format!("names tree {}, the commit has {tree}", head.tree);
            verified
                .defects
                .push(self.defect("record-tree", Severity::Error, what));
        }
        let parent = self.commit.parents.first().map(Oid::to_string);
        if head.parent.as_ref().map(|p| p.as_str()) != parent.as_deref() {
            let shown = |p: Option<&str>| p.unwrap_or("none").to_owned();
            let what = format!(
                "names parent {}, the commit has {}",
                shown(head.parent.as_ref().map(|p| p.as_str())),
                shown(parent.as_deref())
            );
            verified
                .defects
                .push(self.defect("record-parent", Severity::Error, what));
        }
        let adopted = matches!(&self.record.body, Body::Checkpoint(c) if c.event == Event::Adopt);
        if !adopted && let Some(what) = self.differs() {
            verified
                .defects
                .push(self.defect("record-trailers", Severity::Error, what));
        }
        if !self.ground.lines.0.contains_key(&self.commit.id) && !self.elsewhere {
            self.off_line(verified);
        }
    }

    fn off_line(&self, verified: &mut Verified) {
        if self.ground.in_hand.contains(&self.commit.id) {
            let what = "no branch has its commit yet: the next begin, record or reset in that \
                        work tree completes it";
            let defect = self.defect("record-in-hand", Severity::Note, what.to_owned());
            verified.defects.push(defect);
            return;
        }
        if let Some(says) = self.ground.taken_back.says(self.commit.id) {
            let what = format!("its commit was {says}");
            let defect = self.defect("record-taken-back", Severity::Note, what);
            verified.defects.push(defect);
            return;
        }
        let head = &self.record.head;
        let all = &self.ground.chains.chains;
        let of_chain = |c: &&Chain| c.begin == head.begin.as_str();
        if self.ground.reader.is_shallow() && !all.iter().any(|c| of_chain(&c)) {
            let what = format!("a shallow clone cut off chain {}", head.chain);
            verified.unavailable.insert(what);
            return;
        }
        let mut chains = all.iter().filter(of_chain);
        if chains.any(|c| c.aside.contains(&self.commit.id)) {
            // That line is said to have parted; there is nothing to mend.
            let what = "its commit stands on a line of the chain that does not count".to_owned();
            let defect = self.defect("record-off-line", Severity::Note, what);
            verified.defects.push(defect);
            return;
        }
        let what = "its commit stands on no chain's line".to_owned();
        let begin = self.record.head.begin.as_str();
        let known = self.ground.chains.chains.iter().any(|c| c.begin == begin);
        if self.ground.reader.is_shallow() && !known {
            let of = self.record.head.chain.to_string();
            let cut = format!(
                "{of} ({}): {what}, as far as this clone reaches",
                self.commit.id.short()
            );
            verified.unavailable.insert(cut);
            return;
        }
        verified.defects.push(
            self.defect("record-off-line", Severity::Warning, what)
                .mended_by("git evolve reconcile"),
        );
    }

    /// What of the head is not what the commit's trailers say.
    fn differs(&self) -> Option<String> {
        let head: &Head = &self.record.head;
        let Some(trailers) = self.trailers else {
            return Some("its commit has no trailers of a chain".to_owned());
        };
        let place = self.ground.lines.0.get(&self.commit.id);
        let begin = match place {
            Some((chain, _)) => Some(self.ground.chains.chains[*chain].begin.as_str()),
            None => trailers.begin.as_deref(),
        };
        let mut differs = Vec::new();
        let mut hold = |what: &str, said: String, is: String| {
            if said != is {
                differs.push(format!("{what} {said}, the commit says {is}"));
            }
        };
        hold("chain", head.chain.to_string(), trailers.path.to_string());
        hold(
            "checkpoint",
            format!("{} {}", head.checkpoint, head.checkpoint_id),
            format!("{} {}", trailers.checkpoint, trailers.checkpoint_id),
        );
        hold("role", role(head.role), role(trailers.role));
        if let Some(begin) = begin {
            hold("begin", head.begin.to_string(), begin.to_owned());
        }
        (!differs.is_empty()).then(|| format!("says {}", differs.join("; ")))
    }

    /// A record that a rewrite copied here.
    fn inherited(&self, verified: &mut Verified) {
        let head = &self.record.head;
        let place = self.ground.lines.0.get(&self.commit.id);
        let (chain, at) = match place {
            Some((chain, at)) => (Some(&self.ground.chains.chains[*chain]), *at),
            None => (None, 0),
        };
        let tree = self.commit.tree.to_string();
        if chain.is_some_and(|chain| counts(self.record, chain, at, Some(&tree))) {
            return;
        }
        // A commit that was rewritten once more: what was copied to it is where it belongs.
        let before = self.trailers.is_some_and(|t| {
            t.path == head.chain && t.checkpoint == head.checkpoint && t.role == head.role
        });
        if chain.is_none() && before {
            if !self.elsewhere {
                self.off_line(verified);
            }
            return;
        }
        let same_but_files = chain.is_some_and(|chain| counts(self.record, chain, at, None));
        let severity = match self.elsewhere {
            true => Severity::Note,
            false => Severity::Warning,
        };
        let defect = if same_but_files {
            self.defect(
                "record-other-tree",
                Severity::Note,
                format!(
                    "was made for the files of {}: it does not count for these",
                    head.commit
                ),
            )
        } else {
            let what = format!("was made for {} and does not belong here", head.commit);
            self.defect("record-misplaced", severity, what)
                .mended_by("git evolve reconcile")
        };
        verified.defects.push(defect);
    }
}

fn role(role: Role) -> String {
    // An agent commit that was replaced says that it is one.
    match role {
        Role::Superseded => Role::Agent.word().to_owned(),
        other => other.word().to_owned(),
    }
}
