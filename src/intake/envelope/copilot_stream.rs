//! Copilot CLI's `--output-format json`: events of the session, then its result.
//!
//! It tells what models wrote, message by message, and nothing of their prompts: for these there
//! is the usage file. Premium requests are no dollars.

use serde_json::Value;

use super::amount::{Amount, Buckets, moment, text, whole};
use super::draft::{Draft, warning};
use super::events::Seen;
use super::{Format, SessionReader, failure, tools};
use crate::intake::json::Told;
use crate::record::{Moment, Session, Status};

/// Reads it.
pub(super) struct CopilotStream {
    draft: Draft,
    answers: Seen,
    results: Seen,
    output: Amount<u64>,
    turns: u64,
    /// A call of a model failed and none was made since.
    failing: bool,
    errors: Option<Status>,
    aborted: bool,
    exit: Option<i64>,
    chosen: Option<String>,
}

impl CopilotStream {
    /// An empty one.
    pub(super) fn new() -> CopilotStream {
        let mut draft = Draft::new(Format::CopilotStream);
        draft.shows_calls();
        draft.retried(0, Amount::Absent);
        CopilotStream {
            draft,
            answers: Seen::default(),
            results: Seen::default(),
            output: Amount::Absent,
            turns: 0,
            failing: false,
            errors: None,
            aborted: false,
            exit: None,
            chosen: None,
        }
    }

    /// A model was called again, whatever came of it.
    fn called(&mut self, fails: bool) {
        if std::mem::replace(&mut self.failing, fails) {
            self.draft.retried(1, Amount::Absent);
        }
    }

    fn answer(&mut self, data: &Value, thread: u32, at: Option<Moment>) {
        let id = text(data, "messageId").unwrap_or_default();
        if !id.is_empty() && !self.answers.first(id) {
            self.draft.warn(warning::DUPLICATE_ENTRIES);
            return;
        }
        self.called(false);
        let model = text(data, "model");
        if let Some(model) = model {
            self.draft.model(model);
        }
        self.output = self.output.plus(Amount::at(data, "outputTokens").needed());
        // What it wrote alone is not what it used.
        self.draft.events.answer(thread, at, id, model, None);
    }

    fn begin(&mut self, data: &Value, thread: u32, at: Option<Moment>) {
        let Some(id) = text(data, "toolCallId") else {
            return;
        };
        if self.draft.call(id) {
            let arguments = data.get("arguments").unwrap_or(&Value::Null);
            let tool = text(data, "toolName").unwrap_or_default();
            let (does, target) = (tools::does(tool, arguments), tools::target(arguments));
            self.draft.events.call(thread, at, id, tool, does, &target);
        }
    }

    fn end(&mut self, data: &Value, thread: u32, at: Option<Moment>) {
        let Some(id) = text(data, "toolCallId") else {
            return;
        };
        self.draft.call(id);
        if self.results.first(id) {
            let ok = data.get("success") == Some(&Value::Bool(true));
            if !ok {
                self.draft.failed(id);
            }
            self.draft.events.result(thread, at, id, ok);
        }
    }

    fn result(&mut self, result: &Value) {
        self.draft.id(text(result, "sessionId"));
        self.exit = whole(result.get("exitCode"));
        if let Some(usage) = result.get("usage") {
            let session = &mut self.draft.session;
            session.duration_ms = Amount::millis(usage, "sessionDurationMs").known();
            session.duration_api_ms = Amount::millis(usage, "totalApiDurationMs").known();
        }
    }
}

