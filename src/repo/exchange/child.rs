//! One git process that talks to another repository: how it may ask, and how long it may take.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::repo::program;

/// Gets git's lines of progress as they come, each with the `\r` or `\n` it ends in.
pub type Progress<'p> = &'p dyn Fn(&str);

/// How git may behave while it talks to another repository.
#[derive(Clone, Copy)]
pub struct Manner<'p> {
    /// Somebody sits at a terminal: git and ssh may ask for passwords, and nothing is cut off.
    /// Else nothing asks.
    pub interactive: bool,
    /// Where git's progress goes. Without, it counts nothing.
    pub progress: Option<Progress<'p>>,
    /// How long one git process may take where nobody sits at a terminal.
    pub limit: Duration,
}

impl Manner<'_> {
    /// How long one git process may take where nobody watches it.
    pub const LIMIT: Duration = Duration::from_secs(600);
}

impl Default for Manner<'_> {
    fn default() -> Self {
        Manner {
            interactive: false,
            progress: None,
            limit: Self::LIMIT,
        }
    }
}

impl std::fmt::Debug for Manner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manner")
            .field("interactive", &self.interactive)
            .field("progress", &self.progress.is_some())
            .field("limit", &self.limit)
            .finish()
    }
}

/// What a git process gets on its standard input.
pub(super) enum Input<'i> {
    /// What somebody at a terminal types, else nothing.
    Nothing,
    /// These bytes.
    Bytes(&'i [u8]),
    /// An open file.
    File(Stdio),
}

/// How often a silent process is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// What a git process said.
pub(super) struct Said {
    pub(super) status: ExitStatus,
    pub(super) output: Vec<u8>,
    words: Vec<u8>,
}

impl Said {
    /// What the other side said (`remote: …`), and git's own errors; progress left out.
    pub(super) fn words(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.words);
        let mut lines: Vec<String> = Vec::new();
        for line in text.lines() {
            // What was written over on a terminal is not what was said in the end.
            let line = line.rsplit('\r').find(|l| !l.trim().is_empty());
            let line = line.unwrap_or_default().trim_end();
            if !line.is_empty() && !is_progress(line) && lines.last().is_none_or(|l| l != line) {
                lines.push(line.to_owned());
            }
        }
        lines
    }

    /// The error that says what git said.
    pub(super) fn error(&self, doing: &str) -> Error {
        let words = self.words();
        let said: Vec<&str> = words
            .iter()
            .map(|w| w.trim_start_matches("fatal: "))
            .collect();
        let said = match said.as_slice() {
            [] => format!("git ended with {}", self.status),
            lines => lines.join("\n"),
        };
        Error::git(format!("{doing}: {said}"))
    }
}

/// Whether a line of git's only counts what was done so far.
fn is_progress(line: &str) -> bool {
    let line = line.strip_prefix("remote: ").unwrap_or(line);
    let counts = line.split_once(": ").is_some_and(|(what, much)| {
        !what.is_empty()
            && what.chars().all(|c| c.is_ascii_alphabetic() || c == ' ')
            && much.starts_with(|c: char| c.is_ascii_digit() || c == ' ')
            && (much.contains('%') || much.ends_with("done."))
    });
    counts || line.starts_with("Total ") && line.contains("(delta ")
}

/// The git program, its words to come, in `folder`.
pub(super) fn git(folder: &Path, manner: Manner<'_>) -> Command {
    let mut command = program::git(folder);
    for setting in [
        // A pack appears whole or not at all. Unpacked, a fetch that is killed leaves trees
        // whose blobs are missing, which `git fsck` finds though nothing leads to them.
        "fetch.unpackLimit=1",
        "fetch.writeCommitGraph=false",
        "submodule.recurse=false",
        "advice.pushUpdateRejected=false",
    ] {
        command.args(["-c", setting]);
    }
    if !manner.interactive {
        for setting in ["http.lowSpeedLimit=100", "http.lowSpeedTime=60"] {
            command.args(["-c", setting]);
        }
        command.env("GIT_TERMINAL_PROMPT", "0");
    }
    command
}

/// The ssh command with which nothing is asked, where `configured` is the user's own; `None`
/// where it is no ssh that is known to take the option.
pub(super) fn silent_ssh(configured: Option<&str>) -> Option<String> {
    let command = configured.unwrap_or("ssh");
    let program = command.split_whitespace().next()?;
    let name = program.rsplit(['/', '\\']).next()?;
    matches!(name, "ssh" | "ssh.exe").then(|| {
        format!("{command} -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30")
    })
}

