//! What a chain was run with that changed while it ran: the plan's files, the agent, programs and
//! the system. What its first records say is what it is held against.
//!
//! A record that does not say something changes nothing: what an earlier version or a hand did
//! not write down is not known.

use std::collections::{BTreeMap, BTreeSet};

use super::{Chain, Records, counts};
use crate::record::{
    Body, Checkpoint, Configured, ContentId, Envelope, Event, Kind, Limited, Purpose, Record,
    RecordId, Role,
};
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
    let mut told = Told::default();
    for (at, commit) in chain.line.iter().enumerate() {
        if matches!(commit.role, Role::Foreign | Role::Superseded) {
            continue;
        }
        for kind in [Kind::Checkpoint, Kind::Envelope, Kind::Tests] {
            let mut all: Vec<&Record> = records
                .on(kind, commit.id)
                .iter()
                .filter_map(|s| s.record())
                .filter(|r| counts(r, chain, at, None))
                .collect();
            all.sort_by(|a, b| a.head.id.cmp(&b.head.id));
            for record in all {
                told.record(commit.id, record);
            }
        }
    }
    told.changes()
}

/// A value that some record tells.
struct Value {
    checkpoint: u32,
    commit: Oid,
    record: RecordId,
    value: String,
}

/// All that is told of each thing, in the order of the line.
#[derive(Default)]
struct Told {
    of: BTreeMap<(About, String), Vec<Value>>,
}

impl Told {
    fn say(&mut self, at: &At<'_>, about: About, what: impl Into<String>, value: String) {
        self.of
            .entry((about, what.into()))
            .or_default()
            .push(Value {
                checkpoint: at.checkpoint,
                commit: at.commit,
                record: at.record.clone(),
                value,
            });
    }

    fn record(&mut self, commit: Oid, record: &Record) {
        let at = At {
            checkpoint: record.head.for_checkpoint.unwrap_or(record.head.checkpoint),
            commit,
            record: &record.head.id,
        };
        match &record.body {
            Body::Checkpoint(says) if matches!(says.event, Event::Begin | Event::Agent) => {
                self.say(&at, About::Tools, "git-evolve", record.head.tool.clone());
                self.checkpoint(&at, says);
            }
            Body::Envelope(says) => self.session(&at, says),
            Body::Tests(says) => {
                let gated = says.gated.as_ref();
                self.contents(&at, gated.map_or(&[], |g| &g.contents));
            }
            _ => {}
        }
    }

    fn checkpoint(&mut self, at: &At<'_>, says: &Checkpoint) {
        self.contents(at, &says.contents);
        for (program, version) in says.tools.iter().flat_map(|t| &t.versions) {
            self.say(at, About::Tools, program, version.clone());
        }
        let Some(made) = &says.provenance else { return };
        self.say(at, About::Tools, "git", made.git.clone());
        let machine = format!("{} on {}", made.os, made.arch);
        self.say(at, About::System, "operating system", machine);
        if let Some(system) = &made.system {
            let number = |n: Option<u32>, unit: &str| n.map(|n| format!("{n}{unit}"));
            for (what, said) in [
                ("system", system.name.clone()),
                ("kernel", system.kernel.clone()),
                ("processors", number(system.cpus, "")),
                ("memory", number(system.memory_gib, " GiB")),
            ] {
                self.optional(at, About::System, what, said);
            }
        }
        if let Some(analysis) = &made.analysis {
            let (analyser, definitions) = (&analysis.analyser, &analysis.definitions);
            self.say(at, About::Tools, "analyser", analyser.clone());
            self.say(at, About::Tools, "definitions", definitions.clone());
        }
        self.optional(at, About::System, "isolation", made.isolation.clone());
        if let Some(agent) = &made.agent {
            self.agent(at, agent);
        }
    }

    fn agent(&mut self, at: &At<'_>, agent: &Configured) {
        let flag = |said: Option<bool>| said.map(|yes| yes.to_string());
        let list = |words: &[String]| Some(words.join(", "));
        let environment = agent.environment.iter().map(|(k, v)| format!("{k}={v}"));
        let environment: Vec<String> = environment.collect();
        for (what, said) in [
            ("model", agent.model.clone()),
            ("agent version", agent.version.clone()),
            ("agent's command", Some(agent.command.join(" "))),
            ("prompt route", Some(agent.prompt_route.clone())),
            ("agent's environment", list(&environment)),
            ("variables handed through", list(&agent.passed)),
            ("agent's tools", list(&agent.tools)),
            ("permission mode", agent.permission_mode.clone()),
            ("limits", agent.limits.as_ref().map(limits)),
            ("what follows a failure", agent.on_fail.clone()),
            ("what a repair is shown", list(&agent.repair_shows)),
            ("isolation asked for", agent.isolation.clone()),
            ("network", flag(agent.network)),
            ("project's history", flag(agent.history)),
        ] {
            self.optional(at, About::Agent, what, said);
        }
    }

    fn session(&mut self, at: &At<'_>, says: &Envelope) {
        if says.purpose != Purpose::Implement {
            return;
        }
        self.optional(at, About::Agent, "model", says.model.clone());
        let version = says.agent_version.clone();
        self.optional(at, About::Agent, "agent version", version);
    }

    fn contents(&mut self, at: &At<'_>, contents: &[ContentId]) {
        for content in contents {
            let id = content.id.as_str();
            let short = id.get(..12).unwrap_or(id).to_owned();
            self.say(at, About::Content, called(content), short);
        }
    }

    fn optional(&mut self, at: &At<'_>, about: About, what: &str, said: Option<String>) {
        if let Some(said) = said {
            self.say(at, about, what, said);
        }
    }

    /// Every value that is not the first of its thing.
    fn changes(self) -> Vec<Changed> {
        let mut changes = Vec::new();
        for ((about, what), values) in self.of {
            let Some(began) = values.first().map(|v| v.value.clone()) else {
                continue;
            };
            let mut others = BTreeMap::<&str, (BTreeSet<u32>, &Value)>::new();
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
}

/// Where something is told.
struct At<'r> {
    checkpoint: u32,
    commit: Oid,
    record: &'r RecordId,
}

fn called(content: &ContentId) -> String {
    let path = &content.path.path;
    let of = content.checkpoint.as_ref();
    let of = of.map_or_else(String::new, |id| format!(" of checkpoint {id}"));
    format!("{} {path}{of}", content.role)
}

fn limits(limits: &Limited) -> String {
    let mut words = Vec::new();
    words.extend(limits.turns.map(|n| format!("{n} turns")));
    words.extend(limits.cost_usd.map(|usd| format!("{usd} USD")));
    words.push(format!("{} ms", limits.time_ms));
    words.push(format!("{} attempts", limits.attempts));
    words.join(", ")
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
