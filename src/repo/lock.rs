//! The one lock that everything which writes records holds, and what may be done under it.
//!
//! It is an advisory lock on `<common dir>/evolve/lock`, which the system gives back when its
//! holder ends, however that comes about. The file stays; what it says is only for messages.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::Repo;
use crate::error::{Error, Result};

/// How long a writer waits where `evolve.lockTimeout` says nothing.
const WAIT: Duration = Duration::from_secs(10);
/// A lock of git's on one of our refs is stale when it is older than this.
const STALE: Duration = Duration::from_secs(60);
/// What is read of the holder's text.
const HOLDER_BYTES: u64 = 100;

/// The lock, held as long as the value lives.
#[derive(Debug)]
pub struct Lock {
    /// Closing it gives the lock back.
    _file: File,
    common_dir: PathBuf,
    reftable: bool,
}

/// A lock file of git's that was left behind and is gone now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleLock {
    /// Which file.
    pub path: PathBuf,
    /// How old it was.
    pub age: Duration,
}

impl Repo {
    /// How long a writer waits for locks: `evolve.lockTimeout` in seconds, else ten; a command
    /// without patience ([`Repo::with_patience`]) no longer than that.
    ///
    /// # Errors
    /// Usage where the setting is no number of seconds.
    pub fn lock_timeout(&self) -> Result<Duration> {
        let most = self.patience.unwrap_or(Duration::MAX);
        let limit = self.seconds_setting("evolve.lockTimeout")?.unwrap_or(WAIT);
        Ok(limit.min(most))
    }

    /// The folder of what is ours alone in the git directory that all worktrees share.
    pub fn evolve_dir(&self) -> PathBuf {
        self.common_dir().join("evolve")
    }
}

impl Lock {
    /// Takes the lock, waiting for its holder until `deadline`.
    ///
    /// # Errors
    /// Git where the deadline passes, with the lock's path, its holder and since when, or where
    /// the file cannot be made.
    pub fn take(repo: &Repo, deadline: Instant) -> Result<Lock> {
        match Lock::take_unless(repo, deadline, || false)? {
            Some(lock) => Ok(lock),
            None => Err(Error::internal("a lock was not waited for")),
        }
    }

    /// The same; `None` where `done` says, while its holder is waited for, that the holder has
    /// done what the lock was wanted for.
    ///
    /// # Errors
    /// As [`Lock::take`].
    pub fn take_unless(
        repo: &Repo,
        deadline: Instant,
        mut done: impl FnMut() -> bool,
    ) -> Result<Option<Lock>> {
        let path = repo.evolve_dir().join("lock");
        let mut file = open(&path)?;
        let mut pause = Pause::until(deadline);
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    if done() {
                        return Ok(None);
                    }
                    if !pause.rest() {
                        return Err(busy(&path));
                    }
                }
                Err(TryLockError::Error(e)) => {
                    return Err(Error::git(format!("locking {}", path.display())).with_source(e));
                }
            }
        }
        // Only for the message of who waits; a file that cannot be written still locks.
        let text = format!("{} {}\n", std::process::id(), millis(SystemTime::now()));
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()));
        Ok(Some(Lock {
            _file: file,
            common_dir: repo.common_dir().to_owned(),
            reftable: repo.shape.reftable,
        }))
    }

    /// Removes git's lock files on those of `names` that are ours alone, where they are older
    /// than a minute: git holds a ref's lock for moments, so nobody is behind them.
    ///
    /// # Errors
    /// Git where such a file cannot be removed.
    pub fn clear_stale<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Vec<StaleLock>> {
        let mut gone = Vec::new();
        if self.reftable {
            return Ok(gone);
        }
        for name in names.into_iter().filter(|n| is_ours(n)) {
            let path = lock_of(&self.common_dir, name);
            let Some(age) = age(&path).filter(|age| *age > STALE) else {
                continue;
            };
            match std::fs::remove_file(&path) {
                Ok(()) => gone.push(StaleLock { path, age }),
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => {
                    let doing = format!("removing the stale lock {}", path.display());
                    return Err(Error::git(doing).with_source(e));
                }
            }
        }
        Ok(gone)
    }
}

/// Whether nobody but this program writes the ref `name`.
fn is_ours(name: &str) -> bool {
    [
        "refs/notes/evolve/",
        "refs/evolve/",
        "refs/heads/evolve/",
        "refs/heads/evolve-notes/",
    ]
    .iter()
    .any(|ours| name.starts_with(ours))
}

