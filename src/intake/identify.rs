//! What a foreign file is, by its content.

use std::fmt;

use super::report::ReportKind;
use super::{coverage, envelope, report};
use crate::record::Opened;

/// What a file was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// An agent's envelope or transcript.
    Envelope(envelope::Format),
    /// A test report.
    Report(ReportKind),
    /// A coverage report.
    Coverage(coverage::Format),
    /// A file that lies beside reports and is none; says what it is.
    Ignored(&'static str),
    /// Nothing but white space.
    Empty,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Envelope(format) => write!(f, "{} of {}", format.word(), format.agent()),
            What::Report(kind) => f.write_str(match kind {
                ReportKind::Junit => "a test report in JUnit XML",
                ReportKind::GoTest => "a test report of go test -json",
                ReportKind::PytestJson => "a test report of pytest-json-report",
                ReportKind::SlopCodeBench => "an evaluation of SlopCodeBench",
                ReportKind::Ignored(what) => what,
            }),
            What::Coverage(format) => write!(f, "a coverage report, {}", format.name()),
            What::Ignored(what) => f.write_str(what),
            What::Empty => f.write_str("empty"),
        }
    }
}

/// What `file` is; `None` where it is nothing known, or cannot be read.
pub fn identify(file: &mut Opened<'_>) -> Option<What> {
    // Coverage stands before what lies beside test reports, which is coverage, too.
    let report = match report::identify(file) {
        Some(ReportKind::Ignored(what)) => Some(What::Ignored(what)),
        Some(kind) => return Some(What::Report(kind)),
        None => None,
    };
    if let Some(format) = coverage::identify(file) {
        return Some(What::Coverage(format));
    }
    if report.is_some() {
        return report;
    }
    match envelope::detect(&mut *file.bytes).ok()? {
        envelope::Found::Format(format) => Some(What::Envelope(format)),
        envelope::Found::Empty => Some(What::Empty),
        envelope::Found::Unknown => None,
    }
}
