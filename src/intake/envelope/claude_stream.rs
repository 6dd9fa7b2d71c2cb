//! Claude Code's `--output-format stream-json`, and `json` as one result or all messages.
//!
//! The usage of a stream's answers is that of their beginning: what was generated stands in the
//! result alone.

use serde_json::Value;

use super::amount::{Amount, moment, text};
use super::claude_result::Results;
use super::draft::{Draft, warning};
use super::events::Seen;
use super::messages::{Messages, Place};
use super::{Format, SessionReader};
use crate::intake::json::Told;
use crate::record::{Session, Status};

/// Reads one run.
pub(super) struct Stream {
    draft: Draft,
    messages: Messages,
    results: Results,
    lines: Seen,
    /// There are lines beside results.
    has_messages: bool,
    /// Answers came after the last result: it does not have their figures.
    goes_on: bool,
}

impl Stream {
    pub(super) fn new(format: Format) -> Stream {
        Stream {
            draft: Draft::new(format),
            messages: Messages::default(),
            results: Results::default(),
            lines: Seen::default(),
            has_messages: false,
            goes_on: false,
        }
    }

    fn place(&mut self, object: &Value) -> Place {
        let thread = match text(object, "parent_tool_use_id") {
            Some(parent) => self.draft.threads.of(parent),
            None => 0,
        };
        let at = moment(object, "timestamp");
        self.draft.saw(at);
        Place { thread, at }
    }

    fn has_messages(&mut self) {
        self.has_messages = true;
        self.draft.shows_calls();
        self.draft.shows_retries();
    }

    fn assistant(&mut self, object: &Value) {
        let Some(message) = object.get("message") else {
            return;
        };
        if text(message, "model") == Some("<synthetic>") {
            return;
        }
        let Some(id) = text(message, "id").or_else(|| text(object, "uuid")) else {
            return;
        };
        self.goes_on |= !self.messages.has(id);
        let place = self.place(object);
        self.messages.assistant(&mut self.draft, message, id, place);
    }
}

impl SessionReader for Stream {
    fn object(&mut self, object: &Value) {
        let kind = text(object, "type").unwrap_or_default();
        if !["assistant", "user", "result", "system"].contains(&kind) {
            return;
        }
        let repeated = match text(object, "uuid") {
            Some(uuid) => !self.lines.first(uuid),
            // No two turns take as long to the millisecond and say the same.
            None => kind == "result" && !self.lines.first(&object.to_string()),
        };
        if repeated {
            self.draft.warn(warning::DUPLICATE_ENTRIES);
            return;
        }
        self.draft.id(text(object, "session_id"));
        match kind {
            "result" => {
                self.results.line(object);
                self.goes_on = false;
            }
            "assistant" => {
                self.has_messages();
                self.assistant(object);
            }
            "user" => {
                self.has_messages();
                let place = self.place(object);
                if let Some(message) = object.get("message") {
                    self.messages.user(&mut self.draft, message, place);
                }
            }
            _ => {
                self.has_messages();
                match text(object, "subtype") {
                    Some("init") => self.draft.version(text(object, "claude_code_version")),
                    Some("api_retry") => {
                        self.draft
                            .retried(1, Amount::millis(object, "retry_delay_ms"));
                    }
                    _ => {}
                }
            }
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        let ended = !self.results.is_empty() && !self.goes_on;
        if self.has_messages {
            self.draft.session.api_calls = self.messages.count();
            self.messages.tell(&mut self.draft, false);
        }
        if self.messages.over || self.lines.over {
            self.draft.warn(warning::TOO_MANY_IDS);
        }
        if ended {
            let alone = match self.messages.main_models().as_slice() {
                [one] => Some((*one).to_owned()),
                _ => None,
            };
            self.results.finish(&mut self.draft, alone.as_deref());
        } else {
            self.draft.session.status = Status::Interrupted;
            self.draft.warn(warning::NO_RESULT_LINE);
            self.messages.add(&mut self.draft, false);
            if self.messages.count() != Some(0) {
                self.draft.warn(warning::OUTPUT_TOKENS_UNKNOWN);
            }
            if self.messages.lifetime_unstated {
                self.draft.warn(warning::CACHE_TTL_UNSTATED);
            }
        }
        if self.draft.session.models.is_empty() {
            self.messages.name_models(&mut self.draft);
        }
        self.draft.finish(told)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(objects: &[Value]) -> Session {
        let mut reader = Box::new(Stream::new(Format::ClaudeStream));
        objects.iter().for_each(|o| reader.object(o));
        reader.finish(&Told::default())
    }

    fn answer(id: &str) -> Value {
        json!({"type": "assistant", "session_id": "s", "message": {"id": id, "model": "m",
            "content": [], "usage": {"input_tokens": 2, "output_tokens": 1}}})
    }

    fn result(cost: Value) -> Value {
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s",
            "total_cost_usd": cost, "num_turns": 1, "duration_ms": 10.4, "duration_api_ms": 7,
            "usage": {"input_tokens": 5, "output_tokens": 6}})
    }

    #[test]
    fn answers_after_the_last_result_make_its_figures_those_of_less() {
        let all = read(&[answer("a"), result(json!(0.5)), answer("a")]);
        assert_eq!((all.cost_usd, all.status), (Some(0.5), Status::Success));
        let cut = read(&[answer("a"), result(json!(0.5)), answer("b")]);
        assert_eq!((cut.cost_usd, cut.status), (None, Status::Interrupted));
        assert_eq!((cut.tokens.input, cut.tokens.output), (Some(4), None));
        assert!(cut.warnings.contains("no_result_line"));
    }

    #[test]
    fn without_models_the_usage_is_the_main_loops_and_of_the_one_model_there_was() {
        let session = read(&[answer("a"), result(json!(0.5)), result(json!(0.75))]);
        assert_eq!(
            session.by_model["m"].tokens.output,
            Some(12),
            "of both turns"
        );
        assert_eq!((session.cost_usd, session.num_turns), (Some(0.75), Some(2)));
        assert_eq!(
            (session.duration_ms, session.duration_api_ms),
            (Some(20), Some(7))
        );
        assert!(session.warnings.contains("usage_main_loop_only"));
        assert_eq!(read(&[result(json!("0.5"))]).cost_usd, None);
        assert_eq!(read(&[result(json!(-1))]).cost_usd, None);
    }

    #[test]
    fn a_result_alone_says_nothing_of_calls() {
        let session = read(&[result(json!(0))]);
        assert_eq!((session.tool_calls, session.api_calls), (None, None));
        assert_eq!(session.api_retries, None);
        assert_eq!(session.cost_usd, Some(0.0));
    }
}
