//! The readers of foreign files, as those see them who keep payloads and who read them again.

use std::collections::BTreeMap;

use super::{coverage, envelope, report};
use crate::record::{self, CoverageMap, Opened, Reading, RunFacts, Session, TestMap, TreeFacts};

/// All readers of this version.
#[derive(Debug, Clone, Copy, Default)]
pub struct Readers;

/// Stands in every record beside what was read; grows with any change of what readers read.
const VERSION: u32 = 1;

impl Readers {
    /// What test reports say of tests that did not pass, by id.
    pub fn messages(&self, files: &mut [Opened<'_>]) -> BTreeMap<String, String> {
        report::messages(files)
    }
}

impl record::Readers for Readers {
    fn session(&self, files: &mut [Opened<'_>]) -> Reading<Session> {
        envelope::read(files)
    }

    fn tests(&self, files: &mut [Opened<'_>], run: &RunFacts) -> TestMap {
        let mut map = report::read(files, run);
        // A run that left no report is one of those that its console tells of.
        if map.format.is_none() && run.console.as_deref().is_some_and(ran_surefire) {
            map.format = Some("surefire-xml".to_owned());
        }
        map
    }

    fn coverage(&self, file: &mut Opened<'_>, tree: Option<&TreeFacts>) -> Reading<CoverageMap> {
        coverage::read(file, tree)
    }

    fn version(&self) -> u32 {
        VERSION
    }
}

/// Whether Maven says in `console` that it ran Surefire or Failsafe.
fn ran_surefire(console: &str) -> bool {
    let plugins = [
        "surefire:",
        "maven-surefire-plugin:",
        "maven-failsafe-plugin:",
    ];
    let mut lines = console.lines().filter(|l| l.contains("--- "));
    lines.any(|l| plugins.iter().any(|p| l.contains(p)))
}
