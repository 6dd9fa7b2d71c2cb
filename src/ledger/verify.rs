//! Whether everything that was recorded is here, whole, and where it belongs.
//!
//! Every line of every note is held against the commit it is attached to, every chain against
//! the order of its roles, every payload against its digest, and every notes ref against its own
//! history: a line that was there and is gone was lost. `docs/checking.md` lists the findings.

mod attempts;
mod chains;
mod configurations;
mod history;
mod notes;
mod payloads;
mod placement;
mod provenance;

use std::collections::{BTreeMap, BTreeSet};

use super::chains::{Chains, chains as find_chains};
use super::places::{NotesRef, Place, Source, sources};
use super::read::records;
use super::spool::Spool;
use super::status::sharing::narrow;
use super::status::{Lines, pending};
use super::stored::{Absence, Records};
use super::taken_back::TakenBack;
use crate::error::Result;
use crate::record::{Kind, RecordId};
use crate::repo::{Oid, Reader, Repo, Severity};

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// Its kind: a stable word.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The chain, as it is shown.
    pub chain: Option<String>,
    /// The ref.
    pub reference: Option<String>,
    /// The commit, or what else a note is attached to.
    pub commit: Option<Oid>,
    /// The record.
    pub record: Option<RecordId>,
    /// The line of the note, counted from 1.
    pub line: Option<usize>,
    /// What was found.
    pub what: String,
    /// The command that mends it, where one does.
    pub mend: Option<String>,
}

impl Defect {
    fn new(id: &'static str, severity: Severity, what: impl Into<String>) -> Defect {
        Defect {
            id,
            severity,
            chain: None,
            reference: None,
            commit: None,
            record: None,
            line: None,
            what: what.into(),
            mend: None,
        }
    }

    fn in_chain(mut self, label: impl Into<String>) -> Defect {
        self.chain = Some(label.into());
        self
    }

    fn in_ref(mut self, name: impl Into<String>) -> Defect {
        self.reference = Some(name.into());
        self
    }

    fn at(mut self, commit: Oid) -> Defect {
        self.commit = Some(commit);
        self
    }

    fn of(mut self, record: &RecordId) -> Defect {
        self.record = Some(record.clone());
        self
    }

    fn mended_by(mut self, command: impl Into<String>) -> Defect {
        self.mend = Some(command.into());
        self
    }
}

/// What was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Chains.
    pub chains: usize,
    /// Commits of their lines.
    pub commits: usize,
    /// Records.
    pub records: u64,
    /// Payloads whose digest was computed.
    pub payloads: u64,
    /// Commits of notes whose lines were held against their parents'.
    pub notes_commits: u64,
}

/// What verifying found.
#[derive(Debug, Default)]
pub struct Verified {
    /// What does not hold; worst first, then by kind, chain and commit.
    pub defects: Vec<Defect>,
    /// What could not be verified, since it is not here, and why.
    pub unavailable: BTreeSet<String>,
    /// The command that brings it.
    pub bring: Option<String>,
    /// What was looked at.
    pub extent: Extent,
}

/// What the parts of a verification share.
struct Ground<'a> {
    reader: &'a Reader,
    chains: &'a Chains,
    lines: &'a Lines,
    records: &'a Records,
    sources: &'a [Source],
    /// Remotes of which single branches are fetched, and nothing of ours was.
    narrow: Vec<String>,
    /// Commits that commands of any work tree are in the middle of making.
    in_hand: BTreeSet<Oid>,
    taken_back: TakenBack,
    /// There is no work tree: what is here was brought here.
    bare: bool,
}

/// Verifies everything that is here. What a chain was run with and changed meanwhile is a note;
/// with `strict_controls` a warning.
///
/// # Errors
/// Refs, commits or local notes that cannot be read; what is missing is no error.
pub fn verify(repo: &Repo, reader: &Reader, strict_controls: bool) -> Result<Verified> {
    let chains = find_chains(reader)?;
    let lines = Lines::of(&chains);
    let records = records(reader, &Kind::ALL)?;
    let sources = sources(reader)?;
    let ground = Ground {
        reader,
        chains: &chains,
        lines: &lines,
        records: &records,
        sources: &sources,
        narrow: narrow(reader, &sources),
        in_hand: pending::all(repo)
            .into_iter()
            .filter_map(|p| p.in_hand)
            .collect(),
        taken_back: TakenBack::of(&chains, &records),
        bare: repo.is_bare(),
    };
    let mut verified = Verified::default();
    verified.extent.chains = chains.chains.len();
    verified.extent.commits = chains.chains.iter().map(|c| c.line.len()).sum();
    verified.extent.records = records.all().count() as u64;
    notes::check(&ground, &mut verified)?;
    placement::check(&ground, &mut verified)?;
    chains::check(&ground, &mut verified)?;
    configurations::check(&ground, &mut verified)?;
    let severity = match strict_controls {
        true => Severity::Warning,
        false => Severity::Note,
    };
    provenance::check(&ground, severity, &mut verified);
    attempts::check(&ground, &mut verified)?;
    payloads::check(&ground, &mut verified)?;
    history::check(&ground, &mut verified)?;
    arriving(&ground, &mut verified);
    aside(&ground, &mut verified)?;
    not_here(&ground, &mut verified);
    verified.defects.sort_by(|a, b| {
        (
            a.severity, a.id, &a.chain, a.commit, &a.record, a.line, &a.what,
        )
            .cmp(&(
                b.severity, b.id, &b.chain, b.commit, &b.record, b.line, &b.what,
            ))
    });
    verified.defects.dedup();
    Ok(verified)
}

