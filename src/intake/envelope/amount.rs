//! Figures out of foreign JSON: told, not told, or told in a way that cannot be used.

use serde_json::Value;

use crate::record::{Moment, Tokens};

/// A figure as a file tells it. One that is told wrongly (negative, fractional, a text, too large)
/// makes every sum it belongs to unknown; one that is not told adds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum Amount<T> {
    /// Missing or null.
    #[default]
    Absent,
    /// There, and no such figure.
    Unusable,
    /// Told.
    Known(T),
}

/// What can be an [`Amount`].
pub(super) trait Quantity: Copy + PartialOrd {
    /// Reads one that is neither missing nor null.
    fn read(value: &Value) -> Option<Self>;
    /// The sum, where it fits.
    fn sum(self, other: Self) -> Option<Self>;
    /// The difference, where it is not negative.
    fn difference(self, other: Self) -> Option<Self>;
}

/// Nothing that is told is as much; above it a float holds no exact integer.
const MOST: f64 = 9_007_199_254_740_992.0;

impl Quantity for u64 {
    fn read(value: &Value) -> Option<u64> {
        let float = value.as_f64()?;
        // What a writer without integers prints: 12.0.
        let counts = float.fract() == 0.0 && (0.0..MOST).contains(&float);
        counts.then(|| value.as_u64().unwrap_or(float as u64))
    }
    fn sum(self, other: u64) -> Option<u64> {
        self.checked_add(other)
    }
    fn difference(self, other: u64) -> Option<u64> {
        self.checked_sub(other)
    }
}

/// A whole number of either sign, also as a writer without integers prints it: 1.0.
pub(super) fn whole(value: Option<&Value>) -> Option<i64> {
    let value = value?;
    value.as_i64().or_else(|| {
        let float = value.as_f64()?;
        (float.fract() == 0.0 && float.abs() < MOST).then_some(float as i64)
    })
}

impl Quantity for f64 {
    fn read(value: &Value) -> Option<f64> {
        value.as_f64().filter(|f| (0.0..MOST).contains(f))
    }
    fn sum(self, other: f64) -> Option<f64> {
        Some(self + other).filter(|f| f.is_finite())
    }
    fn difference(self, other: f64) -> Option<f64> {
        (self >= other).then_some(self - other)
    }
}

impl<T: Quantity> Amount<T> {
    /// The one under `key`.
    pub(super) fn at(object: &Value, key: &str) -> Amount<T> {
        Amount::of(object.get(key))
    }

    /// The one that `value` is.
    pub(super) fn of(value: Option<&Value>) -> Amount<T> {
        match value {
            None | Some(Value::Null) => Amount::Absent,
            Some(value) => T::read(value).map_or(Amount::Unusable, Amount::Known),
        }
    }

    /// Its value, where it is told.
    pub(super) fn known(self) -> Option<T> {
        match self {
            Amount::Known(value) => Some(value),
            _ => None,
        }
    }

    /// The same, where a file that does not tell it leaves something out.
    #[must_use]
    pub(super) fn needed(self) -> Amount<T> {
        match self {
            Amount::Absent => Amount::Unusable,
            told => told,
        }
    }

    /// Whether nothing is told.
    pub(super) fn is_absent(self) -> bool {
        matches!(self, Amount::Absent)
    }

    /// Both together. What is not told adds nothing; what cannot be used, or does not fit, makes
    /// the sum unusable.
    #[must_use]
    pub(super) fn plus(self, other: Amount<T>) -> Amount<T> {
        match (self, other) {
            (Amount::Absent, one) | (one, Amount::Absent) => one,
            (Amount::Known(a), Amount::Known(b)) => {
                a.sum(b).map_or(Amount::Unusable, Amount::Known)
            }
            _ => Amount::Unusable,
        }
    }

    /// This less `other`. What is not told takes nothing away; a negative difference is unusable.
    #[must_use]
    pub(super) fn less(self, other: Amount<T>) -> Amount<T> {
        match (self, other) {
            (one, Amount::Absent) => one,
            (Amount::Known(a), Amount::Known(b)) => {
                a.difference(b).map_or(Amount::Unusable, Amount::Known)
            }
            _ => Amount::Unusable,
        }
    }
}

impl Amount<u64> {
    /// The milliseconds under `key`; clocks of some agents have fractions, which are rounded.
    pub(super) fn millis(object: &Value, key: &str) -> Amount<u64> {
        match Amount::<f64>::at(object, key) {
            Amount::Known(ms) => Amount::of(Some(&Value::from(ms.round()))),
            Amount::Unusable => Amount::Unusable,
            Amount::Absent => Amount::Absent,
        }
    }
}

