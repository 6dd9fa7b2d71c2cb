//! One fresh export in which a command of a gate runs: its folders, its environment, the set-up
//! before it, the services beside it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::checks::{command_words, done};
use super::laying::{Found, Owned};
use super::{Gating, collected};
use crate::error::{Error, Kind, Result};
use crate::harness::agents::{Places, Variables, environment};
use crate::harness::process::{By, Ended, Input, Job, run};
use crate::harness::sandbox::{self, Isolation, Sandbox, Shown};
use crate::harness::setups::{self, Prepared};
use crate::harness::workplace::Say;
use crate::plan::{self, Command, Select};
use crate::record::{CheckRun, Suite, Tampered};
use crate::repo::Oid;

/// Bytes of output that are kept of one command, of each of its two streams.
const OUTPUT: u64 = 8 << 20;

/// A fresh export, and what runs in it. Services end with it.
pub(super) struct Room<'g> {
    gating: &'g Gating<'g>,
    /// All of it; what is kept lies beside the export.
    folder: PathBuf,
    /// The export.
    pub(super) top: PathBuf,
    places: Places,
    /// Whether the rest of the machine is to be hidden.
    wanted: plan::Isolation,
    /// Folders that commands may write in.
    writable: Vec<PathBuf>,
    /// What hides the rest of the machine.
    pub(super) isolation: Isolation,
    /// Set-up commands that ran, and services.
    pub(super) prepared: Prepared,
}

/// How a command came to its end.
pub(super) enum Came {
    /// It ran.
    Ran(Ended),
    /// It could not be started; says why.
    NotStarted(String),
}

impl Came {
    /// What ended it, as records have it.
    pub(super) fn ended_by(&self) -> &'static str {
        match self {
            Came::Ran(ended) => ended.by.word(),
            Came::NotStarted(_) => "not-started",
        }
    }

    /// Its exit status; of one that a signal ended 128 and its number, as a shell tells it.
    pub(super) fn exit_code(&self) -> Option<i64> {
        match self {
            Came::Ran(ended) => {
                let code = ended.exit_code.or(ended.signal.map(|s| 128 + s));
                code.map(i64::from)
            }
            Came::NotStarted(_) => None,
        }
    }

    /// Whether we ended it, being asked to stop.
    pub(super) fn is_interrupted(&self) -> bool {
        matches!(self, Came::Ran(ended) if ended.by == By::Interrupt)
    }
}

