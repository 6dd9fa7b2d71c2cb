//! What a chain was run with that changed while it ran: the plan's files, the agent, programs and
//! the system. What its first records say is what it is held against.

use std::collections::{BTreeMap, BTreeSet};

use super::told::{Telling, told};
use super::{Chain, Records};
use crate::record::{Kind, RecordId};
use crate::repo::Oid;

/// What sort of thing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum About {
    /// A file of the plan: the plan itself, a prompt, a specification, tests, a reference.
    Content,
    /// The agent: its model, its version, its settings, tools and limits.
    Agent,
    /// Programs: git, runtimes, this program and what it measures with.
    Tools,
    /// The system, and what hides the rest of it from sessions.
    System,
}

impl About {
    /// The word in output.
    pub fn word(self) -> &'static str {
        match self {
            About::Content => "content",
            About::Agent => "agent",
            About::Tools => "tools",
            About::System => "system",
        }
    }
}

/// One thing that is another than when the chain began.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changed {
    /// What sort of thing.
    pub about: About,
    /// Which: `prompt prompts/one.md of checkpoint one`, `model`, `python3`.
    pub what: String,
    /// What it was.
    pub began: String,
    /// What it is there.
    pub now: String,
    /// The checkpoints it touches, ascending.
    pub checkpoints: Vec<u32>,
    /// The commit of the first of them.
    pub commit: Oid,
    /// The record that says so first.
    pub record: RecordId,
}

/// What changed within `chain`, of which `records` holds checkpoint, envelope and tests records.
/// Sorted by what it is.
pub fn changed(chain: &Chain, records: &Records) -> Vec<Changed> {
    let kinds = [Kind::Checkpoint, Kind::Envelope, Kind::Tests];
    let mut of = BTreeMap::<(About, String), Vec<Telling>>::new();
    for telling in told(chain, records, &kinds).tellings {
        let thing = (telling.about, telling.what.clone());
        of.entry(thing).or_default().push(telling);
    }
    changes(of)
}

/// Every value that is not the first of its thing.
fn changes(of: BTreeMap<(About, String), Vec<Telling>>) -> Vec<Changed> {
    let mut changes = Vec::new();
    for ((about, what), values) in of {
        let Some(began) = values.first().map(|v| v.value.clone()) else {
            continue;
        };
        let mut others = BTreeMap::<&str, (BTreeSet<u32>, &Telling)>::new();
        for value in values.iter().filter(|v| v.value != began) {
            let (checkpoints, _) = others
                .entry(&value.value)
                .or_insert_with(|| (BTreeSet::new(), value));
            checkpoints.insert(value.checkpoint);
        }
        for (now, (checkpoints, first)) in others {
            changes.push(Changed {
                about,
                what: what.clone(),
                began: began.clone(),
                now: now.to_owned(),
                checkpoints: checkpoints.into_iter().collect(),
                commit: first.commit,
                record: first.record.clone(),
            });
        }
    }
    changes.sort_by(|a, b| {
        (a.about, &a.what, &a.checkpoints).cmp(&(b.about, &b.what, &b.checkpoints))
    });
    changes
}

/// Numbers as people list them: `2-4, 7`.
pub fn spans(numbers: &[u32]) -> String {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for n in numbers {
        match spans.last_mut() {
            Some((_, last)) if *n == last.saturating_add(1) => *last = *n,
            _ => spans.push((*n, *n)),
        }
    }
    let shown = spans.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_listed_as_spans() {
        assert_eq!(spans(&[]), "");
        assert_eq!(spans(&[3]), "3");
        assert_eq!(spans(&[1, 2, 3, 5, 7, 8]), "1-3, 5, 7-8");
        assert_eq!(spans(&[u32::MAX - 1, u32::MAX]), "4294967294-4294967295");
    }
}
