//! Notes that came from elsewhere, joined with the local ones: the union of their lines, target
//! by target, in a commit with both as parents.
//!
//! Only targets whose notes differ are read. Histories need have nothing in common. What comes in
//! passes the same mask as what is written here; where nothing has to be masked and nothing is
//! here that is not there, the local ref just moves forward.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::error::{Error, Result};
use crate::record::{Kind, mask, sheet};
use crate::repo::{Lock, NewCommit, Oid, Outcome, Pause, Reader, RefMove, Repo, Writer};

/// The notes refs, one a kind of record, and the configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Notes {
    /// Records of one kind.
    Of(Kind),
    /// Configurations, each as a note on its own blob id.
    Config,
}

impl Notes {
    /// All of them, in the order they are listed.
    pub const ALL: [Notes; 6] = [
        Notes::Of(Kind::Checkpoint),
        Notes::Of(Kind::Envelope),
        Notes::Of(Kind::Tests),
        Notes::Of(Kind::Coverage),
        Notes::Of(Kind::Raw),
        Notes::Config,
    ];

    /// The last part of its ref names.
    pub fn word(self) -> &'static str {
        match self {
            Notes::Of(kind) => kind.word(),
            Notes::Config => "config",
        }
    }

    /// Its ref in this repository.
    pub fn local(self) -> String {
        format!("{LOCAL}{}", self.word())
    }

    /// The branch under which the same commits are published.
    pub fn branch(self) -> String {
        format!("refs/heads/evolve-notes/{}", self.word())
    }
}

/// Where this repository's own notes are.
const LOCAL: &str = "refs/notes/evolve/";

/// What a merge did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// How many lines are here now that were not before, by kind.
    pub arrived: BTreeMap<Notes, u64>,
    /// What should be said: stale locks removed, lines masked.
    pub remarks: Vec<String>,
}

/// Joins the notes commits `from` with the local notes, under the writers' lock. What is here
/// already changes nothing.
///
/// # Errors
/// Git where a commit cannot be read, the lock is not had in time, or the refs cannot be moved;
/// nothing is lost then, and the same call does the rest.
pub fn merge_into_local(repo: &Repo, from: &[(Notes, Oid)]) -> Result<Merged> {
    let open = still_open(&repo.reader()?, from)?;
    if open.is_empty() {
        return Ok(Merged::default());
    }
    let deadline = Instant::now() + repo.lock_timeout()?;
    let lock = Lock::take(repo, deadline)?;
    let names: BTreeSet<String> = open.iter().map(|(n, _)| n.local()).collect();
    let stale = lock.clear_stale(names.iter().map(String::as_str))?;
    let mut pause = Pause::until(deadline);
    loop {
        let mut join = Join::new(repo)?;
        for (notes, commit) in &open {
            join.add(*notes, *commit)?;
        }
        let outcome = repo.transact(&join.moves(), "git evolve: records merged")?;
        match &outcome {
            Outcome::Moved => {
                let mut merged = join.done;
                merged
                    .remarks
                    .extend(stale.iter().map(crate::repo::StaleLock::remark));
                return Ok(merged);
            }
            Outcome::Lost | Outcome::Locked { .. } => {
                if !pause.rest() {
                    let why = outcome.obstacle().unwrap_or_default();
                    return Err(Error::git(format!("merging records: {why}"))
                        .with_hint("what was fetched is kept; run the same command again"));
                }
            }
        }
    }
}

/// What of `from` the local notes do not already come from.
fn still_open(reader: &Reader, from: &[(Notes, Oid)]) -> Result<Vec<(Notes, Oid)>> {
    let mut open = Vec::new();
    for (notes, commit) in from.iter().collect::<BTreeSet<_>>() {
        let held = match reader.reference(&notes.local())? {
            Some(local) => local == *commit || reader.is_ancestor(*commit, local)?,
            None => false,
        };
        if !held {
            open.push((*notes, *commit));
        }
    }
    Ok(open)
}

/// The joining of several notes commits with what the refs held when it began.
struct Join {
    reader: Reader,
    writer: Writer,
    repo: Repo,
    /// What each ref held, and what it is to hold.
    refs: BTreeMap<Notes, (Option<Oid>, Option<Oid>)>,
    done: Merged,
}

impl Join {
    fn new(repo: &Repo) -> Result<Join> {
        Ok(Join {
            reader: repo.reader()?,
            writer: Writer::open(repo)?,
            repo: repo.clone(),
            refs: BTreeMap::new(),
            done: Merged::default(),
        })
    }

    fn moves(&self) -> Vec<RefMove> {
        let changed = self.refs.iter().filter(|(_, (old, new))| old != new);
        changed
            .map(|(notes, (old, new))| RefMove {
                name: notes.local(),
                old: *old,
                new: *new,
            })
            .collect()
    }

