//! What making a change took, from the capture to the figure.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::checkpoints::{project, refused, well};
use super::err;
use crate::support::Repo;

fn sample(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples");
    folder.join(name).to_string_lossy().into_owned()
}

/// A chain of one checkpoint whose session is this sample, with what is typed beside it.
fn recorded(envelope: &str, more: &[&str]) -> Repo {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1:first"]);
    repo.write("src/A.java", "class A {\n    int a;\n}\n");
    let envelope = sample(&format!("envelopes/{envelope}"));
    let typed: Vec<&str> = ["record", "--envelope", &envelope]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    well(&repo, &typed);
    repo
}

/// The figures of the chain's checkpoint, and the whole document.
fn figures(repo: &Repo, metrics: &str, more: &[&str]) -> (Value, Value) {
    let typed = [
        &[
            "log",
            "--format",
            "json",
            "--chain",
            "exp/arm/1",
            "--metrics",
            metrics,
        ][..],
        more,
    ]
    .concat();
    let out = repo.evolve(&typed);
    let document: Value =
        serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(&out)));
    (document["changes"][0]["metrics"].clone(), document)
}

fn prices() -> String {
    sample("prices.json")
}

#[test]
fn a_session_is_recorded_and_its_figures_come_back() {
    let repo = recorded("claude-result-success.json", &["--wall-ms", "190000"]);
    let metrics = "cost_usd,cost_priced_usd,cost_gap,input_tokens,output_tokens,cache_read_tokens,\
                   cache_creation_tokens,reasoning_tokens,num_turns,attempts,review_cycles,\
                   duration_ms,duration_api_ms,wall_ms,wait_ms,tool_calls,fixed_tokens,\
                   probe_recall";
    let (figures, document) = figures(&repo, metrics, &["--prices", &prices()]);
    for (id, value) in [
        ("cost_usd", 0.737_422_5),
        ("cost_priced_usd", 0.737_422_5),
        ("cost_gap", 0.0),
        ("input_tokens", 42.0),
        ("output_tokens", 6180.0),
        ("cache_read_tokens", 412_300.0),
        ("cache_creation_tokens", 38_650.0),
        ("reasoning_tokens", 2310.0),
        ("num_turns", 14.0),
        ("attempts", 1.0),
        ("review_cycles", 0.0),
        ("duration_ms", 187_450.0),
        ("duration_api_ms", 121_880.0),
        ("wall_ms", 190_000.0),
    ] {
        assert_eq!(
            figures[id]["value"].as_f64(),
            Some(value),
            "{id}: {}",
            figures[id]
        );
    }
    for (id, reason) in [
        ("wait_ms", "the wait before it is not recorded"),
        ("tool_calls", "claude-result does not tell it"),
        (
            "fixed_tokens",
            "no session that does nothing (noop) is recorded of this arm",
        ),
        ("probe_recall", "no probe at this checkpoint"),
    ] {
        assert_eq!(figures[id]["unknown"], reason, "{id}");
    }
    let table = &document["settings"]["prices"];
    assert_eq!(table["date"], "2026-11-30");
    assert_eq!(table["version"], "litellm 1.110.2");
    assert_eq!(table["sha256"].as_str().map(str::len), Some(64));
}

