//! Several files of one session: an envelope, and the agent's own logs.
//!
//! An envelope's figures stand where it has them; what only a log has is taken from it. Where both
//! have a figure and they differ by more than the formats explain, it is unknown, and a warning
//! says so. What Claude Code's formats explain:
//!
//! - a result's totals hold side calls (titles, compaction, searches) that no log has, so a log may
//!   have fewer tokens, never more;
//! - a result without totals by model has the main loop's usage alone, and a stream that was cut
//!   off that of the answers' beginnings: then a log has more, never fewer;
//! - a log is the whole session's, also where the envelope's run resumed it.
//!
//! What a harness counted of a session stands where the harness counted it: SlopCodeBench takes
//! the usage of the main loop, of which the agent's own totals hold more, never less.

use std::collections::BTreeSet;

use super::Format;
use super::draft::warning;
use crate::record::{Did, Session, Status, Tokens};

/// The session that all of `sessions` tell of; `None` where there are none. What is of another
/// agent or another session is left out and said.
pub(super) fn join(mut sessions: Vec<(Format, Session)>) -> Option<Session> {
    let counted = sessions.iter().position(|(f, _)| is_harness(*f));
    if let Some(at) = counted {
        let (_, harness) = sessions.remove(at);
        sessions.retain(|(format, _)| !is_harness(*format));
        return Some(match join(sessions) {
            Some(agent) => counted_by(harness, agent),
            None => harness,
        });
    }
    // Logs come last; the order given stays otherwise.
    sessions.sort_by_key(|(format, _)| is_log(*format));
    let mut all = sessions.into_iter();
    let (first, mut joined) = all.next()?;
    for (format, other) in all {
        let ids = (&joined.session_id, &other.session_id);
        if joined.agent != other.agent {
            disagree(&mut joined, "agent");
        } else if matches!(ids, (Some(a), Some(b)) if a != b) {
            disagree(&mut joined, "session_id");
        } else if is_claude(first) && format == Format::ClaudeTranscript {
            joined = with_claude_log(joined, other);
        } else {
            joined = with(joined, other, is_log(format));
        }
    }
    Some(joined)
}

fn is_log(format: Format) -> bool {
    matches!(format, Format::ClaudeTranscript | Format::CodexRollout)
}

fn is_harness(format: Format) -> bool {
    format == Format::SlopCodeBenchInference
}

/// What a harness counted, with what the agent's own files tell of the same session.
fn counted_by(harness: Session, mut agent: Session) -> Session {
    let whole = agent.status != Status::Interrupted
        && !agent.warnings.contains(warning::NO_RESULT_LINE)
        && !agent.warnings.contains(warning::USAGE_MAIN_LOOP_ONLY);
    let s = &mut agent;
    s.format.clone_from(&harness.format);
    s.cost_usd = agreed(s, "cost_usd", harness.cost_usd, s.cost_usd, same_dollars);
    let totals = s.tokens;
    s.tokens = harness.tokens;
    if !whole {
        s.by_model.clear();
    }
    for bucket in &BUCKETS {
        let (a, b) = (bucket.1(&harness.tokens), bucket.1(&totals));
        if whole && matches!((a, b), (Some(a), Some(b)) if a > b) {
            forget(s, bucket);
        }
    }
    s.num_turns = harness.num_turns.or(s.num_turns);
    s.duration_ms = s.duration_ms.or(harness.duration_ms);
    if harness.status == Status::Error && matches!(s.status, Status::Success | Status::Unknown) {
        s.status = Status::Error;
    }
    s.skipped_lines = s.skipped_lines.saturating_add(harness.skipped_lines);
    for code in [
        warning::NO_RESULT_LINE,
        warning::USAGE_MAIN_LOOP_ONLY,
        warning::TOKENS_FROM_TRANSCRIPT,
        warning::COST_COVERS_MORE,
        warning::OUTPUT_TOKENS_PARTIAL,
        warning::OUTPUT_TOKENS_UNKNOWN,
        warning::NO_USAGE,
    ] {
        s.warnings.remove(code);
    }
    let unsaid = harness.warnings.into_iter();
    s.warnings
        .extend(unsaid.filter(|code| code != warning::MODEL_UNKNOWN));
    agent
}

