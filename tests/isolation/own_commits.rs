//! The agent's own commits, brought from a clone that nobody trusts.

use std::io::Write;

use super::clones::{git_in, oid};
use super::hostile::Scene;

fn subjects(scene: &Scene, commits: &[git_evolve::repo::Oid]) -> Vec<String> {
    let subject = |id: &git_evolve::repo::Oid| {
        scene
            .repo
            .git(&["log", "-1", "--format=%s", &id.to_string()])
    };
    commits.iter().map(subject).collect()
}

#[test]
fn they_come_in_oldest_first_with_all_they_hold() {
    let scene = Scene::new();
    scene.misbehave(&["commit"], &[]);
    git_in(
        &scene.repo,
        &scene.clone,
        &["commit", "-q", "--allow-empty", "-m", "second"],
    );
    for how in ["loose", "packed"] {
        let own = scene
            .ours
            .own_commits(&scene.clone, oid(&scene.base))
            .expect("looked at");
        assert_eq!(own.refused, None, "{how}");
        assert_eq!(own.rewritten, Some(false));
        assert_eq!(
            subjects(&scene, &own.commits),
            ["Evolve-Role: base", "second"]
        );
        assert_eq!(own.tip, own.commits.last().copied());
        let tip = own.tip.expect("a tip").to_string();
        assert_eq!(scene.repo.git(&["show", &format!("{tip}:own.txt")]), "own");
        scene
            .repo
            .git(&["fsck", "--strict", "--connectivity-only", &tip]);
        git_in(&scene.repo, &scene.clone, &["gc", "-q"]);
    }
    let left = std::fs::read_dir(scene.repo.path().join(".git/evolve"));
    assert_eq!(
        left.map_or(0, Iterator::count),
        0,
        "the scratch repository is gone"
    );
}

#[test]
fn without_commits_there_are_none() {
    let scene = Scene::new();
    let own = scene
        .ours
        .own_commits(&scene.clone, oid(&scene.base))
        .expect("looked at");
    assert_eq!(own.tip, Some(oid(&scene.base)));
    assert_eq!(
        (own.commits.len(), own.rewritten, own.refused),
        (0, Some(false), None)
    );
}

#[test]
fn a_rewritten_history_is_told() {
    let scene = Scene::new();
    scene.misbehave(&["rewrite"], &[]);
    let own = scene
        .ours
        .own_commits(&scene.clone, oid(&scene.base))
        .expect("looked at");
    assert_eq!((own.rewritten, own.refused.as_deref()), (Some(true), None));
    assert_eq!(subjects(&scene, &own.commits), ["a history of my own"]);
}

#[test]
fn reset_to_below_the_parent_is_a_rewrite_too() {
    let scene = Scene::new();
    let tree = scene.tree().to_string();
    let below = scene
        .repo
        .git(&["commit-tree", &tree, "-m", "the base of the base"]);
    let tip = scene
        .repo
        .git(&["commit-tree", &tree, "-p", &below, "-m", "tip"]);
    let clone = scene.repo.around().join("second");
    scene
        .ours
        .isolated_clone(oid(&tip), oid(&below), false, &clone)
        .expect("cloned");
    git_in(&scene.repo, &clone, &["reset", "-q", "--hard", &below]);
    let own = scene
        .ours
        .own_commits(&clone, oid(&tip))
        .expect("looked at");
    assert_eq!((own.commits.len(), own.rewritten), (0, Some(true)));
}

#[test]
fn a_clone_that_borrows_objects_or_hides_its_head_is_refused() {
    for (breaks, said) in [
        ("alternates", "lie in another repository"),
        ("head", "names no ref"),
        ("headless", "HEAD cannot be read"),
        ("linked", "is none"),
        ("branch", "is not there"),
    ] {
        let scene = Scene::new();
        scene.misbehave(&["commit"], &[]);
        let git = scene.clone.join(".git");
        match breaks {
            "alternates" => drop(scene.misbehave(&["alternates"], &[])),
            "head" => std::fs::write(git.join("HEAD"), "ref: refs/../../../etc/passwd\n")
                .expect("written"),
            "headless" => {
                std::fs::remove_file(git.join("HEAD")).expect("removed");
                std::os::unix::fs::symlink("/etc/passwd", git.join("HEAD")).expect("linked");
            }
            "linked" => {
                let there = scene.repo.path().join(".git/objects");
                std::fs::rename(git.join("objects"), git.join("gone")).expect("moved");
                std::os::unix::fs::symlink(there, git.join("objects")).expect("linked");
            }
            _ => std::fs::remove_file(git.join("refs/heads/main")).expect("removed"),
        }
        let own = scene
            .ours
            .own_commits(&scene.clone, oid(&scene.base))
            .expect("looked at");
        let why = own.refused.expect("refused");
        assert!(why.contains(said), "{breaks}: {why}");
        assert_eq!((own.commits.len(), own.rewritten), (0, None), "{breaks}");
    }
}

