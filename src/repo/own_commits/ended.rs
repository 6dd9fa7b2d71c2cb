//! A git process that works on somebody's objects: bounded in time and memory.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::error::{Error, Result};
use crate::repo::program::not_started;

/// Most memory it may ask for: an object may say that it is as large as it likes.
const MEMORY: u64 = 8 << 30;
/// Most bytes of a file that it may write.
const FILE: u64 = 1 << 30;
/// Most of what it says that is kept.
const SAID: u64 = 8 << 20;

/// Runs it to its end; `None` where it came to none in `time` and was ended.
///
/// # Errors
/// Git could not be started.
pub(super) fn bounded(mut command: Command, time: Duration) -> Result<Option<Output>> {
    let piped = command
        .get_args()
        .any(|a| a == "rev-list" || a == "index-pack");
    if piped {
        command.stdout(Stdio::piped());
    }
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .map_err(not_started)?;
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        for (resource, most) in [(Resource::As, MEMORY), (Resource::Fsize, FILE)] {
            let limit = Rlimit {
                current: Some(most),
                maximum: Some(most),
            };
            // A system that takes no such limit still has the one on time.
            let _ = prlimit(Some(pid), resource, limit);
        }
    }
    drop(command);
    let out = child
        .stdout
        .take()
        .map(|s| std::thread::spawn(move || said(s)));
    let err = child
        .stderr
        .take()
        .map(|s| std::thread::spawn(move || said(s)));
    let began = Instant::now();
    let waiting = |e| Error::git("waiting for git").with_source(e);
    let status = loop {
        match child.try_wait().map_err(waiting)? {
            Some(status) => break status,
            None if began.elapsed() > time => {
                // It may have ended by itself meanwhile.
                let _ = child.kill();
                child.wait().map_err(waiting)?;
                return Ok(None);
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let joined = |thread: Option<std::thread::JoinHandle<Vec<u8>>>| {
        thread.and_then(|t| t.join().ok()).unwrap_or_default()
    };
    Ok(Some(Output {
        status,
        stdout: joined(out),
        stderr: joined(err),
    }))
}

/// What comes, up to a bound; the rest is read and let go.
fn said(mut stream: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A stream that breaks has said what it said.
    let _ = (&mut stream).take(SAID).read_to_end(&mut bytes);
    let _ = std::io::copy(&mut stream, &mut std::io::sink());
    bytes
}
