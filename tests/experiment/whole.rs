//! A whole small experiment: from its plan to log, slope, verify and controls, and a clone that
//! says the same.

use std::collections::BTreeMap;

use super::small::{Plan, Small};

fn csv(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut read = csv_reader(text);
    let head = read.headers().expect("a head").clone();
    let rows = read.records().map(|r| r.expect("a row"));
    rows.map(|r| {
        let pairs = head.iter().zip(r.iter());
        pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
    })
    .collect()
}

fn csv_reader(text: &str) -> csv::Reader<&[u8]> {
    csv::Reader::from_reader(text.as_bytes())
}

/// The values of a measure by arm, chain and checkpoint.
fn values(text: &str, metric: &str) -> BTreeMap<(String, String, String), String> {
    csv(text)
        .into_iter()
        .filter(|r| r["metric"] == metric && !r["checkpoint"].is_empty())
        .map(|r| {
            let value = match (r["state"].as_str(), r["den"].as_str()) {
                ("known", "") => r["value"].clone(),
                ("known", den) => format!("{}/{den}", r["num"]),
                (state, _) => state.to_owned(),
            };
            let at = ["arm", "chain", "checkpoint"].map(|k| r[k].clone());
            (at.into(), value)
        })
        .collect()
}

#[test]
fn a_whole_experiment_runs_from_its_plan_to_its_figures_and_a_clone_says_the_same() {
    let small = Small::new(&Plan::default());
    let repo = &small.repo;
    repo.stdout(&["plan"]);
    let said = small.good(&["--jobs", "2"]);
    for path in small.paths() {
        assert!(said.contains(&path), "{path} is not told: {said}");
        let shape = small.shape(&path);
        let roles: Vec<&str> = (shape.iter())
            .filter_map(|line| line.split_once(" / ").map(|(_, role)| role))
            .collect();
        let each = ["agent", "reset"].into_iter().cycle().take(6);
        let wanted: Vec<&str> = ["base"].into_iter().chain(each).collect();
        assert_eq!(roles, wanted, "{path}");
    }
    // What is known beforehand: one chain takes rule 1 away at the third checkpoint.
    let log = repo.stdout(&[
        "log",
        "--format",
        "csv",
        "--metrics",
        "outcome,regressions,strict_pass_rate,entry_cc,net_cc,cost_usd,fixed_tokens",
    ]);
    for ((arm, chain, k), outcome) in values(&log, "outcome") {
        let broken = (arm.as_str(), chain.as_str(), k.as_str()) == ("two", "2", "3");
        assert_eq!(
            outcome,
            if broken { "fail" } else { "pass" },
            "{arm} {chain} {k}"
        );
    }
    for ((arm, chain, k), n) in values(&log, "regressions") {
        let broken = (arm.as_str(), chain.as_str(), k.as_str()) == ("two", "2", "3");
        assert!(
            n == if broken { "1" } else { "0" } || k == "1",
            "{arm} {chain} {k}: {n}"
        );
    }
    let rates = values(&log, "strict_pass_rate");
    let at = |arm: &str, chain: &str, k: &str| {
        rates[&(arm.to_owned(), chain.to_owned(), k.to_owned())].clone()
    };
    assert_eq!(
        (at("one", "1", "3"), at("two", "2", "3")),
        ("4/4".to_owned(), "3/4".to_owned())
    );
    assert!(values(&log, "net_cc").values().all(|v| v == "2"), "{log}");
    let costs = values(&log, "cost_usd");
    assert_eq!(costs.len(), 12);
    assert!(
        costs
            .values()
            .all(|c| c.parse::<f64>().is_ok_and(|c| c > 0.0)),
        "{costs:?}"
    );
    repo.stdout(&["slope"]);
    repo.stdout(&["verify"]);
    repo.stdout(&["controls"]);
    // Nothing is left to do, and nothing is done.
    let launched = small.launched();
    small.good(&[]);
    assert_eq!(small.launched(), launched);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");

    let bare = repo.around().join("bare.git");
    let bare = bare.to_str().expect("UTF-8");
    repo.git(&["init", "-q", "--bare", "-b", "main", bare]);
    repo.git(&["remote", "add", "origin", bare]);
    repo.git(&["push", "-q", "origin", "main"]);
    repo.stdout(&["push", "--yes", "origin"]);
    let clone = repo.around().join("clone");
    repo.git(&["clone", "-q", bare, clone.to_str().expect("UTF-8")]);
    for words in [
        &["log", "--format", "csv", "--metrics", "all"][..],
        &["slope", "--format", "json"],
        &["controls", "--format", "json"],
        &["records", "--format", "jsonl"],
    ] {
        let there = repo.evolve_in(&clone, words);
        let said = String::from_utf8_lossy(&there.stderr).into_owned();
        assert_eq!(there.status.code(), Some(0), "{words:?}: {said}");
        let there = String::from_utf8(there.stdout).expect("UTF-8");
        assert!(there == repo.stdout(words), "{words:?} differs in a clone");
    }
    let verified = repo.evolve_in(&clone, &["verify"]);
    assert_eq!(verified.status.code(), Some(0), "verify in a clone");
}

#[test]
fn the_agent_is_launched_once_for_each_checkpoint_and_for_nothing_else() {
    let small = Small::new(&Plan::default());
    small.good(&["--jobs", "2"]);
    let mut wanted = BTreeMap::new();
    for path in small.paths() {
        for k in 1..=3 {
            wanted.insert(("implement".to_owned(), path.clone(), k), 1);
        }
        if path.ends_with("/1") {
            wanted.insert(("noop".to_owned(), path.clone(), 0), 1);
        }
    }
    assert_eq!(small.launched(), wanted);
}

#[test]
fn attempts_that_fail_are_kept_and_those_turned_away_do_not_count() {
    let plan = Plan {
        arms: vec!["one"],
        chains: 1,
        agent: ["--do", "half@1.1", "--do", "rate-limit=1@2.1"]
            .map(str::to_owned)
            .into(),
        lines: "on_fail = \"repair\"\nrate_limit_wait = [\"1s\", \"2s\"]\n".to_owned(),
        limits: "attempts = 2\n".to_owned(),
        tables: String::new(),
        ..Plan::default()
    };
    let small = Small::new(&plan);
    small.good(&[]);
    let launched = small.launched();
    let at = |k| launched[&("implement".to_owned(), "small/one/1".to_owned(), k)];
    assert_eq!((at(1), at(2), at(3)), (2, 2, 1));
    let kept = small.repo.git(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/evolve/attempts",
    ]);
    let kept: Vec<&str> = kept.lines().collect();
    // What left no change behind is told by its record alone.
    assert_eq!(kept, ["refs/evolve/attempts/small/one/1/1/1"]);
    let log = small.repo.stdout(&[
        "log",
        "--format",
        "csv",
        "--metrics",
        "outcome,attempts,first_try",
    ]);
    let attempts = values(&log, "attempts");
    let outcomes = values(&log, "outcome");
    assert!(outcomes.values().all(|o| o == "pass"), "{log}");
    if !attempts.is_empty() {
        let of = |k: &str| attempts[&("one".to_owned(), "1".to_owned(), k.to_owned())].clone();
        assert_eq!(of("3"), "1", "{log}");
    }
}
