//! Payloads: their digests and sizes, and that records and payloads name each other.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{Defect, Ground, Verified};
use crate::error::Result;
use crate::ledger::{Content, read_payload};
use crate::record::mask::hex;
use crate::record::{Body, Kind, ReadLine, Record, RecordId, read_line};
use crate::repo::{Oid, Severity, is_missing};

pub(super) fn check(ground: &Ground<'_>, verified: &mut Verified) -> Result<()> {
    let mut records = BTreeMap::<&RecordId, (Oid, &Record)>::new();
    // Records of others alone: a fetch that was cut short, or one of some kinds, has not the rest.
    let mut partly = std::collections::BTreeSet::new();
    let mut newer = std::collections::BTreeSet::new();
    for (_, at, stored) in ground.records.all() {
        match stored.record() {
            Some(record) => {
                records.entry(&record.head.id).or_insert((at, record));
                if !stored.local {
                    partly.insert(&record.head.id);
                }
            }
            None => newer.extend(stored.id()),
        }
    }
    for (at, record) in records.values() {
        for id in named(record) {
            let what = match records.get(id).map(|(_, r)| &r.body) {
                Some(Body::Raw(raw)) if raw.of == record.head.id => continue,
                Some(Body::Raw(raw)) => format!("its payload {id} says it belongs to {}", raw.of),
                Some(_) => format!("its payload {id} is no payload"),
                None if newer.contains(id) => continue,
                None if partly.contains(&record.head.id) => {
                    let what = format!("its payload {id} was not fetched");
                    let defect = of(record, *at, "payload-not-fetched", Severity::Note, what);
                    verified.defects.push(defect.mended_by("git evolve fetch"));
                    continue;
                }
                None => format!("its payload {id} is not here"),
            };
            let defect = of(record, *at, "payload-missing", Severity::Error, what);
            verified.defects.push(defect);
        }
        let Body::Raw(raw) = &record.body else {
            continue;
        };
        let back = records.get(&raw.of).map(|(_, owner)| *owner);
        let severity = Severity::Warning;
        let what = match back {
            Some(owner) if named(owner).contains(&record.head.id) => continue,
            Some(_) => format!("{} does not name it", raw.of),
            None if newer.contains(&raw.of) || partly.contains(&record.head.id) => continue,
            None => format!("the record {} it belongs to is not here", raw.of),
        };
        verified
            .defects
            .push(of(record, *at, "payload-orphan", severity, what));
    }
    for (kind, at, stored) in ground.records.all() {
        let Some(record) = stored.record().filter(|_| kind == Kind::Raw) else {
            continue;
        };
        let line = match stored.line(ground.reader) {
            Ok(line) => line,
            Err(e) if is_missing(&e) => {
                verified
                    .unavailable
                    .insert(format!("a payload on {at}: {e}"));
                continue;
            }
            Err(e) => return Err(e),
        };
        let ReadLine::Known(whole) = read_line(Kind::Raw, &line) else {
            continue;
        };
        let Body::Raw(raw) = &whole.body else {
            continue;
        };
        let defect = match read_payload(ground.reader, raw) {
            Ok(Content::Here(_)) => {
                verified.extent.payloads += 1;
                continue;
            }
            Ok(Content::File(path)) => {
                verified.extent.payloads += 1;
                if is_file_of(&path, raw.size, &raw.sha256) {
                    continue;
                }
                let what = format!("{} is not what its digest says", path.display());
                of(record, at, "payload-digest", Severity::Error, what)
            }
            Ok(Content::NotHere { .. }) => {
                let what = format!(
                    "{} ({} bytes) was over the cap and stays elsewhere",
                    raw.name, raw.size
                );
                of(record, at, "payload-not-shared", Severity::Note, what)
            }
            Err(e) => of(record, at, "payload-digest", Severity::Error, e.to_string()),
        };
        verified.defects.push(defect);
    }
    Ok(())
}

fn of(record: &Record, at: Oid, id: &'static str, severity: Severity, what: String) -> Defect {
    let kind = record.body.kind();
    Defect::new(id, severity, format!("{kind} record: {what}"))
        .in_chain(record.head.chain.to_string())
        .at(at)
        .of(&record.head.id)
}

/// The payloads a record names.
fn named(record: &Record) -> &[RecordId] {
    match &record.body {
        Body::Envelope(body) => &body.raw,
        Body::Tests(body) => &body.raw,
        Body::Coverage(body) => &body.raw,
        Body::Checkpoint(_) | Body::Raw(_) => &[],
    }
}

fn is_file_of(path: &Path, size: u64, digest: &str) -> bool {
    let Ok(mut file) = File::open(path) else {
        return false;
    };
    let mut hash = Sha256::new();
    let mut read = 0_u64;
    let mut chunk = vec![0; 256 << 10];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => {
                hash.update(&chunk[..n]);
                read += n as u64;
            }
            Err(_) => return false,
        }
    }
    read == size && hex(&hash.finalize()) == digest
}
