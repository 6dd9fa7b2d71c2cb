//! `log`.

use super::{err, out, runs, small};
use crate::support::Repo;

fn objects(text: &str) -> Vec<serde_json::Value> {
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

/// The text with commit ids made `X`, for snapshots.
fn without_ids(text: &str) -> String {
    let id = regex::Regex::new(r"\b[0-9a-f]{7}\b").unwrap();
    id.replace_all(text, "XXXXXXX").into_owned()
}

#[test]
fn the_table_has_one_row_a_change_newest_first() {
    let repo = small();
    insta::assert_snapshot!(without_ids(&repo.stdout(&["log"])), @r"
    commit   subject             modified  added  churn  net cc  re-edit  erosion
    XXXXXXX  words                      0      0      0       0        –        0
    XXXXXXX  test A                     0      0      0       0        –        0
    XXXXXXX  branch in f, new g         1      1      6       2        0        0
    XXXXXXX  add A                      0      1      5       1        –        0
    – undefined: no existing function was edited (3)
    XXXXXXX is the root: measured against the empty tree, left out of slopes
    complexity of Java; config 62cfffe51b606adf
    ");
}

#[test]
fn json_lines_have_the_documented_fields_and_figures() {
    let repo = small();
    let all = objects(&repo.stdout(&["log", "--format", "jsonl"]));
    assert_eq!(all.len(), 4);
    let keys: Vec<&String> = all[0].as_object().unwrap().keys().collect();
    let mut wanted = [
        "schema",
        "tool",
        "analyser",
        "definitions",
        "config",
        "commit",
        "parent",
        "experiment",
        "arm",
        "task",
        "chain",
        "path",
        "checkpoint",
        "subject",
        "time",
        "metrics",
    ];
    wanted.sort_unstable();
    assert_eq!(keys, wanted);
    let change = &all[2];
    assert_eq!(change["subject"], "branch in f, new g");
    assert_eq!(change["time"], "2023-11-14T22:15:20Z");
    assert_eq!(change["arm"], serde_json::Value::Null);
    assert_eq!(change["checkpoint"], serde_json::Value::Null);
    let metrics = &change["metrics"];
    assert_eq!(metrics["existing_fns_modified"]["value"], 1);
    assert_eq!(metrics["fns_added"]["value"], 1);
    assert_eq!(metrics["churn"]["value"], 6);
    assert_eq!(metrics["net_cc"]["value"], 2);
    assert_eq!(metrics["net_cc"]["language"], "java");
    assert_eq!(metrics["reedit_rate"]["num"], 0);
    assert_eq!(metrics["reedit_rate"]["den"], 6);
    assert!(all[0]["metrics"]["reedit_rate"]["undefined"].is_string());
    assert_eq!(all[3]["parent"], serde_json::Value::Null);
}

#[test]
fn one_document_has_the_settings_and_the_same_changes() {
    let repo = small();
    let text = repo.stdout(&["log", "--format", "json", "--cc-threshold", "9"]);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["settings"]["cc_threshold"], 9);
    assert_eq!(document["settings"]["lookback"], 200);
    assert_eq!(document["changes"].as_array().unwrap().len(), 4);
    let lines = objects(&repo.stdout(&["log", "--format", "jsonl", "--cc-threshold", "9"]));
    assert_eq!(document["changes"][1]["metrics"], lines[1]["metrics"]);
    assert_eq!(document["config"], lines[0]["config"]);
}

#[test]
fn tidy_csv_has_one_row_a_figure() {
    let repo = small();
    let csv = repo.stdout(&[
        "log",
        "--last",
        "1",
        "--metrics",
        "churn,reedit_rate",
        "--format",
        "csv",
    ]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        csv,
        format!(
            "experiment,arm,task,chain,checkpoint,commit,metric,language,value,num,den,state,reason\n\
             ,,,,1,{head},churn,,0,,,known,\n\
             ,,,,1,{head},reedit_rate,,,,,undefined,no existing function was edited\n"
        )
    );
}

#[test]
fn ranges_since_last_and_paths_pick_changes() {
    let repo = small();
    let subjects = |words: &[&str]| {
        let words = [&["log", "--format", "jsonl", "--metrics", "churn"], words].concat();
        let text = repo.stdout(&words);
        objects(&text)
            .iter()
            .map(|o| o["subject"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(subjects(&["HEAD~2..HEAD"]), ["words", "test A"]);
    assert_eq!(subjects(&["--last", "1"]), ["words"]);
    assert_eq!(
        subjects(&["--since", "2023-11-14T22:16:00Z"]),
        ["words", "test A"]
    );
    assert_eq!(
        subjects(&["HEAD~1"]),
        ["test A", "branch in f, new g", "add A"]
    );
    assert_eq!(
        subjects(&["--", "src"]),
        ["test A", "branch in f, new g", "add A"]
    );
    assert_eq!(
        subjects(&["--last", "1", "--", "src/A.java"]),
        ["branch in f, new g"]
    );
}

#[test]
fn a_change_has_the_same_figures_whatever_range_shows_it() {
    let repo = small();
    let one = objects(&repo.stdout(&[
        "log",
        "HEAD~2",
        "--last",
        "1",
        "--format",
        "jsonl",
        "--metrics",
        "change,state",
    ]));
    let all = objects(&repo.stdout(&["log", "--format", "jsonl", "--metrics", "change,state"]));
    assert_eq!(one[0], all[2]);
}

#[test]
fn the_output_is_the_same_on_any_number_of_threads() {
    let repo = runs();
    for words in [
        &["log", "--format", "json"][..],
        &["slope", "--format", "json"],
    ] {
        let one = repo.stdout(&[words, &["--threads", "1"]].concat());
        let four = repo.stdout(&[words, &["--threads", "4"]].concat());
        assert_eq!(one, four);
    }
}

#[test]
fn many_measures_stand_in_blocks_that_fit() {
    let repo = small();
    let table = repo.stdout(&["log", "--metrics", "all"]);
    assert!(table.lines().all(|l| l.chars().count() <= 80), "{table}");
    assert!(table.starts_with("commit "), "{table}");
    let wide = out(&repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), repo.path())
        .env("COLUMNS", "160")
        .args(["log", "--metrics", "all"])
        .output()
        .unwrap());
    assert!(wide.lines().all(|l| l.chars().count() <= 160), "{wide}");
}

#[test]
fn a_run_repository_shows_one_row_a_chain() {
    let repo = runs();
    let table = repo.stdout(&["log", "--metrics", "existing_fns_modified,net_cc"]);
    insta::assert_snapshot!(table, @r"
    arm    n  ckpts  modified  slope  curve  net cc  slope  curve
    plain  1      2     1 → 1      0  ▁▁      1 → 1      0  ▁▁
    plain  2      2     1 → 1      0  ▁▁      1 → 1      0  ▁▁
    split  1      2     0 → 0      0  ▁▁      1 → 1      0  ▁▁
    split  2      2     0 → 0      0  ▁▁      1 → 1      0  ▁▁
    first → last checkpoint, slope per checkpoint. One chain:
      `git evolve log --chain exp/plain/1`. One arm: `--arm plain`. HEAD's own line:
      `git evolve log HEAD`
    config bfe7cfe1d67d9459
    ");
    let head = objects(&repo.stdout(&["log", "HEAD", "--format", "jsonl"]));
    assert_eq!(head.len(), 1, "with a revision: that line");
}

#[test]
fn a_chain_is_shown_by_name_arm_and_branch_alike() {
    let repo = runs();
    let by_name = repo.stdout(&["log", "--chain", "exp/plain/1", "--format", "jsonl"]);
    let by_branch = repo.stdout(&["log", "evolve/exp/plain/1", "--format", "jsonl"]);
    assert_eq!(by_name, by_branch);
    let changes = objects(&by_name);
    assert_eq!(changes.len(), 2);
    assert_eq!(changes[0]["checkpoint"], 2);
    assert_eq!(changes[0]["experiment"], "exp");
    assert_eq!(changes[0]["arm"], "plain");
    assert_eq!(changes[0]["chain"], 1);
    assert_eq!(changes[0]["path"], "exp/plain/1");
    assert_eq!(changes[0]["metrics"]["existing_fns_modified"]["value"], 1);
    assert_eq!(changes[0]["metrics"]["reedit_rate"]["num"], 3);
    let arm = repo.stdout(&["log", "--arm", "split", "--format", "csv"]);
    assert!(
        arm.lines().skip(1).all(|l| l.starts_with("exp,split,,")),
        "{arm}"
    );
    for wrong in [["--arm", "splat"], ["--chain", "exp/plain/7"]] {
        let done = repo.evolve(&["log", wrong[0], wrong[1]]);
        assert_eq!(done.status.code(), Some(2));
        assert!(err(&done).contains("no such"), "{}", err(&done));
    }
}

#[test]
fn a_chain_commit_on_another_line_is_measured_in_its_chain() {
    let repo = runs();
    repo.git(&["checkout", "-q", "-B", "later", "evolve/exp/plain/1"]);
    repo.write("src/B.java", "class B {\n}\n");
    repo.commit("after the run");
    let changes = objects(&repo.stdout(&["log", "later", "--format", "jsonl"]));
    let of = |k: usize| {
        (
            changes[k]["subject"].as_str().unwrap(),
            changes[k]["path"].clone(),
        )
    };
    assert_eq!(of(0), ("after the run", serde_json::Value::Null));
    assert_eq!(of(1), ("step 2", "exp/plain/1".into()));
    let inside = objects(&repo.stdout(&["log", "--chain", "exp/plain/1", "--format", "jsonl"]));
    assert_eq!(changes[1]["metrics"], inside[0]["metrics"]);
}

#[test]
fn names_from_the_repository_cannot_steer_the_terminal() {
    let repo = Repo::new();
    repo.write("a.py", "def f():\n    pass\n");
    repo.commit("bad \u{1b}[2J subject");
    let table = repo.stdout(&["log"]);
    assert!(!table.contains('\u{1b}'), "{table:?}");
    assert!(table.contains("\\u{1b}"), "{table}");
    let object = &objects(&repo.stdout(&["log", "--format", "jsonl"]))[0];
    assert_eq!(object["subject"], "bad \u{1b}[2J subject");
}

#[test]
fn markdown_is_a_table() {
    let repo = small();
    let md = repo.stdout(&["log", "--last", "1", "--format", "md", "--metrics", "churn"]);
    let lines: Vec<&str> = md.lines().collect();
    assert_eq!(lines[0], "| commit | date | subject | churn |");
    assert_eq!(lines[1], "| --- | --- | --- | ---: |");
    assert!(lines[2].contains(" | words | 0 |"), "{md}");
}

#[test]
fn a_file_moved_out_of_the_paths_is_a_change_in_them() {
    let repo = small();
    repo.git(&["mv", "src", "lib"]);
    repo.commit("moved");
    let counted = |words: &[&str]| {
        let csv = [
            "log",
            "--last",
            "1",
            "--format",
            "csv",
            "--metrics",
            "files_changed",
        ];
        let text = repo.stdout(&[&csv[..], words].concat());
        text.lines()
            .nth(1)
            .unwrap()
            .split(',')
            .nth(8)
            .unwrap()
            .to_owned()
    };
    assert_eq!(counted(&[]), "1");
    assert_eq!(counted(&["--", "src"]), "1", "one side is there");
    assert_eq!(counted(&["--", "lib"]), "1");
}

#[test]
fn no_line_below_a_table_is_wider_than_the_screen_and_no_command_is_broken() {
    let repo = small();
    repo.write(
        "b.py",
        "def f(x):\n    if x:\n        return 1\n    return 2\n",
    );
    repo.commit("another language");
    let wide = |text: &str| text.lines().map(|l| l.chars().count()).max();
    let table = repo.stdout(&["log"]);
    assert!(table.contains("other languages"), "{table}");
    assert!(wide(&table) <= Some(80), "{table}");
    let runs = runs();
    let overview = runs.stdout(&["log"]);
    assert!(wide(&overview) <= Some(80), "{overview}");
    assert!(
        overview.contains("`git evolve log --chain exp/plain/1`"),
        "{overview}"
    );
    let chain = runs.stdout(&["log", "--chain", "exp/plain/1"]);
    assert!(
        chain
            .lines()
            .any(|l| l.contains("`git evolve log ") && l.contains("^`")),
        "{chain}"
    );
}

#[test]
fn reasons_that_differ_in_numbers_are_one_line() {
    let repo = Repo::new();
    for files in 1..=6 {
        for n in 0..files {
            repo.write(
                &format!("src/f{n}.rs"),
                format!("fn f() -> u32 {{ {files} }}\n"),
            );
        }
        repo.write("a.py", format!("def f():\n    return {files}\n"));
        repo.commit(&format!("change {files}"));
    }
    let slope = repo.stdout(&["slope"]);
    assert_eq!(slope.matches("no parser for Rust").count(), 1, "{slope}");
    assert!(
        slope.contains("no parser for Rust (1–6 files)")
            || slope.contains("no parser for Rust (2–6 files)"),
        "{slope}"
    );
    let log = repo.stdout(&["log"]);
    assert_eq!(log.matches("no parser for Rust").count(), 1, "{log}");
    let shallow = repo.around().join("shallow");
    let from = format!("file://{}", repo.path().display());
    repo.git(&["clone", "-q", "--depth", "5", &from, "../shallow"]);
    let cut = out(&repo.evolve_in(&shallow, &["slope"]));
    assert_eq!(cut.matches("cuts the history off").count(), 1, "{cut}");
}

#[test]
fn a_chain_whose_base_a_shallow_clone_cut_off_is_not_passed_off_as_an_ordinary_line() {
    let repo = runs();
    let clone = repo.around().join("cut");
    let from = format!("file://{}", repo.path().display());
    repo.git(&[
        "clone",
        "-q",
        "--depth",
        "3",
        "--branch",
        "evolve/exp/plain/1",
        &from,
        clone.to_str().unwrap(),
    ]);
    let said = err(&repo.evolve_in(&clone, &["log"]));
    assert!(said.contains("exp/plain/1"), "{said}");
    assert!(said.contains("shallow"), "{said}");
}

#[test]
fn a_measure_of_all_files_is_known_when_it_is_asked_for_alone() {
    let repo = small();
    let alone = repo.stdout(&["log", "HEAD~2", "--last", "1", "--metrics", "churn_all"]);
    assert!(alone.contains(" 6\n"), "{alone}");
    assert!(!alone.contains("unknown"), "{alone}");
}
