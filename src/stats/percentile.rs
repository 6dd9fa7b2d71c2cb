//! Ranks, with their definition fixed; percentiles stand where measures take some, too.

pub use crate::measure::percentile;

/// Where `value` stands among `earlier` values: the share of them below it, those equal counted
/// half (the mean rank of the tie), in [0, 1]. `None` without earlier values; those that are no
/// numbers are left out.
pub fn percentile_rank(earlier: &[f64], value: f64) -> Option<f64> {
    let known = earlier.iter().filter(|e| e.is_finite());
    let (mut smaller, mut equal, mut all) = (0_usize, 0_usize, 0_usize);
    for e in known {
        all += 1;
        smaller += usize::from(*e < value);
        equal += usize::from(*e == value);
    }
    (all > 0 && value.is_finite()).then(|| (smaller as f64 + 0.5 * equal as f64) / all as f64)
}

#[cfg(test)]
mod tests {
    use super::percentile_rank;

    #[test]
    fn ties_take_their_mean_rank() {
        assert_eq!(percentile_rank(&[1.0, 2.0, 3.0, 4.0], 2.5), Some(0.5));
        assert_eq!(percentile_rank(&[1.0, 2.0, 2.0, 3.0], 2.0), Some(0.5));
        assert_eq!(percentile_rank(&[1.0, 1.0], 1.0), Some(0.5));
        assert_eq!(percentile_rank(&[1.0, 2.0], 9.0), Some(1.0));
        assert_eq!(percentile_rank(&[1.0, f64::NAN], 0.0), Some(0.0));
        assert_eq!(percentile_rank(&[], 1.0), None);
    }
}
