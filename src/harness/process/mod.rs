//! One process of a run and all that it starts: its input, where its output goes, how long it may
//! take, and that nothing of it stays behind.

mod output;
mod program;
mod remains;
mod stop;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::sandbox::Sandbox;
use crate::error::{Error, Result};
use crate::record::RecordId;

pub use stop::Stop;

pub(super) use program::on_path;

/// How long a process has between being asked to end and being ended.
const GRACE: Duration = Duration::from_secs(5);
/// How long its output may take to come to its end once all of it has ended.
const DRAIN: Duration = Duration::from_secs(2);
/// How often a process is looked at: soon after it began, and later.
const LOOKS: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(50)];
/// How often is looked for what it started.
const SURVEY: Duration = Duration::from_millis(500);
/// Most bytes of what a sandbox's frame tells.
const TOLD: u64 = 64 << 10;

/// What a process gets on its standard input.
#[derive(Debug, Clone, Default)]
pub(super) enum Input {
    /// Nothing: its end at once.
    #[default]
    Nothing,
    /// These bytes.
    Bytes(Vec<u8>),
}

/// A process to be started.
#[derive(Debug, Clone)]
pub(super) struct Job {
    /// The program and its arguments. The program is looked for on the `PATH` of `environment`.
    pub(super) words: Vec<OsString>,
    /// Where it runs.
    pub(super) folder: PathBuf,
    /// All of its environment; nothing of ours comes in.
    pub(super) environment: BTreeMap<OsString, OsString>,
    /// What it reads.
    pub(super) input: Input,
    /// Where its standard output goes: a file that is made anew.
    pub(super) out: PathBuf,
    /// Where its errors go: the same.
    pub(super) err: PathBuf,
    /// Bytes of each of them that are kept: the first, and at most a mebibyte of the last.
    pub(super) keep: u64,
    /// How long it may take.
    pub(super) time: Duration,
    /// What hides the rest of the machine from it.
    pub(super) sandbox: Option<Sandbox>,
    /// What its processes carry in their environment (`EVOLVE_MARK`), so that they are found
    /// again wherever they went; empty: an id of its own.
    pub(super) mark: String,
}

/// What ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// It ended by itself.
    Itself,
    /// Its time was over.
    Timeout,
    /// We were asked to stop.
    Interrupt,
    /// A signal that was not ours.
    Killed,
}

impl By {
    /// As records have it.
    pub(super) fn word(self) -> &'static str {
        match self {
            By::Itself => "itself",
            By::Timeout => "timeout",
            By::Interrupt => "interrupt",
            By::Killed => "killed",
        }
    }
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ended {
    /// What ended it.
    pub(super) by: By,
    /// Its exit status; `None` where a signal ended it. In a sandbox 129 and more is told as a
    /// signal, since that is all a shell tells of one.
    pub(super) exit_code: Option<i32>,
    /// The signal that ended it.
    pub(super) signal: Option<i32>,
    /// How long it took.
    pub(super) wall: Duration,
    /// Processes that it left behind and that were ended.
    pub(super) left_running: u64,
    /// Bytes it wrote to output and errors.
    pub(super) output: u64,
    /// Those of them that were not kept.
    pub(super) dropped: u64,
}

impl Job {
    /// `words` in `folder`, output and errors to `out` and `err` with the endings of these names;
    /// no input, no environment, a mebibyte kept of each, ten minutes, no sandbox.
    pub(super) fn new(words: Vec<OsString>, folder: &Path, outputs: &Path) -> Job {
        Job {
            words,
            folder: folder.to_owned(),
            environment: BTreeMap::new(),
            input: Input::Nothing,
            out: outputs.with_extension("out"),
            err: outputs.with_extension("err"),
            keep: 1 << 20,
            time: Duration::from_secs(600),
            sandbox: None,
            mark: String::new(),
        }
    }
}

/// Runs `job` to its end.
///
/// # Errors
/// Usage where the program cannot be found or started; internal where its output cannot be kept.
pub(super) fn run(job: &Job, stop: &Stop) -> Result<Ended> {
    start(job)?.wait(stop)
}

/// A process that was started. One that is dropped is ended, and all that it started.
pub(super) struct Running {
    child: Child,
    group: i32,
    out: output::Copying,
    err: output::Copying,
    began: Instant,
    time: Duration,
    status: Option<StatusFile>,
    ended: bool,
    /// Its program, and what hides the rest of the machine from it.
    program: PathBuf,
    sandbox: Option<Sandbox>,
    /// The file of its errors.
    errors: PathBuf,
}

/// Ends every process that carries `mark`, or a part of it (`mark/part`): what a run that was killed
/// left behind. Gives how many.
pub(in crate::harness) fn end_marked(mark: &str) -> u64 {
    let ended = remains::end_marked(mark);
    StatusFile::remove_all(mark);
    ended
}

