//! A curve in one line of eight-step blocks.

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The values as blocks between their least and greatest, a gap (` `) for what is missing,
/// averaged down to at most `columns`. A flat curve stands at the lowest block.
pub fn sparkline(values: &[Option<f64>], columns: usize) -> String {
    let points = reduce(values, columns);
    let known = || points.iter().flatten().copied();
    let low = known().fold(f64::INFINITY, f64::min);
    let high = known().fold(f64::NEG_INFINITY, f64::max);
    points
        .iter()
        .map(|p| match p {
            None => ' ',
            Some(v) if high > low => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "between 0 and 7"
                )]
                let step = (((v - low) / (high - low)) * 7.0).round() as usize;
                BLOCKS[step.min(7)]
            }
            Some(_) => BLOCKS[0],
        })
        .collect()
}

/// Means of equal runs of neighbours, known values only.
fn reduce(values: &[Option<f64>], columns: usize) -> Vec<Option<f64>> {
    if columns == 0 || values.len() <= columns {
        return values.to_vec();
    }
    (0..columns)
        .map(|i| {
            let from = i * values.len() / columns;
            let to = ((i + 1) * values.len() / columns).max(from + 1);
            let known: Vec<f64> = values[from..to].iter().flatten().copied().collect();
            #[expect(clippy::cast_precision_loss, reason = "a handful of values")]
            let n = known.len() as f64;
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / n)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_from_the_lowest_block_to_the_highest() {
        let values: Vec<_> = (0..8).map(|v| Some(f64::from(v))).collect();
        assert_eq!(sparkline(&values, 20), "▁▂▃▄▅▆▇█");
    }

    #[test]
    fn a_missing_value_is_a_gap_and_a_flat_curve_lies_low() {
        assert_eq!(sparkline(&[Some(2.0), None, Some(2.0)], 9), "▁ ▁");
        assert_eq!(sparkline(&[], 9), "");
    }

    #[test]
    fn a_long_curve_is_averaged() {
        let values: Vec<_> = (0..16).map(|v| Some(f64::from(v))).collect();
        assert_eq!(sparkline(&values, 4).chars().count(), 4);
    }
}
