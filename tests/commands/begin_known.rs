//! `git evolve begin` of chains that are known already: here, elsewhere, twice.

use super::checkpoints::{project, refs, refused, undo, well, work_through};
use super::err;

#[test]
fn a_path_that_is_held_is_refused_and_again_begins_another_chain() {
    let repo = project();
    work_through(&repo, "exp/arm/1", "1");
    let old = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["checkout", "-q", "main"]);
    let said = refused(&repo, 2, &["begin", "exp/arm/1", "1"]);
    for word in [
        "refs/heads/evolve/exp/arm/1",
        "refs/evolve/chains/exp/arm/1",
        "--again",
    ] {
        assert!(said.contains(word), "{said}");
    }

    // From the chain itself the other one stands where this one stood, not on its work.
    repo.git(&["checkout", "-q", "evolve/exp/arm/1"]);
    let said = well(&repo, &["begin", "exp/arm/1", "1", "--again"]);
    let base = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        repo.git(&["rev-parse", "HEAD^"]),
        repo.git(&["rev-parse", "main"])
    );
    assert_eq!(
        repo.git(&["rev-parse", "refs/heads/evolve/exp/arm/1"]),
        base
    );
    assert_eq!(
        repo.git(&["rev-parse", "refs/evolve/chains/exp/arm/1"]),
        old
    );
    let second = format!("refs/evolve/chains/exp/arm/1@{}", &base[..12]);
    assert_eq!(repo.git(&["rev-parse", &second]), base);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");

    undo(&repo, &said);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), old);
    assert_eq!(
        repo.git(&["symbolic-ref", "--short", "HEAD"]),
        "evolve/exp/arm/1"
    );
    assert!(!refs(&repo).contains(&second));

    well(&repo, &["begin", "exp/arm/1", "1", "--again"]);
    repo.write("src/B.java", "class B {}\n");
    well(&repo, &["record"]);
    well(&repo, &["reset"]);
    well(&repo, &["begin", "exp/arm/1", "2"]);
    let tip = repo.git(&["rev-parse", "HEAD"]);
    let kept = refs(&repo);
    let kept: Vec<&String> = kept.iter().filter(|r| r.contains("chains")).collect();
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert_eq!(repo.git(&["rev-parse", kept[1]]), tip);
    let log = repo.stdout(&["log", "--metrics", "churn", "--format", "csv"]);
    assert!(log.lines().count() >= 3, "{log}");
}

#[test]
fn a_tip_that_nothing_keeps_is_kept_before_the_branch_moves() {
    let repo = project();
    work_through(&repo, "exp/arm/1", "1");
    let old = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-ref", "-d", "refs/evolve/chains/exp/arm/1"]);
    repo.git(&["checkout", "-q", "main"]);
    well(&repo, &["begin", "exp/arm/1", "1", "--again"]);
    assert_eq!(
        repo.git(&["rev-parse", "refs/evolve/chains/exp/arm/1"]),
        old
    );
}

#[test]
fn a_branch_that_is_no_chain_is_left_alone() {
    let repo = project();
    repo.git(&["branch", "evolve/exp/arm/1"]);
    for words in [
        &["begin", "exp/arm/1", "1"][..],
        &["begin", "exp/arm/1", "1", "--again"],
    ] {
        let said = refused(&repo, 2, words);
        assert!(said.contains("evolve/exp/arm/1"), "{said}");
    }
}

