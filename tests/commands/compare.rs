//! `compare`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{class, err, out, small};
use crate::support::{Repo, demo};

/// A chain's path, and how many branches `f` has after each checkpoint: its greatest complexity
/// is one more.
type Chain<'a> = (&'a str, &'a [usize]);

/// A repository with these chains, all on one base whose plan is `plan`.
fn experiment(plan: &str, chains: &[Chain<'_>]) -> Repo {
    let repo = Repo::new();
    repo.write("src/A.java", class(0, 0));
    repo.commit("add A");
    let mut stream = String::new();
    let mut commit = |chain: usize,
                      path: &str,
                      from: Option<&str>,
                      message: &str,
                      file: (&str, &str)| {
        let ident = format!("A <a@b> {} +0000", 1_700_000_000 + chain);
        let _ = write!(
            stream,
            "commit refs/heads/evolve/{path}\nauthor {ident}\ncommitter {ident}\ndata {}\n{message}\n",
            message.len()
        );
        if let Some(from) = from {
            let _ = writeln!(stream, "from {from}");
        }
        let _ = write!(
            stream,
            "M 644 inline {}\ndata {}\n{}\n",
            file.0,
            file.1.len(),
            file.1
        );
    };
    for (at, (path, steps)) in chains.iter().enumerate() {
        let trailers = |k: usize, id: &str, role: &str| {
            format!(
                "{role}\n\nEvolve-Chain: {path}\nEvolve-Checkpoint: {k} {id}\nEvolve-Role: {role}\n"
            )
        };
        let base = format!(
            "{}Evolve-Begin: 0190f0c5-7a3b-7c41-9d2e-5f6a7b8c{at:04x}\n",
            trailers(0, "base", "base")
        );
        commit(
            at,
            path,
            Some("refs/heads/main^0"),
            &base,
            ("evolve.toml", plan),
        );
        for (k, branches) in steps.iter().enumerate() {
            let id = format!("c{}", k + 1);
            let source = class(*branches, 0);
            commit(
                at,
                path,
                None,
                &trailers(k + 1, &id, "agent"),
                ("src/A.java", &source),
            );
            commit(
                at,
                path,
                None,
                &trailers(k + 1, &id, "reset"),
                ("src/A.java", &source),
            );
        }
    }
    let mut import = repo
        .command("git", repo.path())
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    import
        .stdin
        .take()
        .unwrap()
        .write_all(stream.as_bytes())
        .unwrap();
    assert!(import.wait().unwrap().success());
    repo
}

/// A plan with these arms; `more` follows.
fn plan(arms: &[&str], more: &str) -> String {
    let mut text = "[experiment]\nname = \"exp\"\n[agent]\ncommand = \"true\"\n".to_owned();
    for arm in arms {
        let _ = writeln!(text, "[[arms]]\n{arm}");
    }
    text + "[[checkpoints]]\nid = \"c1\"\nprompt_text = \"x\"\n" + more
}

fn json(repo: &Repo, args: &[&str]) -> Value {
    let mut all = vec!["compare", "--format", "json"];
    all.extend_from_slice(args);
    let out = repo.evolve(&all);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {said}"))
}

fn words<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    let list = value.as_array().unwrap();
    list.iter().map(|v| v[key].as_str().unwrap_or("")).collect()
}

/// What the comparisons of the one table are: pair, level, design, difference.
fn pairs(document: &Value) -> Vec<(String, String, String, f64)> {
    let list = document["measures"][0]["comparisons"].as_array().unwrap();
    let word = |v: &Value| v.as_str().unwrap_or("").to_owned();
    list.iter()
        .map(|p| {
            let names = format!("{} - {}", word(&p["first"]), word(&p["second"]));
            let difference = p["slope_difference"].as_f64().unwrap_or(f64::NAN);
            (names, word(&p["level"]), word(&p["design"]), difference)
        })
        .collect()
}

