//! How what the arms were made with differs, and what of it the plan declares.

use serde_json::Value;

use super::run_lab::{Lab, WORKS};
use super::{err, runs};

/// Difference to whether it is declared, and what each arm has.
fn differences(lab: &Lab) -> Vec<(String, String, Value)> {
    let words = ["compare", "--metrics", "churn", "--format", "json"];
    let done = lab.repo.evolve(&words);
    let told: Value = serde_json::from_slice(&done.stdout).expect(&err(&done));
    let all = told["differences"].as_array().expect("differences").iter();
    all.map(|d| {
        let word = |key: &str| d[key].as_str().expect("a word").to_owned();
        (word("what"), word("declared"), d["values"].clone())
    })
    .collect()
}

fn names(all: &[(String, String, Value)], declared: &str) -> Vec<String> {
    let of = all.iter().filter(|(_, d, _)| d == declared);
    of.map(|(what, ..)| what.clone()).collect()
}

fn strict(lab: &Lab) -> (Option<i32>, String) {
    let words = ["compare", "--metrics", "churn", "--strict-provenance"];
    let done = lab.repo.evolve(&words);
    (done.status.code(), err(&done))
}

const ARMS: &str = "[[arms]]\nname = 'a'\nbaseline = true\n\
    [[arms]]\nname = 'b'\nfactors = { guidance = 'yes' }\nprompt_suffix_text = 'Be brief.'\n\
    agent.model = 'new'\n";

#[test]
fn what_the_plan_sets_for_an_arm_is_declared_and_a_changed_plan_is_not() {
    let lab = Lab::new(WORKS, "");
    lab.plan("chains = 1", "model = 'old'", ARMS);
    lab.ends(0, &["--until", "1"]);
    let all = differences(&lab);
    assert_eq!(names(&all, "not declared"), [""; 0], "{all:?}");
    let mut declared = names(&all, "declared");
    declared.sort();
    assert_eq!(declared, ["factor guidance", "model", "prompt suffix"]);
    let model = all
        .iter()
        .find(|(what, ..)| what == "model")
        .expect("model");
    assert_eq!(model.2, serde_json::json!({ "a": ["old"], "b": ["new"] }));
    assert_eq!(strict(&lab).0, Some(0), "{}", strict(&lab).1);
    // The second chain of each arm is run under another limit, with another prompt.
    let other = ARMS.to_owned()
        + "[[checkpoints]]\nid = 'one'\nprompt_text = 'Do one, please.'\n\
           [[checkpoints]]\nid = 'two'\nprompt_text = 'Do two.'\n";
    lab.plan(
        "chains = 2",
        "model = 'old'\nlimits = { time = '9m' }",
        &other,
    );
    lab.ends(0, &["--until", "1", "--chain", "2"]);
    let all = differences(&lab);
    let mut not = names(&all, "not declared");
    not.sort();
    assert_eq!(
        not,
        [
            "configuration",
            "limits",
            "prompt of checkpoint one",
            "prompt of checkpoint three"
        ],
        "{all:?}"
    );
    let (code, said) = strict(&lab);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("limits; ") || said.contains("; limits"),
        "{said}"
    );
    assert!(names(&all, "declared").contains(&"model".to_owned()));
}

#[test]
fn chains_without_records_are_not_taken_for_alike() {
    let repo = runs();
    let done = repo.evolve(&["compare", "--metrics", "churn", "--strict-provenance"]);
    assert_eq!(done.status.code(), Some(1), "{}", err(&done));
    assert!(
        err(&done).contains("what the chains were made with"),
        "{}",
        err(&done)
    );
}
