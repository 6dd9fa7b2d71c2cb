//! Notes as they lie in the repository: trees, targets, and every line.

use std::collections::BTreeSet;

use super::{Defect, Ground, Verified};
use crate::error::Result;
use crate::ledger::NotesRef;
use crate::record::{ReadLine, read_line};
use crate::repo::{Oid, Severity, is_missing};

pub(super) fn check(ground: &Ground<'_>, verified: &mut Verified) -> Result<()> {
    let reader = ground.reader;
    let mut tips = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut data = Vec::new();
    for source in ground.sources {
        // A published branch is mostly the very commit of the local notes.
        if !tips.insert((source.notes, source.tip)) {
            continue;
        }
        let name = source.name.as_str();
        let notes = match reader.notes(source.tip) {
            Ok(notes) => notes,
            Err(e) => {
                broken(&e, format!("{name} cannot be read: {e}"), name, verified);
                continue;
            }
        };
        for path in reader.not_notes(source.tip)? {
            let path = String::from_utf8_lossy(&path).into_owned();
            verified.defects.push(
                Defect::new(
                    "not-a-note",
                    Severity::Note,
                    format!("{path} stands among the notes and is none"),
                )
                .in_ref(name),
            );
        }
        for (target, blobs) in notes {
            for blob in blobs {
                if !seen.insert((source.notes, target, blob)) {
                    continue;
                }
                let place = Place { name, target };
                match reader.blob(blob, &mut data) {
                    Ok(()) => {}
                    Err(e) => {
                        broken(
                            &e,
                            format!("the note on {target} cannot be read: {e}"),
                            name,
                            verified,
                        );
                        continue;
                    }
                }
                if let NotesRef::Records(kind) = source.notes {
                    on_what(ground, &place, verified);
                    lines(kind, &data, &place, verified);
                }
                if data.iter().all(u8::is_ascii_whitespace) {
                    let what = format!("the note on {target} is empty");
                    verified
                        .defects
                        .push(place.defect("note-empty", Severity::Warning, what));
                }
            }
        }
    }
    Ok(())
}

/// A note: in which ref, on what.
struct Place<'a> {
    name: &'a str,
    target: Oid,
}

impl Place<'_> {
    fn defect(&self, id: &'static str, severity: Severity, what: String) -> Defect {
        Defect::new(id, severity, what)
            .in_ref(self.name)
            .at(self.target)
    }
}

fn broken(error: &crate::error::Error, what: String, name: &str, verified: &mut Verified) {
    if is_missing(error) {
        verified.unavailable.insert(what);
    } else {
        verified
            .defects
            .push(Defect::new("notes-unreadable", Severity::Error, what).in_ref(name));
    }
}

/// Notes hang on commits alone.
fn on_what(ground: &Ground<'_>, place: &Place<'_>, verified: &mut Verified) {
    let target = place.target;
    let defect = match ground.reader.commit(target) {
        Ok(_) => return,
        Err(e) if is_missing(&e) => {
            let what =
                format!("commit {target} is not here; its records are kept and count nowhere");
            if ground.reader.is_shallow() {
                verified.unavailable.insert(what);
                return;
            }
            match ground.taken_back.says(target) {
                Some(says) => place.defect(
                    "record-taken-back",
                    Severity::Note,
                    format!("commit {target} is not here: it was {says}"),
                ),
                None => place.defect("record-dangling", Severity::Warning, what),
            }
        }
        Err(_) => place.defect(
            "note-on-no-commit",
            Severity::Warning,
            format!("{target} is no commit: its note is read by nobody"),
        ),
    };
    verified.defects.push(defect);
}

fn lines(kind: crate::record::Kind, data: &[u8], place: &Place<'_>, verified: &mut Verified) {
    for (i, line) in data.split(|b| *b == b'\n').enumerate() {
        let mut defect = match read_line(kind, line) {
            ReadLine::Known(_) | ReadLine::Blank => continue,
            ReadLine::Newer { v, id } => {
                let what = format!("a record of schema {v}: kept, and what needs it is unknown");
                let defect = place.defect("record-newer", Severity::Note, what);
                match id {
                    Some(id) => defect.of(&id),
                    None => defect,
                }
            }
            ReadLine::Bad(why) => {
                let what = format!("no record: {why}");
                place.defect("line-bad", Severity::Warning, what)
            }
        };
        defect.line = Some(i + 1);
        verified.defects.push(defect);
    }
}
