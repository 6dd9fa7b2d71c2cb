//! Claude Code's session files: a session's own, and those of its sub-agents.
//!
//! An answer's blocks stand in lines of their own, each with the answer's usage; resumed and
//! forked sessions copy lines; sub-agents may begin with their parent's answer. Each is counted
//! once, over all files given.

use std::collections::HashMap;

use serde_json::Value;

use super::amount::{Amount, moment, text};
use super::anthropic::{failure, http_status};
use super::draft::{Draft, warning};
use super::events::{Seen, short};
use super::messages::{Messages, Place, blocks};
use super::{Format, SessionReader};
use crate::intake::json::Told;
use crate::record::{Session, Status};

/// More lines of sub-agents without a name than any file has.
const LINEAGE_MAX: usize = 200_000;

/// Reads one session out of one or several files.
pub(super) struct Transcript {
    draft: Draft,
    messages: Messages,
    lines: Seen,
    /// Threads of sub-agents that have no name, by their lines.
    lineage: HashMap<u64, u32>,
    /// How it ended as the last line of the main thread says.
    last: Option<Status>,
    /// There are lines of the main thread in this file.
    main_file: bool,
    /// The file of the main thread is cut off.
    cut: bool,
    costs: Option<Costs>,
    told: Told,
}

/// What the session cost, as its last `cost-state` says.
struct Costs {
    total: Amount<f64>,
    duration_api_ms: Amount<u64>,
    session: Option<String>,
    /// More than one session tells its costs.
    several: bool,
    incomplete: bool,
    by_model: Vec<(String, Amount<f64>, Amount<u64>)>,
}

impl Transcript {
    pub(super) fn new() -> Transcript {
        let mut draft = Draft::new(Format::ClaudeTranscript);
        draft.shows_calls();
        draft.shows_retries();
        Transcript {
            draft,
            messages: Messages::default(),
            lines: Seen::default(),
            lineage: HashMap::new(),
            last: None,
            main_file: false,
            cut: false,
            costs: None,
            told: Told::default(),
        }
    }

    /// One file ended, and another of the same session may follow.
    pub(super) fn file(&mut self, told: &Told) {
        self.cut |= told.torn && self.main_file;
        self.main_file = false;
        self.told.torn |= told.torn;
        self.told.skipped_lines += told.skipped_lines;
        self.told.too_large += told.too_large;
    }

    fn thread(&mut self, object: &Value) -> u32 {
        if object.get("isSidechain") != Some(&Value::Bool(true)) {
            return 0;
        }
        if let Some(agent) = text(object, "agentId") {
            return self.draft.threads.of(agent);
        }
        // Before they had names: the lines of one hang together by their parents.
        let uuid = text(object, "uuid").unwrap_or_default();
        let parent = text(object, "parentUuid").map(short);
        let known = parent.and_then(|p| self.lineage.get(&p).copied());
        let thread = match known {
            Some(thread) => thread,
            None => self.draft.threads.of(uuid),
        };
        if self.lineage.len() < LINEAGE_MAX {
            self.lineage.insert(short(uuid), thread);
        }
        thread
    }

    fn message(&mut self, object: &Value, kind: &str, place: Place) {
        let Some(message) = object.get("message") else {
            return;
        };
        let main = place.thread == 0;
        self.main_file |= main;
        if kind == "user" {
            self.messages.user(&mut self.draft, message, place);
            if main && !is_command(message) {
                self.last = Some(Status::Interrupted);
            }
            return;
        }
        let is_error = object.get("isApiErrorMessage") == Some(&Value::Bool(true));
        if is_error || text(message, "model") == Some("<synthetic>") {
            if main && is_error {
                self.last = Some(error(object, message));
            }
            return;
        }
        if main {
            self.last = Some(stopped(message));
        }
        let Some(id) = text(message, "id").or_else(|| text(object, "uuid")) else {
            return;
        };
        self.messages.assistant(&mut self.draft, message, id, place);
    }

