//! Records and chains of another repository brought here.
//!
//! What arrives lands in tracking refs first, outside `refs/notes`, so that no refspec of
//! anybody's and no pruning touches a record that only this repository has; then it is merged.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::NotesRef;
use super::merge::merge_into_local;
use super::publish::{Held, count, own_branches};
use crate::error::Result;
use crate::repo::{Fetched, Lock, Manner, Oid, Pause, Remote, Repo, StaleLock};

/// What is asked for of another repository: what is published, and the keep refs that a working
/// repository or a bundle has.
const OURS: [&str; 8] = [
    "refs/notes/evolve/*",
    "refs/heads/evolve/*",
    "refs/heads/evolve-kept/*",
    "refs/heads/evolve-notes/*",
    "refs/evolve/chains/*",
    "refs/evolve/rewritten/*",
    "refs/evolve/agent/*",
    "refs/evolve/attempts/*",
];

/// What came of fetching.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Received {
    /// The other side's refs of ours.
    pub held: Held,
    /// Records that are here now and were not before, by kind.
    pub arrived: BTreeMap<NotesRef, u64>,
    /// Records this repository saw there before that are there no more, by kind.
    pub lost: BTreeMap<NotesRef, u64>,
    /// What should be said.
    pub remarks: Vec<String>,
    /// Why some tracking refs could not be written: another ref is in the way. All that could be
    /// fetched was, and is merged.
    pub failed: Option<String>,
}

impl Received {
    /// Whether the other side holds records.
    pub fn has_records(&self) -> bool {
        self.held.keys().any(|n| notes_of(n).is_some())
    }
}

/// Which notes a ref of another repository holds.
pub(super) fn notes_of(name: &str) -> Option<NotesRef> {
    NotesRef::all().find(|n| n.local() == name || n.branch() == name)
}

/// The refs of ours at `place`.
///
/// # Errors
/// Git where the other side cannot be reached or read.
pub fn held(repo: &Repo, place: &str, manner: Manner<'_>) -> Result<Held> {
    repo.list_remote(place, &OURS, manner).map(|mut all| {
        // A pattern names the end of a name, too.
        all.retain(|name, _| {
            OURS.iter()
                .any(|o| name.starts_with(o.trim_end_matches('*')))
        });
        all
    })
}

/// Fetches what `remote` has of ours into tracking refs, and merges its records into the local
/// ones. `FETCH_HEAD`, `HEAD`, the work tree and the configuration stay as they are.
///
/// # Errors
/// Git where the other side cannot be reached or read, or the refs cannot be written here.
pub fn receive(repo: &Repo, remote: &Remote, manner: Manner<'_>) -> Result<Received> {
    let held = held(repo, &remote.place, manner)?;
    receive_known(repo, remote, held, manner)
}

/// The same where the refs of the other side are known.
pub(super) fn receive_known(
    repo: &Repo,
    remote: &Remote,
    held: Held,
    manner: Manner<'_>,
) -> Result<Received> {
    // What was seen there before may be about to be overwritten by less.
    let before = seen(repo, remote)?;
    let own = own_branches(repo)?;
    let here = [before.as_slice(), own.as_slice()].concat();
    let commits: Vec<Oid> = here.iter().map(|(_, c)| *c).collect();
    repo.complete(&remote.place, &commits, manner)?;
    let first = merge_into_local(repo, &here)?;
    let mut received = Received {
        arrived: first.arrived,
        remarks: first.remarks,
        held,
        ..Received::default()
    };
    if !is_seen(repo, remote, &received.held)? {
        let (stale, blocked) = fetch(repo, remote, &received.held, manner)?;
        received.remarks.extend(stale);
        received.failed = blocked;
    }
    let after = seen(repo, remote)?;
    let commits: Vec<Oid> = after.iter().map(|(_, c)| *c).collect();
    repo.complete(&remote.place, &commits, manner)?;
    let merged = merge_into_local(repo, &after)?;
    for (notes, n) in merged.arrived {
        *received.arrived.entry(notes).or_default() += n;
    }
    received.arrived.retain(|_, n| *n > 0);
    received.remarks.extend(merged.remarks);
    received.lost = lost(repo, &before, &received.held)?;
    Ok(received)
}

