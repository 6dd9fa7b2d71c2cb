//! Could the labels of the arms have been dealt by chance? A permutation test over chains.

use super::bootstrap::{Filled, row_slope, slope_of_sums};
use super::generator::SplitMix64;
use super::series::Grid;

/// The result of a permutation test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Permutation {
    /// Two-sided p-value.
    pub p: f64,
    /// Labellings looked at, those without a slope left out.
    pub labellings: u64,
    /// All labellings there are were looked at; else they were drawn.
    pub exact: bool,
    /// Labellings left out because a group had values at fewer than two checkpoints.
    pub undefined: u64,
}

/// Additions an exact test may cost: labellings times columns. Ten chains an arm without gaps
/// are 184,756 labellings of one column.
pub(super) const EXACT_WORK: u64 = 2_000_000;

/// Labellings drawn where they are too many: with the one observed, 10,000.
pub(super) const DRAWS: u64 = 9_999;

/// What is relabelled: one row a chain, and how two groups of them are told apart.
struct Pool<'a> {
    grid: &'a Grid,
    filled: Filled<'a>,
    /// Slopes by chain where no chain misses a checkpoint: the difference of the two mean
    /// curves' slopes is then that of the two means of slopes.
    slopes: Option<Vec<f64>>,
    first: usize,
    sums: Vec<f64>,
    counts: Vec<u32>,
}

/// Sums and counts by column of the rows taken so far.
#[derive(Clone)]
struct Taken {
    sums: Vec<f64>,
    counts: Vec<u32>,
}

