//! What the hooks do as commands pass by, and what they leave alone.

use super::*;

/// An open checkpoint, the hooks installed.
fn watched() -> Repo {
    let repo = repository();
    hooks(&repo, "install");
    open_checkpoint(&git_dir(&repo));
    repo
}

/// The commits that `words` added to the list.
fn added(repo: &Repo, words: &[&str]) -> usize {
    let before = listed(&git_dir(repo)).len();
    let mut command = repo.command("git", repo.path());
    command.env("GIT_EDITOR", "true").args(words);
    let done = command.output().expect("git runs");
    assert!(done.status.success(), "{words:?}: {}", err(&done));
    listed(&git_dir(repo)).len() - before
}

#[test]
fn commits_are_listed_and_copies_of_commits_are_not() {
    let repo = watched();
    let of = |words: &[&str]| added(&repo, words);
    assert_eq!(of(&["commit", "-q", "--allow-empty", "-m", "x"]), 1);
    assert_eq!(
        of(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "y"]),
        1
    );
    assert_eq!(
        of(&["commit", "-q", "--amend", "--allow-empty", "-m", "z"]),
        1
    );
    let mut expected = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(listed(&git_dir(&repo)).last(), Some(&expected));

    repo.git(&["checkout", "-q", "-b", "side"]);
    for name in ["b", "c"] {
        repo.write(name, name);
        expected = repo.commit(name);
    }
    repo.git(&["format-patch", "-q", "-2", "-o", "../patches"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("d", "d");
    repo.commit("d");
    let list = listed(&git_dir(&repo));
    assert_eq!(list.len(), 6);
    assert!(list.contains(&expected));

    assert_eq!(of(&["cherry-pick", "side~1", "side"]), 0, "cherry-pick");
    repo.git(&["reset", "-q", "--hard", "HEAD~2"]);
    let patches = repo.around().join("patches");
    let one = patches.join("0001-b.patch");
    assert_eq!(of(&["am", "-q", one.to_str().expect("UTF-8")]), 0, "am");
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
    repo.git(&["checkout", "-q", "side"]);
    assert_eq!(of(&["rebase", "-q", "main"]), 0, "rebase");
    assert_eq!(
        of(&["rebase", "-q", "--apply", "--force-rebase", "main"]),
        0,
        "apply"
    );
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(of(&["merge", "-q", "--no-ff", "side"]), 0, "merge");
    let tip = repo.git(&["commit-tree", "-p", "HEAD", "-m", "p", "HEAD^{tree}"]);
    assert_eq!(of(&["update-ref", "HEAD", &tip]), 0, "plumbing");
    assert_eq!(of(&["commit", "-q", "--allow-empty", "-m", "after"]), 1);
}

#[test]
fn without_an_open_checkpoint_nothing_is_written_or_said() {
    let repo = repository();
    hooks(&repo, "install");
    let mut command = repo.command("git", repo.path());
    let done = command
        .args(["commit", "-q", "--allow-empty", "-m", "x"])
        .output();
    let done = done.expect("git runs");
    assert!(done.status.success() && done.stderr.is_empty() && done.stdout.is_empty());
    assert!(!git_dir(&repo).join("evolve").exists());
}

#[test]
fn a_linked_worktree_shares_the_hooks_and_has_its_own_checkpoint() {
    let repo = repository();
    repo.git(&["worktree", "add", "-q", "../other", "-b", "other"]);
    let other = repo.around().join("other");
    std::fs::create_dir(other.join("sub")).expect("made");
    let done = repo.evolve_in(&other.join("sub"), &["hooks", "install"]);
    assert!(done.status.success(), "{}", err(&done));
    let private = git_dir(&repo).join("worktrees/other");
    assert!(!private.join("hooks").exists());
    assert!(states(&repo).iter().all(|s| s.1 == Some(true)));
    open_checkpoint(&private);
    let mut commit = repo.command("git", &other.join("sub"));
    commit.args(["commit", "-q", "--allow-empty", "-m", "x"]);
    assert!(commit.status().expect("git runs").success());
    repo.commit("in the main worktree");
    assert_eq!(listed(&private), [repo.git(&["rev-parse", "other"])]);
    assert!(listed(&git_dir(&repo)).is_empty());
}

#[test]
fn a_short_path_and_an_empty_environment_are_enough() {
    let repo = watched();
    let git = out(&repo
        .command("sh", repo.path())
        .args(["-c", "command -v git"])
        .output()
        .expect("sh runs"));
    let folder = Path::new(git.trim()).parent().expect("a folder");
    let mut commit = repo.command("git", repo.path());
    commit.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    let done = commit
        .args(["commit", "-q", "--allow-empty", "-m", "x"])
        .output();
    let done = done.expect("git runs");
    assert!(
        done.status.success() && done.stderr.is_empty(),
        "{}",
        err(&done)
    );
    assert_eq!(listed(&git_dir(&repo)).len(), 1);
}

#[test]
fn a_program_that_is_gone_is_passed_over_in_silence_and_noticed_later() {
    let repo = repository();
    let copy = repo.around().join("bin/git-evolve");
    file(
        &copy,
        std::fs::read(env!("CARGO_BIN_EXE_git-evolve")).expect("there"),
        0o755,
    );
    let mut install = repo.command(copy.to_str().expect("UTF-8"), repo.path());
    assert!(
        install
            .args(["hooks", "install"])
            .output()
            .expect("runs")
            .status
            .success()
    );
    open_checkpoint(&git_dir(&repo));
    repo.commit("seen");
    std::fs::remove_file(&copy).expect("there");
    let mut command = repo.command("git", repo.path());
    let done = command
        .args(["commit", "-q", "--allow-empty", "-m", "x"])
        .output();
    let done = done.expect("git runs");
    assert!(
        done.status.success() && done.stderr.is_empty(),
        "{}",
        err(&done)
    );
    assert_eq!(listed(&git_dir(&repo)).len(), 1);
    let shown = repo.stdout(&["hooks", "status"]);
    assert!(shown.contains("a hook did not find the program"), "{shown}");
    assert!(states(&repo).iter().all(|s| s.1 == Some(false)));
    hooks(&repo, "install");
    assert!(states(&repo).iter().all(|s| s.1 == Some(true)));
    assert!(!repo.stdout(&["hooks", "status"]).contains("did not find"));
}

#[test]
fn inside_our_own_commands_hooks_do_nothing() {
    let repo = watched();
    let mut commit = repo.command("git", repo.path());
    commit.env("GIT_EVOLVE_INSIDE", "1");
    commit.args(["commit", "-q", "--allow-empty", "-m", "x"]);
    assert!(commit.status().expect("git runs").success());
    assert!(listed(&git_dir(&repo)).is_empty());
}

#[test]
fn a_hook_that_fails_fails_no_command() {
    let repo = watched();
    // A list that is a folder cannot be written.
    std::fs::create_dir(git_dir(&repo).join("evolve/commits")).expect("made");
    let mut commit = repo.command("git", repo.path());
    let done = commit
        .args(["commit", "-q", "--allow-empty", "-m", "x"])
        .output();
    let done = done.expect("git runs");
    assert!(done.status.success());
    let said = err(&done);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("git-evolve: post-commit: adding a commit to "),
        "{said}"
    );
}

