//! What the post-commit hook does: it adds the new commit to the list of the checkpoint that is
//! open, if one is. Few files are looked at, no object is read.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};

use super::super::Repo;
use crate::error::{Error, Result};

/// Below the git directory of a worktree: its open checkpoint.
pub const PENDING: &str = "evolve/pending.json";
/// Below the git directory of a worktree: the commits made since, one id a line, oldest first.
pub const COMMITS: &str = "evolve/commits";
/// Below the shared git directory: left by a hook that did not find our program.
const MISSED: &str = "evolve/missed";

/// Whether a rebase, an `am`, a cherry-pick or another sequence of picks is under way in this
/// worktree: commits made then are copies.
///
/// # Errors
/// The refs of a repository in the reftable format cannot be read.
pub fn in_progress(repo: &Repo) -> Result<bool> {
    let there = |name: &str| repo.git_dir().join(name).exists();
    if [
        "rebase-merge",
        "rebase-apply",
        "sequencer",
        "CHERRY_PICK_HEAD",
    ]
    .into_iter()
    .any(there)
    {
        return Ok(true);
    }
    match repo.shape.reftable {
        true => Ok(repo
            .reader()?
            .rev_parse_by_git("CHERRY_PICK_HEAD")?
            .is_some()),
        false => Ok(false),
    }
}

/// Adds HEAD to the list of the open checkpoint's commits. False where there is none open, where
/// commits are only being copied, or where HEAD is the last one listed.
///
/// # Errors
/// HEAD cannot be read, or the list cannot be written.
pub fn note_commit(repo: &Repo) -> Result<bool> {
    if !repo.git_dir().join(PENDING).is_file() || in_progress(repo)? {
        return Ok(false);
    }
    let Some(head) = repo.reader()?.head()? else {
        return Ok(false);
    };
    let line = format!("{head}\n");
    let path = repo.git_dir().join(COMMITS);
    let writing = |e| Error::git(format!("adding a commit to {}", path.display())).with_source(e);
    let mut list = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .read(true)
        .open(&path)
        .map_err(writing)?;
    // Two hooks may be installed in two ways.
    if last_line_is(&mut list, line.as_bytes()).map_err(writing)? {
        return Ok(false);
    }
    // One write at the end of the file: nobody else's line is ever inside ours.
    list.write_all(line.as_bytes()).map_err(writing)?;
    Ok(true)
}

fn last_line_is(list: &mut fs::File, line: &[u8]) -> std::io::Result<bool> {
    let (length, size) = (list.metadata()?.len(), line.len() as u64);
    if length < size {
        return Ok(false);
    }
    list.seek(SeekFrom::Start(length - size))?;
    let mut last = Vec::with_capacity(line.len());
    list.take(size).read_to_end(&mut last)?;
    Ok(last == line)
}

/// What a hook left that did not find our program, if one did: when, in its words.
pub fn missed(repo: &Repo) -> Option<String> {
    let mut said = String::new();
    let file = fs::File::open(repo.common_dir().join(MISSED)).ok()?;
    let _ = file.take(200).read_to_string(&mut said);
    Some(said.trim().to_owned())
}

/// Forgets what [`missed`] says.
pub fn clear_missed(repo: &Repo) {
    let _ = fs::remove_file(repo.common_dir().join(MISSED));
}
