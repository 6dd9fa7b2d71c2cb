//! Lines of one chain that parted, and checkpoints that were recorded twice: every clone says the
//! same, and what was told and settled is no alarm.

use std::path::{Path, PathBuf};

use super::checkpoints::{project, well};
use super::{err, out};
use crate::support::Repo;

/// One checkpoint of `exp/arm/1` in `dir`, from beginning to reset.
fn checkpoint(repo: &Repo, dir: &Path, k: &str, class: &str) {
    let ran = |words: &[&str]| {
        let o = repo.evolve_in(dir, words);
        assert!(o.status.success(), "{words:?}: {}", err(&o));
    };
    ran(&["begin", "exp/arm/1", k]);
    let source = format!("class {class} {{\n    int f() {{\n        return 1;\n    }}\n}}\n");
    std::fs::write(dir.join(format!("src/{class}.java")), source).expect("written");
    ran(&["record"]);
    ran(&["reset"]);
}

/// The repositories in which everything is known, all other kinds of clone included.
fn everywhere(repo: &Repo, second: &Path) -> Vec<PathBuf> {
    let mut all = vec![repo.path().to_owned(), second.to_owned()];
    for (name, option) in [("plain", "-q"), ("bare", "--bare"), ("mirror", "--mirror")] {
        let to = repo.around().join(name);
        let words = ["clone", "-q", option, "../server.git"];
        repo.git(&[&words[..], &[to.to_str().expect("UTF-8")]].concat());
        all.push(to);
    }
    all
}

fn alike(repo: &Repo, all: &[PathBuf]) {
    for command in ["log", "slope"] {
        for format in ["table", "csv", "json", "jsonl", "md"] {
            for words in [
                &[command, "--format", format][..],
                &[command, "--chain", "exp/arm/1", "--format", format],
            ] {
                let page = |dir: &Path| out(&repo.evolve_in(dir, words));
                for dir in &all[1..] {
                    assert_eq!(page(dir), page(&all[0]), "{words:?} in {}", dir.display());
                }
            }
        }
    }
}

/// A server, what began and pushed one checkpoint, and a second clone.
fn shared() -> (Repo, PathBuf) {
    let repo = project();
    repo.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
    repo.git(&["remote", "add", "origin", "../server.git"]);
    checkpoint(&repo, repo.path(), "1:one", "One");
    well(&repo, &["push", "--yes", "origin"]);
    repo.git(&["push", "-q", "origin", "main"]);
    repo.git(&["clone", "-q", "../server.git", "../second"]);
    let second = repo.around().join("second");
    (repo, second)
}

fn exchange(repo: &Repo, order: &[&Path]) {
    for dir in order {
        let o = repo.evolve_in(dir, &["push", "--yes", "origin"]);
        assert!(o.status.success(), "{}", err(&o));
    }
    for dir in order {
        let o = repo.evolve_in(dir, &["fetch", "origin"]);
        assert!(o.status.success(), "{}", err(&o));
    }
}

#[test]
fn two_machines_that_went_on_from_one_checkpoint_print_the_same_bytes_everywhere() {
    for first_pushes in [true, false] {
        let (repo, second) = shared();
        checkpoint(&repo, repo.path(), "2:two", "Here");
        checkpoint(&repo, &second, "2:two", "There");
        let order = match first_pushes {
            true => [repo.path(), &second],
            false => [&second, repo.path()],
        };
        exchange(&repo, &order);
        let all = everywhere(&repo, &second);
        let page = out(&repo.evolve(&["log", "--format", "json"]));
        assert!(page.contains("diverged after"), "{page}");
        alike(&repo, &all);
        // It is said, nothing is proposed, and nothing is alarming.
        for dir in &all {
            let o = repo.evolve_in(dir, &["verify", "--format", "json"]);
            assert_eq!(o.status.code(), Some(0), "{}", out(&o));
            assert!(out(&o).contains("a line of the chain that does not count"));
        }
    }
}

