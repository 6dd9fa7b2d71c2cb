//! Two machines run disjoint chains of one plan, publish, and either reports on all of them.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::experiment::small::{Plan, Small, shape};

/// A small experiment on a bare remote, and two clones of it.
struct Pair {
    small: Small,
    machines: [PathBuf; 2],
}

impl Pair {
    fn new(plan: &Plan) -> Pair {
        let small = Small::new(plan);
        let around = small.repo.around().to_owned();
        let text = |p: &Path| p.to_str().expect("UTF-8").to_owned();
        let bare = text(&around.join("bare.git"));
        small.repo.git(&["clone", "-q", "--bare", ".", &bare]);
        let machines = ["a", "b"].map(|name| {
            let to = around.join(name);
            small.repo.git(&["clone", "-q", &bare, &text(&to)]);
            to
        });
        Pair { small, machines }
    }

    fn run(&self, at: usize, words: &[&str]) -> Output {
        // Machines share no scratch.
        let scratch = self.small.repo.around().join(format!("scratch-{at}"));
        let mut words = words.to_vec();
        let scratch = scratch.to_str().expect("UTF-8").to_owned();
        words.splice(0..0, ["run", "--scratch", &scratch]);
        self.small.repo.evolve_in(&self.machines[at], &words)
    }

    fn evolve(&self, at: usize, words: &[&str]) -> String {
        let out = self.small.repo.evolve_in(&self.machines[at], words);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(0), "{words:?}: {said}");
        String::from_utf8(out.stdout).expect("UTF-8")
    }
}

fn well(out: &Output) {
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{said}");
}

#[test]
fn either_of_two_machines_reports_on_what_both_ran() {
    let pair = Pair::new(&Plan::default());
    let list = pair.evolve(0, &["matrix", "--pending"]);
    let mut all: Vec<&str> = list.lines().collect();
    assert_eq!(all.len(), 4);
    std::thread::scope(|scope| {
        for (at, arm) in ["one", "two"].into_iter().enumerate() {
            let (pair, list) = (&pair, &list);
            scope.spawn(move || {
                let mine = list.lines().filter(|c| c.split('/').nth(1) == Some(arm));
                for chain in mine {
                    well(&pair.run(at, &["--chain", chain, "--claim", "origin"]));
                }
                pair.evolve(at, &["push", "--yes", "origin"]);
            });
        }
    });
    for at in 0..2 {
        pair.evolve(at, &["fetch", "origin"]);
        assert_eq!(pair.evolve(at, &["matrix", "--pending"]), "");
    }
    for words in [
        &["log", "--format", "csv", "--metrics", "all"][..],
        &["slope", "--format", "json"],
        &["records", "--format", "jsonl"],
        &["controls", "--format", "json"],
    ] {
        let (a, b) = (pair.evolve(0, words), pair.evolve(1, words));
        assert!(a == b, "{words:?} differs between two machines");
    }
    (0..2).for_each(|at| drop(pair.evolve(at, &["verify"])));
    all.sort_unstable();
    let log = pair.evolve(0, &["log", "--format", "csv", "--metrics", "outcome"]);
    for chain in all {
        let mut parts = chain.split('/').skip(1);
        let row = format!(",{},,{},", parts.next().unwrap(), parts.next().unwrap());
        assert!(log.contains(&row), "{chain} is not in {log}");
    }
    let refs = pair.small.repo.command("git", &pair.machines[0]);
    let mut refs = refs;
    let there = refs
        .args(["ls-remote", "origin", "refs/evolve/claims/*"])
        .output()
        .unwrap();
    assert!(there.stdout.is_empty(), "claims are given back");
}

#[test]
fn a_chain_that_one_machine_began_goes_on_on_another() {
    let plan = Plan {
        arms: vec!["one"],
        chains: 1,
        ..Plan::default()
    };
    let pair = Pair::new(&plan);
    well(&pair.run(0, &["--until", "1"]));
    pair.evolve(0, &["push", "--yes", "origin"]);
    pair.evolve(1, &["fetch", "origin"]);
    let row = pair.evolve(1, &["matrix", "--pending", "--format", "json"]);
    let row: serde_json::Value = serde_json::from_str(&row).unwrap();
    assert_eq!(row["include"][0]["done"], 1, "{row}");
    well(&pair.run(1, &[]));
    pair.evolve(1, &["push", "--yes", "origin"]);
    let launched = pair.small.launched();
    let first = ("implement".to_owned(), "small/one/1".to_owned(), 1);
    assert_eq!(launched[&first], 1, "the first checkpoint ran once");
    let alone = Small::new(&plan);
    alone.good(&[]);
    let there = shape(&pair.small.repo, &pair.machines[1], "small/one/1");
    assert_eq!(there, alone.shape("small/one/1"));
    // Back where it began nothing is left to do.
    pair.evolve(0, &["fetch", "origin"]);
    assert_eq!(pair.evolve(0, &["matrix", "--pending"]), "");
}

#[test]
fn a_chain_that_another_machine_runs_is_left_to_it() {
    let plan = Plan {
        arms: vec!["one"],
        chains: 1,
        agent: vec!["--do".to_owned(), "wait=3000@1.1".to_owned()],
        ..Plan::default()
    };
    let pair = Pair::new(&plan);
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| pair.run(0, &["--claim", "origin"]));
        let began = std::time::Instant::now();
        while !pair.small.launches.exists() {
            assert!(began.elapsed().as_secs() < 60, "it does not begin");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let second = pair.run(1, &["--claim", "origin"]);
        (first.join().unwrap(), second)
    });
    well(&first);
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(
        said.contains("small/one/1") && said.contains("not run here"),
        "{said}"
    );
    let launched = pair.small.launched();
    assert!(launched.values().all(|n| *n == 1), "{launched:?}");
}
