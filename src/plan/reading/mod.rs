//! The reader of a whole plan.

mod agent;
mod arms;
mod checkpoints;
mod disk;
mod gate;
mod sessions;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::problems::{Fields, Reading, number};
use super::source::{Node, Table, Value, read_toml};
use super::{Base, Controls, Direction, Experiment, Hypothesis, Plan, Primary};
use crate::error::{Error, Result};
use crate::record::is_part;
use crate::repo::path_globs;

/// A larger plan is none.
pub const PLAN_MAX: u64 = 1 << 20;
/// Most keys of a table.
const KEYS: usize = 1000;
/// Most values of a list.
const VALUES: usize = 10_000;

/// The tables of a plan.
const TABLES: [&str; 15] = [
    "agent",
    "arms",
    "check",
    "checkpoints",
    "controls",
    "experiment",
    "gate",
    "hypothesis",
    "measure",
    "noop",
    "probe",
    "refactor",
    "review",
    "setup",
    "tasks",
];

/// Reads a whole plan that stands in `folder`, and looks whether the files it names are there;
/// `name` is what errors call it. `[measure]`, and what `[[checkpoints]]` say of tests, is read
/// where figures are made.
///
/// # Errors
/// Usage, with line and column of everything that is wrong.
pub fn read(text: &str, name: &str, folder: &Path) -> Result<Plan> {
    read_in(text, name, Some(folder))
}

/// The same without a look at any file: of a plan whose folder is not here. Of an overlay that
/// comes to stand in a folder of the tree it is then not known whether it is a file.
///
/// # Errors
/// As [`read`].
pub fn read_alone(text: &str, name: &str) -> Result<Plan> {
    read_in(text, name, None)
}

fn read_in(text: &str, name: &str, folder: Option<&Path>) -> Result<Plan> {
    if text.len() as u64 > PLAN_MAX {
        return Err(Error::usage(format!("{name} is larger than 1 MiB")));
    }
    let (source, table) = read_toml(text, name)?;
    if let Some(at) = too_many(&table) {
        let message = format!("more than {KEYS} keys or {VALUES} values are no plan");
        return Err(source.wrong(at, message));
    }
    let mut r = Reading::new(&source);
    let mut plan = whole(&mut r, &table, text, folder.unwrap_or(Path::new("")));
    if let (Some(plan), Some(file)) = (&mut plan, Path::new(name).file_name()) {
        plan.file = file.to_string_lossy().into_owned();
    }
    if let Some(folder) = folder {
        disk::look(&mut r, folder);
        if let Some(plan) = &mut plan {
            disk::settle(plan);
        }
    }
    r.end()?;
    plan.ok_or_else(|| Error::internal(format!("reading the plan {name}")))
}

/// Where a table or list begins that is too long: what is read of it in every arm would take
/// its square.
fn too_many(table: &Table) -> Option<usize> {
    if table.entries.len() > KEYS {
        return Some(table.at);
    }
    table.entries.iter().find_map(|e| too_many_in(&e.value))
}

fn too_many_in(node: &Node) -> Option<usize> {
    match &node.value {
        Value::Table(table) => too_many(table),
        Value::List(all) if all.len() > VALUES => Some(node.at),
        Value::List(all) => all.iter().find_map(too_many_in),
        _ => None,
    }
}

/// Every part is read, so that all that is wrong is said in one run.
fn whole(r: &mut Reading<'_>, table: &Table, text: &str, folder: &Path) -> Option<Plan> {
    let top = r.open(table, "", &TABLES);
    let experiment = experiment(r, &top);
    let hypothesis = top.table(r, "hypothesis").map(|t| hypothesis(r, t));
    let setup = arms::setups(r, &top, "[[setup]]");
    let checkpoints = checkpoints::list(r, &top, "[[checkpoints]]");
    let tasks = arms::tasks(r, &top);
    let arms = arms::arms(r, &top);
    let controls = controls_of(r, table);
    let probe = sessions::probe(r, &top);
    let noop = sessions::noop(r, &top);
    let review = sessions::review(r, &top);
    let plan = Plan {
        folder: folder.to_owned(),
        file: "evolve.toml".to_owned(),
        text: text.to_owned(),
        experiment: experiment?,
        hypothesis: hypothesis.flatten(),
        setup,
        arms,
        tasks,
        checkpoints,
        controls,
        probe,
        noop,
        review,
    };
    checkpoints::all_asked(r, &top, &plan);
    gate::answerable(r, &top, &plan);
    Some(plan)
}

