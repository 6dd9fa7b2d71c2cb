//! Records and rewritten history: what the post-rewrite hook copies, and what it leaves alone.

use super::*;

const KINDS: [&str; 2] = ["checkpoint", "tests"];

/// A record of checkpoint `k` on `commit`, as it is written.
fn line(repo: &Repo, kind: &str, commit: &str, k: u32, n: u32) -> String {
    let of = |what: &str| repo.git(&["rev-parse", &format!("{commit}{what}")]);
    let (tree, parent) = (of("^{tree}"), of("^"));
    let rest = match kind {
        "checkpoint" => "\"event\":\"agent\"".to_owned(),
        _ => "\"raw\":[\"0192f0c6-1015-7abc-8def-0123456789ab\"],\"suite\":\"visible\"".to_owned(),
    };
    let text = format!(
        "{{\"at\":\"2026-11-30T07:12:09.123Z\",\"begin\":\"0192f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e\",\
         \"chain\":\"shop/plain/1\",\"checkpoint\":{k},\"checkpoint_id\":\"c{k}\",\
         \"commit\":\"{commit}\",{rest},\"id\":\"0192f0c6-1000-7abc-8def-{k:04}{n:08}\",\
         \"kind\":\"{kind}\",\"parent\":\"{parent}\",\"role\":\"agent\",\
         \"tool\":\"git-evolve 0.1.0\",\"tree\":\"{tree}\",\"v\":1}}"
    );
    // Keys sorted, as in every note.
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    value.to_string()
}

/// Puts records of checkpoint `k` on `commit`; gives the lines, by kind.
fn record(repo: &Repo, commit: &str, k: u32) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in KINDS {
        let line = line(repo, kind, commit, k, 1);
        let file = repo.around().join("note");
        std::fs::write(&file, format!("{line}\n")).expect("written");
        let blob = repo.git(&["hash-object", "-w", file.to_str().expect("UTF-8")]);
        let notes = format!("--ref=refs/notes/evolve/{kind}");
        repo.git(&["notes", &notes, "add", "-f", "-C", &blob, commit]);
        lines.push(line);
    }
    lines
}

/// All lines on a commit, blank ones left out.
fn on(repo: &Repo, commit: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in KINDS {
        let notes = format!("--ref=refs/notes/evolve/{kind}");
        let mut command = repo.command("git", repo.path());
        let done = command.args(["notes", &notes, "show", commit]).output();
        let text = out(&done.expect("git runs"));
        lines.extend(text.lines().filter(|l| !l.is_empty()).map(str::to_owned));
    }
    lines
}

fn message(k: u32) -> String {
    format!(
        "{k} c{k}: do\n\nEvolve-Chain: shop/plain/1\nEvolve-Checkpoint: {k} c{k}\nEvolve-Role: agent\n"
    )
}

/// Commits a file of its own for checkpoint `k`, with our trailers.
fn agent(repo: &Repo, k: u32) -> String {
    repo.write(&format!("f{k}"), format!("{k}\n"));
    repo.commit(&message(k))
}

fn rebase(repo: &Repo, todo: &str, words: &[&str]) {
    let mut command = repo.command("git", repo.path());
    command
        .env("GIT_EDITOR", "true")
        .env("GIT_SEQUENCE_EDITOR", todo);
    let done = command
        .arg("rebase")
        .args(words)
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{words:?}: {}", err(&done));
    assert!(!err(&done).contains("git-evolve"), "{}", err(&done));
}

fn watched() -> Repo {
    let repo = repository();
    hooks(&repo, "install");
    repo
}

#[test]
fn an_amend_and_a_rebase_carry_every_line_and_leave_it_on_the_old_commit() {
    let repo = watched();
    repo.git(&["checkout", "-q", "-b", "topic"]);
    let first = agent(&repo, 1);
    let lines = record(&repo, &first, 1);
    repo.write("f1", "amended\n");
    repo.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    let amended = repo.git(&["rev-parse", "HEAD"]);
    assert_ne!(amended, first);
    assert_eq!(
        (on(&repo, &amended), on(&repo, &first)),
        (lines.clone(), lines.clone())
    );

    let second = agent(&repo, 2);
    let more = record(&repo, &second, 2);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("upstream", "u\n");
    repo.commit("upstream");
    repo.git(&["checkout", "-q", "topic"]);
    for way in [
        &["-q", "main"][..],
        &["-q", "--apply", "--force-rebase", "main"],
    ] {
        rebase(&repo, "true", way);
        assert_eq!(on(&repo, "HEAD~1"), lines, "{way:?}");
        assert_eq!(on(&repo, "HEAD"), more, "{way:?}");
    }
    assert_eq!(on(&repo, "main"), [""; 0]);
}

