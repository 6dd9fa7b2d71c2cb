//! Which format a file is in, told by its content alone.
//!
//! Agents share line shapes, keys come in any order, and what marks a format may stand in any
//! line; so all objects are looked at once, each kind of mark is noted, and the first format in a
//! fixed order whose marks were seen is the one.

use std::io;

use serde_json::Value;

use super::Format;
use crate::intake::json::{self, Told};
use crate::record::Source;

/// What a file was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing but white space.
    Empty,
    /// None of the known formats.
    Unknown,
    /// This one.
    Format(Format),
}

/// Says which format `source` is in. Reads all of it, once or twice, and keeps none of it.
///
/// # Errors
/// Those of reading.
pub fn of(source: &mut dyn Source) -> io::Result<Found> {
    let mut marks = Marks::default();
    let told = json::objects(source, &mut |object| marks.object(&object))?;
    Ok(if told.blank {
        Found::Empty
    } else {
        marks.format(&told).map_or(Found::Unknown, Found::Format)
    })
}

/// What was seen in the objects of one file.
#[derive(Debug, Default)]
pub(super) struct Marks {
    objects: u64,
    /// What the first object is where there is nothing else in the file.
    alone: Option<Format>,
    without_id_and_source: bool,
    with_action: bool,
    /// One bit for each of [`ANYWHERE`], in its order.
    seen: u32,
}

/// A format, and whether an object bears its mark.
type Mark = (Format, fn(&Value) -> bool);

/// Marks that may stand in any object, in the order in which they decide.
const ANYWHERE: [Mark; 19] = [
    (Format::CodexRollout, codex_rollout),
    (Format::CodexExec, codex_exec),
    (Format::CodexExecLegacy, codex_exec_legacy),
    (Format::OpencodeRun, opencode_run),
    (Format::AiderAnalytics, aider_analytics),
    (Format::CursorStream, cursor_stream),
    (Format::AmpStream, amp_session),
    (Format::ClaudeTranscript, claude_transcript),
    (Format::ClaudeStream, claude_stream),
    (Format::GeminiStream, gemini_stream),
    (Format::GooseStream, goose_stream),
    (Format::SweAgentTrajectory, swe_agent),
    (Format::CopilotStream, copilot_stream),
    (Format::OpenhandsState, openhands_state),
    // Weaker marks: of older versions, and of streams without their beginning or end.
    (Format::CodexExec, codex_item),
    (Format::ClaudeStream, claude_stream_before_1_0_22),
    (Format::ClaudeStream, claude_init_without_version),
    (Format::ClaudeStream, claude_message),
    (Format::CopilotStream, copilot_events),
];

impl Marks {
    /// Looks at the next object.
    pub(super) fn object(&mut self, object: &Value) {
        if self.objects == 0 {
            self.alone = alone(object);
        }
        self.objects += 1;
        let has = |key| object.get(key).is_some();
        self.without_id_and_source |= !(has("id") && has("source"));
        self.with_action |= has("action");
        for (bit, (_, mark)) in ANYWHERE.iter().enumerate() {
            if self.seen & (1 << bit) == 0 && mark(object) {
                self.seen |= 1 << bit;
            }
        }
    }

    /// The format; `told` is what the text was beside its objects.
    pub(super) fn format(&self, told: &Told) -> Option<Format> {
        if told.object && self.alone.is_some() {
            return self.alone;
        }
        let all = self.objects > 0 && !self.without_id_and_source && told.other_elements == 0;
        if told.array && all && self.with_action {
            return Some(Format::OpenhandsTrajectory);
        }
        let bit = self.seen.trailing_zeros() as usize;
        let (format, _) = ANYWHERE.get(bit)?;
        Some(match format {
            Format::ClaudeStream if told.array || told.object => Format::ClaudeResult,
            format => *format,
        })
    }
}

fn is(object: &Value, key: &str, one_of: &[&str]) -> bool {
    let value = object.get(key).and_then(Value::as_str);
    value.is_some_and(|v| one_of.contains(&v))
}

fn begins(object: &Value, key: &str, with: &str) -> bool {
    let value = object.get(key).and_then(Value::as_str);
    value.is_some_and(|v| v.starts_with(with))
}

fn is_object(object: &Value, key: &str) -> bool {
    object.get(key).is_some_and(Value::is_object)
}

fn has(object: &Value, key: &str) -> bool {
    object.get(key).is_some()
}

