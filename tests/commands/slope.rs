//! `slope`.

use std::io::Write;
use std::process::Stdio;

use super::{err, out, runs, small};
use crate::support::Repo;

fn document(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_plain_history_uses_what_touches_production_and_says_so() {
    let repo = small();
    let table = repo.stdout(&["slope"]);
    assert!(table.contains("1 of 4 changes"), "{table}");
    assert!(table.contains("window still growing"), "{table}");
    assert!(table.lines().all(|l| l.chars().count() <= 80), "{table}");
    let all = document(&repo.stdout(&[
        "slope",
        "--all-changes",
        "--format",
        "json",
        "--metrics",
        "churn",
    ]));
    let slope = &all["slopes"][0];
    assert_eq!(slope["values"], 3, "the root is left out");
    assert_eq!(
        slope["curve"][0]["checkpoint"], 2,
        "positions are those of the range"
    );
    assert_eq!(slope["interval"], serde_json::Value::Null);
    assert_eq!(slope["verdict"], serde_json::Value::Null);
}

#[test]
fn a_run_repository_has_one_row_an_arm_and_measure_and_compares_arms() {
    let repo = runs();
    let all = document(&repo.stdout(&[
        "slope",
        "--format",
        "json",
        "--metrics",
        "existing_fns_modified,fns_added",
    ]));
    let rows: Vec<(&str, &str)> = all["slopes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| (s["metric"].as_str().unwrap(), s["group"].as_str().unwrap()))
        .collect();
    assert_eq!(
        rows,
        [
            ("existing_fns_modified", "plain"),
            ("existing_fns_modified", "split"),
            ("fns_added", "plain"),
            ("fns_added", "split"),
        ]
    );
    assert_eq!(all["slopes"][0]["chains"], 2);
    assert_eq!(all["slopes"][0]["curve"][0]["mean"], 1);
    assert_eq!(all["slopes"][0]["verdict"], "too few chains");
    assert_eq!(all["comparisons"].as_array().unwrap().len(), 2);
    assert_eq!(all["by"], "arm");
}

#[test]
fn authors_are_joined_by_the_mailmap_of_the_tree() {
    let repo = small();
    repo.write(
        ".mailmap",
        "Ada Lovelace <ada@example.invalid> <ada@example.invalid>\n",
    );
    repo.commit("mailmap");
    let all = document(&repo.stdout(&[
        "slope",
        "--by",
        "author",
        "--format",
        "json",
        "--metrics",
        "churn",
    ]));
    assert_eq!(
        all["slopes"][0]["group"],
        "Ada Lovelace <ada@example.invalid>"
    );
    let done = repo.evolve(&["slope", "--by", "author", "--metrics", "erosion"]);
    assert_eq!(done.status.code(), Some(2), "{}", err(&done));
}

#[test]
fn agents_are_those_that_commits_name_and_a_merge_names_what_it_brings_in() {
    let repo = small();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("src/A.java", super::class(2, 1));
    repo.commit("work\n\nCo-authored-by: aider (model) <aider@example.invalid>\n");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge side", "side"]);
    let groups = |words: &[&str]| {
        let words = [
            &[
                "slope",
                "--by",
                "agent",
                "--format",
                "json",
                "--metrics",
                "churn",
            ],
            words,
        ]
        .concat();
        let all = document(&repo.stdout(&words));
        all["slopes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| {
                (
                    s["group"].as_str().unwrap().to_owned(),
                    s["values"].as_u64().unwrap(),
                )
            })
            .collect::<Vec<_>>()
    };
    let named = |n: &str, v| (n.to_owned(), v);
    assert_eq!(groups(&[]), [named("(none named)", 1), named("aider", 1)]);
    assert_eq!(
        groups(&["--each"]),
        [named("(none named)", 1), named("aider", 1)]
    );
}

#[test]
fn data_from_elsewhere_has_the_same_statistics() {
    let repo = Repo::new();
    let mut rows = "arm,chain,checkpoint,metric,value\n".to_owned();
    for chain in 1..=6 {
        for k in 1..=5 {
            rows.push_str(&format!(
                "a,{chain},{k},erosion,{}\n",
                k as f64 * 2.0 + f64::from(chain)
            ));
            rows.push_str(&format!("b,{chain},{k},erosion,{chain}\n"));
        }
    }
    repo.write("data.csv", &rows);
    let text = repo.stdout(&["slope", "--data", "data.csv", "--format", "json"]);
    let all = document(&text);
    assert_eq!(all["slopes"][0]["slope"], 2);
    assert_eq!(all["slopes"][0]["verdict"], "degrades");
    assert_eq!(all["slopes"][1]["verdict"], "flat");
    assert_eq!(all["comparisons"][0]["separation"], "separates strongly");
    let mut child = repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), repo.around())
        .args(["slope", "--data", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(rows.as_bytes())
        .unwrap();
    assert_eq!(
        out(&child.wait_with_output().unwrap()),
        text,
        "standard input, and no repository"
    );
}

#[test]
fn a_tidy_log_reads_back_as_the_same_slopes() {
    let repo = runs();
    let tidy = repo.stdout(&["log", "--format", "csv"]);
    repo.write("tidy.csv", &tidy);
    let back = document(&repo.stdout(&["slope", "--data", "tidy.csv", "--format", "json"]));
    let direct = document(&repo.stdout(&["slope", "--format", "json"]));
    for (b, d) in back["slopes"]
        .as_array()
        .unwrap()
        .iter()
        .zip(direct["slopes"].as_array().unwrap())
    {
        for key in [
            "metric", "group", "language", "slope", "interval", "verdict", "values", "curve",
        ] {
            assert_eq!(b[key], d[key], "{key}");
        }
    }
    assert_eq!(back["comparisons"], direct["comparisons"]);
}

#[test]
fn bad_rows_are_named_by_line() {
    let repo = Repo::new();
    repo.write(
        "data.csv",
        "arm,chain,checkpoint,metric,value\na,1,one,m,2\na,1,1,m,x\n",
    );
    let done = repo.evolve(&["slope", "--data", "data.csv"]);
    assert_eq!(done.status.code(), Some(2));
    insta::assert_snapshot!(err(&done), @r"
    error: data.csv:2: checkpoint 'one' is no number
    data.csv:3: value 'x' is no number
    ");
}

#[test]
fn arms_need_chains() {
    let repo = small();
    let done = repo.evolve(&["slope", "--by", "arm"]);
    assert_eq!(done.status.code(), Some(2));
}
