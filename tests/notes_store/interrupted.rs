//! What a kill, a lock, a full disk or a stranger leaves behind.

use std::fs;
use std::time::{Duration, Instant, SystemTime};

use git_evolve::Kind as Trouble;
use git_evolve::ledger::{Absence, drain};
use git_evolve::repo::{Lock, Outcome, RefMove};

use super::*;

const REF: &str = "refs/notes/evolve/checkpoint";

fn spool(repo: &Repo) -> std::path::PathBuf {
    repo.path().join(".git/evolve/spool")
}

fn spooled(repo: &Repo) -> Vec<String> {
    let Ok(entries) = fs::read_dir(spool(repo)) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|e| {
            e.expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    names
}

fn aged(path: &std::path::Path, seconds: u64) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    let file = fs::File::create(path).expect("made");
    let then = SystemTime::now() - Duration::from_secs(seconds);
    file.set_modified(then).expect("dated");
}

#[test]
fn a_spool_file_of_a_killed_writer_is_counted_and_then_completed() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    let left = checkpoint(commit);
    let text = String::from_utf8(left.line.bytes().to_vec()).expect("UTF-8");
    let row = serde_json::json!({
        "kind": "checkpoint", "target": commit.to_string(), "line": text,
    });
    fs::create_dir_all(spool(&repo)).expect("a folder");
    let name = format!("{}.jsonl", RecordId::new());
    fs::write(spool(&repo).join(&name), format!("{row}\n")).expect("written");
    fs::write(spool(&repo).join(".half.tmp"), "{\"kind\"").expect("written");

    let reader = open(&repo).reader().expect("a reader");
    let found = records(&reader, &[Kind::Checkpoint]).expect("read");
    let on = found.on(Kind::Checkpoint, commit);
    assert_eq!((on.len(), on[0].spooled, on[0].local), (1, true, false));

    let written = write(&repo, vec![checkpoint(commit)]);
    assert_eq!((written.lines, written.completed), (1, 1));
    assert_eq!(counted_by_git(&repo), (2, 2));
    assert_eq!(spooled(&repo), [".half.tmp"]);
    let message = repo.git(&["log", "-1", "--format=%B", REF]);
    assert_eq!(message.trim(), "evolve: 2 records");
}

#[test]
fn a_damaged_spool_file_is_set_aside_and_what_can_be_read_of_it_is_written() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    let text = String::from_utf8(checkpoint(commit).line.bytes().to_vec()).expect("UTF-8");
    let row = serde_json::json!({
        "kind": "checkpoint", "target": commit.to_string(), "line": text,
    });
    fs::create_dir_all(spool(&repo)).expect("a folder");
    fs::write(
        spool(&repo).join("a.jsonl"),
        format!("{row}\n{{\"kind\":\"che"),
    )
    .expect("written");
    fs::write(spool(&repo).join("b.jsonl"), "").expect("written");
    let written = drain(&open(&repo)).expect("completed");
    assert_eq!(written.completed, 1);
    assert_eq!(written.remarks.len(), 2, "{:?}", written.remarks);
    assert_eq!(spooled(&repo), ["a.bad", "b.bad"]);
    assert_eq!(counted_by_git(&repo), (1, 1));
    assert_eq!(
        drain(&open(&repo)).expect("nothing to do"),
        Written::default()
    );
}

#[test]
fn a_stale_lock_on_our_ref_is_removed_and_said() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    let lock = repo.path().join(".git").join(format!("{REF}.lock"));
    aged(&lock, 3_600);
    let written = write(&repo, vec![checkpoint(commit)]);
    assert_eq!(written.remarks.len(), 1, "{:?}", written.remarks);
    assert!(written.remarks[0].contains("checkpoint.lock"));
    assert!(!lock.exists());
    assert_eq!(counted_by_git(&repo), (1, 1));
}

