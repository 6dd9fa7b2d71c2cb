//! The references' own chains: known good solutions, made of the plan's patches, gated and measured
//! like any chain and never counted as an attempt.

use std::collections::BTreeMap;

use super::chain::Chain;
use super::order::Planned;
use super::state::{self, What};
use super::watch::{End, Halt, Happens, Step, Watch};
use super::{Run, Running};
use crate::error::{Error, Result};
use crate::harness::gating::REFERENCE;
use crate::harness::process::Stop;
use crate::harness::turn::Turn;
use crate::harness::written::Written;
use crate::harness::{Place, agent_message};
use crate::ledger::ChainCommit;
use crate::plan::{Checkpoint, Plan, Task};
use crate::record::{Body, ChainPath, Checkpoint as Says, Configuration, Event, Moment, Role};
use crate::repo::{Oid, Repo};

/// Makes the chain of every task's reference, or goes on with it; gives their paths. A checkpoint
/// without a patch ends its chain there.
///
/// # Errors
/// Usage where no checkpoint has a patch, one does not apply, or another process works on the
/// chain; git where it cannot be written.
pub(in crate::harness) fn references(
    repo: &Repo,
    plan: &Plan,
    asked: &Run,
    stop: &Stop,
    say: &(dyn Fn(&str, &str) + Sync),
) -> Result<Vec<ChainPath>> {
    let watch = Telling(say);
    let none = |_: &Repo, _: Oid, _: Oid, _: &[String]| Ok(BTreeMap::new());
    let running = Running::of(repo, plan, asked, &watch, &none, stop)?;
    let arm = plan.arms.iter().find(|a| a.baseline).or(plan.arms.first());
    let arm = arm.ok_or_else(|| Error::usage("the plan has no arm"))?;
    let tasks: Vec<Option<&Task>> = match plan.tasks.is_empty() {
        true => vec![None],
        false => plan.tasks.iter().map(Some).collect(),
    };
    let mut made = Vec::new();
    for task in tasks {
        let checkpoints = plan.checkpoints_of(task);
        if checkpoints.iter().all(|c| c.reference.is_none()) {
            continue;
        }
        let path = ChainPath {
            experiment: plan.experiment.name.clone(),
            arm: REFERENCE.to_owned(),
            task: task.map(|t| t.name.clone()),
            chain: 1,
        };
        let name = path.to_string().replace('/', "+");
        let lock = state::folder(repo).join(format!("{name}.lock"));
        let Some(_turn) = Turn::of_chain(&lock)? else {
            return Err(Error::usage(format!(
                "another process here works on {path}"
            )));
        };
        let planned = Planned {
            path: path.clone(),
            arm,
            task,
            first: false,
        };
        let mut chain = Chain::take_up(&running, &planned).map_err(|h| stopped(&path, h))?;
        chain.refer(plan).map_err(|h| stopped(&path, h))?;
        made.push(path);
    }
    if made.is_empty() {
        return Err(Error::usage("no checkpoint of the plan has a reference")
            .with_hint("`reference = \"FILE.patch\"` in [[checkpoints]] names one"));
    }
    Ok(made)
}

fn stopped(path: &ChainPath, halt: Halt) -> Error {
    match halt {
        Halt::Error(e) => e,
        Halt::End(End::Error(e)) => e,
        Halt::End(end) => Error::usage(format!("making {path}: {}", end.word())),
    }
}

/// Remarks go on, progress does not.
struct Telling<'s>(&'s (dyn Fn(&str, &str) + Sync));

impl Watch for Telling<'_> {
    fn tell(&self, chain: Option<&ChainPath>, event: &Happens<'_>) {
        if let Happens::Remark(line) = event {
            (self.0)(&chain.map(ToString::to_string).unwrap_or_default(), line);
        }
    }
}

impl Chain<'_> {
    /// Commits the patches that are not committed yet, each with its reset.
    fn refer(&mut self, plan: &Plan) -> Step<()> {
        let checkpoints = self.checkpoints;
        for (number, checkpoint) in (1u32..).zip(checkpoints) {
            if self.run.stop.asked() {
                return Err(Halt::End(End::Interrupted));
            }
            let agent = match self.standing.done(number) {
                Some((_, Some(_))) => continue,
                Some((agent, None)) => agent,
                None => {
                    let Some(patch) = &checkpoint.reference else {
                        let line = format!(
                            "checkpoint {number} {} has no reference: the chain ends before it",
                            checkpoint.id
                        );
                        self.run.tell(&self.path, &Happens::Remark(&line));
                        break;
                    };
                    let tip = self.standing.tip;
                    let before = self.reader.commit(tip)?.tree;
                    let patch = plan.folder.join(patch);
                    let tree = self.run.repo.tree_with_patch(before, &patch)?;
                    self.commit_reference((number, checkpoint), tip, tree)?
                }
            };
            self.reset(number, checkpoint, agent)?;
        }
        Ok(())
    }

    /// The agent commit of a reference: no session made it, and no attempt.
    fn commit_reference(
        &mut self,
        (number, checkpoint): (u32, &Checkpoint),
        parent: Oid,
        tree: Oid,
    ) -> Step<Oid> {
        let place = Place {
            path: &self.path,
            checkpoint: number,
            id: &checkpoint.id,
        };
        let message = agent_message(place, "the reference", &[]);
        let commit = self.run.repo.commit_tree(tree, parent, &message)?;
        let mut written = Written::on(Written::head(
            (&self.path, &self.standing.begin),
            (number, &checkpoint.id, Role::Agent),
            (commit, tree, Some(parent)),
            None,
        ));
        let mut says = Says::of(Event::Agent);
        says.ended = Some(Moment::now());
        says.config = Some(Configuration::clone(&self.run.config.name));
        let arm = (self.arm, self.task);
        says.contents = self.run.contents(&self.reader, arm, Some(checkpoint))?;
        let record = written.add(Body::from(says))?;
        written.add_config(self.run.config.content.clone());
        let moves = self.chain_moves(commit)?;
        self.land(What::Record, (record, None), commit, moves, written.batch())?;
        self.standing.grown(ChainCommit {
            id: commit,
            role: Role::Agent,
            checkpoint: number,
            checkpoint_id: checkpoint.id.clone(),
        });
        Ok(commit)
    }
}
