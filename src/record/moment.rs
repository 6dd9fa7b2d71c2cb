//! Moments: UTC, in milliseconds, as RFC 3339 text whose order is that of time.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment in UTC milliseconds, written `2026-11-30T07:12:09.123Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment(jiff::Timestamp);

impl Moment {
    /// The present one.
    pub fn now() -> Moment {
        let now = jiff::Timestamp::now().as_millisecond();
        Moment(jiff::Timestamp::from_millisecond(now).unwrap_or(jiff::Timestamp::UNIX_EPOCH))
    }

    /// The one `millis` milliseconds after 1970 began; `None` outside the years -9999 to 9999.
    pub fn from_millis(millis: i64) -> Option<Moment> {
        jiff::Timestamp::from_millisecond(millis).ok().map(Moment)
    }

    /// Milliseconds since 1970 began.
    pub fn millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// Reads the one form that is written: three digits of a second, and `Z`.
    pub fn parse(text: &str) -> Option<Moment> {
        let moment = Moment(text.parse().ok()?);
        (moment.to_string() == text).then_some(moment)
    }

    /// Reads what people and programs write: RFC 3339 of any precision and offset, or seconds
    /// since 1970 began (with a fraction, or as milliseconds where there are too many digits for
    /// seconds).
    pub fn read(text: &str) -> Option<Moment> {
        let text = text.trim();
        if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            let number: f64 = text.parse().ok()?;
            let millis = if number.abs() < 1e11 {
                number * 1e3
            } else {
                number
            };
            // Whole and far below what a float holds exactly.
            return (millis < 1e15).then(|| Moment::from_millis(millis.round() as i64))?;
        }
        let moment: jiff::Timestamp = text.parse().ok()?;
        Moment::from_millis(moment.as_millisecond())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Moment::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("a time not like 2026-11-30T07:12:09.123Z"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_back_as_it_is_written() {
        let text = "2026-11-30T07:12:09.123Z";
        let moment = Moment::parse(text).expect("a moment");
        assert_eq!(moment.to_string(), text);
        assert_eq!(moment.millis(), 1_796_022_729_123);
        assert_eq!(Moment::from_millis(1_796_022_729_123), Some(moment));
        let whole = Moment::from_millis(0).expect("a moment");
        assert_eq!(whole.to_string(), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn what_people_write_is_read() {
        for (text, is) in [
            ("2026-03-02T10:00:00Z", "2026-03-02T10:00:00.000Z"),
            ("2026-03-02T12:00:00.5+02:00", "2026-03-02T10:00:00.500Z"),
            ("1772445600", "2026-03-02T10:00:00.000Z"),
            ("1772445600.25", "2026-03-02T10:00:00.250Z"),
            ("1772445600250", "2026-03-02T10:00:00.250Z"),
            (" 0 ", "1970-01-01T00:00:00.000Z"),
        ] {
            let read = Moment::read(text).map(|m| m.to_string());
            assert_eq!(read.as_deref(), Some(is), "{text}");
        }
        for text in [
            "",
            ".",
            "1.2.3",
            "x",
            "2026-03-02",
            "99999999999999999999",
            "-5",
        ] {
            assert_eq!(Moment::read(text), None, "{text}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "",
            "2026-11-30T07:12:09Z",
            "2026-11-30T07:12:09.1234Z",
            "2026-11-30T07:12:09.123+00:00",
            "2026-11-30 07:12:09.123Z",
            "2026-02-30T07:12:09.123Z",
            "1796022729123",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
