//! A session while it is being read: sums, sets and events that every format's reader fills.

use std::collections::{BTreeMap, HashSet};

use super::Format;
use super::amount::{Amount, Buckets, model_name};
use super::events::{Events, Seen, Threads, short};
use crate::intake::json::Told;
use crate::record::{ModelUse, Moment, Retries, Session};

/// Codes of warnings; `docs/sessions.md` says what each means.
pub(super) mod warning {
    pub(in crate::intake) const DUPLICATE_ENTRIES: &str = "duplicate_entries";
    pub(in crate::intake) const TRUNCATED_LAST_LINE: &str = "truncated_last_line";
    pub(in crate::intake) const NO_RESULT_LINE: &str = "no_result_line";
    pub(in crate::intake) const OUTPUT_TOKENS_UNKNOWN: &str = "output_tokens_unknown";
    pub(in crate::intake) const OUTPUT_TOKENS_PARTIAL: &str = "output_tokens_partial";
    pub(in crate::intake) const USAGE_MAIN_LOOP_ONLY: &str = "usage_main_loop_only";
    pub(in crate::intake) const NO_USAGE: &str = "no_usage";
    pub(in crate::intake) const MODEL_UNKNOWN: &str = "model_unknown";
    pub(in crate::intake) const CACHE_TTL_UNSTATED: &str = "cache_ttl_unstated";
    pub(in crate::intake) const CACHE_SPLIT_UNKNOWN: &str = "cache_split_unknown";
    pub(in crate::intake) const OUTPUT_FROM_TOTAL: &str = "output_from_total";
    pub(in crate::intake) const REPLAYED_HISTORY: &str = "replayed_history";
    pub(in crate::intake) const COST_COVERS_MORE: &str = "cost_covers_more";
    pub(in crate::intake) const UNFINISHED_STEP: &str = "unfinished_step";
    /// Models that the agent has no prices for are left out of the reported cost.
    pub(in crate::intake) const COST_INCOMPLETE: &str = "cost_incomplete";
    /// A model was used with its context of a million tokens.
    pub(in crate::intake) const CONTEXT_1M: &str = "context_1m";
    /// A file beside the others is in no known format.
    pub(in crate::intake) const FILE_NOT_RECOGNISED: &str = "file_not_recognised";
    /// What a log tells of calls and times is of the whole session, not of the envelope's run.
    pub(in crate::intake) const COUNTS_FROM_TRANSCRIPT: &str = "counts_from_transcript";
    /// Tokens are those of the log: the envelope does not have all.
    pub(in crate::intake) const TOKENS_FROM_TRANSCRIPT: &str = "tokens_from_transcript";
    /// Tokens, cost and turns are those that a harness counted, not the agent's own totals.
    pub(in crate::intake) const COUNTED_BY_HARNESS: &str = "counted_by_harness";
    /// The files tell totals of several sessions.
    pub(in crate::intake) const SEVERAL_SESSIONS: &str = "several_sessions";
    /// The transcript was cut: it holds the first events only.
    pub(in crate::intake) const TRANSCRIPT_CUT: &str = "transcript_cut";
    /// More distinct ids than are kept; what counts them is unknown.
    pub(in crate::intake) const TOO_MANY_IDS: &str = "too_many_ids";
    /// Objects over the size that is read.
    pub(in crate::intake) const OBJECTS_TOO_LARGE: &str = "objects_too_large";
    /// Figures that were there and are none (negative, fractional, a text).
    pub(in crate::intake) const UNUSABLE_FIGURES: &str = "unusable_figures";
}

/// More models than any session has; beyond it what each used is unknown.
pub(super) const MODELS_MAX: usize = 1000;

/// A session that is being read.
pub(super) struct Draft {
    /// What is set directly. `tokens`, `by_model`, `models`, `tool_calls`, `tool_errors`,
    /// `api_retries`, `started_at`, `ended_at`, `warnings`, `skipped_lines` and `transcript` are
    /// the draft's own; `models` may be added to with [`Draft::model`].
    pub(super) session: Session,
    /// The reduced transcript.
    pub(super) events: Events,
    /// Threads of sub-agents.
    pub(super) threads: Threads,
    total: Buckets,
    by_model: BTreeMap<String, Use>,
    calls: Option<Seen>,
    failed: HashSet<u64>,
    retries: Option<(u64, Amount<u64>)>,
}

/// What one model did.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Use {
    /// Its tokens.
    pub(super) buckets: Buckets,
    /// US dollars as reported.
    pub(super) cost: Amount<f64>,
    /// Searches the provider bills.
    pub(super) searches: Amount<u64>,
}

