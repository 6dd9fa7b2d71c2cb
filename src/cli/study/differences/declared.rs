//! What a plan sets for an arm.

use super::said::Thing;
use crate::plan::source::{Node, Table, Value};

/// Thing to the keys of `[[arms]]` that set it, a table's key behind a dot. `x` also stands for
/// `x_text`.
const KEYS: &[(&str, &[&str])] = &[
    ("acceptance suite", &["gate.acceptance"]),
    ("agent version", &["agent.version", "agent.command"]),
    ("agent that reported", &["agent.version", "agent.command"]),
    ("agent's command", &["agent.command"]),
    ("agent's configuration", &["agent.config"]),
    ("agent's environment", &["agent.environment"]),
    ("agent's tools", &["agent.tools"]),
    ("arm's files", &["files"]),
    ("base commit", &["base"]),
    ("experimenter's tests", &["gate.acceptance.tests"]),
    ("gate's checks", &["gate.checks"]),
    ("gate's retries", &["gate.retries"]),
    ("isolation", &["agent.isolation"]),
    ("isolation asked for", &["agent.isolation"]),
    ("limits", &["agent.limits"]),
    ("model", &["agent.model", "agent.command"]),
    ("models that answered", &["agent.model", "agent.command"]),
    ("network", &["agent.network"]),
    ("permission mode", &["agent.permission_mode"]),
    ("project's history", &["agent.history"]),
    ("prompt prefix", &["prompt_prefix"]),
    ("prompt route", &["agent.prompt"]),
    ("prompt suffix", &["prompt_suffix"]),
    ("refactoring", &["refactor"]),
    ("refactoring prompt", &["refactor.prompt"]),
    ("repair prompt", &["agent.repair_prompt"]),
    ("set-up commands", &["setup"]),
    ("setting entry", &["entry"]),
    ("specifications", &["specs"]),
    ("variables handed through", &["agent.pass_environment"]),
    ("visible suite", &["gate.visible"]),
    ("what a repair is shown", &["agent.repair_shows"]),
    ("what follows a failure", &["agent.on_fail"]),
];

/// Whether `plan` sets `thing` for the arm of that name: by its own key, or as a factor.
pub(super) fn is_declared(plan: &Table, arm: &str, thing: &Thing) -> bool {
    let arms = match plan.get("arms").map(|n| &n.value) {
        Some(Value::List(arms)) => arms.as_slice(),
        _ => &[],
    };
    let named = |table: &&Table| table.get("name").and_then(Node::as_text) == Some(arm);
    let Some(arm) = arms.iter().filter_map(Node::as_table).find(named) else {
        return false;
    };
    let factors = arm.get("factors").and_then(Node::as_table);
    let factors = factors.map_or(&[][..], |t| &t.entries);
    let what = thing.what.as_str();
    let factor = |key: &str| plain(key) == plain(what) || format!("factor {key}") == what;
    let of = KEYS.iter().find(|(name, _)| *name == what);
    let keys = of.map_or(&[][..], |(_, keys)| *keys);
    factors.iter().any(|e| factor(&e.key)) || keys.iter().any(|key| sets(arm, key))
}

/// A name as it is compared: letters and digits alone.
fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

fn sets(table: &Table, key: &str) -> bool {
    match key.split_once('.') {
        None => table.get(key).is_some() || table.get(&format!("{key}_text")).is_some(),
        Some((head, rest)) => {
            let below = table.get(head).and_then(Node::as_table);
            below.is_some_and(|below| sets(below, rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::said::{Sort, Thing};
    use super::*;
    use crate::plan::source::read_toml;

    #[test]
    fn what_an_arm_sets_is_declared_and_nothing_else() {
        let text = "[agent]\nmodel = 'x'\n[[arms]]\nname = 'a'\nprompt_suffix_text = 'be brief'\n\
                    agent.limits.turns = 9\nfactors = { Agent_Version = 'new', kernel = 'old' }\n\
                    [[arms]]\nname = 'b'\nagent.model = 'y'\n";
        let (_, plan) = read_toml(text, "evolve.toml").expect("TOML");
        let is = |arm: &str, what: &str| is_declared(&plan, arm, &Thing::of(Sort::Agent, what));
        for what in [
            "prompt suffix",
            "limits",
            "agent version",
            "kernel",
            "factor kernel",
        ] {
            assert!(is("a", what), "{what}");
            assert!(!is("b", what), "{what}");
        }
        assert!(is("b", "model"));
        assert!(is("b", "models that answered"));
        assert!(!is("a", "model"), "what the experiment sets is no arm's");
        assert!(!is("c", "model"), "there is no such arm");
        assert!(!is("a", "git"));
    }
}
