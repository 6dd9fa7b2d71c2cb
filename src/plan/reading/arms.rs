//! `[[arms]]` and `[[tasks]]`, with what each overrides, and set-up commands.

use std::collections::BTreeMap;
use std::time::Duration;

use super::sessions::refactor;
use super::{agent, checkpoints, gate, part};
use crate::plan::placeholders::Where;
use crate::plan::problems::{Fields, Reading};
use crate::plan::source::{Table, Value};
use crate::plan::values::overlay;
use crate::plan::{Agent, Arm, Gate, OfTask, Refactor, Service, Setup, Spec, SpecKind, Task};

/// The arm that is no arm: the reference's own chain.
const REFERENCE: &str = "reference";

/// More pairs of an arm and a task that overrides something are no experiment.
const PAIRS: usize = 10_000;

const ARM: [&str; 15] = [
    "agent",
    "base",
    "baseline",
    "entry",
    "factors",
    "files",
    "gate",
    "name",
    "prompt_prefix",
    "prompt_prefix_text",
    "prompt_suffix",
    "prompt_suffix_text",
    "refactor",
    "setup",
    "specs",
];
const TASK: [&str; 7] = [
    "agent",
    "base",
    "checkpoints",
    "gate",
    "name",
    "refactor",
    "setup",
];

pub(super) fn arms(r: &mut Reading<'_>, top: &Fields<'_>) -> Vec<Arm> {
    let mut arms: Vec<Arm> = Vec::new();
    let tables = top.tables(r, "arms");
    if top.get("arms").is_none() {
        let message = "there are no [[arms]]: nobody works";
        r.wrong(0, message);
    }
    let overrides = ["agent", "gate", "refactor"];
    let mut tasks = top.tables(r, "tasks");
    tasks.retain(|task| overrides.iter().any(|key| task.get(key).is_some()));
    if tables.len().saturating_mul(tasks.len()) > PAIRS {
        let message = format!("more than {PAIRS} pairs of an arm and a task that overrides");
        r.wrong(top.at("tasks"), message);
        return arms;
    }
    for table in tables {
        let fields = r.open(table, "[[arms]]", &ARM);
        let name = part(r, &fields, "name").unwrap_or_default();
        if name == REFERENCE {
            let message = "an arm cannot be named 'reference': that is the reference's own chain";
            r.wrong(fields.at("name"), message);
        } else if !name.is_empty() && arms.iter().any(|a| a.name == name) {
            r.wrong(fields.at("name"), format!("a second arm '{name}'"));
        }
        let baseline = fields.flag(r, "baseline").unwrap_or(false);
        if baseline && let Some(first) = arms.iter().find(|a| a.baseline) {
            let message = format!("a second baseline: arm '{}' is one", first.name);
            r.wrong(fields.at("baseline"), message);
        }
        let who = who(r, top, &[table]);
        let mut of_tasks = BTreeMap::new();
        for task in &tasks {
            let Some(name) = task.get("name").and_then(|n| n.as_text()) else {
                continue;
            };
            // The arm is what is compared: where both say something, it is right.
            if let (Some(agent), gate, refactor) = self::who(r, top, &[task, table]) {
                let of_task = OfTask {
                    agent,
                    gate,
                    refactor,
                };
                of_tasks.insert(name.to_owned(), of_task);
            }
        }
        let arm = Some(()).and_then(|()| {
            Some(Arm {
                name,
                baseline,
                factors: factors(r, &fields),
                base: fields.base(r, "base"),
                entry: fields.text(r, "entry"),
                files: fields.overlays(r, "files"),
                specs: specs(r, &fields),
                setup: setups(r, &fields, "[[arms.setup]]"),
                prompt_prefix: fields.words(r, "prompt_prefix"),
                prompt_suffix: fields.words(r, "prompt_suffix"),
                gate: who.1,
                refactor: who.2,
                of_tasks,
                agent: who.0?,
            })
        });
        arms.extend(arm);
    }
    arms
}

