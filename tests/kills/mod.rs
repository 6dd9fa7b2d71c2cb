//! Runs that are killed: nothing is lost, nothing finished runs again, and what comes of it is what
//! an undisturbed run makes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::experiment::small::{Plan, Small};

/// Numbers that are drawn anew for each test run, from a seed that is said.
struct Random(u64);

impl Random {
    fn new() -> Random {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let drawn = now.map_or(7, |n| u64::from(n.subsec_nanos()));
        let seed = std::env::var("KILLS_SEED")
            .ok()
            .and_then(|s| s.parse().ok());
        let seed = seed.unwrap_or(drawn);
        println!("KILLS_SEED={seed}");
        Random(seed | 1)
    }

    fn below(&mut self, n: u64) -> u64 {
        // Marsaglia's xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n.max(1)
    }
}

fn plan(wait: u64) -> Plan {
    Plan {
        chains: 1,
        agent: vec!["--do".to_owned(), format!("wait={wait}")],
        tables: "[noop]\nsessions = 1\n\n[probe]\nevery = 2\nprompt_text = \"Which rules?\"\n\
                 [[probe.rules]]\nid = \"r\"\nkeywords = [\"function\"]\n"
            .to_owned(),
        ..Plan::default()
    }
}

/// What all its chains are, ids and times apart.
fn shapes(small: &Small) -> BTreeMap<String, Vec<String>> {
    let all = small.paths().into_iter();
    all.map(|path| (path.clone(), small.shape(&path))).collect()
}

/// Sessions to implement a checkpoint that are recorded with this outcome, by chain and checkpoint.
fn recorded(small: &Small, outcome: &str) -> BTreeMap<(String, u64), u64> {
    let mut all = BTreeMap::new();
    // A kill may leave records of a commit that no branch names: they count nowhere.
    let line = small.repo.git(&["rev-list", "--branches=evolve/*"]);
    let mut seen = std::collections::BTreeSet::new();
    for record in small.records("envelope") {
        let is_there = line.contains(record["commit"].as_str().expect("an id"));
        if !is_there || !seen.insert(record["id"].to_string()) {
            continue;
        }
        if record["purpose"] != "implement" || record["outcome"] != outcome {
            continue;
        }
        let chain = record["chain"].as_str().unwrap_or("").to_owned();
        let k = match &record["for_checkpoint"] {
            serde_json::Value::Null => &record["checkpoint"],
            k => k,
        };
        *all.entry((chain, k.as_u64().unwrap_or(0))).or_default() += 1;
    }
    all
}

/// The checkpoints that are done, by chain, and how often their agents were launched.
fn done(small: &Small) -> BTreeMap<(String, u64), u64> {
    let launched = small.launched();
    let mut all = BTreeMap::new();
    for path in small.paths() {
        let branch = format!("refs/heads/evolve/{path}");
        let found = small
            .repo
            .git(&["for-each-ref", "--format=%(refname)", &branch]);
        if found.is_empty() {
            continue;
        }
        let format = "--format=%(trailers:key=Evolve-Checkpoint,valueonly,separator=%x2C) \
                      %(trailers:key=Evolve-Role,valueonly,separator=%x2C)";
        for line in small
            .repo
            .git(&["log", "--first-parent", format, &branch])
            .lines()
        {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [k, _, "agent"] = words.as_slice() {
                let k: u64 = k.parse().expect("a number");
                let key = ("implement".to_owned(), path.clone(), k);
                all.insert((path.clone(), k), launched.get(&key).copied().unwrap_or(0));
            }
        }
    }
    all
}

