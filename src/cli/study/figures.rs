//! One measure, the arms side by side: trends, verdicts, and what chains add up to.

use super::chosen::Side;
use crate::cli::series::{Entry, value_in};
use crate::cli::trends::{self, Group, Pile, direction};
use crate::history::Language;
use crate::measure::Value;
use crate::measure::catalogue::{Measure, Pool};
use crate::report::{ArmFigure, MeasureTable, Total};
use crate::stats::{Options, mean_and_sd, trend, verdict};

/// The sides as groups of lines; `counts` says which checkpoints figures are of.
pub(super) fn groups<'g>(
    sides: &[Side<'g>],
    counts: impl Fn(&Entry<'_>) -> bool,
) -> Vec<Group<'g>> {
    let group = |side: &Side<'g>| Group {
        name: side.name.clone(),
        lines: side
            .chains
            .iter()
            .map(|c| {
                let entries = c.gathered.changes.iter().map(|change| {
                    let mut entry = Entry::of_chain(change);
                    entry.counts = counts(&entry);
                    entry
                });
                (c.gathered.chain.label.clone(), entries.collect())
            })
            .collect(),
    };
    sides.iter().map(group).collect()
}

/// The tables of one measure, one a language it was shown in; without comparisons.
pub(super) fn tables(measure: &'static Measure, groups: &[Group<'_>]) -> Vec<MeasureTable> {
    let piles = trends::piles(measure, groups);
    let mut languages: Vec<Option<Language>> = Vec::new();
    for (_, language, _) in &piles {
        if !languages.contains(language) {
            languages.push(*language);
        }
    }
    if languages.is_empty() {
        languages.push(None);
    }
    let table = |language: Option<Language>| MeasureTable {
        measure,
        language: language.map(|l| l.id().to_owned()),
        arms: groups
            .iter()
            .enumerate()
            .map(|(at, group)| {
                let pile = piles.iter().find(|p| p.0 == at && p.1 == language);
                arm(measure, language, group, pile.map(|p| &p.2))
            })
            .collect(),
        pairs: Vec::new(),
    };
    languages.into_iter().map(table).collect()
}

fn arm(
    measure: &Measure,
    language: Option<Language>,
    group: &Group<'_>,
    pile: Option<&Pile>,
) -> ArmFigure {
    let none = Pile::default();
    let pile = pile.unwrap_or(&none);
    let trend = trend(&pile.series, &Options::default());
    ArmFigure {
        verdict: Some(verdict(&trend, direction(measure.direction))),
        trend,
        series: pile.series.clone(),
        missing: pile.missing.clone(),
        points: (pile.points, pile.unknown),
        total: (measure.pool == Pool::Sum).then(|| total(measure, language, group)),
    }
}

/// What each chain adds up to over the checkpoints that count. A value that is undefined adds
/// nothing; one that is unknown makes the sum unknown, and so does a chain without any.
fn total(measure: &Measure, language: Option<Language>, group: &Group<'_>) -> Total {
    let sum = |entries: &[Entry<'_>]| {
        let figures = entries.iter().filter(|e| e.counts);
        let figures = figures.filter_map(|e| e.change.figure(measure.id));
        let (mut sum, mut any) = (0.0, false);
        for value in figures.filter_map(|f| value_in(f, language)) {
            match value {
                Value::Known(known) => {
                    sum += known.value;
                    any = true;
                }
                Value::Undefined(_) => {}
                Value::Unknown(_) | Value::Word(_) => return None,
            }
        }
        any.then_some(sum)
    };
    let lines = group.lines.iter();
    let chains: Vec<(String, Option<f64>)> = lines
        .map(|(label, entries)| (label.clone(), sum(entries)))
        .collect();
    let known: Vec<f64> = chains.iter().filter_map(|c| c.1).collect();
    let (mean, sd) = mean_and_sd(&known);
    Total { chains, mean, sd }
}
