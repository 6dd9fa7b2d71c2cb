//! Foreign files turned into what records hold: one file a format. What a file is, its content
//! says, never its name. Everything read is bounded, and nothing in it is run or fetched.

pub mod coverage;
pub mod envelope;
mod identify;
#[allow(dead_code, reason = "its readers are being written")]
mod json;
pub mod prices;
mod readers;

pub use identify::{What, identify};
pub use readers::Readers;
pub mod report;
#[allow(dead_code, reason = "its readers are being written")]
mod xml;
