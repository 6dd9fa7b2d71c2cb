//! An interval of slopes and what it says about zero and about another interval.

/// A closed interval, in the unit of the slope it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end, never below `low`.
    pub high: f64,
}

impl Interval {
    /// Zero is outside; an end that is exactly zero holds it.
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The two share at least one point.
    pub fn overlaps(self, other: Interval) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Both ends moved away from `estimate` by the factor `by`, never inwards: an end that lies
    /// on the wrong side of the estimate, or a factor below one, leaves the end where it is.
    pub(super) fn widened(self, estimate: f64, by: f64) -> Interval {
        let by = by.max(1.0);
        Interval {
            low: self.low.min(estimate - by * (estimate - self.low)),
            high: self.high.max(estimate + by * (self.high - estimate)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;

    const fn of(low: f64, high: f64) -> Interval {
        Interval { low, high }
    }

    #[test]
    fn an_end_at_zero_holds_zero() {
        assert!(!of(0.0, 1.0).excludes_zero());
        assert!(!of(-1.0, 0.0).excludes_zero());
        assert!(of(0.1, 1.0).excludes_zero());
        assert!(of(-1.0, -0.1).excludes_zero());
    }

    #[test]
    fn intervals_that_touch_overlap() {
        assert!(of(0.0, 1.0).overlaps(of(1.0, 2.0)));
        assert!(!of(0.0, 1.0).overlaps(of(1.5, 2.0)));
        assert!(of(0.0, 9.0).overlaps(of(1.5, 2.0)));
    }

    #[test]
    fn widening_scales_each_side_by_itself_and_never_narrows() {
        assert_eq!(of(1.0, 4.0).widened(2.0, 2.0), of(0.0, 6.0));
        assert_eq!(of(1.0, 4.0).widened(2.0, 0.5), of(1.0, 4.0));
        // An estimate below the interval: the near end stays.
        assert_eq!(of(1.0, 4.0).widened(0.5, 2.0), of(1.0, 7.5));
    }
}
