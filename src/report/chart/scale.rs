//! From numbers to places on paper, and the numbers written along an axis.
//!
//! Ticks are whole multiples of 1, 2 or 5 times a power of ten, kept as whole numbers and an
//! exponent, so that `0.1 + 0.2` never stands on an axis. No logarithm is taken: not every
//! machine's is the same to the last bit.

/// Values beyond this are drawn at it.
const FAR: f64 = 1e300;

/// A linear scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// `low` is drawn at `from`, `high` at `to`. Where they are equal all is in the middle.
    pub(super) fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Scale {
        Scale {
            low: low.clamp(-FAR, FAR),
            high: high.clamp(-FAR, FAR),
            from,
            to,
        }
    }

    /// Where `value` is drawn: never outside.
    pub(super) fn at(self, value: f64) -> f64 {
        let span = self.high - self.low;
        let part = if span > 0.0 {
            ((value - self.low) / span).clamp(0.0, 1.0)
        } else {
            0.5
        };
        // A number that is none stands in the middle rather than nowhere.
        let part = if part.is_nan() { 0.5 } else { part };
        self.from + part * (self.to - self.from)
    }
}

/// Places along an axis and what is written there, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ticks {
    pub(super) values: Vec<f64>,
    pub(super) labels: Vec<String>,
}

/// What an axis of values from `low` to `high` spans, with at most about `most` ticks. Zero is
/// taken in where it is near, a constant gets room.
pub(super) fn axis(low: f64, high: f64, most: usize) -> ((f64, f64), Ticks) {
    let (least, greatest) = (low.clamp(-FAR, FAR), high.clamp(-FAR, FAR));
    let (mut low, mut high) = (least, greatest);
    if low > 0.0 && low <= (high - low) * 1.5 {
        low = 0.0;
    }
    if high < 0.0 && -high <= (high - low) * 1.5 {
        high = 0.0;
    }
    let size = low.abs().max(high.abs());
    if high - low <= size * 1e-6 || high - low < 1e-290 {
        // As good as constant.
        if size < 1e-290 {
            (low, high) = (0.0, 1.0);
        } else if low > 0.0 {
            low = 0.0;
        } else {
            high = 0.0;
        }
    }
    let step = Step::of((high - low) / most.max(1) as f64, false);
    let (first, last) = (step.below(low), step.above(high));
    let ticks = step.ticks(first, last);
    // Beside the greatest numbers the smallest are none, but belong to the axis.
    let ends = (
        step.value(first).clamp(-FAR, low.min(least)),
        step.value(last).clamp(high.max(greatest), FAR),
    );
    (ends, ticks)
}

/// Ticks of an axis of checkpoints from `low` to `high`: whole numbers where it has room for
/// `most`, the first and the last among them where they are whole.
pub(super) fn checkpoints(low: f64, high: f64, most: usize) -> Ticks {
    let (low, high) = (low.clamp(-FAR, FAR), high.clamp(-FAR, FAR));
    if high <= low {
        let value = if high < low { 0.0 } else { low };
        return Ticks {
            values: vec![value],
            labels: vec![crate::report::short(value)],
        };
    }
    let whole = low.fract() == 0.0 && high.fract() == 0.0 && low.abs().max(high.abs()) < 1e9;
    let step = Step::of((high - low) / most.max(1) as f64, whole);
    let (first, last) = (step.above(low), step.below(high));
    let mut ticks = step.ticks(first, last);
    if whole {
        // The ends stand for the neighbours they would touch.
        let near = |a: f64, b: f64| (a - b).abs() < step.size * 0.7;
        let mut put = |end: f64, front: bool| {
            let at = if front {
                0
            } else {
                ticks.values.len().saturating_sub(1)
            };
            match ticks.values.get(at) {
                Some(&v) if v == end => return,
                Some(&v) if near(v, end) => {
                    ticks.values.remove(at);
                    ticks.labels.remove(at);
                }
                _ => {}
            }
            let at = if front { 0 } else { ticks.values.len() };
            ticks.values.insert(at, end);
            ticks.labels.insert(at, crate::report::short(end));
        };
        put(low, true);
        put(high, false);
    }
    ticks
}

