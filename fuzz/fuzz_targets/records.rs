//! Any bytes as a note: read without a panic, joined as a union, masked once and for all.

#![no_main]

use git_evolve::record::{Kind, mask, read_line, sheet};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let joined = sheet::union([data]);
    assert_eq!(sheet::union([joined.as_slice(), data]), joined);
    for kind in Kind::ALL {
        for line in sheet::lines(data) {
            let _ = read_line(kind, line);
            let once = mask::general(kind, line).into_owned();
            assert_eq!(mask::general(kind, &once), once);
        }
    }
});
