//! Codex's session file.
//!
//! Newest versions tell the usage of each answer by its id; before, only counts of all so far,
//! sent again unchanged, whose differences are the calls. A forked session, or a sub-agent's,
//! begins with a copy of its parent's history, counts included: what is copied is left out, and
//! its last count is where this session's begin.

use std::collections::HashMap;

use serde_json::Value;

use super::amount::{Amount, Buckets, moment, text};
use super::answering::Answering;
use super::codex::{Counted, Tally};
use super::codex_history::History;
use super::codex_output::{end_failed, output_failed, patched};
use super::codex_turns::Turns;
use super::draft::{Draft, warning};
use super::events::{At, Seen, short};
use super::{Format, SessionReader, tools};
use crate::intake::json::Told;
use crate::record::{Did, Does, Moment, Session};

/// Reads it.
pub(super) struct CodexRollout {
    draft: Draft,
    answering: Answering,
    history: History,
    model: Option<String>,
    /// The last count of all so far.
    so_far: Option<Counted>,
    /// Answers' ids, once usage is told by answer.
    answers: Option<Seen>,
    /// Calls that were told before that, by differences.
    differences: Tally,
    records: Tally,
    results: HashMap<u64, At>,
    turns: Turns,
}

impl CodexRollout {
    /// An empty one.
    pub(super) fn new() -> CodexRollout {
        let mut draft = Draft::new(Format::CodexRollout);
        draft.shows_calls();
        CodexRollout {
            draft,
            answering: Answering::default(),
            history: History::default(),
            model: None,
            so_far: None,
            answers: None,
            differences: Tally::default(),
            records: Tally::default(),
            results: HashMap::new(),
            turns: Turns::default(),
        }
    }

    fn meta(&mut self, meta: &Value, at: Option<Moment>) {
        if self.history.begun {
            // The parent's, copied.
            return;
        }
        self.draft
            .id(text(meta, "id").or_else(|| text(meta, "session_id")));
        self.draft.version(text(meta, "cli_version"));
        self.draft.saw(moment(meta, "timestamp"));
        self.draft.saw(at);
        self.history.begin(meta, at);
    }

    /// Usage of one answer.
    fn record(&mut self, record: &Value, at: Option<Moment>) {
        let (of, own) = (text(record, "thread_id"), self.history.own.as_deref());
        if self.history.forked && of.zip(own).is_some_and(|(of, own)| of != own) {
            self.draft.warn(warning::REPLAYED_HISTORY);
            return;
        }
        let counted = Counted::read(record.get("usage").unwrap_or(&Value::Null));
        let id = text(record, "response_id");
        if self.answers.is_none() {
            let all = record.get("thread_token_usage").map(Counted::read);
            if all == Some(counted) {
                // The thread's first call: what differences told was this one.
                self.differences = Tally::default();
            }
        }
        let answers = self.answers.get_or_insert_default();
        if id.is_some_and(|id| !answers.first(id)) {
            self.draft.warn(warning::DUPLICATE_ENTRIES);
            return;
        }
        self.records.call(self.model.clone(), counted.buckets());
        self.told(counted, at, id);
    }

    /// A count of all so far; `copied` where it is the parent's.
    fn count(&mut self, info: &Value, at: Option<Moment>, copied: bool) {
        let Some(total) = info.get("total_token_usage").filter(|t| t.is_object()) else {
            return;
        };
        let total = Counted::read(total);
        let before = self.so_far.replace(total);
        if copied {
            return;
        }
        if before == Some(total) {
            self.draft.warn(warning::DUPLICATE_ENTRIES);
            return;
        }
        if self.answers.is_some() {
            return;
        }
        let last = info.get("last_token_usage").map(Counted::read);
        let counted = match (before, last) {
            (Some(before), _) => total.since(before),
            // Of a fork whose copied history told no counts.
            (None, Some(last)) if self.history.forked => last,
            (None, _) => total,
        };
        let model = self.model.clone();
        if before.is_some_and(|before| total.went_down(before)) {
            self.differences.add(model.clone(), Buckets::UNUSABLE);
        }
        self.differences.call(model, counted.buckets());
        self.told(counted, at, None);
    }