#[test]
fn a_chain_rewritten_on_two_machines_counts_alike_everywhere() {
    let (repo, second) = shared();
    let amend = |dir: &Path, title: &str| {
        let o = repo
            .command("git", dir)
            .args(["commit", "-q", "--amend", "--allow-empty"])
            .args([
                "-m",
                title,
                "-m",
                "Evolve-Chain: exp/arm/1\nEvolve-Checkpoint: 1 one\nEvolve-Role: reset",
            ])
            .output()
            .expect("git runs");
        assert!(o.status.success(), "{}", err(&o));
        let o = repo.evolve_in(dir, &["reconcile", "--apply"]);
        assert!(out(&o).contains("done"), "{} {}", out(&o), err(&o));
    };
    amend(repo.path(), "amended here");
    let o = repo
        .command("git", &second)
        .args(["checkout", "-q", "evolve/exp/arm/1"])
        .output()
        .expect("git runs");
    assert!(o.status.success(), "{}", err(&o));
    exchange(&repo, &[repo.path()]);
    alike(&repo, &everywhere(&repo, repo.path()));
    for name in ["plain", "bare", "mirror"] {
        std::fs::remove_dir_all(repo.around().join(name)).expect("removed");
    }
    // The other machine, which knows nothing of the first rewriting, makes its own.
    amend(&second, "amended there");
    exchange(&repo, &[&second, repo.path()]);
    let all = everywhere(&repo, &second);
    let page = out(&repo.evolve(&["log", "--chain", "exp/arm/1", "--format", "json"]));
    assert!(page.contains("an adoption is recorded"), "{page}");
    alike(&repo, &all);
}

#[test]
fn a_checkpoint_that_was_recorded_again_is_superseded_and_no_alarm() {
    // Once and more often.
    for again in [1, 2] {
        let repo = project();
        for n in 0..=again {
            checkpoint(&repo, repo.path(), "1:one", &format!("T{n}"));
        }
        let o = repo.evolve(&["verify", "--format", "json"]);
        assert_eq!(o.status.code(), Some(0), "{}", out(&o));
        assert!(out(&o).contains("\"superseded\""), "{}", out(&o));
    }
}

#[test]
fn commits_of_the_agent_that_are_not_recorded_yet_are_no_alarm() {
    let repo = project();
    checkpoint(&repo, repo.path(), "1:one", "One");
    well(&repo, &["begin", "exp/arm/1", "2:two"]);
    for n in ["First", "Second"] {
        repo.write(&format!("src/{n}.java"), format!("class {n} {{\n}}\n"));
        repo.commit(n);
        for command in ["verify", "doctor"] {
            let o = repo.evolve(&[command, "--format", "json"]);
            assert_eq!(o.status.code(), Some(0), "{command}: {}", out(&o));
        }
    }
    // What is recorded and not kept is still said, and mended up to there.
    let recorded = repo.git(&["rev-parse", "HEAD~2"]);
    let keep = "refs/evolve/chains/exp/arm/1";
    for old in [Some("HEAD~3"), None] {
        match old {
            Some(old) => repo.git(&["update-ref", keep, old]),
            None => repo.git(&["update-ref", "-d", keep]),
        };
        for command in ["verify", "doctor"] {
            let o = repo.evolve(&[command, "--format", "json"]);
            assert_eq!(o.status.code(), Some(1), "{command}: {}", out(&o));
            let mend = format!("git update-ref {keep} {recorded}");
            assert!(out(&o).contains(&mend), "{command}: {}", out(&o));
        }
    }
}

#[test]
fn a_chain_that_a_shallow_clone_cut_off_is_not_here_and_nothing_is_wrong_with_it() {
    let (repo, _) = shared();
    let from = format!("file://{}", repo.around().join("server.git").display());
    let words = ["clone", "-q", "--depth", "1", "--no-single-branch", &from];
    repo.git(&[&words[..], &["../shallow"]].concat());
    let shallow = repo.around().join("shallow");
    let o = repo.evolve_in(&shallow, &["verify", "--format", "json"]);
    assert_eq!(o.status.code(), Some(3), "{}", out(&o));
    assert!(out(&o).contains("git fetch --unshallow"), "{}", out(&o));
    assert!(!out(&o).contains("record-off-line"), "{}", out(&o));
    let o = repo
        .command("git", &shallow)
        .args(["fetch", "-q", "--unshallow"])
        .output()
        .expect("git runs");
    assert!(o.status.success(), "{}", err(&o));
    let o = repo.evolve_in(&shallow, &["verify", "--format", "json"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
}
