//! Files in the git directory that block writers, or wait for one.

use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Finding, Severity};
use crate::repo::lock::{age, seconds};
use crate::repo::{Repo, shell_word};

/// A lock file that is older has most likely nobody behind it.
const STALE: Duration = Duration::from_secs(60);
/// Our own lock is held for the length of one write.
const LONG: Duration = Duration::from_secs(600);
/// Folders of refs that are ours, from the common directory.
const OURS: [&str; 5] = [
    "refs/notes/evolve",
    "refs/notes",
    "refs/evolve",
    "refs/heads/evolve",
    "refs/heads/evolve-notes",
];
/// Deepest folder of refs that is looked into.
const DEPTH: usize = 12;

/// Lock files of git's on the index, on HEAD, on all refs, and on refs of ours.
pub(super) fn locks(repo: &Repo, found: &mut Vec<Finding>) {
    let common = repo.common_dir();
    let own = repo.git_dir();
    let mut paths = vec![
        own.join("index.lock"),
        own.join("HEAD.lock"),
        common.join("packed-refs.lock"),
        common.join("config.lock"),
        common.join("reftable").join("tables.list.lock"),
    ];
    for folder in OURS {
        // Of other notes than ours only a lock on the folder's own name matters.
        let depth = if folder == "refs/notes" { 0 } else { DEPTH };
        collect(&common.join(folder), depth, &mut paths);
    }
    paths.sort();
    paths.dedup();
    for path in paths {
        let Some(age) = age(&path) else { continue };
        let stale = age > STALE;
        let finding = Finding::new(
            "lock-file",
            if stale {
                Severity::Warning
            } else {
                Severity::Note
            },
            format!("{} is {} old", path.display(), seconds(age)),
            "while it is there git and git-evolve cannot write what it locks; a command that \
             was killed leaves it behind",
        );
        found.push(if stale {
            finding.mended_by(format!("rm {}", shell_word(&path.display().to_string())))
        } else {
            finding
        });
    }
}

fn collect(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
        if is_folder && depth > 0 {
            collect(&path, depth - 1, into);
        } else if !is_folder && path.extension().is_some_and(|e| e == "lock") {
            into.push(path);
        }
    }
}

/// Who holds our own lock.
pub(super) fn our_lock(repo: &Repo, found: &mut Vec<Finding>) {
    let path = repo.evolve_dir().join("lock");
    let Ok(mut file) = File::open(&path) else {
        return;
    };
    if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return;
    }
    let mut text = String::new();
    let _ = Read::by_ref(&mut file).take(100).read_to_string(&mut text);
    let mut words = text.split_whitespace();
    let process = words.next().unwrap_or("another one").to_owned();
    let since = words.next().and_then(|w| w.parse::<u64>().ok());
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let held = since
        .zip(now.ok())
        .map(|(since, now)| now.saturating_sub(Duration::from_millis(since)));
    let long = held.is_some_and(|held| held > LONG);
    let length = held
        .map(|h| format!(" for {}", seconds(h)))
        .unwrap_or_default();
    found.push(Finding::new(
        "lock-held",
        if long {
            Severity::Warning
        } else {
            Severity::Note
        },
        format!("process {process} holds {}{length}", path.display()),
        "other writers of records wait for it; the system gives it back when that process ends",
    ));
}

/// A notes merge of git's that nobody finished.
pub(super) fn unfinished_merge(repo: &Repo, found: &mut Vec<Finding>) {
    for folder in [repo.git_dir(), repo.common_dir()] {
        let named = folder.join("NOTES_MERGE_REF");
        // An aborted one leaves its folder behind, empty.
        let left = ["NOTES_MERGE_REF", "NOTES_MERGE_PARTIAL"];
        if !left.iter().any(|name| folder.join(name).exists()) {
            continue;
        }
        let mut text = String::new();
        let _ = File::open(named).and_then(|f| f.take(1_000).read_to_string(&mut text));
        let of = text.trim().trim_start_matches("ref:").trim();
        let of = if of.is_empty() { "some notes" } else { of };
        found.push(
            Finding::new(
                "notes-merge-unfinished",
                Severity::Warning,
                format!("a `git notes merge` into {of} stopped half-way"),
                "finishing it later would put the notes back to how they were joined then; \
                 `git evolve fetch` joins records line by line",
            )
            .mended_by("git notes merge --abort"),
        );
        return;
    }
}

/// Records that wait to be written, and payloads that are in no note.
pub(super) fn set_aside(repo: &Repo, found: &mut Vec<Finding>) {
    let mut waiting = 0_usize;
    let mut damaged = Vec::new();
    let spool = repo.evolve_dir().join("spool");
    for path in names_in(&spool) {
        match path.extension().and_then(|e| e.to_str()) {
            Some("jsonl") => waiting += 1,
            Some("bad") => damaged.push(path),
            _ => {}
        }
    }
    if waiting > 0 {
        found.push(Finding::new(
            "spool-waiting",
            Severity::Note,
            format!("{waiting} files of records wait in {}", spool.display()),
            "they are read and counted; the next command that writes records writes them",
        ));
    }
    for path in damaged {
        found.push(Finding::new(
            "spool-damaged",
            Severity::Warning,
            format!("{} cannot be read as records", path.display()),
            "what was to be recorded there is in no note; look into it before it is removed",
        ));
    }
    let large = repo.evolve_dir().join("large");
    let kept = names_in(&large).len();
    if kept > 0 {
        found.push(Finding::new(
            "payloads-kept-here",
            Severity::Note,
            format!(
                "{kept} payloads over the cap are files in {}",
                large.display()
            ),
            "no push takes them along: elsewhere the figures that need them are unknown",
        ));
    }
}

fn names_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
    paths.sort();
    paths
}