#[test]
fn failed_attempts_are_in_the_sums_and_sessions_for_nothing_are_taken_off() {
    let repo = recorded("claude-result-success.json", &["--waited-ms", "60000"]);
    let failed = sample("envelopes/claude-result-max-turns.json");
    well(
        &repo,
        &[
            "attach",
            "exp/arm/1@0",
            "--for-checkpoint",
            "1",
            "--waited-ms",
            "0",
            "--envelope",
            &failed,
        ],
    );
    let limited = sample("envelopes/claude-result-rate-limited.json");
    well(
        &repo,
        &[
            "attach",
            "exp/arm/1@0",
            "--for-checkpoint",
            "1",
            "--waited-ms",
            "5000",
            "--envelope",
            &limited,
        ],
    );
    let noop = sample("envelopes/amp-stream.jsonl");
    well(
        &repo,
        &[
            "attach",
            "exp/arm/1@0",
            "--for-checkpoint",
            "1",
            "--purpose",
            "noop",
            "--envelope",
            &noop,
        ],
    );
    let metrics = "cost_usd,cost_usd_all,cost_priced_usd_all,num_turns_all,attempts,wait_ms,\
                   wait_ms_all,fixed_tokens,task_tokens,output_tokens_all,reasoning_tokens_all";
    let (figures, _) = figures(&repo, metrics, &["--prices", &prices()]);
    for (id, value) in [
        ("cost_usd", 0.737_422_5),
        ("cost_usd_all", 0.951_022_5),
        ("cost_priced_usd_all", 0.951_022_5),
        ("num_turns_all", 36.0),
        ("attempts", 3.0),
        ("wait_ms", 60_000.0),
        ("wait_ms_all", 65_000.0),
        ("output_tokens_all", 10_280.0),
        ("reasoning_tokens_all", 2310.0),
        ("fixed_tokens", 35_289.0),
        ("task_tokens", 421_883.0),
    ] {
        assert_eq!(
            figures[id]["value"].as_f64(),
            Some(value),
            "{id}: {}",
            figures[id]
        );
    }
}

#[test]
fn sessions_for_nothing_of_the_arm_count_whatever_chain_they_were_run_in() {
    let repo = recorded("claude-result-success.json", &[]);
    repo.git(&["checkout", "-q", "main"]);
    well(&repo, &["begin", "exp/arm/2", "1:first"]);
    let noop = sample("envelopes/amp-stream.jsonl");
    well(
        &repo,
        &[
            "attach",
            "exp/arm/2@0",
            "--for-checkpoint",
            "1",
            "--purpose",
            "noop",
            "--envelope",
            &noop,
        ],
    );
    let (one, _) = figures(&repo, "fixed_tokens,task_tokens", &[]);
    assert_eq!(
        one["fixed_tokens"]["value"].as_f64(),
        Some(35_289.0),
        "{one}"
    );
    assert_eq!(one["task_tokens"]["value"].as_f64(), Some(421_883.0));
}

#[test]
fn a_transcript_gives_calls_reads_and_latencies() {
    let repo = recorded("claude-transcript-current.jsonl", &[]);
    let metrics = "tool_calls,redundant_reads,wrong_turns,step_latency_p50,step_latency_p99,\
                   first_try";
    let (figures, _) = figures(&repo, metrics, &[]);
    assert_eq!(figures["tool_calls"]["value"], 5);
    assert_eq!(figures["redundant_reads"]["value"], 1);
    assert_eq!(figures["wrong_turns"]["value"], 1);
    let p50 = figures["step_latency_p50"]["value"].as_f64().unwrap();
    let p99 = figures["step_latency_p99"]["value"].as_f64().unwrap();
    assert!(0.0 < p50 && p50 < p99, "{figures}");
    let why = figures["first_try"]["unknown"].as_str().unwrap();
    assert!(why.starts_with("whether it passed: "), "{why}");
}

#[test]
fn a_long_prompt_whose_calls_cannot_be_told_apart_is_priced_at_base_rates_and_said() {
    let repo = recorded("gemini-result-success.json", &[]);
    let (figures, _) = figures(&repo, "cost_usd,cost_priced_usd", &["--prices", &prices()]);
    assert_eq!(
        figures["cost_usd"]["unknown"],
        "gemini-result does not tell it"
    );
    assert_eq!(
        figures["cost_priced_usd"]["value"].as_f64(),
        Some(0.163_915)
    );
    let remark = figures["cost_priced_usd"]["remark"].as_str().unwrap();
    assert!(remark.starts_with("at base rates"), "{remark}");
}

#[test]
fn the_model_that_was_asked_for_prices_a_format_that_names_none() {
    let repo = recorded("codex-exec-turns.jsonl", &["--model", "gpt-5.6-terra"]);
    let (priced, _) = figures(&repo, "cost_priced_usd", &["--prices", &prices()]);
    assert!(
        priced["cost_priced_usd"]["value"].as_f64() > Some(0.0),
        "{priced}"
    );
    let repo = recorded("codex-exec-turns.jsonl", &["--model", "terra"]);
    let (priced, _) = figures(&repo, "cost_priced_usd", &["--prices", &prices()]);
    assert_eq!(
        priced["cost_priced_usd"]["unknown"],
        "not in the price table: terra"
    );
}

