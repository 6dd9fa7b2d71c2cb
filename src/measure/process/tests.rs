//! Figures of hand-made sessions: attempts, sessions that go on, what is not told.

mod resumed;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use crate::history::evidence::{ChainEvidence, CheckpointEvidence, Said, SessionEvidence};
use crate::history::{Context, Place, Step};
use crate::measure::catalogue::all;
use crate::measure::definition::Level;
use crate::measure::fixture::{known, number, step, undefined, unknown};
use crate::record::{
    ChainPath, Did, Does, Happening, Kind, ModelPrices, ModelUse, Moment, PriceTable, Probed,
    Purpose, Rates, RecordId, Role, Session, Status, Tokens, Transcript, Usd,
};

/// The id of a record; greater numbers are younger.
fn id(n: u32) -> RecordId {
    RecordId::parse(&format!("01939c5f-0000-7000-8000-{n:012}")).expect("a UUID of version 7")
}

/// A session of `format` with so many tokens of input; output is a tenth, cost a dollar a token.
fn told(format: &str, input: u64) -> Session {
    let tokens = Tokens {
        input: Some(input),
        output: Some(input / 10),
        cache_read: Some(input * 10),
        cache_creation_5m: Some(0),
        cache_creation_1h: Some(input / 2),
        reasoning: Some(0),
    };
    let part = ModelUse {
        tokens,
        ..ModelUse::default()
    };
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let cost = input as f64;
    Session {
        models: BTreeSet::from(["m".to_owned()]),
        status: Status::Success,
        cost_usd: Some(cost),
        tokens,
        by_model: BTreeMap::from([("m".to_owned(), part)]),
        num_turns: Some(3),
        duration_ms: Some(1000),
        duration_api_ms: Some(input),
        tool_calls: Some(2),
        tool_errors: Some(0),
        ..Session::of(format, "an-agent")
    }
}

/// The record `n` of a session of attempt `attempt`.
fn recorded(n: u32, attempt: u32, session: Session) -> SessionEvidence {
    SessionEvidence {
        record: id(n),
        attempt: Some(id(attempt)),
        purpose: Purpose::Implement,
        outcome: None,
        started: None,
        ended: None,
        wall_ms: Some(10),
        waited_ms: Some(5),
        exit_code: None,
        model: None,
        resumes: None,
        session: Said::Known(Arc::new(session)),
        probed: None,
    }
}

/// A probe whose answer named `named` of the rules `landed`.
fn probe(n: u32, landed: &[&str], named: &[&str]) -> SessionEvidence {
    let words = |all: &[&str]| all.iter().map(|w| (*w).to_owned()).collect();
    SessionEvidence {
        purpose: Purpose::Probe,
        probed: Some(Probed {
            landed: words(landed),
            named: words(named),
            answer: String::new(),
        }),
        ..recorded(n, n, told("claude-result", 10))
    }
}

#[test]
fn recall_is_over_the_rules_that_had_landed() {
    let one = || recorded(1, 100, told("claude-result", 10));
    let figure = known(
        "probe_recall",
        &made(vec![
            one(),
            probe(2, &["a", "b", "c", "d"], &["a", "d", "c"]),
        ]),
    );
    assert_eq!((figure.num, figure.den), (Some(3.0), Some(4.0)));
    let step = made(vec![one(), probe(2, &["a", "b"], &["b"])]);
    let listed = crate::measure::fixture::of("probe_recall", &step);
    let items: Vec<(&str, &str)> = listed
        .items
        .iter()
        .map(|i| (i.name.as_str(), i.note.as_str()))
        .collect();
    assert_eq!(items, [("b", "named"), ("a", "not counted: not named")]);
    // The last one that came to an answer counts; what the session cost counts nowhere.
    let silent = SessionEvidence {
        probed: None,
        ..probe(4, &[], &[])
    };
    let step = made(vec![
        one(),
        probe(2, &["a"], &[]),
        probe(3, &["a"], &["a"]),
        silent.clone(),
    ]);
    assert_eq!(number("probe_recall", &step), Some(1.0));
    assert_eq!(number("cost_usd_all", &step), Some(10.0));
    undefined("probe_recall", &made(vec![one(), probe(2, &[], &[])]));
    let none = "no probe at this checkpoint";
    assert_eq!(unknown("probe_recall", &made(vec![one()])), none);
    let why = unknown("probe_recall", &made(vec![one(), silent]));
    assert_eq!(why, "its probe came to no answer");
}

