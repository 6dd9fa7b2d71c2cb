//! Records that one command writes together, about one commit.

use std::path::Path;

use crate::error::Result;
use crate::ledger::{Batch, Entry, add_payload};
use crate::record::mask::Masker;
use crate::record::{
    Body, ChainPath, Head, Kind, Moment, Payload, Provenance, Record, RecordId, Role, TOOL,
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

/// What records are made with.
pub(super) fn provenance(repo: &Repo) -> Result<Provenance> {
    Ok(Provenance {
        git: repo.git_says_version()?,
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
    })
}
