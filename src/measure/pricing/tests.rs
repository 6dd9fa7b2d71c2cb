//! The rules of prices one by one, and their algebra; `tests/prices.rs` holds every sample.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::record::{Happening, Status, Transcript};

fn usd(text: &str) -> Usd {
    Usd::parse(text).expect("a decimal")
}

fn rates(input: &str, output: &str) -> Rates {
    Rates {
        input: Some(usd(input)),
        output: Some(usd(output)),
        ..Rates::default()
    }
}

fn table<const N: usize>(models: [(&str, ModelPrices); N]) -> PriceTable {
    PriceTable {
        models: models
            .into_iter()
            .map(|(name, prices)| (name.to_owned(), prices))
            .collect(),
        ..PriceTable::default()
    }
}

fn answer(id: String, model: &str, tokens: Tokens) -> Happening {
    Happening {
        thread: 0,
        at: None,
        what: Did::Answer {
            id,
            model: Some(model.to_owned()),
            tokens: Some(tokens),
        },
    }
}

/// A session of one model.
fn session(model: &str, tokens: Tokens) -> Session {
    let part = ModelUse {
        tokens,
        ..ModelUse::default()
    };
    Session {
        models: BTreeSet::from([model.to_owned()]),
        status: Status::Success,
        tokens,
        by_model: BTreeMap::from([(model.to_owned(), part)]),
        ..Session::of("a-format", "an-agent")
    }
}

fn tokens(input: u64, output: u64) -> Tokens {
    Tokens {
        input: Some(input),
        output: Some(output),
        ..Tokens::default()
    }
}

/// Costs one more dollar a token from a step of 1,000 tokens on.
fn stepped(provider: &str) -> ModelPrices {
    ModelPrices {
        provider: Some(provider.to_owned()),
        base: rates("1", "10"),
        steps: BTreeMap::from([(1000, rates("2", "20"))]),
        search: None,
    }
}

fn priced(session: &Session, prices: ModelPrices) -> Priced {
    price(session, None, &table([("m", prices)]))
}

fn dollars(priced: &Priced) -> Option<String> {
    priced.usd.map(|usd| usd.to_string())
}

#[test]
fn a_model_is_found_by_its_names_in_order_and_by_no_other() {
    let of = |input: &str| ModelPrices {
        base: rates(input, "0"),
        ..ModelPrices::default()
    };
    let table = table([
        ("claude-x-4-5", of("1")),
        ("gpt-5", of("2")),
        ("gemini/gemini-9", of("3")),
        ("vendor/gpt-5", of("4")),
        ("claude-y-1-20260102", of("5")),
        ("claude-y-1", of("6")),
    ]);
    let found = |name: &str, agent: &str| {
        let prices = look_up(name, agent, &table)?;
        Some(prices.base.input?.to_string())
    };
    for (name, input) in [
        ("claude-x-4-5", "1"),
        ("claude-x-4.5", "1"),
        ("anthropic/claude-x-4.5", "1"),
        ("anthropic/claude-x-4.5-20260101", "1"),
        ("vendor/gpt-5", "4"),
        ("other/gpt-5", "2"),
        ("gpt-5-20260101", "2"),
        ("claude-y-1-20260102", "5"),
        ("claude-y-1-20260103", "6"),
    ] {
        assert_eq!(found(name, "codex").as_deref(), Some(input), "{name}");
    }
    assert_eq!(found("gemini-9", "gemini-cli").as_deref(), Some("3"));
    for name in [
        "gemini-9",
        "gpt-5.6-sol",
        "gpt",
        "GPT-5",
        "a/b/gpt-5",
        "gpt-5-2026",
        "claude-x",
        "claude-x-4.",
        "",
    ] {
        assert_eq!(found(name, "codex"), None, "{name}");
    }
}

#[test]
fn a_step_is_strict_but_for_xai_and_holds_for_the_whole_call() {
    let with_call = |input: u64| {
        let tokens = tokens(input, 1);
        let mut session = session("m", tokens);
        session.transcript = Some(Transcript {
            events: vec![answer("1".to_owned(), "m", tokens)],
        });
        session
    };
    for (provider, input, cost) in [
        ("openai", 1000, "1010"),
        ("openai", 1001, "2022"),
        ("xai", 999, "1009"),
        ("xai", 1000, "2020"),
    ] {
        let priced = priced(&with_call(input), stepped(provider));
        assert_eq!(
            dollars(&priced).as_deref(),
            Some(cost),
            "{provider} {input}"
        );
        assert!(priced.warnings.is_empty());
    }
}

