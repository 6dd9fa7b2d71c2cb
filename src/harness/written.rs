//! Records that one command writes together, about one commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::error::Result;
use crate::ledger::{Batch, Entry, add_payload};
use crate::record::mask::Masker;
use crate::record::{
    Body, ChainPath, Head, Kind, Moment, Payload, Provenance, Raw, ReadLine, Record, RecordId,
    Role, TOOL, read_line,
};
use crate::repo::{Oid, Repo};

use super::pending::{named, oid};

/// Records about one commit.
pub(super) struct Written {
    head: Head,
    masker: Masker,
    entries: Vec<Entry>,
    configs: Vec<Vec<u8>>,
}

impl Written {
    /// The head of records about `commit` (with its tree and first parent).
    pub(super) fn head(
        (chain, begin): (&ChainPath, &RecordId),
        (checkpoint, id, role): (u32, &str, Role),
        (commit, tree, parent): (Oid, Oid, Option<Oid>),
        attempt: Option<&RecordId>,
    ) -> Head {
        Head {
            id: RecordId::new(),
            at: Moment::now(),
            tool: TOOL.to_owned(),
            chain: chain.clone(),
            begin: begin.clone(),
            checkpoint,
            checkpoint_id: id.to_owned(),
            role,
            commit: named(commit),
            tree: named(tree),
            parent: parent.map(named),
            for_checkpoint: None,
            attempt: attempt.cloned(),
        }
    }

    /// No record yet; all get this head, each with an id of its own.
    pub(super) fn on(head: Head) -> Written {
        Written {
            head,
            masker: Masker::here(),
            entries: Vec::new(),
            configs: Vec::new(),
        }
    }

    /// Adds a record; gives its id.
    pub(super) fn add(&mut self, body: Body) -> Result<RecordId> {
        let id = RecordId::new();
        self.add_as(id.clone(), body)?;
        Ok(id)
    }

    /// Adds a record whose id others name already.
    pub(super) fn add_as(&mut self, id: RecordId, body: Body) -> Result<()> {
        let head = Head {
            id,
            ..self.head.clone()
        };
        let target = oid(&head.commit)?;
        let record = Record {
            head,
            body,
            masked: Vec::new(),
        };
        self.entries.push(Entry {
            kind: record.body.kind(),
            target,
            line: record.line(&self.masker)?,
        });
        Ok(())
    }

    /// Adds the payload in `file`, which belongs to the record `of`; gives the raw record's id.
    pub(super) fn add_payload(
        &mut self,
        repo: &Repo,
        of: &RecordId,
        payload: Payload,
        file: &Path,
    ) -> Result<RecordId> {
        let id = RecordId::new();
        let head = Head {
            id: id.clone(),
            ..self.head.clone()
        };
        let target = oid(&head.commit)?;
        let line = add_payload(repo, head, of.clone(), payload, file, &self.masker)?;
        self.entries.push(Entry {
            kind: Kind::Raw,
            target,
            line,
        });
        Ok(id)
    }

    /// Leaves out captures whose payloads, all of them, are among `known`; how many.
    pub(super) fn leave_out(&mut self, known: &BTreeSet<Capture>) -> usize {
        let mut all_known = BTreeMap::<RecordId, bool>::new();
        let mut owners = BTreeMap::<RecordId, RecordId>::new();
        for entry in &self.entries {
            if let ReadLine::Known(record) = read_line(entry.kind, entry.line.bytes())
                && let Body::Raw(raw) = &record.body
            {
                owners.insert(record.head.id.clone(), raw.of.clone());
                *all_known.entry(raw.of.clone()).or_insert(true) &= known.contains(&capture(raw));
            }
        }
        self.entries.retain(|entry| {
            let id = entry.line.id();
            all_known.get(owners.get(id).unwrap_or(id)) != Some(&true)
        });
        all_known.values().filter(|known| **known).count()
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.configs.is_empty()
    }

    /// Adds a configuration: canonical JSON, masked.
    pub(super) fn add_config(&mut self, content: Vec<u8>) {
        self.configs.push(content);
    }

    /// All of it.
    pub(super) fn batch(self) -> Batch {
        Batch {
            entries: self.entries,
            configs: self.configs,
        }
    }
}

/// By which a payload is known again: what it is, its name, its digest.
pub(super) type Capture = (Payload, String, String);

/// What `raw` is known by.
pub(super) fn capture(raw: &Raw) -> Capture {
    (raw.payload, raw.name.clone(), raw.sha256.clone())
}

/// What records are made with.
pub(super) fn provenance(repo: &Repo) -> Result<Provenance> {
    Ok(Provenance {
        git: repo.git_says_version()?,
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
    })
}
