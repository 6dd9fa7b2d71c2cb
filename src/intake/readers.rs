//! The readers of foreign files, as those see them who read payloads again.

use std::collections::{BTreeMap, BTreeSet};

use super::envelope;
use crate::record::{
    self, CoverageMap, Opened, Reading, RunFacts, Session, TestMap, TreeFacts, Validity,
};

/// All readers of this version.
#[derive(Debug, Clone, Copy, Default)]
pub struct Readers;

/// Stands in every record beside what was read; grows with any change of what readers read.
const VERSION: u32 = 1;

impl record::Readers for Readers {
    fn session(&self, files: &mut [Opened<'_>]) -> Reading<Session> {
        envelope::read(files)
    }

    fn tests(&self, _files: &mut [Opened<'_>], _run: &RunFacts) -> TestMap {
        TestMap {
            format: None,
            tests: BTreeMap::new(),
            problems: Vec::new(),
            validity: Validity::Invalid,
            reasons: BTreeSet::from(["no-reports".to_owned()]),
            warnings: BTreeSet::new(),
            files: Vec::new(),
        }
    }

    fn coverage(&self, _file: &mut Opened<'_>, _tree: Option<&TreeFacts>) -> Reading<CoverageMap> {
        Reading::Unrecognised
    }

    fn version(&self) -> u32 {
        VERSION
    }
}
