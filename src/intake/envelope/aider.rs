//! Aider's analytics log: one event for each message sent.
//!
//! The prompt holds what was cached, and the two cannot be told apart. A log may hold several
//! launches, each with its own `total_cost`, so that the messages' costs are added instead. Aider
//! has no notion of success.

use serde_json::Value;

use super::amount::{Amount, Buckets, moment_of_seconds, text};
use super::draft::{Draft, Use, warning};
use super::{Format, SessionReader};
use crate::intake::json::Told;
use crate::record::{Moment, Session, Status};

/// Reads it.
pub(super) struct AiderAnalytics {
    draft: Draft,
    messages: u64,
    /// A message could not be sent and none was since.
    failing: bool,
    cost: Amount<f64>,
    /// A message cost nothing although it used tokens.
    unpriced: bool,
    /// Some message's model is not named.
    nameless: bool,
    status: Status,
}

impl AiderAnalytics {
    /// An empty one.
    pub(super) fn new() -> AiderAnalytics {
        let mut draft = Draft::new(Format::AiderAnalytics);
        draft.retried(0, Amount::Absent);
        AiderAnalytics {
            draft,
            messages: 0,
            failing: false,
            cost: Amount::Absent,
            unpriced: false,
            nameless: false,
            status: Status::Interrupted,
        }
    }

    fn sending(&mut self, at: Option<Moment>) {
        if std::mem::take(&mut self.failing) {
            self.draft.retried(1, Amount::Absent);
        } else {
            self.draft.events.input(0, at);
        }
    }

    fn sent(&mut self, told: &Value, at: Option<Moment>) {
        self.messages += 1;
        let buckets = Buckets {
            input: Amount::at(told, "prompt_tokens").needed(),
            output: Amount::at(told, "completion_tokens").needed(),
            ..Buckets::default()
        };
        self.draft.warn(warning::CACHE_SPLIT_UNKNOWN);
        let used = ![buckets.input, buckets.output]
            .iter()
            .all(|bucket| matches!(bucket, Amount::Known(0)));
        let mut cost = Amount::<f64>::at(told, "cost").needed();
        if cost == Amount::Known(0.0) && used {
            // What a model without a known price costs.
            self.unpriced = true;
            cost = Amount::Unusable;
        }
        self.cost = self.cost.plus(cost);
        let model = text(told, "main_model").filter(|model| *model != "None");
        self.nameless |= model.is_none();
        let used = Use {
            buckets,
            cost,
            ..Use::default()
        };
        self.draft.used(model, used);
        let id = format!("#{}", self.messages);
        let tokens = Some(buckets.tokens());
        self.draft.events.answer(0, at, &id, model, tokens);
    }
}

