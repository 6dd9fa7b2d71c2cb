//! New blobs on their way into the store: the first of them each by itself, more of them in a
//! pack, since a hundred thousand loose objects would slow down everything that comes after.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};

use gix::objs::{Exists, Kind, Write as _};
use gix::zlib::stream::deflate::{Compress, FlushCompress};
use gix::zlib::{Compression, Status};

use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::call::succeeded;
use crate::repo::isolated::{open, ours};
use crate::repo::program::not_started;

/// So many are written each by itself.
const LOOSE: usize = 200;
/// The number that a blob has in a pack.
const BLOB: u8 = 3;

/// Writes what the store has not.
pub(super) struct Incoming {
    git: gix::Repository,
    common_dir: PathBuf,
    loose: usize,
    packed: HashSet<gix::ObjectId>,
    pack: Option<Pack>,
}

impl Incoming {
    pub(super) fn new(repo: &Repo) -> Incoming {
        // What is missing is looked for in the packs that are there now, and not again and again
        // in those that may have come: a look for what is not there brings the list up to date.
        let looks = repo.git();
        let nothing = gix::ObjectId::null(looks.object_hash());
        let _ = Exists::exists(&looks.objects, &nothing);
        let mut git = repo.git();
        git.objects.refresh_never();
        Incoming {
            git,
            common_dir: repo.common_dir().to_owned(),
            loose: 0,
            packed: HashSet::new(),
            pack: None,
        }
    }

    /// The id of `bytes` as a blob.
    pub(super) fn id(&self, bytes: &[u8]) -> Result<gix::ObjectId> {
        gix::objs::compute_hash(self.git.object_hash(), Kind::Blob, bytes)
            .map_err(|e| Error::internal("hashing a file").with_source(e))
    }

    /// Writes the blob `id`, where the store has it not.
    pub(super) fn write(&mut self, id: gix::ObjectId, bytes: &[u8]) -> Result<()> {
        if self.packed.contains(&id) || Exists::exists(&self.git.objects, &id) {
            return Ok(());
        }
        if self.loose < LOOSE {
            self.loose += 1;
            let written = self.git.objects.write_buf(Kind::Blob, bytes);
            return written
                .map(drop)
                .map_err(|e| Error::git("writing a blob").with_source(e));
        }
        let pack = match &mut self.pack {
            Some(pack) => pack,
            none => none.insert(Pack::new(&self.common_dir)?),
        };
        pack.add(bytes)?;
        self.packed.insert(id);
        Ok(())
    }

    /// Brings the pack into the store, where there is one.
    pub(super) fn finish(self) -> Result<()> {
        match self.pack {
            Some(pack) => pack.finish(&self.common_dir, self.git.object_hash()),
            None => Ok(()),
        }
    }
}

/// A pack of whole blobs that is being written.
struct Pack {
    path: PathBuf,
    to: BufWriter<File>,
    compress: Compress,
    count: u32,
}

impl Pack {
    fn new(common_dir: &Path) -> Result<Pack> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Git's own housekeeping takes files of this name away where somebody was killed.
        let name = format!("tmp_pack_evolve_{}_{number}", std::process::id());
        let path = common_dir.join("objects/pack").join(name);
        let mut to = BufWriter::new(File::create_new(&path).map_err(|e| writing(&path, e))?);
        to.write_all(&header(0)).map_err(|e| writing(&path, e))?;
        Ok(Pack {
            compress: Compress::new(Compression::BEST_SPEED),
            path,
            to,
            count: 0,
        })
    }

    fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let Pack {
            path,
            to,
            compress,
            count,
        } = self;
        to.write_all(&entry(bytes.len()))
            .and_then(|()| deflate(compress, bytes, to))
            .map_err(|e| writing(path, e))?;
        *count += 1;
        Ok(())
    }

    fn finish(self, common_dir: &Path, hash: gix::hash::Kind) -> Result<()> {
        let Pack {
            path, to, count, ..
        } = self;
        let removed = |result: Result<()>| {
            let gone = fs::remove_file(&path).map_err(|e| writing(&path, e));
            result.and(gone)
        };
        removed(complete(&path, to, count, hash).and_then(|()| {
            let mut index = ours(common_dir);
            index.args(["index-pack", "--stdin", "--threads=1"]);
            index.stdin(open(&path)?).stdout(Stdio::null());
            let out = index.stderr(Stdio::piped()).output().map_err(not_started)?;
            succeeded("index-pack", out).map(drop)
        }))
    }
}

fn deflate(compress: &mut Compress, mut bytes: &[u8], to: &mut impl Write) -> std::io::Result<()> {
    let mut buffer = vec![0; (bytes.len() / 2).clamp(1 << 10, 1 << 16)];
    compress.reset();
    loop {
        let (read, written) = (compress.total_in(), compress.total_out());
        let status = compress
            .compress(bytes, &mut buffer, FlushCompress::Finish)
            .map_err(std::io::Error::other)?;
        let read = usize::try_from(compress.total_in() - read).unwrap_or(bytes.len());
        let written = usize::try_from(compress.total_out() - written).unwrap_or(buffer.len());
        to.write_all(&buffer[..written])?;
        bytes = &bytes[read..];
        match status {
            Status::StreamEnd => return Ok(()),
            _ if read == 0 && written == 0 => {
                return Err(std::io::Error::other("the compressor stands still"));
            }
            _ => {}
        }
    }
}

/// Writes what is known of a pack only in the end: how many objects it has, and its digest.
fn complete(path: &Path, to: BufWriter<File>, count: u32, hash: gix::hash::Kind) -> Result<()> {
    let failed = |e| writing(path, e);
    let mut file = to.into_inner().map_err(|e| failed(e.into_error()))?;
    file.rewind().map_err(failed)?;
    file.write_all(&header(count)).map_err(failed)?;
    let mut digest = gix::hash::hasher(hash);
    let mut from = File::open(path).map_err(failed)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer).map_err(failed)? {
            0 => break,
            n => digest.update(&buffer[..n]),
        }
    }
    let digest = digest
        .try_finalize()
        .map_err(|e| Error::internal("hashing a pack").with_source(e))?;
    file.seek(SeekFrom::End(0)).map_err(failed)?;
    file.write_all(digest.as_slice()).map_err(failed)
}

fn writing(path: &Path, e: std::io::Error) -> Error {
    Error::git(format!("writing {}", path.display())).with_source(e)
}

/// What a pack of version 2 begins with.
fn header(count: u32) -> Vec<u8> {
    let mut bytes = b"PACK\0\0\0\x02".to_vec();
    bytes.extend(count.to_be_bytes());
    bytes
}

/// What stands before a blob's compressed bytes: kind and size, the lowest four bits first.
fn entry(size: usize) -> Vec<u8> {
    let (mut byte, mut rest) = ((BLOB << 4) | (size & 15) as u8, size >> 4);
    let mut bytes = Vec::new();
    while rest > 0 {
        bytes.push(byte | 0x80);
        (byte, rest) = ((rest & 0x7f) as u8, rest >> 7);
    }
    bytes.push(byte);
    bytes
}
