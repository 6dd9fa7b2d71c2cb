//! What a session costs by a table of prices: tokens of each kind times their rate.
//!
//! Source: the rates and their fields are litellm's; the rules are those of the providers' price
//! lists. A model is looked up by its exact name, without one leading provider, with the dots of a
//! `claude-` name as dashes, without a trailing date, and with the agent's own provider in front,
//! in this order; nothing is guessed beyond that.
//! Reads high on: cached prompts that a format counts as input.
//! Blind spot: service tiers, discounts, fast modes and regions, which sessions do not tell.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::{Did, ModelPrices, ModelUse, PriceTable, Rates, Session, Tokens, Usd};

/// The summed prompt passes a long-context step, but calls cannot be told apart: base rates.
pub const PRICE_STEP_UNKNOWN: &str = "price_step_unknown";
/// Reasoning has a rate of its own, but how much of the output it was is not told.
pub const REASONING_RATE_UNKNOWN: &str = "reasoning_rate_unknown";

/// What came of pricing a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Priced {
    /// US dollars; `None` where that is unknown.
    pub usd: Option<Usd>,
    /// Models that the table has no price for.
    pub unpriced_models: BTreeSet<String>,
    /// What to know of the price, as codes.
    pub warnings: BTreeSet<&'static str>,
    /// Why the price is unknown.
    pub reason: Option<String>,
}

/// Prices `session` by `table`. `asked` is the model that was asked for, for formats that name
/// none.
///
/// Unknown where the tokens written are not told, where a model is not named or not in the table,
/// and where the tokens by model do not add up to all tokens. A session without any token costs
/// nothing, whatever its model.
pub fn price(session: &Session, asked: Option<&str>, table: &PriceTable) -> Priced {
    let mut priced = Priced::default();
    match total(session, asked, table, &mut priced) {
        Ok(usd) => priced.usd = Some(usd),
        Err(reason) => priced.reason = Some(reason),
    }
    priced
}

fn total(
    session: &Session,
    asked: Option<&str>,
    table: &PriceTable,
    priced: &mut Priced,
) -> Result<Usd, String> {
    let format = &session.format;
    let parts = by_model(session, asked)?;
    let mut rates = Vec::new();
    for (model, part) in &parts {
        match look_up(model, &session.agent, table) {
            Some(prices) => rates.push((model, part, prices)),
            None => {
                priced.unpriced_models.insert(model.clone());
            }
        }
    }
    let tokens = &session.tokens;
    if tokens.input.is_none() && tokens.output.is_none() {
        return Err(format!("{format} does not tell its tokens"));
    }
    let Some(output) = tokens.output else {
        return Err(format!("{format} does not tell what was written"));
    };
    if output == 0 && prompt(tokens) == 0 {
        return Ok(Usd::ZERO);
    }
    if parts.is_empty() {
        return Err("no model is named".to_owned());
    }
    if !priced.unpriced_models.is_empty() {
        let names: Vec<&str> = priced.unpriced_models.iter().map(String::as_str).collect();
        return Err(format!("not in the price table: {}", names.join(", ")));
    }
    if sum(parts.values().map(|p| &p.tokens)) != buckets(tokens) {
        return Err("tokens are not told by model".to_owned());
    }
    let calls = calls(session, &parts);
    let mut usd = Usd::ZERO;
    for (model, part, prices) in rates {
        let calls = calls
            .get(model.as_str())
            .filter(|calls| sum(calls.iter().copied()) == buckets(&part.tokens));
        let of_tokens = match calls {
            Some(calls) => calls.iter().try_fold(Usd::ZERO, |usd, call| {
                let more = call_price(call, prices, true, priced)?;
                usd.plus(more).ok_or_else(out_of_range)
            }),
            None => {
                if passes_a_step(prompt(&part.tokens), prices) {
                    priced.warnings.insert(PRICE_STEP_UNKNOWN);
                }
                call_price(&part.tokens, prices, false, priced)
            }
        }
        .map_err(|lacking| format!("the price table lacks of {model}: {lacking}"))?;
        let searches = match part.web_search_requests.unwrap_or(0) {
            0 => Usd::ZERO,
            n => prices
                .search
                .ok_or_else(|| format!("the price table lacks of {model}: searches"))?
                .times(n)
                .ok_or_else(out_of_range)?,
        };
        usd = usd
            .plus(of_tokens)
            .and_then(|usd| usd.plus(searches))
            .ok_or_else(out_of_range)?;
    }
    Ok(usd)
}

fn out_of_range() -> String {
    "an amount out of range".to_owned()
}

/// What each model did. Where the format does not tell it apart and one model alone can be meant,
/// all is that one's.
fn by_model(session: &Session, asked: Option<&str>) -> Result<BTreeMap<String, ModelUse>, String> {
    let mut parts = session.by_model.clone();
    if parts.is_empty() {
        let mut named = session.models.iter().map(String::as_str);
        let model = match (named.next(), named.next()) {
            (None, _) => asked,
            (Some(one), None) => Some(one),
            (Some(_), Some(_)) => return Err("tokens are not told by model".to_owned()),
        };
        let all = ModelUse {
            tokens: session.tokens,
            cost_usd: None,
            web_search_requests: session.web_search_requests,
        };
        return Ok(model.map(|m| (m.to_owned(), all)).into_iter().collect());
    }
    let told = parts.values().any(|p| p.web_search_requests.is_some());
    if let Some(all) = session.web_search_requests.filter(|n| *n > 0 && !told) {
        let mut models = parts.values_mut();
        match (models.next(), models.next()) {
            (Some(one), None) => one.web_search_requests = Some(all),
            _ => return Err("searches are not told by model".to_owned()),
        }
    }
    Ok(parts)
}

