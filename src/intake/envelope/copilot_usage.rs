//! Copilot CLI's usage file: what each model used, over the whole session.
//!
//! The prompt holds what was read from and written to the cache. A thousand million nano units are
//! a credit, a hundredth of a dollar; where credits are not all known the dollars are not known
//! either. `agentMetrics` and `providerModelMetrics` tell the same again.

use serde_json::Value;

use super::amount::{Amount, Buckets, moment, moment_of_millis, text};
use super::draft::{Draft, Use, warning};
use super::{Format, SessionReader};
use crate::intake::json::Told;
use crate::record::Session;

/// Nano units in a dollar.
const NANO_PER_DOLLAR: f64 = 1e11;

/// Reads it.
pub(super) struct CopilotUsage {
    draft: Draft,
}

impl CopilotUsage {
    /// An empty one.
    pub(super) fn new() -> CopilotUsage {
        CopilotUsage {
            draft: Draft::new(Format::CopilotUsage),
        }
    }
}

impl SessionReader for CopilotUsage {
    fn object(&mut self, object: &Value) {
        let Some(models) = object.get("modelMetrics").and_then(Value::as_object) else {
            return;
        };
        let credits = text(object, "aiCreditsStatus");
        let mut calls = Amount::Absent;
        for (name, metrics) in models {
            let none = Value::Null;
            let requests = metrics.get("requests").unwrap_or(&none);
            calls = calls.plus(Amount::at(requests, "count").needed());
            let used = Use {
                buckets: buckets(metrics.get("usage").unwrap_or(&none)),
                cost: dollars(metrics, text(metrics, "aiCreditsStatus").or(credits)),
                ..Use::default()
            };
            if used
                .buckets
                .cache_creation_5m
                .known()
                .is_some_and(|n| n > 0)
            {
                self.draft.warn(warning::CACHE_TTL_UNSTATED);
            }
            self.draft.used(Some(name), used);
        }
        let started = moment(object, "sessionStartTime")
            .or_else(|| moment_of_millis(object, "sessionStartTime"));
        let session = &mut self.draft.session;
        session.api_calls = calls.known();
        session.cost_usd = dollars(object, credits).known();
        session.duration_api_ms = Amount::millis(object, "totalApiDurationMs").known();
        session.started_at = started;
    }

    fn finish(self: Box<Self>, told: &Told) -> Session {
        self.draft.finish(told)
    }
}

fn buckets(usage: &Value) -> Buckets {
    let at = |key| Amount::at(usage, key);
    let (read, written) = (at("cacheReadTokens"), at("cacheWriteTokens"));
    Buckets {
        input: at("inputTokens").needed().less(read).less(written),
        output: at("outputTokens").needed(),
        cache_read: read,
        cache_creation_5m: written,
        cache_creation_1h: Amount::Absent,
        reasoning: at("reasoningTokens"),
    }
}

/// Dollars, where `credits` says that all are known; where it says nothing, 0 is not believed.
fn dollars(told: &Value, credits: Option<&str>) -> Amount<f64> {
    match (Amount::<f64>::at(told, "totalNanoAiu"), credits) {
        (Amount::Known(nano), Some("complete")) => Amount::Known(nano / NANO_PER_DOLLAR),
        (Amount::Known(nano), None) if nano > 0.0 => Amount::Known(nano / NANO_PER_DOLLAR),
        _ => Amount::Unusable,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;

    fn usage(credits: &Value, used: &Value) -> Session {
        let models = json!({"m": {"requests": {"count": 2}, "usage": used, "totalNanoAiu": 5e9}});
        read(
            CopilotUsage::new(),
            &[json!({"modelMetrics": models, "totalNanoAiu": 5e9,
            "aiCreditsStatus": credits, "sessionStartTime": 1_795_000_000_000_u64})],
        )
    }

    fn used() -> Value {
        json!({"inputTokens": 100, "outputTokens": 9, "cacheReadTokens": 60, "cacheWriteTokens": 30})
    }

    #[test]
    fn the_sample_reads_as_expected_although_it_tells_everything_twice() {
        sample(CopilotUsage::new(), "copilot-usage");
    }

    #[test]
    fn credits_that_are_not_all_known_are_no_dollars() {
        for (credits, dollars) in [
            (json!("complete"), Some(0.05)),
            (json!("partial"), None),
            (json!("unavailable"), None),
            (json!(null), Some(0.05)),
        ] {
            let session = usage(&credits, &used());
            assert_eq!(session.cost_usd, dollars, "{credits}");
            assert_eq!(session.by_model["m"].cost_usd, dollars, "{credits}");
        }
        let free = json!({"modelMetrics": {}, "totalNanoAiu": 0});
        assert_eq!(read(CopilotUsage::new(), &[free]).cost_usd, None);
    }

    #[test]
    fn the_prompt_holds_what_was_read_and_written() {
        let session = usage(&json!("complete"), &used());
        assert_eq!(
            (session.tokens.input, session.tokens.cache_read),
            (Some(10), Some(60))
        );
        assert_eq!(session.tokens.reasoning, None);
        assert_eq!(
            session.started_at.map(|m| m.millis()),
            Some(1_795_000_000_000)
        );
        assert_eq!(session.ended_at, None);
    }

    #[test]
    fn contradicting_and_hostile_figures_are_unknown() {
        for told in [
            json!({"inputTokens": 10, "outputTokens": -9, "cacheReadTokens": 60}),
            json!({"inputTokens": "100", "outputTokens": 1e300}),
            json!(7),
        ] {
            let session = usage(&json!("complete"), &told);
            assert_eq!(
                (session.tokens.input, session.tokens.output),
                (None, None),
                "{told}"
            );
        }
    }
}
