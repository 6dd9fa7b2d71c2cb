//! The state after a step, language by language, and what could not be taken in.
//!
//! A sum or ratio is known over the files that were read and says which were left out; where
//! none was read it is unknown, and a population that is empty only because something was
//! left out is unknown too, not undefined.

use std::collections::BTreeMap;

use crate::history::{Extreme, Language, LanguageState, LeftOut, State, Step, Trouble};

use super::population::{no_parser, number, shown_among};
use super::{Figure, Value};

/// The files a language's figure is known without.
pub(super) type LeftOutOf = fn(&LanguageState) -> &LeftOut;

/// Of the whole production tree.
pub(super) fn whole(state: &LanguageState) -> &LeftOut {
    &state.left_out
}

/// Of the touched subsystem.
pub(super) fn scoped(state: &LanguageState) -> &LeftOut {
    &state.left_out_scoped
}

/// The state after `step`.
///
/// # Errors
///
/// The reason, where there is none.
pub(super) fn state(step: &Step) -> Result<&State, String> {
    step.state.as_ref().ok_or_else(|| match &step.trouble {
        Some(Trouble::Missing(what)) => what.clone(),
        _ => "the tree was not computed".to_owned(),
    })
}

/// One value a language, and the figure of the shown one.
pub(super) fn each_language(
    step: &Step,
    left_out: LeftOutOf,
    value: impl Fn(&LanguageState) -> Value,
) -> Figure {
    let state = match state(step) {
        Ok(state) => state,
        Err(reason) => {
            return Figure {
                language: step.context.language,
                ..Figure::from(Value::unknown(reason))
            };
        }
    };
    let values: BTreeMap<Language, Value> = state
        .languages
        .iter()
        .map(|(language, of)| {
            let value = if language.is_analysed() {
                settled(value(of), left_out(of), is_read(of))
            } else {
                Value::unknown(reasons(&unread(*language, of)))
            };
            (*language, value)
        })
        .collect();
    shown_among(
        step.context.language,
        values,
        value(&LanguageState::default()),
    )
}

/// A sum over every language.
pub(super) fn all_languages(step: &Step, count: impl Fn(&LanguageState) -> i64) -> Figure {
    let state = match state(step) {
        Ok(state) => state,
        Err(reason) => return Figure::from(Value::unknown(reason)),
    };
    let mut sum = 0;
    let mut read = false;
    let mut left_out = LeftOut::default();
    for (language, of) in &state.languages {
        if language.is_analysed() {
            sum += count(of);
            read |= is_read(of);
            join(&mut left_out, &of.left_out);
        } else {
            join(&mut left_out, &unread(*language, of));
        }
    }
    Figure::from(settled(Value::count(sum), &left_out, read))
}

/// A count of one language; 0 where it has no files.
pub(super) fn one_language(
    step: &Step,
    language: Language,
    count: impl Fn(&LanguageState) -> i64,
) -> Figure {
    Figure::from(match state(step) {
        Ok(state) => match state.languages.get(&language) {
            Some(of) => settled(Value::count(count(of)), &of.left_out, is_read(of)),
            None => Value::known(0.0),
        },
        Err(reason) => Value::unknown(reason),
    })
}

/// Whether any file of the language was read.
fn is_read(of: &LanguageState) -> bool {
    of.mass.rows > 0 || of.loc > 0 || of.files > of.left_out.files
}

/// `value` as it stands once some files were left out: with them, or unknown where nothing was
/// read or nothing is left to divide by.
fn settled(value: Value, left_out: &LeftOut, read: bool) -> Value {
    if left_out.files > 0 && (!read || matches!(value, Value::Undefined(_))) {
        return Value::unknown(reasons(left_out));
    }
    value.without(left_out)
}

/// The greatest of something, or why there is none.
pub(super) fn extreme(of: Option<&Extreme>, none: Value) -> Value {
    match of {
        Some(extreme) => Value::known(number(extreme.value)).named(extreme.name.clone()),
        None => none,
    }
}

/// All files of a language known by name only.
fn unread(language: Language, of: &LanguageState) -> LeftOut {
    if of.left_out.files > 0 {
        return of.left_out.clone();
    }
    LeftOut {
        files: of.files,
        reasons: BTreeMap::from([(no_parser(language), of.files)]),
        ..LeftOut::default()
    }
}

/// Joins what two disjoint populations left out.
fn join(into: &mut LeftOut, other: &LeftOut) {
    into.files += other.files;
    for (reason, files) in &other.reasons {
        *into.reasons.entry(reason.clone()).or_default() += files;
    }
    into.lines += other.lines;
    into.of_lines += other.of_lines;
    into.set = into.set.wrapping_add(other.set);
}

/// What was left out, as an unknown figure gives its reason.
fn reasons(left_out: &LeftOut) -> String {
    let parts: Vec<String> = left_out
        .reasons
        .iter()
        .map(|(reason, files)| {
            let s = if *files == 1 { "" } else { "s" };
            format!("{reason} ({files} file{s})")
        })
        .collect();
    if parts.is_empty() {
        return format!("{} files could not be read", left_out.files);
    }
    parts.join("; ")
}
