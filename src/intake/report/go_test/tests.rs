use std::io::Cursor;

use super::*;
use crate::record::TestResult;

fn read_text(text: &str) -> Draft {
    let mut draft = Draft::default();
    read(&mut Cursor::new(text.as_bytes()), None, &mut draft).expect("bytes are readable");
    draft
}

/// A stream of events `action package test? output?`, `;` between fields.
fn stream(events: &[&str]) -> Draft {
    let mut text = String::new();
    for event in events {
        let mut fields = event.split(';');
        let mut object = serde_json::Map::new();
        for key in ["Action", "Package", "Test", "Output", "FailedBuild"] {
            let value = fields.next().unwrap_or_default();
            if !value.is_empty() {
                object.insert(key.to_owned(), value.into());
            }
        }
        text.push_str(&serde_json::Value::Object(object).to_string());
        text.push('\n');
    }
    read_text(&text)
}

fn of<'d>(draft: &'d Draft, id: &str) -> &'d TestResult {
    draft
        .tests
        .get(id)
        .unwrap_or_else(|| panic!("{id} in {:?}", draft.tests.keys()))
}

#[test]
fn a_verdict_that_stands_twice_is_no_second_run() {
    let draft = stream(&["run;p;T", "fail;p;T", "fail;p", "fail;p"]);
    assert!(draft.reasons.is_empty() && draft.problems.is_empty());
    assert_eq!(of(&draft, "p::T").outcome, TestOutcome::Failed);
    for second in [
        &["start;p", "fail;p"][..],
        &["output;p;;no database\n", "fail;p"],
        &["fail;p;;;p"],
    ] {
        let draft = stream(&[&["run;p;T", "fail;p;T", "fail;p"], second].concat());
        assert_eq!(draft.problems.len(), 1, "{second:?}");
    }
    let draft = stream(&["run;p;T", "pass;p;T", "pass;p", "fail;p"]);
    assert!(draft.reasons.contains("package-failed-without-tests"));
}

#[test]
fn a_package_that_began_and_was_not_judged_leaves_the_run_without_a_verdict() {
    let draft = stream(&["start;p", "run;p;T", "pass;p;T", "pass;p", "start;q"]);
    assert!(draft.reasons.contains("package-without-verdict"));
    let draft = stream(&[
        "start;p", "run;p;T", "pass;p;T", "pass;p", "start;q", "skip;q",
    ]);
    assert!(draft.reasons.is_empty());
}

#[test]
fn the_verdict_of_the_package_rules_over_missing_and_false_events() {
    let draft = stream(&[
        "run;p;Lost",
        "run;p;Liar",
        "pass;p;Liar",
        "fail;p;Liar",
        "run;p;Hidden",
        "fail;p;Hidden",
        "pass;p",
    ]);
    for id in ["p::Lost", "p::Liar", "p::Hidden"] {
        assert_eq!(of(&draft, id).outcome, TestOutcome::Passed, "{id}");
    }
    assert!(of(&draft, "p::Lost").inferred && of(&draft, "p::Hidden").inferred);
    assert!(draft.warnings.contains("event-contradicts-package"));
    assert!(draft.warnings.contains("test-without-verdict"));
    assert!(draft.reasons.is_empty() && draft.problems.is_empty());

    let draft = stream(&["run;p;Lost", "run;p;Bad", "fail;p;Bad", "fail;p"]);
    let lost = of(&draft, "p::Lost");
    assert_eq!((lost.outcome, lost.incomplete), (TestOutcome::Error, true));
    assert_eq!(draft.problems.len(), 1);
    assert!(draft.reasons.is_empty(), "what the code did is a result");
}

#[test]
fn a_failed_package_whose_tests_passed_has_a_problem_of_its_own() {
    let draft = stream(&["run;p;A", "pass;p;A", "output;p;;no db\n", "fail;p"]);
    let problem = draft.problems.first().expect("a problem");
    assert_eq!(
        (problem.kind.as_str(), problem.place.as_str()),
        ("package", "p")
    );
    assert_eq!(problem.message.as_deref(), Some("no db"));
    assert!(draft.reasons.is_empty());
    let draft = stream(&["output;p;;no db\n", "fail;p"]);
    assert!(draft.reasons.contains("package-failed-without-tests"));
}

