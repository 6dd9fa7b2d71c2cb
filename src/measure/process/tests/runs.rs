//! Figures of what runs alone record: probes, waits, sessions for nothing.

use super::{made, recorded, told};
use crate::history::evidence::SessionEvidence;
use crate::measure::fixture::{known, number, undefined, unknown};
use crate::record::{Probed, Purpose};

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

#[test]
fn a_wait_that_a_run_does_not_record_did_not_happen() {
    let bare = SessionEvidence {
        waited_ms: None,
        ..recorded(1, 100, told("claude-result", 10))
    };
    let by_run = SessionEvidence {
        launched: true,
        ..bare.clone()
    };
    assert_eq!(number("wait_ms", &made(vec![by_run.clone()])), Some(0.0));
    let why = unknown("wait_ms", &made(vec![bare]));
    assert_eq!(why, "the wait before it is not recorded");
    let waited = SessionEvidence {
        waited_ms: Some(7_000),
        ..by_run.clone()
    };
    assert_eq!(
        number("wait_ms", &made(vec![waited, by_run])),
        Some(7_000.0)
    );
}

#[test]
fn a_session_for_nothing_that_was_cut_short_is_no_fixed_cost() {
    let noop = |n, outcome: &str| SessionEvidence {
        purpose: Purpose::Noop,
        outcome: Some(outcome.to_owned()),
        ..recorded(n, n, told("claude-result", u64::from(n) * 10))
    };
    let all = vec![
        recorded(9, 100, told("claude-result", 100)),
        noop(1, "success"),
        noop(5, "timeout"),
        noop(6, "rate_limited"),
    ];
    // 10 of input, 1 of output, 100 read, 5 written; the others were cut short.
    assert_eq!(number("fixed_tokens", &made(all.clone())), Some(116.0));
    let none = vec![all[0].clone(), all[2].clone()];
    assert!(unknown("fixed_tokens", &made(none)).starts_with("no session that does nothing"));
}
