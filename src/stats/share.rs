//! What each value of each chain adds to the slope of the mean curve.

use super::series::Series;
use super::trend::Trend;

/// What one value adds to the slope.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueShare {
    /// The chain's name.
    pub chain: String,
    /// The checkpoint.
    pub index: f64,
    /// The value.
    pub value: f64,
    /// `(x − x̄)(v − ȳ) / (n·Σ(x − x̄)²)`, x̄ and ȳ over the points of the mean curve, n the
    /// chains that have a value there. Those of a checkpoint sum to its share.
    pub share: f64,
}

/// The shares of all values in `series`, whose trend is `trend`; empty where there is no slope.
pub fn value_shares(series: &[Series], trend: &Trend) -> Vec<ValueShare> {
    let curve = &trend.mean_curve;
    if trend.slope.is_none() {
        return Vec::new();
    }
    let points = curve.len() as f64;
    let x_mean = curve.iter().map(|p| p.index).sum::<f64>() / points;
    let y_mean = curve.iter().map(|p| p.mean).sum::<f64>() / points;
    let squares: f64 = curve
        .iter()
        .map(|p| (p.index - x_mean) * (p.index - x_mean))
        .sum();
    let mut shares = Vec::new();
    for one in series {
        for (i, point) in one.points.iter().enumerate() {
            // Of several points with one index the last counts.
            if one.points[i + 1..].iter().any(|p| p.index == point.index) {
                continue;
            }
            let at = curve.iter().find(|p| p.index == point.index);
            let (Some(at), Some(value)) = (at, point.value.filter(|v| v.is_finite())) else {
                continue;
            };
            shares.push(ValueShare {
                chain: one.chain.clone(),
                index: point.index,
                value,
                share: (point.index - x_mean) * (value - y_mean) / (at.chains as f64 * squares),
            });
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Options, Point, trend};

    fn chain(name: &str, values: &[Option<f64>]) -> Series {
        let points = values.iter().zip(1..);
        Series {
            chain: name.to_owned(),
            points: points
                .map(|(value, k)| Point {
                    index: f64::from(k),
                    value: *value,
                })
                .collect(),
        }
    }

    #[test]
    fn the_values_of_a_checkpoint_sum_to_its_share_and_all_of_them_to_the_slope() {
        let series = [
            chain("a", &[Some(1.0), Some(4.0), None, Some(9.0)]),
            chain("b", &[Some(2.0), None, None, Some(3.0)]),
            chain("c", &[Some(0.0), Some(0.0), Some(7.0)]),
        ];
        let trend = trend(&series, &Options::default());
        let shares = value_shares(&series, &trend);
        assert_eq!(shares.len(), 8, "what is missing adds nothing");
        for whole in &trend.shares {
            let of_it = shares.iter().filter(|s| s.index == whole.index);
            assert!((of_it.map(|s| s.share).sum::<f64>() - whole.share).abs() < 1e-12);
        }
        let sum: f64 = shares.iter().map(|s| s.share).sum();
        assert!((sum - trend.slope.expect("a slope")).abs() < 1e-12);
    }

    /// Counted by hand: x̄ 2, ȳ 3, Σ 2; (1 − 2)(1 − 3)/2 = 1, 0, (3 − 2)(5 − 3)/2 = 1.
    #[test]
    fn one_chain_shares_are_those_of_the_curve() {
        let series = [chain("a", &[Some(1.0), Some(3.0), Some(5.0)])];
        let shares = value_shares(&series, &trend(&series, &Options::default()));
        let shares: Vec<f64> = shares.iter().map(|s| s.share).collect();
        assert_eq!(shares, [1.0, 0.0, 1.0]);
    }

    #[test]
    fn without_a_slope_there_are_no_shares() {
        let series = [chain("a", &[Some(1.0)])];
        assert!(value_shares(&series, &trend(&series, &Options::default())).is_empty());
    }
}
