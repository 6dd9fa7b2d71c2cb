//! Which report a file is, by its content alone.

use std::collections::BTreeSet;
use std::io;

use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::loose::Text;
use super::text::{Lines, plain};
use super::{go_test, junit, pytest_json, slopcodebench};
use crate::intake::tame::Tame;
use crate::intake::xml::{self, XmlError};
use crate::record::{Opened, Source};

/// Lines before the first event of a stream: what building says.
const PREAMBLE: usize = 100_000;
/// Lines that begin like an object and are no event.
const OBJECTS: usize = 100;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReportKind {
    /// JUnit XML, whoever wrote it.
    Junit,
    /// `go test -json`.
    GoTest,
    /// pytest-json-report.
    PytestJson,
    /// SlopCodeBench's evaluation of a checkpoint.
    SlopCodeBench,
    /// It lies beside test reports and is none; says what it is.
    Ignored(&'static str),
}

/// What a look at a file shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// One of the formats.
    Report(ReportKind),
    /// No bytes, or nothing but white space: what is left of a report that was never written.
    Empty,
    /// Something else; says what.
    Other(&'static str),
}

/// What a file is; `None`: nothing that has to do with tests, or not readable.
pub fn of(file: &mut Opened<'_>) -> Option<ReportKind> {
    match look(&mut *file.bytes) {
        Ok(Look::Report(kind)) => Some(kind),
        _ => None,
    }
}

/// Looks at a file.
///
/// # Errors
/// Those of reading.
pub(super) fn look(source: &mut dyn Source) -> io::Result<Look> {
    match first(source)? {
        None => Ok(Look::Empty),
        Some(b'<') => Ok(markup(source)),
        Some(byte) => {
            if byte == b'{' {
                let fields = fields(source)?;
                if pytest_json::is_report(&fields) {
                    return Ok(Look::Report(ReportKind::PytestJson));
                }
                if slopcodebench::is_evaluation(&fields) {
                    return Ok(Look::Report(ReportKind::SlopCodeBench));
                }
            }
            text(source)
        }
    }
}

/// The first byte that is neither white space nor of an encoding's making.
fn first(source: &mut dyn Source) -> io::Result<Option<u8>> {
    let mut text = plain(source)?;
    loop {
        let bytes = io::BufRead::fill_buf(&mut text)?;
        let length = bytes.len();
        let blank = |b: &&u8| b.is_ascii_whitespace() || **b == 0;
        match bytes.iter().find(|b| !blank(b)) {
            Some(byte) => return Ok(Some(*byte)),
            None if length == 0 => return Ok(None),
            None => io::BufRead::consume(&mut text, length),
        }
    }
}

fn markup(source: &mut dyn Source) -> Look {
    let root = match xml::root(source) {
        Ok(root) => root,
        // Cut off before its root, or not to be read: an honest reader says that of a report.
        Err(XmlError::CutOff | XmlError::DtdRefused) => return Look::Report(ReportKind::Junit),
        Err(_) => return Look::Other("not-a-test-report"),
    };
    if junit::is_root(&root) {
        return Look::Report(ReportKind::Junit);
    }
    let ignored = |what| Look::Report(ReportKind::Ignored(what));
    match root.name() {
        "failsafe-summary" => ignored("failsafe-summary"),
        "testng-results" => ignored("testng-results"),
        "checkstyle" => ignored("checkstyle"),
        "report" => Look::Other("jacoco"),
        "coverage" => Look::Other("coverage"),
        _ => Look::Other("not-a-test-report"),
    }
}

fn text(source: &mut dyn Source) -> io::Result<Look> {
    let mut lines = Lines::of(source)?;
    let mut pretty = String::new();
    let mut objects = 0;
    let mut count = 0;
    while let Some((bytes, _)) = lines.next()? {
        let line = String::from_utf8_lossy(bytes);
        count += 1;
        if go_test::failed_build(&line).is_some() || go_test::is_event(&line) {
            return Ok(Look::Report(ReportKind::GoTest));
        }
        if line.starts_with("Test set: ") && count < 5 {
            let what = "surefire-text";
            return Ok(Look::Report(ReportKind::Ignored(what)));
        }
        if line == "{" {
            pretty.clear();
        }
        if line == "{" || !pretty.is_empty() {
            pretty.push_str(&line);
            if line == "}" && go_test::is_event(&pretty) {
                return Ok(Look::Report(ReportKind::GoTest));
            }
            if line == "}" || pretty.len() > 1 << 20 {
                pretty.clear();
            }
        }
        objects += usize::from(line.starts_with('{'));
        if count > PREAMBLE || objects > OBJECTS {
            break;
        }
    }
    Ok(Look::Other("not-a-test-report"))
}

/// The names of the fields of the object at the beginning, as far as it can be read.
fn fields(source: &mut dyn Source) -> io::Result<BTreeSet<String>> {
    struct Names<'n>(&'n mut BTreeSet<String>);
    impl<'de> Visitor<'de> for Names<'_> {
        type Value = ();
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(Text(Some(name))) = map.next_key::<Text<64>>()? {
                self.0.insert(name);
                let told = pytest_json::is_report(self.0) || slopcodebench::is_evaluation(self.0);
                if told || self.0.len() > 256 {
                    return Err(A::Error::custom("enough"));
                }
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }
    let mut names = BTreeSet::new();
    let text = Tame::new(plain(source)?);
    let mut json = serde_json::Deserializer::from_reader(io::BufReader::new(text));
    // What is no JSON has the fields that came before.
    let _ = json.deserialize_map(Names(&mut names));
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn seen(text: &str) -> Look {
        look(&mut Cursor::new(text.as_bytes())).expect("bytes are readable")
    }

    #[test]
    fn a_file_is_what_its_content_says() {
        let report = Look::Report;
        for (text, expected) in [
            ("", Look::Empty),
            (" \r\n\t", Look::Empty),
            ("\u{feff}", Look::Empty),
            ("<testsuite/>", report(ReportKind::Junit)),
            ("<?xml version=\"1.0\"?>", report(ReportKind::Junit)),
            (
                "<failsafe-summary/>",
                report(ReportKind::Ignored("failsafe-summary")),
            ),
            ("<report name=\"x\"/>", Look::Other("jacoco")),
            ("<notes/>", Look::Other("not-a-test-report")),
            (
                "-----\nTest set: org.example.ATest\n-----\n",
                report(ReportKind::Ignored("surefire-text")),
            ),
            (
                "FAIL\texample.com/a [build failed]\n",
                report(ReportKind::GoTest),
            ),
            (
                "go: downloading x\n{\"Package\":\"a\",\"Action\":\"start\"}",
                report(ReportKind::GoTest),
            ),
            (
                "{\n  \"Action\": \"start\",\n  \"Package\": \"a\"\n}\n",
                report(ReportKind::GoTest),
            ),
            (
                "{\"ImportPath\":\"a\",\"Action\":\"build-fail\"}\n",
                report(ReportKind::GoTest),
            ),
            ("{\"Action\":\"start\"}", Look::Other("not-a-test-report")),
            (
                "{\"meta\":{},\"files\":{}}",
                Look::Other("not-a-test-report"),
            ),
            (
                "{\"summary\":{},\"exitcode\":1}",
                report(ReportKind::PytestJson),
            ),
            (
                "{\"exitcode\":1,\"x\":NaN,\"tests\":[{\"nodeid\"",
                report(ReportKind::PytestJson),
            ),
            ("hello", Look::Other("not-a-test-report")),
            ("[1, 2]", Look::Other("not-a-test-report")),
        ] {
            assert_eq!(seen(text), expected, "{text}");
        }
    }
}
