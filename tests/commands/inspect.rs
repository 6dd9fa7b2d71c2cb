//! `git evolve inspect`: what a file is, and what is read out of it, anywhere.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use super::{err, out};
use crate::support::Repo;

fn samples(path: &str) -> String {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples");
    top.join(path).to_str().unwrap().to_owned()
}

/// A folder that is in no repository.
struct Elsewhere {
    repo: Repo,
    folder: PathBuf,
}

impl Elsewhere {
    fn new() -> Elsewhere {
        let repo = Repo::new();
        let folder = repo.around().join("elsewhere");
        std::fs::create_dir_all(&folder).unwrap();
        Elsewhere { repo, folder }
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }

    fn inspect(&self, words: &[&str]) -> Output {
        let all = [&["inspect"][..], words].concat();
        self.repo.evolve_in(&self.folder, &all)
    }

    fn json(&self, words: &[&str]) -> Value {
        let o = self.inspect(&[words, &["--format", "json"]].concat());
        serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(&o)))
    }
}

#[test]
fn one_file_is_one_object_under_any_name_and_needs_no_repository() {
    let here = Elsewhere::new();
    std::fs::copy(
        samples("envelopes/claude-transcript-sidechain.jsonl"),
        here.folder.join("q7.tmp"),
    )
    .unwrap();
    let prices = samples("prices.json");
    let read = here.json(&["q7.tmp", "--prices", &prices]);
    assert_eq!(read["schema"], 1);
    assert_eq!(
        (&read["format"], &read["kind"]),
        (&"claude-transcript".into(), &"envelope".into())
    );
    let usd = read["priced_usd"].as_f64().unwrap();
    assert!((usd - 0.031_079).abs() < 1e-9, "{usd}");
    assert_eq!(read["signals"]["wrong_turns"], 0);
    assert!(read.get("transcript").is_none());
    let read = here.json(&["q7.tmp", "--events"]);
    assert!(read["transcript"]["events"].as_array().unwrap().len() > 5);
    assert_eq!(
        (&read["priced_usd"], &read["unpriced_models"]),
        (&Value::Null, &serde_json::json!([]))
    );
    assert!(!here.folder.join(".git").exists());
}

