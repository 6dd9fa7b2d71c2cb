//! `[[checkpoints]]` and `[[tasks.checkpoints]]`.

use super::part;
use crate::plan::problems::{Fields, Reading, What};
use crate::plan::source::{Value, suggestion};
use crate::plan::{Checkpoint, Plan};

const KEYS: [&str; 12] = [
    "answer",
    "fail_to_pass",
    "id",
    "mutates",
    "pass_to_pass",
    "prompt",
    "prompt_text",
    "reference",
    "requires",
    "scope",
    "scope_except",
    "tests",
];

/// Reads one list of checkpoints.
pub(super) fn list(
    r: &mut Reading<'_>,
    above: &Fields<'_>,
    title: &'static str,
) -> Vec<Checkpoint> {
    let mut all: Vec<Checkpoint> = Vec::new();
    for table in above.tables(r, "checkpoints") {
        let fields = r.open(table, title, &KEYS);
        let id = part(r, &fields, "id");
        if let Some(id) = &id
            && all.iter().any(|c| c.id == *id)
        {
            r.wrong(fields.at("id"), format!("a second checkpoint '{id}'"));
        }
        let said = fields.get("prompt").is_some() || fields.get("prompt_text").is_some();
        if !said {
            r.wrong_so(
                table.at,
                format!("{title} has no prompt"),
                "prompt names a file, prompt_text has the words",
            );
        }
        let prompt = fields.words(r, "prompt");
        let checkpoint = Checkpoint {
            id: id.unwrap_or_default(),
            prompt: prompt.unwrap_or_else(|| crate::plan::Text::Here(String::new())),
            requires: requires(r, &fields, &all),
            scope: fields.globs(r, "scope"),
            scope_except: fields.globs(r, "scope_except").unwrap_or_default(),
            reference: fields.path(r, "reference", What::File),
            fail_to_pass: fields.texts(r, "fail_to_pass").unwrap_or_default(),
            pass_to_pass: fields.texts(r, "pass_to_pass").unwrap_or_default(),
            answer: fields.pattern(r, "answer"),
        };
        all.push(checkpoint);
    }
    all
}

/// Ids of checkpoints before this one.
fn requires(r: &mut Reading<'_>, fields: &Fields<'_>, before: &[Checkpoint]) -> Vec<String> {
    let Some(ids) = fields.texts(r, "requires") else {
        return Vec::new();
    };
    let known: Vec<&str> = before.iter().map(|c| c.id.as_str()).collect();
    for (i, id) in ids.iter().enumerate() {
        if known.contains(&id.as_str()) {
            continue;
        }
        let at = match fields.get("requires").map(|n| &n.value) {
            Some(Value::List(all)) => all.get(i).map_or(fields.at("requires"), |n| n.at),
            _ => fields.at("requires"),
        };
        let hint = match known.is_empty() {
            true => "no checkpoint stands before this one".to_owned(),
            false => suggestion(id, &known, "those before this one"),
        };
        let message = format!("requires names no checkpoint before this one: '{id}'");
        r.wrong_so(at, message, hint);
    }
    ids
}

/// Every chain has something to do, and what names a checkpoint names one.
pub(super) fn all_asked(r: &mut Reading<'_>, top: &Fields<'_>, plan: &Plan) {
    if plan.checkpoints.is_empty() {
        if plan.tasks.is_empty() {
            if top.get("checkpoints").is_none() {
                r.wrong(0, "there are no [[checkpoints]]: nothing is asked for");
            }
        } else {
            let tables = top.tables(r, "tasks");
            for (task, table) in plan.tasks.iter().zip(tables) {
                if task.checkpoints.is_empty() {
                    let message = format!("task '{}' has no checkpoints", task.name);
                    let hint = "[[tasks.checkpoints]] are its own, [[checkpoints]] everybody's";
                    r.wrong_so(table.at, message, hint);
                }
            }
        }
    }
    let Some(probe) = top.get("probe").and_then(|n| n.as_table()) else {
        return;
    };
    let known: Vec<&str> = plan
        .tasks
        .iter()
        .flat_map(|t| &t.checkpoints)
        .chain(&plan.checkpoints)
        .map(|c| c.id.as_str())
        .collect();
    let Some(Value::List(rules)) = probe.get("rules").map(|n| &n.value) else {
        return;
    };
    for rule in rules {
        let named = rule.as_table().and_then(|t| t.get("checkpoint"));
        if let Some((node, id)) = named.and_then(|n| Some((n, n.as_text()?)))
            && !known.contains(&id)
        {
            let hint = suggestion(id, &known, "checkpoints");
            r.wrong_so(node.at, format!("there is no checkpoint '{id}'"), hint);
        }
    }
}
