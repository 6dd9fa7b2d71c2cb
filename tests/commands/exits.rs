//! Exit codes, and what goes where.

use super::{err, out, small};
use crate::support::Repo;

#[test]
fn no_repository_and_unknown_revisions_are_gits_own() {
    let repo = small();
    let outside = repo.evolve_in(repo.around(), &["log"]);
    assert_eq!(outside.status.code(), Some(128));
    assert!(
        err(&outside).starts_with("fatal: not a git repository"),
        "{}",
        err(&outside)
    );
    for words in [
        &["log", "nowhere"][..],
        &["slope", "a..b"],
        &["show", "nowhere"],
    ] {
        let done = repo.evolve(words);
        assert_eq!(done.status.code(), Some(128), "{words:?}");
        assert_eq!(out(&done), "");
        assert!(err(&done).contains("unknown revision"), "{}", err(&done));
    }
}

#[test]
fn wrong_words_are_wrong_usage() {
    let repo = small();
    for words in [
        &["lgo"][..],
        &["log", "--last", "0"],
        &["log", "--since", "never ever"],
        &["log", "--format", "xml"],
        &["log", "HEAD...HEAD~1"],
        &["log", "--language", "cobol"],
        &["log", "--metrics", ""],
        &["slope", "--each"],
        &["completions", "sh"],
        &[],
    ] {
        assert_eq!(repo.evolve(words).status.code(), Some(2), "{words:?}");
    }
    assert_eq!(repo.evolve(&["-h"]).status.code(), Some(0));
    assert_eq!(repo.evolve(&["--version"]).status.code(), Some(0));
}

#[test]
fn an_empty_range_and_an_unborn_head_print_the_header_only() {
    let repo = small();
    let csv = ["log", "HEAD..HEAD", "--format", "csv"];
    let done = repo.evolve(&csv);
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(out(&done).lines().count(), 1);
    assert_eq!(err(&done), "no change in this range\n");
    let unborn = Repo::new();
    for words in [
        &["log"][..],
        &["slope"],
        &["show"],
        &["functions"],
        &["files"],
    ] {
        let done = unborn.evolve(words);
        assert_eq!(done.status.code(), Some(0), "{words:?}: {}", err(&done));
        assert!(
            err(&done).starts_with("no commit yet"),
            "{words:?}: {}",
            err(&done)
        );
        assert!(out(&done).lines().count() <= 2, "{}", out(&done));
    }
}

#[test]
fn unknown_figures_are_said_and_count_as_asked() {
    let repo = small();
    let some = repo.evolve(&["log", "--metrics", "churn,clone_lines"]);
    assert_eq!(some.status.code(), Some(0));
    assert!(
        err(&some).starts_with("4 of 8 figures are unknown"),
        "{}",
        err(&some)
    );
    let strict = repo.evolve(&["log", "--metrics", "churn,clone_lines", "--strict"]);
    assert_eq!(strict.status.code(), Some(3));
    let none = repo.evolve(&["log", "--metrics", "clone_lines"]);
    assert_eq!(none.status.code(), Some(3));
    assert!(
        out(&none).contains("? unknown: not implemented in this version (4)"),
        "{}",
        out(&none)
    );
    assert_eq!(repo.evolve(&["log", "--strict"]).status.code(), Some(0));
    assert_eq!(
        repo.evolve(&["slope", "--metrics", "clone_lines"])
            .status
            .code(),
        Some(3)
    );
}

#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    let repo = small();
    let words = format!(
        "'{}' metrics --format json | head -c 10; echo \"${{PIPESTATUS[0]}}\"",
        env!("CARGO_BIN_EXE_git-evolve")
    );
    let done = repo
        .command("bash", repo.path())
        .args(["-c", &words])
        .output()
        .unwrap();
    assert!(
        out(&done).ends_with("\n0\n") || out(&done).ends_with("0\n"),
        "{}",
        out(&done)
    );
    assert_eq!(err(&done), "");
}

#[test]
fn another_folder_a_subfolder_and_a_bare_clone_say_the_same() {
    let repo = small();
    let here = repo.stdout(&["log", "--format", "jsonl"]);
    let there = repo.evolve_in(
        repo.around(),
        &["-C", "repo/src", "log", "--format", "jsonl"],
    );
    assert_eq!(out(&there), here);
    let bare = repo.around().join("bare.git");
    repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    assert_eq!(
        out(&repo.evolve_in(&bare, &["log", "--format", "jsonl"])),
        here
    );
}

#[test]
fn stats_say_what_it_took_on_standard_error() {
    let repo = small();
    let done = repo.evolve(&["log", "--stats"]);
    assert!(err(&done).contains("blobs read"), "{}", err(&done));
    assert_eq!(out(&done), repo.stdout(&["log"]));
}

#[test]
fn nothing_is_written_to_the_repository() {
    let repo = small();
    let state = || {
        let status = repo.git(&["status", "--porcelain", "--ignored"]);
        (
            status,
            repo.git(&["for-each-ref"]),
            repo.git(&["count-objects", "-v"]),
        )
    };
    let before = state();
    for words in [
        &["log"][..],
        &["slope"],
        &["show", "--diff"],
        &["show", "--worktree"],
        &["files"],
    ] {
        repo.evolve(words);
    }
    assert_eq!(state(), before);
}

#[test]
fn a_bare_repository_is_found_by_any_path_from_any_place() {
    let repo = small();
    repo.git(&["clone", "-q", "--bare", ".", "../bare"]);
    let inside = repo.path().join("src");
    let absolute = repo.around().join("bare");
    let expected = out(&repo.evolve_in(&absolute, &["log"]));
    assert!(expected.contains("add A"));
    for (from, to) in [
        (repo.path(), "../bare"),
        (inside.as_path(), "../../bare"),
        (absolute.as_path(), "."),
        (absolute.as_path(), "../bare"),
        (absolute.as_path(), "objects/.."),
        (repo.around(), "bare"),
        (repo.around(), "./bare/refs"),
    ] {
        let done = repo.evolve_in(from, &["-C", to, "log"]);
        assert_eq!(out(&done), expected, "{to} from {from:?}: {}", err(&done));
    }
}

#[test]
fn an_unknown_revision_is_named_and_nothing_of_our_insides() {
    let repo = small();
    repo.git(&["update-ref", "refs/heads/side", "HEAD"]);
    for revision in [
        "nowhere",
        "HEAD~99",
        "HEAD^2",
        "side@{9}",
        "HEAD:nowhere",
        "^{/x}",
    ] {
        let done = repo.evolve(&["show", revision]);
        assert_eq!(done.status.code(), Some(128), "{revision}");
        let first = format!("fatal: unknown revision '{revision}'");
        assert_eq!(err(&done).lines().next(), Some(first.as_str()));
    }
}

#[test]
fn a_file_of_garbage_is_not_repeated_line_by_line() {
    let repo = small();
    let long = "x".repeat(500);
    repo.write(".git-blame-ignore-revs", format!("{long}\n").repeat(1000));
    repo.commit("garbage");
    let done = repo.evolve(&["log"]);
    assert_eq!(done.status.code(), Some(0));
    let said = err(&done);
    assert_eq!(said.lines().count(), 4, "{said}");
    assert!(
        said.contains("997 more lines are no full commit id"),
        "{said}"
    );
    assert!(said.lines().all(|l| l.chars().count() < 150), "{said}");
}
