//! Two arms that worked on the same tasks: differences task by task.

use super::bootstrap::Resamples;
use super::compare::{Comparison, DIFFERENCE, LABELS, Separation, Spread, separation};
use super::effect::of_differences;
use super::generator::SplitMix64;
use super::permutation::{DRAWS, EXACT_WORK, Permutation};
use super::series::{Grid, Series};
use super::trend::{Options, Trend, of_grid};
use super::verdict::MIN_CHAINS;

/// One task: the mean of the slopes of each arm's chains.
struct Task {
    chains: (usize, usize),
    slopes: (f64, f64),
    /// What no slope in it exceeds.
    steepest: f64,
    rounding: f64,
}

/// Compares two arms task by task, and says which of `tasks` took part: those in which both have
/// a chain with a slope. `arms` are the trends of both over all tasks, whose own intervals say
/// whether they separate.
///
/// The task is the unit: of each one difference is taken, of the mean slopes of the arms' chains;
/// the difference is their mean. Tasks are resampled, and the test flips signs.
pub fn compare_paired(
    tasks: &[(Vec<Series>, Vec<Series>)],
    arms: (&Trend, &Trend),
    options: &Options,
) -> (Comparison, Vec<usize>) {
    let (mut used, mut known) = (Vec::new(), Vec::new());
    for (at, (a, b)) in tasks.iter().enumerate() {
        if let Some(task) = task(a, b) {
            used.push(at);
            known.push(task);
        }
    }
    (compared(&known, arms, options), used)
}

fn task(a: &[Series], b: &[Series]) -> Option<Task> {
    let alone = Options {
        resamples: 0,
        seed: 0,
    };
    let (grid_a, grid_b) = (Grid::new(a), Grid::new(b));
    let (of_a, of_b) = (of_grid(&grid_a, &alone), of_grid(&grid_b, &alone));
    Some(Task {
        chains: (of_a.chains, of_b.chains),
        slopes: (of_a.mean_of_chain_slopes?, of_b.mean_of_chain_slopes?),
        steepest: grid_a.steepest().max(grid_b.steepest()),
        rounding: grid_a.rounding().max(grid_b.rounding()),
    })
}

fn compared(tasks: &[Task], arms: (&Trend, &Trend), options: &Options) -> Comparison {
    let mean = |of: fn(&Task) -> f64| {
        let sum: f64 = tasks.iter().map(of).sum();
        (!tasks.is_empty()).then(|| sum / tasks.len() as f64)
    };
    let chains = |of: fn(&Task) -> usize| tasks.iter().map(of).sum();
    let mut out = Comparison::without_a_slope((chains(|t| t.chains.0), chains(|t| t.chains.1)));
    out.slopes = (mean(|t| t.slopes.0), mean(|t| t.slopes.1));
    out.separation = match separation(arms.0, arms.1) {
        Separation::NoInterval => Separation::NoInterval,
        _ if tasks.len() < MIN_CHAINS => Separation::TooFewTasks,
        said => said,
    };
    let Some(difference) = mean(|t| t.slopes.0 - t.slopes.1) else {
        return out;
    };
    out.slope_difference = Some(difference);
    let differences: Vec<f64> = tasks.iter().map(|t| t.slopes.0 - t.slopes.1).collect();
    let greatest = |of: fn(&Task) -> f64| tasks.iter().map(of).fold(0.0, f64::max);
    let (steepest, rounding) = (greatest(|t| t.steepest), greatest(|t| t.rounding));
    let mut signs = SplitMix64::stream(options.seed, LABELS);
    out.permutation = Some(flipped(&differences, 1e-12 * steepest, &mut signs));
    out.effect = of_differences(&differences, rounding);
    if tasks.len() > 1 {
        let n = tasks.len();
        let mut generator = SplitMix64::stream(options.seed, DIFFERENCE);
        let resamples = Resamples::collect(options.resamples, || {
            let sum: f64 = (0..n).map(|_| differences[generator.below(n)]).sum();
            Some(sum / n as f64)
        });
        let variance = resamples.variance(rounding);
        let spread = variance.and_then(|v| Spread::of_units(v, n));
        out.smallest_detectable = spread.and_then(Spread::smallest_detectable);
        out.percentile = resamples.interval();
        out.t_widened = out.percentile.and_then(|interval| {
            let by = spread.map_or(Some(1.0), Spread::widening)?;
            Some(interval.widened(difference, by))
        });
    }
    out
}

/// Is the mean of these differences as great as this by chance, if either sign of each had been
/// as likely? All 2ⁿ choices of signs are looked at up to 20 differences; beyond, 9,999 are drawn
/// and p = (as great or greater + 1)/(drawn + 1).
fn flipped(differences: &[f64], tolerance: f64, generator: &mut SplitMix64) -> Permutation {
    let n = differences.len();
    // A sum of n differences rounds n times as much as their mean.
    let bar = differences.iter().sum::<f64>().abs() - tolerance * n as f64;
    let all = u32::try_from(n).ok().and_then(|n| 1_u64.checked_shl(n));
    let exact = all.is_some_and(|all| all <= EXACT_WORK);
    let (hits, seen) = match all.filter(|_| exact) {
        Some(all) => (signed(differences, 0.0, bar), all),
        None => {
            let mut hits = 1;
            for _ in 0..DRAWS {
                let sum: f64 = differences
                    .iter()
                    .map(|d| if generator.below(2) == 0 { *d } else { -d })
                    .sum();
                hits += u64::from(sum.abs() >= bar);
            }
            (hits, DRAWS)
        }
    };
    Permutation {
        p: hits as f64 / (seen + u64::from(!exact)) as f64,
        labellings: seen,
        exact,
        undefined: 0,
    }
}

/// How many choices of signs of `rest`, added to `sum`, reach the bar on either side.
fn signed(rest: &[f64], sum: f64, bar: f64) -> u64 {
    match rest.split_first() {
        None => u64::from(sum.abs() >= bar),
        Some((d, rest)) => signed(rest, sum + d, bar) + signed(rest, sum - d, bar),
    }
}
