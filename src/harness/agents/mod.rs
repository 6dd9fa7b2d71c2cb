//! Agents: one session each, from its prompt to how it ended.

mod answer;
mod contained;
mod ending;
mod environment;
mod kept;
mod places;
mod read_only;
mod version;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::payloads::Captured;
use super::process::{self, Ended, Input, Job, Stop};
use super::sandbox::{Isolation, Sandbox, Shown};
use super::sessions::SessionSaid;
use crate::error::{Error, Result};
use crate::plan::{self, Overlay, PromptRoute};
use crate::record::{Launch, Limited, Purpose};

pub(super) use contained::{contained, ignored_sources, take_in_bounds, wrote};
pub(super) use environment::{Variables, environment, masked_words, recorded};
pub(super) use places::Places;

/// A session of an agent that is to be.
pub(super) struct Session<'a> {
    /// Who works.
    pub(super) agent: &'a plan::Agent,
    /// What for.
    pub(super) purpose: Purpose,
    /// The whole prompt.
    pub(super) prompt: &'a str,
    /// The clone it works in.
    pub(super) clone: &'a Path,
    /// The session's own folder; made here where it is missing. What the agent sees of it is the
    /// folder `work` in it; what was kept of the session is beside.
    pub(super) folder: &'a Path,
    /// Placeholders of the run: checkpoint, port, `tmp`, `cache` (these two are folders that it
    /// may write in). The session's own are added here.
    pub(super) places: Places,
    /// Folders that are empty to it where a sandbox would show them: the repository, the plan's.
    pub(super) hidden: Vec<PathBuf>,
    /// It may write nothing in the clone.
    pub(super) read_only: bool,
    /// How long it may take.
    pub(super) time: Duration,
    /// What its processes carry (`EVOLVE_MARK`): the attempt's id, by which `end_marked` finds
    /// them after a kill; empty: an id of its own.
    pub(super) mark: String,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// By itself, and well.
    Done,
    /// Not well, and why.
    Failed(String),
    /// A signal that was not ours ended it.
    Killed(i32),
    /// Its time was over.
    TimedOut,
    /// It was over this limit: `turns`, `cost_usd`.
    OverLimit(String),
    /// It was turned away for a time.
    RateLimited {
        /// For how long, where that was said.
        after: Option<Duration>,
    },
    /// No session can succeed any more: what said so.
    CredentialsDead(String),
    /// We were asked to stop.
    Interrupted,
}

impl State {
    /// As the outcome of a record.
    pub(super) fn outcome(&self) -> &'static str {
        match self {
            State::Done => "success",
            State::Failed(_) => "error",
            State::Killed(_) => "killed",
            State::TimedOut => "timeout",
            State::OverLimit(what) if what == "turns" => "max_turns",
            State::OverLimit(_) => "budget_exceeded",
            State::RateLimited { .. } => "rate_limited",
            State::CredentialsDead(_) => "credentials_dead",
            State::Interrupted => "interrupted",
        }
    }

    /// What went wrong, where it is the session's own doing.
    pub(super) fn why(&self) -> Option<String> {
        match self {
            State::Failed(why) => Some(why.clone()),
            State::Killed(signal) => Some(format!("ended by signal {signal}")),
            State::TimedOut => Some("out of time".to_owned()),
            State::OverLimit(what) => Some(format!("over its limit of {what}")),
            State::Done
            | State::RateLimited { .. }
            | State::CredentialsDead(_)
            | State::Interrupted => None,
        }
    }
}

/// What came of a session.
#[derive(Debug)]
pub(super) struct Answered {
    /// How it ended.
    pub(super) state: State,
    /// How it was started and ended, as records have it. Of `prompt`, `turn`, `tree` and `wrote`
    /// whoever has the repository knows.
    pub(super) launch: Launch,
    /// Its envelope and logs, copied to where the agent cannot reach.
    pub(super) captured: Captured,
    /// What it said last.
    pub(super) answer: Option<String>,
    /// The agent's version, as it says itself.
    pub(super) agent_version: Option<String>,
    /// What it printed beside its envelope, where its end is to be kept: it did not end well, or
    /// the plan keeps what was said.
    pub(super) printed: Vec<PathBuf>,
}

