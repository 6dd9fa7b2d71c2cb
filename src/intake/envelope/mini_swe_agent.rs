//! mini-swe-agent's trajectory: messages, and with each answer the provider's own response.
//!
//! An answer in a wrong form is paid too, and hangs on a message of the user; so every message
//! with a response counts. Responses may share an id. A cost of 0 for used tokens is unknown.

use serde_json::Value;

use super::amount::{Amount, Buckets, moment_of_seconds, text, whole};
use super::draft::{Draft, Use, warning};
use super::events::{Seen, Target};
use super::{Format, SessionReader};
use crate::intake::json::Told;
use crate::record::{Does, Moment, Session, Status};

/// Reads it.
pub(super) struct MiniSweAgent {
    draft: Draft,
    answers: u64,
    /// An assistant's message came without its response.
    untold: bool,
    calls: u64,
    /// Calls without ids that wait for their results.
    waiting: std::collections::VecDeque<String>,
    results: Seen,
}

impl MiniSweAgent {
    /// An empty one.
    pub(super) fn new() -> MiniSweAgent {
        MiniSweAgent {
            draft: Draft::new(Format::MiniSweAgentTrajectory),
            answers: 0,
            untold: false,
            calls: 0,
            waiting: std::collections::VecDeque::new(),
            results: Seen::default(),
        }
    }

    fn message(&mut self, message: &Value, model: Option<&str>) {
        let none = Value::Null;
        let extra = message.get("extra").unwrap_or(&none);
        let at = moment_of_seconds(extra, "timestamp");
        self.draft.saw(at);
        let role = text(message, "role").unwrap_or_default();
        let response = extra.get("response").filter(|r| r.is_object());
        match response {
            Some(response) => self.answer(response, model, at),
            None => self.untold |= role == "assistant",
        }
        if role == "assistant" {
            self.actions(message, extra, at);
        } else if extra.get("returncode").is_some() {
            self.result(message, extra, at);
        } else if role == "user" && response.is_none() {
            self.draft.events.input(0, at);
        }
    }

    fn answer(&mut self, response: &Value, model: Option<&str>, at: Option<Moment>) {
        self.answers += 1;
        let buckets = response.get("usage").map_or(Buckets::UNUSABLE, usage);
        if buckets.cache_read.is_absent() && buckets.cache_creation_5m.is_absent() {
            self.draft.warn(warning::CACHE_SPLIT_UNKNOWN);
        }
        if buckets.cache_creation_5m.known().is_some_and(|n| n > 0) {
            self.draft.warn(warning::CACHE_TTL_UNSTATED);
        }
        let model = model.or_else(|| text(response, "model"));
        let used = Use {
            buckets,
            ..Use::default()
        };
        self.draft.used(model, used);
        let id = format!("#{}", self.answers);
        let tokens = Some(buckets.tokens());
        self.draft.events.answer(0, at, &id, model, tokens);
    }

    fn actions(&mut self, message: &Value, extra: &Value, at: Option<Moment>) {
        let list = |of: &Value, key: &str| of.get(key).and_then(Value::as_array).cloned();
        let actions = list(extra, "actions").unwrap_or_default();
        let ids = actions
            .iter()
            .map(|a| text(a, "tool_call_id").map(str::to_owned));
        let mut ids: Vec<Option<String>> = ids.collect();
        for call in list(message, "tool_calls").unwrap_or_default() {
            let id = text(&call, "id").map(str::to_owned);
            if id.is_some() && !ids.contains(&id) {
                ids.push(id);
            }
        }
        for id in ids {
            let id = id.unwrap_or_else(|| {
                self.calls += 1;
                let id = format!("?{}", self.calls);
                if self.waiting.len() < 1000 {
                    self.waiting.push_back(id.clone());
                }
                id
            });
            if self.draft.call(&id) {
                let target = Target::default();
                self.draft
                    .events
                    .call(0, at, &id, "bash", Does::Other, &target);
            }
        }
    }

    fn result(&mut self, message: &Value, extra: &Value, at: Option<Moment>) {
        let id = text(message, "tool_call_id").map(str::to_owned);
        let Some(id) = id.or_else(|| self.waiting.pop_front()) else {
            return;
        };
        self.draft.call(&id);
        if self.results.first(&id) {
            let code = extra.get("returncode").filter(|code| !code.is_null());
            let raised = extra.get("exception_info").is_some_and(|e| !e.is_null());
            let failed = raised || code.is_some() && whole(code) != Some(0);
            if failed {
                self.draft.failed(&id);
            }
            self.draft.events.result(0, at, &id, !failed);
        }
    }
}

