//! Scores of whole chains, held against counts by hand on a small experiment and against its own
//! rows.

use serde_json::Value;

use super::small::{Plan, Small};

/// Two arms of two chains and three checkpoints: arm `two` loses a rule at the last one of its
/// second chain.
fn run() -> Small {
    let small = Small::new(&Plan::default());
    let done = small.run(&[]);
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    small
}

fn compared(small: &Small, more: &[&str]) -> Value {
    let mut words = vec!["compare", "--metrics", "churn", "--format", "json"];
    words.extend(more);
    serde_json::from_str(&small.repo.stdout(&words)).unwrap()
}

/// Both arms' values of a score.
fn score(study: &Value, id: &str) -> [Option<f64>; 2] {
    let scores = study["quality"]["scores"].as_array().unwrap();
    let found = scores.iter().find(|s| s["score"] == id);
    let found = found.unwrap_or_else(|| panic!("no score {id}"));
    ["one", "two"].map(|arm| found["arms"][arm]["value"].as_f64())
}

#[test]
fn scores_of_a_small_experiment_are_those_counted_by_hand() {
    let small = run();
    let study = compared(&small, &["--per-checkpoint"]);
    let close = |id: &str, wanted: [f64; 2]| {
        for (got, wanted) in score(&study, id).into_iter().zip(wanted) {
            let got = got.unwrap_or_else(|| panic!("{id} is unknown"));
            assert!((got - wanted).abs() < 1e-12, "{id}: {got}, not {wanted}");
        }
    };
    close("pass_at_1", [1.0, 0.5]);
    close("pass_at_k(2)", [1.0, 1.0]);
    close("pass_hat_k(2)", [1.0, 0.0]);
    close("pass_at_1(checkpoint 2)", [1.0, 1.0]);
    close("pass_at_1(checkpoint 3)", [1.0, 0.5]);
    close("completion_rate", [1.0, 1.0]);
    close("percent_solved", [100.0, 100.0 * 5.0 / 6.0]);
    // Passes 1, 1, 0: 2/3, 3.25 less 2.25 of 4.75, 3/7.
    close("evoscore_strict(1)", [1.0, f64::midpoint(1.0, 2.0 / 3.0)]);
    close(
        "evoscore_strict(1.5)",
        [1.0, f64::midpoint(1.0, 2.5 / 4.75)],
    );
    close("evoscore_strict(2)", [1.0, f64::midpoint(1.0, 3.0 / 7.0)]);
    close("zero_regression_rate", [1.0, 0.5]);
    let front = study["quality"]["front"].as_array().unwrap();
    let less = front[1]["success_against_baseline"].as_f64().unwrap();
    assert!((less + 0.5).abs() < 1e-12);
    let few = study["quality"]["remarks"][0].as_str().unwrap();
    assert!(few.starts_with("too few chains"), "{few}");

    let asked = compared(&small, &["--k", "5", "--gamma", "3"]);
    assert_eq!(score(&asked, "pass_at_k(5)"), [None, None]);
    let late = score(&asked, "evoscore_strict(3)")[1].unwrap();
    assert!((late - f64::midpoint(1.0, 4.0 / 13.0)).abs() < 1e-12);
}

#[test]
fn costs_are_those_of_the_log_added_up() {
    let small = run();
    let study = compared(&small, &[]);
    let log = small.repo.stdout(&[
        "log",
        "--metrics",
        "cost_usd_all,task_tokens",
        "--format",
        "csv",
    ]);
    let rows: Vec<Vec<&str>> = log
        .lines()
        .skip(1)
        .map(|l| l.split(',').collect())
        .collect();
    for (at, arm) in ["one", "two"].into_iter().enumerate() {
        let of = |metric: &str| -> Vec<f64> {
            let mine = rows.iter().filter(|r| r[1] == arm && r[6] == metric);
            mine.filter_map(|r| r[8].parse().ok()).collect()
        };
        let (costs, tokens) = (of("cost_usd_all"), of("task_tokens"));
        assert_eq!((costs.len(), tokens.len()), (6, 6));
        let close = |id: &str, wanted: f64| {
            let got = score(&study, id)[at].unwrap();
            assert!((got - wanted).abs() < 1e-9, "{id}: {got}, not {wanted}");
        };
        let all: f64 = costs.iter().sum();
        close("cost_per_chain", all / 2.0);
        close("cost_per_checkpoint", all / 6.0);
        let passing = if arm == "one" { 6.0 } else { 5.0 };
        close("cost_per_passing_checkpoint", all / passing);
        close("task_tokens", tokens.iter().sum::<f64>() / 6.0);
    }
}

#[test]
fn a_single_checkpoint_says_where_scores_of_whole_chains_are_shown() {
    let small = run();
    let done = small
        .repo
        .evolve(&["log", "--chain", "small/one/1", "--metrics", "pass_at_1"]);
    assert_eq!(done.status.code(), Some(3));
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.contains("`git evolve compare`"), "{said}");
}