/// Holds a session.
///
/// # Errors
/// Usage where a placeholder stands for nothing, a file of the plan cannot be read, the program
/// is not there, or no sandbox is and the plan requires one: the session did not begin then, and
/// no attempt was made. Internal where its output cannot be kept.
pub(super) fn converse(session: &Session<'_>, stop: &Stop) -> Result<Answered> {
    let agent = session.agent;
    let layout = Layout::make(session)?;
    let places = layout.places(session);
    let home = layout.home.clone();
    let variables = Variables {
        set: &agent.environment,
        passed: &agent.pass_environment,
    };
    let environment = environment(&places, &home, variables)?;
    let (words, input) = prompted(agent, &places, session.prompt)?;
    let sandbox = sandbox(session, &places, &layout, &words, &environment)?;
    let guard = match (session.read_only, &sandbox) {
        (true, None) => Some(read_only::Guard::set(session.clone)?),
        _ => None,
    };
    let job = Job {
        words,
        folder: session.clone.to_owned(),
        environment,
        input,
        keep: agent.limits.output,
        time: session.time,
        sandbox,
        mark: session.mark.clone(),
        ..Job::new(Vec::new(), session.clone, &layout.kept.join("session"))
    };
    let agent_version = version::of(agent, &places, &job, stop)?;
    let ended = process::run(&job, stop)?;
    drop(guard);
    let kept = kept::keep(session, &places, &layout, &job.out)?;
    let told = ending::Told::read(&kept.envelopes);
    let state = ending::state(agent, &ended, &told, &job.out, &job.err);
    let launch = launch(session, &places, &job, &ended, &told, &state)?;
    let answer = answer::of(kept.envelopes.first().unwrap_or(&job.out));
    let said = SessionSaid {
        purpose: Some(session.purpose),
        outcome: Some(state.outcome().to_owned()),
        wall_ms: u64::try_from(ended.wall.as_millis()).ok(),
        exit_code: ended.exit_code.map(i64::from),
        agent_version: agent_version.clone(),
        model: agent.model.clone(),
        ..SessionSaid::default()
    };
    let captured = Captured {
        folder: layout.kept.clone(),
        envelopes: kept.envelopes,
        transcripts: kept.transcripts,
        keep_transcripts: agent.keep_transcripts,
        session: said,
        ..Captured::default()
    };
    let mut printed = Vec::new();
    if state != State::Done || agent.keep_transcripts {
        printed.push(job.err);
        // Else it is the envelope.
        printed.extend(agent.envelope.is_some().then_some(job.out));
    }
    Ok(Answered {
        printed,
        state,
        launch,
        captured,
        answer,
        agent_version,
    })
}

/// The folders of a session.
struct Layout {
    /// What the agent sees, and may write in.
    work: PathBuf,
    config: PathBuf,
    home: PathBuf,
    prompt: PathBuf,
    /// What it does not see.
    kept: PathBuf,
}

impl Layout {
    fn make(session: &Session<'_>) -> Result<Layout> {
        let folder = absolute(session.folder)?;
        let work = folder.join("work");
        let layout = Layout {
            config: work.join("config"),
            home: work.join("home"),
            prompt: work.join("prompt.md"),
            kept: folder.join("kept"),
            work,
        };
        let making =
            |path: &Path, e| Error::internal(format!("making {}", path.display())).with_source(e);
        let mut folders = vec![
            layout.config.clone(),
            layout.home.clone(),
            layout.kept.clone(),
        ];
        let of_the_run = ["tmp", "cache"].map(|name| session.places.get(name).map(PathBuf::from));
        folders.extend(of_the_run.into_iter().flatten());
        for path in folders {
            fs::create_dir_all(&path).map_err(|e| making(&path, e))?;
        }
        fs::write(&layout.prompt, session.prompt).map_err(|e| making(&layout.prompt, e))?;
        for overlay in &session.agent.config {
            seed(overlay, &layout.config)?;
        }
        Ok(layout)
    }

    fn places(&self, session: &Session<'_>) -> Places {
        let agent = session.agent;
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let mut places = session
            .places
            .clone()
            .with("clone", shown(session.clone))
            .with("config", shown(&self.config))
            .with("home", shown(&self.home))
            .with("prompt_file", shown(&self.prompt))
            .with("purpose", word(session.purpose))
            .with("session", shown(&self.work))
            .with("tools", agent.tools.join(","));
        let limits = &agent.limits;
        for (name, value) in [
            ("model", agent.model.clone()),
            ("permission_mode", agent.permission_mode.clone()),
            ("max_turns", limits.turns.map(|n| n.to_string())),
            ("max_cost_usd", limits.cost_usd.map(|n| n.to_string())),
        ] {
            if let Some(value) = value {
                places = places.with(name, value);
            }
        }
        places
    }
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path)
        .map_err(|e| Error::internal(format!("finding {}", path.display())).with_source(e))
}

fn word(purpose: Purpose) -> String {
    let value = serde_json::to_value(purpose).ok();
    let word = value.as_ref().and_then(serde_json::Value::as_str);
    word.unwrap_or_default().to_owned()
}

