//! Gemini CLI's `--output-format stream-json`.
//!
//! Its result's output leaves thoughts out, so that output is the total less the prompt; how much
//! of it was thought is not told. A result that is an error has true tokens and a duration of 0.

use serde_json::Value;

use super::amount::{Amount, Buckets, moment, text};
use super::answering::Answering;
use super::draft::{Draft, warning};
use super::events::Seen;
use super::gemini_result::ended;
use super::{Format, SessionReader, tools};
use crate::intake::json::Told;
use crate::record::{Session, Status};

/// Reads it.
pub(super) struct GeminiStream {
    draft: Draft,
    answering: Answering,
    finished: Seen,
    model: Option<String>,
    /// Statistics of the last result: what the whole run used.
    stats: Option<Value>,
    status: Option<Status>,
    duration: Option<u64>,
}

impl GeminiStream {
    /// An empty one.
    pub(super) fn new() -> GeminiStream {
        let mut draft = Draft::new(Format::GeminiStream);
        draft.shows_calls();
        GeminiStream {
            draft,
            answering: Answering::default(),
            finished: Seen::default(),
            model: None,
            stats: None,
            status: None,
            duration: None,
        }
    }

    fn result(&mut self, object: &Value) {
        let error = object.get("error").filter(|e| !e.is_null());
        let success = error.is_none() && text(object, "status") == Some("success");
        self.status = Some(match error {
            Some(error) => ended(error),
            None if success => Status::Success,
            None => Status::Error,
        });
        let stats = object.get("stats").filter(|s| s.is_object());
        let duration = stats.and_then(|s| Amount::millis(s, "duration_ms").known());
        self.duration = duration.filter(|ms| success || *ms > 0);
        self.stats = stats.cloned();
    }

    /// What `stats` of a model or of all say.
    fn buckets(&mut self, stats: &Value) -> Buckets {
        let at = |key| Amount::at(stats, key);
        let (prompt, cached) = (at("input_tokens").needed(), at("cached"));
        if cached.is_absent() {
            self.draft.warn(warning::CACHE_SPLIT_UNKNOWN);
        }
        self.draft.warn(warning::OUTPUT_FROM_TOTAL);
        Buckets {
            input: prompt.less(cached),
            output: at("total_tokens").needed().less(prompt),
            cache_read: cached,
            ..Buckets::default()
        }
    }
}

