//! Where output goes: data on standard output, through a pager where it is long; words on
//! standard error.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

use anstream::ColorChoice;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use crate::error::Result;
use crate::report::{Format, Layout, visible};

/// Columns where there is no terminal to ask.
const COLUMNS: usize = 80;

/// What is known of the terminal, and how this user likes output.
#[derive(Debug, Clone)]
pub(super) struct Output {
    terminal: bool,
    columns: usize,
    rows: Option<usize>,
    pager: Option<String>,
    paged: bool,
    format: Option<Format>,
}

impl Output {
    /// Looks at standard output and the user's habits.
    pub(super) fn new(global: &Global, habits: &Habits) -> Output {
        let terminal = std::io::stdout().is_terminal();
        let size = terminal_size::terminal_size();
        let told = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
        let seen = size.filter(|_| terminal).map(|(w, _)| usize::from(w.0));
        Output {
            terminal,
            columns: told.filter(|c| *c >= 20).or(seen).unwrap_or(COLUMNS),
            rows: size.filter(|_| terminal).map(|(_, h)| usize::from(h.0)),
            pager: habits.pager.clone(),
            paged: terminal && !global.no_pager,
            format: habits.format,
        }
    }

    /// The format asked for, or the user's, or a table; and the width.
    pub(super) fn layout(&self, asked: FormatArgs) -> Layout {
        let format = asked.format.map(Format::from).or(self.format);
        Layout {
            format: format.unwrap_or_default(),
            columns: self.columns,
        }
    }

    /// Prints data: through the pager where it is longer than the screen. What is for programs
    /// goes out byte for byte, except that nothing in it steers a terminal it is shown on.
    ///
    /// # Errors
    /// [`Kind::BrokenPipe`](crate::Kind::BrokenPipe) where the reader went away.
    pub(super) fn data(&self, bytes: &[u8], format: Format) -> Result<()> {
        match (format, self.terminal) {
            (Format::Table | Format::Markdown, _) => self.page_or_print(bytes),
            (_, false) => self.raw(bytes),
            (_, true) => {
                let text = String::from_utf8_lossy(bytes);
                let lines: Vec<_> = text.split('\n').map(visible).collect();
                self.page_or_print(lines.join("\n").as_bytes())
            }
        }
    }

    /// Prints text that may be coloured.
    fn page_or_print(&self, bytes: &[u8]) -> Result<()> {
        let colour = anstream::AutoStream::choice(&std::io::stdout());
        let lines = bytes.iter().filter(|b| **b == b'\n').count();
        let long = self.rows.is_some_and(|rows| lines >= rows);
        if self.paged && long && self.page(bytes, colour) {
            return Ok(());
        }
        let mut out = anstream::AutoStream::new(std::io::stdout().lock(), colour);
        out.write_all(bytes)?;
        out.flush()?;
        Ok(())
    }

    /// Prints bytes as they are: paths ended by NUL, scripts.
    ///
    /// # Errors
    /// As [`Output::data`].
    pub(super) fn raw(&self, bytes: &[u8]) -> Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()?;
        Ok(())
    }

    /// Whether standard output is a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Hands `bytes` to the pager; false where there is none or it does not start.
    fn page(&self, bytes: &[u8], colour: ColorChoice) -> bool {
        let Some(pager) = self.pager.clone().or_else(gits_pager) else {
            return false;
        };
        if pager.is_empty() || pager == "cat" || pager == "false" {
            return false;
        }
        let mut command = Command::new("sh");
        command.args(["-c", &pager]).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        if std::env::var_os("LV").is_none() {
            command.env("LV", "-c");
        }
        let Ok(mut child) = command.spawn() else {
            return false;
        };
        if let Some(mut stdin) = child.stdin.take() {
            let bytes = match colour {
                ColorChoice::Never => anstream::adapter::strip_bytes(bytes).into_vec(),
                // A pager is a pipe, and yet its end is the terminal.
                _ => bytes.to_vec(),
            };
            // A reader who has seen enough closes the pipe; that is no trouble.
            let _ = stdin.write_all(&bytes).and_then(|()| stdin.flush());
        }
        child.wait().is_ok()
    }
}

/// `GIT_PAGER`, `core.pager`, `PAGER` or git's default, as git itself finds it.
fn gits_pager() -> Option<String> {
    let out = Command::new("git")
        .args(["var", "GIT_PAGER"])
        .output()
        .ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    Some(text.trim().to_owned())
}

/// Says a line on standard error; that nobody reads it is no trouble.
pub(super) fn say(line: &str) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "{}", visible(line));
}
