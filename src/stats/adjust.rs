//! Many comparisons at once: Holm's adjustment.

/// Holm's step-down adjusted p-values (Holm 1979), in the order given: with the p-values in
/// ascending order, the i-th (from 0) of m becomes the greatest of `(m − j) · p_j` for j ≤ i,
/// at most 1. A value that is no number stays one and is not counted in m: no test was made.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&i| !p[i].is_nan()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]).then(a.cmp(&b)));
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut greatest = 0.0_f64;
    for (rank, &i) in order.iter().enumerate() {
        greatest = greatest.max((order.len() - rank) as f64 * p[i]);
        adjusted[i] = greatest.min(1.0);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::holm;
    use proptest::prelude::*;

    #[test]
    fn a_worked_example_comes_out() {
        let got = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        for (g, e) in got.iter().zip(expected) {
            assert!((g - e).abs() < 1e-15, "{got:?}");
        }
    }

    #[test]
    fn what_was_not_tested_does_not_count() {
        let got = holm(&[0.02, f64::NAN, 0.5]);
        assert_eq!(got[0], 0.04);
        assert!(got[1].is_nan());
        assert_eq!(got[2], 0.5);
        assert!(holm(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn adjusted_values_keep_the_order_and_never_fall_below_their_own(
            p in prop::collection::vec(0.0..=1.0_f64, 0..20),
        ) {
            let adjusted = holm(&p);
            for i in 0..p.len() {
                prop_assert!(adjusted[i] >= p[i] && adjusted[i] <= 1.0);
                for j in 0..p.len() {
                    if p[i] < p[j] {
                        prop_assert!(adjusted[i] <= adjusted[j]);
                    }
                }
            }
        }
    }
}
