//! Two arms compared within levels: tasks, or the levels of another factor.

use super::bootstrap::{Arm, Resamples};
use super::compare::{Comparison, DIFFERENCE, LABELS, Spread, separation};
use super::effect::Effect;
use super::effect::pooled;
use super::generator::SplitMix64;
use super::permutation::within;
use super::series::{Grid, Series};
use super::trend::{Options, Trend, of_grid};

/// One level: the chains of both arms in it, and what they add up to.
struct Level {
    grids: (Grid, Grid),
    trends: (Trend, Trend),
}

/// Compares two arms level by level, and says which of `levels` took part: those in which both
/// have a slope. `arms` are the trends of both over all levels, whose own intervals say whether
/// they separate.
///
/// The difference is the mean over the levels of the differences in them, each level weighing the
/// same, whatever the number of its chains; the slopes are the means of the arms' slopes in them.
/// Chains are resampled by arm and level; without two chains of both arms in every level there is
/// no interval. Labels are permuted within levels.
pub fn compare_within(
    levels: &[(Vec<Series>, Vec<Series>)],
    arms: (&Trend, &Trend),
    options: &Options,
) -> (Comparison, Vec<usize>) {
    let mut used = Vec::new();
    let mut parts = Vec::new();
    for (at, (a, b)) in levels.iter().enumerate() {
        let grids = (Grid::new(a), Grid::new(b));
        let trends = (of_grid(&grids.0, options), of_grid(&grids.1, options));
        if trends.0.slope.is_some() && trends.1.slope.is_some() {
            used.push(at);
            parts.push(Level { grids, trends });
        }
    }
    (compared(&parts, arms, options), used)
}

fn compared(levels: &[Level], arms: (&Trend, &Trend), options: &Options) -> Comparison {
    let all = levels.len() as f64;
    let chains = |side: fn(&Level) -> &Trend| levels.iter().map(|l| side(l).chains).sum();
    let slope = |side: fn(&Level) -> &Trend| {
        let sum: f64 = levels.iter().filter_map(|l| side(l).slope).sum();
        (!levels.is_empty()).then(|| sum / all)
    };
    let (first, second): (fn(&Level) -> &Trend, fn(&Level) -> &Trend) =
        (|l| &l.trends.0, |l| &l.trends.1);
    let mut out = Comparison::without_a_slope((chains(first), chains(second)));
    out.slopes = (slope(first), slope(second));
    out.slope_difference = out.slopes.0.zip(out.slopes.1).map(|(a, b)| a - b);
    out.separation = separation(arms.0, arms.1);
    let Some(difference) = out.slope_difference else {
        return out;
    };
    let grids: Vec<(&Grid, &Grid)> = levels.iter().map(|l| (&l.grids.0, &l.grids.1)).collect();
    let mut labels = SplitMix64::stream(options.seed, LABELS);
    out.permutation = within(&grids, &mut labels);
    out.effect = effect(levels);
    let both = || levels.iter().flat_map(|l| [&l.trends.0, &l.trends.1]);
    if both().all(|t| t.chains > 1) {
        let spread = Spread::of(both(), 1.0 / all);
        out.smallest_detectable = spread.and_then(Spread::smallest_detectable);
        let arms: Vec<(Arm<'_>, Arm<'_>)> = grids
            .iter()
            .map(|(a, b)| (Arm::new(a), Arm::new(b)))
            .collect();
        let mut generator = SplitMix64::stream(options.seed, DIFFERENCE);
        let resamples = Resamples::collect(options.resamples, || {
            let mut sum = Some(0.0);
            for (a, b) in &arms {
                // Both are drawn whatever came of the first, so that no draw moves the next.
                let (a, b) = (a.draw(&mut generator), b.draw(&mut generator));
                sum = sum.zip(a.zip(b)).map(|(sum, (a, b))| sum + (a - b));
            }
            Some(sum? / all)
        });
        out.resamples_undefined = resamples.undefined;
        out.percentile = resamples.interval();
        out.t_widened = out.percentile.and_then(|interval| {
            let by = spread.map_or(Some(1.0), Spread::widening)?;
            Some(interval.widened(difference, by))
        });
    }
    out
}

/// The standardised difference by the spread within arms and levels, and the mean of the levels'
/// Cliff's deltas.
fn effect(levels: &[Level]) -> Option<Effect> {
    let slopes =
        |t: &Trend| -> Vec<f64> { t.chain_slopes.iter().filter_map(|c| c.slope).collect() };
    let groups: Vec<(Vec<f64>, Vec<f64>)> = levels
        .iter()
        .map(|l| (slopes(&l.trends.0), slopes(&l.trends.1)))
        .collect();
    let rounding = levels
        .iter()
        .map(|l| l.grids.0.rounding().max(l.grids.1.rounding()))
        .fold(0.0, f64::max);
    pooled(&groups, rounding)
}
