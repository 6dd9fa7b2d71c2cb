//! Every sample, changed in ways that do not change what it says, and in ways that do.

use serde_json::{Map, Value};

use super::random::Random;
use super::{Sample, differences, read, samples, told};

/// A sample taken apart.
enum Parts {
    /// One value.
    Whole(Value),
    /// Lines: objects, and what is none.
    Lines(Vec<Result<Value, String>>),
    /// Nothing.
    Empty,
}

fn parts(sample: &Sample) -> Parts {
    let text = String::from_utf8_lossy(&sample.bytes);
    if text.trim().is_empty() {
        return Parts::Empty;
    }
    match serde_json::from_str(&text) {
        Ok(value) => Parts::Whole(value),
        Err(_) => Parts::Lines(
            text.lines()
                .map(|l| serde_json::from_str(l).map_err(|_| l.to_owned()))
                .collect(),
        ),
    }
}

/// Objects whose keys are names of things, not of fields: none may be added.
const NAMED: [&str; 8] = [
    "modelUsage",
    "models",
    "modelMetrics",
    "providerModelMetrics",
    "agentMetrics",
    "usage_to_metrics",
    "byName",
    "roles",
];

/// Writes JSON with keys in any order, and with unknown ones where asked for.
struct Writer {
    random: Random,
    unknown: bool,
    /// Line feed and indentation between tokens.
    pretty: Option<&'static str>,
}

impl Writer {
    fn text(&mut self, value: &Value) -> String {
        let mut into = String::new();
        self.write(value, "", 0, &mut into);
        into
    }

    fn line(&self, depth: usize, into: &mut String) {
        if let Some(feed) = self.pretty {
            into.push_str(feed);
            into.push_str(&"  ".repeat(depth));
        }
    }

    fn write(&mut self, value: &Value, key: &str, depth: usize, into: &mut String) {
        match value {
            Value::Object(object) => {
                let mut keys: Vec<(&str, Value)> = object
                    .iter()
                    .map(|(k, v)| (k.as_str(), v.clone()))
                    .collect();
                if self.unknown && !NAMED.contains(&key) {
                    keys.push(("zz_unheard_of", Value::from(-7)));
                    keys.push(("aa_unheard_of", Value::from("{\"type\":\"result\"}")));
                }
                self.random.shuffle(&mut keys);
                into.push('{');
                for (i, (key, value)) in keys.iter().enumerate() {
                    if i > 0 {
                        into.push(',');
                    }
                    self.line(depth + 1, into);
                    into.push_str(&Value::from(*key).to_string());
                    into.push(':');
                    self.write(value, key, depth + 1, into);
                }
                self.line(depth, into);
                into.push('}');
            }
            Value::Array(all) => {
                into.push('[');
                for (i, value) in all.iter().enumerate() {
                    if i > 0 {
                        into.push(',');
                    }
                    self.line(depth + 1, into);
                    self.write(value, key, depth + 1, into);
                }
                into.push(']');
            }
            other => into.push_str(&other.to_string()),
        }
    }
}

/// How a sample is written anew.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    unknown_keys: bool,
    unknown_lines: bool,
    /// Lines of other text between.
    garbage: bool,
    blank_lines: bool,
    feed: &'static str,
    pretty: bool,
    last_feed: bool,
    encoding: Encoded,
}

#[derive(Clone, Copy, PartialEq)]
enum Encoded {
    Plain,
    Marked,
    Utf16,
}

const PLAIN: Way = Way {
    name: "keys in another order",
    unknown_keys: false,
    unknown_lines: false,
    garbage: false,
    blank_lines: false,
    feed: "\n",
    pretty: false,
    last_feed: true,
    encoding: Encoded::Plain,
};

