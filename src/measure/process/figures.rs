//! From a step to the sessions a figure is about, and from these to the figure.

use std::collections::BTreeSet;

use super::sums::{self, Before, before, sum};
use super::told::{self, Count, Sort};
use crate::history::Step;
use crate::history::evidence::{ChainEvidence, SessionEvidence};
use crate::measure::catalogue::{figure, find};
use crate::measure::correctness::unfinished;
use crate::measure::{Figure, Item, Value, gates, percentile, signals};
use crate::record::{PriceTable, Probed, Purpose, Session, Usd};

/// Which sessions a figure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// Those of the attempt that made the agent commit.
    Made,
    /// Those of every attempt.
    All,
}

/// What the records say, and the sessions a figure is about.
pub(super) type Sessions<'e> = (&'e ChainEvidence, Vec<&'e SessionEvidence>);

/// The sessions in which the change was made, at least one.
fn sessions(step: &Step, which: Which) -> Result<Sessions<'_>, String> {
    let (evidence, number) = step.recorded()?;
    sessions_at(evidence, number, which)
}

/// The same of checkpoint `number`.
pub(super) fn sessions_at(
    evidence: &ChainEvidence,
    number: u32,
    which: Which,
) -> Result<Sessions<'_>, String> {
    let all: Vec<&SessionEvidence> = evidence
        .sessions(number)?
        .iter()
        .filter(|s| s.purpose == Purpose::Implement)
        .collect();
    if all.is_empty() {
        return Err("no session that made the change is recorded".to_owned());
    }
    if which == Which::All {
        return Ok((evidence, all));
    }
    let made = evidence.at(number).and_then(|c| c.attempt.as_ref());
    let attempts: BTreeSet<_> = all.iter().map(|s| s.attempt.as_ref()).collect();
    let attempt = match (made, attempts.len()) {
        (Some(made), _) => Some(made),
        (None, 1) => attempts.into_iter().next().flatten(),
        (None, _) => return Err("which attempt made the commit is not recorded".to_owned()),
    };
    let of_it: Vec<_> = all
        .into_iter()
        .filter(|s| s.attempt.as_ref() == attempt)
        .collect();
    match of_it.is_empty() {
        true => Err("no session of the attempt that made the commit is recorded".to_owned()),
        false => Ok((evidence, of_it)),
    }
}

/// A figure, or its reason to be unknown.
fn given(value: Result<Value, String>) -> Figure {
    value.unwrap_or_else(Value::unknown).into()
}

/// The sum of `count` over the sessions.
pub(super) fn counted(step: &Step, count: Count, which: Which) -> Figure {
    given(
        sessions(step, which)
            .and_then(|(evidence, all)| Ok(Value::count(total(evidence, &all, count)?))),
    )
}

pub(super) fn total(
    evidence: &ChainEvidence,
    sessions: &[&SessionEvidence],
    count: Count,
) -> Result<i64, String> {
    sum(evidence, sessions, count.sort(), |one, session| {
        let told = match count.sort() {
            Sort::Tools => of_tools(evidence, one, session, count),
            _ => told::count(session, count),
        };
        i64::try_from(told?).map_err(|_| "count out of range".to_owned())
    })
}

/// What a session itself did with tools: where its transcript holds that of the session it goes
/// on with, without that.
fn of_tools(
    evidence: &ChainEvidence,
    one: &SessionEvidence,
    session: &Session,
    count: Count,
) -> Result<u64, String> {
    let all = told::count(session, count)?;
    let earlier = match before(evidence, one) {
        Before::Nothing => return Ok(all),
        Before::Missing(_) if !told::goes_on(session, Sort::Tools) => return Ok(all),
        Before::Missing(id) => return Err(sums::missing(&id)),
        Before::One(earlier) => earlier.session.known().ok(),
    };
    if let (Some(later), Some(earlier)) = (
        &session.transcript,
        earlier.and_then(|s| s.transcript.as_ref()),
    ) {
        let (before, _) = sums::split(later, earlier);
        return Ok(match before.events.is_empty() {
            true => all,
            false => told::seen(later, count).saturating_sub(told::seen(&before, count)),
        });
    }
    if !told::goes_on(session, Sort::Tools) {
        return Ok(all);
    }
    let earlier = earlier.ok_or("the session it goes on with was not read")?;
    all.checked_sub(told::count(earlier, count)?)
        .ok_or_else(|| "it is less than in the session it goes on with".to_owned())
}