/// Tokens by bucket, as [`Tokens`] has them, while they are being added up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Buckets {
    /// Of prompts, neither read from nor written to a cache.
    pub(super) input: Amount<u64>,
    /// Generated, reasoning included.
    pub(super) output: Amount<u64>,
    /// Read from a cache.
    pub(super) cache_read: Amount<u64>,
    /// Written to a cache at the base rate, or for a time that is not stated.
    pub(super) cache_creation_5m: Amount<u64>,
    /// Written to a cache for an hour.
    pub(super) cache_creation_1h: Amount<u64>,
    /// The part of `output` that was reasoning.
    pub(super) reasoning: Amount<u64>,
}

impl Buckets {
    /// Of an answer that was paid and does not say how much it took.
    pub(super) const UNUSABLE: Buckets = Buckets {
        input: Amount::Unusable,
        output: Amount::Unusable,
        cache_read: Amount::Unusable,
        cache_creation_5m: Amount::Unusable,
        cache_creation_1h: Amount::Unusable,
        reasoning: Amount::Unusable,
    };

    /// Bucket by bucket.
    #[must_use]
    pub(super) fn plus(self, other: Buckets) -> Buckets {
        Buckets {
            input: self.input.plus(other.input),
            output: self.output.plus(other.output),
            cache_read: self.cache_read.plus(other.cache_read),
            cache_creation_5m: self.cache_creation_5m.plus(other.cache_creation_5m),
            cache_creation_1h: self.cache_creation_1h.plus(other.cache_creation_1h),
            reasoning: self.reasoning.plus(other.reasoning),
        }
    }

    /// All of them together; reasoning is in `output`.
    pub(super) fn all(&self) -> Amount<u64> {
        let caches = self.cache_creation_5m.plus(self.cache_creation_1h);
        let prompt = self.input.plus(self.cache_read).plus(caches);
        prompt.plus(self.output)
    }

    /// Whether a bucket is known to be more than 0.
    pub(super) fn used_any(&self) -> bool {
        self.each().iter().any(|a| a.known() > Some(0))
    }

    /// All six, in the order of the fields.
    pub(super) fn each(&self) -> [Amount<u64>; 6] {
        [
            self.input,
            self.output,
            self.cache_read,
            self.cache_creation_5m,
            self.cache_creation_1h,
            self.reasoning,
        ]
    }

    /// Whether a bucket is [`Amount::Unusable`].
    pub(super) fn is_unusable(&self) -> bool {
        self.each().contains(&Amount::Unusable)
    }

    /// As records have them.
    pub(super) fn tokens(self) -> Tokens {
        Tokens {
            input: self.input.known(),
            output: self.output.known(),
            cache_read: self.cache_read.known(),
            cache_creation_5m: self.cache_creation_5m.known(),
            cache_creation_1h: self.cache_creation_1h.known(),
            reasoning: self.reasoning.known(),
        }
    }
}

/// A text under `key` that is not empty.
pub(super) fn text<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    object
        .get(key)
        .and_then(Value::as_str)
        .filter(|t| !t.is_empty())
}

/// A model's name without a `[1m]` suffix; none for `""`, for what is in angle brackets, which names
/// no model, and for what is too long to be a name.
pub(super) fn model_name(name: &str) -> Option<String> {
    let name = name.strip_suffix("[1m]").unwrap_or(name).trim();
    let is_name = !name.is_empty() && !name.starts_with('<') && name.len() <= 256;
    is_name.then(|| name.to_owned())
}

/// The moment under `key`: RFC 3339 text with any offset, or without one (then UTC).
pub(super) fn moment(object: &Value, key: &str) -> Option<Moment> {
    let text = object.get(key)?.as_str()?;
    let stamp = match text.parse::<jiff::Timestamp>() {
        Ok(stamp) => stamp,
        Err(_) => {
            let local: jiff::civil::DateTime = text.parse().ok()?;
            local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp()
        }
    };
    Moment::from_millis(stamp.as_millisecond())
}

/// The moment under `key`: milliseconds since 1970 began, as a number.
pub(super) fn moment_of_millis(object: &Value, key: &str) -> Option<Moment> {
    let millis = Amount::<u64>::at(object, key).known()?;
    Moment::from_millis(i64::try_from(millis).ok()?)
}