    fn told(&mut self, counted: Counted, at: Option<Moment>, id: Option<&str>) {
        counted.warn(&mut self.draft);
        let tokens = Some(counted.buckets().tokens());
        let model = self.model.as_deref();
        self.answering.told(&mut self.draft, at, id, model, tokens);
    }

    fn item(&mut self, item: &Value, at: Option<Moment>) {
        let kind = text(item, "type").unwrap_or_default();
        match kind {
            "message" if text(item, "role") == Some("user") => self.input(at),
            "message" if text(item, "role") != Some("assistant") => {}
            "message" | "reasoning" => self.answering.block(&mut self.draft, at),
            _ if kind.ends_with("_call_output") => {
                if let Some(id) = text(item, "call_id") {
                    let failed = item.get("output").is_some_and(output_failed);
                    self.result(id, failed, at);
                }
            }
            _ if kind.ends_with("_call") => self.call(item, kind, at),
            _ => {}
        }
    }

    fn input(&mut self, at: Option<Moment>) {
        self.answering.close();
        self.draft.events.input(0, at);
    }

    fn call(&mut self, item: &Value, kind: &str, at: Option<Moment>) {
        self.answering.block(&mut self.draft, at);
        let Some(id) = text(item, "call_id").or_else(|| text(item, "id")) else {
            return;
        };
        if !self.draft.call(id) {
            return;
        }
        let tool = text(item, "name").unwrap_or(kind);
        let arguments = text(item, "arguments").unwrap_or_default();
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let mut target = tools::target(&arguments);
        let mut does = tools::does(tool, &arguments);
        if tool == "apply_patch" {
            does = Does::Write;
            target.path = text(item, "input").and_then(patched);
        }
        self.draft.events.call(0, at, id, tool, does, &target);
    }

    /// What is told of a call's end, by its output and by events: the worst counts.
    fn result(&mut self, id: &str, failed: bool, at: Option<Moment>) {
        if failed {
            self.draft.failed(id);
        }
        match self.results.get(&short(id)) {
            Some(place) => {
                let event = self.draft.events.get(*place);
                if let Some(Did::Result { ok, .. }) = event.map(|e| &mut e.what) {
                    *ok &= !failed;
                }
            }
            None => {
                if let Some(place) = self.draft.events.result(0, at, id, !failed) {
                    self.results.insert(short(id), place);
                }
            }
        }
    }

    fn event(&mut self, event: &Value, at: Option<Moment>) {
        let kind = text(event, "type").unwrap_or_default();
        match kind {
            "token_count" => {
                if let Some(info) = event.get("info") {
                    self.count(info, at, false);
                }
            }
            "user_message" => self.input(at),
            "stream_error" => self.draft.retried(1, Amount::Absent),
            "item_completed" => {
                if let Some(item) = event.get("item") {
                    self.ended(text(item, "id"), item, at);
                }
            }
            _ if kind.ends_with("_end") => self.ended(text(event, "call_id"), event, at),
            _ => self.turns.event(kind, event),
        }
    }

    /// The end of a call as an event tells it. Events have more ids than calls.
    fn ended(&mut self, id: Option<&str>, told: &Value, at: Option<Moment>) {
        let Some(id) = id.filter(|id| self.draft.has_call(id)) else {
            return;
        };
        self.result(id, end_failed(told), at);
    }
}

