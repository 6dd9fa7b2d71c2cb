//! The demonstration: an experiment of two arms that is run before one's eyes, by the harness
//! itself, with a replay in the agent's place.
//!
//! A plant nursery asks for ten changes to its order desk, one after the other. In arm
//! `layered` every price is made in one function, which each change opens again; in arm
//! `composed` each rule is a class of its own. Six chains an arm do the same ten changes, each
//! a little differently. What they change is fixed and part of the program; ids and times are
//! those of the run.

mod plan;
mod recorded;
mod sources;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) use recorded::{answer, script};
use sources::Source;

use crate::error::{Error, Result};
use crate::repo::{Leaf, LeafMode, NewCommit, Oid, Person, RefMove, Stamp, Writer};

/// The files of a work tree: path to content.
type Files = BTreeMap<String, String>;

/// What [`make`] made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The work tree.
    pub path: PathBuf,
    /// The experiment's name.
    pub experiment: String,
    /// The arms' names, in order.
    pub arms: Vec<String>,
    /// How many chains the plan has, over all arms.
    pub chains: usize,
    /// How many checkpoints, over all chains.
    pub checkpoints: usize,
}

/// Makes the nursery's project with its plan in `dir`, which must be empty or missing: `main`,
/// checked out. Nothing is run yet.
///
/// # Errors
/// Usage where `dir` is a file or not empty; git where it cannot be written; internal where
/// the fixtures do not fit together.
pub fn make(dir: &Path) -> Result<Made> {
    let history = plan::parse(sources::PLAN)?;
    let experiment = crate::plan::read_alone(sources::EXPERIMENT, "evolve.toml")?;
    let writer = Writer::create(dir)?;
    let main = project(&writer, &history)?;
    writer.check_out(main)?;
    let chains = history.arm.iter().map(|a| a.chains.len()).sum();
    Ok(Made {
        path: writer.path(),
        experiment: experiment.experiment.name,
        arms: history.arm.into_iter().map(|a| a.name).collect(),
        chains,
        checkpoints: chains * experiment.checkpoints.len(),
    })
}

/// Runs the plan in `dir`: `program run`, as it would be typed there, but for the user's
/// configuration and identity, which have no part in a demonstration. Its words go where ours go.
///
/// # Errors
/// Git where it cannot be started, a check where it does not end well.
pub fn run(dir: &Path, program: &Path) -> Result<()> {
    let at_once = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let scratch = Scratch::make(program)?;
    let mut command = Command::new(program);
    command.arg("-C").arg(dir).arg("run");
    command.args(["--jobs", &at_once.min(12).to_string()]);
    command.arg("--scratch").arg(scratch.path.join("run"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    let who = stamp(0).person;
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), &who.name);
        command.env(format!("GIT_{role}_EMAIL"), &who.email);
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("PATH", scratch.search_path()?);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status =
        status.map_err(|e| Error::git(format!("starting {}", program.display())).with_source(e))?;
    match status.success() {
        true => Ok(()),
        false => Err(Error::new(
            crate::Kind::Check,
            format!("running the demonstration: it ended with {status}"),
        )
        .with_hint(format!(
            "what was done is in {}; `git evolve run` there goes on",
            dir.display()
        ))),
    }
}

