//! Payloads: files as they came, each in a raw record that names the record it belongs to.
//!
//! One over the cap stays out of the notes, since hosts refuse large blobs and a record that
//! cannot be pushed is one that nobody else ever has: its record holds digest, size and both
//! ends, the file is kept beside the repository's objects.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::error::{Error, Kind as Trouble, Result};
use crate::record::mask::{Masked, Masker, hex, sha256};
use crate::record::{Body, Encoding, Head, Line, Moment, Payload, Raw, Record, RecordId};
use crate::repo::{Reader, Repo};

/// Largest payload in a note where `evolve.payloadCap` says nothing, in MiB.
const CAP: u64 = 64;
/// The most it may say: in base64 that is still a line that every reader takes.
const MAX_CAP: u64 = 100;
/// What is kept of each end of a larger one.
const END: usize = 64 << 10;
const CHUNK: usize = 256 << 10;
/// What is looked at beyond an end, so that none cuts a credential in two.
const MARGIN: usize = 16 << 10;

/// A payload that was read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its bytes, but for what was masked.
    Here(Vec<u8>),
    /// It was over the cap, and this file has it.
    File(PathBuf),
    /// It was over the cap and was not shared: both ends are all there is.
    NotHere {
        /// Its first bytes, 64 KiB at most.
        head: Vec<u8>,
        /// Its last bytes, 64 KiB at most.
        tail: Vec<u8>,
    },
}

/// What is known of a payload beside its bytes.
#[derive(Debug, Clone)]
pub struct Given {
    /// The record it belongs to.
    pub of: RecordId,
    /// What it is.
    pub payload: Payload,
    /// The file's name, without folders.
    pub name: String,
    /// Its path from where it was looked for, with `/`.
    pub path: Option<String>,
    /// When the file was last written.
    pub modified: Option<Moment>,
}

/// A payload that is kept.
#[derive(Debug)]
pub struct Kept {
    /// Its raw record.
    pub line: Line,
    /// What whoever reads it back gets.
    pub content: Content,
    /// SHA-256 of it, in hexadecimal.
    pub sha256: String,
}

/// Makes the raw record of the payload in `file`, which belongs to the record `of`. `head` says
/// which record this is to be; `masker` what must not go out with it.
///
/// # Errors
/// As [`keep_payload`].
pub fn add_payload(
    repo: &Repo,
    head: Head,
    of: RecordId,
    payload: Payload,
    file: &Path,
    masker: &Masker,
) -> Result<Line> {
    let given = Given {
        of,
        payload,
        name: name_of(file),
        path: None,
        modified: None,
    };
    keep_payload(repo, head, given, file, masker).map(|kept| kept.line)
}

/// Makes the raw record of the payload in `file`, and gives what is read back from it. `head`
/// says which record this is to be; `masker` what must not go out with it.
///
/// Over the cap (`evolve.payloadCap` in MiB, 64 by default, at most 100) the file is kept whole,
/// as it is, in `<common dir>/evolve/large/<SHA-256>`, which is never shared; size and digest are
/// then those of that file.
///
/// # Errors
/// Usage where the file cannot be read or the setting is no number; git where a large one cannot
/// be kept.
pub fn keep_payload(
    repo: &Repo,
    head: Head,
    given: Given,
    file: &Path,
    masker: &Masker,
) -> Result<Kept> {
    let cap = cap(repo)?;
    let (mut from, bytes) = start_of(file, cap)?;
    if bytes.len() as u64 <= cap {
        return keep_bytes(head, given, bytes, masker);
    }
    let kept = keep(&repo.evolve_dir(), &bytes, &mut from, file)?;
    let mut raw = empty(given);
    raw.encoding = Encoding::Large;
    raw.size = kept.size;
    raw.sha256 = kept.sha256;
    let (first, found) = end_of(&bytes[..bytes.len().min(END + MARGIN)], masker, "/head");
    raw.head = Some(STANDARD.encode(&first[..first.len().min(END)]));
    let (last, more) = end_of(&kept.tail, masker, "/tail");
    raw.tail = Some(STANDARD.encode(&last[last.len().saturating_sub(END)..]));
    let masked = found.into_iter().chain(more).collect();
    let sha256 = raw.sha256.clone();
    let place = large_file(&repo.evolve_dir(), &sha256);
    Ok(Kept {
        line: masked_line(head, raw, masked, masker)?,
        content: Content::File(place.unwrap_or_else(|| file.to_owned())),
        sha256,
    })
}

