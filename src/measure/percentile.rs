//! Percentiles, with their definition fixed.

/// The `q`-quantile (`q` in [0, 1]) of `sorted` (ascending, finite), interpolated linearly at
/// rank `q · (n − 1)`: type 7 of Hyndman and Fan, numpy's default. `None` where there is nothing
/// to take it of, and where the values it lies between are not finite (sums that overflowed).
pub fn percentile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let rank = q.clamp(0.0, 1.0) * last as f64;
    // `rank` lies in [0, last].
    let below = (rank.floor() as usize).min(last);
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    if !low.is_finite() || !high.is_finite() {
        return None;
    }
    let part = rank - below as f64;
    let between = match (high - low).is_finite() {
        true => low + (high - low) * part,
        false => low * (1.0 - part) + high * part,
    };
    // The clamp takes back the last bit by which the product may step over an end.
    Some(between.clamp(low, high.max(low)))
}

#[cfg(test)]
mod tests {
    use super::percentile;
    use proptest::prelude::*;

    #[test]
    fn ranks_between_two_values_are_interpolated() {
        let v = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(percentile(&v, 0.0), Some(1.0));
        assert_eq!(percentile(&v, 0.5), Some(3.0));
        assert_eq!(percentile(&v, 0.25), Some(1.75));
        assert_eq!(percentile(&v, 1.0), Some(8.0));
        assert_eq!(percentile(&[5.0], 0.3), Some(5.0));
        assert_eq!(percentile(&[], 0.5), None);
    }

    #[test]
    fn values_at_the_end_of_all_numbers_give_a_number_or_nothing() {
        let v = [-f64::MAX, f64::MAX];
        assert_eq!(percentile(&v, 0.0), Some(-f64::MAX));
        assert_eq!(percentile(&v, 0.5), Some(0.0));
        assert_eq!(percentile(&v, 1.0), Some(f64::MAX));
        assert_eq!(percentile(&[f64::NEG_INFINITY, 1.0], 0.2), None);
        assert_eq!(percentile(&[1.0, f64::NAN], 0.9), None);
    }

    proptest! {
        #[test]
        fn a_percentile_lies_between_the_least_and_the_greatest(
            mut v in prop::collection::vec(-1e9..1e9_f64, 1..40), q in 0.0..=1.0_f64,
        ) {
            v.sort_by(f64::total_cmp);
            let p = percentile(&v, q).expect("not empty");
            prop_assert!(v[0] <= p && p <= v[v.len() - 1]);
        }

        #[test]
        fn percentiles_rise_with_q(
            mut v in prop::collection::vec(-1e9..1e9_f64, 1..40), a in 0.0..=1.0_f64, b in 0.0..=1.0_f64,
        ) {
            v.sort_by(f64::total_cmp);
            let (a, b) = (a.min(b), a.max(b));
            prop_assert!(percentile(&v, a) <= percentile(&v, b));
        }
    }
}
