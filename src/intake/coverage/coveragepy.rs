//! The `json` report of coverage.py.
//!
//! Lines are first lines of statements, but for contexts, which name every line that ran. Before
//! 7.13.1 the executed lines have docstrings and excluded lines in them, too.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, Visitor};

use super::Unreadable;
use super::contexts;
use super::draft::Draft;
use super::file::{LAST_LINE, line_number};
use super::lax::{Piece, Pieces};
use super::lines::Lines;
use crate::intake::tame::Tame;
use crate::record::{LineSet, Source};

/// Reads a whole report.
pub(super) fn read(source: &mut dyn Source, draft: &mut Draft) -> Result<(), Unreadable> {
    let text = Tame::new(BufReader::new(Lines::new(source)?));
    let mut text = BufReader::new(text);
    let mut reader = serde_json::Deserializer::from_reader(&mut text);
    let mut too_many = None;
    let report = Report {
        draft,
        too_many: &mut too_many,
    };
    let read = reader.deserialize_map(report).and_then(|()| reader.end());
    if let Some(too_many) = too_many {
        return Err(too_many);
    }
    let Err(error) = read else { return Ok(()) };
    // A number that stops in the middle is malformed, too.
    let ended = error.is_eof() || error.is_syntax() && text.fill_buf()?.is_empty();
    Err(Unreadable(match ended {
        true => "cut off".to_owned(),
        false => format!("malformed: {error}"),
    }))
}

struct Report<'d> {
    draft: &'d mut Draft,
    too_many: &'d mut Option<Unreadable>,
}

impl<'de> Visitor<'de> for Report<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a report of coverage.py")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "files" => map.next_value_seed(Files(&mut self))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct Files<'r, 'd>(&'r mut Report<'d>);

impl<'de> DeserializeSeed<'de> for Files<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Files<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("files by their paths")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(path) = map.next_key::<String>()? {
            let draft = &mut *self.0.draft;
            if let Err(too_many) = draft.at(&path, &[]) {
                *self.0.too_many = Some(too_many.into());
                return Err(serde::de::Error::custom("too many files"));
            }
            let mut told = Told::default();
            map.next_value_seed(File(&mut told, draft))?;
            told.finish(draft);
        }
        self.0.draft.leave();
        Ok(())
    }
}

struct File<'t>(&'t mut Told, &'t mut Draft);

impl<'de> DeserializeSeed<'de> for File<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for File<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("what is told of a file")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let File(told, draft) = self;
        while let Some(key) = map.next_key::<String>()? {
            let mut each: Takes<'_> = match key.as_str() {
                "executed_lines" => lines(&mut told.executed, &mut told.odd),
                "missing_lines" => lines(&mut told.missing, &mut told.odd),
                "excluded_lines" => lines(&mut told.excluded, &mut told.odd),
                "executed_branches" => branches(&mut told.branches, true),
                "missing_branches" => branches(&mut told.branches, false),
                "summary" => statements(&mut told.statements),
                "contexts" => ran_by(&mut told.contexts, &mut told.odd, draft),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            map.next_value_seed(Pieces(&mut *each))?;
        }
        Ok(())
    }
}

/// What is told of one file.
#[derive(Debug, Default)]
struct Told {
    executed: Vec<u32>,
    missing: Vec<u32>,
    excluded: Vec<u32>,
    /// Line, where it goes on, and whether it did.
    branches: Vec<(u32, i64, bool)>,
    statements: Option<u64>,
    /// Context to lines.
    contexts: BTreeMap<u32, Vec<u32>>,
    /// Something was no line.
    odd: bool,
}

type Takes<'t> = Box<dyn FnMut(usize, Piece<'_>) + 't>;

fn line(piece: Piece<'_>) -> Option<u32> {
    let number = number(piece).and_then(|n| u32::try_from(n).ok());
    number.filter(|n| (1..=LAST_LINE).contains(n))
}

fn lines<'t>(into: &'t mut Vec<u32>, odd: &'t mut bool) -> Takes<'t> {
    let mut listed = true;
    Box::new(move |depth, piece| match (depth, piece) {
        (0, Piece::Open | Piece::Close) => {}
        (1, Piece::Key(_)) => {
            listed = false;
            *odd = true;
        }
        (1, piece) if listed && line(piece).is_some() => into.extend(line(piece)),
        _ => *odd = true,
    })
}

/// Pairs of lines; one that is left to is a negative number.
fn branches(into: &mut Vec<(u32, i64, bool)>, taken: bool) -> Takes<'_> {
    let mut from = None;
    Box::new(move |depth, piece| match (depth, piece, from) {
        (1, Piece::Open, _) => from = None,
        (2, piece, None) => from = line(piece),
        (2, piece, Some(line)) => into.extend(number(piece).map(|to| (line, to, taken))),
        _ => {}
    })
}

fn number(piece: Piece<'_>) -> Option<i64> {
    match piece {
        Piece::Number(number) => Some(number),
        Piece::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn statements(into: &mut Option<u64>) -> Takes<'_> {
    let mut wanted = false;
    Box::new(move |depth, piece| match piece {
        Piece::Key(key) => wanted = depth == 1 && key == "num_statements",
        piece if wanted && depth == 1 => {
            *into = number(piece).and_then(|n| u64::try_from(n).ok());
        }
        _ => {}
    })
}

fn ran_by<'t>(
    into: &'t mut BTreeMap<u32, Vec<u32>>,
    odd: &'t mut bool,
    draft: &'t mut Draft,
) -> Takes<'t> {
    let mut at = None;
    Box::new(move |depth, piece| match (depth, piece) {
        (1, Piece::Key(key)) => {
            at = line_number(key);
            *odd |= at.is_none();
        }
        (2, Piece::Text(name)) => {
            let context = draft.context(name);
            if let Some(line) = at {
                into.entry(context).or_default().push(line);
            }
        }
        (0 | 1, Piece::Open | Piece::Close) => {}
        _ => *odd = true,
    })
}

impl Told {
    fn finish(self, draft: &mut Draft) {
        if self.odd {
            draft.warn("unreadable-lines");
        }
        let excluded: LineSet = self.excluded.into_iter().collect();
        let missing: LineSet = self.missing.into_iter().collect();
        let executed: LineSet = self.executed.into_iter().collect();
        let mut ran = executed.difference(&excluded);
        let listed = ran.union(&missing);
        if self.statements.is_some_and(|s| listed.len() > s) {
            draft.warn("executed-lines-exceed-statements");
            if let Some(first) = listed.iter().next() {
                let by_tests = self.contexts.iter().any(|(context, lines)| {
                    lines.contains(&first) && contexts::is_of_tests(draft.context_name(*context))
                });
                // Of the lines that are no statements the module's docstring is the first that
                // runs; nothing tells which lines are those of classes.
                if !by_tests && !missing.contains(first) {
                    ran = ran.difference(&[first].into_iter().collect());
                }
            }
        }
        for (context, lines) in self.contexts {
            draft.ran_by(context, &lines.into_iter().collect());
        }
        let Some(file) = draft.file() else { return };
        let statements = ran.union(&missing);
        for (line, to, taken) in self.branches {
            let to = u32::try_from(to.unsigned_abs() << 1 | u64::from(to < 0));
            if let (Ok(to), true) = (to, statements.contains(line)) {
                file.branch(line, to & (u32::MAX >> 1), taken);
            }
        }
        file.ran = file.ran.union(&ran);
        file.idle = file.idle.union(&missing);
        file.excluded = file.excluded.union(&excluded);
    }
}
