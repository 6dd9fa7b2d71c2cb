//! Plain data written down when something happens. Knows neither git nor code.
//!
//! A record is a [`Record`] in memory and a [`Line`] of a note in the repository;
//! `docs/records.md` has every field. [`mask`] is what every line passes on its way out.

mod capture;
mod checkpoint;
mod head;
mod id;
mod identity;
mod line;
pub mod mask;
mod moment;
mod patterns;
pub mod sheet;
mod snapshot;
#[cfg(test)]
mod trial;

pub use capture::{Coverage, Encoding, Envelope, Payload, Purpose, Raw, ReadBy, Suite, Tests};
pub use checkpoint::{
    Checkpoint, Configuration, Event, How, PathName, Paths, Provenance, Restored, RestoredPath,
    Work,
};
pub use head::{Head, Kind, ObjectName, SCHEMA, TOOL};
pub use id::RecordId;
pub use identity::{ChainPath, Role, is_part};
pub use line::{BadLine, Body, Line, MAX_LINE, ReadLine, Record, read_line};
pub use moment::Moment;
pub use snapshot::{snapshot, snapshot_digest, snapshot_of};
