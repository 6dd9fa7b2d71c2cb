//! Coverage reports, each read into executed lines by the files of the tree it was made for.
//!
//! Figures are those of the lines: totals in headers are at most compared with them. A path of a
//! report is a file of the tree only where nothing else could be meant.

mod cobertura;
mod contexts;
mod coveragepy;
mod draft;
mod file;
mod go_profile;
mod identify;
mod jacoco;
mod lax;
mod lcov;
mod lines;
mod modules;
mod paths;
mod places;

use std::io;

pub use identify::{Format, identify};

use self::draft::{Draft, Manner, TooMany};
use self::identify::Kind;
use self::places::Meant;
use super::xml::XmlError;
use crate::record::{CoverageMap, Opened, Reading, TreeFacts};

/// Reads one coverage report. Paths are those of `tree`; without one they are as the report has
/// them.
pub fn read(file: &mut Opened<'_>, tree: Option<&TreeFacts>) -> Reading<CoverageMap> {
    let source = &mut *file.bytes;
    let format = match identify::kind(source) {
        Ok(Kind::Blank) => return Reading::Empty,
        Ok(Kind::Unknown) => return Reading::Unrecognised,
        Ok(Kind::Is(format)) => format,
        Err(error) => {
            return Reading::Unreadable("coverage".to_owned(), format!("not readable: {error}"));
        }
    };
    let mut draft = Draft::default();
    let read = match format {
        Format::Jacoco => jacoco::read(source, &mut draft),
        Format::CoveragePyJson => coveragepy::read(source, &mut draft),
        Format::Cobertura => cobertura::read(source, &mut draft),
        Format::Lcov => lcov::read(source, &mut draft),
        Format::GoCoverprofile => go_profile::read(source, &mut draft),
    };
    if let Err(Unreadable(why)) = read {
        return Reading::Unreadable(format.name().to_owned(), why);
    }
    let manner = Manner {
        format: format.name(),
        meant: match format {
            Format::Jacoco => Meant::Packages,
            Format::GoCoverprofile => Meant::GoPackages,
            Format::CoveragePyJson | Format::Cobertura | Format::Lcov => Meant::Files,
        },
        contexts: format == Format::CoveragePyJson,
    };
    Reading::Read(draft.finish(manner, tree, &file.path))
}

/// Why a report of a known format is not read.
#[derive(Debug)]
struct Unreadable(String);

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Unreadable(format!("not readable: {error}"))
    }
}

impl From<XmlError> for Unreadable {
    fn from(error: XmlError) -> Self {
        Unreadable(error.to_string())
    }
}

impl From<TooMany> for Unreadable {
    fn from(_: TooMany) -> Self {
        Unreadable("more files than a report has".to_owned())
    }
}
