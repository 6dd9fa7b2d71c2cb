//! Amounts of money, exact: a float would turn 0.1 + 0.2 into another price.

use std::fmt;

/// An amount of US dollars, as a whole number of 10⁻²⁴. Prices have up to 24 decimals; what an
/// `i128` holds of them is 170 million million dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Usd(i128);

/// Decimals that are kept.
const DECIMALS: i64 = 24;

impl Usd {
    /// Nothing.
    pub const ZERO: Usd = Usd(0);

    /// The decimal number that `text` is, with or without an exponent, as JSON writes them.
    /// `None` for anything else, for more than an amount holds, and for decimals beyond the last
    /// kept one.
    pub fn parse(text: &str) -> Option<Usd> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().ok()?),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && part.is_empty() {
            return None;
        }
        let mut digits: i128 = 0;
        let mut scale = i64::from(exponent) + DECIMALS;
        for (at, byte) in whole.bytes().chain(part.bytes()).enumerate() {
            let digit = char::from(byte).to_digit(10)?;
            digits = digits.checked_mul(10)?.checked_add(i128::from(digit))?;
            scale -= i64::from(at >= whole.len());
        }
        while digits != 0 && scale < 0 && digits % 10 == 0 {
            digits /= 10;
            scale += 1;
        }
        if digits == 0 {
            return Some(Usd::ZERO);
        }
        let amount = digits.checked_mul(10_i128.checked_pow(u32::try_from(scale).ok()?)?)?;
        Some(Usd(if negative { -amount } else { amount }))
    }

    /// A number as somebody reported it: the shortest decimal that reads back as it. `None` for
    /// what is no number or out of range.
    pub fn reported(number: f64) -> Option<Usd> {
        Usd::parse(&format!("{number:e}"))
    }

    /// So many times this amount; `None` out of range.
    pub fn times(self, count: u64) -> Option<Usd> {
        self.0.checked_mul(i128::from(count)).map(Usd)
    }

    /// Both together; `None` out of range.
    pub fn plus(self, other: Usd) -> Option<Usd> {
        self.0.checked_add(other.0).map(Usd)
    }

    /// This amount less the other; `None` out of range.
    pub fn minus(self, other: Usd) -> Option<Usd> {
        self.0.checked_sub(other.0).map(Usd)
    }

    /// True below nothing.
    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// The nearest floating-point number.
    pub fn number(self) -> f64 {
        self.to_string()
            .parse()
            .expect("a decimal is a number to the parser of floats")
    }
}

/// As a plain decimal, without trailing zeros.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = 10_u128.pow(24);
        let size = self.0.unsigned_abs();
        let text = format!("{}.{:024}", size / one, size % one);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.pad_integral(!self.is_negative(), "", text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Option<String> {
        Usd::parse(text).map(|usd| usd.to_string())
    }

    #[test]
    fn decimals_are_read_as_they_are_written() {
        for (text, same) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("12", "12"),
            ("1.50", "1.5"),
            ("2.5e-06", "0.0000025"),
            ("1E2", "100"),
            ("-3.2857142857142855E-8", "-0.000000032857142857142855"),
            ("1e-24", "0.000000000000000000000001"),
            ("10e-25", "0.000000000000000000000001"),
            ("0e-9999", "0"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(same), "{text}");
        }
        for wrong in [
            "",
            "-",
            ".",
            "e5",
            "1e",
            "1e99999",
            "1e30",
            "1e-25",
            "NaN",
            "inf",
            "0x1",
            "1_0",
            "1,5",
            " 1",
            "+1",
            "--1",
            "9999999999999999999999999999999999999999999",
        ] {
            assert_eq!(shown(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sums_are_exact_where_floats_are_not() {
        let sum = Usd::reported(0.1).and_then(|a| a.plus(Usd::reported(0.2)?));
        assert_eq!(sum, Usd::parse("0.3"));
        assert_eq!(sum.map(Usd::number), Some(0.3));
        assert_eq!(Usd::reported(f64::NAN), None);
        assert_eq!(Usd::reported(f64::INFINITY), None);
        assert_eq!(Usd::reported(-0.25).map(Usd::number), Some(-0.25));
        assert_eq!(Usd::parse("1").and_then(|a| a.times(u64::MAX)), None);
    }

    proptest! {
        #[test]
        fn what_was_reported_is_what_is_shown(cents in -1_000_000_000_i64..1_000_000_000, e in 0_i32..9) {
            #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
            let number = cents as f64 / 10_f64.powi(e);
            prop_assert_eq!(Usd::reported(number).expect("in range").number(), number);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,12}") {
            let _ = Usd::parse(&text);
        }
    }
}
