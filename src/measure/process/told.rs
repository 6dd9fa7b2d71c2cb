//! What a session tells of each amount, and what of it goes on from an earlier session.

use crate::measure::pricing::{self, Priced};
use crate::measure::signals;
use crate::record::{PriceTable, Session, Transcript, Usd};

/// An amount a session tells in whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// Prompt tokens neither read from nor written to a cache.
    Input,
    /// Tokens written.
    Output,
    /// Tokens read from a cache.
    CacheRead,
    /// Tokens written to a cache.
    CacheCreation,
    /// Tokens of reasoning.
    Reasoning,
    /// All tokens.
    Tokens,
    /// Turns.
    Turns,
    /// Milliseconds of the session.
    Duration,
    /// Milliseconds of the model.
    ModelTime,
    /// Tool calls.
    ToolCalls,
    /// Tool calls that failed.
    ToolErrors,
    /// Redundant reads.
    RedundantReads,
    /// Wrong turns.
    WrongTurns,
}

/// How an amount of a session stands to that of the session it goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// It is of this run alone.
    Run,
    /// It holds the earlier one's, too.
    Session,
    /// The format does not say.
    Unclear,
}

/// Kinds of amounts that go on together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Tokens, and what they cost by a table.
    Tokens,
    /// Dollars as reported, and the model's time.
    Billed,
    /// Turns and durations.
    Work,
    /// What a transcript tells; what two of them share is taken off where it is counted.
    Tools,
}

impl Count {
    /// The sort it is of.
    pub(super) fn sort(self) -> Sort {
        match self {
            Count::Input
            | Count::Output
            | Count::CacheRead
            | Count::CacheCreation
            | Count::Reasoning
            | Count::Tokens => Sort::Tokens,
            Count::ModelTime => Sort::Billed,
            Count::Turns | Count::Duration => Sort::Work,
            Count::ToolCalls | Count::ToolErrors | Count::RedundantReads | Count::WrongTurns => {
                Sort::Tools
            }
        }
    }
}

/// Whether an amount of `session` is of its run alone.
///
/// Source: the programs' own output when they go on with a session.
pub(super) fn scope(session: &Session, sort: Sort) -> Scope {
    let says = |warning: &str| session.warnings.contains(warning);
    match session.format.as_str() {
        // Dollars, tokens by model and the model's time go on; turns and durations do not, nor
        // does what a stream says before its result or a result says without its models.
        "claude-result" | "claude-stream" => match sort {
            Sort::Work | Sort::Tools => Scope::Run,
            Sort::Billed => Scope::Session,
            Sort::Tokens if says("usage_main_loop_only") || says("no_result_line") => Scope::Run,
            Sort::Tokens => Scope::Session,
        },
        "codex-exec" if sort == Sort::Tokens => Scope::Session,
        // A fork's file begins with its parent's history, which was left out.
        "codex-rollout" if says("replayed_history") => Scope::Run,
        // The file is the whole session's.
        "claude-transcript"
        | "codex-rollout"
        | "copilot-usage"
        | "openhands-trajectory"
        | "openhands-state" => Scope::Session,
        "codex-exec"
        | "gemini-result"
        | "gemini-stream"
        | "opencode-run"
        | "cursor-stream"
        | "amp-stream"
        | "goose-stream"
        | "mini-swe-agent"
        | "swe-agent-trajectory" => Scope::Run,
        _ => Scope::Unclear,
    }
}

/// True where the totals of two sessions are of one make, so that one can be taken off the
/// other.
pub(super) fn are_alike(one: &Session, other: &Session) -> bool {
    let make = |s: &Session| match s.format.as_str() {
        "claude-stream" => "claude-result".to_owned(),
        format => format.to_owned(),
    };
    make(one) == make(other)
}

