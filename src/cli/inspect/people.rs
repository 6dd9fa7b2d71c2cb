//! What was read in tables: what it is, its main figures, and what to know before trusting them.

use std::collections::BTreeSet;

use super::Known;
use super::read::{Inspected, Telling, Was};
use crate::record::{CoverageMap, FileCoverage, LineSet, TestMap, TestOutcome, Tokens, Validity};
use crate::report::{Column, Field, Format, List, Listing, Stamp, code, counted, in_order};

/// Rows of a list that tables show.
const SHOWN: usize = 50;

/// The tables of one file or folder.
pub(super) fn listing(
    stamp: &Stamp,
    inspected: &Inspected,
    known: &Known,
    format: Format,
) -> Listing {
    let mut listing = Listing::new(stamp.clone());
    let mut figures = Figures::new(&inspected.file);
    // CSV has the first list alone: that of tests, files or figures, whole.
    let whole = format == Format::Csv;
    match &inspected.was {
        Was::Session(telling) => {
            session(&mut figures, telling, known);
            listing.list(figures.list);
            models(&mut listing, telling);
            codes(&mut listing, "warnings", "Warnings", &warnings(telling));
        }
        Was::Tests(map) => {
            run(&mut figures, map);
            if !whole {
                listing.list(figures.list);
                codes(&mut listing, "reasons", why(map.validity), &map.reasons);
                codes(&mut listing, "warnings", "Warnings", &map.warnings);
            }
            tests(&mut listing, map, whole);
        }
        Was::Coverage(map) => {
            totals(&mut figures, map);
            if !whole {
                listing.list(figures.list);
                codes(&mut listing, "warnings", "Warnings", &map.warnings);
            }
            files(&mut listing, map, whole);
        }
        Was::Ignored(what) => {
            figures.add("is", "no envelope, test report or coverage report");
            figures.add("but", what.clone());
            listing.list(figures.list);
        }
        Was::Unrecognised => {
            figures.add("is", "of no known format");
            listing.list(figures.list);
            listing.remark("a capture keeps it as it is, and its figures are unknown");
        }
        Was::Empty => {
            figures.add("is", "empty");
            listing.list(figures.list);
        }
        Was::Unreadable(format, why) => {
            figures.add("is", format.clone());
            figures.add("not readable", why.clone());
            listing.list(figures.list);
        }
    }
    listing
}

/// Figures by name, below the file they are of.
struct Figures {
    file: String,
    list: List,
}

impl Figures {
    fn new(file: &str) -> Figures {
        Figures {
            file: file.to_owned(),
            list: List::new("figures", "")
                .column(Column::heading("file"))
                .column(Column::left("figure").titled(""))
                .column(Column::words("value").titled("")),
        }
    }

    fn add(&mut self, name: &str, value: impl Into<Field>) {
        let row = vec![self.file.as_str().into(), name.into(), value.into()];
        self.list.row(row);
    }

    /// Adds what is known; what is not is `?`.
    fn maybe(&mut self, name: &str, value: Option<impl Into<Field>>) {
        match value {
            Some(value) => self.add(name, value),
            None => self.add(name, Field::unknown()),
        }
    }
}

fn session(figures: &mut Figures, telling: &Telling, known: &Known) {
    let session = &telling.session;
    figures.add("is", format!("{}, of {}", session.format, session.agent));
    figures.maybe("agent version", session.agent_version.clone());
    let models: Vec<String> = session.models.iter().cloned().collect();
    figures.maybe("models", (!models.is_empty()).then(|| models.join(", ")));
    figures.maybe("session", session.session_id.clone());
    figures.maybe("status", word(session.status));
    // A sum of floats may end in digits that nobody paid.
    let dollars = |usd: f64| {
        let text = format!("{usd:.9}");
        format!("${}", text.trim_end_matches('0').trim_end_matches('.'))
    };
    figures.maybe("cost, as reported", session.cost_usd.map(dollars));
    if known.prices.is_some() {
        let priced = telling.priced.as_ref();
        let usd = priced.and_then(|p| Some(p.usd?.number()));
        figures.maybe("cost, by the table", usd.map(dollars));
        if let Some(why) = priced.and_then(|p| p.reason.clone()) {
            figures.add("no price since", why);
        }
    }
    for (name, count) in buckets(&session.tokens) {
        figures.maybe(name, count);
    }
    figures.maybe("turns", session.num_turns);
    figures.maybe("answers", session.api_calls);
    figures.maybe("duration, ms", session.duration_ms);
    figures.maybe("model time, ms", session.duration_api_ms);
    figures.maybe("tool calls", session.tool_calls);
    figures.maybe("of them failed", session.tool_errors);
    figures.maybe("calls repeated", session.api_retries.map(|r| r.count));
    if session.skipped_lines > 0 {
        figures.add("lines that are no JSON object", session.skipped_lines);
    }
    if let Some(signals) = &telling.signals {
        figures.add("files read again", signals.redundant_reads);
        figures.add("wrong turns", signals.wrong_turns);
    }
}