impl SessionReader for MiniSweAgent {
    fn object(&mut self, object: &Value) {
        let none = Value::Null;
        let info = object.get("info").unwrap_or(&none);
        let config = info.get("config").unwrap_or(&none);
        let model = config.get("model").and_then(|m| text(m, "model_name"));
        self.draft.version(text(info, "mini_version"));
        self.draft.shows_calls();
        let messages = object.get("messages").and_then(Value::as_array);
        for message in messages.into_iter().flatten() {
            self.message(message, model);
        }
        if self.untold && self.answers > 0 {
            self.draft.tokens(None, Buckets::UNUSABLE);
            self.draft.by_model().clear();
        }
        let stats = info.get("model_stats").unwrap_or(&none);
        let calls = Amount::<u64>::at(stats, "api_calls").known();
        let cost = Amount::<f64>::at(stats, "instance_cost").known();
        let cost = cost.filter(|cost| *cost > 0.0 || calls == Some(0));
        if let [used] = &mut self.draft.by_model().values_mut().collect::<Vec<_>>()[..] {
            used.cost = cost.map_or(Amount::Absent, Amount::Known);
        }
        if let Some(model) = model.filter(|_| self.answers == 0 && calls > Some(0)) {
            self.draft.model(model);
        }
        let session = &mut self.draft.session;
        session.cost_usd = cost;
        session.num_turns = calls;
        session.api_calls = Some(self.answers).filter(|n| *n > 0).or(calls);
        let limit = config
            .get("agent")
            .map(|agent| Amount::<u64>::at(agent, "step_limit"));
        let limit = limit.and_then(Amount::known).filter(|limit| *limit > 0);
        let reached = limit
            .zip(calls)
            .is_some_and(|(limit, calls)| calls >= limit);
        session.status = ended(text(info, "exit_status"), reached);
    }

    fn finish(self: Box<Self>, told: &Told) -> Session {
        self.draft.finish(told)
    }
}

/// The tokens of a response: of the chat interface, or of the newer one.
fn usage(usage: &Value) -> Buckets {
    let none = Value::Null;
    let either = |one: &str, other: &str| match Amount::<u64>::at(usage, one) {
        Amount::Absent => Amount::at(usage, other),
        told => told,
    };
    let details = |one: &str, other: &str| {
        let details = usage.get(one).or_else(|| usage.get(other));
        details.unwrap_or(&none)
    };
    let prompt = details("prompt_tokens_details", "input_tokens_details");
    let output = details("completion_tokens_details", "output_tokens_details");
    let read = match Amount::at(prompt, "cached_tokens") {
        Amount::Absent => Amount::at(usage, "cache_read_input_tokens"),
        told => told,
    };
    let written = match Amount::at(usage, "cache_creation_input_tokens") {
        Amount::Absent => Amount::at(prompt, "cache_creation_tokens"),
        told => told,
    };
    let input = either("prompt_tokens", "input_tokens").needed();
    Buckets {
        input: input.less(read).less(written),
        output: either("completion_tokens", "output_tokens").needed(),
        cache_read: read,
        cache_creation_5m: written,
        cache_creation_1h: Amount::Absent,
        reasoning: Amount::at(output, "reasoning_tokens"),
    }
}

