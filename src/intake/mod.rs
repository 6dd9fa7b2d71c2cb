//! Foreign files turned into what records hold: one file a format. What a file is, its content
//! says, never its name. Everything read is bounded, and nothing in it is run or fetched.

pub mod envelope;
mod json;
