//! The plan of an experiment as plain data: what is to be run, and nothing of how it went.
//!
//! What an arm or a task overrides is resolved when the plan is read: an [`Arm`] holds the whole
//! agent, gate and refactoring it runs with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::{Agent, Gate};

/// A whole plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The folder that paths of the plan begin in: the one it stands in.
    pub folder: PathBuf,
    /// The name of its file there.
    pub file: String,
    /// The plan's text, as it was read.
    pub text: String,
    /// The experiment.
    pub experiment: Experiment,
    /// What it is to find out.
    pub hypothesis: Option<Hypothesis>,
    /// Commands before every session and gate, in order.
    pub setup: Vec<Setup>,
    /// What is compared; at least one.
    pub arms: Vec<Arm>,
    /// What is worked on; none: the one task that has no name.
    pub tasks: Vec<Task>,
    /// What is asked for, in order; tasks may have their own.
    pub checkpoints: Vec<Checkpoint>,
    /// What the experiment owns in a chain's tree.
    pub controls: Controls,
    /// Asking the agent for the rules.
    pub probe: Option<Probe>,
    /// Sessions for nothing.
    pub noop: Option<Noop>,
    /// Reviews of each change.
    pub review: Option<Review>,
}

/// `[experiment]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Its name: the first part of its chains' paths.
    pub name: String,
    /// Seed of what is random: the order in which chains are taken up.
    pub seed: u64,
    /// Chains an arm and task.
    pub chains: u32,
    /// What chains of plans without tasks stand on.
    pub base: Base,
    /// No further session is begun once all have cost this much, in US dollars.
    pub budget_usd: Option<f64>,
}

/// Where the files that a chain begins with come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// A revision of the repository the plan is run in.
    Revision(String),
    /// A folder: its files become a commit without parents.
    Folder(PathBuf),
    /// A bundle of git's, and a revision in it (else its `HEAD`).
    Bundle(PathBuf, Option<String>),
    /// A commit of another repository: address and full id.
    Remote(String, String),
}

/// `[hypothesis]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// In words.
    pub statement: Option<String>,
    /// The measures that decide, by id.
    pub primary: Vec<Primary>,
}

/// A measure that decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Primary {
    /// Its id.
    pub measure: String,
    /// What is expected of every arm against the baseline.
    pub direction: Direction,
    /// The smallest difference that would matter, in the measure's unit a checkpoint.
    pub smallest: Option<f64>,
}

/// Which way a measure is expected to differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Smaller than the baseline's.
    Lower,
    /// Greater.
    Higher,
    /// Other than the baseline's.
    Differs,
}

/// One of `[[setup]]`, `[[arms.setup]]`, `[[tasks.setup]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// What is run; placeholders are filled in.
    pub command: Command,
    /// How long it may take.
    pub timeout: Duration,
    /// Runs beside what follows until that ends: a service. It is ready when `ready` succeeds.
    pub service: Option<Service>,
    /// What its files become: left in the work tree, or part of the chain's base.
    pub generates: bool,
}

/// What is known of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// A command that ends with 0 once the service answers; `None`: at once.
    pub ready: Option<Command>,
}

/// A command of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Words: a program and its arguments. Placeholders are filled in word by word.
    Words(Vec<String>),
    /// A line for `sh -c`. Placeholders reach it as variables of the environment alone.
    Shell(String),
}

/// One of `[[arms]]`, with all that it overrides filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// Its name: the second part of its chains' paths.
    pub name: String,
    /// The arm that others are compared with.
    pub baseline: bool,
    /// What it stands for in a factorial design.
    pub factors: BTreeMap<String, String>,
    /// What its chains stand on; else the task's or experiment's base.
    pub base: Option<Base>,
    /// Pattern of its entry handler, where it has its own.
    pub entry: Option<String>,
    /// What comes into the base of this arm alone.
    pub files: Vec<Overlay>,
    /// Specifications.
    pub specs: Vec<Spec>,
    /// Commands after the experiment's.
    pub setup: Vec<Setup>,
    /// Stands before every prompt.
    pub prompt_prefix: Option<Text>,
    /// Stands behind every prompt.
    pub prompt_suffix: Option<Text>,
    /// Who works.
    pub agent: Agent,
    /// What decides whether a checkpoint is done.
    pub gate: Gate,
    /// When another turn is asked for.
    pub refactor: Option<Refactor>,
    /// By task, of those that override something: all three as they hold there. [`Arm::on`] is
    /// what to ask.
    pub of_tasks: BTreeMap<String, OfTask>,
}

/// Who works on a task in an arm, and what decides, where the task overrides something.
#[derive(Debug, Clone, PartialEq)]
pub struct OfTask {
    /// Who works.
    pub agent: Agent,
    /// What decides whether a checkpoint is done.
    pub gate: Gate,
    /// When another turn is asked for.
    pub refactor: Option<Refactor>,
}

/// Who works on a task in an arm, and what decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Working<'p> {
    /// Who works.
    pub agent: &'p Agent,
    /// What decides whether a checkpoint is done.
    pub gate: &'p Gate,
    /// When another turn is asked for.
    pub refactor: Option<&'p Refactor>,
}

