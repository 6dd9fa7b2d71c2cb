//! A checkpoint's folder: the states it went through, its sessions, its gate run.

use serde_json::Value;

use super::super::files::{Folder, MOST, Read};
use super::super::model::{
    CheckpointFound, ContentFound, FileFound, GateFound, SessionFound, TurnFound, Why,
};
use super::problem::Problem;
use super::told::moment;
use crate::record::{Purpose, Suite};

/// The id of checkpoint `number` as a part.
pub(super) fn id(number: u32) -> String {
    format!("checkpoint-{number}")
}

/// Reads checkpoint `number`, of which the run says `state`; `None` where it was never reached,
/// which is noted.
pub(super) fn read(
    problem: &mut Problem<'_>,
    number: u32,
    state: Option<&str>,
) -> Option<CheckpointFound> {
    let name = format!("checkpoint_{number}");
    let said = |why: &str| match state {
        Some(state) => format!("never reached: {why}; the run says {state}"),
        None => format!("never reached: {why}"),
    };
    let Some(folder) = problem.folder.folder(&name) else {
        problem.aside(
            Some(number),
            Why::NotReached,
            &name,
            said("it has no folder"),
        );
        return None;
    };
    if state == Some("skipped") {
        problem.aside(
            Some(number),
            Why::NotReached,
            &name,
            said("it was not worked on"),
        );
        return None;
    }
    let snapshot = folder.folder("snapshot");
    let after = folder.folder("after_skill");
    let after_state = after.as_ref().and_then(|f| f.folder("snapshot"));
    let inference = object(problem, &folder, number, "inference_result.json");
    if snapshot.is_none() && inference.is_none() {
        let why = "it has neither a state nor a session";
        problem.aside(Some(number), Why::NotReached, &name, said(why));
        return None;
    }
    let mut found = CheckpointFound {
        number,
        id: id(number),
        title: format!("{}, as the agent left it", problem.name),
        started: None,
        ended: None,
        turns: Vec::new(),
        sessions: Vec::new(),
        gates: Vec::new(),
        contents: Vec::new(),
    };
    let prompt = folder.file("prompt.txt").ok();
    found.contents.extend(prompt.map(|file| ContentFound {
        role: "prompt",
        file,
        name: format!("{name}/prompt.txt"),
    }));
    session(problem, &folder, &mut found, inference, state);
    if let Some(state) = snapshot {
        found.turns.push(TurnFound {
            purpose: Purpose::Implement,
            folder: state.path().to_owned(),
            name: format!("{name}/snapshot"),
            ended: found.ended,
        });
    } else {
        let said = "it left no state: an attempt that failed".to_owned();
        problem.aside(Some(number), Why::Remark, "snapshot", said);
    }
    let mut gated = &folder;
    let mut prefix = name.clone();
    if let (Some(after), Some(state)) = (&after, &after_state) {
        found.turns.push(TurnFound {
            purpose: Purpose::Refactor,
            folder: state.path().to_owned(),
            name: format!("{name}/after_skill/snapshot"),
            ended: None,
        });
        let mut of_skill = empty(Purpose::Refactor);
        let agent = after.folder("agent");
        kept(
            agent.as_ref(),
            "stdout.jsonl",
            &format!("{name}/after_skill/agent"),
            &mut of_skill.files,
        );
        if !of_skill.files.is_empty() {
            found.sessions.push(of_skill);
        }
        if folder.file("evaluation.json").is_ok() {
            let said = "evaluates the state before the skill, which is no commit: kept by digest";
            problem.aside(
                Some(number),
                Why::NotMapped,
                "evaluation.json",
                said.to_owned(),
            );
            content(&folder, "evaluation.json", &name, &mut found);
        }
        (gated, prefix) = (after, format!("{name}/after_skill"));
    }
    gate(problem, gated, &prefix, &mut found);
    let files = found.sessions.iter().flat_map(|s| &s.files);
    let files = files.chain(found.gates.iter().flat_map(|g| &g.files));
    let sources: Vec<ContentFound> = files
        .map(|f| ContentFound {
            role: "source",
            file: f.file.clone(),
            name: f.name.clone(),
        })
        .collect();
    found.contents.extend(sources);
    if found.turns.is_empty() && found.gates.pop().is_some() {
        let said = "evaluates a state that is not there".to_owned();
        problem.aside(Some(number), Why::NotMapped, "evaluation.json", said);
    }
    Some(found)
}

