//! What was undone and done again by the printed lines: nothing is lost, nothing is missed, and
//! what was done last counts.

use super::checkpoints::{project, refs, undo, well};
use super::{err, out};
use crate::support::Repo;

/// Works through one checkpoint; what `begin` and `record` did first was undone.
fn twice(repo: &Repo) -> String {
    undo(repo, &well(repo, &["begin", "exp/arm/1", "1:first"]));
    well(repo, &["begin", "exp/arm/1", "1:first"]);
    repo.write("src/B.java", "class B {\n}\n");
    undo(repo, &well(repo, &["record", "-m", "too early"]));
    repo.write("src/B.java", "class B {\n    int b;\n}\n");
    well(repo, &["record", "-m", "done"]);
    let agent = repo.git(&["rev-parse", "HEAD"]);
    well(repo, &["reset"]);
    agent
}

fn findings(repo: &Repo, command: &str) -> (Option<i32>, Vec<serde_json::Value>) {
    let o = repo.evolve(&[command, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out(&o)).unwrap();
    let all = json["findings"].as_array().unwrap().clone();
    (o.status.code(), all)
}

#[test]
fn what_was_undone_and_done_again_is_no_defect_and_no_loss() {
    let repo = project();
    let agent = twice(&repo);
    let (code, found) = findings(&repo, "verify");
    assert_eq!(code, Some(0), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|f| f["id"] == "record-taken-back"));

    let (code, found) = findings(&repo, "reconcile");
    assert_eq!(code, Some(0), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
    for f in &found {
        assert_eq!(f["finding"], "taken back", "{f}");
        assert_eq!(f["proposed"], false, "{f}");
    }
    let before = refs(&repo);
    repo.evolve(&["reconcile", "--apply"]);
    assert_eq!(refs(&repo), before);
    let log = repo.evolve(&["log", "--chain", "exp/arm/1", "--format", "jsonl"]);
    assert!(out(&log).contains(&agent), "{}", out(&log));
    assert!(!err(&log).contains("no ref leads"), "{}", err(&log));
}

#[test]
fn it_is_no_loss_in_a_clone_either() {
    let repo = project();
    twice(&repo);
    let server = repo.around().join("server.git");
    let server = server.to_str().unwrap();
    repo.git(&["init", "-q", "--bare", server]);
    well(&repo, &["push", "--yes", server]);
    let clone = repo.around().join("clone");
    repo.git(&["clone", "-q", server, clone.to_str().unwrap()]);
    let o = repo.evolve_in(&clone, &["verify"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    assert!(out(&o).contains("record-taken-back"), "{}", out(&o));
}

#[test]
fn what_was_undone_and_not_done_again_is_missed() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1:first"]);
    repo.write("src/B.java", "class B {\n}\n");
    undo(&repo, &well(&repo, &["record"]));
    let (code, found) = findings(&repo, "verify");
    assert_eq!(code, Some(1));
    assert!(found.iter().any(|f| f["id"] == "record-off-line"));
    let (code, found) = findings(&repo, "reconcile");
    assert_eq!(code, Some(1), "{found:?}");
    assert_eq!(found[0]["finding"], "keep");
}

#[test]
fn a_chain_that_was_just_begun_has_its_branch() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1:first"]);
    let (code, found) = findings(&repo, "verify");
    assert_eq!((code, found.len()), (Some(0), 0), "{found:?}");
}
