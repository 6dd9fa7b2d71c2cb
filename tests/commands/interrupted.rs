//! Commands that are killed between any two of their steps: the next one completes them.

use super::checkpoints::{project, records_on, well};
use crate::support::Repo;

/// Where a build for tests ends as a kill would.
const PLACES: [&str; 4] = ["pending", "notes", "refs", "files"];

fn killed(repo: &Repo, place: &str, words: &[&str]) {
    let out = repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), repo.path())
        .args(words)
        .env("GIT_EVOLVE_TEST_KILL", place)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(137), "{place} {words:?}");
}

/// What a chain is like: trees, roles, refs, the state of index and files, records a commit.
fn shape(repo: &Repo) -> String {
    let log = repo.git(&[
        "log",
        "--format=%T %(trailers:key=Evolve-Role,valueonly,separator=)",
    ]);
    let refs = repo.git(&["for-each-ref", "--format=%(refname)"]);
    let chain = repo.git(&["rev-list", "main..HEAD"]);
    let counts: Vec<String> = chain
        .lines()
        .map(|c| records_on(repo, "checkpoint", c).len().to_string())
        .collect();
    let kept = repo.git(&["rev-parse", "refs/evolve/chains/exp/arm/1"]);
    assert_eq!(kept, repo.git(&["rev-parse", "HEAD"]));
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
    let status = repo.git(&["status", "--porcelain"]);
    [log, refs, counts.join(" "), status].join("\n--\n")
}

fn edit(repo: &Repo) {
    repo.write("src/B.java", "class B {}\n");
    repo.write("pom.xml", "<other/>\n");
    repo.commit("own");
    repo.write("src/C.java", "class C {}\n");
    repo.remove("src/test/ATest.java");
}

/// One checkpoint; at `kill` = (command, place) that command is killed there, and `retry` says
/// whether it is typed again or the next command finds what it left.
fn one_checkpoint(kill: Option<(&str, &str)>, retry: bool) -> String {
    let repo = project();
    for words in [&["begin", "exp/arm/1", "1"][..], &["record"], &["reset"]] {
        if words[0] == "record" {
            edit(&repo);
        }
        match kill {
            Some((command, place)) if command == words[0] => {
                killed(&repo, place, words);
                if retry {
                    well(&repo, words);
                } else if command == "begin" {
                    well(&repo, &["record", "--dry-run"]);
                }
            }
            _ => {
                well(&repo, words);
            }
        }
    }
    if kill.is_some_and(|(command, _)| command == "reset") && !retry {
        well(&repo, &["begin", "exp/arm/1", "2"]);
    }
    shape(&repo)
}

#[cfg(debug_assertions)]
#[test]
fn a_killed_command_repeats_with_success() {
    let whole = one_checkpoint(None, true);
    for command in ["begin", "record", "reset"] {
        for place in PLACES {
            let shape = one_checkpoint(Some((command, place)), true);
            assert_eq!(shape, whole, "{command} killed at {place}");
        }
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_command_whose_record_is_written_is_completed_by_the_next() {
    let whole = one_checkpoint(None, true);
    for command in ["begin", "record", "reset"] {
        for place in ["notes", "refs", "files"] {
            let shape = one_checkpoint(Some((command, place)), false);
            assert_eq!(shape, whole, "{command} killed at {place}");
        }
    }
}

#[cfg(debug_assertions)]
#[test]
fn files_that_were_changed_after_the_kill_are_left_alone() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1"]);
    edit(&repo);
    well(&repo, &["record"]);
    killed(&repo, "refs", &["reset"]);
    repo.write("pom.xml", "<mine/>\n");
    let said = well(&repo, &["reset"]);
    assert!(said.contains("'pom.xml' was changed meanwhile"), "{said}");
    assert_eq!(
        std::fs::read(repo.path().join("pom.xml")).unwrap(),
        b"<mine/>\n"
    );
    assert!(repo.path().join("src/test/ATest.java").exists());
}

#[cfg(debug_assertions)]
#[test]
fn a_branch_that_moved_after_the_kill_is_left_where_it_is() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1"]);
    edit(&repo);
    killed(&repo, "notes", &["record"]);
    repo.write("src/D.java", "class D {}\n");
    let moved = repo.commit("more work");
    well(&repo, &["record"]);
    let tip = repo.git(&["rev-parse", "refs/evolve/agent/exp/arm/1/1/1"]);
    assert_eq!(tip, moved);
    assert!(
        repo.git(&["ls-tree", "--name-only", "HEAD", "src/"])
            .contains("src/D.java")
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_lock_on_the_index_that_a_killed_command_left_is_known() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1"]);
    edit(&repo);
    let beside = repo.path().join(".git/evolve/index-1");
    let lock = repo.path().join(".git/index.lock");
    std::fs::copy(repo.path().join(".git/index"), &beside).unwrap();
    std::fs::hard_link(&beside, &lock).unwrap();
    well(&repo, &["record"]);
    assert!(!lock.exists() && !beside.exists());
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    std::fs::write(&lock, "somebody else's").unwrap();
    let out = repo.evolve(&["reset"]);
    assert_eq!(out.status.code(), Some(128));
    assert!(lock.exists());
}

#[test]
fn a_stale_lock_on_a_chains_ref_is_removed_and_said() {
    for name in [
        "refs/heads/evolve/exp/arm/1",
        "refs/evolve/chains/exp/arm/1",
    ] {
        let repo = project();
        well(&repo, &["begin", "exp/arm/1", "1"]);
        edit(&repo);
        let lock = repo.path().join(format!(".git/{name}.lock"));
        let file = std::fs::File::create(&lock).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(90);
        file.set_modified(then).unwrap();
        let said = well(&repo, &["record"]);
        assert!(said.contains("removed the stale lock"), "{said}");
        assert!(!lock.exists());
        assert_eq!(
            repo.git(&["rev-parse", name]),
            repo.git(&["rev-parse", "HEAD"])
        );
    }
}