/// The moment under `key`: seconds since 1970 began, as a number with or without a fraction.
pub(super) fn moment_of_seconds(object: &Value, key: &str) -> Option<Moment> {
    let seconds = Amount::<f64>::at(object, key).known()?;
    let millis = (seconds * 1000.0).round();
    (millis < i64::MAX as f64)
        .then(|| Moment::from_millis(millis as i64))
        .flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_count_is_unusable_and_what_is_missing_is_absent() {
        let told = json!({"a": 12, "b": 12.0, "c": -1, "d": 1.5, "e": "7", "f": null, "g": [],
            "h": 18_446_744_073_709_551_615_u64, "i": 1e300, "j": true});
        let at = |key| Amount::<u64>::at(&told, key);
        assert_eq!(at("a"), Amount::Known(12));
        assert_eq!(at("b"), Amount::Known(12));
        for key in ["c", "d", "e", "g", "h", "i", "j"] {
            assert_eq!(at(key), Amount::Unusable, "{key}");
        }
        assert_eq!((at("f"), at("z")), (Amount::Absent, Amount::Absent));
        let most = Amount::Known(u64::MAX);
        assert_eq!(most.plus(at("a")), Amount::Unusable, "it does not fit");
        assert_eq!(at("a").plus(at("f")), Amount::Known(12));
        assert_eq!(at("a").plus(at("c")), Amount::Unusable);
        assert_eq!(at("a").less(most), Amount::Unusable);
        assert_eq!(at("a").less(at("z")), Amount::Known(12));
        assert_eq!(at("f").needed(), Amount::Unusable);
    }

    #[test]
    fn dollars_are_finite_and_not_negative() {
        let told = json!({"a": 0.5, "b": -0.5, "c": "0.5", "d": 0});
        let at = |key| Amount::<f64>::at(&told, key);
        assert_eq!(at("a").plus(at("d")), Amount::Known(0.5));
        assert_eq!((at("b"), at("c")), (Amount::Unusable, Amount::Unusable));
        assert_eq!(
            Amount::Known(f64::MAX).plus(Amount::Known(f64::MAX)),
            Amount::Unusable
        );
    }

    #[test]
    fn times_are_read_in_every_form_that_agents_write() {
        let told = json!({"a": "2026-11-20T08:00:00Z", "b": "2026-11-20T09:00:00.1239+01:00",
            "c": "2026-03-02T10:00:07.200000", "d": 1_795_100_001_000_u64, "e": 1_795_200_000,
            "f": 1_795_200_000.5, "g": "yesterday", "h": -5, "i": 1e300});
        let said = |m: Option<Moment>| m.map(|m| m.to_string()).unwrap_or_default();
        assert_eq!(said(moment(&told, "a")), "2026-11-20T08:00:00.000Z");
        assert_eq!(said(moment(&told, "b")), "2026-11-20T08:00:00.123Z");
        assert_eq!(said(moment(&told, "c")), "2026-03-02T10:00:07.200Z");
        assert_eq!(
            said(moment_of_millis(&told, "d")),
            "2026-11-19T14:53:21.000Z"
        );
        assert_eq!(
            said(moment_of_seconds(&told, "e")),
            "2026-11-20T18:40:00.000Z"
        );
        assert_eq!(
            said(moment_of_seconds(&told, "f")),
            "2026-11-20T18:40:00.500Z"
        );
        for key in ["g", "h", "i", "z"] {
            assert_eq!(moment(&told, key), None);
            assert_eq!(moment_of_millis(&told, key), None);
            assert_eq!(moment_of_seconds(&told, key), None);
        }
    }

    #[test]
    fn milliseconds_may_have_fractions() {
        let told = json!({"a": 12, "b": 12.6, "c": -1, "d": 1e300, "e": "7"});
        assert_eq!(Amount::millis(&told, "a"), Amount::Known(12));
        assert_eq!(Amount::millis(&told, "b"), Amount::Known(13));
        for key in ["c", "d", "e"] {
            assert_eq!(Amount::millis(&told, key), Amount::Unusable, "{key}");
        }
        assert_eq!(Amount::millis(&told, "z"), Amount::Absent);
    }

    #[test]
    fn a_whole_number_may_be_written_as_a_float() {
        for (told, read) in [
            (json!(1), Some(1)),
            (json!(1.0), Some(1)),
            (json!(-1e3), Some(-1000)),
            (json!(0.0), Some(0)),
            (json!(0.5), None),
            (json!(1e300), None),
            (json!("1"), None),
            (json!(null), None),
        ] {
            assert_eq!(whole(Some(&told)), read, "{told}");
        }
        assert_eq!(whole(None), None);
    }

    #[test]
    fn a_model_is_named_without_its_context_suffix() {
        assert_eq!(
            model_name("claude-sonnet-5[1m]").as_deref(),
            Some("claude-sonnet-5")
        );
        assert_eq!(model_name("Composer 2").as_deref(), Some("Composer 2"));
        assert_eq!((model_name("<synthetic>"), model_name("")), (None, None));
    }
}