#[test]
fn a_link_to_another_repository_is_not_read_through() {
    let scene = Scene::new();
    let other = crate::support::Repo::new();
    other.write("key", "not the agent's");
    other.commit("somebody else's message");
    let theirs = other.path().join(".git");
    let git_dir = scene.clone.join(".git");
    std::fs::remove_dir_all(&git_dir).expect("removed");
    for how in ["link", "file"] {
        match how {
            "link" => std::os::unix::fs::symlink(&theirs, &git_dir).expect("linked"),
            _ => std::fs::write(&git_dir, format!("gitdir: {}\n", theirs.display()))
                .expect("written"),
        }
        let own = scene
            .ours
            .own_commits(&scene.clone, oid(&scene.base))
            .expect("looked at");
        let refused = Some("its .git is no folder".to_owned());
        assert_eq!((own.tip, own.refused), (None, refused), "{how}");
        assert!(own.commits.is_empty());
        std::fs::remove_file(&git_dir).expect("removed");
    }
    let head = other.git(&["rev-parse", "HEAD"]);
    let mut asked = scene.repo.command("git", scene.repo.path());
    let here = asked
        .args(["cat-file", "-e", &head])
        .output()
        .expect("it runs");
    assert!(
        !here.status.success(),
        "another repository's commit came in"
    );
}

#[test]
fn malformed_objects_are_refused_and_ours_stay_whole() {
    let scene = Scene::new();
    let git = |args: &[&str], input: &[u8]| {
        let mut command = scene.repo.command("git", &scene.clone);
        let mut child = command
            .args(args)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("git runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input).expect("written");
        drop(stdin);
        let out = child.wait_with_output().expect("it ended");
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    };
    // A tree with a file named `.git`, which some git would write into a git directory.
    let blob = git(&["hash-object", "-w", "--stdin"], b"evil\n");
    let mut tree = b"100644 .git\0".to_vec();
    tree.extend(
        blob.as_bytes()
            .chunks(2)
            .map(|h| u8::from_str_radix(std::str::from_utf8(h).expect("hex"), 16).expect("hex")),
    );
    let tree = git(
        &["hash-object", "-w", "-t", "tree", "--literally", "--stdin"],
        &tree,
    );
    let commit = git_in(
        &scene.repo,
        &scene.clone,
        &["commit-tree", &tree, "-p", "HEAD", "-m", "evil"],
    );
    git_in(
        &scene.repo,
        &scene.clone,
        &["update-ref", "refs/heads/main", &commit],
    );
    let own = scene
        .ours
        .own_commits(&scene.clone, oid(&scene.base))
        .expect("looked at");
    let why = own.refused.expect("refused");
    assert!(why.starts_with("git unpack-objects: "), "{why}");
    // A commit whose tree is not there.
    let gone = "2".repeat(tree.len());
    let text = format!("tree {gone}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n");
    let commit = git(
        &[
            "hash-object",
            "-w",
            "-t",
            "commit",
            "--literally",
            "--stdin",
        ],
        text.as_bytes(),
    );
    git_in(
        &scene.repo,
        &scene.clone,
        &["update-ref", "refs/heads/main", &commit],
    );
    let own = scene
        .ours
        .own_commits(&scene.clone, oid(&scene.base))
        .expect("looked at");
    assert!(own.refused.is_some(), "{own:?}");
    assert_eq!(scene.repo.git(&["fsck", "--strict", "--no-dangling"]), "");
}
