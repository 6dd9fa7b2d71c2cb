//! Simulated experiments: arms whose true slopes are known, with noise of several shapes.

use git_evolve::stats::{Comparison, Options, Point, Series, SplitMix64, Trend, compare, trend};

/// The shape of what is random, of mean 0 and standard deviation 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Normal,
    /// Exponential.
    Skewed,
    /// Student's t with 3 degrees of freedom.
    Heavy,
}

/// How experiments are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct World {
    pub(super) shape: Shape,
    /// Of what is left over at a checkpoint, with that of the one before in the same chain.
    pub(super) autocorrelation: f64,
    /// Chains end anywhere in the second half.
    pub(super) unequal: bool,
    /// Chains of each arm.
    pub(super) chains: (usize, usize),
    pub(super) checkpoints: usize,
}

/// What a slope varies by between chains, against noise of standard deviation 1.
const BETWEEN: f64 = 0.1;
/// The slope of the second arm.
pub(super) const SLOPE: f64 = 0.3;

pub(super) fn uniform(random: &mut SplitMix64) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

pub(super) fn normal(random: &mut SplitMix64) -> f64 {
    let (u, v) = (uniform(random), uniform(random));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

impl Shape {
    pub(super) fn draw(self, random: &mut SplitMix64) -> f64 {
        match self {
            Shape::Normal => normal(random),
            Shape::Skewed => -uniform(random).ln() - 1.0,
            Shape::Heavy => {
                let square: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
                // The variance of t with 3 degrees of freedom is 3.
                normal(random) / (square / 3.0).sqrt() / 3.0_f64.sqrt()
            }
        }
    }
}

impl World {
    /// The same with `n` chains in both arms.
    pub(super) fn of(self, n: usize) -> World {
        World {
            chains: (n, n),
            ..self
        }
    }

    fn arm(&self, chains: usize, slope: f64, random: &mut SplitMix64) -> Vec<Series> {
        let rest = (1.0 - self.autocorrelation * self.autocorrelation).sqrt();
        (0..chains)
            .map(|i| {
                let level = 5.0 + self.shape.draw(random);
                let own = slope + BETWEEN * self.shape.draw(random);
                let length = match self.unequal {
                    true => self.checkpoints - random.below(self.checkpoints / 2 + 1),
                    false => self.checkpoints,
                };
                let mut noise = self.shape.draw(random);
                let points = (1..=length).map(|k| {
                    let value = level + own * k as f64 + noise;
                    noise = self.autocorrelation * noise + rest * self.shape.draw(random);
                    Point {
                        index: k as f64,
                        value: Some(value),
                    }
                });
                Series {
                    chain: format!("{i:02}"),
                    points: points.collect(),
                }
            })
            .collect()
    }

    /// One experiment whose arms differ by `difference`.
    pub(super) fn experiment(
        &self,
        difference: f64,
        random: &mut SplitMix64,
    ) -> (Vec<Series>, Vec<Series>) {
        let first = self.arm(self.chains.0, SLOPE + difference, random);
        (first, self.arm(self.chains.1, SLOPE, random))
    }

    /// Both arms' comparison, and the trend of the second.
    pub(super) fn measured(&self, difference: f64, random: &mut SplitMix64) -> (Comparison, Trend) {
        let (a, b) = self.experiment(difference, random);
        let options = Options::default();
        (compare(&a, &b, &options), trend(&b, &options))
    }
}
