//! `git evolve plan`.

mod chosen;
mod files;
mod lists;
mod sums;
mod warnings;

use clap::Args;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::plan_file::{self, PlanArgs};
use super::session::{Done, directory, stamp};
use crate::error::{Error, Result};
use crate::ledger;
use crate::plan::{Base, Plan};
use crate::repo::{Reader, Repo};
use crate::report::{Field, Listing, write_listing};
use chosen::Chosen;

/// Show what a plan would run, and what of it is done
///
/// One row a chain, with what is done of it in this repository; the checkpoints; every command
/// with what bounds it; the files that the plan names; how many sessions that is at most, and what
/// they can cost where limits say so. Nothing is run.
///
/// What is wrong with the plan is named with line and column, all of it in one run; the exit code
/// is then 2.
#[derive(Debug, Args)]
pub(super) struct PlanPageArgs {
    /// Which plan.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Only chains of this arm (repeatable)
    #[arg(long, value_name = "NAME")]
    pub arm: Vec<String>,
    /// Only chains of this task (repeatable)
    #[arg(long, value_name = "NAME")]
    pub task: Vec<String>,
    /// Only these chains: a number within its arm and task, or a path (repeatable)
    #[arg(long, value_name = "N|PATH")]
    pub chain: Vec<String>,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// No repository; a plan that is not there or wrong; an arm, task or chain that it has not.
pub(super) fn run(global: &Global, args: &PlanPageArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let output = Output::new(global, &Habits::read(&repo));
    let plan = plan_file::read(global, &repo, &args.plan)?;
    let reader = repo.reader()?;
    let known = ledger::chains(&reader)?;
    for remark in &known.remarks {
        say(remark);
    }
    let chosen = Chosen::of(&plan, args, &known.chains)?;
    let bases = lists::Bases::of(&plan, &reader);
    unborn_alone(&plan, &bases, &reader)?;
    let prefix = below_top(&repo, &plan);
    let mut listing = Listing::new(stamp("none"));
    let experiment = &plan.experiment;
    listing.fact("experiment", experiment.name.as_str());
    listing.fact("seed", experiment.seed);
    listing.fact("chains_asked", chosen.chains.len());
    let sums = sums::of(&plan, &chosen);
    listing.fact("checkpoints_asked", sums.checkpoints);
    listing.fact("checkpoints_done", sums.done);
    listing.fact("sessions", sums.least);
    listing.fact("sessions_at_most", sums.most);
    listing.fact(
        "cost_usd_at_most",
        Field::from(serde_json::json!(sums.cost_usd)),
    );
    listing.fact(
        "budget_usd",
        Field::from(serde_json::json!(experiment.budget_usd)),
    );
    listing.fact(
        "hours_at_most",
        Field::from(serde_json::json!(sums.hours())),
    );
    listing.list(lists::chains(&plan, &chosen, &bases));
    listing.list(lists::checkpoints(&plan, &chosen));
    listing.list(lists::commands(&plan, &chosen));
    listing.list(lists::files(&plan, &chosen));
    let warnings = warnings::of(&plan, &chosen, &bases, &reader, prefix.as_deref())?;
    listing.list(lists::warnings(&warnings));
    for line in sums.words(experiment.budget_usd) {
        listing.remark(line);
    }
    let layout = output.layout(args.format);
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    output.data(&out, layout.format)?;
    Ok(Done::Well)
}

/// A base that is no commit is wrong; before the first commit it is only not there yet.
fn unborn_alone(plan: &Plan, bases: &lists::Bases, reader: &Reader) -> Result<()> {
    let unborn = reader.head()?.is_none();
    for base in lists::bases(plan) {
        let head = matches!(base, Base::Revision(r) if r == "HEAD");
        if bases.find(base) == lists::Found::Nowhere && !(head && unborn) {
            let written = lists::written(base);
            return Err(
                Error::usage(format!("base '{written}' is no commit of this repository"))
                    .with_hint(
                        "a base is a revision, ./FOLDER, FILE.bundle[@REVISION] or URL@COMMIT",
                    ),
            );
        }
    }
    Ok(())
}

/// The plan's folder as a path in the repository's trees; `None` where it lies elsewhere.
fn below_top(repo: &Repo, plan: &Plan) -> Option<Vec<u8>> {
    let top = repo.work_dir()?.canonicalize().ok()?;
    let below = plan.folder.strip_prefix(top).ok()?;
    Some(below.as_os_str().as_encoded_bytes().to_vec())
}
