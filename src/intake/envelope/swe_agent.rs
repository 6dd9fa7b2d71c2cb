//! SWE-agent's trajectory.
//!
//! Its tokens sent are an estimate of the text alone, in one number. Of an agent that tries again
//! the statistics are those of all tries already. The history may begin with a demonstration, so
//! that steps are counted in `trajectory`; whether a command failed is not told.

use serde_json::Value;

use super::amount::{Amount, Buckets, text};
use super::draft::{Draft, Use, warning};
use super::{Format, SessionReader};
use crate::intake::json::Told;
use crate::record::{Session, Status};

/// Reads it.
pub(super) struct SweAgent {
    draft: Draft,
    steps: Option<u64>,
}

impl SweAgent {
    /// An empty one.
    pub(super) fn new() -> SweAgent {
        SweAgent {
            draft: Draft::new(Format::SweAgentTrajectory),
            steps: None,
        }
    }

    fn stats(&mut self, stats: &Value, model: Option<&str>) {
        let at = |key| Amount::<u64>::at(stats, key);
        let calls = at("api_calls").known();
        let buckets = Buckets {
            input: at("tokens_sent").needed(),
            output: at("tokens_received").needed(),
            ..Buckets::default()
        };
        self.draft.warn(warning::CACHE_SPLIT_UNKNOWN);
        let cost = Amount::<f64>::at(stats, "instance_cost").known();
        let cost = cost.filter(|cost| *cost > 0.0 || calls == Some(0));
        let used = Use {
            buckets,
            cost: cost.map_or(Amount::Absent, Amount::Known),
            ..Use::default()
        };
        self.draft.used(model, used);
        let session = &mut self.draft.session;
        session.cost_usd = cost;
        session.api_calls = calls;
        session.num_turns = calls;
    }
}

impl SessionReader for SweAgent {
    fn object(&mut self, object: &Value) {
        let none = Value::Null;
        let info = object.get("info").unwrap_or(&none);
        let Some(stats) = info.get("model_stats").filter(|stats| stats.is_object()) else {
            return;
        };
        let model = model(object.get("replay_config").unwrap_or(&none));
        self.stats(stats, model.as_deref());
        self.draft.version(text(info, "swe_agent_version"));
        self.draft.session.status = ended(text(info, "exit_status"));
        let steps = object.get("trajectory").and_then(Value::as_array);
        // With several tries this is the chosen one's only.
        if object.get("attempts").is_none() {
            let acted = |step: &&Value| text(step, "action").is_some_and(|a| !a.trim().is_empty());
            self.steps = steps.map(|steps| steps.iter().filter(acted).count() as u64);
        }
    }

    fn finish(self: Box<Self>, told: &Told) -> Session {
        let mut session = self.draft.finish(told);
        session.tool_calls = self.steps;
        session
    }
}

/// The model that the run was configured with; the configuration is JSON in a text.
fn model(config: &Value) -> Option<String> {
    let parsed: Option<Value> = config
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    let agent = parsed.as_ref().unwrap_or(config).get("agent")?;
    Some(text(agent.get("model")?, "name")?.to_owned())
}

