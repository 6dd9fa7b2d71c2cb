//! `[probe]`, `[noop]`, `[refactor]`, `[review]`: sessions beside the work.

use std::collections::BTreeMap;
use std::time::Duration;

use super::part;
use crate::plan::placeholders;
use crate::plan::problems::{Fields, Reading, number};
use crate::plan::source::{Table, suggestion};
use crate::plan::{Noop, Probe, Refactor, Review, Rule, Text};

const TIME: Duration = Duration::from_secs(10 * 60);
/// What a session for nothing is asked where the plan says nothing.
const NOTHING: &str = "Answer with the one word OK. Read no file, change no file, run nothing.\n";

pub(super) fn probe(r: &mut Reading<'_>, top: &Fields<'_>) -> Option<Probe> {
    const TITLE: &str = "[probe]";
    let table = top.table(r, "probe")?;
    let keys = ["every", "prompt", "prompt_text", "rules", "time"];
    let fields = r.open(table, TITLE, &keys);
    let mut rules: Vec<Rule> = Vec::new();
    for table in fields.tables(r, "rules") {
        let fields = r.open(table, "[[probe.rules]]", &["checkpoint", "id", "keywords"]);
        let id = part(r, &fields, "id");
        if let Some(id) = &id
            && rules.iter().any(|rule| rule.id == *id)
        {
            r.wrong(fields.at("id"), format!("a second rule '{id}'"));
        }
        let keywords = fields.patterns(r, "keywords").unwrap_or_default();
        if keywords.is_empty() {
            r.wrong(fields.at("keywords"), "[[probe.rules]] has no keywords");
        }
        let checkpoint = fields.text(r, "checkpoint");
        if let Some(id) = id {
            rules.push(Rule {
                id,
                checkpoint,
                keywords,
            });
        }
    }
    let every = fields.whole(r, "every", 1..=10_000).unwrap_or(1);
    let time = fields.time(r, "time").unwrap_or(TIME);
    let prompt = wanted(r, &fields, "prompt");
    Some(Probe {
        every,
        prompt: prompt?,
        rules,
        time,
    })
}

pub(super) fn noop(r: &mut Reading<'_>, top: &Fields<'_>) -> Option<Noop> {
    let table = top.table(r, "noop")?;
    let keys = ["prompt", "prompt_text", "sessions", "time"];
    let fields = r.open(table, "[noop]", &keys);
    let prompt = fields.words(r, "prompt");
    Some(Noop {
        sessions: fields.whole(r, "sessions", 1..=1000).unwrap_or(1),
        prompt: prompt.unwrap_or_else(|| Text::Here(NOTHING.to_owned())),
        time: fields.time(r, "time").unwrap_or(TIME),
    })
}

/// Reads when an arm asks for another turn.
pub(super) fn refactor(r: &mut Reading<'_>, table: &Table) -> Option<Refactor> {
    let keys = ["max", "prompt", "prompt_text", "turns"];
    let fields = r.open(table, "[refactor]", &keys);
    let mut max = BTreeMap::new();
    match fields.table(r, "max") {
        Some(table) => {
            for entry in &table.entries {
                match number(&entry.value) {
                    Some(limit) => {
                        max.insert(entry.key.clone(), limit);
                    }
                    None => r.kind(entry.value.at, &entry.key, "[refactor.max]", "a number"),
                }
            }
        }
        None if fields.get("max").is_none() => {}
        None => return None,
    }
    if fields
        .get("max")
        .and_then(|n| n.as_table())
        .is_none_or(|t| t.entries.is_empty())
    {
        let message = "[refactor] has no max: no measure asks for a turn";
        r.wrong(fields.at("max"), message);
    }
    let turns = fields.whole(r, "turns", 1..=100).unwrap_or(1);
    let prompt = wanted(r, &fields, "prompt");
    if let (Some(Text::Here(text)), Some(node)) = (&prompt, fields.get("prompt_text")) {
        for (_, name) in placeholders::names(text) {
            // Other braces of a prompt are its own: code is full of them.
            if name != "measures" && strsim::damerau_levenshtein(name, "measures") <= 2 {
                let hint = suggestion(name, &["measures"], "placeholders");
                r.wrong_so(node.at, format!("unknown placeholder {{{name}}}"), hint);
            }
        }
    }
    Some(Refactor {
        max,
        turns,
        prompt: prompt?,
    })
}

pub(super) fn review(r: &mut Reading<'_>, top: &Fields<'_>) -> Option<Review> {
    let table = top.table(r, "review")?;
    let keys = [
        "apply",
        "apply_text",
        "cycles",
        "prompt",
        "prompt_text",
        "satisfied",
    ];
    let fields = r.open(table, "[review]", &keys);
    let prompt = wanted(r, &fields, "prompt");
    let apply = fields.words(r, "apply");
    let cycles = fields.whole(r, "cycles", 1..=100).unwrap_or(1);
    if apply.is_none() && cycles > 1 && fields.get("apply").is_none() {
        let message = "cycles in [review] is above 1, and nothing is done with an answer";
        r.wrong_so(
            fields.at("cycles"),
            message,
            "apply is asked of the turn that gets it",
        );
    }
    Some(Review {
        satisfied: fields.pattern(r, "satisfied"),
        prompt: prompt?,
        apply,
        cycles,
    })
}

/// Words that must be there.
fn wanted(r: &mut Reading<'_>, fields: &Fields<'_>, key: &str) -> Option<Text> {
    let here = format!("{key}_text");
    if fields.get(key).is_none() && fields.get(&here).is_none() {
        let title = fields.title;
        let hint = format!("{key} names a file, {here} has the words");
        r.wrong_so(fields.table.at, format!("{title} has no {key}"), hint);
    }
    fields.words(r, key)
}
