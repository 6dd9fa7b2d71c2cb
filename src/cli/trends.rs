//! Groups of lines turned into the rows of the slope tables: trends, verdicts, comparisons.

use std::collections::BTreeMap;

use super::series::{self, Entry, Taken};
use crate::history::Language;
use crate::measure::catalogue::{Direction as Measured, Measure};
use crate::report::{CompareRow, SlopeRow};
use crate::stats::{Direction, Options, Series, compare, holm, trend, verdict};

/// An arm, author or agent, and its lines.
pub(super) struct Group<'a> {
    /// Its name; empty for a plain history.
    pub name: String,
    /// Each line's name and entries, oldest first.
    pub lines: Vec<(String, Vec<Entry<'a>>)>,
}

/// One group's one measure in one language.
#[derive(Debug, Default)]
pub(super) struct Pile {
    /// A series a chain.
    pub series: Vec<Series>,
    /// Why values are missing.
    pub missing: BTreeMap<String, u64>,
    /// Points in all, and how many of them are unknown.
    pub points: usize,
    /// How many of the points are unknown.
    pub unknown: usize,
}

impl Pile {
    /// Takes in one line.
    fn add(&mut self, chain: &str, taken: Taken) {
        self.points += taken.points.len();
        self.unknown += taken.unknown;
        for (reason, n) in taken.missing {
            *self.missing.entry(reason).or_default() += n;
        }
        self.series.push(Series {
            chain: chain.to_owned(),
            points: taken.points,
        });
    }

    /// The row of this pile.
    pub(super) fn row(
        &self,
        group: &str,
        measure: &str,
        language: Option<&str>,
        way: Direction,
    ) -> SlopeRow {
        let trend = trend(&self.series, &Options::default());
        SlopeRow {
            group: group.to_owned(),
            measure: measure.to_owned(),
            language: language.map(str::to_owned),
            verdict: Some(verdict(&trend, way)),
            trend,
            missing: self.missing.clone(),
            window_growing: false,
            all_unknown: self.points > 0 && self.unknown == self.points,
        }
    }
}

/// Which way of a measure is the good one, in the words of the statistics.
pub(super) fn direction(of: Measured) -> Direction {
    match of {
        Measured::LowerIsBetter => Direction::LowerIsBetter,
        Measured::HigherIsBetter => Direction::HigherIsBetter,
        Measured::Descriptive => Direction::Descriptive,
    }
}

/// The piles of one measure by group (in the order given) and language. A line whose figures are
/// of no language counts in each that others have.
pub(super) fn piles(
    measure: &Measure,
    groups: &[Group<'_>],
) -> Vec<(usize, Option<Language>, Pile)> {
    let lines = groups.iter().enumerate().flat_map(|(at, group)| {
        let lines = group.lines.iter();
        lines.map(move |(chain, entries)| (at, chain, series::points(measure, entries)))
    });
    let lines: Vec<(usize, &String, Vec<Taken>)> = lines.collect();
    let mut all: Vec<Language> = Vec::new();
    for language in lines.iter().flat_map(|l| &l.2).filter_map(|t| t.language) {
        if !all.contains(&language) {
            all.push(language);
        }
    }
    let mut piles: Vec<(usize, Option<Language>, Pile)> = Vec::new();
    for (at, chain, of_line) in lines {
        for taken in of_line {
            let of = match taken.language {
                None if !all.is_empty() => all.iter().copied().map(Some).collect(),
                language => vec![language],
            };
            for language in of {
                let mine = piles.iter().position(|p| p.0 == at && p.1 == language);
                let mine = mine.unwrap_or_else(|| {
                    piles.push((at, language, Pile::default()));
                    piles.len() - 1
                });
                piles[mine].2.add(chain, taken.clone());
            }
        }
    }
    piles
}

/// One row a measure and group.
pub(super) fn rows(measures: &[&'static Measure], groups: &[Group<'_>]) -> Vec<SlopeRow> {
    let mut rows = Vec::new();
    for measure in measures {
        let way = direction(measure.direction);
        for (at, language, pile) in piles(measure, groups) {
            let group = &groups[at];
            let entries = || group.lines.iter().map(|(_, entries)| entries.as_slice());
            let language = language.map(Language::id);
            let mut row = pile.row(&group.name, measure.id, language, way);
            row.window_growing = measure.windowed
                && entries().any(|e| series::is_plain(e) && series::growing(e) > 0);
            rows.push(row);
        }
    }
    rows
}

/// Every pair of groups on every measure, p-values adjusted over all of them.
pub(super) fn comparisons(measures: &[&'static Measure], groups: &[Group<'_>]) -> Vec<CompareRow> {
    let named = measures.iter().map(|measure| {
        let piles = piles(measure, groups);
        let named = piles.into_iter().map(|(at, language, pile)| NamedPile {
            group: groups[at].name.clone(),
            language: language.map(|l| l.id().to_owned()),
            series: pile.series,
        });
        (measure.id.to_owned(), named.collect())
    });
    compared(named)
}

/// A pile with its names, for [`compared`].
pub(super) struct NamedPile {
    /// The group.
    pub group: String,
    /// Language id.
    pub language: Option<String>,
    /// A series a chain.
    pub series: Vec<Series>,
}

/// Every pair of piles of one measure and language, p-values adjusted over all of them.
pub(super) fn compared(
    measures: impl Iterator<Item = (String, Vec<NamedPile>)>,
) -> Vec<CompareRow> {
    let mut rows = Vec::new();
    for (measure, piles) in measures {
        for (i, first) in piles.iter().enumerate() {
            for second in &piles[i + 1..] {
                if first.language != second.language {
                    continue;
                }
                let comparison = compare(&first.series, &second.series, &Options::default());
                // Two arms without any value have nothing to compare.
                if comparison.chains == (0, 0) {
                    continue;
                }
                rows.push(CompareRow {
                    measure: measure.clone(),
                    language: first.language.clone(),
                    first: first.group.clone(),
                    second: second.group.clone(),
                    comparison,
                    holm: None,
                });
            }
        }
    }
    let p = |row: &CompareRow| row.comparison.permutation.map_or(f64::NAN, |p| p.p);
    let adjusted = holm(&rows.iter().map(p).collect::<Vec<_>>());
    for (row, adjusted) in rows.iter_mut().zip(adjusted) {
        row.holm = (!adjusted.is_nan()).then_some(adjusted);
    }
    rows
}