impl<'g> Room<'g> {
    /// An export of `tree` in the folder `name` of the gate's scratch, with `owned`'s tests laid
    /// over it where there are any.
    ///
    /// # Errors
    /// Usage where a sandbox is required and there is none; git where the tree cannot be
    /// exported.
    pub(super) fn make(
        gating: &'g Gating<'g>,
        name: &str,
        tree: Oid,
        owned: Option<&Owned>,
        (suite, select, wanted): (Option<Suite>, Select, plan::Isolation),
    ) -> Result<Room<'g>> {
        let folder = gating.folder.join(name);
        collected::remove(&folder)?;
        let [top, home, tmp] = ["work", "home", "tmp"].map(|part| folder.join(part));
        for part in [&top, &home, &tmp] {
            fs::create_dir_all(part)
                .map_err(|e| Error::git(format!("making {}", part.display())).with_source(e))?;
        }
        gating.repo.export(tree, &top)?;
        if let Some(owned) = owned {
            owned.lay(&top)?;
        }
        let isolation = match wanted {
            plan::Isolation::None => Isolation::None,
            plan::Isolation::Auto | plan::Isolation::Required => sandbox::available(),
        };
        let places = places(gating, suite, select, &tmp);
        let mut writable = vec![top.clone(), home, tmp];
        writable.extend(places.get("cache").map(PathBuf::from));
        Ok(Room {
            gating,
            folder,
            top,
            places,
            wanted,
            writable,
            isolation,
            prepared: Prepared::default(),
        })
    }

    /// A path in the room that no command can write.
    pub(super) fn kept(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs the set-up commands of experiment, arm and task. True where all went well; what ran
    /// is in `prepared`. `None`: it was stopped.
    ///
    /// # Errors
    /// Internal where output cannot be kept.
    pub(super) fn set_up(&mut self, say: Say<'_>) -> Result<Option<bool>> {
        let gating = self.gating;
        let all = setups::all(gating.plan, gating.arm, gating.task);
        // What a set-up generated is part of the base already.
        for (of, setup) in all.into_iter().filter(|(_, s)| !s.generates) {
            let job = self.job("setup", &setup.command, &BTreeMap::new(), setup.timeout)?;
            let room = setups::Room {
                place: "gate",
                top: &self.top,
                kept: &self.folder,
                places: &self.places,
                environment: &job.environment,
                sandbox: job.sandbox,
                mark: gating.mark,
                stop: gating.stop,
            };
            self.prepared.add(&room, of, setup)?;
            if gating.stop.asked() {
                return Ok(None);
            }
            if let Some(why) = &self.prepared.failed {
                say(why);
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }

    /// Runs a command in the export; its output goes beside it under `name`.
    ///
    /// # Errors
    /// Internal where output cannot be kept.
    pub(super) fn run(
        &self,
        name: &str,
        command: &Command,
        environment: &BTreeMap<String, String>,
        time: Duration,
    ) -> Result<Came> {
        let job = self.job(name, command, environment, time)?;
        match run(&job, self.gating.stop) {
            Ok(ended) => Ok(Came::Ran(ended)),
            // A program that is not there is what the gate comes to, not a fault of the tool.
            Err(e) if e.kind() == Kind::Usage => {
                let source = std::error::Error::source(&e).map(|s| format!(": {s}"));
                Ok(Came::NotStarted(format!(
                    "{e}{}",
                    source.unwrap_or_default()
                )))
            }
            Err(e) => Err(e),
        }
    }

    fn job(
        &self,
        name: &str,
        command: &Command,
        own: &BTreeMap<String, String>,
        time: Duration,
    ) -> Result<Job> {
        let words = self.places.fill(command)?;
        let variables = Variables {
            set: own,
            passed: &[],
        };
        let environment = environment(&self.places, &self.folder.join("home"), variables)?;
        let agent = self.gating.agent();
        let sandbox = Sandbox::wanted(&Shown {
            isolation: self.wanted,
            writable: self.writable.clone(),
            readable: agent.visible.clone(),
            hidden: Vec::new(),
            network: agent.network,
            program: words.first(),
            path: environment.get(OsStr::new("PATH")),
            folder: &self.top,
        })?;
        Ok(Job {
            words,
            folder: self.top.clone(),
            environment,
            input: Input::Nothing,
            out: self.kept(&format!("{name}.out")),
            err: self.kept(&format!("{name}.err")),
            keep: OUTPUT,
            time,
            sandbox,
            // What runs beside it is no part of it: each has a mark of its own.
            mark: match self.gating.mark {
                "" => String::new(),
                mark => format!("{mark}/{name}"),
            },
        })
    }

    /// The end of what a command printed, in whole lines: its output, then its errors.
    pub(super) fn said(&self, name: &str, most: u64) -> String {
        let mut text = String::new();
        for end in ["out", "err"] {
            let file = self.kept(&format!("{name}.{end}"));
            let part = tail(&file, most).unwrap_or_default();
            text.push_str(&part);
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }

    /// Ends services, and removes the export; what is kept beside it stays.
    ///
    /// # Errors
    /// Git where the export cannot be removed.
    pub(super) fn close(mut self) -> Result<()> {
        self.prepared.end()?;
        for part in ["work", "home", "tmp"] {
            collected::remove(&self.folder.join(part))?;
        }
        Ok(())
    }
}

/// The last whole lines of a file, of at most so many bytes.
pub(super) fn tail(file: &Path, most: u64) -> std::io::Result<String> {
    use std::io::{Read, Seek, SeekFrom};
    let mut from = fs::File::open(file)?;
    let start = from.metadata()?.len().saturating_sub(most);
    from.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    from.take(most).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(match start {
        0 => text,
        _ => text
            .split_once('\n')
            .map_or(String::new(), |(_, rest)| rest.to_owned()),
    })
}

/// The placeholders of a gate.
fn places(gating: &Gating<'_>, suite: Option<Suite>, select: Select, tmp: &Path) -> Places {
    let all = gating.plan.checkpoints_of(gating.task).len();
    let all = u32::try_from(all).unwrap_or(u32::MAX);
    let numbers: Vec<u32> = match select {
        Select::All => (1..=all).collect(),
        Select::UpTo => (1..=gating.number).collect(),
        Select::Own => (gating.number..=gating.number).filter(|k| *k > 0).collect(),
    };
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let places = gating
        .places
        .clone()
        .with("tmp", tmp.to_string_lossy())
        .with("checkpoint", gating.number.to_string())
        .with(
            "checkpoint_id",
            gating.checkpoint.map_or("base", |c| c.id.as_str()),
        )
        .with("checkpoints", numbers.join(","));
    match suite {
        Some(suite) => places.with("suite", super::checks::suite_word(suite)),
        None => places,
    }
}

/// A check that is a command: in a fresh export of the tree that the experimenter's tests run on;
/// `None` where it was stopped.
///
/// # Errors
/// Git where the tree cannot be exported.
pub(super) fn check(
    gating: &Gating<'_>,
    at: usize,
    command: &Command,
    wanted: i32,
    timeout: Duration,
    say: Say<'_>,
) -> Result<Option<(CheckRun, Vec<Tampered>)>> {
    let suite = gating.gate().acceptance.as_ref();
    let owned = Owned::of(gating, suite)?;
    let reader = gating.repo.reader()?;
    let base = reader.commit(gating.base)?.tree;
    let found: Found = owned.found(&reader, base, gating.tree, true)?;
    let tree = owned.tree(gating, gating.tree, &found)?;
    let select = suite.map_or(Select::UpTo, |s| s.select);
    let isolation = suite.map_or(plan::Isolation::Auto, |s| s.isolation);
    let name = format!("check-{at}");
    let of_it = (Some(Suite::Acceptance), select, isolation);
    let mut room = Room::make(gating, &name, tree, Some(&owned), of_it)?;
    let of = command_words(command);
    let holds = match room.set_up(say)? {
        None => return Ok(None),
        Some(false) => Err((None, "a set-up command failed".to_owned())),
        Some(true) => {
            let none = BTreeMap::new();
            let environment = suite.map_or(&none, |s| &s.environment);
            let came = room.run("command", command, environment, timeout)?;
            if came.is_interrupted() {
                return Ok(None);
            }
            match (&came, came.exit_code()) {
                (Came::NotStarted(why), _) => Err((None, why.clone())),
                (Came::Ran(ended), _) if ended.by == By::Timeout => {
                    Err((Some(false), "it did not end in time".to_owned()))
                }
                (_, Some(code)) if code == i64::from(wanted) => match found.open.first() {
                    None => Ok(()),
                    Some(path) => Err((None, super::checks::forgeable(path, found.open.len()))),
                },
                (_, code) => {
                    let code = code.map_or("no status".to_owned(), |c| c.to_string());
                    let end = room.said("command", 2 << 10);
                    let last = end.lines().rev().find(|l| !l.trim().is_empty());
                    let last = last.map(|l| format!(": {}", l.trim()));
                    Err((
                        Some(false),
                        format!("it ended with {code}{}", last.unwrap_or_default()),
                    ))
                }
            }
        }
    };
    room.close()?;
    Ok(Some((done("command", of, holds), found.tampered)))
}
