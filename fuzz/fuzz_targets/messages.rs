//! Any commit message, any mailmap, any chain path: read without a panic.

#![no_main]

use git_evolve::ledger::ChainTrailers;
use git_evolve::record::ChainPath;
use git_evolve::repo::{Mailmap, Person, trailers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for (key, value) in trailers(&text) {
        assert!(!key.is_empty());
        assert!(!value.contains('\n'));
    }
    let _ = ChainTrailers::read(&text);
    if let Some(path) = ChainPath::parse(&text) {
        assert_eq!(ChainPath::parse(&path.to_string()), Some(path));
    }
    let person = Person {
        name: "a".to_owned(),
        email: "a@b".to_owned(),
    };
    let _ = Mailmap::from_bytes(data).resolve(&person);
});
