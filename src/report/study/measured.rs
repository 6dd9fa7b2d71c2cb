//! One measure, the arms side by side.

use std::collections::BTreeMap;

use crate::measure::catalogue::Measure;
use crate::report::counted;
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
    /// The tasks it is paired by, or the levels it is stratified over; empty where it is neither.
    pub over: Vec<String>,
    /// How they differ, the first less the second.
    pub comparison: Comparison,
    /// The permutation p-value, Holm-adjusted over all comparisons of the study.
    pub holm: Option<f64>,
}

impl Pair {
    /// How it was made: `paired by task over 8 tasks`, `stratified by style over 2 levels`, or
    /// nothing where whole arms were compared. `within` is the study's.
    pub fn how(&self, within: Option<&str>) -> Option<String> {
        let n = self.over.len() as u64;
        let of = within.unwrap_or("task");
        let levels = match of {
            "task" => counted(n, "task", "tasks"),
            _ => counted(n, "level", "levels"),
        };
        match (self.paired, n, &self.stratum) {
            (true, ..) => Some(format!(
                "paired by task over {}",
                counted(n, "task", "tasks")
            )),
            (false, 0, _) | (false, _, Some(_)) => None,
            (false, ..) => Some(format!("stratified by {of} over {levels}")),
        }
    }
}
