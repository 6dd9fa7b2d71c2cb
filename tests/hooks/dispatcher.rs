//! The dispatcher beside the user's own hook.

use super::*;

/// A hook that writes down all it is given.
const DUMP: &str = "#!/bin/sh\n\
    { echo \"args $*\"; pwd; cat; env | grep -v -e '^_=' -e '^SHLVL=' -e '^OLDPWD=' | sort; } \
    >>\"$HOME/dump\"\n";

fn dumped(repo: &Repo) -> String {
    let path = repo.around().join("home/dump");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let _ = std::fs::remove_file(path);
    text
}

/// Runs git where it may fail.
fn tried(repo: &Repo, words: &[&str]) -> Output {
    let mut command = repo.command("git", repo.path());
    command.args(words).output().expect("git runs")
}

#[test]
fn the_users_hook_gets_what_git_gives_and_in_the_same_place() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    repo.git(&["init", "-q", "--bare", "../server"]);
    repo.git(&["remote", "add", "origin", "../server"]);
    std::fs::create_dir(repo.path().join("sub")).expect("a folder");
    let mut seen = Vec::new();
    for installed in [false, true] {
        for event in EVENTS {
            let hook = git_dir(&repo).join("hooks").join(event);
            if !installed {
                file(&hook, DUMP, 0o755);
            }
        }
        if installed {
            hooks(&repo, "install");
        }
        let first = repo.git(&["rev-parse", "main"]);
        let mut commit = repo.command("git", &repo.path().join("sub"));
        commit.args(["commit", "-q", "--allow-empty", "-m", "x"]);
        assert!(commit.status().expect("git runs").success());
        repo.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "y"]);
        repo.git(&[
            "push",
            "-q",
            "origin",
            "main",
            "main:refs/heads/a b".trim_end_matches(" b"),
        ]);
        seen.push(dumped(&repo));
        repo.git(&["push", "-q", "origin", ":main", ":a"]);
        dumped(&repo);
        repo.git(&["reset", "-q", "--hard", &first]);
    }
    assert!(seen[0].contains("args amend"), "{}", seen[0]);
    assert!(seen[0].contains("args origin ../server"), "{}", seen[0]);
    assert!(seen[0].contains("refs/heads/a "), "{}", seen[0]);
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn hooks_in_any_language_and_behind_a_link_run_before_ours_and_stay_untouched() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let hook = git_dir(&repo).join("hooks/post-commit");
    let order = repo.around().join("order");
    let scripts = [
        // Code after `exit` would never run.
        format!("#!/bin/sh\necho user >>{}\nexit 0\n", order.display()),
        format!(
            "#!/usr/bin/env python3\nopen({:?}, 'a').write('user\\n')\n",
            order.display().to_string()
        ),
        // Without a first line that names its language.
        format!("echo user >>{}\n", order.display()),
    ];
    for link in [false, true] {
        for script in &scripts {
            let _ = std::fs::remove_file(&hook);
            if link {
                file(&repo.path().join("tools/pc"), script, 0o750);
                std::os::unix::fs::symlink("../../tools/pc", &hook).expect("a link");
            } else {
                file(&hook, script, 0o750);
            }
            let before = everything(&git_dir(&repo).join("hooks"));
            let tools = everything(&repo.path().join("tools"));
            hooks(&repo, "install");
            assert_eq!(states(&repo), all("dispatcher", Some(true)));
            // The status itself runs nothing of the user's.
            assert!(!order.exists());
            open_checkpoint(&git_dir(&repo));
            let head = repo.commit("x");
            assert_eq!(std::fs::read_to_string(&order).expect("it ran"), "user\n");
            assert_eq!(listed(&git_dir(&repo)).last(), Some(&head));
            std::fs::remove_file(&order).expect("there");
            hooks(&repo, "uninstall");
            assert_eq!(everything(&git_dir(&repo).join("hooks")), before);
            assert_eq!(everything(&repo.path().join("tools")), tools);
        }
    }
}

