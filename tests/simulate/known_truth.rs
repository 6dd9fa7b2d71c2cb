//! How often intervals hold the truth, tests err, and differences are found, in experiments
//! whose truth is known. `docs/statistics.md` states what the long runs give.

use git_evolve::stats::{Separation, SplitMix64, holm};

use super::worlds::{SLOPE, Shape, World};

const PLAIN: World = World {
    shape: Shape::Normal,
    autocorrelation: 0.0,
    unequal: false,
    chains: (10, 10),
    checkpoints: 12,
};

/// The worlds of the long runs, by name.
fn worlds() -> [(&'static str, World); 7] {
    let autocorrelated = World {
        autocorrelation: 0.7,
        ..PLAIN
    };
    let skewed = World {
        shape: Shape::Skewed,
        ..PLAIN
    };
    let heavy = World {
        shape: Shape::Heavy,
        ..PLAIN
    };
    let unequal = |world| World {
        unequal: true,
        ..world
    };
    [
        ("normal", PLAIN),
        ("skewed", skewed),
        ("heavy tails", heavy),
        ("autocorrelated", autocorrelated),
        ("unequal lengths", unequal(PLAIN)),
        ("unequal, autocorrelated", unequal(autocorrelated)),
        ("unequal, skewed", unequal(skewed)),
    ]
}

/// Counts over experiments.
#[derive(Debug, Default)]
struct Tally {
    runs: usize,
    slope: [usize; 2],
    difference: [usize; 2],
    separates: usize,
    strongly: usize,
    rejected: usize,
    found: usize,
    detectable: f64,
}

impl Tally {
    /// `runs` experiments whose arms differ by `difference`.
    fn of(world: &World, difference: f64, runs: usize, seed: u64) -> Tally {
        let mut random = SplitMix64::new(seed);
        let mut tally = Tally {
            runs,
            ..Tally::default()
        };
        for _ in 0..runs {
            let (got, trend) = world.measured(difference, &mut random);
            let within = |interval: Option<git_evolve::stats::Interval>, truth: f64| {
                usize::from(interval.is_some_and(|i| i.low <= truth && truth <= i.high))
            };
            tally.slope[0] += within(trend.percentile, SLOPE);
            tally.slope[1] += within(trend.t_widened, SLOPE);
            tally.difference[0] += within(got.percentile, difference);
            tally.difference[1] += within(got.t_widened, difference);
            tally.separates += usize::from(matches!(
                got.separation,
                Separation::Separates | Separation::SeparatesStrongly
            ));
            tally.strongly += usize::from(got.separation == Separation::SeparatesStrongly);
            tally.rejected += usize::from(got.permutation.is_some_and(|p| p.p < 0.05));
            tally.found += usize::from(got.t_widened.is_some_and(|i| i.excludes_zero()));
            tally.detectable += got.smallest_detectable.unwrap_or(f64::NAN);
        }
        tally
    }

    fn share(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.runs as f64
    }
}

/// In how many of `families` of forty measures without a difference Holm leaves one below 0.05,
/// and what share of the measures is below it unadjusted; both in percent.
fn family(world: &World, families: usize, seed: u64) -> (f64, f64) {
    let mut random = SplitMix64::new(seed);
    let (mut wrong, mut below) = (0, 0);
    for _ in 0..families {
        let p: Vec<f64> = (0..40)
            .map(|_| {
                let (got, _) = world.measured(0.0, &mut random);
                got.permutation.expect("a test").p
            })
            .collect();
        below += p.iter().filter(|p| **p < 0.05).count();
        wrong += usize::from(holm(&p).iter().any(|p| *p < 0.05));
    }
    let share = |n: usize, of: usize| 100.0 * n as f64 / of as f64;
    (share(wrong, families), share(below, 40 * families))
}

#[track_caller]
fn lies(got: f64, least: f64, most: f64, what: &str) {
    assert!((least..=most).contains(&got), "{what}: {got:.1} %");
}

#[test]
fn intervals_and_tests_err_as_often_as_they_say_in_a_short_run() {
    let five = World {
        checkpoints: 5,
        ..PLAIN
    };
    // The bounds are five standard errors of so few runs.
    let none = Tally::of(&five.of(7), 0.0, 150, 21);
    lies(none.share(none.slope[1]), 86.0, 100.0, "slope, t-widened");
    lies(
        none.share(none.difference[1]),
        86.0,
        100.0,
        "difference, t-widened",
    );
    lies(
        none.share(none.rejected),
        0.0,
        14.0,
        "p < 0.05 without a difference",
    );
    lies(
        none.share(none.strongly),
        0.0,
        4.0,
        "separates strongly without a difference",
    );
    let detectable = none.detectable / none.runs as f64;
    let some = Tally::of(&five.of(7), detectable, 150, 22);
    lies(
        some.share(some.found),
        64.0,
        95.0,
        "found at the smallest detectable",
    );
    lies(
        some.share(some.difference[1]),
        86.0,
        100.0,
        "with a difference, t-widened",
    );
}

fn runs() -> usize {
    let asked = std::env::var("SIMULATIONS").ok();
    asked.map_or(2_000, |n| n.parse().expect("a number"))
}

#[test]
#[ignore = "a simulation of minutes; SIMULATIONS says how many experiments a row"]
fn in_a_long_run_intervals_hold_the_truth_and_differences_are_found() {
    let runs = runs();
    println!(
        "{runs} simulated experiments a row, {} checkpoints",
        PLAIN.checkpoints
    );
    println!(
        "world | chains | slope: percentile, t-widened | difference: percentile, t-widened | separates | strongly | p < 0.05 | detectable | found, p < 0.05 there"
    );
    for (name, world) in worlds() {
        for n in [3, 5, 10, 20] {
            let world = world.of(n);
            let seed = 100 + n as u64;
            let none = Tally::of(&world, 0.0, runs, seed);
            let detectable = none.detectable / runs as f64;
            let some = Tally::of(&world, detectable, runs, seed + 1_000);
            println!(
                "{name} | {n} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {detectable:.3} | {:.1} | {:.1}",
                none.share(none.slope[0]),
                none.share(none.slope[1]),
                none.share(none.difference[0]),
                none.share(none.difference[1]),
                none.share(none.separates),
                none.share(none.strongly),
                none.share(none.rejected),
                some.share(some.found),
                some.share(some.rejected),
            );
            if n == 10 {
                let what = format!("{name}, 10 chains");
                let power = match world.unequal {
                    // What is told of it is as uncertain as the mix of chains.
                    true => 70.0..=85.0,
                    false => 75.0..=85.0,
                };
                lies(none.share(none.slope[1]), 92.0, 97.0, &what);
                lies(none.share(none.difference[1]), 92.0, 97.0, &what);
                lies(some.share(some.found), *power.start(), *power.end(), &what);
            }
        }
    }
}

#[test]
#[ignore = "a simulation of minutes; SIMULATIONS says how many experiments"]
fn in_a_long_run_holm_keeps_forty_measures_without_a_difference_apart() {
    let families = runs() / 10;
    for n in [6, 10] {
        let (wrong, below) = family(&PLAIN.of(n), families, 300 + n as u64);
        println!(
            "{n} chains, {families} families of 40: p < 0.05 in {below:.2} % of measures, after Holm any in {wrong:.1} % of families"
        );
        lies(
            wrong,
            0.0,
            5.0 + 300.0 * (0.05 * 0.95 / families as f64).sqrt(),
            "after Holm",
        );
    }
}
