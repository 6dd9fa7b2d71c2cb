//! Reports that are cut off anywhere, or no reports at all.

use git_evolve::record::{RunFacts, Validity};

use super::samples::{Given, read, samples};

/// Whether what is left of a report says nothing.
fn says_nothing(rest: &[u8]) -> bool {
    rest.iter().all(u8::is_ascii_whitespace)
}

#[test]
fn a_report_that_is_cut_off_is_never_a_verdict_unless_nothing_is_missing() {
    for sample in samples() {
        let [file] = sample.files.as_slice() else {
            continue;
        };
        if !file.bytes.starts_with(b"<") {
            continue;
        }
        let length = file.bytes.len();
        let stride = 1 + length / 150;
        let ends = (length.saturating_sub(60)..length).chain((0..length).step_by(stride));
        for end in ends {
            let part = Given {
                bytes: file.bytes[..end].to_vec(),
                ..file.clone()
            };
            let map = read(&[part], &sample.run);
            let whole = says_nothing(&file.bytes[end..]);
            let verdict = map.validity != Validity::Invalid;
            assert!(whole || !verdict, "{} at {end}: {map:?}", sample.name);
        }
    }
}

#[test]
fn what_is_no_report_is_no_verdict() {
    for bytes in [
        &b""[..],
        b" \n",
        b"\x00\x00\x00\x00",
        b"<testsuite",
        b"<testsuite/>",
        b"<html><body/></html>",
        b"plain text",
        b"\xFF\xFE",
        b"\xEF\xBB\xBF",
        b"<testsuite><testcase></testsuite>",
    ] {
        let file = Given {
            path: "target/surefire-reports/x".to_owned(),
            name: String::new(),
            modified: None,
            bytes: bytes.to_vec(),
        };
        let map = read(&[file], &RunFacts::default());
        assert_eq!(map.validity, Validity::Invalid, "{bytes:?}: {map:?}");
        assert!(!map.reasons.is_empty(), "{bytes:?}");
    }
}
