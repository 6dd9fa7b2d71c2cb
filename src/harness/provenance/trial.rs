//! A small plan, for the tests of what is recorded of one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::plan::{
    Agent, Arm, Base, Checkpoint, Command, Controls, Experiment, Gate, Isolation, Limits, OnFail,
    Overlay, Plan, PromptRoute, Select, Shown, Signs, Spec, SpecKind, SuiteRun, Text,
};

pub(super) fn overlay(from: &str) -> Overlay {
    Overlay {
        from: PathBuf::from(from),
        to: String::new(),
    }
}

pub(super) fn plan(folder: &Path) -> Plan {
    Plan {
        folder: folder.to_owned(),
        file: "evolve.toml".to_owned(),
        text: "[experiment]\nname = \"exp\"\n".to_owned(),
        experiment: Experiment {
            name: "exp".to_owned(),
            seed: 1,
            chains: 1,
            base: Base::Revision("HEAD".to_owned()),
            budget_usd: None,
        },
        hypothesis: None,
        setup: Vec::new(),
        arms: vec![arm()],
        tasks: Vec::new(),
        checkpoints: vec![
            checkpoint("one", Text::File("prompts/one.md".into())),
            checkpoint("two", Text::Here("Do two.\n".to_owned())),
        ],
        controls: Controls::default(),
        probe: None,
        noop: None,
        review: None,
    }
}

fn checkpoint(id: &str, prompt: Text) -> Checkpoint {
    Checkpoint {
        id: id.to_owned(),
        prompt,
        requires: Vec::new(),
        scope: None,
        scope_except: Vec::new(),
        reference: None,
        fail_to_pass: Vec::new(),
        pass_to_pass: Vec::new(),
        answer: None,
    }
}

pub(super) fn arm() -> Arm {
    Arm {
        name: "a".to_owned(),
        baseline: true,
        factors: BTreeMap::new(),
        base: None,
        entry: None,
        files: vec![overlay("arm")],
        specs: vec![Spec {
            file: overlay("SPEC.md"),
            kind: SpecKind::Authoritative,
        }],
        setup: Vec::new(),
        prompt_prefix: Some(Text::Here("Read SPEC.md.\n".to_owned())),
        prompt_suffix: None,
        agent: agent(),
        gate: Gate {
            visible: None,
            acceptance: Some(SuiteRun {
                command: Command::Words(vec!["sh".to_owned(), "check".to_owned()]),
                timeout: Duration::from_secs(60),
                reports: Vec::new(),
                coverage: Vec::new(),
                environment: BTreeMap::new(),
                tests: vec![overlay("acceptance")],
                select: Select::UpTo,
                before: false,
                isolation: Isolation::Auto,
            }),
            checks: Vec::new(),
            retries: 0,
            runner_files: Vec::new(),
            runner_files_free: Vec::new(),
            baseline: true,
        },
        refactor: None,
        of_tasks: BTreeMap::new(),
    }
}

fn agent() -> Agent {
    Agent {
        command: Command::Words(vec!["work".to_owned(), "{model}".to_owned()]),
        prompt: PromptRoute::Stdin,
        model: Some("m-1".to_owned()),
        version: None,
        environment: BTreeMap::from([("MODE".to_owned(), "fast".to_owned())]),
        pass_environment: vec!["WORK_KEY".to_owned(), "A".to_owned(), "A".to_owned()],
        config: Vec::new(),
        envelope: None,
        transcripts: Vec::new(),
        keep_transcripts: false,
        tools: vec!["edit".to_owned()],
        permission_mode: Some("all".to_owned()),
        limits: Limits {
            turns: Some(40),
            cost_usd: Some(2.5),
            time: Duration::from_secs(600),
            attempts: 3,
            output: 1 << 20,
        },
        on_fail: OnFail::Repair,
        repair_shows: vec![Shown::Prompt, Shown::Tests],
        repair_prompt: None,
        rate_limited: Signs::default(),
        rate_limit_wait: (Duration::from_secs(1), Duration::from_secs(2)),
        rate_limit_retries: 1,
        credentials_dead: Signs::default(),
        isolation: Isolation::Auto,
        visible: Vec::new(),
        network: true,
        history: false,
    }
}
