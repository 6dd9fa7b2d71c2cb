//! `git evolve hook EVENT`: what git calls. It never fails: a user's commit, rebase or push is
//! worth more than what we would have noted.

use std::ffi::OsString;
use std::io::Read;
use std::time::Duration;

use clap::Args;

mod pre_push;

use super::args::Global;
use super::output::say;
use super::session::{Done, directory};
use crate::error::Result;
use crate::ledger::{carry, read_rewrites};
use crate::repo::Repo;
use crate::repo::hooks::{HookEvent, INSIDE, answer_probe, note_commit};

/// How long a hook waits for other writers; what it could not write then waits in the spool.
const PATIENCE: Duration = Duration::from_secs(1);
/// Most bytes read of what git hands over.
const INPUT_MAX: u64 = 16 << 20;

/// Run by git's hooks
#[derive(Debug, Args)]
pub(super) struct HookArgs {
    /// The event: post-commit, post-rewrite, pre-push, or `configured` for the one whose
    /// arguments these are
    #[arg(value_name = "EVENT")]
    pub event: OsString,
    /// What git gives the hook
    #[arg(
        value_name = "ARGS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub args: Vec<OsString>,
}

/// Runs it. Whatever happens, it is done well.
pub(super) fn run(global: &Global, args: &HookArgs) -> Done {
    let words: Vec<_> = args.args.iter().map(|a| a.to_string_lossy()).collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let event = match args.event.to_str() {
        Some("configured") => HookEvent::from_arguments(&words),
        word => word.and_then(HookEvent::parse),
    };
    let Some(event) = event else {
        say("git-evolve: no hook of this kind");
        return Done::Well;
    };
    if answer_probe(event) || std::env::var_os(INSIDE).is_some() {
        return Done::Well;
    }
    // Inside a repository we may not read there is nothing to note.
    let Ok(repo) = Repo::discover(&directory(global)) else {
        return Done::Well;
    };
    let done = match event {
        HookEvent::PostCommit => note_commit(&repo).map(|_| ()),
        HookEvent::PostRewrite => post_rewrite(&repo),
        HookEvent::PrePush => pre_push::run(global, &repo, words.first().copied()),
    };
    if let Err(e) = done {
        say(&format!("git-evolve: {}: {e}", event.word()));
    }
    Done::Well
}

/// Copies records to the commits that replaced theirs.
fn post_rewrite(repo: &Repo) -> Result<()> {
    let pairs = read_rewrites(&input()?);
    if pairs.is_empty() {
        return Ok(());
    }
    let carried = carry(&repo.with_patience(PATIENCE), &pairs)?;
    for remark in carried.remarks {
        say(&format!("git-evolve: {remark}"));
    }
    if carried.too_much > 0 {
        say(&format!(
            "git-evolve: {} records are too large to be copied while you wait; \
             `git evolve reconcile` copies them",
            carried.too_much
        ));
    }
    Ok(())
}

/// What git hands over on standard input.
fn input() -> Result<Vec<u8>> {
    let mut input = Vec::new();
    let stdin = std::io::stdin();
    stdin.lock().take(INPUT_MAX).read_to_end(&mut input)?;
    Ok(input)
}
