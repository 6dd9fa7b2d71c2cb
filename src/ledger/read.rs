//! The union read: every line of every place where notes may be, once.
//!
//! Local notes, tracking refs and published branches are read together. Nothing in them is
//! trusted and nothing in them makes reading fail: what is no record is counted, with its reason
//! and the first places where it was seen.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::places::{NotesRef, Place, Source, sources};
use super::spool::Spool;
use super::stored::{Absence, Bytes, Conflict, Records, Says, Stored};
use crate::error::{Error, Result};
use crate::record::{Body, Kind, ReadLine, RecordId, mask, read_line};
use crate::repo::{Oid, Reader, is_missing};

/// Largest note that is read, in bytes.
const MAX_NOTE: u64 = 1 << 30;

/// Reads all records of `kinds` from all places, and what waits in the spool.
///
/// # Errors
/// The refs cannot be listed, or a local notes ref is broken. What else cannot be read is a
/// remark.
pub fn records(reader: &Reader, kinds: &[Kind]) -> Result<Records> {
    found_on(reader, &Listing::default(), kinds, None)
}

/// The same of the records on `commits` alone: no more of the notes is read than leads to them,
/// and ids are compared among them.
///
/// # Errors
/// As [`records`].
pub fn records_on(reader: &Reader, kinds: &[Kind], commits: &BTreeSet<Oid>) -> Result<Records> {
    Listing::default().records_on(reader, kinds, commits)
}

/// Where the notes of a repository are, looked up once for many questions: chain after chain
/// reads the notes on its own commits and nothing else. Notes written after the first question
/// are not seen.
#[derive(Debug, Default)]
pub struct Listing {
    sources: OnceLock<Arc<[Source]>>,
    kinds: Mutex<BTreeMap<Kind, Arc<OfKind>>>,
}

/// The notes of one kind.
#[derive(Debug, Default)]
struct OfKind {
    /// The blobs on each target, sorted, each with where it stands: indices of sources.
    on: BTreeMap<Oid, BTreeMap<Oid, Vec<usize>>>,
    /// Refs that cannot be read.
    remarks: Vec<String>,
    /// Some of them lead to what a partial clone left to its remote.
    left_out: bool,
}

impl Listing {
    /// As the function [`records_on`].
    ///
    /// # Errors
    /// As [`records`].
    pub fn records_on(
        &self,
        reader: &Reader,
        kinds: &[Kind],
        commits: &BTreeSet<Oid>,
    ) -> Result<Records> {
        found_on(reader, self, kinds, Some(commits))
    }

    fn sources(&self, reader: &Reader) -> Result<Arc<[Source]>> {
        if let Some(known) = self.sources.get() {
            return Ok(Arc::clone(known));
        }
        let read: Arc<[Source]> = sources(reader)?.into();
        Ok(Arc::clone(self.sources.get_or_init(|| read)))
    }

    fn of(&self, reader: &Reader, kind: Kind, sources: &[Source]) -> Arc<OfKind> {
        // Whoever comes second waits, and reads no notes tree again.
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let of = kinds.entry(kind);
        Arc::clone(of.or_insert_with(|| Arc::new(OfKind::read(reader, kind, sources))))
    }
}

impl OfKind {
    fn read(reader: &Reader, kind: Kind, sources: &[Source]) -> OfKind {
        // What was published or fetched is mostly the same commit as ours: read once.
        let mut by_tip = BTreeMap::<Oid, Vec<usize>>::new();
        for (at, source) in sources.iter().enumerate() {
            if source.notes == NotesRef::Records(kind) {
                by_tip.entry(source.tip).or_default().push(at);
            }
        }
        let mut of = OfKind::default();
        for (tip, places) in by_tip {
            match reader.notes(tip) {
                Ok(read) => {
                    for (target, blobs) in read {
                        let on = of.on.entry(target).or_default();
                        for blob in blobs {
                            on.entry(blob).or_default().extend(&places);
                        }
                    }
                }
                Err(e) => {
                    let names: Vec<&str> =
                        places.iter().map(|at| sources[*at].name.as_str()).collect();
                    let remark = format!("{} cannot be read: {}", names.join(", "), chain(&e));
                    of.remarks.push(remark);
                    of.left_out |= is_missing(&e);
                }
            }
        }
        of
    }

