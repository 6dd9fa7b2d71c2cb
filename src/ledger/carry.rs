//! Records copied from commits to those that replaced them in an amend or a rebase.
//!
//! Lines are copied as they are, so that on the new commit they are inherited: the commit they
//! name is another than the one they stand on. They stay on the old commit, too. Git's word that
//! one commit became another is not enough, since a commit that was dropped is said to have
//! become whatever came before it: the new commit must name the same checkpoint, or hold the
//! same change. Where neither holds nothing is copied, and `reconcile` proposes.

use std::collections::{BTreeMap, BTreeSet};

use super::patch::{Patch, patch};
use super::spool::Spool;
use super::{Addition, ChainTrailers, NotesRef, Written, append_lines, sources};
use crate::error::Result;
use crate::record::{BadLine, Kind, ReadLine, Record, read_line, sheet};
use crate::repo::{Commit, Oid, Reader, Repo, is_missing};

/// Most pairs of one rewrite that are looked at.
const MAX_PAIRS: usize = 100_000;
/// Most bytes that are copied at once, in a command the user waits for.
const MAX_BYTES: u64 = 64 << 20;
/// Longest run of commits that are tried as one squashed commit.
const MAX_SQUASHED: usize = 1000;

/// One commit that became another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rewrite {
    /// The one before.
    pub old: Oid,
    /// The one after.
    pub new: Oid,
}

/// What was copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// Lines that stand on a new commit now and did not.
    pub lines: usize,
    /// Pairs with records whose new commit is not the old one's successor by anything but git's
    /// word: nothing was copied.
    pub doubtful: Vec<Rewrite>,
    /// Lines that were too much to copy while somebody waits.
    pub too_much: usize,
    /// What the write path said.
    pub remarks: Vec<String>,
}

/// Reads what git hands to the post-rewrite hook: `OLD NEW`, and perhaps more, a line. Lines of
/// another form are passed over; the same pair twice is one.
pub fn read_rewrites(input: &[u8]) -> Vec<Rewrite> {
    let mut seen = BTreeSet::new();
    let mut pairs = Vec::new();
    for line in input.split(|b| *b == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else {
            continue;
        };
        let mut words = line.split_ascii_whitespace().map(Oid::from_hex);
        let (Some(Some(old)), Some(Some(new))) = (words.next(), words.next()) else {
            continue;
        };
        let pair = Rewrite { old, new };
        if old != new && seen.insert(pair) {
            pairs.push(pair);
        }
        if pairs.len() == MAX_PAIRS {
            break;
        }
    }
    pairs
}

/// Copies the records of each old commit to its new one, unless they stand there.
///
/// # Errors
/// Git where notes or commits cannot be read, or, as [`append_lines`] has it, where the notes
/// could not be written in time: the lines are then in the spool.
pub fn carry(repo: &Repo, pairs: &[Rewrite]) -> Result<Carried> {
    let reader = repo.reader()?;
    let shelf = Shelf::open(&reader)?;
    let mut carried = Carried::default();
    if shelf.is_empty() {
        return Ok(carried);
    }
    let mut successors = Successors {
        reader: &reader,
        pairs,
        commits: BTreeMap::new(),
        squashed: BTreeMap::new(),
    };
    let mut room = MAX_BYTES;
    let mut additions = Vec::new();
    for pair in pairs {
        let found = shelf.lines(pair.old, &mut room)?;
        carried.too_much += found.too_much;
        if found.lines.is_empty() {
            continue;
        }
        let there = shelf.lines(pair.new, &mut room)?.lines;
        let missing: Vec<_> = found.lines.difference(&there).collect();
        if missing.is_empty() {
            continue;
        }
        if !successors.hold(*pair, &found.lines)? {
            carried.doubtful.push(*pair);
            continue;
        }
        for (kind, line) in missing {
            additions.push(Addition {
                kind: *kind,
                target: pair.new,
                line: line.clone(),
            });
        }
    }
    additions.sort();
    additions.dedup();
    if additions.is_empty() {
        return Ok(carried);
    }
    let Written { lines, remarks, .. } = append_lines(repo, additions, Vec::new())?;
    carried.lines = lines;
    carried.remarks = remarks;
    Ok(carried)
}

/// A line and its kind; raw payloads, the largest, come last.
type Lines = BTreeSet<(Kind, Vec<u8>)>;

