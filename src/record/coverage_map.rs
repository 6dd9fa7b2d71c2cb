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
    /// Whether the report tells of branches. One of a format that can, and in which no file has
    /// any, does not say so.
    pub fn tells_branches(&self) -> bool {
        let jacoco = self.format.split('+').any(|format| format == "jacoco");
        jacoco || self.files.values().any(|file| file.branches.is_some())
    }

    /// What two reports of one run tell together: covered wins, and what is wholly covered in one
    /// is not partly covered. The order in which reports are joined, and how often, does not matter.
    pub fn joined(&self, other: &CoverageMap) -> CoverageMap {
        let formats: BTreeSet<&str> = [self, other]
            .into_iter()
            .flat_map(|map| map.format.split('+'))
            .collect();
        let mut warnings: BTreeSet<String> = &self.warnings | &other.warnings;
        if self.per_test.is_some() != other.per_test.is_some() {
            warnings.insert("per-test-of-some-reports".to_owned());
        }
        let mut files = self.files.clone();
        for (path, file) in &other.files {
            let known = files.entry(path.clone()).or_default();
            *known = known.joined(file);
        }
        let per_test = either(&self.per_test, &other.per_test, |a, b| {
            let mut tests = a.clone();
            for (test, lines) in b {
                let known = tests.entry(test.clone()).or_default();
                *known = union(known, lines);
            }
            tests
        });
        let mut import_only = either(&self.import_only, &other.import_only, union);
        if let (Some(loading), Some(tests)) = (&mut import_only, &per_test) {
            for (path, lines) in tests.values().flatten() {
                if let Some(loading) = loading.get_mut(path) {
                    *loading = loading.difference(lines);
                }
            }
            loading.retain(|_, lines| !lines.is_empty());
        }
        CoverageMap {
            format: formats.into_iter().collect::<Vec<_>>().join("+"),
            files,
            per_test,
            import_only,
            unmapped: &self.unmapped | &other.unmapped,
            warnings,
        }
    }

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

impl FileCoverage {
    /// What two reports tell of one file.
    fn joined(&self, other: &FileCoverage) -> FileCoverage {
        let covered = self.covered.union(&other.covered);
        let missed = self.missed.union(&other.missed).difference(&covered);
        let whole = |file: &FileCoverage| file.covered.difference(&file.partial);
        let partial = self.partial.union(&other.partial);
        let branches = either(&self.branches, &other.branches, |a, b| {
            let mut best = a.clone();
            for (line, counts) in b {
                let known = best.entry(*line).or_default();
                *known = (*known).max(*counts);
            }
            best
        });
        let excluded = self.excluded.union(&other.excluded);
        FileCoverage {
            partial: partial.difference(&whole(self)).difference(&whole(other)),
            excluded: excluded.difference(&covered).difference(&missed),
            covered,
            missed,
            branches,
        }
    }
}

fn either<T: Clone>(a: &Option<T>, b: &Option<T>, both: impl Fn(&T, &T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (one, None) | (None, one) => one.clone(),
    }
}

fn union(
    a: &BTreeMap<String, LineSet>,
    b: &BTreeMap<String, LineSet>,
) -> BTreeMap<String, LineSet> {
    let mut all = a.clone();
    for (path, lines) in b {
        let known = all.entry(path.clone()).or_default();
        *known = known.union(lines);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines() -> impl Strategy<Value = LineSet> {
        prop::collection::vec(1u32..12, 0..8).prop_map(|lines| lines.into_iter().collect())
    }

    fn file() -> impl Strategy<Value = FileCoverage> {
        let counts = (0u64..4, 1u64..4).prop_map(|(taken, total)| (taken.min(total), total));
        let branches = prop::option::of(prop::collection::btree_map(1u32..12, counts, 0..4));
        (lines(), lines(), lines(), lines(), branches).prop_map(|(a, b, c, d, branches)| {
            FileCoverage {
                missed: b.difference(&a),
                partial: c.intersection(&a),
                excluded: d.difference(&a).difference(&b),
                covered: a,
                branches,
            }
        })
    }

    fn name(of: &'static [&'static str]) -> impl Strategy<Value = String> {
        prop::sample::select(of).prop_map(str::to_owned)
    }

    fn by_file() -> impl Strategy<Value = BTreeMap<String, LineSet>> {
        let some = lines().prop_filter("none", |lines| !lines.is_empty());
        prop::collection::btree_map(name(&["a", "b"]), some, 0..3)
    }

    fn map() -> impl Strategy<Value = CoverageMap> {
        let tests = prop::collection::btree_map(name(&["t", "u"]), by_file(), 0..3);
        let names = || prop::collection::btree_set(name(&["x", "y"]), 0..3);
        (
            name(&["lcov", "jacoco", "jacoco+lcov"]),
            prop::collection::btree_map(name(&["a", "b", "c"]), file(), 0..3),
            prop::option::of(tests),
            prop::option::of(by_file()),
            names(),
            names(),
        )
            .prop_map(
                |(format, files, per_test, import_only, unmapped, warnings)| {
                    let map = CoverageMap {
                        format,
                        files,
                        per_test,
                        import_only,
                        unmapped,
                        warnings,
                    };
                    // Lines of tests are not among those of loading.
                    let alone = CoverageMap {
                        import_only: None,
                        ..map.clone()
                    };
                    alone.joined(&map)
                },
            )
    }

    proptest! {
        #[test]
        fn joining_needs_no_order_and_no_count((a, b, c) in (map(), map(), map())) {
            prop_assert_eq!(a.joined(&b), b.joined(&a));
            prop_assert_eq!(a.joined(&b).joined(&c), a.joined(&b.joined(&c)));
            prop_assert_eq!(a.joined(&a), a.clone());
            prop_assert_eq!(a.joined(&b).joined(&b), a.joined(&b));
        }

        #[test]
        fn covered_wins_and_sets_stay_apart((a, b) in (map(), map())) {
            let both = a.joined(&b);
            for (path, file) in &both.files {
                let of = |map: &CoverageMap| map.files.get(path).cloned().unwrap_or_default();
                let (one, two) = (of(&a), of(&b));
                prop_assert_eq!(&file.covered, &one.covered.union(&two.covered));
                prop_assert!(file.covered.intersection(&file.missed).is_empty());
                prop_assert_eq!(&file.partial.intersection(&file.covered), &file.partial);
                let all = one.missed.union(&two.missed).union(&file.covered);
                prop_assert_eq!(file.covered.union(&file.missed), all);
            }
        }
    }

    #[test]
    fn a_joined_report_says_whose_tests_it_lacks() {
        let one = CoverageMap {
            format: "lcov".to_owned(),
            files: BTreeMap::new(),
            per_test: Some(BTreeMap::new()),
            import_only: None,
            unmapped: BTreeSet::new(),
            warnings: BTreeSet::new(),
        };
        let two = CoverageMap {
            format: "jacoco".to_owned(),
            per_test: None,
            ..one.clone()
        };
        let both = one.joined(&two);
        assert_eq!(both.format, "jacoco+lcov");
        assert!(both.warnings.contains("per-test-of-some-reports"));
        assert!(both.per_test.is_some() && both.tells_branches());
    }
}
