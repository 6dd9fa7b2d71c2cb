//! Cost against quality, and scores of whole chains.

use crate::measure::Value;
use crate::measure::catalogue::Measure;
use crate::stats::Place;

/// What is said of whole arms.
#[derive(Debug, Clone, Default)]
pub struct Quality {
    /// One a score, an arm's values side by side.
    pub scores: Vec<Score>,
    /// Where each arm stands in cost and success, in the study's order.
    pub front: Vec<FrontArm>,
}

/// One score of every arm.
#[derive(Debug, Clone)]
pub struct Score {
    /// Its id with its parameter: `pass_hat_k(3)`, `evoscore_strict(1.5)`.
    pub id: String,
    /// The measure, where the catalogue has it.
    pub measure: Option<&'static Measure>,
    /// A heading of two to six words.
    pub title: String,
    /// What its number counts.
    pub unit: &'static str,
    /// One an arm, in the study's order; its remark says over how many and what was left out.
    pub values: Vec<Value>,
}

/// One arm in cost and success.
#[derive(Debug, Clone)]
pub struct FrontArm {
    /// Its place in the study.
    pub arm: usize,
    /// Mean cost of a chain, in US dollars.
    pub cost: Value,
    /// `pass_at_1`.
    pub success: Value,
    /// Where it stands.
    pub place: Place,
    /// The arms that dominate it, by their place.
    pub dominated_by: Vec<usize>,
    /// Cost relative to the baseline's (0.12: 12 % more); `None` where one is unknown or zero.
    pub cost_against_baseline: Option<f64>,
    /// Success less the baseline's.
    pub success_against_baseline: Option<f64>,
}
