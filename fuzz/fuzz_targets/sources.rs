//! Any bytes as a source file: a structure or a reason, never a panic.

#![no_main]

use std::sync::Arc;

use git_evolve::syntax::{Analyser, Language, Profile, generated_header};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, source)) = data.split_first() else {
        return;
    };
    let language = [Language::Java, Language::Python, Language::Go][usize::from(first % 3)];
    let profile = [Profile::Lizard, Profile::Scb][usize::from(first / 3 % 2)];
    let mut analyser = Analyser::new(profile).expect("the grammars fit");
    let source: Arc<[u8]> = source.into();
    if let Ok(structure) = analyser.analyse(language, &source).structure() {
        for f in &structure.functions {
            assert!(f.start <= f.end, "{f:?}");
            assert!((f.row as usize) < structure.rows.len());
        }
        for r in &structure.rows {
            assert!((r.function as usize) < structure.functions.len());
        }
    }
    generated_header(language, &source);
});
