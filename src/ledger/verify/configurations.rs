//! Configurations: every one that a record names is here, with that digest, and canonical.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Defect, Ground, Verified};
use crate::error::Result;
use crate::ledger::NotesRef;
use crate::record::mask::sha256;
use crate::record::{Body, Kind};
use crate::repo::{Oid, Severity, missing};

pub(super) fn check(ground: &Ground<'_>, verified: &mut Verified) -> Result<()> {
    let reader = ground.reader;
    let mut noted = BTreeMap::<Oid, BTreeSet<Oid>>::new();
    for source in ground
        .sources
        .iter()
        .filter(|s| s.notes == NotesRef::Config)
    {
        let notes = match reader.notes(source.tip) {
            Ok(notes) => notes,
            // Said where the notes themselves are looked at.
            Err(_) => continue,
        };
        for (target, blobs) in notes {
            noted.entry(target).or_default().extend(blobs);
        }
    }
    for (target, blobs) in &noted {
        if !blobs.contains(target) {
            let what = format!("the note on {target} holds something else than that blob");
            let defect = Defect::new("config-differs", Severity::Error, what).at(*target);
            verified
                .defects
                .push(defect.in_ref(NotesRef::Config.local()));
        }
    }
    let mut seen = BTreeSet::new();
    for (kind, at, stored) in ground.records.all() {
        let Some(record) = stored.record().filter(|_| kind == Kind::Checkpoint) else {
            continue;
        };
        let Body::Checkpoint(body) = &record.body else {
            continue;
        };
        let Some(config) = &body.config else { continue };
        let Some(blob) = Oid::from_hex(config.blob.as_str()) else {
            continue;
        };
        if !seen.insert((blob, config.sha256.clone())) {
            continue;
        }
        let defect = |id: &'static str, severity, what: String| {
            Defect::new(id, severity, what)
                .in_chain(record.head.chain.to_string())
                .at(at)
                .of(&record.head.id)
        };
        let mut bytes = Vec::new();
        match reader.blob(blob, &mut bytes) {
            Ok(()) => {}
            Err(e) if missing(&e).is_some_and(|m| m.promised) => {
                let what = format!("configuration {blob} was left to the remote");
                verified.unavailable.insert(what);
                continue;
            }
            Err(_) => {
                let what = format!("configuration {blob} is not here");
                verified
                    .defects
                    .push(defect("config-missing", Severity::Error, what));
                continue;
            }
        }
        if !noted.contains_key(&blob) {
            let what = format!("configuration {blob} is here, and no note keeps or shares it");
            verified
                .defects
                .push(defect("config-not-noted", Severity::Warning, what));
        }
        if sha256(&bytes) != config.sha256 {
            let what = format!("configuration {blob} has another digest than the record names");
            verified
                .defects
                .push(defect("config-digest", Severity::Error, what));
        }
        let canonical = serde_json::from_slice::<Value>(&bytes)
            .ok()
            .and_then(|value| serde_json::to_vec(&value).ok());
        if canonical.as_deref() != Some(bytes.trim_ascii_end()) {
            let what = format!("configuration {blob} is not canonical JSON");
            verified
                .defects
                .push(defect("config-form", Severity::Warning, what));
        }
    }
    Ok(())
}
