//! The state after a step, language by language, and what could not be taken in.
//!
//! A sum or ratio is known over the files that were read and says which were left out; where
//! none was read it is unknown, and a population that is empty only because something was
//! left out is unknown too, not undefined.

use std::collections::BTreeMap;

use crate::history::{Language, LanguageState, LeftOut, State, Step, Trouble};

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
                settled(value(of), left_out(of), of.files)
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
    let mut files = 0;
    let mut left_out = LeftOut::default();
    for (language, of) in &state.languages {
        files += of.files;
        if language.is_analysed() {
            sum += count(of);
            join(&mut left_out, &of.left_out);
        } else {
            join(&mut left_out, &unread(*language, of));
        }
    }
    Figure::from(settled(Value::count(sum), &left_out, files))
}

/// A count of one language; 0 where it has no files.
pub(super) fn one_language(
    step: &Step,
    language: Language,
    count: impl Fn(&LanguageState) -> i64,
) -> Figure {
    Figure::from(match state(step) {
        Ok(state) => match state.languages.get(&language) {
            Some(of) => settled(Value::count(count(of)), &of.left_out, of.files),
            None => Value::known(0.0),
        },
        Err(reason) => Value::unknown(reason),
    })
}

/// `value` over `files` files as it stands once some were left out.
fn settled(value: Value, left_out: &LeftOut, files: u64) -> Value {
    let nothing_read = left_out.files > 0 && left_out.files >= files;
    let empty_for_want = left_out.files > 0 && matches!(value, Value::Undefined(_));
    if nothing_read || empty_for_want {
        return Value::unknown(reasons(left_out));
    }
    value.without(left_out)
}

/// The greatest of something, or why there is none.
pub(super) fn extreme(of: Option<&crate::history::Extreme>, none: Value) -> Value {
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