fn is_claude(format: Format) -> bool {
    matches!(format, Format::ClaudeResult | Format::ClaudeStream)
}

fn disagree(session: &mut Session, figure: &str) {
    let code = format!("{}{figure}", Session::DISAGREES);
    session.warnings.insert(code);
}

/// What both say of `figure`: the one that has it, or both alike.
fn agreed<T: Copy>(
    session: &mut Session,
    figure: &str,
    mine: Option<T>,
    other: Option<T>,
    alike: impl Fn(T, T) -> bool,
) -> Option<T> {
    match (mine, other) {
        (Some(a), Some(b)) if !alike(a, b) => {
            disagree(session, figure);
            None
        }
        (mine, other) => mine.or(other),
    }
}

/// Dollars that were added up in another order are the same.
fn same_dollars(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 + 1e-6 * a.abs().max(b.abs())
}

fn same_millis(a: u64, b: u64) -> bool {
    a.abs_diff(b) <= 1
}

fn same(a: u64, b: u64) -> bool {
    a == b
}

/// One bucket of tokens by its name.
type Bucket = (
    &'static str,
    fn(&Tokens) -> Option<u64>,
    fn(&mut Tokens) -> &mut Option<u64>,
);

const BUCKETS: [Bucket; 6] = [
    ("tokens.input", |t| t.input, |t| &mut t.input),
    ("tokens.output", |t| t.output, |t| &mut t.output),
    ("tokens.cache_read", |t| t.cache_read, |t| &mut t.cache_read),
    (
        "tokens.cache_creation_5m",
        |t| t.cache_creation_5m,
        |t| &mut t.cache_creation_5m,
    ),
    (
        "tokens.cache_creation_1h",
        |t| t.cache_creation_1h,
        |t| &mut t.cache_creation_1h,
    ),
    ("tokens.reasoning", |t| t.reasoning, |t| &mut t.reasoning),
];

/// Makes a bucket unknown, in all and by model.
fn forget(session: &mut Session, bucket: &Bucket) {
    disagree(session, bucket.0);
    *bucket.2(&mut session.tokens) = None;
    for used in session.by_model.values_mut() {
        *bucket.2(&mut used.tokens) = None;
    }
}

/// What is told by one of them alone, and what two of any format must agree on.
fn with(mut mine: Session, other: Session, log: bool) -> Session {
    let cut_off = mine.status == Status::Interrupted;
    let s = &mut mine;
    s.cost_usd = agreed(s, "cost_usd", s.cost_usd, other.cost_usd, same_dollars);
    // What is forgotten below is forgotten by model, too.
    if s.by_model.is_empty() || s.tokens == Tokens::default() {
        s.by_model.clone_from(&other.by_model);
    }
    for bucket in &BUCKETS {
        let (a, b) = (bucket.1(&s.tokens), bucket.1(&other.tokens));
        match (a, b) {
            // What goes on after the last that a cut envelope tells.
            (Some(a), Some(b)) if a < b && cut_off && log => *bucket.2(&mut s.tokens) = Some(b),
            (Some(a), Some(b)) if a != b => forget(s, bucket),
            (None, told) => *bucket.2(&mut s.tokens) = told,
            _ => {}
        }
    }
    if s.models.is_empty() {
        s.models.clone_from(&other.models);
    }
    s.web_search_requests = agreed(
        s,
        "web_search_requests",
        s.web_search_requests,
        other.web_search_requests,
        same,
    );
    s.duration_ms = agreed(
        s,
        "duration_ms",
        s.duration_ms,
        other.duration_ms,
        same_millis,
    );
    s.duration_api_ms = agreed(
        s,
        "duration_api_ms",
        s.duration_api_ms,
        other.duration_api_ms,
        same_millis,
    );
    // Formats of one agent count these differently: the envelope's own stand.
    s.num_turns = s.num_turns.or(other.num_turns);
    s.started_at = s.started_at.or(other.started_at);
    s.ended_at = s.ended_at.or(other.ended_at);
    let calls = s.tool_calls.is_none() && other.tool_calls.is_some();
    if calls {
        (s.tool_calls, s.tool_errors) = (other.tool_calls, other.tool_errors);
    }
    if calls && log {
        s.warnings
            .insert(warning::COUNTS_FROM_TRANSCRIPT.to_owned());
    }
    s.api_calls = s.api_calls.or(other.api_calls);
    s.api_retries = s.api_retries.or(other.api_retries);
    if s.status == Status::Unknown || cut_off && log && other.status != Status::Unknown {
        s.status = other.status;
    }
    if s.transcript.is_none() {
        s.transcript.clone_from(&other.transcript);
    }
    both(mine, other)
}

