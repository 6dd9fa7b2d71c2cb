//! OpenHands' trajectory: an array of events, some with the metrics of all answers so far.
//!
//! The prompt holds what was read from and written to the cache. Times have no zone and are UTC.

use serde_json::Value;

use super::amount::{Amount, Buckets, moment, text, whole};
use super::draft::{Draft, Use, warning};
use super::events::Seen;
use super::openhands_state::Metered;
use super::{Format, SessionReader, failure, tools};
use crate::intake::json::Told;
use crate::record::{Does, Moment, Session, Status};

/// Reads it.
pub(super) struct OpenhandsTrajectory {
    draft: Draft,
    so_far: Option<Metered>,
    cost: Amount<f64>,
    answers: u64,
    results: Seen,
    status: Status,
}

impl OpenhandsTrajectory {
    /// An empty one.
    pub(super) fn new() -> OpenhandsTrajectory {
        OpenhandsTrajectory {
            draft: Draft::new(Format::OpenhandsTrajectory),
            so_far: None,
            cost: Amount::Absent,
            answers: 0,
            results: Seen::default(),
            status: Status::Interrupted,
        }
    }

    /// Metrics of all answers so far; where they grew, there was an answer.
    fn metrics(&mut self, metrics: &Value, at: Option<Moment>) {
        let Some(usage) = metrics
            .get("accumulated_token_usage")
            .filter(|u| u.is_object())
        else {
            return;
        };
        let metered = Metered::read(usage);
        let cost = Amount::<f64>::at(metrics, "accumulated_cost");
        let before = self.so_far.replace(metered);
        if before == Some(metered) || (before.is_none() && metered.is_nothing()) {
            self.cost = cost;
            return;
        }
        let before = before.unwrap_or_default();
        let model = text(usage, "model");
        let buckets = if metered.went_down(before) {
            Buckets::UNUSABLE
        } else {
            metered.since(before).buckets(false)
        };
        let used = Use {
            buckets,
            cost: cost.needed().less(self.cost),
            ..Use::default()
        };
        self.cost = cost;
        if buckets.cache_creation_5m.known().is_some_and(|n| n > 0) {
            self.draft.warn(warning::CACHE_TTL_UNSTATED);
        }
        self.draft.used(model, used);
        self.answers += 1;
        let id = format!("#{}", self.answers);
        let tokens = Some(buckets.tokens());
        self.draft.events.answer(0, at, &id, model, tokens);
    }

    fn action(&mut self, action: &str, event: &Value, at: Option<Moment>) {
        let none = Value::Null;
        let arguments = event.get("args").unwrap_or(&none);
        self.draft.version(text(arguments, "openhands_version"));
        if text(event, "source") == Some("user") && action == "message" {
            self.status = Status::Interrupted;
            self.draft.events.input(0, at);
            return;
        }
        if action == "finish" {
            self.status = Status::Success;
        }
        let Some(call) = event.get("tool_call_metadata") else {
            return;
        };
        let Some(id) = text(call, "tool_call_id") else {
            return;
        };
        if self.draft.call(id) {
            let target = tools::target(arguments);
            let does = match action {
                _ if target.path.is_none() => Does::Other,
                "read" => Does::Read,
                "write" | "edit" => Does::Write,
                _ => Does::Other,
            };
            let tool = text(call, "function_name").unwrap_or(action);
            self.draft.events.call(0, at, id, tool, does, &target);
        }
    }

    fn observation(&mut self, observation: &str, event: &Value, at: Option<Moment>) {
        let none = Value::Null;
        let extras = event.get("extras").unwrap_or(&none);
        let said = text(event, "content").or_else(|| text(event, "message"));
        if observation == "agent_state_changed" {
            let reason = text(extras, "reason").or(said).unwrap_or_default();
            self.state(text(extras, "agent_state").unwrap_or_default(), reason);
        }
        let call = event.get("tool_call_metadata");
        let Some(id) = call.and_then(|call| text(call, "tool_call_id")) else {
            if observation == "error" {
                self.status = of_error(said.unwrap_or_default());
            }
            return;
        };
        self.draft.call(id);
        if self.results.first(id) {
            let exit = extras.get("metadata").and_then(|m| m.get("exit_code"));
            let exit = exit.or_else(|| extras.get("exit_code"));
            // -1: it is still running.
            let failed = observation == "error" || whole(exit).is_some_and(|code| code > 0);
            if failed {
                self.draft.failed(id);
            }
            self.draft.events.result(0, at, id, !failed);
        }
    }

    fn state(&mut self, state: &str, reason: &str) {
        match state {
            "finished" => self.status = Status::Success,
            "error" => self.status = of_error(reason),
            "stopped" | "paused" => self.status = Status::Interrupted,
            "rejected" => self.status = Status::Error,
            "rate_limited" => self.status = Status::RateLimited,
            _ => {}
        }
    }
}

