//! The demonstration: a finished experiment of two arms, made from fixtures in the program.
//!
//! A plant nursery asks for ten changes to its order desk, one after the other. In arm
//! `layered` every price is made in one function, which each change opens again; in arm
//! `composed` each rule is a class of its own. Six chains an arm do the same ten changes, each
//! a little differently. Everything is fixed, times and ids too: two runs give the same
//! commits on every machine.

mod plan;
mod recorded;
mod records;
mod sources;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::record::ChainPath;
use crate::repo::{Leaf, LeafMode, NewCommit, Oid, Person, RefMove, Stamp, Writer};

use super::replay::{Script, parse_edits};
use super::{Place, agent_message, base_message, reset_message};
use plan::{Chain, Plan};
pub(super) use recorded::script;
use records::{Chronicle, Notes, Told};
use sources::Source;

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
    /// How many chains, over all arms.
    pub chains: usize,
    /// How many checkpoints, over all chains.
    pub checkpoints: usize,
    /// How many commits, `main` included.
    pub commits: usize,
}

/// Makes the demonstration in `dir`, which must be empty or missing, with `main` checked out.
///
/// # Errors
/// Usage where `dir` is a file or not empty; git where it cannot be written; internal where
/// the fixtures do not fit together.
pub fn make(dir: &Path) -> Result<Made> {
    let plan = plan::parse(sources::PLAN)?;
    let arms = arms(&plan)?;
    let mut maker = Maker {
        writer: Writer::create(dir)?,
        commits: 0,
        notes: Notes::default(),
    };
    let mut moves = Vec::new();
    let main = maker.project(&plan, &mut moves)?;
    for arm in &arms {
        for (chain, path) in &arm.chains {
            maker.chain(&plan, arm, chain, path, main.id, &mut moves)?;
        }
    }
    let end = moves.iter().map(|(_, time)| *time).max().unwrap_or(0);
    let mut refs: Vec<RefMove> = moves.into_iter().map(|(name, _)| name).collect();
    let notes = std::mem::take(&mut maker.notes).write(&maker.writer, end)?;
    refs.extend(notes.into_iter().map(|(name, id)| created(name, id)));
    maker.writer.move_refs(&refs, &stamp(end), "demo")?;
    maker.writer.check_out(main.tree)?;
    Ok(Made {
        path: maker.writer.path(),
        experiment: plan.experiment.clone(),
        chains: arms.iter().map(|a| a.chains.len()).sum(),
        checkpoints: arms
            .iter()
            .map(|a| a.chains.len() * plan.checkpoint.len())
            .sum(),
        arms: arms.into_iter().map(|a| a.name).collect(),
        commits: maker.commits,
    })
}

/// An arm with its edits read.
struct Arm<'a> {
    name: String,
    base: &'static [Source],
    /// The variants of each checkpoint.
    scripts: Vec<BTreeMap<char, Script>>,
    chains: Vec<(&'a Chain, ChainPath)>,
}

impl Arm<'_> {
    /// What is done at each checkpoint by a chain with these variants.
    fn scripts_of(&self, variants: &str) -> Result<Vec<&Script>> {
        let letters: Vec<char> = variants.chars().collect();
        if letters.len() != self.scripts.len() {
            return Err(Error::internal(format!(
                "reading the plan of the demonstration: {variants} names not one variant a checkpoint"
            )));
        }
        self.scripts
            .iter()
            .zip(letters)
            .map(|(variants, letter)| {
                variants.get(&letter).ok_or_else(|| {
                    Error::internal(format!(
                        "reading the plan of the demonstration: arm {}: no variant {letter}",
                        self.name
                    ))
                })
            })
            .collect()
    }
}

fn arms(plan: &Plan) -> Result<Vec<Arm<'_>>> {
    plan.arm
        .iter()
        .map(|arm| {
            let (base, edits) = match arm.name.as_str() {
                "layered" => (sources::LAYERED_BASE, sources::LAYERED_EDITS),
                "composed" => (sources::COMPOSED_BASE, sources::COMPOSED_EDITS),
                other => {
                    return Err(Error::internal(format!(
                        "reading the plan of the demonstration: no sources for arm {other}"
                    )));
                }
            };
            let scripts = edits.iter().map(|text| parse_edits(text));
            let chains = arm.chain.iter().zip(1..).map(|(chain, number)| {
                let path = format!("{}/{}/{number}", plan.experiment, arm.name);
                let parsed = ChainPath::parse(&path).ok_or_else(|| {
                    Error::internal(format!("reading the plan of the demonstration: {path}"))
                })?;
                Ok((chain, parsed))
            });
            Ok(Arm {
                name: arm.name.clone(),
                base,
                scripts: scripts.collect::<Result<_>>()?,
                chains: chains.collect::<Result<_>>()?,
            })
        })
        .collect()
}