fn buckets(tokens: &Tokens) -> [(&'static str, Option<u64>); 6] {
    [
        ("tokens in", tokens.input),
        ("read from cache", tokens.cache_read),
        ("written to cache, 5 min", tokens.cache_creation_5m),
        ("written to cache, 1 h", tokens.cache_creation_1h),
        ("tokens out", tokens.output),
        ("of them reasoning", tokens.reasoning),
    ]
}

fn models(listing: &mut Listing, telling: &Telling) {
    if telling.session.by_model.len() < 2 {
        return;
    }
    let mut list = List::new("by_model", "By model")
        .column(Column::words("model"))
        .column(Column::right("input"))
        .column(Column::right("cache_read").titled("read"))
        .column(Column::right("cache_creation").titled("written"))
        .column(Column::right("output"))
        .column(Column::right("cost_usd").titled("$"));
    for (model, spent) in &telling.session.by_model {
        let tokens = spent.tokens;
        let written = [tokens.cache_creation_5m, tokens.cache_creation_1h];
        let written: Option<u64> = written.into_iter().flatten().reduce(u64::saturating_add);
        let count = |n: Option<u64>| n.map_or_else(Field::unknown, Field::from);
        list.row(vec![
            model.as_str().into(),
            count(tokens.input),
            count(tokens.cache_read),
            count(written),
            count(tokens.output),
            spent.cost_usd.map_or_else(Field::unknown, |usd| {
                Field::from(serde_json::Value::from(usd))
            }),
        ]);
    }
    listing.list(list);
}

fn warnings(telling: &Telling) -> BTreeSet<String> {
    let mut all = telling.session.warnings.clone();
    let priced = telling.priced.iter().flat_map(|p| &p.warnings);
    all.extend(priced.map(|code| (*code).to_owned()));
    all
}

fn codes(listing: &mut Listing, name: &'static str, title: &'static str, all: &BTreeSet<String>) {
    let mut list = List::new(name, title)
        .column(Column::left("code").titled(""))
        .column(Column::below("meaning"));
    for found in in_order(all) {
        list.row(vec![found.into(), code(found).into()]);
    }
    listing.list(list);
}

fn why(validity: Validity) -> &'static str {
    match validity {
        Validity::Valid => "Reasons",
        Validity::Broken => "Why it is broken",
        Validity::Invalid => "Why it is no verdict",
    }
}

fn run(figures: &mut Figures, map: &TestMap) {
    figures.add(
        "is",
        match &map.format {
            Some(format) => format!("a gate run, {format}"),
            None => "a gate run of no known format".to_owned(),
        },
    );
    figures.add(
        "validity",
        match map.validity {
            Validity::Valid => "valid",
            Validity::Broken => "broken: the change does not build or load, which is a result",
            Validity::Invalid => "invalid: no verdict, left out of every figure",
        },
    );
    let counts = map.counts();
    for (name, count) in [
        ("tests", counts.total),
        ("passed", counts.passed),
        ("failed", counts.failed),
        ("ended by an error", counts.error),
        ("skipped", counts.skipped),
    ] {
        figures.add(name, count);
    }
    let flaky = map.tests.values().filter(|t| t.flaky).count();
    if flaky > 0 {
        figures.add("flaky", flaky);
    }
    let used = map.files.iter().filter(|f| f.left_out.is_none()).count();
    figures.add("files used", used);
}

