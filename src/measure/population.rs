//! Which files, lines and functions of a step a measure counts over, and when it cannot.
//!
//! Each side of a file has its own class: what was there before counts where the old side is
//! of the class, what is there after where the new side is. A figure of a change that needs
//! what could not be read is unknown; it is never taken over the rest.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::{
    Edit, FileClass, FunctionEvidence, Functions, Language, LeftOut, Lines, Status, Step, Unparsed,
};

use super::{Figure, Value};

/// The files of a change that are production code on either side.
pub(super) fn production(step: &Step) -> impl Iterator<Item = &Edit> {
    step.edits.iter().filter(|e| e.is_production())
}

/// The language of the old side; a rename may have changed it.
pub(super) fn old_language(edit: &Edit) -> Option<Language> {
    match &edit.old_path {
        Some(path) => Language::of_path(path),
        None => edit.language,
    }
}

/// Lines of a population and the binary files that have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LineSum {
    /// Lines of the new sides.
    pub(super) added: i64,
    /// Lines of the old sides.
    pub(super) removed: i64,
    /// Of the removed, those written two or more checkpoints ago; `None` where some file's are
    /// not known.
    pub(super) settled: Option<i64>,
    /// Binary files.
    pub(super) left_out: LeftOut,
}

/// The line counts of the changed files that `class` takes in, each side by its own class.
///
/// # Errors
///
/// The reason, where the lines of such a file are not known.
pub(super) fn lines_of(
    step: &Step,
    class: impl Fn(Option<FileClass>) -> bool,
) -> Result<LineSum, String> {
    lines_where(step, |edit| (class(edit.old_class), class(edit.new_class)))
}

/// The production line counts of files that are not new.
///
/// # Errors
///
/// The reason, where the lines of such a file are not known.
pub(super) fn lines_of_old_files(step: &Step) -> Result<LineSum, String> {
    lines_where(step, |edit| {
        let old_file = !is_new(edit);
        (
            old_file && is_production(edit.old_class),
            old_file && is_production(edit.new_class),
        )
    })
}

/// Sums the old and new sides that `sides` takes in.
fn lines_where(step: &Step, sides: impl Fn(&Edit) -> (bool, bool)) -> Result<LineSum, String> {
    let mut sum = LineSum {
        settled: Some(0),
        ..LineSum::default()
    };
    let mut unread = Reasons::default();
    for edit in &step.edits {
        let (old, new) = sides(edit);
        if !old && !new {
            continue;
        }
        match &edit.lines {
            Lines::Counted(counts) => {
                if new {
                    sum.added += i64::from(counts.added);
                }
                if old {
                    sum.removed += i64::from(counts.removed);
                    sum.settled = sum
                        .settled
                        .zip(counts.removed_settled)
                        .map(|(a, b)| a + i64::from(b));
                }
            }
            Lines::Binary => leave_out(&mut sum.left_out, "binary content", &edit.path),
            Lines::Unknown(reason) => unread.add(reason),
            Lines::NotAsked => unread.add(LINES_NOT_ASKED),
        }
    }
    unread.none().map(|()| sum)
}

/// Whether a side is production code.
pub(super) fn is_production(class: Option<FileClass>) -> bool {
    class == Some(FileClass::Production)
}

/// The functions of those changed production files that `wanted` takes in. A measure names the
/// files it needs, so that it stays known beside others that cannot be read: a broken new file
/// says nothing about which existing functions were modified.
///
/// # Errors
///
/// The reason, where a wanted file's functions are not known.
pub(super) fn functions(
    step: &Step,
    wanted: impl Fn(&Edit) -> bool,
) -> Result<Vec<(&Edit, &FunctionEvidence)>, String> {
    let mut read = Vec::new();
    let mut unread = Reasons::default();
    for edit in production(step).filter(|e| wanted(e)) {
        match evidence(edit) {
            Ok(Some(functions)) => read.push((edit, functions)),
            Ok(None) => {}
            Err(reason) => unread.add(&reason),
        }
    }
    unread.none().map(|()| read)
}

/// The functions of one file; `None` for what is no code.
fn evidence(edit: &Edit) -> Result<Option<&FunctionEvidence>, String> {
    match &edit.functions {
        Functions::Read(functions) => Ok(Some(functions)),
        Functions::NotCode => Ok(None),
        Functions::NoParser(language) => Err(no_parser(*language)),
        Functions::Unparsed { old, new } => Err(new.or(*old).map_or_else(
            || "functions unread".to_owned(),
            |why: Unparsed| why.to_string(),
        )),
        Functions::NotAsked => Err(FUNCTIONS_NOT_ASKED.to_owned()),
    }
}