/// Who works, what decides and when another turn is asked for, where `over`, each over the one
/// before, override what the plan says.
fn who(
    r: &mut Reading<'_>,
    top: &Fields<'_>,
    over: &[&Table],
) -> (Option<Agent>, Gate, Option<Refactor>) {
    let mut merged = |key: &str| -> Option<Table> {
        let mut all: Option<Table> = None;
        let tables = std::iter::once(top.table).chain(over.iter().copied());
        for node in tables.filter_map(|t| t.get(key)) {
            let Some(table) = node.as_table() else {
                r.kind(node.at, key, "", "a table");
                continue;
            };
            all = Some(match all {
                Some(below) => below.overridden(table),
                None => table.clone(),
            });
        }
        all
    };
    let (who, decides, again) = (merged("agent"), merged("gate"), merged("refactor"));
    let agent = match &who {
        Some(table) => agent::agent(r, table),
        None => {
            if top.get("agent").is_none() {
                let at = over.last().map_or(0, |t| t.at);
                r.wrong(at, "there is no [agent]: no command to run");
            }
            None
        }
    };
    let gate = gate::gate(r, &decides.unwrap_or_default());
    let refactor = again.and_then(|t| refactor(r, &t));
    (agent, gate, refactor)
}

fn factors(r: &mut Reading<'_>, fields: &Fields<'_>) -> BTreeMap<String, String> {
    fields.named(r, "factors")
}

fn specs(r: &mut Reading<'_>, arm: &Fields<'_>) -> Vec<Spec> {
    const TITLE: &str = "[[arms.specs]]";
    let mut specs = Vec::new();
    for table in arm.tables(r, "specs") {
        let fields = r.open(table, TITLE, &["file", "kind", "to"]);
        let kinds = [
            ("authoritative", SpecKind::Authoritative),
            ("informative", SpecKind::Informative),
        ];
        let kind = fields.word(r, "kind", &kinds);
        for key in ["file", "kind"] {
            if fields.get(key).is_none() {
                r.wrong(table.at, format!("{TITLE} has no {key}"));
            }
        }
        // `{ from, to }` as elsewhere, or `to` beside the file.
        let mut file = fields
            .get("file")
            .and_then(|n| overlay(r, n, "file", TITLE));
        if let Some(node) = fields.get("to") {
            let path = crate::plan::source::Node {
                at: node.at,
                value: Value::Table(Table {
                    at: node.at,
                    entries: table
                        .entries
                        .iter()
                        .filter(|e| ["file", "to"].contains(&e.key.as_str()))
                        .map(|e| {
                            let mut entry = e.clone();
                            if entry.key == "file" {
                                entry.key = "from".to_owned();
                            }
                            entry
                        })
                        .collect(),
                }),
            };
            file = overlay(r, &path, "file", TITLE);
        }
        if let (Some(file), Some(kind)) = (file, kind) {
            specs.push(Spec { file, kind });
        }
    }
    specs
}

pub(super) fn tasks(r: &mut Reading<'_>, top: &Fields<'_>) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for table in top.tables(r, "tasks") {
        let fields = r.open(table, "[[tasks]]", &TASK);
        let name = part(r, &fields, "name").unwrap_or_default();
        if !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()) {
            let message = "a task's name is not all digits: that is a chain's number";
            r.wrong(fields.at("name"), message);
        }
        if !name.is_empty() && tasks.iter().any(|t| t.name == name) {
            r.wrong(fields.at("name"), format!("a second task '{name}'"));
        }
        tasks.push(Task {
            base: fields.base(r, "base"),
            setup: setups(r, &fields, "[[tasks.setup]]"),
            checkpoints: checkpoints::list(r, &fields, "[[tasks.checkpoints]]"),
            name,
        });
    }
    tasks
}

/// Set-up commands.
pub(super) fn setups(r: &mut Reading<'_>, above: &Fields<'_>, title: &'static str) -> Vec<Setup> {
    let mut all = Vec::new();
    for table in above.tables(r, "setup") {
        let keys = ["command", "generates", "service", "timeout"];
        let fields = r.open(table, title, &keys);
        if fields.get("command").is_none() {
            r.wrong(table.at, format!("{title} has no command"));
        }
        let service = match fields.get("service").map(|n| &n.value) {
            None | Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(Service { ready: None }),
            Some(Value::Table(table)) => {
                let fields = r.open(table, "service", &["ready"]);
                Some(Service {
                    ready: fields.command(r, "ready", Where::Setup),
                })
            }
            Some(_) => {
                let wanted = "true, false or { ready = … }";
                r.kind(fields.at("service"), "service", title, wanted);
                None
            }
        };
        let generates = fields.flag(r, "generates").unwrap_or(false);
        if generates && service.is_some() {
            let message = format!("{title} is a service and generates files of the base");
            r.wrong(fields.at("generates"), message);
        }
        let timeout = fields.time(r, "timeout");
        if let Some(command) = fields.command(r, "command", Where::Setup) {
            all.push(Setup {
                command,
                timeout: timeout.unwrap_or(Duration::from_secs(10 * 60)),
                service,
                generates,
            });
        }
    }
    all
}