/// What a file that is this one object is.
fn alone(object: &Value) -> Option<Format> {
    if begins(object, "trajectory_format", "mini-swe-agent") {
        return Some(Format::MiniSweAgentTrajectory);
    }
    if has(object, "had_error") && object.get("usage").is_some_and(|u| has(u, "net_tokens")) {
        return Some(Format::SlopCodeBenchInference);
    }
    if has(object, "modelMetrics")
        && (has(object, "totalNanoAiu") || has(object, "aiCreditsStatus"))
    {
        return Some(Format::CopilotUsage);
    }
    if gemini_result(object) {
        return Some(Format::GeminiResult);
    }
    if is(object, "type", &["result"]) {
        if has(object, "total_cost_usd") {
            return Some(Format::ClaudeResult);
        }
        if begins(object, "session_id", "T-") {
            return Some(Format::AmpStream);
        }
        let usage = object.get("usage");
        let camel = usage.is_some_and(|u| has(u, "inputTokens") || has(u, "outputTokens"));
        if has(object, "request_id") || camel {
            return Some(Format::CursorStream);
        }
    }
    None
}

fn gemini_result(object: &Value) -> bool {
    const KEYS: [&str; 5] = ["session_id", "error", "response", "stats", "warnings"];
    let stats = object.get("stats");
    if stats.is_some_and(|s| is_object(s, "models")) && !has(object, "type") {
        return true;
    }
    let error = object.get("error").and_then(|e| e.get("message"));
    let only = object
        .as_object()
        .is_some_and(|o| o.keys().all(|k| KEYS.contains(&k.as_str())));
    only && error.is_some_and(Value::is_string)
}

fn codex_rollout(object: &Value) -> bool {
    is(object, "type", &["session_meta"]) && has(object, "payload")
        || is(object, "type", &["token_usage_record", "turn_context"])
}

fn codex_exec(object: &Value) -> bool {
    const TYPES: [&str; 4] = [
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
    ];
    // The form before that: sessions, and items with another name for their type.
    let before = is(object, "type", &["session.created"]) && has(object, "session_id")
        || begins(object, "type", "item.")
            && object.get("item").is_some_and(|i| has(i, "item_type"));
    is(object, "type", &TYPES) || before
}

fn codex_item(object: &Value) -> bool {
    let item = object.get("item");
    begins(object, "type", "item.")
        && item.is_some_and(|i| has(i, "id") && (has(i, "type") || has(i, "item_type")))
}

fn codex_exec_legacy(object: &Value) -> bool {
    object
        .get("msg")
        .and_then(|m| m.get("type"))
        .is_some_and(Value::is_string)
}

fn opencode_run(object: &Value) -> bool {
    begins(object, "sessionID", "ses_")
        && (begins(object, "type", "step_") || is(object, "type", &["tool_use", "text", "error"]))
}

fn aider_analytics(object: &Value) -> bool {
    object.get("event").is_some_and(Value::is_string) && is_object(object, "properties")
}

fn cursor_stream(object: &Value) -> bool {
    is(object, "type", &["tool_call"]) && has(object, "model_call_id")
        || is_init(object)
            && has(object, "apiKeySource")
            && !has(object, "tools")
            && !has(object, "claude_code_version")
}

fn amp_session(object: &Value) -> bool {
    begins(object, "session_id", "T-")
}

fn claude_transcript(object: &Value) -> bool {
    is(object, "type", &["user", "assistant", "attachment"])
        && has(object, "sessionId")
        && has(object, "uuid")
}

fn is_init(object: &Value) -> bool {
    is(object, "type", &["system"]) && is(object, "subtype", &["init"])
}

fn claude_stream(object: &Value) -> bool {
    is(object, "type", &["result"]) && has(object, "total_cost_usd")
        || is_init(object) && has(object, "claude_code_version")
}

fn gemini_stream(object: &Value) -> bool {
    is(object, "type", &["init"]) && has(object, "session_id") && has(object, "model")
        || is(object, "type", &["result"]) && is_object(object, "stats")
}

fn goose_stream(object: &Value) -> bool {
    let whole = object.get("messages").is_some_and(Value::is_array)
        && object
            .get("metadata")
            .is_some_and(|m| has(m, "total_tokens") && has(m, "status"));
    whole
        || is(object, "type", &["complete"]) && has(object, "total_tokens")
        || is(object, "type", &["message"]) && object.get("message").is_some_and(|m| has(m, "role"))
}

fn swe_agent(object: &Value) -> bool {
    let stats = object.get("info").and_then(|i| i.get("model_stats"));
    stats.is_some_and(|s| has(s, "tokens_sent")) && has(object, "trajectory")
}