/// A sum of what the records themselves say.
pub(super) fn clocked(
    step: &Step,
    which: Which,
    of: fn(&SessionEvidence) -> Option<u64>,
    lacking: &str,
) -> Figure {
    given(sessions(step, which).and_then(|(_, all)| {
        let known: Option<Vec<u64>> = all.iter().map(|s| of(s)).collect();
        let sum = known.and_then(|k| k.into_iter().try_fold(0_u64, u64::checked_add));
        sum.map(Value::count).ok_or_else(|| lacking.to_owned())
    }))
}

/// The cost as reported.
pub(super) fn cost(step: &Step, which: Which) -> Figure {
    given(
        sessions(step, which)
            .and_then(|(evidence, all)| Ok(Value::known(reported(evidence, &all)?.number()))),
    )
}

pub(super) fn reported(
    evidence: &ChainEvidence,
    sessions: &[&SessionEvidence],
) -> Result<Usd, String> {
    sum(evidence, sessions, Sort::Cost, |_, session| {
        told::cost(session)
    })
}

/// The cost by the table of prices.
pub(super) fn cost_priced(step: &Step, which: Which) -> Figure {
    remarked(sessions(step, which).and_then(|(evidence, all)| priced(evidence, &all, table(step)?)))
}

fn table(step: &Step) -> Result<&PriceTable, String> {
    let table = step.context.prices.as_deref();
    table.ok_or_else(|| {
        "no price table: give --prices FILE, or name one in the tree as prices in [measure]"
            .to_owned()
    })
}

fn priced(
    evidence: &ChainEvidence,
    sessions: &[&SessionEvidence],
    table: &PriceTable,
) -> Result<(Usd, Option<&'static str>), String> {
    let one = |one: &SessionEvidence, session: &Session| {
        told::priced(session, one.model.as_deref(), table)
    };
    let usd = sum(evidence, sessions, Sort::Tokens, |s, session| {
        Ok(one(s, session)?.0)
    })?;
    let remark = sessions
        .iter()
        .filter_map(|s| one(s, s.session.known().ok()?).ok()?.1)
        .next();
    Ok((usd, remark))
}

/// Reported cost less priced cost.
pub(super) fn cost_gap(step: &Step, which: Which) -> Figure {
    remarked(sessions(step, which).and_then(|(evidence, all)| {
        let reported = reported(evidence, &all)?;
        let (priced, remark) = priced(evidence, &all, table(step)?)?;
        let gap = reported
            .minus(priced)
            .ok_or_else(|| "an amount out of range".to_owned())?;
        Ok((gap, remark))
    }))
}

/// An amount with what to know before trusting it, or its reason to be unknown.
fn remarked(amount: Result<(Usd, Option<&'static str>), String>) -> Figure {
    match amount {
        Ok((usd, Some(remark))) => Value::known(usd.number()).remarked(remark).into(),
        Ok((usd, None)) => Value::known(usd.number()).into(),
        Err(why) => Value::unknown(why).into(),
    }
}

/// How often the change was tried.
pub(super) fn attempts(step: &Step) -> Figure {
    given(tries(step).map(Value::count))
}

fn tries(step: &Step) -> Result<usize, String> {
    let (evidence, all) = sessions(step, Which::All)?;
    let (_, number) = step.recorded()?;
    let made = evidence.at(number).and_then(|c| c.attempt.as_ref());
    let without = all.iter().filter(|s| s.attempt.is_none()).count();
    let tries: BTreeSet<_> = all
        .iter()
        .filter_map(|s| s.attempt.as_ref())
        .chain(made)
        .collect();
    Ok(tries.len() + without)
}

/// Sessions that looked the work over.
pub(super) fn review_cycles(step: &Step) -> Figure {
    given(step.recorded().and_then(|(evidence, number)| {
        let all = evidence.sessions(number)?;
        let reviews = all.iter().filter(|s| s.purpose == Purpose::Review);
        Ok(Value::count(reviews.count()))
    }))
}

/// The `q`-quantile of the time between messages.
pub(super) fn step_latency(step: &Step, q: f64) -> Figure {
    given(sessions(step, Which::Made).and_then(|made| {
        let mut latencies = latencies(made)?;
        latencies.sort_by(f64::total_cmp);
        Ok(match percentile(&latencies, q) {
            Some(ms) => Value::known(ms),
            None => Value::Undefined("fewer than two messages".to_owned()),
        })
    }))
}

/// Milliseconds between consecutive messages of the sessions.
///
/// # Errors
/// Why they are not known.
pub(super) fn latencies((evidence, sessions): Sessions<'_>) -> Result<Vec<f64>, String> {
    let mut latencies = Vec::new();
    for one in sessions {
        let session = one.session.known().map_err(str::to_owned)?;
        let own = told::transcript(session)?;
        if own.events.iter().all(|h| h.at.is_none()) {
            return Err(format!("{} tells no times of messages", session.format));
        }
        let found = match before(evidence, one) {
            Before::Nothing => signals::step_latencies(own),
            _ if !told::goes_on(session, Sort::Tools) => signals::step_latencies(own),
            Before::Missing(id) => return Err(sums::missing(&id)),
            Before::One(earlier) => match earlier.session.known() {
                Ok(Session {
                    transcript: Some(earlier),
                    ..
                }) => signals::step_latencies(&sums::split(own, earlier).1),
                _ => return Err("of the session it goes on with: no transcript".to_owned()),
            },
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "milliseconds stay far below 2^53"
        )]
        latencies.extend(found.into_iter().map(|ms| ms as f64));
    }
    Ok(latencies)
}

