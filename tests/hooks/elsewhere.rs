//! `core.hooksPath` belongs to somebody else.

use super::*;

/// What `hooks status` wants added for an event, and to which file.
fn to_add(repo: &Repo, at: usize) -> (String, PathBuf) {
    let text = repo.stdout(&["hooks", "status", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let hook = &value["hooks"][at];
    let word = |key: &str| hook[key].as_str().expect("a word").to_owned();
    (word("add"), word("add_to").into())
}

/// Sets `core.hooksPath`, installs, and holds that nothing was written there.
fn installs_nothing(repo: &Repo, scope: &[&str], value: &str, folder: &Path) -> String {
    let mut words = vec!["config"];
    words.extend(scope);
    words.extend(["core.hooksPath", value]);
    repo.git(&words);
    let before = (everything(folder), everything(&git_dir(repo).join("hooks")));
    let said = hooks(repo, "install");
    let after = (everything(folder), everything(&git_dir(repo).join("hooks")));
    assert_eq!(before, after, "{value:?}");
    assert_eq!(repo.git(&["config", "core.hooksPath"]), value);
    assert_eq!(states(repo), all("not installed", Some(false)), "{value:?}");
    let shown = repo.stdout(&["hooks", "status", "--format", "csv"]);
    assert!(
        shown.contains("not installed: core.hooksPath is "),
        "{shown}"
    );
    said
}

#[test]
fn nothing_is_written_where_core_hooks_path_leads_out_of_the_git_directory() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let outside = repo.around().join("corporate");
    file(&outside.join("pre-push"), "#!/bin/sh\n", 0o755);
    file(
        &repo.path().join("tools/hooks/post-commit"),
        "#!/bin/sh\n",
        0o755,
    );
    let top = repo.path().to_owned();
    let absolute = outside.to_str().expect("UTF-8").to_owned();
    for (scope, value, folder) in [
        (&["--local"][..], "tools/hooks", top.join("tools/hooks")),
        (&["--local"], ".husky/_", top.join(".husky")),
        (&["--local"], ".git/../tools/hooks", top.join("tools/hooks")),
        (&["--global"], &absolute, outside.clone()),
        (&["--local"], "/dev/null", outside.clone()),
    ] {
        let said = installs_nothing(&repo, scope, value, &folder);
        assert!(
            said.contains(&format!("core.hooksPath is {value} ({})", &scope[0][2..])),
            "{said}"
        );
        repo.git(&["config", scope[0], "--unset", "core.hooksPath"]);
    }
    // Empty means the folder git runs in.
    let said = installs_nothing(&repo, &["--local"], "", &top.join("tools"));
    assert!(said.contains("core.hooksPath is empty"), "{said}");
    assert!(!top.join("post-commit").exists());
}

#[test]
fn a_value_of_one_worktree_alone_is_seen_there_alone() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    repo.git(&["worktree", "add", "-q", "../other", "-b", "other"]);
    let other = repo.around().join("other");
    repo.git(&["config", "extensions.worktreeConfig", "true"]);
    repo.git(&[
        "-C",
        "../other",
        "config",
        "--worktree",
        "core.hooksPath",
        "mine",
    ]);
    let said = repo.evolve_in(&other, &["hooks", "install"]);
    assert!(
        err(&said).contains("core.hooksPath is mine (worktree)"),
        "{}",
        err(&said)
    );
    assert!(!other.join("mine").exists());
    hooks(&repo, "install");
    assert_eq!(states(&repo), all("dispatcher", Some(true)));
    let said = repo.evolve_in(&other, &["hooks", "status"]);
    assert!(
        out(&said).contains("not installed: core.hooksPath is mine"),
        "{}",
        out(&said)
    );
}