#[test]
fn a_test_that_is_run_again_is_as_bad_as_its_worst_run() {
    // One package event for -count=2, one each for a stream that was added to.
    let twice = stream(&[
        "run;p;A", "fail;p;A", "run;p;A", "pass;p;A", "run;p;B", "pass;p;B", "fail;p",
    ]);
    let again = stream(&[
        "run;p;A", "fail;p;A", "run;p;B", "pass;p;B", "fail;p", "run;p;A", "pass;p;A", "pass;p",
    ]);
    for draft in [twice, again] {
        let a = of(&draft, "p::A");
        assert_eq!(
            (a.outcome, a.occurrences, a.flaky),
            (TestOutcome::Failed, Some(2), true)
        );
        assert_eq!(of(&draft, "p::B").occurrences, None);
        assert!(draft.warnings.contains("duplicate-id"));
        assert!(draft.problems.is_empty(), "{:?}", draft.problems);
    }
    let draft = stream(&["run;p;A", "pass;p;A", "pass;p;A", "pass;p"]);
    assert_eq!(of(&draft, "p::A").occurrences, None, "one run, told twice");
}

#[test]
fn a_container_counts_where_it_fails_by_itself() {
    let draft = stream(&[
        "run;p;T",
        "run;p;T/a",
        "pass;p;T/a",
        "fail;p;T",
        "run;p;U",
        "run;p;U/a",
        "run;p;U/a/b",
        "fail;p;U/a/b",
        "fail;p;U/a",
        "fail;p;U",
        "run;p;V",
        "run;p;V/x y/z",
        "pass;p;V/x y/z",
        "pass;p;V",
        "fail;p",
    ]);
    let containers: Vec<&str> = draft
        .tests
        .iter()
        .filter(|(_, t)| t.container)
        .map(|(id, _)| id.as_str())
        .collect();
    assert_eq!(containers, ["p::U", "p::U/a", "p::V"]);
}

#[test]
fn packages_run_at_once_are_told_apart() {
    let draft = stream(&[
        "start;p", "start;q", "run;p;A", "run;q;A", "fail;q;A", "pass;p;A", "fail;q", "pass;p",
    ]);
    assert_eq!(of(&draft, "p::A").outcome, TestOutcome::Passed);
    assert_eq!(of(&draft, "q::A").outcome, TestOutcome::Failed);
}

#[test]
fn a_stream_that_ends_early_has_no_verdict() {
    let draft = stream(&["start;p", "run;p;A", "pass;p;A"]);
    assert!(draft.reasons.contains("package-without-verdict"));
    let whole = "{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"A\"}\n\
                 {\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"A\"}\n\
                 {\"Action\":\"pass\",\"Package\":\"p\"}";
    assert!(
        read_text(whole).reasons.is_empty(),
        "no line feed at the end"
    );
    let torn = format!("{whole}\n{{\"Action\":\"pass\",\"Pack");
    assert_eq!(read_text(&torn).reasons, ["truncated-report"].into());
    assert!(
        read_text(&format!("{torn}\n"))
            .warnings
            .contains("non-json-lines")
    );
}

#[test]
fn benchmarks_are_no_tests() {
    let draft = stream(&[
        "run;p;BenchmarkX",
        "output;p;BenchmarkX;BenchmarkX-2 10 59.10 ns/op\n",
        "pass;p",
    ]);
    assert!(draft.tests.is_empty() && draft.testcases > 0);
    assert!(draft.warnings.contains("benchmarks-only"));
    let draft = stream(&[
        "output;p;;BenchmarkX-2\t",
        "output;p;;10\t59.10 ns/op\n",
        "pass;p",
    ]);
    assert!(draft.testcases > 0);
    let draft = stream(&["output;p;;testing: warning: no tests to run\n", "pass;p"]);
    assert_eq!(draft.testcases, 0);
    let draft = stream(&[
        "run;p;Benchmarked",
        "pass;p;Benchmarked",
        "skip;q",
        "pass;p",
    ]);
    assert_eq!(draft.tests.len(), 1);
}