/// What both have to say beside figures.
fn both(mut mine: Session, other: Session) -> Session {
    mine.session_id = mine.session_id.or(other.session_id);
    mine.agent_version = mine.agent_version.or(other.agent_version);
    mine.skipped_lines = mine.skipped_lines.saturating_add(other.skipped_lines);
    mine.warnings.extend(other.warnings);
    let mut no_longer = Vec::new();
    if mine.tokens != Tokens::default() {
        no_longer.push(warning::NO_USAGE);
    }
    if !mine.models.is_empty() {
        no_longer.push(warning::MODEL_UNKNOWN);
    }
    if mine.tokens.output.is_some() {
        no_longer.push(warning::OUTPUT_TOKENS_UNKNOWN);
    }
    for code in no_longer {
        mine.warnings.remove(code);
    }
    mine
}

/// A run of Claude Code and the log of its session.
fn with_claude_log(mut run: Session, mut log: Session) -> Session {
    let ended = !run.warnings.contains(warning::NO_RESULT_LINE);
    let has_all = ended
        && !run.warnings.contains(warning::USAGE_MAIN_LOOP_ONLY)
        && run.tokens != Tokens::default();
    if has_all {
        hold_against(&mut run, &log);
        split_by_lifetime(&mut run, &log);
        log.warnings.remove(warning::COST_COVERS_MORE);
        log.warnings.remove(warning::OUTPUT_TOKENS_PARTIAL);
        log.warnings.remove(warning::CACHE_TTL_UNSTATED);
        log.warnings.remove(warning::UNUSABLE_FIGURES);
    } else if log.tokens.input.is_some() {
        take_tokens(&mut run, &mut log);
    }
    if run.models.is_empty() {
        run.models = std::mem::take(&mut log.models);
    }
    let s = &mut run;
    s.cost_usd = agreed(s, "cost_usd", s.cost_usd, log.cost_usd, same_dollars);
    s.duration_api_ms = agreed(
        s,
        "duration_api_ms",
        s.duration_api_ms,
        log.duration_api_ms,
        same_millis,
    );
    if !ended && log.status != Status::Unknown {
        run.status = log.status;
    }
    calls(&mut run, &mut log, ended);
    both(run, log)
}

/// A log has no more tokens than a result's totals.
fn hold_against(run: &mut Session, log: &Session) {
    for bucket in &BUCKETS {
        let (a, b) = (bucket.1(&run.tokens), bucket.1(&log.tokens));
        let is_write = bucket.0.contains("cache_creation");
        if !is_write && matches!((a, b), (Some(a), Some(b)) if b > a) {
            forget(run, bucket);
        }
    }
    // Where either does not know how long they last, only both kinds together compare.
    if let (Some(a), Some(b)) = (written(&run.tokens), written(&log.tokens))
        && b > a
    {
        let writes = BUCKETS.iter().filter(|b| b.0.contains("cache_creation"));
        writes.for_each(|bucket| forget(run, bucket));
    }
}

fn written(tokens: &Tokens) -> Option<u64> {
    match (tokens.cache_creation_5m, tokens.cache_creation_1h) {
        (Some(a), Some(b)) => a.checked_add(b),
        (one, other) => one.or(other),
    }
}

/// A result of an older version does not say for how long caches were written: where the log has
/// the same writes, it does.
fn split_by_lifetime(run: &mut Session, log: &Session) {
    let unstated = run.warnings.contains(warning::CACHE_TTL_UNSTATED)
        && !log.warnings.contains(warning::CACHE_TTL_UNSTATED);
    let logged = |name: &str| log.by_model.get(name).map(|used| used.tokens);
    let same = run.by_model.iter().all(|(name, used)| {
        let of_log = logged(name).as_ref().and_then(written);
        written(&used.tokens) == Some(of_log.unwrap_or(0))
    });
    if !unstated || !same || written(&run.tokens) != written(&log.tokens) {
        return;
    }
    run.tokens.cache_creation_5m = log.tokens.cache_creation_5m;
    run.tokens.cache_creation_1h = log.tokens.cache_creation_1h;
    for (name, used) in &mut run.by_model {
        if let Some(of_log) = logged(name) {
            used.tokens.cache_creation_5m = of_log.cache_creation_5m;
            used.tokens.cache_creation_1h = of_log.cache_creation_1h;
        }
    }
    run.warnings.remove(warning::CACHE_TTL_UNSTATED);
}

