//! The pending checkpoint: what `begin` noted and what a command has in hand, kept in the git
//! directory of the work tree so that whichever command comes next completes it.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::record::{ChainPath, Moment, ObjectName, PathName, RecordId, is_part};
use crate::repo::hooks::{COMMITS, PENDING};
use crate::repo::{Oid, RefMove, Repo, TreePath};

/// A checkpoint that was begun in this work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The chain's path.
    pub chain: String,
    /// The chain's identity.
    pub begin: RecordId,
    /// The checkpoint's number.
    pub checkpoint: u32,
    /// The checkpoint's id in the plan.
    #[serde(deserialize_with = "checkpoint_id")]
    pub checkpoint_id: String,
    /// The branch it is worked on, in full.
    pub branch: String,
    /// The chain's base commit.
    pub base: ObjectName,
    /// The commit the agent commit will stand on.
    pub parent: ObjectName,
    /// This attempt; none where a reset found no begun checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<RecordId>,
    /// When it was begun.
    pub started: Moment,
    /// Untracked files that were there already, of which the first ten thousand are noted.
    #[serde(default)]
    pub untracked_before: Vec<Before>,
    /// How many there were.
    #[serde(default)]
    pub untracked_count: u64,
    /// What stood around the work.
    #[serde(default)]
    pub surroundings: Surroundings,
    /// The agent commit, once it is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<ObjectName>,
    /// How far it is.
    pub phase: Phase,
    /// What a command is in the middle of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_hand: Option<InHand>,
}

/// How far a pending checkpoint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// `begin` is in the middle of it.
    Beginning,
    /// The agent works.
    Begun,
    /// `record` is in the middle of it.
    Recording,
    /// The agent commit is there, the reset is not.
    Recorded,
    /// `reset` is in the middle of it.
    Resetting,
}

/// An untracked file as it was when the checkpoint began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// Where.
    #[serde(flatten)]
    pub path: PathName,
    /// The blob its bytes would be; none for what is too large to be read, and for repositories
    /// of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<ObjectName>,
}

/// Digests of what an agent should leave alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// Of the repository's configuration.
    pub config: String,
    /// Of the folder of hooks.
    pub hooks: String,
}

/// What remains to be done once a record is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InHand {
    /// The record that must be there before any ref moves; none: nothing is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordId>,
    /// The commit that record is attached to, where it is not `commit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<ObjectName>,
    /// The commit that was made, or the branch's.
    pub commit: ObjectName,
    /// The refs that move.
    pub moves: Vec<Move>,
    /// The paths that index and work tree then get from the commit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathName>,
}

/// A ref that moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Its full name.
    pub name: String,
    /// What it has now; none: it is not there.
    pub old: Option<ObjectName>,
    /// What it gets.
    pub new: ObjectName,
}

impl Pending {
    /// What is pending in this work tree.
    ///
    /// # Errors
    /// Git where the file cannot be read or is no such file.
    pub fn read(repo: &Repo) -> Result<Option<Pending>> {
        Pending::read_at(&file(repo))
    }