fn evolve_there(args: &[&str]) -> String {
    let around = Repo::new();
    let out = around.evolve_in(&demo::shared(), args);
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn every_figure_is_the_one_that_slope_shows() {
    const METRICS: &str = "existing_fns_modified,net_cc,reedit_rate,erosion,hotspot_cc,cost_usd";
    let read = |args: &[&str]| -> Value { serde_json::from_str(&evolve_there(args)).unwrap() };
    let slope = read(&["slope", "--format", "json", "-m", METRICS]);
    let compare = read(&[
        "compare",
        "--format",
        "json",
        "-m",
        METRICS,
        "--baseline",
        "layered",
    ]);
    let slopes = slope["slopes"].as_array().unwrap();
    let mut held = 0;
    for table in compare["measures"].as_array().unwrap() {
        for arm in table["arms"].as_array().unwrap() {
            let same = slopes
                .iter()
                .find(|s| s["metric"] == table["metric"] && s["group"] == arm["arm"])
                .unwrap();
            for (key, value) in same.as_object().unwrap() {
                if !["group", "metric", "language"].contains(&key.as_str()) {
                    assert_eq!(&arm[key], value, "{} {key}", table["metric"]);
                    held += 1;
                }
            }
        }
        let pair = &table["comparisons"][0];
        let comparisons = slope["comparisons"].as_array().unwrap();
        let same = comparisons
            .iter()
            .find(|c| c["metric"] == table["metric"])
            .unwrap();
        for (key, value) in same.as_object().unwrap() {
            if !["metric", "language"].contains(&key.as_str()) {
                assert_eq!(&pair[key], value, "{} {key}", table["metric"]);
                held += 1;
            }
        }
    }
    assert_eq!(held, 6 * (2 * 17 + 12), "every field of every row");
}

#[test]
fn another_baseline_turns_signs_and_nothing_else() {
    let of = |baseline: &str| -> Value {
        let args = [
            "compare",
            "--format",
            "json",
            "-m",
            "blast,complexity",
            "--baseline",
            baseline,
        ];
        serde_json::from_str(&evolve_there(&args)).unwrap()
    };
    let (one, other) = (of("layered"), of("composed"));
    assert_eq!(one["arms"][0]["arm"], "layered");
    assert_eq!(other["arms"][0]["arm"], "composed");
    let tables = |d: &Value| d["measures"].as_array().unwrap().clone();
    for (a, b) in tables(&one).iter().zip(tables(&other)) {
        let (a, b) = (&a["comparisons"][0], &b["comparisons"][0]);
        if a.is_null() {
            continue;
        }
        let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
        assert_eq!(
            number(&a["slope_difference"]),
            0.0 - number(&b["slope_difference"])
        );
        assert_eq!(
            number(&a["interval"]["low"]),
            0.0 - number(&b["interval"]["high"])
        );
        assert_eq!(a["p"], b["p"]);
        assert_eq!(a["p_holm"], b["p_holm"]);
        assert_eq!(a["smallest_detectable"], b["smallest_detectable"]);
    }
    let table = evolve_there(&["compare", "composed", "layered"]);
    assert!(
        table.contains("composed − layered"),
        "the plan says which is the baseline: {table}"
    );
}

#[test]
fn tables_fit_eighty_columns_and_every_format_has_every_pair() {
    let table = evolve_there(&["compare"]);
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(
        table.starts_with("layered (6 chains, 60 checkpoints; baseline), composed (6 chains, 60"),
        "{table}"
    );
    assert!(table.contains("baseline: layered (by the plan)"), "{table}");
    assert!(table.contains("detectable ±"), "{table}");
    assert!(table.contains("what it costs"), "{table}");
    let few = ["compare", "-m", "churn,reedit_rate", "--format"];
    let of = |format: &str| evolve_there(&[&few[..], &[format]].concat());
    let csv = of("csv");
    assert!(csv.starts_with("row,metric,language,arm,against,"), "{csv}");
    assert_eq!(
        csv.lines().filter(|l| l.starts_with("comparison,")).count(),
        2
    );
    assert_eq!(csv.lines().filter(|l| l.starts_with("arm,")).count(), 4);
    let rows: Vec<Value> = of("jsonl")
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let with = |row: &str| rows.iter().filter(|r| r["row"] == row).count();
    assert_eq!((with("arm"), with("comparison"), with("front")), (4, 2, 2));
    assert!(rows.iter().all(|r| r["schema"] == 1));
    let md = of("md");
    assert!(
        md.contains("### churn · ") && md.contains("| composed − layered |"),
        "{md}"
    );
}

#[test]
fn arms_that_worked_on_the_same_tasks_are_paired() {
    let mut chains: Vec<(String, Vec<usize>)> = Vec::new();
    for task in 0..7 {
        // Tasks grow at different rates, and `b` by one branch more a checkpoint in each.
        let grown = |by: usize| (1..=3).map(|k| k * by).collect::<Vec<_>>();
        chains.push((format!("exp/a/t{task}/1"), grown(task + 1)));
        if task < 6 {
            chains.push((format!("exp/b/t{task}/1"), grown(task + 2)));
        }
    }
    let chains: Vec<Chain<'_>> = chains
        .iter()
        .map(|(p, s)| (p.as_str(), s.as_slice()))
        .collect();
    let repo = experiment("", &chains);
    let paired = json(&repo, &["-m", "hotspot_cc"]);
    let said = pairs(&paired);
    assert_eq!(
        said,
        [(
            "b - a".to_owned(),
            String::new(),
            "paired by task over 6 tasks".to_owned(),
            1.0
        )]
    );
    let pair = &paired["measures"][0]["comparisons"][0];
    assert_eq!(pair["p"].as_f64(), Some(2.0 / 64.0));
    assert_eq!(pair["over"].as_array().unwrap().len(), 6);
    assert_eq!(paired["left_out"][0]["what"], "task t6");
    let table = repo.stdout(&["compare", "-m", "hotspot_cc"]);
    assert!(table.contains("paired by task over 6 tasks"), "{table}");
    assert!(table.contains("left out, b has no chain of it"), "{table}");

    let by_task = pairs(&json(&repo, &["-m", "hotspot_cc", "--by", "task"]));
    assert_eq!(by_task.len(), 7, "over all, then one a task");
    assert_eq!((by_task[1].1.as_str(), by_task[1].3), ("t0", 1.0));

    let within = json(&repo, &["-m", "hotspot_cc", "--within", "task"]);
    let said = pairs(&within);
    assert_eq!(said.len(), 7);
    assert_eq!(said[6].2, "stratified by task over 6 tasks");
    assert_eq!(said[6].3, 1.0);
    let pair = &within["measures"][0]["comparisons"][6];
    assert_eq!(pair["labellings"], 64, "two labellings of each task");
    assert_eq!(
        pair["interval"],
        Value::Null,
        "one chain of an arm in each task"
    );
}

#[test]
fn tasks_that_do_not_pair_are_said_to_be_what_may_differ() {
    let repo = experiment(
        "",
        &[
            ("exp/a/x/1", &[1, 2]),
            ("exp/a/y/1", &[1, 3]),
            ("exp/b/y/1", &[1, 2]),
            ("exp/b/z/1", &[2, 2]),
        ],
    );
    let all = json(&repo, &["-m", "hotspot_cc"]);
    assert_eq!(pairs(&all)[0].2, "");
    let remarks = all["remarks"].to_string();
    assert!(remarks.contains("fewer than two tasks"), "{remarks}");
    assert_eq!(
        all["measures"][0]["comparisons"][0]["separation"],
        "too few chains"
    );
}

#[test]
fn levels_of_a_factor_are_compared_and_compared_within() {
    let arms = [
        "name = \"flat\"\nbaseline = true\nfactors = { style = \"flat\", guide = \"no\" }",
        "name = \"flat-guided\"\nfactors = { style = \"flat\", guide = \"yes\" }",
        "name = \"deep\"\nfactors = { style = \"deep\", guide = \"no\" }",
        "name = \"deep-guided\"\nfactors = { style = \"deep\", guide = \"yes\" }",
        "name = \"later\"",
    ];
    let repo = experiment(
        &plan(&arms, ""),
        &[
            ("exp/deep/1", &[3, 6, 9]),
            ("exp/deep/2", &[3, 6, 9]),
            ("exp/deep-guided/1", &[2, 4, 6]),
            ("exp/deep-guided/2", &[2, 4, 6]),
            ("exp/flat/1", &[2, 4, 6]),
            ("exp/flat/2", &[2, 4, 6]),
            ("exp/flat-guided/1", &[1, 2, 3]),
            ("exp/flat-guided/2", &[1, 2, 3]),
        ],
    );
    let of = |args: &[&str]| json(&repo, &[&["-m", "hotspot_cc"], args].concat());
    let plain = of(&[]);
    assert_eq!(
        words(&plain["arms"], "arm"),
        ["flat", "deep", "deep-guided", "flat-guided"]
    );
    assert_eq!(pairs(&plain).len(), 3, "each against the baseline");
    assert_eq!(plain["left_out"][0]["what"], "arm later");
    assert_eq!(pairs(&of(&["--pairwise"])).len(), 6);

    let by = of(&["--by", "guide"]);
    assert_eq!(words(&by["arms"], "arm"), ["no", "yes"]);
    assert_eq!(by["by"], "guide");
    assert_eq!(by["arms"][0]["chains"].as_array().unwrap().len(), 4);
    let difference = pairs(&by);
    assert_eq!(
        (difference[0].0.as_str(), difference[0].3),
        ("yes - no", -1.0)
    );

    let within = pairs(&of(&["--by", "guide", "--within", "style"]));
    let said: Vec<(&str, f64)> = within.iter().map(|p| (p.1.as_str(), p.3)).collect();
    assert_eq!(said, [("deep", -1.0), ("flat", -1.0), ("", -1.0)]);
    assert_eq!(within[2].2, "stratified by style over 2 levels");

    // Arms of one level meet each other; over levels no arm meets itself.
    let arms = pairs(&of(&["--within", "style"]));
    let said: Vec<(&str, &str)> = arms.iter().map(|p| (p.0.as_str(), p.1.as_str())).collect();
    assert_eq!(
        said,
        [
            ("deep-guided - deep", "deep"),
            ("flat-guided - flat", "flat")
        ]
    );

    let wrong = repo.evolve(&["compare", "--by", "colour"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("guide, style"), "{}", err(&wrong));
    let wrong = repo.evolve(&["compare", "--within", "task"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", err(&wrong));
}

#[test]
fn few_chains_short_chains_and_no_checkpoints_are_shown_as_what_they_are() {
    let repo = experiment(
        "",
        &[
            ("exp/one/1", &[1, 2, 3]),
            ("exp/three/1", &[1, 2, 3]),
            ("exp/three/2", &[1, 2]),
            ("exp/three/3", &[2, 4, 6]),
            ("exp/unborn/1", &[]),
        ],
    );
    let all = json(&repo, &["-m", "hotspot_cc"]);
    let arms = &all["measures"][0]["arms"];
    assert_eq!(
        words(arms, "verdict"),
        ["one chain", "too few chains", "no slope"]
    );
    assert_eq!(arms[0]["interval"], Value::Null);
    assert!(arms[1]["interval"]["low"].is_number());
    assert_eq!(arms[1]["curve"][2]["chains"], 2);
    let pair = &all["measures"][0]["comparisons"][0];
    assert_eq!(pair["separation"], "no interval");
    assert_eq!(pair["interval"], Value::Null);
    assert_eq!(
        pair["p"].as_f64(),
        Some(pair["p"].as_f64().unwrap()),
        "labels can be dealt"
    );
    assert_eq!(all["left_out"][0]["what"], "exp/unborn/1");
    let remarks = all["remarks"].to_string();
    assert!(remarks.contains("three 3 at 1–2, 2 at 3"), "{remarks}");
    let table = repo.stdout(&["compare", "-m", "hotspot_cc"]);
    assert!(table.lines().all(|l| l.chars().count() <= 80), "{table}");

    let alone = json(&repo, &["three", "-m", "hotspot_cc"]);
    assert_eq!(words(&alone["arms"], "arm"), ["three"]);
    assert_eq!(pairs(&alone).len(), 0);
    let named = json(&repo, &["three", "one", "-m", "hotspot_cc"]);
    assert_eq!(
        words(&named["arms"], "arm"),
        ["three", "one"],
        "the first named is the baseline"
    );
}

#[test]
fn two_experiments_stand_apart_and_one_can_be_named() {
    let repo = experiment(
        "",
        &[
            ("one/a/1", &[1, 2]),
            ("one/b/1", &[1, 3]),
            ("two/a/1", &[1, 2]),
            ("two/c/1", &[1, 4]),
        ],
    );
    let all = json(&repo, &["-m", "hotspot_cc"]);
    assert_eq!(
        words(&all["arms"], "arm"),
        ["one/a", "one/b", "two/a", "two/c"]
    );
    assert_eq!(all["experiments"], serde_json::json!(["one", "two"]));
    let two = json(&repo, &["two", "-m", "hotspot_cc"]);
    assert_eq!(words(&two["arms"], "arm"), ["two/a", "two/c"]);
    let wrong = repo.evolve(&["compare", "tow"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("no such arm: tow"), "{}", err(&wrong));
}

#[test]
fn what_is_not_known_to_have_passed_is_left_out_where_only_that_counts() {
    let repo = experiment("", &[("exp/a/1", &[1, 2]), ("exp/b/1", &[1, 3])]);
    let out_of = repo.evolve(&[
        "compare",
        "-m",
        "hotspot_cc",
        "--attempts",
        "passing",
        "--format",
        "json",
    ]);
    let all: Value = serde_json::from_slice(&out_of.stdout).unwrap();
    assert_eq!(all["attempts"], "passing");
    assert_eq!(all["left_out"].as_array().unwrap().len(), 4);
    assert!(
        all["left_out"][0]["why"]
            .as_str()
            .unwrap()
            .starts_with("outcome unknown: ")
    );
    assert_eq!(all["measures"][0]["arms"][0]["values"], 0);
}

#[test]
fn scores_of_a_part_of_the_chains_say_of_how_many() {
    let repo = experiment(
        &plan(&["name = \"a\"", "name = \"b\""], ""),
        &[
            ("exp/a/1", &[1]),
            ("exp/a/2", &[1]),
            ("exp/b/1", &[1]),
            ("exp/b/2", &[1]),
        ],
    );
    for chain in ["exp/a/1", "exp/b/1", "exp/b/2"] {
        let session = json!({
            "type": "result", "subtype": "success", "is_error": false, "num_turns": 2,
            "result": "ok", "session_id": chain, "total_cost_usd": 0.5,
            "usage": {"input_tokens": 1, "output_tokens": 2},
        });
        repo.write("e.json", session.to_string());
        let at = format!("{chain}@1");
        let attached = repo.evolve(&["attach", &at, "--envelope", "e.json"]);
        assert!(attached.status.success(), "{}", err(&attached));
    }
    for format in ["table", "md"] {
        let shown = repo.evolve(&["compare", "-m", "churn", "--format", format]);
        let shown = out(&shown);
        assert!(
            shown.contains("a over 1 of 2 chains: cost_per_chain"),
            "{shown}"
        );
        assert!(
            shown.contains("a over 1 of 2 checkpoints: cost_per_checkpoint"),
            "{shown}"
        );
        assert!(!shown.contains("b over"), "{shown}");
    }
}

#[test]
fn a_plain_history_has_nothing_to_compare() {
    let repo = small();
    let got = repo.evolve(&["compare"]);
    assert_eq!(got.status.code(), Some(2));
    assert!(err(&got).contains("slope --by author"), "{}", err(&got));
    assert_eq!(out(&got), "");
}