impl SessionReader for AiderAnalytics {
    fn object(&mut self, object: &Value) {
        let at = moment_of_seconds(object, "time");
        self.draft.saw(at);
        let told = object.get("properties").unwrap_or(&Value::Null);
        let event = text(object, "event").unwrap_or_default();
        if event != "exit" {
            self.status = Status::Interrupted;
        }
        match event {
            "message_send_starting" => self.sending(at),
            "message_send" => self.sent(told, at),
            "message_send_exception" => self.failing = true,
            "exit" => {
                self.status = match text(told, "reason") {
                    Some("Control-C") => Status::Interrupted,
                    _ => Status::Unknown,
                };
            }
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        if self.nameless {
            // Part of the tokens is nobody's: what models used is not known.
            self.draft.by_model().clear();
        }
        let session = &mut self.draft.session;
        session.status = self.status;
        session.cost_usd = self.cost.known().filter(|_| !self.unpriced);
        session.num_turns = (self.messages > 0).then_some(self.messages);
        session.api_calls = session.num_turns;
        self.draft.finish(told)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;
    use crate::record::Did;

    fn event(event: &str, properties: &Value) -> Value {
        json!({"event": event, "properties": properties, "time": 1_795_200_000})
    }

    fn sent(model: &str, cost: &Value, total: f64) -> Value {
        event(
            "message_send",
            &json!({"main_model": model, "prompt_tokens": 10,
            "completion_tokens": 2, "total_tokens": 12, "cost": cost, "total_cost": total}),
        )
    }

    #[test]
    fn the_sample_reads_as_expected_and_tells_each_message() {
        let session = sample(AiderAnalytics::new(), "aider-analytics");
        let events = session.transcript.expect("events").events;
        let inputs: Vec<_> = events
            .iter()
            .filter_map(|e| match &e.what {
                Did::Answer { tokens, .. } => tokens.as_ref()?.input,
                _ => None,
            })
            .collect();
        assert_eq!(inputs, [8120, 9050]);
        let asked = events.iter().filter(|e| e.what == Did::Input).count();
        assert_eq!(asked, 2, "sending again is not asking again");
    }

    #[test]
    fn costs_of_several_launches_are_added_though_their_totals_begin_anew() {
        let lines = [
            sent("m", &json!(0.5), 0.5),
            sent("m", &json!(0.25), 0.75),
            event("launched", &json!({})),
            sent("m", &json!(0.125), 0.125),
            event("exit", &json!({"reason": "x"})),
        ];
        let session = read(AiderAnalytics::new(), &lines);
        assert_eq!(session.cost_usd, Some(0.875));
        assert_eq!(session.status, Status::Unknown);
    }

    #[test]
    fn a_cost_of_nothing_or_none_at_all_is_unknown() {
        for cost in [json!(0), json!(null), json!("0.5"), json!(-1)] {
            let lines = [sent("m", &json!(0.5), 0.5), sent("m", &cost, 0.5)];
            let session = read(AiderAnalytics::new(), &lines);
            assert_eq!(session.cost_usd, None, "{cost}");
            assert_eq!(session.by_model["m"].cost_usd, None, "{cost}");
            assert_eq!(session.tokens.input, Some(20));
        }
    }

    #[test]
    fn a_model_that_is_not_named_leaves_the_models_unknown() {
        let lines = [sent("None", &json!(0.5), 0.5), sent("m", &json!(0.5), 1.0)];
        let session = read(AiderAnalytics::new(), &lines);
        assert!(session.by_model.is_empty());
        assert_eq!(session.models.iter().collect::<Vec<_>>(), ["m"]);
        let session = read(AiderAnalytics::new(), &lines[..1]);
        assert!(session.warnings.contains("model_unknown"));
    }

    #[test]
    fn without_an_exit_or_with_control_c_it_was_interrupted() {
        let status = |lines: &[Value]| read(AiderAnalytics::new(), lines).status;
        let exit = |reason: &str| event("exit", &json!({"reason": reason}));
        assert_eq!(status(&[sent("m", &json!(0.5), 0.5)]), Status::Interrupted);
        assert_eq!(status(&[exit("Control-C")]), Status::Interrupted);
        assert_eq!(status(&[exit("Completed --message")]), Status::Unknown);
        assert_eq!(
            status(&[exit("x"), event("launched", &json!({}))]),
            Status::Interrupted
        );
    }

    #[test]
    fn a_failure_at_the_end_was_not_tried_again() {
        let failure = event("message_send_exception", &json!({"exception": "x"}));
        let again = event("message_send_starting", &json!({}));
        let session = read(AiderAnalytics::new(), &[failure.clone(), again, failure]);
        assert_eq!(session.api_retries.map(|r| r.count), Some(1));
    }

    #[test]
    fn hostile_figures_are_unknown() {
        let told = event(
            "message_send",
            &json!({"main_model": "m", "prompt_tokens": "8120",
            "completion_tokens": -3, "cost": 1e308}),
        );
        let session = read(AiderAnalytics::new(), &[told.clone(), told]);
        assert_eq!((session.tokens.input, session.tokens.output), (None, None));
        assert_eq!(session.cost_usd, None, "the sum is no number");
    }
}
