//! What turns payloads into what records hold. The readers themselves stand in another module;
//! those who need one are handed it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek};

use super::{CoverageMap, Moment, ReadBy, Session, TestMap};

/// Bytes that can be read from the start more than once: a file, or what a note holds.
pub trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

/// One file to be read.
pub struct Opened<'a> {
    /// Its path, from where it was looked for; says nothing about its format.
    pub path: String,
    /// When it was last written, where known.
    pub modified: Option<Moment>,
    /// Its bytes.
    pub bytes: Box<dyn Source + 'a>,
}

/// What came of reading.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading<T> {
    /// It was read.
    Read(T),
    /// Nothing but white space.
    Empty,
    /// None of the known formats.
    Unrecognised,
    /// Of a known format (named first), and not readable; says why.
    Unreadable(String, String),
}

/// What a capture knows of a gate run beside its reports.
#[derive(Debug, Clone, Default)]
pub struct RunFacts {
    /// The command.
    pub command: Vec<String>,
    /// Its exit status.
    pub exit_code: Option<i64>,
    /// When it began.
    pub started: Option<Moment>,
    /// The end of what it printed.
    pub console: Option<String>,
    /// The files of the tree it ran on.
    pub tree: Option<TreeFacts>,
    /// Ids that passed at the last valid gate before it.
    pub previous: Option<BTreeSet<String>>,
    /// What ended its command, where the harness ran it (see [`super::Gated::ended_by`]).
    pub ended_by: Option<String>,
}

/// The files of one tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeFacts {
    /// Paths of all files, sorted.
    pub paths: Vec<String>,
    /// `go.mod` path to its text.
    pub go_mod: BTreeMap<String, String>,
    /// Where the tree was checked out when the report was written, where known.
    pub build_root: Option<String>,
}

/// Readers of foreign files.
pub trait Readers: Sync {
    /// Reads one session out of its envelope and transcripts. Where several files tell of one
    /// session, they are joined by the rules of their formats.
    fn session(&self, files: &mut [Opened<'_>]) -> Reading<Session>;

    /// Reads a gate run.
    fn tests(&self, files: &mut [Opened<'_>], run: &RunFacts) -> TestMap;

    /// Reads a coverage report; without a tree paths stay as they are.
    fn coverage(&self, file: &mut Opened<'_>, tree: Option<&TreeFacts>) -> Reading<CoverageMap>;

    /// The reader of today for a record's content: its name and version.
    fn version(&self) -> u32;

    /// Whether what `read_by` read need not be read again.
    fn is_current(&self, read_by: &ReadBy) -> bool {
        read_by.version >= self.version()
    }
}
