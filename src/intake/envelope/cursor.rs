//! Cursor's `--output-format stream-json`, and `json` as one result.
//!
//! Its model is a name for people; its usage stands in results alone and, in older versions,
//! nowhere. The time in the provider's hands repeats the duration and is left out.

use serde_json::Value;

use super::amount::{Amount, Buckets, moment_of_millis, text, whole};
use super::anthropic::failure;
use super::draft::{Draft, Use, warning};
use super::events::{At, Seen, Target, short};
use super::{Format, SessionReader};
use crate::intake::json::Told;
use crate::record::{Does, Session, Status};

/// Reads one run.
pub(super) struct Stream {
    draft: Draft,
    model: Option<String>,
    status: Option<Status>,
    duration_ms: Amount<u64>,
    cost: Amount<f64>,
    buckets: Buckets,
    /// Results with usage, and without.
    results: (u64, u64),
    /// What they were, to know one that stands twice.
    said: Seen,
    /// The answer that goes on, and its event.
    answer: Option<(u64, Option<At>)>,
}

impl Stream {
    pub(super) fn new() -> Stream {
        Stream {
            draft: Draft::new(Format::CursorStream),
            model: None,
            status: None,
            duration_ms: Amount::Absent,
            cost: Amount::Absent,
            buckets: Buckets::default(),
            results: (0, 0),
            said: Seen::default(),
            answer: None,
        }
    }

    /// A line of a model's answer: a new one, or the one that goes on.
    fn answer(&mut self, object: &Value) {
        let Some(id) = text(object, "model_call_id") else {
            return;
        };
        let at = moment_of_millis(object, "timestamp_ms");
        match self.answer {
            Some((same, event)) if same == short(id) => {
                if let Some(event) = event.and_then(|e| self.draft.events.get(e)) {
                    event.at = event.at.max(at);
                }
            }
            _ => {
                let model = self.model.as_deref();
                let event = self.draft.events.answer(0, at, id, model, None);
                self.answer = Some((short(id), event));
            }
        }
    }

    fn tool_call(&mut self, object: &Value) {
        let Some(id) = text(object, "call_id") else {
            return;
        };
        let call = object.get("tool_call").and_then(Value::as_object);
        let named = call.and_then(|c| c.iter().find(|(_, v)| v.is_object()));
        let (name, told) = match named {
            Some((name, told)) => (name.strip_suffix("ToolCall").unwrap_or(name), told),
            None => ("", &Value::Null),
        };
        let at = moment_of_millis(object, "timestamp_ms");
        if text(object, "subtype") != Some("completed") {
            self.answer(object);
        }
        if self.draft.call(id) {
            let args = told.get("args").unwrap_or(&Value::Null);
            let does = match name {
                "read" => Does::Read,
                "edit" | "write" | "delete" => Does::Write,
                _ => Does::Other,
            };
            let number = |key| whole(args.get(key));
            let target = Target {
                path: text(args, "path").filter(|_| does != Does::Other),
                offset: number("offset"),
                limit: number("limit"),
            };
            self.draft.events.call(0, at, id, name, does, &target);
        }
        if text(object, "subtype") == Some("completed") {
            let ok = succeeded(told.get("result").unwrap_or(&Value::Null));
            if !ok {
                self.draft.failed(id);
            }
            self.draft.events.result(0, at, id, ok);
        }
    }

    fn result(&mut self, object: &Value) {
        if !self.said.first(&object.to_string()) {
            self.draft.warn(warning::DUPLICATE_ENTRIES);
            return;
        }
        let is_error = object.get("is_error") == Some(&Value::Bool(true));
        let said = text(object, "result").unwrap_or_default();
        self.status = Some(match is_error {
            true => failure(None, None, said),
            false => Status::Success,
        });
        let duration = Amount::millis(object, "duration_ms");
        self.duration_ms = self.duration_ms.plus(duration);
        let Some(usage) = object.get("usage").filter(|u| u.is_object()) else {
            self.results.1 += 1;
            return;
        };
        self.results.0 += 1;
        self.buckets = self.buckets.plus(Buckets {
            input: Amount::at(usage, "inputTokens").needed(),
            output: Amount::at(usage, "outputTokens").needed(),
            cache_read: Amount::at(usage, "cacheReadTokens"),
            cache_creation_5m: Amount::at(usage, "cacheWriteTokens"),
            ..Buckets::default()
        });
        let cost = match Amount::at(usage, "totalCost") {
            Amount::Absent => Amount::at(usage, "cost"),
            told => told,
        };
        self.cost = self.cost.plus(cost);
    }
}