fn named(mut session: Session, id: &str) -> Session {
    session.session_id = Some(id.to_owned());
    session
}

fn warned(mut session: Session, warning: &str) -> Session {
    session.warnings.insert(warning.to_owned());
    session
}

/// Checkpoint 1 of a chain, made in attempt 100, with these sessions.
fn made(sessions: Vec<SessionEvidence>) -> Step {
    let mut evidence = ChainEvidence::default();
    evidence.checkpoints = vec![CheckpointEvidence {
        checkpoint: 1,
        checkpoint_id: "one".to_owned(),
        commit: None,
        attempt: Some(id(100)),
        sessions,
        gates: Vec::new(),
        coverage: Vec::new(),
        doubtful: BTreeMap::new(),
    }];
    with(evidence)
}

fn with(evidence: ChainEvidence) -> Step {
    Step {
        place: Place::Chain {
            path: ChainPath::parse("e/a/1").expect("a path"),
            label: "e/a/1".to_owned(),
            checkpoint: 1,
            checkpoint_id: "one".to_owned(),
            role: Role::Agent,
        },
        evidence: Some(Arc::new(evidence)),
        ..step(Vec::new())
    }
}

/// The step with a table in which a token of `m` costs a millionth of a dollar.
fn priced(mut step: Step) -> Step {
    let rate = Usd::parse("0.000001");
    let base = Rates {
        input: rate,
        output: rate,
        ..Rates::default()
    };
    let model = ModelPrices {
        base,
        ..ModelPrices::default()
    };
    let table = PriceTable {
        models: BTreeMap::from([("m".to_owned(), model)]),
        ..PriceTable::default()
    };
    step.context = Arc::new(Context {
        prices: Some(Arc::new(table)),
        ..(*step.context).clone()
    });
    step
}

fn at(millis: i64, what: Did) -> Happening {
    Happening {
        thread: 0,
        at: Moment::from_millis(millis),
        what,
    }
}

/// A read of one file: an answer, its call, and the result.
fn reads(at_ms: i64, name: &str, ok: bool) -> Vec<Happening> {
    vec![
        at(
            at_ms,
            Did::Answer {
                id: format!("answer {name}"),
                model: None,
                tokens: None,
            },
        ),
        at(
            at_ms,
            Did::Call {
                id: name.to_owned(),
                tool: "Read".to_owned(),
                does: Does::Read,
                path: Some("a".to_owned()),
                offset: None,
                limit: None,
            },
        ),
        at(
            at_ms + 7,
            Did::Result {
                id: name.to_owned(),
                ok,
            },
        ),
    ]
}

fn with_events(mut session: Session, events: Vec<Happening>) -> Session {
    session.tool_calls = None;
    session.tool_errors = None;
    session.transcript = Some(Transcript { events });
    session
}

#[test]
fn a_figure_is_that_of_the_attempt_that_made_the_commit_and_all_of_every_attempt() {
    let mut limited = told("claude-result", 0);
    limited.status = Status::RateLimited;
    let mut review = recorded(4, 103, told("claude-result", 7));
    review.purpose = Purpose::Review;
    let step = priced(made(vec![
        recorded(1, 98, told("claude-result", 20)),
        recorded(2, 99, limited),
        recorded(3, 100, told("claude-result", 100)),
        review,
    ]));
    for (id, figure, all) in [
        ("cost_usd", 100.0, 120.0),
        ("cost_priced_usd", 0.001_160, 0.001_392),
        ("input_tokens", 100.0, 120.0),
        ("output_tokens", 10.0, 12.0),
        ("cache_read_tokens", 1000.0, 1200.0),
        ("cache_creation_tokens", 50.0, 60.0),
        ("reasoning_tokens", 0.0, 0.0),
        ("num_turns", 3.0, 9.0),
        ("tool_calls", 2.0, 6.0),
        ("duration_ms", 1000.0, 3000.0),
        ("duration_api_ms", 100.0, 120.0),
        ("wall_ms", 10.0, 30.0),
        ("wait_ms", 5.0, 15.0),
    ] {
        assert_eq!(number(id, &step), Some(figure), "{id}");
        assert_eq!(number(&format!("{id}_all"), &step), Some(all), "{id}_all");
    }
    assert_eq!(number("attempts", &step), Some(3.0));
    assert_eq!(number("review_cycles", &step), Some(1.0));
    assert_eq!(number("cost_gap", &step), Some(99.998_84));
    assert_eq!(
        unknown("redundant_reads", &step),
        "no transcript: claude-result has none"
    );
}

