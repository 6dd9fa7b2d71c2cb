//! Sessions that go on with others: each counts what it added.

use std::sync::Arc;

use super::*;

#[test]
fn totals_that_go_on_are_taken_off_once() {
    // One attempt of two runs of one session: dollars and tokens of the second hold the first's.
    let twice = vec![
        recorded(1, 100, named(told("claude-result", 100), "s")),
        recorded(2, 100, named(told("claude-stream", 150), "s")),
    ];
    let step = priced(made(twice.clone()));
    assert_eq!(number("cost_usd", &step), Some(150.0));
    assert_eq!(number("input_tokens", &step), Some(150.0));
    assert_eq!(number("cost_priced_usd", &step), Some(0.001_74));
    assert_eq!(number("num_turns", &step), Some(6.0));
    assert_eq!(number("duration_ms", &step), Some(2000.0));
    assert_eq!(number("duration_api_ms", &step), Some(150.0));
    // In two attempts: the second is what it added.
    let mut apart = twice.clone();
    apart[0].attempt = Some(id(99));
    let step = made(apart);
    assert_eq!(number("cost_usd", &step), Some(50.0));
    assert_eq!(number("cost_usd_all", &step), Some(150.0));
    // A fork has another id and says what it goes on with.
    let mut fork = twice.clone();
    fork[0].attempt = Some(id(99));
    fork[1].session = Said::Known(Arc::new(named(told("claude-result", 150), "t")));
    fork[1].resumes = Some("s".to_owned());
    assert_eq!(number("cost_usd", &made(fork.clone())), Some(50.0));
    fork[1].resumes = Some("elsewhere".to_owned());
    assert_eq!(
        unknown("cost_usd", &made(fork.clone())),
        "it goes on with session elsewhere, of which there is no record"
    );
    assert_eq!(number("num_turns", &made(fork)), Some(3.0));
    // A first run that was cut off tells no total; the second's holds it all the same.
    let mut cut = named(told("claude-result", 0), "s");
    cut.cost_usd = None;
    let mut runs = twice.clone();
    runs[0].session = Said::Known(Arc::new(cut));
    assert_eq!(number("cost_usd", &made(runs)), Some(150.0));
    // Totals that fall are none.
    let mut falls = twice;
    falls[1].session = Said::Known(Arc::new(named(told("claude-result", 90), "s")));
    assert!(unknown("cost_usd", &made(falls)).contains("below those of the session"));
}

#[test]
fn a_session_that_was_recorded_late_is_still_the_earlier_one() {
    let at = |n, attempt, input, ended| SessionEvidence {
        ended: Moment::from_millis(ended),
        ..recorded(n, attempt, named(told("claude-result", input), "s"))
    };
    let step = made(vec![at(1, 100, 150, 2000), at(2, 99, 100, 1000)]);
    assert_eq!(number("cost_usd", &step), Some(50.0));
    assert_eq!(number("cost_usd_all", &step), Some(150.0));
}

#[test]
fn what_goes_on_depends_on_the_format() {
    let two = |format: &str| {
        let mut two = vec![
            recorded(1, 99, named(told(format, 100), "s")),
            recorded(2, 100, named(told(format, 150), "s")),
        ];
        two[1].resumes = Some("s".to_owned());
        made(two)
    };
    assert_eq!(number("input_tokens", &two("codex-exec")), Some(50.0));
    assert_eq!(number("num_turns", &two("codex-exec")), Some(3.0));
    assert_eq!(number("input_tokens", &two("gemini-result")), Some(150.0));
    assert_eq!(number("input_tokens", &two("codex-rollout")), Some(50.0));
    assert_eq!(number("num_turns", &two("codex-rollout")), Some(0.0));
    // A fork's file does not hold its parent, and says that it left it out.
    let mut fork = two("codex-rollout");
    let evidence = Arc::make_mut(fork.evidence.as_mut().expect("evidence"));
    let other = warned(named(told("codex-rollout", 150), "t"), "replayed_history");
    evidence.checkpoints[0].sessions[1].session = Said::Known(Arc::new(other));
    assert_eq!(number("input_tokens", &fork), Some(150.0));
    let mut cut = two("claude-stream");
    let evidence = Arc::make_mut(cut.evidence.as_mut().expect("evidence"));
    let first = warned(named(told("claude-stream", 100), "s"), "no_result_line");
    evidence.checkpoints[0].sessions[0].session = Said::Known(Arc::new(first));
    assert!(unknown("input_tokens", &cut).contains("does not tell its totals"));
}

#[test]
fn signals_are_of_the_attempt_and_of_what_came_after_the_session_it_goes_on_with() {
    let first = [
        vec![at(0, Did::Input)],
        reads(10, "1", true),
        reads(30, "2", false),
    ]
    .concat();
    let second = [
        first.clone(),
        reads(1000, "3", false),
        reads(1100, "4", true),
    ]
    .concat();
    let step = made(vec![
        recorded(
            1,
            99,
            named(with_events(told("claude-transcript", 1), first), "s"),
        ),
        recorded(
            2,
            100,
            named(with_events(told("claude-transcript", 1), second), "s"),
        ),
    ]);
    assert_eq!(number("tool_calls", &step), Some(2.0));
    assert_eq!(number("tool_calls_all", &step), Some(4.0));
    assert_eq!(number("redundant_reads", &step), Some(2.0));
    assert_eq!(number("redundant_reads_all", &step), Some(3.0));
    // The run of failures began before.
    assert_eq!(number("wrong_turns", &step), Some(0.0));
    assert_eq!(number("wrong_turns_all", &step), Some(1.0));
    // 1000 → 1007 → 1100 → 1107: what lies between the sessions is in neither.
    assert_eq!(number("step_latency_p50", &step), Some(7.0));
    assert_eq!(number("step_latency_p99", &step), Some(91.28));
}
