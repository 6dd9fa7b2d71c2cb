//! What there is to say first: one sentence a measure and pair of arms, with its parts.

use serde::Serialize;

use super::super::number::{Number, short, signed};
use super::super::study::{MeasureTable, Pair, Study};
use super::order;
use crate::measure::catalogue::Direction;
use crate::stats::{Interval, MIN_CHAINS, Separation};

/// What one measure says of two arms.
#[derive(Debug, Clone)]
pub struct Headline {
    /// The measure's id.
    pub measure: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Language id of a per-language measure.
    pub language: Option<String>,
    /// What its number counts.
    pub unit: &'static str,
    /// True of an aggregate ratio and other context.
    pub secondary: bool,
    /// The arm compared.
    pub first: String,
    /// What it is compared with.
    pub second: String,
    /// What is said.
    pub kind: HeadlineKind,
    /// Slopes of the two.
    pub slopes: (Option<f64>, Option<f64>),
    /// The first slope less the second.
    pub difference: Option<f64>,
    /// Its t-widened 95 % interval.
    pub interval: Option<Interval>,
    /// Permutation p-value, Holm-adjusted over all comparisons of the study.
    pub holm: Option<f64>,
    /// What these chains would have shown.
    pub detectable: Option<f64>,
    /// Chains of the two.
    pub chains: (usize, usize),
    /// How it was made where whole arms were not compared: `paired by task over 8 tasks`.
    pub how: Option<String>,
    /// Means over chains of the sums over a chain.
    pub totals: Option<(f64, f64)>,
    /// Means over the last checkpoint of the mean curves.
    pub finals: Option<(f64, f64)>,
}

/// What a headline says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadlineKind {
    /// The interval of the difference excludes zero, on the better side.
    Better,
    /// On the worse side.
    Worse,
    /// Of a descriptive measure: it excludes zero.
    Differs,
    /// It holds zero.
    NotShown,
    /// An arm has under six chains: the interval is shown, nothing is claimed.
    TooFewChains,
    /// Differences were taken by task, over under six tasks.
    TooFewTasks,
    /// There is no interval.
    NoInterval,
}

impl HeadlineKind {
    /// The word in machine output.
    pub fn word(self) -> &'static str {
        match self {
            HeadlineKind::Better => "better",
            HeadlineKind::Worse => "worse",
            HeadlineKind::Differs => "differs",
            HeadlineKind::NotShown => "no difference shown",
            HeadlineKind::TooFewChains => "too few chains",
            HeadlineKind::TooFewTasks => "too few tasks",
            HeadlineKind::NoInterval => "no interval",
        }
    }
}

/// The headlines of a study: of every pair over all its chains, leading measures first, those
/// of `also` (ids) among them.
pub fn headlines(study: &Study, also: &[String]) -> Vec<Headline> {
    let mut tables: Vec<&MeasureTable> = study
        .measures
        .iter()
        .filter(|t| {
            let asked = also.iter().any(|id| id == t.measure.id);
            asked || order::headline(t.measure).is_some()
        })
        .collect();
    tables.sort_by_key(|t| order::rank(t.measure));
    tables
        .iter()
        .flat_map(|table| {
            let over_all = table.pairs.iter().filter(|p| p.stratum.is_none());
            over_all.filter_map(|pair| headline(study, table, pair))
        })
        .collect()
}