/// `digit` × 10^`exponent`.
#[derive(Debug, Clone, Copy)]
struct Step {
    digit: i64,
    exponent: i32,
    size: f64,
}

impl Step {
    /// The least of 1, 2, 5 times a power of ten that is at least `raw`; at least 1 if `whole`.
    fn of(raw: f64, whole: bool) -> Step {
        let raw = if whole { raw.max(1.0) } else { raw };
        let raw = raw.clamp(1e-295, FAR);
        let text = format!("{raw:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or(("1", "0"));
        let mantissa: f64 = mantissa.parse().unwrap_or(1.0);
        let mut exponent: i32 = exponent.parse().unwrap_or(0);
        // What is a hair over a step is the step.
        let digit = match mantissa {
            m if m <= 1.0 + 1e-9 => 1,
            m if m <= 2.0 + 1e-9 => 2,
            m if m <= 5.0 + 1e-9 => 5,
            _ => {
                exponent += 1;
                1
            }
        };
        let mut step = Step {
            digit,
            exponent,
            size: 1.0,
        };
        step.size = step.value(1);
        step
    }

    /// The value of `n` steps, correctly rounded.
    fn value(self, n: i64) -> f64 {
        let text = format!("{}e{}", n.saturating_mul(self.digit), self.exponent);
        text.parse().unwrap_or(0.0)
    }

    /// The last whole number of steps at or below `value`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "below 1e10 by the size of a step"
    )]
    fn below(self, value: f64) -> i64 {
        let n = (value / self.size).floor() as i64;
        if self.value(n + 1) <= value { n + 1 } else { n }
    }

    /// The first at or above it.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "below 1e10 by the size of a step"
    )]
    fn above(self, value: f64) -> i64 {
        let n = (value / self.size).ceil() as i64;
        if self.value(n - 1) >= value { n - 1 } else { n }
    }

    fn ticks(self, first: i64, last: i64) -> Ticks {
        let top = first.saturating_abs().max(last.saturating_abs());
        let unit = self.unit(top);
        let mut out = Ticks::default();
        for n in first..=last.min(first.saturating_add(100)) {
            let value = self.value(n);
            if value.abs() <= FAR {
                out.values.push(value);
                out.labels.push(self.label(n, unit));
            }
        }
        out
    }

    /// The power of ten that all labels are written in, by the greatest of them.
    fn unit(self, top: i64) -> Unit {
        let digits = top.saturating_mul(self.digit).to_string().len();
        let power = i32::try_from(digits).unwrap_or(19) + self.exponent - 1;
        match power {
            ..=-5 | 15.. => Unit::Power,
            -4..=3 => Unit::Plain(0, ""),
            4..=5 => Unit::Plain(3, "k"),
            6..=8 => Unit::Plain(6, "M"),
            9..=11 => Unit::Plain(9, "G"),
            12..=14 => Unit::Plain(12, "T"),
        }
    }

    fn label(self, n: i64, unit: Unit) -> String {
        let number = n.saturating_mul(self.digit);
        if number == 0 {
            return "0".to_owned();
        }
        let minus = if number < 0 { "−" } else { "" };
        let mut digits = number.unsigned_abs().to_string();
        let mut exponent = self.exponent;
        while digits.ends_with('0') {
            digits.pop();
            exponent += 1;
        }
        match unit {
            Unit::Plain(shift, suffix) => {
                format!("{minus}{}{suffix}", decimal(&digits, exponent - shift))
            }
            Unit::Power => {
                let last = i32::try_from(digits.len()).unwrap_or(1) - 1;
                let mantissa = decimal(&digits, -last);
                format!("{minus}{mantissa}e{}", exponent + last)
            }
        }
    }
}

