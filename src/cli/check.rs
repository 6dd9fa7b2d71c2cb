//! `git evolve check`.

mod judge;
mod thresholds;
mod what;

use clap::Args;

use super::args::{FormatArgs, Global, PathArgs, SettingsArgs};
use super::at::{self, AtArgs};
use super::measured;
use super::output::say;
use super::session::{Done, Session, config_text};
use crate::error::Result;
use crate::history::Language;
use crate::measure::catalogue::{Measure, Pool};
use crate::report::{CheckView, CheckedLimit, write_check};
use crate::stats::Kept;

use judge::judge;
pub(in crate::cli) use thresholds::Checked;
use what::Looked;

/// Hold changes against thresholds
///
/// Checks what the branch adds to its upstream or to origin/HEAD, a range, one change, a chain,
/// or what is not committed yet. The figures of a range are added up or pooled as their measure
/// says (`--each`: each change is held against the thresholds); a measure that does not pool is
/// checked at each change. Thresholds come from --max and --min, from --config FILE, and from
/// the `check` table of evolve.toml in HEAD's tree.
///
/// Exits with 0 where all are held, 1 where one is not, 3 where that is unknown.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// One change, a range `A..B`, or CHAIN@K; else what the branch adds to its upstream
    #[arg(value_name = "REV|RANGE")]
    pub revision: Option<String>,
    /// The range to check, as `A..B`
    #[arg(long, value_name = "RANGE", conflicts_with = "revision")]
    pub range: Option<String>,
    /// The index against HEAD, as if it were committed
    #[arg(long, conflicts_with_all = ["revision", "range", "chain"])]
    pub staged: bool,
    /// The work tree against HEAD, untracked files that are not ignored included
    #[arg(long, conflicts_with_all = ["revision", "range", "chain", "staged"])]
    pub worktree: bool,
    /// All checkpoints of this chain: its path, as the list of chains shows it
    #[arg(long, value_name = "PATH", conflicts_with_all = ["revision", "range"])]
    pub chain: Option<String>,
    /// The greatest value that MEASURE may have (repeatable)
    #[arg(long, value_name = "MEASURE=N", allow_hyphen_values = true)]
    pub max: Vec<String>,
    /// The least value that MEASURE may have (repeatable)
    #[arg(long, value_name = "MEASURE=N", allow_hyphen_values = true)]
    pub min: Vec<String>,
    /// Hold each change against the thresholds, not the range as one
    #[arg(long)]
    pub each: bool,
    /// Leave merges out: what they bring in is somebody else's
    #[arg(long)]
    pub no_merges: bool,
    /// Let an unknown figure pass, and say so
    #[arg(long)]
    pub allow_unknown: bool,
    /// Exit with 0 whatever is found, and say so
    #[arg(long)]
    pub informational: bool,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Paths.
    #[command(flatten)]
    pub paths: PathArgs,
    /// Which tree of a checkpoint.
    #[command(flatten)]
    pub at: AtArgs,
    /// What can move a figure.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Runs it.
///
/// # Errors
/// Wrong usage, or a repository that cannot be read.
pub(super) fn run(global: &Global, args: &CheckArgs) -> Result<Done> {
    let typed = Checked::typed(&args.max, &args.min)?;
    let session = Session::open(global, &args.settings)?.at(args.at.at);
    let paths = session.paths(&args.paths.paths)?;
    let checked = thresholds(&session, global, args, typed)?;
    let measures = checked.measures();
    let looked = what::look(&session, args, &measures, &paths)?;
    let each = args.each || checked.each.unwrap_or(false);
    let allow_unknown = args.allow_unknown || checked.allow_unknown.unwrap_or(false);
    let only = looked.request.settings.language;
    let limits = judge(&checked.limits, &looked.changes, each, only);
    let verdict = verdict(&limits, allow_unknown, global.strict);
    print(&session, args, &looked, &limits, verdict, allow_unknown)?;
    if args.informational {
        return Ok(Done::Well);
    }
    Ok(match verdict {
        Kept::Held => Done::Well,
        Kept::Unknown => Done::Unknown,
        Kept::Broken => Done::Failed,
    })
}

