//! Flags, rates and outcomes over hand-made gates.

use std::collections::BTreeMap;

use super::*;
use crate::history::evidence::{GateRun, Said};
use crate::measure::fixture::{known, number as of, step, undefined, unknown, value};
use crate::measure::fixture_chain::{Chain, in_chain, invalid, problem, run, tests, unbuilt};
use crate::record::{Kind, RecordId, Session};

fn word(chain: Chain, number: u32) -> Value {
    value("outcome", &chain.step(number))
}

#[test]
fn flags_are_of_all_tests_of_the_checkpoints_own_and_of_its_core() {
    let step = Chain::default()
        .told()
        .gate(2, "Cp1::core_a- Cp2::core_b+ Cp2::c+ Cp2::error_d~")
        .step(2);
    assert_eq!(of("strict_pass", &step), Some(0.0));
    assert_eq!(of("iso_pass", &step), Some(1.0));
    assert_eq!(of("core_pass", &step), Some(1.0));
    let rate = known("strict_pass_rate", &step);
    assert_eq!(
        (rate.num, rate.den),
        (Some(2.0), Some(3.0)),
        "a skipped test is left out"
    );
    let rate = known("iso_pass_rate", &step);
    assert_eq!((rate.num, rate.den), (Some(2.0), Some(2.0)));
    assert_eq!(known("core_pass_rate", &step).den, Some(1.0));
    assert_eq!(value("outcome", &step), Value::Word("fail"));
}

#[test]
fn nothing_passed_is_not_strict_and_nothing_there_is_undefined() {
    let skipped = Chain::default().told().gate(1, "Cp1::a~ Cp1::b~").step(1);
    assert_eq!(of("strict_pass", &skipped), Some(0.0));
    assert_eq!(of("iso_pass", &skipped), Some(0.0));
    undefined("core_pass", &skipped);
    undefined("strict_pass_rate", &skipped);
    assert_eq!(value("outcome", &skipped), Value::Word("fail"));
    let empty = Chain::default().told().gate(1, "").step(1);
    undefined("strict_pass", &empty);
    undefined("iso_pass", &empty);
}

#[test]
fn without_test_patterns_a_checkpoints_own_tests_are_unknown_and_all_of_them_are_not() {
    let step = Chain::default().gate(1, "Cp1::core_a+").step(1);
    assert_eq!(of("strict_pass", &step), Some(1.0));
    for id in ["iso_pass", "core_pass", "iso_pass_rate", "core_pass_rate"] {
        assert!(unknown(id, &step).starts_with("no test patterns"), "{id}");
    }
}

#[test]
fn a_change_that_does_not_build_has_failed_all_of_it() {
    let step = Chain::default()
        .told()
        .gate(0, "Cp1::a+ Cp1::b+ Cp1::c- Cp1::d! Cp1::e~ Cp1::f+*")
        .with(1, run(unbuilt("Cp1::a+")))
        .step(1);
    for id in ["strict_pass", "iso_pass", "core_pass"] {
        assert_eq!(of(id, &step), Some(0.0), "{id}");
    }
    let rate = known("strict_pass_rate", &step);
    assert_eq!(
        (rate.num, rate.den),
        (Some(0.0), Some(5.0)),
        "b was asked for, too, and what had failed or was unstable; what is skipped is left out"
    );
    assert_eq!(value("outcome", &step), Value::Word("fail"));
    let nothing = Chain::default().with(1, run(unbuilt(""))).step(1);
    assert_eq!(of("strict_pass_rate", &nothing), Some(0.0));
}

#[test]
fn a_failure_that_is_no_test_counts_where_it_belongs() {
    let with = |place: &str| {
        let mut map = tests("Cp1::core_a+ Cp2::core_b+");
        map.problems.push(problem(place));
        Chain::default().told().with(2, run(map)).step(2)
    };
    let earlier = with("org.Cp1");
    assert_eq!(of("strict_pass", &earlier), Some(0.0));
    assert_eq!(of("iso_pass", &earlier), Some(1.0));
    assert_eq!(of("iso_pass", &with("org.Cp02")), Some(0.0));
    assert!(unknown("iso_pass", &with("org.Other")).contains("may be this checkpoint's own"));
}

#[test]
fn several_runs_are_joined_and_those_without_a_verdict_left_out() {
    let join = |first, second| {
        let chain = Chain::default().with(1, run(first)).with(1, run(second));
        chain.step(1)
    };
    for step in [
        join(tests("a+ b+"), tests("a- b+")),
        join(tests("a- b+"), tests("a+ b+")),
    ] {
        assert_eq!(
            known("strict_pass_rate", &step).num,
            Some(1.0),
            "the worst wins"
        );
    }
    for step in [join(invalid(), tests("a+")), join(tests("a+"), invalid())] {
        assert_eq!(of("strict_pass", &step), Some(1.0));
        let remark = known("strict_pass", &step).remark;
        assert_eq!(
            remark.as_deref(),
            Some("1 gate run without a verdict left out")
        );
    }
    for step in [
        join(unbuilt(""), tests("a+")),
        join(tests("a+"), unbuilt("")),
    ] {
        assert_eq!(of("strict_pass", &step), Some(0.0));
        let remark = known("strict_pass", &step).remark.expect("a remark");
        assert!(remark.starts_with("one run does not build"));
    }
    let step = join(invalid(), invalid());
    let why = "gate without a verdict (no-testcases)";
    assert_eq!(unknown("strict_pass", &step), why);
    assert_eq!(unknown("outcome", &step), why);
}