impl Draft {
    /// An empty one: everything unknown.
    pub(super) fn new(format: Format) -> Draft {
        Draft {
            session: Session::of(format.word(), format.agent()),
            events: Events::default(),
            threads: Threads::default(),
            total: Buckets::default(),
            by_model: BTreeMap::new(),
            calls: None,
            failed: HashSet::new(),
            retries: None,
        }
    }

    /// Adds a warning.
    pub(super) fn warn(&mut self, code: &str) {
        self.session.warnings.insert(code.to_owned());
    }

    /// Notes the session's id; the first one stays.
    pub(super) fn id(&mut self, id: Option<&str>) {
        if self.session.session_id.is_none() {
            self.session.session_id = id.filter(|i| !i.is_empty()).map(str::to_owned);
        }
    }

    /// Notes the agent's version; the last one stays.
    pub(super) fn version(&mut self, version: Option<&str>) {
        if let Some(version) = version.filter(|v| !v.is_empty()) {
            self.session.agent_version = Some(version.to_owned());
        }
    }

    /// Notes a model that answered.
    pub(super) fn model(&mut self, name: &str) {
        if let Some(name) = model_name(name) {
            if self.session.models.len() < MODELS_MAX {
                self.session.models.insert(name);
            } else if !self.session.models.contains(&name) {
                self.warn(warning::TOO_MANY_IDS);
            }
        }
    }

    /// Adds tokens; `model` is who used them, where that is told.
    pub(super) fn tokens(&mut self, model: Option<&str>, buckets: Buckets) {
        let used = Use {
            buckets,
            ..Use::default()
        };
        self.used(model, used);
    }

    /// Adds what a model did.
    pub(super) fn used(&mut self, model: Option<&str>, used: Use) {
        self.total = self.total.plus(used.buckets);
        let Some(name) = model.and_then(model_name) else {
            return;
        };
        self.model(&name);
        if !self.session.models.contains(&name) {
            return;
        }
        let of = self.by_model.entry(name).or_default();
        of.buckets = of.buckets.plus(used.buckets);
        of.cost = of.cost.plus(used.cost);
        of.searches = of.searches.plus(used.searches);
    }

    /// What models did so far.
    pub(super) fn by_model(&mut self) -> &mut BTreeMap<String, Use> {
        &mut self.by_model
    }

    /// Notes a time of something that belongs to the session.
    pub(super) fn saw(&mut self, at: Option<Moment>) {
        let Some(at) = at else { return };
        let session = &mut self.session;
        session.started_at = Some(session.started_at.map_or(at, |s| s.min(at)));
        session.ended_at = Some(session.ended_at.map_or(at, |e| e.max(at)));
    }

    /// Says that the format shows calls of tools: none seen is then 0.
    pub(super) fn shows_calls(&mut self) {
        self.calls.get_or_insert_default();
    }

    /// Notes a call; whether its id is new.
    pub(super) fn call(&mut self, id: &str) -> bool {
        self.calls.get_or_insert_default().first(id)
    }

    /// Whether a call with this id was noted.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.calls.as_ref().is_some_and(|calls| calls.has(id))
    }

    /// Notes that a call failed.
    pub(super) fn failed(&mut self, id: &str) {
        self.shows_calls();
        if self.calls.as_ref().is_some_and(|c| !c.over) {
            self.failed.insert(short(id));
        }
    }

    /// Says that the format shows retries: none seen is then 0.
    pub(super) fn shows_retries(&mut self) {
        self.retries.get_or_insert((0, Amount::Known(0)));
    }

    /// Notes `count` retries and how long they waited together; [`Amount::Absent`] where that is
    /// not told.
    pub(super) fn retried(&mut self, count: u64, wait_ms: Amount<u64>) {
        let (sum, wait) = self.retries.get_or_insert((0, Amount::Known(0)));
        *sum = sum.saturating_add(count);
        *wait = wait.plus(wait_ms.needed());
    }

    /// The session; `told` is what the text was beside its objects.
    pub(super) fn finish(mut self, told: &Told) -> Session {
        let (total, mut by_model) = (self.total, std::mem::take(&mut self.by_model));
        if total == Buckets::default() {
            self.warn(warning::NO_USAGE);
        }
        if total.is_unusable() || by_model.values().any(|u| u.buckets.is_unusable()) {
            self.warn(warning::UNUSABLE_FIGURES);
        }
        if self.session.models.is_empty() {
            self.warn(warning::MODEL_UNKNOWN);
        }
        if told.torn {
            self.warn(warning::TRUNCATED_LAST_LINE);
        }
        if told.too_large > 0 {
            self.warn(warning::OBJECTS_TOO_LARGE);
        }
        if self.events.cut {
            self.warn(warning::TRANSCRIPT_CUT);
        }
        if self.calls.as_ref().is_some_and(|c| c.over) {
            self.warn(warning::TOO_MANY_IDS);
        }
        let mut session = self.session;
        if session.models.len() >= MODELS_MAX {
            // Some may be missing: a part would pass for the whole.
            by_model.clear();
        }
        session.tokens = total.tokens();
        session.by_model = by_model
            .into_iter()
            .map(|(name, used)| (name, used.read()))
            .collect();
        session.tool_calls = self.calls.as_ref().and_then(Seen::count);
        // A failed result whose call is not in the file is no failed call of it.
        session.tool_errors = self.calls.as_ref().filter(|c| !c.over).map(|calls| {
            let failed = self.failed.iter().filter(|id| calls.has_short(**id));
            failed.count() as u64
        });
        session.api_retries = self.retries.map(|(count, wait)| Retries {
            count,
            wait_ms: wait.known(),
        });
        session.skipped_lines = told.skipped_lines;
        session.transcript = self.events.finish();
        session
    }
}