impl SessionReader for GeminiStream {
    fn object(&mut self, object: &Value) {
        let at = moment(object, "timestamp");
        self.draft.saw(at);
        match text(object, "type").unwrap_or_default() {
            "init" => {
                self.draft.id(text(object, "session_id"));
                self.model = text(object, "model").map(str::to_owned);
            }
            "message" if text(object, "role") == Some("user") => {
                self.answering.close();
                self.draft.events.input(0, at);
            }
            "message" => self.answering.block(&mut self.draft, at),
            "tool_use" => {
                self.answering.block(&mut self.draft, at);
                let Some(id) = text(object, "tool_id") else {
                    return;
                };
                if self.draft.call(id) {
                    let arguments = object.get("parameters").unwrap_or(&Value::Null);
                    let tool = text(object, "tool_name").unwrap_or_default();
                    let (does, target) = (tools::does(tool, arguments), tools::target(arguments));
                    self.draft.events.call(0, at, id, tool, does, &target);
                }
            }
            "tool_result" => {
                self.answering.close();
                let Some(id) = text(object, "tool_id") else {
                    return;
                };
                self.draft.call(id);
                if self.finished.first(id) {
                    let ok = text(object, "status") == Some("success");
                    if !ok {
                        self.draft.failed(id);
                    }
                    self.draft.events.result(0, at, id, ok);
                }
            }
            "result" => self.result(object),
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        if self.status.is_none() {
            self.draft.warn(warning::NO_RESULT_LINE);
        }
        if let Some(stats) = self.stats.take() {
            let models = stats.get("models").and_then(Value::as_object);
            match models.filter(|models| !models.is_empty()) {
                Some(models) => {
                    for (name, used) in models {
                        let buckets = self.buckets(used);
                        self.draft.tokens(Some(name), buckets);
                    }
                }
                // Older: who used them is not told, and side calls are of other models.
                None => {
                    let buckets = self.buckets(&stats);
                    self.draft.tokens(None, buckets);
                }
            }
        }
        let chosen = self.model.as_deref();
        if let Some(model) = chosen.filter(|_| self.draft.session.models.is_empty()) {
            self.draft.model(model);
        }
        let session = &mut self.draft.session;
        session.status = self.status.unwrap_or(Status::Interrupted);
        session.duration_ms = self.duration;
        self.draft.finish(told)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;
    use crate::record::{Did, Does};

    fn init() -> Value {
        json!({"type": "init", "session_id": "s", "model": "m",
            "timestamp": "2026-11-05T06:00:00.000Z"})
    }

    fn result(status: &str, stats: &Value) -> Value {
        json!({"type": "result", "status": status, "stats": stats})
    }

    #[test]
    fn the_sample_reads_as_expected_with_its_calls() {
        let session = sample(GeminiStream::new(), "gemini-stream-turn-limit");
        let events = session.transcript.expect("events").events;
        let told: Vec<_> = events
            .iter()
            .map(|e| match &e.what {
                Did::Input => "input".to_owned(),
                Did::Answer { id, .. } => id.clone(),
                Did::Call { does, path, .. } => {
                    format!("{does:?} {}", path.as_deref().unwrap_or(""))
                }
                Did::Result { ok, .. } => ok.to_string(),
            })
            .collect();
        let file = "/srv/orchard/src/Tax.java";
        let (reads, writes) = (format!("Read {file}"), format!("Write {file}"));
        assert_eq!(
            told,
            ["input", "#1", &reads, "true", "#2", &writes, "false"]
        );
    }

    #[test]
    fn thoughts_are_in_the_total_only() {
        let stats = json!({"total_tokens": 150, "input_tokens": 100, "output_tokens": 10,
            "cached": 30, "duration_ms": 7});
        let session = read(GeminiStream::new(), &[init(), result("success", &stats)]);
        assert_eq!(
            (session.tokens.input, session.tokens.output),
            (Some(70), Some(50))
        );
        assert_eq!(session.tokens.reasoning, None);
        assert!(session.by_model.is_empty(), "who used them is not told");
        assert_eq!(session.models.iter().collect::<Vec<_>>(), ["m"]);
        assert_eq!(
            (session.duration_ms, session.status),
            (Some(7), Status::Success)
        );
    }

    #[test]
    fn without_a_total_output_is_unknown_and_without_a_cached_part_the_split() {
        let stats = json!({"input_tokens": 100, "output_tokens": 10, "duration_ms": 0});
        let session = read(GeminiStream::new(), &[init(), result("error", &stats)]);
        assert_eq!(
            (session.tokens.output, session.tokens.input),
            (None, Some(100))
        );
        assert!(session.warnings.contains("cache_split_unknown"));
        assert_eq!((session.duration_ms, session.status), (None, Status::Error));
    }

    #[test]
    fn a_stream_without_its_result_is_interrupted_and_repeats_count_once() {
        let call = json!({"type": "tool_use", "tool_id": "a", "tool_name": "read_file",
            "parameters": {"absolute_path": "/a", "offset": 10, "limit": 5}});
        let back = json!({"type": "tool_result", "tool_id": "a", "status": "error"});
        let lines = [init(), call.clone(), call, back.clone(), back];
        let session = read(GeminiStream::new(), &lines);
        assert_eq!(
            (session.tool_calls, session.tool_errors),
            (Some(1), Some(1))
        );
        assert_eq!(session.status, Status::Interrupted);
        assert!(
            session.warnings.contains("no_result_line") && session.warnings.contains("no_usage")
        );
        let events = session.transcript.expect("events").events;
        assert!(events.iter().any(|e| matches!(
            &e.what,
            Did::Call {
                does: Does::Read,
                offset: Some(10),
                limit: Some(5),
                ..
            }
        )));
    }
}
