//! The records of a chain: what happened at its commits, its sessions and its gates.

use std::path::Path;

use super::super::files::MOST;
use super::super::model::{
    ChainFound, CheckpointFound, ContentFound, FileFound, GateFound, SessionFound, Why,
};
use super::commits::{Commits, State, moment_of};
use super::place::{Place, epoch};
use crate::error::{Error, Result};
use crate::harness::configuration::{Named, of_table};
use crate::harness::payloads::{READERS, open};
use crate::harness::pending::{named, oid};
use crate::harness::written::value;
use crate::ledger::{Batch, Content, Entry, Given, keep_payload, name_of};
use crate::record::mask::Masker;
use crate::record::{
    Body, Checkpoint, Configuration, Contained, ContentId, Envelope, Event, Head, Kind, Moment,
    ObjectName, Payload, Provenance, ReadBy, Readers, Reading, Record, RecordId, Role, RunFacts,
    Selected, Session, Status, TOOL, Tests, Turned, Validity,
};
use crate::record::{PathName, TestMap};
use crate::repo::{Oid, Reader, Repo};

/// What is to be said of a file: of what kind, which file, in words.
type Said = (Why, String, String);

/// A commit, its tree and its first parent.
type On = (Oid, Oid, Oid);

/// Records of one chain, as they are made.
pub(super) struct Records<'a> {
    repo: &'a Repo,
    reader: &'a Reader,
    chain: &'a ChainFound,
    place: &'a Place<'a>,
    config: Named,
    masker: Masker,
    batch: Batch,
}

/// What all records on one commit say of themselves.
struct About {
    head: Head,
    /// How many records were made of this checkpoint.
    made: u16,
}

