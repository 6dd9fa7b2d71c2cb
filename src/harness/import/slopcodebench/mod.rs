//! A run folder of SlopCodeBench.
//!
//! | in the run | becomes |
//! | --- | --- |
//! | the run's configuration | the arm (named by model, prompt, thinking, skill), the agent's provenance |
//! | a problem's folder | a task with one chain, whose base is the empty tree |
//! | `checkpoint_N/snapshot` | the agent commit of checkpoint N |
//! | `checkpoint_N/after_skill/snapshot` | the agent commit; `snapshot` is then its first turn |
//! | `inference_result.json`, `agent/stdout.jsonl` | one session |
//! | `evaluation.json` | one gate run of the acceptance suite |
//!
//! All names are constants or entries of folders: nothing that is written in a file of the run
//! leads anywhere.

mod asides;
mod checkpoint;
mod problem;
mod told;

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::Import;
use super::files::{Folder, Read};
use super::model::{Aside, RunFound, Why};
use crate::error::{Error, Result};
use crate::record::{Configured, Limited};
use told::{Told, slug};

/// The layout as it is typed.
pub const LAYOUT: &str = "slopcodebench";

/// Greater files of words (YAML, results) are not read.
const WORDS: u64 = 1 << 20;
/// The rows of all checkpoints.
const ROWS: u64 = 64 << 20;

/// What problems are read with.
struct Run<'a> {
    asked: &'a Import,
    folder: Folder,
    /// As it was given.
    shown: String,
    arm: String,
    /// SHA-256 of the configuration.
    identity: Vec<u8>,
    agent: Configured,
    /// State of a checkpoint by problem and name.
    states: BTreeMap<(String, String), String>,
}

/// Looks at the run in `folder`.
///
/// # Errors
/// Usage where it is no such run, its arm has no name, or a task that is asked for is not in it.
pub(super) fn read(folder: &Path, asked: &Import) -> Result<RunFound> {
    let shown = folder.display().to_string();
    let folder = Folder::top(folder)?;
    let mut asides = Vec::new();
    let mut aside = |why, what: &str, said: String| {
        asides.push(Aside {
            run: shown.clone(),
            task: None,
            checkpoint: None,
            why,
            what: what.to_owned(),
            count: 1,
            said,
        });
    };
    let problems: Vec<String> = folder
        .names()
        .into_iter()
        .filter(|name| folder.folder(name).is_some_and(|f| problem::is_one(&f)))
        .collect();
    let config = match folder.read("config.yaml", WORDS) {
        Read::Bytes(bytes) => Some(bytes),
        Read::Absent => None,
        Read::Not(why) => {
            aside(Why::Unreadable, "config.yaml", why);
            None
        }
    };
    if problems.is_empty() {
        return Err(no_run(&folder, &shown, config.is_some()));
    }
    let read = config.as_deref().map(|b| Told::of_yaml(b, "config.yaml"));
    let told = match read {
        Some(Ok(told)) => told,
        Some(Err(why)) => {
            aside(Why::Unreadable, "config.yaml", why);
            Told::nothing()
        }
        None => {
            let said = "there is none: what the run was made with is not known".to_owned();
            aside(Why::Remark, "config.yaml", said);
            Told::nothing()
        }
    };
    let arm = match &asked.arm {
        Some(arm) => arm.clone(),
        None => arm(&told).ok_or_else(|| {
            Error::usage(format!("{shown} does not say which model ran"))
                .with_hint("--arm NAME names the arm")
        })?,
    };
    let identity = match &config {
        Some(bytes) => Sha256::digest(bytes).to_vec(),
        None => {
            let name = folder.path().file_name().unwrap_or_default();
            name.as_encoded_bytes().to_vec()
        }
    };
    let (states, columns) = rows(&folder, &mut aside);
    if !columns.is_empty() {
        let said = format!("figures of its own analysers, which are computed anew: {columns}");
        aside(Why::NotMapped, "checkpoint_results.jsonl", said);
    }
    let run = Run {
        asked,
        agent: agent(&told, &folder),
        folder,
        shown: shown.clone(),
        arm,
        identity,
        states,
    };
    let mut found = RunFound {
        chains: Vec::new(),
        asides: Vec::new(),
    };
    let wanted = |name: &String| {
        let tasks = &asked.tasks;
        tasks.is_empty() || tasks.contains(name) || tasks.contains(&slug(name))
    };
    for task in &asked.tasks {
        if !problems.iter().any(|p| p == task || slug(p) == *task) {
            let names = problems.join(", ");
            return Err(Error::usage(format!("{shown} has no problem '{task}'"))
                .with_hint(format!("its problems: {names}")));
        }
    }
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    for name in problems.iter().filter(|n| wanted(n)) {
        let task = slug(name);
        if let Some(other) = taken.insert(task.clone(), name.clone()) {
            asides.push(Aside {
                run: shown.clone(),
                task: Some(name.clone()),
                checkpoint: None,
                why: Why::Refused,
                what: name.clone(),
                count: 1,
                said: format!("its task would be called '{task}', as that of '{other}'"),
            });
            taken.insert(task, other);
            continue;
        }
        if let Some(chain) = problem::read(&run, name, &told) {
            found.chains.push(chain);
        }
    }
    for name in told.words(&["problems"]) {
        if wanted(&name) && !problems.contains(&name) {
            asides.push(Aside {
                run: shown.clone(),
                task: Some(name.clone()),
                checkpoint: None,
                why: Why::NotReached,
                said: folderless(&run.states, &name),
                what: name,
                count: 1,
            });
        }
    }
    asides.extend(asides::of_run(&run));
    found.asides = asides;
    Ok(found)
}

