//! Two arms of one measure: how their slopes differ, and how sure that is.

use super::bootstrap::{Arm, Resamples, unbiased, widening};
use super::effect::{Effect, effect};
use super::generator::SplitMix64;
use super::interval::Interval;
use super::permutation::{Permutation, permutation};
use super::series::{Grid, Series};
use super::student::{Quantile, t_quantile};
use super::trend::{Options, Trend, of_grid};
use super::verdict::MIN_CHAINS;

/// Streams of the generator, so that no use of a seed repeats another's draws.
pub(super) const DIFFERENCE: u64 = 1;
pub(super) const LABELS: u64 = 2;

/// Whether two arms' slopes stand apart, by their own percentile intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separation {
    /// The intervals do not overlap.
    SeparatesStrongly,
    /// They overlap; one excludes zero, the other holds it.
    Separates,
    /// Neither.
    Overlaps,
    /// An arm has under [`MIN_CHAINS`] chains.
    TooFewChains,
    /// Differences were taken by task, over fewer tasks than [`MIN_CHAINS`].
    TooFewTasks,
    /// An arm has no slope, or no interval.
    NoInterval,
}

impl Separation {
    /// The words of the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Separation::SeparatesStrongly => "separates strongly",
            Separation::Separates => "separates",
            Separation::Overlaps => "overlaps",
            Separation::TooFewChains => "too few chains",
            Separation::TooFewTasks => "too few tasks",
            Separation::NoInterval => "no interval",
        }
    }
}

/// Two arms of one measure, the first less the second.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Chains with a value, of the first arm and the second.
    pub chains: (usize, usize),
    /// Slopes of the two mean curves.
    pub slopes: (Option<f64>, Option<f64>),
    /// First slope less second.
    pub slope_difference: Option<f64>,
    /// 95 % percentile bootstrap interval of the difference, the chains of each arm resampled
    /// by themselves; `None` where an arm has one chain.
    pub percentile: Option<Interval>,
    /// The same moved out for the numbers of chains.
    pub t_widened: Option<Interval>,
    /// Resamples in which an arm had fewer than two checkpoints.
    pub resamples_undefined: u32,
    /// Whether the two arms' own intervals stand apart.
    pub separation: Separation,
    /// Permutation test of the arm labels over chains.
    pub permutation: Option<Permutation>,
    /// Effect sizes of the per-chain slopes.
    pub effect: Option<Effect>,
    /// The smallest difference of slopes that these chains would have shown at the 5 % level in
    /// four of five such experiments: (t(ν, 0.975) + t(ν, 0.8)) · √(se_a² + se_b²), ν by Welch
    /// and Satterthwaite, rounded down. `None` without standard errors, or where they are zero.
    pub smallest_detectable: Option<f64>,
}

impl Comparison {
    /// The same seen from the other arm: the second less the first.
    #[must_use]
    pub fn mirrored(mut self) -> Comparison {
        // Not `-x`, which makes a zero negative.
        let negated = |x: f64| 0.0 - x;
        let turned = |i: Interval| Interval {
            low: negated(i.high),
            high: negated(i.low),
        };
        self.chains = (self.chains.1, self.chains.0);
        self.slopes = (self.slopes.1, self.slopes.0);
        self.slope_difference = self.slope_difference.map(negated);
        self.percentile = self.percentile.map(turned);
        self.t_widened = self.t_widened.map(turned);
        self.effect = self.effect.map(|e| Effect {
            hedges_g: e.hedges_g.map(negated),
            cliffs_delta: negated(e.cliffs_delta),
        });
        self
    }

    /// Nothing but the numbers of chains.
    pub(super) fn without_a_slope(chains: (usize, usize)) -> Comparison {
        Comparison {
            chains,
            slopes: (None, None),
            slope_difference: None,
            percentile: None,
            t_widened: None,
            resamples_undefined: 0,
            separation: Separation::NoInterval,
            permutation: None,
            effect: None,
            smallest_detectable: None,
        }
    }
}

