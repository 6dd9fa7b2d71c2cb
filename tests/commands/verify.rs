//! `git evolve verify`: every kind of damage, made with real git, and a repository without any.

use std::process::Output;

use git_evolve::record::{Body, Checkpoint, Encoding, Event, Kind, ObjectName, RecordId, Role};
use serde_json::Value;

use super::recorded::{CONFIG, Run, text};
use super::{err, out};
use crate::support::Repo;

fn document(o: &Output) -> Value {
    serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(o)))
}

fn verify(repo: &Repo) -> Output {
    repo.evolve(&["verify", "--format", "json"])
}

/// The findings of kind `id`.
fn all(o: &Output, id: &str) -> Vec<Value> {
    let document = document(o);
    let findings = document["findings"].as_array().expect("findings");
    findings.iter().filter(|f| f["id"] == id).cloned().collect()
}

/// The one finding of kind `id`; the exit code is what its severity says.
fn one(repo: &Repo, id: &str, severity: &str) -> Value {
    let o = verify(repo);
    let found = all(&o, id);
    assert_eq!(found.len(), 1, "{id}: {}", out(&o));
    assert_eq!(found[0]["severity"], severity, "{}", found[0]);
    if severity != "note" {
        assert_eq!(o.status.code(), Some(1), "{}", err(&o));
    }
    found[0].clone()
}

fn clean(o: &Output) {
    let document = document(o);
    assert_eq!(document["errors"], 0, "{document:#}");
    assert_eq!(document["warnings"], 0, "{document:#}");
    assert_eq!(o.status.code(), Some(0), "{}", err(o));
}

/// What stands where in a record's line, put in place of something else.
fn change(run: &mut Run, kind: Kind, commit: &str, from: &str, to: &str) {
    let lines = run
        .notes
        .get_mut(&(kind, commit.to_owned()))
        .expect("a note");
    let changed: Vec<String> = lines.iter().map(|l| l.replace(from, to)).collect();
    assert_ne!(*lines, changed, "{from}");
    *lines = changed;
    run.write();
}

#[test]
fn a_whole_run_is_clean_here_and_in_every_kind_of_clone() {
    let run = Run::with(3);
    let o = verify(&run.repo);
    clean(&o);
    let document = document(&o);
    assert_eq!(document["chains"], 1);
    assert_eq!(document["commits"], 7);
    assert_eq!(document["records"], 1 + 3 * 5);
    assert_eq!(document["payloads"], 3);
    let server = run.publish();
    clean(&verify(&run.repo));
    for (name, words) in [
        ("plain", vec![]),
        ("bare", vec!["--bare"]),
        ("mirror", vec!["--mirror"]),
    ] {
        let to = run.repo.around().join(name);
        let mut clone = vec!["clone", "-q"];
        clone.extend(words);
        clone.extend([server.as_str(), to.to_str().expect("UTF-8")]);
        run.repo.git(&clone);
        let o = run.repo.evolve_in(&to, &["verify", "--format", "json"]);
        clean(&o);
        assert_eq!(super::verify::document(&o)["records"], 16, "{name}");
    }
}

#[test]
fn a_plain_repository_and_an_empty_one_are_clean() {
    clean(&verify(&super::small()));
    clean(&verify(&Repo::new()));
}

#[test]
fn it_speaks_every_format_and_fits_80_columns() {
    let mut run = Run::with(30);
    for k in 1..=30 {
        let agent = run.agent(k).to_owned();
        run.line_on(Kind::Tests, &agent, "no record".to_owned());
    }
    run.write();
    let table = out(&run.repo.evolve(&["verify"]));
    assert!(
        table.contains("warning line-bad (30, the first 20; --format json has all)"),
        "{table}"
    );
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert_eq!(all(&verify(&run.repo), "line-bad").len(), 30);
    let csv = out(&run.repo.evolve(&["verify", "--format", "csv"]));
    assert!(
        csv.starts_with("id,severity,chain,commit,what,mend,ref,record,line\n"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 31);
    let lines = out(&run.repo.evolve(&["verify", "--format", "jsonl"]));
    for line in lines.lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(
            (&row["schema"], &row["list"]),
            (&1.into(), &"findings".into())
        );
    }
    assert!(out(&run.repo.evolve(&["verify", "--format", "md"])).starts_with("| kind |"));
}

