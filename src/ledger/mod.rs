//! What was written down in the repository: the chains of experiments, and their records.

mod chain_trailers;
mod chains;

pub use chain_trailers::ChainTrailers;
pub use chains::{Chain, ChainCommit, ChainCopy, Chains, chain_of, chains};
