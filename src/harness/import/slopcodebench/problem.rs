//! A problem's folder: one chain.

use std::collections::{BTreeMap, BTreeSet};

use super::super::files::{Folder, Read};
use super::super::model::{Aside, ChainFound, ContentFound, Why};
use super::checkpoint;
use super::told::{Told, moment_of, slug};
use super::{Run, WORDS, asides};

/// Checkpoints of one problem.
const CHECKPOINTS: u32 = 10_000;

/// Whether a folder is a problem's.
pub(super) fn is_one(folder: &Folder) -> bool {
    folder.file("problem.yaml").is_ok()
        || (folder.names().iter()).any(|n| number_of(n).is_some() && folder.folder(n).is_some())
}

/// N of `checkpoint_N`.
fn number_of(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("checkpoint_")?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    let number = digits.parse().ok().filter(|_| plain)?;
    (1..=CHECKPOINTS).contains(&number).then_some(number)
}

/// What is read of a problem, with its asides.
pub(super) struct Problem<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) folder: Folder,
    /// What the run calls it.
    pub(super) name: String,
    /// Checkpoint to whether it runs the tests of the earlier ones, too.
    pub(super) prior: BTreeMap<u32, bool>,
    pub(super) asides: Vec<Aside>,
}

impl Problem<'_> {
    /// Notes something.
    pub(super) fn aside(&mut self, checkpoint: Option<u32>, why: Why, what: &str, said: String) {
        self.asides.push(Aside {
            run: self.run.shown.clone(),
            task: Some(self.name.clone()),
            checkpoint,
            why,
            what: what.to_owned(),
            count: 1,
            said,
        });
    }

    /// Reads `file` of a folder as YAML; what cannot be read is noted.
    fn yaml(&mut self, folder: &Folder, file: &str, at: Option<u32>) -> Told {
        let read = match folder.read(file, WORDS) {
            Read::Bytes(bytes) => Told::of_yaml(&bytes, file),
            Read::Absent => return Told::nothing(),
            Read::Not(why) => Err(why),
        };
        read.unwrap_or_else(|why| {
            self.aside(at, Why::Unreadable, file, why);
            Told::nothing()
        })
    }
}

/// The chain of problem `name`; `None` where its name makes no task. `config` is the run's.
pub(super) fn read(run: &Run<'_>, name: &str, config: &Told) -> Option<ChainFound> {
    let folder = run.folder.folder(name)?;
    let mut problem = Problem {
        run,
        folder: folder.clone(),
        name: name.to_owned(),
        prior: BTreeMap::new(),
        asides: Vec::new(),
    };
    let told = problem.yaml(&folder, "problem.yaml", None);
    let ran = problem.yaml(&folder, "run_info.yaml", None);
    let mut numbers: BTreeSet<u32> = folder.names().iter().filter_map(|n| number_of(n)).collect();
    let mut declared = Vec::new();
    for key in told.keys(&["checkpoints"]) {
        let Some(number) = number_of(&key) else {
            let said = "no checkpoint_N: what it is the number of is not known".to_owned();
            problem.aside(None, Why::NotMapped, &key, said);
            continue;
        };
        if let Some(prior) = told.flag(&["checkpoints", &key, "include_prior_tests"]) {
            problem.prior.insert(number, prior);
        }
        declared.push(number);
    }
    let known: Vec<u32> = match declared.is_empty() {
        true => numbers.iter().copied().collect(),
        false => declared,
    };
    numbers.extend(&known);
    if told.has(&["static_assets"]) {
        let said = "the problem starts with files that the run does not hold: the base is the \
                    empty tree, and they count as the first checkpoint's where its state has them";
        problem.aside(None, Why::Remark, "static_assets", said.to_owned());
    }
    let mut checkpoints = Vec::new();
    let mut zoneless = false;
    for number in &numbers {
        let key = format!("checkpoint_{number}");
        let state = run.states.get(&(name.to_owned(), key.clone())).cloned();
        let state = state.or_else(|| ran.text(&["summary", "checkpoints", &key]));
        if !problem.prior.contains_key(number)
            && let Some(folder) = folder.folder(&key)
        {
            let own = problem.yaml(&folder, "checkpoint.yaml", Some(*number));
            let prior = own.flag(&["include_prior_tests"]);
            problem.prior.extend(prior.map(|prior| (*number, prior)));
        }
        if let Some(found) = checkpoint::read(&mut problem, *number, state.as_deref()) {
            zoneless |= found.started.is_some();
            checkpoints.push(found);
        }
    }
    if zoneless {
        let said = match run.asked.offset {
            0 => "times without a zone are taken for UTC (--utc-offset names another)".to_owned(),
            n => format!("times without a zone are taken for those of a clock {n} s ahead of UTC"),
        };
        problem.aside(None, Why::Remark, "times", said);
    }
    let task = slug(name);
    if task.is_empty() {
        problem.aside(
            None,
            Why::Refused,
            name,
            "its name makes no name of a task".to_owned(),
        );
    }
    let mut contents = Vec::new();
    for (of, file, role) in [
        (&run.folder, "config.yaml", "source"),
        (&run.folder, "environment.yaml", "config"),
        (&folder, "problem.yaml", "source"),
    ] {
        let name = file.to_owned();
        contents.extend(
            of.file(file)
                .ok()
                .map(|file| ContentFound { role, file, name }),
        );
    }
    let unmapped = asides::of_problem(&problem);
    problem.asides.extend(unmapped);
    let began = ran.text(&["summary", "started"]);
    let mut identity = run.identity.clone();
    identity.extend_from_slice(name.as_bytes());
    let model = config.text(&["model", "name"]);
    Some(ChainFound {
        run: run.shown.clone(),
        said: format!(
            "Imported from a run of SlopCodeBench: problem {name}{}. It begins with no file.",
            model.map(|m| format!(", model {m}")).unwrap_or_default()
        ),
        source_task: name.to_owned(),
        arm: run.arm.clone(),
        plan: plan(&run.asked.experiment, &task, &known),
        task,
        identity,
        began: began
            .and_then(|text| moment_of(&text, run.asked.offset))
            .or_else(|| checkpoints.first().and_then(|c| c.started)),
        agent: run.agent.clone(),
        contents,
        checkpoints,
        asides: problem.asides,
    })
}

/// What the chain is scored under: how tests are called, and which checkpoints there are.
fn plan(experiment: &str, task: &str, numbers: &[u32]) -> toml::Table {
    use toml::Value;
    let table = |pairs: Vec<(&str, Value)>| -> toml::Table {
        let pairs = pairs.into_iter();
        pairs.map(|(key, value)| (key.to_owned(), value)).collect()
    };
    let text = |text: &str| Value::String(text.to_owned());
    let checkpoints = numbers.iter().map(|n| {
        let id = text(&checkpoint::id(*n));
        Value::Table(table(vec![("id", id)]))
    });
    let checkpoints = Value::Array(checkpoints.collect());
    let pattern = text(r"^checkpoint_(?P<checkpoint>\d+)::");
    let measure = table(vec![("test_patterns", Value::Array(vec![pattern]))]);
    let task = table(vec![("name", text(task)), ("checkpoints", checkpoints)]);
    table(vec![
        (
            "experiment",
            Value::Table(table(vec![("name", text(experiment))])),
        ),
        ("measure", Value::Table(measure)),
        ("tasks", Value::Array(vec![Value::Table(task)])),
    ])
}
