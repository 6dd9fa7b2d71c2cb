//! The one way records get into notes: put down in the spool, then joined into the notes by
//! whoever holds the lock, for everybody who waits.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use super::NotesRef;
use super::notes_commit::{Incoming, Maker};
use super::spool::{Addition, Spool, SpoolFile, Waiting};
use crate::error::{Error, Result};
use crate::record::mask::{self, Masker};
use crate::record::{Kind, Line};
use crate::repo::{Lock, Oid, Outcome, Pause, Reader, RefMove, Repo, Writer, shell_word};

/// A record for a commit.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Which notes it goes to.
    pub kind: Kind,
    /// The commit it is attached to, or a tag of it.
    pub target: Oid,
    /// The record.
    pub line: Line,
}

/// What one command writes down, together or not at all.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// Records.
    pub entries: Vec<Entry>,
    /// Configurations: canonical JSON, masked. Each becomes a note on its own blob.
    pub configs: Vec<Vec<u8>>,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Lines and configurations that were asked for and stand in the notes now.
    pub lines: usize,
    /// Those of other commands that wait, gave up or were killed, written on the way.
    pub completed: usize,
    /// What a user should know: stale locks that were removed, damaged files set aside.
    pub remarks: Vec<String>,
    /// Where each notes ref that moved went, by name.
    pub moved: BTreeMap<NotesRef, Oid>,
}

/// Notes commits to be joined into ours, one union a ref. Where that is the same as moving to
/// the other's commit, our ref moves to it; else a commit of both is made.
pub type Tips = [(NotesRef, Oid)];

/// Writes `batch` into the notes. When this returns, its lines stand there.
///
/// # Errors
/// Git where a target is no commit of this repository (then nothing is written), where the spool
/// cannot be written (then nothing is), or where the notes could not be written in time: the
/// lines are then in the spool, and the next writing command completes them.
pub fn append(repo: &Repo, batch: Batch) -> Result<Written> {
    let additions = batch.entries.into_iter().map(|entry| Addition {
        kind: entry.kind,
        target: entry.target,
        line: entry.line.bytes().to_vec(),
    });
    // A line was masked as it was made.
    put_and_write(repo, additions.collect(), batch.configs)
}

/// The same for lines as they were read, as when records are carried over a rewrite.
///
/// # Errors
/// As [`append`]; usage where a line is empty or not UTF-8.
pub fn append_lines(
    repo: &Repo,
    mut additions: Vec<Addition>,
    configs: Vec<Vec<u8>>,
) -> Result<Written> {
    for addition in &mut additions {
        if let Cow::Owned(masked) = mask::general(addition.kind, &addition.line) {
            addition.line = masked;
        }
    }
    put_and_write(repo, additions, configs)
}

fn put_and_write(repo: &Repo, additions: Vec<Addition>, configs: Vec<Vec<u8>>) -> Result<Written> {
    if additions.is_empty() && configs.is_empty() {
        return drain(repo);
    }
    let waiting = checked(&repo.reader()?, additions, configs)?;
    let asked = waiting.len();
    let own = Spool::of(&repo.evolve_dir()).put(&waiting)?;
    drop(waiting);
    let written = write(repo, &[], Some(&own));
    if !own.exists() {
        // Ours are in, whoever wrote them, and whatever went wrong after.
        return match written {
            Ok(written) => Ok(Written {
                lines: asked,
                ..written
            }),
            Err(e) => Ok(Written {
                lines: asked,
                remarks: vec![e.to_string()],
                ..Written::default()
            }),
        };
    }
    match written {
        Ok(_) => Err(kept(
            &own,
            asked,
            &Error::git("the notes are written, the spool file is still there"),
        )),
        Err(e) => Err(kept(&own, asked, &e).with_source(e)),
    }
}

/// Writes what the spool holds of commands that were killed or gave up; nothing to do is no
/// error and takes no lock.
///
/// # Errors
/// Git where the notes could not be written in time; all stays in the spool.
pub fn drain(repo: &Repo) -> Result<Written> {
    if Spool::of(&repo.evolve_dir()).list()?.is_empty() {
        return Ok(Written::default());
    }
    write(repo, &[], None)
}

/// Joins the notes of others into ours, and what the spool holds.
///
/// # Errors
/// Git where an object cannot be read, or the notes could not be written in time. Nothing is
/// lost: the tips stay where they are.
pub fn join(repo: &Repo, tips: &Tips) -> Result<Written> {
    if tips.is_empty() {
        return drain(repo);
    }
    write(repo, tips, None)
}

/// The one write: under the lock, with all that waits, until it holds or the time is up.
fn write(repo: &Repo, tips: &Tips, own: Option<&Path>) -> Result<Written> {
    let limit = repo.lock_timeout()?;
    let done = || own.is_some_and(|own| !own.exists());
    let Some(lock) = Lock::take_unless(repo, Instant::now() + limit, done)? else {
        return Ok(Written::default());
    };
    let spool = Spool::of(&repo.evolve_dir());
    spool.sweep();
    let mut pause = Pause::until(Instant::now() + limit);
    let mut stale = Vec::new();
    loop {
        let reader = repo.reader()?;
        let mut round = Round::gather(&reader, &spool, tips, own)?;
        if let Some(moves) = round.moves(repo, &reader)? {
            let reason = match round.lines {
                1 => "evolve: 1 record".to_owned(),
                lines => format!("evolve: {lines} records"),
            };
            let outcome = repo.transact(&moves, &reason)?;
            if outcome != Outcome::Moved {
                let names = moves.iter().map(|m| m.name.as_str());
                let gone = lock.clear_stale(names)?;
                stale.extend(gone.iter().map(|s| s.remark()));
                if gone.is_empty() && !pause.rest() {
                    return Err(given_up(&outcome, &moves));
                }
                continue;
            }
        }
        let mut written = round.finish()?;
        written.remarks.splice(0..0, stale);
        return Ok(written);
    }
}

