//! What is said of one chain: by its records, by the plan that its configuration note holds, and
//! by the settings that its figures are made under.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::Value;

use crate::cli::scored;
use crate::cli::session::Session;
use crate::error::Result;
use crate::ledger::{self, About, Chain, Told, told};
use crate::plan::source::{Table, read_toml};
use crate::plan::{self, Arm, Check, Command, Plan, Select, Setup, SuiteRun};
use crate::record::mask::sha256;
use crate::record::{ContentId, Kind, Suite};

/// What sort of property something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// The plan: what chains stand on, gates, commands.
    Plan,
    /// Its files and words, by digest.
    Content,
    /// The agent.
    Agent,
    /// Programs.
    Tools,
    /// The system, and what hides the rest of it.
    System,
    /// What figures are made under.
    Settings,
}

impl Sort {
    /// Whether records of a run tell of such properties.
    pub(super) fn is_recorded(self) -> bool {
        matches!(self, Sort::Agent | Sort::Tools | Sort::System)
    }

    /// The word in output.
    pub(super) fn word(self) -> &'static str {
        match self {
            Sort::Plan => "plan",
            Sort::Content => "content",
            Sort::Agent => "agent",
            Sort::Tools => "tools",
            Sort::System => "system",
            Sort::Settings => "settings",
        }
    }
}

/// A property of a chain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Thing {
    /// What sort of property.
    pub sort: Sort,
    /// Its name.
    pub what: String,
    /// The checkpoint it belongs to, where it is one's own.
    pub checkpoint: Option<String>,
}

impl Thing {
    /// One of whole chains.
    pub(super) fn of(sort: Sort, what: impl Into<String>) -> Thing {
        Thing {
            sort,
            what: what.into(),
            checkpoint: None,
        }
    }
}

/// What is said of one chain.
#[derive(Debug, Clone)]
pub(super) struct Said {
    /// Its experiment.
    pub experiment: String,
    /// Its arm in the plan.
    pub arm: String,
    /// Its task; empty: the one without a name.
    pub task: String,
    /// Property to its values: several where it changed while the chain ran.
    pub facts: BTreeMap<Thing, BTreeSet<String>>,
    /// The plan its checkpoints are scored under, as a table; `None`: there is none to be read.
    pub plan: Option<Rc<Table>>,
    /// Records list the files it was made with.
    lists_contents: bool,
    /// Records say how its agent was configured.
    configured: bool,
}

/// What a plan configures for an agent, where its configuration is recorded and it is not set.
const UNSET: [&str; 3] = ["limits", "model", "permission mode"];

impl Said {
    /// A chain of which `facts` are told.
    #[cfg(test)]
    pub(super) fn told(
        experiment: &str,
        arm: &str,
        task: &str,
        facts: BTreeMap<Thing, BTreeSet<String>>,
        plan: Option<Rc<Table>>,
    ) -> Said {
        Said {
            experiment: experiment.to_owned(),
            arm: arm.to_owned(),
            task: task.to_owned(),
            facts,
            plan,
            lists_contents: false,
            configured: false,
        }
    }

    /// What the chain has of `thing`; `None`: nothing tells.
    pub(super) fn of(&self, thing: &Thing) -> Option<BTreeSet<String>> {
        if let Some(values) = self.facts.get(thing) {
            return Some(values.clone());
        }
        let word = match thing.sort {
            Sort::Content if self.lists_contents => "none",
            Sort::Agent if self.configured && UNSET.contains(&thing.what.as_str()) => "not set",
            // These two are told by records alone.
            Sort::Plan if ["base commit", "configuration"].contains(&thing.what.as_str()) => {
                return None;
            }
            Sort::Plan if self.plan.is_some() => "none",
            _ => return None,
        };
        Some(BTreeSet::from([word.to_owned()]))
    }

