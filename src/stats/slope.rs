//! Ordinary least squares over real checkpoint indices.

/// A straight line through points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    /// Change of the value per checkpoint.
    pub(super) slope: f64,
    /// The line's value at index 0.
    pub(super) intercept: f64,
}

/// Indices seen from their mean: `x − x̄`, and the sum of their squares.
struct Centred {
    mean: f64,
    squares: f64,
}

fn centred(x: impl Iterator<Item = f64> + Clone) -> Option<Centred> {
    let (mut sum, mut n) = (0.0, 0_usize);
    for v in x.clone() {
        sum += v;
        n += 1;
    }
    if n < 2 {
        return None;
    }
    let mean = sum / n as f64;
    let squares: f64 = x.map(|v| (v - mean) * (v - mean)).sum();
    (squares > 0.0).then_some(Centred { mean, squares })
}

/// The least-squares line of the points `(x, y)`; `None` with fewer than two different `x`.
///
/// A slope that is no more than the rounding of its own sums is zero, so that a measure that
/// never moves is flat and not `1e-18` with an interval that excludes zero.
pub(super) fn fit(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Fit> {
    let about = centred(points.clone().map(|p| p.0))?;
    let (mut sum, mut n) = (0.0, 0_usize);
    for (_, y) in points.clone() {
        sum += y;
        n += 1;
    }
    let mean = sum / n as f64;
    let (mut products, mut reach, mut greatest) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (x, y) in points {
        products += (x - about.mean) * (y - mean);
        reach += (x - about.mean).abs();
        greatest = greatest.max(y.abs());
    }
    if products.abs() <= 4.0 * n as f64 * f64::EPSILON * greatest * reach {
        products = 0.0;
    }
    let slope = products / about.squares;
    Some(Fit {
        slope,
        intercept: mean - slope * about.mean,
    })
}

/// Each point's share of the slope, `(x − x̄)(y − ȳ) / Σ(x − x̄)²`: what it adds to it. The
/// shares sum to the slope, and the level of the curve has no part in them. Empty where there
/// is no slope.
pub(super) fn shares(points: &[(f64, f64)]) -> Vec<f64> {
    let Some(about) = centred(points.iter().map(|p| p.0)) else {
        return Vec::new();
    };
    let mean = points.iter().map(|p| p.1).sum::<f64>() / points.len() as f64;
    points
        .iter()
        .map(|(x, y)| (x - about.mean) * (y - mean) / about.squares)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{fit, shares};
    use proptest::prelude::*;

    #[test]
    fn a_line_is_found_with_its_gaps_kept() {
        let f = fit([(1.0, 5.0), (2.0, 7.0), (7.0, 17.0)].into_iter()).expect("a line");
        assert!((f.slope - 2.0).abs() < 1e-14 && (f.intercept - 3.0).abs() < 1e-13);
    }

    #[test]
    fn fewer_than_two_checkpoints_have_no_slope() {
        assert_eq!(fit([].into_iter()), None);
        assert_eq!(fit([(1.0, 2.0)].into_iter()), None);
        assert_eq!(fit([(1.0, 2.0), (1.0, 3.0)].into_iter()), None);
    }

    #[test]
    fn a_level_curve_is_exactly_flat() {
        for level in [0.1, 0.3, 1.0 / 3.0, 1e9 + 0.1, -7.7] {
            let flat = (1..=17).map(|i| (f64::from(i), level));
            assert_eq!(fit(flat).map(|f| f.slope), Some(0.0), "{level}");
        }
    }

    #[test]
    fn a_small_slope_on_a_high_level_is_kept() {
        let f = fit((1..=60).map(|i| (f64::from(i), 1e6 + 1e-6 * f64::from(i))));
        assert!((f.expect("a line").slope - 1e-6).abs() < 1e-10);
    }

    fn curve() -> impl Strategy<Value = Vec<(f64, f64)>> {
        prop::collection::vec(-1e3..1e3_f64, 2..40).prop_map(|y| {
            let x = |i: usize| (i + i / 3) as f64;
            y.into_iter().enumerate().map(|(i, y)| (x(i), y)).collect()
        })
    }

    fn slope(points: &[(f64, f64)]) -> f64 {
        fit(points.iter().copied()).expect("two indices").slope
    }

    proptest! {
        #[test]
        fn a_slope_does_not_see_the_level(points in curve(), by in -1e3..1e3_f64) {
            let moved: Vec<_> = points.iter().map(|&(x, y)| (x, y + by)).collect();
            prop_assert!((slope(&points) - slope(&moved)).abs() < 1e-9);
        }

        #[test]
        fn a_slope_scales_with_its_values(points in curve(), by in -100.0..100.0_f64) {
            let scaled: Vec<_> = points.iter().map(|&(x, y)| (x, y * by)).collect();
            prop_assert!((by * slope(&points) - slope(&scaled)).abs() < 1e-8);
        }

        #[test]
        fn the_shares_sum_to_the_slope_and_do_not_see_the_level(points in curve(), by in -1e3..1e3_f64) {
            let parts = shares(&points);
            prop_assert_eq!(parts.len(), points.len());
            prop_assert!((parts.iter().sum::<f64>() - slope(&points)).abs() < 1e-9);
            let moved: Vec<_> = points.iter().map(|&(x, y)| (x, y + by)).collect();
            for (a, b) in parts.iter().zip(shares(&moved)) {
                prop_assert!((a - b).abs() < 1e-9);
            }
        }
    }
}
