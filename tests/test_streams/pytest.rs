//! pytest-json-report, rewritten, and beside the XML of the same run.

use git_evolve::record::{RunFacts, TestMap, Validity};
use serde_json::{Value, json};

use super::given::{Sample, folder, one, run, same, samples, turned, utf_16};

fn all() -> Vec<Sample> {
    let all = samples("pytest-json");
    assert!(all.len() >= 5, "{}", all.len());
    all
}

fn value(sample: &Sample) -> Value {
    serde_json::from_str(&sample.text).expect("JSON")
}

#[test]
fn fields_may_stand_in_any_order_with_others_and_numbers_be_texts() {
    for sample in all() {
        same(&sample, sample.text.as_bytes(), "as it is");
        same(&sample, turned(&value(&sample), false).as_bytes(), "turned");
        same(&sample, turned(&value(&sample), true).as_bytes(), "texts");
    }
}

#[test]
fn white_space_and_encodings_mean_nothing() {
    for sample in all() {
        let pretty = serde_json::to_string_pretty(&value(&sample)).expect("JSON");
        same(&sample, pretty.as_bytes(), "pretty");
        same(&sample, pretty.replace('\n', "\r\n\r\n").as_bytes(), "CRLF");
        same(
            &sample,
            format!("\u{feff}\n{}", sample.text).as_bytes(),
            "mark",
        );
        same(&sample, &utf_16(&sample.text), "UTF-16");
    }
}

#[test]
fn what_python_writes_beyond_json_means_nothing() {
    for sample in all() {
        let odd = "\"metadata\":{\"x\":[NaN,-Infinity,Infinity,1e999]},\"y\":\"\\ud83d \\udcff\",";
        let text = sample
            .text
            .replace("\"nodeid\":", &format!("{odd}\"nodeid\":"));
        same(&sample, text.as_bytes(), "odd values");
        let long = format!("\"stdout\":\"{}\",", "x".repeat(300_000));
        let text = sample
            .text
            .replacen("\"outcome\":", &format!("{long}\"outcome\":"), 3);
        same(&sample, text.as_bytes(), "long texts");
    }
}

#[test]
fn fields_that_can_be_left_out_may_be() {
    for sample in all() {
        let mut report = value(&sample);
        let fields = report.as_object_mut().expect("an object");
        fields.remove("environment");
        fields.remove("root");
        fields.remove("warnings");
        for test in report["tests"].as_array_mut().expect("tests") {
            let test = test.as_object_mut().expect("an object");
            test.remove("keywords");
            test.remove("lineno");
        }
        same(&sample, report.to_string().as_bytes(), "less");
    }
}

#[test]
fn a_report_that_is_cut_off_is_no_verdict() {
    for sample in all() {
        let bytes = sample.text.trim_end().as_bytes();
        for end in (0..bytes.len()).step_by(bytes.len() / 97 + 1) {
            let map = one(&bytes[..end]);
            assert_eq!(map.validity, Validity::Invalid, "{} at {end}", sample.name);
        }
    }
}

#[test]
fn values_of_other_types_are_survived() {
    let report = json!({"exitcode": [], "summary": 3, "created": "soon", "collectors": {}, "tests": [
        1, null, "x", [], {"nodeid": 3}, {"nodeid": "a.py::t", "outcome": {}, "call": "x"},
        {"nodeid": "a.py::u", "outcome": "failed", "setup": null, "call": {"outcome": 1, "duration": -1}},
    ]});
    let map = one(report.to_string().as_bytes());
    assert_eq!(map.format.as_deref(), Some("pytest-json"));
    assert!(map.tests.contains_key("a::u"), "{:?}", map.tests.keys());
    for text in [
        "{\"exitcode\":0,\"summary\":{}}",
        "{\"exitcode\":0,\"summary\":{},\"tests\":7}",
    ] {
        let map = one(text.as_bytes());
        assert!(
            map.reasons.contains("no-tests"),
            "{text}: {:?}",
            map.reasons
        );
    }
    let deep = format!("{{\"exitcode\":0,\"summary\":{}", "[".repeat(1 << 20));
    assert_eq!(one(deep.as_bytes()).validity, Validity::Invalid);
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(folder().join("pytest-two-formats").join(name)).expect("readable")
}

#[test]
fn either_report_of_a_run_gives_the_same_tests() {
    let told = |map: &TestMap| -> Vec<_> {
        let tests = map.tests.iter();
        tests
            .map(|(id, t)| (id.clone(), t.class.clone(), t.outcome, t.flaky, t.xfail))
            .collect()
    };
    let json = one(&read("report.json"));
    let xml = one(&read("report.xml"));
    assert_eq!(told(&json), told(&xml));
    assert!(json.tests.len() > 30 && json.tests.values().any(|t| t.flaky && !t.xfail));
    assert_eq!(json.counts(), xml.counts());
    // Both together are one run, whatever they are called.
    for names in [("a", "b"), ("b", "a")] {
        let files = [
            (names.0, None, &read("report.json")[..]),
            (names.1, None, &read("report.xml")[..]),
        ];
        let both = run(&files, &RunFacts::default());
        assert_eq!(both.tests, xml.tests);
        assert!(both.warnings.contains("duplicate-report-ignored"));
        let left: Vec<_> = both
            .files
            .iter()
            .filter_map(|f| f.left_out.as_deref())
            .collect();
        assert_eq!(left, [format!("tells of the same run as {}", names.1)]);
    }
    // What is cut off is told by the other one.
    let cut = &read("report.xml")[..2000];
    let whole = read("report.json");
    let files = [("a", None, cut), ("b", None, &whole[..])];
    let both = run(&files, &RunFacts::default());
    assert_eq!((both.validity, told(&both)), (Validity::Valid, told(&json)));
}
