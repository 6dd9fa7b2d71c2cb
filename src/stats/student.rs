//! Quantiles of Student's t, for the two probabilities this module needs.

use super::student_table::{T_800, T_975};

/// The 0.975 quantile of the standard normal distribution.
pub(super) const Z_975: f64 = 1.959_963_984_540_054;
/// Its 0.8 quantile.
const Z_800: f64 = 0.841_621_233_572_914_3;

/// Which quantile of Student's t.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantile {
    /// 0.975: either end of a two-sided 95 % interval.
    Q975,
    /// 0.8: a power of 80 %.
    Q800,
}

/// The quantile of Student's t with `df` degrees of freedom; `None` for no degree of freedom.
///
/// To 200 degrees of freedom a table of 12 decimals, so that no platform's logarithm moves an
/// interval; above it the Cornish-Fisher expansion in 1/df (Abramowitz and Stegun 26.7.5), whose
/// error there is under 1e-11.
pub(super) fn t_quantile(quantile: Quantile, df: usize) -> Option<f64> {
    let (table, z) = match quantile {
        Quantile::Q975 => (&T_975, Z_975),
        Quantile::Q800 => (&T_800, Z_800),
    };
    let before = df.checked_sub(1)?;
    if let Some(tabled) = table.get(before) {
        return Some(*tabled);
    }
    let (n, z2) = (df as f64, z * z);
    let g1 = z * (z2 + 1.0) / 4.0;
    let g2 = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
    let g3 = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
    let g4 = z * ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) / 92_160.0;
    Some(z + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n)
}

#[cfg(test)]
mod tests {
    use super::Quantile::{Q800, Q975};
    use super::t_quantile;

    /// Values of scipy 1.17.1, `scipy.stats.t.ppf`.
    #[test]
    fn the_quantiles_are_those_of_scipy() {
        let published = [
            (Q975, 1, 12.706204736174694),
            (Q975, 2, 4.302652729749462),
            (Q975, 3, 3.1824463052837078),
            (Q975, 9, 2.262157162798205),
            (Q975, 19, 2.0930240544083087),
            (Q975, 200, 1.9718962236339088),
            (Q975, 201, 1.971836506779859),
            (Q975, 300, 1.9679030112610865),
            (Q975, 1000, 1.9623390808264083),
            (Q800, 1, 1.3763819204711738),
            (Q800, 2, 1.0606601717798214),
            (Q800, 9, 0.8834038596855346),
            (Q800, 19, 0.8609505502689286),
            (Q800, 200, 0.8434221315354185),
            (Q800, 201, 0.8434131535503544),
            (Q800, 1000, 0.8419808221624288),
        ];
        for (quantile, df, value) in published {
            let got = t_quantile(quantile, df).expect("a degree of freedom");
            assert!((got - value).abs() < 1e-11, "{quantile:?} {df}: {got}");
        }
    }

    #[test]
    fn quantiles_fall_towards_the_normal_and_need_a_degree_of_freedom() {
        for q in [Q975, Q800] {
            assert_eq!(t_quantile(q, 0), None);
            for df in 1..400 {
                assert!(t_quantile(q, df) > t_quantile(q, df + 1), "{q:?} {df}");
            }
        }
    }
}
