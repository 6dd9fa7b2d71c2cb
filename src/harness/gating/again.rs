//! `gate`: commits of chains that are there are gated once more, the new records beside the old
//! ones. No branch moves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Gated, Gating, Verdict, gate};
use crate::error::{Error, Result};
use crate::harness::agents::Places;
use crate::harness::payloads::Ground;
use crate::harness::process::Stop;
use crate::harness::run::{Run, port_of_gate, references, root};
use crate::harness::written::Written;
use crate::ledger::{self, Batch, Chain, ChainCommit, Chains, records_on};
use crate::plan::{Arm, Check, Command, Plan, Task};
use crate::record::{Body, CheckRun, Event, Kind, RecordId, Role, Suite, Versions};
use crate::repo::{Oid, Reader, Repo};

/// The arm of a reference's own chains; no arm of a plan is called so.
pub const REFERENCE: &str = "reference";

/// What is to be gated.
#[derive(Debug, Clone)]
pub struct Regate {
    /// Chains, and checkpoints of them (`CHAIN@K`); none: all chains of the plan's experiment.
    pub chains: Vec<String>,
    /// Only chains of this arm.
    pub arm: Option<String>,
    /// Only these suites; none: all.
    pub suites: Vec<Suite>,
    /// The chains' bases instead of their checkpoints.
    pub base: bool,
    /// The references' own chains, which are made or gone on with first.
    pub reference: bool,
    /// Gates at a time.
    pub jobs: usize,
    /// Where exports are made; else as git's `evolve.scratch` says, else in the user's cache.
    pub scratch: Option<PathBuf>,
    /// Say what would be gated, and run nothing.
    pub dry_run: bool,
    /// What figures are computed with.
    pub versions: Versions,
}

/// What one gate came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regated {
    /// The chain, as it is shown.
    pub chain: String,
    /// The checkpoint; 0: the base.
    pub checkpoint: u32,
    /// The commit.
    pub commit: Oid,
    /// Whether it held; `None`: unknown, or nothing was run.
    pub holds: Option<bool>,
    /// In words.
    pub verdict: String,
}

/// What is said on the way: of which chain and checkpoint, and what.
pub type Told<'t> = dyn Fn(&str, &str) + Sync + 't;

/// Gates what is asked for, each commit with the plan's gate for its arm and task.
///
/// # Errors
/// Usage where a chain or checkpoint is not there, or is none of the plan's; those of
/// a gate; git where records cannot be written. An interruption is no error: what it
/// left out is not in the answer.
pub fn regate(
    repo: &Repo,
    plan: &Plan,
    asked: &Regate,
    stop: &Stop,
    say: &Told<'_>,
) -> Result<Vec<Regated>> {
    if asked.reference && !asked.dry_run {
        let run = Run {
            arms: Vec::new(),
            tasks: Vec::new(),
            chains: Vec::new(),
            until: None,
            jobs: 1,
            retry_invalid: false,
            dry_run: false,
            scratch: asked.scratch.clone(),
            probe: false,
            noop: false,
            claims: None,
            versions: asked.versions.clone(),
        };
        references(repo, plan, &run, stop, say)?;
    }
    let reader = repo.reader()?;
    let chains = ledger::chains(&reader)?;
    let targets = targets(&reader, &chains, plan, asked)?;
    if asked.dry_run {
        let plain = |t: &Target<'_>| Regated {
            holds: None,
            verdict: t.would(asked),
            ..t.regated(&Verdict::Unknown(String::new()))
        };
        return Ok(targets.iter().map(plain).collect());
    }
    let scratch = root(repo, asked.scratch.as_deref())?;
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<Option<Regated>>)>> = Mutex::new(Vec::new());
    let jobs = asked.jobs.clamp(1, targets.len().max(1));
    std::thread::scope(|scope| {
        for slot in 0..jobs {
            let (targets, next, done, scratch) = (&targets, &next, &done, &scratch);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::SeqCst);
                    let Some(target) = targets.get(at).filter(|_| !stop.asked()) else {
                        return;
                    };
                    let one = target.gate(repo, plan, asked, (scratch, slot), stop, say);
                    let failed = one.is_err();
                    if let Ok(mut all) = done.lock() {
                        all.push((at, one));
                    }
                    if failed {
                        return;
                    }
                }
            });
        }
    });
    let mut done = done
        .into_inner()
        .map_err(|_| Error::internal("gating: a thread panicked"))?;
    done.sort_by_key(|(at, _)| *at);
    let mut all = Vec::new();
    for (_, one) in done {
        all.extend(one?);
    }
    Ok(all)
}

