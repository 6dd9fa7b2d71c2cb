//! `metrics` and `explain`.

use super::{err, out};
use crate::support::Repo;

#[test]
fn metrics_lists_every_measure_once() {
    let repo = Repo::new();
    let csv = repo.stdout(&["metrics", "--format", "csv"]);
    let ids: Vec<&str> = csv
        .lines()
        .skip(1)
        .map(|l| l.split(',').next().unwrap())
        .collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len());
    for id in ["existing_fns_modified", "erosion", "cost_usd", "pass_at_1"] {
        assert!(ids.contains(&id), "{id}");
    }
    let table = repo.stdout(&["metrics"]);
    assert!(table.lines().all(|l| l.chars().count() <= 80), "{table}");
    let document: serde_json::Value =
        serde_json::from_str(&repo.stdout(&["metrics", "erosion", "--format", "json"])).unwrap();
    assert_eq!(document["metrics"][0]["id"], "erosion");
    assert_eq!(document["schema"], 1);
}

#[test]
fn explain_has_definition_and_blind_spot_and_knows_aliases() {
    let repo = Repo::new();
    let text = repo.stdout(&["explain", "blast_radius"]);
    assert!(text.starts_with("existing_fns_modified: "), "{text}");
    for heading in ["\nDefinition\n", "\nBlind spot\n", "\nSource\n"] {
        assert!(text.contains(heading), "{text}");
    }
}

#[test]
fn a_measure_that_is_none_is_wrong_usage_and_the_nearest_is_named() {
    let repo = Repo::new();
    for words in [
        &["explain", "erosoin"][..],
        &["metrics", "erosoin"],
        &["log", "--metrics", "erosoin"],
    ] {
        let done = repo.evolve(words);
        assert_eq!(done.status.code(), Some(2), "{words:?}");
        assert_eq!(out(&done), "");
        assert!(
            err(&done).contains("did you mean `erosion`"),
            "{}",
            err(&done)
        );
    }
}
