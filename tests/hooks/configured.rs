//! Hooks named in git's configuration.

use super::*;

#[test]
fn configured_hooks_touch_no_file_and_run_beside_the_users_and_any_hooks_path() {
    if !runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let folder = git_dir(&repo).join("hooks");
    let ran = repo.around().join("ran");
    let hook = format!("#!/bin/sh\necho user >>{}\n", ran.display());
    file(&folder.join("post-commit"), hook, 0o755);
    let before = everything(&folder);
    let config = std::fs::read(git_dir(&repo).join("config")).expect("there");
    hooks(&repo, "install");
    assert_eq!(everything(&folder), before);
    assert_eq!(states(&repo), all("configured", Some(true)));
    assert!(!ran.exists(), "the status ran the user's hook");
    let installed = std::fs::read(git_dir(&repo).join("config")).expect("there");
    hooks(&repo, "install");
    assert_eq!(
        std::fs::read(git_dir(&repo).join("config")).expect("there"),
        installed
    );

    open_checkpoint(&git_dir(&repo));
    let count = |setting: &str| {
        let before = listed(&git_dir(&repo)).len();
        repo.git(&["-c", setting, "commit", "-q", "--allow-empty", "-m", "x"]);
        listed(&git_dir(&repo)).len() - before
    };
    assert_eq!(count("evolve.none=1"), 1);
    assert_eq!(count("core.hooksPath=.husky/_"), 1);
    assert_eq!(count("core.hooksPath=/dev/null"), 1);
    assert_eq!(count("hook.evolve.enabled=false"), 0);
    assert_eq!(
        std::fs::read_to_string(&ran).expect("it ran"),
        "user\nuser\n"
    );

    repo.git(&["config", "hook.evolve.enabled", "false"]);
    assert_eq!(states(&repo), all("configured", Some(false)));
    repo.git(&["config", "--unset", "hook.evolve.enabled"]);
    hooks(&repo, "uninstall");
    assert_eq!(
        std::fs::read(git_dir(&repo).join("config")).expect("there"),
        config
    );
    assert_eq!(everything(&folder), before);
}

#[test]
fn a_dispatcher_of_an_older_git_gives_way_to_the_configuration() {
    if !runs_configured_hooks() {
        return;
    }
    let repo = repository();
    let folder = git_dir(&repo).join("hooks");
    file(&folder.join("post-commit"), "#!/bin/sh\n# mine\n", 0o755);
    let before = everything(&folder);
    let old = shim(&repo, "2.47.3");
    let with = |words: &[&str]| {
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
        let done = command
            .env("PATH", &old)
            .args(words)
            .output()
            .expect("runs");
        assert!(done.status.success(), "{}", err(&done));
    };
    with(&["hooks", "install"]);
    assert_ne!(everything(&folder), before);
    // Both ways at once list a commit once.
    hooks(&repo, "install");
    assert_eq!(everything(&folder), before);
    with(&["hooks", "install"]);
    open_checkpoint(&git_dir(&repo));
    let head = repo.commit("x");
    assert_eq!(listed(&git_dir(&repo)), [head]);
    hooks(&repo, "uninstall");
    assert_eq!(everything(&folder), before);
    assert_eq!(states(&repo), all("not installed", Some(false)));
}

#[test]
fn what_install_writes_into_the_configuration_uninstall_takes_out_to_the_byte() {
    let repo = repository();
    let new = shim(&repo, "2.54.0.windows.1");
    let config = git_dir(&repo).join("config");
    // What somebody else has under our name stays.
    repo.git(&["config", "hook.evolve.enabled", "true"]);
    repo.git(&["config", "--add", "hook.evolve.event", "post-merge"]);
    repo.git(&["config", "hook.other.command", "true"]);
    let before = std::fs::read_to_string(&config).expect("there");
    let folder = everything(&git_dir(&repo).join("hooks"));
    let with = |words: &[&str]| {
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
        let done = command
            .env("PATH", &new)
            .args(words)
            .output()
            .expect("runs");
        assert!(done.status.success(), "{}", err(&done));
        err(&done)
    };
    with(&["hooks", "install"]);
    let written = std::fs::read_to_string(&config).expect("there");
    assert_eq!(
        repo.git(&["config", "--get-all", "hook.evolve.event"]),
        "post-merge\npost-commit\npost-rewrite\npre-push"
    );
    assert!(
        repo.git(&["config", "hook.evolve.command"])
            .contains("hook configured")
    );
    // Records are carried by our own hook: git's way of copying notes knows no lock.
    assert!(!written.contains("rewriteRef"));
    with(&["hooks", "install"]);
    assert_eq!(std::fs::read_to_string(&config).expect("there"), written);
    with(&["hooks", "uninstall"]);
    assert_eq!(std::fs::read_to_string(&config).expect("there"), before);
    assert_eq!(everything(&git_dir(&repo).join("hooks")), folder);

    repo.git(&["config", "hook.evolve.command", "my-own"]);
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
    let refused = command
        .env("PATH", &new)
        .args(["hooks", "install"])
        .output()
        .expect("runs");
    assert_eq!(refused.status.code(), Some(128));
    assert!(
        err(&refused).contains("hook.evolve.command is set to a command"),
        "{}",
        err(&refused)
    );
    with(&["hooks", "uninstall"]);
    assert_eq!(repo.git(&["config", "hook.evolve.command"]), "my-own");
}

/// A PATH on which git says it is `version`, and else is the git at hand.
fn shim(repo: &Repo, version: &str) -> std::ffi::OsString {
    let folder = repo.around().join(format!("shim-{version}"));
    let real = out(&repo
        .command("sh", repo.path())
        .args(["-c", "command -v git"])
        .output()
        .expect("sh runs"));
    let script = format!(
        "#!/bin/sh\nfor last; do :; done\n\
         [ \"$last\" = version ] && echo 'git version {version}' && exit\nexec {} \"$@\"\n",
        real.trim()
    );
    file(&folder.join("git"), script, 0o755);
    let mut path = folder.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}