fn headline(study: &Study, table: &MeasureTable, pair: &Pair) -> Option<Headline> {
    let c = &pair.comparison;
    let of = |at: usize| table.arms.get(at);
    let both = |a: Option<f64>, b: Option<f64>| a.zip(b);
    let total = |at: usize| of(at)?.total.as_ref()?.mean;
    let last = |at: usize| of(at)?.trend.last.map(|p| p.mean);
    // Where an arm has no value at all there is nothing to say.
    if c.chains.0 == 0 || c.chains.1 == 0 {
        return None;
    }
    // Of a comparison of some of the chains the sums of all of them say nothing.
    let all = |at: usize| study.arms.get(at).map_or(0, |arm| arm.chains.len());
    let whole = !pair.paired || c.chains == (all(pair.first), all(pair.second));
    let both = |a: Option<f64>, b: Option<f64>| both(a, b).filter(|_| whole);
    Some(Headline {
        measure: table.measure.id,
        title: table.measure.title,
        language: table.language.clone(),
        unit: table.measure.unit,
        secondary: !table.measure.primary,
        first: study.arms.get(pair.first)?.name.clone(),
        second: study.arms.get(pair.second)?.name.clone(),
        kind: kind(table.measure.direction, pair),
        slopes: c.slopes,
        difference: c.slope_difference,
        interval: c.t_widened,
        holm: pair.holm,
        detectable: c.smallest_detectable,
        chains: c.chains,
        how: pair.how(study.within.as_deref()),
        totals: both(total(pair.first), total(pair.second)),
        finals: both(last(pair.first), last(pair.second)),
    })
}

fn kind(direction: Direction, pair: &Pair) -> HeadlineKind {
    let c = &pair.comparison;
    let Some(interval) = c.t_widened else {
        return HeadlineKind::NoInterval;
    };
    if c.separation == Separation::TooFewTasks {
        return HeadlineKind::TooFewTasks;
    }
    if c.chains.0.min(c.chains.1) < MIN_CHAINS {
        return HeadlineKind::TooFewChains;
    }
    if !interval.excludes_zero() {
        return HeadlineKind::NotShown;
    }
    match (direction, interval.low > 0.0) {
        (Direction::Descriptive, _) => HeadlineKind::Differs,
        (Direction::LowerIsBetter, true) | (Direction::HigherIsBetter, false) => {
            HeadlineKind::Worse
        }
        (Direction::LowerIsBetter, false) | (Direction::HigherIsBetter, true) => {
            HeadlineKind::Better
        }
    }
}

impl Headline {
    /// A difference that is shown by its own interval, and whose p-value is not small once all
    /// comparisons of the study are looked at together.
    pub fn may_be_chance(&self) -> bool {
        let shown = matches!(
            self.kind,
            HeadlineKind::Better | HeadlineKind::Worse | HeadlineKind::Differs
        );
        shown && self.holm.is_some_and(|p| p > 0.05)
    }

    /// The title with its language.
    pub fn name(&self) -> String {
        match &self.language {
            Some(language) => format!("{} ({language})", self.title),
            None => self.title.to_owned(),
        }
    }

    /// A number with its unit a checkpoint: `0.2 functions a checkpoint`, `0.2 a checkpoint`.
    fn each(&self, n: f64) -> String {
        match self.unit {
            "ratio" | "flag" | "outcome" => format!("{} a checkpoint", short(n)),
            unit => format!("{} {unit} a checkpoint", short(n)),
        }
    }

    /// What is claimed, without its title.
    pub fn claim(&self) -> String {
        let (first, second) = (&self.first, &self.second);
        let apart = match self.difference {
            None => String::new(),
            Some(0.0) => format!("the slopes of {first} and {second} are the same"),
            Some(d) => {
                let way = if d < 0.0 { "lower" } else { "greater" };
                let by = self.each(d.abs());
                format!("the slope of {first} is {by} {way} than that of {second}")
            }
        };
        match self.kind {
            HeadlineKind::Better | HeadlineKind::Worse | HeadlineKind::Differs => {
                // The interval is this comparison's alone; among many some exclude zero by chance.
                match self.holm {
                    Some(p) if self.may_be_chance() => format!(
                        "{apart}; of all comparisons made here, one like it may be chance (p {}, \
                         Holm)",
                        short(p)
                    ),
                    _ => apart,
                }
            }
            HeadlineKind::NotShown => {
                let shown = self.detectable.map_or_else(String::new, |d| {
                    format!("; these chains would have shown ±{}", self.each(d))
                });
                format!("no difference shown between {first} and {second}{shown}")
            }
            HeadlineKind::TooFewChains => format!(
                "too few chains to say ({} and {}; {MIN_CHAINS} each are needed); as they are, \
                 {apart}",
                self.chains.0, self.chains.1
            ),
            HeadlineKind::TooFewTasks => {
                format!("too few tasks to say ({MIN_CHAINS} are needed); as they are, {apart}")
            }
            HeadlineKind::NoInterval if apart.is_empty() => {
                format!(
                    "no slopes to compare between {first} and {second}: an arm has values at fewer \
                     than two checkpoints"
                )
            }
            HeadlineKind::NoInterval => format!(
                "too few chains to say ({} and {}, no interval); as they are, {apart}",
                self.chains.0, self.chains.1
            ),
        }
    }