#[test]
fn a_lock_on_somebody_elses_ref_is_never_touched() {
    let repo = Repo::new();
    let opened = open(&repo);
    let held = Lock::take(&opened, Instant::now() + Duration::from_secs(5)).expect("free");
    let names = [
        "refs/heads/main",
        "refs/notes/commits",
        "refs/notes/evolve",
        "refs/remotes/origin/evolve-notes/tests",
    ];
    let locks = names.map(|n| repo.path().join(".git").join(format!("{n}.lock")));
    for lock in &locks {
        aged(lock, 3_600);
    }
    assert_eq!(held.clear_stale(names).expect("looked"), []);
    assert!(locks.iter().all(|l| l.exists()));
}

#[test]
fn what_stands_in_the_notes_already_is_not_written_twice() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    write(&repo, vec![checkpoint(commit)]);
    let tip = repo.git(&["rev-parse", REF]);
    let text = repo.git(&["notes", &format!("--ref={REF}"), "show", "HEAD"]);
    // As a kill between the move of the refs and the end of the command leaves it.
    let row = serde_json::json!({
        "kind": "checkpoint", "target": commit.to_string(), "line": text,
    });
    fs::write(spool(&repo).join("x.jsonl"), format!("{row}\n")).expect("written");
    drain(&open(&repo)).expect("completed");
    assert_eq!(repo.git(&["rev-parse", REF]), tip);
    assert_eq!(spooled(&repo), [""; 0]);
}

#[test]
fn a_fresh_lock_keeps_the_record_in_the_spool_until_the_next_command() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    repo.git(&["config", "evolve.lockTimeout", "0.5"]);
    let lock = repo.path().join(".git").join(format!("{REF}.lock"));
    aged(&lock, 5);
    let batch = Batch {
        entries: vec![checkpoint(commit)],
        configs: Vec::new(),
    };
    let error = append(&open(&repo), batch).expect_err("locked");
    assert_eq!(error.kind(), Trouble::Git);
    let said = error.to_string();
    assert!(
        said.contains("checkpoint.lock") && said.contains(" s"),
        "{said}"
    );
    assert!(
        error
            .hint()
            .expect("a hint")
            .contains("the next writing command")
    );
    assert!(lock.exists(), "a lock that may be in use stays");
    assert_eq!(spooled(&repo).len(), 1);
    fs::remove_file(&lock).expect("removed");
    assert_eq!(write(&repo, vec![checkpoint(commit)]).completed, 1);
    assert_eq!(counted_by_git(&repo), (2, 2));
    assert_eq!(spooled(&repo), [""; 0]);
}

#[test]
fn who_waits_in_vain_for_the_writers_lock_is_told_who_holds_it() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    repo.git(&["config", "evolve.lockTimeout", "0.3"]);
    let opened = open(&repo);
    let held = Lock::take(&opened, Instant::now() + Duration::from_secs(5)).expect("free");
    let batch = Batch {
        entries: vec![checkpoint(commit)],
        configs: Vec::new(),
    };
    let error = append(&opened, batch).expect_err("held");
    let said = error.to_string();
    assert!(said.contains("evolve/lock"), "{said}");
    assert!(
        said.contains(&format!("process {}", std::process::id())),
        "{said}"
    );
    drop(held);
    assert_eq!(drain(&opened).expect("free again").completed, 1);
    assert_eq!(counted_by_git(&repo), (1, 1));
}

#[test]
fn a_ref_that_blocks_the_namespace_is_named_with_its_renaming() {
    for init in [&[][..], &["--ref-format=reftable"]] {
        let repo = Repo::with(init);
        let commit = oid(&repo.commit("one"));
        repo.git(&["notes", "--ref=evolve", "add", "-m", "oops", "HEAD"]);
        let batch = Batch {
            entries: vec![checkpoint(commit)],
            configs: Vec::new(),
        };
        let error = append(&open(&repo), batch).expect_err("blocked");
        assert!(error.to_string().contains("refs/notes/evolve"), "{error}");
        let hint = error.hint().expect("a hint").to_owned();
        let command = hint
            .split_once("rename that ref: ")
            .and_then(|(_, rest)| rest.split_once(';'))
            .map(|(command, _)| command)
            .expect("a command");
        let status = repo
            .command("sh", repo.path())
            .args(["-c", command])
            .status()
            .expect("sh runs");
        assert!(status.success(), "{command}");
        assert_eq!(drain(&open(&repo)).expect("free").completed, 1);
        assert_eq!(counted_by_git(&repo), (1, 1));
        let old = repo.git(&["notes", "--ref=renamed-evolve", "show", "HEAD"]);
        assert_eq!(old, "oops");
    }
}

