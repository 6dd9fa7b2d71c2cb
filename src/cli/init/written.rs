//! The text of a plan that `init` writes.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::detect::{Project, Tool};

/// A checkpoint of the plan, with its prompt file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) id: String,
    /// The prompt's file, from the plan's folder.
    pub(super) file: String,
    pub(super) prompt: String,
    pub(super) mutates: Vec<String>,
    /// What a comment says of it.
    pub(super) said: String,
}

/// The one prompt of a plan that has none yet.
pub(super) fn example() -> Vec<Asked> {
    vec![Asked {
        id: "first-change".to_owned(),
        file: "prompts/01-first-change.md".to_owned(),
        prompt: "Replace this text by your first change request, in the words a maintainer would \
                 use.\n\nSay what the program shall do, and how it shows: names of fields, of \
                 options, of messages, so that\nthe agent and your tests agree. Do not say how \
                 to build it, and nothing of the experiment.\n"
            .to_owned(),
        mutates: Vec::new(),
        said: String::new(),
    }]
}

/// A string as TOML has it.
pub(super) fn quoted(text: &str) -> String {
    if !text.contains(['\'', '\n'])
        && !text.chars().any(char::is_control)
        && text.contains(['"', '\\'])
    {
        return format!("'{text}'");
    }
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                // Control characters are below U+00A0: four digits do.
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list, over several lines where it is long.
fn list(all: &[String]) -> String {
    let quoted: Vec<String> = all.iter().map(|t| quoted(t)).collect();
    let line = quoted.join(", ");
    match line.chars().count() {
        0..=80 => format!("[{line}]"),
        _ => format!("[\n  {},\n]", quoted.join(",\n  ")),
    }
}

/// The whole plan.
pub(super) fn plan(
    experiment: &str,
    found: &[Project],
    owned: &[String],
    asked: &[Asked],
) -> String {
    let mut out = String::new();
    out.push_str(&HEAD.replace("NAME", experiment));
    setup(&mut out, found);
    gate(&mut out, found);
    let example = Example::of(found);
    controls(&mut out, owned, &example);
    out.push_str(ARMS);
    checkpoints(&mut out, asked);
    out.push_str(&FOOT.replace("PATTERN", example.pattern));
    out
}

fn setup(out: &mut String, found: &[Project]) {
    let pytest = found.iter().any(|p| p.tool == Tool::Pytest);
    let install = match pytest {
        true => "python3 -m pip install --target \\\"$EVOLVE_CACHE/python\\\" -r requirements.txt",
        false => "./scripts/fetch-dependencies.sh",
    };
    let _ = write!(
        out,
        "\n# Commands before every session and gate, in order. One that fails is never the agent's \
         failure.\n# [[setup]]\n# command = \"{install}\"\n# timeout = \"10m\"\n"
    );
}

fn gate(out: &mut String, found: &[Project]) {
    out.push_str(GATE);
    let acceptance = || ACCEPTANCE.replace("FOLDER", Example::of(found).folder);
    if found.is_empty() {
        out.push_str(NO_TOOL);
        out.push_str(&acceptance());
        return;
    }
    for remark in found.iter().filter_map(|p| p.remark) {
        let _ = writeln!(out, "# {remark}");
    }
    let _ = writeln!(out, "[gate.visible]");
    match found {
        [one] if one.folder.is_empty() => {
            let _ = writeln!(out, "command = {}", quoted(&one.line));
        }
        several => {
            // All run, whatever fails; the status is the last that was not 0.
            out.push_str("command = '''\nstatus=0\n");
            for project in several {
                let folder = match project.folder.trim_end_matches('/') {
                    "" => ".".to_owned(),
                    folder => crate::repo::shell_word(folder).to_string(),
                };
                let _ = writeln!(out, "(cd {folder} && {}) || status=$?", project.line);
            }
            out.push_str("exit $status\n'''\n");
        }
    }
    let reports: Vec<String> = found.iter().flat_map(|p| p.reports.clone()).collect();
    let _ = writeln!(out, "reports = {}", list(&reports));
    let coverage: Vec<String> = found.iter().flat_map(|p| p.coverage.clone()).collect();
    match coverage.is_empty() {
        true => out.push_str("# coverage = [\"**/coverage.xml\"]\n"),
        false => {
            let _ = writeln!(out, "coverage = {}", list(&coverage));
        }
    }
    out.push_str("timeout = \"20m\"\n");
    let environment: BTreeMap<&str, &str> =
        found.iter().flat_map(|p| p.environment.clone()).collect();
    if !environment.is_empty() {
        out.push_str("# {cache} is a folder of the chain's own that is kept between gates.\n");
        for (name, value) in environment {
            let _ = writeln!(out, "environment.{name} = {}", quoted(value));
        }
    }
    out.push_str(&acceptance());
}

/// What examples name, as the project's tool would have it.
struct Example {
    /// A folder of acceptance tests.
    folder: &'static str,
    /// A pattern of the test ids of a checkpoint.
    pattern: &'static str,
}

impl Example {
    /// Of the first tool that was found.
    fn of(found: &[Project]) -> Example {
        let (folder, pattern) = match found.first().map(|p| p.tool) {
            Some(Tool::Maven | Tool::Gradle) => {
                ("src/test/java/acceptance", r"Cp(?P<checkpoint>\d+)Tests")
            }
            Some(Tool::Pytest) => ("tests/acceptance", r"test_cp(?P<checkpoint>\d+)"),
            Some(Tool::Go) => ("acceptance", r"TestCp(?P<checkpoint>\d+)"),
            None => ("tests/acceptance", r"cp(?P<checkpoint>\d+)"),
        };
        Example { folder, pattern }
    }
}

fn controls(out: &mut String, owned: &[String], example: &Example) {
    out.push_str(CONTROLS);
    match owned {
        [] => out.push_str("# pinned = [\"/AGENTS.md\"]\n"),
        owned => {
            let _ = writeln!(out, "pinned = {}", list(owned));
        }
    }
    let folder = example.folder;
    let _ = write!(
        out,
        "# tests = [\"{folder}/\"]\n# hidden = [\"docs/experiment/\"]\n"
    );
}

fn checkpoints(out: &mut String, asked: &[Asked]) {
    out.push_str(CHECKPOINTS);
    for asked in asked {
        out.push('\n');
        if !asked.said.is_empty() {
            let _ = writeln!(out, "# {}", asked.said);
        }
        let _ = writeln!(
            out,
            "[[checkpoints]]\nid = {}\nprompt = {}",
            quoted(&asked.id),
            quoted(&asked.file)
        );
        if !asked.mutates.is_empty() {
            let _ = writeln!(out, "mutates = {}", list(&asked.mutates));
        }
    }
}

const HEAD: &str = r#"# A plan of `git evolve run`: which agents work on which change requests, and what decides
# whether a change is done. Every key is in docs/plan.md; `git evolve plan` shows what would run.

[experiment]
name = "NAME"
# Independent runs of each arm: fewer than six give no verdict.
chains = 6
# base = "HEAD"
# No further session is begun once all have cost this much, in US dollars.
# budget_usd = 100

# What is to be found out, said before anything runs.
# [hypothesis]
# statement = "…"
# [[hypothesis.primary]]
# measure = "erosion"
# direction = "lower"
# smallest = 0.01

[agent]
# A list of words, in which {placeholders} are filled in, or a line for sh.
command = [
  "claude", "-p", "--output-format", "stream-json", "--verbose",
  "--model", "{model}", "--max-turns", "{max_turns}",
  "--permission-mode", "{permission_mode}", "--allowedTools", "{tools}",
]
version = ["claude", "--version"]
model = "opus"
permission_mode = "acceptEdits"
tools = ["Bash", "Edit", "Glob", "Grep", "Read", "Write"]
# How the prompt gets there: "stdin", "argument" ({prompt}) or "file" ({prompt_file}).
prompt = "stdin"
# Each session has a configuration folder of its own.
environment.CLAUDE_CONFIG_DIR = "{config}"
pass_environment = ["ANTHROPIC_API_KEY"]
transcripts = ["{config}/projects/**/*.jsonl"]
# "stop" ends a chain whose checkpoint failed, "continue" goes on, "repair" tries again.
on_fail = "continue"
limits.time = "30m"
limits.turns = 200
# limits.cost_usd = 5
# isolation = "required"
# Other agents:
# command = ["codex", "exec", "--json", "--model", "{model}", "--sandbox", "workspace-write", "-"]
# environment.CODEX_HOME = "{config}"
# command = ["sh", "./my-agent.sh"]
"#;

const GATE: &str = r"
# What decides whether a checkpoint is done: the experimenter's tests (acceptance) where there are
# some, else the tests as the agent left them (visible). Both run in a fresh copy of the tree.
";

const NO_TOOL: &str = r#"# [gate.visible]
# command = "make test"
# reports = ["reports/*.xml"]
"#;

const ACCEPTANCE: &str = r#"
# [gate.acceptance]
# command = "…"
# reports = ["…"]
# The agent never sees them; edits to them are put back and told.
# tests = [{ from = "acceptance", to = "FOLDER" }]
# Only the tests of checkpoints 1 to K: {checkpoints} is "1,2,…,K".
# select = "up_to"
"#;

const CONTROLS: &str = r"
# What the experiment owns: pinned files are put back after every checkpoint, changed tests too,
# hidden files are not there at all.
[controls]
";

const ARMS: &str = r#"
# What is compared. An arm can have its own base, files, prompt_prefix, agent.model and so on.
[[arms]]
name = "plain"
baseline = true

# [[arms]]
# name = "guided"
# prompt_suffix_text = "Keep functions short, and write down what you decide in docs/decisions.md."
# agent.model = "sonnet"
"#;

const CHECKPOINTS: &str = r#"
# The change requests, in order. `mutates` names earlier ones whose tests may change.
"#;

const FOOT: &str = r#"
# Which tests belong to which checkpoint, for what broke and what may:
# [measure]
# test_patterns = ['PATTERN', '\.(?P<category>core|error|functionality)']

# The fixed overhead of each arm, and what the agent knows of the rules so far:
# [noop]
# sessions = 3
# [probe]
# every = 5
# prompt_text = "List the rules that hold when an owner is created."
# [[probe.rules]]
# id = "first-rule"
# checkpoint = "first-change"
# keywords = ["telephone"]
"#;
