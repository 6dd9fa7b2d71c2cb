//! Chains said to be this or that, against what is made of them.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::said::{Said, Sort, Thing, of_contents};
use super::*;
use crate::plan::source::read_toml;

/// A chain of `arm` on `task` (empty: the one without a name) of which `facts` are told.
fn chain(arm: &str, task: &str, plan: Option<&str>, facts: &[(&str, &str)]) -> Said {
    let mut of = BTreeMap::<Thing, BTreeSet<String>>::new();
    for (what, value) in facts {
        let thing = Thing::of(Sort::Agent, *what);
        of.entry(thing).or_default().insert((*value).to_owned());
    }
    let table = plan.map(|text| Rc::new(read_toml(text, "evolve.toml").expect("TOML").1));
    Said::told("x", arm, task, of, table)
}

fn compared(arms: Vec<Vec<Said>>) -> Vec<Difference> {
    Compared { arms }.differences()
}

const PLAN: &str = "[agent]\nmodel = 'opus'\n[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\nagent.model = 'sonnet'\n[[arms]]\nname = 'c'\n";

#[test]
fn what_is_the_same_everywhere_is_no_difference() {
    let arm = |name: &str| vec![chain(name, "", Some(PLAN), &[("git", "2.47")]); 2];
    assert_eq!(compared(vec![arm("a"), arm("b")]), Vec::new());
    assert_eq!(compared(Vec::new()), Vec::new());
}

#[test]
fn what_the_plan_sets_for_an_arm_is_declared_and_all_else_is_not() {
    let a = chain("a", "", Some(PLAN), &[("model", "opus"), ("git", "2.47")]);
    let b = chain("b", "", Some(PLAN), &[("model", "sonnet"), ("git", "2.48")]);
    let found = compared(vec![vec![a], vec![b]]);
    let told: Vec<(&str, Declared)> = found.iter().map(|d| (&*d.what, d.declared)).collect();
    assert_eq!(
        told,
        [("git", Declared::No), ("model", Declared::ByThePlan)]
    );
    assert_eq!(
        found[1].values,
        [vec!["opus".to_owned()], vec!["sonnet".to_owned()]]
    );
    assert_eq!(undeclared(&found).count(), 1);
}

#[test]
fn a_chain_unlike_the_others_of_its_arm_is_not_declared_by_anything() {
    let a = |model| chain("a", "", Some(PLAN), &[("model", model)]);
    let b = |model| chain("b", "", Some(PLAN), &[("model", model)]);
    let within = compared(vec![vec![a("opus")], vec![b("sonnet"), b("haiku")]]);
    assert_eq!(within[0].declared, Declared::No);
    assert_eq!(within[0].words(1), "haiku, sonnet");
    let alone = compared(vec![vec![b("sonnet"), b("haiku")]]);
    assert_eq!(
        alone[0].declared,
        Declared::No,
        "one arm has differences, too"
    );
}

#[test]
fn arms_that_the_plan_leaves_alike_and_that_are_not_are_not_declared() {
    let of = |arm, model| vec![chain(arm, "", Some(PLAN), &[("model", model)])];
    let meant = compared(vec![of("a", "opus"), of("b", "sonnet"), of("c", "opus")]);
    assert_eq!(meant[0].declared, Declared::ByThePlan);
    let not = compared(vec![of("a", "opus"), of("b", "sonnet"), of("c", "haiku")]);
    assert_eq!(
        not[0].declared,
        Declared::No,
        "a and c have one model in the plan"
    );
}

