//! Means over tasks of equal weight, with their intervals, and the ratio of two.

use super::interval::Interval;
use super::student::{Quantile, t_quantile};

/// Mean over tasks of the mean over a task's values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// How many values.
    pub of: usize,
    /// What its spread tells of it.
    error: Option<Error>,
}

/// Squared standard error of a mean, and the degrees of freedom it was taken with.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Error {
    squared: f64,
    freedom: f64,
}

/// The mean over tasks, each with the same weight, of the mean over its values. A task without
/// values counts nowhere; `None` where all have none.
pub fn mean_over_tasks(tasks: &[Vec<f64>]) -> Option<Mean> {
    let tasks: Vec<&Vec<f64>> = tasks.iter().filter(|t| !t.is_empty()).collect();
    if tasks.is_empty() {
        return None;
    }
    let weight = 1.0 / tasks.len() as f64;
    let means: Vec<f64> = tasks.iter().map(|t| mean(t)).collect();
    Some(Mean {
        value: means.iter().sum::<f64>() * weight,
        of: tasks.iter().map(|t| t.len()).sum(),
        error: error(&tasks, &means, weight),
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard error: of each task by its own spread, degrees of freedom by Welch and
/// Satterthwaite. `None` where a task has one value, or where all values of each are the same:
/// then nothing is known of how far another one would lie.
fn error(tasks: &[&Vec<f64>], means: &[f64], weight: f64) -> Option<Error> {
    let (mut squared, mut below) = (0.0, 0.0);
    for (values, mean) in tasks.iter().zip(means) {
        let n = values.len() as f64;
        if values.len() < 2 {
            return None;
        }
        let spread: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let part = weight * weight * spread / (n - 1.0) / n;
        squared += part;
        below += part * part / (n - 1.0);
    }
    (squared > 0.0).then(|| Error {
        squared,
        freedom: squared * squared / below,
    })
}

/// The 0.975 quantile of Student's t for degrees of freedom that are rounded down.
fn t(freedom: f64) -> Option<f64> {
    // At least one: each task has two values. The cast saturates.
    t_quantile(Quantile::Q975, freedom.floor() as usize)
}

impl Mean {
    /// Its 95 % interval, by Student's t; `None` where a task has one value, or where no spread
    /// was seen.
    pub fn interval(&self) -> Option<Interval> {
        let error = self.error?;
        let half = t(error.freedom)? * error.squared.sqrt();
        Some(Interval {
            low: self.value - half,
            high: self.value + half,
        })
    }

    /// How much greater than `other` it is, as a share of it (0.12: 12 % more); `None` where the
    /// other is not above zero.
    pub fn against(&self, other: &Mean) -> Option<f64> {
        (other.value > 0.0).then(|| self.value / other.value - 1.0)
    }

    /// The 95 % interval of that, by Fieller's theorem with degrees of freedom by Welch and
    /// Satterthwaite; `None` where one has no interval, or where the other's lies too near to
    /// zero for the ratio to be bounded.
    pub fn against_interval(&self, other: &Mean) -> Option<Interval> {
        let ratio = self.against(other)? + 1.0;
        let (va, vb) = (self.error?, other.error?);
        let scaled = ratio * ratio * vb.squared;
        let all = va.squared + scaled;
        let below = va.squared * va.squared / va.freedom + scaled * scaled / vb.freedom;
        let t = t(all * all / below)?;
        let (a, b, t2) = (self.value, other.value, t * t);
        let bottom = b * b - t2 * vb.squared;
        if bottom <= 0.0 {
            return None;
        }
        let inner = a * b * (a * b) - (a * a - t2 * va.squared) * bottom;
        let half = inner.max(0.0).sqrt();
        Some(Interval {
            low: (a * b - half) / bottom - 1.0,
            high: (a * b + half) / bottom - 1.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Mean {
        mean_over_tasks(&[values.to_vec()]).expect("values")
    }

    #[test]
    fn one_task_is_students_own_interval() {
        // Mean 3, sd √2.5, n 5, t(4) = 2.776445: half width 1.963243.
        let interval = of(&[1.0, 2.0, 3.0, 4.0, 5.0]).interval().expect("a spread");
        assert!((interval.low - 1.036_756_838_522_439).abs() < 1e-9);
        assert!((interval.high - 4.963_243_161_477_561).abs() < 1e-9);
    }

    #[test]
    fn tasks_weigh_the_same_whatever_their_values() {
        let mean = mean_over_tasks(&[vec![1.0, 3.0], vec![10.0, 10.0, 10.0, 14.0], Vec::new()]);
        let mean = mean.expect("values");
        assert!((mean.value - 6.5).abs() < 1e-15);
        assert_eq!(mean.of, 6);
        // Variances of the means: 2/2 = 1 and 4/4 = 1; a quarter of each.
        let error = mean.error.expect("a spread");
        assert!((error.squared - 0.5).abs() < 1e-15);
        // 0.25 / (0.0625/1 + 0.0625/3)
        assert!((error.freedom - 3.0).abs() < 1e-12);
    }

    #[test]
    fn one_value_and_equal_values_tell_nothing_of_the_spread() {
        assert_eq!(of(&[2.0]).interval(), None);
        assert_eq!(of(&[2.0, 2.0, 2.0]).interval(), None);
        let split = mean_over_tasks(&[vec![1.0, 2.0], vec![5.0]]).expect("values");
        assert_eq!(split.interval(), None);
        assert_eq!(mean_over_tasks(&[Vec::new()]), None);
    }

    #[test]
    fn the_ends_of_a_ratio_solve_fiellers_equation() {
        let (a, b) = (of(&[5.0, 6.0, 7.0, 8.0]), of(&[4.0, 5.0, 6.0]));
        let interval = a.against_interval(&b).expect("an interval");
        assert!((a.against(&b).expect("above zero") - 0.3).abs() < 1e-12);
        assert!(interval.low < 0.3 && 0.3 < interval.high);
        let (va, vb) = (
            a.error.expect("a spread").squared,
            b.error.expect("a spread").squared,
        );
        let scaled = 1.69 * vb;
        let freedom = (va + scaled) * (va + scaled) / (va * va / 3.0 + scaled * scaled / 2.0);
        let t = t(freedom).expect("freedom");
        for end in [interval.low, interval.high] {
            let theta = end + 1.0;
            let apart = (a.value - theta * b.value).abs();
            assert!((apart - t * (va + theta * theta * vb).sqrt()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_ratio_to_something_near_zero_has_no_bounds() {
        assert_eq!(
            of(&[5.0, 6.0]).against_interval(&of(&[-1.0, 4.0])),
            None,
            "its own interval holds zero"
        );
        assert_eq!(of(&[5.0]).against(&of(&[0.0])), None);
    }
}
