//! Words in, words out: what was typed and configured becomes one immutable request, the
//! library answers, the answer is printed. The only module that names clap.
//!
//! One file a subcommand: help text, arguments, body.

mod agents;
mod args;
mod at;
mod attach;
mod begin;
mod captures;
mod check;
mod choice;
mod clone;
mod compare;
mod completions;
mod config;
mod controls;
mod data;
mod demo;
mod doctor;
mod explain;
mod fetch;
mod files;
mod functions;
mod gate;
mod groups;
mod habits;
mod help;
mod hook;
mod hooks;
mod hot;
mod init;
mod inspect;
mod lines;
mod log;
mod matrix;
mod measured;
mod metrics;
mod output;
mod overview;
mod pending;
mod plan;
mod plan_file;
mod plan_page;
mod prices;
mod progress;
mod push;
mod reconcile;
mod record;
mod records;
mod replay;
mod report;
mod request;
mod reset;
mod revision;
mod roff;
mod run;
mod scored;
mod selection;
mod series;
mod session;
mod shell_words;
mod show;
mod slope;
mod status;
mod study;
mod talk;
mod tests;
mod trees;
mod trends;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Command, Words};
use output::say;
use session::Done;

use crate::error::{Error, Kind, Result};

/// The whole command line, for the manual pages and completions that are checked in.
pub fn command() -> clap::Command {
    Words::command()
}

/// The completion script of a shell, as `git evolve completions` prints it.
pub fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    completions::script(shell)
}

/// The manual page of the measures, as roff.
///
/// # Errors
/// None in practice: it is written to memory.
pub fn measures_manual() -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let version = env!("CARGO_PKG_VERSION");
    crate::report::manual(&mut out, crate::measure::catalogue::all(), version)?;
    Ok(out)
}

/// Runs the program on the words it was started with.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|what| {
        let place = what
            .location()
            .map(|l| format!(" at {}:{}", l.file(), l.line()));
        say(&format!(
            "git-evolve: a fault of its own{}: {}",
            place.unwrap_or_default(),
            words_of(what.payload())
        ));
        // The release profile aborts on panic, and any thread may be the one: end here.
        std::process::exit(i32::from(Kind::Internal.exit_code()));
    }));
    run(std::env::args_os())
}

/// What a panic says, where it says words.
fn words_of(payload: &(dyn std::any::Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no words")
}

/// Runs the program on `words`, the first of which is its name.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words = match Words::try_parse_from(words) {
        Ok(words) => words,
        Err(e) => {
            // Help and versions are answers; all else is wrong usage.
            let code = if e.use_stderr() {
                Kind::Usage.exit_code()
            } else {
                0
            };
            let _ = e.print();
            return ExitCode::from(code);
        }
    };
    match dispatch(&words) {
        Ok(Done::Well) => ExitCode::SUCCESS,
        Ok(Done::Unknown) => ExitCode::from(Kind::Unavailable.exit_code()),
        Ok(Done::Interrupted) => ExitCode::from(130),
        Ok(Done::Failed) => ExitCode::from(Kind::Check.exit_code()),
        Err(e) => {
            complain(&e);
            ExitCode::from(e.kind().exit_code())
        }
    }
}

fn dispatch(words: &Words) -> Result<Done> {
    let global = &words.global;
    match &words.command {
        Command::Log(args) => log::run(global, args),
        Command::Slope(args) => slope::run(global, args),
        Command::Hot(args) => hot::run(global, args),
        Command::Compare(args) => compare::run(global, args),
        Command::Show(args) => show::run(global, args),
        Command::Check(args) => check::run(global, args),
        Command::Functions(args) => functions::run(global, args),
        Command::Files(args) => files::run(global, args),
        Command::Lines(args) => lines::run(global, args),
        Command::Tests(args) => tests::run(global, args),
        Command::Matrix(args) => matrix::run(global, args),
        Command::Metrics(args) => metrics::run(global, args),
        Command::Explain(args) => explain::run(global, args),
        Command::Reconcile(args) => reconcile::run(global, args),
        Command::Push(args) => push::run(global, args),
        Command::Fetch(args) => fetch::run(global, args),
        Command::Clone(args) => clone::run(global, args),
        Command::Run(args) => run::run(global, args),
        Command::Begin(args) => begin::run(global, args),
        Command::Record(args) => record::run(global, args),
        Command::Attach(args) => attach::run(global, args),
        Command::Gate(args) => gate::run(global, args),
        Command::Records(args) => records::run(global, args),
        Command::Report(args) => report::run(global, args),
        Command::Inspect(args) => inspect::run(global, args),
        Command::Reset(args) => reset::run(global, args),
        Command::Init(args) => init::run(global, args),
        Command::Plan(args) => plan_page::run(global, args),
        Command::Demo(args) => demo::run(global, args),
        Command::ReplayAgent(args) => replay::run(global, args),
        Command::Status(args) => status::run(global, args),
        Command::Controls(args) => controls::run(global, args),
        Command::Verify(args) => verify::run(global, args),
        Command::Doctor(args) => doctor::run(global, args),
        Command::Completions(args) => completions::run(global, args),
        Command::Hook(args) => Ok(hook::run(global, args)),
        Command::Hooks(args) => hooks::run(global, args),
        Command::Help(args) => help::run(global, args),
    }
}

/// Says an error, what caused it, and what to do next.
fn complain(error: &Error) {
    if error.kind() == Kind::BrokenPipe {
        return;
    }
    let word = if error.kind() == Kind::Git {
        "fatal"
    } else {
        "error"
    };
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(e) = cause {
        let said = e.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = e.source();
    }
    for (i, line) in text.lines().enumerate() {
        match i {
            0 => say(&format!("{word}: {line}")),
            _ => say(line),
        }
    }
    if let Some(hint) = error.hint() {
        say(&format!("hint: {hint}"));
    }
}
