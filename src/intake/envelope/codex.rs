//! What Codex's formats share: its counts of tokens, and how they become buckets.

use std::collections::BTreeMap;

use serde_json::Value;

use super::amount::{Amount, Buckets};
use super::draft::{Draft, MODELS_MAX, warning};

/// Codex's counts, of one call or of all so far: the prompt holds what was read from and written
/// to the cache, the output holds the reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Counted {
    input: Amount<u64>,
    cached: Amount<u64>,
    written: Amount<u64>,
    output: Amount<u64>,
    reasoning: Amount<u64>,
}

impl Counted {
    /// Reads `usage`.
    pub(super) fn read(usage: &Value) -> Counted {
        let at = |key| Amount::at(usage, key);
        Counted {
            input: at("input_tokens").needed(),
            cached: at("cached_input_tokens"),
            written: at("cache_write_input_tokens"),
            output: at("output_tokens").needed(),
            reasoning: at("reasoning_output_tokens"),
        }
    }

    /// What came on top of `before`, both being counts of all so far. A count that went down
    /// cannot be used.
    pub(super) fn since(self, before: Counted) -> Counted {
        Counted {
            input: self.input.less(before.input),
            cached: self.cached.less(before.cached),
            written: self.written.less(before.written),
            output: self.output.less(before.output),
            reasoning: self.reasoning.less(before.reasoning),
        }
    }

    /// Whether it counts less of something than `before`: then it does not count all so far.
    pub(super) fn went_down(self, before: Counted) -> bool {
        [
            (self.input, before.input),
            (self.cached, before.cached),
            (self.written, before.written),
            (self.output, before.output),
        ]
        .iter()
        .any(|pair| matches!(pair, (Amount::Known(now), Amount::Known(then)) if now < then))
    }

    /// In buckets that do not overlap.
    pub(super) fn buckets(self) -> Buckets {
        Buckets {
            input: self.input.less(self.cached).less(self.written),
            output: self.output,
            cache_read: self.cached,
            cache_creation_5m: self.written,
            cache_creation_1h: Amount::Absent,
            reasoning: self.reasoning,
        }
    }

    /// Warns of what the counts leave open.
    pub(super) fn warn(self, draft: &mut Draft) {
        if self.cached.is_absent() {
            draft.warn(warning::CACHE_SPLIT_UNKNOWN);
        }
        if self.written.known().is_some_and(|n| n > 0) {
            draft.warn(warning::CACHE_TTL_UNSTATED);
        }
    }
}

/// Calls, and their tokens by model.
#[derive(Debug, Default)]
pub(super) struct Tally {
    calls: u64,
    by_model: BTreeMap<Option<String>, Buckets>,
}

impl Tally {
    /// One more call, of a model where that is told.
    pub(super) fn call(&mut self, model: Option<String>, buckets: Buckets) {
        self.calls += 1;
        self.add(model, buckets);
    }

    /// What belongs to no call.
    pub(super) fn add(&mut self, model: Option<String>, buckets: Buckets) {
        let known = self.by_model.len() < MODELS_MAX || self.by_model.contains_key(&model);
        let of = self.by_model.entry(model.filter(|_| known)).or_default();
        *of = of.plus(buckets);
    }

    /// How many calls.
    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    /// Whether the model of a call was not told.
    pub(super) fn of_nobody(&self) -> bool {
        self.by_model.contains_key(&None)
    }

    /// Adds it to what a session used.
    pub(super) fn give(&self, draft: &mut Draft) {
        for (model, buckets) in &self.by_model {
            draft.tokens(model.as_deref(), *buckets);
        }
    }
}

/// Whether the message only says that a call is made again.
pub(super) fn is_retry_notice(message: &str) -> bool {
    message.starts_with("Reconnecting") || message.contains("; retrying ")
}

/// Whether an MCP call's result, `{Ok: {..}}` or `{Err: text}`, is a failure.
pub(super) fn mcp_failed(result: &Value) -> bool {
    result.get("Err").is_some_and(|e| !e.is_null())
        || result.get("Ok").is_some_and(|ok| {
            ["isError", "is_error"]
                .iter()
                .any(|k| ok.get(k) == Some(&Value::Bool(true)))
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cached_and_written_tokens_are_taken_out_of_the_prompt() {
        let counted = Counted::read(&json!({"input_tokens": 100, "cached_input_tokens": 60,
            "cache_write_input_tokens": 30, "output_tokens": 9, "reasoning_output_tokens": 4}));
        let tokens = counted.buckets().tokens();
        assert_eq!((tokens.input, tokens.output), (Some(10), Some(9)));
        assert_eq!(
            (tokens.cache_read, tokens.cache_creation_5m),
            (Some(60), Some(30))
        );
        assert_eq!(
            (tokens.reasoning, tokens.cache_creation_1h),
            (Some(4), None)
        );
    }

    #[test]
    fn counts_that_contradict_each_other_are_unknown() {
        let more_cached = Counted::read(&json!({"input_tokens": 10, "cached_input_tokens": 60,
            "output_tokens": 9}));
        assert_eq!(more_cached.buckets().input, Amount::Unusable);
        assert_eq!(
            Counted::read(&json!({"input_tokens": 10})).output,
            Amount::Unusable
        );
        let before = Counted::read(&json!({"input_tokens": 20, "output_tokens": 1}));
        let after = Counted::read(&json!({"input_tokens": 10, "output_tokens": 2}));
        let since = after.since(before);
        assert_eq!(
            (since.input, since.output),
            (Amount::Unusable, Amount::Known(1))
        );
    }

    #[test]
    fn notices_and_failures_of_mcp_calls_are_told() {
        assert!(is_retry_notice("Reconnecting... 1/5 (timeout)"));
        assert!(is_retry_notice("stream error: 503; retrying 2/5 in 400ms…"));
        assert!(!is_retry_notice("exceeded retry limit"));
        assert!(mcp_failed(&json!({"Err": "timeout"})));
        assert!(mcp_failed(&json!({"Ok": {"isError": true}})));
        assert!(!mcp_failed(&json!({"Ok": {"content": []}})));
        assert!(!mcp_failed(&json!(null)));
    }
}