#[test]
fn the_prompt_that_meets_a_step_is_read_and_written_too() {
    let call = Tokens {
        cache_read: Some(600),
        cache_creation_5m: Some(300),
        cache_creation_1h: Some(200),
        ..tokens(1, 0)
    };
    let mut session = session("m", call);
    session.transcript = Some(Transcript {
        events: vec![answer("1".to_owned(), "m", call)],
    });
    // Caches without a rate cost what input costs, at the step.
    let cost = dollars(&priced(&session, stepped("openai")));
    assert_eq!(cost.as_deref(), Some("2202"));
}

#[test]
fn the_highest_step_passed_counts_and_a_rate_it_lacks_is_that_of_the_one_below() {
    let mut prices = stepped("openai");
    let higher = Rates {
        input: Some(usd("3")),
        ..Rates::default()
    };
    prices.steps.insert(2000, higher);
    let call = tokens(2001, 1);
    let mut session = session("m", call);
    session.transcript = Some(Transcript {
        events: vec![answer("1".to_owned(), "m", call)],
    });
    assert_eq!(dollars(&priced(&session, prices)).as_deref(), Some("6023"));
}

#[test]
fn calls_that_do_not_account_for_the_total_are_no_base_for_a_step() {
    let mut session = session("m", tokens(1500, 2));
    session.transcript = Some(Transcript {
        events: vec![answer("1".to_owned(), "m", tokens(1200, 2))],
    });
    let priced = priced(&session, stepped("openai"));
    assert_eq!(dollars(&priced).as_deref(), Some("1520"));
    assert!(priced.warnings.contains(PRICE_STEP_UNKNOWN));
    session.transcript = None;
    session.tokens.input = Some(1000);
    session.by_model = BTreeMap::new();
    let below = price(&session, None, &table([("m", stepped("openai"))]));
    assert_eq!(dollars(&below).as_deref(), Some("1020"));
    assert!(below.warnings.is_empty());
}

#[test]
fn each_kind_of_token_has_its_rate_or_the_next_one() {
    let all = Tokens {
        input: Some(1),
        output: Some(100),
        cache_read: Some(10),
        cache_creation_5m: Some(1000),
        cache_creation_1h: Some(10_000),
        reasoning: Some(40),
    };
    let cost = |change: fn(&mut Rates)| {
        let mut base = rates("1", "1");
        change(&mut base);
        let prices = ModelPrices {
            base,
            ..ModelPrices::default()
        };
        dollars(&priced(&session("m", all), prices))
    };
    assert_eq!(cost(|_| ()).as_deref(), Some("11111"));
    assert_eq!(
        cost(|r| r.cache_read = Some(usd("0"))).as_deref(),
        Some("11101")
    );
    assert_eq!(
        cost(|r| r.cache_write = Some(usd("2"))).as_deref(),
        Some("22111")
    );
    assert_eq!(
        cost(|r| r.cache_write_1h = Some(usd("2"))).as_deref(),
        Some("21111")
    );
    assert_eq!(
        cost(|r| r.reasoning = Some(usd("2"))).as_deref(),
        Some("11151")
    );
    assert_eq!(cost(|r| r.output = None), None);
}

#[test]
fn reasoning_that_is_not_told_and_has_its_own_rate_is_said() {
    let mut base = rates("1", "1");
    base.reasoning = Some(usd("2"));
    let prices = ModelPrices {
        base,
        ..ModelPrices::default()
    };
    let priced = priced(&session("m", tokens(1, 1)), prices);
    assert_eq!(dollars(&priced).as_deref(), Some("2"));
    assert!(priced.warnings.contains(REASONING_RATE_UNKNOWN));
}

#[test]
fn what_is_not_told_is_unknown_and_nothing_is_zero() {
    let flat = || ModelPrices {
        base: rates("1", "1"),
        ..ModelPrices::default()
    };
    let why = |session: &Session| {
        let priced = priced(session, flat());
        assert_eq!(priced.usd, None);
        priced.reason.expect("a reason")
    };
    let mut silent = session("m", Tokens::default());
    assert_eq!(why(&silent), "a-format does not tell its tokens");
    silent.tokens.input = Some(3);
    assert_eq!(why(&silent), "a-format does not tell what was written");
    silent.tokens = Tokens {
        output: Some(3),
        ..Tokens::default()
    };
    assert_eq!(why(&silent), "a-format does not tell what was read");
    let mut nothing = session("unheard", tokens(0, 0));
    nothing.by_model.clear();
    nothing.models.clear();
    assert_eq!(priced(&nothing, flat()).usd, Some(Usd::ZERO));
    nothing.tokens.output = Some(1);
    assert_eq!(why(&nothing), "no model is named");
    assert_eq!(
        why(&session("other", tokens(1, 1))),
        "not in the price table: other"
    );
    let mut more = session("m", tokens(1, 1));
    more.tokens.cache_read = Some(1);
    assert_eq!(why(&more), "tokens are not told by model");
    let mut two = session("m", tokens(1, 1));
    two.models.insert("n".to_owned());
    two.by_model.clear();
    assert_eq!(why(&two), "tokens are not told by model");
    let huge = session("m", tokens(u64::MAX, u64::MAX));
    assert!(why(&huge).contains("out of range"));
}