#[test]
fn installing_twice_changes_nothing_and_uninstalling_restores_every_byte_and_mode() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let folder = git_dir(&repo).join("hooks");
    file(
        &folder.join("post-commit"),
        b"#!/bin/sh\r\nexit 0\r\n",
        0o755,
    );
    file(&folder.join("post-rewrite"), b"\xff\x00no line feed", 0o644);
    std::os::unix::fs::symlink("nowhere", folder.join("pre-push")).expect("a link");
    file(&folder.join("pre-commit"), "#!/bin/sh\n", 0o700);
    let before = everything(&folder);
    let config = std::fs::read(git_dir(&repo).join("config")).expect("there");

    hooks(&repo, "install");
    let installed = everything(&folder);
    assert_ne!(installed, before);
    assert_eq!(
        hooks(&repo, "install"),
        "post-commit, post-rewrite, pre-push: already installed\n"
    );
    assert_eq!(everything(&folder), installed);
    for event in EVENTS {
        let (mode, bytes) = &installed[&folder.join(event)];
        assert_eq!(mode & 0o777, 0o755, "{event}");
        assert!(!bytes.contains(&b'\r'), "{event}");
    }
    // Nothing runs at every update of a ref.
    assert!(!folder.join("reference-transaction").exists());
    assert_eq!(installed.len(), before.len() + 3);

    hooks(&repo, "uninstall");
    assert_eq!(everything(&folder), before);
    assert_eq!(
        std::fs::read(git_dir(&repo).join("config")).expect("there"),
        config
    );
    let again = hooks(&repo, "uninstall");
    assert_eq!(again, "no hooks of git-evolve are installed here\n");
}

#[test]
fn a_hooks_folder_that_install_made_is_gone_after_uninstall() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let folder = git_dir(&repo).join("hooks");
    std::fs::remove_dir_all(&folder).expect("there");
    hooks(&repo, "install");
    assert_eq!(states(&repo), all("dispatcher", Some(true)));
    hooks(&repo, "uninstall");
    assert!(!folder.exists());
    std::fs::create_dir(&folder).expect("made");
    hooks(&repo, "install");
    hooks(&repo, "uninstall");
    assert!(folder.exists());
}

#[test]
fn a_push_that_the_users_hook_refuses_stays_refused() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    repo.git(&["init", "-q", "--bare", "../server"]);
    let hook = git_dir(&repo).join("hooks/pre-push");
    for (text, mode) in [
        ("#!/bin/sh\nexit 3\n", 0o755),
        // Not executable: git passes it over, and so do we.
        ("#!/bin/sh\nexit 3\n", 0o644),
        ("#!/bin/sh\ncat >/dev/null\nexit 0\n", 0o755),
        // Reads nothing of what it is given.
        ("#!/bin/sh\nexit 0\n", 0o755),
    ] {
        let mut codes = Vec::new();
        for installed in [false, true] {
            if !installed {
                file(&hook, text, mode);
            } else {
                hooks(&repo, "install");
            }
            let branch = format!("main:refs/heads/b{mode}{installed}");
            codes.push(
                tried(&repo, &["push", "-q", "../server", &branch])
                    .status
                    .code(),
            );
            tried(
                &repo,
                &[
                    "push",
                    "-q",
                    "--no-verify",
                    "../server",
                    &branch.replace("main", ""),
                ],
            );
        }
        assert_eq!(codes[0], codes[1], "{text:?} {mode:o}");
        hooks(&repo, "uninstall");
    }
    // A hook that cannot be started: without a dispatcher git waits for the other side for ever.
    file(&hook, "#!/bin/sh\r\nexit 0\r\n", 0o755);
    hooks(&repo, "install");
    let refused = tried(&repo, &["push", "-q", "../server", "main:refs/heads/crlf"]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn a_failing_post_commit_of_the_users_fails_no_commit_and_hides_nothing_from_ours() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    file(
        &git_dir(&repo).join("hooks/post-commit"),
        "#!/bin/sh\nexit 3\n",
        0o755,
    );
    hooks(&repo, "install");
    open_checkpoint(&git_dir(&repo));
    let head = repo.commit("x");
    assert_eq!(listed(&git_dir(&repo)), [head]);
}

