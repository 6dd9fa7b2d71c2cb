//! `git evolve replay-agent`.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use clap::Args;

use super::args::Global;
use super::output::say;
use super::session::{Done, directory, without_repository};
use crate::error::{Error, Result};
use crate::harness::replay::{Behaviour, Replay, replay};
use crate::report::Format;

/// Most bytes of a prompt that are read.
const PROMPT_MAX: u64 = 16 << 20;

/// Replay recorded changes where an agent would work; for demonstrations and tests, no agent
///
/// This is a replay and never an agent: it asks no model and thinks nothing. It stands in a plan
/// where an agent's command would, reads its prompt as an agent does (as last argument, from
/// --prompt-file, else from standard input), applies the change that was recorded for this
/// checkpoint to the work tree it runs in, and prints an envelope in the form of Claude Code's
/// result, whose model is called `replay` and whose figures follow from the seed.
///
/// Recordings are files of DIR, named by the checkpoint's id or number:
///
///   ID.patch, ID.diff   a unified diff, as git writes it
///
///   ID.edits            an edit script, as those of the demonstration
///
///   ID/                 a folder whose files are laid over the work tree
///
///   ID.answer           what it answers
///
/// Before the ending a name may say the chain's variant (`ID-b.patch`) and the try
/// (`ID.try2.patch`). Sessions for another purpose have theirs (`refactor-ID.patch`, or
/// `probe.answer` for all of them); without, they change nothing.
///
/// Which checkpoint it is, what the session is for and where tries are counted it reads from
/// EVOLVE_CHECKPOINT, EVOLVE_CHECKPOINT_ID, EVOLVE_PURPOSE and EVOLVE_CACHE.
#[derive(Debug, Args)]
#[command(override_usage = "git evolve replay-agent --patches DIR [OPTIONS] [PROMPT]")]
pub(super) struct ReplayArgs {
    /// Where the recordings are
    #[arg(long, value_name = "DIR", conflicts_with = "demo")]
    pub patches: Option<PathBuf>,
    /// The recordings of this arm of the demonstration, which the program holds
    #[arg(long, value_name = "ARM")]
    pub demo: Option<String>,
    /// Chain n is the nth of these variants: one letter for all checkpoints, or one for each
    #[arg(long, value_name = "LETTERS", value_delimiter = ',')]
    pub variants: Vec<String>,
    /// Draw the envelope's figures from N
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Commit the first N changed files, each by itself, and leave the rest uncommitted
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub commits: usize,
    /// Do this beside, everywhere or @CHECKPOINT or @CHECKPOINT.TRY: fail, half, nothing, hang,
    /// rate-limit[=SECONDS], no-credentials, over-turns, wait=MILLISECONDS, needs=TRIES
    /// (repeatable)
    #[arg(long = "do", value_name = "WHAT[@WHERE]")]
    pub behaviour: Vec<String>,
    /// Add a line to FILE for every launch
    #[arg(long, value_name = "FILE")]
    pub launches: Option<PathBuf>,
    /// Read the prompt from FILE
    #[arg(long, value_name = "FILE", conflicts_with = "prompt")]
    pub prompt_file: Option<PathBuf>,
    /// The prompt
    #[arg(value_name = "PROMPT")]
    pub prompt: Option<OsString>,
}

/// Runs it.
///
/// # Errors
/// Those of [`replay`]; a prompt that cannot be read.
pub(super) fn run(global: &Global, args: &ReplayArgs) -> Result<Done> {
    let variable = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let number = match variable("EVOLVE_CHECKPOINT") {
        Some(text) => text.parse().map_err(|_| {
            Error::usage(format!(
                "EVOLVE_CHECKPOINT={text} is no checkpoint's number"
            ))
        })?,
        None => 0,
    };
    let folder = directory(global);
    let asked = Replay {
        patches: args.patches.as_ref().map(|p| folder.join(p)),
        demo: args.demo.clone(),
        variants: args.variants.clone(),
        purpose: variable("EVOLVE_PURPOSE"),
        number,
        id: variable("EVOLVE_CHECKPOINT_ID").unwrap_or_else(|| number.to_string()),
        seed: args.seed,
        state: variable("EVOLVE_CACHE").map(PathBuf::from),
        launches: args.launches.clone(),
        commits: args.commits,
        behaviour: args
            .behaviour
            .iter()
            .map(|b| Behaviour::parse(b))
            .collect::<Result<_>>()?,
        prompt: prompt(args)?,
        folder,
    };
    let done = replay(&asked)?;
    done.words.iter().for_each(|w| say(w));
    let line = format!("{}\n", done.envelope);
    without_repository(global).data(line.as_bytes(), Format::Json)?;
    match done.exit {
        0 => Ok(Done::Well),
        _ => Ok(Done::Failed),
    }
}

/// The prompt by whichever way it comes.
fn prompt(args: &ReplayArgs) -> Result<Vec<u8>> {
    if let Some(prompt) = &args.prompt {
        return Ok(prompt.as_encoded_bytes().to_vec());
    }
    let mut bytes = Vec::new();
    let (read, from) = match &args.prompt_file {
        Some(file) => {
            let opened = std::fs::File::open(file);
            let read = opened.and_then(|f| f.take(PROMPT_MAX).read_to_end(&mut bytes));
            (read, file.display().to_string())
        }
        None => {
            let stdin = std::io::stdin();
            if stdin.is_terminal() {
                return Ok(bytes);
            }
            let read = stdin.lock().take(PROMPT_MAX).read_to_end(&mut bytes);
            (read, "standard input".to_owned())
        }
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(e) => Err(Error::usage(format!("reading the prompt from {from}")).with_source(e)),
    }
}
