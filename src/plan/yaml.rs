//! YAML as the layer below all readers has it. Bounded: aliases are refused, not followed, so
//! that nothing grows by being read; depth and number of values have limits.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};

use super::source::{Entry, Node, Source, Table, Value};
use crate::error::{Error, Result};

/// Deeper is no plan.
const DEPTH: usize = 32;
/// More values are no plan.
const VALUES: usize = 100_000;
/// Most keys of a mapping.
const KEYS: usize = 1000;
/// A larger text is no plan.
const TEXT: usize = 1 << 20;

/// Reads the one document of a YAML text whose top is a mapping or a list; a list is the value
/// of the key `list`. `name` is what errors call the text.
///
/// # Errors
/// Usage with line and column for what is no YAML, an alias, a key that is no word or stands
/// twice, more than one document, and what is over a limit.
pub(crate) fn read_yaml(text: &str, name: &str, list: &str) -> Result<(Source, Table)> {
    if text.len() > TEXT {
        return Err(Error::usage(format!("{name} is larger than 1 MiB")));
    }
    let source = Source::of_text(text, name);
    // The parser counts characters, we count bytes.
    let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let offset = |m: &Marker| offsets.get(m.index()).copied().unwrap_or(text.len());
    let mut build = Building::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|e| source.wrong(offset(e.marker()), e.info()))?;
        let at = offset(&span.start);
        let taken = build.take(event, at);
        taken.map_err(|said| source.wrong(at, said))?;
    }
    let top = build.done.unwrap_or(Node {
        at: 0,
        value: Value::Other,
    });
    match top.value {
        Value::Table(table) => Ok((source, table)),
        Value::List(_) => {
            let entry = Entry {
                key: list.to_owned(),
                at: top.at,
                value: top,
            };
            let entries = vec![entry];
            Ok((source, Table { at: 0, entries }))
        }
        _ => Err(source.wrong(top.at, format!("neither a mapping nor a list of {list}"))),
    }
}

/// A value that is being read.
enum Open {
    List(usize, Vec<Node>),
    /// The table, and the key whose value comes next.
    Table(Table, Option<(String, usize)>),
}

#[derive(Default)]
struct Building {
    open: Vec<Open>,
    done: Option<Node>,
    values: usize,
}

impl Building {
    fn take(&mut self, event: Event<'_>, at: usize) -> Result<(), &'static str> {
        match event {
            Event::Alias(_) => Err("aliases are not followed: write the value out"),
            Event::SequenceStart(..) => self.begin(Open::List(at, Vec::new())),
            Event::MappingStart(..) => {
                let entries = Vec::new();
                self.begin(Open::Table(Table { at, entries }, None))
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Scalar(text, style, ..) => self.value(Node {
                at,
                value: scalar(&text, style),
            }),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, open: Open) -> Result<(), &'static str> {
        if self.open.len() >= DEPTH {
            return Err("values are nested too deeply");
        }
        self.open.push(open);
        Ok(())
    }

    fn end(&mut self) -> Result<(), &'static str> {
        match self.open.pop() {
            Some(Open::List(at, all)) => self.value(Node {
                at,
                value: Value::List(all),
            }),
            Some(Open::Table(table, _)) => self.value(Node {
                at: table.at,
                value: Value::Table(table),
            }),
            None => Ok(()),
        }
    }

    fn value(&mut self, node: Node) -> Result<(), &'static str> {
        self.values += 1;
        if self.values > VALUES {
            return Err("there are too many values");
        }
        match self.open.last_mut() {
            None if self.done.is_some() => return Err("there is more than one document"),
            None => self.done = Some(node),
            Some(Open::List(_, all)) => all.push(node),
            Some(Open::Table(table, key)) => match key.take() {
                Some((key, at)) => table.entries.push(Entry {
                    key,
                    at,
                    value: node,
                }),
                None => {
                    let word = match &node.value {
                        Value::Text(word) => word.clone(),
                        Value::Integer(n) => n.to_string(),
                        _ => return Err("a key must be a word"),
                    };
                    if table.get(&word).is_some() {
                        return Err("this key stands twice");
                    }
                    if table.entries.len() >= KEYS {
                        return Err("a mapping has too many keys");
                    }
                    *key = Some((word, node.at));
                }
            },
        }
        Ok(())
    }
}

/// A scalar: what is quoted is a string, the rest is what YAML's core schema has it.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Other,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match text.parse::<i64>() {
            Ok(n) => Value::Integer(n),
            Err(_) => Value::Text(text.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        let read = read_yaml(text, "c.yaml", "checkpoints");
        read.expect_err("wrong").to_string()
    }

    #[test]
    fn values_keep_their_places_and_kinds() {
        let text = "é: 'ü'\nlist:\n  - a: 1\n    b: \"2\"\n  - no\nnothing:\n";
        let (source, table) = read_yaml(text, "c.yaml", "checkpoints").expect("well formed");
        let list = table.get("list").expect("there");
        let Value::List(all) = &list.value else {
            panic!("{list:?}")
        };
        let first = all[0].as_table().expect("a mapping");
        let of = |key| first.get(key).map(|n| (source.at(n.at), n.value.clone()));
        assert_eq!(of("a"), Some(("c.yaml:3:8:".to_owned(), Value::Integer(1))));
        assert_eq!(
            of("b"),
            Some(("c.yaml:4:8:".to_owned(), Value::Text("2".to_owned())))
        );
        assert_eq!(all[1].as_text(), Some("no"));
        assert_eq!(table.get("nothing").map(|n| &n.value), Some(&Value::Other));
    }

    #[test]
    fn what_is_no_plan_is_refused_with_its_place() {
        assert!(
            wrong("a: [1\n").starts_with("c.yaml:"),
            "{}",
            wrong("a: [1\n")
        );
        assert_eq!(
            wrong("a: &x 1\nb: *x\n"),
            "c.yaml:2:4: aliases are not followed: write the value out"
        );
        assert_eq!(wrong("a: 1\na: 2\n"), "c.yaml:2:1: this key stands twice");
        assert_eq!(
            wrong("a: 1\n---\nb: 2\n"),
            "c.yaml:4:1: there is more than one document"
        );
        assert!(wrong("[a]: 1\n").contains("a key must be a word"));
        assert!(wrong(&"[".repeat(100)).contains("nested too deeply"));
        assert!(wrong(&format!("[{}]", "1,".repeat(200_000))).contains("too many values"));
        assert!(wrong("words\n").contains("neither a mapping nor a list"));
        assert!(wrong("").contains("neither a mapping nor a list"));
    }
}
