//! How what produced the arms differs.

/// One property that is not the same everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What it is: `model`, `agent version`, `prompt of checkpoint 3`, `timeout`, `tool cargo`.
    pub what: String,
    /// What each arm has, in the study's order; several where its chains differ, none where no
    /// record tells.
    pub values: Vec<Vec<String>>,
    /// Whether the plan says so.
    pub declared: Declared,
}

/// Whether a difference is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// The plan sets it for an arm: it is what is compared.
    ByThePlan,
    /// The plan does not declare it.
    No,
    /// There is no plan to say.
    NoPlan,
}
