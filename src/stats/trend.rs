//! One measure over the checkpoints of one arm.

use super::bootstrap::{Arm, Resamples, row_slope, unbiased, widening};
use super::generator::SplitMix64;
use super::interval::Interval;
use super::phases::{Phase, phases};
use super::series::{Grid, Series};
use super::slope::{fit, shares};

/// How to resample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Resamples of the chains.
    pub resamples: u32,
    /// Seed of the generator; with `resamples` part of the result.
    pub seed: u64,
}

impl Default for Options {
    /// 2,000 resamples, seed 0.
    fn default() -> Self {
        Options {
            resamples: 2000,
            seed: 0,
        }
    }
}

/// A checkpoint of the mean curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The checkpoint.
    pub index: f64,
    /// Mean over the chains that have a value there.
    pub mean: f64,
    /// How many those are.
    pub chains: usize,
}

/// Spread of the chains around the mean curve at a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandPoint {
    /// The checkpoint.
    pub index: f64,
    /// Population standard deviation (divided by n) over the chains that have a value there.
    pub sd: f64,
}

/// What a checkpoint adds to the slope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The checkpoint.
    pub index: f64,
    /// `(x − x̄)(y − ȳ) / Σ(x − x̄)²` on the mean curve; all of them sum to the slope.
    pub share: f64,
}

/// The slope of one chain.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainSlope {
    /// The chain's name.
    pub chain: String,
    /// Its slope; `None` with values at fewer than two checkpoints.
    pub slope: Option<f64>,
}

/// One measure over the checkpoints of one arm.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// Chains with at least one value; the others count nowhere.
    pub chains: usize,
    /// Checkpoints at which at least one chain has a value.
    pub checkpoints: usize,
    /// Values all of it was taken over.
    pub values: usize,
    /// Points given without a value.
    pub missing: usize,
    /// Mean over chains by checkpoint, ascending.
    pub mean_curve: Vec<CurvePoint>,
    /// Least-squares slope of the mean curve, per checkpoint; `None` with fewer than two.
    pub slope: Option<f64>,
    /// The fitted line's value at index 0.
    pub intercept: Option<f64>,
    /// 95 % percentile bootstrap interval of the slope; `None` for a single chain.
    pub percentile: Option<Interval>,
    /// The same moved out for the number of chains (`docs/statistics.md`).
    pub t_widened: Option<Interval>,
    /// Standard error of the slope: standard deviation of the resampled slopes, times
    /// √(n/(n − 1)).
    pub standard_error: Option<f64>,
    /// Resamples with fewer than two checkpoints, left out of the intervals.
    pub resamples_undefined: u32,
    /// Mean of the slopes of the chains that have one.
    pub mean_of_chain_slopes: Option<f64>,
    /// Slopes by chain, in order of their names.
    pub chain_slopes: Vec<ChainSlope>,
    /// Means of the five fifths; empty under five checkpoints.
    pub phases: Vec<Phase>,
    /// Spread by checkpoint.
    pub band: Vec<BandPoint>,
    /// The first checkpoint of the mean curve.
    pub first: Option<CurvePoint>,
    /// The last.
    pub last: Option<CurvePoint>,
    /// What each checkpoint adds to the slope; empty where there is none.
    pub shares: Vec<Share>,
}

/// The trend of the chains of one arm. Their order does not matter.
pub fn trend(series: &[Series], options: &Options) -> Trend {
    of_grid(&Grid::new(series), options)
}

/// The same of what is already lined up.
pub(super) fn of_grid(grid: &Grid, options: &Options) -> Trend {
    let chains = grid.rows.len();
    let mean_curve = mean_curve(grid);
    let points: Vec<(f64, f64)> = mean_curve.iter().map(|p| (p.index, p.mean)).collect();
    let line = fit(points.iter().copied());
    let slope = line.map(|l| l.slope);
    let chain_slopes: Vec<ChainSlope> = grid
        .names
        .iter()
        .zip(&grid.rows)
        .map(|(name, row)| ChainSlope {
            chain: name.clone(),
            slope: row_slope(grid, row),
        })
        .collect();
    let known: Vec<f64> = chain_slopes.iter().filter_map(|c| c.slope).collect();
    let mut out = Trend {
        chains,
        checkpoints: mean_curve.len(),
        values: mean_curve.iter().map(|p| p.chains).sum(),
        missing: grid.missing,
        slope,
        intercept: line.map(|l| l.intercept),
        percentile: None,
        t_widened: None,
        standard_error: None,
        resamples_undefined: 0,
        mean_of_chain_slopes: mean(&known),
        chain_slopes,
        phases: phases(grid),
        band: band(grid, &mean_curve),
        first: mean_curve.first().copied(),
        last: mean_curve.last().copied(),
        shares: points
            .iter()
            .zip(shares(&points))
            .map(|(p, share)| Share { index: p.0, share })
            .collect(),
        mean_curve,
    };
    if let (Some(slope), true) = (slope, chains > 1) {
        let arm = Arm::new(grid);
        let mut generator = SplitMix64::new(options.seed);
        let resamples = Resamples::collect(options.resamples, || arm.draw(&mut generator));
        out.resamples_undefined = resamples.undefined;
        out.percentile = resamples.interval();
        out.standard_error = resamples
            .variance(grid.rounding())
            .and_then(|v| unbiased(v, chains))
            .map(f64::sqrt);
        out.t_widened = out
            .percentile
            .zip(unbiased(1.0, chains))
            .and_then(|(interval, spread)| {
                let by = widening(chains - 1, spread.sqrt())?;
                Some(interval.widened(slope, by))
            });
    }
    out
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The values of one column, in order of the chains' names.
fn column(grid: &Grid, at: usize) -> Vec<f64> {
    let values = grid.rows.iter().map(|row| row[at]);
    values.filter(|v| !v.is_nan()).collect()
}

fn mean_curve(grid: &Grid) -> Vec<CurvePoint> {
    let point = |(at, &index): (usize, &f64)| {
        let values = column(grid, at);
        Some(CurvePoint {
            index,
            mean: mean(&values)?,
            chains: values.len(),
        })
    };
    grid.index.iter().enumerate().filter_map(point).collect()
}

fn band(grid: &Grid, curve: &[CurvePoint]) -> Vec<BandPoint> {
    let point = |(at, p): (usize, &CurvePoint)| {
        let values = column(grid, at);
        let squares: f64 = values.iter().map(|v| (v - p.mean) * (v - p.mean)).sum();
        BandPoint {
            index: p.index,
            sd: (squares / p.chains as f64).sqrt(),
        }
    };
    // Every column of a grid has a value, so that curve and columns go together.
    curve.iter().enumerate().map(point).collect()
}
