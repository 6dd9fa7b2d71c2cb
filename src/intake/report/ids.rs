//! Names of tests, their times and their modules, as the formats write them, in one form.

use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::record::Moment;

/// The time a suite tells of itself; without a zone it is taken as UTC. Some writers put 1970
/// where they know none: before 2000 there is none.
pub(super) fn suite_time(text: &str) -> Option<Moment> {
    let text = text.trim();
    let instant = match text.parse::<Timestamp>() {
        Ok(instant) => instant,
        Err(_) => {
            let civil = text.parse::<DateTime>().ok()?;
            civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp()
        }
    };
    let since_2000 = instant.as_second() >= 946_684_800;
    since_2000.then(|| Moment::from_millis(instant.as_millisecond()))?
}
