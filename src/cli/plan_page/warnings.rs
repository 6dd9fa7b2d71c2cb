//! What is allowed in a plan and may not be what was meant.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::chosen::Chosen;
use super::files::each;
use super::lists::{Bases, Found, base, written};
use crate::error::Result;
use crate::harness;
use crate::plan::{
    Agent, Base, Check, Command, Gate, Isolation, Overlay, Plan, PromptRoute, SuiteRun,
    placeholder_names,
};
use crate::repo::{Oid, Reader, path_globs};

/// Fewer chains an arm give no comparison.
const CHAINS: u32 = 6;
/// A larger file is no test that an agent would read.
const TEST_MAX: u64 = 8 << 20;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Warning {
    /// Whose it is: an arm, an arm and a task, `experiment`.
    pub(super) of: String,
    /// A stable word for programs.
    pub(super) kind: &'static str,
    pub(super) words: String,
}

/// All warnings, each once.
///
/// # Errors
/// A base's tree that cannot be read.
pub(super) fn of(
    plan: &Plan,
    chosen: &Chosen<'_>,
    bases: &Bases,
    reader: &Reader,
    plan_prefix: Option<&[u8]>,
) -> Result<Vec<Warning>> {
    let mut all = Warnings::default();
    if plan.experiment.chains < CHAINS {
        let words = format!(
            "{} chains an arm are too few for a verdict: it takes {CHAINS}",
            plan.experiment.chains
        );
        all.add("experiment", "chains", words);
    }
    if plan.arms.len() > 1 && plan.arms.iter().all(|a| !a.baseline) {
        let words = "no arm is the baseline: nothing says what the others are compared with";
        all.add("experiment", "baseline", words.to_owned());
    }
    let sandboxed = harness::available() != harness::Isolation::None;
    for arm in &chosen.arms {
        for task in &chosen.tasks {
            let own = task.filter(|t| arm.of_tasks.contains_key(&t.name));
            let of = match own {
                Some(task) => format!("{}/{}", arm.name, task.name),
                None => arm.name.clone(),
            };
            let working = arm.on(task.map(|t| t.name.as_str()));
            agent(&mut all, &of, working.agent, sandboxed);
            gate(&mut all, &of, working.gate);
            let base = base(plan, arm, *task);
            let Found::Commit(commit) = bases.find(base) else {
                continue;
            };
            let tests = working.gate.acceptance.as_ref();
            if let Some(tests) = tests.filter(|s| !s.tests.is_empty()) {
                let tree = reader.commit(commit)?.tree;
                if let Some(seen) = seen(plan, tests, reader, tree, plan_prefix)? {
                    let words = format!(
                        "the agent sees acceptance tests: {seen} of base {} (hidden in \
                         [controls] takes them away)",
                        written(base)
                    );
                    all.add(&of, "tests-visible", words);
                }
            }
        }
    }
    for arm in &chosen.arms {
        for task in &chosen.tasks {
            let base = base(plan, arm, *task);
            let words = match (base, bases.find(base)) {
                (Base::Remote(address, _), Found::Elsewhere) => {
                    format!("the base is not here yet: the first run fetches it from {address}")
                }
                (_, Found::Nowhere) => {
                    format!("base {} is no commit yet: commit first", written(base))
                }
                _ => continue,
            };
            all.add(&arm.name, "base", words);
        }
    }
    Ok(all.list)
}

#[derive(Default)]
struct Warnings {
    list: Vec<Warning>,
    seen: BTreeSet<Warning>,
    /// Programs that were looked for.
    programs: BTreeMap<String, bool>,
}

impl Warnings {
    fn add(&mut self, of: &str, kind: &'static str, words: String) {
        let warning = Warning {
            of: of.to_owned(),
            kind,
            words,
        };
        if self.seen.insert(warning.clone()) {
            self.list.push(warning);
        }
    }

    fn program(&mut self, of: &str, whose: &str, command: &Command) {
        let Some(program) = program(command) else {
            return;
        };
        let here = self.programs.entry(program.clone());
        if !*here.or_insert_with(|| is_here(&program)) {
            let words = format!("{whose} program '{program}' is not on the PATH");
            self.add(of, "program", words);
        }
    }
}

fn agent(all: &mut Warnings, of: &str, agent: &Agent, sandboxed: bool) {
    all.program(of, "the agent's", &agent.command);
    match agent.isolation {
        Isolation::Required if !sandboxed => {
            let words = "no sandbox works here, and one is required: no session will run";
            all.add(of, "sandbox", words.to_owned());
        }
        Isolation::Auto if !sandboxed => {
            let words = "no sandbox works here: sessions see the whole disk, acceptance tests too";
            all.add(of, "sandbox", words.to_owned());
        }
        Isolation::None => {
            let words = "isolation is none: sessions see the whole disk, acceptance tests too";
            all.add(of, "sandbox", words.to_owned());
        }
        _ => {}
    }
    if agent.prompt == PromptRoute::File && !has(&agent.command, "prompt_file") {
        let words = "the prompt is in a file, and the command does not name {prompt_file}";
        all.add(of, "prompt", words.to_owned());
    }
    if agent.model.is_some() && !has(&agent.command, "model") {
        let words = "a model is named, and the command does not say {model}";
        all.add(of, "model", words.to_owned());
    }
    for (limit, name) in [
        (agent.limits.turns.is_some(), "max_turns"),
        (agent.limits.cost_usd.is_some(), "max_cost_usd"),
    ] {
        if limit && !has(&agent.command, name) {
            let words = format!(
                "the command does not say {{{name}}}: that limit is held against the envelope \
                 after each session"
            );
            all.add(of, "limit", words);
        }
    }
}

