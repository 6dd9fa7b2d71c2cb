//! Slopes as data: what one group's one measure did, and how two groups differ.

use std::collections::BTreeMap;

use serde::Serialize;

use super::number::Number;
use crate::stats::{Comparison, Interval, Trend, VerdictText};

/// What is compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// One plain history: one series.
    History,
    /// The arms of experiments.
    Arm,
    /// The authors of changes.
    Author,
    /// The agents that changes name.
    Agent,
}

impl Grouping {
    /// The word in machine output, and the title of the column.
    pub fn word(self) -> &'static str {
        match self {
            Grouping::History => "history",
            Grouping::Arm => "arm",
            Grouping::Author => "author",
            Grouping::Agent => "agent",
        }
    }
}

/// One measure over the checkpoints of one group.
#[derive(Debug, Clone)]
pub struct SlopeRow {
    /// The arm, author or agent; empty for a plain history.
    pub group: String,
    /// The measure's id (of foreign data: whatever it is called there).
    pub measure: String,
    /// Language id of a per-language measure.
    pub language: Option<String>,
    /// Its figures' trend.
    pub trend: Trend,
    /// What it reads as, where there is more than one chain.
    pub verdict: Option<VerdictText>,
    /// Points that have no number, by reason.
    pub missing: BTreeMap<String, u64>,
    /// True where some of its changes had a window shorter than the lookback.
    pub window_growing: bool,
    /// All its points are unknown, for want of data or in this version.
    pub all_unknown: bool,
}

/// Two groups on one measure.
#[derive(Debug, Clone)]
pub struct CompareRow {
    /// The measure's id.
    pub measure: String,
    /// Language id of a per-language measure.
    pub language: Option<String>,
    /// The first group.
    pub first: String,
    /// The second.
    pub second: String,
    /// How they differ: the first less the second.
    pub comparison: Comparison,
    /// The permutation p-value, Holm-adjusted over all comparisons of this output.
    pub holm: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct IntervalJson {
    low: Number,
    high: Number,
}

impl From<Interval> for IntervalJson {
    fn from(i: Interval) -> Self {
        IntervalJson {
            low: Number(i.low),
            high: Number(i.high),
        }
    }
}

#[derive(Serialize)]
struct PhaseJson {
    phase: &'static str,
    mean: Option<Number>,
    n: usize,
}

#[derive(Serialize)]
struct PointJson {
    checkpoint: Number,
    mean: Number,
    chains: usize,
    sd: Option<Number>,
    share: Option<Number>,
}

#[derive(Serialize)]
struct ChainSlopeJson<'a> {
    chain: &'a str,
    slope: Option<Number>,
}

#[derive(Serialize)]
pub(super) struct SlopeJson<'a> {
    group: Option<&'a str>,
    metric: &'a str,
    language: Option<&'a str>,
    #[serde(flatten)]
    trend: TrendJson<'a>,
}

/// A trend, whoever's and of what.
#[derive(Serialize)]
pub(super) struct TrendJson<'a> {
    slope: Option<Number>,
    intercept: Option<Number>,
    interval: Option<IntervalJson>,
    interval_t_widened: Option<IntervalJson>,
    standard_error: Option<Number>,
    verdict: Option<String>,
    chains: usize,
    checkpoints: usize,
    values: usize,
    missing: usize,
    missing_reasons: &'a BTreeMap<String, u64>,
    window_still_growing: bool,
    mean_of_chain_slopes: Option<Number>,
    resamples_undefined: u32,
    phases: Vec<PhaseJson>,
    curve: Vec<PointJson>,
    chain_slopes: Vec<ChainSlopeJson<'a>>,
}

impl<'a> TrendJson<'a> {
    /// `t`, what it reads as, and why points have no number; `growing` where some had a window
    /// shorter than the lookback.
    pub(super) fn new(
        t: &'a Trend,
        verdict: Option<VerdictText>,
        missing: &'a BTreeMap<String, u64>,
        growing: bool,
    ) -> TrendJson<'a> {
        let phases = t.phases.iter().map(|p| PhaseJson {
            phase: p.name.as_str(),
            mean: p.mean.map(Number),
            n: p.n,
        });
        let curve = t.mean_curve.iter().enumerate().map(|(i, p)| PointJson {
            checkpoint: Number(p.index),
            mean: Number(p.mean),
            chains: p.chains,
            sd: t.band.get(i).map(|b| Number(b.sd)),
            share: t.shares.get(i).map(|s| Number(s.share)),
        });
        let chain_slopes = t.chain_slopes.iter().map(|c| ChainSlopeJson {
            chain: &c.chain,
            slope: c.slope.map(Number),
        });
        TrendJson {
            slope: t.slope.map(Number),
            intercept: t.intercept.map(Number),
            interval: t.percentile.map(Into::into),
            interval_t_widened: t.t_widened.map(Into::into),
            standard_error: t.standard_error.map(Number),
            verdict: verdict.map(|v| v.to_string()),
            chains: t.chains,
            checkpoints: t.checkpoints,
            values: t.values,
            missing: t.missing,
            missing_reasons: missing,
            window_still_growing: growing,
            mean_of_chain_slopes: t.mean_of_chain_slopes.map(Number),
            resamples_undefined: t.resamples_undefined,
            phases: phases.collect(),
            curve: curve.collect(),
            chain_slopes: chain_slopes.collect(),
        }
    }
}

impl<'a> From<&'a SlopeRow> for SlopeJson<'a> {
    fn from(row: &'a SlopeRow) -> Self {
        SlopeJson {
            group: (!row.group.is_empty()).then_some(row.group.as_str()),
            metric: &row.measure,
            language: row.language.as_deref(),
            trend: TrendJson::new(&row.trend, row.verdict, &row.missing, row.window_growing),
        }
    }
}

#[derive(Serialize)]
pub(super) struct CompareJson<'a> {
    metric: &'a str,
    language: Option<&'a str>,
    first: &'a str,
    second: &'a str,
    #[serde(flatten)]
    comparison: ComparisonJson,
}

/// A comparison, whoever's and of what.
#[derive(Serialize)]
pub(super) struct ComparisonJson {
    separation: &'static str,
    slope_difference: Option<Number>,
    interval: Option<IntervalJson>,
    interval_t_widened: Option<IntervalJson>,
    p: Option<Number>,
    p_exact: Option<bool>,
    p_holm: Option<Number>,
    hedges_g: Option<Number>,
    cliffs_delta: Option<Number>,
    smallest_detectable: Option<Number>,
}

impl ComparisonJson {
    /// `c` and its p-value after Holm's adjustment.
    pub(super) fn new(c: &Comparison, holm: Option<f64>) -> ComparisonJson {
        ComparisonJson {
            separation: c.separation.as_str(),
            slope_difference: c.slope_difference.map(Number),
            interval: c.percentile.map(Into::into),
            interval_t_widened: c.t_widened.map(Into::into),
            p: c.permutation.map(|p| Number(p.p)),
            p_exact: c.permutation.map(|p| p.exact),
            p_holm: holm.map(Number),
            hedges_g: c.effect.and_then(|e| e.hedges_g).map(Number),
            cliffs_delta: c.effect.map(|e| Number(e.cliffs_delta)),
            smallest_detectable: c.smallest_detectable.map(Number),
        }
    }
}

impl<'a> From<&'a CompareRow> for CompareJson<'a> {
    fn from(row: &'a CompareRow) -> Self {
        CompareJson {
            metric: &row.measure,
            language: row.language.as_deref(),
            first: &row.first,
            second: &row.second,
            comparison: ComparisonJson::new(&row.comparison, row.holm),
        }
    }
}
