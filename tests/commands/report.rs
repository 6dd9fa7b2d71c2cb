//! `report`: the page, the comment, the document, and the files beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::{err, out, small};
use crate::support::Repo;
use crate::support::html::{Element, read};
use crate::support::large::{Size, make};

/// An experiment of two arms with six chains of five checkpoints, gates and sessions.
static EXPERIMENT: LazyLock<(Repo, PathBuf)> = LazyLock::new(|| {
    let around = Repo::new();
    let dir = around.around().join("experiment");
    std::fs::create_dir_all(&dir).unwrap();
    let size = Size {
        chains: 6,
        checkpoints: 5,
        tests: 12,
        files: 4,
        calls: 4,
        ..Size::default()
    };
    make(&dir, &size);
    (around, dir)
});

fn said(args: &[&str]) -> String {
    let (around, dir) = &*EXPERIMENT;
    let o = around.evolve_in(dir, args);
    assert!(o.status.success(), "{}", err(&o));
    out(&o)
}

static PAGE: LazyLock<String> = LazyLock::new(|| said(&["report"]));

fn page() -> Element {
    read(&PAGE)
}

/// Rows of comma-separated values without quotes that matter here.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let fields = line.split(',').map(str::to_owned);
        head.iter().map(|h| (*h).to_owned()).zip(fields).collect()
    };
    lines.map(row).collect()
}