#[test]
fn a_folder_of_hooks_that_leads_outside_by_a_link_is_not_written() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let folder = git_dir(&repo).join("hooks");
    std::fs::remove_dir_all(&folder).expect("there");
    std::fs::create_dir(repo.path().join("shared")).expect("made");
    std::os::unix::fs::symlink("../shared", &folder).expect("a link");
    let said = hooks(&repo, "install");
    assert!(said.contains("lies outside the git directory"), "{said}");
    assert!(everything(&repo.path().join("shared")).is_empty());
}

#[test]
fn a_value_that_stays_inside_is_installed_in() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    repo.git(&["config", "core.hooksPath", ".git/own"]);
    hooks(&repo, "install");
    assert_eq!(states(&repo), all("dispatcher", Some(true)));
    open_checkpoint(&git_dir(&repo));
    let head = repo.commit("x");
    assert_eq!(listed(&git_dir(&repo)), [head]);
    hooks(&repo, "uninstall");
    assert!(!git_dir(&repo).join("own").exists());
}

#[test]
fn the_line_that_is_shown_works_under_husky_and_in_a_tracked_folder() {
    if runs_configured_hooks() {
        return;
    }
    for (value, stub) in [
        // husky's stubs hand over to the file of the same name above.
        (
            ".husky/_",
            Some("#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n"),
        ),
        ("tools/hooks", None),
    ] {
        let repo = repository();
        repo.git(&["config", "core.hooksPath", value]);
        if let Some(stub) = stub {
            let folder = repo.path().join(value);
            for event in EVENTS {
                file(&folder.join(event), stub, 0o755);
            }
            let h = "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n\
                     [ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\n";
            file(&folder.join("h"), h, 0o644);
        }
        hooks(&repo, "install");
        let (line, to) = to_add(&repo, 0);
        // A name on the PATH, since the file may be everybody's.
        let program = Path::new(env!("CARGO_BIN_EXE_git-evolve"));
        file(&to, format!("#!/bin/sh\n{line}\n"), 0o755);
        assert_eq!(states(&repo)[0], ("managed".to_owned(), None));
        let said = hooks(&repo, "install");
        assert!(said.contains("post-commit: called from "), "{said}");
        open_checkpoint(&git_dir(&repo));
        for found in [true, false] {
            let mut path = std::env::var_os("PATH").unwrap_or_default();
            if found {
                path.push(":");
                path.push(program.parent().expect("a folder"));
            }
            let mut commit = repo.command("git", repo.path());
            commit.env("PATH", path);
            let done = commit
                .args(["commit", "--allow-empty", "-qm", "x"])
                .output();
            let done = done.expect("git runs");
            assert!(
                done.status.success() && done.stderr.is_empty(),
                "{}",
                err(&done)
            );
            let there = listed(&git_dir(&repo)).len();
            assert_eq!(there, 1, "{value} {found}");
        }
    }
}

#[test]
fn lefthook_gets_its_own_words() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    repo.write("lefthook.yml", "pre-commit:\n  commands: {}\n");
    repo.git(&["config", "core.hooksPath", ".lefthook/hooks"]);
    let before = everything(repo.path());
    hooks(&repo, "install");
    let (lines, to) = to_add(&repo, 1);
    assert!(to.ends_with("lefthook.yml"), "{}", to.display());
    assert_eq!(
        lines,
        "post-rewrite:\n  commands:\n    git-evolve:\n      run: git-evolve hook post-rewrite {0} \
         || true\n      use_stdin: true"
    );
    assert_eq!(everything(repo.path()), before);
}

#[test]
fn what_was_installed_before_core_hooks_path_was_set_can_be_taken_away() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let folder = git_dir(&repo).join("hooks");
    file(&folder.join("pre-push"), "#!/bin/sh\n# mine\n", 0o755);
    let before = everything(&folder);
    hooks(&repo, "install");
    repo.git(&["config", "core.hooksPath", ".husky/_"]);
    assert_eq!(states(&repo), all("not installed", Some(false)));
    hooks(&repo, "uninstall");
    assert_eq!(everything(&folder), before);
}