#[test]
fn the_model_that_was_asked_for_stands_in_where_the_format_names_none() {
    let mut session = session("m", tokens(2, 3));
    session.by_model.clear();
    session.models.clear();
    let table = table([
        ("m", stepped("openai")),
        (
            "n",
            ModelPrices {
                base: rates("0", "1"),
                ..ModelPrices::default()
            },
        ),
    ]);
    assert_eq!(
        dollars(&price(&session, Some("m"), &table)).as_deref(),
        Some("32")
    );
    assert_eq!(price(&session, None, &table).usd, None);
    let other = price(&session, Some("sonnet"), &table);
    assert_eq!(other.unpriced_models, BTreeSet::from(["sonnet".to_owned()]));
    session.models.insert("m".to_owned());
    assert_eq!(
        dollars(&price(&session, Some("n"), &table)).as_deref(),
        Some("32")
    );
}

#[test]
fn searches_cost_what_the_table_says_or_make_it_unknown() {
    let mut session = session("m", tokens(1, 1));
    session.web_search_requests = Some(3);
    let mut prices = stepped("openai");
    assert_eq!(priced(&session, prices.clone()).usd, None);
    prices.search = Some(usd("0.5"));
    assert_eq!(
        dollars(&priced(&session, prices.clone())).as_deref(),
        Some("12.5")
    );
    session
        .by_model
        .get_mut("m")
        .expect("m")
        .web_search_requests = Some(1);
    assert_eq!(dollars(&priced(&session, prices)).as_deref(), Some("11.5"));
}

fn any_call() -> impl Strategy<Value = Tokens> {
    let n = || prop::option::of(0_u64..300_000);
    (0_u64..300_000, 0_u64..9_000, n(), n(), n()).prop_map(|(input, output, read, short, long)| {
        Tokens {
            cache_read: read,
            cache_creation_5m: short,
            cache_creation_1h: long,
            reasoning: Some(output / 2),
            ..tokens(input, output)
        }
    })
}

fn full_prices() -> ModelPrices {
    let rates = |scale: u64| {
        let of = |text: &str| usd(text).times(scale);
        Rates {
            input: of("0.000005"),
            output: of("0.000025"),
            reasoning: of("0.00003"),
            cache_read: of("0.0000005"),
            cache_write: of("0.00000625"),
            cache_write_1h: of("0.00001"),
        }
    };
    ModelPrices {
        base: rates(1),
        steps: BTreeMap::from([(200_000, rates(2))]),
        ..ModelPrices::default()
    }
}

proptest! {
    #[test]
    fn below_a_step_the_price_of_a_sum_is_the_sum_of_prices(
        calls in prop::collection::vec(any_call(), 1..6),
    ) {
        let mut prices = full_prices();
        prices.steps.clear();
        let all = calls.iter().fold(Tokens::default(), |sum, call| sum.plus(*call));
        let sum = calls.iter().fold(Usd::ZERO, |sum, call| {
            let one = priced(&session("m", *call), prices.clone()).usd.expect("priced");
            sum.plus(one).expect("in range")
        });
        prop_assert_eq!(priced(&session("m", all), prices).usd, Some(sum));
    }

    #[test]
    fn calls_that_are_told_cost_the_sum_of_their_own_prices(
        calls in prop::collection::vec(any_call(), 1..6),
    ) {
        let with = |calls: &[Tokens]| {
            let all = calls.iter().fold(Tokens::default(), |sum, call| sum.plus(*call));
            let mut session = session("m", all);
            let events = calls.iter().enumerate().map(|(i, c)| answer(i.to_string(), "m", *c));
            session.transcript = Some(Transcript { events: events.collect() });
            priced(&session, full_prices())
        };
        let sum = calls.iter().fold(Usd::ZERO, |sum, call| {
            sum.plus(with(&[*call]).usd.expect("priced")).expect("in range")
        });
        let all = with(&calls);
        prop_assert_eq!(all.usd, Some(sum));
        prop_assert!(all.warnings.is_empty());
    }

    #[test]
    fn more_tokens_never_cost_less(call in any_call(), more in any_call()) {
        let price_of = |tokens: Tokens| {
            let mut session = session("m", tokens);
            session.transcript = Some(Transcript {
                events: vec![answer("1".to_owned(), "m", tokens)],
            });
            priced(&session, full_prices()).usd.expect("priced")
        };
        prop_assert!(price_of(call) <= price_of(call.plus(more)));
    }
}