impl Arm {
    /// Who works on the task of that name (`None`: the one without) in this arm, and what
    /// decides.
    pub fn on(&self, task: Option<&str>) -> Working<'_> {
        match task.and_then(|name| self.of_tasks.get(name)) {
            Some(own) => Working {
                agent: &own.agent,
                gate: &own.gate,
                refactor: own.refactor.as_ref(),
            },
            None => Working {
                agent: &self.agent,
                gate: &self.gate,
                refactor: self.refactor.as_ref(),
            },
        }
    }
}

/// Files that are laid over a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// A file or folder beside the plan.
    pub from: PathBuf,
    /// Where it comes to stand: a path in the tree, with `/`. Of a file its whole path; of a
    /// folder the one that its content stands in, empty: the top.
    pub to: String,
}

/// A specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The file, and where it comes to stand in the base.
    pub file: Overlay,
    /// What it is to the agent.
    pub kind: SpecKind,
}

/// What a specification is to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecKind {
    /// Where code and specification differ, the code is wrong.
    Authoritative,
    /// It tells what was meant.
    Informative,
}

/// Words for an agent: written in the plan, or in a file beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// In the plan.
    Here(String),
    /// In a file.
    File(PathBuf),
}

/// One of `[[tasks]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Its name: the third part of its chains' paths.
    pub name: String,
    /// What its chains stand on; else the experiment's base.
    pub base: Option<Base>,
    /// Commands after the experiment's and the arm's.
    pub setup: Vec<Setup>,
    /// Its own checkpoints; none: those of the plan.
    pub checkpoints: Vec<Checkpoint>,
}

/// One of `[[checkpoints]]` or `[[tasks.checkpoints]]`, as far as running goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Its id.
    pub id: String,
    /// What is asked for.
    pub prompt: Text,
    /// Ids of checkpoints that must have passed their gate first.
    pub requires: Vec<String>,
    /// Globs of the paths that the change is expected to touch; `None`: nothing is said.
    pub scope: Option<Vec<String>>,
    /// Globs outside `scope` that may change all the same.
    pub scope_except: Vec<String>,
    /// A patch that does it, relative to the reference of the checkpoint before.
    pub reference: Option<PathBuf>,
    /// Tests that must fail before and pass after.
    pub fail_to_pass: Vec<String>,
    /// Tests that must pass before and after.
    pub pass_to_pass: Vec<String>,
    /// A pattern that the agent's answer must match: a question about the code.
    pub answer: Option<String>,
}

/// `[controls]`: globs of what the experiment owns in a chain's tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Controls {
    /// Put back exactly as in the base: changed, deleted and added paths.
    pub pinned: Vec<String>,
    /// Changed and deleted files put back as in the base; new ones stay.
    pub tests: Vec<String>,
    /// Not in the base, and taken away where they are there again.
    pub hidden: Vec<String>,
}

/// `[probe]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// After every so many checkpoints.
    pub every: u32,
    /// What is asked.
    pub prompt: Text,
    /// What its answer is looked through for.
    pub rules: Vec<Rule>,
    /// How long it may take.
    pub time: Duration,
}

/// A rule that a probe's answer may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: String,
    /// The checkpoint that brings it, by id; `None`: the base.
    pub checkpoint: Option<String>,
    /// Patterns of which one must match, case ignored.
    pub keywords: Vec<String>,
}

/// `[noop]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Noop {
    /// Sessions an arm.
    pub sessions: u32,
    /// What is asked.
    pub prompt: Text,
    /// How long it may take.
    pub time: Duration,
}

/// `[refactor]`: another turn, where a measure of the change is over its threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct Refactor {
    /// Measure to the greatest value that asks for no turn.
    pub max: BTreeMap<String, f64>,
    /// Turns at most.
    pub turns: u32,
    /// What is asked; `{measures}` becomes what was over.
    pub prompt: Text,
}

/// `[review]`: a session that looks at each change, read only.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// What is asked.
    pub prompt: Text,
    /// The turn that gets the answer; `None`: it is only recorded.
    pub apply: Option<Text>,
    /// Reviews at most, each followed by such a turn.
    pub cycles: u32,
    /// A pattern on the answer that asks for no turn.
    pub satisfied: Option<String>,
}

impl Plan {
    /// The checkpoints of a task; of the one without a name, those of the plan.
    pub fn checkpoints_of<'p>(&'p self, task: Option<&'p Task>) -> &'p [Checkpoint] {
        match task {
            Some(task) if !task.checkpoints.is_empty() => &task.checkpoints,
            _ => &self.checkpoints,
        }
    }

    /// The task of that name; `None` names the one without.
    pub fn task(&self, name: Option<&str>) -> Option<&Task> {
        self.tasks.iter().find(|t| Some(t.name.as_str()) == name)
    }

    /// The arm of that name.
    pub fn arm(&self, name: &str) -> Option<&Arm> {
        self.arms.iter().find(|a| a.name == name)
    }
}
