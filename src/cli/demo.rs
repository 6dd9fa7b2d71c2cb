//! `git evolve demo`.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::args::{Global, Words};
use super::output::say;
use super::session::{Done, directory};
use super::{Command, log, slope};
use crate::error::{Error, Result};
use crate::harness::demo;
use crate::repo::shell_word;

/// Run a small experiment in a new repository and show what can be asked of it
///
/// Writes a project and the plan of an experiment to DIR and runs it, two arms of six chains, as
/// `git evolve run` does there. In the agent's place stands a replay of what is recorded in the
/// program: no agent runs and no model is asked. Then prints the log and the slopes, as `git
/// evolve log` and `git evolve slope` do, and what to type next.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Where to make it; must be empty or missing [default: a new folder among the temporary ones]
    #[arg(value_name = "DIR")]
    pub target: Option<PathBuf>,
}

/// Runs it.
///
/// # Errors
/// A folder that is not empty; one that cannot be written.
pub(super) fn run(global: &Global, args: &DemoArgs) -> Result<Done> {
    let target = match &args.target {
        Some(target) => directory(global).join(target),
        None => temporary()?,
    };
    let made = demo::make(&target)?;
    let experiment = &made.experiment;
    say(&format!(
        "made {}: the project of a plant nursery, and {experiment}, a plan of {} chains in {} arms \
         ({}), {} checkpoints in all",
        made.path.display(),
        made.chains,
        made.arms.len(),
        made.arms.join(", "),
        made.checkpoints
    ));
    say("no agent runs: its place is taken by `git evolve replay-agent`, which replays recordings");
    say("no gate runs: the nursery's tests need a JDK and JUnit, so outcomes are unknown");
    say("");
    say("$ git evolve run");
    let program =
        std::env::current_exe().map_err(|e| Error::git("finding this program").with_source(e))?;
    demo::run(&made.path, &program)?;
    let there = Global {
        directory: Some(made.path.clone()),
        no_pager: true,
        ..global.clone()
    };
    for words in ["log", "slope"] {
        say("");
        say(&format!("$ git evolve {words}"));
        match typed(words)? {
            Command::Log(args) => log::run(&there, &args)?,
            Command::Slope(args) => slope::run(&there, &args)?,
            _ => return Err(Error::internal(format!("{words} is another subcommand"))),
        };
    }
    // As it is typed here, where -C was not.
    let folder = shell_word(&target.display().to_string());
    let arm = made.arms.first().map_or("", String::as_str);
    say("");
    say("next:");
    for line in [
        format!("cd {folder}"),
        "git evolve plan".to_owned(),
        format!("git evolve log --chain {experiment}/{arm}/1"),
        format!("git evolve show evolve/{experiment}/{arm}/1~1 --diff"),
        "git evolve compare".to_owned(),
        "git evolve report -o report.html".to_owned(),
        "git evolve controls".to_owned(),
        "git evolve slope --metrics all --format csv".to_owned(),
        "git evolve explain reedit_rate".to_owned(),
    ] {
        say(&format!("  {line}"));
    }
    Ok(Done::Well)
}

/// A new folder for a demonstration; those of earlier ones are left alone.
fn temporary() -> Result<PathBuf> {
    let around = std::env::temp_dir();
    for n in 1..=1000 {
        let name = match n {
            1 => "evolve-demo".to_owned(),
            n => format!("evolve-demo-{n}"),
        };
        let target = around.join(name);
        // Made, not looked for: a folder or link that somebody else put there is never used.
        match std::fs::create_dir(&target) {
            Ok(()) => return Ok(target),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => {
                let doing = format!("creating a folder in {}", around.display());
                return Err(Error::git(doing).with_source(e));
            }
        }
    }
    Err(
        Error::usage(format!("{} is full of demonstrations", around.display()))
            .with_hint("delete them, or name a folder"),
    )
}

/// The arguments as if `words` had been typed, so that the demonstration shows what typing
/// them shows.
fn typed(words: &str) -> Result<Command> {
    Words::try_parse_from(["git-evolve", words])
        .map(|w| w.command)
        .map_err(|e| Error::internal(format!("reading `{words}`")).with_source(e))
}
