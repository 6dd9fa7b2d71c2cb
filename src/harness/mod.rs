//! Makes chains: what drives a run and writes its commits.

pub mod demo;
mod message;

pub use message::{Place, agent_message, base_message, reset_message};
