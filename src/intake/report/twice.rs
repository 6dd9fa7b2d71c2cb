//! What is told twice: one report under two paths, and one run in two formats.

use std::collections::BTreeMap;
use std::io::{self, SeekFrom};

use sha2::{Digest, Sha256};

use super::{Report, ReportKind, ids};
use crate::record::{Opened, Source};

/// Files with the bytes of an earlier one of the same module: their place, and that one's.
pub(super) fn same_bytes(files: &mut [Opened<'_>]) -> BTreeMap<usize, usize> {
    let mut sizes: BTreeMap<(u64, Option<String>), Vec<usize>> = BTreeMap::new();
    for (at, file) in files.iter_mut().enumerate() {
        if let Ok(size) = file.bytes.seek(SeekFrom::End(0))
            && size > 0
        {
            let key = (size, ids::module(&file.path));
            sizes.entry(key).or_default().push(at);
        }
    }
    let mut again = BTreeMap::new();
    for places in sizes.values().filter(|places| places.len() > 1) {
        let mut first: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for at in places {
            let Ok(digest) = digest(&mut *files[*at].bytes) else {
                continue;
            };
            let earlier = *first.entry(digest).or_insert(*at);
            if earlier != *at {
                again.insert(*at, earlier);
            }
        }
    }
    again
}

fn digest(source: &mut dyn Source) -> io::Result<Vec<u8>> {
    source.seek(SeekFrom::Start(0))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(hash.finalize().to_vec()),
            Ok(n) => hash.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// How a report tells of a run that can be told in another format, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Go,
    Pytest,
}

impl Report {
    fn family(&self) -> Option<Family> {
        match (self.kind, self.draft.format) {
            (ReportKind::GoTest, _) | (_, Some("gotestsum-junit")) => Some(Family::Go),
            (ReportKind::PytestJson, _) | (_, Some("pytest-junit")) => Some(Family::Pytest),
            _ => None,
        }
    }

    /// What tells more comes first: a whole report, then the events of Go, which have verdicts of
    /// packages, and the XML of pytest, which has each run of a test and its subtests.
    fn rank(&self) -> (bool, bool) {
        let richer = match self.family() {
            Some(Family::Go) => self.kind == ReportKind::GoTest,
            _ => self.kind == ReportKind::Junit,
        };
        (self.cut.is_some(), !richer)
    }

    /// Whether `other` tells of the run that this one tells of, so that nothing is lost without
    /// it.
    fn covers(&self, other: &Report) -> bool {
        if self.family().is_none() || self.family() != other.family() || self.kind == other.kind {
            return false;
        }
        let mine = &self.draft;
        let theirs = &other.draft;
        if theirs.tests.is_empty() {
            let places = |r: &Report| -> Vec<String> {
                r.draft.problems.iter().map(|p| p.place.clone()).collect()
            };
            return mine.tests.is_empty() && places(self) == places(other);
        }
        let both = theirs
            .tests
            .keys()
            .filter(|id| mine.tests.contains_key(*id));
        both.count() * 4 >= theirs.tests.len() * 3
    }
}

/// Reports of a run that another report of it tells better: their places, and that one's.
pub(super) fn same_run(reports: &[Report]) -> Vec<(usize, usize)> {
    let mut order: Vec<&Report> = reports.iter().collect();
    order.sort_by_key(|r| (r.rank(), r.at));
    let mut kept: Vec<&Report> = Vec::new();
    let mut again = Vec::new();
    for report in order {
        match kept.iter().find(|better| better.covers(report)) {
            Some(better) => again.push((report.at, better.at)),
            None => kept.push(report),
        }
    }
    again
}

/// Has the report at `to` say of which tests the one at `from` knows that they failed before they
/// passed: not every format tells it.
pub(super) fn tell(reports: &mut [Report], from: usize, to: usize) {
    let teller = reports.iter().find(|r| r.at == from);
    let tests = teller.map(|r| &r.draft.tests).into_iter().flatten();
    let flaky: Vec<String> = tests
        .filter(|(_, test)| test.flaky)
        .map(|(id, _)| id.clone())
        .collect();
    let Some(report) = reports.iter_mut().find(|r| r.at == to) else {
        return;
    };
    for id in flaky {
        if let Some(test) = report.draft.tests.get_mut(&id) {
            test.flaky = true;
        }
    }
}
