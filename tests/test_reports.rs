//! Test reports as tools write them, read as a gate run: every sample in the fixtures' folder,
//! under names that say nothing, as it is and rewritten in ways that mean the same.
//!
//! A sample joins by being put into the folder: a file, or a folder of several, and beside it
//! `NAME.expected.json`.

mod mutations;
mod prefixes;
mod samples;