#[test]
fn a_record_that_does_not_fit_its_commit_is_an_error() {
    let other = "0123456789012345678901234567890123456789";
    for (id, field) in [("record-tree", "^{tree}"), ("record-parent", "^")] {
        let mut run = Run::with(1);
        let agent = run.agent(1).to_owned();
        let is = run.repo.git(&["rev-parse", &format!("{agent}{field}")]);
        change(&mut run, Kind::Tests, &agent, &is, other);
        let found = one(&run.repo, id, "error");
        assert_eq!(found["commit"], agent.as_str());
        assert_eq!(found["chain"], "exp/plain/1");
        assert!(found["what"].as_str().expect("words").contains(other));
    }
    for (from, to) in [
        (r#""role":"agent""#, r#""role":"reset""#),
        (r#""checkpoint":1"#, r#""checkpoint":2"#),
        (r#""checkpoint_id":"c1""#, r#""checkpoint_id":"other""#),
        (r#""chain":"exp/plain/1""#, r#""chain":"exp/plain/2""#),
        (
            super::recorded::BEGIN,
            "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9dff",
        ),
    ] {
        let mut run = Run::with(1);
        let agent = run.agent(1).to_owned();
        change(&mut run, Kind::Tests, &agent, from, to);
        one(&run.repo, "record-trailers", "error");
    }
}

#[test]
fn inherited_records_are_told_apart() {
    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    // Amended: another commit, the same files; what a rewrite copies counts.
    run.repo.git(&["checkout", "-q", &agent]);
    run.repo
        .git(&["config", "notes.rewriteRef", "refs/notes/evolve/*"]);
    run.repo.git(&[
        "commit",
        "-q",
        "--amend",
        "--reset-author",
        "--no-edit",
        "--date=@5 +0000",
    ]);
    let amended = run.repo.git(&["rev-parse", "HEAD"]);
    assert_ne!(amended, agent);
    run.repo
        .git(&["branch", "-f", "evolve/exp/plain/1", "HEAD"]);
    run.repo
        .git(&["update-ref", "refs/evolve/chains/exp/plain/1", "HEAD"]);
    run.repo.git(&["checkout", "-q", "evolve/exp/plain/1"]);
    let o = verify(&run.repo);
    assert!(all(&o, "record-misplaced").is_empty(), "{}", out(&o));
    assert!(all(&o, "record-other-tree").is_empty(), "{}", out(&o));
    // Other files: what was measured on the old ones does not count.
    run.repo.write("src/B.java", "class B {\n}\n");
    run.repo.git(&["add", "-A"]);
    run.repo.git(&["commit", "-q", "--amend", "--no-edit"]);
    run.repo
        .git(&["update-ref", "refs/evolve/chains/exp/plain/1", "HEAD"]);
    one(&run.repo, "record-other-tree", "note");
    // On a commit that is no chain's: it belongs there not at all.
    run.line_on(Kind::Tests, "main", "x".to_owned());
    run.notes.clear();
    let stray = run.record(
        &agent,
        Role::Agent,
        1,
        "c1",
        Body::from(Checkpoint::of(Event::Agent)),
    );
    let main = run.repo.git(&["rev-parse", "main"]);
    run.add(&main, &stray);
    run.write();
    let found = one(&run.repo, "record-misplaced", "warning");
    assert_eq!(found["commit"], main.as_str());
}

#[test]
fn a_record_whose_commit_no_chain_holds_is_a_warning() {
    let mut run = Run::with(2);
    run.repo.git(&["reset", "-q", "--hard", &run.line[2]]);
    run.keep();
    let o = verify(&run.repo);
    let found = all(&o, "record-off-line");
    assert_eq!(found.len(), 5, "{}", out(&o));
    assert_eq!(found[0]["mend"], "git evolve reconcile");
    run.line.clear();
}

#[test]
fn ids_are_unique() {
    let mut run = Run::with(2);
    let agent = run.agent(1).to_owned();
    let same = run.notes[&(Kind::Tests, agent.clone())][0].clone();
    let other = same.replace(r#""exit_code":0"#, r#""exit_code":1"#);
    run.line_on(Kind::Tests, &agent, other);
    run.write();
    one(&run.repo, "id-conflict", "error");
    // The same record once masked is one record.
    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    let same = run.notes[&(Kind::Tests, agent.clone())][0].clone();
    let bare = same.replace(
        r#""tool":"git-evolve 0.1.0""#,
        r#""command":["/home/ada/x"],"tool":"git-evolve 0.1.0""#,
    );
    let masked = git_evolve::record::mask::general(Kind::Tests, bare.as_bytes());
    let masked = String::from_utf8(masked.into_owned()).expect("UTF-8");
    assert_ne!(masked, bare);
    run.notes.insert((Kind::Tests, agent), vec![bare, masked]);
    run.write();
    assert!(all(&verify(&run.repo), "id-conflict").is_empty());
}

#[test]
fn lines_that_are_no_records_have_a_place_and_a_reason() {
    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    let key = (Kind::Tests, agent.clone());
    let good = run.notes[&key][0].clone();
    run.put(Kind::Tests, &agent, &format!("{good}\n\nnot json\n"));
    let found = one(&run.repo, "line-bad", "warning");
    assert_eq!(found["line"], 3);
    assert_eq!(found["ref"], "refs/notes/evolve/tests");
    assert_eq!(found["commit"], agent.as_str());
    assert!(
        found["what"]
            .as_str()
            .expect("words")
            .contains("not a JSON object")
    );
    run.notes.clear();
}

#[test]
fn later_schemas_are_notes() {
    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    let later = run.notes[&(Kind::Tests, agent.clone())][0].replace(r#""v":1"#, r#""v":99"#);
    let later = later.replace(
        "0190f0c5-7a3b-7c41-9d2e-0000",
        "0190f0c5-7a3b-7c41-9d2e-1111",
    );
    run.line_on(Kind::Tests, &agent, later);
    run.write();
    one(&run.repo, "record-newer", "note");
}

#[test]
fn notes_that_hang_wrong_are_found() {
    let run = Run::with(1);
    let blob = run.repo.git(&["rev-parse", "HEAD:src/A.java"]);
    run.put(Kind::Coverage, &blob, "{}\n");
    one(&run.repo, "note-on-no-commit", "warning");

    let run = Run::with(1);
    let nowhere = "1234567890123456789012345678901234567890";
    let tests = &run.notes[&(Kind::Tests, run.agent(1).to_owned())][0];
    run.put(
        Kind::Tests,
        nowhere,
        &tests.replace("9d2e-0000", "9d2e-6666"),
    );
    let o = verify(&run.repo);
    assert_eq!(all(&o, "record-dangling").len(), 1, "{}", out(&o));

    let run = Run::with(1);
    let empty = run.blob("\n");
    let agent = run.agent(1).to_owned();
    let refname = "refs/notes/evolve/coverage";
    let path = run.repo.around().join("index");
    let run_git = |words: &[&str]| {
        let o = run
            .repo
            .command("git", run.repo.path())
            .env("GIT_INDEX_FILE", &path)
            .args(words)
            .output()
            .expect("git runs");
        assert!(o.status.success(), "{}", err(&o));
        out(&o).trim().to_owned()
    };
    run_git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("100644,{empty},{agent}"),
    ]);
    run_git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("100644,{empty},README"),
    ]);
    let tree = run_git(&["write-tree"]);
    let commit = run_git(&["commit-tree", "-m", "x", &tree]);
    run.repo.git(&["update-ref", refname, &commit]);
    one(&run.repo, "note-empty", "warning");
    let found = one(&run.repo, "not-a-note", "note");
    assert!(found["what"].as_str().expect("words").starts_with("README"));
}

#[test]
fn configurations_are_here_with_their_digest_in_canonical_form() {
    let run = Run::with(1);
    run.repo
        .git(&["update-ref", "-d", "refs/notes/evolve/config"]);
    one(&run.repo, "config-not-noted", "warning");

    let blob = "0123456789012345678901234567890123456789";
    let mut run = Run::with(1);
    let base = run.line[0].clone();
    let is = run.blob(CONFIG);
    change(&mut run, Kind::Checkpoint, &base, &is, blob);
    one(&run.repo, "config-missing", "error");

    let mut run = Run::with(1);
    let digest = run.config(&is).sha256;
    let base = base_of(&run);
    change(&mut run, Kind::Checkpoint, &base, &digest, &"0".repeat(64));
    one(&run.repo, "config-digest", "error");

    let mut run = Run::with(1);
    let odd = "{\"b\": 1}";
    let other = run.blob(odd);
    run.repo.git(&[
        "notes",
        "--ref=refs/notes/evolve/config",
        "add",
        "-C",
        &other,
        &other,
    ]);
    let base = base_of(&run);
    change(&mut run, Kind::Checkpoint, &base, &is, &other);
    change(
        &mut run,
        Kind::Checkpoint,
        &base,
        &digest,
        &git_evolve::record::mask::sha256(odd.as_bytes()),
    );
    one(&run.repo, "config-form", "warning");
    run.repo.git(&[
        "notes",
        "--ref=refs/notes/evolve/config",
        "add",
        "-f",
        "-C",
        &is,
        &other,
    ]);
    one(&run.repo, "config-differs", "error");
}

fn base_of(run: &Run) -> String {
    run.line[0].clone()
}

#[test]
fn a_chain_stays_with_one_plan_and_calls_its_checkpoints_alike() {
    let mut run = Run::with(1);
    let other = run.blob("{\"b\":1}");
    run.repo.git(&[
        "notes",
        "--ref=refs/notes/evolve/config",
        "add",
        "-C",
        &other,
        &other,
    ]);
    let mut body = Checkpoint::of(Event::Agent);
    let mut config = run.config(&other);
    config.sha256 = git_evolve::record::mask::sha256(b"{\"b\":1}");
    body.config = Some(config);
    let agent = run.agent(1).to_owned();
    let record = run.record(&agent, Role::Agent, 1, "c1", Body::from(body));
    run.add(&agent, &record);
    run.write();
    one(&run.repo, "plan-changed", "note");

    let mut run = Run::with(1);
    run.commit(2, "c2", Role::Agent);
    run.commit(2, "other", Role::Reset);
    run.keep();
    let o = verify(&run.repo);
    assert_eq!(all(&o, "plan-differs").len(), 2, "{}", out(&o));
}

#[test]
fn roles_stand_in_order() {
    for (steps, id, severity) in [
        (
            vec![(2, Role::Agent), (3, Role::Agent)],
            "reset-missing",
            "warning",
        ),
        (vec![(3, Role::Agent)], "checkpoint-skipped", "warning"),
        (vec![(2, Role::Reset)], "reset-unpaired", "warning"),
        (
            vec![(2, Role::Agent), (3, Role::Reset)],
            "out-of-order",
            "error",
        ),
        (
            vec![(2, Role::Agent), (2, Role::Reset), (2, Role::Agent)],
            "superseded",
            "note",
        ),
    ] {
        let mut run = Run::with(1);
        for (k, role) in steps {
            run.commit(k, &format!("c{k}"), role);
        }
        run.keep();
        one(&run.repo, id, severity);
    }
    let run = Run::with(1);
    run.repo
        .write("src/A.java", "class A {\n    int mine;\n}\n");
    run.repo.commit("by hand");
    run.keep();
    one(&run.repo, "foreign-commit", "note");
}

#[test]
fn chains_are_kept() {
    let keep = "refs/evolve/chains/exp/plain/1";
    let run = Run::with(2);
    run.repo.git(&["update-ref", "-d", keep]);
    let found = one(&run.repo, "not-kept", "warning");
    let mend = |found: &Value| {
        let command = found["mend"].as_str().expect("a command").to_owned();
        let o = run
            .repo
            .command("sh", run.repo.path())
            .args(["-c", &command])
            .output();
        assert!(o.expect("sh runs").status.success(), "{command}");
        clean(&verify(&run.repo));
    };
    mend(&found);
    run.repo.git(&["update-ref", keep, &run.line[2]]);
    mend(&one(&run.repo, "keep-behind", "warning"));
    run.repo.git(&["checkout", "-q", "main"]);
    run.repo.git(&["branch", "-D", "evolve/exp/plain/1"]);
    one(&run.repo, "only-kept", "note");
    clean(&verify(&run.repo));
}

#[test]
fn payloads_are_what_their_digests_say_and_name_their_records() {
    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    change(
        &mut run,
        Kind::Raw,
        &agent,
        r#""content":"out""#,
        r#""content":"axt""#,
    );
    one(&run.repo, "payload-digest", "error");

    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    change(&mut run, Kind::Raw, &agent, r#""size":3"#, r#""size":4"#);
    one(&run.repo, "payload-digest", "error");

    let run = Run::with(1);
    run.repo.git(&["update-ref", "-d", "refs/notes/evolve/raw"]);
    one(&run.repo, "payload-missing", "error");

    let run = Run::with(1);
    run.repo.git(&["update-ref", "-d", "refs/notes/evolve/raw"]);
    let seen = "refs/evolve/remotes/origin/envelope";
    run.repo
        .git(&["update-ref", seen, "refs/notes/evolve/envelope"]);
    run.repo
        .git(&["update-ref", "-d", "refs/notes/evolve/envelope"]);
    one(&run.repo, "payload-not-fetched", "note");

    let run = Run::with(1);
    run.repo
        .git(&["update-ref", "-d", "refs/notes/evolve/envelope"]);
    one(&run.repo, "payload-orphan", "warning");

    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    let large = git_evolve::record::mask::sha256(b"large");
    let mut changed = false;
    for line in run.notes.get_mut(&(Kind::Raw, agent)).expect("a note") {
        let mut value: Value = serde_json::from_str(line).expect("JSON");
        value["encoding"] = serde_json::to_value(Encoding::Large).expect("a word");
        value["content"].take();
        value.as_object_mut().expect("an object").remove("content");
        value["head"] = "bGE=".into();
        value["tail"] = "Z2U=".into();
        value["size"] = 5.into();
        value["sha256"] = large.as_str().into();
        *line = value.to_string();
        changed = true;
    }
    assert!(changed);
    run.write();
    one(&run.repo, "payload-not-shared", "note");
    let folder = run.repo.path().join(".git/evolve/large");
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join(&large), "large").expect("written");
    clean(&verify(&run.repo));
    std::fs::write(folder.join(&large), "other").expect("written");
    one(&run.repo, "payload-digest", "error");
}

#[test]
fn a_record_that_some_notes_commit_lost_is_named_with_that_commit() {
    let mut run = Run::with(2);
    let agent = run.agent(1).to_owned();
    let before = run.repo.git(&["rev-parse", "refs/notes/evolve/tests"]);
    let line = run.notes[&(Kind::Tests, agent.clone())][0].clone();
    run.repo
        .git(&["notes", "--ref=refs/notes/evolve/tests", "remove", &agent]);
    let culprit = run.repo.git(&["rev-parse", "refs/notes/evolve/tests"]);
    let found = one(&run.repo, "record-lost", "error");
    let what = found["what"].as_str().expect("words");
    assert!(what.contains(&culprit), "{what}");
    assert_eq!(found["commit"], agent.as_str());
    assert!(line.contains(found["record"].as_str().expect("an id")));
    // It came back: nothing is lost.
    run.put(Kind::Tests, &agent, &(line + "\n"));
    clean(&verify(&run.repo));
    // A line out of a note of several.
    let key = (Kind::Checkpoint, agent);
    let first = run.line[1].clone();
    let more = run.record(
        &first,
        Role::Agent,
        1,
        "c1",
        Body::from(Checkpoint::of(Event::Adopt)),
    );
    run.notes.get_mut(&key).expect("a note").push(text(&more));
    run.write();
    clean(&verify(&run.repo));
    run.notes.get_mut(&key).expect("a note").pop();
    run.write();
    let found = one(&run.repo, "record-lost", "error");
    assert_eq!(found["record"], more.head.id.as_str());
    assert_ne!(before, culprit);
}

#[test]
fn a_forced_fetch_leaves_its_trace_in_the_reflog() {
    let mut run = Run::with(1);
    let server = run.publish();
    let agent = run.agent(1).to_owned();
    let tests = run.notes[&(Kind::Tests, agent.clone())][0].clone();
    let mine = tests.replace(
        "0190f0c5-7a3b-7c41-9d2e-0000",
        "0190f0c5-7a3b-7c41-9d2e-2222",
    );
    run.line_on(Kind::Tests, &agent, mine);
    run.write();
    clean(&verify(&run.repo));
    run.repo.git(&[
        "fetch",
        "-q",
        &server,
        "+refs/notes/evolve/*:refs/notes/evolve/*",
    ]);
    let found = one(&run.repo, "record-lost", "error");
    assert_eq!(found["ref"], "refs/notes/evolve/tests");
    assert!(found["record"].as_str().expect("an id").contains("2222"));
}

#[test]
fn who_still_has_a_lost_record_is_said() {
    let run = Run::with(1);
    let server = run.publish();
    let agent = run.agent(1).to_owned();
    run.repo
        .git(&["notes", "--ref=refs/notes/evolve/tests", "remove", &agent]);
    let found = one(&run.repo, "record-lost-here", "warning");
    let what = found["what"].as_str().expect("words");
    assert!(
        what.contains("refs/remotes/origin/evolve-notes/tests"),
        "{what}"
    );
    assert_eq!(found["mend"], "git evolve fetch origin");

    let run = Run::with(1);
    let there = run.publish();
    assert_ne!(there, server);
    let other = run.repo.around().join("other");
    run.repo
        .git(&["clone", "-q", &there, other.to_str().expect("UTF-8")]);
    let at = other.to_str().expect("UTF-8");
    run.repo.git(&[
        "-C",
        at,
        "fetch",
        "-q",
        "origin",
        "refs/notes/*:refs/notes/*",
    ]);
    let agent = run.agent(1).to_owned();
    run.repo.git(&[
        "-C",
        at,
        "notes",
        "--ref=refs/notes/evolve/tests",
        "remove",
        &agent,
    ]);
    run.repo.git(&[
        "-C",
        at,
        "push",
        "-q",
        "origin",
        "refs/notes/evolve/tests:refs/heads/evolve-notes/tests",
    ]);
    run.repo.git(&["fetch", "-q", "origin"]);
    let found = one(&run.repo, "record-lost-there", "warning");
    assert_eq!(found["mend"], "git evolve push origin");
}

#[test]
fn a_merge_that_drops_a_side_is_found_and_a_whole_one_is_not() {
    let mut run = Run::with(1);
    let agent = run.agent(1).to_owned();
    let refname = "refs/notes/evolve/tests";
    let first = run.repo.git(&["rev-parse", refname]);
    let line = run.notes[&(Kind::Tests, agent.clone())][0].clone();
    let with = |id: &str| {
        line.replace(
            "0190f0c5-7a3b-7c41-9d2e-0000",
            &format!("0190f0c5-7a3b-7c41-9d2e-{id}"),
        )
    };
    run.put(Kind::Tests, &agent, &format!("{line}\n{}\n", with("3333")));
    run.repo.git(&["update-ref", "refs/notes/other", &first]);
    let blob = run.blob(&format!("{line}\n{}\n", with("4444")));
    run.repo.git(&[
        "notes",
        "--ref=refs/notes/other",
        "add",
        "-f",
        "-C",
        &blob,
        &agent,
    ]);
    let ours = run.repo.git(&["rev-parse", refname]);
    let reference = format!("--ref={refname}");
    run.repo.git(&[
        "notes",
        &reference,
        "merge",
        "-q",
        "-s",
        "cat_sort_uniq",
        "refs/notes/other",
    ]);
    clean(&verify(&run.repo));
    run.repo.git(&["update-ref", refname, &ours]);
    run.repo.git(&[
        "notes",
        &reference,
        "merge",
        "-q",
        "-s",
        "ours",
        "refs/notes/other",
    ]);
    let found = one(&run.repo, "record-lost", "error");
    assert!(
        found["record"].as_str().expect("an id").contains("4444"),
        "{found}"
    );
    run.notes.clear();
}

#[test]
fn a_notes_tree_that_was_spread_over_folders_lost_nothing() {
    let run = Run::with(1);
    let empty = run.repo.git(&["hash-object", "-t", "tree", "/dev/null"]);
    for n in 0..120 {
        let commit = run.repo.git(&["commit-tree", "-m", &n.to_string(), &empty]);
        run.repo.git(&[
            "notes",
            "--ref=refs/notes/evolve/coverage",
            "add",
            "-m",
            "x",
            &commit,
        ]);
    }
    let o = verify(&run.repo);
    assert!(all(&o, "record-lost").is_empty(), "{}", out(&o));
    assert_eq!(all(&o, "line-bad").len(), 120);
}

#[test]
fn what_waits_and_what_is_not_merged_is_said() {
    let run = Run::with(1);
    let folder = run.repo.path().join(".git/evolve/spool");
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(
        folder.join("0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d11.jsonl"),
        "",
    )
    .expect("written");
    std::fs::write(folder.join("x.bad"), "x").expect("written");
    one(&run.repo, "spool-waiting", "note");
    one(&run.repo, "spool-damaged", "warning");
    let run = Run::with(1);
    let server = run.publish();
    let to = run.repo.around().join("clone");
    run.repo
        .git(&["clone", "-q", &server, to.to_str().expect("UTF-8")]);
    let o = run.repo.evolve_in(&to, &["verify", "--format", "json"]);
    assert_eq!(all(&o, "not-merged").len(), 1);
    assert_eq!(o.status.code(), Some(0));
}

#[test]
fn a_fetch_that_was_killed_between_its_refs_leaves_nothing_wrong() {
    let mut run = Run::with(1);
    let server = run.publish();
    let to = run.repo.around().join("clone");
    let there = to.to_str().expect("UTF-8");
    let o = run.repo.evolve(&["clone", &server, there]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    run.checkpoint(2);
    run.write();
    run.keep();
    run.publish();
    let names = ["checkpoint", "config", "envelope", "raw", "tests"];
    let records =
        names.map(|kind| format!("+refs/notes/evolve/{kind}:refs/evolve/remotes/origin/{kind}"));
    // The objects come first; each ref may be the last one before the kill, and no branch has
    // come yet.
    let branch = "evolve/exp/plain/1";
    run.repo
        .git(&["-C", there, "fetch", "-q", "--refmap=", "origin", branch]);
    for one in &records {
        run.repo
            .git(&["-C", there, "fetch", "-q", "--refmap=", "origin", one]);
        clean(&run.repo.evolve_in(&to, &["verify", "--format", "json"]));
    }
    let o = run.repo.evolve_in(&to, &["verify", "--format", "json"]);
    let found = all(&o, "record-off-line");
    assert_eq!(found.len(), 5, "{}", out(&o));
    assert_eq!(found[0]["severity"], "note");
    assert_eq!(found[0]["mend"], "git evolve fetch origin");
    run.repo.evolve_in(&to, &["fetch"]);
    let o = run.repo.evolve_in(&to, &["verify", "--format", "json"]);
    assert_eq!(all(&o, "record-off-line"), [] as [Value; 0]);
    clean(&o);
}

#[test]
fn what_is_not_here_is_no_clean_answer() {
    let run = Run::with(2);
    let server = run.publish();
    let to = run.repo.around().join("shallow");
    let url = format!("file://{server}");
    run.repo.git(&[
        "clone",
        "-q",
        "--depth",
        "1",
        "--branch",
        "evolve/exp/plain/1",
        &url,
        to.to_str().expect("UTF-8"),
    ]);
    let o = run.repo.evolve_in(&to, &["verify", "--format", "json"]);
    assert_eq!(o.status.code(), Some(3), "{}", out(&o));
    assert_eq!(document(&o)["bring"], "git fetch --unshallow");
    let single = run.repo.around().join("single");
    run.repo.git(&[
        "clone",
        "-q",
        "--single-branch",
        "--branch",
        "evolve/exp/plain/1",
        &url,
        single.to_str().expect("UTF-8"),
    ]);
    let o = run.repo.evolve_in(&single, &["verify", "--format", "json"]);
    assert_eq!(o.status.code(), Some(3), "{}", out(&o));
    assert_eq!(document(&o)["bring"], "git evolve fetch origin");
    assert!(err(&o).contains("git evolve fetch origin"), "{}", err(&o));
    let main = run.repo.around().join("main-alone");
    let to = main.to_str().expect("UTF-8");
    run.repo.git(&[
        "clone",
        "-q",
        "--single-branch",
        "--branch",
        "main",
        &url,
        to,
    ]);
    let o = run.repo.evolve_in(&main, &["verify"]);
    assert_eq!(o.status.code(), Some(3), "{}", out(&o));
    assert!(out(&o).contains("what is here holds"), "{}", out(&o));
    assert!(err(&o).contains("git evolve fetch origin"), "{}", err(&o));
}

#[test]
fn other_formats_of_repositories_are_verified_alike() {
    let outside = Repo::new();
    let o = outside
        .command(env!("CARGO_BIN_EXE_git-evolve"), outside.around())
        .env("GIT_CEILING_DIRECTORIES", outside.around())
        .arg("verify")
        .output()
        .expect("runs");
    assert_eq!(o.status.code(), Some(128));
    for init in [["--object-format=sha256"], ["--ref-format=reftable"]] {
        let repo = Repo::with(&init);
        repo.write("f", "a\n");
        let commit = repo.commit("a");
        clean(&verify(&repo));
        repo.git(&[
            "notes",
            "--ref=refs/notes/evolve/tests",
            "add",
            "-m",
            "x",
            &commit,
        ]);
        one(&repo, "line-bad", "warning");
        repo.git(&["notes", "--ref=refs/notes/evolve/tests", "remove", &commit]);
        one(&repo, "record-lost", "error");
    }
    let name = ObjectName::parse(&"1".repeat(64)).expect("an id");
    assert_eq!(name.as_str().len(), 64);
    let id = RecordId::new();
    assert_eq!(RecordId::parse(id.as_str()), Some(id));
}

#[test]
fn of_several_keep_refs_that_lead_elsewhere_it_always_names_the_same() {
    let run = Run::with(1);
    run.repo.git(&["checkout", "-q", "main"]);
    for n in 0..8 {
        let stray = run.repo.commit(&format!("stray {n}"));
        let name = match n {
            0 => "refs/evolve/chains/exp/plain/1".to_owned(),
            n => format!("refs/evolve/chains/exp/plain/1@{n}"),
        };
        run.repo.git(&["update-ref", &name, &stray]);
    }
    let first = one(&run.repo, "keep-diverged", "warning");
    for _ in 0..4 {
        assert_eq!(one(&run.repo, "keep-diverged", "warning"), first);
    }
}

#[test]
fn ids_of_the_other_hash_in_records_of_others_are_no_fault() {
    let mut run = Run::with(2);
    let agent = run.agent(1).to_owned();
    let line = run.notes[&(Kind::Checkpoint, agent.clone())][0].clone();
    let (long, id) = ("f".repeat(64), "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d");
    let value: Value = serde_json::from_str(&line).expect("JSON");
    for (n, (field, other)) in (16..).zip([
        ("commit", Value::from(long.as_str())),
        ("tree", Value::from(long.as_str())),
        ("parent", Value::from(long.as_str())),
        (
            "config",
            serde_json::json!({"blob": long, "sha256": "a".repeat(64)}),
        ),
        ("adopts", Value::from(long.as_str())),
    ]) {
        let mut value = value.clone();
        if field == "adopts" {
            value["event"] = "adopt".into();
        }
        value[field] = other;
        value["id"] = format!("{id}{n:02x}").into();
        run.line_on(Kind::Checkpoint, &agent, value.to_string());
    }
    run.write();
    for words in [
        &["verify"][..],
        &["status"],
        &["reconcile"],
        &["log"],
        &["doctor"],
        &["show", &agent],
    ] {
        let o = run.repo.evolve(words);
        assert!(
            matches!(o.status.code(), Some(0 | 1 | 3)),
            "{words:?}: {}",
            err(&o)
        );
    }
}
