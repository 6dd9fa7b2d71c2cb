//! Slopes, or differences of slopes, with their intervals.

use super::Look;
use super::canvas::Canvas;
use super::svg::Svg;
use crate::report::{MeasureTable, StudyArm};
use crate::stats::Interval;

/// Rows of estimates and their intervals.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    /// What it is, in one line.
    pub title: String,
    /// The rows, in the order shown; those of one `group` follow each other.
    pub rows: Vec<ForestRow>,
}

/// One estimate.
#[derive(Debug, Clone)]
pub struct ForestRow {
    /// What the row is one of, usually the measure: rows of a group share one scale.
    pub group: String,
    /// Unit of the numbers, with what is good: `functions a checkpoint, lower is better`.
    pub unit: String,
    /// Whose it is: the arm, or `a less b`.
    pub label: String,
    /// Place of the arm in its study, for its colour; `None`: a difference.
    pub arm: Option<usize>,
    /// The estimate; `None`: `verdict` says why there is none.
    pub estimate: Option<f64>,
    /// 95 % percentile interval.
    pub percentile: Option<Interval>,
    /// The same, t-widened.
    pub t_widened: Option<Interval>,
    /// What it reads as.
    pub verdict: String,
}

/// The slopes of every measure and arm.
pub fn slopes(tables: &[MeasureTable], arms: &[StudyArm]) -> Forest {
    let _ = (tables, arms);
    Forest::default()
}

/// The differences of slopes of every measure and pair of arms.
pub fn slope_differences(tables: &[MeasureTable], arms: &[StudyArm]) -> Forest {
    let _ = (tables, arms);
    Forest::default()
}

/// The forest plot.
pub fn forest(forest: &Forest, look: &Look) -> Svg {
    Canvas::new(look).finish(10.0, &forest.title, "")
}
