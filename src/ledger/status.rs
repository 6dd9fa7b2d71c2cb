//! Where the experiments of a repository stand: which chains there are, what was captured of
//! each checkpoint, what is missing, and what nobody else has yet.

mod checkpoints;
pub(super) mod pending;
pub(super) mod sharing;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::chains::{Chain, Chains, chains};
use super::kept;
use super::read::records;
use super::stored::{Absence, Records, Skipped, Stored};
use crate::error::Result;
use crate::record::{Body, Encoding, Kind, Record, RecordId};
use crate::repo::{Oid, Reader, Repo};

pub use checkpoints::{Captured, CheckpointStatus};
pub use pending::PendingCheckpoint;
pub use sharing::{RemoteStatus, Standing};

/// Where the experiments stand.
#[derive(Debug)]
pub struct Status {
    /// One a chain, in the order of [`Chains`].
    pub chains: Vec<ChainStatus>,
    /// Checkpoints that were begun and not closed, of every work tree.
    pub pending: Vec<PendingCheckpoint>,
    /// Every remote that is known, and what it has not.
    pub remotes: Vec<RemoteStatus>,
    /// Records that wait in the spool.
    pub spooled: u64,
    /// Spool files that were set aside.
    pub damaged_spool_files: usize,
    /// What was passed over, by kind.
    pub skipped: BTreeMap<Kind, Skipped>,
    /// Ids on lines of different content.
    pub conflicts: usize,
    /// Records that stand on no commit of a chain's line.
    pub elsewhere: u64,
    /// Records of commits that are not here.
    pub dangling: u64,
    /// Records of later schemas.
    pub newer: u64,
    /// Bases that plans brought in from elsewhere and that are kept.
    pub bases: usize,
    /// Payloads over the cap, sorted by digest.
    pub large: Vec<LargePayload>,
    /// Why there are no records, where there are none.
    pub absence: Option<Absence>,
    /// History is cut off, and some line that names a chain does not reach its base.
    pub cut_off: bool,
    /// Remotes of which single branches are fetched, as single-branch and shallow clones do, and
    /// nothing of ours was.
    pub narrow: Vec<String>,
    /// What else was found on the way, in words.
    pub remarks: Vec<String>,
}

/// Where one chain stands.
#[derive(Debug)]
pub struct ChainStatus {
    /// How it is shown.
    pub label: String,
    /// Its path.
    pub path: String,
    /// Its identity.
    pub begin: String,
    /// Its base commit.
    pub base: Oid,
    /// Its newest commit.
    pub tip: Oid,
    /// Which refs hold it.
    pub standing: Standing,
    /// Its checkpoints, in order, from 1; those that were superseded are the last one's.
    pub checkpoints: Vec<CheckpointStatus>,
    /// Commits without its trailers.
    pub foreign: usize,
    /// Agent commits that later ones replace.
    pub superseded: usize,
    /// Copies of it on other bases.
    pub copies: usize,
    /// Attempts that made no agent commit and are kept.
    pub kept_attempts: usize,
    /// Commits of the agent's own, and trees after turns, that are kept.
    pub kept_agent: usize,
    /// Its records, of every kind, on whichever of its commits.
    pub records: u64,
    /// What is to be said of its line.
    pub notes: Vec<String>,
    /// By remote: commits and records that it has not.
    pub unpublished: BTreeMap<String, Unpublished>,
}

/// What a remote has not of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unpublished {
    /// Commits of the line.
    pub commits: usize,
    /// Records.
    pub records: u64,
    /// Commits that it has, some of whose records it has not.
    pub commits_without_records: usize,
}

/// A payload over the cap, of which a note has both ends only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LargePayload {
    /// SHA-256 of it.
    pub sha256: String,
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// The file is on this machine.
    pub here: bool,
    /// The chain it belongs to.
    pub chain: String,
}

