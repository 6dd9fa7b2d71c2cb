//! Proof that git calls us: git is made to run the hook, and our program leaves a line.
//!
//! Only our own part runs. The dispatcher leaves the user's hook out while it is probed; of
//! configured hooks all others are switched off for that one command.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::super::Repo;
use super::super::program::{INSIDE, Program, not_started};
use super::run::{ends_well_within, home_of_hooks};
use super::script::PROBE;
use super::{GitVersion, HookEvent};
use crate::error::{Error, Result};

/// A hook that takes longer does not run.
const BOUND: Duration = Duration::from_secs(10);

/// Whether git, asked to run the hooks of `event`, calls us through the dispatcher at `hook`.
///
/// # Errors
/// Git or a temporary file cannot be had.
pub(super) fn dispatcher_runs(
    repo: &Repo,
    version: GitVersion,
    event: HookEvent,
    hook: &Path,
) -> Result<bool> {
    let command = if version >= GitVersion::HOOK_RUN {
        // The dispatcher is what is asked about, not a configured hook beside it.
        running(&silenced(repo, version, None)?, event)
    } else {
        let mut command = Command::new(hook);
        command
            .current_dir(home_of_hooks(repo))
            .args(arguments(event))
            .stdin(Stdio::null());
        command
    };
    answered(command, event)
}

/// Whether git, asked to run the hooks of `event`, calls us by its configuration.
///
/// # Errors
/// As [`dispatcher_runs`].
pub(super) fn configured_runs(repo: &Repo, version: GitVersion, event: HookEvent) -> Result<bool> {
    let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let git = silenced(repo, version, Some("evolve"))?;
    let git = git.setting(format!("core.hooksPath={nowhere}"));
    answered(running(&git, event), event)
}

/// Git with every configured hook but `left` switched off.
fn silenced(repo: &Repo, version: GitVersion, left: Option<&str>) -> Result<Program> {
    let mut git = repo.program().plain();
    if version < GitVersion::CONFIGURED_HOOKS {
        return Ok(git);
    }
    let out = git.run(&[
        "config",
        "-z",
        "--name-only",
        "--get-regexp",
        r"^hook\..*\.event$",
    ])?;
    let names = String::from_utf8_lossy(&out.stdout);
    for name in names.split('\0') {
        let hook = name
            .strip_prefix("hook.")
            .and_then(|n| n.strip_suffix(".event"));
        if let Some(hook) = hook.filter(|h| Some(*h) != left) {
            git = git.setting(format!("hook.{hook}.enabled=false"));
        }
    }
    Ok(git)
}

fn arguments(event: HookEvent) -> &'static [&'static str] {
    match event {
        HookEvent::PostCommit => &[],
        HookEvent::PostRewrite => &["amend"],
        HookEvent::PrePush => &["origin", "probe"],
    }
}

/// `git hook run` for `event`, with nothing to read.
fn running(git: &Program, event: HookEvent) -> Command {
    let mut command = git.command();
    command
        .args(["hook", "run", "--ignore-missing", event.word(), "--"])
        .args(arguments(event))
        .stdin(Stdio::null());
    command
}

/// Runs `command` and looks whether `event` was answered.
fn answered(mut command: Command, event: HookEvent) -> Result<bool> {
    let answer = Answer::new()?;
    let child = command
        .env(PROBE, &answer.path)
        .env_remove(INSIDE)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(not_started)?;
    ends_well_within(child, BOUND);
    let said = std::fs::read_to_string(&answer.path).unwrap_or_default();
    Ok(said.lines().any(|line| line == event.word()))
}

/// A file of our own, gone with the value.
struct Answer {
    path: std::path::PathBuf,
}

impl Answer {
    fn new() -> Result<Answer> {
        let folder = std::env::temp_dir();
        for n in 0..1000 {
            let path = folder.join(format!("git-evolve-probe-{}-{n}", std::process::id()));
            let made = std::fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&path);
            match made {
                Ok(_) => return Ok(Answer { path }),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => {
                    return Err(Error::git(format!("writing {}", path.display())).with_source(e));
                }
            }
        }
        Err(Error::git(format!(
            "writing a temporary file in {}: every name is taken",
            folder.display()
        )))
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Answers a probe: true where there is one, which is all that is to be done then.
pub fn answer_probe(event: HookEvent) -> bool {
    let Some(path) = std::env::var_os(PROBE).filter(|p| !p.is_empty()) else {
        return false;
    };
    // Only a file that somebody made for it.
    if let Ok(mut file) = std::fs::OpenOptions::new().append(true).open(path) {
        let _ = std::io::Write::write_all(&mut file, format!("{}\n", event.word()).as_bytes());
    }
    true
}