const WAYS: [Way; 9] = [
    PLAIN,
    Way {
        name: "unknown keys",
        unknown_keys: true,
        ..PLAIN
    },
    Way {
        name: "unknown lines",
        unknown_lines: true,
        ..PLAIN
    },
    Way {
        name: "lines of other text",
        garbage: true,
        ..PLAIN
    },
    Way {
        name: "blank lines, lines ended by CR LF",
        blank_lines: true,
        feed: "\r\n",
        ..PLAIN
    },
    Way {
        name: "over many lines",
        pretty: true,
        feed: "\r\n",
        ..PLAIN
    },
    Way {
        name: "with a byte order mark",
        encoding: Encoded::Marked,
        ..PLAIN
    },
    Way {
        name: "in UTF-16",
        encoding: Encoded::Utf16,
        ..PLAIN
    },
    Way {
        name: "without a last line feed",
        last_feed: false,
        unknown_keys: true,
        ..PLAIN
    },
];

const GARBAGE: [&str; 4] = [
    "npm notice New version available",
    "\0\0\0\0",
    "{\"type\":\"assistant\",\"mess",
    "[1, 2]",
];

/// The sample written anew, and how many lines of it are no object more than before.
fn rewritten(sample: &Sample, way: Way, seed: u64) -> Option<(Vec<u8>, u64)> {
    let mut writer = Writer {
        random: Random(seed),
        unknown: way.unknown_keys,
        pretty: None,
    };
    let mut more = 0;
    let mut text = String::new();
    match parts(sample) {
        Parts::Empty => text.push_str("  \r\n\t\n"),
        Parts::Whole(_) if way.garbage || way.unknown_lines => return None,
        Parts::Whole(value) => {
            if way.pretty {
                writer.pretty = Some(way.feed);
            }
            text = writer.text(&value);
            text.push_str(if way.last_feed { way.feed } else { "" });
        }
        Parts::Lines(_) if way.pretty => return None,
        Parts::Lines(lines) => {
            // A torn last line stays the last.
            let torn = !sample.bytes.ends_with(b"\n");
            for (i, line) in lines.iter().enumerate() {
                if way.blank_lines && i % 2 == 0 {
                    text.push_str(way.feed);
                }
                if way.unknown_lines {
                    text.push_str("{\"kind\":\"unheard of\",\"n\":3}\n");
                }
                if way.garbage && i % 3 == 0 {
                    text.push_str(GARBAGE[i / 3 % GARBAGE.len()]);
                    text.push_str(way.feed);
                    more += 1;
                }
                match line {
                    Ok(value) => text.push_str(&writer.text(value)),
                    Err(other) => text.push_str(other),
                }
                let last = i + 1 == lines.len();
                if !last || (way.last_feed && !torn) {
                    text.push_str(way.feed);
                }
            }
        }
    }
    let bytes = match way.encoding {
        Encoded::Plain => text.into_bytes(),
        Encoded::Marked => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        Encoded::Utf16 => {
            let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
            units.flat_map(u16::to_be_bytes).collect()
        }
    };
    Some((bytes, more))
}

