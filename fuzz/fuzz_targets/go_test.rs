//! Any bytes as a stream of `go test -json`: read without a panic, alike each time, and never a
//! verdict that its own tests do not bear.

#![no_main]

use std::io::Cursor;

use git_evolve::intake::report;
use git_evolve::record::{Opened, RunFacts, TestMap};
use libfuzzer_sys::fuzz_target;

fn read(parts: &[&[u8]]) -> TestMap {
    let bytes = parts.concat();
    let mut files = [Opened {
        path: "r".to_owned(),
        modified: None,
        bytes: Box::new(Cursor::new(bytes)),
    }];
    report::read(&mut files, &RunFacts::default())
}

fuzz_target!(|data: &[u8]| {
    // The second is a stream whatever the bytes are.
    for parts in [&[data][..], &[b"{\"Action\":\"start\",\"Package\":\"p\"}\n", data]] {
        let map = read(parts);
        assert_eq!(read(parts), map);
        for (id, test) in &map.tests {
            assert!(id.ends_with(&test.name));
        }
    }
});