/// The object in a JSON file; what cannot be read is noted.
fn object(problem: &mut Problem<'_>, folder: &Folder, number: u32, file: &str) -> Option<Value> {
    let mut only = None;
    let why = match folder.read(file, MOST) {
        Read::Absent => return None,
        Read::Not(why) => why,
        Read::Bytes(bytes) => {
            crate::intake::objects(&bytes, &mut |object| {
                only.get_or_insert(object);
            });
            "it is no JSON object, or one too large".to_owned()
        }
    };
    if only.is_none() {
        problem.aside(Some(number), Why::Unreadable, file, why);
    }
    only
}

fn empty(purpose: Purpose) -> SessionFound {
    SessionFound {
        purpose,
        files: Vec::new(),
        started: None,
        ended: None,
        wall_ms: None,
        outcome: None,
        agent_version: None,
        model: None,
    }
}

/// Adds a file of a folder to those that are kept.
fn kept(folder: Option<&Folder>, file: &str, prefix: &str, to: &mut Vec<FileFound>) {
    let Some(path) = folder.and_then(|f| f.file(file).ok()) else {
        return;
    };
    // An empty one tells nothing.
    if std::fs::symlink_metadata(&path).is_ok_and(|m| m.len() > 0) {
        to.push(FileFound {
            file: path,
            name: format!("{prefix}/{file}"),
        });
    }
}

fn content(folder: &Folder, file: &str, prefix: &str, found: &mut CheckpointFound) {
    let path = folder.file(file).ok();
    found.contents.extend(path.map(|path| ContentFound {
        role: "source",
        file: path,
        name: format!("{prefix}/{file}"),
    }));
}

/// The session that did what was asked.
fn session(
    problem: &Problem<'_>,
    folder: &Folder,
    found: &mut CheckpointFound,
    inference: Option<Value>,
    state: Option<&str>,
) {
    let offset = problem.run.asked.offset;
    let name = format!("checkpoint_{}", found.number);
    let mut session = empty(Purpose::Implement);
    kept(
        Some(folder),
        "inference_result.json",
        &name,
        &mut session.files,
    );
    let agent = folder.folder("agent");
    let inside = format!("{name}/agent");
    kept(agent.as_ref(), "stdout.jsonl", &inside, &mut session.files);
    let told = inference.unwrap_or_default();
    session.started = moment(told.get("started"), offset);
    session.ended = moment(told.get("completed"), offset);
    (found.started, found.ended) = (session.started, session.ended);
    let elapsed = told.get("elapsed").and_then(Value::as_f64);
    session.wall_ms = elapsed
        .map(|seconds| (seconds * 1e3).round())
        .filter(|ms| (0.0..1e12).contains(ms))
        .map(|ms| ms as u64);
    let failed = told.get("had_error") == Some(&Value::Bool(true)) || state == Some("error");
    session.outcome = failed.then(|| "error".to_owned());
    session.agent_version.clone_from(&problem.run.agent.version);
    session.model.clone_from(&problem.run.agent.model);
    if !session.files.is_empty() || failed {
        found.sessions.push(session);
    }
}

/// The gate run on the last state.
fn gate(problem: &mut Problem<'_>, folder: &Folder, prefix: &str, found: &mut CheckpointFound) {
    const FILE: &str = "evaluation.json";
    let number = found.number;
    if folder.file(FILE).is_err_and(|why| why.is_empty()) {
        let said = "there is none: how its tests went is not known".to_owned();
        problem.aside(Some(number), Why::Remark, FILE, said);
        return;
    }
    let told = object(problem, folder, number, FILE).unwrap_or_default();
    let mut gate = GateFound {
        suite: Suite::Acceptance,
        files: Vec::new(),
        exit_code: told.get("pytest_exit_code").and_then(Value::as_i64),
        selected: problem.prior.get(&number).map(|prior| match prior {
            true => (1..=number).collect(),
            false => vec![number],
        }),
    };
    kept(Some(folder), FILE, prefix, &mut gate.files);
    if gate.files.is_empty() {
        return;
    }
    let lists = |group: &Value| {
        let lists = ["passed", "failed", "skipped"].into_iter();
        lists
            .filter_map(|l| group.get(l)?.as_array().map(Vec::len))
            .sum::<usize>()
    };
    let groups = told.get("tests").and_then(Value::as_object);
    if groups.is_some_and(|groups| groups.values().map(lists).sum::<usize>() == 0) {
        // Nothing ran: whether it is the change's doing, pytest's own report says.
        let inner = folder.folder("evaluation");
        let inside = format!("{prefix}/evaluation");
        kept(inner.as_ref(), "report.json", &inside, &mut gate.files);
    }
    found.gates.push(gate);
}
