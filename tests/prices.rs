//! Every sample of an envelope or transcript, read and priced by the sample of a price table; and
//! its signals.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use git_evolve::intake::{envelope, prices};
use git_evolve::measure::pricing::{self, PRICE_STEP_UNKNOWN};
use git_evolve::measure::signals;
use git_evolve::record::{Opened, PriceTable, Reading, Session, Usd};
use serde_json::{Value, json};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples")
}

fn table() -> PriceTable {
    let bytes = std::fs::read(samples().join("prices.json")).expect("the sample of a table");
    prices::read(&bytes).expect("a table")
}

/// Every sample that is a session: its name, what is read, what is expected.
fn sessions() -> Vec<(String, Session, Value)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(samples().join("envelopes")).expect("samples") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let Some(stem) = name.strip_suffix(".expected.json") else {
            continue;
        };
        let expected = std::fs::read(&path).expect("readable");
        let expected: Value = serde_json::from_slice(&expected).expect("JSON");
        let data = ["json", "jsonl"].map(|e| path.with_file_name(format!("{stem}.{e}")));
        let data = data.iter().find(|p| p.exists()).expect("the sample itself");
        let bytes = std::fs::read(data).expect("readable");
        let mut files = [Opened {
            path: "x".to_owned(),
            modified: None,
            bytes: Box::new(Cursor::new(bytes)),
        }];
        if let Reading::Read(session) = envelope::read(&mut files) {
            found.push((stem.to_owned(), session, expected));
        }
    }
    assert!(found.len() >= 28, "{} sessions", found.len());
    found
}

#[test]
fn every_sample_costs_what_it_says() {
    let table = table();
    for (name, session, expected) in sessions() {
        let priced = pricing::price(&session, None, &table);
        let wanted = expected["priced_usd"].as_number();
        let wanted = wanted.map(|n| Usd::parse(&n.to_string()).expect("an amount"));
        assert_eq!(priced.usd, wanted, "{name}: {:?}", priced.reason);
        assert_eq!(priced.usd.is_none(), priced.reason.is_some(), "{name}");
        let models: BTreeSet<String> =
            serde_json::from_value(expected["unpriced_models"].clone()).expect("names");
        assert_eq!(priced.unpriced_models, models, "{name}");
        let codes = expected["warnings"].as_array().expect("codes");
        assert_eq!(
            priced.warnings.contains(PRICE_STEP_UNKNOWN),
            codes.contains(&json!(PRICE_STEP_UNKNOWN)),
            "{name}"
        );
    }
}

#[test]
fn every_sample_with_times_gives_its_signals() {
    let mut seen = 0;
    for (name, session, expected) in sessions() {
        let Some(expected) = expected.get("signals") else {
            continue;
        };
        let found = signals::signals(session.transcript.as_ref().expect("a transcript"));
        let found = json!({
            "redundant_reads": found.redundant_reads,
            "wrong_turns": found.wrong_turns,
            "model_step_ms": found.model_step_ms,
            "tool_ms": found.tool_ms,
        });
        assert_eq!(&found, expected, "{name}");
        seen += 1;
    }
    assert!(seen >= 3);
}
