//! Numbers written down: exactly for machines, shortly for people.

use serde::{Serialize, Serializer};

/// Largest whole number every reader of JSON keeps exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The number as a whole one, where it is whole and exact.
#[expect(
    clippy::cast_possible_truncation,
    reason = "checked to be whole and in range"
)]
fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
}

/// The shortest text that reads back as the same number; whole numbers without a point.
pub fn exact(value: f64) -> String {
    whole(value).map_or_else(|| format!("{value}"), |n| n.to_string())
}

/// For people: whole numbers whole, others with three decimals, very small ones with two
/// digits and an exponent. A number that is not zero is never shown as `0`.
pub fn short(value: f64) -> String {
    if let Some(n) = whole(value) {
        return n.to_string();
    }
    if value.abs() < 0.0005 {
        return format!("{value:.1e}");
    }
    if value.abs() >= 1000.0 {
        return format!("{value:.1}");
    }
    format!("{value:.3}")
}

/// As [`short`], with a sign in front of positive numbers.
pub fn signed(value: f64) -> String {
    let text = short(value);
    if value > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// A number in JSON: whole numbers as integers, what is not finite as null.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match whole(self.0) {
            Some(n) => s.serialize_i64(n),
            None if self.0.is_finite() => s.serialize_f64(self.0),
            None => s.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_point() {
        assert_eq!(exact(5.0), "5");
        assert_eq!(exact(-0.0), "0");
        assert_eq!(exact(0.1 + 0.2), "0.30000000000000004");
        assert_eq!(
            serde_json::to_string(&Number(20.0)).ok().as_deref(),
            Some("20")
        );
        assert_eq!(
            serde_json::to_string(&Number(0.25)).ok().as_deref(),
            Some("0.25")
        );
        assert_eq!(
            serde_json::to_string(&Number(f64::NAN)).ok().as_deref(),
            Some("null")
        );
    }

    #[test]
    fn a_small_number_is_not_shown_as_zero() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(0.4123), "0.412");
        assert_eq!(short(0.000_123), "1.2e-4");
        assert_eq!(short(12345.67), "12345.7");
        assert_eq!(signed(0.5), "+0.500");
        assert_eq!(signed(-3.0), "-3");
        assert_eq!(signed(0.0), "0");
    }
}
