//! What can move a figure, and what a run is asked to compute.

use std::sync::Arc;

use globset::GlobSet;
use regex::Regex;

use crate::record::PriceTable;
use crate::syntax::{Language, Profile};

/// Limits above which a function is called complex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Erosion counts functions with a CC above this (10).
    pub cc: u32,
    /// Extreme erosion counts functions with a CC above this (30).
    pub cc_extreme: u32,
    /// Hotspots are functions with a cognitive score above this (15).
    pub cognitive: u32,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            cc: 10,
            cc_extreme: 30,
            cognitive: 15,
        }
    }
}

/// Everything that can move a figure; its digest stands in every output.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Whose counting rules.
    pub profile: Profile,
    /// Files that are production code; none: by the built-in rules. A file matching none of
    /// these is then no production code (`Other`).
    pub source: Option<GlobSet>,
    /// Files that are tests, beside the built-in rules (replaces them where given).
    pub tests: Option<GlobSet>,
    /// Files that are generated, beside the built-in rules.
    pub generated: Option<GlobSet>,
    /// Files that are vendored, beside the built-in rules.
    pub vendored: Option<GlobSet>,
    /// Files whose lines `loc_yaml` and `loc_config` count; none: every one.
    pub config_globs: Option<GlobSet>,
    /// Files whose functions the `fn_*` measures take in; none: all production.
    pub functions: Option<GlobSet>,
    /// Which functions (`path::Class::function`) are the entry handler.
    pub entry: Option<Regex>,
    /// Limits.
    pub thresholds: Thresholds,
    /// Changes before the measured one that count as earlier, in a plain history.
    pub lookback: u32,
    /// The language whose per-language figures are shown first.
    pub language: Option<Language>,
    /// Whether commits named in `.git-blame-ignore-revs` pass line origins through.
    pub ignore_revs: bool,
    /// What tokens cost; none: priced figures are unknown.
    pub prices: Option<Arc<PriceTable>>,
}

impl Settings {
    /// The same where tests count as production code: for what is asked of one function, which
    /// may be a test.
    #[must_use]
    pub fn with_tests(mut self) -> Settings {
        self.tests = Some(GlobSet::empty());
        self.source = None;
        self
    }
}

/// What the requested measures need; nothing else is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Line hunks of changed code files.
    pub lines: bool,
    /// Line hunks of every changed text file.
    pub all_lines: bool,
    /// Who wrote each line of code files, over the window.
    pub origins: bool,
    /// Functions before and after, of changed files.
    pub functions: bool,
    /// Functions of the whole tree after each change.
    pub tree: bool,
    /// Code lines of YAML and other configuration files in the tree.
    pub config_lines: bool,
    /// Modification churn of each file over the window.
    pub hot_share: bool,
    /// Records of sessions, gate runs and coverage.
    pub captures: bool,
    /// Records of sessions that were for nothing, of every chain of the arm.
    pub noops: bool,
}

impl Needs {
    /// Everything either needs.
    #[must_use]
    pub fn union(self, other: Needs) -> Needs {
        Needs {
            lines: self.lines | other.lines,
            all_lines: self.all_lines | other.all_lines,
            origins: self.origins | other.origins,
            functions: self.functions | other.functions,
            tree: self.tree | other.tree,
            config_lines: self.config_lines | other.config_lines,
            hot_share: self.hot_share | other.hot_share,
            captures: self.captures | other.captures,
            noops: self.noops | other.noops,
        }
    }
}
