//! Foreign files turned into what records hold: one file a format. What a file is, its content
//! says, never its name. Everything read is bounded, and nothing in it is run or fetched.

pub mod coverage;
pub mod envelope;
mod identify;
mod json;
pub mod prices;
mod readers;
pub mod report;
mod tame;
mod xml;

pub use identify::{What, identify};
pub use readers::Readers;
