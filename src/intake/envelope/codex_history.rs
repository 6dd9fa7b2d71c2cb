//! A Codex session that was forked, or is a sub-agent's, begins with a copy of its parent's
//! history: what is copied is told by its ordinal, or by being written at once.

use serde_json::Value;

use super::amount::{Amount, text};
use crate::record::Moment;

/// The copy is written within this many milliseconds.
const COPIED_WITHIN: i64 = 1000;

/// Whether lines are this session's or copies of its parent's.
#[derive(Default)]
pub(super) struct History {
    /// The session has told what it is.
    pub(super) begun: bool,
    /// Its id.
    pub(super) own: Option<String>,
    /// It begins with a copy of another session.
    pub(super) forked: bool,
    /// The first ordinal that is no copy, where told.
    from: Option<u64>,
    first: Option<Moment>,
    over: bool,
}

impl History {
    /// Takes what the session tells of itself.
    pub(super) fn begin(&mut self, meta: &Value, at: Option<Moment>) {
        self.begun = true;
        let source = meta.get("source").and_then(|s| s.get("subagent"));
        self.own = text(meta, "id").map(str::to_owned);
        self.from = Amount::at(meta, "subagent_history_start_ordinal").known();
        self.forked = text(meta, "forked_from_id").is_some()
            || source.is_some_and(|s| !s.is_null())
            || text(meta, "thread_source") == Some("subagent")
            || self.from.is_some();
        self.first = at;
    }

    /// Whether a line with this ordinal and time is a copy.
    pub(super) fn copied(&mut self, ordinal: Amount<u64>, at: Option<Moment>) -> bool {
        if !self.forked || self.over {
            return false;
        }
        if let Some(from) = self.from {
            return ordinal.known().is_some_and(|ordinal| ordinal < from);
        }
        let since = |(at, first): (Moment, Moment)| at.millis().saturating_sub(first.millis());
        match at.zip(self.first).map(since) {
            Some(after) if after >= COPIED_WITHIN => {
                self.over = true;
                false
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn copied(meta: &Value, ordinal: Amount<u64>, seconds: &[i64]) -> Vec<bool> {
        let mut history = History::default();
        let at = |second: i64| Moment::from_millis(second * 1000);
        history.begin(meta, at(0));
        seconds
            .iter()
            .map(|second| history.copied(ordinal, at(*second)))
            .collect()
    }

    #[test]
    fn only_what_was_forked_holds_copies_and_only_at_its_beginning() {
        let plain = json!({"id": "t", "source": "exec"});
        assert_eq!(copied(&plain, Amount::Absent, &[0, 0]), [false, false]);
        let forked = json!({"id": "t", "forked_from_id": "p"});
        assert_eq!(
            copied(&forked, Amount::Absent, &[0, 2, 0]),
            [true, false, false]
        );
        let sub = json!({"id": "t", "source": {"subagent": "review"}});
        assert_eq!(copied(&sub, Amount::Absent, &[0, 2]), [true, false]);
    }

    #[test]
    fn an_ordinal_rules_over_times() {
        let meta = json!({"id": "t", "subagent_history_start_ordinal": 7});
        assert_eq!(copied(&meta, Amount::Known(6), &[0, 90]), [true, true]);
        assert_eq!(copied(&meta, Amount::Known(7), &[0, 90]), [false, false]);
        assert_eq!(copied(&meta, Amount::Unusable, &[0]), [false]);
    }
}