/// A folder outside the repository for the run; it goes with the value.
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// The folder, in which this very program can be found by its name.
    fn make(program: &Path) -> Result<Scratch> {
        let id = crate::record::RecordId::new();
        let path = std::env::temp_dir().join(format!("evolve-demo-run-{id}"));
        let scratch = Scratch { path };
        let bin = scratch.path.join("bin");
        let failed = |e| Error::git(format!("creating {}", bin.display())).with_source(e);
        std::fs::create_dir_all(&bin).map_err(failed)?;
        #[cfg(unix)]
        std::os::unix::fs::symlink(program, bin.join("git-evolve")).map_err(failed)?;
        Ok(scratch)
    }

    fn search_path(&self) -> Result<std::ffi::OsString> {
        let all = std::env::var_os("PATH").unwrap_or_default();
        let own = std::iter::once(self.path.join("bin"));
        std::env::join_paths(own.chain(std::env::split_paths(&all)))
            .map_err(|e| Error::git("putting the program into PATH").with_source(e))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is the system's to clear from its temporary folder.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The project's own commits on `main`; gives the last one's tree.
fn project(writer: &Writer, history: &plan::Plan) -> Result<Oid> {
    let all = all_files();
    let mut files = Files::new();
    let mut last: Option<(Oid, Oid, i64)> = None;
    for commit in &history.project {
        for path in &commit.files {
            let text = all.get(path).ok_or_else(|| {
                Error::internal(format!("making the demonstration: no file {path}"))
            })?;
            files.insert(path.clone(), text.clone());
        }
        let tree = tree(writer, &files)?;
        let by = stamp(commit.time);
        let id = writer.commit(&NewCommit {
            tree,
            parents: last.map(|(id, ..)| id).as_slice(),
            author: &by,
            committer: &by,
            message: format!("{}\n", commit.subject).as_bytes(),
        })?;
        last = Some((id, tree, commit.time));
    }
    let (id, tree, time) =
        last.ok_or_else(|| Error::internal("making the demonstration: the project has no commit"))?;
    let main = RefMove {
        name: "refs/heads/main".to_owned(),
        old: None,
        new: Some(id),
    };
    writer.move_refs(&[main], &stamp(time), "demo")?;
    Ok(tree)
}

fn tree(writer: &Writer, files: &Files) -> Result<Oid> {
    let leaves = files
        .iter()
        .map(|(path, text)| {
            let leaf = Leaf {
                mode: LeafMode::Plain,
                id: writer.blob(text.as_bytes())?,
            };
            Ok((path.as_bytes().to_vec(), leaf))
        })
        .collect::<Result<BTreeMap<_, _>>>()?;
    writer.tree(&leaves)
}

/// All files of the project, its plan, and what the plan brings.
fn all_files() -> Files {
    let below = |folder: &'static str, files: &'static [Source]| {
        let files = files.iter();
        files.map(move |(path, text)| (format!("{folder}{path}"), (*text).to_owned()))
    };
    below("", sources::PROJECT)
        .chain(below("experiment/layered/", sources::LAYERED_BASE))
        .chain(below("experiment/composed/", sources::COMPOSED_BASE))
        .chain([("evolve.toml".to_owned(), sources::EXPERIMENT.to_owned())])
        .collect()
}

fn stamp(seconds: i64) -> Stamp {
    Stamp {
        person: Person {
            name: "git-evolve demo".to_owned(),
            email: "demo@git-evolve.invalid".to_owned(),
        },
        seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::harness::replay::parse_edits;

    fn history() -> plan::Plan {
        plan::parse(sources::PLAN).expect("well formed")
    }

    fn experiment() -> crate::plan::Plan {
        crate::plan::read_alone(sources::EXPERIMENT, "evolve.toml").expect("well formed")
    }

    #[test]
    fn every_edit_of_every_chain_applies() {
        let checkpoints = experiment().checkpoints;
        for arm in history().arm {
            let base = match arm.name.as_str() {
                "layered" => sources::LAYERED_BASE,
                _ => sources::COMPOSED_BASE,
            };
            for number in 1..=arm.chains.len() {
                let mut files: Files = (sources::PROJECT.iter().chain(base))
                    .map(|(p, t)| ((*p).to_owned(), (*t).to_owned()))
                    .collect();
                let pinned: Files = (files.iter())
                    .filter(|(p, _)| experiment().controls.pinned.contains(p))
                    .map(|(p, t)| (p.clone(), t.clone()))
                    .collect();
                for (at, asked) in checkpoints.iter().enumerate() {
                    let script = script(&arm.name, number, at + 1).expect("read");
                    let script = script.expect("recorded");
                    for action in &script.actions {
                        if let Err(e) = action.apply(&mut files) {
                            panic!("{}/{number} {}: {e}", arm.name, asked.id);
                        }
                    }
                    files.extend(pinned.clone());
                }
            }
        }
    }

    #[test]
    fn every_variant_is_somebodys() {
        for arm in history().arm {
            let edits = match arm.name.as_str() {
                "layered" => sources::LAYERED_EDITS,
                _ => sources::COMPOSED_EDITS,
            };
            for (at, text) in edits.iter().enumerate() {
                let used: BTreeSet<char> = (arm.chains.iter())
                    .filter_map(|letters| letters.chars().nth(at))
                    .collect();
                let written: BTreeSet<char> =
                    parse_edits(text).expect("read").into_keys().collect();
                assert_eq!(used, written, "{} {}", arm.name, at + 1);
            }
        }
    }

    #[test]
    fn the_plan_and_the_recordings_are_of_the_same_experiment() {
        let (plan, history) = (experiment(), history());
        let arms: Vec<&str> = plan.arms.iter().map(|a| a.name.as_str()).collect();
        let recorded: Vec<&str> = history.arm.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(arms, recorded);
        for arm in &history.arm {
            assert_eq!(arm.chains.len(), plan.experiment.chains as usize);
            for letters in &arm.chains {
                assert_eq!(letters.len(), plan.checkpoints.len(), "{letters}");
            }
        }
        for path in &plan.controls.pinned {
            assert!(sources::PROJECT.iter().any(|(p, _)| p == path), "{path}");
        }
        let brought: BTreeSet<String> = history.project.into_iter().flat_map(|c| c.files).collect();
        assert_eq!(brought, all_files().into_keys().collect());
    }
}
