//! `git evolve gate`.

use std::path::PathBuf;

use clap::Args;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::plan_file::{self, PlanArgs};
use super::scored;
use super::session::{Done, directory, stamp};
use super::tests::SuiteWord;
use crate::error::{Error, Result};
use crate::harness::{self, Regate, Regated, Stop};
use crate::ledger;
use crate::plan::{self, Plan};
use crate::record::Versions;
use crate::repo::Repo;
use crate::report::{Column, Field, List, Listing, Tone, write_listing};

/// Gate commits of chains again, by the plan
///
/// Runs the plan's suites and checks on the agent commits of chains, each in fresh exports of its
/// tree: the visible suite as the agent left it, then the experimenter's, whose tests are laid
/// over it once pinned files, tests and what could forge reports are put back. What comes of it
/// is recorded beside what was recorded before; runs of one suite at one checkpoint are joined,
/// the worst outcome of a test counts. No branch moves.
///
/// The plan's commands run, and with them the code that agents wrote: only what you typed starts
/// them. Exit status 1: a gate did not hold; 3: of one it is not known; 130: stopped.
#[derive(Debug, Args)]
pub(super) struct GateArgs {
    /// A chain, or a checkpoint of one (0: its base); else all chains of the plan's experiment
    #[arg(value_name = "CHAIN[@K]")]
    pub chains: Vec<String>,
    /// The plan, without which one that the chain was recorded with is enough.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Only chains of this arm
    #[arg(long, value_name = "ARM")]
    pub arm: Option<String>,
    /// Only this suite (repeatable)
    #[arg(long, value_name = "SUITE", value_enum)]
    pub suite: Vec<SuiteWord>,
    /// The chains' bases instead of their checkpoints
    #[arg(long, conflicts_with = "reference")]
    pub base: bool,
    /// The references: their patches, one on the other, become chains of the arm `reference`,
    /// which are gated like any
    #[arg(long)]
    pub reference: bool,
    /// Gates at a time
    #[arg(long, short = 'j', value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// Where exports are made [default: `evolve.scratch` in git's configuration, else the user's
    /// cache]
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Say what would run, and run nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// Wrong usage; a plan that cannot be read; those of [`harness::regate`].
pub(super) fn run(global: &Global, args: &GateArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let plan = plan(global, &repo, args)?;
    let asked = Regate {
        chains: args.chains.clone(),
        arm: args.arm.clone(),
        suites: args.suite.iter().map(|s| s.suite()).collect(),
        base: args.base,
        reference: args.reference,
        jobs: args.jobs,
        scratch: args.scratch.as_ref().map(|s| directory(global).join(s)),
        dry_run: args.dry_run,
        versions: Versions {
            analyser: stamp("").analyser,
            definitions: stamp("").definitions,
        },
    };
    let stop = Stop::on_signals(|| ())?;
    let tell = |of: &str, line: &str| say(&format!("{of}: {line}"));
    let done = harness::regate(&repo, &plan, &asked, &stop, &tell)?;
    let output = Output::new(global, &Habits::read(&repo));
    let layout = output.layout(args.format);
    let mut listing = Listing::new(stamp("none"));
    listing.list(gates(&done));
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    output.data(&out, layout.format)?;
    if stop.asked() {
        say("stopped: what was not at its end is not recorded; the same command gates again");
        return Ok(Done::Interrupted);
    }
    Ok(match args.dry_run {
        true => Done::Well,
        false if done.iter().any(|g| g.holds == Some(false)) => Done::Failed,
        false if done.iter().any(|g| g.holds.is_none()) => Done::Unknown,
        false => Done::Well,
    })
}

/// The plan that was named, else that of the work tree, else what the first chain that was named
/// was recorded with.
fn plan(global: &Global, repo: &Repo, args: &GateArgs) -> Result<Plan> {
    let top = repo.work_dir().map(|top| top.join("evolve.toml"));
    if args.plan.plan.is_some() || top.is_some_and(|plan| plan.is_file()) {
        return plan_file::read(global, repo, &args.plan);
    }
    let reader = repo.reader()?;
    let chains = ledger::chains(&reader)?;
    let named = args.chains.first().map(|name| {
        let bare = name
            .rsplit_once('@')
            .map_or(name.as_str(), |(chain, _)| chain);
        chains
            .named(bare)
            .next()
            .or_else(|| chains.named(name).next())
    });
    let chain = named.unwrap_or_else(|| chains.chains.first());
    let none = || {
        Error::usage("there is no plan evolve.toml here, and no chain that was recorded with one")
            .with_hint("--plan FILE names it")
    };
    let chain = chain.ok_or_else(none)?;
    let text = scored::text(&reader, chain, chains.recorded(&reader)?)?.ok_or_else(none)?;
    let name = format!("the configuration of chain {}", chain.label);
    let plan = plan::read_alone(&text, &name).map_err(|e| {
        Error::usage(format!("{name} does not say enough to gate by: {e}"))
            .with_hint("--plan FILE names the plan")
    })?;
    say(&format!(
        "gating by {name}: files beside the plan are not in it"
    ));
    Ok(plan)
}

fn gates(done: &[Regated]) -> List {
    let mut list = List::new("gates", "")
        .column(Column::words("chain"))
        .column(Column::right("checkpoint"))
        .column(Column::left("commit"))
        .column(Column::machine("holds"))
        .column(Column::words("gate"));
    for gate in done {
        let tone = match gate.holds {
            Some(true) => Tone::Better,
            Some(false) => Tone::Worse,
            None => Tone::Missing,
        };
        let holds: Field = gate.holds.into();
        list.row(vec![
            gate.chain.as_str().into(),
            u64::from(gate.checkpoint).into(),
            Field::short(&gate.commit.to_string(), &gate.commit.short()).tone(Tone::Id),
            holds,
            Field::from(gate.verdict.as_str()).tone(tone),
        ]);
    }
    list
}
