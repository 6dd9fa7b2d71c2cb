//! Ref transactions under way, so that what a killed one leaves behind can be told from locks
//! that somebody holds.
//!
//! Before git moves refs, a file in `<common dir>/evolve/moving` names them, locked by us and by
//! git's own process, which has it as its standard output or input. A file of that folder that
//! can be locked has nobody behind it any more, and neither have the lock files of the refs it
//! names.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use super::Repo;
use super::lock::{StaleLock, age, lock_of};

/// How long a lock file must stay as it is before it counts as left behind: longer than any
/// git command holds a ref's lock.
const STILL: Duration = Duration::from_millis(250);
/// How long after its beginning a transaction may still have made locks. Later ones are
/// somebody's own: git keeps some (of packed refs) longer than [`STILL`] without touching them.
const LONGEST: Duration = Duration::from_secs(900);
/// What is read of one file.
const MAX_BYTES: u64 = 16 << 20;

/// One transaction; its file goes with the value.
pub(super) struct InFlight {
    path: PathBuf,
    file: File,
}

impl InFlight {
    /// Announces that the refs `names` are about to move; one that ends in `/` stands for all
    /// below it. `None` where it cannot be written down: the transaction goes on without.
    pub(super) fn announce<'n>(
        repo: &Repo,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Option<InFlight> {
        let folder = folder(repo);
        fs::create_dir_all(&folder).ok()?;
        let began = now();
        let path = folder.join(format!("{}-{}", std::process::id(), began.as_nanos()));
        let file = OpenOptions::new()
            .create_new(true)
            .read(true)
            .append(true)
            .open(&path)
            .ok()?;
        let flight = InFlight { path, file };
        flight.file.try_lock().ok()?;
        let mut text = format!("{}\n", began.as_millis());
        for name in names {
            text.push_str(name);
            text.push('\n');
        }
        (&flight.file).write_all(text.as_bytes()).ok()?;
        Some(flight)
    }

