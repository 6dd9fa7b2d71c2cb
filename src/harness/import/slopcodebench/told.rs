//! What small files tell: values of YAML and JSON by their path, names made into parts of a
//! chain's path, times.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::plan::read_yaml;
use crate::plan::source::{Node, Table, Value};
use crate::record::{Moment, is_part};

/// A YAML file.
pub(super) struct Told(Table);

impl Told {
    /// A file that says nothing.
    pub(super) fn nothing() -> Told {
        Told(Table::default())
    }

    /// Reads one; the error says why not.
    pub(super) fn of_yaml(bytes: &[u8], name: &str) -> Result<Told, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let (_, table) = read_yaml(text, name, "list").map_err(|e| e.to_string())?;
        Ok(Told(table))
    }

    fn at(&self, path: &[&str]) -> Option<&Node> {
        let (last, above) = path.split_last()?;
        let mut table = &self.0;
        for key in above {
            table = table.get(key)?.as_table()?;
        }
        table.get(last)
    }

    /// Whether something stands there that is not null.
    pub(super) fn has(&self, path: &[&str]) -> bool {
        self.at(path).is_some_and(|node| match &node.value {
            Value::Other => false,
            Value::Table(table) => !table.entries.is_empty(),
            Value::List(all) => !all.is_empty(),
            Value::Text(text) => !text.is_empty(),
            _ => true,
        })
    }

    /// A text, or a number as one.
    pub(super) fn text(&self, path: &[&str]) -> Option<String> {
        in_words(&self.at(path)?.value)
    }

    /// A whole number.
    pub(super) fn whole(&self, path: &[&str]) -> Option<i64> {
        match self.at(path)?.value {
            Value::Integer(n) => Some(n),
            _ => None,
        }
    }

    /// A number; one with a fraction is a text to the layer below.
    pub(super) fn number(&self, path: &[&str]) -> Option<f64> {
        let number: f64 = self.text(path)?.parse().ok()?;
        number.is_finite().then_some(number)
    }

    /// True or false.
    pub(super) fn flag(&self, path: &[&str]) -> Option<bool> {
        match self.at(path)?.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// A list of texts.
    pub(super) fn words(&self, path: &[&str]) -> Vec<String> {
        self.at(path).and_then(Node::as_texts).unwrap_or_default()
    }

    /// A table of texts.
    pub(super) fn texts(&self, path: &[&str]) -> BTreeMap<String, String> {
        let table = self.at(path).and_then(Node::as_table);
        let entries = table.into_iter().flat_map(|t| &t.entries);
        entries
            .filter(|e| !e.key.is_empty() && e.key.len() < 1_024 && !e.key.contains('\0'))
            .filter_map(|e| Some((e.key.clone(), in_words(&e.value.value)?)))
            .collect()
    }

    /// The keys of a table.
    pub(super) fn keys(&self, path: &[&str]) -> Vec<String> {
        let table = self.at(path).and_then(Node::as_table);
        let entries = table.into_iter().flat_map(|t| &t.entries);
        entries.map(|e| e.key.clone()).collect()
    }
}

fn in_words(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(n) => Some(n.to_string()),
        Value::Float(n) => Some(n.to_string()),
        Value::Bool(b) => Some(b.to_string()),
        _ => None,
    }
}

/// A name as a part of a chain's path; empty where nothing of it is left. One of digits alone
/// gets a letter in front, since no task may be one.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_lowercase() || c.is_ascii_digit() => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    if !slug.is_empty() && slug.bytes().all(|b| b.is_ascii_digit()) {
        slug.insert(0, 't');
    }
    slug.truncate(63);
    let slug = slug.trim_end_matches('-');
    match is_part(slug) {
        true => slug.to_owned(),
        false => String::new(),
    }
}

/// A time of the source; without a zone it is that of a clock `offset` seconds ahead of UTC.
pub(super) fn moment(text: Option<&Json>, offset: i32) -> Option<Moment> {
    moment_of(text?.as_str()?, offset)
}

/// The same of a text.
pub(super) fn moment_of(text: &str, offset: i32) -> Option<Moment> {
    let bounded = text.len() <= 64;
    if let Some(moment) = Moment::read(text).filter(|_| bounded) {
        return Some(moment);
    }
    let civil: jiff::civil::DateTime = text.get(..64).unwrap_or(text).trim().parse().ok()?;
    let offset = jiff::tz::Offset::from_seconds(offset).ok()?;
    let at = offset.to_timestamp(civil).ok()?;
    Moment::from_millis(at.as_millisecond()).filter(|m| m.millis() >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_parts() {
        for (name, part) in [
            ("code_search", "code-search"),
            ("GLM-5.1 (kimi)", "glm-5-1-kimi"),
            ("42", "t42"),
            ("../..", ""),
            ("--x--", "x"),
            ("ä", ""),
        ] {
            assert_eq!(slug(name), part, "{name}");
        }
        assert_eq!(slug(&"a_".repeat(60)).len(), 63);
    }

    #[test]
    fn a_time_without_a_zone_is_of_the_clock_that_is_named() {
        let read = |text, offset| moment_of(text, offset).map(|m| m.to_string());
        let told = "2026-06-04T22:40:32.807746";
        assert_eq!(read(told, 0).as_deref(), Some("2026-06-04T22:40:32.807Z"));
        assert_eq!(
            read(told, 28_800).as_deref(),
            Some("2026-06-04T14:40:32.807Z")
        );
        let zoned = "2026-06-04T22:40:32+01:00";
        assert_eq!(
            read(zoned, 28_800).as_deref(),
            Some("2026-06-04T21:40:32.000Z")
        );
        assert_eq!(read("yesterday", 0), None);
        assert_eq!(read("1066-10-14T09:00:00", 0), None);
    }

    #[test]
    fn values_are_found_by_their_path_and_other_kinds_are_none() {
        let text = "a:\n  b: x\n  n: 3\n  f: 0.5\n  t: true\n  z: null\n  l: [p, q]\n  e: {k: 1}\n";
        let told = Told::of_yaml(text.as_bytes(), "f").expect("well formed");
        assert_eq!(told.text(&["a", "b"]).as_deref(), Some("x"));
        assert_eq!(
            (told.whole(&["a", "n"]), told.whole(&["a", "b"])),
            (Some(3), None)
        );
        assert_eq!(
            (told.number(&["a", "f"]), told.flag(&["a", "t"])),
            (Some(0.5), Some(true))
        );
        assert!(!told.has(&["a", "z"]) && !told.has(&["a", "b", "c"]) && told.has(&["a", "e"]));
        assert_eq!(told.words(&["a", "l"]), ["p", "q"]);
        assert_eq!(told.texts(&["a", "e"])["k"], "1");
        assert!(Told::of_yaml(b"a: &x 1\nb: *x\n", "f").is_err());
        assert!(Told::of_yaml(b"\xff", "f").is_err());
    }
}
