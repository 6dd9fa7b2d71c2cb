//! `[agent]`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::plan::placeholders::{self, Where};
use crate::plan::problems::{Fields, Reading};
use crate::plan::source::{Table, Value};
use crate::plan::values::duration;
use crate::plan::{Agent, Isolation, Limits, OnFail, PromptRoute, Shown, Signs};

const TITLE: &str = "[agent]";
const KEYS: [&str; 25] = [
    "command",
    "config",
    "credentials_dead",
    "envelope",
    "environment",
    "history",
    "isolation",
    "keep_transcripts",
    "limits",
    "model",
    "network",
    "on_fail",
    "pass_environment",
    "permission_mode",
    "prompt",
    "rate_limit_retries",
    "rate_limit_wait",
    "rate_limited",
    "repair_prompt",
    "repair_prompt_text",
    "repair_shows",
    "tools",
    "transcripts",
    "version",
    "visible",
];

/// The words of `isolation`.
pub(super) const ISOLATION: [(&str, Isolation); 3] = [
    ("auto", Isolation::Auto),
    ("required", Isolation::Required),
    ("none", Isolation::None),
];

/// Reads the agent of an arm; `table` has all that the arm and the task override.
pub(super) fn agent(r: &mut Reading<'_>, table: &Table) -> Option<Agent> {
    let fields = r.open(table, TITLE, &KEYS);
    if fields.get("command").is_none() {
        r.wrong(table.at, "[agent] has no command");
    }
    let command = fields.command(r, "command", Where::Agent);
    let routes = [
        ("stdin", PromptRoute::Stdin),
        ("argument", PromptRoute::Argument),
        ("file", PromptRoute::File),
    ];
    let prompt = fields.word(r, "prompt", &routes);
    let limits = limits(r, &fields);
    let on_fail = on_fail(r, &fields);
    let attempts = limits.1.unwrap_or(match on_fail {
        // A repair is an attempt of its own.
        OnFail::Repair => 2,
        _ => 1,
    });
    if on_fail == OnFail::Repair && attempts < 2 {
        let at = fields.at("on_fail");
        r.wrong_so(
            at,
            "on_fail in [agent] is 'repair', and there is 1 attempt",
            "limits.attempts must be 2 or more",
        );
    }
    let environment = environment(r, &fields, Where::Agent);
    let envelope = fields.text(r, "envelope");
    if let Some(path) = &envelope {
        placeholders::check(r, fields.at("envelope"), path, Where::Agent);
    }
    let transcripts = fields.texts(r, "transcripts").unwrap_or_default();
    for glob in &transcripts {
        placeholders::check(r, fields.at("transcripts"), glob, Where::Agent);
    }
    let model = fields.text(r, "model");
    let permission_mode = fields.text(r, "permission_mode");
    for (name, key, is_set) in [
        ("model", "model", model.is_some()),
        (
            "permission_mode",
            "permission_mode",
            permission_mode.is_some(),
        ),
        ("max_turns", "limits.turns", limits.0.turns.is_some()),
        (
            "max_cost_usd",
            "limits.cost_usd",
            limits.0.cost_usd.is_some(),
        ),
    ] {
        if !is_set {
            stands_for_nothing(r, &fields, name, key);
        }
    }
    Some(Agent {
        prompt: prompt.unwrap_or(PromptRoute::Stdin),
        model,
        version: fields.command(r, "version", Where::Agent),
        environment,
        pass_environment: passed(r, &fields),
        config: fields.overlays(r, "config"),
        envelope,
        transcripts,
        keep_transcripts: fields.flag(r, "keep_transcripts").unwrap_or(false),
        tools: fields.texts(r, "tools").unwrap_or_default(),
        permission_mode,
        limits: Limits {
            attempts,
            ..limits.0
        },
        on_fail,
        repair_shows: shows(r, &fields),
        repair_prompt: fields.words(r, "repair_prompt"),
        rate_limited: signs(r, &fields, "rate_limited"),
        rate_limit_wait: wait(r, &fields),
        rate_limit_retries: fields
            .whole(r, "rate_limit_retries", 0..=1000)
            .unwrap_or(16),
        credentials_dead: signs(r, &fields, "credentials_dead"),
        isolation: fields
            .word(r, "isolation", &ISOLATION)
            .unwrap_or(Isolation::Auto),
        visible: visible(r, &fields),
        network: fields.flag(r, "network").unwrap_or(true),
        history: fields.flag(r, "history").unwrap_or(false),
        command: command?,
    })
}

/// A placeholder in the command or environment whose value the plan does not say.
fn stands_for_nothing(r: &mut Reading<'_>, agent: &Fields<'_>, name: &str, key: &str) {
    let mut texts = Vec::new();
    if let Some(Value::List(words)) = agent.get("command").map(|n| &n.value) {
        texts.extend(words);
    }
    if let Some(table) = agent.get("environment").and_then(|n| n.as_table()) {
        texts.extend(table.entries.iter().map(|e| &e.value));
    }
    for node in texts {
        let text = node.as_text().unwrap_or_default();
        if placeholders::names(text).any(|(_, n)| n == name) {
            let message = format!("{{{name}}} stands for nothing: [agent] has no {key}");
            r.wrong(node.at, message);
        }
    }
}

