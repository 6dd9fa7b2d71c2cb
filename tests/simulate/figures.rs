//! Figures of a large experiment against what was done in it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::Repo;
use crate::support::large::{GateKind, Size, make};

fn small() -> Size {
    Size {
        chains: 2,
        checkpoints: 9,
        tests: 40,
        files: 6,
        calls: 6,
        ..Size::default()
    }
}

#[test]
fn what_is_measured_is_what_was_done() {
    let around = Repo::new();
    let dir = around.around().join("large");
    let chains = make(&dir, &small());
    assert_eq!(chains.len(), 4);
    let ids = "existing_fns_modified,fns_added,net_cc,cost_usd,output_tokens,regressions,\
               strict_pass,strict_pass_rate";
    let mut seen = std::collections::BTreeSet::new();
    for chain in &chains {
        let branch = format!("evolve/{}", chain.path);
        let args = ["log", &branch, "--metrics", ids, "--format", "jsonl"];
        let out = around.evolve_in(&dir, &args);
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{said}");
        let rows: Vec<Value> = String::from_utf8_lossy(&out.stdout)
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
            .filter(|row| !row["checkpoint"].is_null())
            .collect();
        let by: BTreeMap<u64, &Value> = rows
            .iter()
            .map(|row| (row["checkpoint"].as_u64().expect("a number"), row))
            .collect();
        assert_eq!(by.len(), chain.checkpoints.len(), "{}", chain.path);
        for (at, done) in chain.checkpoints.iter().enumerate() {
            let what = format!("{} at {}", chain.path, at + 1);
            let metrics = &by[&(at as u64 + 1)]["metrics"];
            let value = |id: &str| metrics[id]["value"].as_f64();
            let known = |n: f64| Some(n);
            assert_eq!(
                value("existing_fns_modified"),
                known(done.modified as f64),
                "{what}"
            );
            assert_eq!(value("fns_added"), known(done.added as f64), "{what}");
            assert_eq!(value("net_cc"), known(done.net_cc as f64), "{what}");
            assert_eq!(
                value("cost_usd"),
                known(done.cost_micros as f64 / 1e6),
                "{what}"
            );
            assert_eq!(
                value("output_tokens"),
                known(done.output_tokens as f64),
                "{what}"
            );
            seen.insert(format!("{:?}", done.gate));
            match done.gate {
                GateKind::Valid => {
                    let rate = done.passed as f64 / done.ran as f64;
                    assert_eq!(value("strict_pass_rate"), known(rate), "{what}");
                    assert_eq!(
                        value("regressions"),
                        known(done.regressions as f64),
                        "{what}"
                    );
                }
                GateKind::Broken => assert_eq!(value("strict_pass"), known(0.0), "{what}"),
                GateKind::Invalid => assert_eq!(value("regressions"), None, "{what}"),
            }
        }
    }
    assert!(seen.len() > 1, "every gate is valid: {seen:?}");
}