#[test]
fn the_hidden_command_always_ends_well() {
    let repo = repository();
    for words in [
        &["hook", "post-commit"][..],
        &["hook", "nonsense"],
        &["hook", "post-commit", "--strange", "-x", "--", "more"],
        &["hook", "configured", "a", "b", "c"],
        &["hook", "pre-push", "no such remote", "no such url"],
    ] {
        assert_eq!(repo.evolve(words).status.code(), Some(0), "{words:?}");
    }
    let nowhere = repo.evolve_in(repo.around(), &["hook", "post-commit"]);
    assert_eq!(
        (nowhere.status.code(), err(&nowhere).as_str()),
        (Some(0), "")
    );
    assert!(!out(&repo.evolve(&["-h"])).contains("hook  "));
}

#[test]
fn a_commit_is_listed_in_a_repository_with_reftable_and_with_sha256() {
    for format in ["--ref-format=reftable", "--object-format=sha256"] {
        let mut probe = std::process::Command::new("git");
        let folder = tempfile::tempdir().expect("a folder");
        let known = probe
            .args(["init", "-q", format])
            .arg(folder.path())
            .output();
        if !known.expect("git runs").status.success() {
            continue;
        }
        let repo = Repo::with(&[format]);
        repo.write("a", "a");
        repo.commit("a");
        repo.git(&["checkout", "-q", "-b", "side"]);
        repo.write("b", "b");
        repo.commit("b");
        repo.git(&["checkout", "-q", "main"]);
        hooks(&repo, "install");
        open_checkpoint(&git_dir(&repo));
        let head = repo.commit("x");
        assert_eq!(listed(&git_dir(&repo)), [head]);
        assert_eq!(added(&repo, &["cherry-pick", "side"]), 0, "{format}");
    }
}