/// A commit and its tree.
#[derive(Clone, Copy)]
struct Point {
    id: Oid,
    tree: Oid,
}

struct Maker {
    writer: Writer,
    commits: usize,
    notes: Notes,
}

impl Maker {
    /// The project's own commits; gives the last.
    fn project(&mut self, plan: &Plan, moves: &mut Vec<(RefMove, i64)>) -> Result<Point> {
        let mut files = Files::new();
        let mut last: Option<(Point, i64)> = None;
        for commit in &plan.project {
            for path in &commit.files {
                let source = sources::PROJECT.iter().find(|(p, _)| p == path);
                let (_, text) = source.ok_or_else(|| {
                    Error::internal(format!("making the demonstration: no project file {path}"))
                })?;
                files.insert(path.clone(), (*text).to_owned());
            }
            let parent = last.map(|(point, _)| point.id);
            let message = format!("{}\n", commit.subject);
            let point = self.commit(&files, parent, commit.time, &message)?;
            last = Some((point, commit.time));
        }
        let (point, time) = last.ok_or_else(|| {
            Error::internal("making the demonstration: the project has no commit")
        })?;
        moves.push((created("refs/heads/main".to_owned(), point.id), time));
        Ok(point)
    }

    /// One chain on top of `main`.
    fn chain(
        &mut self,
        plan: &Plan,
        arm: &Arm<'_>,
        chain: &Chain,
        path: &ChainPath,
        main: Oid,
        moves: &mut Vec<(RefMove, i64)>,
    ) -> Result<()> {
        let mut files = base_files(plan, arm);
        let pinned = pinned(plan, &files);
        let mut time = chain.start;
        let message = base_message(path, &chain.begin);
        let base = self.commit(&files, Some(main), time, &message)?;
        let config = match files.get("evolve.toml") {
            Some(text) => Some(self.notes.config(&self.writer, text)?),
            None => None,
        };
        let chronicle = Chronicle {
            path,
            begin: &chain.begin,
            config: config.as_ref(),
        };
        let told = Told {
            checkpoint: 0,
            id: "base",
            at: base,
            parent: main,
            time: (time, time),
        };
        self.notes.begun(&chronicle, &told)?;
        let mut tip = base;
        let scripts = arm.scripts_of(&chain.variants)?;
        for ((script, asked), checkpoint) in scripts.iter().zip(&plan.checkpoint).zip(1..) {
            let place = Place {
                path,
                checkpoint,
                id: &asked.id,
            };
            apply(script, &mut files).map_err(|e| {
                Error::internal(format!("making chain {path}, checkpoint {checkpoint}"))
                    .with_source(e)
            })?;
            let mut told = Told {
                checkpoint,
                id: &asked.id,
                at: tip,
                parent: tip.id,
                time: (time, time + AGENT_SECONDS),
            };
            time += AGENT_SECONDS;
            let own: Vec<&str> = script.messages.iter().map(String::as_str).collect();
            let message = agent_message(place, &asked.request, &own);
            tip = self.commit(&files, Some(tip.id), time, &message)?;
            told.at = tip;
            self.notes.worked(&chronicle, &told)?;

            let before = files.clone();
            let put_back = restore(&pinned, &mut files);
            told.parent = tip.id;
            told.time = (time, time + RESET_SECONDS);
            time += RESET_SECONDS;
            tip = self.commit(&files, Some(tip.id), time, &reset_message(place, &put_back))?;
            told.at = tip;
            let blobs = self.blobs(&put_back, &before, &files)?;
            self.notes.put_back(&chronicle, &told, base.id, &blobs)?;
        }
        for kept in [
            format!("refs/heads/evolve/{path}"),
            format!("refs/evolve/chains/{path}"),
        ] {
            moves.push((created(kept, tip.id), time));
        }
        Ok(())
    }

    /// The blobs of `paths` in `before` and in `after`, which has them all.
    fn blobs<'p>(
        &self,
        paths: &[&'p str],
        before: &Files,
        after: &Files,
    ) -> Result<Vec<(&'p str, Option<Oid>, Oid)>> {
        let blob = |text: &String| self.writer.blob(text.as_bytes());
        paths
            .iter()
            .map(|path| {
                let old = before.get(*path).map(blob).transpose()?;
                let new = after.get(*path).map(blob).transpose()?.ok_or_else(|| {
                    Error::internal(format!("making the demonstration: {path} was not put back"))
                })?;
                Ok((*path, old, new))
            })
            .collect()
    }