/// How the labels of an axis are written.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// In 10^`.0`, with a suffix.
    Plain(i32, &'static str),
    /// As `1.5e20`.
    Power,
}

/// The digits times 10^`exponent`, written out.
fn decimal(digits: &str, exponent: i32) -> String {
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    let len = i32::try_from(digits.len()).unwrap_or(1);
    if exponent >= 0 {
        format!("{digits}{}", zeros(exponent))
    } else if len + exponent > 0 {
        let point = usize::try_from(len + exponent).unwrap_or(0);
        format!("{}.{}", &digits[..point], &digits[point..])
    } else {
        format!("0.{}{digits}", zeros(-exponent - len))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(low: f64, high: f64) -> String {
        axis(low, high, 5).1.labels.join(" ")
    }

    #[test]
    fn ticks_are_multiples_of_one_two_or_five() {
        assert_eq!(labels(0.0, 10.0), "0 2 4 6 8 10");
        assert_eq!(labels(0.0, 0.3), "0 0.1 0.2 0.3");
        assert_eq!(labels(-1.3, 2.2), "−2 −1 0 1 2 3");
        assert_eq!(labels(101.0, 108.0), "100 102 104 106 108");
        assert_eq!(labels(0.0, 1_234_567.0), "0 0.5M 1M 1.5M");
        assert_eq!(labels(0.0, 48_000.0), "0 10k 20k 30k 40k 50k");
        assert_eq!(labels(0.0, 2.3e-7), "0 5e-8 1e-7 1.5e-7 2e-7 2.5e-7");
        assert_eq!(labels(-4e22, 0.0), "−4e22 −3e22 −2e22 −1e22 0");
    }

    #[test]
    fn zero_is_taken_in_where_it_is_near() {
        assert_eq!(axis(3.0, 9.0, 5).0, (0.0, 10.0));
        assert_eq!(axis(-9.0, -3.0, 5).0, (-10.0, 0.0));
        assert_eq!(axis(0.91, 0.99, 5).0, (0.9, 1.0));
    }

    #[test]
    fn a_constant_has_room() {
        assert_eq!(axis(0.0, 0.0, 5).0, (0.0, 1.0));
        assert_eq!(axis(7.0, 7.0, 5).0, (0.0, 8.0));
        assert_eq!(axis(-7.0, -7.0, 5).0, (-8.0, 0.0));
    }

    #[test]
    fn checkpoints_are_whole_and_have_their_ends() {
        let labels = |low, high, most| checkpoints(low, high, most).labels.join(" ");
        assert_eq!(labels(1.0, 10.0, 12), "1 2 3 4 5 6 7 8 9 10");
        assert_eq!(labels(1.0, 60.0, 7), "1 10 20 30 40 50 60");
        assert_eq!(labels(1.0, 300.0, 7), "1 50 100 150 200 250 300");
        assert_eq!(labels(1.0, 58.0, 7), "1 10 20 30 40 50 58");
        assert_eq!(labels(4.0, 4.0, 7), "4");
        assert_eq!(labels(1.0, 2.0, 7), "1 2");
    }

    proptest! {
        #[test]
        fn every_axis_is_finite_holds_its_values_and_has_few_ticks(
            a in any::<f64>(), b in any::<f64>()
        ) {
            prop_assume!(a.is_finite() && b.is_finite());
            let (low, high) = (a.min(b), a.max(b));
            let ((from, to), ticks) = axis(low, high, 5);
            prop_assert!(from.is_finite() && to.is_finite() && from < to);
            prop_assert!(from <= low.clamp(-FAR, FAR) && high.clamp(-FAR, FAR) <= to);
            prop_assert!((1..=12).contains(&ticks.values.len()), "{ticks:?}");
            prop_assert!(ticks.values.windows(2).all(|w| w[0] < w[1]), "{ticks:?}");
            let scale = Scale::new((from, to), (10.0, 90.0));
            for v in [low, high, 0.0] {
                prop_assert!((10.0..=90.0).contains(&scale.at(v)));
            }
        }
    }
}