/// Starts `job`, to run beside what follows.
///
/// # Errors
/// As [`run`].
pub(super) fn start(job: &Job) -> Result<Running> {
    let program = program::find(job)?;
    let shown = program.display().to_string();
    let starting = |e: std::io::Error| Error::usage(format!("starting {shown}")).with_source(e);
    let mut words = vec![program.clone().into_os_string()];
    words.extend(job.words.iter().skip(1).cloned());
    let mark = match job.mark.is_empty() {
        true => RecordId::new().to_string(),
        false => job.mark.clone(),
    };
    let mut status = None;
    let mut frame = words.clone();
    if let Some(sandbox) = &job.sandbox {
        let file = StatusFile::new(&mark)?;
        frame = sandbox.around(&words, &job.folder, &mark, file.path(), file.root())?;
        status = Some(file);
    }
    let mut command = Command::new(&frame[0]);
    command.args(&frame[1..]).current_dir(&job.folder);
    command.env_clear().envs(&job.environment);
    if job.sandbox.is_none() {
        command.env(remains::MARK, &mark);
    }
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let bytes = match &job.input {
        Input::Nothing => {
            command.stdin(Stdio::null());
            None
        }
        Input::Bytes(bytes) => {
            command.stdin(Stdio::piped());
            Some(bytes.clone())
        }
    };
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (out, err) = (output::fresh(&job.out)?, output::fresh(&job.err)?);
    let mut child = remains::known(&mark, || {
        let child = command.spawn()?;
        let group = i32::try_from(child.id()).map_err(std::io::Error::other)?;
        Ok((group, child))
    })
    .map_err(starting)?;
    // The parent's copies of the pipes' ends stand in it.
    drop(command);
    let group = i32::try_from(child.id()).unwrap_or(i32::MAX);
    if let (Some(bytes), Some(mut stdin)) = (bytes, child.stdin.take()) {
        // One that does not read to the end is no error: the thread ends with the pipe.
        std::thread::spawn(move || stdin.write_all(&bytes));
    }
    let missing = || Error::internal("a process was started without its output");
    let from = (
        child.stdout.take().ok_or_else(missing)?,
        child.stderr.take().ok_or_else(missing)?,
    );
    let out = output::Copying::start(from.0, out, job.keep)?;
    let err = output::Copying::start(from.1, err, job.keep)?;
    Ok(Running {
        child,
        group,
        out,
        err,
        began: Instant::now(),
        time: job.time,
        status,
        ended: false,
        program,
        sandbox: job.sandbox.clone(),
        errors: job.err.clone(),
    })
}

impl Running {
    /// Whether it still runs.
    pub(super) fn runs(&self) -> bool {
        !self.has_ended()
    }

    /// Waits until it ends, its time is over, or somebody asks to stop; then all that it started
    /// is ended too.
    ///
    /// # Errors
    /// Internal where its output could not be kept; usage where a sandbox hides its program.
    pub(super) fn wait(self, stop: &Stop) -> Result<Ended> {
        let mut by = By::Itself;
        let mut survey = Instant::now();
        let mut look = LOOKS[0];
        while !self.has_ended() {
            if stop.asked() {
                by = By::Interrupt;
            } else if self.began.elapsed() >= self.time {
                by = By::Timeout;
            }
            if by != By::Itself {
                self.ask_to_end();
                break;
            }
            if survey.elapsed() >= SURVEY {
                remains::look(self.group);
                survey = Instant::now();
            }
            std::thread::sleep(look);
            look = (look * 2).min(LOOKS[1]);
        }
        self.finish(by)
    }

    /// Ends it, and all that it started: a service that is no longer needed.
    ///
    /// # Errors
    /// As [`Running::wait`].
    pub(super) fn end(self) -> Result<Ended> {
        let by = match self.has_ended() {
            true => By::Itself,
            false => {
                self.ask_to_end();
                By::Interrupt
            }
        };
        self.finish(by)
    }