/// One commit that is to be gated.
struct Target<'t> {
    chain: &'t Chain,
    commit: &'t ChainCommit,
    arm: &'t Arm,
    task: Option<&'t Task>,
}

/// The commits that are asked for, in order.
fn targets<'t>(
    reader: &Reader,
    chains: &'t Chains,
    plan: &'t Plan,
    asked: &'t Regate,
) -> Result<Vec<Target<'t>>> {
    let mut wanted: Vec<(&Chain, Option<u32>)> = Vec::new();
    for name in &asked.chains {
        let at = name.rsplit_once('@').and_then(|(chain, k)| {
            let k = k.parse::<u32>().ok()?;
            let one = one_chain(chains, chain).ok()?;
            Some((one, Some(k)))
        });
        wanted.push(match at {
            Some(found) => found,
            None => (one_chain(chains, name)?, None),
        });
    }
    let of_plan = |c: &&Chain| {
        c.path.experiment == plan.experiment.name && (c.path.arm == REFERENCE) == asked.reference
    };
    if asked.chains.is_empty() {
        wanted.extend(chains.chains.iter().filter(of_plan).map(|c| (c, None)));
    }
    if let Some(arm) = &asked.arm {
        wanted.retain(|(c, _)| c.path.arm == *arm);
    }
    if wanted.is_empty() {
        return Err(Error::usage("there is no such chain to gate")
            .with_hint("`git evolve status` lists chains"));
    }
    let mut found = Vec::new();
    for (chain, k) in wanted {
        let (arm, task) = of_the_plan(plan, chain)?;
        let role = match asked.base || k == Some(0) {
            true => Role::Base,
            false => Role::Agent,
        };
        let before = found.len();
        for commit in &chain.line {
            let wanted = commit.role == role && k.is_none_or(|k| k == commit.checkpoint);
            if wanted && found.iter().all(|t: &Target<'_>| t.commit.id != commit.id) {
                found.push(Target {
                    chain,
                    commit,
                    arm,
                    task,
                });
            }
        }
        if let Some(k) = k.filter(|_| found.len() == before) {
            let known = chain
                .line
                .iter()
                .any(|c| c.checkpoint == k && c.role == role);
            if !known {
                return Err(Error::usage(format!(
                    "chain {} has no checkpoint {k}",
                    chain.label
                )));
            }
        }
    }
    // Where the tree is not here nothing can run: told before anything is.
    for target in &found {
        reader.commit(target.commit.id)?;
    }
    Ok(found)
}

fn one_chain<'c>(chains: &'c Chains, name: &str) -> Result<&'c Chain> {
    let all: Vec<&Chain> = chains
        .chains
        .iter()
        .filter(|c| c.label == name || c.path.to_string() == name)
        .collect();
    match all.as_slice() {
        [one] => Ok(one),
        [] => Err(Error::usage(format!("there is no chain {name}"))
            .with_hint("`git evolve status` lists chains; CHAIN@K names a checkpoint of one")),
        several => {
            let labels: Vec<&str> = several.iter().map(|c| c.label.as_str()).collect();
            Err(Error::usage(format!(
                "several chains are called {name}: {}",
                labels.join(", ")
            )))
        }
    }
}

