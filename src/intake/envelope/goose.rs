//! Goose's `--output-format stream-json`, messages in chunks and a line of totals at the end, and
//! its `--output-format json`, one object with the same messages and less in `metadata`.
//!
//! The prompt holds what was cached. Before totals were split there is one number for everything,
//! which says neither what was sent nor what was written.

use serde_json::Value;

use super::amount::{Amount, Buckets, text};
use super::draft::{Draft, warning};
use super::events::Seen;
use super::{Format, SessionReader, failure, tools};
use crate::intake::json::Told;
use crate::record::{Session, Status};

/// Reads it.
pub(super) struct GooseStream {
    draft: Draft,
    answers: Seen,
    results: Seen,
    totals: Option<Value>,
    failed: Option<Status>,
    status: Status,
}

impl GooseStream {
    /// An empty one.
    pub(super) fn new() -> GooseStream {
        let mut draft = Draft::new(Format::GooseStream);
        draft.shows_calls();
        GooseStream {
            draft,
            answers: Seen::default(),
            results: Seen::default(),
            totals: None,
            failed: None,
            status: Status::Interrupted,
        }
    }

    fn message(&mut self, message: &Value) {
        let role = text(message, "role");
        let id = text(message, "id").unwrap_or_default();
        let none = Vec::new();
        let content = message.get("content").and_then(Value::as_array);
        let content = content.unwrap_or(&none);
        let of_tool = |part: &Value| text(part, "type") == Some("toolResponse");
        if role == Some("user") && !content.iter().any(of_tool) {
            self.draft.events.input(0, None);
        }
        // Chunks share an id.
        if role == Some("assistant") && (id.is_empty() || self.answers.first(id)) {
            self.draft.events.answer(0, None, id, None, None);
        }
        for part in content {
            match text(part, "type") {
                Some("toolRequest") => self.request(part),
                Some("toolResponse") => self.response(part),
                _ => {}
            }
        }
    }

    fn request(&mut self, part: &Value) {
        let Some(id) = text(part, "id") else {
            return;
        };
        if self.draft.call(id) {
            let none = Value::Null;
            let call = part.get("toolCall").and_then(|c| c.get("value"));
            let call = call.unwrap_or(&none);
            let arguments = call.get("arguments").unwrap_or(&none);
            let tool = text(call, "name").unwrap_or_default();
            let (does, target) = (tools::does(tool, arguments), tools::target(arguments));
            self.draft.events.call(0, None, id, tool, does, &target);
        }
    }

    fn response(&mut self, part: &Value) {
        let Some(id) = text(part, "id") else {
            return;
        };
        self.draft.call(id);
        if self.results.first(id) {
            let result = part.get("toolResult").unwrap_or(&Value::Null);
            let wrong = result.get("value").and_then(|v| v.get("isError"));
            let ok = text(result, "status") == Some("success") && wrong != Some(&Value::Bool(true));
            if !ok {
                self.draft.failed(id);
            }
            self.draft.events.result(0, None, id, ok);
        }
    }

    fn totals(&mut self, totals: &Value) {
        let at = |key| Amount::<u64>::at(totals, key);
        let (prompt, output) = (at("input_tokens"), at("output_tokens"));
        if prompt.is_absent() && output.is_absent() {
            return;
        }
        let read = at("cache_read_input_tokens");
        let written = at("cache_write_input_tokens");
        if read.is_absent() && written.is_absent() {
            self.draft.warn(warning::CACHE_SPLIT_UNKNOWN);
        }
        if written.known().is_some_and(|n| n > 0) {
            self.draft.warn(warning::CACHE_TTL_UNSTATED);
        }
        let buckets = Buckets {
            input: prompt.needed().less(read).less(written),
            output: output.needed(),
            cache_read: read,
            cache_creation_5m: written,
            ..Buckets::default()
        };
        self.draft.tokens(None, buckets);
        let used = prompt != Amount::Known(0) || output != Amount::Known(0);
        let cost = Amount::<f64>::at(totals, "cost_usd").known();
        // Nothing is what a model without a known price costs.
        self.draft.session.cost_usd = cost.filter(|cost| *cost > 0.0 || !used);
    }
}