#[test]
fn a_chain_of_a_remote_goes_on_here() {
    let repo = project();
    work_through(&repo, "exp/arm/1", "1");
    let tip = repo.git(&["rev-parse", "HEAD"]);
    let clone = repo.around().join("clone");
    repo.git(&["checkout", "-q", "main"]);
    let source = repo.path().to_str().unwrap().to_owned();
    repo.git(&["clone", "-q", &source, clone.to_str().unwrap()]);
    let there = |words: &[&str]| repo.evolve_in(&clone, words);
    let held = there(&["begin", "exp/arm/1", "1"]);
    assert_eq!(held.status.code(), Some(2), "{}", err(&held));
    assert!(
        err(&held).contains("refs/remotes/origin/evolve/exp/arm/1"),
        "{}",
        err(&held)
    );
    let on = there(&["begin", "exp/arm/1", "2"]);
    assert_eq!(on.status.code(), Some(0), "{}", err(&on));
    let git = |words: &[&str]| {
        let out = repo.command("git", &clone).args(words).output().unwrap();
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(git(&["rev-parse", "HEAD"]), tip);
    assert_eq!(
        git(&["symbolic-ref", "--short", "HEAD"]),
        "evolve/exp/arm/1"
    );
    assert_eq!(git(&["rev-parse", "refs/evolve/chains/exp/arm/1"]), tip);
    std::fs::write(clone.join("src/B.java"), "class B {}\n").unwrap();
    let recorded = there(&["record"]);
    assert_eq!(recorded.status.code(), Some(0), "{}", err(&recorded));
    assert_eq!(git(&["rev-parse", "HEAD^"]), tip);
}

#[test]
fn one_chain_is_worked_on_in_one_work_tree() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1"]);
    let other = repo.around().join("other");
    repo.git(&[
        "worktree",
        "add",
        "-q",
        "--detach",
        other.to_str().unwrap(),
        "main",
    ]);
    let out = repo.evolve_in(&other, &["begin", "exp/arm/1", "1"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        err(&out).contains("pending in another work tree"),
        "{}",
        err(&out)
    );
    let out = repo.evolve_in(&other, &["begin", "exp/arm/2", "1"]);
    assert_eq!(out.status.code(), Some(0), "{}", err(&out));
    well(&repo, &["record"]);
    let out = repo.evolve_in(&other, &["record"]);
    assert_eq!(out.status.code(), Some(0), "{}", err(&out));
}

#[test]
fn a_chain_that_begins_on_the_work_of_another_is_said() {
    let repo = project();
    work_through(&repo, "exp/arm/1", "1");
    let said = well(&repo, &["begin", "exp/arm/2", "1"]);
    assert!(
        said.contains("the new chain begins with that work"),
        "{said}"
    );
}

#[test]
fn a_branch_of_another_work_tree_is_not_moved() {
    let repo = project();
    work_through(&repo, "exp/arm/1", "1");
    repo.git(&["checkout", "-q", "main"]);
    let other = repo.around().join("other");
    repo.git(&[
        "worktree",
        "add",
        "-q",
        other.to_str().unwrap(),
        "evolve/exp/arm/1",
    ]);
    for words in [
        &["begin", "exp/arm/1", "2"][..],
        &["begin", "exp/arm/1", "1", "--again"],
    ] {
        let said = refused(&repo, 2, words);
        assert!(
            said.contains("is checked out in another work tree"),
            "{said}"
        );
    }
    let out = repo.evolve_in(&other, &["begin", "exp/arm/1", "2"]);
    assert_eq!(out.status.code(), Some(0), "{}", err(&out));
}

#[test]
fn a_file_in_the_way_of_the_branch_stops_it_and_it_can_be_begun_once_that_is_gone() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1"]);
    repo.write("src/B.java", "class B {}\n");
    well(&repo, &["record"]);
    well(&repo, &["reset"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write(".git/info/exclude", "B.java\n");
    repo.write("src/B.java", "ignored, and mine\n");
    let said = refused(&repo, 128, &["begin", "exp/arm/1", "2"]);
    assert!(said.contains("would be overwritten"), "{said}");
    assert_eq!(
        std::fs::read(repo.path().join("src/B.java")).unwrap(),
        b"ignored, and mine\n"
    );
    repo.remove("src/B.java");
    well(&repo, &["begin", "exp/arm/1", "2"]);
}