    /// How many prompts of checkpoints it has, and a digest over all of them.
    pub(super) fn prompts(&self) -> Option<BTreeSet<String>> {
        let of_each = self
            .facts
            .iter()
            .filter(|(thing, _)| thing.what.starts_with("prompt of checkpoint "));
        let all: Vec<String> = of_each
            .map(|(thing, ids)| {
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                format!("{} {}\n", thing.what, ids.join(" "))
            })
            .collect();
        if all.is_empty() {
            return None;
        }
        let digest = short(&sha256(all.concat().as_bytes()));
        let row = format!("{}, together {digest}", all.len());
        Some(BTreeSet::from([row]))
    }

    fn say(&mut self, sort: Sort, what: impl Into<String>, value: impl Into<String>) {
        let thing = Thing::of(sort, what);
        self.facts.entry(thing).or_default().insert(value.into());
    }
}

/// Reads what is said of each chain of each arm.
///
/// # Errors
/// The repository or a configuration cannot be read.
pub(super) fn read(session: &Session<'_>, arms: &[Vec<&Chain>]) -> Result<Vec<Vec<Said>>> {
    let kinds = [Kind::Checkpoint, Kind::Envelope];
    let lines = arms.iter().flatten().flat_map(|c| &c.line);
    let commits = lines.map(|c| c.id).collect();
    let records = ledger::records_on(&session.reader, &kinds, &commits)?;
    let mut plans = Plans::default();
    let mut all = Vec::new();
    for arm in arms {
        let mut chains = Vec::new();
        for chain in arm {
            let told = told(chain, &records, &kinds);
            let mut said = of_records(chain, &told);
            if let Some(read) = plans.of(session, chain)? {
                said.plan = Some(Rc::clone(&read.table));
                if let Some(plan) = &read.plan {
                    of_plan(&mut said, plan);
                }
            }
            of_settings(&mut said, session, chain)?;
            chains.push(said);
        }
        all.push(chains);
    }
    Ok(all)
}

/// What records say.
fn of_records(chain: &Chain, told: &Told) -> Said {
    let mut said = Said {
        experiment: chain.path.experiment.clone(),
        arm: chain.path.arm.clone(),
        task: chain.path.task.clone().unwrap_or_default(),
        facts: BTreeMap::new(),
        plan: None,
        lists_contents: !told.contents.is_empty(),
        configured: false,
    };
    for telling in &told.tellings {
        said.configured |= telling.what == "agent's command";
        let sort = match telling.about {
            // Its own way below: a path says less than what the file is for.
            About::Content => continue,
            About::Agent => Sort::Agent,
            About::Tools => Sort::Tools,
            About::System => Sort::System,
        };
        let value = match telling.value.as_str() {
            "" => "none",
            value => value,
        };
        said.say(sort, telling.what.clone(), value);
    }
    for digest in &told.configurations {
        said.say(Sort::Plan, "configuration", short(digest));
    }
    for project in &told.projects {
        said.say(Sort::Plan, "base commit", short(project));
    }
    if !told.reporters.is_empty() {
        let all: Vec<&str> = told.reporters.iter().map(String::as_str).collect();
        said.say(Sort::Agent, "agent that reported", all.join(", "));
    }
    if !told.answered.is_empty() {
        let all: Vec<&str> = told.answered.iter().map(String::as_str).collect();
        said.say(Sort::Agent, "models that answered", all.join(", "));
    }
    of_contents(&mut said, &told.contents);
    said
}

