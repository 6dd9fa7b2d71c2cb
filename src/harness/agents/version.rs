//! An agent's version, as its program says it: asked once a run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Places;
use crate::error::Result;
use crate::harness::process::{self, Input, Job, Stop};
use crate::plan::Agent;

/// How long the command may take, and most bytes of a version.
const TIME: Duration = Duration::from_secs(30);
const LENGTH: u64 = 200;

/// What each command said, by its words; `None`: it failed.
static SAID: Mutex<BTreeMap<Vec<OsString>, Option<String>>> = Mutex::new(BTreeMap::new());

/// The first line that the agent's version command prints, in the surroundings of `session`;
/// `None` where the plan names none, or it fails.
///
/// # Errors
/// Usage where a placeholder stands for nothing, or the program is not there.
pub(super) fn of(
    agent: &Agent,
    places: &Places,
    session: &Job,
    stop: &Stop,
) -> Result<Option<String>> {
    let Some(command) = &agent.version else {
        return Ok(None);
    };
    let words = places.fill(command)?;
    let known = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(said) = known.get(&words) {
        return Ok(said.clone());
    }
    drop(known);
    let job = Job {
        words: words.clone(),
        input: Input::Nothing,
        out: session.out.with_extension("version.out"),
        err: session.err.with_extension("version.err"),
        keep: 64 << 10,
        time: TIME,
        ..session.clone()
    };
    let ended = process::run(&job, stop)?;
    let said = match ended.exit_code {
        Some(0) => first_line(&job),
        _ => None,
    };
    if !stop.asked() {
        let mut known = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(words, said.clone());
    }
    Ok(said)
}

fn first_line(job: &Job) -> Option<String> {
    let file = std::fs::File::open(&job.out).ok()?;
    let mut line = Vec::new();
    let mut reader = BufReader::new(file).take(LENGTH);
    reader.read_until(b'\n', &mut line).ok()?;
    let text = String::from_utf8_lossy(&line).trim().to_owned();
    (!text.is_empty()).then_some(text)
}