    fn costs(&mut self, object: &Value) {
        let session = text(object, "sessionId").map(str::to_owned);
        let before = self.costs.take();
        let several = before
            .as_ref()
            .is_some_and(|b| b.several || b.session != session);
        let models = object.get("modelUsage").and_then(Value::as_object);
        let by_model = models.into_iter().flatten().map(|(name, told)| {
            let keys = [
                "inputTokens",
                "outputTokens",
                "cacheReadInputTokens",
                "cacheCreationInputTokens",
            ];
            let tokens = keys.iter().map(|k| Amount::<u64>::at(told, k));
            let tokens = tokens.fold(Amount::Absent, Amount::plus);
            (name.clone(), Amount::at(told, "costUSD"), tokens)
        });
        self.costs = Some(Costs {
            total: Amount::at(object, "totalCostUSD"),
            duration_api_ms: Amount::millis(object, "totalAPIDuration"),
            session,
            several,
            incomplete: object.get("hasUnknownModelCost") == Some(&Value::Bool(true)),
            by_model: by_model.collect(),
        });
    }

    fn tell_costs(&mut self, costs: Costs) {
        if costs.several {
            // Totals of different sessions: neither the last nor their sum is one's.
            self.draft.warn(warning::SEVERAL_SESSIONS);
            return;
        }
        self.draft.session.cost_usd = costs.total.known();
        self.draft.session.duration_api_ms = costs.duration_api_ms.known();
        if costs.incomplete {
            self.draft.warn(warning::COST_INCOMPLETE);
        }
        let mut more = false;
        for (name, cost, tokens) in costs.by_model {
            let name = name.strip_suffix("[1m]").unwrap_or(&name);
            match self.draft.by_model().get_mut(name) {
                Some(used) => {
                    used.cost = used.cost.plus(cost);
                    more |= tokens.known() > used.buckets.all().known();
                }
                None => more |= tokens.known().is_some_and(|t| t > 0),
            }
        }
        if more {
            self.draft.warn(warning::COST_COVERS_MORE);
        }
    }

    /// The session; every file has been told of.
    pub(super) fn session(mut self) -> Session {
        self.messages.add(&mut self.draft, true);
        self.messages.tell(&mut self.draft, true);
        self.draft.session.api_calls = self.messages.count();
        if self.messages.repeated {
            self.draft.warn(warning::DUPLICATE_ENTRIES);
        }
        if self.messages.is_partial() {
            self.draft.warn(warning::OUTPUT_TOKENS_PARTIAL);
        }
        if self.messages.lifetime_unstated {
            self.draft.warn(warning::CACHE_TTL_UNSTATED);
        }
        if self.messages.over || self.lines.over {
            self.draft.warn(warning::TOO_MANY_IDS);
        }
        self.draft.session.status = match self.last {
            _ if self.cut => Status::Interrupted,
            last => last.unwrap_or(Status::Unknown),
        };
        if let Some(costs) = self.costs.take() {
            self.tell_costs(costs);
        }
        let told = self.told;
        self.draft.finish(&told)
    }
}

