//! What was written down in the repository: the chains of experiments, and their records.

mod chain_trailers;
mod chains;
mod merge;
mod publish;
mod receive;

pub use chain_trailers::ChainTrailers;
pub use chains::{Chain, ChainCommit, ChainCopy, Chains, chain_of, chains};
pub use merge::{Merged, Notes, merge_into_local};
pub use publish::{
    Count, Held, Kept, Plan, Preview, Published, Refusal, WAY_OUT, count, preview, publish,
};
pub use receive::{Received, held, receive};
