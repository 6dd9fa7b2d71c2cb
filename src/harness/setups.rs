//! Set-up commands and services of a plan: before a session or a gate, beside them, and for the
//! files that a base begins with.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{Error, Kind, Result};
use crate::harness::agents::Places;
use crate::harness::process::{By, Input, Job, Running, Stop, run, start};
use crate::harness::sandbox::Sandbox;
use crate::plan::{Arm, Command, Plan, Setup, Task};
use crate::record::SetupRun;
use crate::record::mask::Masker;

/// Bytes that are kept of what a command prints.
const OUTPUT: u64 = 1 << 20;
/// Bytes of a failed command's output that its record holds.
const CONSOLE: u64 = 4 << 10;
/// How long between two looks whether a service is ready.
const LOOK: Duration = Duration::from_millis(100);

/// Where set-up commands run, and what they are told.
pub(super) struct Room<'r> {
    /// The word of records: `base`, `clone`, `gate`.
    pub(super) place: &'r str,
    /// The folder they run in.
    pub(super) top: &'r Path,
    /// The folder of their output.
    pub(super) kept: &'r Path,
    pub(super) places: &'r Places,
    /// All of their environment.
    pub(super) environment: &'r BTreeMap<OsString, OsString>,
    pub(super) sandbox: Option<Sandbox>,
    /// What their processes carry, so that they are found after a kill; empty: ids of their own.
    pub(super) mark: &'r str,
    pub(super) stop: &'r Stop,
}

/// What set-up came to. Services end with it.
#[derive(Default)]
pub(super) struct Prepared {
    /// What ran.
    pub(super) runs: Vec<SetupRun>,
    /// Services that run.
    services: Vec<Running>,
    /// What failed, in words.
    pub(super) failed: Option<String>,
}

/// The set-up commands for a chain of `arm` on `task`, in order, each with whose it is.
pub(super) fn all<'p>(
    plan: &'p Plan,
    arm: &'p Arm,
    task: Option<&'p Task>,
) -> Vec<(&'static str, &'p Setup)> {
    let of = |of: &'static str, setups: &'p [Setup]| setups.iter().map(move |s| (of, s));
    of("experiment", &plan.setup)
        .chain(of("arm", &arm.setup))
        .chain(of("task", task.map_or(&[], |t| &t.setup)))
        .collect()
}

impl Prepared {
    /// Runs one more. What fails is noted, not an error; being stopped neither.
    ///
    /// # Errors
    /// Internal where output cannot be kept.
    pub(super) fn add(&mut self, room: &Room<'_>, of: &str, setup: &Setup) -> Result<()> {
        let name = format!("setup-{}", self.runs.len());
        let began = Instant::now();
        let (exit_code, outcome, why) = match &setup.service {
            None => one(room, &name, &setup.command, setup.timeout)?,
            Some(service) => self.serve(room, &name, setup, service.ready.as_ref())?,
        };
        let masker = Masker::here();
        let masked = |text: &str| {
            let (text, _) = masker.bytes(text.as_bytes());
            String::from_utf8_lossy(&text).into_owned()
        };
        let command: Vec<String> = words(&setup.command).iter().map(|w| masked(w)).collect();
        if outcome != "ok" {
            self.failed = Some(format!(
                "the set-up command of the {of} {}: {}",
                match outcome {
                    "timeout" => "did not end in time",
                    "not-started" => "could not be started",
                    _ => "failed",
                },
                command.join(" ")
            ));
        }
        let console = (outcome != "ok")
            .then(|| why.unwrap_or_else(|| said(room.kept, &name)))
            .map(|text| masked(&text));
        self.runs.push(SetupRun {
            of: of.to_owned(),
            place: room.place.to_owned(),
            command,
            exit_code,
            wall_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            outcome: outcome.to_owned(),
            console: console.filter(|c| !c.trim().is_empty()),
        });
        Ok(())
    }

    /// Starts a service and waits until it is ready.
    fn serve(
        &mut self,
        room: &Room<'_>,
        name: &str,
        setup: &Setup,
        ready: Option<&Command>,
    ) -> Result<Came> {
        // It is ended by us, not by a limit of its own.
        let running = match start(&job(room, name, &setup.command, Duration::MAX)?) {
            Ok(running) => running,
            Err(e) => return not_started(e),
        };
        let began = Instant::now();
        let mut is_ready = ready.is_none();
        while !is_ready && running.runs() && began.elapsed() < setup.timeout {
            let Some(ready) = ready else { break };
            let left = setup.timeout.saturating_sub(began.elapsed());
            is_ready = one(room, "ready", ready, left)?.1 == "ok";
            if !is_ready && !room.stop.pause(LOOK) {
                break;
            }
        }
        if is_ready && running.runs() {
            self.services.push(running);
            return Ok((None, "ok", None));
        }
        let outcome = match running.runs() {
            true => "timeout",
            false => "failed",
        };
        let ended = running.end()?;
        Ok((ended.exit_code.map(i64::from), outcome, None))
    }

    /// Ends the services.
    ///
    /// # Errors
    /// Internal where one cannot be waited for.
    pub(super) fn end(&mut self) -> Result<()> {
        while let Some(service) = self.services.pop() {
            service.end()?;
        }
        Ok(())
    }
}

/// Exit status, outcome, and why it was not started.
type Came = (Option<i64>, &'static str, Option<String>);

fn one(room: &Room<'_>, name: &str, command: &Command, time: Duration) -> Result<Came> {
    let ended = match run(&job(room, name, command, time)?, room.stop) {
        Ok(ended) => ended,
        Err(e) => return not_started(e),
    };
    let outcome = match (ended.by, ended.exit_code) {
        (By::Timeout, _) => "timeout",
        (_, Some(0)) => "ok",
        _ => "failed",
    };
    let code = ended.exit_code.or(ended.signal.map(|s| 128 + s));
    Ok((code.map(i64::from), outcome, None))
}

/// A program that is not there is a set-up that failed.
fn not_started(e: Error) -> Result<Came> {
    match e.kind() {
        Kind::Usage => Ok((None, "not-started", Some(e.to_string()))),
        _ => Err(e),
    }
}

fn job(room: &Room<'_>, name: &str, command: &Command, time: Duration) -> Result<Job> {
    Ok(Job {
        words: room.places.fill(command)?,
        folder: room.top.to_owned(),
        environment: room.environment.clone(),
        input: Input::Nothing,
        out: output(room.kept, name, "out"),
        err: output(room.kept, name, "err"),
        keep: OUTPUT,
        time,
        sandbox: room.sandbox.clone(),
        // What runs beside it is no part of it: each has a mark of its own.
        mark: match room.mark {
            "" => String::new(),
            mark => format!("{mark}/{name}"),
        },
    })
}

fn output(kept: &Path, name: &str, end: &str) -> PathBuf {
    kept.join(format!("{name}.{end}"))
}

/// A command as records have it: a line for the shell as the three words that start it.
pub(super) fn words(command: &Command) -> Vec<String> {
    match command {
        Command::Words(words) => words.clone(),
        Command::Shell(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
    }
}

/// The end of what a command printed, output before errors.
fn said(kept: &Path, name: &str) -> String {
    let tail = |end: &str| -> std::io::Result<String> {
        let mut file = File::open(output(kept, name, end))?;
        let start = file.metadata()?.len().saturating_sub(CONSOLE);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(CONSOLE).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    ["out", "err"]
        .map(|end| tail(end).unwrap_or_default())
        .concat()
}
