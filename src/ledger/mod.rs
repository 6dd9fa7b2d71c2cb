//! What was written down in the repository: the chains of experiments, and their records.

mod carry;
mod chain_trailers;
mod chains;
mod changed;
mod controlled;
mod facts;
mod health;
mod kept;
mod merge;
mod notes_commit;
mod patch;
mod payload;
mod places;
mod publish;
mod read;
mod receive;
pub mod reconcile;
mod scored;
mod spool;
mod status;
mod store;
mod stored;
mod taken_back;
mod told;
mod verify;

pub use carry::{Carried, Rewrite, carry, read_rewrites};
pub use chain_trailers::{ChainTrailers, Claim};
pub use chains::{
    Chain, ChainCommit, ChainCopy, Chains, Recorded, Sitting, chains, recorded, runs,
};
pub use changed::{About, Changed, changed, spans};
pub use controlled::{
    CheckpointControls, Control, Controlled, Count as ControlCount, Isolated, controlled,
};
pub use facts::tree_facts;
pub use health::examine_records;
pub use merge::{Merged, merge_into_local};
pub use payload::{
    Content, Given, Kept as KeptPayload, add_payload, as_kept, keep_bytes, keep_payload, name_of,
    read_payload,
};
pub use places::{NotesRef, Place, Source, place_of, sources};
pub use publish::{
    Count, Held, Kept, Plan, Preview, Published, Refusal, WAY_OUT, count, preview, publish,
};
pub use read::{Listing, records, records_on};
pub use receive::{Received, held, receive};
pub use scored::{Scored, scored};
pub use spool::Addition;
pub use status::{
    Captured, ChainStatus, CheckpointStatus, LargePayload, PendingCheckpoint, RemoteStatus,
    Standing, Status, Unpublished, counts, status,
};
pub use store::{Batch, Entry, Tips, Written, append, append_lines, drain, join};
pub use stored::{Absence, Bad, Conflict, Records, Says, Skipped, Stored};
pub use told::{Telling, Told, told};
pub use verify::{Defect, Extent, Verified, verify};
