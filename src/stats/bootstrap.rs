//! Resampling chains: the slopes that this many chains could have given.

use super::generator::SplitMix64;
use super::interval::Interval;
use super::percentile::percentile;
use super::series::Grid;
use super::slope::fit;
use super::student::{Quantile, Z_975, t_quantile};

/// An arm as the resampling sees it: refit every time, or, where no chain misses a checkpoint,
/// one slope a chain, since the slope of a mean curve is then the mean of the chains' slopes.
pub(super) enum Arm<'a> {
    /// Slopes by chain.
    Linear(Vec<f64>),
    /// Values by chain and checkpoint.
    Refit(Filled<'a>),
}

/// The rows of a grid as numbers that can be added without asking: zero where missing, and
/// beside them one where there is a value, zero where there is none.
pub(super) struct Filled<'a> {
    index: &'a [f64],
    rows: Vec<(Vec<f64>, Vec<u32>)>,
}

impl<'a> Filled<'a> {
    pub(super) fn new(grid: &'a Grid) -> Filled<'a> {
        let split = |row: &Vec<f64>| {
            let there = |v: &f64| (if v.is_nan() { 0.0 } else { *v }, u32::from(!v.is_nan()));
            row.iter().map(there).unzip()
        };
        Filled {
            index: &grid.index,
            rows: grid.rows.iter().map(split).collect(),
        }
    }

    /// Adds a row to sums and counts by column.
    pub(super) fn add(&self, row: usize, sums: &mut [f64], counts: &mut [u32]) {
        let (values, there) = &self.rows[row];
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value;
        }
        for (count, one) in counts.iter_mut().zip(there) {
            *count += one;
        }
    }
}

impl<'a> Arm<'a> {
    /// The cheaper of the two that is right for this grid.
    pub(super) fn new(grid: &'a Grid) -> Arm<'a> {
        let slopes: Option<Vec<f64>> = grid
            .complete()
            .then(|| grid.rows.iter().map(|r| row_slope(grid, r)).collect())
            .flatten();
        slopes.map_or_else(|| Arm::Refit(Filled::new(grid)), Arm::Linear)
    }

    fn chains(&self) -> usize {
        match self {
            Arm::Linear(slopes) => slopes.len(),
            Arm::Refit(filled) => filled.rows.len(),
        }
    }

    /// The slope of one resample: as many chains as there are, drawn with replacement. `None`
    /// where what was drawn has values at fewer than two checkpoints.
    pub(super) fn draw(&self, generator: &mut SplitMix64) -> Option<f64> {
        let n = self.chains();
        match self {
            Arm::Linear(slopes) => {
                let sum: f64 = (0..n).map(|_| slopes[generator.below(n)]).sum();
                (n > 0).then(|| sum / n as f64)
            }
            Arm::Refit(filled) => {
                let mut sums = vec![0.0; filled.index.len()];
                let mut counts = vec![0_u32; filled.index.len()];
                for _ in 0..n {
                    filled.add(generator.below(n), &mut sums, &mut counts);
                }
                slope_of_sums(filled.index, &sums, &counts)
            }
        }
    }
}

/// Slope of one chain over the checkpoints it has.
pub(super) fn row_slope(grid: &Grid, row: &[f64]) -> Option<f64> {
    let points = grid.index.iter().copied().zip(row.iter().copied());
    fit(points.filter(|p| !p.1.is_nan())).map(|f| f.slope)
}

/// Slope of the mean curve with these sums and counts; checkpoints without a value are dropped.
pub(super) fn slope_of_sums(index: &[f64], sums: &[f64], counts: &[u32]) -> Option<f64> {
    let curve = index.iter().zip(sums).zip(counts);
    let points: Vec<(f64, f64)> = curve
        .filter(|(_, count)| **count > 0)
        .map(|((x, sum), count)| (*x, sum / f64::from(*count)))
        .collect();
    fit(points.iter().copied()).map(|f| f.slope)
}

/// The slopes of many resamples.
pub(super) struct Resamples {
    /// Those that are defined, ascending.
    sorted: Vec<f64>,
    /// How many had fewer than two checkpoints.
    pub(super) undefined: u32,
}

impl Resamples {
    /// What `draw` gives, `count` times.
    pub(super) fn collect(count: u32, draw: impl FnMut() -> Option<f64>) -> Resamples {
        let drawn: Vec<Option<f64>> = std::iter::repeat_with(draw).take(count as usize).collect();
        let mut sorted: Vec<f64> = drawn.iter().flatten().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let undefined = count - sorted.len() as u32;
        Resamples { sorted, undefined }
    }

