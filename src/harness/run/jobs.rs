//! Chains side by side.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Mutex;

use super::Running;
use super::chain::Chain;
use super::order::Planned;
use super::standing::{Standing, cost};
use super::state;
use super::watch::{ChainDone, End, Halt, Happens, RunDone};
use crate::error::{Error, Result};
use crate::harness::claims::{Held, Taking};
use crate::harness::turn::Turn;
use crate::ledger::records;
use crate::plan::Plan;
use crate::record::{Body, Kind};
use crate::repo::{Reader, Repo};

/// Runs the chains, as many side by side as is asked for.
pub(super) fn all(run: &Running<'_>, chains: Vec<Planned<'_>>) -> Result<RunDone> {
    let jobs = run.asked.jobs.clamp(1, chains.len().max(1));
    let queue = Mutex::new(VecDeque::from(chains));
    let done = Mutex::new(Vec::new());
    let next = || {
        let mut queue = queue.lock().unwrap_or_else(|e| e.into_inner());
        queue.pop_front()
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(planned) = next() {
                    let became = one(run, &planned);
                    run.tell(&planned.path, &Happens::Ends(&became.end));
                    let mut done = done.lock().unwrap_or_else(|e| e.into_inner());
                    done.push(became);
                }
            });
        }
    });
    let mut chains = done.into_inner().unwrap_or_else(|e| e.into_inner());
    chains.sort_by(|a, b| a.path.cmp(&b.path));
    let dead = run.dead.lock().unwrap_or_else(|e| e.into_inner()).clone();
    Ok(RunDone { chains, dead })
}

/// One chain, whatever becomes of it.
fn one(run: &Running<'_>, planned: &Planned<'_>) -> ChainDone {
    if run.stop.asked() {
        return untouched(run, planned, End::Interrupted);
    }
    let name = planned.path.to_string().replace('/', "+");
    let lock = state::folder(run.repo).join(format!("{name}.lock"));
    let _turn = match Turn::of_chain(&lock) {
        Ok(Some(turn)) => turn,
        Ok(None) => {
            let why = "another process here runs it".to_owned();
            return untouched(run, planned, End::Elsewhere(why));
        }
        Err(e) => return untouched(run, planned, End::Error(e)),
    };
    let claim = match claimed(run, planned) {
        Ok(claim) => claim,
        Err(end) => return untouched(run, planned, end),
    };
    let mut chain = match Chain::take_up(run, planned) {
        Ok(chain) => chain,
        Err(halt) => return untouched(run, planned, ended(halt)),
    };
    chain.claim = claim;
    let end = match chain.go() {
        Ok(()) => End::Complete,
        Err(halt) => ended(halt),
    };
    chain.done(end)
}

/// The claim on a chain, where claims are made. It is given back when the value goes.
fn claimed(run: &Running<'_>, planned: &Planned<'_>) -> Result<Option<Held>, End> {
    let Some(claims) = &run.asked.claims else {
        return Ok(None);
    };
    match claims.take(&planned.path) {
        Ok(Taking::Ours(held, said)) => {
            if let Some(said) = said {
                run.tell(&planned.path, &Happens::Remark(&said));
            }
            Ok(Some(*held))
        }
        Ok(Taking::Theirs(why)) => Err(End::Elsewhere(why)),
        Err(e) => Err(End::Error(e)),
    }
}

fn ended(halt: Halt) -> End {
    match halt {
        Halt::End(end) => end,
        Halt::Error(e) => End::Error(e),
    }
}

fn untouched(run: &Running<'_>, planned: &Planned<'_>, end: End) -> ChainDone {
    ChainDone {
        path: planned.path.clone(),
        end,
        asked: asked(run, planned),
        done: Vec::new(),
        now: Vec::new(),
        not_reached: Vec::new(),
        failed: Vec::new(),
        sessions: 0,
        cost_usd: 0.0,
        cost_unknown: 0,
    }
}

fn asked(run: &Running<'_>, planned: &Planned<'_>) -> u32 {
    let all = run.plan.checkpoints_of(planned.task).len();
    let all = u32::try_from(all).unwrap_or(u32::MAX);
    run.asked.until.map_or(all, |until| until.min(all))
}

/// What would be run; nothing is written.
pub(super) fn dry(run: &Running<'_>, chains: &[Planned<'_>]) -> Result<RunDone> {
    let reader = run.repo.reader()?;
    let mut found = Vec::new();
    for planned in chains {
        let mut became = untouched(run, planned, End::Planned);
        if let Some(standing) = Standing::find(&reader, &planned.path)? {
            let is_done = |k: &u32| standing.done(*k).is_some_and(|(_, reset)| reset.is_some());
            became.done = (1..=became.asked).filter(is_done).collect();
            (became.cost_usd, became.cost_unknown) = standing.seen.spent();
        }
        found.push(became);
    }
    Ok(RunDone {
        chains: found,
        dead: None,
    })
}

/// That no chain's branch is checked out: its files would stay behind while it moves.
pub(super) fn require_free(repo: &Repo, chains: &[Planned<'_>]) -> Result<()> {
    let out = checked_out(repo)?;
    for planned in chains {
        let branch = format!("refs/heads/evolve/{}", planned.path);
        if let Some((_, folder)) = out.iter().find(|(name, _)| *name == branch) {
            return Err(Error::usage(format!(
                "branch evolve/{} is checked out in {}; a run moves it",
                planned.path,
                folder.display()
            ))
            .with_hint("`git switch` to another branch there first"));
        }
    }
    Ok(())
}

/// The branches that work trees of this repository have checked out, and where these are.
fn checked_out(repo: &Repo) -> Result<Vec<(String, PathBuf)>> {
    let common = repo.common_dir();
    let mut found = Vec::new();
    let mut look = |git_dir: &std::path::Path, folder: PathBuf| {
        let head = std::fs::read_to_string(git_dir.join("HEAD")).unwrap_or_default();
        if let Some(branch) = head.trim_end().strip_prefix("ref: ") {
            found.push((branch.to_owned(), folder));
        }
    };
    if !repo.is_bare() || repo.git_dir() != common {
        look(common, common.parent().unwrap_or(common).to_owned());
    }
    let linked = std::fs::read_dir(common.join("worktrees"));
    for entry in linked.into_iter().flatten().flatten() {
        let git_dir = entry.path();
        let pointer = std::fs::read_to_string(git_dir.join("gitdir")).unwrap_or_default();
        let link = std::path::Path::new(pointer.trim());
        let folder = link.parent().unwrap_or(&git_dir).to_owned();
        look(&git_dir, folder);
    }
    Ok(found)
}

/// US dollars that all sessions of the experiment have reported so far.
///
/// # Errors
/// Notes that cannot be read.
pub(super) fn spent(reader: &Reader, plan: &Plan) -> Result<f64> {
    let all = records(reader, &[Kind::Envelope])?;
    let mut sum = 0.0;
    let mut seen = std::collections::BTreeSet::new();
    for (_, _, stored) in all.all() {
        let Some(record) = stored.record() else {
            continue;
        };
        if record.head.chain.experiment == plan.experiment.name
            && let Body::Envelope(says) = &record.body
            && seen.insert(record.head.id.clone())
        {
            sum += cost(says.session.as_ref()).unwrap_or(0.0);
        }
    }
    Ok(sum)
}
