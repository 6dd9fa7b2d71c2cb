//! What was read out of a coverage report: executed lines by file, and by test where it has
//! them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::LineSet;

/// One coverage report, keyed to paths of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageMap {
    /// The format it was read from.
    pub format: String,
    /// What is known of each file.
    pub files: BTreeMap<String, FileCoverage>,
    /// Test id to the executable lines it ran, by file; `None`: the report does not tell tests
    /// apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_test: Option<BTreeMap<String, BTreeMap<String, LineSet>>>,
    /// Lines that ran while loading and by no test; `None`: not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_only: Option<BTreeMap<String, LineSet>>,
    /// Paths of the report that are no file of the tree, or more than one.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unmapped: BTreeSet<String>,
    /// What to know before trusting it, as codes.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub warnings: BTreeSet<String>,
}

/// One file's lines. `covered` and `missed` are disjoint; together they can be executed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileCoverage {
    /// Executed at least once.
    pub covered: LineSet,
    /// Never executed.
    pub missed: LineSet,
    /// Of the covered: some branch or instruction of it never ran.
    #[serde(default, skip_serializing_if = "LineSet::is_empty")]
    pub partial: LineSet,
    /// Line to branches taken and branches there are; `None`: the format has no branches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branches: Option<BTreeMap<u32, (u64, u64)>>,
    /// Lines that a pragma took out.
    #[serde(default, skip_serializing_if = "LineSet::is_empty")]
    pub excluded: LineSet,
}

/// Sums over the files of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CoverageTotals {
    /// Lines that can be executed.
    pub executable: u64,
    /// Of them those that were.
    pub covered: u64,
    /// Of these those whose branches were not all taken.
    pub partial: u64,
}

impl CoverageMap {
    /// Sums over all files, from the lines.
    pub fn totals(&self) -> CoverageTotals {
        let mut totals = CoverageTotals::default();
        for file in self.files.values() {
            totals.executable += file.covered.len() + file.missed.len();
            totals.covered += file.covered.len();
            totals.partial += file.partial.len();
        }
        totals
    }
}
