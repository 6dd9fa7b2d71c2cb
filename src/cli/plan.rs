//! What `evolve.toml` says of tests: `[[checkpoints]]`, which of them each has and may change.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::json;

use crate::error::{Error, Result};
use crate::history::evidence::{Category, PlannedCheckpoint, TestPlan};
use crate::plan::no_pattern;
use crate::plan::source::{Node, Source, Table, Value, nearest, suggestion};
use crate::record::is_part;

/// One of `[[checkpoints]]`, as far as tests go. Its other keys are not looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Planned {
    /// Its id.
    pub id: Option<String>,
    /// What it may change: numbers and ids of checkpoints, patterns of test ids.
    pub mutates: Vec<Mutated>,
    /// Patterns of its tests, by category.
    pub tests: Vec<(String, String)>,
}

/// One thing that a checkpoint may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mutated {
    /// The tests of a checkpoint.
    Checkpoint(u32),
    /// The tests that match a pattern.
    Tests(String),
}

/// What `[[checkpoints]]` say; `None` where there are none.
///
/// # Errors
/// A usage error with its place for a value of another kind, a category that is none, a pattern
/// that is none, an id twice.
pub(super) fn planned(source: &Source, plan: &Table) -> Result<Option<Vec<Planned>>> {
    plan.get("checkpoints")
        .map(|node| list(source, node))
        .transpose()
}

/// The same of each task that has its own.
///
/// # Errors
/// As [`planned`].
pub(super) fn of_tasks(source: &Source, plan: &Table) -> Result<BTreeMap<String, Vec<Planned>>> {
    let mut own = BTreeMap::new();
    for task in named(plan, "tasks") {
        if let (name, Some(node)) = (task.0, task.1.get("checkpoints")) {
            own.insert(name, list(source, node)?);
        }
    }
    Ok(own)
}

/// The entry handlers of arms that have their own.
pub(super) fn entries(plan: &Table) -> BTreeMap<String, String> {
    named(plan, "arms")
        .filter_map(|(name, arm)| Some((name, arm.get("entry")?.as_text()?.to_owned())))
        .collect()
}

/// The tables of a list that have a name. The others are wrong, and that is not said here: of a
/// base's plan only what figures depend on is looked at.
fn named<'p>(plan: &'p Table, key: &str) -> impl Iterator<Item = (String, &'p Table)> {
    let all = match plan.get(key).map(|n| &n.value) {
        Some(Value::List(all)) => all.as_slice(),
        _ => &[],
    };
    all.iter().filter_map(|node| {
        let table = node.as_table()?;
        Some((table.get("name")?.as_text()?.to_owned(), table))
    })
}

fn list(source: &Source, node: &Node) -> Result<Vec<Planned>> {
    let wanted = |at| source.wrong(at, "checkpoints must be a list of tables");
    let Value::List(all) = &node.value else {
        return Err(wanted(node.at));
    };
    let tables = all
        .iter()
        .map(|n| n.as_table().ok_or_else(|| wanted(n.at)))
        .collect::<Result<Vec<&Table>>>()?;
    let mut planned: Vec<Planned> = Vec::new();
    for table in &tables {
        let id = match table.get("id") {
            None => None,
            Some(node) => match node.as_text().filter(|id| is_part(id)) {
                Some(id) if planned.iter().any(|p| p.id.as_deref() == Some(id)) => {
                    return Err(source.wrong(node.at, format!("a second checkpoint '{id}'")));
                }
                Some(id) => Some(id.to_owned()),
                None => {
                    let message = "id in [[checkpoints]] must be of lower-case letters, digits \
                                   and '-'";
                    return Err(source.wrong(node.at, message));
                }
            },
        };
        planned.push(Planned {
            id,
            ..Planned::default()
        });
    }
    let ids: Vec<Option<String>> = planned.iter().map(|p| p.id.clone()).collect();
    for (table, planned) in tables.iter().zip(&mut planned) {
        if let Some(node) = table.get("mutates") {
            planned.mutates = mutates(node, &source.at(node.at), &ids)?;
        }
        let Some(node) = table.get("tests") else {
            continue;
        };
        let Some(tests) = node.as_table() else {
            let message = "tests in [[checkpoints]] must be a table of patterns by category";
            return Err(source.wrong(node.at, message));
        };
        for entry in &tests.entries {
            let category = category(&entry.key, &source.at(entry.at))?;
            let at = source.at(entry.value.at);
            for pattern in patterns(&entry.value, &at, "tests in [[checkpoints]]")? {
                planned.tests.push((category.to_owned(), pattern));
            }
        }
    }
    Ok(planned)
}

