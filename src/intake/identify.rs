//! What a foreign file is, by its content.

use std::fmt;

use super::envelope::{self, Format};
use crate::record::Opened;

/// What a file was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// An agent's envelope or transcript.
    Envelope(Format),
    /// A test report; the word of its format.
    Report(String),
    /// A coverage report; the word of its format.
    Coverage(String),
    /// A file that lies beside reports and is none; says what it is.
    Ignored(String),
    /// Nothing but white space.
    Empty,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Envelope(format) => write!(f, "{} of {}", format.word(), format.agent()),
            What::Report(format) => write!(f, "a test report: {format}"),
            What::Coverage(format) => write!(f, "a coverage report: {format}"),
            What::Ignored(what) => f.write_str(what),
            What::Empty => f.write_str("empty"),
        }
    }
}

/// What `file` is; `None` where it is nothing known or cannot be read.
pub fn identify(file: &mut Opened<'_>) -> Option<What> {
    match envelope::detect(&mut *file.bytes).ok()? {
        envelope::Found::Format(format) => Some(What::Envelope(format)),
        envelope::Found::Empty => Some(What::Empty),
        envelope::Found::Unknown => None,
    }
}
