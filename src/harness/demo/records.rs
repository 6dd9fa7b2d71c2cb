//! The demonstration's records: what `begin`, `record` and `reset` would have written down, with
//! fixed ids and times and nothing of the machine in them.

use std::collections::BTreeMap;

use super::{Point, stamp};
use crate::error::{Error, Result};
use crate::ledger::NotesRef;
use crate::record::mask::{Masker, sha256};
use crate::record::{
    Body, ChainPath, Checkpoint, Configuration, Event, Head, How, Kind, Moment, ObjectName,
    PathName, Record, RecordId, Restored, RestoredPath, Role, TOOL, Work, sheet, snapshot_digest,
    snapshot_of,
};
use crate::repo::{NewCommit, Oid, Writer};

/// What the records of one chain have in common.
pub(super) struct Chronicle<'a> {
    pub(super) path: &'a ChainPath,
    pub(super) begin: &'a str,
    /// The configuration note; `None` where the base has no plan.
    pub(super) config: Option<&'a Configuration>,
}

/// A commit of the chain that is spoken of.
pub(super) struct Told<'a> {
    pub(super) checkpoint: u32,
    pub(super) id: &'a str,
    pub(super) at: Point,
    pub(super) parent: Oid,
    /// When it began and ended, seconds since the epoch.
    pub(super) time: (i64, i64),
}

/// Records and configurations that are to be written.
#[derive(Default)]
pub(super) struct Notes {
    lines: BTreeMap<Oid, Vec<Vec<u8>>>,
    configs: BTreeMap<Oid, Configuration>,
}

impl Notes {
    /// Writes the configuration note of the plan `text`, once, and says what records call it.
    pub(super) fn config(&mut self, writer: &Writer, text: &str) -> Result<Configuration> {
        let note = snapshot_of(text, &Masker::general())?;
        let blob = writer.blob(&note)?;
        let config = Configuration {
            blob: name(blob)?,
            sha256: snapshot_digest(&note),
        };
        self.configs.insert(blob, config.clone());
        Ok(config)
    }

    /// The base's.
    pub(super) fn begun(&mut self, of: &Chronicle<'_>, told: &Told<'_>) -> Result<()> {
        let mut says = Checkpoint::of(Event::Begin);
        says.project = Some(name(told.parent)?);
        says.config = of.config.cloned();
        self.add(of, told, Role::Base, says)
    }

    /// An agent commit's.
    pub(super) fn worked(&mut self, of: &Chronicle<'_>, told: &Told<'_>) -> Result<()> {
        let mut says = Checkpoint::of(Event::Agent);
        says.config = of.config.cloned();
        says.work = Some(Work {
            uncommitted: true,
            ..Work::default()
        });
        self.add(of, told, Role::Agent, says)
    }

    /// A reset commit's, with what it put back: path, blob before, blob after.
    pub(super) fn put_back(
        &mut self,
        of: &Chronicle<'_>,
        told: &Told<'_>,
        base: Oid,
        paths: &[(&str, Option<Oid>, Oid)],
    ) -> Result<()> {
        let restored = paths
            .iter()
            .map(|(path, old, new)| {
                Ok(RestoredPath {
                    path: PathName::of(path.as_bytes()),
                    how: match old {
                        Some(_) => How::Restored,
                        None => How::Returned,
                    },
                    rule: Some("pinned".to_owned()),
                    old: old.map(name).transpose()?,
                    new: Some(name(*new)?),
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let mut says = Checkpoint::of(Event::Reset);
        says.restored = Some(Restored {
            from: name(base)?,
            by: "controls".to_owned(),
            pathspecs: Vec::new(),
            path_count: restored.len() as u64,
            paths: restored,
        });
        self.add(of, told, Role::Reset, says)
    }

    fn add(
        &mut self,
        of: &Chronicle<'_>,
        told: &Told<'_>,
        role: Role,
        mut says: Checkpoint,
    ) -> Result<()> {
        let ended = moment(told.time.1)?;
        says.started = Some(moment(told.time.0)?);
        says.ended = Some(ended);
        let record = Record {
            head: Head {
                id: fixed_id(ended, of.path, told.checkpoint, role)?,
                at: ended,
                tool: TOOL.to_owned(),
                chain: of.path.clone(),
                begin: RecordId::parse(of.begin).ok_or_else(|| out_of_form(of.begin))?,
                checkpoint: told.checkpoint,
                checkpoint_id: told.id.to_owned(),
                role,
                commit: name(told.at.id)?,
                tree: name(told.at.tree)?,
                parent: Some(name(told.parent)?),
                for_checkpoint: None,
                attempt: None,
            },
            body: Body::from(says),
            masked: Vec::new(),
        };
        let line = record.line(&Masker::general())?;
        let on = self.lines.entry(told.at.id).or_default();
        on.push(line.bytes().to_vec());
        Ok(())
    }

    /// Writes one notes commit a ref, of the time `seconds`; gives the refs and where they point.
    pub(super) fn write(self, writer: &Writer, seconds: i64) -> Result<Vec<(String, Oid)>> {
        let mut notes = BTreeMap::new();
        for (target, lines) in self.lines {
            let sheet = sheet::union(lines.iter().map(Vec::as_slice));
            notes.insert(target, writer.blob(&sheet)?);
        }
        let configs: BTreeMap<Oid, Oid> = self.configs.into_keys().map(|id| (id, id)).collect();
        let mut refs = Vec::new();
        for (to, notes) in [
            (NotesRef::Records(Kind::Checkpoint), notes),
            (NotesRef::Config, configs),
        ] {
            if notes.is_empty() {
                continue;
            }
            let by = stamp(seconds);
            let id = writer.commit(&NewCommit {
                tree: writer.notes_tree(None, &notes)?,
                parents: &[],
                author: &by,
                committer: &by,
                message: b"Notes of the demonstration\n",
            })?;
            refs.push((to.local(), id));
        }
        Ok(refs)
    }
}

/// A version 7 UUID of this moment whose random part comes from what it names.
fn fixed_id(at: Moment, path: &ChainPath, checkpoint: u32, role: Role) -> Result<RecordId> {
    let drawn = sha256(format!("{path} {checkpoint} {}", role.word()).as_bytes());
    let text = format!(
        "{:08x}-{:04x}-7{}-8{}-{}",
        at.millis() >> 16,
        at.millis() & 0xffff,
        &drawn[..3],
        &drawn[3..6],
        &drawn[6..18],
    );
    RecordId::parse(&text).ok_or_else(|| out_of_form(&text))
}

fn moment(seconds: i64) -> Result<Moment> {
    Moment::from_millis(seconds * 1_000).ok_or_else(|| out_of_form(&seconds.to_string()))
}

fn name(id: Oid) -> Result<ObjectName> {
    ObjectName::parse(&id.to_string()).ok_or_else(|| out_of_form(&id.to_string()))
}

fn out_of_form(what: &str) -> Error {
    Error::internal(format!(
        "writing the records of the demonstration: {what} is out of form"
    ))
}