#[test]
fn a_ref_below_one_of_ours_is_named_too() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    repo.git(&["update-ref", &format!("{REF}/deeper"), "HEAD"]);
    let batch = Batch {
        entries: vec![checkpoint(commit)],
        configs: Vec::new(),
    };
    let error = append(&open(&repo), batch).expect_err("blocked");
    assert!(error.to_string().contains("checkpoint/deeper"), "{error}");
}

#[test]
fn a_record_on_what_is_no_commit_is_refused_before_anything_is_written() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    let tree = oid(&repo.git(&["rev-parse", "HEAD^{tree}"]));
    let absent = oid(&"12".repeat(20));
    for target in [tree, absent] {
        let mut entry = checkpoint(commit);
        entry.target = target;
        let batch = Batch {
            entries: vec![checkpoint(commit), entry],
            configs: Vec::new(),
        };
        append(&open(&repo), batch).expect_err("no commit");
        assert_eq!(spooled(&repo), [""; 0]);
    }
    assert_eq!(repo.git(&["for-each-ref", "refs/notes"]), "");
}

#[test]
fn a_tag_stands_for_its_commit() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    repo.git(&["tag", "-a", "-m", "t", "v1"]);
    let mut entry = checkpoint(commit);
    entry.target = oid(&repo.git(&["rev-parse", "v1"]));
    write(&repo, vec![entry]);
    let reader = open(&repo).reader().expect("a reader");
    let found = records(&reader, &[Kind::Checkpoint]).expect("read");
    assert_eq!(found.on(Kind::Checkpoint, commit).len(), 1);
}

#[cfg(unix)]
#[test]
fn an_object_store_that_cannot_be_written_keeps_the_record_in_the_spool() {
    use std::os::unix::fs::PermissionsExt;
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    let objects = repo.path().join(".git/objects");
    let may = |mode| fs::set_permissions(&objects, fs::Permissions::from_mode(mode));
    may(0o555).expect("closed");
    let locked = fs::File::create(objects.join("probe")).is_err();
    let batch = Batch {
        entries: vec![checkpoint(commit)],
        configs: Vec::new(),
    };
    let refused = append(&open(&repo), batch);
    may(0o755).expect("opened");
    if !locked {
        // Nothing is closed to a superuser.
        assert!(refused.is_ok());
        return;
    }
    let error = refused.expect_err("closed");
    assert!(error.to_string().contains("kept in"), "{error}");
    assert_eq!(drain(&open(&repo)).expect("open again").completed, 1);
}

#[test]
fn a_spool_that_cannot_be_made_is_an_error_that_says_nothing_was_recorded() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    fs::write(repo.path().join(".git/evolve"), "a file").expect("written");
    let batch = Batch {
        entries: vec![checkpoint(commit)],
        configs: Vec::new(),
    };
    let error = append(&open(&repo), batch).expect_err("no folder");
    assert!(
        error
            .hint()
            .expect("a hint")
            .contains("nothing was recorded")
    );
}

