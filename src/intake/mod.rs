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

/// Gives each object of a JSON text to `each`: the one it is, the elements of the array it is, or
/// its lines; `NaN` and the like do not cost the object they stand in. How many lines or elements
/// are none, or too large.
pub fn objects(bytes: &[u8], each: &mut dyn FnMut(serde_json::Value)) -> u64 {
    match json::objects(&mut std::io::Cursor::new(bytes), each) {
        Ok(told) => told.skipped_lines + told.other_elements,
        // Bytes in memory can be read.
        Err(_) => 1,
    }
}