    fn add(&mut self, notes: Notes, theirs: Oid) -> Result<()> {
        let state = match self.refs.get(&notes) {
            Some(state) => *state,
            None => {
                let local = self.reader.reference(&notes.local())?;
                (local, local)
            }
        };
        self.refs.insert(notes, state);
        let ours = state.1;
        let behind = match ours {
            None => true,
            Some(ours) if ours == theirs || self.reader.is_ancestor(theirs, ours)? => return Ok(()),
            Some(ours) => self.reader.is_ancestor(ours, theirs)?,
        };
        let edits = match notes {
            Notes::Of(kind) => self.lines(notes, kind, ours, theirs)?,
            Notes::Config => self.configurations(ours, theirs)?,
        };
        *self.done.arrived.entry(notes).or_default() += edits.arrived;
        if edits.masked > 0 {
            self.done.remarks.push(format!(
                "{} {} records of the remote hold what looks like a credential or a home folder: \
                 masked here",
                edits.masked,
                notes.word()
            ));
        }
        let joined = match behind && edits.theirs_is_all {
            true => theirs,
            false => self.commit(ours, theirs, &edits.blobs)?,
        };
        self.refs.insert(notes, (state.0, Some(joined)));
        Ok(())
    }

    /// The commit that has both as parents.
    fn commit(&self, ours: Option<Oid>, theirs: Oid, edits: &BTreeMap<Oid, Oid>) -> Result<Oid> {
        let who = self.repo.identity()?;
        let parents: Vec<Oid> = ours.into_iter().chain([theirs]).collect();
        self.writer.commit(&NewCommit {
            tree: self.writer.notes_tree(ours, edits)?,
            parents: &parents,
            author: &who.author,
            committer: &who.committer,
            message: b"evolve: records merged\n",
        })
    }

    fn lines(&self, notes: Notes, kind: Kind, ours: Option<Oid>, theirs: Oid) -> Result<Edits> {
        let mine = self.listed(ours)?;
        let other = self.reader.notes(theirs)?;
        let mut edits = Edits {
            theirs_is_all: mine.keys().all(|t| other.contains_key(t)),
            ..Edits::default()
        };
        for (target, blobs) in other {
            let here = mine.get(&target);
            if here == Some(&blobs) {
                continue;
            }
            let own = self.text(here.map_or(&[][..], Vec::as_slice), notes)?;
            let came = self.text(&blobs, notes)?;
            let own: BTreeSet<&[u8]> = sheet::lines(&own).collect();
            let mut passed: BTreeSet<std::borrow::Cow<'_, [u8]>> = BTreeSet::new();
            for line in sheet::lines(&came) {
                let line = mask::general(kind, line);
                edits.masked += u64::from(matches!(line, std::borrow::Cow::Owned(_)));
                passed.insert(line);
            }
            let fresh = passed.iter().filter(|l| !own.contains(l.as_ref())).count() as u64;
            let kept = own.iter().filter(|l| passed.contains(**l)).count();
            edits.theirs_is_all &= kept == own.len();
            edits.arrived += fresh;
            if fresh > 0 {
                let all = own.iter().copied().chain(passed.iter().map(AsRef::as_ref));
                let text = sheet::union(all);
                edits.blobs.insert(target, self.writer.blob(&text)?);
            }
        }
        edits.theirs_is_all &= edits.masked == 0;
        Ok(edits)
    }

    /// A configuration's note is the configuration itself: any other content is no note of ours.
    fn configurations(&self, ours: Option<Oid>, theirs: Oid) -> Result<Edits> {
        let mine = self.listed(ours)?;
        let other = self.reader.notes(theirs)?;
        let whole = |target: &Oid, blobs: &[Oid]| blobs == [*target];
        let mut edits = Edits {
            theirs_is_all: mine.keys().all(|t| other.contains_key(t))
                && other.iter().all(|(t, b)| whole(t, b)),
            ..Edits::default()
        };
        for target in other
            .into_iter()
            .filter(|(t, b)| whole(t, b))
            .map(|(t, _)| t)
        {
            if mine.get(&target).is_none_or(|b| !whole(&target, b)) {
                edits.arrived += 1;
                edits.blobs.insert(target, target);
            }
        }
        Ok(edits)
    }

    fn listed(&self, at: Option<Oid>) -> Result<BTreeMap<Oid, Vec<Oid>>> {
        at.map_or_else(|| Ok(BTreeMap::new()), |at| self.reader.notes(at))
    }

    /// The content of all `blobs`, one after the other.
    fn text(&self, blobs: &[Oid], notes: Notes) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        let mut one = Vec::new();
        for blob in blobs {
            self.reader.blob(*blob, &mut one).map_err(|e| {
                Error::git(format!("reading {} records", notes.word())).with_source(e)
            })?;
            all.extend_from_slice(&one);
            all.push(b'\n');
        }
        Ok(all)
    }
}

/// What joining one ref comes to.
#[derive(Default)]
struct Edits {
    blobs: BTreeMap<Oid, Oid>,
    arrived: u64,
    masked: u64,
    /// Nothing is here that is not there, and all that is there may be here as it is.
    theirs_is_all: bool,
}
