//! `git evolve import`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::session::{Done, directory, stamp};
use crate::error::{Error, Result};
use crate::harness::import::{Aside, ChainState, Import, Imported, Why, slopcodebench};
use crate::repo::Repo;
use crate::report::{Column, Field, Format, List, Listing, Tone, counted, write_listing};

/// Things of one kind that are said one by one.
const SAID: usize = 10;

/// Import runs of another harness as chains
///
/// Reads finished runs in the layout of another harness and makes chains of them: a task for each
/// problem, an agent commit for each state a checkpoint left, records of its sessions and tests.
/// Nothing is invented: what the source does not tell stays unknown, and what records have no
/// place for is listed. Nothing in the source is run, followed through a link or changed.
///
/// Several runs become chains of one experiment: of one arm where they share a name, else of
/// several. Everything that is written derives from the source, ids too, so that the same folder
/// gives the same chains everywhere; importing it again adds nothing, or what is new. A source
/// that is no longer what was imported is told, and its chain is left as it is.
///
/// Layouts: `slopcodebench`, a run's folder with config.yaml and a folder for each problem.
///
/// Exit status: 0: all that was asked for is here; 1: a chain was refused or its source changed;
/// 2: a folder is no such run.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// How the runs are laid out
    #[arg(value_name = "LAYOUT", value_enum)]
    pub layout: LayoutWord,
    /// A run's folder
    #[arg(value_name = "RUN_DIR", required = true)]
    pub runs: Vec<PathBuf>,
    /// The experiment their chains belong to
    #[arg(long, value_name = "NAME", default_value = "slopcodebench")]
    pub experiment: String,
    /// Their arm [default: by each run's configuration: model, prompt, thinking, skill]
    #[arg(long, value_name = "NAME")]
    pub arm: Option<String>,
    /// Only this problem (repeatable)
    #[arg(long, value_name = "NAME")]
    pub task: Vec<String>,
    /// The number of the chains [default: the run's own where it is here, else the next free one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=999_999_999))]
    pub chain: Option<u32>,
    /// Times without a zone are those of a clock this far ahead of UTC [default: +00:00]
    #[arg(long, value_name = "±HH:MM", allow_hyphen_values = true, value_parser = offset)]
    pub utc_offset: Option<i32>,
    /// Say what would be imported, and change nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// The layouts as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LayoutWord {
    /// A run's folder of SlopCodeBench
    Slopcodebench,
}

/// Seconds of `+08:00`.
fn offset(text: &str) -> std::result::Result<i32, String> {
    let wrong = || format!("'{text}' is no offset like +08:00");
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'+') => (1, &text[1..]),
        Some(b'-') => (-1, &text[1..]),
        _ => return Err(wrong()),
    };
    let (hours, minutes) = rest.split_once(':').ok_or_else(wrong)?;
    let number = |digits: &str, most: i32| {
        let plain = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit());
        let number = digits.parse::<i32>().ok().filter(|_| plain);
        number.filter(|n| *n <= most).ok_or_else(wrong)
    };
    Ok(sign * (number(hours, 18)? * 3_600 + number(minutes, 59)? * 60))
}

/// Runs it.
///
/// # Errors
/// No repository; those of the importer.
pub(super) fn run(global: &Global, args: &ImportArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    if repo.is_shallow() {
        return Err(
            Error::usage("a shallow clone may lack the chains that are here already")
                .with_hint("git fetch --unshallow"),
        );
    }
    let output = Output::new(global, &Habits::read(&repo));
    let asked = Import {
        runs: (args.runs.iter().map(|r| directory(global).join(r))).collect(),
        experiment: args.experiment.clone(),
        arm: args.arm.clone(),
        tasks: args.task.clone(),
        chain: args.chain,
        offset: args.utc_offset.unwrap_or(0),
        dry_run: args.dry_run,
    };
    let LayoutWord::Slopcodebench = args.layout;
    let done = slopcodebench(&repo, &asked, &mut |line| say(line))?;
    let layout = output.layout(args.format);
    let mut listing = Listing::new(stamp("none"));
    listing.fact("layout", "slopcodebench");
    listing.fact("experiment", args.experiment.as_str());
    listing.fact("dry_run", args.dry_run);
    listing.list(chains(&done));
    let for_people = matches!(layout.format, Format::Table | Format::Markdown);
    if !for_people {
        listing.list(asides(&done));
    }
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    output.data(&out, layout.format)?;
    tell(&done);
    if args.dry_run {
        say("nothing was changed (--dry-run)");
    } else if done.chains.iter().any(|c| c.tip.is_some()) {
        say("next: git evolve log");
    }
    let bad = |c: &&crate::harness::import::ChainImported| {
        matches!(c.state, ChainState::Changed | ChainState::Refused)
    };
    let refused = done.asides.iter().any(|a| a.why == Why::Refused);
    match done.chains.iter().any(|c| bad(&c)) || refused {
        true => Ok(Done::Failed),
        false => Ok(Done::Well),
    }
}

