//! The readers of foreign files, as those see them who keep payloads and who read them again.

use super::{coverage, envelope, report};
use crate::record::{self, CoverageMap, Opened, Reading, RunFacts, Session, TestMap, TreeFacts};

/// All readers of this version.
#[derive(Debug, Clone, Copy, Default)]
pub struct Readers;

/// Stands in every record beside what was read; grows with any change of what readers read.
const VERSION: u32 = 1;

impl record::Readers for Readers {
    fn session(&self, files: &mut [Opened<'_>]) -> Reading<Session> {
        envelope::read(files)
    }

    fn tests(&self, files: &mut [Opened<'_>], run: &RunFacts) -> TestMap {
        report::read(files, run)
    }

    fn coverage(&self, file: &mut Opened<'_>, tree: Option<&TreeFacts>) -> Reading<CoverageMap> {
        coverage::read(file, tree)
    }

    fn version(&self) -> u32 {
        VERSION
    }
}
