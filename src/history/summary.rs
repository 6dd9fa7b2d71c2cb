//! What the state of the tree needs of one version of one file.

use crate::syntax::{Language, Profile, Row, Structure, Unparsed};

use super::Settings;

/// One version of one file, as far as sums over the tree go.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summary {
    /// Its language.
    pub language: Language,
    /// Physical lines.
    pub lines: u32,
    /// Its functions, or why there are none.
    pub read: Result<Read, Unread>,
}

/// The functions of one version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Read {
    /// Code lines.
    pub loc: i64,
    /// CC and NLOC of each row.
    pub rows: Box<[(u32, i32)]>,
    /// The row with the greatest CC; ties: more NLOC, then first.
    pub hotspot: Option<Peak>,
    /// Sums of CC by class. Go: of every receiver type, since a type's methods may lie in
    /// several files of its package; else of the class with the greatest sum (ties: first).
    pub classes: Box<[(i64, Box<str>)]>,
    /// The greatest row the entry pattern matches.
    pub entry: Option<Peak>,
}

/// One row that stands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Peak {
    /// CC.
    pub cc: u32,
    /// NLOC.
    pub nloc: i32,
    /// First line.
    pub line: u32,
    /// `Class::name`.
    pub name: Box<str>,
}

/// Why a version has no functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// The language is known by name only.
    NoParser(Language),
    /// It could not be read.
    Unparsed(Unparsed),
    /// The profile does not count this language.
    NotInProfile(Profile),
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unread::NoParser(l) => write!(f, "no parser for {l}"),
            Unread::Unparsed(u) => u.fmt(f),
            Unread::NotInProfile(p) => write!(f, "not counted in profile {}", p.id()),
        }
    }
}

impl Summary {
    /// The summary of a version at `path`.
    pub(super) fn of(
        settings: &Settings,
        path: &[u8],
        language: Language,
        lines: u32,
        structure: Result<&Structure, Unread>,
    ) -> Summary {
        Summary {
            language,
            lines,
            read: structure.map(|s| read(settings, path, language, s)),
        }
    }

    /// Sum of CC over all rows.
    pub(super) fn cc(&self) -> i64 {
        self.read
            .as_ref()
            .map_or(0, |r| r.rows.iter().map(|(cc, _)| i64::from(*cc)).sum())
    }
}

fn read(settings: &Settings, path: &[u8], language: Language, s: &Structure) -> Read {
    let mut hotspot: Option<(&Row, usize)> = None;
    let mut entry: Option<(&Row, usize)> = None;
    let mut classes = vec![0i64; s.classes.len()];
    let path = String::from_utf8_lossy(path);
    for (i, row) in s.rows.iter().enumerate() {
        if hotspot.is_none_or(|(best, _)| beats(row, best)) {
            hotspot = Some((row, i));
        }
        if let Some(pattern) = &settings.entry
            && entry.is_none_or(|(best, _)| beats(row, best))
            && pattern.is_match(&format!("{path}::{}", full_name(language, s, i)))
        {
            entry = Some((row, i));
        }
        let class = s
            .functions
            .get(row.function as usize)
            .and_then(|f| f.class)
            .and_then(|c| classes.get_mut(c as usize));
        if let Some(sum) = class {
            *sum += i64::from(row.cc);
        }
    }
    let peak = |found: Option<(&Row, usize)>| {
        found.map(|(row, i)| Peak {
            cc: row.cc,
            nloc: row.nloc,
            line: row.start,
            name: full_name(language, s, i).into(),
        })
    };
    let mut sums: Vec<(i64, Box<str>)> = Vec::new();
    for (class, sum) in s.classes.iter().zip(classes) {
        let greatest = sums.first().is_none_or(|(best, _)| sum > *best);
        match sums.first_mut() {
            _ if sum <= 0 => {}
            Some(first) if language != Language::Go => {
                if greatest {
                    *first = (sum, class.name.clone());
                }
            }
            _ => sums.push((sum, class.name.clone())),
        }
    }
    Read {
        loc: i64::from(s.nloc),
        rows: s.rows.iter().map(|r| (r.cc, r.nloc)).collect(),
        hotspot: peak(hotspot),
        classes: sums.into(),
        entry: peak(entry),
    }
}

/// Greater CC, then more lines, then first in the file.
fn beats(row: &Row, best: &Row) -> bool {
    (row.cc, row.nloc) > (best.cc, best.nloc)
}

/// `Class::name`: a Java row has it already, Python and Go rows get their class or receiver.
pub(super) fn full_name(language: Language, s: &Structure, row: usize) -> String {
    let Some(r) = s.rows.get(row) else {
        return String::new();
    };
    if language == Language::Java {
        return r.name.to_string();
    }
    let class = s
        .functions
        .get(r.function as usize)
        .and_then(|f| f.class)
        .and_then(|c| s.classes.get(c as usize));
    match class {
        Some(c) => format!("{}::{}", c.name, r.name),
        None => r.name.to_string(),
    }
}
