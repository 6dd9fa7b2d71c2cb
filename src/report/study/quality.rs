//! Cost against quality, and scores of whole chains.

use crate::measure::Value;
use crate::measure::catalogue::{Direction, Measure};
use crate::stats::{Interval, Place};

/// What is said of whole arms.
#[derive(Debug, Clone, Default)]
pub struct Quality {
    /// One a score, an arm's values side by side; those of one part together.
    pub scores: Vec<Score>,
    /// Where each arm stands in cost and success, in the study's order.
    pub front: Vec<FrontArm>,
    /// Places of the arms on the front in the order they are named: the cheaper first; of two
    /// with the same cost and success the one with fewer wrong turns.
    pub efficient: Vec<usize>,
    /// What a reader should know of all of it.
    pub remarks: Vec<String>,
}

/// What a score is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// How often chains pass.
    Success,
    /// Scores of whole chains.
    Chains,
    /// Money and tokens.
    Spending,
    /// Time, steps and wrong turns.
    Effort,
    /// Against the known good solution.
    Reference,
}

impl Part {
    /// Every part, in the order shown.
    pub const ALL: [Part; 5] = [
        Part::Success,
        Part::Chains,
        Part::Spending,
        Part::Effort,
        Part::Reference,
    ];

    /// The words above its scores.
    pub fn title(self) -> &'static str {
        match self {
            Part::Success => "how often it works",
            Part::Chains => "scores of whole chains",
            Part::Spending => "what it costs",
            Part::Effort => "what it takes",
            Part::Reference => "against the reference",
        }
    }
}

/// One score of every arm.
#[derive(Debug, Clone)]
pub struct Score {
    /// Its id with its parameter: `pass_hat_k(3)`, `evoscore_strict(1.5)`.
    pub id: String,
    /// The measure, where the catalogue has it.
    pub measure: Option<&'static Measure>,
    /// What it is about.
    pub part: Part,
    /// A heading of two to eight words.
    pub title: String,
    /// What its number counts.
    pub unit: &'static str,
    /// Which way is better.
    pub direction: Direction,
    /// One an arm, in the study's order; its remark says over how many and what was left out.
    pub values: Vec<Value>,
    /// The 95 % interval of each, where there is one (`docs/quality.md` says which).
    pub intervals: Vec<Option<Interval>>,
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
    /// Mean wrong turns of a chain.
    pub wrong_turns: Value,
    /// Where it stands.
    pub place: Place,
    /// The arms that dominate it, by their place.
    pub dominated_by: Vec<usize>,
    /// Cost relative to the baseline's (0.12: 12 % more); `None` where one is unknown or zero.
    pub cost_against_baseline: Option<f64>,
    /// The 95 % interval of it; `None` where a task has fewer than two chains in an arm.
    pub cost_interval: Option<Interval>,
    /// Success less the baseline's.
    pub success_against_baseline: Option<f64>,
    /// The 95 % interval of it.
    pub success_interval: Option<Interval>,
    /// How many of its chains have a known cost, and a known success.
    pub counted: (usize, usize),
    /// How many chains it has.
    pub chains: usize,
}
