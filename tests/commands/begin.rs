//! `git evolve begin`: new chains, the next checkpoint, what it refuses.

use super::checkpoints::{project, record_on, refs, refused, state, undo, well, work_through};
use super::err;
use crate::support::Repo;

#[test]
fn a_new_chain_gets_a_base_commit_a_branch_and_a_keep_ref() {
    let repo = project();
    let main = repo.git(&["rev-parse", "HEAD"]);
    let said = well(&repo, &["begin", "exp/arm/1", "1:first"]);
    let base = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), main);
    assert_eq!(
        repo.git(&["rev-parse", "HEAD^{tree}"]),
        repo.git(&["rev-parse", "main^{tree}"])
    );
    assert_eq!(
        repo.git(&["symbolic-ref", "HEAD"]),
        "refs/heads/evolve/exp/arm/1"
    );
    assert_eq!(
        repo.git(&["rev-parse", "refs/evolve/chains/exp/arm/1"]),
        base
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let trailers = repo.git(&["log", "-1", "--format=%(trailers:only,unfold)"]);
    assert!(
        trailers.starts_with(
            "Evolve-Chain: exp/arm/1\nEvolve-Checkpoint: 0 base\nEvolve-Role: base\nEvolve-Begin: "
        ),
        "{trailers}"
    );
    let record = record_on(&repo, &base);
    assert_eq!(record["event"], "begin");
    assert_eq!(record["project"], main.as_str());
    assert!(trailers.contains(record["begin"].as_str().unwrap()));
    assert!(said.contains("next: let the agent work"), "{said}");

    undo(&repo, &said);
    assert_eq!(repo.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(
        refs(&repo),
        ["refs/heads/main", "refs/notes/evolve/checkpoint"]
    );
    let again = refused(&repo, 2, &["record"]);
    assert!(again.contains("no checkpoint is pending"), "{again}");
}

#[test]
fn what_is_not_committed_stops_it_and_untracked_files_do_not() {
    let repo = project();
    repo.write("notes.txt", "mine\n");
    for (edit, name) in [("src/A.java", "'src/A.java'"), ("pom.xml", "'pom.xml'")] {
        repo.write(edit, "other\n");
        let said = refused(&repo, 2, &["begin", "exp/arm/1", "1"]);
        assert!(
            said.contains(name) && said.contains("not committed"),
            "{said}"
        );
        repo.git(&["add", edit]);
        refused(&repo, 2, &["begin", "exp/arm/1", "1"]);
        repo.git(&["reset", "-q", "--hard"]);
    }
    let said = well(&repo, &["begin", "exp/arm/1", "1"]);
    assert!(said.contains("1 untracked file is here already"), "{said}");
}

#[test]
fn it_begins_only_where_nothing_is_in_the_middle() {
    let repo = project();
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("src/A.java", "class A { int a; }\n");
    repo.commit("other");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("src/A.java", "class A { int b; }\n");
    repo.commit("ours");
    let git = |words: &[&str]| {
        let _ = repo
            .command("git", repo.path())
            .args(words)
            .output()
            .unwrap();
    };
    for (start, stop, what) in [
        (
            &["merge", "other"][..],
            &["merge", "--abort"][..],
            "a merge",
        ),
        (&["rebase", "other"], &["rebase", "--abort"], "a rebase"),
        (
            &["cherry-pick", "other"],
            &["cherry-pick", "--abort"],
            "a cherry-pick",
        ),
        (&["bisect", "start"], &["bisect", "reset"], "a bisect"),
    ] {
        git(start);
        let said = refused(&repo, 2, &["begin", "exp/arm/1", "1"]);
        assert!(said.contains(&format!("{what} is in progress")), "{said}");
        git(stop);
    }
    let unborn = Repo::new();
    let said = err(&unborn.evolve(&["begin", "exp/arm/1", "1"]));
    assert!(said.contains("no commit yet"), "{said}");
    let bare = Repo::with(&["--bare"]);
    for words in [&["begin", "exp/arm/1", "1"][..], &["record"], &["reset"]] {
        let out = bare.evolve(words);
        assert_eq!(out.status.code(), Some(2), "{words:?}");
        assert!(err(&out).contains("work tree"), "{}", err(&out));
    }
    repo.write(".git/index.lock", "");
    let out = repo.evolve(&["begin", "exp/arm/1", "1"]);
    assert_eq!(out.status.code(), Some(128));
    assert!(err(&out).contains("index.lock"), "{}", err(&out));
}

#[test]
fn wrong_words_are_named() {
    let repo = project();
    for words in [
        &["begin"][..],
        &["begin", "exp/arm/1"],
        &["begin", "Exp/arm/1", "1"],
        &["begin", "exp/arm", "1"],
        &["begin", "exp/../1", "1"],
        &["begin", "exp/arm/1", "0"],
        &["begin", "exp/arm/1", "1:A"],
        &["begin", "exp/arm/1", "2"],
        &["begin", "exp/arm/1", "2", "--again"],
        &["begin", "--abandon", "exp/arm/1", "1"],
        &["begin", "--abandon"],
    ] {
        refused(&repo, 2, words);
    }
}

#[test]
fn the_same_checkpoint_is_begun_once_and_another_must_wait() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1"]);
    let before = state(&repo);
    let said = well(&repo, &["begin", "exp/arm/1", "1"]);
    assert!(said.contains("already begun"), "{said}");
    assert_eq!(state(&repo), before);
    let said = refused(&repo, 2, &["begin", "exp/arm/2", "1"]);
    assert!(
        said.contains("checkpoint 1 of exp/arm/1 is pending"),
        "{said}"
    );

    repo.write("src/B.java", "class B {}\n");
    let said = well(&repo, &["begin", "--abandon"]);
    assert!(said.contains("stay as they are"), "{said}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? src/B.java");
    let base = repo.git(&["rev-parse", "HEAD"]);
    well(&repo, &["begin", "exp/arm/1", "1"]);
    assert_eq!(
        repo.git(&["rev-parse", "HEAD"]),
        base,
        "the base is made once"
    );
}

