//! Where hooks run, and with what around them.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// Whether git names hooks in its configuration; then no file is written.
fn configured(repo: &Repo) -> bool {
    perhaps(repo, &["config", "--get-all", "hook.evolve.event"])
        .status
        .success()
}

#[test]
fn what_git_sets_for_a_hook_leads_no_command_of_ours_into_the_wrong_repository() {
    let repo = worked(1);
    let server = server(&repo);
    well(&repo, &["push", "--yes"]);
    let program = env!("CARGO_BIN_EXE_git-evolve");
    let copies = repo.around().join("copies");
    std::fs::create_dir(&copies).expect("made");
    hook(
        &repo,
        "post-commit",
        &format!(
            "echo \"${{GIT_DIR:-none}} $GIT_INDEX_FILE\" >>'{0}/env'\n\
             n=$(ls '{0}' | wc -l)\n\
             '{program}' clone 'file://{1}' '{0}/'$n >>'{0}/said' 2>&1 || echo FAILED >>'{0}/said'\n\
             '{program}' fetch origin >>'{0}/said' 2>&1 || echo FAILED >>'{0}/said'\n\
             '{program}' status --format json >'{0}/status' 2>>'{0}/said' || echo FAILED >>'{0}/said'",
            text(&copies),
            text(&server),
        ),
    );
    let linked = repo.around().join("linked");
    repo.git(&["worktree", "add", "-q", "-b", "side", text(&linked), "main"]);
    let inside = repo.path().join("src");
    for dir in [inside, linked.clone()] {
        std::fs::write(dir.join("new"), "n\n").expect("written");
        git(&repo, &dir, &["add", "new"]);
        std::fs::write(dir.join("left"), "not added\n").expect("written");
        git(&repo, &dir, &["commit", "-q", "-m", "x"]);
        assert_eq!(
            git(&repo, &dir, &["status", "--porcelain", "."]),
            if dir == linked {
                "?? left"
            } else {
                "?? src/left"
            }
        );
        let seen = std::fs::read(copies.join("status")).expect("it ran");
        let seen: Value = serde_json::from_slice(&seen).expect("JSON");
        assert_eq!(seen["chains"][0]["records"], 7);
    }
    let read = |name: &str| std::fs::read_to_string(copies.join(name)).expect("written");
    assert!(!read("said").contains("FAILED"), "{}", read("said"));
    let env = read("env");
    assert!(
        env.lines()
            .nth(1)
            .is_some_and(|l| l.contains("/.git/worktrees/linked ")),
        "{env}"
    );
    let cloned: Vec<_> = std::fs::read_dir(&copies)
        .expect("there")
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.is_dir())
        .collect();
    assert_eq!(cloned.len(), 2);
    for copy in cloned {
        assert_eq!(git(&repo, &copy, &["status", "--porcelain"]), "");
        assert_eq!(status_in(&repo, &copy)["chains"][0]["records"], 7);
        git(&repo, &copy, &["fsck"]);
    }
    git(&repo, &server, &["fsck"]);
}

#[test]
fn hooks_make_no_commit_speak_to_nobody_and_leave_nothing_running() {
    let repo = worked(1);
    server(&repo);
    well(&repo, &["push", "--yes"]);
    well(&repo, &["hooks", "install"]);
    well(&repo, &["begin", CHAIN, "2"]);
    repo.git(&["config", "gc.auto", "1"]);
    let trace = repo.around().join("trace");
    let before: usize = repo
        .git(&["rev-list", "--count", "HEAD"])
        .parse()
        .expect("a number");
    // The pipe is open as long as anybody has it.
    let commands = "{ git commit -q --allow-empty -m x; git commit -q --allow-empty --amend -m y; } 2>&1 | cat";
    let mut command = repo.command("sh", repo.path());
    command
        .env("GIT_TRACE2_EVENT", &trace)
        .args(["-c", commands]);
    let start = std::time::Instant::now();
    let o = command.output().expect("runs");
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
    assert!(o.status.success() && out(&o).is_empty(), "{}", out(&o));
    assert_eq!(
        repo.git(&["rev-list", "--count", "HEAD"]),
        (before + 1).to_string()
    );
    let events = std::fs::read_to_string(&trace).expect("traced");
    let started = |word: &str| {
        events
            .lines()
            .filter(|l| l.contains("\"event\":\"start\"") && l.contains(&format!("\"{word}\"")))
            .count()
    };
    assert!(started("commit") == 2, "{events}");
    for word in [
        "fetch",
        "push",
        "ls-remote",
        "gc",
        "maintenance",
        "commit-tree",
    ] {
        let users = if matches!(word, "gc" | "maintenance") {
            2
        } else {
            0
        };
        assert!(started(word) <= users, "{word}: {events}");
    }
}

#[test]
fn hook_files_have_unix_line_ends_and_can_be_run_whatever_the_settings() {
    let repo = project();
    for (key, value) in [
        ("core.autocrlf", "true"),
        ("core.eol", "crlf"),
        ("core.fileMode", "false"),
    ] {
        repo.git(&["config", key, value]);
    }
    let mut command = repo.command("sh", repo.path());
    let install = format!(
        "umask 077; exec '{}' hooks install",
        env!("CARGO_BIN_EXE_git-evolve")
    );
    assert!(
        command
            .args(["-c", &install])
            .status()
            .expect("runs")
            .success()
    );
    if configured(&repo) {
        return;
    }
    for event in ["post-commit", "post-rewrite", "pre-push"] {
        let path = repo.path().join(".git/hooks").join(event);
        let text = std::fs::read(&path).expect("there");
        assert!(
            text.starts_with(b"#!/bin/sh\n") && !text.contains(&b'\r'),
            "{event}"
        );
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755, "{event}");
    }
}

#[test]
fn no_hook_is_installed_that_runs_at_every_move_of_a_ref_or_touches_a_message() {
    let repo = project();
    well(&repo, &["hooks", "install"]);
    let mut events: Vec<String> = if configured(&repo) {
        let listed = repo.git(&["config", "--get-all", "hook.evolve.event"]);
        listed.lines().map(str::to_owned).collect()
    } else {
        let folder = std::fs::read_dir(repo.path().join(".git/hooks")).expect("there");
        let names = folder
            .flatten()
            .map(|e| e.file_name().into_string().expect("UTF-8"));
        names.filter(|n| !n.ends_with(".sample")).collect()
    };
    events.sort();
    assert_eq!(events, ["post-commit", "post-rewrite", "pre-push"]);
}