fn no_run(folder: &Folder, shown: &str, configured: bool) -> Error {
    let inner = folder.names().into_iter().find(|name| {
        let inner = folder.folder(name);
        inner.is_some_and(|f| f.file("config.yaml").is_ok())
    });
    let what = match configured {
        true => "holds no problem with a checkpoint",
        false => "is no run of SlopCodeBench: it holds neither config.yaml nor a problem",
    };
    let error = Error::usage(format!("{shown} {what}"));
    match inner {
        Some(name) => error.with_hint(format!("a run may be in it: {shown}/{name}")),
        None => error.with_hint("a run's folder holds config.yaml and a folder a problem"),
    }
}

/// What is known of a problem without a folder.
fn folderless(states: &BTreeMap<(String, String), String>, name: &str) -> String {
    let rows = states.iter().filter(|((problem, _), _)| problem == name);
    let rows: Vec<String> = rows
        .map(|((_, at), state)| format!("{at} {state}"))
        .collect();
    match rows.is_empty() {
        true => "it was to be worked on, and has neither folder nor row: never begun".to_owned(),
        false => format!(
            "it has no folder, so that nothing can be taken over; rows: {}",
            rows.join(", ")
        ),
    }
}

/// The name that the configuration gives the arm: model, prompt, thinking and skill.
fn arm(told: &Told) -> Option<String> {
    let mut parts = vec![told.text(&["model", "name"])?];
    if let Some(prompt) = told.text(&["prompt_path"]) {
        let stem = Path::new(&prompt).file_stem();
        parts.extend(stem.map(|s| s.to_string_lossy().into_owned()));
    }
    parts.extend(told.text(&["thinking"]).filter(|t| t != "none"));
    if told.has(&["post_checkpoint_skill"]) {
        parts.push("skill".to_owned());
    }
    let arm = slug(&parts.join("-"));
    (!arm.is_empty()).then_some(arm)
}

/// The agent, as the configuration tells of it.
fn agent(told: &Told, folder: &Folder) -> Configured {
    let environment = match folder.read("environment.yaml", WORDS) {
        Read::Bytes(bytes) => Told::of_yaml(&bytes, "environment.yaml").ok(),
        _ => None,
    };
    let variables = environment.map(|e| e.texts(&["environment", "env"]));
    let turns = told.whole(&["agent", "cost_limits", "step_limit"]);
    let dollars = told.number(&["agent", "cost_limits", "cost_limit"]);
    let limits = Limited {
        // Nothing is no limit there.
        turns: turns.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0),
        cost_usd: dollars.filter(|usd| (0.0..1e9).contains(usd) && *usd > 0.0),
        time_ms: 0,
        attempts: 1,
    };
    let short = |text: &String| text.len() <= 1_024 && !text.is_empty();
    Configured {
        command: Vec::new(),
        prompt_route: "unknown".to_owned(),
        model: told.text(&["model", "name"]).filter(short),
        version: told.text(&["agent", "version"]).filter(short),
        environment: variables.unwrap_or_default(),
        permission_mode: told.text(&["agent", "permission_mode"]).filter(short),
        limits: (limits.turns.is_some() || limits.cost_usd.is_some()).then_some(limits),
        on_fail: (told.text(&["pass_policy"]).as_deref() == Some("any"))
            .then(|| "continue".to_owned()),
        ..Configured::default()
    }
}

/// The state that rows give each checkpoint, and their columns that nothing here comes from.
fn rows(
    folder: &Folder,
    aside: &mut dyn FnMut(Why, &str, String),
) -> (BTreeMap<(String, String), String>, String) {
    const FILE: &str = "checkpoint_results.jsonl";
    let mut states = BTreeMap::new();
    let bytes = match folder.read(FILE, ROWS) {
        Read::Bytes(bytes) => bytes,
        Read::Absent => {
            let said = "there is none: no state of a checkpoint is told".to_owned();
            aside(Why::Remark, FILE, said);
            return (states, String::new());
        }
        Read::Not(why) => {
            aside(Why::Unreadable, FILE, why);
            return (states, String::new());
        }
    };
    let mut columns = std::collections::BTreeSet::new();
    let mut again = 0_u64;
    let skipped = crate::intake::objects(&bytes, &mut |row| {
        let text = |key: &str| row.get(key).and_then(|v| v.as_str()).map(str::to_owned);
        if let (Some(problem), Some(name), Some(state)) =
            (text("problem"), text("checkpoint"), text("state"))
        {
            let now = state.clone();
            let before = states.insert((problem, name), state);
            again += u64::from(before.is_some_and(|before| before != now));
        }
        let keys = row.as_object().into_iter().flatten().map(|(key, _)| key);
        columns.extend(
            keys.filter(|k| k.len() < 64 && !asides::is_mapped(k))
                .cloned(),
        );
    });
    if skipped > 0 {
        aside(
            Why::Unreadable,
            FILE,
            format!("{skipped} lines are no JSON objects"),
        );
    }
    if again > 0 {
        let said = format!(
            "rows that give a checkpoint another state than a row above: {again}; the last counts"
        );
        aside(Why::Remark, FILE, said);
    }
    let columns: Vec<String> = columns.into_iter().take(500).collect();
    (states, columns.join(", "))
}
