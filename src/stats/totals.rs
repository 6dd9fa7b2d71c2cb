//! What several chains add up to: the mean, and how far they lie apart.

/// Mean of `values`, and their sample standard deviation (divided by n − 1). No mean of none, no
/// deviation under two.
pub fn mean_and_sd(values: &[f64]) -> (Option<f64>, Option<f64>) {
    let n = values.len() as f64;
    if values.is_empty() {
        return (None, None);
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (
        Some(mean),
        (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
    )
}

#[cfg(test)]
mod tests {
    use super::mean_and_sd;

    #[test]
    fn the_deviation_is_the_samples_and_needs_two() {
        assert_eq!(mean_and_sd(&[]), (None, None));
        assert_eq!(mean_and_sd(&[3.0]), (Some(3.0), None));
        let (mean, sd) = mean_and_sd(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(mean, Some(5.0));
        assert!((sd.expect("eight values") - (32.0_f64 / 7.0).sqrt()).abs() < 1e-15);
    }
}