impl SessionReader for GooseStream {
    fn object(&mut self, object: &Value) {
        match text(object, "type") {
            Some("message") => {
                if let Some(message) = object.get("message") {
                    self.message(message);
                }
            }
            Some("model_change") => {
                if let Some(model) = text(object, "model") {
                    self.draft.model(model);
                }
            }
            Some("error") => {
                let said = text(object, "error").or_else(|| text(object, "message"));
                self.failed = Some(failure::of_message(said.unwrap_or_default()));
            }
            Some("complete") => {
                self.status = Status::Success;
                self.totals = Some(object.clone());
            }
            Some(_) => {}
            None => {
                let messages = object.get("messages").and_then(Value::as_array);
                for message in messages.into_iter().flatten() {
                    self.message(message);
                }
                if let Some(metadata) = object.get("metadata") {
                    self.status = match text(metadata, "status") {
                        Some("completed") => Status::Success,
                        Some("cancelled" | "interrupted") => Status::Interrupted,
                        Some(_) => Status::Error,
                        None => Status::Unknown,
                    };
                    self.totals = Some(metadata.clone());
                }
            }
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        match self.totals.take() {
            Some(totals) => self.totals(&totals),
            None => self.draft.warn(warning::NO_RESULT_LINE),
        }
        self.draft.session.status = self.failed.unwrap_or(self.status);
        self.draft.finish(told)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;
    use crate::record::{Did, Does};

    fn complete(totals: &Value) -> Session {
        let mut line = json!({"type": "complete"});
        let totals = totals.as_object().expect("an object").clone();
        line.as_object_mut().expect("an object").extend(totals);
        read(GooseStream::new(), &[line])
    }

    #[test]
    fn the_samples_read_as_expected_with_their_calls() {
        for name in ["goose-stream", "goose-json"] {
            let session = sample(GooseStream::new(), name);
            let events = session.transcript.expect("events").events;
            let reads = events.iter().filter(|e| {
                matches!(
                    e.what,
                    Did::Call {
                        does: Does::Read,
                        path: Some(_),
                        ..
                    }
                )
            });
            assert_eq!(reads.count(), 1, "{name}");
            let answers = events
                .iter()
                .filter(|e| matches!(e.what, Did::Answer { .. }));
            assert_eq!(answers.count(), 3, "{name}: chunks are one answer");
        }
    }

    #[test]
    fn one_number_for_everything_is_neither_input_nor_output() {
        let session = complete(&json!({"total_tokens": 900}));
        assert_eq!((session.tokens.input, session.tokens.output), (None, None));
        assert!(session.warnings.contains("no_usage"));
        assert_eq!(session.status, Status::Success);
    }

    #[test]
    fn older_totals_do_not_split_the_cache() {
        let session =
            complete(&json!({"total_tokens": 900, "input_tokens": 800, "output_tokens": 100}));
        assert_eq!(
            (session.tokens.input, session.tokens.cache_read),
            (Some(800), None)
        );
        assert!(session.warnings.contains("cache_split_unknown"));
        assert_eq!(session.cost_usd, None);
    }

    #[test]
    fn nothing_is_no_cost_of_used_tokens() {
        let cost = |input: u64, cost: f64| {
            complete(&json!({"total_tokens": 1, "input_tokens": input,
            "output_tokens": 0, "cost_usd": cost}))
            .cost_usd
        };
        assert_eq!(cost(5, 0.0), None);
        assert_eq!(cost(5, 0.5), Some(0.5));
        assert_eq!(cost(0, 0.0), Some(0.0));
        assert_eq!(cost(5, -0.5), None);
    }

    #[test]
    fn an_error_ends_it_whatever_follows_and_a_cut_stream_was_interrupted() {
        let error = json!({"type": "error", "error": "Rate limit exceeded"});
        let done = json!({"type": "complete", "total_tokens": null});
        assert_eq!(
            read(GooseStream::new(), &[error, done]).status,
            Status::RateLimited
        );
        let chunk = json!({"type": "message", "message": {"role": "assistant", "content": []}});
        let session = read(GooseStream::new(), &[chunk]);
        assert_eq!(session.status, Status::Interrupted);
        assert!(session.warnings.contains("no_result_line"));
    }

    #[test]
    fn contradicting_and_hostile_figures_are_unknown() {
        for totals in [
            json!({"input_tokens": 10, "output_tokens": -1, "cache_read_input_tokens": 60}),
            json!({"input_tokens": "10", "output_tokens": 1e300}),
            json!({"input_tokens": 1.5, "output_tokens": [1]}),
        ] {
            let session = complete(&totals);
            assert_eq!(
                (session.tokens.input, session.tokens.output),
                (None, None),
                "{totals}"
            );
        }
    }
}
