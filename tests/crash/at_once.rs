//! Many processes that record at the same time.

use std::path::PathBuf;
use std::process::{Child, Stdio};

use super::{envelope, evolve, git, ids, is_sound, project};

fn all_well(running: Vec<Child>) {
    for child in running {
        let out = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{:?}: {said}", out.status.code());
        assert!(!said.contains("error"), "{said}");
    }
}

#[test]
fn forty_processes_in_ten_worktrees_record_three_times_and_nothing_is_lost() {
    let repo = project();
    let trees: Vec<PathBuf> = (0..10)
        .map(|n| {
            let tree = repo.around().join(format!("tree{n}"));
            let path = tree.to_str().expect("UTF-8").to_owned();
            git(
                &repo,
                repo.path(),
                &["worktree", "add", "-q", "--detach", &path],
            );
            let chain = format!("exp/arm/{}", n + 1);
            evolve(&repo, &tree, &["begin", &chain, "1"]);
            std::fs::write(tree.join("src/a.py"), format!("def a():\n    return {n}\n"))
                .expect("written");
            tree
        })
        .collect();
    let start = |tree: &PathBuf, args: &[&str]| {
        repo.command(env!("CARGO_BIN_EXE_git-evolve"), tree)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git-evolve starts")
    };
    for round in 0..3 {
        let running = (0..40)
            .map(|n| {
                let file = envelope(&repo, &format!("{round}-{n}"));
                let file = file.to_str().expect("UTF-8");
                start(&trees[n % 10], &["record", "--envelope", file])
            })
            .collect();
        all_well(running);
    }
    let notes = |kind: &str| format!("refs/notes/evolve/{kind}");
    assert_eq!(ids(&repo, repo.path(), &notes("envelope")).len(), 120);
    assert_eq!(ids(&repo, repo.path(), &notes("raw")).len(), 120);
    // Ten bases and ten agent commits: who came first made the commit, for all of his tree.
    assert_eq!(ids(&repo, repo.path(), &notes("checkpoint")).len(), 20);
    for n in 1..=10 {
        let branch = format!("refs/heads/evolve/exp/arm/{n}");
        let subjects = git(&repo, repo.path(), &["log", "--format=%s", &branch]);
        assert_eq!(subjects.lines().count(), 3, "{subjects}");
    }
    is_sound(&repo, repo.path());
}

#[test]
fn two_begins_of_one_chain_at_once_make_one_chain() {
    let repo = project();
    let trees: Vec<PathBuf> = (0..4)
        .map(|n| {
            let tree = repo.around().join(format!("tree{n}"));
            let path = tree.to_str().expect("UTF-8").to_owned();
            git(
                &repo,
                repo.path(),
                &["worktree", "add", "-q", "--detach", &path],
            );
            tree
        })
        .collect();
    let running: Vec<Child> = trees
        .iter()
        .map(|tree| {
            repo.command(env!("CARGO_BIN_EXE_git-evolve"), tree)
                .args(["begin", "exp/arm/1", "1"])
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("git-evolve starts")
        })
        .collect();
    let well = running
        .into_iter()
        .map(|child| child.wait_with_output().expect("it ends").status.success())
        .filter(|well| *well)
        .count();
    assert_eq!(well, 1, "one of them has the chain, the others are told so");
    let chains = git(
        &repo,
        repo.path(),
        &[
            "for-each-ref",
            "--format=%(refname)",
            "refs/evolve/chains/",
            "refs/heads/evolve/",
        ],
    );
    assert_eq!(chains.lines().count(), 2, "{chains}");
    is_sound(&repo, repo.path());
}