/// The plan's arm and task of a chain. A reference is gated as the first arm is.
fn of_the_plan<'p>(plan: &'p Plan, chain: &Chain) -> Result<(&'p Arm, Option<&'p Task>)> {
    let arm = match chain.path.arm.as_str() {
        REFERENCE => plan.arms.iter().find(|a| a.baseline).or(plan.arms.first()),
        name => plan.arm(name),
    };
    let arm = arm.ok_or_else(|| {
        Error::usage(format!(
            "chain {}: the plan has no arm {}",
            chain.label, chain.path.arm
        ))
        .with_hint("--plan FILE names the plan it was run by")
    })?;
    let task = match &chain.path.task {
        None => None,
        Some(name) => Some(plan.task(Some(name)).ok_or_else(|| {
            Error::usage(format!(
                "chain {}: the plan has no task {name}",
                chain.label
            ))
            .with_hint("--plan FILE names the plan it was run by")
        })?),
    };
    Ok((arm, task))
}

impl Target<'_> {
    fn shown(&self) -> String {
        format!("{}@{}", self.chain.label, self.commit.checkpoint)
    }

    fn would(&self, asked: &Regate) -> String {
        let gate = self.arm.on(self.task.map(|t| t.name.as_str())).gate;
        let suites = [
            (Suite::Visible, gate.visible.is_some()),
            (Suite::Acceptance, gate.acceptance.is_some()),
        ];
        let words: Vec<&str> = suites
            .into_iter()
            .filter(|(s, is)| *is && (asked.suites.is_empty() || asked.suites.contains(s)))
            .map(|(s, _)| super::checks::suite_word(s))
            .collect();
        let looked_at = |check: &Check| match check {
            Check::Reports(_) => None,
            Check::Command { command, .. } => Some(match command {
                Command::Words(words) => words.join(" "),
                Command::Shell(line) => line.clone(),
            }),
            Check::Answer => Some("the answer".to_owned()),
            Check::Declared => Some("the declared tests".to_owned()),
        };
        let checks: Vec<String> = gate.checks.iter().filter_map(looked_at).collect();
        let mut parts = Vec::new();
        if !words.is_empty() {
            parts.push(format!("would run {}", words.join(", ")));
        }
        if !checks.is_empty() {
            parts.push(format!("would check {}", checks.join(", ")));
        }
        match parts.is_empty() {
            true => "no suite and no check".to_owned(),
            false => parts.join("; "),
        }
    }

    fn regated(&self, verdict: &Verdict) -> Regated {
        Regated {
            chain: self.chain.label.clone(),
            checkpoint: self.commit.checkpoint,
            commit: self.commit.id,
            holds: match verdict {
                Verdict::Passed => Some(true),
                Verdict::Failed => Some(false),
                Verdict::Unknown(_) => None,
            },
            verdict: verdict.words(),
        }
    }

    /// Gates it and records what came of that; `None` where it was interrupted.
    fn gate(
        &self,
        repo: &Repo,
        plan: &Plan,
        asked: &Regate,
        (scratch, slot): (&Path, usize),
        stop: &Stop,
        say: &Told<'_>,
    ) -> Result<Option<Regated>> {
        let reader = repo.reader()?;
        let commit = reader.commit(self.commit.id)?;
        let number = self.commit.checkpoint;
        let checkpoints = plan.checkpoints_of(self.task);
        let checkpoint = checkpoints
            .iter()
            .find(|c| c.id == self.commit.checkpoint_id);
        if number > 0 && checkpoint.is_none() {
            return Err(Error::usage(format!(
                "{}: the plan has no checkpoint {}",
                self.shown(),
                self.commit.checkpoint_id
            ))
            .with_hint("--plan FILE names the plan it was run by"));
        }
        let begin = RecordId::parse(&self.chain.begin).ok_or_else(|| {
            Error::git(format!(
                "chain {} has no well-formed identity",
                self.chain.label
            ))
        })?;
        let known = earlier_checks(&reader, self.commit.id)?;
        let folder = scratch
            .join(self.chain.path.to_string().replace('/', "+"))
            .join(format!("gate-again-{}-{number}", std::process::id()));
        let cache = scratch
            .join(self.chain.path.to_string().replace('/', "+"))
            .join("cache");
        std::fs::create_dir_all(&cache)
            .map_err(|e| Error::git(format!("making {}", cache.display())).with_source(e))?;
        let places = Places::default()
            .with("cache", cache.to_string_lossy())
            .with("port", port_of_gate(scratch, slot).to_string());
        let gating = Gating {
            repo,
            plan,
            arm: self.arm,
            task: self.task,
            number,
            checkpoint,
            base: self.chain.base,
            parent: commit.parents.first().copied().filter(|_| number > 0),
            tree: commit.tree,
            begin: Some(&begin),
            answer: None,
            known: &known,
            places,
            folder: &folder,
            stop,
            mark: "",
            suites: &asked.suites,
        };
        let shown = self.shown();
        let mut tell = |line: &str| say(&shown, line);
        let gated = gate(&gating, &mut tell)?;
        if gated.interrupted {
            return Ok(None);
        }
        let batch = self.records(repo, &begin, &gated, &mut tell)?;
        let written = ledger::append(repo, batch)?;
        written.remarks.iter().for_each(|r| tell(r));
        Ok(Some(self.regated(&gated.verdict)))
    }

    /// The records, of the runs on the commit and of those on the code before it.
    fn records(
        &self,
        repo: &Repo,
        begin: &RecordId,
        gated: &Gated,
        say: &mut dyn FnMut(&str),
    ) -> Result<Batch> {
        let reader = repo.reader()?;
        let number = self.commit.checkpoint;
        let attempt = attempt(&reader, self.chain, self.commit)?;
        let chain = (&self.chain.begun_as, begin);
        let commit = reader.commit(self.commit.id)?;
        let parent = commit.parents.first().copied();
        let mut head = Written::head(
            chain,
            (number, &self.commit.checkpoint_id, self.commit.role),
            (self.commit.id, commit.tree, parent),
            attempt.as_ref(),
        );
        if number == 0 {
            head.for_checkpoint = Some(0);
        }
        let mut written = Written::on(head);
        let ground = Ground {
            repo,
            reader: repo.reader()?,
            begin,
            checkpoint: number,
            tree: commit.tree,
            ran_tree: None,
        };
        gated.add(&ground, &mut written, say)?;
        let mut batch = written.batch();
        let before = self.chain.line.iter().find(|c| Some(c.id) == parent);
        if let Some(before) = before.filter(|_| gated.ran_before()) {
            let on = reader.commit(before.id)?;
            let mut head = Written::head(
                chain,
                (before.checkpoint, &before.checkpoint_id, before.role),
                (before.id, on.tree, on.parents.first().copied()),
                attempt.as_ref(),
            );
            head.for_checkpoint = Some(number);
            let mut written = Written::on(head);
            let ground = Ground {
                tree: on.tree,
                ..ground
            };
            gated.add_before(&ground, &mut written, say)?;
            let more = written.batch();
            batch.entries.extend(more.entries);
            batch.configs.extend(more.configs);
        }
        Ok(batch)
    }
}