/// Fetches into tracking refs. Where one of them is locked, by another fetch or by what is left of
/// one that was killed, it is tried again; gives the stale locks that were removed, and why a ref
/// can never be written where another is in its way.
fn fetch(
    repo: &Repo,
    remote: &Remote,
    held: &Held,
    manner: Manner<'_>,
) -> Result<(Vec<String>, Option<String>)> {
    let deadline = Instant::now() + repo.lock_timeout()?;
    let mut pause = Pause::until(deadline);
    let mut removed = Vec::new();
    loop {
        let error = match repo.fetch_from(&remote.place, &refspecs(remote), manner)? {
            Fetched::All => return Ok((removed, None)),
            Fetched::Partly(error) => error,
        };
        let names: Vec<String> = held.keys().filter_map(|n| tracking(remote, n)).collect();
        let lock = Lock::take(repo, deadline)?;
        let stale = lock.clear_stale(names.iter().map(String::as_str))?;
        drop(lock);
        removed.extend(stale.iter().map(StaleLock::remark));
        let reader = repo.reader()?;
        for name in &names {
            if let Some(blocker) = reader.in_the_way(name)?.first() {
                let name = &blocker.name;
                return Ok((removed, Some(format!("{name} is in the way: {error}"))));
            }
        }
        if !pause.rest() {
            return Err(error);
        }
    }
}

/// Whether everything the other side holds was fetched before: then it need not be asked.
fn is_seen(repo: &Repo, remote: &Remote, held: &Held) -> Result<bool> {
    let reader = repo.reader()?;
    for (name, commit) in held {
        if let Some(seen) = tracking(remote, name)
            && reader.reference(&seen)? != Some(*commit)
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What of records seen before the other side no longer has.
fn lost(repo: &Repo, before: &[(NotesRef, Oid)], held: &Held) -> Result<BTreeMap<NotesRef, u64>> {
    let reader = repo.reader()?;
    let mut lost = BTreeMap::new();
    for (notes, seen) in before {
        let now = [notes.local(), notes.branch()]
            .iter()
            .filter_map(|n| held.get(n).copied())
            .collect::<BTreeSet<_>>();
        let mut gone = u64::MAX;
        for now in now {
            let missing = match now == *seen || reader.is_ancestor(*seen, now)? {
                true => 0,
                false => count(&reader, *notes, &[*seen], &[now])?.records,
            };
            gone = gone.min(missing);
        }
        if gone == u64::MAX {
            gone = count(&reader, *notes, &[*seen], &[])?.records;
        }
        if gone > 0 {
            let most = lost.entry(*notes).or_default();
            *most = gone.max(*most);
        }
    }
    Ok(lost)
}

/// The notes commits of `remote` in its tracking refs and published branches.
pub(super) fn seen(repo: &Repo, remote: &Remote) -> Result<Vec<(NotesRef, Oid)>> {
    let reader = repo.reader()?;
    let mut found = BTreeSet::new();
    for notes in NotesRef::all() {
        for name in [
            format!("{}{}", remote.tracking(), notes.word()),
            format!("{}evolve-notes/{}", remote.branches(), notes.word()),
        ] {
            if let Some(commit) = reader.reference(&name)? {
                found.insert((notes, commit));
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Where a ref of the other side is seen here; `None` for what is none of ours.
pub(super) fn tracking(remote: &Remote, name: &str) -> Option<String> {
    let (tracking, branches) = (remote.tracking(), remote.branches());
    if let Some(word) = name.strip_prefix("refs/notes/evolve/") {
        return Some(format!("{tracking}{word}"));
    }
    if let Some(kept) = name.strip_prefix("refs/evolve/") {
        return Some(format!("{tracking}{kept}"));
    }
    let branch = name.strip_prefix("refs/heads/")?;
    Some(format!("{branches}{branch}"))
}

/// Wildcards only: an exact refspec fails while the other side has no such ref.
fn refspecs(remote: &Remote) -> Vec<String> {
    OURS.iter()
        .filter_map(|from| Some(format!("+{from}:{}", tracking(remote, from)?)))
        .collect()
}