    /// The file as a child's standard input or output, whose lock the child then shares.
    pub(super) fn handle(&self) -> Option<Stdio> {
        self.file.try_clone().ok().map(Stdio::from)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn now() -> Duration {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default()
}

fn folder(repo: &Repo) -> PathBuf {
    repo.evolve_dir().join("moving")
}

/// Removes the lock files that transactions of ours left behind when they were killed.
pub(super) fn clear_abandoned(repo: &Repo) -> Vec<StaleLock> {
    let mut gone = Vec::new();
    let Ok(entries) = fs::read_dir(folder(repo)) else {
        return gone;
    };
    for entry in entries.flatten() {
        gone.extend(clear(repo, &entry.path()));
    }
    gone
}

fn clear(repo: &Repo, path: &Path) -> Vec<StaleLock> {
    let Ok(file) = OpenOptions::new().read(true).append(true).open(path) else {
        return Vec::new();
    };
    if file.try_lock().is_err() {
        return Vec::new();
    }
    let mut text = String::new();
    if (&file).take(MAX_BYTES).read_to_string(&mut text).is_err() {
        return Vec::new();
    }
    // Written before the locks were made; file systems keep time a little less exactly.
    let began = text
        .lines()
        .next()
        .and_then(|l| l.parse().ok())
        .unwrap_or(u64::MAX);
    let began = Duration::from_millis(began);
    let made_then = began.saturating_sub(Duration::from_secs(1))..=began.saturating_add(LONGEST);
    let names = text.lines().filter(|l| l.starts_with("refs/"));
    let mut locks = Vec::new();
    for name in names.filter(|n| !n.contains("..")) {
        if name.ends_with('/') {
            locks_below(&repo.common_dir().join(name), &mut locks);
        } else {
            locks.push(lock_of(repo.common_dir(), name));
        }
    }
    locks.push(repo.git_dir().join("HEAD.lock"));
    locks.push(repo.common_dir().join("packed-refs.lock"));
    let left: Vec<(PathBuf, SystemTime)> = locks
        .into_iter()
        .filter_map(|lock| {
            let at = fs::symlink_metadata(&lock)
                .and_then(|m| m.modified())
                .ok()?;
            let made = at.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            made_then.contains(&made).then_some((lock, at))
        })
        .collect();
    let mut gone = Vec::new();
    if !left.is_empty() {
        std::thread::sleep(STILL);
    }
    for (lock, at) in left {
        let now = fs::symlink_metadata(&lock).and_then(|m| m.modified()).ok();
        let old = age(&lock);
        if now == Some(at) && fs::remove_file(&lock).is_ok() {
            gone.extend(old.map(|age| StaleLock { path: lock, age }));
        }
    }
    let _ = fs::remove_file(path);
    gone
}

/// Adds the lock files below `folder`. Links are not followed.
fn locks_below(folder: &Path, locks: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => locks_below(&path, locks),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|e| e == "lock") => {
                locks.push(path);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Writer;

    fn repo() -> (tempfile::TempDir, Repo) {
        let folder = tempfile::tempdir().expect("a folder");
        let writer = Writer::create(&folder.path().join("r")).expect("a repository");
        let repo = Repo::discover(&writer.path()).expect("found");
        (folder, repo)
    }

    #[test]
    fn locks_of_a_transaction_are_left_alone_while_it_runs_and_cleared_when_it_died() {
        let (_folder, repo) = repo();
        let lock = lock_of(repo.common_dir(), "refs/evolve/x");
        fs::create_dir_all(lock.parent().expect("a folder")).expect("made");
        let flight = InFlight::announce(&repo, ["refs/evolve/"]).expect("announced");
        fs::write(&lock, "").expect("locked");
        assert_eq!(clear_abandoned(&repo), []);
        assert!(lock.exists());

        // What a kill leaves: the file, with nobody behind it.
        let path = flight.path.clone();
        let text = fs::read(&path).expect("read");
        drop(flight);
        assert!(!path.exists());
        fs::write(&path, text).expect("written");
        let gone = clear_abandoned(&repo).into_iter().map(|s| s.path);
        let gone: Vec<PathBuf> = gone.collect();
        assert_eq!(gone, std::slice::from_ref(&lock));
        assert!(!lock.exists() && !path.exists());
    }

    #[test]
    fn a_lock_that_was_there_before_and_one_of_another_ref_are_nobodys_of_ours() {
        let (_folder, repo) = repo();
        let other = lock_of(repo.common_dir(), "refs/evolve/y");
        let older = lock_of(repo.common_dir(), "refs/evolve/x");
        fs::create_dir_all(older.parent().expect("a folder")).expect("made");
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        let file = File::create(&older).expect("locked");
        file.set_modified(hour_ago).expect("dated");
        fs::write(&other, "").expect("locked");
        let flight = InFlight::announce(&repo, ["refs/evolve/x"]).expect("announced");
        let text = fs::read(&flight.path).expect("read");
        let path = flight.path.clone();
        drop(flight);
        fs::write(&path, text).expect("written");
        assert_eq!(clear_abandoned(&repo), []);
        assert!(other.exists() && older.exists());
    }

    #[test]
    fn what_is_locked_long_after_a_killed_transaction_is_somebodys_own() {
        let (_folder, repo) = repo();
        let packed = repo.common_dir().join("packed-refs.lock");
        fs::write(&packed, "").expect("locked");
        let day_ago = (now() - Duration::from_secs(24 * 3600)).as_millis();
        let path = folder(&repo).join("1-1");
        fs::create_dir_all(folder(&repo)).expect("made");
        fs::write(&path, format!("{day_ago}\nrefs/evolve/x\n")).expect("written");
        assert_eq!(clear_abandoned(&repo), []);
        assert!(packed.exists() && !path.exists());
    }
}