    /// The notes on `commits` (`None`: all), by target, then by blob.
    fn wanted<'a>(
        &'a self,
        commits: Option<&'a BTreeSet<Oid>>,
    ) -> impl Iterator<Item = (Oid, Oid, &'a [usize])> {
        let all = commits.is_none().then(|| self.on.iter());
        let some = commits.map(|c| c.iter().filter_map(|c| self.on.get_key_value(c)));
        let on = all.into_iter().flatten().chain(some.into_iter().flatten());
        on.flat_map(|(target, blobs)| {
            let one = |(blob, places): (&Oid, &'a Vec<usize>)| (*target, *blob, places.as_slice());
            blobs.iter().map(one)
        })
    }
}

fn found_on(
    reader: &Reader,
    listing: &Listing,
    kinds: &[Kind],
    commits: Option<&BTreeSet<Oid>>,
) -> Result<Records> {
    let (mut found, any) = read_on(reader, listing, kinds, commits)?;
    if found.lines.is_empty() && found.dangling.is_empty() && !any {
        found.absence = Some(match found.left_out {
            true => Absence::LeftOut(reader.remote_names()),
            false => absence(reader, &listing.sources(reader)?)?,
        });
    }
    Ok(found)
}

/// The same without asking why there is nothing where nothing is, which chains would have to
/// tell: they are found by records themselves.
pub(super) fn read(reader: &Reader, kinds: &[Kind]) -> Result<Records> {
    Ok(read_on(reader, &Listing::default(), kinds, None)?.0)
}

/// What is read, and whether there are notes on other commits than those asked for.
fn read_on(
    reader: &Reader,
    listing: &Listing,
    kinds: &[Kind],
    commits: Option<&BTreeSet<Oid>>,
) -> Result<(Records, bool)> {
    let all = listing.sources(reader)?;
    let kinds: BTreeSet<Kind> = kinds.iter().copied().collect();
    let mut union = Union {
        reader,
        commits,
        others: false,
        found: Records::default(),
        remarks: BTreeSet::new(),
        targets: HashMap::new(),
        lines: BTreeMap::new(),
    };
    for kind in &kinds {
        union.kind(*kind, &listing.of(reader, *kind, &all), &all);
    }
    union.spool(&kinds)?;
    let others = union.others;
    let mut found = union.finish()?;
    found.sources = all
        .iter()
        .filter(|s| matches!(s.notes, NotesRef::Records(kind) if kinds.contains(&kind)))
        .cloned()
        .collect();
    Ok((found, others))
}

/// Why nothing is here. A remote of which anything of ours was ever fetched has none; one of
/// which nothing was may have some, but only where there are chains at all.
fn absence(reader: &Reader, sources: &[Source]) -> Result<Absence> {
    // A bare clone has what its remote published as branches of its own.
    if reader.is_bare() && !sources.is_empty() {
        return Ok(Absence::None);
    }
    let mut remotes = reader.remote_names();
    remotes.retain(|name| {
        let of_it = |s: &Source| s.place.remote() == Some(name.as_str());
        !sources.iter().any(of_it)
    });
    let chains = super::chains(reader)?;
    if remotes.is_empty() || (chains.chains.is_empty() && chains.remarks.is_empty()) {
        return Ok(Absence::None);
    }
    Ok(match reader.is_shallow() {
        true => Absence::CutOff(remotes),
        false => Absence::NotFetched(remotes),
    })
}

/// What the target of a note is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Commit,
    NotHere,
    NoCommit,
}

struct Union<'r> {
    reader: &'r Reader,
    /// The commits whose records are wanted; `None`: all.
    commits: Option<&'r BTreeSet<Oid>>,
    /// There are notes on other commits.
    others: bool,
    found: Records,
    remarks: BTreeSet<String>,
    targets: HashMap<Oid, Target>,
    /// Each line of each target, by its digest.
    lines: BTreeMap<(Kind, Oid), BTreeMap<String, Stored>>,
}