#[test]
fn what_does_not_change_the_meaning_does_not_change_what_is_read() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for sample in samples() {
        let mut ways = 0;
        for way in WAYS {
            for seed in 1..=3 {
                let Some((bytes, more)) = rewritten(&sample, way, seed) else {
                    continue;
                };
                tried += 1;
                ways += 1;
                let mut expected = sample.expected.clone();
                if let Some(lines) = expected.get("skipped_lines").and_then(Value::as_u64) {
                    expected["skipped_lines"] = Value::from(lines + more);
                }
                let found = told(&read(&[&bytes]));
                for what in differences(&found, &expected) {
                    wrong.push(format!("{}, {}: {what}", sample.name, way.name));
                }
            }
        }
        assert!(ways >= 9, "{}: three ways at least", sample.name);
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{tried} tried: {wrong:#?}");
}

#[test]
fn a_torn_last_line_is_said_and_changes_no_format() {
    for sample in samples() {
        let Parts::Lines(lines) = parts(&sample) else {
            continue;
        };
        if lines.len() < 3 || !sample.bytes.ends_with(b"\n") {
            continue;
        }
        let text = sample.bytes.trim_ascii_end();
        let last = text.iter().rposition(|b| *b == b'\n').expect("lines");
        let cut = last + 1 + (text.len() - last) / 2;
        let found = told(&read(&[&text[..cut]]));
        assert_eq!(
            found["format"], sample.expected["format"],
            "{}",
            sample.name
        );
        let skipped = sample.expected["skipped_lines"].as_u64().expect("a count");
        assert_eq!(found["skipped_lines"], skipped + 1, "{}", sample.name);
        let warnings = found["warnings"].as_array().expect("codes");
        assert!(
            warnings.contains(&"truncated_last_line".into()),
            "{}",
            sample.name
        );
    }
}

#[test]
fn every_beginning_of_every_sample_is_read_or_refused() {
    for sample in samples() {
        for end in 0..=sample.bytes.len() {
            let _ = read(&[&sample.bytes[..end]]);
        }
    }
}

/// Every number in `value`, by its path.
fn numbers<'v>(value: &'v mut Value, into: &mut Vec<&'v mut Value>) {
    match value {
        Value::Number(_) => into.push(value),
        Value::Array(all) => all.iter_mut().for_each(|v| numbers(v, into)),
        Value::Object(all) => all.iter_mut().for_each(|(_, v)| numbers(v, into)),
        _ => {}
    }
}

/// The figures of a session that a wrong number must not move.
fn figures(told: &Value) -> Map<String, Value> {
    let mut all = told["tokens"].as_object().cloned().unwrap_or_default();
    for field in [
        "cost_usd",
        "num_turns",
        "web_search_requests",
        "duration_ms",
    ] {
        all.insert(field.to_owned(), told[field].clone());
    }
    all
}

#[test]
fn a_number_that_is_none_makes_figures_unknown_and_never_others() {
    let wrong_numbers = [
        Value::from(-3),
        Value::from("7"),
        Value::from(true),
        Value::from(vec![1]),
    ];
    let mut wrong = Vec::new();
    for sample in samples() {
        let before = figures(&sample.expected);
        let mut lines = match parts(&sample) {
            Parts::Empty => continue,
            Parts::Whole(value) => vec![Ok(value)],
            Parts::Lines(lines) => lines,
        };
        let mut count = 0;
        for line in lines.iter_mut().flatten() {
            let mut found = Vec::new();
            numbers(line, &mut found);
            count += found.len();
        }
        for at in 0..count {
            for (i, bad) in wrong_numbers.iter().enumerate() {
                let mut changed = lines.clone();
                let mut found = Vec::new();
                for line in changed.iter_mut().flatten() {
                    numbers(line, &mut found);
                }
                *found[at] = bad.clone();
                let text: Vec<String> = changed
                    .iter()
                    .map(|l| l.as_ref().map_or_else(String::clone, Value::to_string))
                    .collect();
                let after = figures(&told(&read(&[text.join("\n").as_bytes()])));
                for (name, value) in &before {
                    let now = after.get(name).unwrap_or(&Value::Null);
                    if !now.is_null() && !super::alike(now, value) {
                        wrong.push(format!(
                            "{} {at} {i} {name}: {now}, not {value}",
                            sample.name
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_sample_of_many_lines_may_be_an_array_too() {
    for sample in samples() {
        let Parts::Lines(lines) = parts(&sample) else {
            continue;
        };
        let all: Vec<Value> = lines.into_iter().flatten().collect();
        let text = Value::from(all).to_string();
        let found = told(&read(&[text.as_bytes()]));
        assert_eq!(found["agent"], sample.expected["agent"], "{}", sample.name);
        assert_eq!(
            found["tokens"], sample.expected["tokens"],
            "{}",
            sample.name
        );
    }
}