/// All notes of records, to be asked for single commits.
struct Shelf<'r> {
    reader: &'r Reader,
    tips: BTreeSet<(Kind, Oid)>,
    spooled: BTreeMap<Oid, Lines>,
}

#[derive(Default)]
struct Found {
    lines: Lines,
    too_much: usize,
}

impl<'r> Shelf<'r> {
    fn open(reader: &'r Reader) -> Result<Shelf<'r>> {
        let tips = sources(reader)?.into_iter().filter_map(|s| match s.notes {
            NotesRef::Records(kind) => Some((kind, s.tip)),
            NotesRef::Config => None,
        });
        let mut spooled = BTreeMap::<Oid, Lines>::new();
        for path in Spool::of(&reader.evolve_dir()).list()? {
            let waiting = Spool::read(&path)?.map(|file| file.waiting.additions);
            for addition in waiting.into_iter().flatten() {
                let lines = spooled.entry(addition.target).or_default();
                lines.insert((addition.kind, addition.line));
            }
        }
        Ok(Shelf {
            reader,
            tips: tips.collect(),
            spooled,
        })
    }

    fn is_empty(&self) -> bool {
        self.tips.is_empty() && self.spooled.is_empty()
    }

    /// The records on `target`, wherever they stand; each note once, out of `room` bytes.
    fn lines(&self, target: Oid, room: &mut u64) -> Result<Found> {
        let mut found = Found::default();
        let mut blobs = BTreeSet::new();
        for (kind, tip) in &self.tips {
            // A remote's notes that a partial or broken clone cannot read are not ours to copy.
            let notes = self.reader.note(*tip, target).unwrap_or_default();
            blobs.extend(notes.into_iter().map(|blob| (*kind, blob)));
        }
        let mut bytes = Vec::new();
        for (kind, blob) in blobs {
            let size = match self.reader.blob_size(blob) {
                Ok(size) => size,
                Err(e) if is_missing(&e) => continue,
                Err(e) => return Err(e),
            };
            if size > *room {
                found.too_much += 1;
                continue;
            }
            *room -= size;
            self.reader.blob(blob, &mut bytes)?;
            let lines = sheet::lines(&bytes).filter(|line| is_record(kind, line));
            found.lines.extend(lines.map(|line| (kind, line.to_vec())));
        }
        if let Some(spooled) = self.spooled.get(&target) {
            found.lines.extend(spooled.iter().cloned());
        }
        Ok(found)
    }
}

/// Whether a line is worth copying: an object, also one of a later schema or with a field that
/// this version does not know what to make of.
fn is_record(kind: Kind, line: &[u8]) -> bool {
    !matches!(
        read_line(kind, line),
        ReadLine::Blank | ReadLine::Bad(BadLine::NotJson | BadLine::TooLong)
    )
}

/// What makes a new commit the successor of an old one.
struct Successors<'a> {
    reader: &'a Reader,
    pairs: &'a [Rewrite],
    commits: BTreeMap<Oid, Option<Commit>>,
    /// By new commit: the old ones that together made it.
    squashed: BTreeMap<Oid, BTreeSet<Oid>>,
}

