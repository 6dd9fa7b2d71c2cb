//! Lists of change requests that another harness drives: `checkpoints.yaml`.

use super::problems::{Fields, Reading};
use super::source::{Node, Source, Table, Value, nearest};
use super::values::no_pattern;
use super::yaml::read_yaml;
use crate::error::Result;
use crate::record::is_part;

/// One change request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its id.
    pub id: String,
    /// The phase it belongs to, in the words of the list.
    pub phase: Option<String>,
    /// Whether it revises earlier requests (`mutative`) or only adds (`additive`).
    pub mutative: Option<bool>,
    /// What it may change.
    pub mutates: Vec<Mutates>,
    /// What is asked for.
    pub prompt: String,
}

/// What a change request may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mutates {
    /// The tests of an earlier request, by id.
    Request(String),
    /// The tests that match a pattern.
    Tests(String),
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    /// The requests, in order.
    pub all: Vec<Request>,
    /// What was not taken over, with its place.
    pub remarks: Vec<String>,
}

/// What of a request is taken over.
const KEYS: [&str; 7] = [
    "id", "mutates", "phase", "prompt", "request", "spec", "type",
];

/// Reads such a list: a mapping with `checkpoints`, or the list itself. A request is asked for by
/// `request: {prompt, spec}`, or by `prompt` or `spec` beside the id; the prompt counts where
/// both are there. `name` is what errors call the text.
///
/// # Errors
/// Usage with line and column for what is no YAML and everything that is wrong.
pub fn read_requests(text: &str, name: &str) -> Result<Requests> {
    let (source, table) = read_yaml(text, name, "checkpoints")?;
    let mut r = Reading::new(&source);
    let mut found = Requests::default();
    for entry in table.entries.iter().filter(|e| e.key != "checkpoints") {
        left_out(&mut found, &source, entry.at, &entry.key);
    }
    let top = Fields {
        table: &table,
        title: "",
    };
    if top.get("checkpoints").is_none() {
        r.wrong(0, "there are no checkpoints");
    }
    for table in top.tables(&mut r, "checkpoints") {
        let request = request(&mut r, table, &source, &mut found);
        found.all.extend(request);
    }
    if found.all.is_empty() && top.get("checkpoints").is_some() {
        r.wrong(top.at("checkpoints"), "there are no checkpoints");
    }
    r.end()?;
    Ok(found)
}

fn left_out(found: &mut Requests, source: &Source, at: usize, key: &str) {
    let remark = format!("{} '{key}' is not taken over", source.at(at));
    found.remarks.push(remark);
}

fn request(
    r: &mut Reading<'_>,
    table: &Table,
    source: &Source,
    found: &mut Requests,
) -> Option<Request> {
    let fields = Fields {
        table,
        title: "a checkpoint",
    };
    for entry in &table.entries {
        if !KEYS.contains(&entry.key.as_str()) {
            left_out(found, source, entry.at, &entry.key);
        }
    }
    let id = id(r, &fields, &found.all);
    let prompt = prompt(r, &fields);
    let mutative = fields.word(r, "type", &[("additive", false), ("mutative", true)]);
    let phase = fields.read(r, "phase", "a word or a number", |n| match &n.value {
        Value::Text(text) => Some(text.replace(char::is_control, " ")),
        Value::Integer(n) => Some(n.to_string()),
        _ => None,
    });
    let mutates = mutates(r, &fields, &found.all);
    if mutative == Some(false) && !mutates.is_empty() {
        let message = "this checkpoint is additive and mutates others";
        r.wrong(fields.at("mutates"), message);
    }
    Some(Request {
        id: id?,
        phase,
        mutative,
        mutates,
        prompt: prompt?,
    })
}

fn id(r: &mut Reading<'_>, fields: &Fields<'_>, before: &[Request]) -> Option<String> {
    let Some(node) = fields.get("id") else {
        r.wrong(fields.table.at, "a checkpoint has no id");
        return None;
    };
    let word = match &node.value {
        Value::Text(text) => text.clone(),
        Value::Integer(n) => n.to_string(),
        _ => String::new(),
    };
    if !is_part(&word) {
        let wanted = "of lower-case letters, digits and '-', 63 at most";
        r.kind(node.at, "id", "a checkpoint", wanted);
        return None;
    }
    if before.iter().any(|b| b.id == word) {
        r.wrong(node.at, format!("a second checkpoint '{word}'"));
    }
    Some(word)
}

/// The words: those of `request`, else those beside the id; a prompt before a specification.
fn prompt(r: &mut Reading<'_>, fields: &Fields<'_>) -> Option<String> {
    let words = |r: &mut Reading<'_>, of: &Fields<'_>| {
        let prompt = of.text(r, "prompt");
        let spec = of.text(r, "spec");
        prompt.or(spec)
    };
    let inner = match fields.get("request").map(|n| (n.at, &n.value)) {
        None | Some((_, Value::Other)) => None,
        Some((_, Value::Text(text))) if !text.trim().is_empty() => Some(text.clone()),
        Some((_, Value::Table(table))) => {
            let inner = r.open(table, "request", &["prompt", "spec"]);
            words(r, &inner)
        }
        Some((at, _)) => {
            let wanted = "words, or { prompt, spec }";
            r.kind(at, "request", "a checkpoint", wanted);
            return None;
        }
    };
    let found = inner.or_else(|| words(r, fields));
    let named = ["prompt", "request", "spec"];
    if found.is_none() && named.iter().all(|key| fields.get(key).is_none()) {
        r.wrong(
            fields.table.at,
            "a checkpoint asks for nothing: it has no spec",
        );
    }
    found.map(|text| format!("{}\n", text.trim_end()))
}

