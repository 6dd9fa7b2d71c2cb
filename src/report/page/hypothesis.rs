//! What an experiment set out to find, and what came of it, as data.

use crate::stats::{Interval, MIN_CHAINS};

/// A hypothesis and what came of it.
#[derive(Debug, Clone)]
pub struct Hypothesis {
    /// In the plan's words.
    pub statement: Option<String>,
    /// One a measure that decides and arm against the baseline.
    pub findings: Vec<Finding>,
}

/// What is expected of an arm against the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A smaller slope.
    Lower,
    /// A greater one.
    Higher,
    /// Another one.
    Differs,
}

impl Expected {
    /// The word in plans and output.
    pub fn word(self) -> &'static str {
        match self {
            Expected::Lower => "lower",
            Expected::Higher => "higher",
            Expected::Differs => "differs",
        }
    }
}

/// One deciding measure of one arm against the baseline.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The measure's id.
    pub measure: String,
    /// What its number counts.
    pub unit: String,
    /// The arm.
    pub arm: String,
    /// What it is held against.
    pub against: String,
    /// What the plan expects.
    pub expected: Expected,
    /// The smallest difference that the plan says would matter.
    pub smallest: Option<f64>,
    /// The difference of slopes.
    pub difference: Option<f64>,
    /// Its t-widened interval.
    pub interval: Option<Interval>,
    /// The permutation p-value, Holm-adjusted over the deciding comparisons alone: they were
    /// named beforehand.
    pub holm: Option<f64>,
    /// Chains of the arm and of what it is held against.
    pub chains: (usize, usize),
    /// Where the arms were held against each other task by task: over how many tasks.
    pub tasks: Option<usize>,
}

/// What came of a hypothesis, or of one part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// What was expected was seen.
    Supported,
    /// The opposite was seen, or that nothing that matters is there.
    Falsified,
    /// Neither.
    Undecided,
}

impl Judgement {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Judgement::Supported => "supported",
            Judgement::Falsified => "falsified",
            Judgement::Undecided => "undecided",
        }
    }
}

impl Finding {
    /// What came of it, and why.
    pub fn standing(&self) -> (Judgement, String) {
        let (Some(difference), Some(interval)) = (self.difference, self.interval) else {
            return (
                Judgement::Undecided,
                match self.chains {
                    (0, _) | (_, 0) => "it was not measured here, or an arm has no value of it",
                    _ => "there is no interval of the difference",
                }
                .to_owned(),
            );
        };
        if self.chains.0.min(self.chains.1) < MIN_CHAINS {
            return (
                Judgement::Undecided,
                format!(
                    "too few chains ({} and {}; {MIN_CHAINS} each are needed)",
                    self.chains.0, self.chains.1
                ),
            );
        }
        if let Some(tasks) = self.tasks.filter(|tasks| *tasks < MIN_CHAINS) {
            return (
                Judgement::Undecided,
                format!("too few tasks ({tasks}; {MIN_CHAINS} are needed)"),
            );
        }
        let (below, above) = (interval.high < 0.0, interval.low > 0.0);
        let (right, wrong) = match self.expected {
            Expected::Lower => (below, above),
            Expected::Higher => (above, below),
            Expected::Differs => (below || above, false),
        };
        if wrong {
            return (
                Judgement::Falsified,
                "the interval lies on the other side of zero".to_owned(),
            );
        }
        if let Some(smallest) = self.smallest
            && interval.low >= -smallest
            && interval.high <= smallest
        {
            return (
                Judgement::Falsified,
                "the whole interval is nearer to zero than the smallest difference that matters"
                    .to_owned(),
            );
        }
        if !right {
            return (Judgement::Undecided, "the interval holds zero".to_owned());
        }
        match self.smallest {
            Some(smallest) if difference.abs() < smallest => (
                Judgement::Undecided,
                "the difference is smaller than what matters, and the interval holds ones that do"
                    .to_owned(),
            ),
            _ => (
                Judgement::Supported,
                "the interval excludes zero on the expected side".to_owned(),
            ),
        }
    }
}

