//! Writes a chain that a reader found: commits, then records, then refs.
//!
//! What is written depends on the source and on the path alone: author and committer are this
//! import, times are the source's, ids are derived. So an import that was cut off between
//! records and refs writes the same again, and nothing stands twice.

mod commits;
mod place;
mod records;

use super::model::{Aside, ChainFound, CheckpointFound, Why};
use super::{ChainImported, ChainState, Import, Imported};
use crate::error::{Error, Result};
use crate::harness::pending::{InHand, Move, named};
use crate::harness::turn::Turn;
use crate::harness::workplace::Say;
use crate::harness::{in_hand, known, said};
use crate::ledger::{self, Batch, Chain};
use crate::record::{ContentId, Event, ObjectName, Role};
use crate::repo::{Oid, Reader, RefMove, Repo};
use commits::{Commits, State};
use place::Place;
use records::Records;

/// Writes `chain`; what came of it is added to `done`.
///
/// # Errors
/// Git where something cannot be read or written.
pub(super) fn write(
    repo: &Repo,
    asked: &Import,
    chain: &ChainFound,
    done: &mut Imported,
    say: Say<'_>,
) -> Result<()> {
    done.asides.extend(chain.asides.iter().cloned());
    if chain.task.is_empty() {
        return Ok(());
    }
    let turn = match asked.dry_run {
        true => None,
        false => Some(Turn::to_begin(repo)?),
    };
    let reader = repo.reader()?;
    let chains = ledger::chains(&reader)?;
    let place = match place::find(&chains, asked, chain) {
        Ok(place) => place,
        Err((path, why)) => {
            done.asides
                .push(aside(chain, None, Why::Refused, &path.to_string(), why));
            done.chains.push(said_of(chain, path, ChainState::Refused));
            return Ok(());
        }
    };
    for other in place::elsewhere(&chains, &reader, chain, &place)? {
        let said = format!("the same problem of the same run is here as {other}, too");
        done.asides.push(aside(
            chain,
            None,
            Why::Remark,
            &place.path.to_string(),
            said,
        ));
    }
    let outcome = Importing {
        repo,
        asked,
        reader: &reader,
        chain,
        place: &place,
        asides: Vec::new(),
    }
    .write(&chains, say)?;
    done.asides.extend(outcome.1);
    done.chains.push(outcome.0);
    drop(turn);
    Ok(())
}

fn aside(chain: &ChainFound, at: Option<u32>, why: Why, what: &str, said: String) -> Aside {
    Aside {
        run: chain.run.clone(),
        task: Some(chain.source_task.clone()),
        checkpoint: at,
        why,
        what: what.to_owned(),
        count: 1,
        said,
    }
}

fn said_of(chain: &ChainFound, path: crate::record::ChainPath, state: ChainState) -> ChainImported {
    ChainImported {
        path,
        run: chain.run.clone(),
        source_task: chain.source_task.clone(),
        state,
        added: Vec::new(),
        known: Vec::new(),
        tip: None,
    }
}

/// One chain that is being written.
struct Importing<'a> {
    repo: &'a Repo,
    asked: &'a Import,
    reader: &'a Reader,
    chain: &'a ChainFound,
    place: &'a Place<'a>,
    asides: Vec<Aside>,
}

