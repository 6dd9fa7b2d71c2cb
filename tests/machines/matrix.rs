//! `matrix`: the chains of a plan in each form.

use crate::experiment::small::{Plan, Small};

#[test]
fn the_chains_of_a_plan_are_printed_in_each_form() {
    let small = Small::new(&Plan::default());
    let list = small.repo.stdout(&["matrix"]);
    let mut paths: Vec<&str> = list.lines().collect();
    // Arms interleave: each round of chains has both.
    let rounds: Vec<char> = paths.iter().filter_map(|p| p.chars().last()).collect();
    assert_eq!(rounds, ['1', '1', '2', '2']);
    let json = small.repo.stdout(&["matrix", "--format", "json"]);
    assert_eq!(json.lines().count(), 1, "{json}");
    let read: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = read["include"].as_array().unwrap();
    let chains: Vec<&str> = rows.iter().filter_map(|r| r["chain"].as_str()).collect();
    assert_eq!(chains, paths);
    assert_eq!(rows[0]["checkpoints"], 3);
    assert_eq!(
        (&rows[0]["done"], &rows[0]["task"]),
        (&0.into(), &"".into())
    );
    let shell = small
        .repo
        .stdout(&["matrix", "--format", "shell", "--arm", "two"]);
    for line in shell.lines() {
        let chain = line.strip_prefix("git evolve run --chain ").unwrap();
        assert!(chain.starts_with("small/two/"), "{line}");
    }
    assert_eq!(shell.lines().count(), 2);
    paths.sort_unstable();
    assert_eq!(paths, small.paths());
    let wrong = small.repo.evolve(&["matrix", "--arm", "three"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn what_is_finished_is_not_pending() {
    let small = Small::new(&Plan {
        lines: "on_fail = \"stop\"\n".to_owned(),
        ..Plan::default()
    });
    small.good(&["--arm", "one"]);
    let pending = |small: &Small| {
        let list = small.repo.stdout(&["matrix", "--pending"]);
        let mut list: Vec<String> = list.lines().map(str::to_owned).collect();
        list.sort();
        list
    };
    assert_eq!(pending(&small), ["small/two/1", "small/two/2"]);
    small.good(&["--chain", "small/two/1", "--until", "2"]);
    assert_eq!(pending(&small), ["small/two/1", "small/two/2"]);
    // A chain whose last checkpoint failed has ended, and so has one that all is done of.
    let out = small.run(&[]);
    assert_eq!(
        out.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    assert_eq!(pending(&small), [""; 0]);
}
