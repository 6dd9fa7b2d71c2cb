//! `git evolve run`.

mod figures;
mod watching;

use std::path::PathBuf;

use clap::Args;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::plan_file::{self, PlanArgs};
use super::session::{Done, directory, stamp};
use crate::error::{Error, Result};
use crate::harness::Stop;
use crate::harness::claims::Claims;
use crate::harness::run::{self as harness, ChainDone, End, Run, RunDone};
use crate::plan::Plan;
use crate::record::mask::Masker;
use crate::record::{Versions, snapshot_digest, snapshot_of};
use crate::repo::{Direction, Repo, shell_word};
use crate::report::{Column, Field, List, Listing, Tone, counted, write_listing};
use watching::Watching;

/// Run a plan: agents through every checkpoint of every chain
///
/// For every arm, task and chain of evolve.toml, and for every checkpoint: a fresh clone, the
/// agent's session in it, one commit of its work, the gate, one commit that puts back what the
/// experiment owns, and records of all of it. What is done is never run again: stopped or killed
/// at any moment, the same command goes on from there.
///
/// Your work tree, index and branches stay as they are; only branches evolve/… of the plan's
/// experiment move. The plan's commands run, and with them what agents write: only what you typed
/// starts them.
///
/// Exit status: 0: all that was asked for is done; 1: a chain ended at a checkpoint that failed,
/// or no session can succeed any more; 2: the plan is wrong; 130: stopped, and how to go on is
/// said.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Which plan.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Only chains of this arm (repeatable)
    #[arg(long, value_name = "ARM")]
    pub arm: Vec<String>,
    /// Only chains of this task (repeatable)
    #[arg(long, value_name = "TASK")]
    pub task: Vec<String>,
    /// Only this chain: EXPERIMENT/ARM[/TASK]/N, or N alone for that one of every arm and task
    /// (repeatable)
    #[arg(long, value_name = "CHAIN|N")]
    pub chain: Vec<String>,
    /// Up to checkpoint K
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub until: Option<u32>,
    /// Chains side by side
    #[arg(long, short = 'j', value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Gate again what has no valid gate
    #[arg(long)]
    pub retry_invalid: bool,
    /// Say what would be run, and change nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Where sessions work, outside the repository [default: `evolve.scratch` in git's
    /// configuration, else the user's cache]
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Claim each chain at REMOTE before it is taken up, so that no other machine runs it at the
    /// same time; leave alone what others claimed [default: `evolve.claimRemote` in git's
    /// configuration, else no claims are made]
    #[arg(long, value_name = "REMOTE")]
    pub claim: Option<String>,
    /// Take a claim of another machine over where its time is over
    #[arg(long)]
    pub take_over: bool,
    /// Ask no agent for the rules
    #[arg(long)]
    pub no_probe: bool,
    /// Hold no sessions for nothing
    #[arg(long)]
    pub no_noop: bool,
    /// Begin without asking
    #[arg(long, short = 'y')]
    pub yes: bool,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// Wrong usage; a plan that cannot be read; those of [`harness::run`]; what went wrong with a
/// chain that is none of the agent's doing.
pub(super) fn run(global: &Global, args: &RunArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let plan = plan_file::read(global, &repo, &args.plan)?;
    let asked = Run {
        arms: args.arm.clone(),
        tasks: args.task.clone(),
        chains: args.chain.clone(),
        until: args.until,
        jobs: usize::from(args.jobs),
        retry_invalid: args.retry_invalid,
        dry_run: args.dry_run,
        scratch: args.scratch.as_ref().map(|d| directory(global).join(d)),
        probe: !args.no_probe,
        noop: !args.no_noop,
        claims: claims(global, &repo, args)?,
        versions: versions(),
    };
    let watching = Watching::new(&plan, global.stats);
    let on = again(global, args);
    let stop = Stop::on_signals(move || say(&format!("ended at once; go on: {on}")))?;
    let file = plan.folder.join(&plan.file);
    let measure = figures::measure(global, &file);
    if !args.dry_run && !args.yes && !watching.agreed(&plan) {
        say("nothing was run");
        return Ok(Done::Failed);
    }
    let mut done = harness::run(&repo, &plan, &asked, &watching, &measure, &stop)?;
    watching.finish();
    print(global, args, &repo, &plan, &done)?;
    end(global, args, &mut done, &stop)
}

/// Where claims are made.
///
/// # Errors
/// Usage where there is no such remote, or nothing to take over.
fn claims(global: &Global, repo: &Repo, args: &RunArgs) -> Result<Option<Claims>> {
    let named = args.claim.clone();
    let Some(named) = named.or_else(|| repo.setting("evolve.claimRemote")) else {
        return match args.take_over {
            true => Err(
                Error::usage("--take-over takes claims over, and none are made")
                    .with_hint("--claim REMOTE makes them"),
            ),
            false => Ok(None),
        };
    };
    let remote = repo.remote(Some(&named), &directory(global), Direction::Push)?;
    Claims::at(repo, remote, args.take_over).map(Some)
}

/// What figures are computed with.
fn versions() -> Versions {
    let stamp = stamp("");
    Versions {
        analyser: stamp.analyser,
        definitions: stamp.definitions,
    }
}

