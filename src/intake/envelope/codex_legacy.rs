//! Codex's `exec --json` before threads and turns: a line with the settings, one with the prompt,
//! then `msg` events.
//!
//! The older of its two forms tells the tokens of each call; the newer one those of all so far,
//! sends the same again, and sends none before the first call.

use serde_json::Value;

use super::amount::{Amount, Buckets, text, whole};
use super::answering::Answering;
use super::codex::{Counted, is_retry_notice, mcp_failed};
use super::draft::{Draft, warning};
use super::events::{Seen, Target};
use super::{Format, SessionReader, failure};
use crate::intake::json::Told;
use crate::record::{Does, Session, Status};

/// Reads it.
pub(super) struct CodexLegacy {
    draft: Draft,
    answering: Answering,
    model: Option<String>,
    /// All so far, in the newer form.
    so_far: Option<Counted>,
    /// The event before, where it told a call's tokens.
    before: Option<Value>,
    calls: u64,
    tasks: u64,
    finished: Seen,
    /// The last event says that the work is done.
    done: bool,
    aborted: bool,
    failed: Option<Status>,
}

impl CodexLegacy {
    /// An empty one.
    pub(super) fn new() -> CodexLegacy {
        let mut draft = Draft::new(Format::CodexExecLegacy);
        draft.shows_calls();
        draft.retried(0, Amount::Absent);
        CodexLegacy {
            draft,
            answering: Answering::default(),
            model: None,
            so_far: None,
            before: None,
            calls: 0,
            tasks: 0,
            finished: Seen::default(),
            done: false,
            aborted: false,
            failed: None,
        }
    }

    fn tokens(&mut self, message: &Value) {
        let counted = match message.get("info") {
            Some(Value::Null) => return,
            Some(info) => {
                let Some(total) = info.get("total_token_usage").filter(|t| t.is_object()) else {
                    return;
                };
                let total = Counted::read(total);
                let before = self.so_far.replace(total);
                if before == Some(total) {
                    self.draft.warn(warning::DUPLICATE_ENTRIES);
                    return;
                }
                let before = before.unwrap_or_default();
                if total.went_down(before) {
                    self.draft.tokens(self.model.as_deref(), Buckets::UNUSABLE);
                }
                total.since(before)
            }
            // Something comes between two calls.
            None if self.before.as_ref() == Some(message) => {
                self.draft.warn(warning::DUPLICATE_ENTRIES);
                return;
            }
            None => {
                self.before = Some(message.clone());
                Counted::read(message)
            }
        };
        self.calls += 1;
        counted.warn(&mut self.draft);
        let (model, buckets) = (self.model.as_deref(), counted.buckets());
        self.draft.tokens(model, buckets);
        let tokens = Some(buckets.tokens());
        self.answering
            .told(&mut self.draft, None, None, model, tokens);
    }

    fn begin(&mut self, message: &Value, tool: &str) {
        let Some(id) = text(message, "call_id") else {
            return;
        };
        self.answering.block(&mut self.draft, None);
        if !self.draft.call(id) {
            return;
        }
        let changes = message.get("changes").and_then(Value::as_object);
        let path = changes
            .filter(|c| c.len() == 1)
            .and_then(|c| c.keys().next());
        let does = if changes.is_some() {
            Does::Write
        } else {
            Does::Other
        };
        let target = Target {
            path: path.map(String::as_str),
            ..Target::default()
        };
        self.draft.events.call(0, None, id, tool, does, &target);
    }

    fn end(&mut self, message: &Value) {
        let Some(id) = text(message, "call_id") else {
            return;
        };
        // Its beginning may be in a line that could not be read.
        self.draft.call(id);
        if !self.finished.first(id) {
            return;
        }
        let exit = whole(message.get("exit_code"));
        let failed = exit.is_some_and(|code| code != 0)
            || message.get("success") == Some(&Value::Bool(false))
            || message.get("result").is_some_and(mcp_failed);
        if failed {
            self.draft.failed(id);
        }
        self.draft.events.result(0, None, id, !failed);
    }
}

impl SessionReader for CodexLegacy {
    fn object(&mut self, object: &Value) {
        let Some(message) = object.get("msg") else {
            if let Some(model) = text(object, "model") {
                self.model = Some(model.to_owned());
                self.draft.model(model);
            }
            return;
        };
        let kind = text(message, "type").unwrap_or_default();
        if kind != "token_count" {
            self.before = None;
            self.done = matches!(
                kind,
                "agent_message" | "task_complete" | "shutdown_complete"
            );
        }
        match kind {
            "token_count" => self.tokens(message),
            "session_configured" => {
                self.draft.id(text(message, "session_id"));
                if let Some(model) = text(message, "model") {
                    self.model = Some(model.to_owned());
                    self.draft.model(model);
                }
            }
            "task_started" => {
                self.tasks += 1;
                self.draft.events.input(0, None);
            }
            "agent_message" | "agent_reasoning" => self.answering.block(&mut self.draft, None),
            "stream_error" => self.draft.retried(1, Amount::Absent),
            "error" => {
                let said = text(message, "message").unwrap_or_default();
                if is_retry_notice(said) {
                    self.draft.retried(1, Amount::Absent);
                } else {
                    self.failed = Some(failure::of_message(said));
                }
            }
            "turn_aborted" => self.aborted = true,
            _ => {
                if let Some(tool) = kind.strip_suffix("_begin") {
                    self.begin(message, tool);
                } else if kind.ends_with("_end") {
                    self.end(message);
                }
            }
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        let session = &mut self.draft.session;
        session.status = match self.failed {
            Some(status) => status,
            None if self.done && !self.aborted => Status::Success,
            None => Status::Interrupted,
        };
        session.num_turns = (self.tasks > 0).then_some(self.tasks);
        session.api_calls = (self.calls > 0).then_some(self.calls);
        self.draft.finish(told)
    }
}

#[cfg(test)]
mod tests {
    use super::super::proof::{read_text, sample};
    use super::*;
    use crate::record::Did;