/// Limits, and the attempts where they are said.
fn limits(r: &mut Reading<'_>, agent: &Fields<'_>) -> (Limits, Option<u32>) {
    let mut limits = Limits {
        turns: None,
        cost_usd: None,
        time: Duration::from_secs(30 * 60),
        attempts: 1,
        output: 64 << 20,
    };
    let Some(table) = agent.table(r, "limits") else {
        return (limits, None);
    };
    let keys = ["attempts", "cost_usd", "output", "time", "turns"];
    let fields = r.open(table, "[agent.limits]", &keys);
    limits.turns = fields.whole(r, "turns", 1..=1_000_000);
    limits.cost_usd = fields.dollars(r, "cost_usd");
    limits.time = fields.time(r, "time").unwrap_or(limits.time);
    limits.output = fields.bytes(r, "output").unwrap_or(limits.output);
    let attempts = fields.whole(r, "attempts", 1..=1000);
    (limits, attempts)
}

fn on_fail(r: &mut Reading<'_>, agent: &Fields<'_>) -> OnFail {
    let words = [
        ("stop", OnFail::Stop),
        ("repair", OnFail::Repair),
        ("continue", OnFail::Continue),
    ];
    agent.word(r, "on_fail", &words).unwrap_or(OnFail::Stop)
}

/// Variables, placeholders in their values.
pub(super) fn environment(
    r: &mut Reading<'_>,
    fields: &Fields<'_>,
    place: Where,
) -> BTreeMap<String, String> {
    let all = fields.named(r, "environment");
    if let Some(table) = fields.get("environment").and_then(|n| n.as_table()) {
        for entry in &table.entries {
            variable(r, entry.at, &entry.key);
            if let Some(text) = entry.value.as_text() {
                placeholders::check(r, entry.value.at, text, place);
            }
        }
    }
    all
}

/// A name that the environment can have, and that is not the run's own.
fn variable(r: &mut Reading<'_>, at: usize, name: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(plain) || name.starts_with(|c: char| c.is_ascii_digit())
    {
        r.wrong(at, format!("'{name}' is no name of a variable"));
    } else if name.starts_with("EVOLVE_") {
        r.wrong(at, format!("{name} is the run's own: it sets EVOLVE_*"));
    }
}

fn passed(r: &mut Reading<'_>, agent: &Fields<'_>) -> Vec<String> {
    let names = agent.texts(r, "pass_environment").unwrap_or_default();
    for name in &names {
        variable(r, agent.at("pass_environment"), name);
    }
    names
}

fn shows(r: &mut Reading<'_>, agent: &Fields<'_>) -> Vec<Shown> {
    let known = [
        ("prompt", Shown::Prompt),
        ("tests", Shown::Tests),
        ("messages", Shown::Messages),
        ("console", Shown::Console),
    ];
    let Some(words) = agent.texts(r, "repair_shows") else {
        return vec![Shown::Prompt, Shown::Tests, Shown::Messages];
    };
    let mut shown = Vec::new();
    for word in &words {
        match known.iter().find(|(k, _)| k == word) {
            Some((_, what)) if shown.contains(what) => {
                r.wrong(agent.at("repair_shows"), format!("'{word}' twice"));
            }
            Some((_, what)) => shown.push(*what),
            None => {
                let words = known.map(|(k, _)| k);
                let hint = crate::plan::source::suggestion(word, &words, "known");
                let message = format!("repair_shows in [agent] cannot be '{word}'");
                r.wrong_so(agent.at("repair_shows"), message, hint);
            }
        }
    }
    shown
}

fn signs(r: &mut Reading<'_>, agent: &Fields<'_>, key: &str) -> Signs {
    let Some(table) = agent.table(r, key) else {
        return Signs::default();
    };
    let title = match key {
        "rate_limited" => "[agent.rate_limited]",
        _ => "[agent.credentials_dead]",
    };
    let fields = r.open(table, title, &["exit_codes", "patterns"]);
    let code = |value: &Value| match value {
        // 0 is a session that went well.
        Value::Integer(n) if (1..=255).contains(n) => i32::try_from(*n).ok(),
        _ => None,
    };
    let wanted = "a list of exit codes, 1 to 255";
    let exit_codes = fields.read(r, "exit_codes", wanted, |n| match &n.value {
        Value::List(all) => all.iter().map(|n| code(&n.value)).collect(),
        one => code(one).map(|n| vec![n]),
    });
    Signs {
        exit_codes: exit_codes.unwrap_or_default(),
        patterns: fields.patterns(r, "patterns").unwrap_or_default(),
    }
}

fn wait(r: &mut Reading<'_>, agent: &Fields<'_>) -> (Duration, Duration) {
    let wanted = "two times, the first wait and the longest: [\"60s\", \"30m\"]";
    let read = agent.read(r, "rate_limit_wait", wanted, |n| match &n.value {
        Value::List(two) if two.len() == 2 => {
            let (first, most) = (duration(&two[0])?, duration(&two[1])?);
            (first <= most).then_some((first, most))
        }
        _ => None,
    });
    read.unwrap_or((Duration::from_secs(60), Duration::from_secs(30 * 60)))
}

/// Paths of this machine: absolute, or below the user's home (`~/`).
fn visible(r: &mut Reading<'_>, agent: &Fields<'_>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for text in agent.texts(r, "visible").unwrap_or_default() {
        let path = match (text.strip_prefix("~/"), std::env::home_dir()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(&text),
        };
        let climbs = path
            .components()
            .any(|c| c == std::path::Component::ParentDir);
        if path.is_absolute() && !climbs {
            paths.push(path);
        } else {
            let message = format!("visible in [agent] wants whole paths, not '{text}'");
            r.wrong_so(agent.at("visible"), message, "they begin with / or ~/");
        }
    }
    paths
}
