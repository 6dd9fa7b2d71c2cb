//! OpenCode's `run --format json`: steps, each an answer of the model with its tokens and cost.
//!
//! Output leaves reasoning out, but for older versions: `total` tells which. A cost of 0 for used
//! tokens means that the model's price is not known. Titles and sub-sessions are not in the stream.

use serde_json::Value;

use super::amount::{Amount, Buckets, moment_of_millis, text, whole};
use super::answering::Answering;
use super::draft::{Draft, warning};
use super::events::Seen;
use super::{Format, SessionReader, failure, tools};
use crate::intake::json::Told;
use crate::record::{Moment, Session, Status};

/// Reads it.
pub(super) struct OpencodeRun {
    draft: Draft,
    answering: Answering,
    parts: Seen,
    results: Seen,
    begun: u64,
    ended: u64,
    cost: Amount<f64>,
    /// A step cost nothing although it used tokens.
    unpriced: bool,
    status: Status,
}

impl OpencodeRun {
    /// An empty one.
    pub(super) fn new() -> OpencodeRun {
        let mut draft = Draft::new(Format::OpencodeRun);
        draft.shows_calls();
        OpencodeRun {
            draft,
            answering: Answering::default(),
            parts: Seen::default(),
            results: Seen::default(),
            begun: 0,
            ended: 0,
            cost: Amount::Absent,
            unpriced: false,
            status: Status::Interrupted,
        }
    }

    /// Whether the part was told before.
    fn repeated(&mut self, part: &Value) -> bool {
        let again = text(part, "id").is_some_and(|id| !self.parts.first(id));
        if again {
            self.draft.warn(warning::DUPLICATE_ENTRIES);
        }
        again
    }

    fn finish_step(&mut self, part: &Value, at: Option<Moment>) {
        self.ended += 1;
        self.status = match text(part, "reason") {
            Some("stop") => Status::Success,
            _ => Status::Interrupted,
        };
        let buckets = part.get("tokens").map_or(Buckets::UNUSABLE, step_tokens);
        if buckets.cache_creation_5m.known().is_some_and(|n| n > 0) {
            self.draft.warn(warning::CACHE_TTL_UNSTATED);
        }
        let cost = Amount::<f64>::at(part, "cost").needed();
        self.unpriced |= cost == Amount::Known(0.0) && !used_nothing(buckets);
        self.cost = self.cost.plus(cost);
        self.draft.tokens(None, buckets);
        let id = text(part, "messageID").or_else(|| text(part, "id"));
        let tokens = Some(buckets.tokens());
        self.answering.told(&mut self.draft, at, id, None, tokens);
    }

    fn tool(&mut self, part: &Value, at: Option<Moment>) {
        let none = Value::Null;
        let state = part.get("state").unwrap_or(&none);
        let time = state.get("time").unwrap_or(&none);
        let begun = moment_of_millis(time, "start").or(at);
        self.answering.block(&mut self.draft, begun);
        let Some(id) = text(part, "callID") else {
            return;
        };
        if self.draft.call(id) {
            let arguments = state.get("input").unwrap_or(&none);
            let tool = text(part, "tool").unwrap_or_default();
            let (does, target) = (tools::does(tool, arguments), tools::target(arguments));
            self.draft.events.call(0, begun, id, tool, does, &target);
        }
        let failed = match text(state, "status") {
            Some("error") => true,
            Some("completed") => {
                let exit = state.get("metadata").and_then(|m| m.get("exit"));
                whole(exit).is_some_and(|code| code != 0)
            }
            _ => return,
        };
        if self.results.first(id) {
            if failed {
                self.draft.failed(id);
            }
            let ended = moment_of_millis(time, "end").or(at);
            self.draft.events.result(0, ended, id, !failed);
        }
    }
}