/// A chain whose base has a table of prices that its configuration names.
fn with_table(content: &str) -> Repo {
    let repo = project();
    repo.write("prices/table.json", content);
    let plan = repo.path().join("evolve.toml");
    let text = std::fs::read_to_string(&plan).unwrap_or_default();
    repo.write(
        "evolve.toml",
        format!("{text}\n[measure]\nprices = 'prices/table.json'\n"),
    );
    repo.commit("prices");
    well(&repo, &["begin", "exp/arm/1", "1:first"]);
    repo.write("src/A.java", "class A {\n    int a;\n}\n");
    let envelope = sample("envelopes/claude-result-success.json");
    well(&repo, &["record", "--envelope", &envelope]);
    repo
}

#[test]
fn a_table_that_the_configuration_names_is_read_from_the_base_and_the_typed_one_wins() {
    let own = r#"{"claude-opus-4-8": {"input_cost_per_token": 0, "output_cost_per_token": 1e-3}}"#;
    let repo = with_table(own);
    // What lies in the work tree now is not what the chain was scored under.
    repo.write("prices/table.json", "{}");
    let (priced, document) = figures(&repo, "cost_priced_usd", &[]);
    assert_eq!(priced["cost_priced_usd"]["value"].as_f64(), Some(6.18));
    assert_eq!(document["settings"]["prices"]["date"], Value::Null);
    let (typed, other) = figures(&repo, "cost_priced_usd", &["--prices", &prices()]);
    assert_eq!(
        typed["cost_priced_usd"]["value"].as_f64(),
        Some(0.737_422_5)
    );
    assert_ne!(document["config"], other["config"]);
    let (_, same) = figures(&repo, "cost_priced_usd", &["--prices", &prices()]);
    assert_eq!(same["config"], other["config"]);
}

#[test]
fn a_relative_table_is_looked_for_in_the_users_folder() {
    let repo = recorded("claude-result-success.json", &[]);
    let below: PathBuf = repo.path().join("src");
    std::fs::copy(prices(), below.join("p.json")).unwrap();
    let typed = [
        "log",
        "--format",
        "csv",
        "--chain",
        "exp/arm/1",
        "--metrics",
        "cost_priced_usd",
        "--prices",
        "p.json",
    ];
    let out = repo.evolve_in(&below, &typed);
    assert!(
        String::from_utf8_lossy(&out.stdout).contains(",0.7374225,"),
        "{}",
        err(&out)
    );
}

#[test]
fn a_table_that_is_none_is_wrong_usage_and_no_table_says_what_to_do() {
    let repo = recorded("claude-result-success.json", &[]);
    let (none, document) = figures(&repo, "cost_priced_usd,cost_usd", &[]);
    let why = none["cost_priced_usd"]["unknown"].as_str().unwrap();
    assert!(
        why.contains("--prices FILE") && why.contains("[measure]"),
        "{why}"
    );
    assert_eq!(document["settings"].get("prices"), None);
    repo.write("bad.json", "[]");
    for (file, said) in [
        ("nowhere.json", "reading the price table"),
        ("bad.json", "no price table"),
    ] {
        let typed = [
            "log",
            "--chain",
            "exp/arm/1",
            "--metrics",
            "cost_priced_usd",
            "--prices",
            file,
        ];
        let words = refused(&repo, 2, &typed);
        assert!(words.contains(said), "{words}");
    }
    let broken = with_table("[]");
    let words = refused(
        &broken,
        2,
        &["log", "--chain", "exp/arm/1", "--metrics", "cost_usd"],
    );
    assert!(
        words.contains("prices/table.json is no price table"),
        "{words}"
    );
}

#[test]
fn a_plain_history_has_no_sessions_and_says_so() {
    let repo = super::small();
    let out = repo.evolve(&["log", "--metrics", "cost_usd", "--format", "json"]);
    assert_eq!(out.status.code(), Some(3));
    let document: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        document["changes"][0]["metrics"]["cost_usd"]["unknown"],
        "only checkpoints of a chain have records"
    );
}