/// Tokens of a session that does nothing, as the mean over those recorded.
pub(super) fn fixed_tokens(step: &Step) -> Figure {
    given(fixed(step).map(|(sum, of)| Value::ratio(sum, of, "no such session")))
}

/// Tokens of all sessions that do nothing, and how many there are.
fn fixed(step: &Step) -> Result<(f64, f64), String> {
    let (evidence, _) = step.recorded()?;
    let own = evidence.checkpoints.iter().flat_map(|c| &c.sessions);
    let noops: Vec<&SessionEvidence> = own
        .chain(&evidence.arm_noops)
        .filter(|s| s.purpose == Purpose::Noop)
        // One that was cut short is no measure of what a whole one costs.
        .filter(|s| !unfinished(s))
        .collect();
    if noops.is_empty() {
        return Err("no session that does nothing (noop) is recorded of this arm".to_owned());
    }
    let sum = total(evidence, &noops, Count::Tokens)?;
    #[expect(clippy::cast_precision_loss, reason = "tokens stay far below 2^53")]
    Ok((sum as f64, noops.len() as f64))
}

/// Of the rules that had landed, those that a probe named.
pub(super) fn probe_recall(step: &Step) -> Figure {
    let probed = match probe(step) {
        Ok(probed) => probed,
        Err(why) => return Value::unknown(why).into(),
    };
    let named = |rule: &&String| probed.named.contains(rule);
    let missed = probed.landed.iter().filter(|rule| !named(rule));
    let items: Vec<Item> = probed
        .landed
        .iter()
        .filter(named)
        .map(|rule| gates::counted(rule, "named"))
        .chain(missed.map(|rule| gates::apart(rule, "not named")))
        .collect();
    let count = probed.landed.iter().filter(named).count();
    #[expect(clippy::cast_precision_loss, reason = "rules are few")]
    let value = Value::ratio(
        count as f64,
        probed.landed.len() as f64,
        "no rule has landed",
    );
    Figure {
        items,
        ..Figure::from(value)
    }
}

/// What the last probe of a checkpoint that came to an answer named.
fn probe(step: &Step) -> Result<&Probed, String> {
    let (evidence, number) = step.recorded()?;
    let probes: Vec<&SessionEvidence> = evidence
        .sessions(number)?
        .iter()
        .filter(|s| s.purpose == Purpose::Probe)
        .collect();
    if probes.is_empty() {
        return Err("no probe at this checkpoint".to_owned());
    }
    let answered = probes.iter().rev().find_map(|s| s.probed.as_ref());
    answered.ok_or_else(|| "its probe came to no answer".to_owned())
}

/// All tokens less the fixed ones.
pub(super) fn task_tokens(step: &Step) -> Figure {
    given(sessions(step, Which::Made).and_then(|(evidence, all)| {
        let total = total(evidence, &all, Count::Tokens)?;
        let (sum, of) = fixed(step)?;
        #[expect(clippy::cast_precision_loss, reason = "tokens stay far below 2^53")]
        Ok(Value::known(total as f64 - sum / of))
    }))
}

/// Passed, with one attempt and no failed tool result.
pub(super) fn first_try(step: &Step) -> Figure {
    given(tried_once(step).map(|once| Value::known(f64::from(once))))
}

fn tried_once(step: &Step) -> Result<bool, String> {
    let strict = find("strict_pass").ok_or("whether it passed is not measured")?;
    let passed = match figure(strict, step).value {
        Value::Known(known) => known.value > 0.0,
        Value::Word(_) => return Err("whether it passed is no flag".to_owned()),
        Value::Undefined(why) | Value::Unknown(why) => {
            return Err(format!("whether it passed: {why}"));
        }
    };
    let tries = tries(step)?;
    let (evidence, all) = sessions(step, Which::Made)?;
    let errors = total(evidence, &all, Count::ToolErrors)?;
    Ok(passed && tries == 1 && errors == 0)
}

/// Milliseconds waited before a session.
pub(super) fn waited(session: &SessionEvidence) -> Option<u64> {
    session.waited_ms.or(session.launched.then_some(0))
}