impl SessionReader for OpencodeRun {
    fn object(&mut self, object: &Value) {
        let at = moment_of_millis(object, "timestamp");
        self.draft.saw(at);
        self.draft.id(text(object, "sessionID"));
        let part = object.get("part").unwrap_or(&Value::Null);
        match text(object, "type").unwrap_or_default() {
            "step_start" if !self.repeated(part) => {
                self.begun += 1;
                self.answering.close();
                self.status = Status::Interrupted;
            }
            "step_finish" if !self.repeated(part) => self.finish_step(part, at),
            "tool_use" => self.tool(part, at),
            "text" | "reasoning" => {
                let time = part.get("time");
                let ended = time.and_then(|t| moment_of_millis(t, "end"));
                self.answering.block(&mut self.draft, ended.or(at));
            }
            "error" => self.status = ended(object.get("error").unwrap_or(&Value::Null)),
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        if self.begun > self.ended {
            self.draft.warn(warning::UNFINISHED_STEP);
        }
        let steps = self.begun.max(self.ended);
        let session = &mut self.draft.session;
        session.status = self.status;
        session.cost_usd = self.cost.known().filter(|_| !self.unpriced);
        session.num_turns = (steps > 0).then_some(steps);
        session.api_calls = (steps > 0).then_some(self.ended);
        self.draft.finish(told)
    }
}

/// A step's tokens. Where the total is that of input, output and cache alone, output has the
/// reasoning in it already.
fn step_tokens(tokens: &Value) -> Buckets {
    let at = |key| Amount::<u64>::at(tokens, key);
    let cache = tokens.get("cache").unwrap_or(&Value::Null);
    let (read, written) = (Amount::at(cache, "read"), Amount::at(cache, "write"));
    let (input, said, reasoning) = (at("input").needed(), at("output").needed(), at("reasoning"));
    let without = input.plus(said).plus(read).plus(written);
    let inside = at("total").known().is_some() && at("total") == without;
    Buckets {
        input,
        output: if inside { said } else { said.plus(reasoning) },
        cache_read: read,
        cache_creation_5m: written,
        cache_creation_1h: Amount::Absent,
        reasoning,
    }
}

fn used_nothing(buckets: Buckets) -> bool {
    let Buckets {
        input,
        output,
        cache_read,
        cache_creation_5m,
        ..
    } = buckets;
    [input, output, cache_read, cache_creation_5m]
        .iter()
        .all(|bucket| matches!(bucket, Amount::Absent | Amount::Known(0)))
}

fn ended(error: &Value) -> Status {
    let data = error.get("data").unwrap_or(&Value::Null);
    match text(error, "name") {
        Some("MessageAbortedError") => return Status::Interrupted,
        Some("ContextOverflowError") => return Status::ContextLimit,
        _ => {}
    }
    let code = Amount::<u64>::at(data, "statusCode").known();
    code.and_then(failure::of_code)
        .unwrap_or_else(|| failure::of_message(text(data, "message").unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;
    use crate::record::{Did, Does, Tokens};

    fn line(kind: &str, part: &Value) -> Value {
        json!({"type": kind, "timestamp": 1_795_000_000_000_u64, "sessionID": "ses_1", "part": part})
    }

    fn step(id: &str, reason: &str, tokens: &Value, cost: f64) -> [Value; 2] {
        [
            line(
                "step_start",
                &json!({"id": format!("{id}-begin"), "messageID": id}),
            ),
            line(
                "step_finish",
                &json!({"id": id, "messageID": id, "reason": reason,
                "tokens": tokens, "cost": cost}),
            ),
        ]
    }

    fn tokens(total: Option<u64>, output: u64, reasoning: u64) -> Value {
        json!({"total": total, "input": 10, "output": output, "reasoning": reasoning,
            "cache": {"read": 4, "write": 0}})
    }

    fn one(tokens: &Value, cost: f64) -> Session {
        read(OpencodeRun::new(), &step("a", "stop", tokens, cost))
    }

    #[test]
    fn the_sample_reads_as_expected_and_tells_each_call() {
        let session = sample(OpencodeRun::new(), "opencode-run");
        let events = session.transcript.expect("events").events;
        let answers: Vec<_> = events
            .iter()
            .filter_map(|e| match &e.what {
                Did::Answer { id, tokens, .. } => {
                    Some((id.as_str(), e.at, tokens.as_ref()?.output))
                }
                _ => None,
            })
            .collect();
        let at = |ms: i64| Moment::from_millis(1_795_000_000_000 + ms);
        assert_eq!(
            answers,
            [
                ("msg_o1", at(3900), Some(200)),
                ("msg_o2", at(8900), Some(360)),
                ("msg_o3", at(13_000), Some(64)),
            ],
            "an answer ends with its last block, before the tools it called"
        );
        let does: Vec<_> = events
            .iter()
            .filter_map(|e| match &e.what {
                Did::Call { does, path, .. } => Some((*does, path.is_some())),
                _ => None,
            })
            .collect();
        assert_eq!(does, [(Does::Read, true), (Does::Write, true)]);
    }

    #[test]
    fn the_total_tells_whether_output_holds_the_reasoning() {
        let output = |tokens: &Value| one(tokens, 0.1).tokens.output;
        assert_eq!(output(&tokens(Some(24), 7, 3)), Some(10), "10 + 7 + 3 + 4");
        assert_eq!(output(&tokens(Some(21), 7, 3)), Some(7), "10 + 7 + 4");
        assert_eq!(
            output(&tokens(None, 7, 3)),
            Some(10),
            "as versions of today"
        );
    }

    #[test]
    fn a_cost_of_nothing_for_used_tokens_is_unknown() {
        assert_eq!(one(&tokens(None, 7, 3), 0.0).cost_usd, None);
        assert_eq!(one(&tokens(None, 7, 3), 0.25).cost_usd, Some(0.25));
        let nothing =
            json!({"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}});
        assert_eq!(one(&nothing, 0.0).cost_usd, Some(0.0));
        let both = [
            step("a", "tool-calls", &tokens(None, 7, 3), 0.25),
            step("b", "stop", &tokens(None, 7, 3), 0.0),
        ];
        assert_eq!(
            read(OpencodeRun::new(), &both.concat()).cost_usd,
            None,
            "a part is not the whole"
        );
    }

    #[test]
    fn repeated_parts_count_once_and_open_steps_are_told() {
        let [begin, end] = step("a", "tool-calls", &tokens(None, 7, 3), 0.25);
        let [open, _] = step("b", "stop", &json!({}), 0.0);
        let session = read(
            OpencodeRun::new(),
            &[begin.clone(), begin, end.clone(), end, open],
        );
        assert_eq!((session.num_turns, session.api_calls), (Some(2), Some(1)));
        assert_eq!(
            (session.tokens.input, session.cost_usd),
            (Some(10), Some(0.25))
        );
        for code in ["duplicate_entries", "unfinished_step"] {
            assert!(session.warnings.contains(code), "{code}");
        }
        assert_eq!(session.status, Status::Interrupted);
    }

    #[test]
    fn an_error_ends_it_unless_it_went_on() {
        let error = |name: &str, code: u64| {
            json!({"type": "error", "sessionID": "ses_1",
            "error": {"name": name, "data": {"statusCode": code, "message": "x"}}})
        };
        let alone = |name, code| read(OpencodeRun::new(), &[error(name, code)]).status;
        assert_eq!(alone("APIError", 429), Status::RateLimited);
        assert_eq!(alone("APIError", 529), Status::Overloaded);
        assert_eq!(alone("ProviderAuthError", 401), Status::Error);
        assert_eq!(alone("MessageAbortedError", 0), Status::Interrupted);
        let [begin, end] = step("a", "stop", &tokens(None, 7, 3), 0.25);
        let session = read(OpencodeRun::new(), &[error("APIError", 429), begin, end]);
        assert_eq!(session.status, Status::Success);
    }

    #[test]
    fn a_command_that_ended_badly_is_a_failed_call() {
        let state =
            json!({"status": "completed", "input": {"command": "x"}, "metadata": {"exit": 2}});
        let tool = line(
            "tool_use",
            &json!({"tool": "bash", "callID": "c", "state": state}),
        );
        let session = read(OpencodeRun::new(), &[tool]);
        assert_eq!(
            (session.tool_calls, session.tool_errors),
            (Some(1), Some(1))
        );
    }

    #[test]
    fn hostile_figures_are_unknown() {
        for told in [
            json!({"input": -1, "output": 1.5, "cache": {"read": "4", "write": 1e300}}),
            json!({"input": u64::MAX, "output": "9", "cache": {"read": -4, "write": -4}, "total": u64::MAX}),
            json!({"cache": [], "total": 0}),
        ] {
            let session = read(
                OpencodeRun::new(),
                &[
                    step("a", "stop", &tokens(None, 7, 3), 0.25),
                    step("b", "stop", &told, 0.25),
                ]
                .concat(),
            );
            let Tokens { input, output, .. } = session.tokens;
            assert_eq!((input, output), (None, None), "{told}");
        }
        assert_eq!(one(&tokens(None, 7, 3), -1.0).cost_usd, None);
    }
}