#[test]
fn timeouts_count_where_the_package_failed() {
    let text = "output;p;A;panic: test timed out after 1s\n";
    assert!(
        stream(&["run;p;A", text, "fail;p"])
            .reasons
            .contains("timeout")
    );
    assert!(
        stream(&["run;p;A", text, "pass;p;A", "pass;p"])
            .reasons
            .is_empty()
    );
    let killed = "output;p;;*** Test killed with quit: ran too long (11m0s).\n";
    assert!(
        stream(&["run;p;A", killed, "fail;p"])
            .reasons
            .contains("timeout")
    );
}

#[test]
fn what_does_not_build_is_told_with_what_building_said() {
    let draft = read_text(
        "# example.com/bad [example.com/bad.test]\nbad.go:3:1: no\nFAIL\texample.com/bad [build failed]\n\
         FAIL\texample.com/x [setup failed]\nFAIL\n",
    );
    let told: Vec<_> = draft
        .problems
        .iter()
        .map(|p| (p.place.as_str(), p.message.as_deref()))
        .collect();
    assert_eq!(
        told,
        [
            ("example.com/bad", Some("bad.go:3:1: no")),
            ("example.com/x", None)
        ]
    );
    assert_eq!(draft.reasons, ["build-failed"].into());

    let draft = stream(&["start;p", "output;p;;FAIL\tp [build failed]\n", "fail;p"]);
    assert_eq!(draft.reasons, ["build-failed"].into());
    let draft = stream(&["start;use", "fail;use;;;example.com/dep"]);
    assert_eq!(
        draft.problems.first().map(|p| p.place.as_str()),
        Some("use")
    );
    let text = "{\"ImportPath\":\"a/b [a/b.test]\",\"Action\":\"build-fail\"}\n";
    let draft = read_text(text);
    assert_eq!(
        draft.problems.first().map(|p| p.place.as_str()),
        Some("a/b")
    );
}

#[test]
fn values_of_any_type_are_survived() {
    for odd in [
        r#"{"Action":"pass","Package":"p","Test":"A","Elapsed":1e999}"#,
        r#"{"Action":"pass","Package":"p","Test":"A","Elapsed":"0.5"}"#,
        r#"{"Action":"pass","Package":"p","Test":"A","Elapsed":-3}"#,
        r#"{"Action":"pass","Package":"p","Test":"A","Elapsed":[{"a":1}]}"#,
        r#"{"Action":"pass","Package":"p","Test":"A","Elapsed":null,"New":{"a":[1]}}"#,
        r#"  {"Test":"A", "Action":"pass","Package":"p"}  "#,
    ] {
        let text = format!("{odd}\r\n{{\"Action\":\"pass\",\"Package\":\"p\"}}\r\n");
        let draft = read_text(&text);
        let test = of(&draft, "p::A");
        assert_eq!(test.outcome, TestOutcome::Passed, "{odd}");
        assert!(test.time.is_none_or(|t| t >= 0.0), "{odd}");
    }
    for none in [
        r#"{"Action":1,"Package":"p"}"#,
        "{}",
        "{",
        "null",
        "{\"Action\":\"pass\"}",
    ] {
        assert!(read_text(none).tests.is_empty(), "{none}");
    }
}

#[test]
fn builds_that_no_package_tells_of_are_problems_each_once_however_many_there_are() {
    let many = 50_000;
    let mut text = String::new();
    for n in 0..many {
        for path in [
            format!("p{n}"),
            format!("p{n} [p{n}.test]"),
            format!("p{n}"),
        ] {
            let line = format!("{{\"Action\":\"build-fail\",\"ImportPath\":\"{path}\"}}\n");
            text.push_str(&line);
        }
    }
    let draft = read_text(&text);
    assert_eq!(draft.problems.len(), many);
    assert!(draft.problems.iter().all(|p| p.kind == "build"));
    assert_eq!(draft.reasons, ["build-failed"].into());
}