impl SessionReader for CodexRollout {
    fn object(&mut self, object: &Value) {
        let at = moment(object, "timestamp");
        let payload = object.get("payload").unwrap_or(&Value::Null);
        let kind = text(object, "type").unwrap_or_default();
        if kind == "session_meta" {
            self.meta(payload, at);
            return;
        }
        if kind == "turn_context"
            && let Some(model) = text(payload, "model")
        {
            self.model = Some(model.to_owned());
        }
        if self.history.copied(Amount::at(object, "ordinal"), at) {
            let told = match kind {
                "event_msg" if text(payload, "type") == Some("token_count") => {
                    if let Some(info) = payload.get("info") {
                        self.count(info, at, true);
                    }
                    true
                }
                _ => matches!(kind, "response_item" | "token_usage_record"),
            };
            if told {
                self.draft.warn(warning::REPLAYED_HISTORY);
            }
            return;
        }
        self.draft.saw(at);
        match kind {
            "response_item" => self.item(payload, at),
            "event_msg" => self.event(payload, at),
            "token_usage_record" => self.record(payload, at),
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        let calls = self.differences.calls() + self.records.calls();
        for tally in [&self.differences, &self.records] {
            tally.give(&mut self.draft);
        }
        if self.differences.of_nobody() || self.records.of_nobody() {
            // Part of the tokens is nobody's: what models used is not known.
            self.draft.by_model().clear();
        }
        if let Some(model) = self.model.as_deref().filter(|_| calls == 0) {
            self.draft.model(model);
        }
        let session = &mut self.draft.session;
        session.status = self.turns.status();
        session.api_calls = (calls > 0).then_some(calls);
        session.num_turns = self.turns.count();
        session.duration_ms = self.turns.duration();
        self.draft.finish(told)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::proof::{read, sample};
    use super::*;
    use crate::record::Happening;

    fn line(second: u32, kind: &str, payload: Value) -> Value {
        json!({"timestamp": format!("2026-07-10T11:00:{second:02}.000Z"), "type": kind,
            "payload": payload})
    }

    fn counts(input: u64, output: u64) -> Value {
        json!({"input_tokens": input, "cached_input_tokens": 0, "output_tokens": output})
    }

    fn all(second: u32, input: u64, output: u64) -> Value {
        let info = json!({"total_token_usage": counts(input, output)});
        line(
            second,
            "event_msg",
            json!({"type": "token_count", "info": info}),
        )
    }

    fn record(second: u32, id: &str, input: u64, so_far: u64) -> Value {
        line(
            second,
            "token_usage_record",
            json!({"thread_id": "t", "response_id": id,
            "usage": counts(input, 1), "thread_token_usage": counts(so_far, 1)}),
        )
    }

    fn begun() -> [Value; 2] {
        [
            line(
                0,
                "session_meta",
                json!({"id": "t", "cli_version": "0.150.0"}),
            ),
            line(0, "turn_context", json!({"model": "gpt-5.5"})),
        ]
    }

    fn session(lines: &[Value]) -> Session {
        read(CodexRollout::new(), &[&begun()[..], lines].concat())
    }

    #[test]
    fn the_samples_read_as_expected_and_tell_each_call() {
        let session = sample(CodexRollout::new(), "codex-rollout-current");
        let events = session.transcript.expect("events").events;
        let prompts: Vec<_> = events
            .iter()
            .filter_map(|e| match &e.what {
                Did::Answer { id, model, tokens } => {
                    let tokens = tokens.expect("told for each");
                    assert_eq!(model.as_deref(), Some("gpt-5.6-terra"));
                    Some((
                        id.as_str(),
                        tokens.input,
                        tokens.cache_read,
                        tokens.cache_creation_5m,
                    ))
                }
                _ => None,
            })
            .collect();
        assert_eq!(
            prompts,
            [
                ("resp_19_1", Some(40), Some(0), Some(40_960)),
                ("resp_19_2", Some(1_040), Some(40_960), Some(140_000)),
                ("resp_19_3", Some(120_776), Some(180_224), Some(0)),
            ],
            "the third call alone passes 272k"
        );
        let oks: Vec<_> = events
            .iter()
            .filter_map(|e| match e.what {
                Did::Result { ok, .. } => Some(ok),
                _ => None,
            })
            .collect();
        assert_eq!(oks, [true, false]);
        sample(CodexRollout::new(), "codex-rollout-fork-replay");
    }

    #[test]
    fn counts_sent_again_add_nothing_and_differences_are_calls() {
        let read = session(&[all(2, 100, 5), all(3, 100, 5), all(5, 250, 9)]);
        assert_eq!(
            (read.tokens.input, read.tokens.output),
            (Some(250), Some(9))
        );
        assert_eq!(read.api_calls, Some(2));
        assert!(read.warnings.contains("duplicate_entries"));
        let read = session(&[all(2, 100, 5), all(5, 50, 9)]);
        assert_eq!(read.tokens.input, None, "it went down");
    }

    #[test]
    fn records_by_answer_count_instead_of_differences_once_each() {
        let read = session(&[
            record(2, "r1", 100, 100),
            all(2, 100, 1),
            record(4, "r2", 60, 160),
            record(5, "r2", 60, 160),
            all(5, 160, 2),
        ]);
        assert_eq!((read.tokens.input, read.api_calls), (Some(160), Some(2)));
        assert!(read.warnings.contains("duplicate_entries"));
        // A file begun by a version without records: both parts count.
        let read = session(&[all(2, 100, 5), all(3, 150, 6), record(4, "r1", 60, 210)]);
        assert_eq!((read.tokens.input, read.api_calls), (Some(210), Some(3)));
        // The first call's count may come before its record.
        let read = session(&[all(2, 100, 1), record(2, "r1", 100, 100)]);
        assert_eq!((read.tokens.input, read.api_calls), (Some(100), Some(1)));
    }

    #[test]
    fn what_a_sub_agent_copied_is_told_by_its_ordinal() {
        let mut meta = line(
            0,
            "session_meta",
            json!({"id": "t", "session_id": "root",
            "source": {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}},
            "subagent_history_start_ordinal": 5}),
        );
        let mut lines = vec![
            begun()[1].clone(),
            record(3, "r0", 900, 900),
            all(3, 900, 1),
            record(50, "r1", 10, 910),
            all(50, 910, 2),
        ];
        meta["ordinal"] = json!(0);
        for (n, line) in lines.iter_mut().enumerate() {
            line["ordinal"] = json!(n + 2);
        }
        lines.insert(0, meta);
        let read = read(CodexRollout::new(), &lines);
        assert_eq!((read.tokens.input, read.api_calls), (Some(10), Some(1)));
        assert!(read.warnings.contains("replayed_history"));
        assert_eq!(read.session_id.as_deref(), Some("t"));
    }

    #[test]
    fn another_threads_records_are_not_a_forks_own() {
        let meta = line(0, "session_meta", json!({"id": "t", "forked_from_id": "p"}));
        let mut other = record(30, "r0", 900, 900);
        other["payload"]["thread_id"] = json!("p");
        let lines = [meta, begun()[1].clone(), other, record(40, "r1", 10, 910)];
        let read = read(CodexRollout::new(), &lines);
        assert_eq!(read.tokens.input, Some(10));
    }

    #[test]
    fn calls_of_a_model_that_is_not_named_leave_the_models_unknown() {
        let lines = [
            begun()[0].clone(),
            all(2, 100, 5),
            begun()[1].clone(),
            all(3, 150, 6),
        ];
        let read = read(CodexRollout::new(), &lines);
        assert_eq!(read.tokens.input, Some(150));
        assert!(read.by_model.is_empty(), "a part would pass for the whole");
    }

    #[test]
    fn the_worst_that_is_told_of_a_call_counts() {
        let call = json!({"type": "custom_tool_call", "call_id": "c", "name": "apply_patch",
            "input": "*** Update File: a.go"});
        let read = session(&[
            line(1, "response_item", call),
            line(
                2,
                "event_msg",
                json!({"type": "patch_apply_end", "call_id": "c", "success": true}),
            ),
            line(
                2,
                "response_item",
                json!({"type": "custom_tool_call_output", "call_id": "c",
                "output": {"content": "no match", "success": false}}),
            ),
            line(
                3,
                "event_msg",
                json!({"type": "exec_command_end", "call_id": "other", "exit_code": 1}),
            ),
        ]);
        assert_eq!((read.tool_calls, read.tool_errors), (Some(1), Some(1)));
        let events = read.transcript.expect("events").events;
        assert!(events.iter().any(
            |e| matches!(&e.what, Did::Call { does: Does::Write, path, .. }
            if path.as_deref() == Some("a.go"))
        ));
        let results: Vec<_> = events
            .iter()
            .filter(|e| matches!(e.what, Did::Result { .. }))
            .collect();
        assert!(matches!(
            results[..],
            [Happening {
                what: Did::Result { ok: false, .. },
                ..
            }]
        ));
    }
}
