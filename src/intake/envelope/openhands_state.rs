//! OpenHands' conversation state: the metrics of each use of a model, with every answer's tokens.
//!
//! What was done stands in other files, so that calls of tools are not known here.

use serde_json::Value;

use super::amount::{Amount, Buckets, moment_of_seconds, text};
use super::draft::{Draft, Use, warning};
use super::{Format, SessionReader};
use crate::intake::json::Told;
use crate::record::{Session, Status};

/// OpenHands' counts, of one answer or of all so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Metered {
    prompt: Amount<u64>,
    completion: Amount<u64>,
    read: Amount<u64>,
    written: Amount<u64>,
    reasoning: Amount<u64>,
}

impl Metered {
    /// Reads a usage.
    pub(super) fn read(usage: &Value) -> Metered {
        let at = |key| Amount::at(usage, key);
        Metered {
            prompt: at("prompt_tokens").needed(),
            completion: at("completion_tokens").needed(),
            read: at("cache_read_tokens"),
            written: at("cache_write_tokens"),
            reasoning: at("reasoning_tokens"),
        }
    }

    /// What came on top of `before`.
    pub(super) fn since(self, before: Metered) -> Metered {
        Metered {
            prompt: self.prompt.less(before.prompt),
            completion: self.completion.less(before.completion),
            read: self.read.less(before.read),
            written: self.written.less(before.written),
            reasoning: self.reasoning.less(before.reasoning),
        }
    }

    /// Whether it counts less of something than `before`.
    pub(super) fn went_down(self, before: Metered) -> bool {
        [
            (self.prompt, before.prompt),
            (self.completion, before.completion),
            (self.read, before.read),
            (self.written, before.written),
        ]
        .iter()
        .any(|pair| matches!(pair, (Amount::Known(now), Amount::Known(then)) if now < then))
    }

    /// Whether nothing was used, or metered.
    pub(super) fn is_nothing(self) -> bool {
        [self.prompt, self.completion, self.read, self.written]
            .iter()
            .all(|n| matches!(n, Amount::Known(0) | Amount::Absent))
    }

    /// In buckets; `beside`: the prompt leaves out what was read and written.
    pub(super) fn buckets(self, beside: bool) -> Buckets {
        let input = if beside {
            self.prompt
        } else {
            self.prompt.less(self.read).less(self.written)
        };
        Buckets {
            input,
            output: self.completion,
            cache_read: self.read,
            cache_creation_5m: self.written,
            cache_creation_1h: Amount::Absent,
            reasoning: self.reasoning,
        }
    }
}

/// Reads it.
pub(super) struct OpenhandsState {
    draft: Draft,
}

impl OpenhandsState {
    /// An empty one.
    pub(super) fn new() -> OpenhandsState {
        OpenhandsState {
            draft: Draft::new(Format::OpenhandsState),
        }
    }

    /// One use of a model. `beside` as [`Metered::buckets`] has it.
    fn metrics(&mut self, metrics: &Value, beside: bool) -> Metrics {
        let none = Value::Null;
        let usage = metrics.get("accumulated_token_usage").unwrap_or(&none);
        let list = |key| metrics.get(key).and_then(Value::as_array);
        let model = text(usage, "model").or_else(|| text(metrics, "model_name"));
        let model = model.filter(|model| *model != "default");
        let metered = Metered::read(usage);
        let used = !usage.is_object() || !metered.is_nothing();
        let mut cost = Amount::<f64>::at(metrics, "accumulated_cost").needed();
        if cost == Amount::Known(0.0) && used {
            // What a model without a known price costs.
            cost = Amount::Unusable;
        }
        let mut told = Metrics {
            cost,
            nameless: used && model.is_none(),
            ..Metrics::default()
        };
        if used {
            let buckets = metered.buckets(beside);
            if buckets.cache_creation_5m.known().is_some_and(|n| n > 0) {
                self.draft.warn(warning::CACHE_TTL_UNSTATED);
            }
            let used = Use {
                buckets,
                cost,
                ..Use::default()
            };
            self.draft.used(model, used);
        }
        let costs = list("costs");
        for cost in costs.into_iter().flatten() {
            self.draft.saw(moment_of_seconds(cost, "timestamp"));
        }
        for latency in list("response_latencies").into_iter().flatten() {
            let seconds = Amount::<f64>::at(latency, "latency").needed();
            let ms = seconds.known().map(|s| s * 1000.0);
            let ms = serde_json::json!({"ms": ms});
            told.latency = told.latency.plus(Amount::millis(&ms, "ms").needed());
        }
        let answers = list("token_usages").map_or(&[][..], Vec::as_slice);
        told.answers = answers.len() as u64;
        // An answer's cost and its tokens stand at the same place, where both are told.
        let costs = costs.filter(|costs| costs.len() == answers.len());
        for (place, answer) in answers.iter().enumerate() {
            let at = costs.and_then(|c| moment_of_seconds(c.get(place)?, "timestamp"));
            let id = text(answer, "response_id").unwrap_or_default();
            let model = text(answer, "model").or(model);
            let tokens = Metered::read(answer).buckets(beside).tokens();
            self.draft.events.answer(0, at, id, model, Some(tokens));
        }
        told
    }
}

