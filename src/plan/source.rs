//! TOML with the place of everything in it, and the same of a configuration note in JSON: the
//! one layer below all that reads `evolve.toml`.

use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, Result};

/// A text and what errors call it.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    /// The text and where its lines begin; `None`: a note, in which nobody looks for a line.
    text: Option<(String, Vec<usize>)>,
}

/// A table: its entries in the order of the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Where it begins: its header, or its brace.
    pub at: usize,
    /// Its keys and values.
    pub entries: Vec<Entry>,
}

/// A key, its place, and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key begins.
    pub at: usize,
    /// The value.
    pub value: Node,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it begins: a byte offset, for [`Source::at`].
    pub at: usize,
    /// The value.
    pub value: Value,
}

/// A value of either form.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A whole number of 64 bits.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(Table),
    /// A time, a whole number of more bits, nothing: no key takes one.
    Other,
}

impl Source {
    /// The place of a byte offset, with a colon behind it: `evolve.toml:3:7:`, of a note
    /// `configuration 1234abc:`. Columns count characters, from 1.
    pub fn at(&self, offset: usize) -> String {
        let Some((text, starts)) = &self.text else {
            return format!("{}:", self.name);
        };
        let offset = offset.min(text.len());
        let line = starts.partition_point(|start| *start <= offset);
        let start = starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = &text.as_bytes()[start..offset];
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        format!("{}:{line}:{column}:", self.name)
    }

    /// A wrong value or key at an offset.
    pub fn wrong(&self, offset: usize, message: impl std::fmt::Display) -> Error {
        Error::usage(format!("{} {message}", self.at(offset)))
    }

    pub(super) fn of_text(text: &str, name: &str) -> Source {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(i, _)| i + 1));
        Source {
            name: name.to_owned(),
            text: Some((text.to_owned(), starts.collect())),
        }
    }
}

impl Table {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.value)
    }

    /// This table with the entries of `upper` in it, tables of both key by key: what an arm
    /// overrides. A text that `upper` says in another way (`x` or `x_text`) is one text.
    #[must_use]
    pub fn overridden(&self, upper: &Table) -> Table {
        let mut merged = self.clone();
        merged.at = upper.at;
        for entry in &upper.entries {
            let twin = match entry.key.strip_suffix("_text") {
                Some(file) => file.to_owned(),
                None => format!("{}_text", entry.key),
            };
            merged.entries.retain(|e| e.key != twin);
            let below = merged.entries.iter_mut().find(|e| e.key == entry.key);
            match (below, &entry.value.value) {
                (Some(below), Value::Table(upper)) => {
                    let value = match &below.value.value {
                        Value::Table(lower) => lower.overridden(upper),
                        _ => upper.clone(),
                    };
                    below.at = entry.at;
                    below.value = Node {
                        at: entry.value.at,
                        value: Value::Table(value),
                    };
                }
                (Some(below), _) => below.clone_from(entry),
                (None, _) => merged.entries.push(entry.clone()),
            }
        }
        merged
    }
}

impl Node {
    /// The string, where it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The table, where it is one.
    pub fn as_table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The one string, or the strings of a list; `None` where it is neither.
    pub fn as_texts(&self) -> Option<Vec<String>> {
        match &self.value {
            Value::Text(one) => Some(vec![one.clone()]),
            Value::List(many) => many
                .iter()
                .map(|n| n.as_text().map(str::to_owned))
                .collect(),
            _ => None,
        }
    }
}

/// Reads TOML; `name` is what errors call it.
///
/// # Errors
/// Usage with line and column for what is no TOML.
pub fn read_toml(text: &str, name: &str) -> Result<(Source, Table)> {
    let source = Source::of_text(text, name);
    match DeTable::parse(text) {
        Ok(table) => {
            let at = table.span().start;
            Ok((source, table_of(table.get_ref(), at)))
        }
        Err(e) => Err(no_toml(text, name, &e)),
    }
}

/// What is said of a text that is no TOML.
pub fn no_toml(text: &str, name: &str, error: &toml::de::Error) -> Error {
    let said = error.message().trim().replace('\n', " ");
    match error.span() {
        Some(span) => Source::of_text(text, name).wrong(span.start, said),
        None => Error::usage(format!("{name}: {said}")),
    }
}

/// Reads a configuration note; `name` is what errors call it.
///
/// # Errors
/// Usage for what is no JSON object.
pub fn read_json(bytes: &[u8], name: &str) -> Result<(Source, Table)> {
    let note: Json =
        serde_json::from_slice(bytes).map_err(|e| Error::usage(format!("{name}: {e}")))?;
    match json_of(note) {
        Value::Table(table) => {
            let name = name.to_owned();
            Ok((Source { name, text: None }, table))
        }
        _ => Err(Error::usage(format!("{name}: no object"))),
    }
}

fn table_of(table: &DeTable<'_>, at: usize) -> Table {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().clone().into_owned(),
            at: key.span().start,
            value: node_of(value),
        })
        .collect();
    entries.sort_by_key(|e| (e.at, e.value.at));
    Table { at, entries }
}

fn node_of(value: &Spanned<DeValue<'_>>) -> Node {
    let at = value.span().start;
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.clone().into_owned()),
        DeValue::Integer(n) => {
            i64::from_str_radix(n.as_str(), n.radix()).map_or(Value::Other, Value::Integer)
        }
        DeValue::Float(n) => n.as_str().parse().map_or(Value::Other, Value::Float),
        DeValue::Boolean(b) => Value::Bool(*b),
        DeValue::Datetime(_) => Value::Other,
        DeValue::Array(all) => Value::List(all.iter().map(node_of).collect()),
        DeValue::Table(table) => Value::Table(table_of(table, at)),
    };
    Node { at, value }
}

fn json_of(value: Json) -> Value {
    let node = |value| Node {
        at: 0,
        value: json_of(value),
    };
    match value {
        Json::Null => Value::Other,
        Json::Bool(b) => Value::Bool(b),
        Json::Number(n) => match (n.as_i64(), n.as_f64()) {
            (Some(n), _) => Value::Integer(n),
            (None, Some(n)) if !n.is_nan() && n.fract() != 0.0 => Value::Float(n),
            _ => Value::Other,
        },
        Json::String(text) => Value::Text(text),
        Json::Array(all) => Value::List(all.into_iter().map(node).collect()),
        Json::Object(all) => Value::Table(Table {
            at: 0,
            entries: all
                .into_iter()
                .map(|(key, value)| Entry {
                    key,
                    at: 0,
                    value: node(value),
                })
                .collect(),
        }),
    }
}

/// The word that `typed` was most likely meant to be, where one is near.
pub fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let far = typed.chars().count().div_ceil(3).max(1);
    known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(typed, k), *k))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}

/// What to do about a word that is none of `known`: the nearest, else all of them, which are
/// called `what`.
pub fn suggestion(typed: &str, known: &[&str], what: &str) -> String {
    match nearest(typed, known) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("{what}: {}", known.join(", ")),
    }
}
