//! What is wrong with a plan, all of it, each with its place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::source::{Entry, Node, Source, Table, Value, suggestion};
use crate::error::{Error, Result};

/// More are not said: they have one cause.
const SAID: usize = 20;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    at: usize,
    message: String,
    hint: Option<String>,
}

/// A reading under way: where it reads, what it found wrong, and which files are named.
#[derive(Debug)]
pub(super) struct Reading<'s> {
    source: &'s Source,
    /// In the order of the text. A part that is read twice, for two arms, is wrong once.
    problems: BTreeSet<Problem>,
    files: BTreeSet<Named>,
}

/// A file that a plan names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named {
    /// Where.
    pub(super) at: usize,
    /// Its path from the plan's folder.
    pub(super) path: PathBuf,
    /// What it is to be.
    pub(super) what: What,
}

/// What a file that a plan names is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// Words: a file of UTF-8.
    Words,
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Either.
    Either,
}

/// A table whose keys were looked at, and what errors call it.
#[derive(Debug, Clone)]
pub(super) struct Fields<'t> {
    pub(super) table: &'t Table,
    /// `[experiment]`, `[[arms]]`.
    pub(super) title: &'static str,
}

impl<'s> Reading<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        Reading {
            source,
            problems: BTreeSet::new(),
            files: BTreeSet::new(),
        }
    }

    /// Notes a file that the plan names.
    pub(super) fn named(&mut self, at: usize, path: &Path, what: What) {
        self.files.insert(Named {
            at,
            path: path.to_owned(),
            what,
        });
    }

    /// The files that were named; they are asked for once.
    pub(super) fn files(&mut self) -> BTreeSet<Named> {
        std::mem::take(&mut self.files)
    }

    /// Something is wrong at `at`.
    pub(super) fn wrong(&mut self, at: usize, message: impl Into<String>) {
        self.add(at, message.into(), None);
    }

    /// The same, with what to do about it.
    pub(super) fn wrong_so(
        &mut self,
        at: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add(at, message.into(), Some(hint.into()));
    }

    fn add(&mut self, at: usize, message: String, hint: Option<String>) {
        self.problems.insert(Problem { at, message, hint });
    }

    /// The end of a reading.
    ///
    /// # Errors
    /// Usage: what was wrong, a line each, in the order of the text.
    pub(super) fn end(self) -> Result<()> {
        let problems: Vec<&Problem> = self.problems.iter().collect();
        let line = |p: &Problem| format!("{} {}", self.source.at(p.at), p.message);
        match problems.as_slice() {
            [] => Ok(()),
            [one] => {
                let error = Error::usage(line(one));
                Err(match &one.hint {
                    Some(hint) => error.with_hint(hint.clone()),
                    None => error,
                })
            }
            many => {
                let mut lines: Vec<String> = many
                    .iter()
                    .take(SAID)
                    .map(|p| match &p.hint {
                        Some(hint) => format!("{} ({hint})", line(p)),
                        None => line(p),
                    })
                    .collect();
                if many.len() > SAID {
                    lines.push(format!("and {} more", many.len() - SAID));
                }
                Err(Error::usage(lines.join("\n")))
            }
        }
    }

    /// `table` as one that has no other keys than `keys`.
    pub(super) fn open<'t>(
        &mut self,
        table: &'t Table,
        title: &'static str,
        keys: &[&str],
    ) -> Fields<'t> {
        for Entry { key, at, .. } in &table.entries {
            if !keys.contains(&key.as_str()) {
                let (what, place) = match title {
                    "" => ("table", String::new()),
                    title => ("key", format!(" in {title}")),
                };
                let plain = key.replace('-', "_").to_lowercase();
                let hint = suggestion(&plain, keys, &format!("known {what}s"));
                self.wrong_so(*at, format!("unknown {what} '{key}'{place}"), hint);
            }
        }
        Fields { table, title }
    }

    /// A value of another kind than `wanted`.
    pub(super) fn kind(&mut self, at: usize, key: &str, title: &str, wanted: &str) {
        let place = if title.is_empty() {
            String::new()
        } else {
            format!(" in {title}")
        };
        self.wrong(at, format!("{key}{place} must be {wanted}"));
    }
}