#[test]
fn a_chain_goes_on_with_the_next_checkpoint_once_it_is_reset() {
    let repo = project();
    work_through(&repo, "exp/arm/1", "1:one");
    let said = refused(&repo, 2, &["begin", "exp/arm/1", "3"]);
    assert!(
        said.contains("the next checkpoint of exp/arm/1 is 2, not 3"),
        "{said}"
    );
    let reset = repo.git(&["rev-parse", "HEAD"]);
    well(&repo, &["begin", "exp/arm/1", "2"]);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), reset);
    repo.write("src/B.java", "class B {}\n");
    well(&repo, &["record"]);
    let said = refused(&repo, 2, &["begin", "exp/arm/1", "3"]);
    assert!(
        said.contains("checkpoint 2 of exp/arm/1 has no reset commit"),
        "{said}"
    );
    well(&repo, &["reset"]);

    let said = refused(&repo, 2, &["begin", "exp/arm/1", "2:other"]);
    assert!(said.contains("is called checkpoint-2"), "{said}");
    let said = well(&repo, &["begin", "exp/arm/1", "2"]);
    assert!(said.contains("supersedes"), "{said}");
    repo.write("src/B.java", "class B { int b; }\n");
    well(&repo, &["record"]);
    well(&repo, &["reset"]);
    let roles = repo.git(&[
        "log",
        "--reverse",
        "--format=%(trailers:key=Evolve-Role,valueonly,separator=) %(trailers:key=Evolve-Checkpoint,valueonly,separator=)",
        "main..",
    ]);
    assert_eq!(
        roles,
        "base 0 base\nagent 1 one\nreset 1 one\nagent 2 checkpoint-2\nreset 2 checkpoint-2\n\
         agent 2 checkpoint-2\nreset 2 checkpoint-2"
    );
}

#[test]
fn commits_of_others_behind_a_reset_are_no_work_of_the_agent() {
    let repo = project();
    work_through(&repo, "exp/arm/1", "1");
    repo.write("src/Mine.java", "class Mine {}\n");
    let mine = repo.commit("by hand");
    let said = well(&repo, &["begin", "exp/arm/1", "2"]);
    assert!(said.contains("counts as the base's"), "{said}");
    repo.write("src/B.java", "class B {}\n");
    well(&repo, &["record"]);
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), mine);
    assert_eq!(
        repo.git(&["diff", "--name-only", "HEAD^", "HEAD"]),
        "src/B.java"
    );
}

#[test]
fn a_limit_of_any_length_is_one() {
    for (key, limit, code) in [
        ("evolve.lockTimeout", "1e19", 0),
        ("evolve.lockTimeout", "inf", 0),
        ("evolve.lockTimeout", "nan", 2),
        ("evolve.lockTimeout", "-1", 2),
        ("evolve.lockTimeout", "soon", 2),
    ] {
        let repo = project();
        repo.git(&["config", key, limit]);
        let o = repo.evolve(&["begin", "exp/arm/1", "1"]);
        assert_eq!(o.status.code(), Some(code), "{limit}: {}", err(&o));
    }
}

#[test]
fn the_last_number_there_is_has_no_next_one() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1"]);
    well(&repo, &["begin", "--abandon"]);
    for role in ["agent", "reset"] {
        let message = format!(
            "x\n\nEvolve-Chain: exp/arm/1\nEvolve-Checkpoint: 4294967295 c\nEvolve-Role: {role}\n"
        );
        repo.git(&["commit", "-q", "--allow-empty", "-m", &message]);
    }
    let said = refused(&repo, 2, &["begin", "exp/arm/1", "2"]);
    assert!(said.contains("4294967295"), "{said}");
    for words in [&["verify"][..], &["status"], &["reconcile"], &["log"]] {
        let code = repo.evolve(words).status.code();
        assert!(matches!(code, Some(0..=3)), "{words:?}: {code:?}");
    }
}

#[test]
fn the_undo_line_quotes_what_a_shell_would_take_apart() {
    let repo = project();
    repo.git(&["checkout", "-q", "-b", "fix(x)&y"]);
    let said = well(&repo, &["begin", "exp/arm/1", "1"]);
    undo(&repo, &said);
    assert_eq!(repo.git(&["symbolic-ref", "--short", "HEAD"]), "fix(x)&y");
}
