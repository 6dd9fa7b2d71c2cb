//! `git evolve records`: the lines joined by attempt, the same from every clone.

use serde_json::Value;

use super::checkpoints::{project, records_on, well, work_through};
use super::{err, out};
use crate::support::Repo;

/// Two chains, the first with captures of a checkpoint and of a failed attempt.
fn recorded() -> Repo {
    let repo = project();
    work_through(&repo, "exp/arm/1", "1:first");
    std::fs::write(repo.around().join("e.json"), "{\"made\":\"up\"}\n").unwrap();
    std::fs::write(
        repo.around().join("t.xml"),
        "<testsuite name=\"s\" tests=\"1\"><testcase classname=\"a.B\" name=\"one\"/></testsuite>",
    )
    .unwrap();
    well(
        &repo,
        &[
            "attach",
            "HEAD",
            "--envelope",
            "../e.json",
            "--tests",
            "../t.xml",
        ],
    );
    let failed = [
        "--for-checkpoint",
        "2",
        "--outcome",
        "error",
        "--wall-ms",
        "5",
    ];
    well(&repo, &[&["attach", "HEAD"][..], &failed].concat());
    repo.git(&["checkout", "-q", "main"]);
    work_through(&repo, "exp/other/1", "1");
    repo
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect()
}

#[test]
fn records_are_joined_by_attempt_as_they_stand_in_their_lines() {
    let repo = recorded();
    let text = repo.stdout(&["records", "--format", "jsonl"]);
    let all = lines(&text);
    let place = |v: &Value| {
        let records = v["records"].as_object().unwrap();
        let counts: Vec<String> = ["checkpoint", "envelope", "tests", "coverage", "raw"]
            .iter()
            .map(|k| records[*k].as_array().unwrap().len().to_string())
            .collect();
        format!(
            "{} {} {} {}",
            v["chain"].as_str().unwrap(),
            v["checkpoint"],
            v["attempt"].is_string(),
            counts.join("")
        )
    };
    let places: Vec<String> = all.iter().map(place).collect();
    assert_eq!(
        places,
        [
            "exp/arm/1 0 false 10000",
            "exp/arm/1 1 true 21102",
            "exp/arm/1 2 true 01000",
            "exp/other/1 0 false 10000",
            "exp/other/1 1 true 20000",
        ]
    );
    let agent = repo.git(&["rev-parse", "evolve/exp/arm/1^"]);
    assert_eq!(all[1]["commit"], agent.as_str());
    assert_eq!(all[1]["checkpoint_id"], "first");
    assert_eq!(all[2]["checkpoint_id"], Value::Null);
    assert_eq!(all[0]["schema"], 1);
    let line = repo.git(&["notes", "--ref=refs/notes/evolve/tests", "show", &agent]);
    assert!(text.contains(&line), "byte for byte");
    let raw = &all[1]["records"]["raw"][0];
    assert!(raw.get("content").is_none() && raw["sha256"].is_string());
    let with = lines(&repo.stdout(&[
        "records",
        "--payloads",
        "--kind",
        "raw",
        "--format",
        "jsonl",
    ]));
    assert_eq!(with.len(), 1);
    let mut raw = records_on(&repo, "raw", &agent);
    raw.sort_by(|a, b| a["id"].as_str().cmp(&b["id"].as_str()));
    assert_eq!(with[0]["records"]["raw"], Value::Array(raw));
    assert_eq!(with[0]["commit"], agent.as_str());
    let document: Value =
        serde_json::from_str(&repo.stdout(&["records", "--format", "json"])).unwrap();
    assert_eq!(document["attempts"].as_array().unwrap().len(), 5);
    assert_eq!(document["attempts"][1]["records"], all[1]["records"]);
}

#[test]
fn every_clone_prints_the_same_bytes() {
    let repo = recorded();
    let server = repo.around().join("server.git");
    repo.git(&["init", "-q", "--bare", server.to_str().unwrap()]);
    repo.git(&["remote", "add", "origin", server.to_str().unwrap()]);
    let pushed = repo.evolve(&["push", "--yes", "origin"]);
    assert!(pushed.status.success(), "{}", err(&pushed));
    let clone = repo.around().join("clone");
    repo.git(&[
        "clone",
        "-q",
        server.to_str().unwrap(),
        clone.to_str().unwrap(),
    ]);
    for words in [
        &["records", "--format", "jsonl", "--payloads"][..],
        &["records", "--format", "json"],
        &["records", "--format", "csv"],
        &["records", "exp/arm", "--format", "table"],
    ] {
        let here = repo.evolve(words);
        let there = repo.evolve_in(&clone, words);
        assert!(
            here.status.success() && there.status.success(),
            "{}",
            err(&there)
        );
        assert_eq!(out(&here), out(&there), "{words:?}");
    }
}

#[test]
fn chains_checkpoints_commits_and_kinds_are_picked() {
    let repo = recorded();
    let agent = repo.git(&["rev-parse", "evolve/exp/arm/1^"]);
    let count = |words: &[&str]| {
        let all = [&["records", "--format", "jsonl"][..], words].concat();
        lines(&repo.stdout(&all)).len()
    };
    assert_eq!(count(&["exp/arm"]), 3);
    assert_eq!(count(&["exp"]), 5);
    assert_eq!(count(&["exp/arm/1", "exp/other/1@1"]), 4);
    assert_eq!(count(&["exp/arm/1@2"]), 1);
    // A commit of an attempt brings the attempt.
    assert_eq!(count(&[&agent]), 1);
    assert_eq!(count(&["evolve/exp/arm/1"]), 2);
    assert_eq!(count(&["main"]), 0);
    assert_eq!(count(&["--kind", "tests,envelope"]), 2);
    let wrong = repo.evolve(&["records", "no/such/chain"]);
    assert_eq!(wrong.status.code(), Some(128));
    assert!(
        err(&wrong).contains("neither a chain nor a commit"),
        "{}",
        err(&wrong)
    );
    let wrong = repo.evolve(&["records", "--kind", "x"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_table_fits_eighty_columns_and_what_was_passed_over_is_counted() {
    let repo = recorded();
    let table = repo.stdout(&["records", "exp/arm/1"]);
    assert!(table.lines().all(|l| l.chars().count() <= 80), "{table}");
    for words in [
        "exp/arm/1  1 first",
        "1 of 1 passed, junit-xml",
        "implement, error",
        "t.xml",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let agent = repo.git(&["rev-parse", "evolve/exp/arm/1^"]);
    for line in ["no record", "{\"v\":99,\"kind\":\"tests\"}"] {
        repo.git(&[
            "notes",
            "--ref=refs/notes/evolve/tests",
            "append",
            "-m",
            line,
            &agent,
        ]);
    }
    let o = repo.evolve(&["records", "--kind", "tests", "--format", "jsonl"]);
    assert_eq!(lines(&out(&o)).len(), 1);
    assert!(
        err(&o).contains("tests: 1 line is no record, not shown: not a JSON object"),
        "{}",
        err(&o)
    );
    assert!(
        err(&o).contains("tests: 1 line of a later version (v 99), not shown"),
        "{}",
        err(&o)
    );
    let empty = project();
    let o = empty.evolve(&["records", "--format", "jsonl"]);
    assert!(o.status.success() && o.stdout.is_empty() && err(&o).contains("no records"));
}
