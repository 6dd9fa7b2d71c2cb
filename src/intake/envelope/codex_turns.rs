//! The turns of a Codex session file: how many, how long, and how the last one ended.

use serde_json::Value;

use super::amount::{Amount, text};
use super::failure;
use crate::record::Status;

/// What is known of them so far. Old versions tell of no turns.
#[derive(Debug, Default)]
pub(super) struct Turns {
    begun: u64,
    /// One began and did not end; an error was told in it.
    open: bool,
    erred: bool,
    duration: Amount<u64>,
    status: Option<Status>,
}

impl Turns {
    /// Takes an event, of whatever kind.
    pub(super) fn event(&mut self, kind: &str, event: &Value) {
        match kind {
            "task_started" | "turn_started" => {
                self.begun += 1;
                (self.open, self.erred) = (true, false);
                self.status = Some(Status::Interrupted);
            }
            "task_complete" | "turn_complete" => self.complete(event),
            "turn_aborted" => {
                self.open = false;
                self.duration = Amount::Unusable;
                self.status = Some(Status::Interrupted);
            }
            "error" => {
                self.erred = true;
                let message = text(event, "message").unwrap_or_default();
                self.status = Some(failure::of_message(message));
            }
            _ => {}
        }
    }

    fn complete(&mut self, event: &Value) {
        // The end of a turn that ended: a line that stands twice. Old versions tell of no begin.
        if self.begun > 0 && !self.open {
            return;
        }
        self.open = false;
        let duration = Amount::at(event, "duration_ms").needed();
        self.duration = self.duration.plus(duration);
        let error = event.get("error").filter(|e| !e.is_null());
        if let Some(error) = error {
            let message = text(error, "message").or_else(|| error.as_str());
            self.status = Some(failure::of_message(message.unwrap_or_default()));
        } else if !self.erred || text(event, "last_agent_message").is_some() {
            self.status = Some(Status::Success);
        }
    }

    /// How many began.
    pub(super) fn count(&self) -> Option<u64> {
        (self.begun > 0).then_some(self.begun)
    }

    /// Milliseconds of all, where every one tells them.
    pub(super) fn duration(&self) -> Option<u64> {
        self.duration.known().filter(|_| !self.open)
    }

    /// How the last one ended.
    pub(super) fn status(&self) -> Status {
        self.status.unwrap_or(Status::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn turns(events: &[(&str, Value)]) -> Turns {
        let mut turns = Turns::default();
        events
            .iter()
            .for_each(|(kind, event)| turns.event(kind, event));
        turns
    }

    fn started() -> (&'static str, Value) {
        ("task_started", json!({}))
    }

    fn done(error: &Value) -> (&'static str, Value) {
        (
            "task_complete",
            json!({"duration_ms": 5, "last_agent_message": null, "error": error}),
        )
    }

    #[test]
    fn the_end_of_the_last_turn_is_the_sessions() {
        let none = Value::Null;
        let error = || ("error", json!({"message": "usage limit"}));
        let status = |events: &[(&str, Value)]| turns(events).status();
        assert_eq!(status(&[started(), done(&none)]), Status::Success);
        assert_eq!(status(&[started()]), Status::Interrupted);
        assert_eq!(
            status(&[started(), error(), done(&none)]),
            Status::RateLimited
        );
        let failed = done(&json!({"message": "status 503"}));
        assert_eq!(status(&[started(), failed]), Status::Overloaded);
        assert_eq!(status(&[]), Status::Unknown);
        let recovered = ("task_complete", json!({"last_agent_message": "Done."}));
        assert_eq!(status(&[started(), error(), recovered]), Status::Success);
    }

    #[test]
    fn durations_are_added_where_all_are_told() {
        let none = Value::Null;
        let two = turns(&[started(), done(&none), started(), done(&none)]);
        assert_eq!((two.count(), two.duration()), (Some(2), Some(10)));
        let cut = turns(&[started(), done(&none), started()]);
        assert_eq!(cut.duration(), None, "the open turn's is missing");
        let old = turns(&[
            started(),
            ("task_complete", json!({})),
            started(),
            done(&none),
        ]);
        assert_eq!(old.duration(), None);
        assert_eq!(turns(&[]).count(), None);
        let twice = turns(&[started(), done(&none), done(&none)]);
        assert_eq!(twice.duration(), Some(5), "an end that stands twice");
    }
}
