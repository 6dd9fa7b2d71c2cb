//! Plain data written down when something happens. Knows neither git nor code.
//!
//! A record is a [`Record`] in memory and a [`Line`] of a note in the repository;
//! `docs/records.md` has every field. [`mask`] is what every line passes on its way out.

mod capture;
mod checkpoint;
mod coverage_map;
mod form;
mod head;
mod id;
mod identity;
mod line;
mod line_set;
pub mod mask;
mod moment;
pub mod pairing;
mod patterns;
mod prices;
mod readers;
mod run;
mod session;
pub mod sheet;
mod snapshot;
mod test_id;
mod test_map;
mod test_places;
mod transcript;
#[cfg(test)]
mod trial;
mod usd;

pub use capture::{
    Coverage, Encoding, Envelope, Payload, Purpose, Raw, ReadBy, Selected, Suite, Tests, Unkept,
};
pub use checkpoint::{
    Checkpoint, Configuration, Event, How, PathName, Paths, Provenance, Restored, RestoredPath,
    Work,
};
pub use coverage_map::{CoverageMap, CoverageTotals, FileCoverage};
pub use head::{Head, Kind, ObjectName, SCHEMA, TOOL};
pub use id::RecordId;
pub use identity::{ChainPath, Role, is_part};
pub use line::{BadLine, Body, Line, MAX_LINE, ReadLine, Record, read_line};
pub use line_set::LineSet;
pub use moment::Moment;
pub use prices::{ModelPrices, PriceTable, Rates};
pub use readers::{Opened, Readers, Reading, RunFacts, Source, TreeFacts};
pub use run::{
    CheckRun, Configured, Contained, ContentId, Gated, Launch, Limited, Probed, SetupRun, Stub,
    System, Tampered, Tools, Turned, Versions,
};
pub use session::{GoesOn, ModelUse, Retries, Session, Status, Tokens};
pub use snapshot::{snapshot, snapshot_digest, snapshot_of};
pub use test_id::{canonical, mangle};
pub use test_map::{Problem, ReportFile, TestCounts, TestMap, TestOutcome, TestResult, Validity};
pub use test_places::{TestPlaces, splits};
pub use transcript::{Did, Does, Happening, Transcript};
pub use usd::Usd;
