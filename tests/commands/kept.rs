//! What is kept beside a chain's line: failed attempts, the agent's own commits and turns, bases.
//! Counted by `status`, looked at by `verify`, shared by `push`.

use git_evolve::record::{Body, Envelope, Purpose, RecordId, Role};
use serde_json::Value;

use super::recorded::Run;
use super::{err, out};

/// A commit of other files on `parent`, kept by `reference`.
fn keep(run: &Run, parent: &str, reference: &str, content: &str) -> String {
    run.repo.write("src/Tried.java", content);
    run.repo.git(&["add", "-A"]);
    let tree = run.repo.git(&["write-tree"]);
    run.repo.git(&["reset", "-q", "--hard"]);
    let commit = run
        .repo
        .git(&["commit-tree", &tree, "-p", parent, "-m", "kept"]);
    run.repo.git(&["update-ref", reference, &commit]);
    commit
}

/// The record of a failed attempt at `k` on the commit before it.
fn failed(run: &mut Run, parent: &str, (role, of, id): (Role, u32, &str), k: u32, attempt: u32) {
    let mut says = Envelope::of(Purpose::Implement, Vec::new());
    says.outcome = Some("error".to_owned());
    let mut record = run.record(parent, role, of, id, Body::Envelope(says));
    record.head.for_checkpoint = Some(k);
    record.head.attempt = RecordId::parse(&format!("0192f0d6-0000-7000-8000-{attempt:012}"));
    run.add(parent, &record);
}

/// Two attempts at checkpoint 1, one at checkpoint 2, all recorded; two turns of checkpoint 2.
fn tried() -> Run {
    let mut run = Run::with(2);
    let (base, reset) = (run.line[0].clone(), run.line[2].clone());
    for (n, parent, at) in [(1, &base, "1/1"), (2, &base, "1/2"), (3, &reset, "2/1")] {
        let reference = format!("refs/evolve/attempts/exp/plain/1/{at}");
        keep(&run, parent, &reference, &format!("class T{n} {{}}\n"));
    }
    failed(&mut run, &base, (Role::Base, 0, "base"), 1, 1);
    failed(&mut run, &base, (Role::Base, 0, "base"), 1, 2);
    failed(&mut run, &reset, (Role::Reset, 1, "c1"), 2, 3);
    for n in 1..=2 {
        let reference = format!("refs/evolve/agent/exp/plain/1/2/{n}");
        keep(&run, &reset, &reference, &format!("class Turn{n} {{}}\n"));
    }
    run.repo
        .git(&["update-ref", "refs/evolve/bases/exp/plain-12345678", "main"]);
    run.write();
    run
}

fn document(o: &std::process::Output) -> Value {
    serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(o)))
}

fn findings(run: &Run, id: &str) -> (Option<i32>, Vec<Value>) {
    let o = run.repo.evolve(&["verify", "--format", "json"]);
    let all = document(&o)["findings"]
        .as_array()
        .expect("findings")
        .clone();
    let of_it = all.into_iter().filter(|f| f["id"] == id).collect();
    (o.status.code(), of_it)
}

#[test]
fn attempts_turns_and_bases_are_counted_and_hold() {
    let run = tried();
    let status = document(&run.repo.evolve(&["status", "--format", "json"]));
    assert_eq!(status["chains"][0]["kept_attempts"], 3);
    assert_eq!(status["chains"][0]["kept_agent"], 2);
    assert_eq!(status["bases"], 1);
    let all = ["status", "--chain", "exp/plain/1", "--format", "json"];
    let one = document(&run.repo.evolve(&all));
    let attempts: Vec<&Value> = one["checkpoints"]
        .as_array()
        .expect("checkpoints")
        .iter()
        .map(|c| &c["attempts"])
        .collect();
    assert_eq!(
        attempts,
        [2, 1],
        "the failed ones; the others have no attempt"
    );
    let words = out(&run.repo.evolve(&["status", "--chain", "exp/plain/1"]));
    assert!(
        words.contains("3 attempts and 2 commits of the agent's kept beside its line"),
        "{words}"
    );
    for id in ["kept-off-line", "attempt-misplaced", "attempt-unrecorded"] {
        let (code, found) = findings(&run, id);
        assert_eq!((code, found.len()), (Some(0), 0), "{id}: {found:?}");
    }
}

