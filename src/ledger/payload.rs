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
use crate::record::{Body, Encoding, Head, Line, Payload, Raw, Record, RecordId};
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

/// Makes the raw record of the payload in `file`, which belongs to the record `of`. `head` says
/// which record this is to be; `masker` what must not go out with it.
///
/// Over the cap (`evolve.payloadCap` in MiB, 64 by default, at most 100) the file is kept whole,
/// as it is, in `<common dir>/evolve/large/<SHA-256>`, which is never shared; size and digest are
/// then those of that file.
///
/// # Errors
/// Usage where the file cannot be read or the setting is no number; git where a large one cannot
/// be kept.
pub fn add_payload(
    repo: &Repo,
    head: Head,
    of: RecordId,
    payload: Payload,
    file: &Path,
    masker: &Masker,
) -> Result<Line> {
    let cap = cap(repo)?;
    let reading = |e| Error::usage(format!("reading {}", file.display())).with_source(e);
    let mut from = File::open(file).map_err(reading)?;
    let mut bytes = Vec::new();
    let limit = cap.saturating_add(1);
    (&mut from)
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(reading)?;
    let name = file
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut raw = Raw {
        of,
        payload,
        name,
        path: None,
        modified: None,
        encoding: Encoding::Text,
        content: None,
        size: bytes.len() as u64,
        sha256: String::new(),
        head: None,
        tail: None,
    };
    if bytes.len() as u64 == limit {
        let kept = keep(&repo.evolve_dir(), &bytes, &mut from, file)?;
        raw.encoding = Encoding::Large;
        raw.size = kept.size;
        raw.sha256 = kept.sha256;
        let (first, found) = end_of(&bytes[..bytes.len().min(END + MARGIN)], masker, "/head");
        raw.head = Some(STANDARD.encode(&first[..first.len().min(END)]));
        let (last, more) = end_of(&kept.tail, masker, "/tail");
        raw.tail = Some(STANDARD.encode(&last[last.len().saturating_sub(END)..]));
        let masked = found.into_iter().chain(more).collect();
        return masked_line(head, raw, masked, masker);
    }
    raw.sha256 = sha256(&bytes);
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => {
            raw.content = Some(text);
            match line(head.clone(), raw.clone(), masker) {
                // Control characters take six bytes each in JSON.
                Err(e) if e.kind() == Trouble::Usage => {
                    raw.content.take().unwrap_or_default().into_bytes()
                }
                other => return other,
            }
        }
        Err(not_text) => not_text.into_bytes(),
    };
    raw.encoding = Encoding::Base64;
    raw.content = Some(STANDARD.encode(bytes));
    line(head, raw, masker)
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

fn line(head: Head, raw: Raw, masker: &Masker) -> Result<Line> {
    masked_line(head, raw, Vec::new(), masker)
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

struct Kept {
    size: u64,
    sha256: String,
    tail: Vec<u8>,
}

/// Keeps what was read and the rest of it under the digest of both.
fn keep(evolve_dir: &Path, read: &[u8], rest: &mut File, file: &Path) -> Result<Kept> {
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

fn copy(draft: &Path, read: &[u8], rest: &mut File) -> std::io::Result<Kept> {
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
    Ok(Kept {
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
