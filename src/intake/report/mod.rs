//! Reports of test runs, each read into one map of outcomes.

#[allow(dead_code, reason = "its readers are being written")]
mod draft;
#[allow(dead_code, reason = "its readers are being written")]
mod ids;
