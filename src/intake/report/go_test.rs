//! `go test -json`: events by package and test, with plain lines among them.
//!
//! The verdict of a package comes from the go command and cannot be faked by what a test prints,
//! so it decides where events of tests are missing or contradict it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::Deserialize;
use serde::de::IgnoredAny;

mod package;

use self::package::{Package, Verdict};
use super::draft::{self, Draft};
use super::loose::Number;
use super::text::Lines;
use crate::record::{Source, TestOutcome};

/// The format's name.
pub(super) const FORMAT: &str = "go-test-json";
/// Messages of builds that are kept, at most.
const BUILDS_MAX: usize = 4096;

/// One event; fields it may have or not.
#[derive(Deserialize)]
#[serde(bound(deserialize = "E: Deserialize<'de>"))]
struct Event<'e, E> {
    #[serde(rename = "Action", borrow)]
    action: Cow<'e, str>,
    #[serde(rename = "Package", borrow, default)]
    package: Option<Cow<'e, str>>,
    #[serde(rename = "ImportPath", borrow, default)]
    import_path: Option<Cow<'e, str>>,
    #[serde(rename = "Test", borrow, default)]
    test: Option<Cow<'e, str>>,
    #[serde(rename = "Output", borrow, default)]
    output: Option<Cow<'e, str>>,
    #[serde(rename = "FailedBuild", borrow, default)]
    failed_build: Option<Cow<'e, str>>,
    #[serde(rename = "Time", borrow, default)]
    time: Option<Cow<'e, str>>,
    #[serde(rename = "Elapsed", default)]
    elapsed: Option<E>,
}

/// What a line is: an event, or `None`.
fn event(line: &str) -> Option<Event<'_, Number>> {
    if !line.starts_with('{') {
        return None;
    }
    serde_json::from_str(line).ok().or_else(|| {
        // A number out of range spoils the line for the parser; it is worth no more than no
        // number.
        let event: Event<'_, IgnoredAny> = serde_json::from_str(line).ok()?;
        Some(Event {
            action: event.action,
            package: event.package,
            import_path: event.import_path,
            test: event.test,
            output: event.output,
            failed_build: event.failed_build,
            time: event.time,
            elapsed: None,
        })
    })
}

/// Whether a line is an event of `go test -json`.
pub(super) fn is_event(line: &str) -> bool {
    event(line).is_some_and(|e| e.package.is_some() || e.import_path.is_some())
}

/// The package of a line `FAIL pkg [build failed]` (or `[setup failed]`), which go before 1.24
/// writes plainly.
pub(super) fn failed_build(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("FAIL")?;
    let rest = rest.strip_prefix(['\t', ' '])?.trim();
    let package = rest.strip_suffix("[build failed]");
    let package = package
        .or_else(|| rest.strip_suffix("[setup failed]"))?
        .trim();
    (!package.is_empty() && !package.contains(char::is_whitespace)).then_some(package)
}

/// The package that is built: without ` [for.test]`.
fn bare(import_path: &str) -> &str {
    import_path.split(' ').next().unwrap_or(import_path)
}

#[derive(Default)]
struct Stream {
    packages: BTreeMap<String, Package>,
    /// What building said, by import path.
    builds: BTreeMap<String, String>,
    /// Import paths that did not build.
    failed: BTreeSet<String>,
    /// The package that plain lines of a compiler speak of.
    speaks_of: Option<String>,
    last_time: Option<String>,
    plain_lines: bool,
}

/// Reads a stream into `draft`; `module` is the folder it was written in, where that tells one.
///
/// # Errors
/// Those of reading.
pub(super) fn read(
    source: &mut dyn Source,
    module: Option<&str>,
    draft: &mut Draft,
) -> io::Result<()> {
    draft.format = Some(FORMAT);
    let mut stream = Stream::default();
    let mut lines = Lines::of(source)?;
    let mut pretty = String::new();
    let mut torn = false;
    while let Some((bytes, ended)) = lines.next()? {
        let line = String::from_utf8_lossy(bytes);
        // An event that a tool has spread over lines: `{` and `}` stand alone.
        if line == "{" {
            stream.plain_lines |= !pretty.is_empty();
            pretty.clear();
            pretty.push('{');
            torn = true;
            continue;
        }
        if !pretty.is_empty() {
            pretty.push_str(&line);
            if line != "}" && line.len() + pretty.len() < 1 << 20 {
                continue;
            }
            match event(&pretty) {
                Some(event) => stream.take(event, draft),
                None => stream.plain_lines = true,
            }
            pretty.clear();
            torn = false;
            continue;
        }
        torn = false;
        match event(&line) {
            Some(event) => stream.take(event, draft),
            None if line.is_empty() => {}
            None => {
                torn = line.starts_with('{') && !ended;
                stream.plain(&line);
            }
        }
    }
    if torn {
        draft.reason("truncated-report");
    }
    stream.finish(draft);
    if let Some(module) = module {
        for (_, mut test) in std::mem::take(&mut draft.tests) {
            test.module = Some(module.to_owned());
            draft.tests.insert(draft::id(&test), test);
        }
    }
    Ok(())
}

