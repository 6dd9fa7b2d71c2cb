//! One thread's tools: a reader, a differ, a parser, and the counts of what they did.

use std::sync::Arc;

use crate::error::Result;
use crate::repo::{Hunk, LineDiffer, Oid, Reader, Repo};
use crate::syntax::{Analyser, Language, LineEdit, Profile, Version};

/// Larger blobs are not read: what needs their lines is unknown.
const LARGEST: u64 = 100 << 20;

/// How much work a run was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunCounts {
    /// Commits of the line.
    pub commits: u64,
    /// Blobs read.
    pub blobs_read: u64,
    /// Their bytes.
    pub bytes_read: u64,
    /// Pairs of versions compared line by line.
    pub diffs: u64,
    /// Files parsed from scratch.
    pub parsed_fresh: u64,
    /// Files parsed from a neighbour's tree.
    pub parsed_incremental: u64,
}

impl RunCounts {
    /// What was done since `before`.
    #[must_use]
    pub fn minus(self, before: RunCounts) -> RunCounts {
        RunCounts {
            commits: self.commits - before.commits,
            blobs_read: self.blobs_read - before.blobs_read,
            bytes_read: self.bytes_read - before.bytes_read,
            diffs: self.diffs - before.diffs,
            parsed_fresh: self.parsed_fresh - before.parsed_fresh,
            parsed_incremental: self.parsed_incremental - before.parsed_incremental,
        }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, o: RunCounts) -> RunCounts {
        RunCounts {
            commits: self.commits + o.commits,
            blobs_read: self.blobs_read + o.blobs_read,
            bytes_read: self.bytes_read + o.bytes_read,
            diffs: self.diffs + o.diffs,
            parsed_fresh: self.parsed_fresh + o.parsed_fresh,
            parsed_incremental: self.parsed_incremental + o.parsed_incremental,
        }
    }
}

/// One thread's tools.
pub(super) struct Worker {
    /// Reads objects.
    pub reader: Reader,
    differ: LineDiffer,
    analyser: Option<Analyser>,
    profile: Profile,
    counts: RunCounts,
    buffer: Vec<u8>,
}

impl Worker {
    /// Tools for one thread. The parser is made when first needed.
    ///
    /// # Errors
    /// The repository cannot be opened again.
    pub(super) fn new(repo: &Repo, profile: Profile) -> Result<Worker> {
        Ok(Worker {
            reader: repo.reader()?,
            differ: LineDiffer::new(),
            analyser: None,
            profile,
            counts: RunCounts::default(),
            buffer: Vec::new(),
        })
    }

    /// What was done so far.
    pub(super) fn counts(&self) -> RunCounts {
        let mut counts = self.counts;
        if let Some(a) = &self.analyser {
            counts.parsed_fresh = a.counts().fresh;
            counts.parsed_incremental = a.counts().incremental;
        }
        counts
    }

    /// The content of a blob; `None` where it is missing, broken or over [`LARGEST`]:
    /// [`Worker::why_unread`] tells.
    pub(super) fn read(&mut self, blob: Oid) -> Option<Arc<[u8]>> {
        if self.reader.blob_size(blob).ok()? > LARGEST {
            return None;
        }
        self.reader.blob(blob, &mut self.buffer).ok()?;
        self.counts.blobs_read += 1;
        self.counts.bytes_read += self.buffer.len() as u64;
        Some(Arc::from(self.buffer.as_slice()))
    }

    /// Why [`Worker::read`] gives nothing for a blob; `None` where that is not known.
    pub(super) fn why_unread(&self, blob: Oid) -> Option<&'static str> {
        match self.reader.blob_size(blob) {
            Ok(size) if size > LARGEST => Some("file over 100 MiB"),
            Ok(_) => None,
            Err(_) => Some("object missing"),
        }
    }

    /// Line hunks from `old` to `new`.
    pub(super) fn hunks(&mut self, old: &[u8], new: &[u8]) -> Vec<Hunk> {
        self.counts.diffs += 1;
        self.differ.hunks(old, new)
    }

    /// Parses a version, from its neighbour where one is given.
    ///
    /// # Errors
    /// A grammar without a node kind the rules name.
    pub(super) fn parse(
        &mut self,
        language: Language,
        neighbour: Option<(&Version, &[Hunk])>,
        source: &Arc<[u8]>,
    ) -> Result<Version> {
        let analyser = match &mut self.analyser {
            Some(a) => a,
            None => self.analyser.insert(Analyser::new(self.profile)?),
        };
        Ok(match neighbour {
            Some((version, hunks)) => {
                let edits: Vec<LineEdit> = hunks
                    .iter()
                    .map(|h| LineEdit {
                        old_start: h.old_start,
                        old_len: h.old_len,
                        new_start: h.new_start,
                        new_len: h.new_len,
                    })
                    .collect();
                analyser.reanalyse(version, &edits, source)
            }
            None => analyser.analyse(language, source),
        })
    }
}