/// Runs `command` with `input` on its standard input.
pub(super) fn run(
    mut command: Command,
    words: &[OsString],
    input: Input<'_>,
    manner: Manner<'_>,
) -> Result<Said> {
    command.args(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (stdin, bytes) = match input {
        Input::Bytes(bytes) => (Stdio::piped(), Some(bytes)),
        Input::File(file) => (file, None),
        Input::Nothing if manner.interactive => (Stdio::inherit(), None),
        Input::Nothing => (Stdio::null(), None),
    };
    command.stdin(stdin);
    let mut child = command.spawn().map_err(program::not_started)?;
    let deadline = (!manner.interactive).then(|| Instant::now() + manner.limit);
    // The child has its own: ours would keep what it stands for.
    drop(command);
    let waited = converse(&mut child, bytes, manner, deadline);
    match waited {
        Ok(Some(said)) => Ok(said),
        Ok(None) => {
            end(&mut child);
            let name = words.iter().find(|w| !w.to_string_lossy().starts_with('-'));
            let name = name.map(|n| n.to_string_lossy()).unwrap_or_default();
            Err(Error::git(format!(
                "git {name}: no end after {} seconds",
                manner.limit.as_secs()
            ))
            .with_hint(
                "the other side may wait for a password: try by hand; or allow more: \
                 git config evolve.networkTimeout 3600",
            ))
        }
        Err(e) => {
            end(&mut child);
            Err(Error::git("talking to git").with_source(e))
        }
    }
}

fn end(child: &mut Child) {
    // It may have ended by itself meanwhile; then there is nothing to end.
    let _ = child.kill();
    let _ = child.wait();
}

enum Piece {
    Output(Vec<u8>),
    Words(Vec<u8>),
}

/// Reads both streams to their ends; `None` where the deadline came first.
fn converse(
    child: &mut Child,
    input: Option<&[u8]>,
    manner: Manner<'_>,
    deadline: Option<Instant>,
) -> std::io::Result<Option<Said>> {
    let (to, from) = mpsc::channel();
    let out = child.stdout.take();
    let err = child.stderr.take();
    // Threads, and not scoped ones: a grandchild that keeps the pipe open must not keep us.
    listen(out, to.clone(), Piece::Output);
    listen(err, to, Piece::Words);
    if let (Some(bytes), Some(mut stdin)) = (input, child.stdin.take()) {
        let bytes = bytes.to_vec();
        std::thread::spawn(move || stdin.write_all(&bytes));
    }
    let (mut output, mut words) = (Vec::new(), Vec::new());
    let mut told = 0;
    let mut ended = false;
    loop {
        match from.recv_timeout(LOOK) {
            Ok(Piece::Output(bytes)) => output.extend(bytes),
            Ok(Piece::Words(bytes)) => {
                words.extend(bytes);
                told = tell(&words, told, manner);
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            // A daemon that git left behind may hold the pipes open for ever.
            Err(mpsc::RecvTimeoutError::Timeout) if ended => break,
            Err(mpsc::RecvTimeoutError::Timeout) => ended = child.try_wait()?.is_some(),
        }
        if deadline.is_some_and(|d| Instant::now() >= d) {
            return Ok(None);
        }
    }
    let status = child.wait()?;
    Ok(Some(Said {
        status,
        output,
        words,
    }))
}

/// Passes on the progress in `words` from `told` on; gives how far it was complete.
fn tell(words: &[u8], told: usize, manner: Manner<'_>) -> usize {
    let mut at = told;
    for line in words[told..].split_inclusive(|b| matches!(b, b'\r' | b'\n')) {
        if !line.ends_with(b"\r") && !line.ends_with(b"\n") {
            break;
        }
        at += line.len();
        let line = String::from_utf8_lossy(line);
        if let Some(progress) = manner.progress.filter(|_| is_progress(line.trim_end())) {
            progress(&line);
        }
    }
    at
}

fn listen<R: Read + Send + 'static>(
    stream: Option<R>,
    to: mpsc::Sender<Piece>,
    piece: fn(Vec<u8>) -> Piece,
) {
    let Some(mut stream) = stream else { return };
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(n) = stream.read(&mut buffer) {
            if n == 0 || to.send(piece(buffer[..n].to_vec())).is_err() {
                break;
            }
        }
    });
}

/// The words as the system takes them.
pub(super) fn words<S: AsRef<OsStr>>(words: &[S]) -> Vec<OsString> {
    words.iter().map(|w| w.as_ref().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_no_word_of_the_server() {
        for line in [
            "remote: Counting objects: 100% (5/5), done.",
            "Writing objects:  33% (1/3)",
            "Total 3 (delta 0), reused 0 (delta 0), pack-reused 0",
            "Enumerating objects: 5, done.",
        ] {
            assert!(is_progress(line), "{line}");
        }
        for line in [
            "remote: error: notes are not welcome here",
            "remote: Rule 3: 100 of you were asked not to",
            "fatal: could not read Username for 'https://x': terminal prompts disabled",
            "error: failed to push some refs to 'x'",
        ] {
            assert!(!is_progress(line), "{line}");
        }
    }

    #[test]
    fn only_a_known_ssh_is_told_not_to_ask() {
        let told = |c| silent_ssh(c);
        let options = " -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30";
        assert_eq!(told(None), Some(format!("ssh{options}")));
        let own = Some("/usr/bin/ssh -i key");
        assert_eq!(told(own), Some(format!("/usr/bin/ssh -i key{options}")));
        assert_eq!(told(Some("plink -batch")), None);
        assert_eq!(told(Some("")), None);
    }

    #[test]
    fn a_process_that_does_not_end_is_ended() {
        let mut command = Command::new("sh");
        command.arg("-c");
        let manner = Manner {
            limit: Duration::from_millis(200),
            ..Manner::default()
        };
        let began = Instant::now();
        let said = run(command, &words(&["sleep 30"]), Input::Nothing, manner);
        assert!(said.is_err_and(|e| e.to_string().contains("no end after")));
        assert!(began.elapsed() < Duration::from_secs(10));
    }
}