/// Adds what tests printed, by id; the marks of the tool itself are left out.
///
/// # Errors
/// Those of reading.
pub(super) fn outputs(
    source: &mut dyn Source,
    module: Option<&str>,
    into: &mut BTreeMap<String, String>,
) -> io::Result<()> {
    source.seek(io::SeekFrom::Start(0))?;
    let mut lines = Lines::of(source)?;
    while let Some((bytes, _)) = lines.next()? {
        let line = String::from_utf8_lossy(bytes);
        let Some(event) = event(&line).filter(|e| e.action == "output") else {
            continue;
        };
        let (Some(package), Some(test), Some(output)) = (event.package, event.test, event.output)
        else {
            continue;
        };
        let bare = output.trim_start();
        if ["=== ", "--- "].iter().any(|mark| bare.starts_with(mark)) {
            continue;
        }
        let mut of = draft::test(&package, &test, TestOutcome::Failed);
        of.module = module.map(str::to_owned);
        package::keep(into.entry(draft::id(&of)).or_default(), &output);
    }
    Ok(())
}

impl Stream {
    fn take(&mut self, event: Event<'_, Number>, draft: &mut Draft) {
        if let Some(time) = event.time {
            self.last_time = Some(time.into_owned());
        }
        let Some(name) = event.package.filter(|p| !p.is_empty()) else {
            self.build(&event.action, event.import_path, event.output.as_deref());
            return;
        };
        let package = match self.packages.get_mut(name.as_ref()) {
            Some(package) => package,
            None => self.packages.entry(name.clone().into_owned()).or_default(),
        };
        let elapsed = event.elapsed.and_then(|n| n.0).filter(|n| *n >= 0.0);
        match (event.action.as_ref(), event.test.filter(|t| !t.is_empty())) {
            ("output", test) => package.output(
                test.is_some(),
                event.output.as_deref().unwrap_or_default(),
                &name,
            ),
            ("run", Some(test)) => package.run(&test),
            ("pass", Some(test)) => package.ended(&test, TestOutcome::Passed, elapsed),
            ("fail", Some(test)) => package.ended(&test, TestOutcome::Failed, elapsed),
            ("skip", Some(test)) => package.ended(&test, TestOutcome::Skipped, elapsed),
            ("start", None) => package.start(),
            ("bench", _) => package.benchmarks = true,
            (action @ ("pass" | "fail" | "skip"), None) => {
                if let Some(build) = event.failed_build {
                    package.fails_to_build(self.builds.get(build.as_ref()).cloned());
                    self.failed.remove(build.as_ref());
                }
                let verdict = match action {
                    "fail" => Verdict::Fail,
                    _ => Verdict::Pass,
                };
                package.judged(&name, verdict, draft);
            }
            _ => {}
        }
    }

    fn build(&mut self, action: &str, path: Option<Cow<'_, str>>, output: Option<&str>) {
        let Some(path) = path else { return };
        match action {
            "build-output" => self.build_says(&path, output.unwrap_or_default()),
            "build-fail" => {
                self.failed.insert(path.into_owned());
            }
            _ => {}
        }
    }

    fn build_says(&mut self, path: &str, text: &str) {
        if self.builds.len() < BUILDS_MAX || self.builds.contains_key(path) {
            package::keep(self.builds.entry(path.to_owned()).or_default(), text);
        }
    }

    fn plain(&mut self, line: &str) {
        self.plain_lines = true;
        if let Some(name) = failed_build(line) {
            let said = self.builds.iter();
            let said = said.filter(|(path, _)| bare(path) == name);
            let said = said.map(|(_, text)| text.clone()).next();
            let package = self.packages.entry(name.to_owned()).or_default();
            package.fails_to_build(said);
            package.built_not = true;
            self.speaks_of = None;
        } else if let Some(path) = line.strip_prefix("# ") {
            self.speaks_of = Some(bare(path.trim()).to_owned());
        } else if let Some(path) = self.speaks_of.clone() {
            self.build_says(&path, &format!("{line}\n"));
        }
    }

    fn finish(mut self, draft: &mut Draft) {
        if self.plain_lines {
            draft.warn("non-json-lines");
        }
        if let Some(time) = &self.last_time {
            draft.time_of_suite(time);
        }
        let mut benchmarks = false;
        for (name, package) in &mut self.packages {
            package.finish(name, draft);
            benchmarks |= package.benchmarks;
        }
        // A build that no package tells of: the stream ends before it, or nothing was to be run.
        let known = draft.problems.iter().map(|p| p.place.clone());
        let mut known: BTreeSet<String> = known.collect();
        for path in &self.failed {
            let place = bare(path);
            if known.insert(place.to_owned()) {
                let said = self.builds.get(path).map(String::as_str);
                draft.problem("build", place, TestOutcome::Error, said);
                draft.reason("build-failed");
            }
        }
        let problems = draft.problems.len() as u64;
        draft.testcases += draft.tests.len() as u64 + problems;
        if benchmarks && draft.testcases == 0 {
            draft.testcases = 1;
            draft.warn("benchmarks-only");
        }
        draft.mark_containers();
    }
}

#[cfg(test)]
mod tests;
