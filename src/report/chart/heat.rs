//! What became of tests, checkpoint by checkpoint.

use super::Look;
use super::canvas::Canvas;
use super::svg::Svg;

/// Tests, or categories of them, over checkpoints, arms side by side.
#[derive(Debug, Clone, Default)]
pub struct HeatMap {
    /// What it is, in one line.
    pub title: String,
    /// The checkpoints, ascending.
    pub checkpoints: Vec<u32>,
    /// One an arm.
    pub panels: Vec<HeatPanel>,
}

/// One arm's part of a heat map.
#[derive(Debug, Clone, Default)]
pub struct HeatPanel {
    /// The arm's name.
    pub name: String,
    /// Its rows. Panels may have different ones.
    pub rows: Vec<HeatRow>,
}

/// One test or category.
#[derive(Debug, Clone, Default)]
pub struct HeatRow {
    /// Its name.
    pub label: String,
    /// What it belongs to (its checkpoint or category); rows of a group follow each other. May
    /// be empty.
    pub group: String,
    /// One a checkpoint, in the map's order.
    pub cells: Vec<HeatCell>,
}

/// One test at one checkpoint, over the chains of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeatCell {
    /// It passed `passed` of the `of` times it was judged (chains, or chains times tests of a
    /// category). `of` is above zero.
    Passed {
        /// How often it passed.
        passed: u32,
        /// How often it was judged.
        of: u32,
    },
    /// It belongs to no checkpoint up to here: nothing to judge.
    #[default]
    None,
    /// It should have run and did not (skipped, not collected).
    NotRun,
    /// The gates gave no verdict.
    Invalid,
    /// No record tells.
    Unknown,
}

/// The heat map.
pub fn heat(map: &HeatMap, look: &Look) -> Svg {
    Canvas::new(look).finish(10.0, &map.title, "")
}
