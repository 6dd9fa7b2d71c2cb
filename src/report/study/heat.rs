//! Which tests pass where: a map of tests by checkpoint.

/// Tests of one arm by checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeatMap {
    /// The arm.
    pub arm: String,
    /// What a row is: `test`, or `tests of` a checkpoint and category.
    pub rows_are: &'static str,
    /// The columns, ascending.
    pub checkpoints: Vec<u32>,
    /// The rows, in the order shown.
    pub rows: Vec<HeatRow>,
    /// Chains that had a gate with a verdict at a checkpoint, of those that reached it; by column.
    pub judged: Vec<(u32, u32)>,
}

/// One test, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeatRow {
    /// Its id, or what is said of several.
    pub label: String,
    /// How many tests it stands for.
    pub tests: u32,
    /// By column.
    pub cells: Vec<HeatCell>,
}

/// The outcomes of a row at a checkpoint, over the chains of the arm and the tests of the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeatCell {
    /// Passed.
    pub passed: u32,
    /// Failed or ended by an error; everything of a change that does not build.
    pub failed: u32,
    /// Skipped: in no rate.
    pub skipped: u32,
}

impl HeatCell {
    /// Outcomes that a rate is over.
    pub fn of(self) -> u32 {
        self.passed + self.failed
    }
}