fn experiment(r: &mut Reading<'_>, top: &Fields<'_>) -> Option<Experiment> {
    const TITLE: &str = "[experiment]";
    let Some(table) = top.table(r, "experiment") else {
        if top.get("experiment").is_none() {
            r.wrong(0, "there is no [experiment], which names it");
        }
        return None;
    };
    let keys = ["base", "budget_usd", "chains", "name", "seed"];
    let fields = r.open(table, TITLE, &keys);
    let name = part(r, &fields, "name");
    let seed = fields.read(r, "seed", "a whole number, not negative", |n| {
        match n.value {
            Value::Integer(n) => u64::try_from(n).ok(),
            _ => None,
        }
    });
    let chains = fields.whole(r, "chains", 1..=10_000);
    let base = fields.base(r, "base");
    let budget_usd = fields.dollars(r, "budget_usd");
    Some(Experiment {
        name: name?,
        seed: seed.unwrap_or(0),
        chains: chains.unwrap_or(6),
        base: base.unwrap_or_else(|| Base::Revision("HEAD".to_owned())),
        budget_usd,
    })
}

/// A name that becomes a part of paths. One that is not there is wrong, too.
fn part(r: &mut Reading<'_>, fields: &Fields<'_>, key: &str) -> Option<String> {
    let title = fields.title;
    let Some(node) = fields.get(key) else {
        r.wrong(fields.table.at, format!("{title} has no {key}"));
        return None;
    };
    let text = node.as_text().filter(|t| is_part(t));
    if text.is_none() {
        let wanted = "of lower-case letters, digits and '-', 63 at most";
        r.kind(node.at, key, title, wanted);
    }
    text.map(str::to_owned)
}

fn hypothesis(r: &mut Reading<'_>, table: &Table) -> Option<Hypothesis> {
    let fields = r.open(table, "[hypothesis]", &["primary", "statement"]);
    let statement = fields.text(r, "statement");
    let mut primary: Vec<Primary> = Vec::new();
    let keys = ["direction", "measure", "smallest"];
    for table in fields.tables(r, "primary") {
        let fields = r.open(table, "[[hypothesis.primary]]", &keys);
        let measure = fields.text(r, "measure");
        let directions = [
            ("lower", Direction::Lower),
            ("higher", Direction::Higher),
            ("differs", Direction::Differs),
        ];
        let direction = fields.word(r, "direction", &directions);
        for key in ["measure", "direction"] {
            if fields.get(key).is_none() {
                r.wrong(table.at, format!("[[hypothesis.primary]] has no {key}"));
            }
        }
        let smallest = fields.read(r, "smallest", "a number above 0", |n| {
            number(n).filter(|n| *n > 0.0)
        });
        let (Some(measure), Some(direction)) = (measure, direction) else {
            continue;
        };
        if primary.iter().any(|p| p.measure == measure) {
            let at = fields.at("measure");
            r.wrong(at, format!("a second primary measure '{measure}'"));
        }
        primary.push(Primary {
            measure,
            direction,
            smallest,
        });
    }
    Some(Hypothesis { statement, primary })
}

/// The `[controls]` table of a plan of which nothing else is looked at; `None` where there is
/// none, or it declares nothing.
///
/// # Errors
/// Usage with line and column for what is no TOML, an unknown key, or a value that is no list of
/// globs.
pub fn controls(text: &str, name: &str) -> Result<Option<Controls>> {
    let (source, table) = read_toml(text, name)?;
    let mut r = Reading::new(&source);
    let controls = controls_of(&mut r, &table);
    r.end()?;
    Ok((controls != Controls::default()).then_some(controls))
}

fn controls_of(r: &mut Reading<'_>, top: &Table) -> Controls {
    const TITLE: &str = "[controls]";
    let Some(node) = top.get("controls") else {
        return Controls::default();
    };
    let Some(table) = node.as_table() else {
        r.kind(node.at, "controls", "", "a table");
        return Controls::default();
    };
    let fields = r.open(table, TITLE, &["hidden", "pinned", "tests"]);
    let mut globs = |key| {
        let found = fields.read(r, key, "a glob or a list of globs", Node::as_texts);
        let found = found.unwrap_or_default();
        if let Err(e) = path_globs(key, &found) {
            r.wrong(fields.at(key), e.to_string());
        }
        found
    };
    Controls {
        pinned: globs("pinned"),
        tests: globs("tests"),
        hidden: globs("hidden"),
    }
}