impl Successors<'_> {
    /// Whether `pair` holds by what the commits say and are.
    fn hold(&mut self, pair: Rewrite, lines: &Lines) -> Result<bool> {
        let (Some(old), Some(new)) = (self.commit(pair.old)?, self.commit(pair.new)?) else {
            return Ok(false);
        };
        if names_the_same(&old, &new, lines) {
            return Ok(true);
        }
        // An amend of the message alone.
        if old.tree == new.tree && old.parents == new.parents {
            return Ok(true);
        }
        let after = self.patch_of(&new)?;
        if !matches!(after, Some(Patch::Of(_))) {
            return Ok(false);
        }
        Ok(self.patch_of(&old)? == after || self.squashed_into(&new, after)?.contains(&old.id))
    }

    /// The old commits that lie one upon the other and together make the change of `new`.
    fn squashed_into(&mut self, new: &Commit, after: Option<Patch>) -> Result<BTreeSet<Oid>> {
        if let Some(known) = self.squashed.get(&new.id) {
            return Ok(known.clone());
        }
        let into = self.pairs.iter().filter(|p| p.new == new.id);
        let group: BTreeSet<Oid> = into.map(|p| p.old).take(MAX_SQUASHED + 1).collect();
        let mut found = BTreeSet::new();
        let lasts = match group.len() {
            2..=MAX_SQUASHED => group.clone(),
            _ => BTreeSet::new(),
        };
        let mut below = BTreeSet::new();
        for id in &group {
            below.extend(self.commit(*id)?.and_then(|c| c.parents.first().copied()));
        }
        for last in lasts.into_iter().filter(|id| !below.contains(id)) {
            let mut run = BTreeSet::new();
            let mut at = self.commit(last)?;
            let top = at.as_ref().map(|c| c.tree);
            let mut under = None;
            while let Some(commit) = at.take().filter(|c| group.contains(&c.id)) {
                run.insert(commit.id);
                under = commit.parents.first().copied();
                at = match under {
                    Some(parent) => self.commit(parent)?,
                    None => None,
                };
            }
            let bottom = match under {
                Some(parent) => self.commit(parent)?.map(|c| c.tree),
                None => None,
            };
            if let Some(top) = top.filter(|_| bottom.is_some() == under.is_some())
                && patch(self.reader, bottom, top)? == after
            {
                found.extend(run);
            }
        }
        self.squashed.insert(new.id, found.clone());
        Ok(found)
    }

    fn patch_of(&mut self, commit: &Commit) -> Result<Option<Patch>> {
        let before = match commit.parents.first() {
            Some(parent) => match self.commit(*parent)? {
                Some(parent) => Some(parent.tree),
                None => return Ok(None),
            },
            None => None,
        };
        patch(self.reader, before, commit.tree)
    }

    /// The commit; `None` where it is not here.
    fn commit(&mut self, id: Oid) -> Result<Option<Commit>> {
        if let Some(known) = self.commits.get(&id) {
            return Ok(known.clone());
        }
        let read = match self.reader.commit(id) {
            Ok(commit) => Some(commit),
            Err(e) if is_missing(&e) => None,
            Err(e) => return Err(e),
        };
        self.commits.insert(id, read.clone());
        Ok(read)
    }
}

/// Whether the message of `new` names the checkpoint that `old` or its records name. A squashed
/// message has the trailers of all its commits, though only the last block still is trailers.
fn names_the_same(old: &Commit, new: &Commit, lines: &Lines) -> bool {
    let mut blocks = BTreeSet::new();
    if let Some(t) = ChainTrailers::read(&old.message) {
        blocks.insert(block(
            &t.path,
            t.checkpoint,
            &t.checkpoint_id,
            t.role.word(),
        ));
    }
    for (kind, line) in lines {
        if let ReadLine::Known(record) = read_line(*kind, line) {
            let Record { head, .. } = *record;
            let role = head.role.word();
            blocks.insert(block(
                &head.chain,
                head.checkpoint,
                &head.checkpoint_id,
                role,
            ));
        }
    }
    let said: Vec<&str> = new.message.lines().map(str::trim_end).collect();
    blocks
        .iter()
        .any(|block| said.windows(block.len()).any(|lines| lines == block))
}

/// The lines that name a checkpoint in a commit's message, as they are written.
fn block(
    path: &crate::record::ChainPath,
    checkpoint: u32,
    checkpoint_id: &str,
    role: &str,
) -> [String; 3] {
    [
        format!("Evolve-Chain: {path}"),
        format!("Evolve-Checkpoint: {checkpoint} {checkpoint_id}"),
        format!("Evolve-Role: {role}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_once_each_whatever_stands_beside_them() {
        let (a, b, c) = ("a".repeat(40), "b".repeat(40), "c".repeat(40));
        let text = format!(
            "{a} {b}\n{a} {b}\n{a} {b} extra\n{c} {c}\nnot a pair\n{a}\n\n{b} {c}\r\n{} {b}\n\u{fffd}",
            "z".repeat(40)
        );
        let pairs = read_rewrites(text.as_bytes());
        let named: Vec<(String, String)> = pairs
            .iter()
            .map(|p| (p.old.to_string(), p.new.to_string()))
            .collect();
        assert_eq!(named, [(a, b.clone()), (b, c)]);
        assert_eq!(read_rewrites(b""), []);
        assert_eq!(read_rewrites(&[0xff, b' ', 0]), []);
    }
}
