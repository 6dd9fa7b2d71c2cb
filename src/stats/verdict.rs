//! What a trend reads as, in one or two words.

use std::fmt;

use super::trend::Trend;

/// Under this many chains an arm gets no verdict.
pub const MIN_CHAINS: usize = 6;

/// Which way of a measure is the good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Rising is degrading.
    LowerIsBetter,
    /// Falling is degrading.
    HigherIsBetter,
    /// Neither is better.
    Descriptive,
}

/// What a trend reads as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The interval excludes zero, on the worse side.
    Degrades,
    /// On the better side.
    Improves,
    /// Of a descriptive measure: above zero.
    Rises,
    /// Below zero.
    Falls,
    /// The interval holds zero.
    Flat,
    /// More than one chain, but under [`MIN_CHAINS`].
    TooFewChains,
    /// A single chain has no interval, and so no verdict.
    OneChain,
    /// There is no slope, or no resample had one.
    NoSlope,
}

impl Verdict {
    /// The words of the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Degrades => "degrades",
            Verdict::Improves => "improves",
            Verdict::Rises => "rises",
            Verdict::Falls => "falls",
            Verdict::Flat => "flat",
            Verdict::TooFewChains => "too few chains",
            Verdict::OneChain => "one chain",
            Verdict::NoSlope => "no slope",
        }
    }
}

/// A verdict with its reservation; prints as `degrades (t-widened holds zero)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictText {
    /// The verdict, from the percentile interval.
    pub verdict: Verdict,
    /// The percentile interval excludes zero and the t-widened one does not.
    pub t_widened_holds_zero: bool,
}

impl fmt::Display for VerdictText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verdict.as_str())?;
        if self.t_widened_holds_zero {
            f.write_str(" (t-widened holds zero)")?;
        }
        Ok(())
    }
}

/// What `trend` reads as, for a measure whose good side is `direction`.
pub fn verdict(trend: &Trend, direction: Direction) -> VerdictText {
    let plain = |verdict| VerdictText {
        verdict,
        t_widened_holds_zero: false,
    };
    if trend.slope.is_none() {
        return plain(Verdict::NoSlope);
    }
    if trend.chains < 2 {
        return plain(Verdict::OneChain);
    }
    if trend.chains < MIN_CHAINS {
        return plain(Verdict::TooFewChains);
    }
    let Some(interval) = trend.percentile else {
        return plain(Verdict::NoSlope);
    };
    if !interval.excludes_zero() {
        return plain(Verdict::Flat);
    }
    let verdict = match (direction, interval.low > 0.0) {
        (Direction::LowerIsBetter, true) | (Direction::HigherIsBetter, false) => Verdict::Degrades,
        (Direction::LowerIsBetter, false) | (Direction::HigherIsBetter, true) => Verdict::Improves,
        (Direction::Descriptive, true) => Verdict::Rises,
        (Direction::Descriptive, false) => Verdict::Falls,
    };
    VerdictText {
        verdict,
        t_widened_holds_zero: trend.t_widened.is_some_and(|t| !t.excludes_zero()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Verdict, verdict};
    use crate::stats::{Interval, Options, Point, Series, Trend, trend};

    fn arm(slopes: &[f64]) -> Trend {
        let chain = |(i, slope): (usize, &f64)| Series {
            chain: format!("{i:02}"),
            points: (1..=6)
                .map(|k| Point {
                    index: f64::from(k),
                    value: Some(5.0 + slope * f64::from(k)),
                })
                .collect(),
        };
        let series: Vec<_> = slopes.iter().enumerate().map(chain).collect();
        trend(&series, &Options::default())
    }

    const UP: [f64; 6] = [0.5, 0.6, 0.4, 0.55, 0.45, 0.5];
    const DOWN: [f64; 6] = [-0.5, -0.6, -0.4, -0.55, -0.45, -0.5];

    #[test]
    fn the_good_side_of_the_measure_decides_the_word() {
        use Direction::{Descriptive, HigherIsBetter, LowerIsBetter};
        let said = |t: &Trend, d| verdict(t, d).to_string();
        let (up, down) = (arm(&UP), arm(&DOWN));
        assert_eq!(said(&up, LowerIsBetter), "degrades");
        assert_eq!(said(&up, HigherIsBetter), "improves");
        assert_eq!(said(&up, Descriptive), "rises");
        assert_eq!(said(&down, LowerIsBetter), "improves");
        assert_eq!(said(&down, HigherIsBetter), "degrades");
        assert_eq!(said(&down, Descriptive), "falls");
        let mixed = arm(&[0.5, -0.5, 0.4, -0.4, 0.1, -0.1]);
        for d in [LowerIsBetter, HigherIsBetter, Descriptive] {
            assert_eq!(said(&mixed, d), "flat");
        }
    }

    #[test]
    fn a_measure_that_never_moves_is_flat() {
        assert_eq!(
            verdict(&arm(&[0.0; 8]), Direction::LowerIsBetter).verdict,
            Verdict::Flat
        );
    }

    #[test]
    fn what_the_t_widened_interval_does_not_bear_out_is_said() {
        // Mean 0.1 and standard error 0.05: two of them, but not 2.57.
        let t = arm(&[0.0, 0.2, -0.05, 0.25, 0.05, 0.15]);
        assert!(t.percentile.is_some_and(Interval::excludes_zero), "{t:?}");
        assert_eq!(
            verdict(&t, Direction::LowerIsBetter).to_string(),
            "degrades (t-widened holds zero)"
        );
    }

    #[test]
    fn few_chains_get_no_verdict() {
        let said = |n: usize| verdict(&arm(&UP[..n]), Direction::LowerIsBetter).to_string();
        assert_eq!(said(0), "no slope");
        assert_eq!(said(1), "one chain");
        assert_eq!(said(2), "too few chains");
        assert_eq!(said(5), "too few chains");
    }
}