/// `reached`: as many calls were made as are allowed.
fn ended(exit: Option<&str>, reached: bool) -> Status {
    match exit {
        None => Status::Interrupted,
        Some("Submitted") => Status::Success,
        Some("LimitsExceeded") if reached => Status::MaxTurns,
        Some("LimitsExceeded") => Status::BudgetExceeded,
        Some("RateLimitError") => Status::RateLimited,
        Some("ServiceUnavailableError") => Status::Overloaded,
        Some("ContextWindowExceededError") => Status::ContextLimit,
        Some("KeyboardInterrupt" | "UserInterruption") => Status::Interrupted,
        Some(_) => Status::Error,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;
    use crate::record::Did;

    fn run(messages: &Value, info: &Value) -> Session {
        read(
            MiniSweAgent::new(),
            &[json!({"trajectory_format": "mini-swe-agent-1.1",
            "messages": messages, "info": info})],
        )
    }

    fn info(cost: f64, calls: u64, exit: &str) -> Value {
        json!({"model_stats": {"instance_cost": cost, "api_calls": calls}, "exit_status": exit,
            "config": {"agent": {"step_limit": 3}, "model": {"model_name": "p/m"}}})
    }

    fn answer(role: &str, usage: &Value) -> Value {
        json!({"role": role, "extra": {"response": {"id": "same", "model": "m", "usage": usage}}})
    }

    fn chat() -> Value {
        json!({"prompt_tokens": 100, "completion_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": 60}, "cache_creation_input_tokens": 30})
    }

    #[test]
    fn the_sample_reads_as_expected_and_tells_each_call() {
        let session = sample(MiniSweAgent::new(), "mini-swe-agent-trajectory");
        let events = session.transcript.expect("events").events;
        let told: Vec<_> = events
            .iter()
            .map(|e| match &e.what {
                Did::Answer { tokens, .. } => format!("{:?}", tokens.and_then(|t| t.output)),
                Did::Result { ok, .. } => ok.to_string(),
                Did::Call { id, .. } => id.clone(),
                Did::Input => "input".to_owned(),
            })
            .collect();
        assert_eq!(
            told,
            [
                "input",
                "Some(128)",
                "call_m1",
                "true",
                "Some(405)",
                "call_m2",
                "false",
                "Some(546)",
                "call_m3"
            ]
        );
    }

    #[test]
    fn an_answer_in_a_wrong_form_is_paid_though_the_user_says_it() {
        let messages = json!([answer("assistant", &chat()), answer("user", &chat())]);
        let session = run(&messages, &info(0.5, 2, "Submitted"));
        assert_eq!(
            (session.tokens.input, session.tokens.output),
            (Some(20), Some(18))
        );
        assert_eq!(
            session.api_calls,
            Some(2),
            "the same id is not the same answer"
        );
    }

    #[test]
    fn the_newer_interface_has_its_usage_under_other_names() {
        let usage = json!({"input_tokens": 100, "output_tokens": 9,
            "input_tokens_details": {"cached_tokens": 60},
            "output_tokens_details": {"reasoning_tokens": 4}});
        let tokens = run(
            &json!([answer("assistant", &usage)]),
            &info(0.5, 1, "Submitted"),
        )
        .tokens;
        assert_eq!((tokens.input, tokens.output), (Some(40), Some(9)));
        assert_eq!((tokens.cache_read, tokens.reasoning), (Some(60), Some(4)));
    }

    #[test]
    fn a_cost_of_nothing_is_unknown_unless_nothing_was_called() {
        let messages = json!([answer("assistant", &chat())]);
        assert_eq!(run(&messages, &info(0.0, 1, "Submitted")).cost_usd, None);
        assert_eq!(
            run(&json!([]), &info(0.0, 0, "Submitted")).cost_usd,
            Some(0.0)
        );
        assert_eq!(run(&messages, &info(-1.0, 1, "Submitted")).cost_usd, None);
        let session = run(&messages, &info(0.5, 1, "Submitted"));
        assert_eq!(session.by_model["p/m"].cost_usd, Some(0.5));
    }

    #[test]
    fn an_answer_without_its_response_leaves_tokens_unknown() {
        let bare = json!({"role": "assistant", "content": "x"});
        let session = run(
            &json!([answer("assistant", &chat()), bare]),
            &info(0.5, 2, "Submitted"),
        );
        assert_eq!(session.tokens.input, None);
        assert!(session.by_model.is_empty());
        let session = run(&json!([bare]), &info(0.5, 2, "Submitted"));
        assert!(session.warnings.contains("no_usage"));
        assert_eq!((session.api_calls, session.cost_usd), (Some(2), Some(0.5)));
    }

    #[test]
    fn the_exit_tells_which_limit_it_was() {
        let status = |calls, exit: &str| run(&json!([]), &info(0.5, calls, exit)).status;
        assert_eq!(status(3, "LimitsExceeded"), Status::MaxTurns);
        assert_eq!(status(2, "LimitsExceeded"), Status::BudgetExceeded);
        assert_eq!(status(2, "RateLimitError"), Status::RateLimited);
        assert_eq!(status(2, "RepeatedFormatError"), Status::Error);
        assert_eq!(status(2, "TimeExceeded"), Status::Error);
        assert_eq!(status(2, ""), Status::Interrupted);
    }

    #[test]
    fn actions_without_ids_are_paired_with_results_in_order() {
        let act = json!({"role": "assistant", "extra": {"actions": [{"command": "a"}, {"command": "b"}],
            "response": {"usage": chat()}}});
        let back = |code: Value| json!({"role": "user", "extra": {"returncode": code}});
        let session = run(
            &json!([act, back(json!(0)), back(json!(2))]),
            &info(0.5, 1, "Submitted"),
        );
        assert_eq!(
            (session.tool_calls, session.tool_errors),
            (Some(2), Some(1))
        );
        let events = session.transcript.expect("events").events;
        let results: Vec<_> = events
            .iter()
            .filter_map(|e| match &e.what {
                Did::Result { id, ok } => Some((id.as_str(), *ok)),
                _ => None,
            })
            .collect();
        assert_eq!(results, [("?1", true), ("?2", false)]);
    }

    #[test]
    fn hostile_figures_are_unknown() {
        for usage in [
            json!({"prompt_tokens": -1, "completion_tokens": "9"}),
            json!({"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 60}}),
            json!(null),
        ] {
            let tokens = run(&json!([answer("assistant", &usage)]), &info(0.5, 1, "x")).tokens;
            assert_eq!((tokens.input, tokens.output), (None, None), "{usage}");
        }
        let session = run(&json!({"a": [7]}), &json!([1]));
        assert_eq!((session.num_turns, session.cost_usd), (None, None));
    }
}