/// Reads where everything stands.
///
/// # Errors
/// Refs, commits or local notes that cannot be read.
pub fn status(repo: &Repo, reader: &Reader) -> Result<Status> {
    let found = chains(reader)?;
    let records = records(reader, &Kind::ALL)?;
    let lines = Lines::of(&found);
    let mut by_chain: Vec<Vec<Placed<'_>>> = found.chains.iter().map(|_| Vec::new()).collect();
    // What a rewrite copied stands in several places; it is astray where none is a chain's.
    let (mut at_home, mut astray) = (BTreeSet::new(), Vec::new());
    for (kind, commit, stored) in records.all() {
        match lines.0.get(&commit) {
            Some((chain, at)) => by_chain[*chain].push(Placed {
                kind,
                at: *at,
                stored,
            }),
            // Those of a line that does not count are where they belong.
            None if found.chains.iter().any(|c| c.aside.contains(&commit)) => {}
            None => {
                astray.push(stored.id());
                continue;
            }
        }
        at_home.extend(stored.id());
    }
    let is_home = |id: &&Option<&RecordId>| id.is_some_and(|id| at_home.contains(id));
    let elsewhere = astray.iter().filter(|id| !is_home(id)).count() as u64;
    let sharing = sharing::Sharing::of(reader, &records)?;
    let beside = kept::kept(reader)?;
    let chains: Vec<ChainStatus> = found
        .chains
        .iter()
        .zip(&by_chain)
        .map(|(chain, placed)| {
            let standing = sharing.standing(chain);
            let (kept_attempts, kept_agent) = kept::count(reader, &beside, chain)?;
            Ok(ChainStatus {
                kept_attempts,
                kept_agent,
                label: chain.label.clone(),
                path: chain.path.to_string(),
                begin: chain.begin.clone(),
                base: chain.base,
                tip: chain.tip,
                checkpoints: checkpoints::of(reader, chain, placed)?,
                foreign: with_role(chain, crate::record::Role::Foreign),
                superseded: with_role(chain, crate::record::Role::Superseded),
                copies: chain.copies.len(),
                records: placed.len() as u64,
                notes: chain.notes.clone(),
                unpublished: sharing.unpublished(chain, &standing, placed),
                standing,
            })
        })
        .collect::<Result<_>>()?;
    Ok(Status {
        remotes: sharing.remotes(&chains, &records),
        bases: reader.references_under(&["refs/evolve/bases"])?.len(),
        large: large(repo, &found, &by_chain),
        pending: pending::all(repo),
        spooled: count(&records, |s| s.spooled && !s.local),
        damaged_spool_files: records.damaged_spool_files,
        conflicts: records.conflicts.len(),
        elsewhere,
        dangling: records
            .dangling
            .values()
            .flat_map(|by| by.values())
            .map(|lines| lines.len() as u64)
            .sum(),
        newer: count(&records, |s| s.record().is_none()),
        narrow: sharing::narrow(reader, &records.sources),
        cut_off: reader.is_shallow() && !found.remarks.is_empty(),
        remarks: [found.remarks, records.remarks].concat(),
        skipped: records.skipped,
        absence: records.absence,
        chains,
    })
}

/// A line on a commit of a chain.
#[derive(Clone, Copy)]
struct Placed<'a> {
    kind: Kind,
    /// Which commit of the chain's line.
    at: usize,
    stored: &'a Stored,
}

/// Which chain's line each commit stands on, and where on it.
pub(super) struct Lines(pub(super) HashMap<Oid, (usize, usize)>);

impl Lines {
    pub(super) fn of(chains: &Chains) -> Lines {
        let mut lines = HashMap::new();
        for (i, chain) in chains.chains.iter().enumerate() {
            for (at, commit) in chain.line.iter().enumerate() {
                lines.insert(commit.id, (i, at));
            }
        }
        Lines(lines)
    }
}

/// Whether `record`, attached to the commit at `at` of `chain`, counts for it: chain and
/// checkpoint are those of the commit's trailers; what depends on the files needs the same tree,
/// where `tree` says the commit's.
pub fn counts(record: &Record, chain: &Chain, at: usize, tree: Option<&str>) -> bool {
    let Some(commit) = chain.line.get(at) else {
        return false;
    };
    let head = &record.head;
    let own = head.begin.as_str() == chain.begin && head.checkpoint == commit.checkpoint;
    let of_the_files = matches!(record.body, Body::Tests(_) | Body::Coverage(_));
    let inherited = head.commit.as_str() != commit.id.to_string();
    own && (!inherited || !of_the_files || tree.is_none_or(|tree| head.tree.as_str() == tree))
}

fn with_role(chain: &Chain, role: crate::record::Role) -> usize {
    chain.line.iter().filter(|c| c.role == role).count()
}

fn count(records: &Records, which: impl Fn(&Stored) -> bool) -> u64 {
    records.all().filter(|(_, _, s)| which(s)).count() as u64
}

fn large(repo: &Repo, chains: &Chains, by_chain: &[Vec<Placed<'_>>]) -> Vec<LargePayload> {
    let folder = repo.evolve_dir().join("large");
    let mut found = Vec::new();
    for (chain, placed) in chains.chains.iter().zip(by_chain) {
        for record in placed.iter().filter_map(|p| p.stored.record()) {
            let Body::Raw(raw) = &record.body else {
                continue;
            };
            if raw.encoding != Encoding::Large {
                continue;
            }
            let digest = raw.sha256.bytes().all(|b| b.is_ascii_hexdigit());
            found.push(LargePayload {
                here: digest && folder.join(&raw.sha256).is_file(),
                sha256: raw.sha256.clone(),
                name: raw.name.clone(),
                size: raw.size,
                chain: chain.label.clone(),
            });
        }
    }
    found.sort();
    found.dedup();
    found
}