/// What files it was made with: those of a checkpoint one by one, those of the whole chain by
/// what they are for. A folder stands for all that is in it.
pub(super) fn of_contents(said: &mut Said, contents: &BTreeSet<ContentId>) {
    let mut whole = BTreeMap::<&str, BTreeMap<&str, BTreeSet<&str>>>::new();
    for content in contents {
        let (role, path, id) = (
            content.role.as_str(),
            content.path.path.as_str(),
            content.id.as_str(),
        );
        match (&content.checkpoint, role) {
            // A remark in it would be a difference; the configuration is what it says.
            (_, "plan") => {}
            // What an import read of a checkpoint is what came of it, and no two chains share it.
            (Some(_), "source") => {}
            (Some(checkpoint), _) => {
                let thing = Thing {
                    sort: Sort::Content,
                    what: format!("{role} of checkpoint {checkpoint}"),
                    checkpoint: Some(checkpoint.clone()),
                };
                said.facts.entry(thing).or_default().insert(short(id));
            }
            (None, _) => {
                let paths = whole.entry(called(role)).or_default();
                paths.entry(path).or_default().insert(id);
            }
        }
    }
    for (what, paths) in whole {
        let below = |path: &str| {
            let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
            folders.into_iter().any(|f| paths.contains_key(f))
        };
        let tops = paths.iter().filter(|(path, _)| !below(path));
        // Of one that changed while the chain ran both stand there.
        let tops: Vec<(&&str, &BTreeSet<&str>)> = tops.collect();
        let most = tops.iter().map(|(_, ids)| ids.len()).max().unwrap_or(0);
        for nth in 0..most {
            let shown: Vec<String> = tops
                .iter()
                .map(|(path, ids)| {
                    let id = ids.iter().nth(nth).or(ids.last());
                    format!("{path} {}", short(id.copied().unwrap_or_default()))
                })
                .collect();
            said.say(Sort::Content, what, shown.join(", "));
        }
    }
}

/// What files of a role are called.
fn called(role: &str) -> &str {
    match role {
        "arm-file" => "arm's files",
        "config" => "agent's configuration",
        "noop-prompt" => "prompt of sessions for nothing",
        "probe-prompt" => "probe's prompt",
        "prompt-prefix" => "prompt prefix",
        "prompt-suffix" => "prompt suffix",
        "refactor-prompt" => "refactoring prompt",
        "repair-prompt" => "repair prompt",
        "review-apply" => "prompt after a review",
        "review-prompt" => "review's prompt",
        "spec" => "specifications",
        "tests" => "experimenter's tests",
        other => other,
    }
}

/// The first twelve digits of an id.
fn short(id: &str) -> String {
    id.chars().take(12).collect()
}

/// Plans that were read, by their text: most chains share one.
#[derive(Default)]
struct Plans {
    read: HashMap<String, Option<Rc<ReadPlan>>>,
}

struct ReadPlan {
    table: Rc<Table>,
    /// `None`: it is no whole plan.
    plan: Option<Plan>,
}

impl Plans {
    /// The plan of a chain: what its configuration note holds, else `evolve.toml` of its base.
    fn of(&mut self, session: &Session<'_>, chain: &Chain) -> Result<Option<Rc<ReadPlan>>> {
        let recorded = session.recorded().unwrap_or_default();
        let noted = scored::text(&session.reader, chain, &recorded);
        let text = match noted {
            Ok(Some(text)) => Some(text),
            // It is not here: what stands for it in the base has its say.
            Ok(None) | Err(_) => {
                let tree = session.reader.commit(chain.base)?.tree;
                session.plan(tree)?
            }
        };
        let Some(text) = text else { return Ok(None) };
        if let Some(known) = self.read.get(&text) {
            return Ok(known.clone());
        }
        let name = "configuration";
        let read = read_toml(&text, name).ok().map(|(_, table)| {
            Rc::new(ReadPlan {
                table: Rc::new(table),
                plan: plan::read_alone(&text, name).ok(),
            })
        });
        self.read.insert(text, read.clone());
        Ok(read)
    }
}