impl<'a> Records<'a> {
    pub(super) fn new(
        repo: &'a Repo,
        reader: &'a Reader,
        chain: &'a ChainFound,
        place: &'a Place<'a>,
    ) -> Result<Records<'a>> {
        let config = of_table(reader, chain.plan.clone())?;
        let batch = Batch {
            entries: Vec::new(),
            configs: vec![config.content.clone()],
        };
        Ok(Records {
            repo,
            reader,
            chain,
            place,
            config,
            masker: Masker::here(),
            batch,
        })
    }

    /// All of them.
    pub(super) fn batch(self) -> Batch {
        self.batch
    }

    /// The record of the base.
    pub(super) fn base(&mut self, commits: &Commits<'_>, base: Oid) -> Result<()> {
        let at = self.chain.began.unwrap_or_else(epoch);
        let mut says = Checkpoint::of(Event::Begin);
        says.started = self.chain.began;
        says.provenance = Some(self.provenance());
        says.config = Some(Configuration::clone(&self.config.name));
        for content in &self.chain.contents {
            says.contents.push(content_id(self.reader, content, None)?);
        }
        let tree = commits.empty()?;
        let mut about = self.about(at, (0, "base", Role::Base), (base, tree, None), None);
        self.add(&mut about, "begin", Body::from(says))?;
        Ok(())
    }

    /// The records on an agent commit; gives what of its files was not read, and why.
    pub(super) fn agent(
        &mut self,
        found: &CheckpointFound,
        state: &State,
        (commit, tree, parent): On,
    ) -> Result<Vec<Said>> {
        let mut says = Checkpoint::of(Event::Agent);
        says.started = found.started;
        says.ended = found.ended;
        says.provenance = Some(self.provenance());
        says.config = Some(Configuration::clone(&self.config.name));
        says.contents = contents(self.reader, found, state)?;
        let last = state.turns.last();
        says.contained = last.and_then(|t| t.contained.clone());
        says.contained = says.contained.filter(|c| *c != Contained::default());
        if state.turns.len() > 1 {
            let turns = found.turns.iter().zip(&state.turns);
            says.turns = turns
                .map(|(turn, taken)| Turned {
                    purpose: turn.purpose,
                    tree: named(taken.tree),
                    ended: turn.ended,
                })
                .collect();
        }
        let place = (found.number, found.id.as_str(), Role::Agent);
        let on = (commit, tree, Some(parent));
        let mut about = self.about(moment_of(self.chain, found), place, on, Some(found));
        self.add(&mut about, "agent", Body::from(says))?;
        let mut said = Vec::new();
        for (n, session) in found.sessions.iter().enumerate() {
            let name = format!("session-{n}");
            said.extend(self.session(&mut about, &name, session)?);
        }
        for (n, gate) in found.gates.iter().enumerate() {
            let name = format!("gate-{n}");
            said.extend(self.gate(&mut about, &name, gate)?);
        }
        Ok(said)
    }

    /// The sessions of a checkpoint that left no state, on the commit it started from.
    pub(super) fn attempt(
        &mut self,
        found: &CheckpointFound,
        (on, tree, checkpoint): (Oid, Oid, u32),
    ) -> Result<()> {
        let id = match checkpoint {
            0 => "base".to_owned(),
            n => self.id_of(n),
        };
        let role = match checkpoint {
            0 => Role::Base,
            _ => Role::Reset,
        };
        // The base is a root; a reset's parent is read where it is here already.
        let parent = self.parent_of(on);
        let at = moment_of(self.chain, found);
        let mut about = self.about(at, (checkpoint, &id, role), (on, tree, parent), Some(found));
        about.head.for_checkpoint = Some(found.number);
        for (n, session) in found.sessions.iter().enumerate() {
            let name = format!("attempt-session-{n}");
            self.session(&mut about, &name, session)?;
        }
        Ok(())
    }

    /// The record of a reset.
    pub(super) fn reset(&mut self, found: &CheckpointFound, on: On) -> Result<()> {
        let mut says = Checkpoint::of(Event::Reset);
        says.ended = found.ended;
        let place = (found.number, found.id.as_str(), Role::Reset);
        let (commit, tree, parent) = on;
        let at = moment_of(self.chain, found);
        let mut about = self.about(at, place, (commit, tree, Some(parent)), Some(found));
        about.made = 63;
        self.add(&mut about, "reset", Body::from(says))
    }

    fn id_of(&self, number: u32) -> String {
        let mut all = self.chain.checkpoints.iter();
        let found = all.find(|c| c.number == number);
        found.map_or_else(|| format!("checkpoint-{number}"), |c| c.id.clone())
    }

    fn parent_of(&self, commit: Oid) -> Option<Oid> {
        let fresh = self.repo.reader().ok()?;
        fresh.commit(commit).ok()?.parents.first().copied()
    }

    fn about(
        &self,
        at: Moment,
        (checkpoint, id, role): (u32, &str, Role),
        (commit, tree, parent): (Oid, Oid, Option<Oid>),
        of: Option<&CheckpointFound>,
    ) -> About {
        let number = of.map_or(0, |c| c.number);
        let attempt = of.map(|_| self.derived(at, number, 0, "attempt"));
        About {
            head: Head {
                id: self.derived(at, number, 0, "none"),
                at,
                tool: TOOL.to_owned(),
                chain: self.place.path.clone(),
                begin: self.place.begin.clone(),
                checkpoint,
                checkpoint_id: id.to_owned(),
                role,
                commit: named(commit),
                tree: named(tree),
                parent: parent.map(named),
                for_checkpoint: None,
                attempt,
            },
            made: 0,
        }
    }

    /// The id of the `order`th record of a checkpoint, which is called `name`.
    fn derived(&self, at: Moment, number: u32, order: u16, name: &str) -> RecordId {
        let seed = format!("{}\0{number}\0{name}", self.place.begin);
        let order = number.saturating_mul(64).saturating_add(u32::from(order));
        RecordId::derived(
            at,
            u16::try_from(order).unwrap_or(u16::MAX),
            seed.as_bytes(),
        )
    }

    fn next(&self, about: &mut About, name: &str) -> Head {
        about.made = about.made.saturating_add(1);
        let head = &about.head;
        let number = head.for_checkpoint.unwrap_or(head.checkpoint);
        Head {
            id: self.derived(head.at, number, about.made, name),
            ..head.clone()
        }
    }

    fn add(&mut self, about: &mut About, name: &str, body: Body) -> Result<()> {
        let head = self.next(about, name);
        self.add_as(head, body)
    }

    fn add_as(&mut self, head: Head, body: Body) -> Result<()> {
        let target = oid(&head.commit)?;
        let record = Record {
            head,
            body,
            masked: Vec::new(),
        };
        self.batch.entries.push(Entry {
            kind: record.body.kind(),
            target,
            line: record.line(&self.masker)?,
        });
        Ok(())
    }

    /// What the chain was made with, as far as the source tells.
    fn provenance(&self) -> Provenance {
        let mut made = Provenance::of("", "", "");
        made.agent = Some(self.chain.agent.clone());
        made
    }

    /// Keeps a file as a payload of the record `of`.
    fn keep(
        &mut self,
        about: &mut About,
        of: &RecordId,
        payload: Payload,
        file: &FileFound,
    ) -> Result<(RecordId, Content)> {
        let head = self.next(about, &file.name);
        let given = Given {
            of: of.clone(),
            payload,
            name: name_of(&file.file),
            path: Some(file.name.clone()),
            modified: None,
        };
        let (id, target) = (head.id.clone(), oid(&head.commit)?);
        let kept = keep_payload(self.repo, head, given, &file.file, &self.masker)?;
        self.batch.entries.push(Entry {
            kind: Kind::Raw,
            target,
            line: kept.line,
        });
        Ok((id, kept.content))
    }

    fn session(
        &mut self,
        about: &mut About,
        name: &str,
        found: &SessionFound,
    ) -> Result<Vec<Said>> {
        let head = self.next(about, name);
        let mut says = Envelope::of(found.purpose, Vec::new());
        let mut kept = Vec::new();
        for file in &found.files {
            let (raw, content) = self.keep(about, &head.id, Payload::Envelope, file)?;
            says.raw.push(raw);
            kept.push((file.name.clone(), content));
        }
        says.started = found.started;
        says.ended = found.ended;
        says.wall_ms = found.wall_ms;
        says.agent_version.clone_from(&found.agent_version);
        says.model.clone_from(&found.model);
        says.outcome.clone_from(&found.outcome);
        let mut said = Vec::new();
        if !kept.is_empty() {
            match self.read(&kept)? {
                Reading::Read(session) => {
                    says.outcome = says.outcome.or_else(|| outcome(session.status));
                    says.read_by = Some(ReadBy {
                        reader: session.format.clone(),
                        version: READERS.version(),
                    });
                    says.session = Some(value(&session)?);
                }
                other => {
                    let names: Vec<&str> = kept.iter().map(|(n, _)| n.as_str()).collect();
                    said.push((Why::Unreadable, names.join(", "), why(&other)));
                }
            }
        }
        self.add_as(head, Body::Envelope(says))?;
        Ok(said)
    }

    fn read(&self, kept: &[(String, Content)]) -> Result<Reading<Session>> {
        let opened = kept.iter().map(|(n, c)| open(n.clone(), None, c));
        let mut files = opened.collect::<Result<Vec<_>>>()?;
        Ok(READERS.session(&mut files))
    }

    fn gate(&mut self, about: &mut About, name: &str, found: &GateFound) -> Result<Vec<Said>> {
        let head = self.next(about, name);
        let mut says = Tests::of(found.suite, Vec::new());
        says.exit_code = found.exit_code;
        says.selected = found.selected.as_ref().map(|numbers| Selected {
            checkpoints: Some(numbers.clone()),
            left_out: Vec::new(),
        });
        let mut kept = Vec::new();
        for file in &found.files {
            let (raw, content) = self.keep(about, &head.id, Payload::Report, file)?;
            says.raw.push(raw);
            kept.push((file.name.clone(), content));
        }
        let opened = kept.iter().map(|(n, c)| open(n.clone(), None, c));
        let mut files = opened.collect::<Result<Vec<_>>>()?;
        let run = RunFacts {
            exit_code: found.exit_code,
            ..RunFacts::default()
        };
        let map: TestMap = READERS.tests(&mut files, &run);
        drop(files);
        says.read_by = Some(ReadBy {
            reader: map.format.clone().unwrap_or_else(|| "none".to_owned()),
            version: READERS.version(),
        });
        says.map = Some(value(&map)?);
        self.add_as(head, Body::Tests(says))?;
        let unread = map.files.iter().filter_map(|f| {
            let why = f.left_out.clone()?;
            Some((Why::Unreadable, f.path.clone(), why))
        });
        let mut said: Vec<Said> = unread.collect();
        if map.validity == Validity::Invalid && said.is_empty() {
            let reasons: Vec<&str> = map.reasons.iter().map(String::as_str).collect();
            let what = kept.first().map(|(n, _)| n.clone()).unwrap_or_default();
            let why = reasons.join(", ");
            said.push((Why::Remark, what, format!("no verdict: {why}")));
        }
        Ok(said)
    }
}

