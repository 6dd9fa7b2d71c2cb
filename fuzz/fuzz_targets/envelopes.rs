//! Any bytes, as one file of a session or as several: detected and read without a panic, alike
//! each time, into figures that hold together and read back; and by every format's reader,
//! whatever they are.
//!
//! Seeds are the samples: `cargo fuzz run envelopes CORPUS fixtures/samples/envelopes`.

#![no_main]

use std::io::Cursor;

use git_evolve::intake::envelope::{self, Format, Found};
use git_evolve::record::{Opened, Reading, Session};
use libfuzzer_sys::fuzz_target;

/// Parts the files of one session; stands in no JSON.
const BETWEEN: u8 = 0x1E;

fn read(files: &[&[u8]]) -> Reading<Session> {
    let mut opened: Vec<Opened<'_>> = files
        .iter()
        .map(|bytes| Opened {
            path: "any".to_owned(),
            modified: None,
            bytes: Box::new(Cursor::new(*bytes)),
        })
        .collect();
    envelope::read(&mut opened)
}

fn holds_together(session: &Session) {
    assert!(session.tool_errors <= session.tool_calls);
    assert!(session.started_at <= session.ended_at || session.ended_at.is_none());
    assert!(session.cost_usd.is_none_or(|c| c.is_finite() && c >= 0.0));
    let line = serde_json::to_string(session).expect("plain data");
    let back: Session = serde_json::from_str(&line).expect("it reads back");
    assert_eq!(back.tokens, session.tokens);
    assert_eq!(back.transcript, session.transcript);
}

fuzz_target!(|data: &[u8]| {
    let files: Vec<&[u8]> = data.split(|b| *b == BETWEEN).take(4).collect();
    for file in &files {
        let found = envelope::detect(&mut Cursor::new(*file)).expect("memory does not fail");
        match (found, read(&[file])) {
            (Found::Empty, Reading::Empty) | (Found::Unknown, Reading::Unrecognised) => {}
            (Found::Format(format), Reading::Read(session)) => {
                assert_eq!(session.format, format.word());
                holds_together(&session);
            }
            (found, read) => panic!("{found:?}, but {read:?}"),
        }
    }
    for format in Format::ALL {
        let file = files.first().copied().unwrap_or_default();
        let session =
            envelope::read_as(format, &mut Cursor::new(file)).expect("memory does not fail");
        holds_together(&session);
    }
    let joined = read(&files);
    if let Reading::Read(session) = &joined {
        holds_together(session);
    }
    assert_eq!(joined, read(&files));
});