/// Whether a call's result says that it worked; a command must also have exited with 0.
fn succeeded(result: &Value) -> bool {
    let Some(success) = result.get("success") else {
        return false;
    };
    let exit = whole(success.get("exitCode"));
    exit.is_none_or(|code| code == 0)
}

impl SessionReader for Stream {
    fn object(&mut self, object: &Value) {
        self.draft.id(text(object, "session_id"));
        let at = moment_of_millis(object, "timestamp_ms");
        self.draft.saw(at);
        let kind = text(object, "type").unwrap_or_default();
        if kind != "result" {
            self.draft.shows_calls();
        }
        match kind {
            "system" => {
                if let Some(model) = text(object, "model") {
                    self.model = Some(model.to_owned());
                    self.draft.model(model);
                }
            }
            "user" => self.draft.events.input(0, at),
            "assistant" => self.answer(object),
            "tool_call" => self.tool_call(object),
            "result" => self.result(object),
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        if self.results.0 > 0 && self.results.1 > 0 {
            self.buckets = Buckets::UNUSABLE;
            self.cost = Amount::Unusable;
        }
        if self.results.0 > 0 {
            let used = Use {
                buckets: self.buckets,
                cost: self.cost,
                searches: Amount::Absent,
            };
            self.draft.used(self.model.as_deref(), used);
        }
        if self.buckets.cache_creation_5m.known() > Some(0) {
            self.draft.warn(warning::CACHE_TTL_UNSTATED);
        }
        self.draft.session.cost_usd = self.cost.known();
        self.draft.session.duration_ms = self.duration_ms.known();
        self.draft.session.status = self.status.unwrap_or(Status::Interrupted);
        if self.status.is_none() {
            self.draft.warn(warning::NO_RESULT_LINE);
        }
        self.draft.finish(told)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(objects: &[Value]) -> Session {
        let mut reader = Box::new(Stream::new());
        objects.iter().for_each(|o| reader.object(o));
        reader.finish(&Told::default())
    }

    #[test]
    fn usage_of_several_results_is_added_and_unknown_where_one_has_none() {
        let with = json!({"type": "result", "is_error": false, "duration_ms": 4,
            "usage": {"inputTokens": 5, "outputTokens": 6, "cacheWriteTokens": 2, "cost": 0.5}});
        let without = json!({"type": "result", "is_error": false, "duration_ms": 4});
        let mut next = with.clone();
        next["request_id"] = json!("r2");
        let two = read(&[with.clone(), next]);
        assert_eq!((two.tokens.output, two.cost_usd), (Some(12), Some(1.0)));
        assert_eq!(two.duration_ms, Some(8));
        assert!(two.warnings.contains("cache_ttl_unstated"));
        let mixed = read(&[with, without.clone()]);
        assert_eq!((mixed.tokens.output, mixed.cost_usd), (None, None));
        let none = read(&[without]);
        assert!(none.warnings.contains("no_usage"));
        assert_eq!(none.tool_calls, None, "a result alone");
    }

    #[test]
    fn calls_that_failed_were_refused_or_exited_otherwise() {
        let call = |id: &str, result: Value| {
            json!({"type": "tool_call", "subtype": "completed", "call_id": id,
                "model_call_id": "m", "tool_call": {"shellToolCall": {"args": {"command": "x"},
                    "result": result}}})
        };
        let session = read(&[
            call("a", json!({"success": {"exitCode": 0}})),
            call("b", json!({"success": {"exitCode": 2}})),
            call("c", json!({"error": {}})),
            call("d", json!({"rejected": {}})),
        ]);
        assert_eq!(
            (session.tool_calls, session.tool_errors),
            (Some(4), Some(3))
        );
        assert_eq!(session.status, Status::Interrupted);
    }
}
