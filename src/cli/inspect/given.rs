//! What a capture would know, read from the files that options name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use serde_json::Value;

use super::read::{no_pipe, reports};
use crate::error::{Error, Result};
use crate::intake;
use crate::record::{PriceTable, RunFacts, TestOutcome, TreeFacts};

/// A larger file of an option is none.
const MAX: u64 = 256 << 20;
/// What is looked at of a console's end, in bytes.
const CONSOLE: u64 = 64 << 10;

fn reading(file: &Path, e: std::io::Error) -> Error {
    Error::usage(format!("reading {}", file.display())).with_source(e)
}

fn whole(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let from = File::open(file).map_err(|e| reading(file, e))?;
    from.take(MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| reading(file, e))?;
    match bytes.len() as u64 > MAX {
        true => Err(Error::usage(format!(
            "{} is larger than 256 MiB",
            file.display()
        ))),
        false => Ok(bytes),
    }
}

/// The end of what a command printed.
///
/// # Errors
/// Usage where the file cannot be read.
pub(super) fn console(file: &Path) -> Result<String> {
    no_pipe(file)?;
    let mut from = File::open(file).map_err(|e| reading(file, e))?;
    let size = from.metadata().map_err(|e| reading(file, e))?.len();
    let start = size.saturating_sub(CONSOLE);
    from.seek(SeekFrom::Start(start))
        .map_err(|e| reading(file, e))?;
    let mut bytes = Vec::new();
    from.take(CONSOLE)
        .read_to_end(&mut bytes)
        .map_err(|e| reading(file, e))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(match start {
        0 => text.into_owned(),
        _ => text
            .split_once('\n')
            .map_or("", |(_, rest)| rest)
            .to_owned(),
    })
}

/// A table of prices.
///
/// # Errors
/// Usage where it is none.
pub(super) fn prices(file: &Path) -> Result<PriceTable> {
    intake::prices::read(&whole(file)?)
        .map_err(|why| Error::usage(format!("{} is no table of prices: {why}", file.display())))
}

/// The files of a tree: a folder, or a file that lists them in any of several ways.
///
/// # Errors
/// Usage where it cannot be read or lists nothing.
pub(super) fn tree(file: &Path) -> Result<TreeFacts> {
    let (mut facts, is_object) = match file.is_dir() {
        true => (folder(file), false),
        false => {
            let bytes = whole(file)?;
            (listed(&bytes), bytes.trim_ascii_start().starts_with(b"{"))
        }
    };
    facts.paths.sort();
    facts.paths.dedup();
    // An object of that form may leave out what is not known.
    match facts.paths.is_empty() && !is_object {
        true => Err(
            Error::usage(format!("{} lists no file", file.display())).with_hint(
                "paths in lines, `git ls-tree -r`, a JSON array, or an object with repo_tree",
            ),
        ),
        false => Ok(facts),
    }
}

fn folder(top: &Path) -> TreeFacts {
    let mut facts = TreeFacts::default();
    for (path, file) in super::read::below(top) {
        if (path == "go.mod" || path.ends_with("/go.mod"))
            && let Ok(bytes) = whole(&file)
        {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            facts.go_mod.insert(path.clone(), text);
        }
        facts.paths.push(path);
    }
    facts
}

fn listed(bytes: &[u8]) -> TreeFacts {
    let strings = |value: &Value| -> Vec<String> {
        let list = value.as_array().into_iter().flatten();
        list.filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(object)) => {
            let texts = object.get("go_mod").and_then(Value::as_object);
            let texts = texts.into_iter().flatten();
            let go_mod: BTreeMap<String, String> = texts
                .filter_map(|(path, text)| Some((path.clone(), text.as_str()?.to_owned())))
                .collect();
            let build_root = object.get("build_root").and_then(Value::as_str);
            TreeFacts {
                paths: object.get("repo_tree").map(strings).unwrap_or_default(),
                go_mod,
                build_root: build_root.map(str::to_owned),
            }
        }
        Ok(list @ Value::Array(_)) => TreeFacts {
            paths: strings(&list),
            ..TreeFacts::default()
        },
        _ => {
            let text = String::from_utf8_lossy(bytes);
            let end = if text.contains('\0') { '\0' } else { '\n' };
            let lines = text.split(end).map(|l| l.trim_end_matches('\r'));
            TreeFacts {
                paths: lines.filter_map(path_in).collect(),
                ..TreeFacts::default()
            }
        }
    }
}

