//! One measure, the arms side by side.

use std::collections::BTreeMap;

use crate::measure::catalogue::Measure;
use crate::stats::{Comparison, Series, Trend, VerdictText};

/// One measure in one language.
#[derive(Debug, Clone)]
pub struct MeasureTable {
    /// The measure.
    pub measure: &'static Measure,
    /// Language id of a per-language measure.
    pub language: Option<String>,
    /// One an arm, in the study's order.
    pub arms: Vec<ArmFigure>,
    /// The comparisons that were made.
    pub pairs: Vec<Pair>,
}

/// One measure over the checkpoints of one arm.
#[derive(Debug, Clone)]
pub struct ArmFigure {
    /// Its trend: mean curve, slope, intervals, phases, band.
    pub trend: Trend,
    /// What it reads as, where there is more than one chain.
    pub verdict: Option<VerdictText>,
    /// The values by chain; without a value where there is no number.
    pub series: Vec<Series>,
    /// Points that have no number, by reason.
    pub missing: BTreeMap<String, u64>,
    /// Points, and how many of them are unknown.
    pub points: (usize, usize),
    /// The sum over a chain, of measures that are added up.
    pub total: Option<Total>,
}

/// What chains add up to, of a measure whose values are added.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    /// By chain name: its sum, `None` where a value of it is unknown.
    pub chains: Vec<(String, Option<f64>)>,
    /// Mean over the chains that have a sum.
    pub mean: Option<f64>,
    /// Sample standard deviation over them; `None` under two.
    pub sd: Option<f64>,
}

/// Two arms on one measure.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Place of the first arm: the one compared.
    pub first: usize,
    /// Place of the second: what it is compared with.
    pub second: usize,
    /// The level of what comparisons are made within; `None`: over all.
    pub stratum: Option<String>,
    /// True where tasks pair: differences were taken task by task.
    pub paired: bool,
    /// How they differ, the first less the second.
    pub comparison: Comparison,
    /// The permutation p-value, Holm-adjusted over all comparisons of the study.
    pub holm: Option<f64>,
}
