//! In which order measures stand: what each change did first, aggregate ratios last.

use crate::measure::catalogue::{Level, Measure};

/// Measures that lead, in order.
const LEAD: [&str; 16] = [
    "existing_fns_modified",
    "files_created",
    "packages_touched",
    "churn",
    "net_cc",
    "entry_cc",
    "reedit_rate",
    "strict_pass",
    "regressions",
    "true_regressions",
    "cost_usd",
    "cache_read_tokens",
    "num_turns",
    "wall_ms",
    "erosion_scoped",
    "erosion",
];

/// A part of the page that measures stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// What each change did.
    Change,
    /// What the code is after it.
    State,
    /// What the tests said.
    Tests,
    /// What making it took.
    Cost,
    /// Context: what cannot tell arms apart by itself.
    Secondary,
}

impl Part {
    pub(super) const ALL: [Part; 5] = [
        Part::Change,
        Part::State,
        Part::Tests,
        Part::Cost,
        Part::Secondary,
    ];

    /// Where a measure stands.
    pub(super) fn of(measure: &Measure) -> Part {
        match measure.level {
            _ if !measure.primary => Part::Secondary,
            Level::Change => Part::Change,
            Level::State => Part::State,
            Level::Tests => Part::Tests,
            Level::Process | Level::Chain => Part::Cost,
        }
    }

    pub(super) fn id(self) -> &'static str {
        match self {
            Part::Change => "changes",
            Part::State => "code",
            Part::Tests => "tests",
            Part::Cost => "cost",
            Part::Secondary => "secondary",
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Part::Change => "What each change did",
            Part::State => "What the code became",
            Part::Tests => "What the tests said",
            Part::Cost => "What it took",
            Part::Secondary => "Secondary measures",
        }
    }

    pub(super) fn lead(self) -> &'static str {
        match self {
            Part::Change => {
                "Figures of one checkpoint's change alone: the agent commit against its parent."
            }
            Part::State => "Figures of the tree after each checkpoint.",
            Part::Tests => "Figures of the gates: which tests passed after each checkpoint.",
            Part::Cost => "Figures of the session that made each change.",
            Part::Secondary => {
                "Context only. Aggregate ratios can stay still while what they are made of moves, \
                 and counts of the whole tree grow with what is asked for."
            }
        }
    }
}

/// Sorts by part, leading measures first, then as the catalogue has them.
pub(super) fn rank(measure: &Measure) -> (Part, usize) {
    let lead = LEAD.iter().position(|id| *id == measure.id);
    (Part::of(measure), lead.unwrap_or(LEAD.len()))
}

/// Where a measure stands among headlines; `None`: it has none.
pub(super) fn headline(measure: &Measure) -> Option<usize> {
    LEAD.iter().position(|id| *id == measure.id)
}