    /// The claim where its word stands beside it.
    pub(super) fn claim_beside_its_word(&self) -> String {
        let claim = self.claim();
        let bare = claim.strip_prefix("no difference shown ");
        bare.map_or(claim.clone(), str::to_owned)
    }

    /// What the claim rests on.
    pub fn evidence(&self) -> String {
        let mut parts = Vec::new();
        if let Some(d) = self.difference {
            parts.push(match self.interval {
                Some(i) => format!(
                    "difference {}, 95 % interval {} to {}",
                    signed(d),
                    signed(i.low),
                    signed(i.high)
                ),
                None => format!("difference {}", signed(d)),
            });
        }
        if let (Some(a), Some(b)) = self.slopes {
            parts.push(format!("slopes {} and {}", signed(a), signed(b)));
        }
        if let Some(p) = self.holm {
            parts.push(format!("p {} (Holm)", short(p)));
        }
        if let Some((a, b)) = self.totals {
            parts.push(format!("over a chain {} against {}", short(a), short(b)));
        } else if let Some((a, b)) = self.finals {
            parts.push(format!("in the end {} against {}", short(a), short(b)));
        }
        parts.push(match self.chains {
            (a, b) if a == b => format!("{a} chains each"),
            (a, b) => format!("{a} and {b} chains"),
        });
        parts.extend(self.how.clone());
        parts.join("; ")
    }

    /// The whole sentence.
    pub fn sentence(&self) -> String {
        let mark = if self.secondary { " (secondary)" } else { "" };
        let reads = match self.kind {
            HeadlineKind::Better => ": better",
            HeadlineKind::Worse => ": worse",
            _ => "",
        };
        format!(
            "{}{mark}: {}{reads} ({}).",
            self.name(),
            self.claim(),
            self.evidence()
        )
    }
}

#[derive(Serialize)]
pub(super) struct HeadlineJson<'a> {
    metric: &'a str,
    language: Option<&'a str>,
    secondary: bool,
    first: &'a str,
    second: &'a str,
    says: &'static str,
    sentence: String,
    difference: Option<Number>,
    low: Option<Number>,
    high: Option<Number>,
    p_holm: Option<Number>,
    smallest_detectable: Option<Number>,
    chains: [usize; 2],
}

impl<'a> From<&'a Headline> for HeadlineJson<'a> {
    fn from(h: &'a Headline) -> Self {
        HeadlineJson {
            metric: h.measure,
            language: h.language.as_deref(),
            secondary: h.secondary,
            first: &h.first,
            second: &h.second,
            says: h.kind.word(),
            sentence: h.sentence(),
            difference: h.difference.map(Number),
            low: h.interval.map(|i| Number(i.low)),
            high: h.interval.map(|i| Number(i.high)),
            p_holm: h.holm.map(Number),
            smallest_detectable: h.detectable.map(Number),
            chains: [h.chains.0, h.chains.1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::inert::hostile;
    use super::*;

    #[test]
    fn sums_of_whole_arms_stand_beside_no_comparison_of_a_part_of_them() {
        let also = ["churn".to_owned()];
        let mut study = hostile().study;
        let told = |study: &Study| headlines(study, &also)[0].finals;
        let whole = told(&study);
        assert!(whole.is_some());
        // Tasks that both have: of six of their chains each.
        study.measures[0].pairs[0].paired = true;
        for chains in [6, 7] {
            for arm in &mut study.arms {
                arm.chains = vec![arm.chains[0].clone(); chains];
            }
            let expected = if chains == 6 { whole } else { None };
            assert_eq!(told(&study), expected, "{chains}");
        }
    }
}
