//! Changes held against limits.

use std::collections::BTreeSet;

use super::thresholds::Limit;
use crate::history::Language;
use crate::measure::catalogue::Pool;
use crate::measure::{Figure, Item, Value};
use crate::report::{Change, CheckItem, CheckedChange, CheckedLimit, decoded};
use crate::stats::{Kept, kept, pooled};

/// Holds `changes`, newest first, against `limits`: each alone, or all of them as one. Where
/// figures of a measure are never added over languages, each language is held against the limit
/// (`only`: that one alone).
pub(super) fn judge(
    limits: &[Limit],
    changes: &[Change],
    each: bool,
    only: Option<Language>,
) -> Vec<CheckedLimit> {
    let mut judged = Vec::new();
    for limit in limits {
        let languages = match (limit.measure.per_language, only) {
            (false, _) => vec![None],
            (true, Some(language)) => vec![Some(language)],
            (true, None) => languages(limit, changes),
        };
        for language in languages {
            judged.push(of_language(limit, changes, each, language));
        }
    }
    judged
}

/// The languages in which there are figures of a measure; one without a name where there are none.
fn languages(limit: &Limit, changes: &[Change]) -> Vec<Option<Language>> {
    let mut all = BTreeSet::new();
    for figure in changes.iter().filter_map(|c| c.figure(limit.measure.id)) {
        all.extend(figure.by_language.keys().copied());
        all.extend(figure.language);
    }
    match all.is_empty() {
        true => vec![None],
        false => all.into_iter().map(Some).collect(),
    }
}

fn of_language(
    limit: &Limit,
    changes: &[Change],
    each: bool,
    language: Option<Language>,
) -> CheckedLimit {
    let measure = limit.measure;
    let each = each || measure.pool == Pool::None;
    let figures: Vec<(&Change, &Figure, &Value)> = changes
        .iter()
        .filter_map(|c| Some((c, c.figure(measure.id)?)))
        .filter_map(|(c, f)| Some((c, f, value(f, language)?)))
        .collect();
    let one = match each {
        true => None,
        false => {
            let values: Vec<&Value> = figures.iter().map(|(_, _, v)| *v).collect();
            pooled(measure.pool, &values)
        }
    };
    let whole = one.map(|value| {
        let kept = kept(&value, limit.bound, limit.limit);
        (value, kept)
    });
    let shown: Vec<CheckedChange> = figures
        .iter()
        .map(|(change, figure, value)| CheckedChange {
            place: (*change).clone(),
            value: (*value).clone(),
            kept: each.then(|| kept(value, limit.bound, limit.limit)),
            items: items(figure),
        })
        .collect();
    let worst = shown.iter().filter_map(|c| c.kept).max();
    CheckedLimit {
        measure,
        bound: limit.bound,
        limit: limit.limit,
        language,
        kept: whole
            .as_ref()
            .map_or(worst.unwrap_or(Kept::Held), |(_, kept)| *kept),
        whole: whole.map(|(value, _)| value),
        changes: shown,
    }
}

/// The value in a language; `None` where the change, or its tree, has nothing in it.
fn value(figure: &Figure, language: Option<Language>) -> Option<&Value> {
    let Some(language) = language else {
        return Some(&figure.value);
    };
    if !figure.by_language.is_empty() {
        return figure.by_language.get(&language);
    }
    let own = figure.language.is_none_or(|own| own == language);
    // What is not known of the change at all is not known of any language of it.
    let whole = matches!(figure.value, Value::Unknown(_));
    (own || whole).then_some(&figure.value)
}

/// What the figure counted, without what stands beside it.
fn items(figure: &Figure) -> Vec<CheckItem> {
    let counted = |i: &&Item| !i.note.starts_with("not counted");
    let mut items: Vec<CheckItem> = figure
        .items
        .iter()
        .filter(counted)
        .map(|i| CheckItem {
            path: i.path.clone(),
            name: i.name.clone(),
            note: i.note.clone(),
        })
        .collect();
    if items.is_empty()
        && let Value::Known(known) = &figure.value
        && let Some(name) = &known.name
    {
        items.push(CheckItem {
            path: Vec::new(),
            name: decoded(name.as_bytes()).into_owned(),
            note: String::new(),
        });
    }
    items
}