/// Ids, numbers (`3`, `cp03`) or patterns of tests.
fn mutates(r: &mut Reading<'_>, fields: &Fields<'_>, before: &[Request]) -> Vec<Mutates> {
    let wanted = "a list of ids, numbers or patterns";
    let all: &[Node] = match fields.get("mutates").map(|n| (n, &n.value)) {
        None | Some((_, Value::Other)) => return Vec::new(),
        Some((_, Value::List(all))) => all,
        Some((node, _)) => std::slice::from_ref(node),
    };
    let mut mutates = Vec::new();
    for node in all {
        let word = match &node.value {
            Value::Integer(n) => n.to_string(),
            Value::Text(word) if !word.is_empty() => word.clone(),
            _ => {
                r.kind(node.at, "mutates", fields.title, wanted);
                continue;
            }
        };
        let digits = word.strip_prefix("cp").or_else(|| word.strip_prefix("Cp"));
        let digits = digits.unwrap_or(&word);
        let number = digits.parse::<usize>().ok();
        if let Some(number) = number.filter(|_| digits.bytes().all(|b| b.is_ascii_digit())) {
            match number.checked_sub(1).and_then(|n| before.get(n)) {
                Some(other) => mutates.push(Mutates::Request(other.id.clone())),
                None => {
                    let message = format!("mutates names no checkpoint before this one: {word}");
                    r.wrong(node.at, message);
                }
            }
            continue;
        }
        if before.iter().any(|b| b.id == word) {
            mutates.push(Mutates::Request(word));
            continue;
        }
        let known: Vec<&str> = before.iter().map(|b| b.id.as_str()).collect();
        if is_part(&word) {
            let message = format!("mutates names no checkpoint before this one: '{word}'");
            match nearest(&word, &known) {
                Some(near) => r.wrong_so(node.at, message, format!("did you mean '{near}'?")),
                None => r.wrong_so(
                    node.at,
                    message,
                    format!("a pattern can be written ({word})"),
                ),
            }
            continue;
        }
        match regex::Regex::new(&word) {
            Ok(_) => mutates.push(Mutates::Tests(word)),
            Err(e) => r.wrong(node.at, no_pattern(&word, &e)),
        }
    }
    mutates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_in_each_of_their_forms() {
        let text = "# words\nversion: 3\ncheckpoints:\n  - id: a-1\n    spec: \"Do this.\"\n  - id: b\n    phase: 2\n    type: mutative\n    mutates: [a-1, 'Old.*Tests']\n    title: B\n    request:\n      spec: Not this.\n      prompt: |\n        First,\n        then.\n  - {id: c, prompt: 'And: this', mutates: [cp01, 2]}\n";
        let read = read_requests(text, "c.yaml").expect("well formed");
        let prompts: Vec<&str> = read.all.iter().map(|r| r.prompt.as_str()).collect();
        assert_eq!(prompts, ["Do this.\n", "First,\nthen.\n", "And: this\n"]);
        assert_eq!(read.all[1].phase.as_deref(), Some("2"));
        assert_eq!(read.all[1].mutative, Some(true));
        assert_eq!(
            read.all[1].mutates,
            [
                Mutates::Request("a-1".to_owned()),
                Mutates::Tests("Old.*Tests".to_owned())
            ]
        );
        assert_eq!(
            read.all[2].mutates,
            ["a-1", "b"].map(|id| Mutates::Request(id.to_owned()))
        );
        assert_eq!(
            read.remarks,
            [
                "c.yaml:2:1: 'version' is not taken over",
                "c.yaml:10:5: 'title' is not taken over"
            ]
        );
        let list = "- id: a\n  spec: Do this.\n";
        assert_eq!(read_requests(list, "c").expect("a list").all.len(), 1);
    }

    #[test]
    fn all_that_is_wrong_is_named_with_its_place() {
        let text = "checkpoints:\n  - id: A B\n    spec: x\n  - id: one\n    type: additve\n    spec: x\n  - id: one\n    mutates: [on, 7]\n    spec: ''\n  - spec: x\n  - id: two\n";
        let error = read_requests(text, "c.yaml").expect_err("wrong");
        let said: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
        assert_eq!(
            said,
            [
                "c.yaml:2:9: id in a checkpoint must be of lower-case letters, digits and '-', 63 at most",
                "c.yaml:5:11: type in a checkpoint cannot be 'additve' (did you mean 'additive'?)",
                "c.yaml:7:9: a second checkpoint 'one'",
                "c.yaml:8:15: mutates names no checkpoint before this one: 'on' (did you mean 'one'?)",
                "c.yaml:8:19: mutates names no checkpoint before this one: 7",
                "c.yaml:9:11: spec in a checkpoint must be a string that is not empty",
                "c.yaml:10:5: a checkpoint has no id",
                "c.yaml:11:5: a checkpoint asks for nothing: it has no spec",
            ]
        );
    }
}