#[test]
fn without_records_everything_is_unknown_with_the_reason() {
    let plain = step(Vec::new());
    let none = with(ChainEvidence::default());
    let mut not_here = ChainEvidence::default();
    let why = "records of sessions not fetched".to_owned();
    not_here.lacking.insert(Kind::Envelope, why);
    let not_here = with(not_here);
    for measure in all() {
        let late = measure.level != Level::Process || measure.compute.is_none();
        if late || measure.id == "first_try" {
            continue;
        }
        assert_eq!(
            unknown(measure.id, &plain),
            "only checkpoints of a chain have records",
            "{}",
            measure.id
        );
        if measure.id != "fixed_tokens" {
            assert_eq!(
                unknown(measure.id, &none),
                "no session recorded",
                "{}",
                measure.id
            );
            assert_eq!(
                unknown(measure.id, &not_here),
                "records of sessions not fetched",
                "{}",
                measure.id
            );
        }
    }
}

#[test]
fn what_a_format_does_not_tell_is_unknown_by_its_name_and_its_zero_is_a_zero() {
    let mut silent = told("codex-exec", 10);
    silent.cost_usd = None;
    silent.tokens.reasoning = None;
    let step = made(vec![recorded(1, 100, silent)]);
    assert_eq!(unknown("cost_usd", &step), "codex-exec does not tell it");
    assert_eq!(
        unknown("reasoning_tokens", &step),
        "codex-exec does not tell it"
    );
    let mut free = told("claude-result", 0);
    free.cost_usd = Some(0.0);
    let step = made(vec![recorded(1, 100, free)]);
    assert_eq!(number("cost_usd", &step), Some(0.0));
    assert_eq!(number("input_tokens", &step), Some(0.0));
    let unread = SessionEvidence {
        session: Said::Unknown("format not recognised".to_owned()),
        ..recorded(1, 100, told("x", 1))
    };
    assert_eq!(
        unknown("num_turns", &made(vec![unread.clone()])),
        "format not recognised"
    );
    // Our own clock does not need the format.
    assert_eq!(number("wall_ms", &made(vec![unread])), Some(10.0));
}

#[test]
fn one_unknown_part_makes_a_sum_unknown_and_says_how_many_and_what_the_others_are() {
    let mut silent = told("codex-exec", 10);
    silent.cost_usd = None;
    let step = made(vec![
        recorded(1, 98, silent),
        recorded(2, 99, told("claude-result", 30)),
        recorded(3, 100, told("claude-result", 100)),
    ]);
    assert_eq!(number("cost_usd", &step), Some(100.0));
    assert_eq!(
        unknown("cost_usd_all", &step),
        "1 of 3 sessions do not tell it (codex-exec does not tell it); the others add up to 130"
    );
}

#[test]
fn a_figure_of_which_less_is_told_than_there_was_is_a_lower_bound_and_unknown() {
    let of = |warning: &str| {
        made(vec![recorded(
            1,
            100,
            warned(told("claude-stream", 100), warning),
        )])
    };
    for (warning, id) in [
        ("no_result_line", "input_tokens"),
        ("usage_main_loop_only", "cache_read_tokens"),
        ("cost_covers_more", "input_tokens"),
        ("output_tokens_partial", "output_tokens"),
        ("unfinished_step", "cost_usd"),
    ] {
        assert!(
            unknown(id, &of(warning)).starts_with("at least 1"),
            "{warning}"
        );
    }
    assert_eq!(
        number("input_tokens", &of("output_tokens_partial")),
        Some(100.0)
    );
    assert_eq!(number("cost_usd", &of("usage_main_loop_only")), Some(100.0));
    assert!(unknown("input_tokens", &of("cache_split_unknown")).starts_with("cached tokens"));
    let lower = priced(of("no_result_line"));
    assert!(unknown("cost_priced_usd", &lower).starts_with("at least 0.00116"));
    let split = priced(of("cache_split_unknown"));
    assert!(known("cost_priced_usd", &split).remark.is_some());
    for (figure, ids) in [
        ("cost_usd", &["cost_usd"][..]),
        ("tokens.input", &["input_tokens", "cost_priced_usd"]),
        (
            "tokens.cache_creation_1h",
            &["cache_creation_tokens", "cost_priced_usd"],
        ),
        ("duration_api_ms", &["duration_api_ms"]),
        ("tool_calls", &["tool_calls"]),
    ] {
        let disagree = priced(of(&format!("evidence_disagrees:{figure}")));
        for id in ids {
            assert_eq!(unknown(id, &disagree), "evidence disagrees", "{id}");
        }
        assert_eq!(number("num_turns", &disagree), Some(3.0));
    }
}

