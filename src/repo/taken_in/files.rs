//! The files of a hostile work tree, read: hashed first, and written only where the store has them
//! not.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek};

use gix::objs::tree::EntryKind;
use sha2::{Digest, Sha256};

use super::super::export::{Leaf, threads};
use super::super::write::{Leaf as NewLeaf, LeafMode};
use super::folder::Folder;
use super::incoming::Incoming;
use super::{Bounds, reading};
use crate::error::{Error, Result};
use crate::repo::{Oid, Repo, TreePath};

/// A regular file that is to be taken.
pub(super) struct Found {
    pub(super) path: TreePath,
    pub(super) size: u64,
    pub(super) executable: bool,
}

/// What became of it.
pub(super) enum Read {
    Whole(NewLeaf),
    Stub(NewLeaf, u64, Option<String>),
    Not,
}

/// Reads `found`, which is in the order of the walk; the results are in the same order.
pub(super) fn read(
    repo: &Repo,
    top: &Folder,
    found: &[Found],
    tracked: &BTreeMap<&[u8], &Leaf>,
    bounds: &Bounds,
) -> Result<Vec<Read>> {
    // Settled beforehand, so that it does not depend on the threads.
    let (mut room, mut digested) = (bounds.total, bounds.digested);
    let how: Vec<How> = found
        .iter()
        .map(|f| {
            if f.size <= bounds.file && f.size <= room {
                room -= f.size;
                How::Whole
            } else if f.size <= digested {
                digested -= f.size;
                How::Digest
            } else {
                How::Name
            }
        })
        .collect();
    let part = found.len().div_ceil(threads(found.len())).max(1);
    let parts = std::thread::scope(|scope| {
        let running: Vec<_> = found
            .chunks(part)
            .zip(how.chunks(part))
            .map(|(files, how)| {
                scope.spawn(move || Part::new(repo, top, tracked, bounds).read(files, how))
            })
            .collect();
        let lost = |_| Err(Error::internal("taking files in: a thread ended early"));
        let each = running.into_iter();
        each.map(|t| t.join().unwrap_or_else(lost))
            .collect::<Result<Vec<_>>>()
    })?;
    Ok(parts.into_iter().flatten().collect())
}

/// How a file is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// All of it comes in.
    Whole,
    /// Its digest does.
    Digest,
    /// Its name and size do.
    Name,
}

struct Part<'p> {
    to: Incoming,
    top: &'p Folder,
    tracked: &'p BTreeMap<&'p [u8], &'p Leaf>,
    bounds: &'p Bounds,
    /// The folder that was opened last, by its path.
    open: Option<(Vec<u8>, Option<Folder>)>,
}

impl<'p> Part<'p> {
    fn new(
        repo: &Repo,
        top: &'p Folder,
        tracked: &'p BTreeMap<&'p [u8], &'p Leaf>,
        bounds: &'p Bounds,
    ) -> Part<'p> {
        Part {
            to: Incoming::new(repo),
            top,
            tracked,
            bounds,
            open: None,
        }
    }

    fn read(mut self, found: &[Found], how: &[How]) -> Result<Vec<Read>> {
        let mut bytes = Vec::new();
        let each = found.iter().zip(how);
        let read = each.map(|(file, how)| self.one(file, *how, &mut bytes));
        let read = read.collect::<Result<Vec<_>>>()?;
        self.to.finish()?;
        Ok(read)
    }

    fn one(&mut self, found: &Found, how: How, bytes: &mut Vec<u8>) -> Result<Read> {
        let Some(mut file) = self.file(&found.path) else {
            return Ok(Read::Not);
        };
        let mode = match found.executable {
            true => LeafMode::Executable,
            false => LeafMode::Plain,
        };
        if how == How::Whole {
            bytes.clear();
            // One that grows while it is read is over the bound all the same.
            let most = self.bounds.file + 1;
            if (&mut file).take(most).read_to_end(bytes).is_err() {
                return Ok(Read::Not);
            }
            if bytes.len() as u64 <= self.bounds.file {
                let id = self.blob(&found.path, bytes)?;
                return Ok(Read::Whole(NewLeaf { mode, id }));
            }
        }
        self.stub(found, file, how != How::Name)
    }

    fn file(&mut self, path: &[u8]) -> Option<File> {
        let at = path.iter().rposition(|b| *b == b'/');
        let (folder, name) = at.map_or((&b""[..], path), |at| (&path[..at], &path[at + 1..]));
        if self.open.as_ref().is_none_or(|(open, _)| open != folder) {
            self.open = Some((folder.to_vec(), self.top.below(folder)));
        }
        self.open.as_ref()?.1.as_ref()?.file(name)
    }

    fn blob(&mut self, path: &[u8], bytes: &[u8]) -> Result<Oid> {
        let mut written = || -> Result<Oid> {
            let id = self.to.id(bytes)?;
            let tracked = self.tracked.get(path);
            let same = tracked.is_some_and(|l| l.id.0 == id && l.kind != EntryKind::Commit);
            if !same {
                self.to.write(id, bytes)?;
            }
            Ok(Oid(id))
        };
        written().map_err(|e| reading(path, e))
    }

    fn stub(&mut self, found: &Found, mut file: File, digested: bool) -> Result<Read> {
        let size = file.metadata().map_or(found.size, |m| m.len());
        // Never more than was looked at: one that grows is digested no further.
        let digest = match digested && size == found.size {
            true => digest(&mut file, size),
            false => None,
        };
        let text = stub_text(&found.path, size, digest.as_deref());
        let id = self.blob(&found.path, &text)?;
        let mode = LeafMode::Plain;
        Ok(Read::Stub(NewLeaf { mode, id }, size, digest))
    }
}

fn digest(file: &mut File, size: u64) -> Option<String> {
    file.rewind().ok()?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut left = size;
    while left > 0 {
        let n = file.read(&mut buffer).ok()?;
        if n == 0 {
            break;
        }
        digest.update(&buffer[..n]);
        left = left.saturating_sub(n as u64);
    }
    let digest = digest.finalize();
    Some(digest.iter().map(|b| format!("{b:02x}")).collect())
}

/// What stands in a tree for a file that is too great for it.
fn stub_text(path: &[u8], size: u64, sha256: Option<&str>) -> Vec<u8> {
    let mut text =
        b"git-evolve: this file was too large to be taken; this text stands for it\npath ".to_vec();
    text.extend(path.iter().map(|b| if *b == b'\n' { b'?' } else { *b }));
    text.extend(format!("\nsize {size}\n").into_bytes());
    text.extend(match sha256 {
        Some(digest) => format!("sha256 {digest}\n").into_bytes(),
        None => b"sha256 not computed\n".to_vec(),
    });
    text
}
