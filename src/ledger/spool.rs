//! The spool: what is to be written is put down here first, whole and on disk, so that neither a
//! kill nor a lock loses it.
//!
//! A spool file is JSON Lines: `{"kind", "target", "line"}` a record, `{"config"}` a
//! configuration. It appears under its name only when it is complete.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::record::{Kind, MAX_LINE, RecordId};
use crate::repo::Oid;

/// A line for the note of a kind on a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Addition {
    /// Which notes.
    pub kind: Kind,
    /// The commit.
    pub target: Oid,
    /// The line's bytes, without a line feed.
    pub line: Vec<u8>,
}

/// What waits to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) additions: Vec<Addition>,
    pub(super) configs: Vec<Vec<u8>>,
}

impl Waiting {
    pub(super) fn len(&self) -> usize {
        self.additions.len() + self.configs.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One file of the spool.
#[derive(Debug)]
pub(super) struct SpoolFile {
    pub(super) path: PathBuf,
    pub(super) waiting: Waiting,
    /// Lines that could not be read.
    pub(super) damaged: usize,
}

/// The spool of one repository, under `<common dir>/evolve`.
#[derive(Debug, Clone)]
pub(super) struct Spool {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Row {
    Record {
        kind: Kind,
        target: String,
        line: String,
    },
    Config {
        config: String,
    },
}

/// A file of another name under which one is written is left behind by a kill; nobody was told
/// that it was written.
const ABANDONED: Duration = Duration::from_secs(3600);
/// Longest row that is read: a line of the longest, once more escaped.
const MAX_ROW: u64 = 2 * MAX_LINE as u64 + 4096;

impl Spool {
    pub(super) fn of(evolve_dir: &Path) -> Spool {
        Spool {
            folder: evolve_dir.join("spool"),
        }
    }

    /// Puts `waiting` down and gives the file that holds it.
    ///
    /// # Errors
    /// Git where it cannot be written; then nothing is left of it.
    pub(super) fn put(&self, waiting: &Waiting) -> Result<PathBuf> {
        let name = RecordId::new();
        let path = self.folder.join(format!("{name}.jsonl"));
        let draft = self.folder.join(format!(".{name}.tmp"));
        let doing = |e: std::io::Error| {
            let _ = fs::remove_file(&draft);
            Error::git(format!("keeping records in {}", path.display()))
                .with_hint("nothing was recorded: free some space, or make the folder writable")
                .with_source(e)
        };
        fs::create_dir_all(&self.folder).map_err(doing)?;
        write(&draft, waiting).map_err(doing)?;
        fs::rename(&draft, &path).map_err(doing)?;
        sync_folder(&self.folder);
        Ok(path)
    }

    /// The names of all complete files, oldest first.
    ///
    /// # Errors
    /// Git where the folder cannot be listed.
    pub(super) fn list(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for path in self.entries()? {
            if path.extension().is_some_and(|e| e == "jsonl") {
                found.push(path);
            }
        }
        found.sort();
        Ok(found)
    }

    /// Files that were set aside as damaged, in order.
    ///
    /// # Errors
    /// Git where the folder cannot be listed.
    pub(super) fn set_aside(&self) -> Result<Vec<PathBuf>> {
        let mut found = self.entries()?;
        found.retain(|p| p.extension().is_some_and(|e| e == "bad"));
        found.sort();
        Ok(found)
    }

    fn entries(&self) -> Result<Vec<PathBuf>> {
        let doing = |e| Error::git(format!("listing {}", self.folder.display())).with_source(e);
        match fs::read_dir(&self.folder) {
            Ok(entries) => entries
                .map(|entry| entry.map(|e| e.path()).map_err(doing))
                .collect(),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(doing(e)),
        }
    }

    /// What the file at `path` holds; `None` where another writer has dealt with it.
    ///
    /// # Errors
    /// Git where it is there and cannot be read.
    pub(super) fn read(path: &Path) -> Result<Option<SpoolFile>> {
        let doing = |e| Error::git(format!("reading {}", path.display())).with_source(e);
        let file = match File::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(doing(e)),
        };
        let mut from = BufReader::new(file);
        let mut read = SpoolFile {
            path: path.to_owned(),
            waiting: Waiting::default(),
            damaged: 0,
        };
        let mut row = Vec::new();
        loop {
            row.clear();
            let length = (&mut from)
                .take(MAX_ROW)
                .read_until(b'\n', &mut row)
                .map_err(doing)?;
            if length == 0 {
                break;
            }
            // A row without an end was cut off.
            let whole = row.ends_with(b"\n");
            match serde_json::from_slice(&row).ok().filter(|_| whole) {
                Some(row) => read.take(row),
                None => read.damaged += 1,
            }
        }
        if read.waiting.is_empty() && read.damaged == 0 {
            read.damaged = 1;
        }
        Ok(Some(read))
    }

    /// Gives a damaged file a name under which it is kept and no longer looked at; its new name.
    pub(super) fn put_aside(path: &Path) -> Result<PathBuf> {
        let aside = path.with_extension("bad");
        match fs::rename(path, &aside) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                let doing = format!("setting {} aside", path.display());
                Err(Error::git(doing).with_source(e))
            }
            _ => Ok(aside),
        }
    }

    /// Removes a file whose lines stand in the notes.
    pub(super) fn remove(path: &Path) -> Result<()> {
        match fs::remove_file(path) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                let doing = format!("removing {}, which is written", path.display());
                Err(Error::git(doing).with_source(e))
            }
            _ => Ok(()),
        }
    }

    /// Removes what killed writers left half-written. Best effort: it is in nobody's way.
    pub(super) fn sweep(&self) {
        for path in self.entries().unwrap_or_default() {
            let age = fs::metadata(&path).and_then(|m| m.modified());
            let old = age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED));
            if old && path.extension().is_some_and(|e| e == "tmp") {
                let _ = fs::remove_file(path);
            }
        }
    }
}

impl SpoolFile {
    fn take(&mut self, row: Row) {
        match row {
            Row::Record { kind, target, line } => match Oid::from_hex(&target) {
                Some(target) if !line.trim().is_empty() && !line.contains('\n') => {
                    self.waiting.additions.push(Addition {
                        kind,
                        target,
                        line: line.into_bytes(),
                    });
                }
                _ => self.damaged += 1,
            },
            Row::Config { config } if !config.is_empty() => {
                self.waiting.configs.push(config.into_bytes());
            }
            Row::Config { .. } => self.damaged += 1,
        }
    }
}

fn write(path: &Path, waiting: &Waiting) -> std::io::Result<()> {
    let text = |bytes: &[u8]| {
        std::str::from_utf8(bytes)
            .map(str::to_owned)
            .map_err(|e| std::io::Error::new(ErrorKind::InvalidData, e))
    };
    let mut to = BufWriter::new(File::create_new(path)?);
    for addition in &waiting.additions {
        let row = Row::Record {
            kind: addition.kind,
            target: addition.target.to_string(),
            line: text(&addition.line)?,
        };
        serde_json::to_writer(&mut to, &row)?;
        to.write_all(b"\n")?;
    }
    for config in &waiting.configs {
        let row = Row::Config {
            config: text(config)?,
        };
        serde_json::to_writer(&mut to, &row)?;
        to.write_all(b"\n")?;
    }
    to.into_inner()
        .map_err(std::io::IntoInnerError::into_error)?
        .sync_all()
}

/// So that the new name outlives a power cut, where folders can be synced at all.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