/// A sum over the changed production files of each language, and the figure made of it:
/// the shown language's value, and every language's where there are several. A language the
/// change does not touch has 0, so the shown one always has a value.
pub(super) fn by_language(step: &Step, side: impl Fn(&FunctionEvidence, Side) -> i64) -> Figure {
    let mut sums: BTreeMap<Language, i64> = BTreeMap::new();
    let mut unread: BTreeMap<Language, Reasons> = BTreeMap::new();
    for edit in production(step) {
        let old = old_language(edit).filter(|_| is_production(edit.old_class));
        let new = edit.language.filter(|_| is_production(edit.new_class));
        match evidence(edit) {
            Ok(Some(functions)) => {
                if let Some(language) = old {
                    *sums.entry(language).or_default() -= side(functions, Side::Before);
                }
                if let Some(language) = new {
                    *sums.entry(language).or_default() += side(functions, Side::After);
                }
            }
            Ok(None) => {}
            Err(reason) => {
                let languages: BTreeSet<Language> = old.into_iter().chain(new).collect();
                for language in languages {
                    unread.entry(language).or_default().add(&reason);
                }
            }
        }
    }
    let mut values: BTreeMap<Language, Value> = sums
        .into_iter()
        .map(|(language, sum)| (language, Value::count(sum)))
        .collect();
    values.extend(
        unread
            .iter()
            .map(|(language, reasons)| (*language, Value::unknown(reasons.to_string()))),
    );
    shown_among(step.context.language, values, Value::known(0.0))
}

/// The two sides of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The parent's.
    Before,
    /// The commit's.
    After,
}

/// The figure of the `shown` language among `values`, with all of them where there are
/// several. `empty` is the value of a language that is not among them.
pub(super) fn shown_among(
    shown: Option<Language>,
    mut values: BTreeMap<Language, Value>,
    empty: Value,
) -> Figure {
    if let Some(shown) = shown {
        values.entry(shown).or_insert_with(|| empty.clone());
    }
    // Where no language is chosen, a single one needs no choice.
    let only = values.keys().next().copied().filter(|_| values.len() == 1);
    let language = shown.or(only);
    let value = match language.and_then(|l| values.get(&l)) {
        Some(value) => value.clone(),
        None if values.is_empty() => empty,
        None => Value::unknown(none_chosen(&values)),
    };
    if values.len() < 2 {
        values.clear();
    }
    Figure {
        value,
        language,
        by_language: values,
        items: Vec::new(),
    }
}

/// Why there is no figure to show among those of several languages.
fn none_chosen(values: &BTreeMap<Language, Value>) -> String {
    let reasons: Vec<&str> = values
        .values()
        .filter_map(|value| match value {
            Value::Unknown(reason) => Some(reason.as_str()),
            _ => None,
        })
        .collect();
    if reasons.len() == values.len() {
        reasons.join("; ")
    } else {
        "several languages, and none is chosen to be shown".to_owned()
    }
}

/// Reasons and how many changed files each holds for.
#[derive(Debug, Clone, Default)]
pub(super) struct Reasons(BTreeMap<String, u64>);

impl Reasons {
    fn add(&mut self, reason: &str) {
        *self.0.entry(reason.to_owned()).or_default() += 1;
    }

    fn none(&self) -> Result<(), String> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(self.to_string())
        }
    }
}

impl std::fmt::Display for Reasons {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (reason, files)) in self.0.iter().enumerate() {
            let between = if i == 0 { "" } else { "; " };
            let s = if *files == 1 { "" } else { "s" };
            if reason == "syntax error" {
                write!(f, "{between}syntax error in {files} changed file{s}")?;
            } else {
                write!(f, "{between}{reason} ({files} file{s})")?;
            }
        }
        Ok(())
    }
}

/// The reason for a language known by name only.
pub(super) fn no_parser(language: Language) -> String {
    format!("no parser for {language}")
}

/// Adds one file to what was left out.
fn leave_out(left_out: &mut LeftOut, reason: &str, path: &[u8]) {
    left_out.files += 1;
    *left_out.reasons.entry(reason.to_owned()).or_default() += 1;
    // FNV-1a, added up: the same set of paths gives the same number in any order.
    let hash = path.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    left_out.set = left_out.set.wrapping_add(hash);
}

/// Whether the file is production code before: what it had can have been deleted.
pub(super) fn stood(edit: &Edit) -> bool {
    is_production(edit.old_class)
}

/// Whether the file is production code after: what it has can have been added.
pub(super) fn stands(edit: &Edit) -> bool {
    is_production(edit.new_class)
}

/// Whether the file is production code before and after: what stood can have been modified.
pub(super) fn stayed(edit: &Edit) -> bool {
    stood(edit) && stands(edit)
}

/// Whether the file is production code after, and no new file.
pub(super) fn stands_in_old_file(edit: &Edit) -> bool {
    stands(edit) && !is_new(edit)
}

/// True for a file that was not there before; a rename was.
pub(super) fn is_new(edit: &Edit) -> bool {
    edit.status == Status::Added
}

/// A count as a number of a ratio.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(super) fn number(count: i64) -> f64 {
    count as f64
}

const LINES_NOT_ASKED: &str = "lines were not computed";
const FUNCTIONS_NOT_ASKED: &str = "functions were not computed";