#[test]
fn without_the_hook_nothing_is_carried() {
    let repo = watched();
    let first = agent(&repo, 1);
    record(&repo, &first, 1);
    repo.git(&[
        "commit",
        "-q",
        "--amend",
        "--no-post-rewrite",
        "--allow-empty",
        "-m",
        "x",
    ]);
    assert_eq!(on(&repo, "HEAD"), [""; 0]);
}

#[test]
fn a_squash_of_two_holds_the_lines_of_both_once() {
    for (todo, own_copy) in [
        ("sed -i -e 2s/pick/squash/", false),
        ("sed -i -e 2s/pick/fixup/", false),
        // With git's own copying beside ours, which writes blank lines.
        ("sed -i -e 2s/pick/squash/", true),
    ] {
        let repo = watched();
        if own_copy {
            repo.git(&["config", "notes.rewriteRef", "refs/notes/evolve/*"]);
        }
        repo.git(&["checkout", "-q", "-b", "topic"]);
        let mut lines = Vec::new();
        for k in 1..=2 {
            let commit = agent(&repo, k);
            lines.extend(record(&repo, &commit, k));
        }
        rebase(&repo, todo, &["-q", "-i", "main"]);
        let mut there = on(&repo, "HEAD");
        there.sort();
        lines.sort();
        assert_eq!(repo.git(&["rev-list", "--count", "main..HEAD"]), "1");
        assert_eq!(there, lines, "{todo} {own_copy}");
    }
}

#[test]
fn a_dropped_commits_records_land_on_no_stranger() {
    let repo = watched();
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("A", "A\n");
    let dropped = repo.commit(&message(1));
    let lines = record(&repo, &dropped, 1);
    let kept = agent(&repo, 2);
    let more = record(&repo, &kept, 2);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("A", "A\n");
    repo.write("Q", "Q\n");
    let stranger = repo.commit("upstream");
    repo.git(&["checkout", "-q", "topic"]);
    rebase(&repo, "true", &["-q", "main"]);
    assert_eq!(repo.git(&["rev-list", "--count", "main..HEAD"]), "1");
    assert_eq!(on(&repo, &stranger), [""; 0]);
    assert_eq!(on(&repo, "HEAD"), more);
    assert_eq!(on(&repo, &dropped), lines);
}

#[test]
fn a_commit_dropped_after_another_leaves_that_one_its_own_records() {
    let repo = watched();
    repo.git(&["checkout", "-q", "-b", "topic"]);
    let kept = agent(&repo, 1);
    let lines = record(&repo, &kept, 1);
    repo.write("A", "A\n");
    let dropped = repo.commit(&message(2));
    record(&repo, &dropped, 2);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("A", "A\n");
    repo.write("Q", "Q\n");
    repo.commit("upstream");
    repo.git(&["checkout", "-q", "topic"]);
    rebase(&repo, "true", &["-q", "main"]);
    assert_eq!(repo.git(&["rev-list", "--count", "main..HEAD"]), "1");
    assert_eq!(on(&repo, "HEAD"), lines);
}

#[test]
fn an_amended_message_without_trailers_keeps_its_records() {
    let repo = watched();
    let commit = agent(&repo, 1);
    let lines = record(&repo, &commit, 1);
    repo.git(&["commit", "-q", "--amend", "-m", "other words"]);
    assert_eq!(on(&repo, "HEAD"), lines);
    // The same change on another base, still without trailers.
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
    repo.write("upstream", "u\n");
    repo.commit("upstream");
    repo.git(&["checkout", "-q", "topic"]);
    rebase(&repo, "true", &["-q", "main"]);
    assert_eq!(on(&repo, "HEAD"), lines);
    // Another change and another message: git's word alone.
    repo.write("f1", "something else\n");
    repo.git(&["commit", "-q", "-a", "--amend", "-m", "no longer the same"]);
    assert_eq!(on(&repo, "HEAD"), [""; 0]);
}

