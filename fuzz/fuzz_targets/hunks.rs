//! Hunks applied to the old text give the new one.

#![no_main]

use git_evolve::repo::LineDiffer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: (Vec<u8>, Vec<u8>)| {
    let (old, new) = data;
    let old_lines: Vec<&[u8]> = old.split_inclusive(|b| *b == b'\n').collect();
    let new_lines: Vec<&[u8]> = new.split_inclusive(|b| *b == b'\n').collect();
    let mut made: Vec<&[u8]> = Vec::new();
    let mut at = 0;
    for h in LineDiffer::new().hunks(&old, &new) {
        made.extend(&old_lines[at..h.old_start as usize]);
        let from = h.new_start as usize;
        assert_eq!(made.len(), from);
        made.extend(&new_lines[from..from + h.new_len as usize]);
        at = (h.old_start + h.old_len) as usize;
    }
    made.extend(&old_lines[at..]);
    assert_eq!(made, new_lines);
});