impl<'t> Fields<'t> {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'t Node> {
        self.table.get(key)
    }

    /// Where a key's value stands, else where the table does.
    pub(super) fn at(&self, key: &str) -> usize {
        self.get(key).map_or(self.table.at, |n| n.at)
    }

    /// What `read` makes of a key's value; one it makes nothing of must be `wanted`.
    pub(super) fn read<T>(
        &self,
        r: &mut Reading<'_>,
        key: &str,
        wanted: &str,
        read: impl Fn(&Node) -> Option<T>,
    ) -> Option<T> {
        let node = self.get(key)?;
        let value = read(node);
        if value.is_none() {
            r.kind(node.at, key, self.title, wanted);
        }
        value
    }

    /// A string that says something.
    pub(super) fn text(&self, r: &mut Reading<'_>, key: &str) -> Option<String> {
        self.read(r, key, "a string that is not empty", |n| {
            n.as_text()
                .filter(|t| !t.trim().is_empty())
                .map(str::to_owned)
        })
    }

    /// A string or a list of strings.
    pub(super) fn texts(&self, r: &mut Reading<'_>, key: &str) -> Option<Vec<String>> {
        self.read(r, key, "a string or a list of strings", |n| {
            n.as_texts().filter(|all| all.iter().all(|t| !t.is_empty()))
        })
    }

    /// True or false.
    pub(super) fn flag(&self, r: &mut Reading<'_>, key: &str) -> Option<bool> {
        self.read(r, key, "true or false", |n| match n.value {
            Value::Bool(b) => Some(b),
            _ => None,
        })
    }

    /// A whole number in `range`.
    pub(super) fn whole(
        &self,
        r: &mut Reading<'_>,
        key: &str,
        range: std::ops::RangeInclusive<u32>,
    ) -> Option<u32> {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        self.read(r, key, &wanted, |n| match n.value {
            Value::Integer(n) => u32::try_from(n).ok().filter(|n| range.contains(n)),
            _ => None,
        })
    }

    /// A number of dollars above zero.
    pub(super) fn dollars(&self, r: &mut Reading<'_>, key: &str) -> Option<f64> {
        self.read(r, key, "a number of US dollars above 0", |n| {
            number(n).filter(|n| *n > 0.0)
        })
    }

    /// One of the words of `known`.
    pub(super) fn word<T: Copy>(
        &self,
        r: &mut Reading<'_>,
        key: &str,
        known: &[(&str, T)],
    ) -> Option<T> {
        let node = self.get(key)?;
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        let Some(typed) = node.as_text() else {
            let wanted = format!("one of {}", words.join(", "));
            r.kind(node.at, key, self.title, &wanted);
            return None;
        };
        let found = known.iter().find(|(word, _)| *word == typed);
        if found.is_none() {
            let hint = suggestion(typed, &words, "known");
            let message = format!("{key} in {} cannot be '{typed}'", self.title);
            r.wrong_so(node.at, message, hint);
        }
        found.map(|(_, value)| *value)
    }

    /// A table.
    pub(super) fn table(&self, r: &mut Reading<'_>, key: &str) -> Option<&'t Table> {
        let node = self.get(key)?;
        let table = node.as_table();
        if table.is_none() {
            r.kind(node.at, key, self.title, "a table");
        }
        table
    }

    /// A list of tables.
    pub(super) fn tables(&self, r: &mut Reading<'_>, key: &str) -> Vec<&'t Table> {
        let Some(node) = self.get(key) else {
            return Vec::new();
        };
        let Value::List(all) = &node.value else {
            r.kind(node.at, key, self.title, "a list of tables");
            return Vec::new();
        };
        let mut tables = Vec::new();
        for node in all {
            match node.as_table() {
                Some(table) => tables.push(table),
                None => r.kind(node.at, key, self.title, "a list of tables"),
            }
        }
        tables
    }

    /// Strings by name; numbers and truth values are written out.
    pub(super) fn named(
        &self,
        r: &mut Reading<'_>,
        key: &str,
    ) -> std::collections::BTreeMap<String, String> {
        let mut all = std::collections::BTreeMap::new();
        let Some(table) = self.table(r, key) else {
            return all;
        };
        for entry in &table.entries {
            let text = match &entry.value.value {
                Value::Text(text) => text.clone(),
                Value::Integer(n) => n.to_string(),
                Value::Float(n) => n.to_string(),
                Value::Bool(b) => b.to_string(),
                _ => {
                    let at = entry.value.at;
                    r.kind(at, &entry.key, self.title, "a string");
                    continue;
                }
            };
            all.insert(entry.key.clone(), text);
        }
        all
    }
}

/// A number that is one.
pub(super) fn number(node: &Node) -> Option<f64> {
    match node.value {
        // Numbers of a plan are far below 2^53.
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        Value::Integer(n) => Some(n as f64),
        Value::Float(n) if n.is_finite() => Some(n),
        _ => None,
    }
}
