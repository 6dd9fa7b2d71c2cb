//! Any text as a plan and as a list of change requests: read without a panic, twice alike, with a
//! place for what is wrong.

#![no_main]

use git_evolve::plan::{controls, read_alone, read_requests};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match read_alone(text, "f") {
        Ok(plan) => {
            assert!(!plan.arms.is_empty());
            let again = read_alone(&plan.text, "f").expect("it was read before");
            assert_eq!(plan, again);
            // What a base's plan is asked for is what the whole one says.
            let owned = controls(text, "f").expect("a part of what was read");
            assert_eq!(owned.unwrap_or_default(), plan.controls);
        }
        Err(e) => assert!(e.to_string().starts_with("f:") || e.to_string().starts_with("f is")),
    }
    if let Err(e) = read_requests(text, "f") {
        assert!(e.to_string().starts_with('f'));
    }
});
