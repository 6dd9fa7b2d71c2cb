//! Records that one command writes together, about one commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::earlier::Capture;
use super::pending::{named, oid};
use crate::error::{Error, Result};
use crate::ledger::{Batch, Content, Entry, Given, KeptPayload, keep_bytes, keep_payload, name_of};
use crate::record::mask::Masker;
use crate::record::{
    Body, ChainPath, Head, Kind, Moment, Payload, Provenance, Record, RecordId, Role, TOOL,
};
use crate::repo::{Oid, Repo};

/// Records about one commit.
pub(super) struct Written {
    head: Head,
    masker: Masker,
    entries: Vec<Entry>,
    configs: Vec<Vec<u8>>,
    /// What was captured.
    captures: Vec<Capture>,
    /// Raw record to the one it belongs to, and to what it holds.
    payloads: BTreeMap<RecordId, Held>,
}

/// A payload that is to be written.
struct Held {
    of: RecordId,
    payload: Payload,
    sha256: String,
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
            captures: Vec::new(),
            payloads: BTreeMap::new(),
        }
    }

    /// What is masked.
    pub(super) fn masker(&self) -> &Masker {
        &self.masker
    }

    /// `text` as it will stand in a record.
    pub(super) fn masked(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.masker.bytes(text.as_bytes()).0).into_owned()
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

    /// Adds a record of what was captured, under an id that its payloads name.
    pub(super) fn capture(&mut self, id: RecordId, body: Body) -> Result<()> {
        let held = self.payloads.values().filter(|h| h.of == id);
        let held = held.map(|h| (h.payload, h.sha256.as_str()));
        let head = &self.head;
        let capture = Capture::of(&id, head.for_checkpoint, head.attempt.as_ref(), &body, held);
        self.captures.extend(capture);
        self.add_as(id, body)
    }

    /// Keeps the payload in `file`, which belongs to the record `of`; gives the raw record's id
    /// and what is read back from it.
    pub(super) fn keep(
        &mut self,
        repo: &Repo,
        of: &RecordId,
        payload: Payload,
        file: &Path,
        path: Option<String>,
        modified: Option<Moment>,
    ) -> Result<(RecordId, Content)> {
        let head = self.head_of_payload();
        let path = path.map(|p| self.masked(&p));
        let given = Given {
            of: of.clone(),
            payload,
            name: name_of(file),
            path,
            modified,
        };
        let kept = keep_payload(repo, head.clone(), given, file, &self.masker)?;
        self.kept(head, of, payload, kept)
    }

    /// The same of bytes, from the file `name`.
    pub(super) fn keep_bytes(
        &mut self,
        of: &RecordId,
        payload: Payload,
        name: String,
        bytes: Vec<u8>,
    ) -> Result<(RecordId, Content)> {
        let head = self.head_of_payload();
        let given = Given {
            of: of.clone(),
            payload,
            name,
            path: None,
            modified: None,
        };
        let kept = keep_bytes(head.clone(), given, bytes, &self.masker)?;
        self.kept(head, of, payload, kept)
    }

    fn head_of_payload(&self) -> Head {
        Head {
            id: RecordId::new(),
            ..self.head.clone()
        }
    }

    fn kept(
        &mut self,
        head: Head,
        of: &RecordId,
        payload: Payload,
        kept: KeptPayload,
    ) -> Result<(RecordId, Content)> {
        self.entries.push(Entry {
            kind: Kind::Raw,
            target: oid(&head.commit)?,
            line: kept.line,
        });
        let held = Held {
            of: of.clone(),
            payload,
            sha256: kept.sha256,
        };
        self.payloads.insert(head.id.clone(), held);
        Ok((head.id, kept.content))
    }

    /// Drops the payloads of a record that is not made.
    pub(super) fn forget(&mut self, of: &RecordId) {
        let payloads = &self.payloads;
        let of_it = |id: &RecordId| payloads.get(id).is_some_and(|h| h.of == *of);
        self.entries.retain(|entry| !of_it(entry.line.id()));
        self.payloads.retain(|_, held| held.of != *of);
    }

    /// What was captured.
    pub(super) fn captures(&self) -> &[Capture] {
        &self.captures
    }

    /// Leaves out captures that are among `known`; how many.
    pub(super) fn leave_out(&mut self, known: &[Capture]) -> usize {
        let again: BTreeSet<RecordId> = self
            .captures
            .iter()
            .filter(|new| known.iter().any(|old| new.adds_nothing_to(old)))
            .map(|new| new.id.clone())
            .collect();
        for id in &again {
            self.forget(id);
        }
        self.entries
            .retain(|entry| !again.contains(entry.line.id()));
        self.captures.retain(|c| !again.contains(&c.id));
        again.len()
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

/// What was read, as records hold it.
pub(super) fn value(read: &impl Serialize) -> Result<Value> {
    serde_json::to_value(read)
        .map_err(|e| Error::internal("writing what was read as JSON").with_source(e))
}

/// What records are made with.
pub(super) fn provenance(repo: &Repo) -> Result<Provenance> {
    let git = repo.git_says_version()?;
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    Ok(Provenance::of(&git, os, arch))
}