/// The log's tokens, of which the run has a part.
fn take_tokens(run: &mut Session, log: &mut Session) {
    let part = run.tokens;
    run.tokens = log.tokens;
    run.by_model = std::mem::take(&mut log.by_model);
    run.models = std::mem::take(&mut log.models);
    // A result of a version before totals by model counts a little otherwise than its log; a
    // stream's answers are the log's.
    if run.warnings.contains(warning::NO_RESULT_LINE) {
        for bucket in &BUCKETS[..3] {
            let (a, b) = (bucket.1(&part), bucket.1(&run.tokens));
            if matches!((a, b), (Some(a), Some(b)) if a > b) {
                forget(run, bucket);
            }
        }
    }
    for code in [
        warning::USAGE_MAIN_LOOP_ONLY,
        warning::OUTPUT_TOKENS_UNKNOWN,
        warning::CACHE_TTL_UNSTATED,
        warning::UNUSABLE_FIGURES,
    ] {
        run.warnings.remove(code);
    }
    run.warnings
        .insert(warning::TOKENS_FROM_TRANSCRIPT.to_owned());
}

/// Ids of the answers: the main thread's, and all.
fn answers(session: &Session) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let events = session.transcript.iter().flat_map(|t| &t.events);
    let (mut main, mut all) = (BTreeSet::new(), BTreeSet::new());
    for event in events {
        if let Did::Answer { id, .. } = &event.what {
            all.insert(id.as_str());
            if event.thread == 0 {
                main.insert(id.as_str());
            }
        }
    }
    (main, all)
}

fn first_answer(session: &Session) -> Option<&str> {
    let events = session.transcript.iter().flat_map(|t| &t.events);
    events
        .filter(|e| e.thread == 0)
        .find_map(|e| match &e.what {
            Did::Answer { id, .. } => Some(id.as_str()),
            _ => None,
        })
}

/// Counts and events: those of the log where it is of the same answers or of more of this run,
/// else the run's own; a log may begin before the run, or go on after it.
fn calls(run: &mut Session, log: &mut Session, ended: bool) {
    if run.tool_calls.is_none() {
        take_calls(run, log);
        run.warnings
            .insert(warning::COUNTS_FROM_TRANSCRIPT.to_owned());
        return;
    }
    let cut = |s: &Session| s.warnings.contains(warning::TRANSCRIPT_CUT);
    if cut(run) || cut(log) {
        return;
    }
    let ((run_main, run_all), (log_main, log_all)) = (answers(run), answers(log));
    let alike = run_main == log_main;
    let more = !ended && run_main.is_subset(&log_main) && first_answer(run) == first_answer(log);
    let covers = (alike || more) && run_all.is_subset(&log_all);
    let same_all = run_all == log_all;
    if !covers {
        return;
    }
    let of_run = (run.tool_calls, run.tool_errors, run.api_retries);
    take_calls(run, log);
    if same_all {
        run.tool_calls = agreed(run, "tool_calls", of_run.0, run.tool_calls, same);
        run.tool_errors = agreed(run, "tool_errors", of_run.1, run.tool_errors, same);
        run.api_retries = agreed(run, "api_retries", of_run.2, run.api_retries, |a, b| {
            a.count == b.count
        });
    } else {
        run.api_retries = of_run.2.or(run.api_retries);
    }
}

fn take_calls(run: &mut Session, log: &mut Session) {
    run.tool_calls = log.tool_calls;
    run.tool_errors = log.tool_errors;
    run.api_calls = log.api_calls;
    run.api_retries = log.api_retries;
    run.started_at = earliest(run.started_at, log.started_at);
    run.ended_at = run.ended_at.max(log.ended_at);
    run.transcript = log.transcript.take();
}

fn earliest<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}
