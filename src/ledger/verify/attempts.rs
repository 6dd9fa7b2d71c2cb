//! What is kept beside the lines: every attempt stands on its checkpoint's parent, has its record,
//! and every ref is of a chain that is here.

use std::collections::{BTreeMap, BTreeSet};

use super::{Defect, Ground, Verified};
use crate::error::Result;
use crate::ledger::kept::{What, is_of, kept};
use crate::record::{Body, Kind, Purpose, Role};
use crate::repo::{Oid, Severity, is_missing};

pub(super) fn check(ground: &Ground<'_>, verified: &mut Verified) -> Result<()> {
    let chains = &ground.chains.chains;
    // Kept attempts by chain, checkpoint and parent.
    let mut attempts = BTreeMap::<(usize, u32, Oid), BTreeSet<Oid>>::new();
    for kept in kept(ground.reader)?.into_iter().filter(|k| k.local) {
        let parent = match ground.reader.commit(kept.commit) {
            Ok(commit) => commit.parents.first().copied(),
            Err(e) if is_missing(&e) => {
                let what = format!("what {} keeps is not here: {e}", kept.name);
                verified.unavailable.insert(what);
                continue;
            }
            Err(e) => return Err(e),
        };
        let mut home = None;
        for (at, chain) in chains.iter().enumerate() {
            if home.is_none() && is_of(ground.reader, &kept, chain)? {
                home = Some(at);
            }
        }
        let Some(home) = home else {
            let what = format!(
                "{} is of checkpoint {} of {}, and stands on no line of it",
                kept.name, kept.checkpoint, kept.path
            );
            let defect = Defect::new("kept-off-line", Severity::Note, what);
            verified
                .defects
                .push(defect.in_ref(&kept.name).at(kept.commit));
            continue;
        };
        if let (What::Attempt, Some(parent)) = (kept.what, parent) {
            let of = attempts.entry((home, kept.checkpoint, parent)).or_default();
            of.insert(kept.commit);
        }
    }
    for ((home, checkpoint, parent), commits) in attempts {
        let chain = &chains[home];
        // Checkpoints that were given up left nothing to stand on.
        let closed = chain
            .line
            .iter()
            .rfind(|c| matches!(c.role, Role::Base | Role::Reset) && c.checkpoint < checkpoint);
        if closed.is_none_or(|c| c.id != parent) {
            let what = format!(
                "an attempt at checkpoint {checkpoint} stands on {}, which does not close what \
                 was done before it",
                parent.short()
            );
            let defect = Defect::new("attempt-misplaced", Severity::Warning, what);
            verified
                .defects
                .push(defect.in_chain(&chain.label).at(parent));
        }
        let recorded = recorded(ground, parent, &chain.begin, checkpoint);
        if recorded < commits.len() {
            let what = format!(
                "{} attempts at checkpoint {checkpoint} are kept, and {recorded} are recorded",
                commits.len()
            );
            let defect = Defect::new("attempt-unrecorded", Severity::Note, what);
            verified
                .defects
                .push(defect.in_chain(&chain.label).at(parent));
        }
    }
    Ok(())
}

/// Attempts at `checkpoint` that records on its parent tell of.
fn recorded(ground: &Ground<'_>, parent: Oid, begin: &str, checkpoint: u32) -> usize {
    let records = ground.records.on(Kind::Envelope, parent).iter();
    let of_it = records.filter_map(|s| s.record()).filter(|r| {
        let tried = matches!(&r.body, Body::Envelope(e) if e.purpose == Purpose::Implement);
        tried && r.head.begin.as_str() == begin && r.head.for_checkpoint == Some(checkpoint)
    });
    of_it
        .map(|r| r.head.attempt.as_ref())
        .collect::<BTreeSet<_>>()
        .len()
}