impl Importing<'_> {
    fn write(
        mut self,
        chains: &ledger::Chains,
        say: Say<'_>,
    ) -> Result<(ChainImported, Vec<Aside>)> {
        let mut done = said_of(self.chain, self.place.path.clone(), ChainState::New);
        let here = self.place.here;
        let numbers: Vec<u32> = here.map_or_else(Vec::new, |chain| {
            let agents = chain.line.iter().filter(|c| c.role == Role::Agent);
            agents.map(|c| c.checkpoint).collect()
        });
        done.known.clone_from(&numbers);
        if self.asked.dry_run {
            let new = self
                .chain
                .checkpoints
                .iter()
                .filter(|c| !c.turns.is_empty());
            done.added = new
                .map(|c| c.number)
                .filter(|n| !numbers.contains(n))
                .collect();
            done.state = match (here.is_some(), done.added.is_empty()) {
                (false, _) => ChainState::New,
                (true, false) => ChainState::Grown,
                (true, true) => ChainState::Unchanged,
            };
            return Ok((done, self.asides));
        }
        let commits = Commits::new(self.repo, self.chain, &self.place.path, &self.place.begin)?;
        let base = commits.base()?;
        let mut states = Vec::new();
        for checkpoint in &self.chain.checkpoints {
            let state = commits.state(checkpoint)?;
            self.contained(checkpoint, &state);
            states.push(state);
        }
        if let Some(here) = here
            && !self.is_as_it_was(here, base, &states, chains)?
        {
            done.state = ChainState::Changed;
            return Ok((done, self.asides));
        }
        let tip = here.map(|chain| chain.line[chain.own_commits() - 1].id);
        if let Some(here) = here
            && tip != Some(here.tip)
        {
            let why = "others committed behind its last commit: nothing was changed";
            self.aside(None, Why::Refused, &here.label, why.to_owned());
            done.state = ChainState::Refused;
            return Ok((done, self.asides));
        }
        let mut records = Records::new(self.repo, self.reader, self.chain, self.place)?;
        let mut moves: Vec<RefMove> = Vec::new();
        let mut at = (base, commits.empty()?, 0);
        match here {
            None => records.base(&commits, base)?,
            Some(here) => at = self.end(here)?,
        }
        let mut anything = here.is_none();
        for (checkpoint, state) in self.chain.checkpoints.iter().zip(&states) {
            if numbers.contains(&checkpoint.number) {
                continue;
            }
            let Some(tree) = state.tree else {
                // Its sessions stand on the commit it started from; the same again is the same.
                if numbers.iter().all(|n| *n < checkpoint.number) {
                    records.attempt(checkpoint, at)?;
                }
                continue;
            };
            if numbers.iter().any(|n| *n > checkpoint.number) {
                let said = "it stands before checkpoints that are here already: not imported";
                self.aside(
                    Some(checkpoint.number),
                    Why::Changed,
                    &checkpoint.id,
                    said.to_owned(),
                );
                done.state = ChainState::Changed;
                continue;
            }
            let agent = commits.agent(checkpoint, tree, at.0)?;
            let turns = commits.turns(checkpoint, state, at.0)?;
            self.keep_turns(checkpoint.number, &turns, &mut moves)?;
            let messages = records.agent(checkpoint, state, (agent, tree, at.0))?;
            for (why, what, said) in messages {
                self.aside(Some(checkpoint.number), why, &what, said);
            }
            let reset = commits.reset(checkpoint, tree, agent)?;
            records.reset(checkpoint, (reset, tree, agent))?;
            at = (reset, tree, checkpoint.number);
            done.added.push(checkpoint.number);
            anything = true;
        }
        if !anything {
            // Attempts that left no state may be new all the same.
            ledger::append(self.repo, records.batch())?;
            let state = done.state;
            done.state = match state {
                ChainState::New => ChainState::Unchanged,
                state => state,
            };
            done.tip = tip.map(|id| id.to_string());
            return Ok((done, self.asides));
        }
        if here.is_some() && done.state == ChainState::New {
            done.state = ChainState::Grown;
        }
        moves.extend(self.chain_moves(at.0, base)?);
        if let Some(why) = self.in_use()? {
            self.aside(None, Why::Refused, &self.place.path.to_string(), why);
            done.state = ChainState::Refused;
            done.added.clear();
            return Ok((done, self.asides));
        }
        self.land(at.0, &moves, records.batch(), say)?;
        done.tip = Some(at.0.to_string());
        say(&format!(
            "{}: {} of {} ({})",
            self.place.path,
            said::count(done.added.len(), "checkpoint", "checkpoints"),
            self.chain.source_task,
            done.state.word()
        ));
        say(&format!("undo: {}", said::undo(&moves)));
        Ok((done, self.asides))
    }

    fn aside(&mut self, at: Option<u32>, why: Why, what: &str, said: String) {
        self.asides.push(aside(self.chain, at, why, what, said));
    }

    /// What of a state was not taken as it was.
    fn contained(&mut self, checkpoint: &CheckpointFound, state: &State) {
        for (turn, taken) in checkpoint.turns.iter().zip(&state.turns) {
            for said in &taken.said {
                self.aside(
                    Some(checkpoint.number),
                    Why::NotAsItWas,
                    &turn.name,
                    said.clone(),
                );
            }
        }
    }

    /// Whether every checkpoint that is here came from what the source holds now.
    fn is_as_it_was(
        &mut self,
        here: &Chain,
        base: Oid,
        states: &[State],
        chains: &ledger::Chains,
    ) -> Result<bool> {
        let mut same = true;
        if here.base != base {
            let said = "its beginning is another one: nothing was changed".to_owned();
            self.aside(None, Why::Changed, &here.label, said);
            same = false;
        }
        let recorded = std::sync::Arc::clone(chains.recorded(self.reader)?);
        for commit in here.line.iter().filter(|c| c.role == Role::Agent) {
            let number = commit.checkpoint;
            let mut said = recorded
                .of_chain_on(commit.id, &here.begin)
                .filter(|s| s.says.event == Event::Agent);
            let was = said.next().map(|s| s.says.contents.clone());
            let all = self.chain.checkpoints.iter().zip(states);
            let now = all.into_iter().find(|(c, _)| c.number == number);
            let differs = match (was, now) {
                (Some(was), Some((found, state))) => {
                    let now = records::contents(self.reader, found, state)?;
                    differing(&was, &now)
                }
                (None, _) => vec!["its record is not here".to_owned()],
                (_, None) => vec!["the source has it no more".to_owned()],
            };
            if !differs.is_empty() {
                let said = format!(
                    "not what it was when it was imported: {}; nothing was changed",
                    differs.join(", ")
                );
                self.aside(Some(number), Why::Changed, &commit.checkpoint_id, said);
                same = false;
            }
        }
        Ok(same)
    }

    /// The commit that the chain ends with, its tree and checkpoint.
    fn end(&self, here: &Chain) -> Result<(Oid, Oid, u32)> {
        let last = &here.line[here.own_commits() - 1];
        let tree = self.reader.commit(last.id)?.tree;
        Ok((last.id, tree, last.checkpoint))
    }

    /// Refs for the states after turns.
    fn keep_turns(&self, number: u32, turns: &[Oid], moves: &mut Vec<RefMove>) -> Result<()> {
        let folder = format!("refs/evolve/agent/{}/{number}/", self.place.path);
        let there = self.reader.references_under(&[&folder])?;
        for commit in turns {
            if there.iter().any(|r| r.id == *commit) {
                continue;
            }
            let taken = |name: &str| {
                there.iter().any(|r| r.name == name) || moves.iter().any(|m| m.name == name)
            };
            let name = (1u32..)
                .map(|n| format!("{folder}{n}"))
                .find(|name| !taken(name));
            let name = name.ok_or_else(|| Error::internal("no free number for a ref"))?;
            moves.push(RefMove {
                name,
                old: None,
                new: Some(*commit),
            });
        }
        Ok(())
    }

    /// The chain's keep ref and its branch.
    fn chain_moves(&self, tip: Oid, base: Oid) -> Result<Vec<RefMove>> {
        let path = &self.place.path;
        let keep = known::keep_ref(self.reader, path, base, &[])?;
        let mut moves = Vec::from_iter(known::advance(self.reader, path, keep, tip)?);
        let name = format!("refs/heads/evolve/{path}");
        let now = self.reader.reference(&name)?;
        if now != Some(tip) {
            moves.push(RefMove {
                name,
                old: now,
                new: Some(tip),
            });
        }
        Ok(moves)
    }

    /// Why the branch must not move.
    fn in_use(&self) -> Result<Option<String>> {
        let branch = format!("refs/heads/evolve/{}", self.place.path);
        let out = match self.repo.work_dir() {
            Some(_) => self.repo.work_tree()?.branch()?,
            None => None,
        };
        if out.as_deref() == Some(branch.as_str()) {
            return Ok(Some(
                "its branch is checked out: nothing was changed".to_owned(),
            ));
        }
        let now = self.reader.reference(&branch)?;
        let known = self.place.here.map(|c| c.tip);
        Ok(match now {
            Some(now) if Some(now) != known => {
                Some("its branch is there and holds something else: nothing was changed".to_owned())
            }
            _ => None,
        })
    }

    fn land(&self, tip: Oid, moves: &[RefMove], batch: Batch, say: Say<'_>) -> Result<()> {
        let shown = self.place.path.to_string();
        let hand = InHand {
            record: None,
            on: None,
            commit: named(tip),
            moves: moves.iter().filter_map(Move::of).collect(),
            paths: Vec::new(),
        };
        let done = ledger::append(self.repo, batch)?;
        done.remarks.iter().for_each(|r| say(r));
        match in_hand::move_refs(self.repo, &hand, (&shown, "import"), say)? {
            true => Ok(()),
            false => Err(
                Error::git(format!("importing {shown}: a ref moved meanwhile"))
                    .with_hint("the same command again goes on"),
            ),
        }
    }
}

/// The files by which two lists of contents differ.
fn differing(was: &[ContentId], now: &[ContentId]) -> Vec<String> {
    let key = |c: &ContentId| (c.path.path.clone(), c.id.clone());
    let ids = |all: &[ContentId]| -> std::collections::BTreeMap<String, ObjectName> {
        all.iter().map(key).collect()
    };
    let (was, now) = (ids(was), ids(now));
    let mut said: Vec<String> = Vec::new();
    for path in was.keys().chain(now.keys()) {
        let word = match (was.get(path), now.get(path)) {
            (Some(a), Some(b)) if a == b => continue,
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "gone",
            _ => "new",
        };
        let line = format!("{path} {word}");
        if !said.contains(&line) {
            said.push(line);
        }
    }
    said
}