/// The same of bytes that are at hand and not over the cap.
///
/// # Errors
/// Usage where the record would be too long a line.
pub fn keep_bytes(head: Head, given: Given, bytes: Vec<u8>, masker: &Masker) -> Result<Kept> {
    let (bytes, masked) = without_secrets(bytes, masker);
    let mut raw = empty(given);
    raw.size = bytes.len() as u64;
    raw.sha256 = sha256(&bytes);
    let sha256 = raw.sha256.clone();
    if let Ok(text) = std::str::from_utf8(&bytes) {
        raw.content = Some(text.to_owned());
        match masked_line(head.clone(), raw.clone(), masked.clone(), masker) {
            // Control characters take six bytes each in JSON.
            Err(e) if e.kind() == Trouble::Usage => {}
            line => {
                return Ok(Kept {
                    line: line?,
                    content: Content::Here(bytes),
                    sha256,
                });
            }
        }
    }
    raw.encoding = Encoding::Base64;
    raw.content = Some(STANDARD.encode(&bytes));
    Ok(Kept {
        line: masked_line(head, raw, masked, masker)?,
        content: Content::Here(bytes),
        sha256,
    })
}

/// What would be read back from the payload in `file` were it kept; its size and SHA-256.
///
/// # Errors
/// Usage where the file cannot be read or the cap is no number.
pub fn as_kept(repo: &Repo, file: &Path, masker: &Masker) -> Result<(Content, u64, String)> {
    let cap = cap(repo)?;
    let (mut rest, bytes) = start_of(file, cap)?;
    if bytes.len() as u64 <= cap {
        let (bytes, _) = without_secrets(bytes, masker);
        let (size, digest) = (bytes.len() as u64, sha256(&bytes));
        return Ok((Content::Here(bytes), size, digest));
    }
    let mut digest = Sha256::new();
    digest.update(&bytes);
    let mut size = bytes.len() as u64;
    let mut chunk = vec![0; CHUNK];
    loop {
        match rest.read(&mut chunk).map_err(|e| reading(file, e))? {
            0 => break,
            length => {
                digest.update(&chunk[..length]);
                size += length as u64;
            }
        }
    }
    Ok((
        Content::File(file.to_owned()),
        size,
        hex(&digest.finalize()),
    ))
}

/// A file's name without folders.
pub fn name_of(file: &Path) -> String {
    let name = file.file_name();
    name.map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn reading(file: &Path, e: std::io::Error) -> Error {
    Error::usage(format!("reading {}", file.display())).with_source(e)
}

/// The file, and its bytes up to one more than `cap`.
fn start_of(file: &Path, cap: u64) -> Result<(File, Vec<u8>)> {
    let mut from = File::open(file).map_err(|e| reading(file, e))?;
    let mut bytes = Vec::new();
    (&mut from)
        .take(cap.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|e| reading(file, e))?;
    Ok((from, bytes))
}

/// A payload without what must not go out, and what that was.
fn without_secrets(bytes: Vec<u8>, masker: &Masker) -> (Vec<u8>, Vec<Masked>) {
    let (masked, counts) = masker.payload(&bytes);
    let masked = match masked {
        Cow::Owned(masked) => Some(masked),
        Cow::Borrowed(_) => None,
    };
    let found = counts.into_iter().map(|(what, count)| Masked {
        place: "/content".to_owned(),
        what,
        count,
    });
    let found = found.collect();
    (masked.unwrap_or(bytes), found)
}

/// A raw record without its bytes.
fn empty(given: Given) -> Raw {
    Raw {
        of: given.of,
        payload: given.payload,
        name: given.name,
        path: given.path,
        modified: given.modified,
        encoding: Encoding::Text,
        content: None,
        size: 0,
        sha256: String::new(),
        head: None,
        tail: None,
    }
}

/// The payload of a raw record as it stands in its line.
///
/// # Errors
/// Git where the record's fields do not fit each other, or its bytes are not those that its
/// digest names.
pub fn read_payload(reader: &Reader, raw: &Raw) -> Result<Content> {
    let decoded = |text: &Option<String>| {
        let text = text.as_deref().ok_or_else(|| broken("has no content"))?;
        STANDARD
            .decode(text)
            .map_err(|e| broken("is not in base64").with_source(e))
    };
    let bytes = match raw.encoding {
        Encoding::Text => match &raw.content {
            Some(text) => text.clone().into_bytes(),
            None => return Err(broken("has no content")),
        },
        Encoding::Base64 => decoded(&raw.content)?,
        Encoding::Large => {
            if let Some(path) = large_file(&reader.evolve_dir(), &raw.sha256)
                && path.is_file()
            {
                return Ok(Content::File(path));
            }
            return Ok(Content::NotHere {
                head: decoded(&raw.head)?,
                tail: decoded(&raw.tail)?,
            });
        }
    };
    if bytes.len() as u64 != raw.size || sha256(&bytes) != raw.sha256 {
        return Err(broken("has other bytes than its digest says"));
    }
    Ok(Content::Here(bytes))
}

fn masked_line(head: Head, raw: Raw, masked: Vec<Masked>, masker: &Masker) -> Result<Line> {
    let record = Record {
        head,
        body: Body::Raw(raw),
        masked,
    };
    record.line(masker)
}

/// An end of a large payload and a margin, without what must not go out; and what was found.
fn end_of<'b>(bytes: &'b [u8], masker: &Masker, place: &str) -> (Cow<'b, [u8]>, Vec<Masked>) {
    let (masked, counts) = masker.bytes(bytes);
    let found = counts.into_iter().map(|(what, count)| Masked {
        place: place.to_owned(),
        what,
        count,
    });
    (masked, found.collect())
}

