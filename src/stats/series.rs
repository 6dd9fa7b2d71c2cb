//! What comes in: the values of one measure, by arm, chain and checkpoint.

use std::collections::BTreeMap;

/// One measure at one checkpoint of one chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The checkpoint's real number in the plan; in a plain history the position in the range.
    pub index: f64,
    /// The value; `None` where it is unknown or undefined. The caller keeps which, and why.
    pub value: Option<f64>,
}

/// The points of one chain of one arm. Of several points with one index the last given counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The chain's name, unique in its arm.
    pub chain: String,
    /// Its checkpoints, in any order.
    pub points: Vec<Point>,
}

/// One row of a long table of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The arm.
    pub arm: String,
    /// The chain, unique in its arm.
    pub chain: String,
    /// The checkpoint's number.
    pub index: f64,
    /// The value; `None` where it is unknown or undefined.
    pub value: Option<f64>,
}

/// Rows in any order turned into series: by arm, in it by chain name, in it by checkpoint.
pub fn group(rows: impl IntoIterator<Item = Observation>) -> BTreeMap<String, Vec<Series>> {
    let mut arms = BTreeMap::<String, BTreeMap<String, Vec<Point>>>::new();
    for row in rows {
        let points = arms
            .entry(row.arm)
            .or_default()
            .entry(row.chain)
            .or_default();
        points.push(Point {
            index: row.index,
            value: row.value,
        });
    }
    let series = |(chain, mut points): (String, Vec<Point>)| {
        points.sort_by(|a, b| a.index.total_cmp(&b.index));
        Series { chain, points }
    };
    arms.into_iter()
        .map(|(arm, chains)| (arm, chains.into_iter().map(series).collect()))
        .collect()
}

/// Chains in rows, checkpoints in columns: the one form all of this module computes on.
///
/// Rows are sorted by chain name, so that the order in which chains were given moves nothing,
/// not even which of them a resample draws. Chains without any value carry no evidence and are
/// no rows; checkpoints without any value are no columns.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Chain names, one a row.
    pub(super) names: Vec<String>,
    /// Checkpoint indices, ascending, one a column.
    pub(super) index: Vec<f64>,
    /// Values by row; not a number where missing.
    pub(super) rows: Vec<Vec<f64>>,
    /// Each column's position among all indices given, those without a value too.
    pub(super) position: Vec<usize>,
    /// How many indices were given.
    pub(super) positions: usize,
    /// Points given without a value.
    pub(super) missing: usize,
}

impl Grid {
    /// The grid of some chains; indices that are no finite numbers are left out, values that
    /// are none are missing.
    pub(super) fn new(series: &[Series]) -> Grid {
        let mut chains: Vec<(&str, Vec<Point>)> = series
            .iter()
            .map(|s| (s.chain.as_str(), clean(&s.points)))
            .collect();
        chains.sort_by(|a, b| a.0.cmp(b.0).then_with(|| order(&a.1, &b.1)));
        let missing = chains
            .iter()
            .flat_map(|c| &c.1)
            .filter(|p| p.value.is_none());
        let missing = missing.count();
        let mut given: Vec<f64> = chains.iter().flat_map(|c| &c.1).map(|p| p.index).collect();
        given.sort_by(f64::total_cmp);
        given.dedup();
        chains.retain(|c| c.1.iter().any(|p| p.value.is_some()));
        let mut rows = vec![vec![f64::NAN; given.len()]; chains.len()];
        let mut filled = vec![false; given.len()];
        for (row, (_, points)) in rows.iter_mut().zip(&chains) {
            for point in points {
                if let (Some(value), Ok(at)) = (
                    point.value,
                    given.binary_search_by(|x| x.total_cmp(&point.index)),
                ) {
                    row[at] = value;
                    filled[at] = true;
                }
            }
        }
        let position: Vec<usize> = (0..given.len()).filter(|&i| filled[i]).collect();
        let keep = |from: &[f64]| position.iter().map(|&i| from[i]).collect::<Vec<f64>>();
        Grid {
            names: chains.iter().map(|c| c.0.to_owned()).collect(),
            index: keep(&given),
            rows: rows.iter().map(|r| keep(r)).collect(),
            positions: given.len(),
            position,
            missing,
        }
    }

    /// The rows of both over the columns of both, `a`'s rows first.
    pub(super) fn pooled(a: &Grid, b: &Grid) -> Grid {
        let mut index: Vec<f64> = a.index.iter().chain(&b.index).copied().collect();
        index.sort_by(f64::total_cmp);
        index.dedup();
        let spread = |grid: &Grid| {
            let at: Vec<usize> = grid
                .index
                .iter()
                .filter_map(|x| index.binary_search_by(|i| i.total_cmp(x)).ok())
                .collect();
            let wide = |row: &Vec<f64>| {
                let mut out = vec![f64::NAN; index.len()];
                for (&column, &value) in at.iter().zip(row) {
                    out[column] = value;
                }
                out
            };
            grid.rows.iter().map(wide).collect::<Vec<_>>()
        };
        let rows = spread(a).into_iter().chain(spread(b)).collect();
        Grid {
            names: a.names.iter().chain(&b.names).cloned().collect(),
            rows,
            position: (0..index.len()).collect(),
            positions: index.len(),
            index,
            missing: a.missing + b.missing,
        }
    }

