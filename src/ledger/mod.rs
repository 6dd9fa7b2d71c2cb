//! What was written down in the repository: the chains of experiments, and their records.

mod chain_trailers;
mod chains;
mod notes_commit;
mod places;
mod scored;
mod spool;
mod store;

pub use chain_trailers::{ChainTrailers, Claim};
pub use chains::{
    Chain, ChainCommit, ChainCopy, Chains, Recorded, Sitting, chain_of, chains, recorded,
};
pub use places::{NotesRef, Place, Source, place_of, sources};
pub use scored::{Scored, scored};
pub use spool::Addition;
pub use store::{Batch, Entry, Tips, Written, append, append_lines, drain, join};
