//! Claude Code's result lines: what a run of it took, one line or one for each turn of a
//! sub-agent in the background.

use serde_json::Value;

use super::amount::{Amount, Buckets, text};
use super::anthropic::{self, failure, http_status};
use super::draft::{Draft, Use, warning};
use crate::record::Status;

/// Result lines so far.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// The last one's status; none where there is no result line.
    status: Option<Status>,
    cost: Amount<f64>,
    cost_incomplete: bool,
    duration_ms: Amount<u64>,
    duration_api_ms: Amount<u64>,
    num_turns: Amount<u64>,
    /// Of the last line; empty where it has none.
    by_model: Vec<(String, Use)>,
    by_model_unstated: bool,
    /// Of the main loop, over all lines.
    usage: Buckets,
    usage_searches: Amount<u64>,
    usage_unstated: bool,
}

impl Results {
    /// Takes a result line. Dollars, `modelUsage` and the time in the provider's hands go on from
    /// line to line; turns, the duration and `usage` are each line's own.
    pub(super) fn line(&mut self, object: &Value) {
        self.status = Some(status(object));
        self.cost = match Amount::at(object, "total_cost_usd") {
            Amount::Absent => Amount::at(object, "total_cost"),
            told => told,
        };
        self.duration_ms = self.duration_ms.plus(Amount::millis(object, "duration_ms"));
        self.duration_api_ms = Amount::millis(object, "duration_api_ms");
        self.num_turns = self.num_turns.plus(Amount::at(object, "num_turns"));
        if let Some(usage) = object.get("usage").filter(|u| u.is_object()) {
            let read = anthropic::usage(usage);
            self.usage = self.usage.plus(read.buckets);
            self.usage_unstated |= read.lifetime_unstated;
            let tools = usage.get("server_tool_use").unwrap_or(&Value::Null);
            let searches = Amount::at(tools, "web_search_requests");
            self.usage_searches = self.usage_searches.plus(searches);
        }
        self.models(object.get("modelUsage").and_then(Value::as_object));
    }

    fn models(&mut self, told: Option<&serde_json::Map<String, Value>>) {
        self.by_model.clear();
        (self.by_model_unstated, self.cost_incomplete) = (false, false);
        for (name, told) in told.into_iter().flatten() {
            let read = anthropic::model_usage(told);
            self.by_model_unstated |= read.lifetime_unstated;
            self.cost_incomplete |= text(told, "costBasis") == Some("unknown");
            let used = Use {
                buckets: read.buckets,
                cost: Amount::at(told, "costUSD"),
                searches: Amount::at(told, "webSearchRequests"),
            };
            self.by_model.push((name.clone(), used));
        }
    }

    /// Whether there was one.
    pub(super) fn is_empty(&self) -> bool {
        self.status.is_none()
    }

    /// Puts the figures into the draft. `alone` is the one model that answered in the main loop,
    /// where that is known: the usage of a result without `modelUsage` is its.
    pub(super) fn finish(self, draft: &mut Draft, alone: Option<&str>) {
        draft.session.status = self.status.unwrap_or(Status::Interrupted);
        draft.session.cost_usd = self.cost.known();
        draft.session.duration_ms = self.duration_ms.known();
        draft.session.duration_api_ms = self.duration_api_ms.known();
        draft.session.num_turns = self.num_turns.known();
        if self.cost_incomplete {
            draft.warn(warning::COST_INCOMPLETE);
        }
        let unstated = if self.by_model.is_empty() {
            draft.session.web_search_requests = self.usage_searches.known();
            draft.tokens(alone, self.usage);
            if self.usage.used_any() {
                draft.warn(warning::USAGE_MAIN_LOOP_ONLY);
            }
            self.usage_unstated
        } else {
            let mut searches = Amount::Absent;
            for (name, used) in &self.by_model {
                searches = searches.plus(used.searches);
                draft.used(Some(name), *used);
                if name.ends_with("[1m]") {
                    draft.warn(warning::CONTEXT_1M);
                }
            }
            draft.session.web_search_requests = searches.known();
            self.by_model_unstated
        };
        if unstated {
            draft.warn(warning::CACHE_TTL_UNSTATED);
        }
    }
}

/// How a run ended. `subtype` says `success` for many an error, so it is looked at last.
pub(super) fn status(object: &Value) -> Status {
    let is_error = object.get("is_error") == Some(&Value::Bool(true));
    let said = text(object, "result").or_else(|| text(object, "error"));
    let said = said.unwrap_or_default();
    match text(object, "subtype").unwrap_or_default() {
        "error_max_turns" => Status::MaxTurns,
        "error_max_budget_usd" => Status::BudgetExceeded,
        subtype if subtype.starts_with("error") => Status::Error,
        _ if is_error => match text(object, "terminal_reason") {
            Some("blocking_limit" | "prompt_too_long") => Status::ContextLimit,
            _ => failure(
                http_status(object.get("api_error_status")),
                text(object, "api_error_type"),
                said,
            ),
        },
        // Before it had a flag for it, the limit of an account was told as a result.
        _ if said.starts_with("Claude AI usage limit reached|") => Status::RateLimited,
        _ => Status::Success,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_no_success_because_its_subtype_says_so() {
        let of = |told: Value| status(&told);
        assert_eq!(
            of(json!({"subtype": "success", "is_error": false})),
            Status::Success
        );
        assert_eq!(
            of(json!({"subtype": "success", "is_error": false, "result": ""})),
            Status::Success
        );
        assert_eq!(
            of(json!({"subtype": "success", "is_error": true})),
            Status::Error
        );
        assert_eq!(
            of(json!({"subtype": "success", "is_error": true, "api_error_status": 529})),
            Status::Overloaded
        );
        assert_eq!(
            of(
                json!({"subtype": "success", "is_error": true, "api_error_status": null,
                "result": "You've hit your session limit · resets 8pm"})
            ),
            Status::RateLimited
        );
        assert_eq!(
            of(
                json!({"subtype": "success", "is_error": true, "terminal_reason": "prompt_too_long"})
            ),
            Status::ContextLimit
        );
        assert_eq!(
            of(json!({"subtype": "error_max_turns", "is_error": false})),
            Status::MaxTurns
        );
        assert_eq!(
            of(json!({"subtype": "error_max_budget_usd", "is_error": true})),
            Status::BudgetExceeded
        );
        assert_eq!(
            of(json!({"subtype": "error_during_execution", "is_error": true})),
            Status::Error
        );
        assert_eq!(
            of(json!({"subtype": "success", "is_error": false,
                "result": "Claude AI usage limit reached|1755806400"})),
            Status::RateLimited
        );
        assert_eq!(
            of(
                json!({"subtype": "success", "is_error": false, "result": "The usage limit reached"})
            ),
            Status::Success,
            "what the model says of limits is no error"
        );
    }
}