#[test]
fn prices_need_a_table_and_a_model_that_somebody_names() {
    let mut nameless = told("codex-exec", 10);
    nameless.models.clear();
    nameless.by_model.clear();
    let step = made(vec![recorded(1, 100, nameless.clone())]);
    assert!(unknown("cost_priced_usd", &step).starts_with("no price table: give --prices"));
    assert_eq!(
        unknown("cost_priced_usd", &priced(step)),
        "no model is named"
    );
    let asked = SessionEvidence {
        model: Some("m".to_owned()),
        ..recorded(1, 100, nameless)
    };
    assert_eq!(
        number("cost_priced_usd", &priced(made(vec![asked]))),
        Some(0.000_116)
    );
}

#[test]
fn latencies_are_interpolated_and_undefined_where_there_is_but_one_message() {
    let of = |events| made(vec![recorded(1, 100, with_events(told("f", 1), events))]);
    let one = of(vec![at(0, Did::Input)]);
    assert_eq!(
        undefined("step_latency_p50", &one),
        "fewer than two messages"
    );
    let mut timeless = at(0, Did::Input);
    timeless.at = None;
    assert_eq!(
        unknown("step_latency_p50", &of(vec![timeless])),
        "f tells no times of messages"
    );
}

#[test]
fn fixed_tokens_are_the_mean_of_sessions_that_do_nothing() {
    let noop = |n, tokens| SessionEvidence {
        purpose: Purpose::Noop,
        ..recorded(n, n, told("claude-result", tokens))
    };
    let mut step = made(vec![
        recorded(3, 100, told("claude-result", 100)),
        noop(1, 10),
    ]);
    assert_eq!(number("fixed_tokens", &step), Some(116.0));
    assert_eq!(number("task_tokens", &step), Some(1044.0));
    let evidence = Arc::make_mut(step.evidence.as_mut().expect("evidence"));
    evidence.arm_noops.push(noop(2, 20));
    let fixed = known("fixed_tokens", &step);
    assert_eq!(
        (fixed.value, fixed.num, fixed.den),
        (174.0, Some(348.0), Some(2.0))
    );
    assert_eq!(number("task_tokens", &step), Some(986.0));
    let alone = made(vec![recorded(3, 100, told("claude-result", 100))]);
    assert!(unknown("task_tokens", &alone).starts_with("no session that does nothing"));
}

#[test]
fn which_attempt_made_the_commit_may_be_unknown() {
    let without = |attempts: [u32; 2]| {
        let mut step = made(vec![
            recorded(1, attempts[0], told("claude-result", 1)),
            recorded(2, attempts[1], told("claude-result", 2)),
        ]);
        let evidence = Arc::make_mut(step.evidence.as_mut().expect("evidence"));
        evidence.checkpoints[0].attempt = None;
        step
    };
    assert_eq!(number("cost_usd", &without([7, 7])), Some(3.0));
    assert_eq!(
        unknown("cost_usd", &without([7, 8])),
        "which attempt made the commit is not recorded"
    );
    let other = made(vec![recorded(1, 5, told("claude-result", 1))]);
    assert_eq!(
        unknown("cost_usd", &other),
        "no session of the attempt that made the commit is recorded"
    );
    assert_eq!(number("attempts", &other), Some(2.0));
}

proptest! {
    #[test]
    fn all_attempts_take_at_least_what_the_one_took(
        inputs in prop::collection::vec((0_u64..10_000, 98_u32..101), 1..6),
    ) {
        let sessions = inputs.iter().zip(1..).map(|((input, attempt), n)| {
            recorded(n, *attempt, told("claude-result", *input))
        });
        let step = priced(made(sessions.collect()));
        for id in ["cost_usd", "cost_priced_usd", "cache_read_tokens", "num_turns", "wall_ms"] {
            if let Some(one) = number(id, &step) {
                prop_assert!(number(&format!("{id}_all"), &step) >= Some(one), "{}", id);
            }
        }
        let sum: u64 = inputs.iter().map(|(input, _)| input).sum();
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let sum = sum as f64;
        prop_assert_eq!(number("input_tokens_all", &step), Some(sum));
    }
}
