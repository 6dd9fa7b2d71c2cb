//! Gemini CLI's `--output-format json`: one object with what each model used in the whole run.
//!
//! The prompt holds what was read from the cache; candidates leave thoughts out; `roles` tells the
//! same again. What a failed run printed has no statistics.

use serde_json::Value;

use super::amount::{Amount, Buckets, text};
use super::draft::{Draft, Use, warning};
use super::{Format, SessionReader, failure};
use crate::intake::json::Told;
use crate::record::{Session, Status};

/// Reads it.
pub(super) struct GeminiResult {
    draft: Draft,
}

impl GeminiResult {
    /// An empty one.
    pub(super) fn new() -> GeminiResult {
        GeminiResult {
            draft: Draft::new(Format::GeminiResult),
        }
    }

    fn models(&mut self, models: &serde_json::Map<String, Value>) {
        let (mut calls, mut errors, mut latency) = (Amount::Absent, Amount::Absent, Amount::Absent);
        for (name, used) in models {
            let none = Value::Null;
            let api = used.get("api").unwrap_or(&none);
            calls = calls.plus(Amount::at(api, "totalRequests"));
            errors = errors.plus(Amount::at(api, "totalErrors"));
            latency = latency.plus(Amount::millis(api, "totalLatencyMs"));
            let tokens = used.get("tokens").unwrap_or(&none);
            let at = |key| Amount::at(tokens, key);
            let (cached, thoughts) = (at("cached"), at("thoughts"));
            if cached.is_absent() {
                self.draft.warn(warning::CACHE_SPLIT_UNKNOWN);
            }
            let buckets = Buckets {
                input: at("prompt").needed().less(cached).plus(at("tool")),
                output: at("candidates").needed().plus(thoughts),
                cache_read: cached,
                reasoning: thoughts,
                ..Buckets::default()
            };
            let used = Use {
                buckets,
                ..Use::default()
            };
            self.draft.used(Some(name), used);
        }
        self.draft.session.api_calls = calls.known();
        self.draft.session.duration_api_ms = latency.known();
        if let Some(count) = errors.known() {
            self.draft.retried(count, Amount::Absent);
        }
    }
}

impl SessionReader for GeminiResult {
    fn object(&mut self, object: &Value) {
        self.draft.id(text(object, "session_id"));
        let stats = object.get("stats");
        let models = stats
            .and_then(|s| s.get("models"))
            .and_then(Value::as_object);
        if let Some(models) = models {
            self.models(models);
        }
        if let Some(tools) = stats.and_then(|s| s.get("tools")) {
            self.draft.session.tool_calls = Amount::at(tools, "totalCalls").known();
            self.draft.session.tool_errors = Amount::at(tools, "totalFail").known();
        }
        self.draft.session.status = match object.get("error").filter(|e| !e.is_null()) {
            Some(error) => ended(error),
            None if stats.is_some() || object.get("response").is_some() => Status::Success,
            None => Status::Unknown,
        };
    }

    fn finish(self: Box<Self>, told: &Told) -> Session {
        let session = &self.draft.session;
        let (calls, errors) = (session.tool_calls, session.tool_errors);
        let mut session = self.draft.finish(told);
        // Told as numbers, not call by call.
        (session.tool_calls, session.tool_errors) = (calls, errors);
        session
    }
}

/// What an error of Gemini CLI says of the end; 53 is its exit code for the limit of turns.
pub(super) fn ended(error: &Value) -> Status {
    let kind = text(error, "type").unwrap_or_default();
    let message = text(error, "message").unwrap_or_default();
    match Amount::<u64>::at(error, "code").known() {
        Some(53) => return Status::MaxTurns,
        Some(130) => return Status::Interrupted,
        Some(code) => {
            if let Some(status) = failure::of_code(code) {
                return status;
            }
        }
        None => {}
    }
    match kind {
        "FatalTurnLimitedError" => Status::MaxTurns,
        "FatalCancellationError" | "AbortError" => Status::Interrupted,
        _ => failure::of_message(message),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;

    fn result(tokens: &Value) -> Session {
        let api = json!({"totalRequests": 2, "totalErrors": 0, "totalLatencyMs": 9.4});
        let models = json!({"m": {"api": api, "tokens": tokens}});
        read(
            GeminiResult::new(),
            &[json!({"session_id": "s", "stats": {"models": models}})],
        )
    }

    #[test]
    fn the_sample_reads_as_expected() {
        let session = sample(GeminiResult::new(), "gemini-result-success");
        assert_eq!(session.transcript, None);
    }

    #[test]
    fn thoughts_are_added_to_candidates_and_the_cached_part_taken_out_of_the_prompt() {
        let session = result(
            &json!({"prompt": 100, "candidates": 7, "thoughts": 3, "cached": 40,
            "tool": 2, "total": 112}),
        );
        let tokens = session.tokens;
        assert_eq!((tokens.input, tokens.output), (Some(62), Some(10)));
        assert_eq!((tokens.cache_read, tokens.reasoning), (Some(40), Some(3)));
        assert_eq!(
            (session.duration_api_ms, session.tool_calls),
            (Some(9), None)
        );
    }

    #[test]
    fn an_older_version_without_its_cached_part_is_not_split() {
        let session = result(&json!({"prompt": 100, "candidates": 7}));
        assert_eq!(
            (session.tokens.input, session.tokens.cache_read),
            (Some(100), None)
        );
        assert!(session.warnings.contains("cache_split_unknown"));
    }

    #[test]
    fn contradicting_and_hostile_figures_are_unknown() {
        for tokens in [
            json!({"prompt": 10, "cached": 40, "candidates": u64::MAX, "thoughts": 1}),
            json!({"prompt": "10", "cached": 4, "candidates": -1}),
            json!(null),
            json!([1, 2]),
        ] {
            let session = result(&tokens);
            assert_eq!(
                (session.tokens.input, session.tokens.output),
                (None, None),
                "{tokens}"
            );
        }
    }

    #[test]
    fn a_failure_has_a_status_and_no_figures() {
        let status = |error: Value| {
            let session = read(
                GeminiResult::new(),
                &[json!({"session_id": "s", "error": error})],
            );
            assert!(session.warnings.contains("no_usage"));
            session.status
        };
        let limited = json!({"type": "Error", "message": "Quota exceeded for requests"});
        assert_eq!(status(limited), Status::RateLimited);
        let turns = json!({"type": "FatalTurnLimitedError", "message": "", "code": 53});
        assert_eq!(status(turns), Status::MaxTurns);
        assert_eq!(
            status(json!({"code": 503, "message": "x"})),
            Status::Overloaded
        );
        let cancelled = json!({"type": "FatalCancellationError", "message": "x"});
        assert_eq!(status(cancelled), Status::Interrupted);
    }
}
