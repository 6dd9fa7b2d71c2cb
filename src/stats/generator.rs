//! The seeded generator behind every resample: the same draws on every machine, for ever.

/// SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, OOPSLA
/// 2014): one 64-bit word of state, every operation modulo 2^64.
///
/// A library's generator may keep its stream and yet change how it samples an index; here both
/// are part of the result, so both are here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl SplitMix64 {
    /// The generator whose state is `seed`, as in the published test vectors.
    pub fn new(seed: u64) -> Self {
        SplitMix64 { state: seed }
    }

    /// A generator of its own for one `purpose` under `seed`, so that two uses of one seed do
    /// not draw the same numbers.
    pub fn stream(seed: u64, purpose: u64) -> Self {
        SplitMix64::new(mix(seed ^ mix(purpose.wrapping_add(GAMMA))))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// An index below `n`, each one equally likely; 0 for `n` = 0.
    ///
    /// Multiply and reject (Lemire: *Fast random integer generation in an interval*, 2019): the
    /// high word of `next · n`, drawn again where the low word falls into the part of the range
    /// that some indices would get once more than others.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        if n == 0 {
            return 0;
        }
        let rejected = n.wrapping_neg() % n;
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(n);
            let (high, low) = ((wide >> 64) as usize, wide as u64);
            if low >= rejected {
                return high;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn the_published_vectors_of_seed_1234567_come_out() {
        let mut g = SplitMix64::new(1_234_567);
        let got: Vec<u64> = (0..5).map(|_| g.next_u64()).collect();
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(got, published);
    }

    #[test]
    fn the_published_vectors_of_seed_zero_come_out() {
        let mut g = SplitMix64::new(0);
        assert_eq!(g.next_u64(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(g.next_u64(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(g.next_u64(), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn every_index_below_n_is_as_likely_as_any_other() {
        for n in [2_usize, 3, 7, 10] {
            let mut g = SplitMix64::new(n as u64);
            let mut seen = vec![0_u32; n];
            let draws = 70_000;
            for _ in 0..draws {
                seen[g.below(n)] += 1;
            }
            let expected = f64::from(draws) / n as f64;
            // Five standard deviations of a binomial count.
            let slack = 5.0 * (expected * (1.0 - 1.0 / n as f64)).sqrt();
            assert!(
                seen.iter()
                    .all(|&s| (f64::from(s) - expected).abs() < slack),
                "{n}: {seen:?}"
            );
        }
    }

    #[test]
    fn a_draw_in_the_surplus_of_the_range_is_drawn_again() {
        // 2^64 mod n = n - 1 for n = 2^63 + 1: nearly half of all draws are rejected, and
        // without rejection the low half of the indices would come up twice as often.
        let n = (1_usize << 63) + 1;
        let mut g = SplitMix64::new(3);
        let low = (0..4_000).filter(|_| g.below(n) < n / 2).count();
        assert!((1_800..2_200).contains(&low), "{low}");
    }

    #[test]
    fn two_purposes_under_one_seed_draw_different_numbers() {
        let mut a = SplitMix64::stream(0, 1);
        let mut b = SplitMix64::stream(0, 2);
        let (a, b): (Vec<u64>, Vec<u64>) = (0..4).map(|_| (a.next_u64(), b.next_u64())).unzip();
        assert!(a.iter().all(|v| !b.contains(v)), "{a:?} {b:?}");
    }

    #[test]
    fn nothing_to_choose_from_is_no_endless_loop() {
        assert_eq!(SplitMix64::new(0).below(0), 0);
        assert_eq!(SplitMix64::new(0).below(1), 0);
    }
}
