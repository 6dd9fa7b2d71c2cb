//! What is drawn of one arm: its points, and which of them a line may join.

use crate::measure::catalogue::Measure;
use crate::report::{ArmFigure, StudyArm};

/// A checkpoint of the mean curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spot {
    pub(super) index: f64,
    pub(super) mean: f64,
    /// Population standard deviation; `None` of a single chain.
    pub(super) sd: Option<f64>,
    pub(super) chains: usize,
}

/// The curve of one arm, in runs of checkpoints that have a value.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Curve {
    pub(super) runs: Vec<Vec<Spot>>,
    pub(super) chains: Vec<ChainCurve>,
    /// Every checkpoint, with a value or not, ascending.
    pub(super) indices: Vec<f64>,
}

/// The values of one chain, in runs of checkpoints that have one.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ChainCurve {
    pub(super) name: String,
    pub(super) runs: Vec<Vec<(f64, f64)>>,
}

/// Where values are taken at some checkpoints only, by design: nothing is missing between them.
pub(super) fn is_sparse(measure: &Measure) -> bool {
    measure.family == "probe"
}

/// Numbers in order, none twice, those that are finite.
fn ordered(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut out: Vec<f64> = numbers.filter(|n| n.is_finite()).collect();
    out.sort_by(f64::total_cmp);
    out.dedup();
    out
}

/// Splits points wherever one of `indices` lies between two neighbours.
fn runs<T>(points: Vec<(f64, T)>, indices: &[f64]) -> Vec<Vec<T>> {
    let mut out: Vec<Vec<T>> = Vec::new();
    let mut last: Option<f64> = None;
    for (index, point) in points {
        let joined = last.is_some_and(|last| {
            let after = indices.partition_point(|i| *i <= last);
            indices.get(after).is_none_or(|next| *next >= index)
        });
        match out.last_mut() {
            Some(run) if joined => run.push(point),
            _ => out.push(vec![point]),
        }
        last = Some(index);
    }
    out
}

/// The curve of an arm's figure; `arm` says which checkpoints its chains reached.
pub(super) fn curve(measure: &Measure, figure: &ArmFigure, arm: Option<&StudyArm>) -> Curve {
    let sparse = is_sparse(measure);
    let reached = |label: &str| -> Vec<f64> {
        let chains = arm.map_or(&[][..], |a| &a.chains);
        let mine = chains.iter().filter(|c| c.label == label);
        mine.flat_map(|c| c.checkpoints.iter().map(|k| f64::from(k.number)))
            .collect()
    };
    let pointed = figure.series.iter().flat_map(|s| s.points.iter());
    let averaged = figure.trend.mean_curve.iter().map(|p| p.index);
    // What no value was asked of (`--attempts passing` may leave checkpoints out) is a gap too.
    let shown = figure.series.iter().flat_map(|s| reached(&s.chain));
    let indices = ordered(pointed.map(|p| p.index).chain(averaged).chain(shown));
    let breaks = |all: &[f64]| if sparse { Vec::new() } else { all.to_vec() };

    let spots = figure.trend.mean_curve.iter().enumerate().map(|(at, p)| {
        let sd = figure.trend.band.get(at).filter(|b| b.index == p.index);
        let spot = Spot {
            index: p.index,
            mean: p.mean,
            sd: sd.map(|b| b.sd).filter(|sd| p.chains > 1 && sd.is_finite()),
            chains: p.chains,
        };
        (p.index, spot)
    });
    let spots = spots.filter(|(i, s)| i.is_finite() && s.mean.is_finite());
    let chains = figure.series.iter().map(|series| {
        let mut points: Vec<(f64, Option<f64>)> =
            series.points.iter().map(|p| (p.index, p.value)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = ordered(points.iter().map(|p| p.0).chain(reached(&series.chain)));
        let known = points.into_iter().filter_map(|(i, v)| {
            let value = v.filter(|v| v.is_finite() && i.is_finite())?;
            Some((i, (i, value)))
        });
        ChainCurve {
            name: series.chain.clone(),
            runs: runs(known.collect(), &breaks(&all)),
        }
    });
    Curve {
        runs: runs(spots.collect(), &breaks(&indices)),
        chains: chains.collect(),
        indices,
    }
}

impl Curve {
    /// Its points in order.
    pub(super) fn spots(&self) -> impl Iterator<Item = &Spot> {
        self.runs.iter().flatten()
    }

    /// The least and the greatest value drawn, with those of single chains if `chains`.
    pub(super) fn extent(&self, chains: bool) -> Option<(f64, f64)> {
        let band = self.spots().flat_map(|s| {
            let sd = s.sd.unwrap_or(0.0);
            // A spread beyond what numbers hold is drawn at the edge.
            [s.mean - sd, s.mean + sd].map(|v| v.clamp(-f64::MAX, f64::MAX))
        });
        let single = self.chains.iter().filter(|_| chains);
        let single = single.flat_map(|c| c.runs.iter().flatten().map(|p| p.1));
        band.chain(single).fold(None, |extent, v| {
            let (low, high) = extent.unwrap_or((v, v));
            Some((low.min(v), high.max(v)))
        })
    }

    /// The fewest and the most chains at a checkpoint that has a value.
    pub(super) fn counts(&self) -> Option<(usize, usize)> {
        let counts = || self.spots().map(|s| s.chains);
        Some((counts().min()?, counts().max()?))
    }
}

/// The least and greatest of several extents.
pub(super) fn widest(extents: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    extents.fold(None, |all, (low, high)| {
        let (a, b) = all.unwrap_or((low, high));
        Some((a.min(low), b.max(high)))
    })
}
