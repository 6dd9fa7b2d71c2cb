//! Any bytes as a test report, and the samples with bytes exchanged: read without a panic, in one
//! way, and never a verdict once its last byte is gone.

#![no_main]

use std::io::Cursor;

use git_evolve::intake::report;
use git_evolve::record::{Opened, RunFacts, TestMap, Validity};
use libfuzzer_sys::fuzz_target;

macro_rules! sample {
    ($name:literal) => {
        include_bytes!(concat!("../../fixtures/samples/test-reports/", $name))
    };
}

const SAMPLES: &[&[u8]] = &[
    sample!("surefire-cdata-and-time.xml"),
    sample!("surefire-control-chars.xml"),
    sample!("surefire-junit5-mix.xml"),
    sample!("surefire-rerun-flaky.xml"),
    sample!("surefire-wrong-encoding.xml"),
    sample!("pytest-mix.xml"),
    sample!("pytest-interrupted.xml"),
    sample!("gotestsum-junit.xml"),
    sample!("nextest-junit.xml"),
    sample!("jest-junit.xml"),
    sample!("all-skipped.xml"),
    sample!("xml-external-entity.xml"),
];

fn read(path: &str, bytes: &[u8]) -> TestMap {
    let mut files = [Opened {
        path: path.to_owned(),
        modified: None,
        bytes: Box::new(Cursor::new(bytes)),
    }];
    report::read(&mut files, &RunFacts::default())
}

/// A sample with edits: three bytes say where, and what is put there or how much is taken away.
fn edited(which: u8, edits: &[u8]) -> Vec<u8> {
    let mut bytes = SAMPLES[usize::from(which) % SAMPLES.len()].to_vec();
    for edit in edits.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % (bytes.len() + 1);
        match edit[2] {
            0xF8.. => {
                let end = (at + usize::from(edit[2] - 0xF7) * 4).min(bytes.len());
                bytes.drain(at..end);
            }
            0xF0.. => {
                let end = (at + 64).min(bytes.len());
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            byte => bytes.insert(at, byte),
        }
    }
    bytes
}

fuzz_target!(|data: &[u8]| {
    let bytes = match data {
        [b'!', which, edits @ ..] => edited(*which, edits),
        _ => data.to_vec(),
    };
    let map = read("a/target/surefire-reports/x", &bytes);
    let again = read("a/target/surefire-reports/x", &bytes);
    assert_eq!(map, again);
    let is_xml = bytes.first() == Some(&b'<') && bytes.get(1) != Some(&0);
    if is_xml && map.validity != Validity::Invalid {
        let cut = bytes.trim_ascii_end();
        let cut = read("a/target/surefire-reports/x", &cut[..cut.len() - 1]);
        assert_eq!(cut.validity, Validity::Invalid);
    }
});
