//! What a chain was run with: the plan's files, the agent, programs and the system are those it
//! began with. A change damages nothing; figures before and after it are of different things.

use super::{Defect, Ground, Verified};
use crate::ledger::changed::{About, changed, spans};
use crate::repo::Severity;

pub(super) fn check(ground: &Ground<'_>, severity: Severity, verified: &mut Verified) {
    for chain in &ground.chains.chains {
        for change in changed(chain, ground.records) {
            let id = match change.about {
                About::Content => "content-changed",
                About::Agent => "agent-changed",
                About::Tools => "tools-changed",
                About::System => "system-changed",
            };
            let (one, many) = ("checkpoint", "checkpoints");
            let what = format!(
                "{} is {} at {} {}; the chain began with {}",
                change.what,
                said(&change.now),
                if change.checkpoints.len() == 1 {
                    one
                } else {
                    many
                },
                spans(&change.checkpoints),
                said(&change.began),
            );
            let defect = Defect::new(id, severity, what).in_chain(&chain.label);
            let defect = defect.at(change.commit).of(&change.record);
            verified.defects.push(defect);
        }
    }
}

fn said(value: &str) -> &str {
    match value {
        "" => "nothing",
        value => value,
    }
}