impl Hypothesis {
    /// What came of the whole: supported where every part is, falsified where one is.
    pub fn standing(&self) -> Judgement {
        let all = || self.findings.iter().map(|f| f.standing().0);
        if all().any(|s| s == Judgement::Falsified) {
            return Judgement::Falsified;
        }
        match all().next().is_some() && all().all(|s| s == Judgement::Supported) {
            true => Judgement::Supported,
            false => Judgement::Undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(expected: Expected, smallest: Option<f64>, low: f64, high: f64) -> Finding {
        Finding {
            measure: "churn".to_owned(),
            unit: "lines".to_owned(),
            arm: "a".to_owned(),
            against: "b".to_owned(),
            expected,
            smallest,
            difference: Some(f64::midpoint(low, high)),
            interval: Some(Interval { low, high }),
            holm: None,
            chains: (6, 6),
            tasks: None,
        }
    }

    fn says(f: &Finding) -> Judgement {
        f.standing().0
    }

    #[test]
    fn the_side_of_the_interval_decides() {
        use Expected::{Differs, Higher, Lower};
        assert_eq!(
            says(&finding(Lower, None, -2.0, -1.0)),
            Judgement::Supported
        );
        assert_eq!(
            says(&finding(Higher, None, -2.0, -1.0)),
            Judgement::Falsified
        );
        assert_eq!(
            says(&finding(Differs, None, -2.0, -1.0)),
            Judgement::Supported
        );
        for expected in [Lower, Higher, Differs] {
            assert_eq!(
                says(&finding(expected, None, -2.0, 1.0)),
                Judgement::Undecided
            );
        }
    }

    #[test]
    fn what_is_too_small_to_matter_is_no_support() {
        let near = finding(Expected::Lower, Some(3.0), -2.0, -1.0);
        assert_eq!(says(&near), Judgement::Falsified);
        let far = finding(Expected::Lower, Some(3.0), -4.0, -1.0);
        assert_eq!(says(&far), Judgement::Undecided);
        let enough = finding(Expected::Lower, Some(2.0), -4.0, -1.0);
        assert_eq!(says(&enough), Judgement::Supported);
    }

    #[test]
    fn few_chains_decide_nothing() {
        let few = Finding {
            chains: (5, 9),
            ..finding(Expected::Lower, None, -2.0, -1.0)
        };
        let (standing, why) = few.standing();
        assert_eq!(standing, Judgement::Undecided);
        assert!(why.contains("too few chains"), "{why}");
    }

    #[test]
    fn few_tasks_decide_nothing_however_many_chains_they_have() {
        let over = |tasks| Finding {
            chains: (60, 60),
            tasks: Some(tasks),
            ..finding(Expected::Lower, Some(0.5), -2.0, -1.0)
        };
        for (low, high) in [(-2.0, -1.0), (1.0, 2.0), (-0.1, 0.1)] {
            let few = Finding {
                interval: Some(Interval { low, high }),
                ..over(5)
            };
            let (standing, why) = few.standing();
            assert_eq!(standing, Judgement::Undecided);
            assert!(why.contains("too few tasks (5;"), "{why}");
        }
        assert_eq!(says(&over(6)), Judgement::Supported);
    }

    #[test]
    fn one_falsified_part_falsifies_the_whole() {
        let good = finding(Expected::Lower, None, -2.0, -1.0);
        let bad = finding(Expected::Higher, None, -2.0, -1.0);
        let open = finding(Expected::Lower, None, -2.0, 1.0);
        let of = |findings: Vec<Finding>| {
            let statement = None;
            Hypothesis {
                statement,
                findings,
            }
            .standing()
        };
        assert_eq!(of(vec![good.clone()]), Judgement::Supported);
        assert_eq!(of(vec![good.clone(), open.clone()]), Judgement::Undecided);
        assert_eq!(of(vec![good, open, bad]), Judgement::Falsified);
        assert_eq!(of(Vec::new()), Judgement::Undecided);
    }
}