fn ended(exit: Option<&str>) -> Status {
    let Some(exit) = exit else {
        return Status::Interrupted;
    };
    let reason = exit
        .strip_prefix("submitted (")
        .and_then(|r| r.strip_suffix(')'));
    match reason.unwrap_or(exit) {
        "submitted" => Status::Success,
        "exit_cost" => Status::BudgetExceeded,
        "exit_context" => Status::ContextLimit,
        "" => Status::Interrupted,
        _ => Status::Error,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, read_text, sample};
    use super::*;

    fn run(stats: &Value, exit: &Value, more: &Value) -> Session {
        let mut object = json!({"trajectory": [{"action": "ls"}, {"action": " "}, {}],
            "info": {"model_stats": stats, "exit_status": exit}});
        let more = more.as_object().expect("an object").clone();
        object.as_object_mut().expect("an object").extend(more);
        read(SweAgent::new(), &[object])
    }

    fn stats(cost: f64) -> Value {
        json!({"instance_cost": cost, "tokens_sent": 10, "tokens_received": 2, "api_calls": 3})
    }

    #[test]
    fn the_sample_reads_as_expected() {
        let session = sample(SweAgent::new(), "swe-agent-trajectory");
        assert_eq!(
            session.transcript, None,
            "results do not say whether they failed"
        );
    }

    #[test]
    fn the_exit_tells_how_it_ended_also_after_a_submission() {
        let status = |exit: Value| run(&stats(0.5), &exit, &json!({})).status;
        for (exit, expected) in [
            (json!("submitted"), Status::Success),
            (json!("submitted (exit_cost)"), Status::BudgetExceeded),
            (json!("exit_cost"), Status::BudgetExceeded),
            (json!("submitted (exit_context)"), Status::ContextLimit),
            (json!("exit_format"), Status::Error),
            (json!("exit_api"), Status::Error),
            (json!(null), Status::Interrupted),
        ] {
            assert_eq!(status(exit.clone()), expected, "{exit}");
        }
    }

    #[test]
    fn several_tries_are_one_sum_and_their_calls_are_not_known() {
        let attempts = json!({"attempts": [{"info": {"model_stats": stats(0.25)}}, {"info": {}}]});
        let session = run(&stats(0.5), &json!("submitted"), &attempts);
        assert_eq!(
            (session.cost_usd, session.tokens.input),
            (Some(0.5), Some(10))
        );
        assert_eq!(session.tool_calls, None);
    }

    #[test]
    fn a_model_is_named_by_the_configuration_in_both_forms() {
        let config = json!({"agent": {"model": {"name": "m"}}});
        for config in [config.clone(), json!(config.to_string())] {
            let session = run(
                &stats(0.5),
                &json!("submitted"),
                &json!({"replay_config": config}),
            );
            assert_eq!(session.by_model["m"].tokens.output, Some(2));
        }
        let session = run(
            &stats(0.5),
            &json!("submitted"),
            &json!({"replay_config": "{"}),
        );
        assert!(session.by_model.is_empty() && session.warnings.contains("model_unknown"));
    }

    #[test]
    fn a_long_trajectory_that_repeats_its_queries_is_read_with_its_model() {
        let said = "x".repeat(3000);
        let query: Vec<_> = (0..400)
            .map(|_| json!({"role": "user", "content": said}))
            .collect();
        let step = json!({"action": "ls", "observation": said, "query": query});
        let config = json!({"agent": {"templates": said.repeat(3), "model": {"name": "m"}}});
        let trajectory = json!({"trajectory": vec![step; 12], "replay_config": config.to_string(),
            "info": {"model_stats": stats(0.5), "exit_status": "submitted"}});
        let text = serde_json::to_string_pretty(&trajectory).expect("JSON");
        assert!(text.len() > 8 << 20, "more than is kept of a file");
        let session = read_text(SweAgent::new(), &text);
        assert_eq!(
            (session.tool_calls, session.cost_usd),
            (Some(12), Some(0.5))
        );
        assert_eq!(session.models.iter().collect::<Vec<_>>(), ["m"]);
    }

    #[test]
    fn nothing_is_no_cost_and_hostile_figures_are_unknown() {
        assert_eq!(
            run(&stats(0.0), &json!("submitted"), &json!({})).cost_usd,
            None
        );
        let told = json!({"instance_cost": "0.5", "tokens_sent": -1, "tokens_received": 1e300,
            "api_calls": 1.5});
        let session = run(&told, &json!(5), &json!({}));
        assert_eq!((session.cost_usd, session.api_calls), (None, None));
        assert_eq!((session.tokens.input, session.tokens.output), (None, None));
        assert_eq!(
            run(&json!([]), &json!(5), &json!({})).status,
            Status::Unknown
        );
    }
}
