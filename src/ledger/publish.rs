//! Publishing: records as notes and, the same commits, as branches, so that a plain clone is
//! complete; the tips of chains and what is kept beside them as branches.
//!
//! Notes and branches go in separate pushes, so that a rule against one lets the other through.
//! Whether a push was refused or only came too late is told by what the other side holds
//! afterwards, never by its words: too late is merged and tried again until a deadline.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::NotesRef;
use super::merge::merge_into_local;
use super::receive::{held as held_at, notes_of, receive_known, seen, tracking};
use crate::error::{Error, Result};
use crate::record::ChainPath;
use crate::repo::{Manner, Oid, Outcome, PushRef, RefMove, Remote, Repo, is_missing};

mod count;
mod plan;
mod settle;

pub use count::{Count, count};
pub use plan::{Held, Kept, Plan};
pub use settle::Refusal;

use count::larger_than;
use settle::Settling;

/// How long a push that keeps coming too late is tried again, where `evolve.pushTimeout` says
/// nothing.
const PATIENCE: Duration = Duration::from_secs(30);
/// Notes larger than this many bytes are said: many hosts refuse files of 100 MiB.
const LARGE: u64 = 50 << 20;

/// What would go out.
#[derive(Debug, Clone, Default)]
pub struct Preview {
    /// The other side's refs of ours.
    pub held: Held,
    /// It holds no records, and this repository never saw any there. A chain's branch alone may
    /// have come there by a plain `git push`, which is no consent to what was captured.
    pub first: bool,
    /// Chains that would be set there, with their names and commits.
    pub refs: Vec<PushRef>,
    /// Records that it does not have, by kind.
    pub records: BTreeMap<NotesRef, Count>,
    /// Notes so large that hosts may refuse them: the commit, the kind, the bytes.
    pub large: Vec<(Oid, NotesRef, u64)>,
    /// Payloads over the cap, which stay here: digest and bytes.
    pub payloads: Vec<(String, u64)>,
    /// What was left out and why.
    pub remarks: Vec<String>,
}

/// What was published.
#[derive(Debug, Clone, Default)]
pub struct Published {
    /// Records that the other side has now and had not, by kind.
    pub records: BTreeMap<NotesRef, u64>,
    /// Records that arrived from it, by kind.
    pub arrived: BTreeMap<NotesRef, u64>,
    /// Records that it had once and had no more; they are there again where nothing is refused.
    pub restored: BTreeMap<NotesRef, u64>,
    /// Branches of chains and kept commits that were set.
    pub refs: Vec<PushRef>,
    /// What was not taken.
    pub refused: Vec<Refusal>,
    /// Chains whose branch there holds commits past the records, and the commit there.
    pub apart: Vec<(ChainPath, Oid)>,
    /// Folded commits of agents that are on other branches there.
    pub folded: Vec<Oid>,
    /// What should be said.
    pub remarks: Vec<String>,
}

fn holds_records(held: &Held) -> bool {
    NotesRef::all().any(|n| held.contains_key(&n.local()) || held.contains_key(&n.branch()))
}

/// Looks at what publishing to `remote` would send. Asks the other side for its refs and nothing
/// else; changes nothing anywhere.
///
/// # Errors
/// Git where the other side cannot be reached, or refs or notes cannot be read.
pub fn preview(repo: &Repo, remote: &Remote, manner: Manner<'_>) -> Result<Preview> {
    let held = held_at(repo, push_place(remote), manner)?;
    let reader = repo.reader()?;
    let plan = Plan::of(&reader)?;
    let mut preview = Preview {
        first: !holds_records(&held) && seen(repo, remote)?.is_empty(),
        refs: plan.refs(&reader, &held)?,
        payloads: payloads(repo)?,
        remarks: plan.remarks,
        ..Preview::default()
    };
    for notes in NotesRef::all() {
        let Some(tip) = reader.reference(&notes.local())? else {
            continue;
        };
        let there = held.get(&notes.local()).or(held.get(&notes.branch()));
        // What is there and not yet here cannot be compared: the last state seen stands for it.
        let known = match there.copied() {
            Some(there) if reader.peeled(there)?.is_some() => Some(there),
            Some(_) => reader.reference(&format!("{}{}", remote.tracking(), notes.word()))?,
            None => None,
        };
        let count = match count(&reader, notes, &[tip], known.as_slice()) {
            Err(e) if is_missing(&e) && known.is_some() => {
                preview.remarks.push(format!(
                    "how many {notes} records are new cannot be told offline: a partial clone left \
                     the others out"
                ));
                count(&reader, notes, &[tip], &[])?
            }
            counted => counted?,
        };
        if count.records > 0 {
            preview.records.insert(notes, count);
            for (target, bytes) in larger_than(&reader, tip, LARGE)? {
                preview.large.push((target, notes, bytes));
            }
        }
    }
    preview.held = held;
    Ok(preview)
}