#[test]
fn what_is_not_known_says_so_and_exits_with_three() {
    let here = Elsewhere::new();
    here.write("odd", "{\"a\":1}\n");
    here.write("blank", " \n");
    here.write(
        "good.xml",
        "<testsuite><testcase classname=\"a\" name=\"b\"/></testsuite>",
    );
    for (file, error) in [("odd", "unrecognised"), ("blank", "empty")] {
        let o = here.inspect(&[file, "--format", "json"]);
        assert_eq!(o.status.code(), Some(3), "{file}");
        let read: Value = serde_json::from_slice(&o.stdout).unwrap();
        assert_eq!(read["error"], error);
        assert!(read["format"].is_null() && read["agent"].is_null());
    }
    let o = here.inspect(&["gone.json"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(
        err(&o).contains("gone.json") && o.stdout.is_empty(),
        "{}",
        err(&o)
    );
    // Several are an array; one that is known is enough, but for --strict.
    let both = here.json(&["odd", "good.xml"]);
    assert_eq!(both.as_array().unwrap().len(), 2);
    assert_eq!(both[1]["tests"][0]["id"], "a::b");
    assert_eq!(here.inspect(&["odd", "good.xml"]).status.code(), Some(0));
    assert_eq!(
        here.inspect(&["odd", "good.xml", "--strict"]).status.code(),
        Some(3)
    );
    let o = here.inspect(&["odd", "good.xml", "--format", "jsonl"]);
    assert_eq!(out(&o).lines().count(), 2);
}

#[test]
fn a_folder_is_one_run_and_the_options_say_what_a_capture_knows() {
    let here = Elsewhere::new();
    let folder = samples("test-reports/surefire-crashed-fork");
    let read = here.json(&[
        &folder,
        "--exit-code",
        "0",
        "--console",
        &format!("{folder}/console.txt"),
    ]);
    assert_eq!(read["validity"], "invalid");
    assert_eq!(
        read["reasons"],
        serde_json::json!(["forked-vm-crash", "class-started-not-finished"])
    );
    assert_eq!(
        read["files"].as_array().unwrap().len(),
        1,
        "the console is no report"
    );
    let two = samples("test-reports/surefire-multi-module");
    let read = here.json(&[&two]);
    assert_eq!(read["tests"][0]["module"], "api");
    // Stale reports, by the time they were written.
    here.write(
        "r/old.xml",
        "<testsuite><testcase classname=\"a\" name=\"b\"/></testsuite>",
    );
    here.write(
        "r/new.xml",
        "<testsuite><testcase classname=\"c\" name=\"d\"/></testsuite>",
    );
    let old = std::fs::File::options()
        .write(true)
        .open(here.folder.join("r/old.xml"))
        .unwrap();
    let moment = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    old.set_modified(moment).unwrap();
    for started in ["2025-01-01T00:00:00Z", "1735689600"] {
        let read = here.json(&["r", "--started", started]);
        let ids: Vec<&Value> = read["tests"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| &t["id"])
            .collect();
        assert_eq!(ids, ["c::d"], "{started}");
        assert_eq!(
            read["warnings"],
            serde_json::json!(["stale-report-ignored"])
        );
    }
    // Files by name are one run only together.
    let apart = here.json(&["r/old.xml", "r/new.xml"]);
    assert_eq!(apart.as_array().unwrap().len(), 2);
    let together = here.json(&["r/old.xml", "r/new.xml", "--together"]);
    assert_eq!(together["counts"]["total"], 2);
    // Nothing but what is known of the run.
    std::fs::create_dir(here.folder.join("nothing")).unwrap();
    let read = here.json(&["nothing", "--exit-code", "0"]);
    assert_eq!(read["reasons"], serde_json::json!(["no-reports"]));
    assert_eq!(here.inspect(&["nothing"]).status.code(), Some(3));
}

#[test]
fn the_last_run_and_the_tree_are_read_from_files_of_several_forms() {
    let here = Elsewhere::new();
    let suite = |class: &str| {
        format!(
            "<testsuite name=\"s\" tests=\"1\"><testcase classname=\"{class}\" name=\"t\"/></testsuite>"
        )
    };
    here.write("before.xml", suite("shop.FeeTest"));
    here.write("now.xml", suite("shop.TaxTest"));
    here.write(
        "tree.txt",
        "src/test/java/shop/FeeTest.java\nsrc/test/java/shop/TaxTest.java\n",
    );
    let read = here.json(&["before.xml"]);
    here.write("before.json", read.to_string());
    here.write("before.txt", "shop.FeeTest::t\n");
    for before in ["before.xml", "before.json", "before.txt"] {
        let read = here.json(&["now.xml", "--previous", before, "--tree", "tree.txt"]);
        assert_eq!(
            read["reasons"],
            serde_json::json!(["classes-missing"]),
            "{before}"
        );
    }
    let lcov = samples("coverage/lcov-per-test.info");
    let tree = samples("coverage/lcov-per-test.expected.json");
    let read = here.json(&[&lcov, "--tree", &tree]);
    assert_eq!(
        read["files"]["a.c"]["covered"],
        serde_json::json!([1, 2, 3])
    );
    assert_eq!(read["per_test"]["one"]["a.c"], serde_json::json!([2, 3]));
    assert_eq!(read["totals"]["executable"], 3);
    let o = here.inspect(&[&lcov]);
    assert!(
        o.status.success() && err(&o).contains("--tree FILE maps them"),
        "{}",
        err(&o)
    );
    let o = here.inspect(&["now.xml", "--previous", &lcov]);
    assert_eq!(o.status.code(), Some(2), "{}", err(&o));
    let o = here.inspect(&["now.xml", "--prices", "now.xml"]);
    assert_eq!(o.status.code(), Some(2), "{}", err(&o));
}

#[test]
fn a_table_explains_warnings_and_why_a_run_is_no_verdict() {
    let here = Elsewhere::new();
    here.write(
        "cut.xml",
        "<testsuite><testcase classname=\"a\" name=\"b\"/><testcase cl",
    );
    let o = here.inspect(&["cut.xml"]);
    let text = out(&o);
    for words in [
        "invalid: no verdict, left out of every figure",
        "Why it is no verdict",
        "a report is cut off or cannot be read",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    let session = samples("envelopes/claude-stream-truncated.jsonl");
    let text = out(&here.inspect(&[&session]));
    assert!(text.contains("the last line is torn"), "{text}");
    assert!(text.contains("claude-stream, of claude-code"), "{text}");
    let text = out(&here.inspect(&[&samples("envelopes/aider-analytics.jsonl")]));
    assert!(text.contains("$0.06879\n"), "{text}");
    let csv = out(&here.inspect(&[&samples("test-reports/pytest-mix.xml"), "--format", "csv"]));
    assert!(
        csv.starts_with("outcome,id,time,flaky,container\n"),
        "{csv}"
    );
    assert!(csv.lines().count() > 10);
}
