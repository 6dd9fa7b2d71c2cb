//! Checkpoints that were begun and not closed, in this and in other work trees.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::record::sheet;
use crate::repo::hooks::{COMMITS, PENDING};
use crate::repo::{Oid, Repo};

/// Largest file that is read.
const MAX: u64 = 64 << 20;

/// A checkpoint that was begun in some work tree. What its file does not say is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingCheckpoint {
    /// The git directory of the work tree.
    pub git_dir: PathBuf,
    /// The work tree's name: `main`, or that of a linked one.
    pub work_tree: String,
    /// It is the one the command runs in.
    pub here: bool,
    /// The chain's path.
    pub chain: Option<String>,
    /// Its number.
    pub checkpoint: Option<u64>,
    /// Its id in the plan.
    pub checkpoint_id: Option<String>,
    /// When it was begun.
    pub started: Option<String>,
    /// How far it is: `begun`, `recorded`, or in the middle of a command.
    pub phase: Option<String>,
    /// Commits that hooks noted since.
    pub commits: usize,
    /// The commit that a command is in the middle of making, or was when it was killed: it may
    /// have its records before any branch has it.
    pub in_hand: Option<Oid>,
    /// The file is there and cannot be read.
    pub damaged: bool,
}

/// What is pending in every work tree; this one's first, then by name.
pub(in crate::ledger) fn all(repo: &Repo) -> Vec<PendingCheckpoint> {
    let common = repo.common_dir();
    let mut folders = vec![("main".to_owned(), common.to_owned())];
    let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten();
    for entry in linked.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        folders.push((name, entry.path()));
    }
    let mut found: Vec<PendingCheckpoint> = folders
        .into_iter()
        .filter_map(|(name, folder)| read(name, folder, repo.git_dir()))
        .collect();
    found.sort_by(|a, b| (!a.here, &a.work_tree).cmp(&(!b.here, &b.work_tree)));
    found
}

fn read(work_tree: String, git_dir: PathBuf, here: &Path) -> Option<PendingCheckpoint> {
    let path = git_dir.join(PENDING);
    let size = fs::metadata(&path).ok()?.len();
    let text = if size <= MAX {
        fs::read(&path).ok()?
    } else {
        Vec::new()
    };
    let read: Option<Value> = serde_json::from_slice(&text).ok();
    let value = read.as_ref();
    let word = |key: &str| value.and_then(|v| v[key].as_str()).map(str::to_owned);
    let mut commits = Vec::new();
    // A list that is not there, or can be read in part only, counts as far as it goes.
    let _ = fs::File::open(git_dir.join(COMMITS))
        .and_then(|list| list.take(MAX).read_to_end(&mut commits));
    Some(PendingCheckpoint {
        here: git_dir == here,
        chain: word("chain"),
        checkpoint: value.and_then(|v| v["checkpoint"].as_u64()),
        checkpoint_id: word("checkpoint_id"),
        started: word("started"),
        phase: word("phase"),
        in_hand: value
            .and_then(|v| v["in_hand"]["commit"].as_str())
            .and_then(Oid::from_hex),
        commits: sheet::lines(&commits).count(),
        damaged: value.is_none_or(|v| !v.is_object()),
        work_tree,
        git_dir,
    })
}
