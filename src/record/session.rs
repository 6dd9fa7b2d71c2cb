//! What was read out of an agent's envelope or transcript: one session, whatever agent ran it.
//!
//! Token conventions after the agents' own accounts: the buckets do not overlap, except that
//! reasoning is a part of output. What a format does not tell is `None`, never 0.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Moment, Transcript};

/// One session as its agent told it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The format it was read from (`claude-stream`).
    pub format: String,
    /// The agent (`claude-code`).
    pub agent: String,
    /// The agent's version, as stated in the file.
    pub agent_version: Option<String>,
    /// Models that answered, sorted, without a `[1m]` suffix.
    pub models: BTreeSet<String>,
    /// The session's id, as stated.
    pub session_id: Option<String>,
    /// How it ended.
    pub status: Status,
    /// US dollars as the agent reported them; never computed.
    pub cost_usd: Option<f64>,
    /// Tokens of everything the file covers.
    pub tokens: Tokens,
    /// The same by model, where it is told.
    pub by_model: BTreeMap<String, ModelUse>,
    /// Searches the provider bills.
    pub web_search_requests: Option<u64>,
    /// Turns as the agent counts them; not comparable between agents.
    pub num_turns: Option<u64>,
    /// Distinct answers of models.
    pub api_calls: Option<u64>,
    /// Milliseconds, as reported.
    pub duration_ms: Option<u64>,
    /// Milliseconds in the provider's hands, as reported; some agents count waits in.
    pub duration_api_ms: Option<u64>,
    /// First time in it.
    pub started_at: Option<Moment>,
    /// Last time in it.
    pub ended_at: Option<Moment>,
    /// Distinct tool calls.
    pub tool_calls: Option<u64>,
    /// Of them those whose result is marked as failed or that exited with another code than 0.
    pub tool_errors: Option<u64>,
    /// Failed calls that the agent repeated itself.
    pub api_retries: Option<Retries>,
    /// Lines that are no JSON object.
    pub skipped_lines: u64,
    /// What to know before trusting the figures, as codes.
    pub warnings: BTreeSet<String>,
    /// The reduced transcript, where the format has messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Transcript>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The agent ended its work by itself.
    Success,
    /// It failed, for no reason named below.
    Error,
    /// Its limit of turns.
    MaxTurns,
    /// Its limit of money.
    BudgetExceeded,
    /// The provider's limit of requests, or the account's.
    RateLimited,
    /// The provider had no capacity.
    Overloaded,
    /// The context was full.
    ContextLimit,
    /// It was stopped from outside.
    Interrupted,
    /// The format does not tell.
    Unknown,
}

impl Status {
    /// The status that `word` names, as records have it.
    pub fn parse(word: &str) -> Option<Status> {
        serde_json::from_value(serde_json::Value::from(word)).ok()
    }
}

/// Tokens in buckets that do not overlap, but for `reasoning`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Of prompts, neither read from nor written to a cache.
    pub input: Option<u64>,
    /// Generated, reasoning included.
    pub output: Option<u64>,
    /// Read from a cache.
    pub cache_read: Option<u64>,
    /// Written to a cache at the base rate, or for a time that is not stated.
    pub cache_creation_5m: Option<u64>,
    /// Written to a cache for an hour.
    pub cache_creation_1h: Option<u64>,
    /// The part of `output` that was reasoning.
    pub reasoning: Option<u64>,
}

/// What one model did in a session.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelUse {
    /// Its tokens.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// US dollars as reported.
    pub cost_usd: Option<f64>,
    /// Searches the provider bills.
    pub web_search_requests: Option<u64>,
}

/// Failed calls that an agent repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Retries {
    /// How many.
    pub count: u64,
    /// Milliseconds it waited for them, where told.
    pub wait_ms: Option<u64>,
}

/// Which figures of a session count from its beginning where a run of an agent resumed it: of
/// these the totals before the run are to be taken away to get the run's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoesOn {
    /// `cost_usd`.
    pub cost: bool,
    /// `tokens` and `by_model`, searches included.
    pub tokens: bool,
    /// `duration_ms`.
    pub duration: bool,
    /// `duration_api_ms`.
    pub duration_api: bool,
    /// `num_turns`.
    pub turns: bool,
    /// `api_calls`, `tool_calls`, `tool_errors`, `api_retries`, `started_at` and `transcript`.
    pub calls: bool,
}

impl Session {
    /// What a warning begins with where two sources disagree; the name of the figure, which is
    /// unknown, follows.
    pub const DISAGREES: &'static str = "evidence_disagrees:";

    /// Whether two sources of it disagree on `figure` (`cost_usd`, `tokens.output`): it is unknown.
    #[must_use]
    pub fn disagrees_on(&self, figure: &str) -> bool {
        let of = |code: &String| code.strip_prefix(Self::DISAGREES) == Some(figure);
        self.warnings.iter().any(of)
    }

    /// Which figures go on where the run resumed a session (`docs/sessions.md`).
    #[must_use]
    pub fn goes_on(&self) -> GoesOn {
        const NOTHING: GoesOn = GoesOn {
            cost: false,
            tokens: false,
            duration: false,
            duration_api: false,
            turns: false,
            calls: false,
        };
        let has = |code: &str| self.warnings.contains(code);
        let from_log = has("counts_from_transcript");
        match self.format.as_str() {
            "claude-result" | "claude-stream" => GoesOn {
                cost: true,
                // The usage of the main loop, and of a stream's answers, is the run's own.
                tokens: has("tokens_from_transcript")
                    || !has("usage_main_loop_only") && !has("no_result_line"),
                duration_api: true,
                calls: from_log,
                ..NOTHING
            },
            "claude-transcript" | "codex-rollout" | "copilot-usage" | "openhands-state" => GoesOn {
                cost: true,
                tokens: true,
                duration: true,
                duration_api: true,
                turns: true,
                calls: true,
            },
            "codex-exec" | "codex-exec-legacy" => GoesOn {
                tokens: true,
                calls: from_log,
                ..NOTHING
            },
            _ => GoesOn {
                calls: from_log,
                ..NOTHING
            },
        }
    }
}

impl Session {
    /// One of which nothing but its format and its agent is known.
    pub fn of(format: &str, agent: &str) -> Session {
        Session {
            format: format.to_owned(),
            agent: agent.to_owned(),
            agent_version: None,
            models: BTreeSet::new(),
            session_id: None,
            status: Status::Unknown,
            cost_usd: None,
            tokens: Tokens::default(),
            by_model: BTreeMap::new(),
            web_search_requests: None,
            num_turns: None,
            api_calls: None,
            duration_ms: None,
            duration_api_ms: None,
            started_at: None,
            ended_at: None,
            tool_calls: None,
            tool_errors: None,
            api_retries: None,
            skipped_lines: 0,
            warnings: BTreeSet::new(),
            transcript: None,
        }
    }
}

impl Tokens {
    /// Both together; a bucket that either side does not know is known by the other alone, since
    /// a format that never has it says nothing about the sum.
    #[must_use]
    pub fn plus(self, other: Tokens) -> Tokens {
        fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
            match (a, b) {
                (Some(a), Some(b)) => Some(a.saturating_add(b)),
                (one, other) => one.or(other),
            }
        }
        Tokens {
            input: sum(self.input, other.input),
            output: sum(self.output, other.output),
            cache_read: sum(self.cache_read, other.cache_read),
            cache_creation_5m: sum(self.cache_creation_5m, other.cache_creation_5m),
            cache_creation_1h: sum(self.cache_creation_1h, other.cache_creation_1h),
            reasoning: sum(self.reasoning, other.reasoning),
        }
    }
}