#[test]
fn attempts_without_records_or_in_the_wrong_place_are_found() {
    let run = tried();
    let (base, reset) = (run.line[0].clone(), run.line[4].clone());
    keep(
        &run,
        &base,
        "refs/evolve/attempts/exp/plain/1/1/3",
        "class T4 {}\n",
    );
    let (code, found) = findings(&run, "attempt-unrecorded");
    assert_eq!((code, found.len()), (Some(0), 1), "{found:?}");
    let what = found[0]["what"].as_str().expect("words");
    assert_eq!(
        what,
        "3 attempts at checkpoint 1 are kept, and 2 are recorded"
    );
    let elsewhere = "refs/evolve/attempts/exp/other/1/1/1";
    keep(&run, &base, elsewhere, "class T5 {}\n");
    let (_, found) = findings(&run, "kept-off-line");
    assert_eq!((found.len(), &found[0]["ref"]), (1, &elsewhere.into()));
    assert_eq!(found[0]["severity"], "note");
    keep(
        &run,
        &reset,
        "refs/evolve/attempts/exp/plain/1/2/2",
        "class T6 {}\n",
    );
    let (code, found) = findings(&run, "attempt-misplaced");
    assert_eq!((code, found.len()), (Some(1), 1), "{found:?}");
}

#[test]
fn attempts_and_turns_go_out_and_come_back_in_a_plain_clone() {
    let run = tried();
    let server = run.repo.around().join("server");
    let server = server.to_str().expect("UTF-8").to_owned();
    run.repo
        .git(&["init", "-q", "--bare", "-b", "main", &server]);
    run.repo.git(&["remote", "add", "origin", &server]);
    run.repo.git(&["push", "-q", "origin", "main"]);
    let o = run.repo.evolve(&["push", "--yes", "origin"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    let there = run.repo.git(&["ls-remote", "origin"]);
    for (at, kept) in [
        ("attempt/1/1", "refs/evolve/attempts/exp/plain/1/1/1"),
        ("attempt/1/2", "refs/evolve/attempts/exp/plain/1/1/2"),
        ("attempt/2/1", "refs/evolve/attempts/exp/plain/1/2/1"),
        ("agent/2/1", "refs/evolve/agent/exp/plain/1/2/1"),
        ("agent/2/2", "refs/evolve/agent/exp/plain/1/2/2"),
    ] {
        let commit = run.repo.git(&["rev-parse", kept]);
        let line = format!("{commit}\trefs/heads/evolve-kept/exp/plain/1/{at}");
        assert!(there.contains(&line), "{line}\n{there}");
    }
    for (name, words) in [
        ("plain", &[][..]),
        ("mirror", &["--mirror"]),
        ("bare", &["--bare"]),
    ] {
        let to = run.repo.around().join(name);
        let mut clone = vec!["clone", "-q"];
        clone.extend(words);
        clone.extend([server.as_str(), to.to_str().expect("UTF-8")]);
        run.repo.git(&clone);
        let o = run.repo.evolve_in(&to, &["status", "--format", "json"]);
        let status = document(&o);
        assert_eq!(status["chains"][0]["kept_attempts"], 3, "{name}");
        assert_eq!(status["chains"][0]["kept_agent"], 2, "{name}");
        let o = run.repo.evolve_in(&to, &["verify", "--format", "json"]);
        assert_eq!(o.status.code(), Some(0), "{name}: {}", out(&o));
    }
    // A second push has nothing to say of them, and one of a new attempt brings it alone.
    let base = run.line[0].clone();
    keep(
        &run,
        &base,
        "refs/evolve/attempts/exp/plain/1/1/3",
        "class T4 {}\n",
    );
    let o = run.repo.evolve(&["push", "--yes", "origin"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    let there = run
        .repo
        .git(&["ls-remote", "origin", "refs/heads/evolve-kept/*"]);
    assert_eq!(there.lines().count(), 6, "{there}");
}