/// What was typed, over `--config FILE`, over `evolve.toml` of HEAD's tree.
fn thresholds(
    session: &Session<'_>,
    global: &Global,
    args: &CheckArgs,
    typed: Checked,
) -> Result<Checked> {
    let mut all = typed;
    if let Some(file) = &args.settings.scope.config {
        let text = config_text(global, file)?;
        all = all.over(Checked::read(&text, &file.display().to_string())?);
    }
    if let Some(tree) = session.head_tree()?
        && let Some(text) = session.plan(tree)?
    {
        all = all.over(Checked::read(&text, "evolve.toml")?);
    }
    all.consistent()?;
    Ok(all)
}

/// What all limits come to: one that is not held decides, then one that is unknown.
fn verdict(limits: &[CheckedLimit], allow_unknown: bool, strict: bool) -> Kept {
    let worst = limits.iter().map(|l| l.kept).max().unwrap_or(Kept::Held);
    match worst {
        Kept::Unknown if allow_unknown && !strict => Kept::Held,
        worst => worst,
    }
}

fn print(
    session: &Session<'_>,
    args: &CheckArgs,
    looked: &Looked,
    limits: &[CheckedLimit],
    kept: Kept,
    allow_unknown: bool,
) -> Result<()> {
    let mut remarks = looked.remarks.clone();
    remarks.extend(pooling(limits, looked.changes.len()));
    remarks.extend(languages(limits, looked.request.settings.language));
    let firsts = measured::first_turns_of(looked.changes.iter());
    remarks.extend(at::remark(session.at, firsts, looked.changes.len()));
    let stamp = session.stamp(&looked.request);
    let view = CheckView {
        stamp: &stamp,
        settings: &looked.request.values,
        of: &looked.of,
        changes: looked.changes.len(),
        limits,
        kept,
        informational: args.informational,
        allow_unknown,
        remarks: &remarks,
    };
    let layout = session.output.layout(args.format);
    let mut out = Vec::new();
    write_check(&mut out, &view, layout)?;
    session.output.data(&out, layout.format)?;
    if layout.format.is_rows() {
        for remark in &looked.remarks {
            say(remark);
        }
    }
    Ok(())
}

/// How several changes were held against the limits.
fn pooling(limits: &[CheckedLimit], changes: usize) -> Option<String> {
    if changes < 2 {
        return None;
    }
    let named = |which: &dyn Fn(&CheckedLimit) -> bool| {
        let mut ids: Vec<&str> = Vec::new();
        for limit in limits.iter().filter(|l| which(l)) {
            if !ids.contains(&limit.measure.id) {
                ids.push(limit.measure.id);
            }
        }
        ids.join(", ")
    };
    let does_not = |m: &Measure| m.pool == Pool::None;
    let single = named(&|l| l.whole.is_none() && does_not(l.measure));
    if !single.is_empty() {
        return Some(format!(
            "{single}: does not add up over changes, so each change is held against the limit"
        ));
    }
    let each = limits.iter().all(|l| l.whole.is_none());
    each.then(|| "each change is held against the limits".to_owned())
}

/// That each language was held against a limit.
fn languages(limits: &[CheckedLimit], only: Option<Language>) -> Option<String> {
    let several = |l: &&CheckedLimit| {
        let same = |o: &&CheckedLimit| o.measure.id == l.measure.id && o.bound == l.bound;
        limits.iter().filter(same).count() > 1
    };
    let found = only.is_none() && limits.iter().any(|l| several(&l));
    found.then(|| {
        "complexity of different languages is never added: each language is held against the \
         limit (--language names one)"
            .to_owned()
    })
}