#[test]
fn a_run_that_could_not_be_read_makes_the_gate_unknown() {
    let unread = GateRun {
        map: Said::Unknown("payload not shared".to_owned()),
        ..run(tests(""))
    };
    let step = Chain::default().gate(1, "a+").with(1, unread).step(1);
    assert_eq!(
        unknown("strict_pass", &step),
        "a gate run was not read: payload not shared"
    );
}

#[test]
fn none_recorded_not_fetched_and_no_chain_are_three_answers() {
    let none = Chain::default().reached(1).step(1);
    assert_eq!(
        unknown("strict_pass", &none),
        "no gate of the acceptance suite recorded"
    );
    let mut chain = Chain::default().reached(1);
    let why = "records of gate runs not fetched (`git evolve fetch`)".to_owned();
    chain.lacking = BTreeMap::from([(Kind::Tests, why.clone())]);
    assert_eq!(unknown("outcome", &chain.step(1)), why);
    assert_eq!(
        unknown("strict_pass", &step(Vec::new())),
        "only checkpoints of a chain have records"
    );
}

#[test]
fn a_session_that_did_not_finish_is_a_failure_of_execution_where_no_gate_says_more() {
    let ended = |status, exit_code| {
        let session = Session {
            status,
            ..Session::of("claude-result", "claude-code")
        };
        SessionEvidence {
            record: RecordId::new(),
            attempt: None,
            purpose: Purpose::Implement,
            outcome: None,
            started: None,
            ended: None,
            wall_ms: None,
            waited_ms: None,
            exit_code,
            model: None,
            resumes: None,
            session: Said::Known(std::sync::Arc::new(session)),
            probed: None,
        }
    };
    let with = |chain: Chain, session| {
        let mut evidence = chain.evidence();
        evidence.checkpoints[0].sessions.push(session);
        value("outcome", &in_chain(step(Vec::new()), evidence, 1))
    };
    let bare = || Chain::default().reached(1);
    let failed = Value::Word("execution failure");
    assert_eq!(with(bare(), ended(Status::Interrupted, None)), failed);
    assert_eq!(with(bare(), ended(Status::Unknown, Some(1))), failed);
    let unknown = |v| matches!(v, Value::Unknown(_));
    assert!(unknown(with(bare(), ended(Status::Success, Some(1)))));
    assert!(unknown(with(bare(), ended(Status::Unknown, None))));
    // What the record says goes before what its files say, and stands where there are none.
    let typed = |word: &str, session| SessionEvidence {
        outcome: Some(word.to_owned()),
        ..session
    };
    let left_none = SessionEvidence {
        session: Said::Unknown("its record has no payload".to_owned()),
        ..ended(Status::Unknown, None)
    };
    assert!(unknown(with(bare(), left_none.clone())));
    for word in [
        "interrupted",
        "rate_limited",
        "max_turns",
        "error",
        "timeout",
        "killed",
        "credentials_dead",
    ] {
        assert_eq!(with(bare(), typed(word, left_none.clone())), failed);
        assert_eq!(
            with(bare(), typed(word, ended(Status::Success, None))),
            failed
        );
    }
    let finished = typed("success", ended(Status::MaxTurns, None));
    assert!(unknown(with(bare(), finished)));
    assert_eq!(
        with(bare(), typed("no such word", ended(Status::Error, None))),
        failed
    );
    let gated = Chain::default().gate(1, "a+");
    assert_eq!(
        with(gated, ended(Status::Interrupted, None)),
        Value::Word("pass")
    );
    assert_eq!(word(Chain::default().gate(1, "a+"), 1), Value::Word("pass"));
}

#[test]
fn a_checkpoint_that_was_not_reached_is_no_failure() {
    let evidence = Chain::default().gate(1, "a+").evidence();
    assert_eq!(outcome_of(&evidence, 2), Ok(Outcome::NotReached));
}

#[test]
fn a_checkpoint_whose_attempts_all_failed_is_a_failure_of_execution() {
    let of = |words: &[&str]| {
        let mut evidence = Chain::default().gate(1, "a+").reached(2).evidence();
        evidence.checkpoints[1].commit = None;
        for word in words {
            evidence.checkpoints[1].sessions.push(SessionEvidence {
                record: RecordId::new(),
                attempt: Some(RecordId::new()),
                purpose: Purpose::Implement,
                outcome: Some((*word).to_owned()),
                started: None,
                ended: None,
                wall_ms: None,
                waited_ms: None,
                exit_code: None,
                model: None,
                resumes: None,
                session: Said::Unknown("its record has no payload".to_owned()),
                probed: None,
            });
        }
        outcome_of(&evidence, 2)
    };
    assert_eq!(
        of(&["rate_limited", "error"]),
        Ok(Outcome::ExecutionFailure)
    );
    assert_eq!(of(&["timeout"]), Ok(Outcome::ExecutionFailure));
    // A run that goes on may still reach it.
    for words in [
        &["error", "interrupted"][..],
        &["rate_limited"],
        &["success"],
    ] {
        let why = of(words).expect_err("unknown");
        assert!(why.contains("may go on"), "{why}");
    }
}