#[test]
fn what_no_record_tells_is_never_equal() {
    let told = chain("a", "", Some(PLAN), &[("git", "2.47")]);
    let untold = chain("a", "", Some(PLAN), &[]);
    let found = compared(vec![
        vec![told.clone()],
        vec![told, untold.clone(), untold.clone()],
    ]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].words(0), found[0].unknown[1]),
        ("2.47".to_owned(), 2)
    );
    assert_eq!(found[0].words(1), "2.47, unknown of 2 chains");
    assert_eq!(found[0].declared, Declared::No);
    let nowhere = compared(vec![vec![untold.clone()], vec![untold.clone()]]);
    assert_eq!(nowhere.len(), 1, "nobody tells of anything");
    assert_eq!(nowhere[0].what, "what the chains were made with");
    assert_eq!(
        (nowhere[0].words(0), nowhere[0].declared),
        ("unknown".to_owned(), Declared::No)
    );
    assert_eq!(compared(vec![vec![untold]]), Vec::new(), "of one chain");
}

#[test]
fn without_a_plan_nothing_can_be_declared() {
    let of = |model| vec![chain("a", "", None, &[("model", model)])];
    let found = compared(vec![of("opus"), of("sonnet")]);
    assert_eq!(found[0].declared, Declared::NoPlan);
    assert_eq!(undeclared(&found).count(), 1);
}

#[test]
fn tasks_may_differ_and_a_difference_within_one_names_it() {
    let of = |arm, task, base| chain(arm, task, Some(PLAN), &[("base", base)]);
    let alike = compared(vec![
        vec![of("a", "s", "1"), of("a", "t", "2")],
        vec![of("b", "s", "1"), of("b", "t", "2")],
    ]);
    assert_eq!(alike, Vec::new());
    let other = compared(vec![
        vec![of("a", "s", "1"), of("a", "t", "2")],
        vec![of("b", "s", "1"), of("b", "t", "3")],
    ]);
    assert_eq!(other.len(), 1);
    assert_eq!(other[0].what, "base (task t)");
    assert_eq!(
        other[0].values,
        [vec!["2".to_owned()], vec!["3".to_owned()]]
    );
    let missing = compared(vec![
        vec![of("a", "s", "1"), of("a", "t", "1")],
        vec![of("b", "s", "1")],
    ]);
    assert_eq!(missing.len(), 1);
    assert_eq!(
        (&*missing[0].what, missing[0].words(1)),
        ("tasks", "s".to_owned())
    );
}

#[test]
fn a_difference_that_is_the_same_in_every_task_is_told_once() {
    let of = |arm, task, model| chain(arm, task, Some(PLAN), &[("model", model)]);
    let found = compared(vec![
        vec![of("a", "s", "opus"), of("a", "t", "opus")],
        vec![of("b", "s", "sonnet"), of("b", "t", "sonnet")],
    ]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&*found[0].what, found[0].declared),
        ("model", Declared::ByThePlan)
    );
}

#[test]
fn rows_say_what_each_arm_has_also_where_all_have_the_same() {
    let of = |arm, git| vec![chain(arm, "", None, &[("git", git)])];
    let arms = vec![of("a", "2.47"), of("b", "2.47")];
    let rows = Compared { arms }.rows();
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&*rows[0].what, rows[0].words(1)),
        ("git", "2.47".to_owned())
    );
}

#[test]
fn of_what_an_import_was_made_from_the_conditions_count_and_not_what_came_of_them() {
    let content = |role: &str, path: &str, checkpoint: Option<&str>, digit: &str| {
        let mut value = serde_json::json!({"role": role, "path": path, "id": digit.repeat(40)});
        if let Some(checkpoint) = checkpoint {
            value["checkpoint"] = checkpoint.into();
        }
        serde_json::from_value(value).expect("content")
    };
    let of = |arm: &str, digit: &str| {
        let mut said = chain(arm, "", None, &[("git", "2.47")]);
        let contents = [
            content("source", "config.yaml", None, digit),
            content("source", "problem.yaml", None, "a"),
            content("source", "c/evaluation.json", Some("c"), digit),
            content("prompt", "c/prompt.txt", Some("c"), "b"),
        ];
        of_contents(&mut said, &BTreeSet::from(contents));
        vec![said]
    };
    let found = compared(vec![of("a", "1"), of("b", "2")]);
    let what: Vec<&str> = found.iter().map(|d| &*d.what).collect();
    assert_eq!(what, ["config.yaml"]);
}