/// Compares the arms `a` and `b`.
pub fn compare(a: &[Series], b: &[Series], options: &Options) -> Comparison {
    let (grid_a, grid_b) = (Grid::new(a), Grid::new(b));
    let (trend_a, trend_b) = (of_grid(&grid_a, options), of_grid(&grid_b, options));
    let slope_difference = trend_a.slope.zip(trend_b.slope).map(|(a, b)| a - b);
    let spread = Spread::of([&trend_a, &trend_b], 1.0);
    let mut out = Comparison {
        chains: (trend_a.chains, trend_b.chains),
        slopes: (trend_a.slope, trend_b.slope),
        slope_difference,
        percentile: None,
        t_widened: None,
        resamples_undefined: 0,
        separation: separation(&trend_a, &trend_b),
        permutation: None,
        effect: effect(
            &known_slopes(&trend_a),
            &known_slopes(&trend_b),
            grid_a.rounding().max(grid_b.rounding()),
        ),
        smallest_detectable: spread.and_then(Spread::smallest_detectable),
    };
    let Some(difference) = slope_difference else {
        return out;
    };
    let mut labels = SplitMix64::stream(options.seed, LABELS);
    out.permutation = permutation(&grid_a, &grid_b, &mut labels);
    if trend_a.chains > 1 && trend_b.chains > 1 {
        let (arm_a, arm_b) = (Arm::new(&grid_a), Arm::new(&grid_b));
        let mut generator = SplitMix64::stream(options.seed, DIFFERENCE);
        let resamples = Resamples::collect(options.resamples, || {
            let (a, b) = (arm_a.draw(&mut generator), arm_b.draw(&mut generator));
            Some(a? - b?)
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

pub(super) fn known_slopes(trend: &Trend) -> Vec<f64> {
    trend.chain_slopes.iter().filter_map(|c| c.slope).collect()
}

pub(super) fn separation(a: &Trend, b: &Trend) -> Separation {
    let few = |t: &Trend| t.chains < MIN_CHAINS;
    match (a.percentile, b.percentile) {
        (Some(_), Some(_)) if few(a) || few(b) => Separation::TooFewChains,
        (Some(one), Some(other)) => {
            if !one.overlaps(other) {
                Separation::SeparatesStrongly
            } else if one.excludes_zero() == other.excludes_zero() {
                Separation::Overlaps
            } else {
                Separation::Separates
            }
        }
        _ => Separation::NoInterval,
    }
}

/// The standard error of a difference of slopes and its degrees of freedom.
#[derive(Clone, Copy)]
pub(super) struct Spread {
    /// The square root of the variances' sum, above zero.
    error: f64,
    /// The same as the resampling sees it, without the factors n/(n − 1).
    resampled: f64,
    /// Welch and Satterthwaite's, rounded down, at least 1.
    df: usize,
}

impl Spread {
    /// Of what is made of the slopes of `arms`, each multiplied by `scale` or its negative and
    /// added up. `None` where an arm has no standard error, or all are zero.
    pub(super) fn of<'t>(arms: impl IntoIterator<Item = &'t Trend>, scale: f64) -> Option<Spread> {
        let (mut variance, mut resampled, mut by_df) = (0.0, 0.0, 0.0);
        let (mut fewest, mut most) = (usize::MAX, 0);
        for t in arms {
            let own = scale * scale * t.standard_error?.powi(2);
            let df = t.chains - 1;
            variance += own;
            resampled += own / unbiased(1.0, t.chains)?;
            by_df += own * own / df as f64;
            fewest = fewest.min(df);
            most += df;
        }
        if variance <= 0.0 {
            return None;
        }
        let df = variance * variance / by_df;
        Some(Spread {
            error: variance.sqrt(),
            resampled: resampled.sqrt(),
            // Between the least and the sum; the last bit must not cost a whole degree.
            df: ((df + 1e-9).floor() as usize).clamp(fewest, most),
        })
    }

    /// Of a mean over `units` units whose resampled variance is `variance`.
    pub(super) fn of_units(variance: f64, units: usize) -> Option<Spread> {
        let unbiased = unbiased(variance, units)?;
        (variance > 0.0).then(|| Spread {
            error: unbiased.sqrt(),
            resampled: variance.sqrt(),
            df: units - 1,
        })
    }

    pub(super) fn widening(self) -> Option<f64> {
        widening(self.df, self.error / self.resampled)
    }

    pub(super) fn smallest_detectable(self) -> Option<f64> {
        let level = t_quantile(Quantile::Q975, self.df)?;
        let power = t_quantile(Quantile::Q800, self.df)?;
        Some((level + power) * self.error)
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Separation, compare};
    use crate::stats::{Options, Point, Series};

    fn arm(slopes: &[f64]) -> Vec<Series> {
        let chain = |(i, slope): (usize, &f64)| Series {
            chain: format!("{i:02}"),
            points: (1..=6)
                .map(|k| Point {
                    index: f64::from(k),
                    value: Some(5.0 + slope * f64::from(k)),
                })
                .collect(),
        };
        slopes.iter().enumerate().map(chain).collect()
    }

    fn of(a: &[f64], b: &[f64]) -> Comparison {
        compare(&arm(a), &arm(b), &Options::default())
    }

    const UP: [f64; 6] = [0.5, 0.6, 0.4, 0.55, 0.45, 0.5];
    const FLAT: [f64; 6] = [0.5, -0.5, 0.4, -0.4, 0.1, -0.1];
    const WIDE: [f64; 6] = [1.3, -0.5, 1.2, -0.4, 0.9, -0.1];

    #[test]
    fn intervals_apart_separate_strongly() {
        let down: Vec<f64> = UP.iter().map(|s| -s).collect();
        let got = of(&UP, &down);
        assert_eq!(got.separation, Separation::SeparatesStrongly);
        assert!((got.slope_difference.expect("slopes") - 1.0).abs() < 1e-12);
        assert!(
            got.percentile
                .is_some_and(|i| i.excludes_zero() && i.low > 0.0)
        );
        let p = got.permutation.expect("a test");
        assert!(p.exact);
        assert_eq!((p.p, p.labellings), (2.0 / 924.0, 924));
    }

    #[test]
    fn one_interval_off_zero_separates_and_none_or_both_overlap() {
        assert_eq!(of(&UP, &WIDE).separation, Separation::Separates);
        assert_eq!(of(&FLAT, &WIDE).separation, Separation::Overlaps);
        let near: Vec<f64> = UP.iter().map(|s| s + 0.01).collect();
        assert_eq!(of(&UP, &near).separation, Separation::Overlaps);
    }

    #[test]
    fn small_arms_get_no_word_but_keep_their_numbers() {
        let got = of(&UP[..5], &FLAT);
        assert_eq!(got.separation, Separation::TooFewChains);
        assert!(got.percentile.is_some() && got.permutation.is_some());
        let single = of(&UP[..1], &FLAT);
        assert_eq!(single.separation, Separation::NoInterval);
        assert_eq!(single.percentile, None);
        assert_eq!(single.smallest_detectable, None);
        assert!(single.slope_difference.is_some());
        let none = of(&[], &FLAT);
        assert_eq!(none.slope_difference, None);
        assert_eq!(none.permutation, None);
    }

    #[test]
    fn the_widened_interval_of_a_difference_holds_the_other() {
        let got = of(&UP, &FLAT);
        let (p, t) = (got.percentile.expect("one"), got.t_widened.expect("one"));
        assert!(t.low < p.low && p.high < t.high, "{p:?} {t:?}");
    }

    #[test]
    fn arms_that_never_vary_have_no_detectable_difference() {
        let got = of(&[0.2; 6], &[0.2; 6]);
        assert_eq!(got.smallest_detectable, None);
        assert_eq!(got.separation, Separation::Overlaps);
        assert_eq!(got.permutation.expect("a test").p, 1.0);
    }

    #[test]
    fn a_smaller_spread_shows_a_smaller_difference() {
        let half: Vec<f64> = FLAT.iter().map(|s| s / 2.0).collect();
        let (wide, narrow) = (of(&FLAT, &FLAT), of(&half, &half));
        let (wide, narrow) = (wide.smallest_detectable, narrow.smallest_detectable);
        assert!((wide.expect("a") - 2.0 * narrow.expect("b")).abs() < 1e-9);
    }
}
