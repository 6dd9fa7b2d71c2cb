//! A chain's base commit: what it begins with, committed and recorded.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use super::overlay::Edits;
use super::scratch::{self, Scratch};
use super::standing::{Seen, Standing};
use super::state::{State, StateFile, What};
use super::watch::{End, Halt, Happens, Step};
use super::{Planned, Running, base_tree, bases, fault};
use crate::error::{Error, Result};
use crate::harness::agents::{Variables, environment, take_in_bounds};
use crate::harness::pending::{InHand, Move, named};
use crate::harness::sandbox::{Sandbox, Shown};
use crate::harness::setups::{Prepared, Room, all};
use crate::harness::turn::Turn;
use crate::harness::written::Written;
use crate::harness::{base_message, in_hand, known, plain_base_message};
use crate::ledger::{self, ChainCommit};
use crate::record::{
    Body, Checkpoint as Says, Configuration, Event, Moment, RecordId, Role, SetupRun,
};
use crate::repo::{Oid, Reader, RefMove, Writer};

impl Running<'_> {
    /// Begins a chain that is new.
    pub(super) fn begin(
        &self,
        planned: &Planned<'_>,
        reader: &Reader,
        file: &StateFile,
        state: &mut State,
        scratch: &Scratch,
    ) -> Step<Standing> {
        let started = Moment::now();
        let path = &planned.path;
        let event = Happens::Doing {
            checkpoint: 0,
            id: "base",
            what: "begin",
        };
        self.tell(path, &event);
        let project = self.project(planned, reader)?;
        let arm = (planned.arm, planned.task);
        let controls = &self.controls;
        let tree = base_tree::with_files(self.repo, reader, self.plan, arm, controls, project)?;
        let (tree, setups) = self.generated(planned, reader, scratch, tree)?;
        let tree = base_tree::without_hidden(self.repo, reader, controls, tree)?;
        // Two that begin one path at once would both find it free.
        let turn = Turn::to_begin(self.repo)?;
        let fresh = self.repo.reader()?;
        if let Some(standing) = Standing::find(&fresh, path)? {
            return Ok(standing);
        }
        let begin = RecordId::new();
        let message = match tree == reader.commit(project)?.tree {
            true => plain_base_message(path, begin.as_str()),
            false => base_message(path, begin.as_str()),
        };
        let base = self.repo.commit_tree(tree, project, &message)?;
        let mut says = Says::of(Event::Begin);
        says.started = Some(started);
        says.ended = Some(Moment::now());
        says.project = Some(named(project));
        let task = planned.task.map(|t| t.name.as_str());
        says.provenance = Some(self.provenance(planned.arm.on(task), None));
        says.config = Some(Configuration::clone(&self.config.name));
        says.contents = self.contents(reader, arm, None)?;
        says.setups = setups;
        says.tools = Some(self.machine.tools(planned.arm.on(task).gate));
        let mut written = Written::on(Written::head(
            (path, &begin),
            (0, "base", Role::Base),
            (base, tree, Some(project)),
            None,
        ));
        let record = written.add(Body::from(says))?;
        written.add_config(self.config.content.clone());
        let moves = [
            RefMove {
                name: known::keep_ref(reader, path, base, &[])?,
                old: None,
                new: Some(base),
            },
            RefMove {
                name: format!("refs/heads/evolve/{path}"),
                old: None,
                new: Some(base),
            },
        ];
        let hand = InHand {
            record: Some(record),
            on: None,
            commit: named(base),
            moves: moves.iter().filter_map(Move::of).collect(),
            paths: Vec::new(),
        };
        fault(What::Begin, "made");
        state.hand = Some((What::Begin, hand.clone()));
        file.write(state)?;
        fault(What::Begin, "in-hand");
        let done = ledger::append(self.repo, written.batch())?;
        for remark in &done.remarks {
            self.tell(path, &Happens::Remark(remark));
        }
        fault(What::Begin, "notes");
        let shown = path.to_string();
        let say = &mut self.say(path);
        if !in_hand::move_refs(self.repo, &hand, (&shown, What::Begin.word()), say)? {
            return Err(
                Error::git(format!("beginning {path}: a ref moved meanwhile"))
                    .with_hint("try again")
                    .into(),
            );
        }
        drop(turn);
        fault(What::Begin, "refs");
        state.hand = None;
        file.write(state)?;
        fault(What::Begin, "settled");
        Ok(Standing {
            begin,
            base,
            tip: base,
            branch: Some(base),
            line: vec![ChainCommit {
                id: base,
                role: Role::Base,
                checkpoint: 0,
                checkpoint_id: "base".to_owned(),
            }],
            seen: Seen::default(),
        })
    }

    /// The project's commit that the chain stands on.
    fn project(&self, planned: &Planned<'_>, reader: &Reader) -> Result<Oid> {
        // One thread at a time: the others then find it brought in.
        let _one = self.bringing.lock();
        let say = &mut self.say(&planned.path);
        bases::bring_in(self.repo, reader, self.plan, planned.arm, planned.task, say)
    }

    /// `tree` with what set-up commands that say so generate from it.
    fn generated(
        &self,
        planned: &Planned<'_>,
        reader: &Reader,
        scratch: &Scratch,
        mut tree: Oid,
    ) -> Step<(Oid, Vec<SetupRun>)> {
        let setups = all(self.plan, planned.arm, planned.task);
        if !setups.iter().any(|(_, s)| s.generates) {
            return Ok((tree, Vec::new()));
        }
        let event = Happens::Doing {
            checkpoint: 0,
            id: "base",
            what: "set-up",
        };
        self.tell(&planned.path, &event);
        let top = scratch.base();
        scratch::remove(&top)?;
        self.repo.export(tree, &top)?;
        let kept = scratch.session("base");
        let home = kept.join("home");
        make(&home)?;
        let places = scratch.places_at(None, None);
        let task = planned.task.map(|t| t.name.as_str());
        let agent = planned.arm.on(task).agent;
        let none = BTreeMap::new();
        let variables = Variables {
            set: &none,
            passed: &agent.pass_environment,
        };
        let environment = environment(&places, &home, variables)?;
        let room = Room {
            place: "base",
            top: &top,
            kept: &kept,
            places: &places,
            environment: &environment,
            sandbox: Sandbox::wanted(&Shown {
                isolation: agent.isolation,
                writable: vec![top.clone(), home, scratch.cache(), scratch.tmp()],
                readable: agent.visible.clone(),
                hidden: self.hidden(),
                network: true,
                program: None,
                path: environment.get(OsStr::new("PATH")),
                folder: &top,
            })?,
            mark: &format!("base-{}", planned.path),
            stop: &self.stop,
        };
        let mut prepared = Prepared::default();
        let bounds = take_in_bounds();
        for (of, setup) in setups {
            let before = match setup.generates {
                true => self.repo.take_in(&top, tree, &bounds)?.tree,
                false => tree,
            };
            prepared.add(&room, of, setup)?;
            if self.stop.asked() {
                return Err(Halt::End(End::Interrupted));
            }
            if let Some(why) = prepared.failed {
                return Err(Halt::End(End::SetUp(why)));
            }
            if setup.generates {
                let after = self.repo.take_in(&top, tree, &bounds)?.tree;
                let made = reader.deltas(before, after)?;
                let edits: Edits = made.into_iter().map(|d| (d.path, d.new)).collect();
                tree = Writer::open(self.repo)?.tree_with(reader, tree, &edits)?;
            }
        }
        prepared.end()?;
        scratch::remove(&top)?;
        scratch::remove(&kept)?;
        Ok((tree, prepared.runs))
    }
}

fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Error::git(format!("making {}", folder.display())).with_source(e))
}