#[test]
fn what_git_calls_no_hook_for_is_left_to_reconcile() {
    let repo = watched();
    repo.git(&["checkout", "-q", "-b", "topic"]);
    let first = agent(&repo, 1);
    record(&repo, &first, 1);
    let second = agent(&repo, 2);
    record(&repo, &second, 2);
    let notes = repo.git(&["for-each-ref", "refs/notes"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("other", "o\n");
    repo.commit("other");
    repo.git(&["cherry-pick", &first]);
    repo.git(&["merge", "-q", "--squash", "topic"]);
    repo.git(&["commit", "-q", "-m", "squashed"]);
    let same = repo.git(&["commit-tree", "-p", "HEAD~1", "-m", "x", "HEAD^{tree}"]);
    repo.git(&["update-ref", "HEAD", &same]);
    // An agent that folds its own commits into one.
    repo.git(&["checkout", "-q", "topic"]);
    repo.git(&["reset", "-q", "--soft", "HEAD~2"]);
    repo.commit("folded");
    assert_eq!(repo.git(&["for-each-ref", "refs/notes"]), notes);
}

/// Runs the hook as git does, on `input`.
fn told(repo: &Repo, input: &str) -> Output {
    use std::io::Write;
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
    command.args(["hook", "post-rewrite", "rebase"]);
    command.stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    child.wait_with_output().expect("ends")
}

#[test]
fn pairs_told_twice_or_out_of_form_change_nothing_more() {
    let repo = watched();
    let old = agent(&repo, 1);
    let lines = record(&repo, &old, 1);
    repo.git(&[
        "commit",
        "-q",
        "--amend",
        "--no-post-rewrite",
        "--no-edit",
        "--date=now",
    ]);
    let new = repo.git(&["rev-parse", "HEAD"]);
    let none = "0".repeat(40);
    let absent = "d".repeat(40);
    let input = format!(
        "{old} {new}\n{old} {new}\n{old} {new} more words\n{absent} {new}\n{old} {absent}\n\
         {none} {none}\nnonsense\n{old}\n"
    );
    let done = told(&repo, &input);
    assert_eq!(
        (done.status.code(), out(&done), err(&done)),
        (Some(0), String::new(), String::new())
    );
    assert_eq!(on(&repo, &new), lines);
    let notes = repo.git(&["for-each-ref", "refs/notes"]);
    let done = told(&repo, &input);
    assert_eq!((done.status.code(), err(&done).as_str()), (Some(0), ""));
    assert_eq!(repo.git(&["for-each-ref", "refs/notes"]), notes);
}

#[test]
fn the_users_hook_and_ours_both_read_the_pairs() {
    let repo = repository();
    let hook = git_dir(&repo).join("hooks/post-rewrite");
    let first = repo.around().join("first");
    let text = format!("#!/bin/sh\ncat >{0}; cat >>{0}\n", first.display());
    file(&hook, text, 0o755);
    hooks(&repo, "install");
    let old = agent(&repo, 1);
    let lines = record(&repo, &old, 1);
    repo.git(&["commit", "-q", "--amend", "--no-edit", "--date=now"]);
    let new = repo.git(&["rev-parse", "HEAD"]);
    let read = std::fs::read_to_string(&first).expect("it ran");
    assert_eq!(read, format!("{old} {new}\n"));
    assert_eq!(on(&repo, &new), lines);
}

#[test]
fn while_somebody_else_writes_the_lines_wait_in_the_spool_and_the_rebase_goes_on() {
    let repo = watched();
    let old = agent(&repo, 1);
    let lines = record(&repo, &old, 1);
    let folder = git_dir(&repo).join("evolve");
    std::fs::create_dir_all(&folder).expect("made");
    let lock = std::fs::File::create(folder.join("lock")).expect("made");
    lock.lock().expect("free");
    let mut command = repo.command("git", repo.path());
    let done = command
        .args(["commit", "-q", "--amend", "-m", "y"])
        .output()
        .expect("git runs");
    assert!(done.status.success());
    assert!(err(&done).contains("kept in"), "{}", err(&done));
    assert_eq!(on(&repo, "HEAD"), [""; 0]);
    drop(lock);
    // The next writing command completes it.
    repo.git(&["commit", "-q", "--amend", "-m", "z"]);
    assert_eq!(on(&repo, "HEAD"), lines);
    let spooled = std::fs::read_dir(folder.join("spool")).expect("there");
    assert_eq!(spooled.count(), 0);
}