fn chains(done: &Imported) -> List {
    let mut list = List::new("chains", "")
        .column(Column::left("chain"))
        .column(Column::left("state"))
        .column(Column::right("added"))
        .column(Column::right("known"))
        .column(Column::machine("added_checkpoints"))
        .column(Column::machine("known_checkpoints"))
        .column(Column::machine("tip"))
        .column(Column::machine("source_task"))
        .column(Column::paths("run"));
    for chain in &done.chains {
        let tone = match chain.state {
            ChainState::Changed | ChainState::Refused => Tone::Worse,
            _ => Tone::Plain,
        };
        let numbers = |all: &[u32]| {
            let all = all.iter().map(|n| serde_json::Value::from(*n));
            Field::from(serde_json::Value::Array(all.collect()))
        };
        list.row(vec![
            chain.path.to_string().into(),
            Field::from(chain.state.word()).tone(tone),
            chain.added.len().into(),
            chain.known.len().into(),
            numbers(&chain.added),
            numbers(&chain.known),
            chain.tip.clone().into(),
            chain.source_task.as_str().into(),
            chain.run.as_str().into(),
        ]);
    }
    list
}

fn asides(done: &Imported) -> List {
    let mut list = List::new("asides", "")
        .column(Column::left("why"))
        .column(Column::left("task"))
        .column(Column::right("checkpoint"))
        .column(Column::words("what"))
        .column(Column::right("count"))
        .column(Column::words("said"))
        .column(Column::paths("run"));
    for aside in &done.asides {
        list.row(vec![
            aside.why.word().into(),
            aside.task.clone().into(),
            aside.checkpoint.into(),
            aside.what.as_str().into(),
            aside.count.into(),
            aside.said.as_str().into(),
            aside.run.as_str().into(),
        ]);
    }
    list
}

/// What was not taken over, for people: equal things of several tasks in one line.
fn tell(done: &Imported) {
    let mut alike: BTreeMap<(Why, &str, &str), Vec<&Aside>> = BTreeMap::new();
    for aside in &done.asides {
        let key = (aside.why, aside.what.as_str(), aside.said.as_str());
        alike.entry(key).or_default().push(aside);
    }
    let mut of_kind: BTreeMap<Why, usize> = BTreeMap::new();
    for ((why, what, words), all) in alike {
        let told = of_kind.entry(why).or_default();
        *told += 1;
        if *told > SAID && !matches!(why, Why::Refused | Why::Changed) {
            continue;
        }
        let place = match all.as_slice() {
            [one] => place(one),
            _ => String::new(),
        };
        let count: u64 = all.iter().map(|a| a.count).sum();
        let times = match count {
            1 => String::new(),
            n => format!(" ({n})"),
        };
        say(&format!("{}: {place}{what}{times}: {words}", why.word()));
    }
    for (why, told) in of_kind {
        if told > SAID && !matches!(why, Why::Refused | Why::Changed) {
            let more = counted((told - SAID) as u64, "more kind", "more kinds");
            say(&format!("{}: {more} (--format json lists all)", why.word()));
        }
    }
}

fn place(aside: &Aside) -> String {
    match (&aside.task, aside.checkpoint) {
        (Some(task), Some(number)) => format!("{task} checkpoint {number}: "),
        (Some(task), None) if *task != aside.what => format!("{task}: "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_read_as_it_is_written() {
        assert_eq!(offset("+08:00"), Ok(28_800));
        assert_eq!(offset("-03:30"), Ok(-12_600));
        for text in [
            "", "8", "+8:00", "08:00", "+19:00", "+00:60", "+a0:00", "+ä:00",
        ] {
            assert!(offset(text).is_err(), "{text}");
        }
    }
}
