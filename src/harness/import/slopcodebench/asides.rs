//! What a run holds and records do not: columns and files, each kind once.

use std::collections::BTreeMap;

use super::super::files::Folder;
use super::super::model::{Aside, Why};
use super::Run;
use super::problem::Problem;

/// Whether what a column of the rows says comes out of what is taken over.
pub(super) fn is_mapped(column: &str) -> bool {
    const MAPPED: [&str; 24] = [
        "cache_read",
        "cache_write",
        "checkpoint",
        "checkpoint_pass_rate",
        "core_pass_rate",
        "cost",
        "duration",
        "ended",
        "idx",
        "input",
        "is_first",
        "is_last",
        "isolated_pass_rate",
        "output",
        "pass_rate",
        "passed_tests",
        "path",
        "problem",
        "reasoning",
        "started",
        "state",
        "steps",
        "strict_pass_rate",
        "total_tests",
    ];
    const GROUPS: [&str; 4] = ["core_", "error_", "functionality_", "regression_"];
    let counted = |rest: &str| rest == "total" || rest == "passed";
    MAPPED.contains(&column)
        || GROUPS
            .iter()
            .any(|g| column.strip_prefix(g).is_some_and(counted))
}

/// Files of the run as a whole that are taken over.
const OF_RUN: [&str; 3] = [
    "checkpoint_results.jsonl",
    "config.yaml",
    "environment.yaml",
];
/// Of a problem.
const OF_PROBLEM: [&str; 2] = ["problem.yaml", "run_info.yaml"];
/// Of a checkpoint, and of the state after a skill.
const OF_CHECKPOINT: [&str; 4] = [
    "checkpoint.yaml",
    "evaluation.json",
    "inference_result.json",
    "prompt.txt",
];

/// Files that are passed over, by kind.
struct Passed {
    run: String,
    task: Option<String>,
    kinds: BTreeMap<String, u64>,
}

impl Passed {
    fn files(&mut self, folder: &Folder, prefix: &str, taken: &[&str]) {
        for name in folder.names() {
            if taken.contains(&name.as_str()) {
                continue;
            }
            match folder.file(&name) {
                Ok(_) => self.pass(format!("{prefix}{name}")),
                Err(why) if !why.is_empty() && folder.folder(&name).is_none() => {
                    self.pass(format!("{prefix}{name} ({why})"));
                }
                Err(_) => {}
            }
        }
    }

    fn pass(&mut self, kind: String) {
        *self.kinds.entry(kind).or_default() += 1;
    }

    /// What lies in a folder: its files by name, folders in it as one kind each.
    fn folder(&mut self, folder: &Folder, prefix: &str, taken: &[&str]) {
        self.files(folder, prefix, taken);
        for name in folder.names() {
            if folder.folder(&name).is_some() {
                self.pass(format!("{prefix}{name}/"));
            }
        }
    }

    fn checkpoint(&mut self, folder: &Folder, prefix: &str) {
        self.files(folder, prefix, &OF_CHECKPOINT);
        for name in folder.names() {
            let Some(inner) = folder.folder(&name) else {
                continue;
            };
            let below = format!("{prefix}{name}/");
            match name.as_str() {
                "snapshot" => {}
                "after_skill" if !prefix.contains("after_skill") => self.checkpoint(&inner, &below),
                "agent" => self.folder(&inner, &below, &["stdout.jsonl"]),
                _ => self.folder(&inner, &below, &[]),
            }
        }
    }

    fn asides(self) -> Vec<Aside> {
        let Passed { run, task, kinds } = self;
        kinds
            .into_iter()
            .map(|(what, count)| Aside {
                run: run.clone(),
                task: task.clone(),
                checkpoint: None,
                why: Why::NotMapped,
                what,
                count,
                said: "records have no place for it: not taken over".to_owned(),
            })
            .collect()
    }
}

/// Files of the run that are passed over.
pub(super) fn of_run(run: &Run<'_>) -> Vec<Aside> {
    let mut passed = Passed {
        run: run.shown.clone(),
        task: None,
        kinds: BTreeMap::new(),
    };
    passed.files(&run.folder, "", &OF_RUN);
    passed.asides()
}

/// Those of a problem.
pub(super) fn of_problem(problem: &Problem<'_>) -> Vec<Aside> {
    let mut passed = Passed {
        run: problem.run.shown.clone(),
        task: Some(problem.name.clone()),
        kinds: BTreeMap::new(),
    };
    passed.files(&problem.folder, "", &OF_PROBLEM);
    for name in problem.folder.names() {
        if let Some(inner) = problem.folder.folder(&name) {
            match name.starts_with("checkpoint_") {
                true => passed.checkpoint(&inner, "checkpoint_*/"),
                false => passed.pass(format!("{name}/")),
            }
        }
    }
    passed.asides()
}
