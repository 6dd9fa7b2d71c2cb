//! Amp's `--stream-json`: lines like Claude Code's, whose usage is final, and no dollars.

use serde_json::Value;

use super::amount::{Amount, moment, text};
use super::anthropic::failure;
use super::claude_result;
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
    status: Option<Status>,
    duration_ms: Amount<u64>,
    num_turns: Amount<u64>,
    results: Seen,
    has_messages: bool,
}

impl Stream {
    pub(super) fn new() -> Stream {
        Stream {
            draft: Draft::new(Format::AmpStream),
            messages: Messages::default(),
            status: None,
            duration_ms: Amount::Absent,
            num_turns: Amount::Absent,
            results: Seen::default(),
            has_messages: false,
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
}

impl SessionReader for Stream {
    fn object(&mut self, object: &Value) {
        self.draft.id(text(object, "session_id"));
        let kind = text(object, "type").unwrap_or_default();
        if ["system", "user", "assistant"].contains(&kind) {
            self.has_messages = true;
            self.draft.shows_calls();
        }
        let message = object.get("message");
        match (kind, message) {
            ("user", Some(message)) => {
                let place = self.place(object);
                self.messages.user(&mut self.draft, message, place);
            }
            ("assistant", Some(message)) => {
                let place = self.place(object);
                if let Some(id) = text(message, "id").or_else(|| text(object, "uuid")) {
                    self.messages.assistant(&mut self.draft, message, id, place);
                }
            }
            // A line that stands twice.
            ("result", _) if !self.results.first(&object.to_string()) => {
                self.draft.warn(warning::DUPLICATE_ENTRIES);
            }
            ("result", _) => {
                self.status = Some(status(object));
                let duration = Amount::millis(object, "duration_ms");
                self.duration_ms = self.duration_ms.plus(duration);
                self.num_turns = self.num_turns.plus(Amount::at(object, "num_turns"));
            }
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        if self.has_messages {
            self.draft.session.api_calls = self.messages.count();
        }
        self.messages.add(&mut self.draft, true);
        self.messages.tell(&mut self.draft, true);
        self.draft.session.duration_ms = self.duration_ms.known();
        self.draft.session.num_turns = self.num_turns.known();
        self.draft.session.status = self.status.unwrap_or(Status::Interrupted);
        if self.status.is_none() {
            self.draft.warn(warning::NO_RESULT_LINE);
        }
        if self.messages.lifetime_unstated {
            self.draft.warn(warning::CACHE_TTL_UNSTATED);
        }
        if self.messages.over {
            self.draft.warn(warning::TOO_MANY_IDS);
        }
        self.draft.finish(told)
    }
}

fn status(object: &Value) -> Status {
    match claude_result::status(object) {
        Status::Error => failure(None, None, text(object, "error").unwrap_or_default()),
        told => told,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_without_a_result_was_interrupted_and_keeps_its_tokens() {
        let mut reader = Box::new(Stream::new());
        reader.object(
            &json!({"type": "assistant", "session_id": "T-1", "message": {"id": "m",
            "model": "x", "content": [], "usage": {"input_tokens": 4, "output_tokens": 5}}}),
        );
        let session = reader.finish(&Told::default());
        assert_eq!(session.status, Status::Interrupted);
        assert_eq!(
            (session.tokens.input, session.tokens.output),
            (Some(4), Some(5))
        );
        assert_eq!((session.api_calls, session.tool_calls), (Some(1), Some(0)));
    }

    #[test]
    fn the_text_of_an_error_says_which_it_was() {
        let told = json!({"subtype": "error_during_execution", "is_error": true,
            "error": "429: rate limit exceeded"});
        assert_eq!(status(&told), Status::RateLimited);
        let told = json!({"subtype": "error_during_execution", "is_error": true, "error": "no"});
        assert_eq!(status(&told), Status::Error);
    }
}
