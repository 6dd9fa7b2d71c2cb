//! A run that is killed or stopped goes on from where it was: nothing that is done is run again,
//! what was cut short is recorded, and in the end all is as if nothing had happened.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::err;
use super::run_lab::{GATE, Lab, WORKS};

/// Every place between two writes, in the order in which a run comes by.
const PLACES: [&str; 20] = [
    "run-begin-made",
    "run-begin-in-hand",
    "run-begin-notes",
    "run-begin-refs",
    "run-begin-settled",
    "run-attempt-planned",
    "run-attempt-working",
    "run-attempt-session",
    "run-attempt-taken",
    "run-record-made",
    "run-record-in-hand",
    "run-record-notes",
    "run-record-refs",
    "run-record-settled",
    "run-record-gated",
    "run-record-gate",
    "run-reset-made",
    "run-reset-in-hand",
    "run-reset-notes",
    "run-reset-refs",
];

fn shape(lab: &Lab) -> (Vec<String>, Vec<String>) {
    // The base's message has an id of its own; its tree has not.
    (lab.line("exp/a/1"), lab.gates("exp/a/1"))
}

#[test]
fn a_run_that_is_killed_between_any_two_writes_goes_on_from_there() {
    let whole = Lab::new(WORKS, GATE);
    whole.ends(0, &["--until", "2"]);
    let wanted = shape(&whole);
    assert_eq!(wanted.0.len(), 5);
    assert_eq!(wanted.1.len(), 3);
    for place in PLACES {
        let lab = Lab::new(WORKS, GATE);
        lab.dies(place);
        let before = lab.launched().len();
        lab.ends(0, &["--until", "2"]);
        assert_eq!(shape(&lab), wanted, "{place}");
        lab.holds();
        // An attempt that was cut short is made once more; one that was taken is not.
        let again = matches!(place, "run-attempt-session");
        let launched = lab.launched().len();
        assert_eq!(launched, 2 + usize::from(again), "{place}: {before} before");
        let base = lab.repo.git(&["rev-parse", "evolve/exp/a/1~4"]);
        let cut = lab.notes("envelope", &base);
        let words: Vec<&str> = cut.iter().map(|c| c["outcome"].as_str().unwrap()).collect();
        match place {
            // Where its session had ended, the attempt had not.
            "run-attempt-working" | "run-attempt-session" => assert_eq!(words, ["interrupted"]),
            _ => assert!(words.is_empty(), "{place}: {words:?}"),
        }
        assert!(cut.iter().all(|c| c["for_checkpoint"] == 1));
        assert!(
            !lab.repo
                .path()
                .join(".git/evolve/run/exp+a+1.json")
                .exists()
        );
    }
}

#[test]
fn completing_what_is_in_hand_may_be_cut_short_too() {
    let lab = Lab::new(WORKS, "");
    lab.dies("run-record-notes");
    lab.dies("run-record-completed");
    lab.dies("run-reset-notes");
    lab.dies("run-reset-completed");
    lab.ends(0, &[]);
    assert_eq!(lab.launched().len(), 3);
    assert_eq!(lab.line("exp/a/1").len(), 7);
    lab.holds();
}

#[test]
fn a_session_that_was_running_when_the_run_was_killed_is_ended_and_recorded() {
    let lab = Lab::new("echo $$ > /dev/null; sleep 4002.5 & wait", "");
    let mut child = lab.command(&[]).spawn().unwrap();
    let began = Instant::now();
    while lab.launched().is_empty() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    lab.agent(WORKS);
    lab.ends(0, &["--until", "1"]);
    let base = lab.repo.git(&["rev-parse", "evolve/exp/a/1~2"]);
    let [cut] = lab.notes("envelope", &base).try_into().unwrap();
    assert_eq!(cut["outcome"], "interrupted");
    assert_eq!(cut["for_checkpoint"], 1);
    assert!(!is_running("4002.5"));
    lab.holds();
}