#[test]
fn what_overwrote_the_dispatcher_is_noticed_and_never_deleted() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let folder = git_dir(&repo).join("hooks");
    file(&folder.join("pre-push"), "#!/bin/sh\n# mine\n", 0o755);
    hooks(&repo, "install");
    // A manager writes over two of ours, a hand edits the third.
    let manager = "#!/bin/sh\n# a manager's\n";
    file(&folder.join("pre-push"), manager, 0o755);
    file(&folder.join("post-commit"), manager, 0o755);
    let edited = folder.join("post-rewrite");
    let mut text = std::fs::read_to_string(&edited).expect("there");
    text.push_str("echo more\n");
    file(&edited, &text, 0o755);

    let before = everything(&folder);
    let words: Vec<String> = states(&repo).into_iter().map(|s| s.0).collect();
    assert_eq!(words, ["not installed", "changed", "overwritten"]);
    let said = hooks(&repo, "install");
    assert!(
        said.contains("pre-push.evolve-user stands in the way"),
        "{said}"
    );
    assert!(said.contains("changed by hand"), "{said}");
    let said = hooks(&repo, "uninstall");
    assert!(said.contains("was overwritten since"), "{said}");
    assert!(
        said.contains("left as it is; the hook that was there before is"),
        "{said}"
    );
    // What the second install could put in is gone again, all else is where it was.
    assert_eq!(everything(&folder), before);
}

#[test]
fn a_manager_that_keeps_the_hook_it_finds_gets_the_users_back() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let folder = git_dir(&repo).join("hooks");
    let ran = repo.around().join("ran");
    let mine = format!("#!/bin/sh\necho mine >>{}\n", ran.display());
    file(&folder.join("post-commit"), &mine, 0o755);
    hooks(&repo, "install");
    // As pre-commit does: what is there becomes NAME.legacy and is run from the new hook.
    std::fs::rename(
        folder.join("post-commit"),
        folder.join("post-commit.legacy"),
    )
    .expect("moved");
    let manager = "#!/bin/sh\n\"$(dirname \"$0\")/post-commit.legacy\" \"$@\"\n";
    file(&folder.join("post-commit"), manager, 0o755);
    open_checkpoint(&git_dir(&repo));
    let head = repo.commit("x");
    assert_eq!(listed(&git_dir(&repo)), [head]);
    assert_eq!(std::fs::read_to_string(&ran).expect("it ran"), "mine\n");

    hooks(&repo, "uninstall");
    let left = everything(&folder);
    assert_eq!(left[&folder.join("post-commit")].1, manager.as_bytes());
    assert_eq!(left[&folder.join("post-commit.legacy")].1, mine.as_bytes());
    assert!(!left.contains_key(&folder.join("post-commit.evolve-user")));
    repo.commit("y");
    assert_eq!(
        std::fs::read_to_string(&ran).expect("it ran"),
        "mine\nmine\n"
    );
}

#[test]
fn a_dispatcher_that_does_not_run_is_no_installed_hook() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    hooks(&repo, "install");
    let hook = git_dir(&repo).join("hooks/post-rewrite");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    let runs: Vec<_> = states(&repo).into_iter().map(|s| s.1).collect();
    assert_eq!(runs, [Some(true), Some(false), Some(true)]);
    hooks(&repo, "install");
    assert_eq!(states(&repo), all("dispatcher", Some(true)));
}

#[test]
fn a_hook_that_goes_by_its_own_name_is_pointed_out() {
    if runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let hook = git_dir(&repo).join("hooks/pre-push");
    file(
        &hook,
        "#!/bin/sh\ncase $(basename \"$0\") in pre-push) exit 1;; esac\n",
        0o755,
    );
    let said = hooks(&repo, "install");
    assert!(said.contains("asks for its own name"), "{said}");
}
