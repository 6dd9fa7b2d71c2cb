//! What was read as JSON, with the field names of records.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::read::{Inspected, Telling, Was};
use crate::record::{CoverageMap, FileCoverage, LineSet, TestMap};
use crate::report::in_order;

/// The object of one file or folder.
pub(super) fn object(inspected: &Inspected) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("file".to_owned(), inspected.file.as_str().into());
    let rest = match &inspected.was {
        Was::Session(telling) => session(telling),
        Was::Tests(map) => tests(map),
        Was::Coverage(map) => coverage(map),
        Was::Ignored(what) => {
            json!({"kind": null, "format": null, "agent": null, "error": "unrecognised", "known_as": what})
        }
        Was::Unrecognised => {
            json!({"kind": null, "format": null, "agent": null, "error": "unrecognised"})
        }
        Was::Empty => json!({"kind": null, "format": null, "agent": null, "error": "empty"}),
        Was::Unreadable(format, why) => {
            json!({"kind": null, "format": format, "agent": null, "error": "unreadable", "why": why})
        }
    };
    if let Value::Object(rest) = rest {
        object.extend(rest);
    }
    object
}

fn value(part: &impl Serialize) -> Value {
    // Plain data whose keys are text.
    serde_json::to_value(part).unwrap_or(Value::Null)
}

fn session(telling: &Telling) -> Value {
    let mut object = value(&telling.session);
    let priced = telling.priced.as_ref();
    object["kind"] = "envelope".into();
    object["priced_usd"] = value(&priced.and_then(|p| Some(p.usd?.number())));
    object["unpriced_models"] = value(
        &priced
            .map(|p| &p.unpriced_models)
            .unwrap_or(&Default::default()),
    );
    if let Some(priced) = priced {
        object["priced_why"] = value(&priced.reason);
        if let Some(warnings) = object["warnings"].as_array_mut() {
            for code in &priced.warnings {
                if !warnings.iter().any(|w| w == code) {
                    warnings.push((*code).into());
                }
            }
            warnings.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        }
    }
    if let Some(signals) = &telling.signals {
        object["signals"] = json!({
            "redundant_reads": signals.redundant_reads,
            "wrong_turns": signals.wrong_turns,
            "model_step_ms": signals.model_step_ms,
            "tool_ms": signals.tool_ms,
        });
    }
    object
}

fn tests(map: &TestMap) -> Value {
    let list = map.tests.iter().map(|(id, test)| {
        let mut test = value(test);
        test["id"] = id.as_str().into();
        test
    });
    let list: Vec<Value> = list.collect();
    let mut object = json!({
        "kind": "tests",
        "format": map.format,
        "validity": map.validity,
        "reasons": in_order(&map.reasons),
        "warnings": map.warnings,
        "counts": map.counts(),
        "problems": map.problems,
        "files": map.files,
    });
    // Moved in: the macro would copy what may be most of what is in memory.
    object["tests"] = Value::Array(list);
    object
}

fn lines(set: &LineSet) -> Value {
    set.iter().collect::<Vec<u32>>().into()
}

fn by_file<'m>(sets: impl IntoIterator<Item = (&'m String, &'m LineSet)>) -> Value {
    let sets = sets.into_iter();
    Value::Object(sets.map(|(path, set)| (path.clone(), lines(set))).collect())
}

fn file(coverage: &FileCoverage) -> Value {
    let mut object = json!({
        "covered": lines(&coverage.covered),
        "missed": lines(&coverage.missed),
        "partial": lines(&coverage.partial),
    });
    if let Some(branches) = &coverage.branches {
        object["branches"] = value(branches);
    }
    if !coverage.excluded.is_empty() {
        object["excluded"] = lines(&coverage.excluded);
    }
    object
}

fn coverage(map: &CoverageMap) -> Value {
    let files = map.files.iter().map(|(path, f)| (path.clone(), file(f)));
    // Paths below something first, then absolute ones.
    let mut unmapped: Vec<&String> = map.unmapped.iter().collect();
    unmapped.sort_by_key(|path| (path.starts_with('/'), *path));
    let mut object = json!({
        "kind": "coverage",
        "format": map.format,
        "totals": map.totals(),
        "unmapped": unmapped,
        "warnings": map.warnings,
    });
    object["files"] = Value::Object(files.collect());
    if let Some(per_test) = &map.per_test {
        let tests = per_test
            .iter()
            .map(|(id, files)| (id.clone(), by_file(files)));
        object["per_test"] = Value::Object(tests.collect());
    }
    if let Some(import_only) = &map.import_only {
        object["import_only"] = by_file(import_only);
    }
    let excluded: Vec<_> = map
        .files
        .iter()
        .filter(|(_, f)| !f.excluded.is_empty())
        .collect();
    if !excluded.is_empty() {
        object["excluded"] = by_file(excluded.into_iter().map(|(path, f)| (path, &f.excluded)));
    }
    object
}
