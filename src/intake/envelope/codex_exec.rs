//! Codex's `exec --json`: threads, turns and items.
//!
//! The usage of a completed turn counts everything of the thread so far, also what a resumed
//! session had used before, so that the last one is the thread's. A failed turn tells no usage.
//! Items of type `error` are warnings; top-level errors may be notices that a call is made again.
//! Before these events had their present names a short-lived form told neither turns nor usage.

use serde_json::Value;

use super::amount::{Amount, Buckets, text, whole};
use super::codex::{Counted, is_retry_notice};
use super::draft::Draft;
use super::events::{Seen, Target};
use super::{Format, SessionReader, failure};
use crate::intake::json::Told;
use crate::record::{Does, Session, Status};

/// Item types that are calls of tools.
const TOOLS: [&str; 5] = [
    "command_execution",
    "file_change",
    "mcp_tool_call",
    "web_search",
    "collab_tool_call",
];

/// Reads it.
pub(super) struct CodexExec {
    draft: Draft,
    /// The thread spoken of, and how often a process began to speak.
    thread: Option<String>,
    processes: u64,
    turns: u64,
    /// The present thread's counts; other threads' are added already.
    counted: Option<Counted>,
    /// Work was paid for whose usage is not told yet.
    untold: bool,
    finished: Seen,
    nameless: u64,
    status: Status,
}

impl CodexExec {
    /// An empty one.
    pub(super) fn new() -> CodexExec {
        let mut draft = Draft::new(Format::CodexExec);
        draft.shows_calls();
        draft.retried(0, Amount::Absent);
        CodexExec {
            draft,
            thread: None,
            processes: 0,
            turns: 0,
            counted: None,
            untold: false,
            finished: Seen::default(),
            nameless: 0,
            status: Status::Interrupted,
        }
    }

    fn thread(&mut self, id: Option<&str>) {
        self.processes += 1;
        self.draft.id(id);
        if self.thread.as_deref() != id {
            // Another thread counts from its own beginning.
            self.bank();
        }
        self.thread = id.map(str::to_owned);
    }

    fn bank(&mut self) {
        if let Some(counted) = self.counted.take() {
            self.draft.tokens(None, counted.buckets());
            counted.warn(&mut self.draft);
        }
    }

    fn completed(&mut self, usage: Option<&Value>) {
        self.status = Status::Success;
        self.untold = false;
        let Some(usage) = usage.filter(|u| u.is_object()) else {
            self.untold = true;
            return;
        };
        let counted = Counted::read(usage);
        if counted.went_down(self.counted.unwrap_or_default()) {
            self.draft.tokens(None, Buckets::UNUSABLE);
        }
        self.counted = Some(counted);
    }

    fn error(&mut self, message: &str) {
        if is_retry_notice(message) {
            self.draft.retried(1, Amount::Absent);
        } else {
            self.status = failure::of_message(message);
        }
    }

    fn item(&mut self, item: &Value, completed: bool) {
        let kind = text(item, "type").or_else(|| text(item, "item_type"));
        let Some(kind) = kind.filter(|k| TOOLS.contains(k)) else {
            if completed && kind == Some("assistant_message") {
                // The form without turns ends with one.
                self.status = Status::Success;
            }
            return;
        };
        // Ids begin anew with each process.
        let id = match text(item, "id") {
            Some(id) if self.processes > 1 => format!("{}:{id}", self.processes),
            Some(id) => id.to_owned(),
            None => {
                self.nameless += u64::from(completed);
                format!("?{}", self.nameless)
            }
        };
        if self.draft.call(&id) {
            let (does, path) = changed(item);
            let target = Target {
                path,
                ..Target::default()
            };
            let tool = text(item, "tool").unwrap_or(kind);
            self.draft.events.call(0, None, &id, tool, does, &target);
        }
        if completed && self.finished.first(&id) {
            let failed = item_failed(item);
            if failed {
                self.draft.failed(&id);
            }
            self.draft.events.result(0, None, &id, !failed);
        }
    }
}

impl SessionReader for CodexExec {
    fn object(&mut self, object: &Value) {
        match text(object, "type").unwrap_or_default() {
            "thread.started" => self.thread(text(object, "thread_id")),
            "session.created" => self.thread(text(object, "session_id")),
            "turn.started" => {
                self.turns += 1;
                self.untold = true;
                self.status = Status::Interrupted;
                self.draft.events.input(0, None);
            }
            "turn.completed" => self.completed(object.get("usage")),
            "turn.failed" => {
                self.untold = true;
                let error = object.get("error");
                let message = error.and_then(|e| text(e, "message"));
                self.status = failure::of_message(message.unwrap_or_default());
            }
            "error" => self.error(text(object, "message").unwrap_or_default()),
            event @ ("item.started" | "item.updated" | "item.completed") => {
                if let Some(item) = object.get("item") {
                    self.item(item, event == "item.completed");
                }
            }
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>, told: &Told) -> Session {
        let something = self.counted.is_some();
        self.bank();
        if self.untold && something {
            // A turn after the last count was paid for, too.
            self.draft.tokens(None, Buckets::UNUSABLE);
        }
        self.draft.session.status = self.status;
        self.draft.session.num_turns = (self.turns > 0).then_some(self.turns);
        self.draft.finish(told)
    }
}

/// What an item does, and the file where it is one.
fn changed(item: &Value) -> (Does, Option<&str>) {
    let Some(changes) = item.get("changes").and_then(Value::as_array) else {
        return (Does::Other, None);
    };
    let path = match changes.as_slice() {
        [one] => text(one, "path"),
        _ => None,
    };
    (Does::Write, path)
}

fn item_failed(item: &Value) -> bool {
    let status = text(item, "status");
    let exit = whole(item.get("exit_code"));
    matches!(status, Some("failed" | "declined")) || exit.is_some_and(|code| code != 0)
}

#[cfg(test)]
mod tests {
    use super::super::proof::{read, read_text, sample};
    use super::*;