impl Use {
    fn read(self) -> ModelUse {
        ModelUse {
            tokens: self.buckets.tokens(),
            cost_usd: self.cost.known(),
            web_search_requests: self.searches.known(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Status, Tokens};

    fn known(input: u64, output: Amount<u64>) -> Buckets {
        Buckets {
            input: Amount::Known(input),
            output,
            ..Buckets::default()
        }
    }

    #[test]
    fn sums_are_kept_in_all_and_by_model_and_what_is_wrong_makes_them_unknown() {
        let mut draft = Draft::new(Format::ClaudeStream);
        draft.tokens(Some("b[1m]"), known(5, Amount::Known(7)));
        draft.tokens(Some("a"), known(1, Amount::Unusable));
        draft.tokens(None, known(2, Amount::Absent));
        let session = draft.finish(&Told::default());
        assert_eq!(session.tokens.input, Some(8));
        assert_eq!(session.tokens.output, None);
        assert_eq!(session.by_model["b"].tokens.output, Some(7));
        assert_eq!(session.by_model["a"].tokens.output, None);
        assert_eq!(session.tokens.cache_read, None, "never told");
        assert_eq!(session.models.iter().collect::<Vec<_>>(), ["a", "b"]);
        assert!(session.warnings.contains("unusable_figures"));
    }

    #[test]
    fn models_without_end_leave_each_ones_share_unknown() {
        let mut draft = Draft::new(Format::ClaudeStream);
        for n in 0..2000 {
            draft.tokens(Some(&format!("m{n}")), known(1, Amount::Known(1)));
        }
        let session = draft.finish(&Told::default());
        assert_eq!(session.tokens.input, Some(2000));
        assert_eq!((session.models.len(), session.by_model.len()), (1000, 0));
        assert!(session.warnings.contains("too_many_ids"));
    }

    #[test]
    fn an_empty_draft_knows_nothing_and_counts_nothing() {
        let session = Draft::new(Format::ClaudeStream).finish(&Told::default());
        assert_eq!(session.tokens, Tokens::default());
        assert_eq!((session.tool_calls, session.api_retries), (None, None));
        assert_eq!(session.status, Status::Unknown);
        let codes: Vec<_> = session.warnings.iter().collect();
        assert_eq!(codes, ["model_unknown", "no_usage"]);
    }

    #[test]
    fn calls_failures_and_retries_are_distinct_and_zero_only_where_they_would_show() {
        let mut draft = Draft::new(Format::ClaudeStream);
        draft.shows_calls();
        draft.shows_retries();
        assert!(draft.call("a") && !draft.call("a"));
        draft.failed("a");
        draft.failed("a");
        draft.retried(1, Amount::Known(3));
        let session = draft.finish(&Told::default());
        assert_eq!(
            (session.tool_calls, session.tool_errors),
            (Some(1), Some(1))
        );
        let wait = |r: Option<Retries>| r.map(|r| (r.count, r.wait_ms));
        assert_eq!(wait(session.api_retries), Some((1, Some(3))));

        let mut draft = Draft::new(Format::ClaudeStream);
        draft.retried(2, Amount::Absent);
        let session = draft.finish(&Told::default());
        assert_eq!(wait(session.api_retries), Some((2, None)));
    }
}
