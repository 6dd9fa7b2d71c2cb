//! `[gate]`.

use std::time::Duration;

use super::agent::{ISOLATION, environment};
use crate::plan::placeholders::Where;
use crate::plan::problems::{Fields, Reading};
use crate::plan::source::{Node, Table, Value, suggestion};
use crate::plan::{Check, Gate, Isolation, Plan, Select, SuiteRun};
use crate::record::Suite;

const KEYS: [&str; 7] = [
    "acceptance",
    "baseline",
    "checks",
    "retries",
    "runner_files",
    "runner_files_free",
    "visible",
];

/// How long a suite or a check may take.
const TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// Reads the gate of an arm; `table` has all that the arm and the task override. None: nothing
/// is run, and nothing is known of any checkpoint.
pub(super) fn gate(r: &mut Reading<'_>, table: &Table) -> Gate {
    let fields = r.open(table, "[gate]", &KEYS);
    let visible = fields.table(r, "visible");
    let visible = visible.and_then(|t| suite(r, t, Suite::Visible));
    let acceptance = fields.table(r, "acceptance");
    let acceptance = acceptance.and_then(|t| suite(r, t, Suite::Acceptance));
    let gate = Gate {
        checks: checks(r, &fields),
        retries: fields.whole(r, "retries", 0..=100).unwrap_or(1),
        runner_files: fields.globs(r, "runner_files").unwrap_or_default(),
        runner_files_free: fields.globs(r, "runner_files_free").unwrap_or_default(),
        baseline: fields.flag(r, "baseline").unwrap_or(true),
        visible,
        acceptance,
    };
    for check in &gate.checks {
        let missing = match check {
            Check::Reports(Suite::Acceptance) if gate.acceptance.is_none() => "acceptance",
            Check::Reports(Suite::Visible) if gate.visible.is_none() => "visible",
            _ => continue,
        };
        let at = fields.at("checks");
        if fields.get(missing).is_none() {
            r.wrong(at, format!("a check of reports, and no [gate.{missing}]"));
        }
    }
    gate
}

fn suite(r: &mut Reading<'_>, table: &Table, suite: Suite) -> Option<SuiteRun> {
    let mut keys = vec![
        "before",
        "command",
        "coverage",
        "environment",
        "isolation",
        "reports",
        "select",
        "timeout",
    ];
    let title = match suite {
        Suite::Acceptance => {
            keys.push("tests");
            "[gate.acceptance]"
        }
        Suite::Visible => "[gate.visible]",
    };
    keys.sort_unstable();
    let fields = r.open(table, title, &keys);
    if fields.get("command").is_none() {
        r.wrong(table.at, format!("{title} has no command"));
    }
    let selects = [
        ("all", Select::All),
        ("up_to", Select::UpTo),
        ("own", Select::Own),
    ];
    let run = SuiteRun {
        command: fields.command(r, "command", Where::Gate)?,
        timeout: fields.time(r, "timeout").unwrap_or(TIMEOUT),
        reports: fields.globs(r, "reports").unwrap_or_default(),
        coverage: fields.globs(r, "coverage").unwrap_or_default(),
        environment: environment(r, &fields, Where::Gate),
        tests: match suite {
            Suite::Acceptance => fields.overlays(r, "tests"),
            Suite::Visible => Vec::new(),
        },
        select: fields.word(r, "select", &selects).unwrap_or(Select::All),
        before: fields.flag(r, "before").unwrap_or(false),
        isolation: fields
            .word(r, "isolation", &ISOLATION)
            .unwrap_or(Isolation::Auto),
    };
    Some(run)
}

fn checks(r: &mut Reading<'_>, gate: &Fields<'_>) -> Vec<Check> {
    let Some(node) = gate.get("checks") else {
        return Vec::new();
    };
    let Value::List(all) = &node.value else {
        r.kind(node.at, "checks", "[gate]", "a list of checks");
        return Vec::new();
    };
    all.iter().filter_map(|node| check(r, node)).collect()
}

fn check(r: &mut Reading<'_>, node: &Node) -> Option<Check> {
    const WORDS: [&str; 4] = ["acceptance", "visible", "answer", "declared"];
    match &node.value {
        Value::Text(word) => match word.as_str() {
            "acceptance" => Some(Check::Reports(Suite::Acceptance)),
            "visible" => Some(Check::Reports(Suite::Visible)),
            "answer" => Some(Check::Answer),
            "declared" => Some(Check::Declared),
            _ => {
                let hint = suggestion(word, &WORDS, "known, beside { command = … }");
                r.wrong_so(node.at, format!("unknown check '{word}'"), hint);
                None
            }
        },
        Value::Table(table) => {
            let title = "a check of [gate]";
            let fields = r.open(table, title, &["command", "exit_code", "timeout"]);
            if fields.get("command").is_none() {
                r.wrong(node.at, format!("{title} has no command"));
            }
            let exit_code = fields.read(r, "exit_code", "a number from 0 to 255", |n| {
                match n.value {
                    Value::Integer(n) if (0..=255).contains(&n) => i32::try_from(n).ok(),
                    _ => None,
                }
            });
            Some(Check::Command {
                command: fields.command(r, "command", Where::Gate)?,
                exit_code: exit_code.unwrap_or(0),
                timeout: fields.time(r, "timeout").unwrap_or(TIMEOUT),
            })
        }
        _ => {
            let wanted = "a word (acceptance, visible, answer, declared) or { command = … }";
            r.kind(node.at, "a check", "[gate]", wanted);
            None
        }
    }
}

/// Checks that need something of checkpoints of which none has it.
pub(super) fn answerable(r: &mut Reading<'_>, top: &Fields<'_>, plan: &Plan) {
    let mut all = plan
        .tasks
        .iter()
        .flat_map(|t| &t.checkpoints)
        .chain(&plan.checkpoints);
    let gates = plan.arms.iter().flat_map(|arm| {
        let of_tasks = arm.of_tasks.values().map(|t| &t.gate);
        std::iter::once(&arm.gate).chain(of_tasks)
    });
    let checks: Vec<&Check> = gates.flat_map(|g| &g.checks).collect();
    let at = top
        .get("gate")
        .and_then(Node::as_table)
        .and_then(|t| t.get("checks"));
    let at = at.map_or(top.at("arms"), |n| n.at);
    if checks.contains(&&Check::Answer) && all.clone().all(|c| c.answer.is_none()) {
        r.wrong(at, "a check of answers, and no checkpoint has an `answer`");
    }
    let declares =
        |c: &crate::plan::Checkpoint| !c.fail_to_pass.is_empty() || !c.pass_to_pass.is_empty();
    if checks.contains(&&Check::Declared) && !all.any(declares) {
        let message = "a check of declared tests, and no checkpoint has `fail_to_pass` or \
                       `pass_to_pass`";
        r.wrong(at, message);
    }
}
