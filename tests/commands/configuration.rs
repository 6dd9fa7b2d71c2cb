//! Where settings come from, and what they may be.

use super::{err, out, small};

fn config(text: &str) -> String {
    let document: serde_json::Value = serde_json::from_str(text).unwrap();
    document["config"].as_str().unwrap().to_owned()
}

fn threshold(text: &str) -> i64 {
    let document: serde_json::Value = serde_json::from_str(text).unwrap();
    document["settings"]["cc_threshold"].as_i64().unwrap()
}

#[test]
fn the_first_hit_wins_and_the_work_tree_has_no_say() {
    let repo = small();
    let asked = |more: &[&str]| repo.stdout(&[&["log", "--format", "json"], more].concat());
    let plain = asked(&[]);
    repo.write("evolve.toml", "[measure]\ncc_threshold = 7\n");
    assert_eq!(asked(&[]), plain, "not committed");
    repo.commit("settings");
    assert_eq!(threshold(&asked(&[])), 7);
    assert_eq!(
        threshold(&asked(&["HEAD~2"])),
        7,
        "HEAD's, whatever is shown"
    );
    repo.write("other.toml", "[measure]\ncc_threshold = 8\n");
    assert_eq!(threshold(&asked(&["--config", "other.toml"])), 8);
    assert_eq!(
        threshold(&asked(&["--config", "other.toml", "--cc-threshold", "9"])),
        9
    );
    assert_ne!(config(&asked(&[])), config(&plain));
}

#[test]
fn git_configuration_and_environment_move_no_figure() {
    let repo = small();
    let before = repo.stdout(&["log", "--format", "jsonl"]);
    for (key, value) in [
        ("diff.renames", "false"),
        ("diff.algorithm", "patience"),
        ("blame.ignoreRevsFile", "x"),
        ("evolve.ccThreshold", "1"),
        ("evolve.lookback", "2"),
    ] {
        repo.git(&["config", key, value]);
    }
    repo.write(".git/info/attributes", "*.java binary linguist-generated\n");
    assert_eq!(repo.stdout(&["log", "--format", "jsonl"]), before);
}

#[test]
fn a_habit_sets_the_format_and_a_wrong_one_stops_nothing() {
    let repo = small();
    repo.git(&["config", "evolve.format", "csv"]);
    assert!(repo.stdout(&["log"]).starts_with("experiment,"));
    assert!(repo.stdout(&["log", "--format", "md"]).starts_with("| "));
    repo.git(&["config", "evolve.format", "xml"]);
    let done = repo.evolve(&["log"]);
    assert_eq!(done.status.code(), Some(0));
    assert!(err(&done).contains("warning: evolve.format is 'xml'"));
}

#[test]
fn wrong_settings_are_wrong_usage_and_say_where() {
    let repo = small();
    for (text, words) in [
        (
            "[measure]\nlokback = 3\n",
            "f.toml:2:1: unknown key 'lokback' in [measure]",
        ),
        (
            "[measure]\nlookback = \"x\"\n",
            "f.toml:2:12: lookback in [measure] must be",
        ),
        ("[measure\n", "f.toml:1:"),
        ("[arms]\n", "f.toml has no [measure] table"),
        ("[measure]\nentry = \"(\"\n", "entry: no regular expression"),
        ("[measure]\ntests = [\"a[\"]\n", "tests: no glob"),
        ("[measure]\nlookback = 1\n", "lookback 1 is too short"),
    ] {
        repo.write("f.toml", text);
        let done = repo.evolve(&["log", "--config", "f.toml"]);
        assert_eq!(done.status.code(), Some(2), "{text}");
        assert_eq!(out(&done), "", "{text}");
        assert!(err(&done).contains(words), "{text}: {}", err(&done));
    }
    repo.write("evolve.toml", "[measure]\nprofile = 'none'\n");
    repo.commit("bad settings");
    assert_eq!(repo.evolve(&["log"]).status.code(), Some(2));
}

#[test]
fn a_base_must_stand_on_the_line() {
    let repo = small();
    repo.git(&["checkout", "-q", "-b", "side", "HEAD~2"]);
    repo.commit("aside");
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(
        repo.evolve(&["log", "--base", "side"]).status.code(),
        Some(2)
    );
    assert_eq!(
        repo.evolve(&["log", "--base", "HEAD~2"]).status.code(),
        Some(0)
    );
    assert_eq!(
        repo.evolve(&["log", "--base", "nowhere"]).status.code(),
        Some(128)
    );
    assert_eq!(
        repo.evolve(&["log", "--base", "HEAD~2", "--lookback", "5"])
            .status
            .code(),
        Some(2)
    );
}
