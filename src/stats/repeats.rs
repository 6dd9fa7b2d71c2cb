//! Scores of a chain's checkpoints, and of a task tried several times.

/// EvoScore (SWE-CI): Σ γⁱ·sᵢ ÷ Σ γⁱ over the checkpoints of one chain, in order, i from 0.
///
/// A missing score (an invalid gate) is left out of both sums and keeps its place: what comes
/// after weighs the same. `None` without any score, or for a γ that is not above zero.
pub fn evoscore(scores: &[Option<f64>], gamma: f64) -> Option<f64> {
    if gamma.is_nan() || gamma <= 0.0 {
        return None;
    }
    // From the last checkpoint down, so that no power of γ grows beyond all numbers: only the
    // ratio of weights counts.
    let growing = gamma > 1.0;
    let step = if growing { 1.0 / gamma } else { gamma };
    let (mut weight, mut sum, mut weights) = (1.0, 0.0, 0.0);
    for i in 0..scores.len() {
        let at = if growing { scores.len() - 1 - i } else { i };
        if let Some(score) = scores[at] {
            sum += weight * score;
            weights += weight;
        }
        weight *= step;
    }
    (weights > 0.0).then(|| sum / weights)
}

/// Chance that at least one of `k` tries passes, of `n` tries with `c` passes, without bias:
/// 1 − C(n−c, k) / C(n, k) (Chen et al. 2021). `None` where k is 0 or above n, or c above n.
pub fn pass_at_k(n: u32, c: u32, k: u32) -> Option<f64> {
    Some(1.0 - drawn_all(n, n.checked_sub(c)?, k)?)
}

/// Chance that all of `k` tries pass: C(c, k) / C(n, k) (Yao et al. 2024). `None` as for
/// [`pass_at_k`].
pub fn pass_hat_k(n: u32, c: u32, k: u32) -> Option<f64> {
    drawn_all(n, c, k)
}

/// C(m, k) / C(n, k): all of `k` drawn from `n` are among a marked `m`.
fn drawn_all(n: u32, m: u32, k: u32) -> Option<f64> {
    if k == 0 || k > n || m > n {
        return None;
    }
    if m < k {
        return Some(0.0);
    }
    let part = |i: u32| f64::from(m - i) / f64::from(n - i);
    Some((0..k).map(part).product())
}

#[cfg(test)]
mod tests {
    use super::{evoscore, pass_at_k, pass_hat_k};

    #[test]
    fn late_passes_weigh_more_with_a_greater_gamma() {
        let score = |s: &[f64], g| {
            let scores: Vec<_> = s.iter().copied().map(Some).collect();
            evoscore(&scores, g).expect("scores")
        };
        assert!((score(&[1.0, 1.0, 0.0], 2.0) - 3.0 / 7.0).abs() < 1e-15);
        assert!((score(&[1.0, 1.0, 0.0], 1.0) - 2.0 / 3.0).abs() < 1e-15);
        assert!((score(&[1.0, 1.0, 0.0], 0.5) - 1.5 / 1.75).abs() < 1e-15);
        assert!((score(&vec![1.0; 5000], 2.0) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_missing_score_leaves_both_sums_and_keeps_its_place() {
        let got = evoscore(&[Some(1.0), None, Some(0.0)], 2.0).expect("scores");
        assert!((got - 1.0 / 5.0).abs() < 1e-15);
        assert_eq!(evoscore(&[None, None], 2.0), None);
        assert_eq!(evoscore(&[Some(1.0)], 0.0), None);
        assert_eq!(evoscore(&[Some(1.0)], f64::NAN), None);
    }

    #[test]
    fn the_small_exact_cases_come_out() {
        let close = |a: Option<f64>, b: f64| (a.expect("defined") - b).abs() < 1e-15;
        assert!(close(pass_hat_k(4, 3, 2), 0.5));
        assert!(close(pass_at_k(4, 3, 2), 1.0));
        assert!(close(pass_at_k(5, 2, 2), 0.7));
        assert!(close(pass_at_k(5, 2, 1), 0.4));
        assert!(close(pass_hat_k(5, 2, 3), 0.0));
        assert!(close(pass_at_k(5, 0, 2), 0.0));
        assert_eq!(pass_at_k(3, 1, 4), None);
        assert_eq!(pass_at_k(3, 1, 0), None);
        assert_eq!(pass_at_k(3, 4, 1), None);
        assert_eq!(pass_hat_k(3, 4, 1), None);
    }

    /// Every choice of k chains of n, of which the first c pass, looked at one by one.
    #[test]
    fn both_chances_are_those_of_all_choices_written_out() {
        for n in 1..=10_u32 {
            for c in 0..=n {
                let passing = (1_u32 << c) - 1;
                for k in 1..=n {
                    let chosen = (0..1_u32 << n).filter(|choice| choice.count_ones() == k);
                    let (mut all, mut any, mut choices) = (0_u32, 0_u32, 0_u32);
                    for choice in chosen {
                        choices += 1;
                        all += u32::from(choice & passing == choice);
                        any += u32::from(choice & passing != 0);
                    }
                    let close = |got: Option<f64>, of: u32| {
                        let wanted = f64::from(of) / f64::from(choices);
                        assert!(
                            (got.expect("defined") - wanted).abs() < 1e-12,
                            "{n} {c} {k}"
                        );
                    };
                    close(pass_hat_k(n, c, k), all);
                    close(pass_at_k(n, c, k), any);
                }
            }
        }
    }
}
