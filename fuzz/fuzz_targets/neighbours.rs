//! A file read from its neighbour's tree equals itself read from scratch.

#![no_main]

use std::sync::Arc;

use git_evolve::repo::{LineDiffer, is_binary};
use git_evolve::syntax::{Analyser, Language, LineEdit, Profile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: (u8, Vec<u8>, Vec<u8>)| {
    let (first, old, new) = data;
    if is_binary(&old) || is_binary(&new) {
        return;
    }
    let language = [Language::Java, Language::Python, Language::Go][usize::from(first % 3)];
    let mut analyser = Analyser::new(Profile::Lizard).expect("the grammars fit");
    let (old, new): (Arc<[u8]>, Arc<[u8]>) = (old.into(), new.into());
    let edits: Vec<LineEdit> = LineDiffer::new()
        .hunks(&old, &new)
        .iter()
        .map(|h| LineEdit {
            old_start: h.old_start,
            old_len: h.old_len,
            new_start: h.new_start,
            new_len: h.new_len,
        })
        .collect();
    let before = analyser.analyse(language, &old);
    let from_neighbour = analyser.reanalyse(&before, &edits, &new);
    let from_scratch = analyser.analyse(language, &new);
    assert_eq!(from_neighbour.structure(), from_scratch.structure());
});
