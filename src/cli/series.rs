//! Figures lined up for the statistics: which changes count, under which number, and what is
//! missing.

use std::collections::BTreeMap;

use crate::history::{LeftOut, Place};
use crate::measure::catalogue::{Level, Measure};
use crate::measure::{Figure, Value};
use crate::report::Change;
use crate::stats::Point;

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
    /// `all`; the root never.
    pub(super) fn of_plain(change: &'a Change, index: u32, all: bool) -> Entry<'a> {
        let step = &change.step;
        Entry {
            index: f64::from(index),
            change,
            counts: !step.root && (all || step.edits.iter().any(|e| e.is_production())),
        }
    }
}

/// One measure along one line, in one language.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Taken {
    /// Language id of a per-language measure.
    pub language: Option<&'static str>,
    /// The points, oldest first; without a value where there is no number.
    pub points: Vec<Point>,
    /// Why values are missing: reason to how many.
    pub missing: BTreeMap<String, u64>,
    /// How many of the points are unknown (rather than undefined).
    pub unknown: usize,
}

/// The points of `measure` along `entries` (oldest first), one series a language its figures
/// were shown in. Empty where nothing takes part.
///
/// A state figure is unknown here where the files it was taken without are not those of the
/// figure before it and hold more than 1 % of the production lines: its step would come from
/// the files, not from the code.
pub(super) fn points(measure: &Measure, entries: &[Entry<'_>]) -> Vec<Taken> {
    let mut by_language: Vec<Taken> = Vec::new();
    let mut before: Option<u64> = None;
    for entry in entries {
        let Some(figure) = entry.change.figure(measure.id) else {
            continue;
        };
        let shifted = measure.level == Level::State && shifts(figure, &mut before);
        if !entry.counts {
            continue;
        }
        let language = figure.language.map(crate::history::Language::id);
        let taken = match by_language.iter().position(|t| t.language == language) {
            Some(at) => &mut by_language[at],
            None => {
                by_language.push(Taken {
                    language,
                    ..Taken::default()
                });
                let last = by_language.len() - 1;
                &mut by_language[last]
            }
        };
        let mut miss = |reason: &str| *taken.missing.entry(reason.to_owned()).or_default() += 1;
        let value = match &figure.value {
            Value::Known(_) if shifted => {
                miss("other files were left out than before, over 1 % of the lines");
                taken.unknown += 1;
                None
            }
            Value::Known(known) => Some(known.value),
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
    by_language
}

/// Whether the files left out are others than `before` and many; remembers them for the next.
fn shifts(figure: &Figure, before: &mut Option<u64>) -> bool {
    let Value::Known(known) = &figure.value else {
        return false;
    };
    let none = LeftOut::default();
    let now = known.left_out.as_ref().unwrap_or(&none);
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