/// The files of a checkpoint by digest, the states it went through among them.
///
/// # Errors
/// Usage where a file cannot be read.
pub(super) fn contents(
    reader: &Reader,
    found: &CheckpointFound,
    state: &State,
) -> Result<Vec<ContentId>> {
    let mut all = Vec::new();
    for content in &found.contents {
        all.push(content_id(reader, content, Some(&found.id))?);
    }
    for (turn, taken) in found.turns.iter().zip(&state.turns) {
        let path = PathName::of(turn.name.as_bytes());
        let mut id = ContentId::of("source", path, named(taken.tree));
        id.checkpoint = Some(found.id.clone());
        all.push(id);
    }
    all.sort();
    Ok(all)
}

fn content_id(
    reader: &Reader,
    content: &ContentFound,
    checkpoint: Option<&str>,
) -> Result<ContentId> {
    let path = PathName::of(content.name.as_bytes());
    let id = blob_id(reader, &content.file)?;
    let mut content = ContentId::of(content.role, path, id);
    content.checkpoint = checkpoint.map(str::to_owned);
    Ok(content)
}

fn blob_id(reader: &Reader, file: &Path) -> Result<ObjectName> {
    let reading = |e| Error::usage(format!("reading {}", file.display())).with_source(e);
    let mut bytes = Vec::new();
    std::fs::File::open(file)
        .and_then(|f| std::io::Read::read_to_end(&mut std::io::Read::take(f, MOST + 1), &mut bytes))
        .map_err(reading)?;
    Ok(named(reader.blob_id(&bytes)?))
}

/// How a session ended, as records say it.
fn outcome(status: Status) -> Option<String> {
    let word = serde_json::to_value(status).ok()?;
    let known = word.as_str().filter(|_| status != Status::Unknown);
    known.map(str::to_owned)
}

fn why<T>(reading: &Reading<T>) -> String {
    match reading {
        Reading::Empty => "empty; kept, its figures are unknown".to_owned(),
        Reading::Unreadable(format, why) => {
            format!("{format}, not readable ({why}); kept, its figures are unknown")
        }
        Reading::Unrecognised | Reading::Read(_) => {
            "of no known form; kept, its figures are unknown".to_owned()
        }
    }
}
