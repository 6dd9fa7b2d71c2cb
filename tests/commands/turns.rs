//! `--at implement`: what the first turn of a checkpoint left, before refactor turns.

use git_evolve::record::{
    Body, Checkpoint, Event, Kind, ObjectName, Purpose, ReadLine, Record, Role, Turned,
    mask::Masker, read_line,
};
use serde_json::Value;

use super::recorded::Run;
use super::{err, out};
use crate::support::Repo;

const ONE: &str = "class B {\n    int g() {\n        return 1;\n    }\n}\n";
const TWO: &str = "class B {\n    int g() {\n        return 1;\n    }\n    int h() {\n        return 2;\n    }\n}\n";
const NEXT: &str = "class B {\n    int g() {\n        return 7;\n    }\n}\n";

/// A tree in the repository's store, of what lies in the folder now.
fn tree(repo: &Repo) -> String {
    repo.git(&["add", "-A"]);
    repo.git(&["write-tree"])
}

fn name(id: &str) -> ObjectName {
    ObjectName::parse(id).expect("an id")
}

/// The agent record on `commit`, with turns that left these trees.
fn turned(run: &mut Run, commit: &str, trees: &[&str]) {
    let lines = &run.notes[&(Kind::Checkpoint, commit.to_owned())];
    let ReadLine::Known(record) = read_line(Kind::Checkpoint, lines[0].as_bytes()) else {
        panic!("no record")
    };
    let mut record: Record = *record;
    let Body::Checkpoint(says) = &mut record.body else {
        panic!("no checkpoint record")
    };
    let purposes = [Purpose::Implement, Purpose::Refactor];
    says.turns = trees
        .iter()
        .zip(purposes)
        .map(|(tree, purpose)| Turned {
            purpose,
            tree: name(tree),
            ended: None,
        })
        .collect();
    let line = record.line(&Masker::general()).expect("a line");
    let line = String::from_utf8(line.bytes().to_vec()).expect("UTF-8");
    run.notes
        .insert((Kind::Checkpoint, commit.to_owned()), vec![line]);
}

fn agent(run: &mut Run, k: u32, text: &str) -> String {
    run.repo.write("src/B.java", text);
    let id = format!("c{k}");
    let commit = run.commit(k, &id, Role::Agent);
    let body = Body::from(Checkpoint::of(Event::Agent));
    let record = run.record(&commit, Role::Agent, k, &id, body);
    run.add(&commit, &record);
    let reset = run.commit(k, &id, Role::Reset);
    let body = Body::from(Checkpoint::of(Event::Reset));
    let record = run.record(&reset, Role::Reset, k, &id, body);
    run.add(&reset, &record);
    commit
}

/// Checkpoint 1 adds `g` and `h` and then takes `h` away again; checkpoint 2 changes `g`.
fn refactored(first: Option<&str>) -> Run {
    let mut run = Run::with(0);
    run.repo.write("src/B.java", TWO);
    run.repo.write("src/A.java", "class A {\n    int f1;\n}\n");
    let turn = tree(&run.repo);
    run.repo.git(&["reset", "-q", "--hard"]);
    let one = agent(&mut run, 1, ONE);
    agent(&mut run, 2, NEXT);
    let last = run.repo.git(&["rev-parse", &format!("{one}^{{tree}}")]);
    if first.is_none() {
        let parent = format!("{one}^");
        let commit = run
            .repo
            .git(&["commit-tree", &turn, "-p", &parent, "-m", "turn 1"]);
        let reference = "refs/evolve/agent/exp/plain/1/1/1";
        run.repo.git(&["update-ref", reference, &commit]);
    }
    turned(&mut run, &one, &[first.unwrap_or(&turn), &last]);
    run.write();
    run.keep();
    run
}

const METRICS: &str =
    "fns_added,lines_added,fn_count,existing_fns_modified,reedit_rate,strict_pass";

fn log(run: &Run, words: &[&str]) -> Value {
    let all = [
        "log",
        "--chain",
        "exp/plain/1",
        "--format",
        "json",
        "--metrics",
        METRICS,
    ];
    let o = run.repo.evolve(&[&all, words].concat());
    serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(&o)))
}