/// The tokens of single calls, where the transcript tells them, by model.
fn calls<'s>(
    session: &'s Session,
    parts: &'s BTreeMap<String, ModelUse>,
) -> BTreeMap<&'s str, Vec<&'s Tokens>> {
    let only = parts.keys().next().filter(|_| parts.len() == 1);
    let mut calls: BTreeMap<&str, Vec<&Tokens>> = BTreeMap::new();
    for happening in session.transcript.iter().flat_map(|t| &t.events) {
        if let Did::Answer {
            model,
            tokens: Some(tokens),
            ..
        } = &happening.what
            && let Some(model) = model.as_ref().or(only)
        {
            calls.entry(model).or_default().push(tokens);
        }
    }
    calls
}

/// The buckets that are priced; what a format does not have is none of it.
fn buckets(tokens: &Tokens) -> [u128; 5] {
    [
        tokens.input,
        tokens.output,
        tokens.cache_read,
        tokens.cache_creation_5m,
        tokens.cache_creation_1h,
    ]
    .map(|bucket| u128::from(bucket.unwrap_or(0)))
}

fn sum<'t>(all: impl IntoIterator<Item = &'t Tokens>) -> [u128; 5] {
    all.into_iter().fold([0; 5], |sums, tokens| {
        let more = buckets(tokens);
        std::array::from_fn(|i| sums[i] + more[i])
    })
}

/// The whole prompt: input, read and written.
fn prompt(tokens: &Tokens) -> u128 {
    let [input, _, read, short, long] = buckets(tokens);
    input + read + short + long
}

/// Whether a prompt of so many tokens is beyond `limit`: strictly, but for xAI, whose steps
/// begin at it.
fn beyond(prompt: u128, limit: u64, prices: &ModelPrices) -> bool {
    let limit = u128::from(limit);
    prompt > limit || prompt == limit && prices.provider.as_deref() == Some("xai")
}

fn passes_a_step(prompt: u128, prices: &ModelPrices) -> bool {
    prices
        .steps
        .keys()
        .any(|limit| beyond(prompt, *limit, prices))
}

/// The price of one call; with `stepped` that of its long-context step, of all its tokens. The
/// error names what has no rate.
fn call_price(
    tokens: &Tokens,
    prices: &ModelPrices,
    stepped: bool,
    priced: &mut Priced,
) -> Result<Usd, String> {
    let size = prompt(tokens);
    let rate = |of: fn(&Rates) -> Option<Usd>| {
        let steps = prices.steps.iter().rev();
        steps
            .filter(|(limit, _)| stepped && beyond(size, **limit, prices))
            .find_map(|(_, rates)| of(rates))
            .or_else(|| of(&prices.base))
    };
    let input = rate(|r| r.input);
    let output = rate(|r| r.output);
    let write = rate(|r| r.cache_write).or(input);
    let reasoning = match (rate(|r| r.reasoning), tokens.reasoning) {
        (Some(own), Some(reasoning)) => Some((own, reasoning.min(tokens.output.unwrap_or(0)))),
        (Some(own), None) => {
            if Some(own) != output && tokens.output.unwrap_or(0) > 0 {
                priced.warnings.insert(REASONING_RATE_UNKNOWN);
            }
            None
        }
        (None, _) => None,
    };
    let thought = reasoning.map_or(0, |(_, n)| n);
    let [_, written, read, short, long] = [
        0,
        tokens.output.unwrap_or(0) - thought,
        tokens.cache_read.unwrap_or(0),
        tokens.cache_creation_5m.unwrap_or(0),
        tokens.cache_creation_1h.unwrap_or(0),
    ];
    [
        ("input", input, tokens.input.unwrap_or(0)),
        ("output", output, written),
        ("reasoning", reasoning.map(|(own, _)| own), thought),
        ("cache reads", rate(|r| r.cache_read).or(input), read),
        ("cache writes", write, short),
        ("cache writes", rate(|r| r.cache_write_1h).or(write), long),
    ]
    .into_iter()
    .filter(|(_, _, count)| *count > 0)
    .try_fold(Usd::ZERO, |usd, (what, rate, count)| {
        let rate = rate.ok_or_else(|| what.to_owned())?;
        let more = rate.times(count);
        more.and_then(|more| usd.plus(more))
            .ok_or_else(out_of_range)
    })
}

/// The prices of a model, by the first of its names that the table has.
fn look_up<'t>(model: &str, agent: &str, table: &'t PriceTable) -> Option<&'t ModelPrices> {
    let bare = model.split_once('/').map_or(model, |(_, name)| name);
    let dashed = dashed(bare);
    let dateless = without_date(&dashed);
    let own = match agent {
        "gemini-cli" => Some("gemini/"),
        _ => None,
    };
    let names = [model, bare, &dashed, dateless];
    let owned = own.map(|own| names.map(|name| format!("{own}{name}")));
    names
        .into_iter()
        .chain(owned.iter().flatten().map(String::as_str))
        .find_map(|name| table.models.get(name))
}

/// A `claude-` name with dashes for the dots between its digits.
fn dashed(name: &str) -> String {
    let bytes = name.as_bytes();
    let digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    if !name.starts_with("claude-") {
        return name.to_owned();
    }
    name.char_indices()
        .map(|(at, c)| match c {
            '.' if digit(at.checked_sub(1)) && digit(Some(at + 1)) => '-',
            c => c,
        })
        .collect()
}

/// A name without its trailing `-20260102`.
fn without_date(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((rest, date)) if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => name,
    }
}

#[cfg(test)]
mod tests;