/// The attempt that an agent commit's own record names.
fn attempt(reader: &Reader, chain: &Chain, commit: &ChainCommit) -> Result<Option<RecordId>> {
    if commit.role != Role::Agent {
        return Ok(None);
    }
    let records = records_on(reader, &[Kind::Checkpoint], &BTreeSet::from([commit.id]))?;
    let found = records.on(Kind::Checkpoint, commit.id).iter();
    let own = found.filter_map(|s| s.record()).find(|r| {
        let is_agent = matches!(&r.body, Body::Checkpoint(c) if c.event == Event::Agent);
        is_agent && r.head.begin.to_string() == chain.begin
    });
    Ok(own.and_then(|r| r.head.attempt.clone()))
}

/// The checks of earlier gates of a commit, oldest first: an answer is given once.
fn earlier_checks(reader: &Reader, commit: Oid) -> Result<Vec<CheckRun>> {
    let records = records_on(reader, &[Kind::Tests], &BTreeSet::from([commit]))?;
    let mut all = Vec::new();
    for record in records
        .on(Kind::Tests, commit)
        .iter()
        .filter_map(|s| s.record())
    {
        if let Body::Tests(tests) = &record.body {
            all.extend(tests.gated.iter().flat_map(|g| g.checks.clone()));
        }
    }
    Ok(all)
}