fn tests(listing: &mut Listing, map: &TestMap, whole: bool) {
    let mut list = List::new("tests", "Tests that did not pass")
        .column(Column::left("outcome"))
        .column(Column::words("id").titled("test"))
        .column(Column::machine("time"))
        .column(Column::machine("flaky"))
        .column(Column::machine("container"));
    let bad = |o: TestOutcome| matches!(o, TestOutcome::Failed | TestOutcome::Error);
    let rows = map
        .tests
        .iter()
        .filter(|(_, test)| whole || bad(test.outcome));
    let rows: Vec<_> = rows.collect();
    let shown = if whole { rows.len() } else { SHOWN };
    for (id, test) in rows.iter().take(shown) {
        list.row(vec![
            word(test.outcome).into(),
            id.as_str().into(),
            test.time
                .map_or_else(Field::none, |t| Field::from(serde_json::Value::from(t))),
            test.flaky.into(),
            test.container.into(),
        ]);
    }
    more(listing, rows.len(), shown, "test");
    listing.list(list);
    if whole {
        return;
    }
    let mut problems = List::new("problems", "Failures that are no test")
        .column(Column::left("kind"))
        .column(Column::words("where"))
        .column(Column::below("message"));
    for problem in map.problems.iter().take(SHOWN) {
        let first = problem.message.as_deref().and_then(|m| m.lines().next());
        problems.row(vec![
            problem.kind.as_str().into(),
            problem.place.as_str().into(),
            first.into(),
        ]);
    }
    more(listing, map.problems.len(), SHOWN, "problem");
    listing.list(problems);
    let mut left = List::new("left_out", "Files that were not used")
        .column(Column::paths("path"))
        .column(Column::below("left_out"));
    let out: Vec<_> = map.files.iter().filter(|f| f.left_out.is_some()).collect();
    for file in out.iter().take(SHOWN) {
        left.row(vec![
            file.path.as_str().into(),
            file.left_out.clone().into(),
        ]);
    }
    more(listing, out.len(), SHOWN, "file");
    listing.list(left);
}

fn more(listing: &mut Listing, all: usize, shown: usize, what: &str) {
    if all > shown {
        let more = counted((all - shown) as u64, what, &format!("{what}s"));
        listing.remark(format!("{more} more; --format json has all"));
    }
}

fn totals(figures: &mut Figures, map: &CoverageMap) {
    let totals = map.totals();
    figures.add("is", format!("a coverage report, {}", map.format));
    figures.add("files", map.files.len());
    figures.add("lines that can be executed", totals.executable);
    figures.add("of them executed", totals.covered);
    figures.add("of these in part", totals.partial);
    if let Some(per_test) = &map.per_test {
        figures.add("tests told apart", per_test.len());
    }
    if !map.unmapped.is_empty() {
        figures.add("paths of no one file", map.unmapped.len());
    }
}

fn files(listing: &mut Listing, map: &CoverageMap, whole: bool) {
    let mut list = List::new("files", "Files")
        .column(Column::paths("path"))
        .column(Column::right("executable").titled("lines"))
        .column(Column::right("covered").titled("executed"))
        .column(Column::right("partial").titled("in part"))
        .column(Column::right("branches"))
        .column(Column::right("branches_taken").titled("taken"));
    let shown = if whole { map.files.len() } else { SHOWN };
    for (path, file) in map.files.iter().take(shown) {
        let [taken, all] = branches(file);
        list.row(vec![
            path.as_str().into(),
            (file.covered.len() + file.missed.len()).into(),
            LineSet::len(&file.covered).into(),
            file.partial.len().into(),
            all.into(),
            taken.into(),
        ]);
    }
    more(listing, map.files.len(), shown, "file");
    listing.list(list);
    let mut unmapped =
        List::new("unmapped", "Paths of no one file of the commit").column(Column::paths("path"));
    for path in map.unmapped.iter().take(SHOWN) {
        unmapped.row(vec![path.as_str().into()]);
    }
    more(listing, map.unmapped.len(), SHOWN, "path");
    listing.list(unmapped);
}

/// Branches taken, and branches there are.
fn branches(file: &FileCoverage) -> [Option<u64>; 2] {
    let Some(branches) = &file.branches else {
        return [None, None];
    };
    let sum = |which: fn(&(u64, u64)) -> u64| {
        Some(branches.values().map(which).fold(0, u64::saturating_add))
    };
    [sum(|b| b.0), sum(|b| b.1)]
}

/// The word of a value that is one.
fn word(value: impl serde::Serialize) -> Option<String> {
    let value = serde_json::to_value(value).ok()?;
    value.as_str().map(str::to_owned)
}
