//! `compare`: a study in every format.

pub(super) mod json;

use std::io::Write;

use super::layout::{Format, Layout};
use super::log::document;
use super::study::Study;
use crate::error::Result;

/// Writes a study.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, study: &Study, layout: Layout) -> Result<()> {
    match layout.format {
        Format::JsonLines => json::write_lines(out, study),
        _ => document(out, &json::Document::from(study)),
    }
}