/// Where the line at hand was seen.
#[derive(Default)]
struct Seen {
    blob: Option<Oid>,
    local: bool,
    branch: bool,
    remotes: Vec<Arc<str>>,
    spooled: bool,
}

impl Union<'_> {
    fn kind(&mut self, kind: Kind, of_kind: &OfKind, sources: &[Source]) {
        self.remarks.extend(of_kind.remarks.iter().cloned());
        self.found.left_out |= of_kind.left_out;
        if let Some(wanted) = self.commits {
            self.others |= of_kind.on.keys().any(|target| !wanted.contains(target));
        }
        let mut data = Vec::new();
        let mut missing = 0usize;
        for (target, blob, places) in of_kind.wanted(self.commits) {
            let is = self.target(target);
            let skipped = self.found.skipped.entry(kind).or_default();
            match is {
                Target::Commit => {}
                Target::NotHere => skipped.dangling += 1,
                Target::NoCommit => {
                    skipped.not_commits += 1;
                    continue;
                }
            }
            if let Err(e) = self.note(blob, &mut data) {
                if is_missing(&e) {
                    missing += 1;
                } else {
                    let remark =
                        format!("the {kind} note on {target} cannot be read: {}", chain(&e));
                    self.remarks.insert(remark);
                }
                continue;
            }
            let seen = Seen::at(blob, places.iter().map(|at| &sources[*at].place));
            let whole = data.strip_suffix(b"\n").unwrap_or(&data);
            for line in whole.split(|b| *b == b'\n') {
                self.line(kind, target, line, &seen);
            }
        }
        if missing > 0 {
            self.found.left_out = true;
            self.remarks.insert(format!(
                "{missing} {kind} notes are not in this repository, though its refs lead to them"
            ));
        }
    }

    fn note(&self, blob: Oid, into: &mut Vec<u8>) -> Result<()> {
        let size = self.reader.blob_size(blob)?;
        if size > MAX_NOTE {
            return Err(Error::git(format!(
                "blob {blob} has {} MiB; {} are the most",
                size >> 20,
                MAX_NOTE >> 20
            )));
        }
        self.reader.blob(blob, into)
    }

    fn target(&mut self, id: Oid) -> Target {
        *self
            .targets
            .entry(id)
            .or_insert_with(|| match self.reader.commit(id) {
                Ok(_) => Target::Commit,
                Err(e) if is_missing(&e) => Target::NotHere,
                Err(_) => Target::NoCommit,
            })
    }

    fn line(&mut self, kind: Kind, target: Oid, line: &[u8], seen: &Seen) {
        let line = line.trim_ascii();
        let digest = mask::sha256(line);
        let lines = self.lines.entry((kind, target)).or_default();
        if let Some(known) = lines.get_mut(&digest) {
            known.seen_at(seen.local, seen.branch, seen.spooled, &seen.remotes);
            return;
        }
        let skipped = self.found.skipped.entry(kind).or_default();
        let says = match read_line(kind, line) {
            ReadLine::Known(mut record) => {
                if let Body::Raw(raw) = &mut record.body {
                    (raw.content, raw.head, raw.tail) = (None, None, None);
                }
                Says::Known(record)
            }
            ReadLine::Newer { v, id } => {
                *skipped.newer.entry(v).or_default() += 1;
                Says::Newer { v, id }
            }
            ReadLine::Bad(why) => return skipped.count_bad(&why, target),
            ReadLine::Blank => {
                skipped.blank += 1;
                return;
            }
        };
        let bytes = match seen.blob {
            Some(blob) if kind == Kind::Raw => Bytes::In {
                blob,
                sha256: digest.clone(),
            },
            _ => Bytes::Here(line.into()),
        };
        lines.insert(digest, seen.stored(says, bytes));
    }

    fn spool(&mut self, kinds: &BTreeSet<Kind>) -> Result<()> {
        let spool = Spool::of(&self.reader.evolve_dir());
        self.found.damaged_spool_files = spool.set_aside()?.len();
        let seen = Seen {
            spooled: true,
            ..Seen::default()
        };
        for path in spool.list()? {
            let Some(file) = Spool::read(&path)? else {
                continue;
            };
            self.found.damaged_spool_files += usize::from(file.damaged > 0);
            for addition in file.waiting.additions {
                let wanted = |all: &BTreeSet<Oid>| all.contains(&addition.target);
                if kinds.contains(&addition.kind)
                    && self.commits.is_none_or(wanted)
                    && self.target(addition.target) != Target::NoCommit
                {
                    self.line(addition.kind, addition.target, &addition.line, &seen);
                }
            }
        }
        Ok(())
    }

    /// Joins lines of one id that are the same but for masks, and finds those that are not.
    fn finish(mut self) -> Result<Records> {
        let mut of_id = BTreeMap::<(Kind, RecordId), Vec<(Oid, String)>>::new();
        for ((kind, target), lines) in &self.lines {
            for (digest, line) in lines {
                if let Some(id) = line.id() {
                    let of_id = of_id.entry((*kind, id.clone())).or_default();
                    of_id.push((*target, digest.clone()));
                }
            }
        }
        for ((kind, id), places) in of_id {
            if places.windows(2).all(|two| two[0].1 == two[1].1) {
                continue;
            }
            let targets: BTreeSet<Oid> = places.iter().map(|(target, _)| *target).collect();
            let mut contents = BTreeSet::new();
            for (target, digest) in places {
                let lines = self.lines.entry((kind, target)).or_default();
                let Some(line) = lines.remove(&digest) else {
                    continue;
                };
                let masked = mask::sha256(&mask::general(kind, &line.line(self.reader)?));
                contents.insert(masked.clone());
                match lines.get_mut(&masked) {
                    Some(known) => {
                        known.seen_at(line.local, line.branch, line.spooled, &line.remotes)
                    }
                    None => {
                        lines.insert(masked, line);
                    }
                }
            }
            if contents.len() > 1 {
                self.found.conflicts.push(Conflict {
                    kind,
                    id,
                    targets: targets.into_iter().collect(),
                });
            }
        }
        for ((kind, target), lines) in std::mem::take(&mut self.lines) {
            let mut lines: Vec<(String, Stored)> = lines.into_iter().collect();
            lines.sort_by(|(a, x), (b, y)| (x.id(), a).cmp(&(y.id(), b)));
            let lines: Vec<Stored> = lines.into_iter().map(|(_, line)| line).collect();
            let into = match self.target(target) {
                Target::Commit => &mut self.found.lines,
                Target::NotHere | Target::NoCommit => &mut self.found.dangling,
            };
            if !lines.is_empty() {
                into.entry(kind).or_default().insert(target, lines);
            }
        }
        self.found.remarks = self.remarks.into_iter().collect();
        Ok(self.found)
    }
}

impl Seen {
    fn at<'p>(blob: Oid, places: impl Iterator<Item = &'p Place> + Clone) -> Seen {
        let mut remotes: Vec<Arc<str>> = Vec::new();
        remotes.extend(places.clone().filter_map(Place::remote).map(Arc::from));
        remotes.sort();
        remotes.dedup();
        Seen {
            blob: Some(blob),
            local: places.clone().any(|p| *p == Place::Local),
            branch: places.clone().any(|p| *p == Place::Branch),
            remotes,
            spooled: false,
        }
    }

    fn stored(&self, says: Says, bytes: Bytes) -> Stored {
        Stored {
            says,
            local: self.local,
            branch: self.branch,
            remotes: self.remotes.clone(),
            spooled: self.spooled,
            bytes,
        }
    }
}

/// An error with what caused it, in one line.
fn chain(error: &Error) -> String {
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(e) = cause {
        said = format!("{said}: {e}");
        cause = e.source();
    }
    said
}