/// Copies a file or folder beside the plan into the configuration folder.
fn seed(overlay: &Overlay, config: &Path) -> Result<()> {
    let from = &overlay.from;
    let reading = |e| Error::usage(format!("reading {}", from.display())).with_source(e);
    let to = match overlay.to.trim_matches('/') {
        "" => config.to_owned(),
        inner => config.join(inner),
    };
    if from.metadata().map_err(reading)?.is_dir() {
        for file in super::files_below(from) {
            let inner = file.strip_prefix(from).unwrap_or(&file);
            copy(&file, &to.join(inner))?;
        }
        return Ok(());
    }
    match overlay.to.is_empty() || overlay.to.ends_with('/') {
        true => copy(from, &to.join(from.file_name().unwrap_or_default())),
        false => copy(from, &to),
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let doing = || format!("copying {} to {}", from.display(), to.display());
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).map_err(|e| Error::usage(doing()).with_source(e))?;
    fs::copy(from, to).map_err(|e| Error::usage(doing()).with_source(e))?;
    Ok(())
}

/// The words of the agent's command and its input, the prompt where the plan wants it.
fn prompted(agent: &plan::Agent, places: &Places, prompt: &str) -> Result<(Vec<OsString>, Input)> {
    if agent.prompt != PromptRoute::Argument {
        let words = places.fill(&agent.command)?;
        let input = match agent.prompt {
            PromptRoute::Stdin => Input::Bytes(prompt.as_bytes().to_vec()),
            _ => Input::Nothing,
        };
        return Ok((words, input));
    }
    let with = places.clone().with("prompt", prompt);
    let mut words = with.fill(&agent.command)?;
    match &agent.command {
        plan::Command::Words(given) if given.iter().any(|w| Places::has(w, "prompt")) => {}
        plan::Command::Words(_) => words.push(prompt.into()),
        // `$1` of the line.
        plan::Command::Shell(_) => words.extend(["sh".into(), prompt.into()]),
    }
    Ok((words, Input::Nothing))
}

fn sandbox(
    session: &Session<'_>,
    places: &Places,
    layout: &Layout,
    words: &[OsString],
    environment: &BTreeMap<OsString, OsString>,
) -> Result<Option<Sandbox>> {
    let agent = session.agent;
    let mut writable = vec![layout.work.clone()];
    let of_the_run = ["tmp", "cache"].map(|name| places.get(name).map(PathBuf::from));
    writable.extend(of_the_run.into_iter().flatten());
    let mut readable = agent.visible.clone();
    match session.read_only {
        true => readable.push(session.clone.to_owned()),
        false => writable.push(session.clone.to_owned()),
    }
    Sandbox::wanted(&Shown {
        isolation: agent.isolation,
        writable,
        readable,
        hidden: session.hidden.clone(),
        network: agent.network,
        program: words.first(),
        path: environment.get(std::ffi::OsStr::new("PATH")),
        folder: session.clone,
    })
}

fn launch(
    session: &Session<'_>,
    places: &Places,
    job: &Job,
    ended: &Ended,
    told: &ending::Told,
    state: &State,
) -> Result<Launch> {
    let agent = session.agent;
    let limits = &agent.limits;
    let isolation = job.sandbox.as_ref().map_or(Isolation::None, |s| s.kind);
    let mut over = told.over(limits);
    if ended.by == process::By::Timeout {
        over.push("time".to_owned());
    }
    if ended.dropped > 0 {
        over.push("output".to_owned());
    }
    if let State::OverLimit(what) = state
        && !over.contains(what)
    {
        over.push(what.clone());
    }
    over.sort();
    let shown: Vec<OsString> = job
        .words
        .iter()
        .map(|w| match agent.prompt == PromptRoute::Argument {
            // The prompt stands in the repository by its id, once.
            true => w
                .to_string_lossy()
                .replace(session.prompt, "{prompt}")
                .into(),
            false => w.clone(),
        })
        .collect();
    Ok(Launch {
        command: masked_words(&shown),
        prompt_route: match agent.prompt {
            PromptRoute::Stdin => "stdin",
            PromptRoute::Argument => "argument",
            PromptRoute::File => "file",
        }
        .to_owned(),
        isolation: isolation.word().to_owned(),
        environment: recorded(places, &agent.environment)?,
        passed: agent.pass_environment.clone(),
        tools: agent.tools.clone(),
        permission_mode: agent.permission_mode.clone(),
        limits: Some(Limited {
            turns: limits.turns,
            cost_usd: limits.cost_usd,
            time_ms: u64::try_from(session.time.as_millis()).unwrap_or(u64::MAX),
            attempts: limits.attempts,
        }),
        over,
        ended_by: ended.by.word().to_owned(),
        signal: ended.signal,
        left_running: ended.left_running,
        output: ended.output,
        output_dropped: ended.dropped,
        ..Launch::default()
    })
}

#[cfg(test)]
mod tests;