/// Whether a command uses a placeholder, or a line for `sh` its variable.
fn has(command: &Command, name: &str) -> bool {
    match command {
        Command::Words(words) => words
            .iter()
            .any(|w| placeholder_names(w).any(|(_, n)| n == name)),
        Command::Shell(line) => line.contains(&format!("EVOLVE_{}", name.to_uppercase())),
    }
}

fn gate(all: &mut Warnings, of: &str, gate: &Gate) {
    if gate.visible.is_none() && gate.acceptance.is_none() && gate.checks.is_empty() {
        let words = "there is no gate: whether a checkpoint is done will be unknown";
        all.add(of, "gate", words.to_owned());
    }
    let suites = [("visible", &gate.visible), ("acceptance", &gate.acceptance)];
    for (name, run) in suites {
        let Some(run) = run else { continue };
        all.program(of, &format!("the {name} suite's"), &run.command);
        if run.reports.is_empty() {
            let words = format!("the {name} suite has no reports: no test of it will be known");
            all.add(of, "reports", words);
        }
    }
    for check in &gate.checks {
        if let Check::Command { command, .. } = check {
            all.program(of, "a check's", command);
        }
    }
}

/// The program that a command starts, where it can be told and must be on the PATH.
fn program(command: &Command) -> Option<String> {
    const BUILT_IN: [&str; 27] = [
        ".", ":", "[", "alias", "case", "cd", "command", "echo", "eval", "exec", "exit", "export",
        "false", "for", "if", "printf", "read", "set", "shift", "test", "time", "trap", "true",
        "umask", "unset", "until", "while",
    ];
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+/".contains(c);
    let word = match command {
        Command::Words(words) => words.first()?.as_str(),
        Command::Shell(line) => line.split_whitespace().next()?,
    };
    let built_in = matches!(command, Command::Shell(_)) && BUILT_IN.contains(&word);
    let relative = word.contains('/') && !word.starts_with('/');
    (word.chars().all(plain) && !built_in && !relative).then(|| word.to_owned())
}

fn is_here(program: &str) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let runs = |path: PathBuf| {
        path.metadata()
            .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    match program.starts_with('/') {
        true => runs(PathBuf::from(program)),
        false => std::env::var_os("PATH").is_some_and(|path| {
            std::env::split_paths(&path).any(|folder| runs(folder.join(program)))
        }),
    }
}

/// A file of the base that is one of the acceptance tests, by its path or its content; the
/// plan's own files are taken out of a base.
fn seen(
    plan: &Plan,
    suite: &SuiteRun,
    reader: &Reader,
    tree: Oid,
    plan_prefix: Option<&[u8]>,
) -> Result<Option<String>> {
    let hidden = path_globs("hidden", &plan.controls.hidden)?;
    let mut paths = BTreeSet::new();
    let mut contents = BTreeSet::new();
    for overlay in &suite.tests {
        let from = plan.folder.join(&overlay.from);
        let mut failed = None;
        each(&from, &mut |file, bytes| {
            paths.insert(at(overlay, &from, file));
            if (1..=TEST_MAX).contains(&bytes)
                && let Ok(content) = std::fs::read(file)
            {
                match reader.blob_id(&content) {
                    Ok(id) => {
                        contents.insert(id);
                    }
                    Err(e) => failed = Some(e),
                }
            }
        });
        if let Some(e) = failed {
            return Err(e);
        }
    }
    let own: Vec<Vec<u8>> = match plan_prefix {
        Some(prefix) => suite
            .tests
            .iter()
            .map(|o| {
                let from = o.from.as_os_str().as_encoded_bytes();
                [prefix, from]
                    .into_iter()
                    .filter(|p| !p.is_empty())
                    .collect::<Vec<_>>()
                    .join(&b'/')
            })
            .collect(),
        None => Vec::new(),
    };
    let is_own = |path: &[u8]| {
        own.iter().any(|o| {
            path.strip_prefix(o.as_slice())
                .is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        })
    };
    let mut found: Vec<String> = Vec::new();
    for (path, entry) in reader.files(tree)? {
        let text = String::from_utf8_lossy(&path).into_owned();
        if is_own(&path) || hidden.is_match(&text) {
            continue;
        }
        if paths.contains(&text) || contents.contains(&entry.id) {
            found.push(text);
        }
    }
    Ok(match found.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [first, rest @ ..] => Some(format!("{first} and {} more", rest.len())),
    })
}

/// Where a file of an overlay comes to stand.
fn at(overlay: &Overlay, from: &Path, file: &Path) -> String {
    let below = file.strip_prefix(from).unwrap_or(Path::new(""));
    let below = below.to_string_lossy();
    match (overlay.to.as_str(), below.as_ref()) {
        (to, "") => to.to_owned(),
        ("", below) => below.to_owned(),
        (to, below) => format!("{to}/{below}"),
    }
}