/// The path in a line of a list: all of it, or what stands behind the tab where mode and object
/// come first.
fn path_in(line: &str) -> Option<String> {
    let path = match line.split_once('\t') {
        Some((head, path)) if head.starts_with(|c: char| c.is_ascii_digit()) => path,
        _ => line,
    };
    let path = path.strip_prefix("./").unwrap_or(path);
    (!path.is_empty()).then(|| path.to_owned())
}

/// The ids of tests that passed: from a report, a folder of reports, JSON of this command or of
/// its form, a JSON array, or lines.
///
/// # Errors
/// Usage where it cannot be read or names none.
pub(super) fn previous(file: &Path) -> Result<BTreeSet<String>> {
    let none = || {
        Error::usage(format!("{} names no test that passed", file.display()))
            .with_hint("a report, a list of ids in lines, a JSON array, or JSON of inspect")
    };
    let found = match file.is_dir() {
        true => None,
        false => {
            no_pipe(file)?;
            named(&whole(file)?)
        }
    };
    let found = match found {
        Some(found) => found,
        None => {
            let map = reports(&super::read::files_of(file)?, &RunFacts::default())?;
            let passed = map
                .counted()
                .filter(|(_, t)| t.outcome == TestOutcome::Passed);
            let passed: BTreeSet<String> = passed.map(|(id, _)| id.to_owned()).collect();
            if passed.is_empty() && map.format.is_none() && !file.is_dir() {
                let bytes = whole(file)?;
                let text = String::from_utf8_lossy(&bytes);
                let ids = text.lines().map(str::trim).filter(|l| l.contains("::"));
                ids.map(str::to_owned).collect()
            } else {
                passed
            }
        }
    };
    match found.is_empty() {
        true => Err(none()),
        false => Ok(found),
    }
}

/// The ids in JSON of a form that is known; `None` for what may be a report.
fn named(bytes: &[u8]) -> Option<BTreeSet<String>> {
    let passed = |test: &Value| test["outcome"].as_str().is_none_or(|o| o == "passed");
    match serde_json::from_slice(bytes).ok()? {
        Value::Array(list) => {
            let ids = list.iter().filter_map(|v| v.as_str().map(str::to_owned));
            let ids: BTreeSet<String> = ids.collect();
            (!ids.is_empty()).then_some(ids)
        }
        Value::Object(object) => {
            let ids: BTreeSet<String> = match object.get("tests")? {
                Value::Array(tests) => tests
                    .iter()
                    .filter(|t| passed(t) && t["container"].as_bool() != Some(true))
                    .filter_map(|t| Some(t.get("id")?.as_str()?.to_owned()))
                    .collect(),
                Value::Object(tests) => {
                    let tests = tests.iter().filter(|(_, t)| passed(t));
                    tests.map(|(id, _)| id.clone()).collect()
                }
                _ => return None,
            };
            (!ids.is_empty()).then_some(ids)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_read_however_they_are_listed() {
        for text in [
            "a/b.py\nc.go\n",
            "./a/b.py\r\nc.go",
            "a/b.py\0c.go\0",
            "100644 blob 1234567890\ta/b.py\n100644 blob 1234567890\tc.go\n",
            "100644 1234 0\ta/b.py\x00100644 1234 0\tc.go\0",
            r#"["a/b.py","c.go"]"#,
            r#"{"repo_tree":["a/b.py","c.go"],"files":{}}"#,
        ] {
            let facts = listed(text.as_bytes());
            assert_eq!(facts.paths, ["a/b.py", "c.go"], "{text}");
        }
        let whole =
            r#"{"repo_tree":["go.mod"],"build_root":"/b","go_mod":{"go.mod":"module m\n"}}"#;
        let facts = listed(whole.as_bytes());
        assert_eq!(facts.build_root.as_deref(), Some("/b"));
        assert_eq!(facts.go_mod["go.mod"], "module m\n");
    }

    #[test]
    fn ids_are_read_out_of_json_of_several_forms() {
        for text in [
            r#"["a::b","c::d"]"#,
            r#"{"tests":[{"id":"a::b","outcome":"passed"},{"id":"c::d"},{"id":"x::y","outcome":"failed"}]}"#,
            r#"{"tests":{"a::b":{"outcome":"passed"},"c::d":{}}}"#,
        ] {
            let ids = named(text.as_bytes()).expect("ids");
            assert_eq!(
                ids.into_iter().collect::<Vec<_>>(),
                ["a::b", "c::d"],
                "{text}"
            );
        }
        assert_eq!(named(br#"{"tests":[{"nodeid":"a.py::b"}]}"#), None);
        assert_eq!(named(b"<testsuite/>"), None);
    }
}
