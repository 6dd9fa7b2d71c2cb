//! What the arms were made with, and how that differs.

/// One property that is not the same everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What sort of property: `plan`, `content`, `agent`, `tools`, `system`, `settings`.
    pub sort: &'static str,
    /// What it is: `model`, `agent version`, `prompt of checkpoint bulk`, `limits`, `git`. Where
    /// it is not the same difference in every task, the tasks stand behind it in brackets.
    pub what: String,
    /// What each arm has, in the study's order; several where its chains differ, none where no
    /// record tells.
    pub values: Vec<Vec<String>>,
    /// By arm: chains of which no record tells. Never taken for equal.
    pub unknown: Vec<u64>,
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

impl Declared {
    /// The words in output.
    pub fn words(self) -> &'static str {
        match self {
            Declared::ByThePlan => "declared",
            Declared::No => "not declared",
            Declared::NoPlan => "no plan to say",
        }
    }
}

/// One property of what was run, the arms side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// What sort of property, as of a [`Difference`].
    pub sort: &'static str,
    /// What it is: `model`, `agent version`, `prompts`, `git`, `kernel`.
    pub what: String,
    /// What each arm has, in the study's order; several where its chains differ.
    pub values: Vec<Vec<String>>,
    /// By arm: chains of which no record tells.
    pub unknown: Vec<u64>,
}

impl Difference {
    /// What an arm has, in words: `opus`; `opus, sonnet`; `opus, unknown of 2 chains`; `unknown`.
    pub fn words(&self, arm: usize) -> String {
        words(&self.values, &self.unknown, arm)
    }
}

impl Provenance {
    /// What an arm has, in words, as [`Difference::words`] says it.
    pub fn words(&self, arm: usize) -> String {
        words(&self.values, &self.unknown, arm)
    }
}

fn words(values: &[Vec<String>], unknown: &[u64], arm: usize) -> String {
    let known = values.get(arm).map_or(&[][..], Vec::as_slice);
    let untold = unknown.get(arm).copied().unwrap_or(0);
    match (known, untold) {
        ([], 0) => "no chain".to_owned(),
        ([], _) => "unknown".to_owned(),
        (known, 0) => known.join(", "),
        (known, 1) => format!("{}, unknown of 1 chain", known.join(", ")),
        (known, n) => format!("{}, unknown of {n} chains", known.join(", ")),
    }
}