    fn lines(lines: &[&str]) -> Session {
        read_text(CodexExec::new(), &lines.join("\n"))
    }

    const STARTED: &str = r#"{"type":"thread.started","thread_id":"t1"}"#;
    const TURN: &str = r#"{"type":"turn.started"}"#;

    fn usage(input: u64, cached: u64, output: u64) -> String {
        format!(
            r#"{{"type":"turn.completed","usage":{{"input_tokens":{input},"cached_input_tokens":{cached},"output_tokens":{output}}}}}"#
        )
    }

    #[test]
    fn the_samples_read_as_expected() {
        for name in [
            "codex-exec-turns",
            "codex-exec-rate-limited",
            "codex-exec-experimental",
        ] {
            sample(CodexExec::new(), name);
        }
    }

    #[test]
    fn usage_of_a_resumed_thread_goes_on_and_another_threads_is_added() {
        let second = STARTED.replace("t1", "t2");
        let (one, two, three) = (usage(100, 60, 5), usage(250, 90, 9), usage(10, 0, 1));
        let session = lines(&[
            STARTED, TURN, &one, STARTED, TURN, &two, &second, TURN, &three,
        ]);
        assert_eq!(session.tokens.input, Some(160 + 10));
        assert_eq!(session.tokens.cache_read, Some(90));
        assert_eq!(session.tokens.output, Some(9 + 1));
        assert_eq!(session.tokens.reasoning, None, "not told is not 0");
        assert_eq!(session.session_id.as_deref(), Some("t1"));
        assert_eq!(session.num_turns, Some(3));
    }

    #[test]
    fn a_count_that_goes_down_or_is_followed_by_unpaid_work_is_unknown() {
        let (more, less) = (usage(250, 90, 9), usage(100, 60, 5));
        let session = lines(&[STARTED, TURN, &more, TURN, &less]);
        assert_eq!(session.tokens.output, None);
        let failed = r#"{"type":"turn.failed","error":{"message":"stream closed: 503"}}"#;
        let session = lines(&[STARTED, TURN, &more, TURN, failed]);
        assert_eq!(session.tokens.input, None, "the failed turn's is missing");
        assert_eq!(session.status, Status::Overloaded);
        let session = lines(&[STARTED, TURN, &more, TURN]);
        assert_eq!(
            (session.status, session.tokens.input),
            (Status::Interrupted, None)
        );
    }

    #[test]
    fn the_same_item_is_one_call_and_ids_of_another_process_are_others() {
        let item = |event: &str, status: &str| {
            format!(
                r#"{{"type":"item.{event}","item":{{"id":"item_1","type":"mcp_tool_call","tool":"find","status":"{status}"}}}}"#
            )
        };
        let (begun, done) = (item("started", "in_progress"), item("completed", "failed"));
        let session = lines(&[
            STARTED,
            &begun,
            &done,
            &done,
            STARTED,
            &begun,
            &item("completed", "completed"),
        ]);
        assert_eq!(
            (session.tool_calls, session.tool_errors),
            (Some(2), Some(1))
        );
        let events = session.transcript.expect("calls").events;
        assert_eq!(events.len(), 4, "two calls, two results");
    }

    #[test]
    fn items_without_ids_each_count_and_warnings_are_no_failures() {
        let nameless = r#"{"type":"item.completed","item":{"type":"web_search"}}"#;
        let warning =
            r#"{"type":"item.completed","item":{"id":"e","type":"error","message":"429"}}"#;
        let session = lines(&[STARTED, TURN, nameless, nameless, warning, &usage(1, 0, 1)]);
        assert_eq!(
            (session.tool_calls, session.tool_errors),
            (Some(2), Some(0))
        );
        assert_eq!(session.status, Status::Success);
    }

    #[test]
    fn an_error_before_any_turn_ends_the_session() {
        let session = lines(&[
            STARTED,
            r#"{"type":"error","message":"usage limit reached"}"#,
        ]);
        assert_eq!(session.status, Status::RateLimited);
        assert_eq!(session.num_turns, None);
    }

    #[test]
    fn hostile_figures_are_unknown() {
        for usage in [
            r#"{"input_tokens":-5,"cached_input_tokens":0,"output_tokens":1e300}"#,
            r#"{"input_tokens":"5","cached_input_tokens":9,"output_tokens":null}"#,
            r#"{"input_tokens":5,"cached_input_tokens":9,"output_tokens":1.5}"#,
            "[]",
        ] {
            let completed = format!(r#"{{"type":"turn.completed","usage":{usage}}}"#);
            let session = lines(&[STARTED, TURN, &completed]);
            assert_eq!(
                (session.tokens.input, session.tokens.output),
                (None, None),
                "{usage}"
            );
        }
        let session = read(CodexExec::new(), &[]);
        assert_eq!(session.status, Status::Interrupted);
    }
}
