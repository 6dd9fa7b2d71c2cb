//! `git evolve status`: what there is, what is missing, what nobody else has.

use std::process::Output;

use git_evolve::record::{Kind, Role};
use serde_json::Value;

use super::recorded::Run;
use super::{err, out};
use crate::support::Repo;

fn document(o: &Output) -> Value {
    serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(o)))
}

fn status(repo: &Repo) -> Value {
    let o = repo.evolve(&["status", "--format", "json"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    document(&o)
}

#[test]
fn a_plain_repository_has_no_chains() {
    let repo = super::small();
    let o = repo.evolve(&["status"]);
    assert_eq!(o.status.code(), Some(0));
    assert!(out(&o).contains("no chains"), "{}", out(&o));
    assert_eq!(status(&repo)["chains"], Value::Array(Vec::new()));
    let empty = Repo::new();
    assert_eq!(empty.evolve(&["status"]).status.code(), Some(0));
}

#[test]
fn a_whole_chain_misses_nothing() {
    let run = Run::with(3);
    let document = status(&run.repo);
    let chain = &document["chains"][0];
    assert_eq!(chain["chain"], "exp/plain/1");
    assert_eq!(chain["held_by"], "branch");
    assert_eq!(chain["kept"], true);
    assert_eq!(chain["checkpoints"], 3);
    assert_eq!(chain["last_id"], "3 c3");
    assert_eq!(chain["reset"], true);
    assert_eq!(chain["missing"], "");
    assert_eq!(chain["records"], 16);
    assert_eq!(chain["base"], run.line[0].as_str());
    assert_eq!(chain["tip"], run.line[6].as_str());
    assert_eq!(document["records"], "complete");
}

#[test]
fn what_is_missing_is_one_line_a_chain_and_said_by_checkpoint() {
    let mut run = Run::with(4);
    for (kind, ks) in [(Kind::Envelope, vec![2, 3]), (Kind::Tests, vec![4])] {
        for k in ks {
            let agent = run.agent(k).to_owned();
            run.repo.git(&[
                "notes",
                &format!("--ref=refs/notes/evolve/{kind}"),
                "remove",
                &agent,
            ]);
        }
    }
    run.commit(5, "c5", Role::Agent);
    run.keep();
    let chain = status(&run.repo)["chains"][0].clone();
    assert_eq!(
        chain["missing"],
        "record 5; reset 5; envelope 2-3, 5; tests 4-5"
    );
    assert_eq!(chain["reset"], false);
    let o = run
        .repo
        .evolve(&["status", "--chain", "exp/plain/1", "--format", "json"]);
    let rows = document(&o)["checkpoints"].clone();
    assert_eq!(rows[1]["missing"], serde_json::json!(["envelope"]));
    assert_eq!(rows[0]["missing"], Value::Null);
    assert_eq!(
        rows[4]["missing"],
        serde_json::json!(["record", "envelope", "tests", "reset"])
    );
    assert_eq!(rows[0]["agent"], run.agent(1));
    assert_eq!(
        (&rows[0]["envelope"], &rows[0]["raw"]),
        (&1.into(), &1.into())
    );
    assert_eq!(rows[0]["record"], 2);
}

#[test]
fn every_format_and_80_columns() {
    let run = Run::with(2);
    run.publish();
    for words in [vec!["status"], vec!["status", "--chain", "exp/plain/1"]] {
        let table = out(&run.repo.evolve(&words));
        assert!(table.contains("exp/plain/1"), "{table}");
        for line in table.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        for format in ["csv", "json", "jsonl", "md"] {
            let words = [words.as_slice(), &["--format", format]].concat();
            let o = run.repo.evolve(&words);
            assert!(o.status.success() && !o.stdout.is_empty(), "{words:?}");
            assert_eq!(o.stdout, run.repo.evolve(&words).stdout, "the same bytes");
        }
    }
    let csv = out(&run.repo.evolve(&["status", "--format", "csv"]));
    assert!(
        csv.starts_with("chain,path,begin,base,tip,held_by,"),
        "{csv}"
    );
}

#[test]
fn what_a_remote_has_not_is_counted() {
    let mut run = Run::with(2);
    let document = status(&run.repo);
    assert_eq!(document["remotes"], Value::Array(Vec::new()));
    run.publish();
    let document = status(&run.repo);
    assert_eq!(document["remotes"][0]["commits"], 0);
    assert_eq!(document["remotes"][0]["records"], 0);
    run.checkpoint(3);
    run.write();
    run.keep();
    let document = status(&run.repo);
    let remote = &document["remotes"][0];
    assert_eq!(
        (&remote["commits"], &remote["records"]),
        (&2.into(), &5.into())
    );
    assert_eq!(remote["commits_without_records"], 0);
    assert_eq!(document["chains"][0]["unpublished_records"], 5);
    // An agent that pushes its commits before its records exist.
    run.repo
        .git(&["push", "-q", "origin", "evolve/exp/plain/1"]);
    run.repo.git(&["fetch", "-q", "origin"]);
    let remote = status(&run.repo)["remotes"][0].clone();
    assert_eq!(
        (&remote["commits"], &remote["records"]),
        (&0.into(), &5.into())
    );
    assert_eq!(remote["commits_without_records"], 2);
    let table = out(&run.repo.evolve(&["status"]));
    assert!(table.contains("git evolve push"), "{table}");
}

#[test]
fn a_remote_that_nothing_was_published_to_is_said() {
    let run = Run::with(1);
    run.repo.git(&["remote", "add", "elsewhere", "/nowhere"]);
    let remote = status(&run.repo)["remotes"][0].clone();
    assert_eq!(remote["known"], false);
    assert_eq!(
        (&remote["commits"], &remote["records"]),
        (&3.into(), &6.into())
    );
}

#[test]
fn where_a_chain_is_held_is_told_apart() {
    let run = Run::with(1);
    let server = run.publish();
    run.repo.git(&["checkout", "-q", "main"]);
    run.repo.git(&["branch", "-q", "-D", "evolve/exp/plain/1"]);
    assert_eq!(status(&run.repo)["chains"][0]["held_by"], "kept");
    let to = run.repo.around().join("clone");
    run.repo
        .git(&["clone", "-q", &server, to.to_str().expect("UTF-8")]);
    let o = run.repo.evolve_in(&to, &["status", "--format", "json"]);
    let document = document(&o);
    assert_eq!(document["chains"][0]["held_by"], "remote");
    assert_eq!(document["chains"][0]["records"], 6);
    assert_eq!(document["remotes"][0]["unmerged"], 6);
}

#[test]
fn no_records_and_not_fetched_and_cut_off_are_three_answers() {
    let repo = super::runs();
    let document_of = |o: &Output| document(o);
    let o = repo.evolve(&["status", "--format", "json"]);
    assert_eq!(o.status.code(), Some(0));
    assert_eq!(document_of(&o)["records"], "none");
    assert!(out(&repo.evolve(&["status"])).contains("no records"));

    let run = Run::with(2);
    let url = format!("file://{}", run.publish());
    let clone = |name: &str, words: &[&str]| {
        let to = run.repo.around().join(name);
        let branch = [
            "--branch",
            "evolve/exp/plain/1",
            &url,
            to.to_str().expect("UTF-8"),
        ];
        run.repo.git(&[&["clone", "-q"], words, &branch].concat());
        run.repo.evolve_in(&to, &["status", "--format", "json"])
    };
    let o = clone("single", &["--single-branch"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    let single = document(&o);
    assert_eq!(single["records"], "not fetched");
    assert_eq!(single["bring"], "git evolve fetch origin");
    assert_eq!(single["chains"][0]["missing"], "? records not fetched");
    let to = run.repo.around().join("single");
    let table = out(&run.repo.evolve_in(&to, &["status"]));
    assert!(table.contains("`git evolve fetch origin`"), "{table}");

    let o = clone("shallow", &["--depth", "1"]);
    assert_eq!(o.status.code(), Some(3), "{}", out(&o));
    let shallow = document(&o);
    assert_eq!(shallow["records"], "cut off");
    assert_eq!(shallow["bring"], "git fetch --unshallow");
    let to = run.repo.around().join("shallow");
    let o = run
        .repo
        .evolve_in(&to, &["status", "--chain", "exp/plain/1"]);
    assert_eq!(o.status.code(), Some(3));
    assert!(err(&o).contains("git fetch --unshallow"), "{}", err(&o));
}

#[test]
fn pending_checkpoints_of_all_work_trees_are_listed() {
    let run = Run::with(1);
    let git = run.repo.path().join(".git");
    let tree = run.repo.around().join("tree");
    run.repo.git(&[
        "worktree",
        "add",
        "-q",
        tree.to_str().expect("UTF-8"),
        "main",
    ]);
    for (folder, k) in [(git.clone(), 2), (git.join("worktrees/tree"), 7)] {
        std::fs::create_dir_all(folder.join("evolve")).expect("made");
        let text = format!(
            r#"{{"chain":"exp/plain/1","checkpoint":{k},"checkpoint_id":"c{k}","phase":"begun","started":"2026-11-30T07:12:09.123Z"}}"#
        );
        std::fs::write(folder.join("evolve/pending.json"), text).expect("written");
    }
    std::fs::write(git.join("evolve/commits"), "a\nb\n").expect("written");
    let document = status(&run.repo);
    let pending = document["pending"].as_array().expect("a list");
    assert_eq!(pending.len(), 2);
    assert_eq!(
        (&pending[0]["here"], &pending[0]["checkpoint"]),
        (&true.into(), &2.into())
    );
    assert_eq!(pending[0]["commits"], 2);
    assert_eq!(pending[1]["work_tree"], "tree");
    let o = run.repo.evolve_in(&tree, &["status", "--format", "json"]);
    assert_eq!(super::status::document(&o)["pending"][0]["checkpoint"], 7);
    std::fs::write(git.join("evolve/pending.json"), "{").expect("written");
    let table = out(&run.repo.evolve(&["status"]));
    assert!(table.contains("cannot be read"), "{table}");
}

#[test]
fn what_was_passed_over_is_counted() {
    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    let line = run.notes[&(Kind::Tests, agent.clone())][0].clone();
    let later = line
        .replace(r#""v":1"#, r#""v":9"#)
        .replace("9d2e-0000", "9d2e-5555");
    run.line_on(Kind::Tests, &agent, later);
    run.line_on(Kind::Tests, &agent, "bad\u{1b}[2J".to_owned());
    run.write();
    run.put(
        Kind::Coverage,
        "1234567890123456789012345678901234567890",
        &line.replace(r#""kind":"tests""#, r#""kind":"coverage""#),
    );
    let document = status(&run.repo);
    assert_eq!(
        (&document["bad_lines"], &document["newer"]),
        (&1.into(), &1.into())
    );
    assert_eq!(document["dangling"], 1);
    let table = out(&run.repo.evolve(&["status"]));
    assert!(!table.contains('\u{1b}'), "{table}");
}

#[test]
fn foreign_and_superseded_commits_and_copies_are_counted() {
    let mut run = Run::with(1);
    run.repo.write("x", "1\n");
    run.repo.commit("by hand");
    run.commit(2, "c2", Role::Agent);
    run.repo.write("x", "2\n");
    run.commit(2, "c2", Role::Agent);
    run.keep();
    let chain = status(&run.repo)["chains"][0].clone();
    assert_eq!(
        (&chain["foreign"], &chain["superseded"]),
        (&1.into(), &1.into())
    );
    assert_eq!(chain["checkpoints"], 2);
}

#[test]
fn an_unknown_chain_is_wrong_usage() {
    let run = Run::with(1);
    let o = run.repo.evolve(&["status", "--chain", "exp/plain/9"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(err(&o).contains("exp/plain/1"), "{}", err(&o));
}

#[test]
fn payloads_over_the_cap_are_listed() {
    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    for line in run.notes.get_mut(&(Kind::Raw, agent)).expect("a note") {
        let mut value: Value = serde_json::from_str(line).expect("JSON");
        value.as_object_mut().expect("an object").remove("content");
        value["encoding"] = "large".into();
        value["head"] = "eA==".into();
        value["tail"] = "eA==".into();
        value["size"] = 70_000_000.into();
        *line = value.to_string();
    }
    run.write();
    let large = status(&run.repo)["large_payloads"][0].clone();
    assert_eq!(
        (&large["size"], &large["here"]),
        (&70_000_000.into(), &false.into())
    );
}

#[test]
fn what_depends_on_the_files_is_captured_for_the_same_files_alone() {
    let run = Run::with(1);
    let agent = run.agent(1).to_owned();
    run.repo.git(&["checkout", "-q", &agent]);
    run.repo
        .git(&["config", "notes.rewriteRef", "refs/notes/evolve/*"]);
    for (same_files, missing) in [
        (true, serde_json::json!(["reset"])),
        (false, serde_json::json!(["tests", "reset"])),
    ] {
        if !same_files {
            run.repo.write("src/B.java", "class B {\n}\n");
            run.repo.git(&["add", "-A"]);
        }
        run.repo
            .git(&["commit", "-q", "--amend", "--no-edit", "--date=@5 +0000"]);
        run.repo
            .git(&["branch", "-f", "evolve/exp/plain/1", "HEAD"]);
        run.repo
            .git(&["update-ref", "refs/evolve/chains/exp/plain/1", "HEAD"]);
        let o = run
            .repo
            .evolve(&["status", "--chain", "exp/plain/1", "--format", "json"]);
        let row = document(&o)["checkpoints"][0].clone();
        assert_eq!(row["missing"], missing, "{}", out(&o));
        assert_eq!(row["tests"], u64::from(same_files));
        assert_eq!(row["envelope"], 1);
    }
}
