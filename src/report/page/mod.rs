//! The report of an experiment: one page for people, as HTML or Markdown, one document for
//! programs, and the data behind every figure. Everything is computed before it comes here.
//!
//! A page is built as blocks (`document`) and then written; nothing that comes from a
//! repository is written but through the escapes of `html` and `markdown`.

mod data;
mod document;
mod figures;
mod find;
mod headline;
mod html;
mod hypothesis;
#[cfg(test)]
mod inert;
mod json;
mod lists;
mod markdown;
mod measures;
mod model;
mod order;
mod rest;
mod run;
mod tests;

use std::io::Write;

pub use data::data_files;
pub use headline::{Headline, HeadlineKind, headlines};
pub use hypothesis::{Expected, Finding, Hypothesis, Judgement};
pub use model::{CellValue, ChainValues, CommitUrl, Regression, Report, ValueTable};

use document::{Document, Inline};

use crate::error::Result;

/// In which form a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageFormat {
    /// One page that needs nothing beside it.
    #[default]
    Html,
    /// For a pull request: what fits a comment.
    Markdown,
    /// One document.
    Json,
}

/// Writes a report.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, report: &Report, format: PageFormat) -> Result<()> {
    match format {
        PageFormat::Html => html::write(out, &page(report)),
        PageFormat::Markdown => markdown::write(out, &page(report)),
        PageFormat::Json => json::write(out, report),
    }
}

/// The page, part by part.
fn page(report: &Report) -> Document<'_> {
    let study = &report.study;
    let arms: Vec<&str> = study.arms.iter().map(|a| a.name.as_str()).collect();
    let mut sections = vec![run::run(report)];
    sections.extend(run::differences(report));
    sections.push(run::hypothesis(report));
    sections.push(find::section(report));
    sections.push(find::glance(report));
    sections.extend(find::quality(report));
    sections.extend(measures::parts(report));
    sections.extend(tests::heat(report));
    sections.extend(tests::regressions(report));
    sections.extend(rest::controls(report));
    sections.push(run::provenance(report));
    sections.push(rest::unknown(report));
    sections.push(rest::not_measured());
    sections.push(rest::definitions(report));
    Document {
        title: study.experiments.join(", "),
        lead: vec![Inline::Text(arms.join(" · "))],
        sections,
        foot: vec![vec![
            format!(
                "{} · {} · definitions {} · configuration {}",
                study.stamp.tool, study.stamp.analyser, study.stamp.definitions, study.stamp.config
            )
            .into(),
        ]],
    }
}

/// The files of `report --figures`: name and content.
pub fn figure_files(report: &Report) -> Vec<(String, String)> {
    let drawings = figures::all(report).into_iter();
    drawings
        .map(|(name, svg)| (format!("{name}.svg"), svg.file()))
        .collect()
}

/// The measures that the hypothesis names.
fn deciding(report: &Report) -> Vec<String> {
    let findings = report.hypothesis.iter().flat_map(|h| &h.findings);
    // Without its language.
    let id = |f: &Finding| f.measure.split(' ').next().unwrap_or("").to_owned();
    findings.map(id).collect()
}

impl Report {
    /// A commit by its short id: a link where it can be looked at, else with the whole id behind
    /// it.
    fn commit(&self, id: &str) -> Inline {
        let short: String = id.chars().take(7).collect();
        match &self.commit_url {
            Some(url) => Inline::Link(short, url.of(id), id.to_owned()),
            None => Inline::Titled(short, id.to_owned()),
        }
    }
}