    /// What no slope of these values exceeds: max|y| · Σ|x − x̄| / Σ(x − x̄)². Zero where no
    /// slope is.
    pub(super) fn steepest(&self) -> f64 {
        let n = self.index.len();
        let mean = self.index.iter().sum::<f64>() / n.max(1) as f64;
        let (mut reach, mut squares) = (0.0, 0.0);
        for x in &self.index {
            reach += (x - mean).abs();
            squares += (x - mean) * (x - mean);
        }
        let values = self.rows.iter().flatten().filter(|v| !v.is_nan());
        let greatest = values.fold(0.0_f64, |m, v| m.max(v.abs()));
        if squares > 0.0 {
            greatest * reach / squares
        } else {
            0.0
        }
    }

    /// Slopes of these values that differ by no more than this differ by rounding only.
    pub(super) fn rounding(&self) -> f64 {
        64.0 * f64::EPSILON * self.steepest()
    }

    /// Every chain has every checkpoint.
    pub(super) fn complete(&self) -> bool {
        self.rows.iter().flatten().all(|v| !v.is_nan())
    }
}

/// Points by ascending index, one an index (the last given), negative zero made zero.
fn clean(points: &[Point]) -> Vec<Point> {
    let mut sorted: Vec<Point> = points
        .iter()
        .filter(|p| p.index.is_finite())
        .map(|p| Point {
            index: p.index + 0.0,
            value: p.value.filter(|v| v.is_finite()),
        })
        .collect();
    // Stable, so that equal indices keep the order given.
    sorted.sort_by(|a, b| a.index.total_cmp(&b.index));
    let mut out: Vec<Point> = Vec::with_capacity(sorted.len());
    for point in sorted {
        match out.last_mut() {
            Some(last) if last.index == point.index => *last = point,
            _ => out.push(point),
        }
    }
    out
}

/// An order of content for chains that share a name, so that they too have one order.
fn order(a: &[Point], b: &[Point]) -> std::cmp::Ordering {
    let key = |p: &Point| (p.index, p.value.unwrap_or(f64::NAN));
    for (p, q) in a.iter().map(key).zip(b.iter().map(key)) {
        let by = p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1));
        if by.is_ne() {
            return by;
        }
    }
    a.len().cmp(&b.len())
}

#[cfg(test)]
mod tests {
    use super::{Grid, Observation, Point, Series, group};

    fn series(chain: &str, points: &[(f64, Option<f64>)]) -> Series {
        let points = points
            .iter()
            .map(|&(index, value)| Point { index, value })
            .collect();
        Series {
            chain: chain.to_owned(),
            points,
        }
    }

    #[test]
    fn rows_in_any_order_make_the_same_series() {
        let row = |arm: &str, chain: &str, index, value| Observation {
            arm: arm.to_owned(),
            chain: chain.to_owned(),
            index,
            value,
        };
        let rows = vec![
            row("b", "1", 2.0, Some(4.0)),
            row("a", "2", 1.0, None),
            row("b", "1", 1.0, Some(3.0)),
        ];
        let arms = group(rows.clone());
        assert_eq!(arms, group(rows.into_iter().rev()));
        assert_eq!(arms["a"], [series("2", &[(1.0, None)])]);
        assert_eq!(
            arms["b"],
            [series("1", &[(1.0, Some(3.0)), (2.0, Some(4.0))])]
        );
    }

    #[test]
    fn chains_and_checkpoints_without_a_value_are_no_rows_and_no_columns() {
        let grid = Grid::new(&[
            series("z", &[(1.0, Some(1.0)), (3.0, None), (9.0, Some(2.0))]),
            series("empty", &[(1.0, None)]),
            series("a", &[(9.0, Some(5.0))]),
        ]);
        assert_eq!(grid.names, ["a", "z"]);
        assert_eq!(grid.index, [1.0, 9.0]);
        assert_eq!((grid.position.as_slice(), grid.positions), (&[0, 2][..], 3));
        assert_eq!(grid.missing, 2);
        assert!(grid.rows[0][0].is_nan() && !grid.complete());
        assert_eq!(grid.rows[1], [1.0, 2.0]);
    }

    #[test]
    fn of_two_points_at_one_checkpoint_the_last_given_counts() {
        let grid = Grid::new(&[series(
            "a",
            &[(2.0, Some(7.0)), (1.0, Some(1.0)), (2.0, Some(8.0))],
        )]);
        assert_eq!(grid.rows, [[1.0, 8.0]]);
    }

    #[test]
    fn what_is_no_number_is_missing() {
        let grid = Grid::new(&[series(
            "a",
            &[
                (1.0, Some(f64::NAN)),
                (2.0, Some(f64::INFINITY)),
                (f64::NAN, Some(1.0)),
                (3.0, Some(1.0)),
            ],
        )]);
        assert_eq!(grid.index, [3.0]);
        assert_eq!(grid.missing, 2);
    }
}