/// Publishes to `remote`: brings its records here, merges, and sends records, then chains, but
/// for the refs `leave` (full names there), which somebody else is about to push. Nothing is
/// forced. What is refused is part of the answer, and stops nothing else. `held` is what the
/// preview found there; that it may have changed since does no harm.
///
/// # Errors
/// Git where the other side cannot be reached, or local refs cannot be read or written; what
/// was sent until then is there, and the same call does the rest.
pub fn publish(
    repo: &Repo,
    remote: &Remote,
    held: &Held,
    leave: &BTreeSet<String>,
    manner: Manner<'_>,
) -> Result<Published> {
    let mut done = Published::default();
    let own = own_branches(repo)?;
    done.remarks.extend(merge_into_local(repo, &own)?.remarks);
    for source in sources(remote) {
        // The preview asked the place that is pushed to.
        let known = source.place == push_place(remote);
        let there = match known {
            true => Ok(held.clone()),
            false => held_at(repo, &source.place, manner),
        };
        let received = there.and_then(|there| receive_known(repo, &source, there, manner));
        match received {
            Ok(received) => {
                add(&mut done.arrived, &received.arrived);
                add(&mut done.restored, &received.lost);
                done.remarks.extend(received.remarks);
                done.remarks.extend(received.failed);
            }
            Err(e) if source != *remote => done.remarks.push(format!(
                "what {} holds could not be fetched: {e}",
                source.shown()
            )),
            Err(e) => return Err(e),
        }
    }
    let mut settling = Settling::new(repo, remote, held.clone(), manner, patience(repo)?);
    settling.settle(|held| notes_to_push(repo, held))?;
    settling.settle(|held| {
        let reader = repo.reader()?;
        let mut refs = Plan::of(&reader)?.refs(&reader, held)?;
        refs.retain(|r| !leave.contains(&r.name));
        Ok(refs)
    })?;
    let reader = repo.reader()?;
    let plan = Plan::of(&reader)?;
    done.remarks.extend(plan.remarks.iter().cloned());
    done.apart = plan.apart(&reader, &settling.held)?;
    done.folded = repo.on_branches_of(remote, &plan.folded())?;
    add(&mut done.arrived, &settling.arrived);
    done.records = settling.records()?;
    done.refused = settling.refusals();
    done.refs = settling.sent.iter().cloned().collect();
    done.refs.retain(|r| notes_of(&r.name).is_none());
    see(repo, remote, &settling.sent)?;
    Ok(done)
}

/// The notes refs and branches whose commits the other side does not have yet.
fn notes_to_push(repo: &Repo, held: &Held) -> Result<Vec<PushRef>> {
    let reader = repo.reader()?;
    let mut refs = Vec::new();
    for notes in NotesRef::all() {
        let Some(commit) = reader.reference(&notes.local())? else {
            continue;
        };
        for name in [notes.local(), notes.branch()] {
            let there = held.get(&name);
            let known = match there {
                Some(there) => *there == commit || reader.is_ancestor(commit, *there)?,
                None => false,
            };
            if !known {
                refs.push(PushRef { commit, name });
            }
        }
    }
    Ok(refs)
}

/// Published notes that stand here as branches, as in a bare clone.
pub(super) fn own_branches(repo: &Repo) -> Result<Vec<(NotesRef, Oid)>> {
    let reader = repo.reader()?;
    let mut found = Vec::new();
    for notes in NotesRef::all() {
        if let Some(commit) = reader.reference(&notes.branch())? {
            found.push((notes, commit));
        }
    }
    Ok(found)
}

/// Where records are fetched from: the remote, and what it is pushed to where that is another
/// place.
fn sources(remote: &Remote) -> Vec<Remote> {
    let others = remote.other_push_urls().map(Remote::at);
    [remote.clone()].into_iter().chain(others).collect()
}

/// What is asked for what the pushed-to side holds.
fn push_place(remote: &Remote) -> &str {
    remote.other_push_urls().next().unwrap_or(&remote.place)
}

/// Sets the tracking refs of what was sent, as the next fetch would.
fn see(repo: &Repo, remote: &Remote, sent: &BTreeSet<PushRef>) -> Result<()> {
    // What another place took says nothing of the one that is fetched from.
    let target = match remote.other_push_urls().next() {
        Some(url) => Remote::at(url),
        None => remote.clone(),
    };
    for _ in 0..TRIES {
        let reader = repo.reader()?;
        let mut moves = Vec::new();
        for PushRef { commit, name } in sent {
            let Some(name) = tracking(&target, name) else {
                continue;
            };
            let old = reader.reference(&name)?;
            if old != Some(*commit) {
                moves.push(RefMove {
                    name,
                    old,
                    new: Some(*commit),
                });
            }
        }
        if repo.transact(&moves, "git evolve push")? == Outcome::Moved {
            break;
        }
    }
    // Where others moved them each time, others have seen what is there.
    Ok(())
}

/// How often tracking refs that others move are tried.
const TRIES: usize = 5;

fn patience(repo: &Repo) -> Result<Duration> {
    Ok(repo
        .seconds_setting("evolve.pushTimeout")?
        .unwrap_or(PATIENCE))
}

/// Payloads over the cap, kept beside the repository: digest and bytes, sorted.
fn payloads(repo: &Repo) -> Result<Vec<(String, u64)>> {
    let folder = repo.evolve_dir().join("large");
    let reading = |e: std::io::Error| {
        Error::git(format!("reading folder {}", folder.display())).with_source(e)
    };
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(reading(e)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(reading)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_digest = name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit());
        let meta = entry.metadata().map_err(reading)?;
        if is_digest && meta.is_file() {
            found.push((name, meta.len()));
        }
    }
    found.sort();
    Ok(found)
}

fn add(to: &mut BTreeMap<NotesRef, u64>, more: &BTreeMap<NotesRef, u64>) {
    for (notes, n) in more {
        *to.entry(*notes).or_default() += n;
    }
}

/// The line that packs everything of ours into one file, for where a server takes none of it.
pub const WAY_OUT: &str = "git bundle create evolve.bundle --glob='refs/notes/evolve/*' \
    --glob='refs/evolve/*' --glob='refs/heads/evolve/*'";