/// What the uses of models add up to.
#[derive(Default)]
struct Metrics {
    cost: Amount<f64>,
    latency: Amount<u64>,
    answers: u64,
    /// Tokens were used by a model that is not named.
    nameless: bool,
}

impl SessionReader for OpenhandsState {
    fn object(&mut self, object: &Value) {
        let stats = object.get("stats").unwrap_or(object);
        let Some(uses) = stats.get("usage_to_metrics").and_then(Value::as_object) else {
            return;
        };
        self.draft.id(text(object, "id"));
        let agent = object.get("agent").and_then(|agent| text(agent, "kind"));
        let mut all = Metrics::default();
        for metrics in uses.values() {
            let told = self.metrics(metrics, agent == Some("ACPAgent"));
            all.cost = all.cost.plus(told.cost);
            all.latency = all.latency.plus(told.latency);
            all.answers += told.answers;
            all.nameless |= told.nameless;
        }
        if all.nameless {
            // Part of the tokens is nobody's: what models used is not known.
            self.draft.by_model().clear();
        }
        let session = &mut self.draft.session;
        session.cost_usd = all.cost.known();
        session.duration_api_ms = all.latency.known();
        session.api_calls = (all.answers > 0).then_some(all.answers);
        session.status = match text(object, "execution_status") {
            Some("finished") => Status::Success,
            Some("error" | "stuck") => Status::Error,
            Some("running" | "paused" | "waiting_for_confirmation") => Status::Interrupted,
            _ => Status::Unknown,
        };
    }

    fn finish(self: Box<Self>, told: &Told) -> Session {
        self.draft.finish(told)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;
    use crate::record::Did;

    fn usage(prompt: &Value, read: u64, written: u64) -> Value {
        json!({"model": "m", "prompt_tokens": prompt, "completion_tokens": 5,
            "cache_read_tokens": read, "cache_write_tokens": written, "reasoning_tokens": 0})
    }

    fn state(kind: &str, usage: &Value, cost: f64) -> Session {
        let metrics = json!({"model_name": "m", "accumulated_cost": cost,
            "accumulated_token_usage": usage});
        read(
            OpenhandsState::new(),
            &[json!({"id": "s", "agent": {"kind": kind},
            "execution_status": "stuck", "stats": {"usage_to_metrics": {"agent": metrics}}})],
        )
    }

    #[test]
    fn the_sample_reads_as_expected_and_tells_each_answer() {
        let session = sample(OpenhandsState::new(), "openhands-state");
        let events = session.transcript.expect("events").events;
        let told: Vec<_> = events
            .iter()
            .map(|e| match &e.what {
                Did::Answer { id, tokens, .. } => {
                    (id.as_str(), tokens.and_then(|t| t.input), e.at.is_some())
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            told,
            [
                ("chatcmpl-oh1", Some(200), true),
                ("chatcmpl-oh2", Some(200), true),
                ("chatcmpl-oh3", Some(3000), true),
            ]
        );
    }

    #[test]
    fn only_agents_behind_a_protocol_leave_the_cache_out_of_the_prompt() {
        let told = usage(&json!(100), 60, 30);
        assert_eq!(state("Agent", &told, 0.5).tokens.input, Some(10));
        assert_eq!(state("ACPAgent", &told, 0.5).tokens.input, Some(100));
        let less = usage(&json!(10), 60, 30);
        assert_eq!(
            state("Agent", &less, 0.5).tokens.input,
            None,
            "it contradicts itself"
        );
    }

    #[test]
    fn a_cost_of_nothing_and_metrics_of_nothing_are_unknown() {
        let session = state("Agent", &usage(&json!(100), 0, 0), 0.0);
        assert_eq!((session.tokens.input, session.cost_usd), (Some(100), None));
        let nothing = json!({"model": "m", "prompt_tokens": 0, "completion_tokens": 0});
        let session = state("Agent", &nothing, 0.0);
        assert_eq!(session.tokens.input, None);
        assert!(session.warnings.contains("no_usage"));
        assert_eq!(session.status, Status::Error);
    }

    #[test]
    fn hostile_figures_are_unknown() {
        for prompt in [json!(-1), json!("100"), json!(1e300), json!([])] {
            let session = state("Agent", &usage(&prompt, 0, 0), -0.5);
            assert_eq!(
                (session.tokens.input, session.cost_usd),
                (None, None),
                "{prompt}"
            );
        }
        for uses in [
            json!({"agent": 5}),
            json!({"agent": {"costs": 1, "token_usages": [7],
            "response_latencies": [{"latency": -1}]}}),
        ] {
            let session = read(OpenhandsState::new(), &[json!({"usage_to_metrics": uses})]);
            assert_eq!(
                (session.tokens.input, session.duration_api_ms),
                (None, None),
                "{uses}"
            );
        }
    }
}
