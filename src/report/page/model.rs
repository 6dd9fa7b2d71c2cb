//! What a report shows beside the study: plain data, in the order shown.

use std::collections::BTreeMap;

use super::super::listing::List;
use super::super::study::{HeatMap, Study};
use super::hypothesis::Hypothesis;
use crate::error::{Error, Result};
use crate::measure::catalogue::Measure;

/// Everything a report is written from.
#[derive(Debug, Clone)]
pub struct Report {
    /// The experiment, over the checkpoints that were asked for.
    pub study: Study,
    /// The same over the other choice of checkpoints: all of them, or those that passed; `None`
    /// where no outcome is known.
    pub other: Option<Study>,
    /// What the plan set out to find, and what came of it; `None` where no plan says.
    pub hypothesis: Option<Hypothesis>,
    /// One sentence an arm on cost and quality.
    pub sentences: Vec<String>,
    /// Every value of every chain, as `log --format csv` has it.
    pub values: Vec<ValueTable>,
    /// Which tests pass where, one an arm.
    pub heat: Vec<HeatMap>,
    /// The same, a row a test: the data behind it.
    pub outcomes: Vec<HeatMap>,
    /// Tests that broke.
    pub regressions: Vec<Regression>,
    /// What the controls did: lists for people.
    pub controls: Vec<List>,
    /// What is to be said of the controls.
    pub control_remarks: Vec<String>,
    /// Where a commit can be looked at.
    pub commit_url: Option<CommitUrl>,
}

/// The values of one measure in one language.
#[derive(Debug, Clone)]
pub struct ValueTable {
    /// The measure.
    pub measure: &'static Measure,
    /// Language id of a per-language measure.
    pub language: Option<String>,
    /// The columns, ascending.
    pub checkpoints: Vec<u32>,
    /// The rows, by arm in the study's order.
    pub arms: Vec<Vec<ChainValues>>,
    /// Why a value is no number, in the order of their marks.
    pub reasons: Vec<String>,
}

/// The values of one chain.
#[derive(Debug, Clone)]
pub struct ChainValues {
    /// The chain's label.
    pub chain: String,
    /// By column; `None` where the checkpoint was not reached.
    pub cells: Vec<Option<CellValue>>,
}

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellValue {
    /// The number or word, exactly as `log --format csv` has it.
    Known(String),
    /// A ratio over nothing; the place of its reason.
    Undefined(usize),
    /// Something needed is missing; the place of its reason.
    Unknown(usize),
}

impl ValueTable {
    /// Whether any value is a number or a word.
    pub fn any_known(&self) -> bool {
        let cells = self.arms.iter().flatten().flat_map(|c| &c.cells);
        cells.flatten().any(|c| matches!(c, CellValue::Known(_)))
    }

    /// How many values are known, undefined and unknown.
    pub fn counts(&self) -> (usize, usize, usize) {
        let mut counts = (0, 0, 0);
        for cell in self.arms.iter().flatten().flat_map(|c| &c.cells).flatten() {
            match cell {
                CellValue::Known(_) => counts.0 += 1,
                CellValue::Undefined(_) => counts.1 += 1,
                CellValue::Unknown(_) => counts.2 += 1,
            }
        }
        counts
    }

    /// Why values are unknown: reason to how many.
    pub fn unknown_reasons(&self) -> BTreeMap<&str, u64> {
        let mut by = BTreeMap::new();
        for cell in self.arms.iter().flatten().flat_map(|c| &c.cells).flatten() {
            if let CellValue::Unknown(at) = cell
                && let Some(reason) = self.reasons.get(*at)
            {
                *by.entry(reason.as_str()).or_default() += 1;
            }
        }
        by
    }
}

/// A test that broke at a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regression {
    /// Place of the arm.
    pub arm: usize,
    /// The chain's label.
    pub chain: String,
    /// The checkpoint.
    pub checkpoint: u32,
    /// Its id in the plan.
    pub checkpoint_id: String,
    /// The agent commit, in full.
    pub commit: String,
    /// The test's id.
    pub test: String,
    /// What became of it: `failed`, `not run`.
    pub how: String,
    /// True where the checkpoint was declared to change it, or it stands apart for another reason:
    /// listed, not counted.
    pub apart: bool,
}

/// Where a commit can be looked at: an address with `{commit}` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitUrl(String);

impl CommitUrl {
    /// Reads a template.
    ///
    /// # Errors
    /// A usage error where it is no `https` or `http` address, or lacks `{commit}`.
    pub fn new(template: &str) -> Result<CommitUrl> {
        let web = template.starts_with("https://") || template.starts_with("http://");
        let clean = template
            .chars()
            .all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | '`' | '\\'));
        if !web || !clean {
            return Err(
                Error::usage(format!("'{template}' is no web address to look at commits"))
                    .with_hint("as in https://example.org/project/commit/{commit}"),
            );
        }
        if !template.contains("{commit}") {
            return Err(Error::usage("the address of commits has no {commit} in it")
                .with_hint("as in https://example.org/project/commit/{commit}"));
        }
        Ok(CommitUrl(template.to_owned()))
    }

    /// The address of a commit.
    pub(super) fn of(&self, commit: &str) -> String {
        self.0.replace("{commit}", commit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_with_a_place_for_the_commit_are_taken() {
        let url = CommitUrl::new("https://example.org/p/commit/{commit}").expect("an address");
        assert_eq!(url.of("abc"), "https://example.org/p/commit/abc");
        for wrong in [
            "javascript:alert(1)//{commit}",
            "data:text/html,{commit}",
            "https://example.org/",
            "https://example.org/\"><script>{commit}",
            "/local/{commit}",
        ] {
            assert!(CommitUrl::new(wrong).is_err(), "{wrong}");
        }
    }
}
