//! `git evolve matrix`.

use clap::{Args, ValueEnum};
use serde_json::json;

use super::args::Global;
use super::habits::Habits;
use super::output::{Output, say};
use super::plan_file::{self, PlanArgs};
use super::session::{Done, directory};
use crate::error::Result;
use crate::harness::run::{Stands, Surveyed, survey};
use crate::repo::{Repo, shell_word};
use crate::report::Format;

/// Print the chains of a plan, for many machines to run
///
/// Each is a job of its own: `git evolve run --chain PATH`. As JSON they are the matrix of a CI
/// job (`{"include": [{"chain": …, "arm": …}]}`), as a list the input of parallel, xargs or a job
/// array, as shell lines commands.
///
/// The order is the plan's own, drawn from its seed, so that arms interleave.
#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// Which plan.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Only chains of this arm (repeatable)
    #[arg(long, value_name = "NAME")]
    pub arm: Vec<String>,
    /// Only chains of this task (repeatable)
    #[arg(long, value_name = "NAME")]
    pub task: Vec<String>,
    /// Only chains that are not finished, as far as this repository knows (`git evolve fetch`
    /// brings what others did)
    #[arg(long)]
    pub pending: bool,
    /// In which form
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Form::List)]
    pub format: Form,
}

/// The forms as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// One line, the matrix of a CI job
    Json,
    /// A path a line
    List,
    /// A command a line
    Shell,
}

/// Runs it.
///
/// # Errors
/// No repository; a plan that is not there or wrong; an arm or task that it has not.
pub(super) fn run(global: &Global, args: &MatrixArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let plan = plan_file::read(global, &repo, &args.plan)?;
    let mut chains = survey(&repo, &plan, &args.arm, &args.task)?;
    let all = chains.len();
    if args.pending {
        chains.retain(|c| matches!(c.stands, Stands::New | Stands::Open));
        let done = all - chains.len();
        if done > 0 {
            say(&format!("{done} of {all} chains are finished"));
        }
    }
    let text = match args.format {
        Form::Json => {
            let include: Vec<_> = chains.iter().map(row).collect();
            format!("{}\n", json!({ "include": include }))
        }
        Form::List => chains.iter().map(|c| format!("{}\n", c.path)).collect(),
        Form::Shell => {
            let named = args.plan.plan.as_ref().map_or(String::new(), |p| {
                format!(" --plan {}", shell_word(&p.display().to_string()))
            });
            let line = |c: &Surveyed| format!("git evolve run{named} --chain {}\n", c.path);
            chains.iter().map(line).collect()
        }
    };
    let output = Output::new(global, &Habits::read(&repo));
    output.data(text.as_bytes(), Format::Json)?;
    Ok(Done::Well)
}

/// One job of a CI matrix. Keys are there whatever the plan is, so that jobs may name them.
fn row(chain: &Surveyed) -> serde_json::Value {
    json!({
        "chain": chain.path.to_string(),
        "arm": chain.path.arm,
        "task": chain.path.task.as_deref().unwrap_or(""),
        "number": chain.path.chain,
        "checkpoints": chain.checkpoints,
        "done": chain.done,
    })
}