    /// Whether the process itself has ended; it stays to be waited for, so that its number is
    /// nobody else's yet.
    fn has_ended(&self) -> bool {
        let Some(pid) = Pid::from_raw(self.group) else {
            return true;
        };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error says that there is no such child any more.
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    fn ask_to_end(&self) {
        let mut asked = std::collections::BTreeSet::new();
        let began = Instant::now();
        while !self.has_ended() && began.elapsed() < GRACE {
            // Again and again: it may start more while it ends.
            remains::ask(self.group, self.status.is_some(), &mut asked);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn finish(mut self, by: By) -> Result<Ended> {
        let wall = self.began.elapsed();
        let mut left_running = remains::end(self.group, self.sandbox.is_some());
        let waiting = |e| Error::internal("waiting for a process").with_source(e);
        let status = self.child.wait().map_err(waiting)?;
        remains::forget(self.group);
        self.ended = true;
        let never = output::Copying::nothing;
        let out = std::mem::replace(&mut self.out, never()).end(DRAIN)?;
        let err = std::mem::replace(&mut self.err, never()).end(DRAIN)?;
        let mut exit_code = status.code();
        let mut signal = std::os::unix::process::ExitStatusExt::signal(&status);
        if let Some(file) = self.status.take() {
            let told = file.read();
            // What runs in there may write to the file by way of `/proc`: that it did not even
            // begin stops a run, and is not believed.
            let not_begun = matches!(told, Told::Missing | Told::Failed) && by == By::Itself;
            let began = not_begun && {
                let sandbox = self.sandbox.as_ref();
                sandbox.is_some_and(|s| s.shows(&self.program))
            };
            match told {
                Told::Missing | Told::Failed if began || by != By::Itself => {}
                Told::Ended(code, left) => {
                    left_running = left_running.max(left);
                    (exit_code, signal) = match code - 128 {
                        number @ 1..=64 => (None, Some(number)),
                        _ => (Some(code), None),
                    };
                }
                Told::Missing => {
                    return Err(Error::usage(format!(
                        "starting {}: the sandbox does not show it",
                        self.program.display()
                    ))
                    .with_hint("name its folder in the agent's `visible`"));
                }
                Told::Failed => {
                    let said = std::fs::read(&self.errors).unwrap_or_default();
                    let said = String::from_utf8_lossy(&said);
                    return Err(Error::usage(format!(
                        "starting {} in a sandbox: {}",
                        self.program.display(),
                        said.lines().last().unwrap_or("it did not come about")
                    ))
                    .with_hint("`isolation = \"none\"` in the plan runs without one"));
                }
                Told::Nothing => {}
            }
        }
        let by = match by {
            By::Itself if signal.is_some() => By::Killed,
            by => by,
        };
        Ok(Ended {
            by,
            exit_code,
            signal,
            wall,
            left_running,
            output: out.0 + err.0,
            dropped: out.1 + err.1,
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            remains::end(self.group, self.sandbox.is_some());
            // Nobody asks any more how it ended.
            let _ = self.child.wait();
            remains::forget(self.group);
        }
    }
}

/// What the frame of a sandbox tells beside its exit status.
enum Told {
    /// The exit status as a shell has it, and the processes that were left.
    Ended(i32, u64),
    /// The program is not to be seen in there.
    Missing,
    /// The sandbox did not come about.
    Failed,
    /// It was ended before it could tell.
    Nothing,
}

/// The file in which a sandbox's frame tells, where what runs in it cannot write.
struct StatusFile {
    folder: PathBuf,
}

impl StatusFile {
    fn new(mark: &str) -> Result<StatusFile> {
        let name = format!("{}{}", StatusFile::begin(mark), RecordId::new());
        let folder = std::env::temp_dir().join(name);
        let making = |e| Error::internal(format!("making {}", folder.display())).with_source(e);
        let mut builder = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder).map_err(making)?;
        builder.create(folder.join("root")).map_err(making)?;
        Ok(StatusFile { folder })
    }

    /// How the names of those of `mark` begin, and of its parts (`mark/part`).
    fn begin(mark: &str) -> String {
        let whole = mark.split('/').next().unwrap_or_default();
        let short: String = whole.chars().take(64).collect();
        format!("git-evolve-{short}-")
    }

    /// Removes those of `mark` and its parts, which a killed run left.
    fn remove_all(mark: &str) {
        let begin = StatusFile::begin(mark);
        let entries = std::fs::read_dir(std::env::temp_dir());
        for entry in entries.into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&begin) {
                // It lies in the system's folder for what may go.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join("status")
    }

    /// An empty folder that a sandbox may put its files on.
    fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    fn read(&self) -> Told {
        let mut text = String::new();
        if let Ok(file) = std::fs::File::open(self.path()) {
            // What cannot be read tells nothing.
            let _ = file.take(TOLD).read_to_string(&mut text);
        }
        let mut told = Told::Failed;
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["ended", code, left] => {
                    if let (Ok(code), Ok(left)) = (code.parse(), left.parse()) {
                        return Told::Ended(code, left);
                    }
                }
                ["missing"] => return Told::Missing,
                ["began"] => told = Told::Nothing,
                _ => {}
            }
        }
        told
    }
}

impl Drop for StatusFile {
    fn drop(&mut self) {
        // It lies in the system's folder for what may go.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests;
