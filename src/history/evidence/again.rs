//! What was read out of payloads: taken from the record where today's readers read it, else
//! read again, so that a mended reader applies to old runs.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::collect::why_lacking;
use crate::ledger::{Content, Listing, Records, Stored, read_payload, tree_facts};
use crate::record::mask::Masker;
use crate::record::{
    Body, Coverage, CoverageMap, Envelope, Head, Kind, Opened, Payload, Raw, ReadBy, ReadLine,
    Readers, Reading, RecordId, RunFacts, Session, TestMap, Tests, read_line,
};
use crate::repo::{Oid, Reader};

/// How much of the end of a console is looked at, in bytes.
const CONSOLE: u64 = 64 << 10;

/// Why nothing was read where nothing was kept.
const NO_PAYLOAD: &str = "its record has no payload";

/// Why something was not read.
type Why = String;

/// Payload records by id.
#[derive(Debug)]
struct Payloads {
    records: Records,
    by_id: BTreeMap<RecordId, (Oid, usize)>,
}

impl Payloads {
    /// Those of `records`.
    fn of(records: Records) -> Payloads {
        let mut by_id = BTreeMap::new();
        for (target, lines) in records.lines.get(&Kind::Raw).into_iter().flatten() {
            for (at, stored) in lines.iter().enumerate() {
                if let Some(id) = stored.id() {
                    by_id.entry(id.clone()).or_insert((*target, at));
                }
            }
        }
        Payloads { records, by_id }
    }

    fn find(&self, id: &RecordId) -> Option<&Stored> {
        let (target, at) = self.by_id.get(id)?;
        self.records.on(Kind::Raw, *target).get(*at)
    }
}

/// Reads again, for one chain.
pub(super) struct Again<'a> {
    reader: &'a Reader,
    listing: &'a Listing,
    commits: &'a BTreeSet<Oid>,
    readers: &'a dyn Readers,
    payloads: OnceCell<Payloads>,
}

/// One payload and what its record says of it.
type Found = (Raw, Content);

impl<'a> Again<'a> {
    pub(super) fn new(
        reader: &'a Reader,
        listing: &'a Listing,
        commits: &'a BTreeSet<Oid>,
        readers: &'a dyn Readers,
    ) -> Again<'a> {
        Again {
            reader,
            listing,
            commits,
            readers,
            payloads: OnceCell::new(),
        }
    }

    /// The session of an envelope record.
    pub(super) fn session(&self, envelope: &Envelope) -> Result<Session, Why> {
        let session = envelope.session.as_ref();
        if let Some(read) = self.as_recorded(envelope.read_by.as_ref(), session) {
            return Ok(read);
        }
        if !envelope.unkept.is_empty() {
            // There is nothing to read again.
            let read = session.and_then(|s| Session::deserialize(s).ok());
            return read.ok_or_else(|| "it was read from files that were not kept".to_owned());
        }
        let found = self.payloads(&envelope.raw)?;
        let of_it = |raw: &Raw| matches!(raw.payload, Payload::Envelope | Payload::Transcript);
        let mut files = opened(&found, of_it)?;
        if files.is_empty() {
            return Err(NO_PAYLOAD.to_owned());
        }
        as_kept(of(self.readers.session(&mut files))?, &found)
    }

    /// The tests of a gate run on `tree`.
    pub(super) fn tests(&self, tests: &Tests, tree: Option<Oid>) -> Result<TestMap, Why> {
        if let Some(read) = self.as_recorded(tests.read_by.as_ref(), tests.map.as_ref()) {
            return Ok(read);
        }
        // Reports that were not there are a reader's business.
        let found = self.payloads(&tests.raw)?;
        let console = found
            .iter()
            .find(|(raw, _)| raw.payload == Payload::Console);
        let run = RunFacts {
            command: tests.command.clone().unwrap_or_default(),
            exit_code: tests.exit_code,
            started: tests.started,
            console: console.and_then(|(_, content)| end_of(content)),
            tree: tree.and_then(|tree| tree_facts(self.reader, tree, None).ok()),
            previous: None,
            ended_by: tests.gated.as_ref().and_then(|g| g.ended_by.clone()),
        };
        let mut files = opened(&found, |raw| raw.payload == Payload::Report)?;
        as_kept(self.readers.tests(&mut files, &run), &found)
    }

    /// The lines of a coverage record.
    pub(super) fn coverage(&self, coverage: &Coverage, head: &Head) -> Result<CoverageMap, Why> {
        if let Some(read) = self.as_recorded(coverage.read_by.as_ref(), coverage.files.as_ref()) {
            return Ok(read);
        }
        let found = self.payloads(&coverage.raw)?;
        let mut files = opened(&found, |raw| raw.payload == Payload::Coverage)?;
        let [file] = files.as_mut_slice() else {
            return Err(match files.is_empty() {
                true => NO_PAYLOAD.to_owned(),
                false => "a record of several coverage reports".to_owned(),
            });
        };
        let tree = Oid::from_hex(head.tree.as_str());
        let build_root = coverage.build_root.as_deref();
        let tree = tree.and_then(|tree| tree_facts(self.reader, tree, build_root).ok());
        as_kept(of(self.readers.coverage(file, tree.as_ref()))?, &found)
    }

    /// What stands in the record, where today's readers would read the same.
    fn as_recorded<T: DeserializeOwned>(
        &self,
        read_by: Option<&ReadBy>,
        value: Option<&Value>,
    ) -> Option<T> {
        let current = read_by.is_some_and(|by| self.readers.is_current(by));
        let value = value.filter(|_| current)?;
        T::deserialize(value).ok()
    }

    /// The payloads of a record, in its order.
    fn payloads(&self, ids: &[RecordId]) -> Result<Vec<Found>, Why> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let all = self.all().map_err(unreadable)?;
        ids.iter().map(|id| self.payload(all, id)).collect()
    }

    /// The payload records of the chain, read when first asked for.
    fn all(&self) -> crate::error::Result<&Payloads> {
        if let Some(read) = self.payloads.get() {
            return Ok(read);
        }
        let read = Payloads::of(self.listing.records_on(
            self.reader,
            &[Kind::Raw],
            self.commits,
        )?);
        Ok(self.payloads.get_or_init(|| read))
    }

    fn payload(&self, all: &Payloads, id: &RecordId) -> Result<Found, Why> {
        let Some(stored) = all.find(id) else {
            return Err(why_lacking(Kind::Raw, &all.records)
                .unwrap_or_else(|| "its payload is not in this repository".to_owned()));
        };
        if all.records.is_conflict(Kind::Raw, id) {
            return Err("two payloads have one id and differ (`git evolve verify`)".to_owned());
        }
        let line = stored.line(self.reader).map_err(unreadable)?;
        let raw = match read_line(Kind::Raw, &line) {
            ReadLine::Known(record) => match record.body {
                Body::Raw(raw) => raw,
                _ => return Err("its payload is out of form".to_owned()),
            },
            ReadLine::Newer { v, .. } => {
                return Err(format!(
                    "its payload is of a later version (v {v}) than this program reads"
                ));
            }
            ReadLine::Bad(_) | ReadLine::Blank => {
                return Err("its payload is out of form".to_owned());
            }
        };
        let content = read_payload(self.reader, &raw).map_err(unreadable)?;
        Ok((raw, content))
    }
}