/// What the plan says of the chain's arm and task, beyond what records repeat.
fn of_plan(said: &mut Said, plan: &Plan) {
    let Some(arm) = plan.arm(&said.arm) else {
        return;
    };
    let task = Some(said.task.clone()).filter(|t| !t.is_empty());
    let working = arm.on(task.as_deref());
    for (name, level) in &arm.factors {
        said.say(Sort::Plan, format!("factor {name}"), level);
    }
    let suites = [
        ("visible suite", &working.gate.visible),
        ("acceptance suite", &working.gate.acceptance),
    ];
    for (what, suite) in suites {
        if let Some(suite) = suite {
            said.say(Sort::Plan, what, suite_words(suite));
        }
    }
    if !working.gate.checks.is_empty() {
        let checks: Vec<String> = working.gate.checks.iter().map(check_words).collect();
        said.say(Sort::Plan, "gate's checks", checks.join("; "));
    }
    let gated = working.gate.visible.is_some() || working.gate.acceptance.is_some();
    if gated {
        said.say(
            Sort::Plan,
            "gate's retries",
            working.gate.retries.to_string(),
        );
    }
    if let Some(refactor) = working.refactor {
        let limits = refactor.max.iter().map(|(id, n)| format!("{id} up to {n}"));
        let limits: Vec<String> = limits.collect();
        let turns = refactor.turns;
        let words = format!("{}, {turns} turns at most", limits.join(", "));
        said.say(Sort::Plan, "refactoring", words);
    }
    if let Some(review) = &plan.review {
        let words = format!("{} at most", review.cycles);
        said.say(Sort::Plan, "reviews", words);
    }
    let setups = setups(plan, arm, task.as_deref());
    if !setups.is_empty() {
        said.say(Sort::Plan, "set-up commands", setups.join("; "));
    }
}

fn setups(plan: &Plan, arm: &Arm, task: Option<&str>) -> Vec<String> {
    let of_task = plan.task(task).map_or(&[][..], |t| t.setup.as_slice());
    let all = plan.setup.iter().chain(&arm.setup).chain(of_task);
    all.map(|s: &Setup| command_words(&s.command)).collect()
}

fn command_words(command: &Command) -> String {
    match command {
        Command::Words(words) => words.join(" "),
        Command::Shell(line) => line.clone(),
    }
}

fn suite_words(suite: &SuiteRun) -> String {
    let select = match suite.select {
        Select::All => "all tests",
        Select::UpTo => "tests up to the checkpoint",
        Select::Own => "the checkpoint's own tests",
    };
    format!(
        "{}, {} s, {select}",
        command_words(&suite.command),
        suite.timeout.as_secs()
    )
}

fn check_words(check: &Check) -> String {
    match check {
        Check::Reports(Suite::Acceptance) => "acceptance".to_owned(),
        Check::Reports(Suite::Visible) => "visible".to_owned(),
        Check::Answer => "answer".to_owned(),
        Check::Declared => "declared".to_owned(),
        Check::Command {
            command,
            exit_code,
            timeout,
        } => format!(
            "{} ends with {exit_code} within {} s",
            command_words(command),
            timeout.as_secs()
        ),
    }
}

/// Longer values of settings stand as their digest.
const LONG: usize = 80;

/// What the chain's figures are made under.
fn of_settings(said: &mut Said, session: &Session<'_>, chain: &Chain) -> Result<()> {
    let request = session.chain_request(chain, &[])?;
    for (key, value) in &request.values {
        let shown = match value {
            Value::Null => "not set".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let shown = match (key.as_str(), value.get("sha256").and_then(Value::as_str)) {
            ("prices", Some(digest)) => {
                let word = |key: &str| value.get(key).and_then(Value::as_str);
                let words = ["source", "version", "date"].into_iter().filter_map(word);
                let words: Vec<&str> = words.collect();
                format!("{} {}", words.join(" "), short(digest))
                    .trim()
                    .to_owned()
            }
            _ if shown.chars().count() > LONG => short(&sha256(shown.as_bytes())),
            _ => shown,
        };
        let what = match key.as_str() {
            "prices" => key.clone(),
            key => format!("setting {key}"),
        };
        said.say(Sort::Settings, what, shown);
    }
    Ok(())
}
