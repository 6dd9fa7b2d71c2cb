//! Shares of tries that succeed, over tasks of equal weight, with their intervals.
//!
//! One task: Wilson's score interval (Wilson 1927), which says something sensible of few tries
//! and of none or all that pass. Several: their limits recovered into limits of the mean (MOVER,
//! Zou and Donner 2008). A difference: the same of two (Newcombe 1998, method 10).

use super::interval::Interval;
use super::student::Z_975;

/// The tries of one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tries {
    /// How many passed.
    pub passed: u32,
    /// How many there were; a task without any counts nowhere.
    pub of: u32,
}

/// A share and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proportion {
    /// Mean over tasks of the share that passed, in [0, 1].
    pub value: f64,
    /// Its interval, inside [0, 1].
    pub interval: Interval,
}

/// Wilson's 95 % score interval of a share; `None` without tries.
fn wilson(tries: Tries) -> Option<Proportion> {
    if tries.of == 0 || tries.passed > tries.of {
        return None;
    }
    let (n, c) = (f64::from(tries.of), f64::from(tries.passed));
    let (p, z2) = (c / n, Z_975 * Z_975);
    let scale = 1.0 + z2 / n;
    let centre = (p + z2 / (2.0 * n)) / scale;
    let half = Z_975 / scale * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let interval = Interval {
        // At no pass, and at all, the end is exact; rounding must not move it.
        low: if tries.passed == 0 {
            0.0
        } else {
            (centre - half).clamp(0.0, p)
        },
        high: if tries.passed == tries.of {
            1.0
        } else {
            (centre + half).clamp(p, 1.0)
        },
    };
    Some(Proportion { value: p, interval })
}

/// Mean over tasks, each with the same weight, of the share of its tries that passed. `None`
/// where no task has a try.
pub fn proportion(tasks: &[Tries]) -> Option<Proportion> {
    let each: Vec<Proportion> = tasks.iter().filter_map(|t| wilson(*t)).collect();
    if each.is_empty() {
        return None;
    }
    let weight = 1.0 / each.len() as f64;
    let value = each.iter().map(|p| p.value).sum::<f64>() * weight;
    let apart = |end: fn(&Proportion) -> f64| {
        let squares = each.iter().map(|p| (p.value - end(p)) * (p.value - end(p)));
        weight * squares.sum::<f64>().sqrt()
    };
    Some(Proportion {
        value,
        interval: Interval {
            low: (value - apart(|p| p.interval.low)).max(0.0),
            high: (value + apart(|p| p.interval.high)).min(1.0),
        },
    })
}

/// The 95 % interval of `a` less `b`.
pub fn proportion_difference(a: Proportion, b: Proportion) -> Interval {
    let apart = |x: f64, y: f64| (x * x + y * y).sqrt();
    let estimate = a.value - b.value;
    let (ai, bi) = (a.interval, b.interval);
    Interval {
        low: estimate - apart(a.value - ai.low, bi.high - b.value),
        high: estimate + apart(ai.high - a.value, b.value - bi.low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(passed: u32, of: u32) -> Proportion {
        proportion(&[Tries { passed, of }]).expect("tries")
    }

    fn close(got: Interval, low: f64, high: f64) {
        assert!(
            (got.low - low).abs() < 5e-5 && (got.high - high).abs() < 5e-5,
            "{got:?}"
        );
    }

    /// Newcombe 1998 (the method's own paper), Table I: Wilson's limits without continuity
    /// correction.
    #[test]
    fn the_limits_of_one_task_are_those_published() {
        close(of(81, 263).interval, 0.2553, 0.3662);
        close(of(15, 148).interval, 0.0624, 0.1605);
        close(of(0, 20).interval, 0.0, 0.1611);
        close(of(1, 29).interval, 0.0061, 0.1718);
        close(of(29, 29).interval, 0.8830, 1.0);
    }

    /// Newcombe 1998 (interval estimation for the difference), Table II, method 10.
    #[test]
    fn the_limits_of_a_difference_are_those_published() {
        close(
            proportion_difference(of(56, 70), of(48, 80)),
            0.0524,
            0.3339,
        );
        close(proportion_difference(of(9, 10), of(3, 10)), 0.1705, 0.8090);
        close(proportion_difference(of(5, 56), of(0, 29)), -0.0381, 0.1926);
        close(proportion_difference(of(0, 10), of(0, 20)), -0.1611, 0.2775);
        close(proportion_difference(of(10, 10), of(0, 20)), 0.6791, 1.0);
    }

    #[test]
    fn tasks_weigh_the_same_whatever_their_tries() {
        let both = proportion(&[
            Tries { passed: 1, of: 1 },
            Tries { passed: 0, of: 9 },
            Tries { passed: 0, of: 0 },
        ]);
        let both = both.expect("tries");
        assert!((both.value - 0.5).abs() < 1e-15);
        assert!(both.interval.low >= 0.0 && both.interval.high <= 1.0);
        assert_eq!(proportion(&[Tries { passed: 0, of: 0 }]), None);
        assert_eq!(proportion(&[]), None);
    }

    #[test]
    fn more_tasks_narrow_the_interval() {
        let one = of(5, 10).interval;
        let ten = proportion(&[Tries { passed: 5, of: 10 }; 10]).expect("tries");
        let width = |i: Interval| i.high - i.low;
        assert!(width(ten.interval) < width(one) / 3.0);
    }
}
