//! Hooks, with real git. Tests of the dispatcher are for git before 2.54, those of configured
//! hooks for 2.54 and newer: each kind passes itself over on the other's git. The rest holds
//! on both.

mod configured;
mod dispatcher;
mod elsewhere;
mod passing;
mod publishing;
mod rewriting;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::{Repo, executable};

/// The names of our hooks.
const EVENTS: [&str; 3] = ["post-commit", "post-rewrite", "pre-push"];

/// Whether the git at hand runs hooks from its configuration.
fn runs_configured_hooks() -> bool {
    let out = std::process::Command::new("git")
        .arg("version")
        .output()
        .expect("git runs");
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut parts = said
        .trim()
        .trim_start_matches("git version ")
        .split('.')
        .map(|p| p.parse::<u32>().unwrap_or(0));
    (parts.next(), parts.next()) >= (Some(2), Some(54))
}

fn out(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned()
}

fn err(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

/// A repository with one commit.
fn repository() -> Repo {
    let repo = Repo::new();
    repo.write("a", "a\n");
    repo.commit("first");
    repo
}

/// Runs `hooks WORD`, expects success, gives what it said on standard error.
fn hooks(repo: &Repo, word: &str) -> String {
    let done = repo.evolve(&["hooks", word]);
    assert!(done.status.success(), "hooks {word}: {}", err(&done));
    err(&done)
}

/// The state of each event and whether it runs, as `hooks status` gives them.
fn states(repo: &Repo) -> Vec<(String, Option<bool>)> {
    let text = repo.stdout(&["hooks", "status", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let hooks = value["hooks"].as_array().expect("a list");
    hooks
        .iter()
        .map(|h| {
            (
                h["state"].as_str().expect("a word").to_owned(),
                h["runs"].as_bool(),
            )
        })
        .collect()
}

fn all(state: &str, runs: Option<bool>) -> Vec<(String, Option<bool>)> {
    vec![(state.to_owned(), runs); 3]
}

/// Writes a file of any mode.
fn file(path: &Path, text: impl AsRef<[u8]>, mode: u32) {
    if mode & 0o111 != 0 {
        return executable(path, text, mode);
    }
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    std::fs::write(path, text).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
}

/// Everything below a folder: mode, and bytes or a symlink's target.
fn everything(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for entry in entries {
        let path = entry.expect("an entry").path();
        let about = path.symlink_metadata().expect("there");
        let bytes = if about.is_symlink() {
            let target = std::fs::read_link(&path).expect("a link");
            target.to_str().expect("UTF-8").as_bytes().to_vec()
        } else if about.is_dir() {
            found.extend(everything(&path));
            Vec::new()
        } else {
            std::fs::read(&path).expect("readable")
        };
        found.insert(path, (about.permissions().mode(), bytes));
    }
    found
}

/// Opens a checkpoint by hand in the worktree whose git directory this is: what the hook looks
/// for is the file.
fn open_checkpoint(git_dir: &Path) {
    file(&git_dir.join("evolve/pending.json"), "{}\n", 0o644);
}

/// The commits listed since.
fn listed(git_dir: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(git_dir.join("evolve/commits")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn git_dir(repo: &Repo) -> PathBuf {
    repo.path().join(".git")
}