/// What `session` tells of `count`, as it stands there.
///
/// # Errors
/// Why it is unknown.
pub(super) fn count(session: &Session, count: Count) -> Result<u64, String> {
    agreed(session)?;
    let t = &session.tokens;
    let both = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => a.checked_add(b),
        (one, other) => one.or(other),
    };
    let told = match count {
        Count::Input if says(session, "cache_split_unknown") => {
            return Err("cached tokens are inside the input and not told apart".to_owned());
        }
        Count::Input => t.input,
        Count::Output => t.output,
        Count::CacheRead => t.cache_read,
        Count::CacheCreation => both(t.cache_creation_5m, t.cache_creation_1h),
        Count::Reasoning => t.reasoning,
        Count::Tokens => t.input.and(t.output).and_then(|_| {
            [
                t.input,
                t.output,
                t.cache_read,
                t.cache_creation_5m,
                t.cache_creation_1h,
            ]
            .into_iter()
            .flatten()
            .try_fold(0_u64, u64::checked_add)
        }),
        Count::Turns => session.num_turns,
        Count::Duration => session.duration_ms,
        Count::ModelTime => session.duration_api_ms,
        Count::ToolCalls => session
            .tool_calls
            .or_else(|| session.transcript.as_ref().map(signals::tool_calls)),
        Count::ToolErrors => session
            .tool_errors
            .or_else(|| session.transcript.as_ref().map(signals::tool_errors)),
        Count::RedundantReads => Some(signals::signals(transcript(session)?).redundant_reads),
        Count::WrongTurns => Some(signals::signals(transcript(session)?).wrong_turns),
    };
    let Some(told) = told else {
        return Err(untold(session));
    };
    match lower_bound(session, count) {
        Some(why) => Err(format!("at least {told}: {why}")),
        None => Ok(told),
    }
}

/// The transcript of `session`.
///
/// # Errors
/// That there is none.
pub(super) fn transcript(session: &Session) -> Result<&Transcript, String> {
    agreed(session)?;
    session
        .transcript
        .as_ref()
        .ok_or_else(|| format!("no transcript: {} has none", session.format))
}

/// What the agent reported as the session's cost.
///
/// # Errors
/// Why it is unknown.
pub(super) fn cost(session: &Session) -> Result<Usd, String> {
    agreed(session)?;
    let told = session.cost_usd.ok_or_else(|| untold(session))?;
    let told = Usd::reported(told).filter(|usd| !usd.is_negative());
    let told = told.ok_or_else(|| "the reported cost is no amount".to_owned())?;
    match says(session, "unfinished_step") {
        true => Err(format!("at least {told}: {UNFINISHED}")),
        false => Ok(told),
    }
}

/// What `session` costs by `table`; `asked` is the model that was asked for.
///
/// # Errors
/// Why it is unknown.
pub(super) fn priced(
    session: &Session,
    asked: Option<&str>,
    table: &PriceTable,
) -> Result<(Usd, Option<&'static str>), String> {
    agreed(session)?;
    let Priced {
        usd,
        warnings,
        reason,
        ..
    } = pricing::price(session, asked, table);
    let Some(usd) = usd else {
        return Err(reason.unwrap_or_else(|| untold(session)));
    };
    if let Some(why) = lower_bound(session, Count::Tokens).filter(|_| usd != Usd::ZERO) {
        return Err(format!("at least {usd}: {why}"));
    }
    let remark = if warnings.contains(pricing::PRICE_STEP_UNKNOWN) {
        Some("at base rates, since calls cannot be told apart: a long-context step may apply")
    } else if says(session, "cache_split_unknown") {
        Some("tokens read from a cache are priced as input")
    } else if warnings.contains(pricing::REASONING_RATE_UNKNOWN) {
        Some("reasoning is priced as other output")
    } else {
        None
    };
    Ok((usd, remark))
}

const UNFINISHED: &str = "a step began and did not end";

fn says(session: &Session, warning: &str) -> bool {
    session.warnings.contains(warning)
}

fn untold(session: &Session) -> String {
    format!("{} does not tell it", session.format)
}

/// Two sources of one session that disagree say nothing.
fn agreed(session: &Session) -> Result<(), String> {
    match says(session, "evidence_disagrees") {
        true => Err("evidence disagrees".to_owned()),
        false => Ok(()),
    }
}

/// Why what is told of `count` is less than there was.
fn lower_bound(session: &Session, count: Count) -> Option<&'static str> {
    if count.sort() != Sort::Tokens {
        return None;
    }
    let written = matches!(count, Count::Output | Count::Reasoning | Count::Tokens);
    [
        ("no_result_line", "it stops without its result", true),
        ("unfinished_step", UNFINISHED, true),
        (
            "usage_main_loop_only",
            "sub-agents and side calls are not in it",
            true,
        ),
        (
            "cost_covers_more",
            "other files of the session are not here",
            true,
        ),
        (
            "output_tokens_partial",
            "what was written last was not kept for every answer",
            written,
        ),
    ]
    .into_iter()
    .find(|(warning, _, applies)| *applies && says(session, warning))
    .map(|(_, why, _)| why)
}