/// Where git locks the ref `name` in a repository with one file a ref.
pub(super) fn lock_of(common_dir: &Path, name: &str) -> PathBuf {
    common_dir.join(format!("{name}.lock"))
}

/// How long ago `path` was written; `None` where it is not there.
pub(super) fn age(path: &Path) -> Option<Duration> {
    let written = std::fs::symlink_metadata(path).and_then(|m| m.modified());
    let written = written.ok()?;
    Some(
        SystemTime::now()
            .duration_since(written)
            .unwrap_or_default(),
    )
}

/// Waiting, longer each time and never twice the same, until a deadline.
#[derive(Debug)]
pub struct Pause {
    deadline: Instant,
    next: Duration,
}

impl Pause {
    /// Rests that end by `deadline`.
    pub fn until(deadline: Instant) -> Pause {
        Pause {
            deadline,
            next: Duration::from_millis(2),
        }
    }

    /// Rests a while; false, at once, where the deadline has passed.
    pub fn rest(&mut self) -> bool {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(self.next.mul_f64(0.5 + jitter()).min(left));
        self.next = (self.next * 3 / 2).min(Duration::from_millis(100));
        true
    }
}

/// A number from 0 to 1 that differs from one process and moment to the next.
fn jitter() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    let drawn = RandomState::new().hash_one(Instant::now());
    f64::from(u32::try_from(drawn >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}

fn open(path: &Path) -> Result<File> {
    let making = |e| Error::git(format!("making the lock {}", path.display())).with_source(e);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(making)?;
    }
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path);
    match opened {
        // Somebody else's in a shared repository: what can be read can be locked.
        Err(e) if e.kind() == ErrorKind::PermissionDenied => {
            File::open(path).map_err(|_| making(e))
        }
        other => other.map_err(making),
    }
}

fn busy(path: &Path) -> Error {
    let mut text = String::new();
    let _ = File::open(path).and_then(|f| f.take(HOLDER_BYTES).read_to_string(&mut text));
    let holder = text.trim().split_once(' ').and_then(|(pid, since)| {
        let since = since.parse::<u64>().ok()?;
        let held = millis(SystemTime::now()).saturating_sub(since);
        Some(format!(
            "process {pid} has held it for {}",
            seconds(Duration::from_millis(held))
        ))
    });
    let holder = holder.unwrap_or_else(|| "another process holds it".to_owned());
    Error::git(format!("waiting for {}: {holder}", path.display())).with_hint(
        "try again when that process is done, or wait longer: git config evolve.lockTimeout 60",
    )
}

/// A duration for people.
pub(super) fn seconds(age: Duration) -> String {
    match age.as_secs() {
        s @ 0..=9 => format!("{s}.{} s", age.subsec_millis() / 100),
        s @ 10..=119 => format!("{s} s"),
        s @ 120..=7199 => format!("{} min", s / 60),
        s => format!("{} h", s / 3600),
    }
}

fn millis(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH)
        .map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_by_its_deadline_and_then_says_so_at_once() {
        let start = Instant::now();
        let mut pause = Pause::until(start + Duration::from_millis(30));
        let rests = std::iter::repeat_with(|| pause.rest())
            .take_while(|rested| *rested)
            .count();
        assert!((2..30).contains(&rests), "{rests}");
        assert!(start.elapsed() >= Duration::from_millis(30));
        assert!(!pause.rest());
    }

    #[test]
    fn only_refs_that_nobody_else_writes_are_ours() {
        for name in [
            "refs/notes/evolve/tests",
            "refs/evolve/chains/a/b/1",
            "refs/heads/evolve/a/b/1",
            "refs/heads/evolve-notes/raw",
        ] {
            assert!(is_ours(name), "{name}");
        }
        for name in [
            "refs/heads/main",
            "refs/heads/evolved/x",
            "refs/notes/commits",
            "refs/notes/evolve",
            "HEAD",
        ] {
            assert!(!is_ours(name), "{name}");
        }
    }

    #[test]
    fn ages_are_told_in_the_unit_that_suits_them() {
        for (age, said) in [
            (120, "0.1 s"),
            (61_000, "61 s"),
            (150_000, "2 min"),
            (7_200_000, "2 h"),
        ] {
            assert_eq!(seconds(Duration::from_millis(age)), said);
        }
    }
}
