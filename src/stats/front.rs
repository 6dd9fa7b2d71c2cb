//! The front of arms that no other beats in both cost and success.

/// Where an arm stands among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// No other is at least as good in both and better in one.
    OnFront,
    /// The same, and another arm has exactly the same cost and success.
    Tied,
    /// Some other is.
    Dominated,
    /// Its cost or its success is not known; it beats none.
    Unknown,
}

/// Places of arms given as (cost, lower is better; success, higher is better), in their order.
/// Exact ties both stay.
pub fn front(arms: &[(Option<f64>, Option<f64>)]) -> Vec<Place> {
    let known = |&(cost, success): &(Option<f64>, Option<f64>)| {
        cost.zip(success)
            .filter(|(c, s)| !c.is_nan() && !s.is_nan())
    };
    let place = |(i, arm)| {
        let Some((cost, success)) = known(arm) else {
            return Place::Unknown;
        };
        let mut tied = false;
        for (j, other) in arms.iter().enumerate() {
            let Some((c, s)) = known(other).filter(|_| i != j) else {
                continue;
            };
            if c <= cost && s >= success {
                if c < cost || s > success {
                    return Place::Dominated;
                }
                tied = true;
            }
        }
        if tied { Place::Tied } else { Place::OnFront }
    };
    arms.iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::Place::{Dominated, OnFront, Tied, Unknown};
    use super::front;

    #[test]
    fn arms_that_none_beats_are_on_the_front() {
        let known = |v: &[(f64, f64)]| {
            let arms: Vec<_> = v.iter().map(|&(c, s)| (Some(c), Some(s))).collect();
            front(&arms)
        };
        assert_eq!(
            known(&[(1.0, 0.2), (2.0, 0.8), (3.0, 0.8), (3.0, 0.9)]),
            [OnFront, OnFront, Dominated, OnFront]
        );
        assert_eq!(
            known(&[(1.0, 0.5), (1.0, 0.5), (0.5, 0.1)]),
            [Tied, Tied, OnFront]
        );
        assert_eq!(
            known(&[(1.0, 0.5), (1.0, 0.5), (0.5, 0.6)]),
            [Dominated, Dominated, OnFront]
        );
    }

    #[test]
    fn what_is_not_known_is_no_place_and_beats_nobody() {
        assert_eq!(
            front(&[
                (None, Some(1.0)),
                (Some(9.0), Some(0.1)),
                (Some(f64::NAN), Some(1.0))
            ]),
            [Unknown, OnFront, Unknown]
        );
        assert!(front(&[]).is_empty());
    }
}