/// The figure `id` of checkpoint `k`.
fn figure(document: &Value, k: u64, id: &str) -> Value {
    let all = document["changes"].as_array().expect("changes");
    let found = all.iter().find(|c| c["checkpoint"] == k);
    found.unwrap_or_else(|| panic!("no checkpoint {k}: {document:#}"))["metrics"][id].clone()
}

#[test]
fn the_first_turn_is_measured_and_the_next_checkpoint_stands_on_the_commit() {
    let run = refactored(None);
    let commit = log(&run, &[]);
    let first = log(&run, &["--at", "implement"]);
    let value = |d: &Value, k, id| figure(d, k, id)["value"].clone();
    // g; and with h.
    assert_eq!(
        (
            value(&commit, 1, "fns_added"),
            value(&first, 1, "fns_added")
        ),
        (1.into(), 2.into())
    );
    // `int f1;`, and five lines of B; and three of h.
    assert_eq!(
        (
            value(&commit, 1, "lines_added"),
            value(&first, 1, "lines_added")
        ),
        (6.into(), 9.into())
    );
    assert_eq!(
        (value(&commit, 1, "fn_count"), value(&first, 1, "fn_count")),
        (1.into(), 2.into())
    );
    for id in [
        "fns_added",
        "lines_added",
        "fn_count",
        "existing_fns_modified",
        "reedit_rate",
    ] {
        assert_eq!(figure(&commit, 2, id), figure(&first, 2, id), "{id}");
    }
    assert_eq!(
        value(&first, 2, "existing_fns_modified"),
        1,
        "g; h was never there"
    );
    assert_ne!(commit["config"], first["config"], "it moves figures");
    assert_eq!(first["settings"]["at"], "implement");
    assert_eq!(commit["settings"].get("at"), None);
    let gate = figure(&first, 1, "strict_pass");
    let why = gate.to_string();
    assert!(why.contains("gates ran on the agent commit"), "{why}");
    let remarks = first["remarks"].to_string();
    assert!(
        remarks.contains("1 of 2 checkpoints had several turns"),
        "{remarks}"
    );
}

#[test]
fn show_and_slope_measure_it_too() {
    let run = refactored(None);
    let one = run.line[1].clone();
    let shown = out(&run.repo.evolve(&["show", &one, "--at", "implement"]));
    assert!(shown.contains("B::h") || shown.contains("h()"), "{shown}");
    assert!(shown.contains("what its first turn left"), "{shown}");
    let last = out(&run.repo.evolve(&["show", &one]));
    assert!(
        !last.contains("first turn") && !last.contains("h()"),
        "{last}"
    );
    let slope = |words: &[&str]| {
        let all = ["slope", "--metrics", "fn_count", "--format", "json"];
        let o = run.repo.evolve(&[&all, words].concat());
        let document: Value = serde_json::from_slice(&o.stdout).expect("JSON");
        document["slopes"][0]["slope"].clone()
    };
    // One function at both; two and then one.
    assert_eq!(slope(&[]), 0.0, "flat");
    assert_eq!(slope(&["--at", "implement"]), -1.0);
}

#[test]
fn a_first_turn_that_is_not_here_is_unknown() {
    let run = refactored(Some("0123456789012345678901234567890123456789"));
    let first = log(&run, &["--at", "implement"]);
    for id in ["fns_added", "fn_count"] {
        let one = figure(&first, 1, id).to_string();
        assert!(
            one.contains("the tree of the first turn is not here"),
            "{one}"
        );
    }
    assert_eq!(figure(&first, 2, "fns_added")["value"], 0);
}

#[test]
fn one_turn_is_the_commit_and_without_chains_there_is_none() {
    let run = Run::with(2);
    let (commit, first) = (log(&run, &[]), log(&run, &["--at", "implement"]));
    assert_eq!(commit["changes"], first["changes"]);
    let o = super::small().evolve(&["log", "--at", "implement"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(err(&o).contains("no chains"), "{}", err(&o));
}