/// What is written in one go.
struct Round {
    incoming: BTreeMap<NotesRef, Incoming>,
    files: Vec<SpoolFile>,
    /// Lines that are new in the notes.
    lines: usize,
    written: Written,
}

impl Round {
    fn gather(reader: &Reader, spool: &Spool, tips: &Tips, own: Option<&Path>) -> Result<Round> {
        let mut round = Round {
            incoming: BTreeMap::new(),
            files: Vec::new(),
            lines: 0,
            written: Written::default(),
        };
        for (notes, tip) in tips {
            round.of(*notes).tips.insert(*tip);
        }
        let hash = reader.empty_tree().to_string().len();
        for path in spool.list()? {
            let Some(mut file) = Spool::read(&path)? else {
                continue;
            };
            let waiting = std::mem::take(&mut file.waiting);
            for addition in waiting.additions {
                // An id of the other hash is no id here.
                if addition.target.to_string().len() != hash {
                    file.damaged += 1;
                    continue;
                }
                round.written.completed += usize::from(own != Some(&path));
                let notes = round.of(NotesRef::Records(addition.kind));
                let lines = notes.lines.entry(addition.target).or_default();
                lines.push(addition.line);
            }
            for config in waiting.configs {
                if Masker::general().bytes(&config).1.is_empty() {
                    round.written.completed += usize::from(own != Some(&path));
                    round.of(NotesRef::Config).configs.push(config);
                } else {
                    file.damaged += 1;
                }
            }
            round.files.push(file);
        }
        Ok(round)
    }

    fn of(&mut self, notes: NotesRef) -> &mut Incoming {
        self.incoming.entry(notes).or_default()
    }

    /// Builds the commits and says how the refs are to move; `None` where nothing is new.
    fn moves(&mut self, repo: &Repo, reader: &Reader) -> Result<Option<Vec<RefMove>>> {
        let writer = Writer::open(repo)?;
        let identity = repo.identity()?;
        let maker = Maker {
            reader,
            writer: &writer,
            identity: &identity,
        };
        let mut moves = Vec::new();
        for (notes, incoming) in &self.incoming {
            let name = notes.local();
            let old = reader.reference(&name)?;
            if let Some(next) = maker.next(*notes, old, incoming)? {
                self.lines += next.lines;
                self.written.remarks.extend(next.remarks);
                self.written.moved.insert(*notes, next.tip);
                moves.push(RefMove {
                    name,
                    old,
                    new: Some(next.tip),
                });
            }
        }
        Ok((!moves.is_empty()).then_some(moves))
    }

    /// Takes away the spool files whose lines stand in the notes now.
    fn finish(mut self) -> Result<Written> {
        if self.written.lines == 0 {
            self.written.lines = self.lines;
        }
        for file in self.files {
            if file.damaged == 0 {
                Spool::remove(&file.path)?;
                continue;
            }
            let aside = Spool::put_aside(&file.path)?;
            self.written.remarks.push(format!(
                "{} lines of the spool could not be read: kept in {}",
                file.damaged,
                aside.display()
            ));
        }
        Ok(self.written)
    }
}

/// What is to be written, once it may be: targets are commits, no line is empty.
fn checked(reader: &Reader, additions: Vec<Addition>, configs: Vec<Vec<u8>>) -> Result<Waiting> {
    let mut waiting = Waiting {
        additions: Vec::with_capacity(additions.len()),
        configs,
    };
    for Addition { kind, target, line } in additions {
        let Some(commit) = reader.peeled(target)? else {
            return Err(Error::git(format!(
                "recording on {target}: no commit of this repository"
            ))
            .with_hint("records are attached to commits, and a tag stands for its commit"));
        };
        if line.trim_ascii().is_empty() || line.contains(&b'\n') {
            return Err(Error::usage(format!(
                "recording on {target}: a {kind} record is empty or of several lines"
            )));
        }
        if std::str::from_utf8(&line).is_err() {
            return Err(Error::usage(format!(
                "recording on {target}: a {kind} record is not UTF-8"
            )));
        }
        waiting.additions.push(Addition {
            kind,
            target: commit,
            line,
        });
    }
    for config in &waiting.configs {
        if config.is_empty() || !Masker::general().bytes(config).1.is_empty() {
            return Err(Error::internal(
                "a configuration is empty or was not masked before it was named",
            ));
        }
    }
    Ok(waiting)
}

fn given_up(outcome: &Outcome, moves: &[RefMove]) -> Error {
    let names: Vec<&str> = moves.iter().map(|m| m.name.as_str()).collect();
    let obstacle = outcome.obstacle().unwrap_or_default();
    let error = Error::git(format!("writing {}: {obstacle}", names.join(", ")));
    match outcome {
        Outcome::Locked { path, .. } => error.with_hint(format!(
            "if no git command is running, remove it: rm {}",
            shell_word(&path.display().to_string())
        )),
        _ => error.with_hint("try again"),
    }
}

fn kept(own: &Path, asked: usize, cause: &Error) -> Error {
    let after = "the next writing command completes it";
    let hint = match cause.hint() {
        Some(hint) => format!("{hint}; {after}"),
        None => after.to_owned(),
    };
    let what = match asked {
        1 => "1 record is",
        _ => &format!("{asked} records are"),
    };
    Error::git(format!(
        "{what} kept in {} and not in the notes yet: {cause}",
        own.display()
    ))
    .with_hint(hint)
}