fn category(key: &str, at: &str) -> Result<&'static str> {
    let known = Category::ALL.map(Category::word);
    let plain = key.to_ascii_lowercase();
    if let Some(word) = known.iter().find(|k| **k == plain) {
        return Ok(word);
    }
    let error = Error::usage(format!("{at} unknown category '{key}' of tests"));
    Err(error.with_hint(suggestion(&plain, &known, "categories")))
}

/// One pattern or a list of them, each a regular expression.
fn patterns(value: &Node, at: &str, key: &str) -> Result<Vec<String>> {
    let all = value.as_texts().ok_or_else(|| {
        Error::usage(format!(
            "{at} {key} must be a pattern or a list of patterns"
        ))
    })?;
    for pattern in &all {
        compiled(pattern, at)?;
    }
    Ok(all)
}

/// The regular expression of a pattern; `at` is where it stands.
pub(super) fn compiled(pattern: &str, at: &str) -> Result<Regex> {
    Regex::new(pattern).map_err(|e| Error::usage(format!("{at} {}", no_pattern(pattern, &e))))
}

fn mutates(value: &Node, at: &str, ids: &[Option<String>]) -> Result<Vec<Mutated>> {
    let wanted = || {
        Error::usage(format!(
            "{at} mutates in [[checkpoints]] must be a list of checkpoint numbers, checkpoint \
             ids and patterns of tests"
        ))
    };
    let Value::List(all) = &value.value else {
        return Err(wanted());
    };
    let mut mutated = Vec::new();
    for one in all {
        mutated.push(match &one.value {
            Value::Integer(n) => match u32::try_from(*n) {
                Ok(n) if n > 0 => Mutated::Checkpoint(n),
                _ => {
                    return Err(Error::usage(format!(
                        "{at} mutates names checkpoint {n}: numbers begin with 1"
                    )));
                }
            },
            Value::Text(word) => mutated_by(word, at, ids)?,
            _ => return Err(wanted()),
        });
    }
    Ok(mutated)
}

/// The checkpoint of that id, else a pattern; a word that is nearly an id is neither.
fn mutated_by(word: &str, at: &str, ids: &[Option<String>]) -> Result<Mutated> {
    let place = ids.iter().position(|id| id.as_deref() == Some(word));
    if let Some(number) = place.and_then(|at| u32::try_from(at + 1).ok()) {
        return Ok(Mutated::Checkpoint(number));
    }
    let known: Vec<&str> = ids.iter().flatten().map(String::as_str).collect();
    if is_part(word)
        && let Some(near) = nearest(word, &known)
    {
        return Err(Error::usage(format!(
            "{at} mutates names no checkpoint of the plan: '{word}'"
        ))
        .with_hint(format!(
            "did you mean '{near}'? A pattern can be written ({word})"
        )));
    }
    compiled(word, at)?;
    Ok(Mutated::Tests(word.to_owned()))
}

/// The patterns that are common to all checkpoints: each has a group that says something.
pub(super) fn common(value: &Node) -> std::result::Result<Vec<String>, &'static str> {
    const WANTED: &str = "a regular expression with a group named checkpoint or category, or a \
                          list of such";
    let all = value.as_texts().ok_or(WANTED)?;
    let tells = |pattern: &String| {
        Regex::new(pattern).is_ok_and(|p| {
            let mut names = p.capture_names().flatten();
            names.any(|name| name == "checkpoint" || name == "category")
        })
    };
    match all.iter().all(tells) {
        true => Ok(all),
        false => Err(WANTED),
    }
}

/// The plan of these settings.
///
/// # Errors
/// A usage error for a pattern that is none.
pub(super) fn test_plan(common: &[String], checkpoints: &[Planned]) -> Result<TestPlan> {
    let mut plan = TestPlan::default();
    for pattern in common {
        plan.patterns.push(compiled(pattern, "test_patterns:")?);
    }
    for (number, planned) in (1..).zip(checkpoints) {
        let mut checkpoint = PlannedCheckpoint {
            number,
            id: planned.id.clone().unwrap_or_default(),
            ..PlannedCheckpoint::default()
        };
        for (category, pattern) in &planned.tests {
            let pattern = compiled(pattern, "tests in [[checkpoints]]:")?;
            checkpoint.tests.push((category.clone(), pattern));
        }
        for mutated in &planned.mutates {
            match mutated {
                Mutated::Checkpoint(other) => checkpoint.mutates.push(*other),
                Mutated::Tests(pattern) => checkpoint
                    .mutates_tests
                    .push(compiled(pattern, "mutates in [[checkpoints]]:")?),
            }
        }
        plan.checkpoints.push(checkpoint);
    }
    Ok(plan)
}