#[test]
fn every_value_of_the_page_is_that_of_the_log() {
    let csv = said(&["log", "--metrics", "all", "--format", "csv"]);
    let mut expected = BTreeMap::new();
    for row in rows(&csv) {
        let value = match row["state"].as_str() {
            "known" => row["value"].clone(),
            "undefined" => "–".to_owned(),
            _ => "?".to_owned(),
        };
        let chain = format!("{}/{}/{}", row["experiment"], row["arm"], row["chain"]);
        let key = (row["metric"].clone(), row["language"].clone());
        expected.insert((key, chain, row["checkpoint"].clone()), value);
    }
    let page = page();
    let mut compared = 0;
    let tables = page.named("table");
    let values = tables.iter().filter(|t| t.get("class") == Some("values"));
    for table in values {
        let key = (
            table.get("data-metric").unwrap().to_owned(),
            table.get("data-language").unwrap().to_owned(),
        );
        let head = table.named("thead")[0].named("th");
        let columns: Vec<&str> = head.iter().skip(1).map(|c| c.text.trim()).collect();
        for row in table.named("tbody").iter().flat_map(|b| b.named("tr")) {
            let chain = row.named("th")[0].text.trim().to_owned();
            for (cell, column) in row.named("td").iter().zip(&columns) {
                let marks: String = cell.named("sup").iter().map(|s| s.text.as_str()).collect();
                let shown = cell.text.trim().strip_suffix(&marks).unwrap();
                let at = (key.clone(), chain.clone(), (*column).to_owned());
                assert_eq!(Some(shown), expected.get(&at).map(String::as_str), "{at:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 2_000, "{compared}");
}

#[test]
fn the_page_needs_and_loads_nothing() {
    let page = page();
    let all = page.all();
    for element in &all {
        for (name, value) in &element.attributes {
            assert!(!name.starts_with("on"), "{name} on {}", element.name);
            let loads = [
                "src",
                "srcset",
                "data",
                "action",
                "poster",
                "background",
                "style",
            ];
            assert!(!loads.contains(&name.as_str()), "{name}={value}");
            if name == "href" {
                assert!(value.starts_with('#'), "{value}");
            }
        }
        let forbidden = [
            "link", "iframe", "object", "embed", "base", "form", "img", "use",
        ];
        assert!(
            !forbidden.contains(&element.name.as_str()),
            "{}",
            element.name
        );
    }
    let policy = all
        .iter()
        .find(|e| e.get("http-equiv") == Some("Content-Security-Policy"));
    let policy = policy.unwrap().get("content").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    let style = &page.named("style")[0].text;
    assert!(!style.contains("url(") && !style.contains("@import"));
    assert_eq!(page.named("script").len(), 1);
    assert_eq!(page.named("style").len(), 1);
}

#[test]
fn ids_are_there_once_and_jumps_lead_somewhere() {
    let page = page();
    let all = page.all();
    let ids: Vec<&str> = all.iter().filter_map(|e| e.get("id")).collect();
    let once: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), once.len());
    let points = |e: &&Element| e.get("href").map(|h| h.trim_start_matches('#').to_owned());
    for to in all.iter().filter_map(points) {
        assert!(once.contains(to.as_str()), "{to}");
    }
    for name in ["aria-labelledby", "aria-describedby", "for"] {
        for to in all.iter().filter_map(|e| e.get(name)) {
            assert!(to.split(' ').all(|id| once.contains(id)), "{name} {to}");
        }
    }
}

#[test]
fn tables_and_figures_have_names_and_the_order_is_that_of_the_manual() {
    let page = page();
    for table in page.named("table") {
        let of_row = |t: &Element| t.named("th").iter().all(|h| h.get("scope").is_some());
        assert_eq!(table.named("caption").len(), 1, "{:?}", table.get("id"));
        assert!(of_row(table), "{:?}", table.get("id"));
    }
    let drawings = page.named("svg");
    assert!(drawings.len() > 20, "{}", drawings.len());
    for svg in drawings {
        assert_eq!(svg.get("role"), Some("img"));
        assert_eq!(svg.children[0].name, "title");
        assert!(
            svg.children
                .iter()
                .any(|c| c.name == "desc" && !c.text.is_empty())
        );
    }
    let sections = page.named("section");
    let order: Vec<&str> = sections.iter().filter_map(|s| s.get("id")).collect();
    let expected = [
        "run",
        "hypothesis",
        "headlines",
        "glance",
        "quality",
        "changes",
        "code",
        "tests",
        "cost",
        "secondary",
        "heat",
        "regressions",
        "controls",
        "provenance",
        "unknown",
        "not-measured",
        "definitions",
    ];
    let without_differences: Vec<&str> = order
        .iter()
        .copied()
        .filter(|s| *s != "differences")
        .collect();
    assert_eq!(without_differences, expected);
    assert!(page.named("html")[0].get("lang").is_some());
    assert_eq!(page.named("main").len(), 1);
    assert_eq!(page.named("h1").len(), 1);
}

#[test]
fn every_drawing_can_be_read_on_a_telephone() {
    let page = page();
    let width = |svg: &Element| -> f64 {
        let of = svg.get("viewBox").and_then(|b| b.split(' ').nth(2));
        of.and_then(|w| w.parse().ok()).expect("a width")
    };
    let all = page.all();
    let regions = all.iter().filter(|e| e.get("role") == Some("region"));
    let moved: BTreeSet<String> = regions
        .flat_map(|r| r.named("figure"))
        .filter_map(|f| f.get("id").map(str::to_owned))
        .collect();
    let mut broad = 0;
    for figure in page.named("figure") {
        let id = figure.get("id").unwrap();
        let drawn = figure.named("svg");
        let narrowest = drawn.iter().map(|s| width(s)).fold(f64::INFINITY, f64::min);
        // One that is drawn once is drawn for it, or keeps its size and is moved.
        assert!(narrowest <= 480.0 || moved.contains(id), "{id} {narrowest}");
        broad += usize::from(drawn.len() == 2);
    }
    assert!(broad >= 1 && moved.contains("heat-figure"), "{moved:?}");
}

#[test]
fn the_same_bytes_come_from_every_place_and_number_of_threads() {
    let (around, dir) = &*EXPERIMENT;
    let one = around.evolve_in(
        around.around(),
        &["-C", dir.to_str().unwrap(), "report", "--threads", "1"],
    );
    assert!(one.status.success(), "{}", err(&one));
    assert_eq!(out(&one), *PAGE);
    let clone = around.around().join("clone");
    let cloned = around
        .command("git", around.around())
        .args([
            "clone",
            "-q",
            dir.to_str().unwrap(),
            clone.to_str().unwrap(),
        ])
        .output()
        .unwrap();
    assert!(cloned.status.success(), "{}", err(&cloned));
    let file = around.around().join("clone.html");
    let there = around.evolve_in(&clone, &["report", "-o", file.to_str().unwrap()]);
    assert!(there.status.success(), "{}", err(&there));
    assert_eq!(out(&there), "");
    assert_eq!(std::fs::read_to_string(file).unwrap(), *PAGE);
    let named = dir.file_name().unwrap().to_str().unwrap();
    assert!(
        !PAGE.contains(&format!("/{named}")),
        "a path is in the page"
    );
}

#[test]
fn a_comment_fits_and_says_what_is_not_in_it() {
    let md = said(&["report", "--format", "md"]);
    assert!(md.chars().count() <= 65_536);
    assert!(
        md.contains("## Hypothesis") && md.contains("## Headlines"),
        "{md}"
    );
    assert!(md.contains("Not in this comment"), "{md}");
    assert!(!md.contains("<svg") && !md.contains("<script"));
}

#[test]
fn the_document_holds_the_study_and_what_came_of_it() {
    let json = said(&["report", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["experiments"][0], "shop");
    assert_eq!(json["attempts"], "all");
    assert_eq!(json["other_attempts"]["attempts"], "passing");
    let standing = json["hypothesis"]["standing"].as_str().unwrap();
    assert!(["supported", "falsified", "undecided"].contains(&standing));
    let first = &json["headlines"][0];
    assert_eq!(first["metric"], "existing_fns_modified");
    assert!(first["sentence"].as_str().unwrap().ends_with('.'));
    assert!(json["regressions"][0]["commit"].as_str().unwrap().len() == 40);
    assert!(json["measures"].as_array().unwrap().len() > 30);
}

#[test]
fn the_data_and_the_figures_stand_in_files_beside_it() {
    let (around, dir) = &*EXPERIMENT;
    let to = |name: &str| around.around().join(name);
    let (data, figures) = (to("data"), to("figures"));
    let text = |p: &Path| p.to_str().unwrap().to_owned();
    let o = around.evolve_in(
        dir,
        &[
            "report",
            "--metrics",
            "churn,reedit_rate,regressions",
            "--data",
            &text(&data),
            "--figures",
            &text(&figures),
        ],
    );
    assert!(o.status.success(), "{}", err(&o));
    let csv = |name: &str| std::fs::read_to_string(data.join(name)).unwrap();
    let log = said(&[
        "log",
        "--metrics",
        "churn,reedit_rate,regressions",
        "--format",
        "csv",
    ]);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&csv("values.csv")), sorted(&log));
    let curves = rows(&csv("curves.csv"));
    assert_eq!(curves.len(), 2 * 3 * 5);
    assert_eq!(rows(&csv("comparisons.csv")).len(), 3);
    // Passed and failed of a test are as many as the chains that it ran in.
    let tests = rows(&csv("tests.csv"));
    let counts = |k: &str| {
        tests
            .iter()
            .map(|r| r[k].parse::<u32>().unwrap())
            .sum::<u32>()
    };
    assert!(counts("passed") > counts("failed"), "{tests:?}");
    for row in &tests {
        let of: u32 = ["passed", "failed", "skipped"]
            .iter()
            .map(|k| row[*k].parse::<u32>().unwrap())
            .sum();
        assert!((1..=6).contains(&of), "{row:?}");
    }
    for name in ["churn.svg", "reedit_rate.svg", "forest.svg", "tests.svg"] {
        let svg = std::fs::read_to_string(figures.join(name)).unwrap();
        assert!(svg.starts_with("<?xml"), "{name}");
        assert!(!svg.contains("href") && !svg.contains("<script"), "{name}");
    }
}

#[test]
fn commits_are_linked_where_an_address_is_given_and_nowhere_else() {
    let page = read(&said(&[
        "report",
        "--metrics",
        "regressions",
        "--commit-url",
        "https://example.org/c/{commit}",
    ]));
    let links: Vec<&str> = page
        .named("a")
        .iter()
        .filter_map(|a| a.get("href"))
        .filter(|h| !h.starts_with('#'))
        .collect();
    assert!(links.len() > 12, "{}", links.len());
    for link in links {
        let commit = link.strip_prefix("https://example.org/c/").unwrap();
        assert!(commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()));
    }
    let (around, dir) = &*EXPERIMENT;
    for wrong in ["javascript:alert({commit})", "https://example.org/c/"] {
        let o = around.evolve_in(dir, &["report", "--commit-url", wrong]);
        assert_eq!(o.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn arms_are_chosen_and_wrong_words_are_refused() {
    let json = said(&["report", "parted", "--format", "json", "--metrics", "churn"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["arms"].as_array().unwrap().len(), 1);
    assert_eq!(json["headlines"].as_array().unwrap().len(), 0);
    let page = said(&["report", "parted", "--metrics", "churn"]);
    assert!(page.contains("One arm alone"), "nothing to compare it with");
    let (around, dir) = &*EXPERIMENT;
    for wrong in [
        &["report", "nobody"][..],
        &["report", "--metrics", "nothing"],
    ] {
        assert_eq!(
            around.evolve_in(dir, wrong).status.code(),
            Some(2),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_repository_without_chains_is_told_what_there_is() {
    let o = small().evolve(&["report"]);
    assert_eq!(o.status.code(), Some(2), "{}", err(&o));
    assert!(err(&o).contains("git evolve slope"), "{}", err(&o));
}

#[test]
fn few_chains_are_never_claimed_of() {
    let around = Repo::new();
    let dir = around.around().join("few");
    std::fs::create_dir_all(&dir).unwrap();
    let size = Size {
        chains: 3,
        checkpoints: 4,
        tests: 8,
        files: 3,
        calls: 3,
        ..Size::default()
    };
    make(&dir, &size);
    let o = around.evolve_in(&dir, &["report", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out(&o)).unwrap();
    for headline in json["headlines"].as_array().unwrap() {
        assert_eq!(headline["says"], "too few chains", "{headline}");
        assert!(
            headline["sentence"]
                .as_str()
                .unwrap()
                .contains("too few chains")
        );
    }
    assert_eq!(json["hypothesis"]["standing"], "undecided");
    let html = out(&around.evolve_in(&dir, &["report"]));
    assert!(html.contains("Too few chains"), "{}", html.len());
}

#[test]
fn a_deciding_measure_that_was_not_measured_decides_nothing() {
    let text = said(&["report", "-m", "churn", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["hypothesis"]["standing"], "undecided");
    let findings = json["hypothesis"]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0]["metric"], "existing_fns_modified");
    let why = findings[0]["why"].as_str().unwrap();
    assert!(why.contains("not measured here"), "{why}");
}