    fn commit(
        &mut self,
        files: &Files,
        parent: Option<Oid>,
        time: i64,
        message: &str,
    ) -> Result<Point> {
        let leaves = files
            .iter()
            .map(|(path, text)| {
                let leaf = Leaf {
                    mode: LeafMode::Plain,
                    id: self.writer.blob(text.as_bytes())?,
                };
                Ok((path.as_bytes().to_vec(), leaf))
            })
            .collect::<Result<BTreeMap<_, _>>>()?;
        let tree = self.writer.tree(&leaves)?;
        let by = stamp(time);
        let id = self.writer.commit(&NewCommit {
            tree,
            parents: parent.as_slice(),
            author: &by,
            committer: &by,
            message: message.as_bytes(),
        })?;
        self.commits += 1;
        Ok(Point { id, tree })
    }
}

/// How long the demonstration's agent takes for a checkpoint.
const AGENT_SECONDS: i64 = 24 * 60;

/// How long the reset takes after it.
const RESET_SECONDS: i64 = 60;

fn stamp(seconds: i64) -> Stamp {
    Stamp {
        person: Person {
            name: "git-evolve demo".to_owned(),
            email: "demo@git-evolve.invalid".to_owned(),
        },
        seconds,
    }
}

fn created(name: String, new: Oid) -> RefMove {
    RefMove {
        name,
        old: None,
        new: Some(new),
    }
}

/// The project with the arm's files in and the hidden ones out.
fn base_files(plan: &Plan, arm: &Arm<'_>) -> Files {
    let mut files: Files = [sources::PROJECT, sources::BOTH_BASE, arm.base]
        .into_iter()
        .flatten()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    files.retain(|path, _| !plan.hidden.contains(path));
    files
}

fn apply(script: &Script, files: &mut Files) -> Result<()> {
    script.actions.iter().try_for_each(|a| a.apply(files))
}

fn pinned(plan: &Plan, base: &Files) -> Files {
    base.iter()
        .filter(|(path, _)| plan.pinned.contains(path))
        .map(|(path, text)| (path.clone(), text.clone()))
        .collect()
}

/// Puts the pinned files back; gives the paths where that changed something.
fn restore<'a>(pinned: &'a Files, files: &mut Files) -> Vec<&'a str> {
    let mut put_back = Vec::new();
    for (path, text) in pinned {
        if files.get(path) != Some(text) {
            files.insert(path.clone(), text.clone());
            put_back.push(path.as_str());
        }
    }
    put_back
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn plan() -> Plan {
        plan::parse(sources::PLAN).expect("the plan is well formed")
    }

    #[test]
    fn every_edit_of_every_chain_applies() {
        let plan = plan();
        for arm in arms(&plan).expect("arms") {
            for (chain, path) in &arm.chains {
                let mut files = base_files(&plan, &arm);
                let pinned = pinned(&plan, &files);
                let scripts = arm.scripts_of(&chain.variants).expect("variants");
                for (script, asked) in scripts.iter().zip(&plan.checkpoint) {
                    if let Err(e) = apply(script, &mut files) {
                        panic!("{path} {}: {e}", asked.id);
                    }
                    restore(&pinned, &mut files);
                }
            }
        }
    }

    #[test]
    fn every_variant_is_somebodys() {
        let plan = plan();
        for arm in arms(&plan).expect("arms") {
            for (at, variants) in arm.scripts.iter().enumerate() {
                let used: BTreeSet<char> = arm
                    .chains
                    .iter()
                    .filter_map(|(chain, _)| chain.variants.chars().nth(at))
                    .collect();
                let written: BTreeSet<char> = variants.keys().copied().collect();
                assert_eq!(used, written, "{} {}", arm.name, plan.checkpoint[at].id);
            }
        }
    }

    #[test]
    fn pinned_and_hidden_files_are_there_in_the_project() {
        let plan = plan();
        for path in plan.pinned.iter().chain(&plan.hidden) {
            assert!(sources::PROJECT.iter().any(|(p, _)| p == path), "{path}");
        }
        let brought: BTreeSet<&str> = plan
            .project
            .iter()
            .flat_map(|c| &c.files)
            .map(String::as_str)
            .collect();
        let all: BTreeSet<&str> = sources::PROJECT.iter().map(|(p, _)| *p).collect();
        assert_eq!(brought, all);
    }

    #[test]
    fn a_chain_begins_with_a_uuid_of_version_7_that_holds_its_start() {
        let plan = plan();
        let mut seen = BTreeSet::new();
        for chain in plan.arm.iter().flat_map(|a| &a.chain) {
            let parts: Vec<&str> = chain.begin.split('-').collect();
            let lengths: Vec<usize> = parts.iter().map(|p| p.len()).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{}", chain.begin);
            let millis = i64::from_str_radix(&format!("{}{}", parts[0], parts[1]), 16);
            assert_eq!(millis, Ok(chain.start * 1000), "{}", chain.begin);
            assert!(parts[2].starts_with('7'), "{}", chain.begin);
            assert!(
                parts[3].starts_with(['8', '9', 'a', 'b']),
                "{}",
                chain.begin
            );
            assert!(seen.insert(&chain.begin));
        }
    }
}