    /// The 95 % percentile interval; `None` without a defined resample.
    pub(super) fn interval(&self) -> Option<Interval> {
        Some(Interval {
            low: percentile(&self.sorted, 0.025)?,
            high: percentile(&self.sorted, 0.975)?,
        })
    }

    /// Population variance of the resampled slopes; `None` without a defined one. Zero where
    /// they differ by no more than `rounding`.
    pub(super) fn variance(&self, rounding: f64) -> Option<f64> {
        let (low, high) = (self.sorted.first()?, self.sorted.last()?);
        if high - low <= rounding {
            return Some(0.0);
        }
        let n = self.sorted.len() as f64;
        let mean = self.sorted.iter().sum::<f64>() / n;
        let squares: f64 = self.sorted.iter().map(|s| (s - mean) * (s - mean)).sum();
        Some(squares / n)
    }
}

/// The resampled variance of an arm's slope, freed of the bias of drawing from the n chains
/// there are: times n/(n − 1). `None` under two chains.
pub(super) fn unbiased(variance: f64, chains: usize) -> Option<f64> {
    (chains > 1).then(|| variance * chains as f64 / (chains - 1) as f64)
}

/// How far the ends of a percentile interval have to move out with `df` degrees of freedom:
/// `t(df, 0.975) / z(0.975) · spread`, `spread` the ratio of the unbiased to the resampled
/// standard error. `None` without a degree of freedom.
pub(super) fn widening(df: usize, spread: f64) -> Option<f64> {
    Some(t_quantile(Quantile::Q975, df)? / Z_975 * spread)
}

#[cfg(test)]
mod tests {
    use super::{Arm, Filled, Resamples};
    use crate::stats::generator::SplitMix64;
    use crate::stats::series::{Grid, Point, Series};
    use proptest::prelude::*;

    fn grid(chains: &[Vec<f64>]) -> Grid {
        let series = |(i, values): (usize, &Vec<f64>)| Series {
            chain: format!("{i:03}"),
            points: values
                .iter()
                .enumerate()
                .map(|(k, &v)| Point {
                    index: (k + k / 2) as f64,
                    value: (!v.is_nan()).then_some(v),
                })
                .collect(),
        };
        Grid::new(&chains.iter().enumerate().map(series).collect::<Vec<_>>())
    }

    #[test]
    fn a_resample_without_two_checkpoints_is_counted_and_left_out() {
        let nan = f64::NAN;
        // Only a draw with both chains has two checkpoints: half of them.
        let grid = grid(&[vec![1.0, nan], vec![nan, 3.0]]);
        let arm = Arm::new(&grid);
        assert!(matches!(arm, Arm::Refit(_)));
        let mut g = SplitMix64::new(0);
        let resamples = Resamples::collect(1000, || arm.draw(&mut g));
        assert!((420..580).contains(&resamples.undefined));
        let interval = resamples.interval().expect("the other half");
        assert_eq!((interval.low, interval.high), (2.0, 2.0));
    }

    proptest! {
        #[test]
        fn without_gaps_the_mean_of_chain_slopes_is_the_slope_refitted(
            chains in (2_usize..12).prop_flat_map(|k| {
                prop::collection::vec(prop::collection::vec(-1e3..1e3_f64, k), 2..12)
            }),
            seed: u64,
        ) {
            let grid = grid(&chains);
            let linear = Arm::new(&grid);
            prop_assert!(matches!(linear, Arm::Linear(_)));
            let refit = Arm::Refit(Filled::new(&grid));
            let (mut a, mut b) = (SplitMix64::new(seed), SplitMix64::new(seed));
            for _ in 0..50 {
                let (a, b) = (linear.draw(&mut a), refit.draw(&mut b));
                prop_assert!((a.expect("defined") - b.expect("defined")).abs() < 1e-9);
            }
        }
    }
}
