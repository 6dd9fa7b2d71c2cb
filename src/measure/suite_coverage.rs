//! How much of the production code the visible suite runs.
//!
//! Formula: executed ÷ executable lines, and branches taken ÷ branches, over the production files
//! of all coverage reports of the visible suite; a line that any report has as executed is.
//! Source: PluginBench.
//! Reads high on: a suite that runs most of the code.
//! Blind spot: whether anything is asserted.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::Step;
use crate::record::{FileCoverage, Suite};

use super::definition::{CAPTURES, Direction, Level, Measure};
use super::gates::{number, remarked};
use super::{Figure, Value};

const fn coverage(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        needs: CAPTURES,
        ..Measure::now("coverage", Level::Tests, compute)
    }
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "suite_line_coverage",
        title: "line coverage of the suite",
        unit: "ratio",
        direction: Direction::Descriptive,
        primary: false,
        definition: "Production lines the whole visible suite executes ÷ those that can be.",
        edges: "In machine formats only. No coverage recorded: unknown.",
        source: "PluginBench (PB)",
        reads_high: "A suite that runs most of the code; a large drop can be broken tests.",
        blind_spot: "Whether anything is asserted.",
        ..coverage(suite_line_coverage)
    },
    Measure {
        id: "suite_branch_coverage",
        title: "branch coverage of the suite",
        unit: "ratio",
        direction: Direction::Descriptive,
        primary: false,
        definition: "Branches the whole visible suite takes ÷ all branches.",
        edges: "In machine formats only. No branches recorded: unknown.",
        source: "PluginBench (PB)",
        reads_high: "A suite that runs most cases.",
        blind_spot: "Whether anything is asserted.",
        ..coverage(suite_branch_coverage)
    },
];

/// Lines that were executed, and lines that can be, by all reports of one file.
fn lines(reports: &[&FileCoverage]) -> (u64, u64) {
    if let [one] = reports {
        return (one.covered.len(), one.covered.len() + one.missed.len());
    }
    let mut covered = BTreeSet::new();
    let mut executable = BTreeSet::new();
    for report in reports {
        covered.extend(report.covered.iter());
        executable.extend(report.missed.iter());
    }
    executable.extend(&covered);
    (covered.len() as u64, executable.len() as u64)
}

/// Branches that were taken, and branches there are, by all reports of one file. Which ones two
/// reports took of a line is not told: the greater number counts.
fn branches(reports: &[&FileCoverage]) -> (u64, u64) {
    let mut by_line: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (line, (taken, there)) in reports.iter().filter_map(|r| r.branches.as_ref()).flatten() {
        let known = by_line.entry(*line).or_default();
        known.1 = known.1.max(*there);
        known.0 = known.0.max(*taken).min(known.1);
    }
    let sum = |a: (u64, u64), b: &(u64, u64)| (a.0.saturating_add(b.0), a.1.saturating_add(b.1));
    by_line.values().fold((0, 0), sum)
}

/// Sums over the production files of all reports of the visible suite.
#[derive(Default)]
struct Sums {
    covered: u64,
    executable: u64,
    taken: u64,
    branches: u64,
    /// A report tells of branches.
    tells_branches: bool,
    remarks: Vec<String>,
}

fn sums(step: &Step) -> Result<Sums, String> {
    let (evidence, number) = number(step)?;
    let reports = evidence.coverage(number)?;
    let mut files: BTreeMap<&str, Vec<&FileCoverage>> = BTreeMap::new();
    let mut sums = Sums::default();
    let (mut read, mut unmapped) = (0_u32, 0);
    for report in reports.iter().filter(|r| r.suite == Suite::Visible) {
        let map = report.map.known()?;
        read += 1;
        unmapped += map.unmapped.len();
        for (path, file) in &map.files {
            if report.production.contains(path) {
                sums.tells_branches |= file.branches.is_some();
                files.entry(path).or_default().push(file);
            }
        }
    }
    if read == 0 {
        return Err("no coverage of the visible suite recorded".to_owned());
    }
    for reports in files.values() {
        let (covered, executable) = lines(reports);
        let (taken, there) = branches(reports);
        sums.covered = sums.covered.saturating_add(covered);
        sums.executable = sums.executable.saturating_add(executable);
        sums.taken = sums.taken.saturating_add(taken);
        sums.branches = sums.branches.saturating_add(there);
    }
    if unmapped > 0 {
        let (files, are) = match unmapped {
            1 => ("file", "is"),
            _ => ("files", "are"),
        };
        sums.remarks.push(format!(
            "{unmapped} {files} of the report {are} not in the tree, or may be several"
        ));
    }
    Ok(sums)
}

fn suite_line_coverage(step: &Step) -> Figure {
    figure(step, |sums| {
        let (covered, executable) = (as_number(sums.covered), as_number(sums.executable));
        Ok(Value::ratio(
            covered,
            executable,
            "no production line that can be executed",
        ))
    })
}

fn suite_branch_coverage(step: &Step) -> Figure {
    figure(step, |sums| match sums.tells_branches {
        false => Err("no branches in the coverage report".to_owned()),
        true => Ok(Value::ratio(
            as_number(sums.taken),
            as_number(sums.branches),
            "no branch in production code",
        )),
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn as_number(count: u64) -> f64 {
    count as f64
}

fn figure(step: &Step, of: impl Fn(&Sums) -> Result<Value, String>) -> Figure {
    let found = sums(step).and_then(|sums| Ok((of(&sums)?, sums.remarks)));
    match found {
        Err(why) => Value::unknown(why).into(),
        Ok((value, remarks)) => remarked(value, &remarks).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::fixture::{known, undefined, unknown};
    use crate::measure::fixture_chain::{Chain, lines};

    #[test]
    fn production_lines_of_all_reports_are_counted_once() {
        let branched = |taken| {
            let mut file = lines("1-3", "4-5");
            file.branches = Some(BTreeMap::from([(2, (taken, 4))]));
            file
        };
        let step = Chain::default()
            .coverage(
                1,
                &[
                    ("src/A.java", branched(1)),
                    ("test/T.java", lines("1-9", "")),
                ],
            )
            .coverage(1, &[("src/A.java", lines("4", "3,6"))])
            .coverage(1, &[("src/A.java", branched(3))])
            .step(1);
        let covered = known("suite_line_coverage", &step);
        assert_eq!((covered.num, covered.den), (Some(4.0), Some(6.0)));
        let taken = known("suite_branch_coverage", &step);
        assert_eq!((taken.num, taken.den), (Some(3.0), Some(4.0)));
    }

    #[test]
    fn what_no_report_tells_is_unknown_and_what_is_empty_undefined() {
        let step = |chain: Chain| chain.reached(1).step(1);
        assert_eq!(
            unknown("suite_line_coverage", &step(Chain::default())),
            "no coverage recorded"
        );
        let other = Chain::default().coverage(1, &[("x/B.java", lines("1", ""))]);
        undefined("suite_line_coverage", &step(other));
        let plain = Chain::default().coverage(1, &[("src/A.java", lines("1", ""))]);
        assert_eq!(
            unknown("suite_branch_coverage", &step(plain)),
            "no branches in the coverage report"
        );
    }
}