fn broken(how: &str) -> Error {
    Error::git(format!("the payload of a raw record {how}"))
}

/// Where the large file of this digest is; `None` where it is no digest.
fn large_file(evolve_dir: &Path, digest: &str) -> Option<PathBuf> {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    let fits = digest.len() == 64 && digest.bytes().all(hex);
    fits.then(|| evolve_dir.join("large").join(digest))
}

struct Large {
    size: u64,
    sha256: String,
    tail: Vec<u8>,
}

/// Keeps what was read and the rest of it under the digest of both.
fn keep(evolve_dir: &Path, read: &[u8], rest: &mut File, file: &Path) -> Result<Large> {
    let folder = evolve_dir.join("large");
    let draft = folder.join(format!(".{}.tmp", RecordId::new()));
    let doing = |e: std::io::Error| {
        let _ = fs::remove_file(&draft);
        Error::git(format!(
            "keeping {} in {}",
            file.display(),
            folder.display()
        ))
        .with_source(e)
    };
    fs::create_dir_all(&folder).map_err(doing)?;
    let kept = copy(&draft, read, rest).map_err(doing)?;
    fs::rename(&draft, folder.join(&kept.sha256)).map_err(doing)?;
    Ok(kept)
}

fn copy(draft: &Path, read: &[u8], rest: &mut File) -> std::io::Result<Large> {
    let mut to = File::create_new(draft)?;
    let mut digest = Sha256::new();
    let mut size = 0;
    let mut tail = VecDeque::with_capacity(END + MARGIN + CHUNK);
    let mut take = |bytes: &[u8]| -> std::io::Result<()> {
        digest.update(bytes);
        size += bytes.len() as u64;
        tail.extend(&bytes[bytes.len().saturating_sub(END + MARGIN)..]);
        tail.drain(..tail.len().saturating_sub(END + MARGIN));
        to.write_all(bytes)
    };
    take(read)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        match rest.read(&mut chunk)? {
            0 => break,
            length => take(&chunk[..length])?,
        }
    }
    to.sync_all()?;
    let digest = digest.finalize();
    Ok(Large {
        size,
        sha256: hex(&digest),
        tail: tail.into(),
    })
}

/// The cap in bytes.
fn cap(repo: &Repo) -> Result<u64> {
    let Some(text) = repo.setting("evolve.payloadCap") else {
        return Ok(CAP << 20);
    };
    let mib = text.trim().parse::<u64>().map_err(|e| {
        Error::usage(format!(
            "evolve.payloadCap is '{text}', which is no number of MiB"
        ))
        .with_source(e)
    })?;
    Ok(mib.min(MAX_CAP) << 20)
}
