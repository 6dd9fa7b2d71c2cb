//! What stands in every output: by which schema, tool, analyser and definitions, under which
//! settings.

use std::collections::BTreeMap;

use serde::Serialize;

/// Version of the shapes of the machine formats (`docs/output.md`). A field is only ever
/// added under the same number.
pub const SCHEMA: u32 = 1;

/// By what and under which settings figures were made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stamp {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Name and version of the program.
    pub tool: String,
    /// Version of what reads source code.
    pub analyser: String,
    /// Version of the measures' definitions.
    pub definitions: String,
    /// Digest of everything that can move a figure.
    pub config: String,
}

/// The settings' values by key, as the document header gives them.
pub type SettingsValues = BTreeMap<String, serde_json::Value>;

/// Seconds since the epoch as RFC 3339 in UTC (`2026-03-01T12:00:00Z`).
pub fn time(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400);
    let rest = seconds.rem_euclid(86_400);
    let (y, m, d) = civil(days);
    let (h, min, s) = (rest / 3600, rest / 60 % 60, rest % 60);
    // Years beyond 9999 are out of RFC 3339's form and come from nonsense in a commit only.
    format!("{y:04}-{m:02}-{d:02}T{h:02}:{min:02}:{s:02}Z")
}

/// The date alone (`2026-03-01`).
pub fn date(seconds: i64) -> String {
    let (y, m, d) = civil(seconds.div_euclid(86_400));
    format!("{y:04}-{m:02}-{d:02}")
}

/// Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar
/// (H. Hinnant, "chrono-compatible low-level date algorithms").
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let d = doy - (153 * mp + 2) / 5 + 1;
    let m = if mp < 10 { mp + 3 } else { mp - 9 };
    let y = yoe + era * 400 + i64::from(m <= 2);
    (y, m, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc_with_z() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(1_700_000_060), "2023-11-14T22:14:20Z");
        assert_eq!(time(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(time(-1), "1969-12-31T23:59:59Z");
        assert_eq!(date(1_700_000_060), "2023-11-14");
    }
}
