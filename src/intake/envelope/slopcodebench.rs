//! What SlopCodeBench counted of one session, whatever agent ran it: `inference_result.json`.
//!
//! Tokens are those of the agent's main loop, and turns its steps; who answered is not told.

use serde_json::Value;

use super::amount::{Amount, Buckets};
use super::draft::{Draft, warning};
use super::{Format, SessionReader};
use crate::intake::json::Told;
use crate::record::{Session, Status};

/// Reads it.
pub(super) struct Inference {
    draft: Draft,
}

impl Inference {
    /// An empty one.
    pub(super) fn new() -> Inference {
        Inference {
            draft: Draft::new(Format::SlopCodeBenchInference),
        }
    }
}

impl SessionReader for Inference {
    fn object(&mut self, object: &Value) {
        let none = Value::Null;
        let usage = object.get("usage").unwrap_or(&none);
        let tokens = usage.get("net_tokens").unwrap_or(&none);
        self.draft.tokens(
            None,
            Buckets {
                input: Amount::at(tokens, "input"),
                output: Amount::at(tokens, "output"),
                cache_read: Amount::at(tokens, "cache_read"),
                cache_creation_5m: Amount::at(tokens, "cache_write"),
                cache_creation_1h: Amount::Absent,
                reasoning: Amount::at(tokens, "reasoning"),
            },
        );
        let session = &mut self.draft.session;
        session.cost_usd = Amount::at(usage, "cost").known();
        session.num_turns = Amount::at(usage, "steps").known();
        // A run that went over its limit of turns is none that failed for it.
        if object.get("had_error") == Some(&Value::Bool(true)) {
            session.status = Status::Error;
        }
        self.draft.warn(warning::COUNTED_BY_HARNESS);
    }

    fn finish(self: Box<Self>, told: &Told) -> Session {
        self.draft.finish(told)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::read;
    use super::*;
    use crate::intake::envelope::join;
    use crate::record::ModelUse;

    fn inference() -> Value {
        json!({"had_error": false, "usage": {"cost": 1.5, "steps": 7, "net_tokens":
            {"input": 100, "output": 9, "cache_read": 3, "cache_write": 0, "reasoning": 0}}})
    }

    fn agents(input: u64, cost: f64) -> Session {
        let mut session = Session::of("claude-stream", "claude-code");
        session.status = Status::MaxTurns;
        session.tokens.input = Some(input);
        session.cost_usd = Some(cost);
        (session.num_turns, session.tool_calls) = (Some(8), Some(5));
        session.by_model.insert("m".to_owned(), ModelUse::default());
        session
    }

    fn both(agent: Session) -> Session {
        let counted = read(Inference::new(), &[inference()]);
        let files = vec![
            (Format::ClaudeStream, agent),
            (Format::SlopCodeBenchInference, counted),
        ];
        join::join(files).expect("a session")
    }

    #[test]
    fn what_was_counted_is_told_and_how_it_ended_is_not() {
        let session = read(Inference::new(), &[inference()]);
        assert_eq!((session.cost_usd, session.num_turns), (Some(1.5), Some(7)));
        assert_eq!(session.tokens.input, Some(100));
        assert_eq!(session.tokens.cache_creation_5m, Some(0));
        assert_eq!(session.tokens.cache_creation_1h, None);
        assert_eq!(session.status, Status::Unknown);
        let failed = json!({"had_error": true, "usage": {"cost": -1}});
        let session = read(Inference::new(), &[failed]);
        assert_eq!((session.status, session.cost_usd), (Status::Error, None));
        assert_eq!(session.tokens.input, None);
    }

    #[test]
    fn the_harness_counts_and_the_agents_own_file_tells_the_rest() {
        let session = both(agents(120, 1.5));
        assert_eq!(session.agent, "claude-code");
        assert_eq!(session.format, "slopcodebench-inference");
        assert_eq!(
            (session.tokens.input, session.num_turns),
            (Some(100), Some(7))
        );
        assert_eq!((session.cost_usd, session.tool_calls), (Some(1.5), Some(5)));
        assert_eq!(session.status, Status::MaxTurns);
        assert_eq!(session.by_model.len(), 1);
        assert!(session.warnings.contains("counted_by_harness"));
    }

    #[test]
    fn more_than_the_agents_totals_and_another_cost_are_a_disagreement() {
        let session = both(agents(99, 2.0));
        assert_eq!((session.tokens.input, session.cost_usd), (None, None));
        assert!(session.disagrees_on("tokens.input") && session.disagrees_on("cost_usd"));
        assert_eq!(session.tokens.output, Some(9));
    }
}