    /// What is pending in the work tree whose git directory holds `path`.
    pub(super) fn read_at(path: &std::path::Path) -> Result<Option<Pending>> {
        let doing = || format!("reading {}", path.display());
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| {
                Error::git(doing())
                    .with_hint("`git evolve begin --abandon` drops what is noted there")
                    .with_source(e)
            }),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::git(doing()).with_source(e)),
        }
    }

    /// Writes it down, whole or not at all.
    ///
    /// # Errors
    /// Git where the file cannot be written.
    pub fn write(&self, repo: &Repo) -> Result<()> {
        let path = file(repo);
        let doing = || format!("writing {}", path.display());
        let failed = |e: std::io::Error| Error::git(doing()).with_source(e);
        let bytes =
            serde_json::to_vec_pretty(self).map_err(|e| Error::internal(doing()).with_source(e))?;
        fs::create_dir_all(folder(repo)).map_err(failed)?;
        let new = folder(repo).join("pending.json.new");
        let mut out = fs::File::create(&new).map_err(failed)?;
        out.write_all(&bytes).map_err(failed)?;
        out.sync_all().map_err(failed)?;
        fs::rename(&new, &path).map_err(failed)
    }

    /// Forgets it, and the commits that were noted for it.
    ///
    /// # Errors
    /// Git where the files cannot be removed.
    pub fn remove(repo: &Repo) -> Result<()> {
        for path in [file(repo), commits_file(repo)] {
            match fs::remove_file(&path) {
                Ok(()) => {}
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => {
                    let doing = format!("removing {}", path.display());
                    return Err(Error::git(doing).with_source(e));
                }
            }
        }
        Ok(())
    }

    /// The commits that were noted as they were made, oldest first, each once. What is no id in
    /// the list is passed over.
    pub fn noted_commits(repo: &Repo) -> Vec<Oid> {
        let bytes = fs::read(commits_file(repo)).unwrap_or_default();
        let mut seen = std::collections::HashSet::new();
        String::from_utf8_lossy(&bytes)
            .lines()
            .filter_map(|l| Oid::from_hex(l.trim()))
            .filter(|id| seen.insert(*id))
            .collect()
    }

    /// Begins the list of noted commits anew.
    ///
    /// # Errors
    /// Git where it cannot be written.
    pub(super) fn clear_commits(repo: &Repo) -> Result<()> {
        let path = commits_file(repo);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                Err(Error::git(format!("removing {}", path.display())).with_source(e))
            }
            _ => Ok(()),
        }
    }

    /// The chain's path.
    ///
    /// # Errors
    /// Git where the file names none.
    pub fn path(&self) -> Result<ChainPath> {
        ChainPath::parse(&self.chain).ok_or_else(|| {
            Error::git(format!(
                "the pending checkpoint names no chain: '{}'",
                self.chain
            ))
            .with_hint("`git evolve begin --abandon` drops it")
        })
    }

    /// The branch without `refs/heads/`.
    pub fn short_branch(&self) -> &str {
        let name = self.branch.as_str();
        name.strip_prefix("refs/heads/").unwrap_or(name)
    }
}

impl Move {
    pub(super) fn of(step: &RefMove) -> Option<Move> {
        Some(Move {
            name: step.name.clone(),
            old: step.old.map(named),
            new: named(step.new?),
        })
    }

    pub(super) fn to_ref_move(&self) -> Result<RefMove> {
        Ok(RefMove {
            name: self.name.clone(),
            old: self.old.as_ref().map(oid).transpose()?,
            new: Some(oid(&self.new)?),
        })
    }
}

/// The bytes of a path that was noted.
pub(super) fn path_bytes(name: &PathName) -> TreePath {
    let Some(hex) = &name.path_hex else {
        return name.path.as_bytes().into();
    };
    let digit = |b: u8| char::from(b).to_digit(16).unwrap_or(0) as u8;
    hex.as_bytes()
        .chunks_exact(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

/// An id in the form of records: no other may come into a commit's trailers.
fn checkpoint_id<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> std::result::Result<String, D::Error> {
    let text = String::deserialize(from)?;
    match is_part(&text) {
        true => Ok(text),
        false => Err(serde::de::Error::custom("a checkpoint id out of form")),
    }
}

/// An object's name as records write it.
pub(super) fn named(id: Oid) -> ObjectName {
    ObjectName::parse(&id.to_string()).expect("git ids are lower-case hexadecimal")
}

/// The object that a record names.
pub(super) fn oid(name: &ObjectName) -> Result<Oid> {
    Oid::from_hex(name.as_str()).ok_or_else(|| Error::git(format!("{name} is no object id")))
}

/// Where the state of this work tree is.
pub(super) fn folder(repo: &Repo) -> PathBuf {
    repo.git_dir().join("evolve")
}

fn file(repo: &Repo) -> PathBuf {
    repo.git_dir().join(PENDING)
}

/// The list that post-commit appends to: one id a line.
pub fn commits_file(repo: &Repo) -> PathBuf {
    repo.git_dir().join(COMMITS)
}
