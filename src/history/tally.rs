//! Sums over rows that grow and shrink file by file and never depend on the way they were
//! reached: whole numbers inside, floats only when read.

use super::{Mass, Share, Sizes, Thresholds};

/// Sums over a set of rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    rows: i64,
    cc: i64,
    nloc: i64,
    /// By max(NLOC, 1): CC of all, high and extreme rows.
    by_nloc: Vec<[i64; 3]>,
    /// By CC: number of rows.
    by_cc: Vec<i64>,
    /// By max(NLOC, 0): number of rows.
    lengths: Vec<i64>,
}

fn slot<T: Default + Clone>(v: &mut Vec<T>, at: usize) -> Option<&mut T> {
    if v.len() <= at {
        v.resize(at + 1, T::default());
    }
    v.get_mut(at)
}

impl Tally {
    /// Adds (`sign` = 1) or takes away (`sign` = −1) the rows of one file.
    pub(super) fn apply(&mut self, rows: &[(u32, i32)], sign: i64, limits: &Thresholds) {
        for (cc, nloc) in rows {
            self.rows += sign;
            self.cc += sign * i64::from(*cc);
            self.nloc += sign * i64::from(*nloc);
            let lines = usize::try_from((*nloc).max(0)).unwrap_or(0);
            if let Some(sums) = slot(&mut self.by_nloc, lines.max(1)) {
                let cc_signed = sign * i64::from(*cc);
                sums[0] += cc_signed;
                if *cc > limits.cc {
                    sums[1] += cc_signed;
                }
                if *cc > limits.cc_extreme {
                    sums[2] += cc_signed;
                }
            }
            if let Some(n) = slot(&mut self.by_cc, *cc as usize) {
                *n += sign;
            }
            if let Some(n) = slot(&mut self.lengths, lines) {
                *n += sign;
            }
        }
    }

    /// Complexity mass: Σ CC·√max(NLOC, 1), in ascending NLOC.
    #[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
    pub(super) fn mass(&self) -> Mass {
        let mut mass = Mass {
            rows: u64::try_from(self.rows).unwrap_or(0),
            ..Mass::default()
        };
        for (nloc, sums) in self.by_nloc.iter().enumerate() {
            if sums[0] != 0 {
                let root = (nloc as f64).sqrt();
                mass.all += sums[0] as f64 * root;
                mass.high += sums[1] as f64 * root;
                mass.extreme += sums[2] as f64 * root;
            }
        }
        mass
    }

    /// Gini coefficient of CC: Σ(2i−n−1)·xᵢ ÷ (n·Σx) over ascending x; under two rows: empty.
    pub(super) fn gini(&self) -> Share {
        let n = self.rows;
        if n < 2 {
            return Share::default();
        }
        let mut num = 0i64;
        let mut rank = 0i64;
        for (cc, count) in self.by_cc.iter().enumerate() {
            // Ranks rank+1 ..= rank+count hold the same value.
            let ranks = count * (2 * rank + count - n);
            num += ranks * i64::try_from(cc).unwrap_or(i64::MAX);
            rank += count;
        }
        Share {
            num,
            den: n * self.cc,
        }
    }

    /// CC of the fifth of the rows with the greatest CC (their number rounded up), of all CC.
    pub(super) fn top20(&self) -> Share {
        let mut left = (self.rows + 4) / 5;
        let mut num = 0;
        for (cc, count) in self.by_cc.iter().enumerate().rev() {
            let take = left.min(*count);
            num += take * i64::try_from(cc).unwrap_or(i64::MAX);
            left -= take;
            if left == 0 {
                break;
            }
        }
        Share { num, den: self.cc }
    }

    /// Number, NLOC and greatest values.
    pub(super) fn sizes(&self) -> Sizes {
        let greatest = |v: &[i64]| {
            v.iter()
                .rposition(|n| *n > 0)
                .and_then(|i| i64::try_from(i).ok())
                .unwrap_or(0)
        };
        Sizes {
            count: u64::try_from(self.rows).unwrap_or(0),
            nloc_sum: self.nloc,
            nloc_max: greatest(&self.lengths),
            cc_max: greatest(&self.by_cc),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_functions_give_the_mass_of_the_definition() {
        let mut t = Tally::default();
        t.apply(&[(12, 25), (4, 9)], 1, &Thresholds::default());
        let mass = t.mass();
        assert_eq!(
            (mass.all, mass.high, mass.extreme, mass.rows),
            (72.0, 60.0, 0.0, 2)
        );
    }

    #[test]
    fn a_cc_of_exactly_ten_is_not_high() {
        let mut t = Tally::default();
        t.apply(&[(10, 4), (31, 1)], 1, &Thresholds::default());
        let mass = t.mass();
        assert_eq!((mass.all, mass.high, mass.extreme), (51.0, 31.0, 31.0));
    }

    #[test]
    fn the_gini_of_one_and_three_is_a_quarter() {
        let mut t = Tally::default();
        t.apply(&[(3, 1), (1, 1)], 1, &Thresholds::default());
        assert_eq!(t.gini(), Share { num: 2, den: 8 });
        assert_eq!(t.top20(), Share { num: 3, den: 4 });
    }

    proptest! {
        #[test]
        fn what_was_added_and_taken_away_leaves_no_trace(
            stay in proptest::collection::vec((1u32..40, -2i32..90), 0..20),
            go in proptest::collection::vec((1u32..40, -2i32..90), 0..20),
        ) {
            let limits = Thresholds::default();
            let mut with = Tally::default();
            with.apply(&go, 1, &limits);
            with.apply(&stay, 1, &limits);
            with.apply(&go, -1, &limits);
            let mut without = Tally::default();
            without.apply(&stay, 1, &limits);
            prop_assert_eq!(with.mass(), without.mass());
            prop_assert_eq!(with.gini(), without.gini());
            prop_assert_eq!(with.top20(), without.top20());
            prop_assert_eq!(with.sizes(), without.sizes());
        }

        #[test]
        fn the_gini_from_counts_is_the_gini_from_the_sorted_list(
            rows in proptest::collection::vec((1u32..60, 1i32..9), 2..40),
        ) {
            let mut t = Tally::default();
            t.apply(&rows, 1, &Thresholds::default());
            let mut x: Vec<i64> = rows.iter().map(|r| i64::from(r.0)).collect();
            x.sort_unstable();
            let n = x.len() as i64;
            let num: i64 = x.iter().enumerate().map(|(i, v)| (2 * (i as i64 + 1) - n - 1) * v).sum();
            prop_assert_eq!(t.gini(), Share { num, den: n * x.iter().sum::<i64>() });
        }
    }
}
