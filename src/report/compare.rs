//! `compare`: a study in every format.

mod csv;
pub(super) mod json;
mod measure;
mod pages;
mod quality;

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
        Format::Table => pages::write_table(out, study, layout.columns),
        Format::Markdown => pages::write_markdown(out, study),
        Format::Csv => csv::write(out, study),
        Format::Json => document(out, &json::Document::from(study)),
        Format::JsonLines => json::write_lines(out, study),
    }
}