impl SessionReader for OpenhandsTrajectory {
    fn object(&mut self, object: &Value) {
        let at = moment(object, "timestamp");
        self.draft.saw(at);
        if let Some(metrics) = object.get("llm_metrics") {
            self.metrics(metrics, at);
        }
        if let Some(action) = text(object, "action") {
            self.action(action, object, at);
        } else if let Some(observation) = text(object, "observation") {
            self.observation(observation, object, at);
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        let used = self.so_far.is_some_and(|so_far| !so_far.is_nothing());
        let cost = self.cost.known().filter(|cost| *cost > 0.0 || !used);
        if cost.is_none() {
            for used in self.draft.by_model().values_mut() {
                used.cost = Amount::Absent;
            }
        }
        let session = &mut self.draft.session;
        session.cost_usd = cost;
        session.status = self.status;
        session.api_calls = (self.answers > 0).then_some(self.answers);
        session.num_turns = session.api_calls;
        self.draft.finish(told)
    }
}

fn of_error(message: &str) -> Status {
    let text = message.to_lowercase();
    if text.contains("maximum iteration") || text.contains("max_iterations") {
        Status::MaxTurns
    } else if text.contains("budget") {
        Status::BudgetExceeded
    } else {
        failure::of_message(message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;
    use crate::record::Did;

    fn metrics(model: &str, prompt: i64, output: i64, cost: f64) -> Value {
        json!({"id": 1, "source": "agent", "action": "think", "llm_metrics": {"accumulated_cost": cost,
            "accumulated_token_usage": {"model": model, "prompt_tokens": prompt,
                "completion_tokens": output, "cache_read_tokens": 0, "cache_write_tokens": 0}}})
    }

    #[test]
    fn the_sample_reads_as_expected_and_tells_each_answer() {
        let session = sample(OpenhandsTrajectory::new(), "openhands-trajectory");
        let events = session.transcript.expect("events").events;
        let told: Vec<_> = events
            .iter()
            .filter_map(|e| match &e.what {
                Did::Answer { tokens, .. } => Some(tokens.as_ref()?.output?.to_string()),
                Did::Call { does, .. } => Some(format!("{does:?}")),
                Did::Result { ok, .. } => Some(ok.to_string()),
                Did::Input => None,
            })
            .collect();
        assert_eq!(
            told,
            [
                "140", "Read", "true", "280", "Other", "false", "190", "Other"
            ]
        );
    }

    #[test]
    fn metrics_of_all_so_far_are_not_added_and_the_same_again_is_no_answer() {
        let lines = [
            metrics("a", 100, 5, 0.5),
            metrics("a", 100, 5, 0.5),
            metrics("b", 150, 9, 0.75),
        ];
        let session = read(OpenhandsTrajectory::new(), &lines);
        assert_eq!(
            (session.tokens.input, session.tokens.output),
            (Some(150), Some(9))
        );
        assert_eq!((session.cost_usd, session.api_calls), (Some(0.75), Some(2)));
        assert_eq!(session.by_model["b"].tokens.input, Some(50));
        assert_eq!(session.by_model["b"].cost_usd, Some(0.25));
    }

    #[test]
    fn metrics_that_go_down_or_are_none_are_unknown() {
        let session = read(
            OpenhandsTrajectory::new(),
            &[metrics("a", 100, 5, 0.5), metrics("a", 50, 9, 0.75)],
        );
        assert_eq!((session.tokens.input, session.tokens.output), (None, None));
        let session = read(OpenhandsTrajectory::new(), &[metrics("a", -5, 5, -0.5)]);
        assert_eq!((session.tokens.input, session.cost_usd), (None, None));
        let session = read(OpenhandsTrajectory::new(), &[metrics("a", 0, 0, 0.0)]);
        assert_eq!(
            (session.tokens.input, session.api_calls),
            (None, None),
            "nothing was metered"
        );
        let session = read(OpenhandsTrajectory::new(), &[metrics("a", 5, 5, 0.0)]);
        assert_eq!(
            (session.tokens.input, session.cost_usd),
            (Some(5), None),
            "no price was known"
        );
        assert_eq!(session.by_model["a"].cost_usd, None);
    }

    #[test]
    fn the_end_is_a_finish_or_what_the_agents_state_says() {
        let state = |state: &str, reason: &str| {
            json!({"id": 1, "source": "environment",
            "observation": "agent_state_changed", "extras": {"agent_state": state, "reason": reason}})
        };
        let status = |lines: &[Value]| read(OpenhandsTrajectory::new(), lines).status;
        let finish = json!({"id": 1, "source": "agent", "action": "finish", "args": {}});
        assert_eq!(status(&[finish]), Status::Success);
        assert_eq!(status(&[state("running", "")]), Status::Interrupted);
        let limit = "RuntimeError: Agent reached maximum iteration in headless mode";
        assert_eq!(status(&[state("error", limit)]), Status::MaxTurns);
        assert_eq!(
            status(&[state("error", "reached maximum budget")]),
            Status::BudgetExceeded
        );
        assert_eq!(
            status(&[state("error", "RateLimitError: 429")]),
            Status::RateLimited
        );
        assert_eq!(status(&[state("stopped", "")]), Status::Interrupted);
    }

    #[test]
    fn a_command_that_still_runs_has_not_failed() {
        let ran = |id: &str, code: i64| {
            json!({"id": 1, "source": "agent", "observation": "run",
            "extras": {"metadata": {"exit_code": code}}, "tool_call_metadata": {"tool_call_id": id}})
        };
        let lines = [ran("a", -1), ran("b", 2), ran("b", 2), ran("c", 0)];
        let session = read(OpenhandsTrajectory::new(), &lines);
        assert_eq!(
            (session.tool_calls, session.tool_errors),
            (Some(3), Some(1))
        );
    }

    #[test]
    fn an_older_trajectory_without_call_ids_shows_no_calls() {
        let action = json!({"id": 1, "source": "agent", "action": "run", "args": {"command": "x"}});
        let session = read(OpenhandsTrajectory::new(), &[action]);
        assert_eq!((session.tool_calls, session.tool_errors), (None, None));
    }
}