/// The checkpoints that say something of tests, for the header of a document and its digest.
pub(super) fn shown(checkpoints: &[Planned]) -> Vec<serde_json::Value> {
    let says = |p: &Planned| !p.mutates.is_empty() || !p.tests.is_empty();
    let numbered = (1_u32..).zip(checkpoints).filter(|(_, p)| says(p));
    numbered
        .map(|(number, planned)| {
            let mutates = planned.mutates.iter().map(|m| match m {
                Mutated::Checkpoint(n) => json!(n),
                Mutated::Tests(pattern) => json!(pattern),
            });
            let mut tests: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for (category, pattern) in &planned.tests {
                tests.entry(category).or_default().push(pattern);
            }
            json!({
                "number": number,
                "mutates": mutates.collect::<Vec<_>>(),
                "tests": tests,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::cli::config::Layer;

    use super::*;

    fn read(text: &str) -> Result<Vec<Planned>> {
        let layer = Layer::read(text, "f")?.expect("a plan");
        Ok(layer.checkpoints.expect("checkpoints"))
    }

    #[test]
    fn a_plan_is_read_from_the_file_and_from_the_note_made_of_it() {
        let text = "[measure]\ntest_patterns = ['Cp(?P<checkpoint>\\d+)']\n[[checkpoints]]\nid = 'one'\nprompt = 'x'\n[[checkpoints]]\nid = 'two'\nmutates = [1, 'one', '::legacy']\ntests = { core = ['^a'], error = '^b' }\n";
        let planned = read(text).expect("well formed");
        assert_eq!(
            planned[1],
            Planned {
                id: Some("two".to_owned()),
                mutates: vec![
                    Mutated::Checkpoint(1),
                    Mutated::Checkpoint(1),
                    Mutated::Tests("::legacy".to_owned())
                ],
                tests: vec![
                    ("core".to_owned(), "^a".to_owned()),
                    ("error".to_owned(), "^b".to_owned())
                ],
            }
        );
        let masker = crate::record::mask::Masker::general();
        let note = crate::record::snapshot_of(text, &masker).expect("a plan");
        assert_eq!(
            Layer::read_json(&note, "n").expect("well formed"),
            Layer::read(text, "n").expect("well formed")
        );
        let plan = test_plan(&[], &planned).expect("patterns");
        assert_eq!(
            (plan.checkpoints[1].number, &plan.checkpoints[1].id[..]),
            (2, "two")
        );
        assert_eq!(shown(&planned).len(), 1, "the first says nothing of tests");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place_and_the_nearest_name() {
        for (text, said, hint) in [
            (
                "[[checkpoints]]\nid = 'add-owner'\n[[checkpoints]]\nmutates = ['ad-owner']\n",
                "f:4:11: mutates names no checkpoint of the plan: 'ad-owner'",
                Some("did you mean 'add-owner'? A pattern can be written (ad-owner)"),
            ),
            (
                "[[checkpoints]]\nmutates = 2\n",
                "f:2:11: mutates in [[checkpoints]] must be a list of checkpoint numbers, \
                 checkpoint ids and patterns of tests",
                None,
            ),
            (
                "[[checkpoints]]\nmutates = [0]\n",
                "f:2:11: mutates names checkpoint 0: numbers begin with 1",
                None,
            ),
            (
                "[[checkpoints]]\ntests = { cor = ['x'] }\n",
                "f:2:11: unknown category 'cor' of tests",
                Some("did you mean 'core'?"),
            ),
            (
                "[[checkpoints]]\ntests = { core = 1 }\n",
                "f:2:18: tests in [[checkpoints]] must be a pattern or a list of patterns",
                None,
            ),
            (
                "[[checkpoints]]\ntests = { core = '(' }\n",
                "f:2:18: no regular expression: '(': unclosed group",
                None,
            ),
            (
                "[[checkpoints]]\nid = 'A b'\n",
                "f:2:6: id in [[checkpoints]] must be of lower-case letters, digits and '-'",
                None,
            ),
            (
                "[[checkpoints]]\nid = 'a'\n[[checkpoints]]\nid = 'a'\n",
                "f:4:6: a second checkpoint 'a'",
                None,
            ),
            (
                "[measure]\ntest_patterns = ['plain']\n",
                "f:2:17: test_patterns in [measure] must be a regular expression with a group \
                 named checkpoint or category, or a list of such",
                None,
            ),
            (
                "[measure]\ntest_paterns = ['x']\n",
                "f:2:1: unknown key 'test_paterns' in [measure]",
                Some("did you mean 'test_patterns'?"),
            ),
        ] {
            let error = Layer::read(text, "f").expect_err("wrong");
            assert_eq!(error.to_string(), said);
            assert_eq!(error.hint(), hint, "{text}");
            assert_eq!(error.kind(), crate::Kind::Usage);
        }
        let error = Layer::read("checkpoints = 3\n", "f").expect_err("wrong");
        assert!(error.to_string().starts_with("f:1:"), "{error}");
    }
}