    fn lines(lines: &[&str]) -> Session {
        read_text(CodexLegacy::new(), &lines.join("\n"))
    }

    const SETTINGS: &str = r#"{"model":"gpt-5","provider":"openai"}"#;
    const DONE: &str = r#"{"id":"0","msg":{"type":"agent_message","message":"Done."}}"#;

    fn total(input: i64, output: i64) -> String {
        format!(
            r#"{{"id":"0","msg":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{input},"cached_input_tokens":0,"output_tokens":{output}}}}}}}}}"#
        )
    }

    #[test]
    fn the_samples_read_as_expected_and_tell_each_call() {
        let session = sample(CodexLegacy::new(), "codex-exec-legacy-percall");
        let events = session.transcript.expect("events").events;
        let outputs: Vec<_> = events
            .iter()
            .filter_map(|e| match &e.what {
                Did::Answer { tokens, .. } => tokens.and_then(|t| t.output),
                _ => None,
            })
            .collect();
        assert_eq!(outputs, [150, 420, 310, 22]);
        let session = sample(CodexLegacy::new(), "codex-exec-legacy-cumulative");
        let events = session.transcript.expect("events").events;
        let answers = events
            .iter()
            .filter(|e| matches!(e.what, Did::Answer { .. }));
        assert_eq!(answers.count(), 3, "repeats are no answers");
    }

    #[test]
    fn what_an_answer_called_stands_after_it() {
        let session = sample(CodexLegacy::new(), "codex-exec-legacy-percall");
        let kinds: Vec<_> = session
            .transcript
            .expect("events")
            .events
            .iter()
            .map(|e| match &e.what {
                Did::Input => 'i',
                Did::Answer { .. } => 'a',
                Did::Call {
                    does: Does::Write, ..
                } => 'w',
                Did::Call { .. } => 'c',
                Did::Result { .. } => 'r',
            })
            .collect();
        assert_eq!(kinds.iter().collect::<String>(), "iacracrawra");
    }

    #[test]
    fn counts_of_all_so_far_that_go_down_are_unknown() {
        let session = lines(&[SETTINGS, &total(100, 5), &total(50, 9), DONE]);
        assert_eq!((session.tokens.input, session.tokens.output), (None, None));
        let session = lines(&[
            SETTINGS,
            &total(100, 5),
            &total(100, 5),
            &total(150, 9),
            DONE,
        ]);
        assert_eq!(
            (session.tokens.input, session.api_calls),
            (Some(150), Some(2))
        );
        assert!(session.warnings.contains("duplicate_entries"));
        let session = lines(&[SETTINGS, &total(-1, 5), DONE]);
        assert_eq!(session.tokens.input, None);
    }

    #[test]
    fn an_old_call_without_its_cached_part_is_not_split() {
        let call = r#"{"id":"0","msg":{"type":"token_count","input_tokens":9,"output_tokens":1}}"#;
        let session = lines(&[SETTINGS, call, DONE]);
        assert_eq!(
            (session.tokens.input, session.tokens.cache_read),
            (Some(9), None)
        );
        assert!(session.warnings.contains("cache_split_unknown"));
    }

    #[test]
    fn the_end_is_told_by_the_last_event() {
        let begun = r#"{"id":"0","msg":{"type":"exec_command_begin","call_id":"c"}}"#;
        assert_eq!(lines(&[SETTINGS, DONE]).status, Status::Success);
        assert_eq!(lines(&[SETTINGS, DONE, begun]).status, Status::Interrupted);
        let error = r#"{"id":"0","msg":{"type":"error","message":"usage limit"}}"#;
        assert_eq!(lines(&[SETTINGS, error]).status, Status::RateLimited);
        let again = r#"{"id":"0","msg":{"type":"stream_error","message":"x; retrying 1/5 in 2s"}}"#;
        let session = lines(&[SETTINGS, again, DONE]);
        assert_eq!(session.api_retries.map(|r| r.count), Some(1));
        assert_eq!(session.status, Status::Success);
        assert_eq!(session.num_turns, None);
    }

    #[test]
    fn an_end_without_its_beginning_is_a_call_all_the_same() {
        let end = r#"{"id":"0","msg":{"type":"patch_apply_end","call_id":"c","success":false}}"#;
        let session = lines(&[SETTINGS, end, end, DONE]);
        assert_eq!(
            (session.tool_calls, session.tool_errors),
            (Some(1), Some(1))
        );
    }
}
