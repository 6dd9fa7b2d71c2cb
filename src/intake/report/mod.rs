//! Reports of test runs, each read into one map of outcomes.
//!
//! Each file is read into a draft of its own; what is left out (no report, stale, told twice) is
//! said with the file; the others are joined, and the run as a whole is judged.

mod console;
mod draft;
mod go_test;
mod identify;
mod ids;
mod junit;
mod loose;
mod pytest_json;
mod slopcodebench;
mod stale;
mod text;
mod twice;
mod validity;

use std::collections::BTreeMap;
use std::io::{self, SeekFrom};

pub use self::identify::{ReportKind, of as identify};
pub use self::validity::{MissingClass, missing_classes};

use self::draft::Draft;
use self::identify::Look;
use self::pytest_json::Unread;
use self::validity::Seen;
use super::xml::XmlError;
use crate::record::{Opened, ReportFile, RunFacts, TestMap};

/// A report that was read.
struct Report {
    /// Its place among the files.
    at: usize,
    kind: ReportKind,
    draft: Draft,
    /// Why it was not read to its end.
    cut: Option<String>,
}

/// Reads the reports of one gate run, whatever their formats: every test's outcome, and whether
/// the run is a verdict. What is not read is said with its file and in the reasons: there is no
/// error. The order of files changes nothing.
///
/// `run.previous` is best limited to the tests that were selected for this run: a class of
/// which nothing is told although tests of it are in there, and its file in `run.tree`, is
/// missing. Without `run.started` no report is stale.
pub fn read(files: &mut [Opened<'_>], run: &RunFacts) -> TestMap {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut told: Vec<ReportFile> = Vec::new();
    let mut reports: Vec<Report> = Vec::new();
    let mut all = Draft::default();
    let mut seen = Seen::default();
    let again = twice::same_bytes(files);
    // Of files with the same bytes the one that counts, by the first of them.
    let mut kept: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, file) in files.iter_mut().enumerate() {
        let mut entry = ReportFile {
            path: file.path.clone(),
            size: file.bytes.seek(SeekFrom::End(0)).unwrap_or(0),
            modified: file.modified,
            format: None,
            left_out: None,
        };
        match read_one(at, file) {
            Ok(Ok(report)) => {
                entry.format = report.draft.format.map(str::to_owned);
                if let Some(why) = stale::why(file.modified, &report.draft, run) {
                    seen.stale += 1;
                    all.warn("stale-report-ignored");
                    entry.left_out = Some(why);
                } else if let Some(first) = kept.get(again.get(&at).unwrap_or(&at)) {
                    all.warn("duplicate-report-ignored");
                    entry.left_out = Some(format!("the same as {}", told[*first].path));
                } else {
                    kept.insert(*again.get(&at).unwrap_or(&at), at);
                    reports.push(report);
                }
            }
            Ok(Err(what)) => {
                all.warn("not-a-test-report");
                entry.left_out = Some(what.to_owned());
            }
            Err(e) => {
                seen.used += 1;
                all.reason("unreadable-report");
                entry.left_out = Some(format!("not readable: {e}"));
            }
        }
        told.push(entry);
    }
    for (at, first) in twice::same_run(&reports) {
        all.warn("duplicate-report-ignored");
        told[at].left_out = Some(format!("tells of the same run as {}", told[first].path));
        twice::tell(&mut reports, at, first);
        reports.retain(|r| r.at != at);
    }
    for report in reports {
        seen.used += 1;
        match report.cut {
            None => seen.whole += 1,
            Some(why) => told[report.at].left_out = Some(format!("read in part: {why}")),
        }
        all.join(report.draft);
    }
    let validity = validity::judge(&mut all, &seen, run);
    all.into_map(validity, told)
}

/// What reports say of tests that did not pass, by id: the message, or what the test printed; cut.
pub fn messages(files: &mut [Opened<'_>]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (at, file) in files.iter_mut().enumerate() {
        let Ok(Ok(report)) = read_one(at, file) else {
            continue;
        };
        all.extend(report.draft.messages);
        if report.kind == ReportKind::GoTest {
            let module = ids::module(&file.path);
            // What cannot be read again was read in part: there is a message less.
            let _ = go_test::outputs(&mut *file.bytes, module.as_deref(), &mut all);
        }
    }
    all
}

/// Reads one file; `Err` inside says what it is instead of a report.
fn read_one(at: usize, file: &mut Opened<'_>) -> io::Result<Result<Report, &'static str>> {
    let mut draft = Draft::default();
    let (kind, cut) = match identify::look(&mut *file.bytes)? {
        Look::Other(what) | Look::Report(ReportKind::Ignored(what)) => return Ok(Err(what)),
        Look::Empty => {
            draft.reason("truncated-report");
            (ReportKind::Junit, Some("it is empty".to_owned()))
        }
        Look::Report(kind @ ReportKind::Junit) => {
            match junit::read(&mut *file.bytes, &file.path, &mut draft) {
                Ok(()) => (kind, None),
                Err(XmlError::Io(e)) => return Err(e),
                Err(e) => {
                    draft.reason(match e {
                        XmlError::DtdRefused => "dtd-refused",
                        _ => "truncated-report",
                    });
                    (kind, Some(e.to_string()))
                }
            }
        }
        Look::Report(kind @ ReportKind::GoTest) => {
            let module = ids::module(&file.path);
            go_test::read(&mut *file.bytes, module.as_deref(), &mut draft)?;
            let cut = draft.reasons.contains("truncated-report");
            (kind, cut.then(|| "cut off".to_owned()))
        }
        Look::Report(kind @ (ReportKind::PytestJson | ReportKind::SlopCodeBench)) => {
            let bytes = &mut *file.bytes;
            let read = match kind {
                ReportKind::SlopCodeBench => slopcodebench::read(bytes, &mut draft),
                _ => {
                    let module = ids::module(&file.path);
                    pytest_json::read(bytes, module.as_deref(), &mut draft)
                }
            };
            match read {
                Ok(()) => (kind, None),
                Err(Unread::Io(e)) => return Err(e),
                Err(Unread::Broken(why)) => {
                    draft.reason("truncated-report");
                    (kind, Some(why))
                }
            }
        }
    };
    Ok(Ok(Report {
        at,
        kind,
        draft,
        cut,
    }))
}
