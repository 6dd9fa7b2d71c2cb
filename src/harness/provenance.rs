//! What a run is made with: the contents of the plan's files, the programs, the system.
//!
//! The first record of a chain holds all of it, each checkpoint's record its own prompt, tests
//! and plan, so that a later change of any of them is found again (`verify`, `controls`).

mod contents;
mod programs;
mod system;
#[cfg(test)]
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

pub(super) use contents::contents;

use crate::error::Result;
use crate::plan::{Agent, Command, Gate, Isolation, OnFail, PromptRoute, Shown};
use crate::record::{Configured, Limited, Provenance, System, Tools, Versions};
use crate::repo::Repo;

/// The machine that a run goes on, and its programs, each asked for its version once a run.
pub(super) struct Machine {
    git: String,
    system: System,
    versions: Versions,
    asked: Mutex<BTreeMap<programs::Question, Option<String>>>,
}

impl Machine {
    /// This machine; `versions` are those of what figures are computed with.
    ///
    /// # Errors
    /// Git could not be started.
    pub(super) fn of(repo: &Repo, versions: Versions) -> Result<Machine> {
        Ok(Machine {
            git: repo.git_says_version()?,
            system: system::system(),
            versions,
            asked: Mutex::new(BTreeMap::new()),
        })
    }

    /// What records of a chain on which `agent` works are made with. `isolation` is what hides the rest of the
    /// machine from its sessions; `agent_version` what the agent says its version is, where that
    /// is known.
    pub(super) fn provenance(
        &self,
        agent: &Agent,
        isolation: &str,
        agent_version: Option<&str>,
    ) -> Provenance {
        let mut made = Provenance::of(&self.git, std::env::consts::OS, std::env::consts::ARCH);
        made.system = Some(self.system.clone());
        made.analysis = Some(self.versions.clone());
        let version = agent_version.map(str::to_owned);
        made.agent = Some(Configured {
            version,
            ..configured(agent)
        });
        made.isolation = Some(isolation.to_owned());
        made
    }

    /// The programs that a gate names, and their versions. One that is not there, or does
    /// not say its version in time, is not among them.
    pub(super) fn tools(&self, gate: &Gate) -> Tools {
        let mut tools = Tools::default();
        for question in programs::of_gate(gate) {
            if let Some(version) = self.ask(&question) {
                tools.versions.insert(question.name.clone(), version);
            }
        }
        tools
    }

    fn ask(&self, question: &programs::Question) -> Option<String> {
        // A panic elsewhere leaves a map that is whole: each entry is put in at once.
        let lock = || self.asked.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(known) = lock().get(question) {
            return known.clone();
        }
        let said = question.ask();
        lock().entry(question.clone()).or_insert(said).clone()
    }
}

/// An agent as the plan configures it.
fn configured(agent: &Agent) -> Configured {
    let limits = &agent.limits;
    Configured {
        command: words(&agent.command),
        prompt_route: match agent.prompt {
            PromptRoute::Stdin => "stdin",
            PromptRoute::Argument => "argument",
            PromptRoute::File => "file",
        }
        .to_owned(),
        model: agent.model.clone(),
        version: None,
        environment: agent.environment.clone(),
        passed: agent
            .pass_environment
            .iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .cloned()
            .collect(),
        tools: agent.tools.clone(),
        permission_mode: agent.permission_mode.clone(),
        limits: Some(Limited {
            turns: limits.turns,
            cost_usd: limits.cost_usd,
            time_ms: u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX),
            attempts: limits.attempts,
        }),
        on_fail: Some(
            match agent.on_fail {
                OnFail::Stop => "stop",
                OnFail::Repair => "repair",
                OnFail::Continue => "continue",
            }
            .to_owned(),
        ),
        repair_shows: agent.repair_shows.iter().map(|s| shown(*s)).collect(),
        isolation: Some(asked_for(agent.isolation).to_owned()),
        network: Some(agent.network),
        history: Some(agent.history),
    }
}

fn shown(shown: Shown) -> String {
    match shown {
        Shown::Prompt => "prompt",
        Shown::Tests => "tests",
        Shown::Messages => "messages",
        Shown::Console => "console",
    }
    .to_owned()
}

fn asked_for(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Auto => "auto",
        Isolation::Required => "required",
        Isolation::None => "none",
    }
}

/// The words that start a command.
fn words(command: &Command) -> Vec<String> {
    match command {
        Command::Words(words) => words.clone(),
        Command::Shell(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Writer;

    fn machine() -> (tempfile::TempDir, Machine) {
        let folder = tempfile::tempdir().expect("a folder");
        Writer::create(folder.path()).expect("a repository");
        let repo = Repo::discover(folder.path()).expect("a repository");
        let versions = Versions {
            analyser: "reader 3".to_owned(),
            definitions: "1".to_owned(),
        };
        (folder, Machine::of(&repo, versions).expect("git is here"))
    }

    #[test]
    fn a_record_is_made_with_the_agent_as_the_plan_configures_it() {
        let (_folder, machine) = machine();
        let made = machine.provenance(&trial::arm().agent, "none", Some("work 1.2"));
        let agent = made.agent.expect("an agent");
        assert_eq!(agent.command, ["work", "{model}"]);
        assert_eq!(agent.prompt_route, "stdin");
        assert_eq!(agent.version.as_deref(), Some("work 1.2"));
        assert_eq!(agent.model.as_deref(), Some("m-1"));
        assert_eq!(agent.passed, ["A", "WORK_KEY"]);
        assert_eq!(agent.on_fail.as_deref(), Some("repair"));
        assert_eq!(agent.repair_shows, ["prompt", "tests"]);
        let limits = agent.limits.expect("limits");
        assert_eq!((limits.turns, limits.time_ms), (Some(40), 600_000));
        assert_eq!(made.isolation.as_deref(), Some("none"));
        assert!(made.git.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(
            made.analysis.map(|v| v.analyser).as_deref(),
            Some("reader 3")
        );
    }

    #[test]
    fn a_program_is_asked_for_its_version_once() {
        let (folder, machine) = machine();
        let counted = folder.path().join("asked");
        let script = folder.path().join("pytest");
        let text = format!(
            "#!/bin/sh\necho x >> {}\necho pytest 8.1\n",
            counted.display()
        );
        std::fs::write(&script, text).expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, mode).expect("set");
        let mut arm = trial::arm();
        let suite = arm.gate.acceptance.as_mut().expect("a suite");
        suite.command = Command::Words(vec![script.to_str().expect("UTF-8").to_owned()]);
        for _ in 0..3 {
            let tools = machine.tools(&arm.gate);
            let said: Vec<_> = tools.versions.into_iter().collect();
            assert_eq!(said, [("pytest".to_owned(), "pytest 8.1".to_owned())]);
        }
        assert_eq!(std::fs::read_to_string(counted).expect("asked"), "x\n");
    }
}