#[test]
fn refs_move_together_are_deleted_and_lose_races_as_one() {
    for init in [
        &[][..],
        &["--ref-format=reftable"],
        &["--object-format=sha256"],
    ] {
        let repo = Repo::with(init);
        let one = oid(&repo.commit("one"));
        let two = oid(&repo.commit("two"));
        let to = |name: &str, old: Option<Oid>, new: Option<Oid>| RefMove {
            name: name.to_owned(),
            old,
            new,
        };
        let opened = open(&repo);
        let (a, b) = ("refs/evolve/chains/x/y/1", "refs/heads/evolve/x/y/1");
        let run = |moves: &[RefMove]| opened.transact(moves, "evolve: test\n").expect("run");
        let at = |name: &str| {
            let reader = opened.reader().expect("a reader");
            reader.reference(name).expect("read")
        };
        assert_eq!(
            run(&[to(a, None, Some(one)), to(b, None, Some(one))]),
            Outcome::Moved
        );
        assert_eq!(
            run(&[to(a, Some(one), Some(two)), to(b, None, Some(two))]),
            Outcome::Lost
        );
        assert_eq!((at(a), at(b)), (Some(one), Some(one)));
        assert_eq!(
            run(&[to(a, Some(one), Some(two)), to(b, Some(one), None)]),
            Outcome::Moved
        );
        assert_eq!((at(a), at(b)), (Some(two), None));
        let log = repo.git(&["reflog", "show", "--format=%gs", a]);
        assert_eq!(log, "evolve: test\nevolve: test");
        let reader = opened.reader().expect("a reader");
        let listed = reader.references_under(&["refs/evolve", "refs/evol"]);
        let listed: Vec<String> = listed.expect("read").into_iter().map(|r| r.name).collect();
        assert_eq!(listed, [a]);
        assert_eq!(at("refs/evolve"), None);
        let bad = opened.transact(&[to("refs/heads/a b", None, Some(one))], "x");
        assert!(bad.is_err());
    }
}

#[test]
fn hooks_and_a_missing_identity_do_not_stop_a_write() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    repo.git(&["config", "user.useConfigOnly", "true"]);
    let hook = repo.path().join(".git/hooks/reference-transaction");
    repo.write(".git/hooks/reference-transaction", "#!/bin/sh\nexit 1\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("executable");
    }
    write(&repo, vec![checkpoint(commit)]);
    assert_eq!(counted(&repo), 1);
}

#[test]
fn no_records_and_records_that_were_not_fetched_are_different_answers() {
    let absence = |dir: &std::path::Path| {
        let opened = Opened::discover(dir).expect("opened");
        let reader = opened.reader().expect("a reader");
        records(&reader, &Kind::ALL).expect("read").absence
    };
    let repo = Repo::new();
    repo.write("f", "x");
    repo.commit("project");
    assert_eq!(absence(repo.path()), Some(Absence::None));
    let base = "Begin\n\nEvolve-Chain: a/b/1\nEvolve-Checkpoint: 0 base\nEvolve-Role: base\n\
                Evolve-Begin: 0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0f\n";
    repo.git(&["checkout", "-q", "-b", "evolve/a/b/1"]);
    let commit = repo.commit(base);
    assert_eq!(
        absence(repo.path()),
        Some(Absence::None),
        "no remote to ask"
    );
    write(&repo, vec![checkpoint(oid(&commit))]);
    assert_eq!(absence(repo.path()), None);

    let clone = |name: &str, more: &[&str]| {
        let to = repo.around().join(name);
        let url = format!("file://{}", repo.path().display());
        let to_text = to.to_str().expect("UTF-8").to_owned();
        let mut words = vec!["clone", "-q"];
        words.extend(more);
        words.extend([url.as_str(), to_text.as_str()]);
        repo.git(&words);
        to
    };
    let origin = || vec!["origin".to_owned()];
    let plain = clone("plain", &[]);
    assert_eq!(absence(&plain), Some(Absence::NotFetched(origin())));
    let shallow = clone("shallow", &["--depth=1"]);
    assert_eq!(absence(&shallow), Some(Absence::CutOff(origin())));

    repo.git(&["branch", "evolve-notes/checkpoint", REF]);
    let whole = clone("whole", &[]);
    assert_eq!(absence(&whole), None);
}