/// Kills runs of small experiments at random moments until there were so many kills, and holds
/// what comes of each against an undisturbed one.
fn kill(kills: u64) {
    let mut random = Random::new();
    let calm = Small::new(&plan(0));
    calm.good(&["--jobs", "2"]);
    let wanted = shapes(&calm);
    assert!(wanted.values().all(|s| s.len() > 7), "{wanted:#?}");
    let (mut killed, mut experiments, mut interrupted) = (0, 0, 0);
    while killed < kills {
        let small = Small::new(&plan(random.below(60)));
        experiments += 1;
        let mut finished: BTreeMap<(String, u64), u64> = BTreeMap::new();
        loop {
            let mut run = small
                .command_in(small.repo.path(), &["--jobs", "2"])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("it starts");
            // The last runs of an experiment are left alone once there were enough kills.
            let moment = Instant::now() + Duration::from_millis(random.below(1_500));
            let ended = loop {
                match run.try_wait().expect("it is ours") {
                    Some(status) => break Some(status),
                    None if killed < kills && Instant::now() >= moment => break None,
                    None => std::thread::sleep(Duration::from_millis(2)),
                }
            };
            let status = match ended {
                Some(status) => status,
                None => {
                    run.kill().expect("killed");
                    killed += 1;
                    run.wait().expect("it is ours")
                }
            };
            for (place, launches) in &finished {
                let now = done(&small);
                assert_eq!(now.get(place), Some(launches), "{place:?} ran again");
            }
            finished = done(&small);
            if ended.is_some() {
                let mut said = String::new();
                use std::io::Read;
                let mut words = run.stderr.take().expect("a pipe");
                words.read_to_string(&mut said).expect("text");
                assert_eq!(status.code(), Some(0), "{said}");
                break;
            }
        }
        assert_eq!(shapes(&small), wanted, "experiment {experiments}");
        let open = recorded(&small, "interrupted");
        for (place, launches) in done(&small) {
            let again = open.get(&place).copied().unwrap_or(0);
            assert!(
                launches <= 1 + again,
                "{place:?}: {launches} launches, {again} recorded as interrupted"
            );
        }
        interrupted += open.values().sum::<u64>();
        let success = recorded(&small, "success");
        let told = || -> Vec<String> {
            let all = small.records("envelope").into_iter();
            let of = |r: &serde_json::Value| {
                [
                    "chain",
                    "checkpoint",
                    "purpose",
                    "outcome",
                    "commit",
                    "id",
                    "attempt",
                ]
                .map(|k| r[k].to_string())
                .join(" ")
            };
            all.map(|r| of(&r)).collect()
        };
        assert!(
            success.values().all(|n| *n == 1),
            "{success:?}: {:#?}",
            told()
        );
        small.repo.stdout(&["verify"]);
        assert_eq!(small.repo.git(&["status", "--porcelain"]), "");
        small.repo.git(&["fsck", "--no-dangling"]);
    }
    println!(
        "{killed} kills in {experiments} experiments; {interrupted} attempts recorded as interrupted"
    );
}

#[test]
fn a_run_that_is_killed_a_few_times_makes_what_an_undisturbed_one_makes() {
    kill(5);
}

#[test]
#[ignore = "minutes: 200 kills, or KILLS of them"]
fn a_run_that_is_killed_again_and_again_makes_what_an_undisturbed_one_makes() {
    let kills = std::env::var("KILLS").ok().and_then(|k| k.parse().ok());
    kill(kills.unwrap_or(200));
}

#[test]
fn a_run_that_is_asked_to_stop_ends_in_seconds_and_says_how_to_go_on() {
    for signal in ["INT", "TERM"] {
        let plan = Plan {
            chains: 1,
            agent: vec!["--do".to_owned(), "wait=60000@2.1".to_owned()],
            ..Plan::default()
        };
        let small = Small::new(&plan);
        let mut run = small
            .command_in(small.repo.path(), &["--jobs", "2"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("it starts");
        let waits = |small: &Small| {
            let all = small.launched();
            let second =
                |(purpose, _, k): &(String, String, u64)| purpose == "implement" && *k == 2;
            all.keys().filter(|k| second(k)).count() == 2
        };
        let began = Instant::now();
        while !waits(&small) {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "no second checkpoint"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        let asked = Instant::now();
        let pid = run.id().to_string();
        let mut kill = small.repo.command("kill", small.repo.path());
        assert!(
            kill.args(["-s", signal, &pid])
                .status()
                .expect("kill runs")
                .success()
        );
        let status = run.wait().expect("it is ours");
        assert!(
            asked.elapsed() < Duration::from_secs(10),
            "{:?}",
            asked.elapsed()
        );
        let mut said = String::new();
        use std::io::Read;
        let mut words = run.stderr.take().expect("a pipe");
        words.read_to_string(&mut said).expect("text");
        assert_eq!(status.code(), Some(130), "{said}");
        assert!(said.contains("git evolve run"), "{said}");
        assert_eq!(recorded(&small, "interrupted").len(), 2, "{said}");
        // The first checkpoint is there, and the second goes on from it.
        let before = done(&small);
        assert_eq!(before.len(), 2, "{before:?}");
        small.good(&["--jobs", "2"]);
        let after = done(&small);
        assert_eq!(after.len(), 6);
        for (place, launches) in before {
            assert_eq!(after[&place], launches, "{place:?} ran again");
        }
    }
}
