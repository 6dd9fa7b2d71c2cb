//! Figures lined up for the statistics: which changes count, under which number, and what is
//! missing.

use std::collections::BTreeMap;

use crate::history::{Language, LeftOut, Place};
use crate::measure::catalogue::{Level, Measure};
use crate::measure::{Figure, Value};
use crate::report::Change;
use crate::stats::Point;

/// Why a measure whose values are words has no number.
pub(super) const WORDS: &str = "words, not numbers";

/// A change in a series.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The number it stands under.
    pub index: f64,
    /// The change.
    pub change: &'a Change,
    /// Whether it takes part; one that does not is still looked at for what it left out.
    pub counts: bool,
}

impl<'a> Entry<'a> {
    /// A checkpoint of a chain: every one takes part.
    pub(super) fn of_chain(change: &'a Change) -> Entry<'a> {
        Entry {
            index: f64::from(change.index()),
            change,
            counts: true,
        }
    }

    /// A change of a plain history: one that touches production code takes part, or any with
    /// `all`; the root never. Where the history ends in a chain, every checkpoint takes part.
    pub(super) fn of_plain(change: &'a Change, index: u32, all: bool) -> Entry<'a> {
        let step = &change.step;
        Entry {
            index: f64::from(index),
            change,
            counts: match step.place {
                Place::Chain { .. } => true,
                Place::Plain { .. } => {
                    // What could not be read may have touched production: it stands as unknown.
                    let touches = step.edits.iter().any(|e| e.is_production());
                    !step.root && (all || touches || step.trouble.is_some())
                }
            },
        }
    }
}

/// One measure along one line, in one language.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Taken {
    /// Of a per-language measure.
    pub language: Option<Language>,
    /// The points, oldest first; without a value where there is no number.
    pub points: Vec<Point>,
    /// Why values are missing: reason to how many.
    pub missing: BTreeMap<String, u64>,
    /// How many of the points are unknown (rather than undefined).
    pub unknown: usize,
}

/// The points of `measure` along `entries` (oldest first), one series a language. Empty where
/// nothing takes part.
///
/// A figure is of the language it is shown in; of several languages of which none is chosen it
/// is of each. What is of no language, as of a change without code, holds of every language of
/// the line.
pub(super) fn points(measure: &Measure, entries: &[Entry<'_>]) -> Vec<Taken> {
    let figures = || {
        let counted = entries.iter().filter(|e| e.counts);
        counted.filter_map(|e| e.change.figure(measure.id))
    };
    let mut languages: Vec<Option<Language>> = Vec::new();
    for language in figures().flat_map(languages_of) {
        if !languages.contains(&Some(language)) {
            languages.push(Some(language));
        }
    }
    if languages.is_empty() && figures().next().is_some() {
        languages.push(None);
    }
    let taken = |language: Option<Language>| Taken {
        language,
        ..line(measure, entries, |figure| value_in(figure, language))
    };
    languages.into_iter().map(taken).collect()
}

/// The points of `measure` along `entries` (oldest first) as it is shown, whatever the language.
pub(super) fn shown(measure: &Measure, entries: &[Entry<'_>]) -> Vec<Point> {
    line(measure, entries, |figure| Some(&figure.value)).points
}

/// The languages that a figure has a value of.
fn languages_of(figure: &Figure) -> Vec<Language> {
    match figure.language {
        Some(language) => vec![language],
        None => figure.by_language.keys().copied().collect(),
    }
}

/// What a figure says of a language; `None` where it is of another.
pub(super) fn value_in(figure: &Figure, language: Option<Language>) -> Option<&Value> {
    if figure.language.is_some() {
        return (figure.language == language).then_some(&figure.value);
    }
    match figure.by_language.is_empty() {
        true => Some(&figure.value),
        false => figure.by_language.get(&language?),
    }
}

/// The points of what `of` finds in the figures of `measure`.
///
/// A state figure is unknown here where the files it was taken without are not those of the
/// figure before it and hold more than 1 % of the production lines: its step would come from
/// the files, not from the code.
fn line(measure: &Measure, entries: &[Entry<'_>], of: impl Fn(&Figure) -> Option<&Value>) -> Taken {
    let mut taken = Taken::default();
    let mut before: Option<u64> = None;
    for entry in entries {
        let Some(value) = entry.change.figure(measure.id).and_then(&of) else {
            continue;
        };
        let shifted = measure.level == Level::State && shifts(value, &mut before);
        if !entry.counts {
            continue;
        }
        let mut miss = |reason: &str| *taken.missing.entry(reason.to_owned()).or_default() += 1;
        let value = match value {
            Value::Known(_) if shifted => {
                miss("other files were left out than before, over 1 % of the lines");
                taken.unknown += 1;
                None
            }
            Value::Known(known) => Some(known.value),
            Value::Word(_) => {
                miss(WORDS);
                None
            }
            Value::Undefined(what) => {
                miss(what);
                None
            }
            Value::Unknown(why) => {
                miss(why);
                taken.unknown += 1;
                None
            }
        };
        taken.points.push(Point {
            index: entry.index,
            value,
        });
    }
    taken
}

/// Whether the files left out are others than `before` and many; remembers them for the next.
fn shifts(value: &Value, before: &mut Option<u64>) -> bool {
    let Value::Known(known) = value else {
        return false;
    };
    let none = LeftOut::default();
    let now = known.left_out.as_deref().unwrap_or(&none);
    let changed = before.is_some_and(|set| set != now.set);
    *before = Some(now.set);
    // More than 1 %: in whole numbers, so that no rounding decides.
    changed && now.lines.saturating_mul(100) > now.of_lines
}

/// How many of the changes that take part had fewer changes before them than the lookback.
pub(super) fn growing(entries: &[Entry<'_>]) -> usize {
    let short = |e: &&Entry<'_>| e.counts && e.change.step.window.growing;
    entries.iter().filter(short).count()
}

/// Whether the entries are a plain history's.
pub(super) fn is_plain(entries: &[Entry<'_>]) -> bool {
    entries
        .first()
        .is_some_and(|e| matches!(e.change.step.place, Place::Plain { .. }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::history::{Commit, Oid, Person, Step, Window};
    use crate::measure::Known;
    use crate::measure::catalogue::find;

    fn step() -> Step {
        let id = Oid::from_hex(&"1".repeat(40)).expect("an id");
        let nobody = Person {
            name: String::new(),
            email: String::new(),
        };
        Step {
            commit: Arc::new(Commit {
                id,
                tree: id,
                parents: vec![id],
                author: nobody.clone(),
                committer: nobody,
                time: 0,
                message: String::new(),
                shallow: false,
            }),
            parent: Some(id),
            place: Place::Plain { position: 1 },
            context: Arc::default(),
            window: Window {
                length: 1,
                base: Some(id),
                growing: true,
                cut: None,
            },
            root: false,
            merge: false,
            ignored_rev: false,
            pending: false,
            turn: crate::history::Turn::Last,
            trouble: None,
            rename_limit_hit: false,
            edits: Vec::new(),
            state: None,
            integrity: Vec::new(),
            evidence: None,
        }
    }

    fn change(id: &'static str, value: Value) -> Change {
        Change {
            step: Arc::new(step()),
            figures: vec![(id, Arc::new(value.into()))],
        }
    }

    /// A value known without the files of `set`, which hold `lines` of 1,000 lines.
    fn without(value: f64, set: u64, lines: u64) -> Value {
        let left_out = LeftOut {
            files: u64::from(lines > 0),
            lines,
            of_lines: 1000,
            set,
            ..LeftOut::default()
        };
        Value::Known(Known {
            value,
            ..Known::default()
        })
        .without(&left_out)
    }

    fn taken(id: &'static str, values: Vec<Value>) -> Taken {
        let changes: Vec<Change> = values.into_iter().map(|v| change(id, v)).collect();
        let entries: Vec<Entry<'_>> = changes
            .iter()
            .zip(1..)
            .map(|(c, at)| Entry::of_plain(c, at, true))
            .collect();
        let mut all = points(find(id).expect("a measure"), &entries);
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[test]
    fn a_state_is_unknown_where_other_files_were_left_out_and_hold_over_one_percent() {
        let values = vec![
            without(1.0, 7, 500),
            without(2.0, 7, 500),
            without(3.0, 8, 11),
            without(4.0, 9, 10),
            without(5.0, 0, 0),
        ];
        let taken = taken("erosion", values);
        let numbers: Vec<_> = taken.points.iter().map(|p| p.value).collect();
        assert_eq!(
            numbers,
            [Some(1.0), Some(2.0), None, Some(4.0), Some(5.0)],
            "the first has nothing before it; 1 % is not more than 1 %"
        );
        assert_eq!(taken.unknown, 1);
    }

    fn of_languages(values: &[(Language, f64)]) -> Figure {
        let mut figure = Figure::from(Value::unknown("several languages"));
        let of = values.iter().map(|(l, v)| (*l, Value::known(*v)));
        figure.by_language = of.collect();
        figure
    }

    #[test]
    fn a_series_of_a_language_has_every_figure_that_says_something_of_it() {
        let of = |language, value| Figure {
            language: Some(language),
            ..Figure::from(Value::known(value))
        };
        let (python, go) = (Language::Python, Language::Go);
        let figures = [
            of(python, 1.0),
            // A change without code: nothing was added in any language.
            Figure::from(Value::known(0.0)),
            of_languages(&[(python, 3.0), (go, 4.0)]),
            Figure::from(Value::unknown("cut")),
            of(go, 6.0),
        ];
        let changes: Vec<Change> = figures
            .into_iter()
            .map(|figure| Change {
                step: Arc::new(step()),
                figures: vec![("net_cc", Arc::new(figure))],
            })
            .collect();
        let entries: Vec<Entry<'_>> = changes
            .iter()
            .zip(1..)
            .map(|(c, at)| Entry::of_plain(c, at, true))
            .collect();
        let measure = find("net_cc").expect("a measure");
        let all = points(measure, &entries);
        let numbers = |taken: &Taken| -> Vec<(f64, Option<f64>)> {
            taken.points.iter().map(|p| (p.index, p.value)).collect()
        };
        let languages: Vec<_> = all.iter().map(|t| t.language).collect();
        assert_eq!(languages, [Some(python), Some(go)]);
        assert_eq!(
            numbers(&all[0]),
            [
                (1.0, Some(1.0)),
                (2.0, Some(0.0)),
                (3.0, Some(3.0)),
                (4.0, None)
            ]
        );
        assert_eq!(
            numbers(&all[1]),
            [
                (2.0, Some(0.0)),
                (3.0, Some(4.0)),
                (4.0, None),
                (5.0, Some(6.0))
            ]
        );
        assert!(all.iter().all(|t| t.unknown == 1 && t.missing.len() == 1));
        // Where nothing is of any language there is one series.
        let none = points(measure, &entries[1..2]);
        assert_eq!((none.len(), none[0].language), (1, None));
        assert_eq!(shown(measure, &entries).len(), 5);
    }

    #[test]
    fn unknown_and_undefined_are_points_without_a_number_and_keep_their_reason() {
        let values = vec![
            Value::known(1.0),
            Value::unknown("cut"),
            Value::Undefined("empty".to_owned()),
        ];
        let taken = taken("churn", values);
        assert_eq!(taken.points.len(), 3);
        assert_eq!(taken.points[2].index, 3.0);
        assert_eq!((taken.unknown, taken.missing.len()), (1, 2));
    }

    #[test]
    fn a_change_outside_production_and_a_root_take_no_part() {
        let mut root = change("churn", Value::known(9.0));
        Arc::make_mut(&mut root.step).root = true;
        let outside = change("churn", Value::known(0.0));
        assert!(!Entry::of_plain(&root, 1, true).counts);
        assert!(!Entry::of_plain(&outside, 2, false).counts);
        assert!(Entry::of_plain(&outside, 2, true).counts);
        let entries = [
            Entry::of_plain(&outside, 2, true),
            Entry::of_plain(&root, 1, true),
        ];
        assert_eq!(growing(&entries), 1);
    }
}
