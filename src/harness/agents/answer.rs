//! What an agent said last: the answer to a probe, a review or a question.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

/// Most of a file that is looked through, and most of an answer that is kept, in bytes.
const FILE: u64 = 512 << 20;
const LINE: u64 = 16 << 20;
const ANSWER: usize = 1 << 20;

/// The answer in what an agent printed: the result of its envelope, else its last message, else
/// all of it where it is plain text. `None` where it is JSON that names none, or empty.
pub(super) fn of(file: &Path) -> Option<String> {
    let mut reader = BufReader::new(File::open(file).ok()?.take(FILE));
    let mut plain = Vec::new();
    let (mut result, mut message) = (None, None);
    let mut values = 0u64;
    loop {
        let mut line = Vec::new();
        if (&mut reader).take(LINE).read_until(b'\n', &mut line).ok()? == 0 {
            break;
        }
        if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_slice(&line) {
            values += 1;
            look(&value, &mut result, &mut message);
        }
        if plain.len() < ANSWER {
            plain.extend(line);
        }
    }
    // One value over many lines.
    if values == 0
        && let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_slice(&plain)
    {
        values = 1;
        look(&value, &mut result, &mut message);
    }
    let text = match values {
        0 => Some(String::from_utf8_lossy(&plain).into_owned()),
        _ => result.or(message),
    };
    text.map(|t| cut(t.trim())).filter(|t| !t.is_empty())
}

/// Takes from one object of an envelope or stream what it says in the end.
fn look(value: &Value, result: &mut Option<String>, message: &mut Option<String>) {
    if let Value::Array(all) = value {
        all.iter().for_each(|v| look(v, result, message));
        return;
    }
    let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = value
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    // A result line, or an envelope that is one object.
    if let Some(said) = text(value, "result").or_else(|| text(value, "response")) {
        *result = Some(said);
        return;
    }
    let item = value.get("item").or(value.get("msg")).unwrap_or(value);
    let of = item.get("type").and_then(Value::as_str).unwrap_or(kind);
    match of {
        "agent_message" => {
            if let Some(said) = text(item, "text").or_else(|| text(item, "message")) {
                *message = Some(said);
            }
        }
        "assistant" | "message" if role(value) != Some("user") => {
            let said = value.get("message").unwrap_or(value);
            if let Some(said) = said.get("content").and_then(blocks) {
                *message = Some(said);
            }
        }
        "text" => {
            let part = value.get("part").unwrap_or(value);
            if let Some(said) = text(part, "text") {
                *message = Some(said);
            }
        }
        _ => {}
    }
}

fn role(value: &Value) -> Option<&str> {
    let of = value.get("message").unwrap_or(value);
    of.get("role").and_then(Value::as_str)
}

/// The text of a message's content: a string, or blocks of which some are text.
fn blocks(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let texts: Vec<&str> = content
        .as_array()?
        .iter()
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(ANSWER);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("out");
        std::fs::write(&file, text).expect("written");
        of(&file)
    }

    #[test]
    fn the_result_goes_before_the_last_message_and_that_before_plain_text() {
        let said = |t: &str| answer(t).unwrap_or_default();
        assert_eq!(said("Plain\ntext\n"), "Plain\ntext");
        assert_eq!(said("{\"type\":\"result\",\"result\":\"R\"}"), "R");
        assert_eq!(said("{\n\"response\": \"R\"\n}\n"), "R");
        let stream = "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":\
                      [{\"type\":\"text\",\"text\":\"M\"}]}}\n";
        assert_eq!(said(stream), "M");
        let result = "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"R\"}\n";
        assert_eq!(said(&format!("{result}{stream}")), "R");
        let items = "{\"type\":\"item.completed\",\"item\":{\"type\":\"reasoning\",\"text\":\"no\"}}\n\
                     {\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"M\"}}\n\
                     {\"type\":\"turn.completed\",\"usage\":{}}\n";
        assert_eq!(said(items), "M");
    }

    #[test]
    fn a_stream_that_says_nothing_has_no_answer() {
        assert_eq!(answer(""), None);
        assert_eq!(answer("{\"type\":\"system\"}\n"), None);
        let user = "{\"type\":\"message\",\"role\":\"user\",\"content\":\"asked\"}\n";
        assert_eq!(answer(user), None);
    }
}
