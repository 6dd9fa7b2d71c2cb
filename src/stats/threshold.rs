//! Thresholds: several changes' figures as one, and whether a figure keeps within a limit.

use std::collections::BTreeMap;

use crate::measure::catalogue::Pool;
use crate::measure::{Known, LeftOut, Value};

/// Which side of a limit is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// The limit, and what is below it.
    Max,
    /// The limit, and what is above it.
    Min,
}

impl Bound {
    /// The word in options and machine output.
    pub fn word(self) -> &'static str {
        match self {
            Bound::Max => "max",
            Bound::Min => "min",
        }
    }

    /// `≤` or `≥`.
    pub fn sign(self) -> &'static str {
        match self {
            Bound::Max => "≤",
            Bound::Min => "≥",
        }
    }
}

/// What a threshold says of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// It keeps within the limit. A ratio over nothing does: there is nothing to hold against it.
    Held,
    /// Something needed is missing: nobody can say.
    Unknown,
    /// It does not.
    Broken,
}

impl Kept {
    /// The words in output.
    pub fn words(self) -> &'static str {
        match self {
            Kept::Held => "held",
            Kept::Unknown => "unknown",
            Kept::Broken => "not held",
        }
    }
}

/// Whether `value` keeps within `limit`; what is exactly on it does.
pub fn kept(value: &Value, bound: Bound, limit: f64) -> Kept {
    match value {
        Value::Undefined(_) => Kept::Held,
        Value::Known(known) => {
            let within = match bound {
                Bound::Max => known.value <= limit,
                Bound::Min => known.value >= limit,
            };
            if within { Kept::Held } else { Kept::Broken }
        }
        Value::Unknown(_) | Value::Word(_) => Kept::Unknown,
    }
}

/// The figures of several changes as one figure of all of them; `None` where they do not pool.
/// One unknown figure makes it unknown; over no figures a sum is 0 and a ratio undefined.
pub fn pooled(pool: Pool, values: &[&Value]) -> Option<Value> {
    let all = values.len();
    let mut missing = BTreeMap::<&str, usize>::new();
    for value in values {
        match value {
            Value::Unknown(why) => *missing.entry(why).or_default() += 1,
            Value::Word(_) => *missing.entry("a word has no size").or_default() += 1,
            Value::Known(_) | Value::Undefined(_) => {}
        }
    }
    if pool == Pool::None {
        return None;
    }
    if let Some((why, _)) = missing.iter().max_by_key(|(_, n)| **n) {
        let n: usize = missing.values().sum();
        return Some(Value::unknown(match all {
            1 => (*why).to_owned(),
            _ => format!("unknown in {n} of {all} changes: {why}"),
        }));
    }
    let known = || {
        values.iter().filter_map(|v| match v {
            Value::Known(known) => Some(known),
            _ => None,
        })
    };
    let sum = match pool {
        Pool::Sum => Value::known(known().map(|k| k.value).sum()),
        Pool::SumOverSum => {
            if known().any(|k| k.num.is_none() || k.den.is_none()) {
                return Some(Value::unknown("a ratio without its numerator"));
            }
            let num = known().filter_map(|k| k.num).sum();
            let den = known().filter_map(|k| k.den).sum();
            let empty = values.iter().find_map(|v| match v {
                Value::Undefined(what) => Some(what.as_str()),
                _ => None,
            });
            Value::ratio(num, den, empty.unwrap_or("no change"))
        }
        Pool::None => return None,
    };
    Some(sum.without(&left_out(known())))
}

/// All files that any of them was taken without.
fn left_out<'k>(all: impl Iterator<Item = &'k Known>) -> LeftOut {
    let mut sum = LeftOut::default();
    for left in all.filter_map(|k| k.left_out.as_deref()) {
        sum.files += left.files;
        for (reason, files) in &left.reasons {
            *sum.reasons.entry(reason.clone()).or_default() += files;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(num: f64, den: f64) -> Value {
        Value::ratio(num, den, "nothing edited")
    }

    #[test]
    fn what_is_on_the_limit_keeps_within_it() {
        for (value, max, min) in [
            (4.0, Kept::Held, Kept::Broken),
            (5.0, Kept::Held, Kept::Held),
            (6.0, Kept::Broken, Kept::Held),
        ] {
            assert_eq!(kept(&Value::known(value), Bound::Max, 5.0), max, "{value}");
            assert_eq!(kept(&Value::known(value), Bound::Min, 5.0), min, "{value}");
        }
        assert_eq!(kept(&ratio(3.0, 10.0), Bound::Max, 0.3), Kept::Held);
        assert_eq!(kept(&ratio(0.0, 0.0), Bound::Max, 0.0), Kept::Held);
        assert_eq!(kept(&Value::unknown("x"), Bound::Max, 9e9), Kept::Unknown);
        assert_eq!(kept(&Value::Word("pass"), Bound::Max, 9e9), Kept::Unknown);
    }

    #[test]
    fn sums_are_added_and_ratios_pooled_as_sum_over_sum() {
        let (a, b) = (Value::known(2.0), Value::known(-3.0));
        let sum = pooled(Pool::Sum, &[&a, &b]).expect("it pools");
        assert_eq!(sum.number(), Some(-1.0));
        let (a, b, none) = (ratio(1.0, 2.0), ratio(1.0, 8.0), ratio(0.0, 0.0));
        let sum = pooled(Pool::SumOverSum, &[&a, &b, &none]).expect("it pools");
        assert_eq!(sum, ratio(2.0, 10.0), "no mean of 0.5 and 0.125");
        assert_eq!(pooled(Pool::SumOverSum, &[&none]), Some(none.clone()));
        assert_eq!(pooled(Pool::None, &[&a]), None);
        assert_eq!(pooled(Pool::Sum, &[]), Some(Value::known(0.0)));
    }

    #[test]
    fn one_unknown_figure_makes_the_whole_unknown() {
        let (a, b) = (Value::known(2.0), Value::unknown("syntax error"));
        let whole = pooled(Pool::Sum, &[&a, &b]);
        let said = "unknown in 1 of 2 changes: syntax error";
        assert_eq!(whole, Some(Value::unknown(said)));
        assert_eq!(pooled(Pool::Sum, &[&b]), Some(b.clone()));
        assert!(matches!(
            pooled(Pool::SumOverSum, &[&b, &b]),
            Some(Value::Unknown(_))
        ));
    }

    #[test]
    fn files_that_were_left_out_are_added_up() {
        let left = LeftOut {
            files: 2,
            reasons: [("syntax error".to_owned(), 2)].into(),
            ..LeftOut::default()
        };
        let a = Value::known(1.0).without(&left);
        let Some(Value::Known(sum)) = pooled(Pool::Sum, &[&a, &a]) else {
            panic!("known");
        };
        let left = sum.left_out.expect("files");
        assert_eq!((left.files, left.reasons["syntax error"]), (4, 4));
    }
}