impl SessionReader for Transcript {
    fn object(&mut self, object: &Value) {
        let kind = text(object, "type").unwrap_or_default();
        if kind == "cost-state" {
            self.costs(object);
        }
        if !["user", "assistant", "system", "attachment"].contains(&kind) {
            return;
        }
        if text(object, "uuid").is_some_and(|uuid| !self.lines.first(uuid)) {
            self.draft.warn(warning::DUPLICATE_ENTRIES);
            return;
        }
        self.draft.id(text(object, "sessionId"));
        self.draft.version(text(object, "version"));
        let at = moment(object, "timestamp");
        self.draft.saw(at);
        match kind {
            "system" if text(object, "subtype") == Some("api_error") => {
                self.draft.retried(1, Amount::millis(object, "retryInMs"));
            }
            "user" | "assistant" => {
                let thread = self.thread(object);
                self.message(object, kind, Place { thread, at });
            }
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        self.file(told);
        self.session()
    }
}

/// Whether a line of the user's is a command of the program's own, or what it printed: nobody
/// waits for an answer to it.
fn is_command(message: &Value) -> bool {
    let content = message.get("content").and_then(Value::as_str);
    content.is_some_and(|c| c.starts_with("<command-") || c.starts_with("<local-command-"))
}

fn error(object: &Value, message: &Value) -> Status {
    let said = blocks(message).iter().find_map(|b| text(b, "text"));
    failure(
        http_status(object.get("apiErrorStatus")),
        text(object, "error"),
        said.unwrap_or_default(),
    )
}

fn stopped(message: &Value) -> Status {
    match text(message, "stop_reason") {
        Some("end_turn" | "stop_sequence") => Status::Success,
        Some("model_context_window_exceeded") => Status::ContextLimit,
        Some("refusal" | "max_tokens") => Status::Error,
        // A call that nobody answered.
        Some("tool_use" | "pause_turn") => Status::Interrupted,
        _ => {
            let calls = blocks(message)
                .iter()
                .any(|b| text(b, "type") == Some("tool_use"));
            match calls {
                true => Status::Interrupted,
                false => Status::Unknown,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(objects: &[Value]) -> Session {
        let mut reader = Box::new(Transcript::new());
        objects.iter().for_each(|o| reader.object(o));
        reader.finish(&Told::default())
    }

    fn answer(uuid: &str, id: &str, side: bool, parent: Option<&str>) -> Value {
        json!({"type": "assistant", "uuid": uuid, "sessionId": "s", "isSidechain": side,
            "parentUuid": parent, "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"id": id, "model": "m", "content": [], "stop_reason": "end_turn",
                "usage": {"input_tokens": 2, "output_tokens": 3}}})
    }

    fn prompt(uuid: &str) -> Value {
        json!({"type": "user", "uuid": uuid, "sessionId": "s", "isSidechain": false,
            "message": {"role": "user", "content": "go on"}})
    }

    #[test]
    fn the_last_line_of_the_main_thread_says_how_it_ended() {
        let status = |more: Value| read(&[prompt("p"), answer("a", "m", false, None), more]).status;
        assert_eq!(status(json!({})), Status::Success);
        assert_eq!(status(prompt("q")), Status::Interrupted);
        let command = json!({"type": "user", "uuid": "c", "sessionId": "s",
            "message": {"content": "<command-name>/exit</command-name>"}});
        assert_eq!(status(command), Status::Success);
        let mut side = prompt("q");
        side["isSidechain"] = json!(true);
        assert_eq!(status(side), Status::Success);
        let error = json!({"type": "assistant", "uuid": "e", "sessionId": "s",
            "isApiErrorMessage": true, "apiErrorStatus": 429,
            "message": {"model": "<synthetic>", "content": []}});
        assert_eq!(status(error), Status::RateLimited);
        let mut called = answer("b", "n", false, None);
        called["message"]["stop_reason"] = json!("tool_use");
        assert_eq!(status(called), Status::Interrupted);
    }

    #[test]
    fn a_main_file_that_is_cut_off_was_interrupted_a_sub_agents_was_not() {
        let mut reader = Transcript::new();
        let torn = Told {
            torn: true,
            skipped_lines: 1,
            ..Told::default()
        };
        reader.object(&answer("a", "m", false, None));
        reader.file(&Told::default());
        reader.object(&answer("b", "n", true, None));
        reader.file(&torn);
        let session = reader.session();
        assert_eq!(session.status, Status::Success);
        assert_eq!((session.skipped_lines, session.api_calls), (1, Some(2)));
        let mut reader = Box::new(Transcript::new());
        reader.object(&answer("a", "m", false, None));
        assert_eq!(reader.finish(&torn).status, Status::Interrupted);
    }

    #[test]
    fn sub_agents_without_names_are_told_apart_by_their_lines() {
        let session = read(&[
            answer("a", "m1", true, None),
            answer("b", "m2", true, None),
            answer("c", "m3", true, Some("a")),
            answer("d", "m4", true, Some("b")),
        ]);
        let events = session.transcript.expect("events").events;
        let threads: Vec<u32> = events.iter().map(|e| e.thread).collect();
        assert_eq!(threads, [1, 2, 1, 2]);
    }

    #[test]
    fn costs_that_cover_more_than_the_file_are_said() {
        let costs = |tokens: u64, session: &str| {
            json!({"type": "cost-state", "sessionId": session, "totalCostUSD": 0.25,
                "totalAPIDuration": 5, "modelUsage": {"m[1m]": {"outputTokens": tokens,
                    "costUSD": 0.25}}})
        };
        let one = read(&[answer("a", "m", false, None), costs(5, "s")]);
        assert_eq!((one.cost_usd, one.duration_api_ms), (Some(0.25), Some(5)));
        assert_eq!(one.by_model["m"].cost_usd, Some(0.25));
        assert!(!one.warnings.contains("cost_covers_more"));
        let more = read(&[answer("a", "m", false, None), costs(6, "s")]);
        assert!(more.warnings.contains("cost_covers_more"));
        let two = read(&[answer("a", "m", false, None), costs(5, "s"), costs(5, "t")]);
        assert_eq!(two.cost_usd, None);
        assert!(two.warnings.contains("several_sessions"));
    }
}
