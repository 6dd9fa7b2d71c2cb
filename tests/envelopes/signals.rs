//! The samples' signals, computed here from a reduced transcript as records hold it, so that what
//! it leaves out would show.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};

fn millis(event: &Value) -> Option<i64> {
    let at: Timestamp = event.get("at")?.as_str()?.parse().ok()?;
    Some(at.as_millisecond())
}

#[derive(Default)]
struct Thread {
    wrote: Option<i64>,
    failing: bool,
    read: BTreeSet<(String, Option<i64>, Option<i64>)>,
}

pub(super) fn of(transcript: &Value) -> Value {
    let events = transcript["events"].as_array().expect("events");
    let mut threads: BTreeMap<u64, Thread> = BTreeMap::new();
    let mut calls: BTreeMap<&str, &Value> = BTreeMap::new();
    let (mut redundant, mut wrong) = (0, 0);
    let (mut steps, mut tools) = (Vec::new(), Vec::new());
    for event in events {
        let of = threads
            .entry(event["thread"].as_u64().unwrap())
            .or_default();
        match event["did"].as_str().unwrap() {
            "input" => of.wrote = millis(event).or(of.wrote),
            "answer" => {
                if let (Some(at), Some(before)) = (millis(event), of.wrote) {
                    steps.push(at - before);
                }
            }
            "call" => {
                calls.insert(event["id"].as_str().unwrap(), event);
            }
            "result" => {
                of.wrote = millis(event).or(of.wrote);
                let ok = event["ok"].as_bool().unwrap();
                wrong += i32::from(!ok && !of.failing);
                of.failing = !ok;
                let call = calls[event["id"].as_str().unwrap()];
                tools.push(millis(event).unwrap() - millis(call).unwrap());
                let path = call["path"].as_str().unwrap_or_default().to_owned();
                match call["does"].as_str().unwrap() {
                    "read" if ok => {
                        let range = (path, call["offset"].as_i64(), call["limit"].as_i64());
                        redundant += i32::from(!of.read.insert(range));
                    }
                    "write" if ok => of.read.retain(|(read, ..)| *read != path),
                    _ => {}
                }
            }
            other => panic!("{other}"),
        }
    }
    json!({"redundant_reads": redundant, "wrong_turns": wrong, "model_step_ms": steps,
        "tool_ms": tools})
}
