//! What the plugin pytest-json-report writes: `{"created": …, "exitcode": …, "summary": …,
//! "collectors": [], "tests": []}`, tests with an outcome for each stage.
//!
//! Ids are those that pytest's JUnit report has for the same tests. A test that is run again
//! stands once, with the stages of its last run.

use std::collections::BTreeSet;
use std::io;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny};
use serde::de::{MapAccess, SeqAccess, Visitor};

use super::draft::{Draft, MESSAGE_MAX, test};
use super::loose::{Number, Text, no_number, nothing_else, object};
use super::text::plain;
use crate::intake::tame::Tame;
use crate::record::{Source, TestOutcome, mangle};

/// The format's name.
pub(super) const FORMAT: &str = "pytest-json";

/// A longer node id is cut.
const NODE_ID_MAX: usize = 16 << 10;

/// Why a report is not read to its end.
#[derive(Debug)]
pub(super) enum Unread {
    /// It cannot be read.
    Io(io::Error),
    /// It stops in the middle, or is no JSON; says where.
    Broken(String),
}

/// What the report says of itself.
#[derive(Debug, Default)]
struct Told {
    created: Option<f64>,
    exit_code: Option<f64>,
    summary: Summary,
    /// Its tests stand in it.
    has_tests: bool,
    tests: u64,
    unfinished: bool,
    collection: bool,
}

#[derive(Debug, Default)]
struct Summary {
    total: Option<f64>,
    collected: Option<f64>,
    deselected: Option<f64>,
}

/// Reads a report into `draft`; what came before an error is in it.
///
/// # Errors
/// Why it is not read to its end.
pub(super) fn read(
    source: &mut dyn Source,
    module: Option<&str>,
    draft: &mut Draft,
) -> Result<(), Unread> {
    draft.format = Some(FORMAT);
    let text = Tame::new(plain(source).map_err(Unread::Io)?);
    let mut json = serde_json::Deserializer::from_reader(io::BufReader::new(text));
    let mut told = Told::default();
    let report = Report {
        module,
        told: &mut told,
        draft: &mut *draft,
    };
    let read = report.deserialize(&mut json).and_then(|()| json.end());
    judged(&told, draft, read.is_ok());
    match read {
        Ok(()) => Ok(()),
        Err(e) if e.is_io() && e.io_error_kind() != Some(io::ErrorKind::InvalidData) => {
            Err(Unread::Io(e.into()))
        }
        Err(e) => Err(Unread::Broken(e.to_string())),
    }
}

