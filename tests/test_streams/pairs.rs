//! Ids of two runs, paired.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use git_evolve::record::pairing::{Renaming, pair};
use git_evolve::record::{TestMap, TestOutcome};
use serde_json::{Value, json};

use super::given::{folder, one};

#[test]
fn positions_that_shifted_are_no_losses() {
    let text = fs::read_to_string(folder().join("pytest-shifted-ids.expected.json"));
    let expected: Value = serde_json::from_str(&text.expect("readable")).expect("JSON");
    let read = |key: &str| -> TestMap {
        let name = expected["input"][key].as_str().expect("a name");
        one(&fs::read(folder().join("pytest-shifted-ids").join(name)).expect("readable"))
    };
    let (before, after) = (read("before"), read("after"));
    fn ids(map: &TestMap) -> impl Iterator<Item = &str> {
        map.tests.keys().map(String::as_str)
    }
    let pairing = pair(ids(&before), ids(&after), &BTreeMap::new());
    let expected = &expected["result"];
    let pairs: Vec<_> = pairing
        .pairs
        .iter()
        .map(|p| json!([p.before, p.now]))
        .collect();
    assert_eq!(json!(pairs), expected["renamed"]);
    assert!(pairing.pairs.iter().all(|p| p.why == Renaming::Parameters));
    assert!(pairing.positional.is_empty() && pairing.schemes.is_empty());

    let renamed = pairing.forward();
    let now = |id: &str| -> String { (*renamed.get(id).unwrap_or(&id)).to_owned() };
    let was: BTreeSet<String> = ids(&before).map(now).collect();
    let is: BTreeSet<String> = ids(&after).map(str::to_owned).collect();
    let passes = |map: &TestMap, id: &str| {
        map.tests
            .get(id)
            .is_some_and(|t| t.outcome == TestOutcome::Passed)
    };
    assert_eq!(
        json!(is.difference(&was).collect::<Vec<_>>()),
        expected["added"]
    );
    assert_eq!(
        json!(was.difference(&is).collect::<Vec<_>>()),
        expected["removed"]
    );
    let broken: Vec<String> = ids(&before)
        .filter(|id| passes(&before, id) && !passes(&after, &now(id)))
        .map(now)
        .collect();
    assert_eq!(json!(broken), expected["regressions"]);
    let same: Vec<&str> = ids(&before)
        .filter(|id| passes(&before, id) && passes(&after, id))
        .collect();
    assert_eq!(json!(same), expected["unchanged_passing"]);
}
