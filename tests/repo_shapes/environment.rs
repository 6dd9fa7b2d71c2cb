//! Which repository is meant, and whose it is.

use std::path::Path;
use std::process::Command;

use git_evolve::repo::Repo as Opened;

use super::three_commits;
use crate::support::Repo;

/// Prints what discovery says, when run by the next test with git's own environment.
#[test]
fn child_that_opens_by_environment() {
    let Some(dir) = std::env::var_os("EVOLVE_TEST_OPEN") else {
        return;
    };
    let said = match Opened::discover(Path::new(&dir)) {
        Ok(r) => {
            let head = r.reader().and_then(|reader| reader.head());
            format!("{:?} {:?} {head:?}", r.work_dir(), r.prefix())
        }
        Err(e) => format!("{:?}: {e}", e.kind()),
    };
    let to = std::env::var_os("EVOLVE_TEST_SAID").expect("a file to write to");
    std::fs::write(to, said).expect("written");
}

/// Runs the test above in a process of its own, with `vars`.
fn opened_with(repo: &Repo, dir: &Path, vars: &[(&str, &Path)]) -> String {
    let said = repo.around().join("said");
    let me = std::env::current_exe().expect("this program");
    let mut command: Command = repo.command(me.to_str().expect("utf-8"), dir);
    command
        .args([
            "--exact",
            "repo_shapes::environment::child_that_opens_by_environment",
        ])
        .env("EVOLVE_TEST_OPEN", dir)
        .env("EVOLVE_TEST_SAID", &said)
        .envs(vars.iter().copied());
    let out = command.output().expect("it runs");
    assert!(out.status.success(), "{out:?}");
    std::fs::read_to_string(said).expect("it said something")
}

#[test]
fn the_environment_says_which_repository_is_meant_as_it_does_to_git() {
    let repo = Repo::new();
    let [_, _, three] = three_commits(&repo);
    let elsewhere = repo.around().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("made");
    let elsewhere = elsewhere.canonicalize().expect("there");
    let top = repo.path().canonicalize().expect("there");
    let git_dir = repo.path().join(".git");
    let head = format!("Ok(Some({three}))");

    // As `git --git-dir=… rev-parse --show-toplevel` has it: the folder git runs in.
    let said = opened_with(&repo, &elsewhere, &[("GIT_DIR", &git_dir)]);
    assert_eq!(said, format!("Some({elsewhere:?}) Some([]) {head}"));
    let vars = [("GIT_DIR", git_dir.as_path()), ("GIT_WORK_TREE", &top)];
    let said = opened_with(&repo, &elsewhere, &vars);
    assert_eq!(said, format!("Some({top:?}) None {head}"));

    let vars = [("GIT_CEILING_DIRECTORIES", top.as_path())];
    let said = opened_with(&repo, &top.join("src"), &vars);
    assert!(said.starts_with("Git: not a git repository"), "{said}");
    let said = opened_with(&repo, &top, &vars);
    assert!(said.starts_with("Some("), "{said}");
    // A ceiling elsewhere says nothing.
    let vars = [("GIT_CEILING_DIRECTORIES", elsewhere.as_path())];
    let said = opened_with(&repo, &top.join("src"), &vars);
    assert!(said.starts_with("Some("), "{said}");
}

#[test]
fn somebody_elses_repository_is_refused_unless_it_is_declared_safe() {
    let repo = Repo::new();
    three_commits(&repo);
    let given = std::os::unix::fs::chown(repo.path(), Some(12345), None)
        .and_then(|()| std::os::unix::fs::chown(repo.path().join(".git"), Some(12345), None));
    if given.is_err() {
        // Only root can give a folder away; elsewhere there is nothing to test with.
        return;
    }
    let said = opened_with(&repo, repo.path(), &[]);
    assert!(
        said.starts_with("Git: detected dubious ownership"),
        "{said}"
    );
    let config = repo.around().join("home/.gitconfig");
    let top = repo.path().canonicalize().expect("there");
    std::fs::write(
        &config,
        format!("[safe]\n\tdirectory = {}\n", top.display()),
    )
    .expect("written");
    let said = opened_with(&repo, repo.path(), &[]);
    assert!(said.starts_with("Some("), "{said}");
}
