//! How large a difference between two arms is, beside how sure.

/// Effect sizes of the per-chain slopes of two arms, positive where the first arm's are greater;
/// over levels, the spread within arms and levels is what counts; of differences by task, theirs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Hedges' g: difference of means ÷ pooled standard deviation, times 1 − 3/(4·df − 1) with
    /// df = n_a + n_b − 2 (Hedges 1981). `None` where the slopes do not vary.
    pub hedges_g: Option<f64>,
    /// Cliff's delta: of all pairs of one chain of each arm, the share in which the first is
    /// greater less the share in which it is smaller; in [−1, 1].
    pub cliffs_delta: f64,
}

fn mean_and_squares(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (
        mean,
        values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>(),
    )
}

/// Effect sizes of two sets of slopes; `None` where one arm has under two. Slopes that differ by
/// no more than `rounding` are equal.
pub(super) fn effect(a: &[f64], b: &[f64], rounding: f64) -> Option<Effect> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let ((mean_a, squares_a), (mean_b, squares_b)) = (mean_and_squares(a), mean_and_squares(b));
    let df = (a.len() + b.len() - 2) as f64;
    let pooled = ((squares_a + squares_b) / df).sqrt();
    let hedges_g =
        (pooled > rounding).then(|| (mean_a - mean_b) / pooled * (1.0 - 3.0 / (4.0 * df - 1.0)));
    Some(Effect {
        hedges_g,
        cliffs_delta: delta(a, b, rounding),
    })
}

/// Cliff's delta; of no pair, not a number.
fn delta(a: &[f64], b: &[f64], rounding: f64) -> f64 {
    let mut balance = 0_i64;
    for x in a {
        for y in b {
            balance += i64::from(x - y > rounding) - i64::from(y - x > rounding);
        }
    }
    balance as f64 / (a.len() * b.len()) as f64
}

/// Effect sizes over levels, each given as the slopes of both arms in it: the mean of the levels'
/// differences of means ÷ the standard deviation within arms and levels (df = chains − two a
/// level), corrected as Hedges' g is; and the mean of the levels' deltas. `None` where an arm has
/// no slope in a level, or under two degrees of freedom are left.
pub(super) fn pooled(levels: &[(Vec<f64>, Vec<f64>)], rounding: f64) -> Option<Effect> {
    if levels.is_empty() || levels.iter().any(|(a, b)| a.is_empty() || b.is_empty()) {
        return None;
    }
    let df: usize = levels.iter().map(|(a, b)| a.len() + b.len() - 2).sum();
    if df < 2 {
        return None;
    }
    let (mut difference, mut squares, mut deltas) = (0.0, 0.0, 0.0);
    for (a, b) in levels {
        let ((mean_a, squares_a), (mean_b, squares_b)) = (mean_and_squares(a), mean_and_squares(b));
        difference += mean_a - mean_b;
        squares += squares_a + squares_b;
        deltas += delta(a, b, rounding);
    }
    let (all, df) = (levels.len() as f64, df as f64);
    let spread = (squares / df).sqrt();
    Some(Effect {
        hedges_g: (spread > rounding)
            .then(|| difference / all / spread * (1.0 - 3.0 / (4.0 * df - 1.0))),
        cliffs_delta: deltas / all,
    })
}

/// Effect sizes of differences by task: their mean ÷ their standard deviation (df = n − 1),
/// corrected as Hedges' g is; and the share of them above zero less the share below. `None` under
/// three.
pub(super) fn of_differences(differences: &[f64], rounding: f64) -> Option<Effect> {
    if differences.len() < 3 {
        return None;
    }
    let (mean, squares) = mean_and_squares(differences);
    let df = (differences.len() - 1) as f64;
    let spread = (squares / df).sqrt();
    Some(Effect {
        hedges_g: (spread > rounding).then(|| mean / spread * (1.0 - 3.0 / (4.0 * df - 1.0))),
        cliffs_delta: delta(differences, &[0.0], rounding),
    })
}

#[cfg(test)]
mod tests {
    use super::effect;

    #[test]
    fn a_worked_example_comes_out() {
        // Means 3 and 2, both variances 1: d = 1, and 1 - 3/(4*4 - 1) = 0.8.
        let e = effect(&[2.0, 3.0, 4.0], &[1.0, 2.0, 3.0], 0.0).expect("two arms");
        assert!((e.hedges_g.expect("they vary") - 0.8).abs() < 1e-15);
        // Of nine pairs the first is greater in six, smaller in one.
        assert!((e.cliffs_delta - 5.0 / 9.0).abs() < 1e-15);
    }

    #[test]
    fn slopes_that_do_not_vary_have_no_standardised_difference() {
        let e = effect(&[0.1, 0.1, 0.1], &[0.3, 0.3, 0.3], 1e-15).expect("two arms");
        assert_eq!((e.hedges_g, e.cliffs_delta), (None, -1.0));
        assert_eq!(effect(&[1.0], &[1.0, 2.0], 0.0), None);
    }
}