fn unreadable(why: impl std::fmt::Display) -> Why {
    format!("its payload cannot be read: {why}")
}

/// The payloads that `wanted` takes, opened.
fn opened(found: &[Found], wanted: impl Fn(&Raw) -> bool) -> Result<Vec<Opened<'_>>, Why> {
    let mut files = Vec::new();
    for (raw, content) in found.iter().filter(|(raw, _)| wanted(raw)) {
        files.push(Opened {
            path: raw.path.clone().unwrap_or_else(|| raw.name.clone()),
            modified: raw.modified,
            bytes: match content {
                Content::Here(bytes) => Box::new(Cursor::new(bytes.as_slice())),
                Content::File(path) => Box::new(File::open(path).map_err(unreadable)?),
                Content::NotHere { .. } => return Err("payload not shared".to_owned()),
            },
        });
    }
    Ok(files)
}

/// What was read, as a record would hold it: a file over the cap is kept unmasked, and what is
/// read of it must be the same as on machines that have the record alone.
fn as_kept<T: Serialize + DeserializeOwned>(read: T, found: &[Found]) -> Result<T, Why> {
    if !found.iter().any(|(_, c)| matches!(c, Content::File(_))) {
        return Ok(read);
    }
    let mut value = serde_json::to_value(&read).map_err(unreadable)?;
    Masker::here().json(&mut value);
    T::deserialize(value).map_err(unreadable)
}

/// The end of what a command printed.
fn end_of(console: &Content) -> Option<String> {
    match console {
        Content::Here(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Content::NotHere { tail, .. } => Some(String::from_utf8_lossy(tail).into_owned()),
        Content::File(path) => tail(path).ok(),
    }
}

fn tail(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(CONSOLE)))?;
    let mut bytes = Vec::new();
    file.take(CONSOLE).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What was read, or why not.
fn of<T>(reading: Reading<T>) -> Result<T, Why> {
    match reading {
        Reading::Read(read) => Ok(read),
        Reading::Empty => Err("its payload is empty".to_owned()),
        Reading::Unrecognised => Err("format not recognised".to_owned()),
        Reading::Unreadable(format, why) => Err(format!("its payload ({format}): {why}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::record::Encoding;

    fn raw() -> Raw {
        Raw {
            of: RecordId::new(),
            payload: Payload::Report,
            name: "r.xml".to_owned(),
            path: None,
            modified: None,
            encoding: Encoding::Large,
            content: None,
            size: 0,
            sha256: String::new(),
            head: None,
            tail: None,
        }
    }

    #[test]
    fn what_is_read_of_a_file_that_is_kept_whole_is_masked_like_a_record() {
        let id = "/home/ada/shop/a.test.js::t";
        let map = json!({
            "format": "junit-xml",
            "tests": {id: {"class": "/home/ada/shop/a.test.js", "name": "t", "outcome": "passed"}},
            "problems": [{"kind": "build", "where": null, "outcome": "error",
                "message": "token=abcdefgh1"}],
            "validity": "valid",
        });
        let map = || TestMap::deserialize(&map).expect("a map");
        let masked = as_kept(map(), &[(raw(), Content::File("x".into()))]).expect("a map");
        assert!(masked.tests.contains_key("~/shop/a.test.js::t"));
        assert_eq!(
            masked.tests.values().next().map(|t| t.class.as_str()),
            Some("~/shop/a.test.js")
        );
        assert_eq!(
            masked.problems[0].message.as_deref(),
            Some("token=[masked]")
        );
        let here = as_kept(map(), &[(raw(), Content::Here(Vec::new()))]).expect("a map");
        assert!(here.tests.contains_key(id), "its payload is masked already");
    }
}
