//! What the records of a chain say that it was made with: the plan's files, the agent, programs,
//! the system. One telling a value and record, in the order of the line.
//!
//! A record that does not say something tells nothing of it: what an earlier version or a hand
//! did not write down is not known.

use std::collections::BTreeSet;

use super::{About, Chain, Records, counts};
use crate::record::{
    Body, Checkpoint, Configured, ContentId, Envelope, Event, Kind, Limited, Purpose, Record,
    RecordId, Role,
};
use crate::repo::Oid;

/// A value that a record tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telling {
    /// What sort of thing it is of.
    pub about: About,
    /// Which: `model`, `python3`, `prompt prompts/one.md of checkpoint one`.
    pub what: String,
    /// The value.
    pub value: String,
    /// The checkpoint that is spoken of.
    pub checkpoint: u32,
    /// The commit that the record is on.
    pub commit: Oid,
    /// The record.
    pub record: RecordId,
}

/// All that the records of one chain tell.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// Value by value.
    pub tellings: Vec<Telling>,
    /// The files it was made with; of several states each.
    pub contents: BTreeSet<ContentId>,
    /// The project's commits that its base stands on: one, where it is told.
    pub projects: BTreeSet<String>,
    /// SHA-256 of the configurations that its checkpoints name.
    pub configurations: BTreeSet<String>,
    /// Agents that reported of sessions that implement, with their version where it is told.
    pub reporters: BTreeSet<String>,
    /// Models that answered in them.
    pub answered: BTreeSet<String>,
}

/// What the records of `kinds` on `chain` tell; `records` holds them.
pub fn told(chain: &Chain, records: &Records, kinds: &[Kind]) -> Told {
    let mut told = Told::default();
    for (at, commit) in chain.line.iter().enumerate() {
        if matches!(commit.role, Role::Foreign | Role::Superseded) {
            continue;
        }
        for kind in kinds {
            let mut all: Vec<&Record> = records
                .on(*kind, commit.id)
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
    told
}

impl Told {
    fn say(&mut self, at: &At<'_>, about: About, what: impl Into<String>, value: String) {
        self.tellings.push(Telling {
            about,
            what: what.into(),
            value,
            checkpoint: at.checkpoint,
            commit: at.commit,
            record: at.record.clone(),
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
        let project = says.project.as_ref();
        self.projects
            .extend(project.map(|id| id.as_str().to_owned()));
        let config = says.config.as_ref();
        self.configurations.extend(config.map(|c| c.sha256.clone()));
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
        let Some(session) = &says.session else { return };
        let word = |key: &str| session.get(key).and_then(|w| w.as_str());
        if let Some(agent) = word("agent") {
            let version = word("agent_version").map(|v| format!(" {v}"));
            let named = format!("{agent}{}", version.unwrap_or_default());
            self.reporters.insert(named);
        }
        let models = session.get("models").and_then(|m| m.as_array());
        let models = models.into_iter().flatten().filter_map(|m| m.as_str());
        self.answered.extend(models.map(str::to_owned));
    }

    fn contents(&mut self, at: &At<'_>, contents: &[ContentId]) {
        for content in contents {
            let id = content.id.as_str();
            let short = id.get(..12).unwrap_or(id).to_owned();
            self.say(at, About::Content, called(content), short);
            self.contents.insert(content.clone());
        }
    }

    fn optional(&mut self, at: &At<'_>, about: About, what: &str, said: Option<String>) {
        if let Some(said) = said {
            self.say(at, about, what, said);
        }
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