fn copilot_stream(object: &Value) -> bool {
    is(object, "type", &["result"])
        && has(object, "sessionId")
        && has(object, "exitCode")
        && object
            .get("usage")
            .is_some_and(|u| has(u, "premiumRequests"))
}

fn openhands_state(object: &Value) -> bool {
    let stats = object.get("stats");
    is_object(object, "usage_to_metrics") || stats.is_some_and(|s| is_object(s, "usage_to_metrics"))
}

fn claude_stream_before_1_0_22(object: &Value) -> bool {
    is(object, "type", &["result"])
        && has(object, "total_cost")
        && has(object, "session_id")
        && has(object, "num_turns")
}

fn claude_init_without_version(object: &Value) -> bool {
    is_init(object) && has(object, "tools") && has(object, "session_id") && has(object, "model")
}

fn claude_message(object: &Value) -> bool {
    is(object, "type", &["assistant", "user"])
        && is_object(object, "message")
        && has(object, "session_id")
        && has(object, "parent_tool_use_id")
}

/// A Copilot stream that was cut off before its result.
fn copilot_events(object: &Value) -> bool {
    is(object, "type", &["assistant.message", "model.call_failure"]) && is_object(object, "data")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn found(text: &str) -> Found {
        of(&mut Cursor::new(text.as_bytes())).expect("in memory")
    }

    fn is(text: &str, format: Format) {
        assert_eq!(found(text), Found::Format(format), "{text}");
    }

    #[test]
    fn lines_that_agents_share_are_told_apart_by_the_order_of_marks() {
        let init = r#"{"type":"system","subtype":"init","session_id":"x","apiKeySource":"env""#;
        is(&format!("{init}}}\n{{}}"), Format::CursorStream);
        is(
            &format!("{init},\"tools\":[],\"claude_code_version\":\"2\"}}\n{{}}"),
            Format::ClaudeStream,
        );
        is(
            &format!("{init},\"tools\":[],\"model\":\"m\"}}\n{{}}"),
            Format::ClaudeStream,
        );
        let thread = init.replace("\"x\"", "\"T-1\"");
        is(&format!("{thread},\"tools\":[]}}\n{{}}"), Format::AmpStream);
        // A log of a run of Claude Code that has what a stream has, too.
        is(
            concat!(
                r#"{"type":"system","subtype":"init","claude_code_version":"2"}"#,
                "\n",
                r#"{"type":"user","sessionId":"s","uuid":"u"}"#
            ),
            Format::ClaudeTranscript,
        );
    }

    #[test]
    fn a_result_alone_is_told_by_what_it_has_and_anywhere_else_by_its_stream() {
        let claude = r#"{"is_error":false,"total_cost_usd":0,"type":"result"}"#;
        is(claude, Format::ClaudeResult);
        is(&format!("Now using node\n{claude}"), Format::ClaudeStream);
        is(&format!("[{claude}]"), Format::ClaudeResult);
        is(
            r#"{"type":"result","session_id":"s","num_turns":1,"total_cost":0.1}"#,
            Format::ClaudeResult,
        );
        is(
            r#"{"type":"result","request_id":"r"}"#,
            Format::CursorStream,
        );
        is(
            r#"{"type":"result","usage":{"inputTokens":1}}"#,
            Format::CursorStream,
        );
        is(
            r#"{"type":"result","session_id":"T-1","request_id":"r"}"#,
            Format::AmpStream,
        );
        is(r#"{"error":{"message":"no"}}"#, Format::GeminiResult);
        assert_eq!(found(r#"{"error":{"message":"no"},"x":1}"#), Found::Unknown);
    }

    #[test]
    fn an_array_is_a_trajectory_only_where_every_element_is_an_event() {
        let event = r#"{"id":0,"source":"agent","action":"run"}"#;
        is(&format!("[{event}]"), Format::OpenhandsTrajectory);
        for other in ["1", "{\"id\":1}", "[]"] {
            assert_eq!(
                found(&format!("[{event},{other}]")),
                Found::Unknown,
                "{other}"
            );
        }
        assert_eq!(found(event), Found::Unknown);
        assert_eq!(found("[]"), Found::Unknown);
    }

    #[test]
    fn a_first_rollout_and_other_objects_are_nobodys() {
        assert_eq!(found("\u{feff} \r\n"), Found::Empty);
        for text in [
            "{}",
            "null",
            "text",
            r#"{"id":"x","timestamp":"t","git":{}}"#,
        ] {
            assert_eq!(found(text), Found::Unknown, "{text}");
        }
    }
}