fn print(global: &Global, args: &RunArgs, repo: &Repo, plan: &Plan, done: &RunDone) -> Result<()> {
    let output = Output::new(global, &Habits::read(repo));
    let digest = snapshot_of(&plan.text, &Masker::here()).map(|c| snapshot_digest(&c))?;
    let mut listing = Listing::new(stamp(&digest));
    let chains = done.chains.len() as u64;
    listing.fact("chains", chains);
    let complete = done.chains.iter().filter(|c| c.end == End::Complete);
    listing.fact("complete", complete.count() as u64);
    // A sum of nothing would be -0.
    let cost = done.chains.iter().fold(0.0, |sum, c| sum + c.cost_usd);
    let unknown: u32 = done.chains.iter().map(|c| c.cost_unknown).sum();
    listing.fact("cost_usd", dollars(cost));
    listing.fact("sessions_of_unknown_cost", u64::from(unknown));
    listing.list(table(&done.chains));
    listing.remark(counted(chains, "chain", "chains"));
    if unknown > 0 {
        let sessions = counted(u64::from(unknown), "session", "sessions");
        listing.remark(format!("{sessions} of unknown cost, in no sum"));
    }
    let layout = output.layout(args.format);
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    output.data(&out, layout.format)
}

fn table(chains: &[ChainDone]) -> List {
    let mut list = List::new("chains", "")
        .column(Column::words("chain"))
        .column(Column::left("end").titled(""))
        .column(Column::right("done"))
        .column(Column::right("asked"))
        .column(Column::machine("now"))
        .column(Column::right("sessions"))
        .column(Column::right("cost_usd").titled("cost $"))
        .column(Column::machine("sessions_of_unknown_cost"))
        .column(Column::words("failed"))
        .column(Column::words("not_reached").titled("not reached"))
        .column(Column::below("why"));
    for chain in chains {
        let tone = match chain.end {
            End::Complete => Tone::Better,
            End::Failed { .. } | End::Credentials(_) | End::Error(_) => Tone::Worse,
            _ => Tone::Missing,
        };
        let numbers = |all: &[u32]| Field::words(crate::ledger::runs(all));
        let all = chain.cost_unknown > 0 && chain.cost_usd == 0.0;
        let cost = match all {
            true => Field::unknown(),
            false => dollars(chain.cost_usd),
        };
        list.row(vec![
            chain.path.to_string().as_str().into(),
            Field::from(chain.end.word()).tone(tone),
            (chain.done.len() as u64).into(),
            u64::from(chain.asked).into(),
            numbers(&chain.now),
            u64::from(chain.sessions).into(),
            cost,
            u64::from(chain.cost_unknown).into(),
            numbers(&chain.failed),
            numbers(&chain.not_reached),
            match chain.end.why() {
                Some(why) => why.as_str().into(),
                None => Field::none(),
            },
        ]);
    }
    list
}

/// An amount, to a millionth.
fn dollars(amount: f64) -> Field {
    // A sum of nothing is -0.0.
    let rounded = (amount * 1e6).round() / 1e6 + 0.0;
    Field::from(serde_json::Value::from(rounded))
}

/// How the program ends, and what to do next.
fn end(global: &Global, args: &RunArgs, done: &mut RunDone, stop: &Stop) -> Result<Done> {
    if let Some(why) = &done.dead {
        say(&format!("no session can succeed any more: {why}"));
        say(&format!(
            "renew the agent's credentials, then go on: {}",
            again(global, args)
        ));
        return Ok(Done::Failed);
    }
    let interrupted = done.chains.iter().any(|c| c.end == End::Interrupted);
    if stop.asked() && interrupted {
        say(&format!("stopped; go on: {}", again(global, args)));
        return Ok(Done::Interrupted);
    }
    for chain in &mut done.chains {
        if matches!(chain.end, End::Error(_))
            && let End::Error(e) = std::mem::replace(&mut chain.end, End::Complete)
        {
            return Err(e);
        }
    }
    let is_well = |c: &ChainDone| matches!(c.end, End::Complete | End::Planned);
    if done.chains.iter().all(is_well) {
        return Ok(Done::Well);
    }
    let open = |c: &ChainDone| {
        matches!(
            c.end,
            End::SetUp(_) | End::RateLimited(_) | End::Budget(_) | End::Elsewhere(_)
        )
    };
    if done.chains.iter().any(open) {
        say(&format!("to go on later: {}", again(global, args)));
    }
    Ok(Done::Failed)
}

/// The command that goes on.
fn again(global: &Global, args: &RunArgs) -> String {
    let mut words = vec!["git evolve".to_owned()];
    let mut with = |name: &str, value: &str| {
        words.push(format!("{name} {}", shell_word(value)));
    };
    if let Some(folder) = &global.directory {
        with("-C", &folder.to_string_lossy());
    }
    words.push("run".to_owned());
    let mut with = |name: &str, value: &str| {
        words.push(format!("{name} {}", shell_word(value)));
    };
    if let Some(plan) = &args.plan.plan {
        with("--plan", &plan.to_string_lossy());
    }
    args.arm.iter().for_each(|a| with("--arm", a));
    args.task.iter().for_each(|t| with("--task", t));
    args.chain.iter().for_each(|c| with("--chain", c));
    if let Some(until) = args.until {
        with("--until", &until.to_string());
    }
    if args.jobs > 1 {
        with("--jobs", &args.jobs.to_string());
    }
    if let Some(scratch) = &args.scratch {
        with("--scratch", &scratch.to_string_lossy());
    }
    if let Some(remote) = &args.claim {
        with("--claim", remote);
    }
    for (set, name) in [
        (args.take_over, "--take-over"),
        (args.retry_invalid, "--retry-invalid"),
        (args.no_probe, "--no-probe"),
        (args.no_noop, "--no-noop"),
        (args.yes, "--yes"),
    ] {
        if set {
            words.push(name.to_owned());
        }
    }
    words.join(" ")
}
