//! What `evolve.toml` says of tests: `[[checkpoints]]`, which of them each has and may change.

use std::collections::BTreeMap;

use regex::Regex;
use serde::Deserialize;
use serde_json::json;
use toml::{Spanned, Value};

use super::config::nearest;
use crate::error::{Error, Result};
use crate::history::evidence::{Category, PlannedCheckpoint, TestPlan};
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

/// `[[checkpoints]]` in TOML.
#[derive(Deserialize)]
pub(super) struct Table {
    id: Option<Spanned<Value>>,
    mutates: Option<Spanned<Value>>,
    tests: Option<Spanned<BTreeMap<Spanned<String>, Spanned<Value>>>>,
}

/// The same in a configuration note.
#[derive(Deserialize)]
pub(super) struct Note {
    id: Option<Value>,
    mutates: Option<Value>,
    tests: Option<BTreeMap<String, Value>>,
}

/// A value and what errors call its place.
type Placed = (Value, String);

/// What either form holds.
struct Raw {
    id: Option<Placed>,
    mutates: Option<Placed>,
    tests: Vec<(Placed, Placed)>,
}

/// What stands in the TOML file; `at` gives the place of an offset.
///
/// # Errors
/// A usage error with its place for a value of another kind, a category that is none, a pattern
/// that is none, an id twice.
pub(super) fn of_tables(tables: Vec<Table>, at: impl Fn(usize) -> String) -> Result<Vec<Planned>> {
    let placed = |v: Spanned<Value>| {
        let place = at(v.span().start);
        (v.into_inner(), place)
    };
    let raw = tables.into_iter().map(|table| Raw {
        id: table.id.map(placed),
        mutates: table.mutates.map(placed),
        tests: table
            .tests
            .into_iter()
            .flat_map(Spanned::into_inner)
            .map(|(key, value)| {
                let place = at(key.span().start);
                ((Value::String(key.into_inner()), place), placed(value))
            })
            .collect(),
    });
    read(raw.collect())
}

/// What stands in a configuration note; `at` is what errors call it.
///
/// # Errors
/// As [`of_tables`].
pub(super) fn of_notes(notes: Vec<Note>, at: &str) -> Result<Vec<Planned>> {
    let placed = |v: Value| (v, at.to_owned());
    let raw = notes.into_iter().map(|note| Raw {
        id: note.id.map(placed),
        mutates: note.mutates.map(placed),
        tests: note
            .tests
            .into_iter()
            .flatten()
            .map(|(key, value)| (placed(Value::String(key)), placed(value)))
            .collect(),
    });
    read(raw.collect())
}

fn read(all: Vec<Raw>) -> Result<Vec<Planned>> {
    let mut planned: Vec<Planned> = Vec::new();
    for raw in &all {
        let id = match &raw.id {
            None => None,
            Some((Value::String(id), _)) if is_part(id) => Some(id.clone()),
            Some((_, at)) => {
                return Err(Error::usage(format!(
                    "{at} id in [[checkpoints]] must be of lower-case letters, digits and '-'"
                )));
            }
        };
        if let Some((id, (_, at))) = id.as_ref().zip(raw.id.as_ref())
            && planned.iter().any(|p| p.id.as_ref() == Some(id))
        {
            return Err(Error::usage(format!("{at} a second checkpoint '{id}'")));
        }
        planned.push(Planned {
            id,
            ..Planned::default()
        });
    }
    let ids: Vec<Option<String>> = planned.iter().map(|p| p.id.clone()).collect();
    for (raw, planned) in all.iter().zip(&mut planned) {
        if let Some((value, at)) = &raw.mutates {
            planned.mutates = mutates(value, at, &ids)?;
        }
        for ((key, key_at), (value, at)) in &raw.tests {
            let key = key.as_str().unwrap_or_default();
            let category = category(key, key_at)?;
            for pattern in patterns(value, at, "tests in [[checkpoints]]")? {
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
    Err(match nearest(&plain, &known) {
        Some(near) => error.with_hint(format!("did you mean '{near}'?")),
        None => error.with_hint(format!("categories: {}", known.join(", "))),
    })
}

/// One pattern or a list of them, each a regular expression.
fn patterns(value: &Value, at: &str, key: &str) -> Result<Vec<String>> {
    let wanted = || {
        Error::usage(format!(
            "{at} {key} must be a pattern or a list of patterns"
        ))
    };
    let all: Vec<&str> = match value {
        Value::String(one) => vec![one],
        Value::Array(many) => many
            .iter()
            .map(|p| p.as_str().ok_or_else(wanted))
            .collect::<Result<_>>()?,
        _ => return Err(wanted()),
    };
    for pattern in &all {
        compiled(pattern, at)?;
    }
    Ok(all.into_iter().map(str::to_owned).collect())
}

/// The regular expression of a pattern; `at` is where it stands.
pub(super) fn compiled(pattern: &str, at: &str) -> Result<Regex> {
    Regex::new(pattern).map_err(|e| {
        let words = e.to_string();
        let last = words.lines().last().unwrap_or("").trim();
        let last = last.strip_prefix("error: ").unwrap_or(last);
        Error::usage(format!("{at} no regular expression: '{pattern}': {last}"))
    })
}

fn mutates(value: &Value, at: &str, ids: &[Option<String>]) -> Result<Vec<Mutated>> {
    let wanted = || {
        Error::usage(format!(
            "{at} mutates in [[checkpoints]] must be a list of checkpoint numbers, checkpoint \
             ids and patterns of tests"
        ))
    };
    let Value::Array(all) = value else {
        return Err(wanted());
    };
    let mut mutated = Vec::new();
    for one in all {
        mutated.push(match one {
            Value::Integer(n) => match u32::try_from(*n) {
                Ok(n) if n > 0 => Mutated::Checkpoint(n),
                _ => {
                    return Err(Error::usage(format!(
                        "{at} mutates names checkpoint {n}: numbers begin with 1"
                    )));
                }
            },
            Value::String(word) => named(word, at, ids)?,
            _ => return Err(wanted()),
        });
    }
    Ok(mutated)
}

/// The checkpoint of that id, else a pattern; a word that is nearly an id is neither.
fn named(word: &str, at: &str, ids: &[Option<String>]) -> Result<Mutated> {
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
pub(super) fn common(value: &Value) -> std::result::Result<Vec<String>, &'static str> {
    const WANTED: &str = "a regular expression with a group named checkpoint or category, or a \
                          list of such";
    let all = match value {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many
            .iter()
            .map(|p| p.as_str().ok_or(WANTED))
            .collect::<std::result::Result<_, _>>()?,
        _ => return Err(WANTED),
    };
    let tells = |pattern: &&str| {
        Regex::new(pattern).is_ok_and(|p| {
            let mut names = p.capture_names().flatten();
            names.any(|name| name == "checkpoint" || name == "category")
        })
    };
    match all.iter().all(tells) {
        true => Ok(all.into_iter().map(str::to_owned).collect()),
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
