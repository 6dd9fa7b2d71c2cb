//! `go test -json`, rewritten.

use git_evolve::record::Validity;
use serde_json::Value;

use super::given::{Sample, one, same, samples, turned, utf_16};

/// The lines of a stream, events changed by `change`.
fn events(sample: &Sample, change: impl Fn(&Value) -> String) -> String {
    let lines = sample
        .text
        .lines()
        .map(|line| match serde_json::from_str::<Value>(line) {
            Ok(event) if event.is_object() => change(&event),
            _ => line.to_owned(),
        });
    lines.collect::<Vec<_>>().join("\n")
}

fn all() -> Vec<Sample> {
    let all = samples("go-test-json");
    assert!(all.len() >= 10, "{}", all.len());
    all
}

#[test]
fn fields_may_stand_in_any_order_with_others_and_numbers_be_texts() {
    for sample in all() {
        same(&sample, sample.text.as_bytes(), "as it is");
        same(
            &sample,
            events(&sample, |e| turned(e, false)).as_bytes(),
            "turned",
        );
        same(
            &sample,
            events(&sample, |e| turned(e, true)).as_bytes(),
            "texts",
        );
    }
}

#[test]
fn line_ends_blank_lines_and_encodings_mean_nothing() {
    for sample in all() {
        let lines = sample.text.replace('\n', "\r\n\r\n  ");
        same(&sample, lines.as_bytes(), "CRLF");
        same(
            &sample,
            format!("\u{feff}{}", sample.text).as_bytes(),
            "mark",
        );
        same(&sample, &utf_16(&sample.text), "UTF-16");
        let pretty = events(&sample, |e| serde_json::to_string_pretty(e).expect("JSON"));
        same(&sample, pretty.as_bytes(), "pretty");
    }
}

#[test]
fn other_lines_and_unknown_events_mean_nothing() {
    let more = "go: downloading example.com/x v1.0.0\n{\"Action\":\"fail\",\"Pack\n{}\nnull\n[1]\n\
                {\"Action\":\"artifacts\",\"Package\":\"";
    for sample in all() {
        let lines: Vec<String> = sample
            .text
            .lines()
            .map(|line| format!("{line}\n{more}"))
            .collect();
        same(
            &sample,
            format!("{}\n", lines.join("\n")).as_bytes(),
            "more lines",
        );
    }
}

#[test]
fn a_pass_may_be_told_twice() {
    for sample in all() {
        let text = events(&sample, |event| {
            let again = event["Action"] == "pass" && !event["Test"].is_null();
            if again {
                format!("{event}\n{event}")
            } else {
                event.to_string()
            }
        });
        same(&sample, text.as_bytes(), "twice");
    }
}

#[test]
fn a_stream_that_is_cut_off_is_no_verdict_or_says_all_there_is() {
    for sample in all() {
        let whole = one(sample.text.as_bytes());
        let bytes = sample.text.as_bytes();
        for end in (0..bytes.len()).step_by(bytes.len() / 97 + 1) {
            let map = one(&bytes[..end]);
            if map.validity == Validity::Valid {
                // Nothing tells that packages were to come; those that are there are complete.
                for (id, test) in &map.tests {
                    let then = &whole.tests[id];
                    assert_eq!(test.outcome, then.outcome, "{} {end} {id}", sample.name);
                }
            }
        }
    }
}