/// What is wrong only while a fetch is not done, as one that was killed leaves it: its records
/// came, and what they stand on did not yet. The next one brings the rest.
fn arriving(ground: &Ground<'_>, verified: &mut Verified) {
    let fetched: BTreeSet<(NotesRef, &str)> = ground
        .sources
        .iter()
        .filter_map(|s| match &s.place {
            Place::Tracking(remote) => Some((s.notes, remote.as_str())),
            _ => None,
        })
        .collect();
    let mut from = BTreeMap::<(&RecordId, Oid), Option<&str>>::new();
    for (kind, at, stored) in ground.records.all() {
        let Some(id) = stored.id() else { continue };
        let ours = stored.local || stored.branch || stored.spooled;
        let known = |r: &&str| fetched.contains(&(NotesRef::Records(kind), *r));
        let remote = stored.remotes.iter().map(AsRef::as_ref).find(known);
        let remote = remote.filter(|_| !ours);
        let seen = from.entry((id, at)).or_insert(remote);
        *seen = seen.and(remote);
    }
    for defect in &mut verified.defects {
        let (Some(id), Some(at)) = (&defect.record, defect.commit) else {
            continue;
        };
        let Some(Some(remote)) = from.get(&(id, at)) else {
            continue;
        };
        if defect.severity == Severity::Warning {
            defect.severity = Severity::Note;
            defect.mend = ground
                .reader
                .remote_names()
                .iter()
                .any(|name| name == remote)
                .then(|| format!("git evolve fetch {remote}"));
        }
    }
}

/// What waits in the spool, and what of others is not joined with ours.
fn aside(ground: &Ground<'_>, verified: &mut Verified) -> Result<()> {
    let spool = Spool::of(&ground.reader.evolve_dir());
    for path in spool.list()? {
        let name = path.display();
        verified.defects.push(Defect::new(
            "spool-waiting",
            Severity::Note,
            format!("{name} waits: the next command that writes records takes it up"),
        ));
    }
    for path in spool.set_aside()? {
        let name = path.display();
        verified.defects.push(Defect::new(
            "spool-damaged",
            Severity::Warning,
            format!("{name} cannot be read: what was to be recorded there is in no note"),
        ));
    }
    let mut unmerged = BTreeMap::<String, u64>::new();
    for (_, _, stored) in ground.records.all() {
        for remote in stored.remotes.iter().filter(|_| !stored.local) {
            *unmerged.entry(remote.to_string()).or_default() += 1;
        }
    }
    for (remote, count) in unmerged {
        let what = format!("{count} records of {remote} are read and not merged into ours");
        let defect = Defect::new("not-merged", Severity::Note, what);
        // An address without a name, or a remote that is no more, cannot be named to fetch from.
        let named = ground.reader.remote_names().contains(&remote);
        verified.defects.push(match named {
            true => defect.mended_by(format!("git evolve fetch {remote}")),
            false => defect,
        });
    }
    Ok(())
}

/// What would have to be here.
fn not_here(ground: &Ground<'_>, verified: &mut Verified) {
    let shallow = ground.reader.is_shallow();
    for remark in &ground.chains.remarks {
        if shallow || remark.contains("not in this repository") {
            verified.unavailable.insert(remark.clone());
        }
    }
    let unknown = &mut verified.unavailable;
    match &ground.records.absence {
        Some(Absence::NotFetched(remotes)) => {
            unknown.insert(format!(
                "records of {} were never fetched",
                remotes.join(", ")
            ));
            verified.bring = Some(format!("git evolve fetch {}", remotes[0]));
        }
        Some(Absence::CutOff(remotes)) => {
            unknown.insert(format!(
                "a shallow clone left out the records of {}",
                remotes.join(", ")
            ));
        }
        // What could not be read is among the remarks.
        Some(Absence::LeftOut(remotes)) => {
            verified.bring = remotes.first().map(|r| format!("git evolve fetch {r}"));
        }
        Some(Absence::None) | None => {}
    }
    unknown.extend(ground.records.remarks.iter().cloned());
    // Where something is cut off already, that comes first.
    let none = ground.chains.chains.is_empty() && (!shallow || unknown.is_empty());
    if let Some(remote) = ground.narrow.first().filter(|_| none) {
        unknown.insert(format!(
            "of {remote} not all branches are fetched here: whether it holds chains is not known"
        ));
        verified.bring = Some(format!("git evolve fetch {remote}"));
    }
    if shallow && !unknown.is_empty() && verified.bring.is_none() {
        verified.bring = Some("git fetch --unshallow".to_owned());
    }
}
