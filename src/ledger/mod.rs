//! What was written down in the repository: the chains of experiments, and their records.

mod chain_trailers;
mod chains;
mod notes_commit;
mod payload;
mod places;
mod read;
mod reconcile;
mod scored;
mod spool;
mod store;
mod stored;

pub use chain_trailers::{ChainTrailers, Claim};
pub use chains::{
    Chain, ChainCommit, ChainCopy, Chains, Recorded, Sitting, chain_of, chains, recorded,
};
pub use payload::{Content, add_payload, read_payload};
pub use places::{NotesRef, Place, Source, place_of, sources};
pub use read::records;
pub use reconcile::{Applied, Asked, Found, Item, Plan, apply, reconcile};
pub use scored::{Scored, scored};
pub use spool::Addition;
pub use store::{Batch, Entry, Tips, Written, append, append_lines, drain, join};
pub use stored::{Absence, Bad, Conflict, Records, Says, Skipped, Stored};