impl SessionReader for CopilotStream {
    fn object(&mut self, object: &Value) {
        let at = moment(object, "timestamp");
        self.draft.saw(at);
        let none = Value::Null;
        let data = object.get("data").unwrap_or(&none);
        let agent = text(object, "agentId").or_else(|| text(data, "parentToolCallId"));
        let thread = agent.map_or(0, |agent| self.draft.threads.of(agent));
        match text(object, "type").unwrap_or_default() {
            "session.start" | "session.resume" => {
                self.draft.id(text(data, "sessionId"));
                self.draft.version(text(data, "copilotVersion"));
                self.chosen = text(data, "selectedModel").map(str::to_owned);
            }
            "session.model_change" => self.chosen = text(data, "newModel").map(str::to_owned),
            "user.message" => self.draft.events.input(thread, at),
            "assistant.turn_start" => self.turns += u64::from(thread == 0),
            "assistant.message" => self.answer(data, thread, at),
            "model.call_failure" => self.called(true),
            "tool.execution_start" => self.begin(data, thread, at),
            "tool.execution_complete" => self.end(data, thread, at),
            "session.error" => self.errors = Some(ended(data)),
            "abort" => self.aborted = true,
            "result" => self.result(object),
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        if self.exit.is_none() {
            self.draft.warn(warning::NO_RESULT_LINE);
        }
        if !self.output.is_absent() {
            self.draft.warn(warning::USAGE_MAIN_LOOP_ONLY);
            let buckets = Buckets {
                output: self.output,
                ..Buckets::default()
            };
            self.draft.tokens(None, buckets);
        }
        let session = &mut self.draft.session;
        session.num_turns = (self.turns > 0).then_some(self.turns);
        session.api_calls = self.answers.count().filter(|calls| *calls > 0);
        session.status = match self.exit {
            Some(0) => Status::Success,
            _ if self.aborted => Status::Interrupted,
            Some(_) => self.errors.unwrap_or(Status::Error),
            None => self.errors.unwrap_or(Status::Interrupted),
        };
        let chosen = self.chosen.as_deref();
        if let Some(model) = chosen.filter(|_| self.draft.session.models.is_empty()) {
            self.draft.model(model);
        }
        self.draft.finish(told)
    }
}

fn ended(error: &Value) -> Status {
    let code = Amount::<u64>::at(error, "statusCode").known();
    match text(error, "errorType") {
        Some("rate_limit" | "quota") => Status::RateLimited,
        Some("context_limit") => Status::ContextLimit,
        _ => code
            .and_then(failure::of_code)
            .unwrap_or_else(|| failure::of_message(text(error, "message").unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;
    use crate::record::{Did, Does};

    fn event(kind: &str, data: &Value) -> Value {
        json!({"type": kind, "data": data, "timestamp": "2026-11-06T14:00:00.000Z"})
    }

    fn said(id: &str, output: &Value) -> Value {
        event(
            "assistant.message",
            &json!({"messageId": id, "model": "m", "outputTokens": output}),
        )
    }

    fn result(exit: i64) -> Value {
        json!({"type": "result", "sessionId": "s", "exitCode": exit, "usage": {"premiumRequests": 1}})
    }

    #[test]
    fn the_sample_reads_as_expected_with_its_calls() {
        let session = sample(CopilotStream::new(), "copilot-stream");
        let events = session.transcript.expect("events").events;
        let does: Vec<_> = events
            .iter()
            .filter_map(|e| match &e.what {
                Did::Call { does, .. } => Some(*does),
                _ => None,
            })
            .collect();
        assert_eq!(does, [Does::Read, Does::Write]);
        assert!(
            session.by_model.is_empty(),
            "what was written alone has no price"
        );
    }

    #[test]
    fn a_message_told_twice_counts_once_and_one_without_tokens_leaves_them_unknown() {
        let twice = [
            said("a", &json!(5)),
            said("a", &json!(5)),
            said("b", &json!(6)),
            result(0),
        ];
        let session = read(CopilotStream::new(), &twice);
        assert_eq!(
            (session.tokens.output, session.api_calls),
            (Some(11), Some(2))
        );
        assert!(session.warnings.contains("duplicate_entries"));
        let session = read(
            CopilotStream::new(),
            &[said("a", &json!(5)), said("b", &json!(null)), result(0)],
        );
        assert_eq!((session.tokens.output, session.tokens.input), (None, None));
    }

    #[test]
    fn a_failure_after_which_no_call_was_made_is_no_retry() {
        let failure = event("model.call_failure", &json!({"statusCode": 429}));
        let lines = [
            failure.clone(),
            failure.clone(),
            said("a", &json!(5)),
            failure,
            result(1),
        ];
        let session = read(CopilotStream::new(), &lines);
        assert_eq!(session.api_retries.map(|r| r.count), Some(2));
        assert_eq!(session.status, Status::Error);
    }

    #[test]
    fn the_end_is_told_by_the_result_and_by_errors() {
        let error =
            |kind: &str| event("session.error", &json!({"errorType": kind, "message": "x"}));
        let status = |lines: &[Value]| read(CopilotStream::new(), lines).status;
        assert_eq!(status(&[error("quota"), result(1)]), Status::RateLimited);
        assert_eq!(
            status(&[error("context_limit"), result(1)]),
            Status::ContextLimit
        );
        assert_eq!(status(&[error("query"), result(0)]), Status::Success);
        assert_eq!(
            status(&[event("abort", &json!({"reason": "user"})), result(1)]),
            Status::Interrupted
        );
        let cut = read(CopilotStream::new(), &[said("a", &json!(5))]);
        assert_eq!(cut.status, Status::Interrupted);
        assert!(cut.warnings.contains("no_result_line"));
    }

    #[test]
    fn sub_agents_have_their_own_threads_and_no_turns() {
        let mut other = said("b", &json!(1));
        other["agentId"] = json!("sub");
        let mut turn = event("assistant.turn_start", &json!({"turnId": "0"}));
        let main = turn.clone();
        turn["agentId"] = json!("sub");
        let session = read(
            CopilotStream::new(),
            &[main, said("a", &json!(1)), turn, other, result(0)],
        );
        let threads = session.transcript.expect("events").events;
        assert_eq!(threads.iter().map(|e| e.thread).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(session.num_turns, Some(1));
    }
}