/// What the whole report shows.
fn judged(told: &Told, draft: &mut Draft, whole: bool) {
    if let Some(created) = told.created {
        let millis = jiff::SignedDuration::try_from_secs_f64(created).ok();
        let at = millis.and_then(|d| jiff::Timestamp::from_duration(d).ok());
        if let Some(at) = at {
            draft.time_of_suite(&at.to_string());
        }
    }
    if !whole {
        return;
    }
    let code = told.exit_code.unwrap_or(0.0);
    let stopped = code == 2.0 && !told.collection;
    let aborted = told.unfinished || stopped || code == 3.0 || code == 4.0;
    if aborted {
        draft.reason("aborted-run");
    }
    if !told.has_tests && told.summary.total.is_some_and(|n| n > 0.0) {
        draft.warn("summary-only");
        return;
    }
    let differs = |told: Option<f64>, is: u64| told.is_some_and(|n| n != count(is));
    if differs(told.summary.total, told.tests) {
        draft.warn("header-counts-differ");
    }
    let selected = told.summary.collected.map(|n| {
        let deselected = told.summary.deselected.unwrap_or(0.0);
        n - deselected
    });
    if !aborted && !told.collection && selected.is_some_and(|n| n > count(told.tests)) {
        draft.warn("stopped-early");
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of tests")]
fn count(n: u64) -> f64 {
    n as f64
}

struct Report<'r> {
    module: Option<&'r str>,
    told: &'r mut Told,
    draft: &'r mut Draft,
}

impl<'de> DeserializeSeed<'de> for Report<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Report<'_> {
    type Value = ();
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a report")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text<64>>()? {
            match key.as_str() {
                "created" => self.told.created = map.next_value::<Number>()?.0,
                "exitcode" => self.told.exit_code = map.next_value::<Number>()?.0,
                "summary" => self.told.summary = map.next_value()?,
                "tests" => {
                    self.told.has_tests = true;
                    let each = |item: Item| item.told(self.module, self.told, self.draft);
                    map.next_value_seed(Each::to(each))?;
                }
                "collectors" => {
                    let each = |collector: Collector| collector.told(self.told, self.draft);
                    map.next_value_seed(Each::to(each))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Gives each element of a list to a function; what is no list has none.
struct Each<T, F>(F, std::marker::PhantomData<T>);

impl<T, F: FnMut(T)> Each<T, F> {
    fn to(each: F) -> Self {
        Each(each, std::marker::PhantomData)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T)> DeserializeSeed<'de> for Each<T, F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T)> Visitor<'de> for Each<T, F> {
    type Value = ();
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        while let Some(element) = seq.next_element()? {
            (self.0)(element);
        }
        Ok(())
    }
    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
    no_number!(());
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list")
    }
}

object!(Summary, |into, key, map| match key {
    "total" => into.total = map.next_value::<Number>()?.0,
    "collected" => into.collected = map.next_value::<Number>()?.0,
    "deselected" => into.deselected = map.next_value::<Number>()?.0,
    _ => {
        map.next_value::<IgnoredAny>()?;
    }
});

/// One of the three stages of a test.
#[derive(Default)]
struct Stage {
    outcome: Text<64>,
    duration: Option<f64>,
    message: Text<MESSAGE_MAX>,
}

object!(Stage, |into, key, map| match key {
    "outcome" => into.outcome = map.next_value()?,
    "duration" => into.duration = map.next_value::<Number>()?.0,
    "longrepr" => into.message = map.next_value()?,
    _ => {
        map.next_value::<IgnoredAny>()?;
    }
});

/// A test.
#[derive(Default)]
struct Item {
    node_id: Text<NODE_ID_MAX>,
    outcome: Text<64>,
    setup: Option<Stage>,
    call: Option<Stage>,
    teardown: Option<Stage>,
    /// What xdist puts in the place of a stage that its worker did not survive.
    crash: Option<Stage>,
}

object!(Item, |into, key, map| match key {
    "nodeid" => into.node_id = map.next_value()?,
    "outcome" => into.outcome = map.next_value()?,
    "setup" => into.setup = Some(map.next_value()?),
    "call" => into.call = Some(map.next_value()?),
    "teardown" => into.teardown = Some(map.next_value()?),
    "???" => into.crash = Some(map.next_value()?),
    _ => {
        map.next_value::<IgnoredAny>()?;
    }
});

/// A file, class or folder that tests were collected from.
#[derive(Default)]
struct Collector {
    node_id: Text<NODE_ID_MAX>,
    outcome: Text<64>,
    message: Text<MESSAGE_MAX>,
}

object!(Collector, |into, key, map| match key {
    "nodeid" => into.node_id = map.next_value()?,
    "outcome" => into.outcome = map.next_value()?,
    "longrepr" => into.message = map.next_value()?,
    _ => {
        map.next_value::<IgnoredAny>()?;
    }
});

impl Collector {
    fn told(self, told: &mut Told, draft: &mut Draft) {
        let outcome = match self.outcome.as_str() {
            "failed" | "error" => TestOutcome::Error,
            "skipped" => TestOutcome::Skipped,
            _ => return,
        };
        let (class, name) = mangle(self.node_id.as_str());
        let place = if class.is_empty() {
            name
        } else {
            format!("{class}.{name}")
        };
        draft.testcases += 1;
        draft.problem("collection", &place, outcome, Some(self.message.as_str()));
        if outcome > TestOutcome::Passed {
            told.collection = true;
            draft.reason("collection-error");
        }
    }
}

impl Item {
    fn told(self, module: Option<&str>, told: &mut Told, draft: &mut Draft) {
        told.tests += 1;
        draft.testcases += 1;
        let is = |stage: &Option<Stage>, outcome: &str| {
            stage
                .as_ref()
                .is_some_and(|s| s.outcome.as_str() == outcome)
        };
        let ran = is(&self.setup, "passed") && self.crash.is_none();
        if ran && (self.call.is_none() || self.teardown.is_none()) {
            told.unfinished = true;
        }
        if ran && self.call.is_none() {
            // Stopped in it: the other report leaves it without a name.
            return;
        }
        let word = self.outcome.as_str();
        let failed = is(&self.call, "failed") || word == "failed";
        let error = is(&self.setup, "failed")
            || is(&self.teardown, "failed")
            || self.crash.is_some()
            || word == "error";
        let outcome = match word {
            _ if error => TestOutcome::Error,
            _ if failed => TestOutcome::Failed,
            "skipped" | "xfailed" => TestOutcome::Skipped,
            _ if is(&self.setup, "skipped") || is(&self.call, "skipped") => TestOutcome::Skipped,
            _ => TestOutcome::Passed,
        };
        let (class, name) = mangle(self.node_id.as_str());
        // As tests of other writers that name no class.
        let class = if class.is_empty() { "pytest" } else { &class };
        let mut found = test(class, name.trim(), outcome);
        found.module = module.map(str::to_owned);
        found.xfail = word == "xfailed" && outcome == TestOutcome::Skipped;
        found.flaky = word == "rerun" && outcome == TestOutcome::Passed;
        let stages = [&self.setup, &self.call, &self.teardown];
        let times = stages.into_iter().flatten().filter_map(|s| s.duration);
        found.time = times.filter(|t| *t >= 0.0).reduce(|a, b| a + b);
        if let Some(crash) = &self.crash {
            let message = crash.message.as_str();
            if message.contains("worker '") && message.contains("crashed") {
                draft.warn("worker-crash");
            }
        }
        if word.starts_with("subtests") {
            // The plugin keeps the last of a test's subtests alone.
            draft.warn("subtests-not-told");
        }
        draft.test(found);
    }
}

/// Whether the names of an object's fields are those of a report.
pub(super) fn is_report(fields: &BTreeSet<String>) -> bool {
    let has = |key: &str| fields.contains(key);
    has("exitcode") && (has("summary") || has("tests") || has("collectors"))
        || has("root") && has("created") && (has("summary") || has("tests"))
}