impl<'a> Pool<'a> {
    /// The pool of these rows, of which the first `first` are the first arm's.
    fn new(grid: &'a Grid, first: usize) -> Pool<'a> {
        let slopes: Option<Vec<f64>> = grid
            .complete()
            .then(|| grid.rows.iter().map(|r| row_slope(grid, r)).collect())
            .flatten();
        let columns = match slopes.is_some() {
            true => 1,
            false => grid.index.len(),
        };
        let mut pool = Pool {
            grid,
            filled: Filled::new(grid),
            slopes,
            first,
            sums: vec![0.0; columns],
            counts: vec![0; columns],
        };
        let mut all = pool.nothing();
        (0..grid.rows.len()).for_each(|row| pool.add_to(row, &mut all));
        (pool.sums, pool.counts) = (all.sums, all.counts);
        pool
    }

    fn columns(&self) -> usize {
        self.sums.len()
    }

    fn nothing(&self) -> Taken {
        Taken {
            sums: vec![0.0; self.columns()],
            counts: vec![0; self.columns()],
        }
    }

    /// `into` becomes `before` with one more row.
    fn add(&self, before: &Taken, row: usize, into: &mut Taken) {
        into.sums.copy_from_slice(&before.sums);
        into.counts.copy_from_slice(&before.counts);
        self.add_to(row, into);
    }

    fn add_to(&self, row: usize, into: &mut Taken) {
        if let Some(slopes) = &self.slopes {
            into.sums[0] += slopes[row];
            into.counts[0] += 1;
            return;
        }
        self.filled.add(row, &mut into.sums, &mut into.counts);
    }

    /// Slope of the rows taken less slope of the others.
    fn difference(&self, taken: &Taken) -> Option<f64> {
        if self.slopes.is_some() {
            let rest = (self.sums[0] - taken.sums[0]) / f64::from(self.counts[0] - taken.counts[0]);
            return Some(taken.sums[0] / f64::from(taken.counts[0]) - rest);
        }
        let sums: Vec<f64> = sub(&self.sums, &taken.sums);
        let counts: Vec<u32> = sub(&self.counts, &taken.counts);
        let one = slope_of_sums(&self.grid.index, &taken.sums, &taken.counts)?;
        Some(one - slope_of_sums(&self.grid.index, &sums, &counts)?)
    }

    /// Differences this close are equal: no labelling may count or not by its rounding.
    fn tolerance(&self) -> f64 {
        1e-12 * self.grid.steepest()
    }
}

fn sub<T: Copy + std::ops::Sub<Output = T>>(a: &[T], b: &[T]) -> Vec<T> {
    a.iter().zip(b).map(|(a, b)| *a - *b).collect()
}

/// Number of ways to choose `k` of `n`, `u64::MAX` where it is more.
fn choose(n: usize, k: usize) -> u64 {
    let k = k.min(n - k.min(n));
    let mut ways = 1_u128;
    for i in 0..k {
        ways = ways * (n - i) as u128 / (i + 1) as u128;
        if ways > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    ways as u64
}

/// Is the difference of two arms' slopes as great as this by chance? The statistic is the
/// difference between the slopes of the two mean curves; labels move between whole chains.
///
/// All labellings are looked at where labellings × columns is at most two million (columns: one
/// where no chain misses a checkpoint, else the checkpoints): p is the share of them, the
/// observed one included, with a difference at least as great, either sign. Otherwise 9,999 are
/// drawn and p = (greater or equal + 1) / (drawn + 1) (Phipson and Smyth 2010). `None` without
/// an observed difference.
pub(super) fn permutation(a: &Grid, b: &Grid, generator: &mut SplitMix64) -> Option<Permutation> {
    within(&[(a, b)], generator)
}

/// The same over several levels: labels move within each level alone, and the statistic is the
/// mean over the levels of their differences. Where all labellings are looked at, these are the
/// products of the levels' own; a draw is one of each level. A level in which an arm has no chain
/// says nothing. `None` without an observed difference in every other.
pub(super) fn within(levels: &[(&Grid, &Grid)], generator: &mut SplitMix64) -> Option<Permutation> {
    let levels = levels
        .iter()
        .filter(|(a, b)| !a.rows.is_empty() && !b.rows.is_empty());
    let grids: Vec<(Grid, usize)> = levels
        .map(|(a, b)| (centred(Grid::pooled(a, b)), a.rows.len()))
        .collect();
    let pools: Vec<Pool<'_>> = grids
        .iter()
        .map(|(g, first)| Pool::new(g, *first))
        .collect();
    let of_all = pools.len() as f64;
    let observed = pools.iter().map(|pool| {
        let mut observed = pool.nothing();
        (0..pool.first).for_each(|row| pool.add_to(row, &mut observed));
        pool.difference(&observed)
    });
    let observed: Option<Vec<f64>> = observed.collect();
    let observed = observed.filter(|o| !o.is_empty())?.iter().sum::<f64>() / of_all;
    let tolerance = pools.iter().map(Pool::tolerance).fold(0.0, f64::max);
    let mut tally = Tally {
        bar: observed.abs() - tolerance,
        hits: 0,
        seen: 0,
        undefined: 0,
    };
    let columns: u64 = pools.iter().map(|p| p.columns() as u64).sum();
    let ways = |p: &Pool<'_>| choose(p.grid.rows.len(), p.first);
    let all = pools.iter().fold(1, |n: u64, p| n.saturating_mul(ways(p)));
    let exact = all.saturating_mul(columns) <= EXACT_WORK;
    if exact {
        let each: Vec<Vec<Option<f64>>> = pools.iter().map(differences).collect();
        every(&each, Some(0.0), &mut |sum| {
            tally.count(sum.map(|s| s / of_all))
        });
    } else {
        let mut decks: Vec<Vec<usize>> = pools
            .iter()
            .map(|pool| (0..pool.grid.rows.len()).collect())
            .collect();
        for _ in 0..DRAWS {
            let mut sum = Some(0.0);
            for (pool, deck) in pools.iter().zip(&mut decks) {
                let drawn = draw(pool, deck, generator);
                sum = sum.zip(drawn).map(|(sum, drawn)| sum + drawn);
            }
            tally.count(sum.map(|s| s / of_all));
        }
    }
    let one = u64::from(!exact);
    Some(Permutation {
        p: (tally.hits + one) as f64 / (tally.seen + one) as f64,
        labellings: tally.seen,
        exact,
        undefined: tally.undefined,
    })
}

/// Every choice of one difference a level, added up.
fn every(levels: &[Vec<Option<f64>>], sum: Option<f64>, seen: &mut dyn FnMut(Option<f64>)) {
    match levels.split_first() {
        None => seen(sum),
        Some((level, rest)) => {
            for difference in level {
                let sum = sum.zip(*difference).map(|(sum, d)| sum + d);
                every(rest, sum, seen);
            }
        }
    }
}

/// Values seen from their common mean: slopes do not change, and their rounding is smaller.
fn centred(mut grid: Grid) -> Grid {
    let known = || grid.rows.iter().flatten().filter(|v| !v.is_nan());
    let mean = known().sum::<f64>() / known().count().max(1) as f64;
    grid.rows.iter_mut().flatten().for_each(|v| *v -= mean);
    grid
}

struct Tally {
    bar: f64,
    hits: u64,
    seen: u64,
    undefined: u64,
}

impl Tally {
    fn count(&mut self, difference: Option<f64>) {
        match difference {
            Some(d) => {
                self.seen += 1;
                self.hits += u64::from(d.abs() >= self.bar);
            }
            None => self.undefined += 1,
        }
    }
}

/// The difference at every choice of rows for the first group, in lexicographic order; the sums
/// of each prefix are kept, so that a step adds only the rows that changed, and never subtracts.
fn differences(pool: &Pool<'_>) -> Vec<Option<f64>> {
    let (n, k) = (pool.grid.rows.len(), pool.first);
    let mut chosen: Vec<usize> = (0..k).collect();
    let mut prefix = vec![pool.nothing(); k + 1];
    let mut from = 0;
    let mut found = Vec::new();
    loop {
        for at in from..k {
            let (before, rest) = prefix.split_at_mut(at + 1);
            pool.add(&before[at], chosen[at], &mut rest[0]);
        }
        found.push(pool.difference(&prefix[k]));
        // The last place that can still move up.
        let Some(at) = (0..k).rev().find(|&at| chosen[at] < n - k + at) else {
            return found;
        };
        chosen[at] += 1;
        for later in at + 1..k {
            chosen[later] = chosen[later - 1] + 1;
        }
        from = at;
    }
}

/// The difference of one choice, drawn by the first steps of a Fisher-Yates shuffle of `deck`.
fn draw(pool: &Pool<'_>, deck: &mut [usize], generator: &mut SplitMix64) -> Option<f64> {
    let mut taken = pool.nothing();
    for at in 0..pool.first {
        deck.swap(at, at + generator.below(deck.len() - at));
        pool.add_to(deck[at], &mut taken);
    }
    pool.difference(&taken)
}

#[cfg(test)]
mod tests {
    use super::{Permutation, choose, permutation};
    use crate::stats::generator::SplitMix64;
    use crate::stats::series::{Grid, Point, Series};

    /// Chains with the given slopes over four checkpoints; one value left out where `gap`.
    fn arm(slopes: &[f64], gap: bool) -> Grid {
        let chain = |(i, slope): (usize, &f64)| Series {
            chain: format!("{i:03}"),
            points: (1..=4)
                .map(|k| Point {
                    index: f64::from(k),
                    value: (!gap || i > 0 || k < 4).then_some(slope * f64::from(k)),
                })
                .collect(),
        };
        Grid::new(&slopes.iter().enumerate().map(chain).collect::<Vec<_>>())
    }

    fn test(a: &Grid, b: &Grid) -> Permutation {
        permutation(a, b, &mut SplitMix64::new(0)).expect("two arms")
    }

    #[test]
    fn two_arms_wholly_apart_are_the_most_extreme_labelling_and_its_mirror() {
        let got = test(&arm(&[5.0, 6.0, 7.0], false), &arm(&[1.0, 2.0, 3.0], false));
        assert!(got.exact);
        assert_eq!((got.labellings, got.p), (20, 0.1));
        let gaps = test(&arm(&[5.0, 6.0, 7.0], true), &arm(&[1.0, 2.0, 3.0], false));
        assert_eq!((gaps.labellings, gaps.p), (20, 0.1));
    }

    #[test]
    fn arms_that_do_not_differ_have_p_one() {
        for value in [0.0, 0.1, -3.3] {
            let got = test(&arm(&[value; 4], false), &arm(&[value; 5], false));
            assert_eq!((got.p, got.labellings), (1.0, 126), "{value}");
        }
    }

    #[test]
    fn a_drawn_p_is_close_to_the_exact_one_and_never_zero() {
        // Thirteen chains an arm: ten million labellings.
        let a: Vec<f64> = (0..13).map(|i| f64::from(i * 7 % 13)).collect();
        let b: Vec<f64> = a.iter().map(|s| s + 3.0).collect();
        let got = test(&arm(&a, false), &arm(&b, false));
        assert!(!got.exact);
        assert_eq!(got.labellings, 9_999);
        // A t-test's p of these numbers is 0.062; the permutation distribution is close to it.
        assert!((0.04..0.08).contains(&got.p), "{got:?}");
        let far: Vec<f64> = a.iter().map(|s| s + 1e3).collect();
        assert_eq!(test(&arm(&a, false), &arm(&far, false)).p, 1.0 / 10_000.0);
    }

    #[test]
    fn a_labelling_without_a_slope_is_counted_apart() {
        let one = |chain: &str, index, value| Series {
            chain: chain.to_owned(),
            points: vec![Point {
                index,
                value: Some(value),
            }],
        };
        // A group has a slope only where it holds both checkpoints.
        let a = Grid::new(&[one("1", 1.0, 0.0), one("2", 2.0, 1.0)]);
        let b = Grid::new(&[one("1", 1.0, 0.0), one("2", 2.0, 3.0)]);
        let got = test(&a, &b);
        assert_eq!((got.labellings, got.undefined), (4, 2));
    }

    #[test]
    fn binomials_are_right_and_do_not_overflow() {
        assert_eq!(choose(20, 10), 184_756);
        assert_eq!(choose(5, 0), 1);
        assert_eq!(choose(5, 5), 1);
        assert_eq!(choose(52, 5), 2_598_960);
        assert_eq!(choose(500, 250), u64::MAX);
    }
}