/// Whether a process has this word among its own.
fn is_running(word: &str) -> bool {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|e| std::fs::read(e.path().join("cmdline")).ok())
        .any(|line| line.split(|b| *b == 0).any(|w| w == word.as_bytes()))
}

#[test]
fn being_asked_to_stop_ends_sessions_and_says_how_to_go_on() {
    let slow = "if [ \"$EVOLVE_CHECKPOINT\" = 2 ]; then echo half > src/half; sleep 4003.5; fi\n";
    let lab = Lab::new(&format!("{slow}{WORKS}"), "");
    let child = lab
        .command(&[])
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while lab.launched().len() < 2 && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    let pid = child.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(killed.unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(20));
    assert_eq!(done.status.code(), Some(130), "{}", err(&done));
    let said = err(&done);
    let again = said
        .lines()
        .find_map(|l| l.split_once("go on: "))
        .unwrap()
        .1;
    assert!(again.starts_with("git evolve run --plan "), "{again}");
    assert!(!is_running("4003.5"));
    // What was finished is there; what was cut short is recorded and kept.
    assert_eq!(lab.line("exp/a/1").len(), 3);
    let tip = lab.repo.git(&["rev-parse", "evolve/exp/a/1"]);
    let [cut] = lab.notes("envelope", &tip).try_into().unwrap();
    assert_eq!(cut["outcome"], "interrupted");
    assert_eq!(cut["for_checkpoint"], 2);
    assert_eq!(cut["launch"]["ended_by"], "interrupt");
    assert_eq!(lab.refs("refs/evolve/attempts/exp/a/1/"), ["2/1"]);
    let kept = "refs/evolve/attempts/exp/a/1/2/1:src/half";
    assert_eq!(lab.repo.git(&["show", kept]), "half");
    lab.agent(WORKS);
    lab.ends(0, &[]);
    assert_eq!(lab.line("exp/a/1").len(), 7);
    assert_eq!(lab.launched().len(), 4);
    lab.holds();
}

#[test]
fn a_second_signal_ends_it_at_once_and_says_how_to_go_on() {
    let slow = "trap '' TERM\nwhile :; do sleep 0.4004; done\n";
    let lab = Lab::new(slow, "");
    let child = lab
        .command(&["--until", "1"])
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while lab.launched().is_empty() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(200));
    for _ in 0..2 {
        let pid = child.id().to_string();
        let asked = std::process::Command::new("kill")
            .args(["-INT", &pid])
            .status();
        assert!(asked.unwrap().success());
        std::thread::sleep(Duration::from_millis(300));
    }
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130), "{}", err(&done));
    let said = err(&done);
    let again = said.lines().find_map(|l| l.split_once("go on: "));
    let again = again.unwrap_or_else(|| panic!("{said}")).1;
    assert!(again.starts_with("git evolve run --plan "), "{again}");
    assert!(again.contains("--until 1"), "{again}");
    lab.agent(WORKS);
    lab.ends(0, &[]);
    lab.holds();
}

#[test]
fn two_runs_at_once_share_the_chains() {
    let slow = format!("sleep 0.3\n{WORKS}");
    let lab = Lab::new(&slow, "");
    lab.plan("chains = 3", "", "");
    let first = lab.command(&[]).output();
    let running: Vec<_> = (0..3)
        .map(|_| {
            let mut command = lab.command(&["--format", "json"]);
            command.stdout(std::process::Stdio::piped());
            command.stderr(std::process::Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    drop(first);
    for child in running {
        let done = child.wait_with_output().unwrap();
        assert!([Some(0), Some(1)].contains(&done.status.code()));
    }
    lab.ends(0, &[]);
    assert_eq!(lab.launched().len(), 9);
    let all: BTreeSet<String> = (1..=3)
        .flat_map(|n| lab.line(&format!("exp/a/{n}")))
        .collect();
    assert!(all.len() >= 7);
    lab.holds();
}
